import { cullOn } from "./cull-orders.js";
import { load } from "./cull-engine.js";
import { pageHost } from "./page.js";

export type * from "./cull-orders.js";
export { PART } from "./cull-orders.js";
export { ProsceniumError, type Work } from "./work.js";

// Bundlers look for exactly this form.
const start = () => new Worker(new URL("./cull-worker.js", import.meta.url), { type: "module" });

const on = cullOn(pageHost(start, () => load()));

/** A compiled ride, which may be kept and given to a fairground. */
export const Ride = on.Ride;
export type Ride = import("./cull-orders.js").Ride;
/** Many rides, of which those in view are computed. */
export const Fairground = on.Fairground;
export type Fairground = import("./cull-orders.js").Fairground;

/** As `Ride.compile`. */
export const compile = Ride.compile;
/** As `Ride.read`. */
export const read = Ride.read;
/** As `Ride.models`. */
export const models = Ride.models;
/** As `Fairground.make`. */
export const fairground = Fairground.make;
/** Ends the worker that compiles, and gives back its memory; the next ride starts another. */
export const rest = Ride.rest;
