import { cityOn } from "../city-orders.js";
import { nodeHost } from "./host.js";

export * from "../city-orders.js";
export { ProsceniumError, type Work } from "../work.js";

const on = cityOn(nodeHost("city"));

/** Makes a city of generated streets; see `CityOrder`. */
export const generate = on.generate;
/** Makes a city of a map: OpenStreetMap, SUMO or OpenDRIVE, packed or not, or a `.city` of the command. */
export const read = on.read;
