import { rigidOn } from "./rigid-orders.js";
import { load } from "./rigid-engine.js";
import { pageHost } from "./page.js";

export type * from "./rigid-orders.js";
export { BODY } from "./rigid-orders.js";
export { ProsceniumError, type Work } from "./work.js";

// Bundlers look for exactly this form.
const start = () => new Worker(new URL("./rigid-worker.js", import.meta.url), { type: "module" });

/** Rigid bodies that go on as long as the page does. */
export const World = rigidOn(pageHost(start, () => load()));
export type World = import("./rigid-orders.js").World;

/** As `World.make`. */
export const world = World.make;
