import { rigidOn } from "./rigid-orders.js";
import { load } from "./rigid-engine.js";
import { pageHost } from "./page.js";

export * from "./rigid-orders.js";
export { ProsceniumError, type Work } from "./work.js";

// Bundlers look for exactly this form.
const start = () => new Worker(new URL("./rigid-worker.js", import.meta.url), { type: "module" });

const on = rigidOn(pageHost(start, () => load()));

/** Makes the world of a scene; see `WorldOrder`. */
export const world = on.world;
