// The large view: one clip or two beside each other, and what is drawn over them.

import * as three from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { TakeBounds, TakeContact } from "./types";
import { BoundBoxes } from "./bounds";
import type { Mark } from "./chart";
import { disposeOf, trails, type Playable } from "./clip";
import { h } from "./dom";
import { colours, isSparing, fade, follow, NoWebGl, renderer, Set3D, type Angle, type Sights } from "./look";
import { Walk } from "./walk";

/** How long a contact stays to be seen, s. */
const GLOW = 0.15;
const MOST_GLOWS = 128;
/** While something moves, a processor draws this share of the pixels along a side; and all of them when it has rested so long, ms. */
const [COARSE, RESTED] = [0.5, 300];

/** Keys that circle around what is looked at: aside, up, nearer. */
const TURNS: Record<string, [number, number, number]> = {
  ArrowLeft: [-0.1, 0, 1],
  ArrowRight: [0.1, 0, 1],
  ArrowUp: [0, -0.08, 1],
  ArrowDown: [0, 0.08, 1],
  "+": [0, 0, 0.9],
  "=": [0, 0, 0.9],
  "-": [0, 0, 1.11],
};

interface Side {
  set: Set3D;
  playable: Playable;
}

/** A spot on the ground that can be dragged. */
export interface Spot {
  x: number;
  z: number;
  radius: number;
}

/** A flat disc that what lies under it is seen through. */
function disc(place: three.Vector3, radius: number, color: three.ColorRepresentation): three.Mesh {
  const material = new three.MeshBasicMaterial({ color, transparent: true, opacity: 0.45, depthWrite: false });
  const mesh = new three.Mesh(new three.CylinderGeometry(radius, radius, radius * 0.08, 48), material);
  mesh.position.copy(place);
  mesh.renderOrder = 2;
  return mesh;
}

/** What there is to see of several clips beside each other. */
function sightsOf(playables: Playable[]): Sights {
  const all = (box: (playable: Playable) => three.Box3) => playables.reduce((sum, one) => sum.union(box(one)), new three.Box3());
  const steps = playables[0]?.steps?.map((_, step) => playables.flatMap((one) => one.steps?.[step] ?? []));
  const sights = { duration: Math.max(...playables.map((one) => one.duration)), focus: all((one) => one.focus), rest: all((one) => one.rest) };
  return steps ? { ...sights, steps } : sights;
}

export class Stage {
  readonly element: HTMLElement;
  readonly canvas = h("canvas", { tabindex: 0, "aria-label": "3D view" });
  private made: three.WebGLRenderer | null = null;
  private failed: NoWebGl | null = null;
  readonly camera = new three.PerspectiveCamera(35, 1, 0.01, 100);
  private readonly orbit: OrbitControls;
  private readonly walk: Walk;
  private sides: Side[] = [];
  /** What the camera should see of all sides. */
  private sights: Sights | null = null;
  private trailGroup: three.Group | null = null;
  private contacts: TakeContact[] = [];
  private readonly glows: three.InstancedMesh;
  private boxes: BoundBoxes | null = null;
  private outline: three.Box3Helper | null = null;
  private selected: string | null = null;
  private spots: three.Mesh[] = [];
  private marks: three.Mesh[] = [];
  private dragged: number | null = null;
  /** What somebody else puts into the view, and keeps there. */
  private lent: three.Object3D | null = null;
  private stale = true;
  /** What casts shadows may have moved. */
  private isShadeStale = true;
  /** When it was drawn coarsely, if it was. */
  private coarse: number | null = null;
  private time = 0;
  /** How many pictures were drawn. */
  private pictures = 0;
  angle: Angle = "side";
  /** Somebody has chosen from where to look. */
  isMoved = false;
  gridShown = true;
  contactsShown = false;
  boundsShown = false;
  /** Somebody takes the view into their own hands. */
  onUse: () => void = () => {};
  /** Before every picture, whether it is drawn or not. */
  onFrame: () => void = () => {};
  onSelect: (name: string | null) => void = () => {};
  /** A body was clicked. */
  onClick: (name: string) => void = () => {};
  onSpot: (index: number, spot: { x: number; z: number }, done: boolean) => void = () => {};

  constructor() {
    this.element = h("div", { class: "stage" }, this.canvas);
    this.orbit = new OrbitControls(this.camera, this.canvas);
    this.orbit.enableDamping = false;
    this.orbit.addEventListener("change", () => (this.stale = true));
    this.orbit.addEventListener("start", () => this.used());
    this.walk = new Walk(this.camera, this.canvas, () => (this.stale = true));
    this.walk.onUse = () => this.used();
    const glow = new three.MeshBasicMaterial({ color: colours().accent, transparent: true, opacity: 0.85, depthTest: false });
    this.glows = new three.InstancedMesh(new three.SphereGeometry(1, 12, 8), glow, MOST_GLOWS);
    this.glows.frustumCulled = false;
    this.glows.count = 0;
    new ResizeObserver(() => this.resize()).observe(this.element);
    this.listen();
    const draw = () => {
      requestAnimationFrame(draw);
      if (this.walk.move()) this.stale = true;
      this.onFrame();
      for (const { playable } of this.sides) if (playable.look?.(this.camera)) this.relight();
      if (!this.element.isConnected) return;
      if (this.stale) this.draw(isSparing());
      else if (this.coarse !== null && performance.now() - this.coarse > RESTED) this.draw();
    };
    draw();
  }

  private used(): void {
    this.isMoved = true;
    this.onUse();
  }

  private listen(): void {
    let pressed: [number, number] | null = null;
    this.canvas.addEventListener("pointerdown", (event) => {
      pressed = [event.clientX, event.clientY];
      const spot = this.hit(event, this.spots)?.object;
      if (spot) {
        this.dragged = this.spots.indexOf(spot as three.Mesh);
        this.orbit.enabled = false;
        this.canvas.setPointerCapture(event.pointerId);
      }
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (this.dragged !== null) this.drag(event, false);
    });
    this.canvas.addEventListener("pointerup", (event) => {
      if (this.dragged !== null) {
        this.drag(event, true);
        this.dragged = null;
        this.orbit.enabled = !this.walk.isOn;
      } else if (pressed && Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) < 4) {
        this.pick(event);
      }
      pressed = null;
    });
    this.canvas.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.select(null);
      const turn = TURNS[event.key];
      if (!turn || this.walk.isOn || event.ctrlKey || event.metaKey || event.altKey) return;
      this.circle(...turn);
      event.preventDefault();
      event.stopPropagation();
    });
  }

  /** Circles around what is looked at, and comes nearer or goes away. */
  private circle(aside: number, up: number, nearer: number): void {
    const arm = new three.Spherical().setFromVector3(this.camera.position.clone().sub(this.orbit.target));
    this.isMoved = true;
    arm.theta += aside;
    arm.phi = Math.min(Math.max(arm.phi + up, 0.02), Math.PI - 0.02);
    arm.radius *= nearer;
    this.camera.position.setFromSpherical(arm).add(this.orbit.target);
    this.orbit.update();
    this.stale = true;
  }

  /** What is under the pointer. */
  private hit(event: PointerEvent, among: three.Object3D[]): three.Intersection | undefined {
    return this.ray(event).intersectObjects(among, true)[0];
  }

  /** The line of sight through a place of the window, such as the pointer's. */
  ray(event: { clientX: number; clientY: number }): three.Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const width = box.width / Math.max(this.sides.length, 1);
    const x = (((event.clientX - box.left) % width) / width) * 2 - 1;
    const y = 1 - ((event.clientY - box.top) / box.height) * 2;
    const ray = new three.Raycaster();
    ray.setFromCamera(new three.Vector2(x, y), this.camera);
    return ray;
  }

  private pick(event: PointerEvent): void {
    const box = this.canvas.getBoundingClientRect();
    const place = Math.floor(((event.clientX - box.left) / box.width) * this.sides.length);
    const side = this.sides[place];
    if (!side) return;
    const hit = this.hit(event, [side.playable.root]);
    const body = hit ? side.playable.bodyOf(hit) : null;
    this.select(body);
    if (body) this.onClick(body);
  }

  private drag(event: PointerEvent, done: boolean): void {
    const ground = new three.Plane(new three.Vector3(0, 1, 0), 0);
    const place = this.ray(event).ray.intersectPlane(ground, new three.Vector3());
    const spot = this.dragged === null ? undefined : this.spots[this.dragged];
    if (!place || !spot || this.dragged === null) return;
    spot.position.set(place.x, spot.position.y, place.z);
    this.stale = this.isShadeStale = true;
    this.onSpot(this.dragged, { x: place.x, z: place.z }, done);
  }

  /** The middle of the view, as a place of the window. */
  get middle(): { clientX: number; clientY: number } {
    const box = this.canvas.getBoundingClientRect();
    return { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 };
  }

  /** Shows one clip, or several beside each other. */
  show(playables: Playable[], keepView = false): void {
    for (const side of this.sides) {
      side.set.scene.remove(side.playable.root);
      if (!playables.includes(side.playable)) side.playable.dispose();
    }
    this.setTrails([]);
    this.setBounds(null);
    this.sides = playables.map((playable) => {
      const set = new Set3D(playable.surroundings);
      set.scene.add(playable.root);
      playable.onChange = () => (this.stale = this.isShadeStale = true);
      return { set, playable };
    });
    this.sights = null;
    this.element.toggleAttribute("data-empty", this.isEmpty);
    this.element.dataset.sides = String(playables.length);
    const first = this.sides[0];
    first?.set.scene.add(this.glows, ...this.spots, ...this.marks, ...(this.lent ? [this.lent] : []));
    if (!keepView) this.reframe();
    this.relight();
    this.select(this.selected);
    this.showTime(this.time);
  }

  /** Whether something is shown. */
  get isEmpty(): boolean {
    return this.sides.length === 0;
  }

  /** Puts the camera where it sees everything that happens. */
  reframe(): void {
    const first = this.sides[0];
    if (!first) return;
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width > 0 && height > 0) this.camera.aspect = width / this.sides.length / height;
    const { begin } = first.playable;
    this.isMoved = false;
    if (begin) return this.setView(begin.eye, begin.target);
    this.follow();
  }

  /** Looks at all of it, and in the end at what came of it, until somebody chooses another view. */
  private follow(): void {
    const first = this.sides[0]?.playable;
    if (!first || first.begin || this.isMoved || this.walk.isOn) return;
    this.sights ??= sightsOf(this.sides.map((side) => side.playable));
    this.orbit.target.copy(follow(this.camera, this.sights, this.time, this.angle));
    this.orbit.update();
    this.stale = true;
  }

  /** Looks from one place to another. */
  setView(eye: three.Vector3, target: three.Vector3): void {
    this.camera.position.copy(eye);
    this.camera.lookAt(target);
    this.orbit.target.copy(target);
    if (this.orbit.enabled) this.orbit.update();
    this.stale = true;
  }

  /** From where one looks, and in which direction. */
  get view(): { eye: three.Vector3; ahead: three.Vector3 } {
    return { eye: this.camera.position.clone(), ahead: this.camera.getWorldDirection(new three.Vector3()) };
  }

  /** Takes over the colours of the theme, and what is switched on. */
  relight(): void {
    const theme = colours();
    const action = this.sides[0]?.playable.action;
    // Where one walks on a ground, that is enough.
    const grid = this.gridShown && this.sides[0]?.playable.pace === undefined;
    for (const side of this.sides) side.set.light(action ?? side.playable.action, theme, grid);
    (this.glows.material as three.MeshBasicMaterial).color.set(theme.accent);
    this.stale = this.isShadeStale = true;
  }

  setTrails(clips: Playable[]): void {
    if (this.trailGroup) {
      this.trailGroup.removeFromParent();
      disposeOf(this.trailGroup);
    }
    this.trailGroup = clips.length > 0 ? trails(clips, colours().accent) : null;
    if (this.trailGroup) this.sides[0]?.set.scene.add(this.trailGroup);
    this.stale = this.isShadeStale = true;
  }

  setContacts(contacts: TakeContact[]): void {
    this.contacts = contacts;
    this.showTime(this.time);
  }

  /** Temporal bounds of what is shown. */
  setBounds(bounds: TakeBounds | null): void {
    if (this.boxes) {
      this.boxes.lines.removeFromParent();
      disposeOf(this.boxes.lines);
    }
    this.boxes = bounds ? new BoundBoxes(bounds, colours().ink) : null;
    if (this.boxes) this.sides[0]?.set.scene.add(this.boxes.lines);
    this.showTime(this.time);
  }

  /** How many temporal bounds are drawn. */
  get boundCount(): number {
    return this.boxes?.count ?? 0;
  }

  /** Discs on the ground that say where something should end, to be dragged. */
  setSpots(spots: Spot[]): void {
    const discs = spots.map(({ x, z, radius }) => disc(new three.Vector3(x, radius * 0.1, z), radius, colours().accent));
    this.spots = this.instead(this.spots, discs);
  }

  /** Discs under what was chosen. */
  setMarks(marks: Mark[]): void {
    const theme = colours();
    const discs = marks.map(({ place, colour }) => disc(new three.Vector3(place.x, place.y, place.z), place.radius, theme[colour]));
    this.marks = this.instead(this.marks, discs);
  }

  private instead(before: three.Mesh[], discs: three.Mesh[]): three.Mesh[] {
    for (const one of before) {
      one.removeFromParent();
      disposeOf(one);
    }
    if (discs.length > 0) this.sides[0]?.set.scene.add(...discs);
    this.stale = this.isShadeStale = true;
    return discs;
  }

  /** Puts something into the view that stays whatever is shown, or takes it away. */
  lend(thing: three.Object3D | null): void {
    this.lent?.removeFromParent();
    this.lent = thing;
    if (thing) this.sides[0]?.set.scene.add(thing);
    this.changed();
  }

  /** What was put into the view has changed. */
  changed(): void {
    this.stale = this.isShadeStale = true;
  }

  /** Dragging turns the view, or does something else. */
  setTurning(on: boolean): void {
    this.orbit.enabled = on && !this.walk.isOn;
  }

  /** Marks a body. */
  select(name: string | null): void {
    this.selected = name;
    this.outline?.removeFromParent();
    this.outline?.dispose();
    this.outline = null;
    const side = this.sides[0];
    const box = name && side ? side.playable.boxOf(name) : null;
    if (box && side) {
      this.outline = new three.Box3Helper(box, colours().accent);
      side.set.scene.add(this.outline);
    }
    this.stale = true;
    this.onSelect(box ? name : null);
  }

  /** Shows a time of everything. */
  showTime(time: number): void {
    this.time = time;
    for (const side of this.sides) side.playable.show(Math.min(time, side.playable.duration));
    this.follow();
    const box = this.selected ? this.sides[0]?.playable.boxOf(this.selected) : null;
    if (box && this.outline) this.outline.box = box;
    this.glow(time);
    this.boxes?.show(time);
    this.stale = this.isShadeStale = true;
  }

  private glow(time: number): void {
    const action = this.sides[0]?.playable.action;
    const size = action ? action.getSize(new three.Vector3()).length() * 0.008 : 0;
    let count = 0;
    if (this.contactsShown) {
      for (const contact of this.contacts) {
        const age = time - contact.time;
        if (age < 0 || age > GLOW || count >= MOST_GLOWS) continue;
        const scale = size * (1 - age / GLOW) * (1 + Math.min(contact.speed, 4) / 4);
        const matrix = new three.Matrix4().makeScale(scale, scale, scale).setPosition(...contact.point);
        this.glows.setMatrixAt(count, matrix);
        count += 1;
      }
    }
    this.glows.count = count;
    this.glows.instanceMatrix.needsUpdate = true;
  }

  /** Walks instead of circling. */
  setWalk(on: boolean): void {
    this.walk.isOn = on;
    this.orbit.enabled = !on;
    if (!on) {
      const ahead = new three.Vector3();
      this.camera.getWorldDirection(ahead);
      const distance = this.camera.position.distanceTo(this.orbit.target);
      this.orbit.target.copy(this.camera.position).addScaledVector(ahead, distance);
    }
    const first = this.sides[0]?.playable;
    if (first) this.walk.speed = first.pace ?? first.action.getSize(new three.Vector3()).length() / 3;
    this.walk.isLevel = first?.pace !== undefined;
    if (on) this.canvas.focus({ preventScroll: true });
  }

  get isWalking(): boolean {
    return this.walk.isOn;
  }

  /** There is nothing to draw with. */
  onProblem: (problem: NoWebGl) => void = () => {};

  /** Says so if there is nothing to draw with. */
  checkWebGl(): void {
    if (this.failed) this.onProblem(this.failed);
    else void this.renderer;
  }

  /** What draws, if anything does; pages without a view do without it. */
  private get renderer(): three.WebGLRenderer | null {
    if (this.made || this.failed) return this.made;
    try {
      this.made = renderer(this.canvas);
    } catch (thrown) {
      this.failed = thrown instanceof NoWebGl ? thrown : new NoWebGl(String(thrown));
      this.onProblem(this.failed);
      return null;
    }
    this.made.setScissorTest(true);
    this.made.setSize(this.element.clientWidth, this.element.clientHeight, true);
    this.made.shadowMap.autoUpdate = false;
    return this.made;
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.element;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.renderer?.setSize(clientWidth, clientHeight, true);
    this.draw(isSparing());
  }

  private draw(isCoarse = false): void {
    this.stale = false;
    const { clientWidth: width, clientHeight: height } = this.element;
    const { renderer } = this;
    if (width === 0 || height === 0 || !renderer) return;
    this.coarse = isCoarse ? performance.now() : null;
    const ratio = isCoarse ? COARSE : Math.min(devicePixelRatio, 2);
    if (renderer.getPixelRatio() !== ratio) renderer.setPixelRatio(ratio);
    const count = Math.max(this.sides.length, 1);
    this.camera.aspect = width / count / height;
    const far = this.sides[0]?.playable.far;
    if (far !== undefined) [this.camera.near, this.camera.far] = [0.1, far];
    this.camera.updateProjectionMatrix();
    // What was drawn before would stay where no side is: between two of them.
    if (this.sides.length !== 1) {
      renderer.setScissor(0, 0, width, height);
      renderer.setClearColor(colours().background);
      renderer.clear();
    }
    this.sides.forEach((side, place) => {
      const left = Math.round((width * place) / count);
      fade(side.set.scene, this.camera.position.distanceTo(this.orbit.target), far);
      renderer.setViewport(left, 0, width / count, height);
      renderer.setScissor(left, 0, width / count - (place + 1 < count ? 2 : 0), height);
      renderer.shadowMap.needsUpdate = this.isShadeStale;
      side.set.draw(renderer, this.camera);
    });
    this.isShadeStale = false;
    // Whoever looks at pixels knows what they show: which time, how finely, and whether they are new.
    this.pictures += 1;
    Object.assign(this.canvas.dataset, { time: this.time, drawn: isCoarse ? "coarse" : "fine", pictures: this.pictures });
  }
}
