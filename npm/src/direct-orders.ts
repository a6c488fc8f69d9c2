// What can be asked of scenes, and what comes back.

import { Crew, type Host, type Work } from "./work.js";

/** A scene to simulate: one that is built in, by its name, or the text of a scene file. */
export type SceneOrder = ({ scene: string; parameters?: Record<string, number> } | { text: string }) & {
  /** The number that everything follows from; 0 if left out. */
  seed?: number | bigint;
  /** How long, s; what the scene says if left out. */
  duration?: number;
};

/** What was simulated. */
export interface Simulation {
  /** The animation as binary glTF. */
  glb: Uint8Array<ArrayBuffer>;
  /** How long it is, s. */
  duration: number;
  /** A number that depends on every bit of the state at the end. */
  stateHash: string;
  /** The version of the engine. */
  engine: string;
}

/** A scene to direct. */
export type DirectOrder = ({ scene: string; parameters?: Record<string, number> } | { text: string }) & {
  /** What should happen, in words; left out for what the scene says. */
  want?: string;
  /** How many animations; 8 if left out. */
  samples?: number;
  /** The number that everything follows from; 1 if left out. */
  seed?: number | bigint;
  /** Those that differ most, or a fair draw. */
  pick?: "different" | "likely";
  /** How they are looked for; left out for what suits. */
  method?: "rejection" | "chain" | "tempering" | "population";
  /** How many simulations may be spent; as many as it takes if left out. */
  simulations?: number;
};

/** An animation that ends as wanted. */
export interface Sample {
  /** Its place among all that were found. */
  index: number;
  /** What was uncertain, as it was drawn. */
  values: Record<string, number>;
  /** How well it meets the wants: 0 is as well as can be. */
  logScore: number;
  wantsMet: boolean[];
  /** How it was found. */
  method: string;
  duration: number;
  /** The animation as binary glTF. */
  glb: Uint8Array<ArrayBuffer>;
}

/** What a directed run came to. */
export interface Run {
  /** Those that were picked. */
  samples: Sample[];
  /** Why it ended. */
  ending: "enough" | "budget";
  simulations: number;
  /** How many meet all wants, and how many of them a viewer could tell from each other. */
  found: number;
  different: number;
  /** Which method ran, and why. */
  choice?: string;
  /** Whether what was found is a fair sample, where there are chains, and the same in words. */
  settled?: boolean;
  settling?: string;
  engine: string;
}

/** How a run is watched. */
export interface DirectWork extends Work {
  /** Given animations as they are found, as many as were ordered, no two alike. */
  found?: (sample: Sample) => void;
}

/** The functions of `proscenium/direct`. */
export interface Direct {
  simulate(order: SceneOrder, work?: Work): Promise<Simulation>;
  direct(order: DirectOrder, work?: DirectWork): Promise<Run>;
  scenes(): Promise<string[]>;
  rest(): Promise<void>;
}

/** The functions of `proscenium/direct` on a host. */
export function directOn(host: Host): Direct {
  const crew = new Crew(host);
  return {
    simulate: (order, work) => crew.do<Simulation>("simulateScene", order, work),
    direct: (order, { found, ...work } = {}) => crew.do<Run>("directScene", order, work, found ? { gave: found } : {}),
    scenes: async () => ((await host.engine()).sceneNames as unknown as () => string[])(),
    rest: () => crew.rest(),
  };
}
