// What can be asked of ensembles, and what comes back.

import { Crew, type Host, Live, type Made, type Work } from "./work.js";

/** An ensemble that can be made without data. */
export interface EnsembleOrder {
  /** Its name: "banner", "grass-clump", … (`names`). */
  make: string;
  /** How long each strength of the wind is simulated, s; 20 if left out. */
  seconds?: number;
  /** Of a banner: how many flags it has. */
  flags?: number;
  /** The number that everything follows from; 0 if left out. */
  seed?: number | bigint;
}

/** A part that moves at its own time. */
export interface EnsembleGroup {
  name: string;
  /** Its first vertex, and how many it has. */
  first: number;
  count: number;
}

/** A strength of the wind, or another condition of the data. */
export interface EnsembleLevel {
  level: number;
  name: string;
  intensity: number;
  /** Whether it can be walked. */
  walked: boolean;
}

/** A walk that ends where it began, for a texture. */
export interface EnsembleLoop {
  frames: number;
  fps: number;
  /** Frame after frame the places of all vertices, m. */
  positions: Float32Array<ArrayBuffer>;
}

interface About {
  name: string;
  groups: EnsembleGroup[];
  triangles: Uint32Array<ArrayBuffer>;
  rest: Float32Array<ArrayBuffer>;
  levels: EnsembleLevel[];
  fps: number;
}

/** A mesh of many parts that moves for ever. */
export class Ensemble {
  #live: Live;
  readonly name: string;
  readonly groups: readonly EnsembleGroup[];
  /** Three vertices each. */
  readonly triangles: Uint32Array<ArrayBuffer>;
  /** Where the vertices are at rest, m. */
  readonly rest: Float32Array<ArrayBuffer>;
  readonly levels: readonly EnsembleLevel[];
  /** Frames of the data in a second. */
  readonly fps: number;

  protected constructor(live: Live, about: About) {
    this.#live = live;
    this.name = about.name;
    this.groups = about.groups;
    this.triangles = about.triangles;
    this.rest = about.rest;
    this.levels = about.levels;
    this.fps = about.fps;
  }

  /** @internal */
  static async on(host: Host, graph: Uint8Array, seed: number | bigint, work?: Work): Promise<Ensemble> {
    const [live, about] = await Live.make<About>(host, "openEnsemble", { seed }, work, graph);
    return new this(live, about);
  }

  /** Where all vertices are at a time, s, which only goes forward. */
  at(now: number): Promise<Float32Array<ArrayBuffer>> {
    return this.#live.ask("at", { now });
  }

  /** Walks towards another strength of the wind; how long that takes at most, s. */
  want(level: number): Promise<number> {
    return this.#live.ask("want", { level });
  }

  /** The strength of the wind that is played. */
  level(): Promise<number> {
    return this.#live.ask("level");
  }

  /** A walk within a strength of the wind that ends where it began, about so long, s. */
  loop(level: number, seconds: number): Promise<EnsembleLoop> {
    return this.#live.ask("loop", { level, seconds });
  }

  /** Ends the walk, and gives back its memory. */
  dispose(): Promise<void> {
    return this.#live.dispose();
  }
}

/** How ensembles are made. */
export interface EnsembleMakers {
  /** Builds the graph of an ensemble: its bytes, which may be kept; see `EnsembleOrder`. */
  build(order: EnsembleOrder, work?: Work): Promise<Uint8Array<ArrayBuffer>>;
  /** Begins to walk in a graph that was built here or by the command. */
  open(graph: Uint8Array, order?: { seed?: number | bigint }, work?: Work): Promise<Ensemble>;
  /** The names of the ensembles that can be made without data. */
  names(): Promise<string[]>;
  /** Ends the worker that builds, and gives back its memory; the next graph starts another. */
  rest(): Promise<void>;
}

/** `Ensemble` on a host, where it can be made. */
export function ensembleOn(host: Host): Made<Ensemble, EnsembleMakers> {
  const crew = new Crew(host);
  class Here extends Ensemble {
    static build = (order: EnsembleOrder, work?: Work): Promise<Uint8Array<ArrayBuffer>> => crew.do("buildEnsemble", order, work);
    static open = (graph: Uint8Array, order: { seed?: number | bigint } = {}, work?: Work): Promise<Ensemble> =>
      Here.on(host, graph, order.seed ?? 0, work);
    static names = async (): Promise<string[]> => ((await host.engine()).ensembleNames as unknown as () => string[])();
    static rest = (): Promise<void> => crew.rest();
  }
  return Here as unknown as Made<Ensemble, EnsembleMakers>;
}
