import { rigidOn } from "../rigid-orders.js";
import { nodeHost } from "./host.js";

export type * from "../rigid-orders.js";
export { BODY } from "../rigid-orders.js";
export { ProsceniumError, type Work } from "../work.js";

/** Rigid bodies that go on as long as the page does. */
export const World = rigidOn(nodeHost("rigid"));
export type World = import("../rigid-orders.js").World;

/** As `World.make`. */
export const world = World.make;
