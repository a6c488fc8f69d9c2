import { cullOn } from "../cull-orders.js";
import { nodeHost } from "./host.js";

export * from "../cull-orders.js";
export { ProsceniumError, type Work } from "../work.js";

const on = cullOn(nodeHost("cull"));

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
