import { diceOn } from "../dice-orders.js";
import { nodeHost } from "./host.js";

export * from "../dice-orders.js";
export { ProsceniumError, type Work } from "../work.js";

const on = diceOn(nodeHost("dice"));

/** Throws dice that show what is asked; see `Order`. */
export const roll = on.roll;
/** What a solid looks like, for those who draw it themselves. */
export const solid = on.solid;
/** Ends the worker, and gives back its memory; the next throw starts another. */
export const rest = on.rest;
/** How much memory the engine had after its last order, in bytes. */
export const memory = on.memory;
