// What can be asked of dice, and what comes back.

import type { Face, Solid, SolidName, Throw } from "./dice-types.js";
import { Crew, type Host, ProsceniumError, type Work } from "./work.js";

export type * from "./dice-types.js";

/** A die, by what players call it; a d100 is two of ten sides. */
export type Die = "d4" | "d6" | "d8" | "d10" | "d12" | "d20" | "d100";

/** What to throw. */
export interface Order {
  /** The dice: 1 to 50 solids. */
  dice: readonly Die[];
  /** What they should show, one value for each; left out for what comes. */
  show?: readonly number[];
  /** The number that everything follows from; 0 if left out. The same seed, dice, tray and engine are the same throw everywhere. */
  seed?: number | bigint;
  /** How wide and deep the tray is inside, m; 0.4 by 0.3 if left out. */
  tray?: readonly [number, number];
  /** Where dice should come to lie (x and z from the middle of the tray, m): one for each die, or null where it may lie anywhere; of a d100, its tens. Throws are made until they do, so a few places cost a few hundred throws. */
  places?: readonly (readonly [number, number] | null)[];
  /** How far from its place a die may lie, m; 0.05 if left out. */
  near?: number;
}

/** How a throw is made. */
export interface RollOptions extends Work {
  /** A throw made beforehand, with the same dice: it is shown, turned to the wanted values, if this device has not finished after `within` milliseconds. */
  beforehand?: Throw;
  /** How long is waited before `beforehand` is taken, ms; 300 if left out. */
  within?: number;
}

/** The functions of `proscenium/dice`. */
export interface Dice {
  roll(order: Order, options?: RollOptions): Promise<Throw>;
  solid(name: SolidName, tens?: boolean): Promise<Solid>;
  rest(): Promise<void>;
  memory(): number;
}

/** The functions of `proscenium/dice` on a host. */
export function diceOn(host: Host): Dice {
  const crew = new Crew(host);
  const solids = new Map<string, Promise<Solid>>();
  const solid = (name: SolidName, tens = false): Promise<Solid> => {
    const key = `${name} ${tens}`;
    const known = solids.get(key) ?? host.engine().then((engine) => (engine.solidFaces as unknown as Faces)(name, tens));
    solids.set(key, known);
    return known;
  };
  const roll = async (order: Order, options: RollOptions = {}): Promise<Throw> => {
    const { beforehand, within = 300, ...work } = options;
    if (!beforehand) return crew.do<Throw>("rollDice", order, work);
    return withinTime(within, work, (watched) => crew.do<Throw>("rollDice", order, watched), async () => {
      const shapes = await Promise.all(beforehand.solids.map((one) => solid(one.solid, one.tens)));
      return showing(beforehand, shapes, order);
    });
  };
  return { roll, solid, rest: () => crew.rest(), memory: () => crew.bytes };
}

type Faces = (name: string, tens: boolean) => Solid;

/** What is made in time, or else what was made beforehand. */
async function withinTime(
  within: number,
  work: Work,
  make: (work: Work) => Promise<Throw>,
  otherwise: () => Promise<Throw>,
): Promise<Throw> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), within);
  const stop = () => late.abort();
  work.signal?.addEventListener("abort", stop, { once: true });
  try {
    return await make({ ...work, signal: late.signal });
  } catch (error) {
    work.signal?.throwIfAborted();
    if (!late.signal.aborted) throw error;
    return await otherwise();
  } finally {
    clearTimeout(timer);
    work.signal?.removeEventListener("abort", stop);
  }
}

/** A throw made beforehand, its solids turned so that they show other values. */
export function showing(throw1: Throw, shapes: readonly Solid[], order: Order): Throw {
  const dice = order.dice.flatMap((die) => (die === "d100" ? ["d10", "d10"] : [die]));
  if (dice.length !== throw1.solids.length || dice.some((die, index) => die !== throw1.solids[index]?.solid))
    throw new ProsceniumError("the throw made beforehand has other dice", "give one of the same dice, in their order");
  const values = order.show ?? throw1.values;
  const numbers = order.dice.flatMap((die, index) => {
    const value = values[index] ?? 0;
    if (die === "d100") return [Math.floor(value / 10) % 10, value % 10];
    return [die === "d10" ? value % 10 : value];
  });
  const solids = throw1.solids.map((solid, index) => {
    const number = numbers[index] ?? solid.number;
    const shape = shapes[index];
    if (!shape) throw new ProsceniumError("a solid has no shape", FAULTY);
    const turn = turnTo(shape, number, solid.number);
    const rotations = solid.rotations.slice();
    for (let at = 0; at < rotations.length; at += 4) rotations.set(times(rotations.subarray(at, at + 4), turn), at);
    return { ...solid, number, rotations, times: solid.times.slice(), positions: solid.positions.slice() };
  });
  return { ...throw1, values: [...values], solids, beforehand: true };
}

const FAULTY = "give a throw as `roll` has made it";

type Vector = ArrayLike<number>;
const at = (v: Vector, index: number): number => v[index] ?? 0;
const dot = (a: Vector, b: Vector): number => at(a, 0) * at(b, 0) + at(a, 1) * at(b, 1) + at(a, 2) * at(b, 2);
const cross = (a: Vector, b: Vector): number[] => [
  at(a, 1) * at(b, 2) - at(a, 2) * at(b, 1),
  at(a, 2) * at(b, 0) - at(a, 0) * at(b, 2),
  at(a, 0) * at(b, 1) - at(a, 1) * at(b, 0),
];

/** A turn of the solid that brings the side of one number to where another one is. */
function turnTo(shape: Solid, from: number, to: number): number[] {
  const side = (number: number) => shape.sides.find((one) => one.number === number)?.up;
  const [a, b] = [side(from), side(to)];
  if (!a || !b) throw new ProsceniumError(`a ${shape.name} has no ${a ? to : from}`, `give one of ${shape.sides.map((one) => one.number).sort((x, y) => x - y).join(", ")}`);
  const sides = shape.sides.map((one) => one.up);
  const far = (v: Vector, w: Vector) => Math.abs(dot(v, w)) < 0.999;
  const a2 = sides.find((other) => far(a, other)) ?? a;
  for (const b2 of sides) {
    if (!far(b, b2) || Math.abs(dot(a, a2) - dot(b, b2)) > 1e-5) continue;
    const turn = between(frame(a, a2), frame(b, b2));
    const fits = (v: Vector) => sides.some((w) => dot(rotate(turn, v), w) > 1 - 1e-5);
    if (sides.every(fits)) return turn;
  }
  throw new ProsceniumError(`a ${shape.name} cannot be turned from ${from} to ${to}`, FAULTY);
}

/** Three axes from two directions. */
function frame(a: Vector, b: Vector): number[][] {
  const normal = cross(a, b);
  const length = Math.hypot(...normal);
  const z = normal.map((value) => value / length);
  return [[at(a, 0), at(a, 1), at(a, 2)], cross(z, a), z];
}

/** The quaternion from one frame to another. */
function between(from: number[][], to: number[][]): number[] {
  const m = (row: number, column: number) =>
    [0, 1, 2].reduce((sum, axis) => sum + at(to[axis] ?? [], row) * at(from[axis] ?? [], column), 0);
  // The eigenvector by the largest component, so that no small number is divided by.
  const squares = [
    1 + m(0, 0) - m(1, 1) - m(2, 2),
    1 - m(0, 0) + m(1, 1) - m(2, 2),
    1 - m(0, 0) - m(1, 1) + m(2, 2),
    1 + m(0, 0) + m(1, 1) + m(2, 2),
  ];
  const k = squares.indexOf(Math.max(...squares));
  const rows = [
    [at(squares, 0), m(1, 0) + m(0, 1), m(0, 2) + m(2, 0), m(2, 1) - m(1, 2)],
    [m(1, 0) + m(0, 1), at(squares, 1), m(2, 1) + m(1, 2), m(0, 2) - m(2, 0)],
    [m(0, 2) + m(2, 0), m(2, 1) + m(1, 2), at(squares, 2), m(1, 0) - m(0, 1)],
    [m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1), at(squares, 3)],
  ];
  const q = rows[k] ?? [];
  const length = Math.hypot(...q);
  return q.map((value) => value / length);
}

/** One turn after another: the second first. */
function times(a: Vector, b: Vector): number[] {
  const [ax, ay, az, aw] = [at(a, 0), at(a, 1), at(a, 2), at(a, 3)];
  const [bx, by, bz, bw] = [at(b, 0), at(b, 1), at(b, 2), at(b, 3)];
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

/** A direction, turned. */
export function rotate(q: Vector, v: Vector): number[] {
  const t = cross(q, v).map((value) => 2 * value);
  const u = cross(q, t);
  return [0, 1, 2].map((axis) => at(v, axis) + at(q, 3) * at(t, axis) + at(u, axis));
}

/** A face with its outline, as `solid` has it. */
export type { Face };
