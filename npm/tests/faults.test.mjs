// Promise: an engine that has failed is never asked again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answer } from "../dist/work.js";

const told = { done: () => {}, gave: () => {} };

test("what has failed on this thread refuses all that follows, and says what to do", () => {
  let asked = 0;
  const engine = { fail: () => { throw new WebAssembly.RuntimeError("unreachable"); }, work: () => (asked += 1) };
  const ask = (call) => answer(engine, { call, order: "null", progress: false }, told, {});
  assert.deepEqual(ask("work"), { result: 1, bytes: 0 });
  const failed = ask("fail");
  assert.ok(failed.fault && /the engine has failed: unreachable/.test(failed.message) && failed.remedy);
  const after = ask("work");
  assert.ok(!after.fault && /failed on this thread before/.test(after.message) && /load the page again/.test(after.remedy));
  assert.equal(asked, 1, "it was not asked again");
  // Another one is not meant.
  assert.deepEqual(answer({ work: () => 7 }, { call: "work", order: "null", progress: false }, told, {}), { result: 7, bytes: 0 });
});
