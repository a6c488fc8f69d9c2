// What can be asked of scenes, and what comes back.

import { Crew, type Host, type Work } from "./work.js";

/** A scene to simulate: one that is built in, by its name, or the text of a scene file. */
export type SceneOrder = ({ scene: string } | { text: string }) & {
  /** The number that everything follows from; 0 if left out. */
  seed?: number | bigint;
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

/** The functions of `proscenium/direct`. */
export interface Direct {
  simulate(order: SceneOrder, work?: Work): Promise<Simulation>;
  scenes(): Promise<string[]>;
  rest(): Promise<void>;
}

/** The functions of `proscenium/direct` on a host. */
export function directOn(host: Host): Direct {
  const crew = new Crew(host);
  return {
    simulate: (order, work) => crew.do<Simulation>("simulateScene", order, work),
    scenes: async () => ((await host.engine()).sceneNames as unknown as () => string[])(),
    rest: () => crew.rest(),
  };
}
