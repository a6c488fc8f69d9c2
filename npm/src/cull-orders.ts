// What can be asked of rides, and what comes back.

import { Crew, type Host, Live, type Made, type Work } from "./work.js";

/** A model to compile: one that comes with the engine, by its name, or the text of a model file. */
export type RideOrder = ({ model: string } | { text: string }) & {
  /** The number that everything follows from; 0 if left out. */
  seed?: number | bigint;
  /** Learns less, in seconds. */
  quick?: boolean;
};

/** A part of a ride that may be seen. */
export interface RidePart {
  name: string;
  /** Red, green and blue from 0 to 1. */
  colour: Float32Array;
  /** A box by its sides, a ball by its radius, or a mesh, m; nothing for what only carries others. */
  shape?: { box: Float32Array } | { ball: number } | { positions: Float32Array; triangles: Uint32Array };
}

/** What is known of a compiled ride. */
export interface RideData {
  name: string;
  /** How it is culled, or why it is not. */
  verdict: string;
  /** What is seen of it, by name. */
  outputs: string[];
  /** How many copies of its state there are, such as the cars of a tilt-a-whirl. */
  copies: number;
  parts: RidePart[];
  /** The least and the greatest corner of the box that it never leaves, m. */
  bounds: Float32Array;
  /** The rails, if it has any: three numbers a point, m. */
  track: Float32Array;
  /** The file, as the command writes it. */
  bytes: Uint8Array<ArrayBuffer>;
}

/** A compiled ride, which may be kept (its `bytes`) and given to a fairground. */
export class Ride implements RideData {
  declare readonly name: string;
  declare readonly verdict: string;
  declare readonly outputs: string[];
  declare readonly copies: number;
  declare readonly parts: RidePart[];
  declare readonly bounds: Float32Array;
  declare readonly track: Float32Array;
  declare readonly bytes: Uint8Array<ArrayBuffer>;

  constructor(data: RideData) {
    Object.assign(this, data);
  }
}

/** A camera. */
export interface RideView {
  eye: readonly [number, number, number];
  target: readonly [number, number, number];
  /** The angle of what is seen from top to bottom, radians; 0.8 if left out. */
  fov?: number;
  /** Width by height; 1.5 if left out. */
  aspect?: number;
  /** How far, m; 200 if left out. */
  far?: number;
}

/** What cameras see. */
export interface RideFrame {
  /** A row of `PART` numbers for every part in view. */
  parts: Float32Array<ArrayBuffer>;
  /** The outputs of the rides in view, copy after copy; of a copy that is out of view there are none. */
  rides: { ride: number; outputs: Float64Array }[];
}

/** Numbers of a part in a row: the ride, the part, x, y, z, and a quaternion x, y, z, w. */
export const PART = 9;

/** Many rides, of which those in view are computed. */
export class Fairground {
  #live: Live;
  #rides = new Map<number, Ride>();

  protected constructor(live: Live) {
    this.#live = live;
  }

  /** @internal */
  static async on(host: Host, seed: number | bigint, work?: Work): Promise<Fairground> {
    const [live] = await Live.make(host, "makeFairground", { seed }, work);
    return new this(live);
  }

  /** The rides that stand there, by their numbers. */
  get rides(): ReadonlyMap<number, Ride> {
    return this.#rides;
  }

  /** Places a ride, turned about the vertical, radians; its number. */
  async add(ride: Ride, position: readonly [number, number, number], turn = 0): Promise<number> {
    const number = await this.#live.ask<number>("add", { position, turn }, {}, ride.bytes);
    this.#rides.set(number, ride);
    return number;
  }

  /** Takes a ride away. */
  async remove(ride: number): Promise<void> {
    await this.#live.ask("wish", { ride });
    this.#rides.delete(ride);
  }

  /** Gives a ride a signal of its model. */
  async signal(ride: number, signal: string): Promise<void> {
    await this.#live.ask("wish", { ride, signal });
  }

  /** What cameras see at a time, s, which only goes forward. Only that is computed. */
  advance(now: number, views: readonly RideView[]): Promise<RideFrame> {
    return this.#live.ask("advance", { now, views });
  }

  /** Ends the fairground, and gives back its memory. */
  dispose(): Promise<void> {
    return this.#live.dispose();
  }
}

/** How rides are made. */
export interface RideMakers {
  /** Compiles a model; see `RideOrder`. */
  compile(order: RideOrder, work?: Work): Promise<Ride>;
  /** Reads what was compiled before, here or by the command. */
  read(bytes: Uint8Array, work?: Work): Promise<Ride>;
  /** The names of the models that come with the engine. */
  models(): Promise<string[]>;
  /** Ends the worker that compiles, and gives back its memory; the next ride starts another. */
  rest(): Promise<void>;
}

/** How fairgrounds are made. */
export interface FairgroundMakers {
  /** Makes a fairground without rides. */
  make(order?: { seed?: number | bigint }, work?: Work): Promise<Fairground>;
}

/** `Ride` and `Fairground` on a host, where they can be made. */
export function cullOn(host: Host): { Ride: typeof Ride & RideMakers; Fairground: Made<Fairground, FairgroundMakers> } {
  const crew = new Crew(host);
  class RideHere extends Ride {
    static compile = async (order: RideOrder, work?: Work): Promise<Ride> => new RideHere(await crew.do<RideData>("compileRide", order, work));
    static read = async (bytes: Uint8Array, work?: Work): Promise<Ride> => new RideHere(await crew.do<RideData>("readRide", null, work, { bytes }));
    static models = async (): Promise<string[]> => ((await host.engine()).modelNames as unknown as () => string[])();
    static rest = (): Promise<void> => crew.rest();
  }
  class Ground extends Fairground {
    static make = (order: { seed?: number | bigint } = {}, work?: Work): Promise<Fairground> => Ground.on(host, order.seed ?? 0, work);
  }
  return { Ride: RideHere, Fairground: Ground as unknown as Made<Fairground, FairgroundMakers> };
}
