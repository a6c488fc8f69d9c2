import { cityOn } from "./city-orders.js";
import { load } from "./city-engine.js";
import { pageHost } from "./page.js";

export type * from "./city-orders.js";
export { CAR } from "./city-orders.js";
export { ProsceniumError, type Work } from "./work.js";

// Bundlers look for exactly this form.
const start = () => new Worker(new URL("./city-worker.js", import.meta.url), { type: "module" });

/** A city of cars, of which those in view are simulated. */
export const City = cityOn(pageHost(start, () => load()));
export type City = import("./city-orders.js").City;

/** As `City.generate`. */
export const generate = City.generate;
/** As `City.read`. */
export const read = City.read;
