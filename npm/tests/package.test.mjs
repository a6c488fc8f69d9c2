// Promise: the package holds what it should and no more, and states how large it is.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { GROWTH, MODULES, table } from "../sizes.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (file) => JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), "utf8"));

test("npm pack lists what is loaded, and nothing else", () => {
  const [{ files }] = JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: root, stdio: ["ignore", "pipe", "ignore"] }));
  const paths = files.map((file) => file.path);
  const { exports } = read("package.json");
  const named = Object.values(exports).flatMap((entry) => (typeof entry === "string" ? [entry] : Object.values(entry)));
  for (const path of named) assert.ok(paths.includes(path.slice(2)), `${path} is exported and not there`);
  for (const name of MODULES) assert.ok(paths.includes(`dist/wasm/${name}_bg.wasm`), name);
  const others = paths.filter((path) => !/^dist\/((node|three)\/)?[a-z-]+\.(d\.ts|js)$/.test(path) && !/^dist\/wasm\/[a-z]+(\.d\.ts|\.js|_bg\.wasm|_bg\.wasm\.d\.ts)$/.test(path));
  assert.deepEqual(others.sort(), ["README.md", "package.json"]);
});

test("the README states the sizes that are checked when the package is built", () => {
  assert.ok(readFileSync(new URL("../README.md", import.meta.url), "utf8").includes(table(read("sizes.json"))));
  const { dice, all } = read("sizes.json");
  assert.ok(dice <= 500 && all <= 1800);
});

test("what tests are built with has not grown", { skip: (!existsSync(join(root, "built.json")) || read("built.json").kind !== "tested") && "needs cargo xtask npm --test" }, () => {
  const size = statSync(join(root, "dist/wasm/all_bg.wasm")).size / 1000;
  const { tested } = read("sizes.json");
  assert.ok(size <= GROWTH * tested, `${size.toFixed(0)} kB, and ${tested} are stated: make it smaller, or state it in sizes.json and run node sizes.mjs --write on the package`);
});

test("what the README imports is there, and an object of three.js takes at most ten lines", async () => {
  const text = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const blocks = [...text.matchAll(/```js\n([^]*?)```/g)].map(([, block]) => block);
  const shown = new Set();
  for (const block of blocks) {
    for (const [, names, module] of block.matchAll(/^import \{ ([^}]+) \} from "(proscenium\/[a-z]+)";/gm)) {
      const exports = await import(module);
      for (const name of names.split(", ")) assert.ok(name in exports, `${module} has no ${name}`);
    }
    const [object] = block.match(/\b(Clip|City|Fairground|Meadow)Object\b/) ?? [];
    if (!object) continue;
    shown.add(object);
    assert.ok(block.split("\n").filter(Boolean).length <= 10, object);
  }
  assert.deepEqual([...shown].sort(), ["CityObject", "ClipObject", "FairgroundObject", "MeadowObject"]);
});
