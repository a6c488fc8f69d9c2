// The module of the engine, as a page loads it.

import * as module from "./wasm/all.js";
import type { Engine } from "./work.js";

/** Downloads and starts the module; in Node its bytes are given. */
export async function load(bytes?: BufferSource): Promise<Engine> {
  // Bundlers look for exactly this form.
  const source = bytes ?? new URL("./wasm/all_bg.wasm", import.meta.url);
  const { memory } = await module.default({ module_or_path: source });
  return { ...module, memory } as unknown as Engine;
}
