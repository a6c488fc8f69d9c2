// Temporal bounds: boxes that bodies stay in until they get others.

import * as three from "three";
import type { TakeBounds } from "./types";

/** The corners of a box, as the ends of its edges: which of least (0) and greatest (1). */
const EDGES: [number, number, number][] = [0, 1].flatMap((a) =>
  [0, 1].flatMap((b): [number, number, number][] => [
    [0, a, b],
    [1, a, b],
    [a, 0, b],
    [a, 1, b],
    [a, b, 0],
    [a, b, 1],
  ]),
);

type Change = TakeBounds["changes"][number];

export class BoundBoxes {
  readonly lines: three.LineSegments;
  private readonly changes: Change[][];
  private readonly until: number;
  private readonly positions: Float32Array;

  constructor(bounds: TakeBounds, colour: three.ColorRepresentation) {
    this.changes = bounds.bodies.map(() => []);
    for (const change of bounds.changes) this.changes[change[1]]?.push(change);
    this.until = bounds.until;
    this.positions = new Float32Array(bounds.bodies.length * EDGES.length * 3);
    const geometry = new three.BufferGeometry();
    geometry.setAttribute("position", new three.BufferAttribute(this.positions, 3));
    const material = new three.LineBasicMaterial({ color: colour, transparent: true, opacity: 0.75 });
    this.lines = new three.LineSegments(geometry, material);
    this.lines.frustumCulled = false;
  }

  /** The boxes that hold at a time. */
  show(time: number): void {
    let at = 0;
    if (time <= this.until) {
      for (const changes of this.changes) {
        const change = latest(changes, time);
        // A bound of everything cannot be drawn.
        if (!change || ![...change[2], ...change[3]].every(Number.isFinite)) continue;
        const corners = [change[2], change[3]];
        for (const [x, y, z] of EDGES) {
          this.positions[at] = corners[x]?.[0] ?? 0;
          this.positions[at + 1] = corners[y]?.[1] ?? 0;
          this.positions[at + 2] = corners[z]?.[2] ?? 0;
          at += 3;
        }
      }
    }
    this.lines.geometry.setDrawRange(0, at / 3);
    const attribute = this.lines.geometry.getAttribute("position");
    if (attribute) attribute.needsUpdate = true;
  }

  /** How many boxes are drawn. */
  get count(): number {
    return this.lines.geometry.drawRange.count / EDGES.length;
  }
}

/** The last change that is not later than a time. */
function latest(changes: Change[], time: number): Change | undefined {
  let [low, high] = [0, changes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((changes[middle]?.[0] ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return changes[low - 1];
}
