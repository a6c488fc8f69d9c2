// What grows in many places: every vertex of each comes from the server, and all
// of one kind and detail are drawn together.

import * as three from "three";
import type { LivePlant } from "./types";
import { disposeOf } from "./clip";

/** What is nearer to the line of sight than this is under the pointer, m. */
const NEAR = 0.12;

export class Plants {
  readonly root = new three.Group();
  private readonly groves: Grove[];

  constructor(plants: LivePlant[]) {
    this.groves = plants.map((plant) => new Grove(plant));
    for (const { mesh } of this.groves) this.root.add(mesh);
  }

  /** Takes what a frame says, from a place in it on. */
  place(whole: Uint32Array, numbers: Float32Array, at: number): void {
    const kinds = whole[at] ?? 0;
    const counts = this.groves.map((_, kind) => (kind < kinds ? (whole[at + 1 + kind] ?? 0) : 0));
    let mark = at + 1 + kinds;
    let first = mark + 2 * counts.reduce((sum, count) => sum + count, 0);
    this.groves.forEach((grove, kind) => {
      const count = counts[kind] ?? 0;
      const length = 3 * grove.vertices * count;
      grove.place(whole.subarray(mark, mark + 2 * count), numbers.subarray(first, first + length), count);
      mark += 2 * count;
      first += length;
    });
  }

  /** How many are shown. */
  get count(): number {
    return this.groves.reduce((sum, grove) => sum + grove.count, 0);
  }

  /** The nearest that a line of sight passes through, if any. */
  at(ray: three.Ray): number | null {
    let best = { distance: Infinity, owner: -1 };
    for (const grove of this.groves) {
      const found = grove.at(ray);
      if (found && found.distance < best.distance) best = found;
    }
    return best.owner < 0 ? null : best.owner;
  }

  /** The box around one of them. */
  boxOf(owner: number): three.Box3 | null {
    for (const grove of this.groves) {
      const box = grove.boxOf(owner);
      if (box) return box;
    }
    return null;
  }

  dispose(): void {
    this.root.removeFromParent();
    disposeOf(this.root);
  }
}

/** All that are seen of one plant. */
class Grove {
  readonly mesh: three.Mesh<three.BufferGeometry, three.MeshLambertMaterial>;
  readonly vertices: number;
  count = 0;
  private readonly plant: LivePlant;
  /** What one is painted with, four bytes a vertex. */
  private readonly own: Uint8Array;
  private owners = new Uint32Array(0);
  private room = 0;

  constructor(plant: LivePlant) {
    this.plant = plant;
    this.vertices = plant.vertices;
    this.own = painted(plant);
    this.mesh = new three.Mesh(new three.BufferGeometry(), new three.MeshLambertMaterial({ vertexColors: true }));
    this.mesh.receiveShadow = true;
    this.mesh.castShadow = true;
    // Only what can be seen is sent, and what is under the pointer is asked of `at`.
    this.mesh.frustumCulled = false;
    this.mesh.raycast = () => {};
    this.mesh.visible = false;
  }

  place(marks: Uint32Array, positions: Float32Array, count: number): void {
    this.count = count;
    this.mesh.visible = count > 0;
    if (count === 0) return;
    if (count > this.room) this.grow(2 * count);
    const { geometry } = this.mesh;
    const places = geometry.getAttribute("position") as three.BufferAttribute;
    const shades = geometry.getAttribute("color") as three.BufferAttribute;
    (places.array as Float32Array).set(positions);
    places.clearUpdateRanges();
    places.addUpdateRange(0, positions.length);
    places.needsUpdate = true;
    this.owners = new Uint32Array(count);
    const paint = shades.array as Uint8Array;
    const colour = new three.Color();
    for (let one = 0, at = 0; one < count; one += 1) {
      this.owners[one] = marks[2 * one] ?? 0;
      const mark = marks[2 * one + 1] ?? 0;
      if (mark === 0) {
        paint.set(this.own, at);
        at += this.own.length;
        continue;
      }
      const { r, g, b } = colour.setHex(mark & 0xffffff);
      for (const shade of this.plant.shades) {
        const light = 255 * shade;
        paint[at] = r * light;
        paint[at + 1] = g * light;
        paint[at + 2] = b * light;
        at += 4;
      }
    }
    shades.clearUpdateRanges();
    shades.addUpdateRange(0, 4 * this.vertices * count);
    shades.needsUpdate = true;
    geometry.setDrawRange(0, 2 * this.plant.indices.length * count);
  }

  /** Makes room for so many. */
  private grow(room: number): void {
    this.room = room;
    const all = this.vertices * room;
    this.mesh.geometry.dispose();
    const geometry = new three.BufferGeometry();
    const moving = (attribute: three.BufferAttribute) => attribute.setUsage(three.DynamicDrawUsage);
    geometry.setAttribute("position", moving(new three.BufferAttribute(new Float32Array(3 * all), 3)));
    geometry.setAttribute("color", moving(new three.BufferAttribute(new Uint8Array(4 * all).fill(255), 4, true)));
    // Blades are lit as the ground is: their own sides would glitter.
    const up = new Int8Array(4 * all);
    for (let at = 1; at < up.length; at += 4) up[at] = 127;
    geometry.setAttribute("normal", new three.BufferAttribute(up, 4, true));
    geometry.setIndex(new three.BufferAttribute(this.bothSides(room), 1));
    this.mesh.geometry = geometry;
  }

  /** Every triangle from both sides, so that both are lit alike. */
  private bothSides(room: number): Uint32Array {
    const { indices } = this.plant;
    const both = new Uint32Array(2 * indices.length * room);
    let at = 0;
    for (let first = 0; first < this.vertices * room; first += this.vertices) {
      for (let corner = 0; corner < indices.length; corner += 3) {
        const [a = 0, b = 0, c = 0] = indices.slice(corner, corner + 3);
        both.set([first + a, first + b, first + c, first + c, first + b, first + a], at);
        at += 6;
      }
    }
    return both;
  }

  /** The nearest that a line passes, with its distance along the line. */
  at(ray: three.Ray): { distance: number; owner: number } | null {
    const places = this.mesh.geometry.getAttribute("position");
    const [root, top, on] = [new three.Vector3(), new three.Vector3(), new three.Vector3()];
    let best: { distance: number; owner: number } | null = null;
    for (let one = 0; one < this.count; one += 1) {
      root.fromBufferAttribute(places, one * this.vertices);
      top.copy(root).setY(root.y + this.plant.height);
      if (ray.distanceSqToSegment(root, top, on) > NEAR * NEAR) continue;
      const distance = on.distanceTo(ray.origin);
      if (!best || distance < best.distance) best = { distance, owner: this.owners[one] ?? 0 };
    }
    return best;
  }

  boxOf(owner: number): three.Box3 | null {
    const one = this.owners.indexOf(owner);
    if (one < 0 || one >= this.count) return null;
    const places = this.mesh.geometry.getAttribute("position");
    const box = new three.Box3();
    const corner = new three.Vector3();
    for (let vertex = one * this.vertices; vertex < (one + 1) * this.vertices; vertex += 1) box.expandByPoint(corner.fromBufferAttribute(places, vertex));
    return box;
  }
}

/** A plant's own colours, each as bright as its vertex. */
function painted(plant: LivePlant): Uint8Array {
  const paint = new Uint8Array(4 * plant.vertices).fill(255);
  const colour = new three.Color();
  let vertex = 0;
  plant.parts.forEach((count, part) => {
    colour.set(plant.colours[part] ?? "#ffffff");
    for (const end = vertex + count; vertex < end; vertex += 1) {
      const light = 255 * (plant.shades[vertex] ?? 1);
      paint.set([colour.r * light, colour.g * light, colour.b * light], 4 * vertex);
    }
  });
  return paint;
}
