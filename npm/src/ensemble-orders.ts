// What can be asked of ensembles, and what comes back.

import { Crew, type Host, Live, type Work } from "./work.js";

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

  private constructor(live: Live, about: About) {
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
    return new Ensemble(live, about);
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

/** The functions of `proscenium/ensemble` on a host. */
export function ensembleOn(host: Host) {
  const crew = new Crew(host);
  return {
    build: (order: EnsembleOrder, work?: Work): Promise<Uint8Array<ArrayBuffer>> => crew.do("buildEnsemble", order, work),
    open: (graph: Uint8Array, order: { seed?: number | bigint } = {}, work?: Work): Promise<Ensemble> =>
      Ensemble.on(host, graph, order.seed ?? 0, work),
    names: async (): Promise<string[]> => ((await host.engine()).ensembleNames as unknown as () => string[])(),
    rest: (): Promise<void> => crew.rest(),
  };
}
