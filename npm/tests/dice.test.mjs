// Promise: dice in Node show what was asked, are the same for the same seed, say what is
// wrong, can be watched and stopped, and leave nothing behind.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ProsceniumError, memory, rest, roll, rotate, solid } from "proscenium/dice";

const FIVE = { dice: ["d6", "d6", "d20", "d10", "d4"], show: [3, 5, 17, 10, 2], seed: 42 };
const plain = (value) => JSON.stringify(value, (_, inner) => (ArrayBuffer.isView(inner) ? [...inner] : inner));

/** The number that is up at the end, read off the last key and the solid's own sides. */
async function read(one) {
  const { sides } = await solid(one.solid, one.tens);
  const last = one.rotations.slice(-4);
  const height = (side) => rotate(last, side.up)[1];
  const up = sides.reduce((best, side) => (height(side) > height(best) ? side : best));
  assert.ok(height(up) > 0.999, "it lies flat");
  return up.number;
}

test("dice show what was asked", async () => {
  const thrown = await roll(FIVE);
  assert.deepEqual(thrown.values, FIVE.show);
  assert.deepEqual(await Promise.all(thrown.solids.map(read)), [3, 5, 17, 0, 2]);
  assert.ok(thrown.duration > 0.2 && thrown.engine === "0.1.0");
});

test("a d100 is two dice of ten, of which the first has tens", async () => {
  const { solids, values } = await roll({ dice: ["d100"], show: [70], seed: 1 });
  assert.deepEqual([values, solids.map((one) => [one.solid, one.tens, one.number])], [[70], [["d10", true, 7], ["d10", false, 0]]]);
  assert.deepEqual((await solid("d10", true)).faces.map((face) => face.labels[0].text).sort()[0], "00");
});

test("dice lie at the places that are asked for", async () => {
  const places = [[0.05, 0.04], null, [0, -0.04]];
  const { solids, values, elsewhere } = await roll({ dice: ["d6", "d20", "d6"], show: [2, 17, 5], places, near: 0.06, seed: 3 });
  assert.deepEqual([values, await Promise.all(solids.map(read))], [[2, 17, 5], [2, 17, 5]]);
  for (const [index, place] of places.entries()) {
    const [x, , z] = solids[index].positions.slice(-3);
    assert.ok(!place || Math.hypot(x - place[0], z - place[1]) < 0.0602);
  }
  assert.ok(elsewhere > 0);
});

test("the same seed is the same throw, in a worker and without", async () => {
  const thrown = plain(await roll(FIVE));
  assert.equal(plain(await roll(FIVE, { worker: false })), thrown);
  assert.equal(plain(await roll({ ...FIVE, seed: 42n })), thrown);
  assert.notEqual(plain(await roll({ ...FIVE, seed: 2n ** 64n - 1n })), thrown);
});

test("what is wrong is an error with the engine's words and a remedy", async () => {
  const wrong = [
    [{ dice: ["d6"], show: [7] }, "a d6 cannot show 7", "give 1 to 6"],
    [{ dice: [] }, "a throw cannot have 0 dice", "throw 1 to 50 dice; a d100 is two"],
    [{ dice: ["d7"] }, 'there is no die "d7"', "the dice are: d4, d6, d8, d10, d12, d20, d100"],
    [{ dice: ["d6"], tray: [0.1, 9] }, "a tray cannot be 0.1 m wide or deep", "give 0.2 to 5 m"],
  ];
  wrong.push(
    [{ dice: ["d6"], places: [] }, "0 places are given for 1 dice", "give one place for each die, or null where it may lie anywhere"],
    [{ dice: ["d6"], places: [[1, 0]] }, "a die cannot lie at 1, 0", "give x and z from the middle of the tray, which is 0.4 by 0.3 m"],
  );
  for (const worker of [true, false]) {
    for (const [order, message, remedy] of wrong) {
      await assert.rejects(roll(order, { worker }), (error) => {
        assert.ok(error instanceof ProsceniumError);
        assert.deepEqual([error.message, error.remedy], [message, remedy]);
        return true;
      });
    }
  }
});

test("nothing that a page can say breaks the engine", async () => {
  const values = [null, undefined, 6, "d6", [], {}, NaN, -1, 1e300, [null], [[]], ["d6"], ["d6", "d6"], [0.3, NaN], [1e9, 1e9], "\u0000", 2n ** 70n];
  let refused = 0;
  for (const dice of values) {
    for (const other of values) {
      for (const order of [{ dice, show: other }, { dice, seed: other }, { dice, tray: other }]) {
        const made = await roll(order, { worker: false }).catch((error) => error);
        if (made instanceof Error) {
          assert.ok(made instanceof ProsceniumError && made.remedy, `${plain(made)}`);
          refused += 1;
        }
      }
    }
  }
  assert.ok(refused > 700);
  assert.deepEqual((await roll(FIVE, { worker: false })).values, FIVE.show, "it still works");
});

test("progress is told, and a throw can be stopped and made again", async () => {
  const told = [];
  await roll({ ...FIVE, dice: Array(30).fill("d20"), show: undefined }, { progress: (done, doing) => told.push([done, doing]) }).catch(() => {});
  assert.ok(told.length > 0 && told.every(([done, doing]) => done >= 0 && done <= 1 && doing === "throwing"));
  const stop = new AbortController();
  const stopped = roll({ dice: Array(50).fill("d20"), seed: 3 }, { signal: stop.signal });
  setTimeout(() => stop.abort(new Error("enough")), 30);
  await assert.rejects(stopped, /enough/);
  assert.deepEqual((await roll(FIVE)).values, FIVE.show);
});

test("a device that is too slow shows a throw made beforehand, and says so", async () => {
  const beforehand = await roll({ ...FIVE, dice: [...FIVE.dice, "d100", "d8", "d12"], show: [1, 1, 1, 1, 1, 1, 1, 1] });
  const order = { dice: [...FIVE.dice, "d100", "d8", "d12"], show: [6, 2, 20, 10, 4, 70, 8, 12], seed: 7 };
  const shown = await roll(order, { beforehand, within: 0 });
  assert.equal(shown.beforehand, true);
  assert.deepEqual(shown.values, order.show);
  assert.deepEqual(await Promise.all(shown.solids.map(read)), [6, 2, 20, 0, 4, 7, 0, 8, 12]);
  // What cannot be shown by it is refused in the same way as by the engine.
  for (const [wrong, words] of [[{ ...order, show: [7, ...order.show.slice(1)] }, /a d6 has no 7/], [{ dice: ["d6"] }, /other dice/]])
    await assert.rejects(roll(wrong, { beforehand, within: 0 }), (error) => error instanceof ProsceniumError && words.test(error.message) && Boolean(error.remedy));
  const inTime = await roll(order, { beforehand, within: 60_000 });
  assert.equal(inTime.beforehand, undefined);
});

// ROLLS=10000 npm test: as many as are promised.
test("memory is bounded", async () => {
  const order = (seed) => ({ dice: ["d6"], show: [1 + (seed % 6)], seed });
  for (let seed = 0; seed < 100; seed += 1) await roll(order(seed));
  const before = memory();
  const count = Number(process.env.ROLLS ?? 1000);
  for (let seed = 100; seed < count; seed += 1) await roll(order(seed));
  assert.ok(before > 0 && memory() <= before + 2 * 65_536, `${before} bytes, then ${memory()}`);
  await rest();
});
