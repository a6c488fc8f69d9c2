// All systems in one file of the engine: for pages that use several, which together are
// smaller than their own files.

import { load } from "./all-engine.js";
import { cityOn } from "./city-orders.js";
import { cullOn } from "./cull-orders.js";
import { diceOn } from "./dice-orders.js";
import { directOn } from "./direct-orders.js";
import { ensembleOn } from "./ensemble-orders.js";
import { rigidOn } from "./rigid-orders.js";
import { pageHost } from "./page.js";

export * from "./city-orders.js";
export * from "./cull-orders.js";
export * from "./dice-orders.js";
export * from "./direct-orders.js";
export * from "./ensemble-orders.js";
export * from "./rigid-orders.js";
export { ProsceniumError, type Work } from "./work.js";

// Bundlers look for exactly this form.
const start = () => new Worker(new URL("./all-worker.js", import.meta.url), { type: "module" });

const host = pageHost(start, () => load());

/** As `proscenium/city`. */
export const city = cityOn(host);
/** As `proscenium/cull`. */
export const cull = cullOn(host);
/** As `proscenium/dice`. */
export const dice = diceOn(host);
/** As `proscenium/direct`. */
export const direct = directOn(host);
/** As `proscenium/ensemble`. */
export const ensemble = ensembleOn(host);
/** As `proscenium/rigid`. */
export const rigid = rigidOn(host);
