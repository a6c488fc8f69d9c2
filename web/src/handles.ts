// Handles on a part of a ride: arrows that move it, and rings that turn it. What follows
// the equations has no handle.

import * as three from "three";
import { TransformControls } from "three/addons/controls/TransformControls.js";
import type { Clip } from "./clip";
import { isNumber, ordered } from "./ride_file";
import type { Stage } from "./stage";
import type { ModelPart } from "./types";

export type HandleKind = "move" | "turn";

/** Places are written to so many digits after the point, and angles to more: they are radians. */
const [PLACE_DIGITS, ANGLE_DIGITS] = [3, 4];
/** With Shift held, steps are so large: m, and radians. */
const [STEP, TURN_STEP] = [0.1, Math.PI / 12];
/** Less than that is no turn, radians. */
const STILL = 1e-4;

interface Held {
  thing: three.Object3D;
  /** Where it is, seen from the part that is dragged. */
  relative: three.Matrix4;
}

const written = (value: number, digits: number): string => String(Number(value.toFixed(digits)));

/** A part's own turn. */
function turnOf(part: ModelPart): three.Quaternion {
  const axis = new three.Vector3(...((part.axis ?? ["0", "1", "0"]).map(Number) as [number, number, number]));
  const angle = Number(part.angle ?? 0);
  return axis.length() > 0 && Number.isFinite(angle) ? new three.Quaternion().setFromAxisAngle(axis.normalize(), angle) : new three.Quaternion();
}

/** A turn as a part has it: about which axis, and how far. */
function axisAndAngle(turn: three.Quaternion): { axis: [string, string, string]; angle: string } {
  const sign = turn.w < 0 ? -1 : 1;
  const axis = new three.Vector3(turn.x, turn.y, turn.z).multiplyScalar(sign);
  const angle = 2 * Math.atan2(axis.length(), sign * turn.w);
  if (angle < STILL) return { axis: ["0", "1", "0"], angle: "0" };
  axis.normalize();
  return { axis: [written(axis.x, ANGLE_DIGITS), written(axis.y, ANGLE_DIGITS), written(axis.z, ANGLE_DIGITS)], angle: written(angle, ANGLE_DIGITS) };
}

export class Handles {
  kind: HandleKind = "move";
  /** A part is being dragged. */
  isHeld = false;
  /** A part was dragged to where it is now. */
  onChange: (change: Partial<ModelPart>) => void = () => {};
  private controls: TransformControls | null = null;
  private readonly root = new three.Group();
  /** Where what the part hangs on is, and in it the part. */
  private readonly parent = new three.Group();
  private readonly pivot = new three.Object3D();
  private parts: ModelPart[] = [];
  private part: ModelPart | null = null;
  private clip: Clip | null = null;
  private held: Held[] = [];
  private before = new three.Matrix4();

  constructor(private readonly stage: Stage) {
    this.parent.add(this.pivot);
    this.root.add(this.parent);
  }

  /** Takes hold of a part of what is shown. */
  take(parts: ModelPart[], name: string | null, clip: Clip | null): void {
    if (this.isHeld) return;
    this.parts = parts;
    this.part = parts.find((part) => part.name === name) ?? null;
    this.clip = clip;
    this.show();
  }

  setKind(kind: HandleKind): void {
    this.kind = kind;
    this.show();
  }

  /** What the handles cannot change of the part, in words; nothing if they can. */
  get obstacle(): string | null {
    const { part } = this;
    if (!part) return null;
    if (this.kind === "turn") return this.isTurnable(part) ? null : "it is turned by the equations";
    return this.movable(part).some(Boolean) ? null : "it is moved by the equations";
  }

  private isTurnable(part: ModelPart): boolean {
    return [part.angle ?? "0", ...(part.axis ?? [])].every(isNumber);
  }

  private movable(part: ModelPart): boolean[] {
    return (part.shift ?? ["0", "0", "0"]).map(isNumber);
  }

  private show(): void {
    const { part, clip } = this;
    const controls = this.made();
    const isShown = part !== null && clip !== null && clip.node(part.name) !== null && this.obstacle === null;
    controls.enabled = isShown;
    if (!isShown) {
      controls.detach();
      return this.stage.changed();
    }
    controls.setMode(this.kind === "move" ? "translate" : "rotate");
    const [x = true, y = true, z = true] = this.kind === "move" ? this.movable(part) : [];
    [controls.showX, controls.showY, controls.showZ] = [x, y, z];
    controls.attach(this.pivot);
    this.follow();
    this.stage.changed();
  }

  private made(): TransformControls {
    if (this.controls) return this.controls;
    const controls = new TransformControls(this.stage.camera, this.stage.canvas);
    this.controls = controls;
    controls.setSpace("local");
    controls.setSize(0.8);
    controls.addEventListener("change", () => this.stage.changed());
    controls.addEventListener("objectChange", () => this.drag());
    controls.addEventListener("dragging-changed", (event) => (event.value ? this.grip() : this.letGo()));
    this.root.add(controls.getHelper());
    this.stage.lend(this.root);
    document.addEventListener("keydown", this.snap);
    document.addEventListener("keyup", this.snap);
    return controls;
  }

  private readonly snap = (event: KeyboardEvent): void => {
    this.controls?.setTranslationSnap(event.shiftKey ? STEP : null);
    this.controls?.setRotationSnap(event.shiftKey ? TURN_STEP : null);
  };

  /** Goes along with what moves; whoever drags stands still. */
  follow(): void {
    const { part, clip, parent, pivot } = this;
    if (!part || !clip || this.isHeld) return;
    const on = part.parent === null ? null : clip.node(part.parent);
    parent.position.copy(on?.position ?? new three.Vector3());
    parent.quaternion.copy(on?.quaternion ?? new three.Quaternion());
    parent.updateMatrixWorld(true);
    const node = clip.node(part.name);
    if (!node) return;
    pivot.position.copy(parent.worldToLocal(node.position.clone()));
    // Arrows point as what it hangs on is turned, rings as the part itself is.
    pivot.quaternion.copy(this.kind === "turn" ? turnOf(part) : new three.Quaternion());
    const at = node.position.clone().project(this.stage.camera);
    // Where the handles are in the view, in shares of it.
    this.stage.element.dataset.handles = `${this.kind} ${(0.5 + at.x / 2).toFixed(4)} ${(0.5 - at.y / 2).toFixed(4)}`;
  }

  /** Somebody begins to drag: what hangs on the part comes with it. */
  private grip(): void {
    const { part, clip, pivot } = this;
    if (!part || !clip) return;
    this.isHeld = true;
    this.stage.setTurning(false);
    pivot.updateMatrixWorld(true);
    this.before = pivot.matrixWorld.clone().invert();
    this.held = [part, ...ordered(this.parts, part.name)].flatMap(({ name }) => {
      const thing = clip.node(name);
      if (!thing) return [];
      thing.updateMatrix();
      return [{ thing, relative: this.before.clone().multiply(thing.matrix) }];
    });
  }

  private drag(): void {
    if (!this.isHeld) return;
    this.pivot.updateMatrixWorld(true);
    for (const { thing, relative } of this.held) {
      this.pivot.matrixWorld.clone().multiply(relative).decompose(thing.position, thing.quaternion, thing.scale);
    }
    this.stage.changed();
  }

  private letGo(): void {
    const { part, pivot } = this;
    if (!this.isHeld) return;
    this.isHeld = false;
    this.stage.setTurning(true);
    if (!part) return;
    if (this.kind === "turn") return this.onChange(axisAndAngle(pivot.quaternion));
    const before = part.shift ?? ["0", "0", "0"];
    const places = pivot.position.toArray();
    const shift = before.map((value, axis) => (isNumber(value) ? written(places[axis] ?? 0, PLACE_DIGITS) : value));
    this.onChange({ shift: shift as [string, string, string] });
  }

  dispose(): void {
    document.removeEventListener("keydown", this.snap);
    document.removeEventListener("keyup", this.snap);
    this.controls?.dispose();
    this.stage.lend(null);
    this.stage.setTurning(true);
    delete this.stage.element.dataset.handles;
  }
}
