import { ensembleOn } from "../ensemble-orders.js";
import { nodeHost } from "./host.js";

export * from "../ensemble-orders.js";
export { ProsceniumError, type Work } from "../work.js";

const on = ensembleOn(nodeHost("ensemble"));

/** Builds the graph of an ensemble: its bytes, which may be kept; see `EnsembleOrder`. */
export const build = on.build;
/** Begins to walk in a graph that was built here or by the command. */
export const open = on.open;
/** The names of the ensembles that can be made without data. */
export const names = on.names;
/** Ends the worker that builds, and gives back its memory; the next graph starts another. */
export const rest = on.rest;
