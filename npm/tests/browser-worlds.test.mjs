// Promise: a plain page drives through a city in a worker and draws it, with a fairground, a
// meadow, a clip and rigid bodies, and sees the same as Node.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { generate } from "proscenium/city";

const root = fileURLToPath(new URL("..", import.meta.url));
const program = process.env.CHROMIUM ?? "/usr/bin/chromium";
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm" };
const PAGE = `<!doctype html><title>Worlds</title><body style="margin:0"><canvas style="width:480px;height:300px"></canvas>
<script type="importmap">{"imports": {"three": "/node_modules/three/build/three.module.js",
"three/examples/jsm/": "/node_modules/three/examples/jsm/", "proscenium/": "/dist/"}}</script>
<script type="module">
import * as city from "/dist/city.js";
import * as cull from "/dist/cull.js";
import * as direct from "/dist/direct.js";
import * as ensemble from "/dist/ensemble.js";
import * as rigid from "/dist/rigid.js";
import * as three from "/dist/three.js";
const stage = new three.Stage(document.querySelector("canvas"), { keep: true, shadows: 30 });
Object.assign(window, { city, cull, direct, ensemble, rigid, three, stage });
</script>`;

function serve() {
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://page").pathname;
    const file = join(root, path);
    if (path === "/favicon.ico") return response.writeHead(204).end();
    if (path !== "/" && !existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": path === "/" ? "text/html" : (TYPES[extname(file)] ?? "text/plain") });
    response.end(path === "/" ? PAGE : readFileSync(file));
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

/** How many colours a drawing has: one, if nothing is seen. */
const colours = () => {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [96, 60];
  const context = canvas.getContext("2d");
  context.drawImage(window.stage.renderer.domElement, 0, 0, 96, 60);
  const { data } = context.getImageData(0, 0, 96, 60);
  const seen = new Set();
  for (let at = 0; at < data.length; at += 4) seen.add((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]);
  return seen.size;
};

test("a page drives, and draws every kind of world", { skip: !existsSync(program) && "needs Chromium" }, async (t) => {
  const server = await serve();
  const args = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
  const browser = await chromium.launch({ executablePath: program, args });
  t.after(async () => {
    await browser.close();
    server.close();
  });
  const page = await browser.newPage({ viewport: { width: 480, height: 300 } });
  const troubles = [];
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("console", (message) => message.type() === "error" && troubles.push(message.text()));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction(() => window.stage);
  mkdirSync(join(root, "tests/shots"), { recursive: true });
  const draw = async (name, least) => {
    await page.evaluate(() => window.stage.draw());
    await page.screenshot({ path: join(root, `tests/shots/${name}.png`) });
    const seen = await page.evaluate(colours);
    assert.ok(seen > least, `${name}: ${seen} colours`);
    await page.evaluate(() => {
      const { scene } = window.stage;
      for (const one of scene.children.filter((child) => "dispose" in child && child.isGroup)) {
        one.dispose();
        scene.remove(one);
      }
    });
  };

  const order = { roads: 20, cars: 300, seed: 3 };
  const driven = await page.evaluate(async (order) => {
    const { city, three, stage } = window;
    const town = await city.generate(order);
    const drive = await town.drive(2, 10, 1);
    const streets = await three.CityObject.of(town);
    stage.add(streets);
    const frames = [];
    for (const [frame, viewer] of drive.entries()) {
      await streets.advance(frame / 10, [viewer]);
      frames.push([...streets.cars]);
    }
    const { position: [x, z], direction: [dx, dz] } = drive.at(-1);
    stage.look([x, 1.5, z], [x + dx, 1.45, z + dz]);
    const late = await town.advance(0, [drive[0]]).catch((error) => error.remedy);
    return { frames, drive, late };
  }, order);
  await draw("city", 30);
  const town = await generate(order);
  const here = [];
  for (const [frame, viewer] of driven.drive.entries()) here.push([...(await town.advance(frame / 10, [viewer]))]);
  await town.dispose();
  assert.deepEqual(driven.frames, here, "the same bits as in Node");
  assert.match(driven.late, /give times in order/);

  await page.evaluate(async () => {
    const { cull, three, stage } = window;
    const ground = await cull.fairground({ seed: 7 });
    const ship = await cull.compile({ model: "ship", quick: true, seed: 1 });
    const rides = new three.FairgroundObject(ground);
    for (let at = 0; at < 3; at += 1) await ground.add(ship, [12 * (at - 1), 0, 0]);
    stage.add(rides).look([0, 5, 24], [0, 3, 0]);
    stage.draw();
    for (let frame = 0; frame < 10; frame += 1) await rides.advance(frame / 10, [three.FairgroundObject.view(stage.camera)]);
  });
  await draw("fairground", 20);

  await page.evaluate(async () => {
    const { ensemble, three, stage } = window;
    const flag = await ensemble.open(await ensemble.build({ make: "banner", flags: 1, seconds: 6, seed: 1 }));
    const seconds = [2, 1, 3, 4, 5];
    let meadow;
    for (const one of seconds) meadow ??= await three.MeadowObject.of(flag, { count: 9, side: 6, seconds: one }).catch(() => undefined);
    stage.add(meadow).look([0, 4, 9], [0, 1, 0]);
    meadow.blow([0, 0], 1);
    meadow.at(1.3);
  });
  await draw("meadow", 10);

  const played = await page.evaluate(async () => {
    const { direct, three, stage } = window;
    const { glb } = await direct.simulate({ scene: "dominoes", seed: 1, duration: 0.6 });
    const clip = await three.ClipObject.of(glb);
    stage.add(clip).look([0.4, 0.4, 0.7], [0, 0, 0]);
    const names = [];
    clip.traverse((one) => names.push(one.name));
    const moved = [0, clip.duration].map((time) => {
      clip.at(time);
      clip.updateMatrixWorld(true);
      return clip.children[0].children.map((child) => child.matrixWorld.elements.slice());
    });
    return { moved: JSON.stringify(moved[0]) !== JSON.stringify(moved[1]), ends: moved[1] };
  });
  assert.ok(played.moved, "a clip moves");
  await draw("clip", 10);

  const ends = await page.evaluate(async () => {
    const { rigid, three, stage } = window;
    const bodies = await rigid.world({ scene: "dominoes", seed: 1 });
    const object = await three.WorldObject.of(bodies);
    stage.add(object).look([0.4, 0.4, 0.7], [0, 0, 0]);
    await object.advance(0.6);
    object.updateMatrixWorld(true);
    return object.children[0].children.map((child) => child.matrixWorld.elements.slice());
  });
  await draw("world", 10);
  // A clip is within 0.2 mm per metre of what was simulated. The first body is the floor, which stays.
  const off = Math.max(...ends.slice(1).flatMap((one, body) => one.slice(12, 15).map((at, axis) => Math.abs(at - played.ends[body + 1][12 + axis]))));
  assert.ok(off < 2e-3, `a world ends where its clip does: ${off} m`);
  assert.deepEqual(troubles, []);
});
