// How long 100 throws of five dice with given faces take here: node tests/speed.mjs
import { roll } from "proscenium/dice";

const sets = { "5 d6": ["d6", "d6", "d6", "d6", "d6"], mixed: ["d6", "d6", "d20", "d10", "d8"] };
for (const [name, dice] of Object.entries(sets)) {
  const [times, again] = [[], []];
  for (let seed = 0; seed < 100; seed += 1) {
    const start = performance.now();
    const thrown = await roll({ dice, show: dice.map((_, index) => 1 + ((seed + index) % 6)), seed });
    times.push(performance.now() - start);
    again.push(thrown.thrownAgain);
  }
  times.sort((a, b) => a - b);
  const sum = again.reduce((total, count) => total + count, 0);
  console.log(name, { median: times[49], p95: times[94], worst: times[99], thrownAgain: sum, cocked: sum / (100 + sum) });
}
