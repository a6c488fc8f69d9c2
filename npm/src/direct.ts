import { load } from "./direct-engine.js";
import { directOn } from "./direct-orders.js";
import { pageHost } from "./page.js";

export * from "./direct-orders.js";
export { ProsceniumError, type Work } from "./work.js";

// Bundlers look for exactly this form.
const start = () => new Worker(new URL("./direct-worker.js", import.meta.url), { type: "module" });

const on = directOn(pageHost(start, () => load()));

/** Simulates a scene; see `SceneOrder`. */
export const simulate = on.simulate;
/** Finds animations of a scene that end as wanted; see `DirectOrder`. */
export const direct = on.direct;
/** The names of the built-in scenes. */
export const scenes = on.scenes;
/** Ends the worker, and gives back its memory; the next scene starts another. */
export const rest = on.rest;
