// What can be asked of a city, and what comes back.

import { type Host, Live, type Made, type Work } from "./work.js";

/** Streets that are generated. */
export interface CityOrder {
  /** About how many roads; 400 if left out. */
  roads?: number;
  /** How many cars there are; 400 if left out. */
  cars?: number;
  /** The number that everything follows from; 0 if left out. */
  seed?: number | bigint;
}

/** A viewer: a place and a direction on the ground (x and z). */
export interface Viewer {
  position: readonly [number, number];
  direction: readonly [number, number];
  /** The full angle of what is seen, radians; 1.2 if left out. */
  angle?: number;
  /** How far, m; 400 if left out. */
  reach?: number;
  /** Above the houses nothing hides the streets; m. */
  height?: number;
}

/** What is wished of cars and roads, by their numbers; with `want`, what should be seen, in words, such as "a bus comes round the next corner within 30 s". */
export type CityWish =
  | { hold: number; held: boolean }
  | { route: number; road: number; against: boolean }
  | { close: number; closed: boolean }
  | { add: number; against: boolean }
  | { remove: number }
  | { follow: number }
  | { want: string }
  | { withdraw: number };

/** What became of a wish for something to be seen. */
export interface CityReport {
  /** Its number. */
  number: number;
  /** What is wished, in words. */
  wish: string;
  state: "open" | "planned" | "seen" | "missed";
  /** When it was seen, s, and by which car. */
  at?: number;
  car?: number;
  /** The chance that it would have come true without the wish; not a number before it was planned. */
  chance: number;
  /** The cars that do it. */
  recruited: number[];
  /** Why nobody does. */
  why?: string;
}

/** What happened in view. */
export interface CityEvent {
  what: "came into view" | "left the view" | "stopped" | "started" | "turned";
  car: number;
}

/** How a city looks, as binary glTF in the coordinates of the cars. */
export interface CityLook {
  streets: Uint8Array<ArrayBuffer>;
  car: Uint8Array<ArrayBuffer>;
}

interface About {
  name: string;
  roads: number;
  middle: Float32Array;
}

/** Numbers of a car in a row: its number, x, y, z, a quaternion x, y, z, w, speed (m/s), steering (radians). */
export const CAR = 10;

/** A city of cars, of which those in view are simulated. */
export class City {
  #live: Live;
  /** The name of the map. */
  readonly name: string;
  /** How many roads it has. */
  readonly roads: number;
  /** The middle of the map: x and z, m. */
  readonly middle: readonly [number, number];

  protected constructor(live: Live, about: About) {
    this.#live = live;
    this.name = about.name;
    this.roads = about.roads;
    this.middle = [about.middle[0] ?? 0, about.middle[1] ?? 0];
  }

  /** @internal */
  static async on(host: Host, order: CityOrder, work?: Work, bytes?: Uint8Array): Promise<City> {
    const [live, about] = await Live.make<About>(host, "makeCity", order, work, bytes);
    return new this(live, about);
  }

  /** The cars that viewers see at a time, s, which only goes forward: a row of `CAR` numbers each. Only they are simulated. */
  advance(now: number, views: readonly Viewer[]): Promise<Float32Array<ArrayBuffer>> {
    return this.#live.ask("advance", { now, views });
  }

  /** What happened in view since the frame before. */
  events(): Promise<CityEvent[]> {
    return this.#live.ask("events");
  }

  /** Does what is wished; the number of a car that was added, or of what is wanted. */
  wish(wish: CityWish): Promise<number | undefined> {
    return this.#live.ask("wish", wish);
  }

  /** What became of what is wanted, in its order. */
  wishes(): Promise<CityReport[]> {
    return this.#live.ask("wishes");
  }

  /** The viewers of a drive through the streets, `fps` of them in a second. */
  async drive(seconds: number, fps = 30, seed: number | bigint = 0): Promise<Viewer[]> {
    const rows = await this.#live.ask<Float32Array>("drive", { seconds, fps, seed });
    const viewers: Viewer[] = [];
    for (let at = 0; at + 3 < rows.length; at += 4) {
      const [x = 0, z = 0, dx = 1, dz = 0] = rows.subarray(at, at + 4);
      viewers.push({ position: [x, z], direction: [dx, dz] });
    }
    return viewers;
  }

  /** The streets and houses within a distance of a place, and a car. */
  look(part: { around?: readonly [number, number]; within?: number } = {}, work?: Omit<Work, "worker">): Promise<CityLook> {
    return this.#live.ask("look", part, work);
  }

  /** How many cars are simulated, tracked, and only counted. */
  async counts(): Promise<[number, number, number]> {
    const [simulated = 0, tracked = 0, counted = 0] = await this.#live.ask<Uint32Array>("counts");
    return [simulated, tracked, counted];
  }

  /** Ends the city, and gives back its memory. */
  dispose(): Promise<void> {
    return this.#live.dispose();
  }
}

/** How cities are made. */
export interface CityMakers {
  /** Makes a city of generated streets; see `CityOrder`. */
  generate(order?: CityOrder, work?: Work): Promise<City>;
  /** Makes a city of a map: OpenStreetMap, SUMO or OpenDRIVE, packed or not, or a `.city` of the command. */
  read(map: Uint8Array, order?: Omit<CityOrder, "roads">, work?: Work): Promise<City>;
}

/** `City` on a host, where it can be made. */
export function cityOn(host: Host): Made<City, CityMakers> {
  class Here extends City {
    static generate = (order: CityOrder = {}, work?: Work): Promise<City> => Here.on(host, order, work);
    static read = (map: Uint8Array, order: Omit<CityOrder, "roads"> = {}, work?: Work): Promise<City> => Here.on(host, order, work, map);
  }
  return Here as unknown as Made<City, CityMakers>;
}
