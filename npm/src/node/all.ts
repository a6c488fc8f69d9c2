import { allOn } from "../all-orders.js";
import { nodeHost } from "./host.js";

export type * from "../city-orders.js";
export type * from "../cull-orders.js";
export type * from "../dice-orders.js";
export type * from "../direct-orders.js";
export type * from "../ensemble-orders.js";
export type * from "../rigid-orders.js";
export { CAR } from "../city-orders.js";
export { PART } from "../cull-orders.js";
export { rotate, showing } from "../dice-orders.js";
export { BODY } from "../rigid-orders.js";
export { ProsceniumError, type Work } from "../work.js";

const on = allOn(nodeHost("all"));

/** As `proscenium/city`. */
export const city = on.city;
/** As `proscenium/cull`. */
export const cull = on.cull;
/** As `proscenium/dice`. */
export const dice = on.dice;
/** As `proscenium/direct`. */
export const direct = on.direct;
/** As `proscenium/ensemble`. */
export const ensemble = on.ensemble;
/** As `proscenium/rigid`. */
export const rigid = on.rigid;
