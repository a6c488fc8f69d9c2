import { cullOn } from "./cull-orders.js";
import { load } from "./cull-engine.js";
import { pageHost } from "./page.js";

export * from "./cull-orders.js";
export { ProsceniumError, type Work } from "./work.js";

// Bundlers look for exactly this form.
const start = () => new Worker(new URL("./cull-worker.js", import.meta.url), { type: "module" });

const on = cullOn(pageHost(start, () => load()));

/** Compiles a model; see `RideOrder`. */
export const compile = on.compile;
/** Reads what was compiled before, here or by the command. */
export const read = on.read;
/** The names of the models that come with the engine. */
export const models = on.models;
/** Makes a fairground without rides. */
export const fairground = on.fairground;
/** Ends the worker that compiles, and gives back its memory; the next ride starts another. */
export const rest = on.rest;
