// What a page loads of each module, with brotli: node sizes.mjs [--write]
//
// Fails where a module is more than a tenth larger than is stated in sizes.json and in the
// README, or beyond its limit. With --write both state what is there. `tested` is the plain size
// of the one file that tests are built with, which they hold to the same.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

const root = fileURLToPath(new URL(".", import.meta.url));
/** The modules that have an engine. */
export const MODULES = ["city", "cull", "dice", "direct", "ensemble", "rigid"];
/** What every module loads besides its own files. */
const SHARED = ["page.js", "work.js", "worker.js"];
/** kB that may not be passed. */
const LIMITS = { dice: 500, all: 1800 };
/** How much a module may grow before somebody has to say so. */
export const GROWTH = 1.1;

const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 22 } };
const packed = (file) => brotliCompressSync(readFileSync(join(root, "dist", file)), options).length;

/** All files that pages may load. */
function files() {
  const all = readdirSync(join(root, "dist"), { recursive: true }).map((file) => String(file).replaceAll("\\", "/"));
  return all.filter((file) => /\.(js|wasm)$/.test(file) && !file.startsWith("node/")).sort();
}

/** Whether a file belongs to a module. */
const isOf = (name, file) => new RegExp(`^${name}(-[a-z]+|_bg)?\\.(js|wasm)$`).test(basename(file)) && !file.startsWith("three/");

/** kB of every module, and of the one that has all. */
export function measured() {
  const bytes = new Map(files().map((file) => [file, packed(file)]));
  // A page that uses everything imports proscenium/all, which has all systems in one file.
  const isOfAll = (file) => isOf("all", file) || SHARED.includes(file) || file.endsWith("-orders.js");
  const sum = (is) => Math.round([...bytes].reduce((total, [file, size]) => total + (is(file) ? size : 0), 0) / 1000);
  const modules = MODULES.map((name) => [name, sum((file) => isOf(name, file) || SHARED.includes(file))]);
  return { ...Object.fromEntries(modules), three: sum((file) => file.startsWith("three")), all: sum(isOfAll) };
}

/** The lines of the README that state sizes. */
export function table(sizes) {
  return Object.entries(sizes).filter(([name]) => name !== "tested").map(([name, size]) => `| \`proscenium/${name}\`${name === "all" ? ": everything" : ""} | ${size} kB |`).join("\n");
}

function main() {
  const [readme, stated] = ["README.md", "sizes.json"].map((file) => join(root, file));
  const sizes = measured();
  if (process.argv.includes("--write")) {
    const { tested } = JSON.parse(readFileSync(stated, "utf8"));
    writeFileSync(stated, `${JSON.stringify({ ...sizes, tested }, null, 2)}\n`);
    const text = readFileSync(readme, "utf8");
    writeFileSync(readme, text.replace(/(\| module \| over the wire \|\n\|---\|---\|\n)(\|.*\n)*/, (_, head) => `${head}${table(sizes)}\n`));
  }
  const said = JSON.parse(readFileSync(stated, "utf8"));
  const wrong = [];
  if (!readFileSync(readme, "utf8").includes(table(said))) wrong.push("README.md does not state the sizes of sizes.json");
  for (const [name, size] of Object.entries(sizes)) {
    console.log(`${name.padEnd(12)} ${String(size).padStart(5)} kB`);
    if (size > GROWTH * (said[name] ?? 0)) wrong.push(`${name} has grown from ${said[name]} to ${size} kB: make it smaller, or state it with node sizes.mjs --write`);
    if (size > (LIMITS[name] ?? Infinity)) wrong.push(`${name} has ${size} kB, and may have ${LIMITS[name]}`);
  }
  for (const reason of wrong) console.error(`error: ${reason}`);
  process.exitCode = wrong.length ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
