import { load } from "./dice-engine.js";
import { diceOn } from "./dice-orders.js";
import { pageHost } from "./page.js";

export * from "./dice-orders.js";
export { ProsceniumError, type Work } from "./work.js";

// Bundlers look for exactly this form.
const start = () => new Worker(new URL("./dice-worker.js", import.meta.url), { type: "module" });

const on = diceOn(pageHost(start, () => load()));

/** Throws dice that show what is asked; see `Order`. */
export const roll = on.roll;
/** What a solid looks like, for those who draw it themselves. */
export const solid = on.solid;
/** Ends the worker, and gives back its memory; the next throw starts another. */
export const rest = on.rest;
/** How much memory the engine had after its last order, in bytes. */
export const memory = on.memory;
