import { ensembleOn } from "./ensemble-orders.js";
import { load } from "./ensemble-engine.js";
import { pageHost } from "./page.js";

export type * from "./ensemble-orders.js";
export { ProsceniumError, type Work } from "./work.js";

// Bundlers look for exactly this form.
const start = () => new Worker(new URL("./ensemble-worker.js", import.meta.url), { type: "module" });

/** A mesh of many parts that moves for ever. */
export const Ensemble = ensembleOn(pageHost(start, () => load()));
export type Ensemble = import("./ensemble-orders.js").Ensemble;

/** As `Ensemble.build`. */
export const build = Ensemble.build;
/** As `Ensemble.open`. */
export const open = Ensemble.open;
/** As `Ensemble.names`. */
export const names = Ensemble.names;
/** As `Ensemble.rest`. */
export const rest = Ensemble.rest;
