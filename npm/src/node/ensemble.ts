import { ensembleOn } from "../ensemble-orders.js";
import { nodeHost } from "./host.js";

export type * from "../ensemble-orders.js";
export { ProsceniumError, type Work } from "../work.js";

/** A mesh of many parts that moves for ever. */
export const Ensemble = ensembleOn(nodeHost("ensemble"));
export type Ensemble = import("../ensemble-orders.js").Ensemble;

/** As `Ensemble.build`. */
export const build = Ensemble.build;
/** As `Ensemble.open`. */
export const open = Ensemble.open;
/** As `Ensemble.names`. */
export const names = Ensemble.names;
/** As `Ensemble.rest`. */
export const rest = Ensemble.rest;
