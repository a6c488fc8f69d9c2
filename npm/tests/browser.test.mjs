// Promise: a plain page rolls in a worker, and the dice that it draws show what was asked.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { roll } from "proscenium/dice";

const root = fileURLToPath(new URL("..", import.meta.url));
const program = process.env.CHROMIUM ?? "/usr/bin/chromium";
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };
const PAGE = `<!doctype html><title>Dice</title><body style="margin:0"><canvas style="width:960px;height:600px"></canvas>
<script type="importmap">{"imports": {"three": "/node_modules/three/build/three.module.js",
"three/examples/jsm/": "/node_modules/three/examples/jsm/", "proscenium/": "/dist/"}}</script>
<script type="module">
import { roll } from "/dist/dice.js";
import { DiceView } from "/dist/three.js";
Object.assign(window, { roll, view: new DiceView(document.querySelector("canvas"), { keep: true }) });
</script>`;

function serve() {
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://page").pathname;
    const file = join(root, path);
    if (path !== "/" && !existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": path === "/" ? TYPES[".html"] : (TYPES[extname(file)] ?? "text/plain") });
    response.end(path === "/" ? PAGE : readFileSync(file));
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

test("a page rolls what is asked, as Node does, and draws it", { skip: !existsSync(program) && "needs Chromium" }, async (t) => {
  const server = await serve();
  const args = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
  const browser = await chromium.launch({ executablePath: program, args });
  t.after(async () => {
    await browser.close();
    server.close();
  });
  const page = await browser.newPage({ viewport: { width: 960, height: 600 } });
  const troubles = [];
  page.on("pageerror", (error) => troubles.push(String(error)));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction(() => window.view);
  const order = { dice: ["d4", "d6", "d8", "d10", "d12", "d20", "d100"], show: [2, 3, 5, 9, 11, 17, 70], seed: 42, tray: [0.26, 0.2] };
  const seen = await page.evaluate(async (order) => {
    const thrown = await window.roll(order);
    await window.view.show(thrown, thrown.duration);
    return { values: thrown.values, keys: thrown.solids.map((one) => [...one.times, ...one.positions, ...one.rotations]) };
  }, order);
  const here = await roll(order);
  assert.deepEqual(seen.values, order.show);
  assert.deepEqual(seen.keys, here.solids.map((one) => [...one.times, ...one.positions, ...one.rotations]), "the same bits as in Node");
  mkdirSync(join(root, "tests/shots"), { recursive: true });
  await page.screenshot({ path: join(root, "tests/shots/dice.png") });
  const times = await page.evaluate(async () => {
    const [dice, times] = [["d6", "d6", "d6", "d6", "d6"], []];
    for (let seed = 0; seed < 100; seed += 1) {
      const start = performance.now();
      await window.roll({ dice, show: dice.map((_, index) => 1 + ((seed + index) % 6)), seed });
      times.push(performance.now() - start);
    }
    return times.sort((a, b) => a - b);
  });
  t.diagnostic(`100 throws of five dice: median ${times[49].toFixed(1)} ms, 95th percentile ${times[94].toFixed(1)} ms`);
  const played = await page.evaluate(async (order) => {
    const thrown = await window.roll(order);
    await window.view.play(thrown, { speed: 4 });
    const error = await window.roll({ dice: ["d6"], show: [7] }).catch((error) => [error.message, error.remedy]);
    window.view.dispose();
    return error;
  }, order);
  assert.deepEqual(played, ["a d6 cannot show 7", "give 1 to 6"]);
  assert.deepEqual(troubles, []);
});
