// What can be asked of a world of rigid bodies, and what comes back.

import { type Host, Live, type Made, type Work } from "./work.js";

/** A scene that a world begins as: one that is built in, by its name, or the text of a scene file. */
export type WorldOrder = ({ scene: string; parameters?: Record<string, number> } | { text: string }) & {
  /** The number that everything follows from; 0 if left out. */
  seed?: number | bigint;
};

type Numbers = readonly [number, number, number];

/** What is done to a body, by its number, at a time (s) or now. */
export type WorldWish =
  | { push: number; impulse: Numbers; point?: Numbers; at?: number }
  | { set: number; velocity: Numbers; spin: Numbers; at?: number }
  | { remove: number; at?: number };

interface About {
  bodies: { name: string; fixed: boolean }[];
}

/** Numbers of a body in a row: x, y, z, and a quaternion x, y, z, w. */
export const BODY = 7;

/** Rigid bodies that go on as long as the page does. */
export class World {
  #live: Live;
  /** The bodies, in the order of the rows. */
  readonly bodies: readonly { name: string; fixed: boolean }[];

  protected constructor(live: Live, about: About) {
    this.#live = live;
    this.bodies = about.bodies;
  }

  /** @internal */
  static async on(host: Host, order: WorldOrder, work?: Work): Promise<World> {
    const [live, about] = await Live.make<About>(host, "makeWorld", order, work);
    return new this(live, about);
  }

  /** How it looks before anything has moved, as binary glTF; nodes are called as bodies. */
  look(work?: Omit<Work, "worker">): Promise<Uint8Array<ArrayBuffer>> {
    return this.#live.ask("look", null, work);
  }

  /** Goes on to a time, s: where all bodies are then, a row of `BODY` numbers each; NaN for those that are not there. */
  advance(now: number): Promise<Float32Array<ArrayBuffer>> {
    return this.#live.ask("advance", { now });
  }

  /** Does something to a body. */
  async wish(wish: WorldWish): Promise<void> {
    await this.#live.ask("wish", wish);
  }

  /** A number that depends on every bit of the state. */
  stateHash(): Promise<string> {
    return this.#live.ask("stateHash");
  }

  /** Ends the world, and gives back its memory. */
  dispose(): Promise<void> {
    return this.#live.dispose();
  }
}

/** How worlds are made. */
export interface WorldMakers {
  /** Makes the world of a scene; see `WorldOrder`. */
  make(order: WorldOrder, work?: Work): Promise<World>;
}

/** `World` on a host, where it can be made. */
export function rigidOn(host: Host): Made<World, WorldMakers> {
  class Here extends World {
    static make = (order: WorldOrder, work?: Work): Promise<World> => Here.on(host, order, work);
  }
  return Here as unknown as Made<World, WorldMakers>;
}
