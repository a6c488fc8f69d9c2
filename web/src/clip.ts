// A clip in the browser: what there is to see, and where it is at a time.

import * as three from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { asked, clipAddress, Refusal, settled, type TakeReport, type TakeSummary } from "./api";
import type { Place } from "./chart";
import type { Sight, Surroundings } from "./look";

/** Something that can be shown at any of its times. */
export interface Playable {
  readonly root: three.Object3D;
  readonly duration: number;
  /** The box that everything which moves stays in. */
  readonly action: three.Box3;
  /** The box that most of it is in, most of the time. */
  readonly focus: three.Box3;
  /** The box that most of it is in when it ends; the focus, if that says no more. */
  readonly rest: three.Box3;
  /** What there is to see at times that are equally far from each other, of few bodies. */
  readonly steps?: readonly Sight[][];
  /** Where it is shown, if not indoors. */
  readonly surroundings?: Surroundings;
  /** Paths of what moves, by name. */
  readonly paths: Map<string, three.Vector3[]>;
  /** Is called when something that was asked for has come. */
  onChange?: () => void;
  /** Where to begin to look, if not where everything is seen. */
  readonly begin?: { eye: three.Vector3; target: three.Vector3 };
  /** How far one sees, m, where not everything is drawn. */
  readonly far?: number;
  /** How fast one walks, m/s, on a ground at height 0. */
  readonly pace?: number;
  /** Follows the camera, before every picture; whether the light should too. */
  look?(camera: three.PerspectiveCamera): boolean;
  /** Shows a time. */
  show(time: number): void;
  /** Which body a thing that was hit belongs to. */
  bodyOf(hit: three.Intersection): string | null;
  /** The box around a body as it is shown now. */
  boxOf(name: string): three.Box3 | null;
  dispose(): void;
}

/** What came of it is looked at from nearby if it takes no more than this share of the whole; or if it fell by so many
 * of the largest radius, and lies no higher than so many. */
const CLOSER = 0.6;
const [FELL, FLAT] = [2, 4];
/** Scenery of up to this many times the size of what happens belongs to the picture. */
const SCENERY = 1.15;
/** Up to so many bodies are followed one by one, in so many steps; of what stands still only as long as that. */
const [FOLLOWED, STEPS] = [60, 24];
const STANDS = 0.5;

const loader = new GLTFLoader();

/** What a node is called in the file. */
function nameOf(node: three.Object3D): string {
  return (node.userData.name as string | undefined) ?? node.name;
}

/** Reads a clip from the server. */
export async function load(address: string): Promise<Clip> {
  const response = await asked(address);
  const file = await loader.parseAsync(await response.arrayBuffer(), "");
  return new Clip(file.scene, file.animations[0] ?? null);
}

/** A studio that was started again has forgotten what was simulated; so often it is simulated anew. */
const TRIES = 3;

/** Gets what was simulated in the end, also if the studio forgets it meanwhile. */
export async function anew<Got>(get: () => Promise<Got>): Promise<Got> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await get();
    } catch (thrown) {
      if (tries === TRIES || !(thrown instanceof Refusal && thrown.status === 404)) throw thrown;
    }
  }
}

/** Simulates a scene, tells how far that is, and reads the clip of it; nothing once nobody wants it. */
export function simulated(order: () => Promise<TakeReport>, progress?: (share: number) => void, isWanted: () => boolean = () => true): Promise<{ clip: Clip; summary: TakeSummary } | null> {
  return anew(async () => {
    const summary = await settled(order, progress, isWanted);
    return summary && { summary, clip: await load(clipAddress(summary.id)) };
  });
}

/** A clip whose motion the browser knows. */
export class Clip implements Playable {
  readonly root: three.Object3D;
  readonly duration: number;
  readonly action = new three.Box3();
  readonly focus = new three.Box3();
  readonly rest = new three.Box3();
  steps?: Sight[][];
  readonly paths = new Map<string, three.Vector3[]>();
  private readonly mixer: three.AnimationMixer;
  /** By the names of the file, which the loader changes where they have spaces. */
  private readonly nodes = new Map<string, three.Object3D>();

  constructor(root: three.Object3D, animation: three.AnimationClip | null) {
    this.root = root;
    this.duration = animation?.duration ?? 0;
    this.mixer = new three.AnimationMixer(root);
    root.traverse((thing) => {
      this.nodes.set(nameOf(thing), thing);
      if (!(thing instanceof three.Mesh)) return;
      thing.castShadow = true;
      thing.receiveShadow = true;
      const material = thing.material as three.Material;
      // Shells, such as a box of bins, are seen from both sides.
      material.side = three.DoubleSide;
      if (material.transparent) thing.castShadow = false;
    });
    if (animation) {
      const action = this.mixer.clipAction(animation);
      action.setLoop(three.LoopOnce, 1);
      action.clampWhenFinished = true;
      action.play();
      this.show(0);
      this.readPaths(animation);
    }
    this.show(0);
    if (this.action.isEmpty()) this.action.copy(boxAround(root));
    if (this.focus.isEmpty()) this.focus.copy(this.action);
    if (this.rest.isEmpty()) this.rest.copy(this.focus);
  }

  private readPaths(animation: three.AnimationClip): void {
    const size = new three.Box3();
    const places: three.Vector3[] = [];
    const ends: three.Vector3[] = [];
    const steps: Sight[][] = Array.from({ length: STEPS + 1 }, () => []);
    let margin = 0;
    for (const track of animation.tracks) {
      const [name, property] = splitTrack(track.name);
      if (property !== "position") continue;
      const path: three.Vector3[] = [];
      for (let at = 0; at + 2 < track.values.length; at += 3) {
        path.push(new three.Vector3().fromArray(track.values, at));
      }
      this.paths.set(name, path);
      const node = this.root.getObjectByName(name);
      size.makeEmpty();
      if (node) size.copy(boxAround(node));
      const radius = size.isEmpty() ? 0 : size.getSize(new three.Vector3()).length() / 2;
      for (const place of path) {
        this.action.expandByPoint(place.clone().addScalar(radius));
        this.action.expandByPoint(place.clone().addScalar(-radius));
      }
      const seen = sampled(track.times, path, this.duration);
      places.push(...seen);
      seen.forEach((place, step) => steps[step]?.push({ place, radius }));
      ends.push(...seen.slice(-1));
      margin = Math.max(margin, radius);
    }
    if (places.length === 0) return;
    this.focus.copy(most(places, 0.05)).expandByScalar(margin).intersect(this.action);
    // Of few bodies each matters; of many, some may have rolled away.
    this.rest.copy(most(ends, ends.length > 4 ? 0.1 : 0)).expandByScalar(margin).intersect(this.action);
    const [whole = new three.Vector3(), end = new three.Vector3()] = [this.focus, this.rest].map((box) => box.getSize(new three.Vector3()));
    if (this.paths.size <= FOLLOWED) this.steps = steps;
    // What has come together, or down to lie flat, is looked at from nearby.
    const height = (all: Sight[]) => all.reduce((sum, { place }) => sum + place.y, 0) / all.length;
    const fell = height(steps[0] ?? []) - height(steps.at(-1) ?? []);
    const nears = end.length() <= CLOSER * whole.length() || (fell > FELL * margin && end.y <= FLAT * margin);
    this.includeScenery(whole.length(), nears);
    if (!nears) this.rest.copy(this.focus);
  }

  /** What stands still belongs to the picture unless it is larger than what happens: a cup, say, or a tray. */
  private includeScenery(size: number, nears: boolean): void {
    for (const thing of this.root.children) {
      if (this.paths.has(thing.name)) continue;
      const box = boxAround(thing);
      if (box.isEmpty() || box.getSize(new three.Vector3()).length() >= SCENERY * size) continue;
      this.focus.union(box);
      // What the bodies came out of is left behind by who looks at what came of it.
      const isLeft = nears && !box.intersectsBox(this.rest);
      const corners = [box.min, box.max].flatMap(({ x }) => [box.min, box.max].flatMap(({ y }) => [box.min, box.max].map(({ z }) => new three.Vector3(x, y, z))));
      this.steps?.slice(0, isLeft ? STANDS * STEPS : undefined).forEach((step) => step.push(...corners.map((place) => ({ place, radius: 0, stays: true }))));
    }
    this.action.union(this.focus);
  }

  show(time: number): void {
    this.mixer.setTime(Math.min(Math.max(time, 0), Math.max(this.duration - 1e-6, 0)));
  }

  bodyOf(hit: three.Intersection): string | null {
    for (let thing: three.Object3D | null = hit.object; thing && thing !== this.root; thing = thing.parent) {
      if (thing.parent === this.root || this.paths.has(thing.name)) return nameOf(thing);
    }
    return null;
  }

  boxOf(name: string): three.Box3 | null {
    const node = this.nodes.get(name);
    return node ? new three.Box3().setFromObject(node, true) : null;
  }

  /** A thing by its name in the file. */
  node(name: string): three.Object3D | null {
    return this.nodes.get(name) ?? null;
  }

  /** Where a body stands when the clip begins. */
  placeOf(name: string): Place | null {
    this.show(0);
    const box = this.boxOf(name);
    if (!box || box.isEmpty()) return null;
    const [middle, size] = [box.getCenter(new three.Vector3()), box.getSize(new three.Vector3())];
    const radius = 0.75 * Math.min(size.x, size.z);
    return { x: middle.x, y: Math.max(box.min.y, 0) + 0.05 * radius, z: middle.z, radius };
  }

  dispose(): void {
    this.mixer.stopAllAction();
    disposeOf(this.root);
  }
}

/** The box around a thing as it is now; what bends has no box of its own. */
function boxAround(root: three.Object3D): three.Box3 {
  let bends = false;
  root.traverse((thing) => (bends ||= thing instanceof three.Mesh && (thing.morphTargetInfluences?.length ?? 0) > 0));
  return new three.Box3().setFromObject(root, bends);
}

/** The box around places, without a share of them on each side: one body that rolls away does not make all others small. */
function most(places: three.Vector3[], without: number): three.Box3 {
  const range = (values: number[]): [number, number] => {
    values.sort((a, b) => a - b);
    const at = (share: number) => values[Math.round(share * (values.length - 1))] ?? 0;
    return [at(without), at(1 - without)];
  };
  const [x, y, z] = [range(places.map((p) => p.x)), range(places.map((p) => p.y)), range(places.map((p) => p.z))];
  return new three.Box3(new three.Vector3(x[0], y[0], z[0]), new three.Vector3(x[1], y[1], z[1]));
}

/** A path at times that are equally far from each other. */
function sampled(times: ArrayLike<number>, path: three.Vector3[], duration: number): three.Vector3[] {
  const places: three.Vector3[] = [];
  let key = 0;
  for (let step = 0; step <= STEPS; step += 1) {
    while (key + 1 < path.length && (times[key + 1] ?? 0) <= (duration * step) / STEPS) key += 1;
    const place = path[key];
    if (place) places.push(place);
  }
  return places;
}

/** The name of a node and of what moves about it. */
export function splitTrack(name: string): [string, string] {
  const dot = name.lastIndexOf(".");
  return [name.slice(0, dot), name.slice(dot + 1)];
}

/** Gives back what the graphics card holds. */
export function disposeOf(root: three.Object3D): void {
  root.traverse((thing) => {
    if (!(thing instanceof three.Mesh || thing instanceof three.Line)) return;
    thing.geometry.dispose();
    for (const material of [thing.material].flat() as three.Material[]) material.dispose();
  });
}

/** Lines that bodies drew in the air. */
export function trails(clips: Playable[], colour: three.ColorRepresentation): three.Group {
  const group = new three.Group();
  const material = new three.LineBasicMaterial({ color: colour, transparent: true, opacity: 0.4, depthWrite: false });
  for (const clip of clips) {
    for (const path of clip.paths.values()) {
      if (path.length < 2) continue;
      group.add(new three.Line(new three.BufferGeometry().setFromPoints(path), material));
    }
  }
  return group;
}
