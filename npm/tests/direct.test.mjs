// Promise: a directed run finds what is wanted, gives it as it is found, is the same for the same
// seed and as the command has it, and what it exports is sound glTF.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { City } from "proscenium/city";
import { direct, rest, scenes, simulate } from "proscenium/direct";
import { World } from "proscenium/rigid";

const command = process.env.PROSCENIUM_COMMAND;
const judge = fileURLToPath(new URL("../../xtask/node/node_modules/gltf-validator/", import.meta.url));
after(() => rest());

test("what is wanted is found, and given as it is found", async () => {
  const order = { scene: "dice", want: "die-1 shows 6", samples: 3, seed: 1 };
  const given = [];
  const run = await direct(order, { found: (sample) => given.push(sample) });
  assert.equal(run.ending, "enough");
  assert.equal(run.samples.length, 3);
  assert.ok(run.samples.every((sample) => sample.wantsMet.every(Boolean) && sample.glb.length > 1000));
  assert.equal(given.length, 3);
  const again = await direct(order);
  assert.deepEqual(again.samples.map((sample) => sample.values), run.samples.map((sample) => sample.values));
  assert.deepEqual(again.samples[0].glb, run.samples[0].glb);
});

test("a run ends with its budget, can be stopped, and refuses what cannot be", async () => {
  const rare = { scene: "bowling", want: "all of pin-* fall", seed: 3 };
  const run = await direct({ scene: "dice", want: "die-1 shows 6, die-2 shows 6", samples: 50, simulations: 8, method: "rejection" });
  assert.equal(run.ending, "budget");
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error("enough")), 50);
  await assert.rejects(direct({ ...rare, samples: 100 }, { signal: stop.signal }), /enough|pin/);
  await assert.rejects(direct({ scene: "dice", want: "die-1 shows 7" }), (error) => Boolean(error.remedy));
  await assert.rejects(direct({ scene: "dice", want: "die-1 shows 6", samples: 0 }), (error) => /sample/.test(error.message));
  await assert.rejects(direct({ scene: "dice", pick: "best" }), /best/);
});

test("files are those of the command", { skip: !command && "PROSCENIUM_COMMAND names no command" }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "proscenium-"));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const scene of await scenes()) {
    const file = join(folder, `${scene}.glb`);
    execFileSync(command, ["simulate", scene, "--duration", "0.3", "--seed", "9", "-o", file, "--quiet"]);
    const { glb } = await simulate({ scene, seed: 9, duration: 0.3 });
    assert.deepEqual(Buffer.from(glb), readFileSync(file), scene);
  }
});

test("the Khronos validator accepts what is exported", { skip: !existsSync(judge) && "gltf-validator is not installed" }, async () => {
  const { validateBytes } = createRequire(import.meta.url)(judge);
  const files = [];
  for (const scene of await scenes()) files.push([scene, (await simulate({ scene, seed: 1, duration: 0.2 })).glb]);
  const { samples } = await direct({ scene: "dice", want: "die-1 shows 6", samples: 1, seed: 1 });
  files.push(["a sample", samples[0].glb]);
  const city = await City.generate({ roads: 20, cars: 10, seed: 3 });
  const { streets, car } = await city.look();
  const bodies = await World.make({ scene: "dominoes" });
  files.push(["streets", streets], ["a car", car], ["a world", await bodies.look()]);
  await Promise.all([city.dispose(), bodies.dispose()]);
  for (const [name, glb] of files) {
    const { issues } = await validateBytes(glb, { maxIssues: 10 });
    assert.deepEqual([issues.numErrors, issues.numWarnings], [0, 0], `${name}: ${JSON.stringify(issues.messages)}`);
  }
});
