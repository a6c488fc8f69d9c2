// Promise: what `proscenium/all` has is what the modules have.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { CAR, city, cull, dice, direct, ensemble, rigid } from "proscenium/all";
import { roll, rest } from "proscenium/dice";

after(() => Promise.all([rest(), dice.rest(), direct.rest(), cull.rest(), ensemble.rest()]));

test("all systems in one file do as each in its own", async () => {
  const order = { dice: ["d6", "d20"], show: [3, 17], seed: 42 };
  const [here, there] = await Promise.all([dice.roll(order), roll(order)]);
  assert.deepEqual(here.solids, there.solids);
  const town = await city.generate({ roads: 20, cars: 50, seed: 3 });
  const [viewer] = await town.drive(0.5, 10, 1);
  assert.equal((await town.advance(0, [viewer])).length % CAR, 0);
  const bodies = await rigid.world({ scene: "cradle" });
  assert.match(await bodies.stateHash(), /^[0-9a-f]{16}$/);
  await Promise.all([town.dispose(), bodies.dispose()]);
  assert.ok((await direct.scenes()).includes("dominoes") && (await cull.models()).includes("ship"));
  assert.ok((await ensemble.names()).includes("banner"));
});
