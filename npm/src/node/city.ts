import { cityOn } from "../city-orders.js";
import { nodeHost } from "./host.js";

export type * from "../city-orders.js";
export { CAR } from "../city-orders.js";
export { ProsceniumError, type Work } from "../work.js";

/** A city of cars, of which those in view are simulated. */
export const City = cityOn(nodeHost("city"));
export type City = import("../city-orders.js").City;

/** As `City.generate`. */
export const generate = City.generate;
/** As `City.read`. */
export const read = City.read;
