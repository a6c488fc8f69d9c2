// The works of the lab's experiment web-speed, as a page does them (apps/lab/src/web_speed).

import { generate } from "../dist/city.js";
import { compile } from "../dist/cull.js";
import { roll } from "../dist/dice.js";
import { direct } from "../dist/direct.js";
import { build } from "../dist/ensemble.js";
import { world } from "../dist/rigid.js";

/** FNV-1a of 32 bits over bytes. */
function bits() {
  let state = 0x811c9dc5;
  return {
    add(values) {
      const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
      for (const byte of bytes) state = Math.imul(state ^ byte, 0x01000193);
    },
    shown: () => (state >>> 0).toString(16).padStart(8, "0"),
  };
}

async function dice(throws) {
  const [hash, ms] = [bits(), []];
  for (let seed = 0; seed < throws; seed += 1) {
    const show = [0, 1, 2, 3, 4].map((die) => 1 + ((seed + die) % 6));
    const begin = performance.now();
    const thrown = await roll({ dice: ["d6", "d6", "d6", "d6", "d6"], show, seed });
    ms.push(performance.now() - begin);
    for (const { times, positions, rotations } of thrown.solids) {
      for (let key = 0; key < times.length; key += 1) {
        hash.add(times.subarray(key, key + 1));
        hash.add(positions.subarray(3 * key, 3 * key + 3));
        hash.add(rotations.subarray(4 * key, 4 * key + 4));
      }
    }
  }
  return { ms, bits: hash.shown() };
}

// Throws go to a worker, as in any page; all else is done here, so that what is compared is
// the engine and not the start of workers.
const HERE = { worker: false };

const WORKS = {
  "ride tilt-a-whirl": async () => [(await compile({ model: "tilt-a-whirl", quick: true, seed: 1 }, HERE)).bytes],
  "ensemble banner": async () => [await build({ make: "banner", flags: 1, seconds: 6, seed: 1 }, HERE)],
  city: async () => {
    const city = await generate({ roads: 60, cars: 500, seed: 7 }, HERE);
    const drive = await city.drive(10, 30, 0);
    const frames = [];
    for (const [frame, viewer] of drive.entries()) frames.push(await city.advance(frame / 30, [viewer]));
    await city.dispose();
    return frames;
  },
  "direct dice": async () => {
    const run = await direct({ scene: "dice", want: "die-1 shows 6, die-2 shows 6", samples: 4, seed: 1 }, HERE);
    return run.samples.map((sample) => sample.glb);
  },
};

async function scene(name) {
  const bodies = await world({ scene: name, seed: 1 }, HERE);
  await bodies.advance(1);
  const hash = new TextEncoder().encode(await bodies.stateHash());
  await bodies.dispose();
  return [hash];
}

/** Does a work so often; how long each round took, and what came of it. */
export async function work(name, { throws, rounds }) {
  if (name === "dice") return dice(throws);
  const ms = [];
  let shown = "";
  for (let round = 0; round < rounds; round += 1) {
    const begin = performance.now();
    const made = name.startsWith("scene ") ? await scene(name.slice("scene ".length)) : await WORKS[name]();
    ms.push(performance.now() - begin);
    const hash = bits();
    for (const values of made) hash.add(values);
    shown = hash.shown();
  }
  return { ms, bits: shown };
}
