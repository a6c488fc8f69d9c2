import { cityOn } from "./city-orders.js";
import { load } from "./city-engine.js";
import { pageHost } from "./page.js";

export * from "./city-orders.js";
export { ProsceniumError, type Work } from "./work.js";

// Bundlers look for exactly this form.
const start = () => new Worker(new URL("./city-worker.js", import.meta.url), { type: "module" });

const on = cityOn(pageHost(start, () => load()));

/** Makes a city of generated streets; see `CityOrder`. */
export const generate = on.generate;
/** Makes a city of a map: OpenStreetMap, SUMO or OpenDRIVE, packed or not, or a `.city` of the command. */
export const read = on.read;
