import { rigidOn } from "../rigid-orders.js";
import { nodeHost } from "./host.js";

export * from "../rigid-orders.js";
export { ProsceniumError, type Work } from "../work.js";

const on = rigidOn(nodeHost("rigid"));

/** Makes the world of a scene; see `WorldOrder`. */
export const world = on.world;
