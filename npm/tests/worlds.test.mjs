// Promise: cities, fairgrounds, ensembles and rigid bodies go on in a worker as they do on
// the calling thread, do what is wished, say what is wrong, and give back their memory.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { CAR, City, generate, read } from "proscenium/city";
import * as cull from "proscenium/cull";
import { scenes } from "proscenium/direct";
import * as ensemble from "proscenium/ensemble";
import { BODY, ProsceniumError, World, world } from "proscenium/rigid";

const WHEEL = "format = 1\n[state]\nturn = { angle = true, initial = 0.0 }\n[motion]\nturn = 1.5\n" +
  "[[part]]\nname = \"wheel\"\nbox = [2.0, 0.2, 0.2]\naxis = [0, 0, 1]\nangle = \"turn\"\n";
after(() => Promise.all([cull.rest(), ensemble.rest()]));

/** What an engine says of an order. */
async function refused(work, message, remedy) {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof ProsceniumError || error.constructor.name === "ProsceniumError", `${error}`);
    assert.match(error.message, message);
    assert.match(error.remedy ?? "", remedy);
    return true;
  });
}

test("a city shows the cars in view, the same here and in a worker", async () => {
  const seen = [];
  for (const worker of [true, false]) {
    const city = await generate({ roads: 20, cars: 200, seed: 3 }, { worker });
    const [viewer] = await city.drive(0.5, 10, 1);
    const frames = [];
    for (let frame = 0; frame < 20; frame += 1) frames.push([...(await city.advance(frame / 10, [viewer]))]);
    const [car] = frames.at(-1);
    assert.ok(frames.at(-1).length % CAR === 0 && frames.some((cars) => cars.length > 0), "somebody is seen");
    const counts = await city.counts();
    assert.equal(counts.reduce((sum, count) => sum + count, 0), 200);
    seen.push(frames);
    if (car !== undefined) await city.wish({ hold: car, held: true });
    await refused(city.advance(0.1, [viewer]), /the time/, /give times in order/);
    await refused(city.advance(9, [{ position: [0, NaN], direction: [1, 0] }]), /cannot be ordered/, /give now/);
    await refused(city.wish({ close: 10_000, closed: true }), /road/, /./);
    // What should be seen is said in words.
    assert.equal(await city.wish({ want: "a van comes round the next corner within 30 s" }), 0);
    for (let frame = 20; frame < 40; frame += 1) await city.advance(frame / 10, [viewer]);
    const [wish] = await city.wishes();
    assert.ok(["open", "planned", "seen"].includes(wish.state) && /van/.test(wish.wish) && Array.isArray(wish.recruited));
    await refused(city.wish({ want: "a car flies" }), /understood/, /there may be/);
    await city.wish({ withdraw: 0 });
    assert.deepEqual(await city.wishes(), []);
    const look = await city.look();
    assert.deepEqual([...look.streets.subarray(0, 4)], [...Buffer.from("glTF")]);
    await city.dispose();
  }
  assert.deepEqual(seen[0], seen[1]);
});

test("what the documentation imports is there, and makes what it says", async () => {
  assert.deepEqual([typeof City.generate, typeof City.read], ["function", "function"]);
  const city = await City.generate({ roads: 10, cars: 5, seed: 1 }, { worker: false });
  assert.ok(city instanceof City);
  await city.dispose();
  const ride = await cull.Ride.compile({ text: WHEEL, quick: true, seed: 1 });
  assert.ok(ride instanceof cull.Ride && (await cull.Ride.read(ride.bytes)).name === ride.name);
  const ground = await cull.Fairground.make();
  assert.ok(ground instanceof cull.Fairground && (await cull.Ride.models()).includes("ship"));
  await ground.dispose();
  const bodies = await World.make({ scene: "cradle" }, { worker: false });
  assert.ok(bodies instanceof World && typeof ensemble.Ensemble.open === "function");
  await bodies.dispose();
});

test("a map is read, and what is none is refused", async () => {
  await refused(read(new Uint8Array([1, 2, 3])), /./, /./);
  await refused(generate({ roads: 10, cars: 4e9 }), /./, /./);
});

test("a ride is compiled and read again, and a fairground computes what is seen of it", async () => {
  const ride = await cull.compile({ text: WHEEL, quick: true, seed: 1 });
  assert.deepEqual([ride.outputs, ride.parts.length], [["turn"], 1]);
  assert.deepEqual((await cull.read(ride.bytes)).verdict, ride.verdict);
  const ground = await cull.fairground({ seed: 7 });
  const first = await ground.add(ride, [0, 0, 0]);
  const away = await ground.add(ride, [0, 0, 5000]);
  const view = { eye: [0, 0, 10], target: [0, 0, 0] };
  const frame = await ground.advance(2, [view]);
  assert.deepEqual(frame.rides.map((one) => one.ride), [first]);
  assert.ok(Math.abs(frame.rides[0].outputs[0] - 3) < 1e-3, "1.5 in a second, for two");
  // The part is turned by that about z.
  assert.ok(Math.abs(frame.parts[7] - Math.sin(1.5)) < 1e-3 && Math.abs(frame.parts[8] - Math.cos(1.5)) < 1e-3);
  await ground.remove(away);
  await refused(ground.signal(first, "whistle"), /./, /./);
  await refused(ground.remove(away), /./, /./);
  await ground.dispose();
  await refused(cull.compile({ model: "zeppelin" }), /no model "zeppelin"/, /roller-coaster/);
  await refused(cull.compile({ text: "format = 1\n[motion]\nx = \"y\"\n" }), /./, /./);
});

test("an ensemble is built, walked and looped", async () => {
  const graph = await ensemble.build({ make: "banner", flags: 1, seconds: 6, seed: 1 });
  const flag = await ensemble.open(graph, { seed: 2 });
  const level = flag.levels.find((one) => one.walked).level;
  const places = await flag.at(0.5);
  assert.equal(places.length, flag.rest.length);
  assert.ok(places.every(Number.isFinite) && flag.triangles.every((corner) => corner < flag.rest.length / 3));
  const loop = await flag.loop(level, 2).catch((error) => error);
  if (loop instanceof Error) assert.match(loop.remedy, /ask for that/);
  else assert.equal(loop.positions.length, loop.frames * flag.rest.length);
  await refused(flag.want(99), /./, /./);
  await flag.dispose();
  await refused(ensemble.build({ make: "tulip" }), /no ensemble "tulip"/, /banner/);
  await refused(ensemble.open(new Uint8Array([7])), /not a/, /./);
});

test("every built-in scene has the bits of the native engine", async () => {
  const golden = readFileSync(new URL("../../crates/scenes/tests/state_hash.rs", import.meta.url), "utf8");
  const table = [...golden.matchAll(/^ {4}\("([^"]+)", ([\d.]+), 0x([0-9a-f]{16})\),$/gm)];
  // Every scene that there is: a name may be in the table twice, with and without a text.
  const named = new Set(table.map(([, name]) => name.split("=")[0]));
  assert.deepEqual((await scenes()).filter((name) => !named.has(name)), [], "scenes that are compared with nothing");
  for (const [, scene, time, hash] of table) {
    const bodies = await world({ scene, seed: 1 }, { worker: false });
    await bodies.advance(Number(time));
    assert.equal(await bodies.stateHash(), hash, scene);
    await bodies.dispose();
  }
});

test("bodies are pushed, and where they are is said", async () => {
  const text = "format = 1\n[[body]]\nname = \"ball\"\nshape = { sphere = 0.1 }\nposition = [0, 5, 0]\n";
  const bodies = await world({ text });
  assert.deepEqual(bodies.bodies, [{ name: "ball", fixed: false }]);
  const row = await bodies.advance(0.5);
  assert.equal(row.length, BODY);
  assert.ok(Math.abs(row[1] - (5 - 0.5 * 9.81 * 0.25)) < 1e-3, `${row[1]}`);
  await bodies.wish({ set: 0, velocity: [1, 0, 0], spin: [0, 0, 0] });
  assert.ok(Math.abs((await bodies.advance(1))[0] - 0.5) < 1e-6);
  await refused(bodies.wish({ push: 3, impulse: [1, 0, 0] }), /no body 3/, /there are 1/);
  await refused(bodies.advance(0.2), /./, /give times in order/);
  await bodies.wish({ remove: 0 });
  assert.ok(Number.isNaN((await bodies.advance(1.1))[0]), "it is gone");
  await bodies.dispose();
  await refused(bodies.advance(2), /stopped or disposed/, /make another/);
});
