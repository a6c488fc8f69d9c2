// ---------------------------------------------------------------------------
// What all modules share: random streams, the integrator, and the three ways
// back into view.

/** One stream of random words: Philox4x32-10. */
class Stream {
  constructor(seed) {
    const mask = (1n << 64n) - 1n;
    let z = BigInt.asUintN(64, BigInt(seed));
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
    z ^= z >> 31n;
    this.key = [Number(z & 0xffffffffn), Number(z >> 32n)];
    this.position = 0;
    this.block = null;
    this.at = -1;
  }

  clone(position) {
    const other = Object.create(Stream.prototype);
    other.key = this.key;
    other.position = position;
    other.block = null;
    other.at = -1;
    return other;
  }

  word() {
    const number = Math.floor(this.position / 4);
    if (this.at !== number) {
      this.block = philox(number >>> 0, Math.floor(number / 4294967296) >>> 0, this.key);
      this.at = number;
    }
    return this.block[this.position++ % 4];
  }

  uniform() {
    const high = this.word() >>> 6;
    const low = this.word() >>> 6;
    return (2 * (high * 67108864 + low) + 1) / 9007199254740992;
  }
}

function highWord(a, b) {
  const a0 = a & 0xffff, a1 = a >>> 16, b0 = b & 0xffff, b1 = b >>> 16;
  const w = a1 * b0 + Math.floor((a0 * b0) / 65536);
  const v = a0 * b1 + (w % 65536);
  return (a1 * b1 + Math.floor(w / 65536) + Math.floor(v / 65536)) >>> 0;
}

function philox(low, high, key) {
  let [a, b, c, d] = [low, high, STREAM[0], STREAM[1]];
  let [k0, k1] = key;
  for (let round = 0; round < 10; round++) {
    const h0 = highWord(0xd2511f53, a), l0 = Math.imul(0xd2511f53, a) >>> 0;
    const h1 = highWord(0xcd9e8d57, c), l1 = Math.imul(0xcd9e8d57, c) >>> 0;
    [a, b, c, d] = [(h1 ^ b ^ k0) >>> 0, l1, (h0 ^ d ^ k1) >>> 0, l0];
    k0 = (k0 + 0x9e3779b9) >>> 0;
    k1 = (k1 + 0xbb67ae85) >>> 0;
  }
  return [a, b, c, d];
}

function decode(text, Kind) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return new Kind(bytes.buffer);
}

const drawConstant = (stream, value) => (stream.uniform(), value);
const drawUniform = (stream, low, high) => {
  const p = stream.uniform();
  return p <= 0.5 ? low + (high - low) * p : high - (high - low) * (1 - p);
};
const drawExponential = (stream, rate) => 0 - Math.log1p(-stream.uniform()) / rate;
const drawNormal = (stream, mean, deviation) => mean + deviation * normalQuantile(stream.uniform());

/** Wichura's algorithm AS 241. */
function normalQuantile(p) {
  const polynomial = (c, x) => c.reduce((sum, term) => sum * x + term, 0);
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q;
    return (q * polynomial(NORMAL[0], r)) / polynomial(NORMAL[1], r);
  }
  const r = Math.sqrt(-Math.log(p < 0.5 ? p : 1 - p));
  const z = r <= 5
    ? polynomial(NORMAL[2], r - 1.6) / polynomial(NORMAL[3], r - 1.6)
    : polynomial(NORMAL[4], r - 5) / polynomial(NORMAL[5], r - 5);
  return p < 0.5 ? -z : z;
}

// The constants of AS 241, the highest power first.
const NORMAL = [
  [2509.0809287301227, 33430.57558358813, 67265.7709270087, 45921.95393154987,
    13731.69376550946, 1971.5909503065513, 133.14166789178438, 3.3871328727963665],
  [5226.495278852854, 28729.085735721943, 39307.89580009271, 21213.794301586597,
    5394.196021424751, 687.1870074920579, 42.31333070160091, 1.0],
  [0.0007745450142783414, 0.022723844989269184, 0.2417807251774506, 1.2704582524523684,
    3.6478483247632045, 5.769497221460691, 4.630337846156546, 1.4234371107496835],
  [1.0507500716444169e-9, 0.0005475938084995345, 0.015198666563616457, 0.14810397642748008,
    0.6897673349851, 1.6763848301838038, 2.053191626637759, 1.0],
  [2.0103343992922881e-7, 2.7115555687434876e-5, 0.0012426609473880784, 0.026532189526576124,
    0.29656057182850487, 1.7848265399172913, 5.463784911164114, 6.657904643501103],
  [2.0442631033899397e-15, 1.421511758316446e-7, 1.8463183175100548e-5, 0.0007868691311456133,
    0.014875361290850615, 0.1369298809227358, 0.599832206555888, 1.0],
];

const modulo = (x, y) => x - y * Math.floor(x / y);
const equal = (x, y) => (x === y ? 1 : 0);
const sign = (x) => (x > 0 ? 1 : x < 0 ? -1 : 0);

function curve(points, component, derivative, at) {
  const count = points.length;
  if (!Number.isFinite(at)) return 0;
  const around = at - count * Math.floor(at / count);
  const start = Math.min(Math.floor(around), count - 1);
  const u = around - start, v = 1 - u;
  const weights = [
    [v * v * v / 6, (3 * u * u * u - 6 * u * u + 4) / 6, (-3 * u * u * u + 3 * u * u + 3 * u + 1) / 6, u * u * u / 6],
    [-0.5 * v * v, 1.5 * u * u - 2 * u, -1.5 * u * u + u + 0.5, 0.5 * u * u],
    [v, 3 * u - 2, 1 - 3 * u, u],
  ][derivative];
  return weights.reduce((sum, weight, offset) => sum + weight * points[(start + offset) % count][component], 0);
}

const C = [0, 0.2, 0.3, 0.8, 8 / 9, 1, 1];
const A = [
  [], [0.2], [3 / 40, 9 / 40], [44 / 45, -56 / 15, 32 / 9],
  [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
  [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
  [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
];
const E = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40];
/** For what nobody sees: only the distribution matters. */
const ROUGH_TOLERANCE = 1e-4;

/** How fast the variables change; those that rest do not. */
function motion(mode, time, values, inputs, held = 0) {
  const rates = MOTIONS[mode](mode, time, values, inputs);
  return held === 0 ? rates : rates.map((rate, i) => ((held >> i) & 1 ? 0 : rate));
}

/** One step of Dormand and Prince, 5(4). */
function step(state, time, rates, h, inputs, tolerance, held) {
  const stages = [rates];
  let next = state.values;
  for (let stage = 1; stage < 7; stage++) {
    next = state.values.map((value, variable) => {
      let sum = 0;
      for (let earlier = 0; earlier < stage; earlier++) sum += A[stage][earlier] * stages[earlier][variable];
      return value + h * sum;
    });
    stages.push(motion(state.mode, time + C[stage] * h, next, inputs, held));
  }
  let worst = 0;
  for (let variable = 0; variable < next.length; variable++) {
    let difference = 0;
    for (let stage = 0; stage < 7; stage++) difference += E[stage] * stages[stage][variable];
    const size = Math.max(Math.abs(state.values[variable]), Math.abs(next[variable]));
    const error = Math.abs(h * difference) / (tolerance + tolerance * size);
    worst = Number.isNaN(error) ? Infinity : Math.max(worst, error);
  }
  return { values: next, rates: stages[6], error: worst };
}

function growth(error) {
  if (error <= 1e-8) return 5;
  const eighth = Math.sqrt(Math.sqrt(Math.sqrt(error)));
  return Math.min(5, Math.max(0.2, 0.9 / (eighth * Math.sqrt(eighth))));
}

/** Whether a switch happens: one that leads to its own mode only while the motion
 * drives its condition further up. */
function fires(one, mode, time, values, inputs) {
  const now = one.when(mode, time, values, inputs);
  if (one.held === null && now !== 0) return now > 0;
  if (!(now >= -1e-300)) return false;
  let soon = values;
  for (let count = 0; count < 2; count++) {
    const rates = motion(mode, time, soon, inputs);
    soon = soon.map((value, i) => value + 1e-6 * rates[i]);
  }
  return one.when(mode, time, soon, inputs) >= now;
}

const leaving = (mode, time, values, inputs, resting) =>
  SWITCHES.find((one) => one.from === mode && one !== resting && fires(one, mode, time, values, inputs));

/** After a reset: puts the state to rest if the next would come too soon to be seen. */
function settles(one, state, time, inputs, stream, tolerance) {
  if (one.held === null) return false;
  const rates = motion(state.mode, time, state.values, inputs);
  const soon = step(state, time, rates, 1e-3, inputs, tolerance, 0).values;
  if (!(one.when(state.mode, time + 1e-3, soon, inputs) >= -1e-300)) return false;
  let now = state.values;
  for (let count = 0; count < 400; count++) {
    const next = one.reset(state.mode, time, now, inputs, stream);
    if (now.every((value, i) => Math.abs(value - next[i]) <= 1e-12 * (1 + Math.abs(value)))) {
      const rest = [now, next].find((values) => one.when(state.mode, time, values, inputs) >= -1e-300);
      if (rest) state.values = rest;
      return rest !== undefined;
    }
    now = next;
  }
  return false;
}

/** Changes mode for as long as conditions hold; returns the switch that the state
 * rests on. */
function changeMode(state, time, inputs, stream, tolerance) {
  let last = null;
  for (let count = 0; count < 50; count++) {
    const done = last !== null && last.held !== null ? last : null;
    const change = leaving(state.mode, time, state.values, inputs, done);
    if (!change) return null;
    state.values = change.reset(state.mode, time, state.values, inputs, stream);
    state.mode = change.to;
    if (settles(change, state, time, inputs, stream, tolerance)) return change;
    last = change;
  }
  throw new Error(`modes change for ever at t = ${time}`);
}

/** Until when in a step something happens that is over at its end: looked for on the cubic
 * through its ends, and asked of a shorter step. */
function leavingWithin(state, time, h, rates, taken, inputs, tolerance, resting, held) {
  if (!SWITCHES.some((one) => one.from === state.mode)) return null;
  for (const part of [0.25, 0.5, 0.75]) {
    const there = state.values.map((a, i) => {
      const b = taken.values[i], va = rates[i] * h, vb = taken.rates[i] * h;
      return a + part * (va + part * (3 * (b - a) - 2 * va - vb + part * (2 * (a - b) + va + vb)));
    });
    if (!leaving(state.mode, time + part * h, there, inputs, resting)) continue;
    const shorter = step(state, time, rates, part * h, inputs, tolerance, held).values;
    if (leaving(state.mode, time + part * h, shorter, inputs, resting)) return part * h;
  }
  return null;
}

/** Moves a state from one time to a later one: the complete model. */
export function advance(state, from, to, stream, inputs = USUAL, tolerance = TOLERANCE) {
  let time = from, h = 0.1;
  let resting = changeMode(state, time, inputs, stream, tolerance);
  let held = resting ? resting.held : 0;
  let rates = motion(state.mode, time, state.values, inputs, held);
  while (time < to) {
    if (resting) {
      if (resting.for_ever) return;
      if (!fires(resting, state.mode, time, state.values, inputs)) {
        [resting, held] = [null, 0];
        rates = motion(state.mode, time, state.values, inputs);
      }
    }
    const longest = Math.min(h, resting ? Math.min(0.02, LONGEST_STEP) : LONGEST_STEP);
    const isLast = to - time <= longest * (1 + 1e-9);
    const tried = isLast ? to - time : longest;
    const taken = step(state, time, rates, tried, inputs, tolerance, held);
    if (taken.error > 1) {
      h = tried * Math.min(growth(taken.error), 0.9);
      if (h < 1e-10 * (1 + Math.abs(time))) throw new Error(`the model explodes at t = ${time}`);
      continue;
    }
    const end = isLast ? to : time + tried;
    const until = SWITCHES.length === 0 ? null
      : leaving(state.mode, end, taken.values, inputs, resting) ? tried
      : leavingWithin(state, time, tried, rates, taken, inputs, tolerance, resting, held);
    if (until !== null) {
      let before = 0, after = until;
      for (let halving = 0; halving < 40; halving++) {
        const middle = 0.5 * (before + after);
        const there = step(state, time, rates, middle, inputs, tolerance, held).values;
        if (leaving(state.mode, time + middle, there, inputs, resting)) after = middle;
        else before = middle;
      }
      state.values = step(state, time, rates, after, inputs, tolerance, held).values;
      time = Math.min(time + after, to);
      resting = changeMode(state, time, inputs, stream, tolerance);
      held = resting ? resting.held : 0;
      rates = motion(state.mode, time, state.values, inputs, held);
    } else {
      state.values = taken.values;
      rates = taken.rates;
      time = end;
    }
    h = tried * growth(taken.error);
  }
}

function fold(value, low, period) {
  const above = value - low;
  return low + (above - period * Math.floor(above / period));
}
const around = (axis, value) => (axis.wraps ? fold(value, axis.low, axis.high - axis.low) : value);
const wrapped = (state) => ({ mode: state.mode, values: state.values.map((value, i) => around(AXES[i], value)) });
const copy = (state) => ({ mode: state.mode, values: state.values.slice() });

function cellOf(cells, state) {
  let index = state.mode;
  for (let i = 0; i < AXES.length; i++) {
    const axis = AXES[i];
    let at = Math.floor((around(axis, state.values[i]) - axis.low) / ((axis.high - axis.low) / cells[i]));
    if (axis.wraps) at = Math.min(at, cells[i] - 1);
    if (!(at >= 0 && at <= cells[i] - 1)) return -1;
    index = index * cells[i] + at;
  }
  return index;
}

const decoded = (codes, first, mode) =>
  ({ mode, values: AXES.map((axis, i) => axis.low + (axis.high - axis.low) * (codes[first + i] / 65535)) });

const changed = (codes, first, mode, state) => ({
  mode,
  values: AXES.map((axis, i) => {
    const value = state.values[i] + (2 * (codes[first + i] / 65535) - 1) * (axis.high - axis.low);
    return axis.wraps ? around(axis, value) : Math.min(Math.max(value, axis.low), axis.high);
  }),
});

/** The state after one jump, or null where nothing was learned. */
function leap(map, state, stream) {
  if (cellOf(AXES.map((axis) => axis.cells), state) < 0) return null;
  if (map.kind === "Transfer") {
    const which = stream.uniform();
    const cell = cellOf(map.cells, state);
    if (cell < 0) return null;
    const count = map.starts[cell + 1] - map.starts[cell];
    if (!(count > 0)) return null;
    const chosen = map.starts[cell] + Math.min(Math.floor(which * count), count - 1);
    const first = chosen * AXES.length, mode = map.modes[chosen];
    return map.is_relative ? changed(map.states, first, mode, state) : decoded(map.states, first, mode);
  }
  const change = map.kind === "Network" ? networkChange(map, state) : polynomialChange(map, state);
  if (!change) return null;
  const after = wrapped({ mode: state.mode, values: state.values.map((value, i) => value + change[i]) });
  return cellOf(AXES.map((axis) => axis.cells), after) < 0 ? null : after;
}

function networkChange(map, state) {
  let now = [];
  AXES.forEach((axis, i) => {
    const part = (state.values[i] - axis.low) / (axis.high - axis.low);
    if (axis.wraps) now.push(Math.cos(2 * Math.PI * part), Math.sin(2 * Math.PI * part));
    else now.push(2 * part - 1);
  });
  map.layers.forEach(({ inputs, nodes, weights }, index) => {
    const next = [];
    for (let node = 0; node < nodes; node++) {
      const row = node * (inputs + 1);
      let sum = weights[row + inputs];
      for (let i = 0; i < inputs; i++) sum += weights[row + i] * now[i];
      next.push(index === map.layers.length - 1 ? sum : sum / Math.sqrt(1 + sum * sum));
    }
    now = next;
  });
  return now.map((value, i) => map.offsets[i] + map.scales[i] * value);
}

function polynomialChange(map, state) {
  const cell = cellOf(map.cells, state);
  if (cell < 0 || map.places[cell] === 0) return null;
  let rest = cell;
  const terms = [1];
  const local = AXES.map(() => 0);
  for (let i = AXES.length - 1; i >= 0; i--) {
    const axis = AXES[i], width = (axis.high - axis.low) / map.cells[i];
    const corner = axis.low + width * (rest % map.cells[i]);
    rest = Math.floor(rest / map.cells[i]);
    const value = around(axis, state.values[i]), period = axis.high - axis.low;
    const turns = axis.wraps ? Math.floor((value - corner - 0.5 * width) / period + 0.5) : 0;
    local[i] = 2 * (value - turns * period - corner) / width - 1;
  }
  terms.push(...local);
  for (let a = 0; a < local.length; a++) {
    for (let b = a; b < local.length; b++) {
      terms.push(local[a] * local[b]);
      if (map.degree > 2) for (let c = b; c < local.length; c++) terms.push(local[a] * local[b] * local[c]);
    }
  }
  return AXES.map((_, variable) => {
    const start = ((map.places[cell] - 1) * AXES.length + variable) * terms.length;
    return terms.reduce((sum, term, i) => sum + map.coefficients[start + i] * term, 0);
  });
}

function sample(states, stream) {
  const which = stream.uniform(), within = stream.uniform();
  if (LEAVES.length === 0) return null;
  const wanted = which * LEAVES[LEAVES.length - 1].cumulative;
  const leaf = LEAVES.find((one) => !(one.cumulative < wanted));
  const chosen = Math.min(Math.floor(within * leaf.count), leaf.count - 1);
  return decoded(states, (leaf.first + chosen) * AXES.length, leaf.mode);
}

function onOrbit(orbit, part) {
  part -= Math.floor(part);
  const count = orbit.count, at = part * count, index = Math.min(Math.floor(at), count - 1), u = at - index;
  const value = (offset, i) => orbit.samples[((index + offset) % count) * AXES.length + i];
  return {
    mode: 0,
    values: AXES.map((axis, i) => {
      const a = value(count - 1, i), b = value(0, i), c = value(1, i), d = value(2, i);
      const cubic = b + 0.5 * u * (c - a + u * (2 * a - 5 * b + 4 * c - d + u * (3 * (b - c) + d - a)));
      return around(axis, cubic + orbit.winding[i] * part);
    }),
  };
}

function apart(a, b) {
  return AXES.reduce((worst, axis, i) => {
    let share = (a.values[i] - b.values[i]) / (axis.high - axis.low);
    if (axis.wraps) share -= Math.floor(share + 0.5);
    return Math.max(worst, Math.abs(share));
  }, 0);
}

/** Half of what the squared distance to a state grows by along an orbit. */
function slope(orbit, part, state) {
  part -= Math.floor(part);
  const count = orbit.count, at = part * count, index = Math.min(Math.floor(at), count - 1), u = at - index;
  const value = (offset, i) => orbit.samples[((index + offset) % count) * AXES.length + i];
  return AXES.reduce((sum, axis, i) => {
    const a = value(count - 1, i), b = value(0, i), c = value(1, i), d = value(2, i);
    const cubic = b + 0.5 * u * (c - a + u * (2 * a - 5 * b + 4 * c - d + u * (3 * (b - c) + d - a)));
    const rate = 0.5 * (c - a + u * (2 * (2 * a - 5 * b + 4 * c - d) + 3 * u * (3 * (b - c) + d - a)));
    const range = axis.high - axis.low;
    let share = (cubic + orbit.winding[i] * part - state.values[i]) / range;
    if (axis.wraps) share -= Math.floor(share + 0.5);
    return sum + share * ((rate * count + orbit.winding[i]) / range);
  }, 0);
}

function nearestPart(orbit, state) {
  let best = 0, least = Infinity;
  for (let index = 0; index < orbit.count; index++) {
    const distance = apart(onOrbit(orbit, index / orbit.count), state);
    if (distance < least) [best, least] = [index / orbit.count, distance];
  }
  let low = best - 1 / orbit.count, high = best + 1 / orbit.count;
  for (let halving = 0; halving < 60; halving++) {
    const middle = 0.5 * (low + high);
    if (slope(orbit, middle, state) < 0) low = middle;
    else high = middle;
  }
  const part = 0.5 * (low + high);
  return [part, apart(onOrbit(orbit, part), state)];
}

function periodicAfter(state, from, to) {
  let best = null, bestPart = 0, least = Infinity;
  for (const orbit of ORBITS) {
    let part = 0, off = Infinity;
    if (FORCING === null) {
      [part, off] = nearestPart(orbit, state);
    } else {
      const turns = Math.max(1, Math.round(PERIOD / FORCING));
      for (let turn = 0; turn < turns; turn++) {
        const at = (from + turn * FORCING) / PERIOD;
        const distance = apart(onOrbit(orbit, at), state);
        if (distance < off) [part, off] = [at, distance];
      }
    }
    if (off < least) [best, bestPart, least] = [orbit, part, off];
  }
  if (!(least < NEAR_ORBIT)) return null;
  const after = onOrbit(best, bestPart + (to - from) / PERIOD);
  if (best.energy !== null) restore(after, best.energy);
  return after;
}

/** Moves a state to where the energy is as it should be, the way it grows fastest. */
function restoreAlongGradient(state, wanted) {
  const energy = (values) => ENERGY(state.mode, 0, values, USUAL);
  for (let round = 0; round < 4; round++) {
    const off = wanted - energy(state.values);
    if (!(Math.abs(off) > 1e-12 * (1 + Math.abs(wanted)))) return;
    const slopes = state.values.map((value, i) => {
      const aside = 1e-5 * (1 + Math.abs(value));
      const at = (sign) => energy(state.values.map((other, k) => (k === i ? other + sign * aside : other)));
      return (at(1) - at(-1)) / (2 * aside);
    });
    const by = off / slopes.reduce((sum, slope) => sum + slope * slope, 0);
    if (!Number.isFinite(by)) return;
    state.values = state.values.map((value, i) => value + by * slopes[i]);
  }
}

/** Corrects the speeds so that the energy is what it was. */
function restore(state, wanted) {
  if (!ENERGY) return;
  if (ENERGY_OF.length === 0) {
    restoreAlongGradient(state, wanted);
    return;
  }
  const now = ENERGY(state.mode, 0, state.values, USUAL);
  const resting = copy(state);
  for (const speed of ENERGY_OF) resting.values[speed] = 0;
  const rest = ENERGY(state.mode, 0, resting.values, USUAL);
  const ratio = (wanted - rest) / (now - rest);
  if (!(Number.isFinite(ratio) && ratio > 0)) return;
  for (const speed of ENERGY_OF) state.values[speed] *= Math.sqrt(ratio);
}

/** Whether a state has another energy than those that were learned from. */
function isElsewhere(state, time) {
  if (LEVEL === null || !ENERGY) return false;
  const off = Math.abs(ENERGY(state.mode, time, state.values, USUAL) - LEVEL);
  return !(off <= 0.01 * Math.max(Math.abs(LEVEL), 1));
}

function regimeAfter(seconds, inputs) {
  const isAsLearned = !IS_DRIVEN || inputs.every((value, i) => value === USUAL[i]);
  if (isAsLearned && seconds > LONG) return "sampled";
  return isAsLearned && seconds > MEDIUM && seconds <= LONGEST_CHAIN ? "approximate" : "complete";
}

/** The energy of a state, if it is kept. */
function energyOf(state, time, inputs) {
  if (!ENERGY || (IS_DRIVEN && inputs.some((value, i) => value !== USUAL[i]))) return null;
  return ENERGY(state.mode, time, state.values, USUAL);
}

/** The complete model, which gives back what rounding took of an energy. */
function advanceExactly(state, from, to, stream, inputs) {
  const kept = energyOf(state, from, inputs);
  advance(state, from, to, stream, inputs);
  if (kept !== null) restore(state, kept);
}

/** Whether a system is not where it lives: how soon it forgets is known from there on only. */
function isOutside(state) {
  return cellOf(AXES.map((axis) => axis.cells), state) < 0;
}

/** The state after a time out of view. */
function recover(last, from, to, regime, stream, inputs) {
  let state = wrapped(last);
  if (regime === "sampled" && !isElsewhere(state, from) && isOutside(state)) {
    while (from < to && isOutside(state)) {
      const next = Math.min(from + STEP, to);
      advanceExactly(state, from, next, stream, inputs);
      state = wrapped(state);
      from = next;
    }
    if (from >= to) return state;
    regime = regimeAfter(to - from, inputs);
  }
  if (regime !== "complete" && isElsewhere(state, from)) {
    advanceExactly(state, from, to, stream, inputs);
  } else if (regime === "approximate" && IS_PERIODIC) {
    let begin = from;
    for (let rounds = 0; ; rounds++) {
      const after = periodicAfter(state, begin, to);
      if (after) return after;
      if (!ATTRACTS || rounds === 64) break;
      const next = Math.min(begin + PERIOD, to);
      advanceExactly(state, begin, next, stream, inputs);
      state = wrapped(state);
      if (next >= to) return state;
      begin = next;
    }
    advanceExactly(state, begin, to, stream, inputs);
  } else if (regime === "approximate") {
    state = jump(state, from, to, stream, inputs);
  } else if (regime === "sampled") {
    const part = STEP / (PHASES.length + 1);
    let begin = IS_FORCED ? Math.floor(to / STEP) * STEP : to;
    const place = Math.min(Math.floor((to - begin) / part), PHASES.length);
    begin += place * part;
    state = sample(place === 0 ? STATES : PHASES[place - 1].states, stream) ?? state;
    if (LEVEL !== null) restore(state, LEVEL);
    advance(state, begin, to, stream, inputs, ROUGH_TOLERANCE);
  } else {
    advanceExactly(state, Math.max(from, to - Math.max(60, 4 * Math.max(LONG, MEDIUM))), to, stream, inputs);
  }
  return state;
}

/** To where jumps may begin, and when that is: by the complete model to the next phase at
 * which something was learned, and from there by a jump over the rest of the period. */
function toStart(state, from, to, stream, inputs) {
  const part = STEP / (PHASES.length + 1);
  const begin = IS_FORCED ? Math.ceil(from / STEP) * STEP : from;
  const left = begin > to ? 0 : Math.min(Math.floor((begin - from) / part), PHASES.length);
  const at = Math.min(begin - left * part, to);
  advance(state, from, at, stream, inputs, ROUGH_TOLERANCE);
  state = wrapped(state);
  if (left > 0) {
    const map = PHASES[PHASES.length - left].to_next;
    const after = map === null ? null : leap(map, state, stream);
    if (after) state = after;
    else {
      advance(state, at, begin, stream, inputs, ROUGH_TOLERANCE);
      state = wrapped(state);
    }
  }
  return [state, Math.min(begin, to)];
}

function jump(last, from, to, stream, inputs) {
  let [state, begin] = toStart(last, from, to, stream, inputs);
  let steps = Math.max(0, Math.floor((to - begin) / STEP));
  const most = 4096 * (JUMPS.length > 0 ? JUMPS[0].steps : 1);
  if (steps > most) {
    begin += (steps - most) * STEP;
    steps = most;
  }
  for (const one of JUMPS) {
    while (steps >= one.steps) {
      const after = leap(one.map, state, stream);
      if (after) state = after;
      else {
        advance(state, begin, begin + one.steps * STEP, stream, inputs, ROUGH_TOLERANCE);
        state = wrapped(state);
      }
      begin += one.steps * STEP;
      steps -= one.steps;
    }
  }
  const part = STEP / (PHASES.length + 1);
  const place = Math.min(Math.max(0, Math.floor((to - begin) / part)), PHASES.length);
  const map = place === 0 ? null : PHASES[place - 1].from_start;
  const after = map === null ? null : leap(map, state, stream);
  if (after) {
    state = after;
    begin += place * part;
  }
  if (LEVEL !== null) restore(state, LEVEL);
  advance(state, begin, to, stream, inputs, ROUGH_TOLERANCE);
  return state;
}

/** A system as a viewer meets it. Call `see` with the time of each frame in
 * which it is in view, and nothing while it is not. */
export class Player {
  constructor(seed, time = 0) {
    this.stream = new Stream(seed);
    this.inputs = USUAL.slice();
    this.lastSeen = time;
    this.restart({ mode: FIRST_MODE, values: initial(this.stream) }, time);
  }

  /** The state now: `{ mode, values, regime }`. */
  see(now) {
    if (!(now >= this.lastSeen && Number.isFinite(now))) throw new Error("give times in order");
    const regime = this.reach(now);
    this.lastSeen = now;
    return { ...this.between(now), regime };
  }

  /** The outputs of a state. */
  show(state, now) {
    const shown = outputs(state.mode, now, state.values, this.inputs);
    return Object.fromEntries(OUTPUTS.map((name, i) => [name, shown[i]]));
  }

  /** Changes the state now, in view or not; what was computed ahead is void. */
  interact(now, change) {
    if (!(now >= this.base && Number.isFinite(now))) throw new Error("give times in order");
    this.reach(now);
    const state = this.between(now);
    change(state);
    this.lastSeen = now;
    this.restart(state, now);
  }

  /** Tells the system something now, in view or not; returns whether it
   * understood in the mode it is in. */
  signal(now, name) {
    if (!SIGNALS.includes(name)) throw new Error(`there is no signal "${name}": known are ${SIGNALS.join(", ")}`);
    let isUnderstood = false;
    this.interact(now, (state) => {
      const fits = (one) => one.name === name && (one.from === null || one.from === state.mode);
      const effect = EFFECTS.find(fits);
      if (!effect) return;
      isUnderstood = true;
      state.values = effect.reset(state.mode, now, state.values, this.inputs, this.stream);
      state.mode = effect.to ?? state.mode;
    });
    return isUnderstood;
  }

  /** Sets an input from now on, in view or not. */
  tell(now, name, value) {
    const index = INPUTS.indexOf(name);
    if (index < 0) throw new Error(`there is no input "${name}": known are ${INPUTS.join(", ")}`);
    if (!Number.isFinite(value)) throw new Error("give a finite number");
    this.interact(now, () => {});
    this.inputs[index] = value;
    this.restart(this.entries[0].state, now);
  }

  /** Computes states ahead of the viewer, at most so many. */
  lookAhead(most) {
    for (let done = 0; done < most && this.entries.length < 8; done++) this.extend();
  }

  reach(now) {
    const end = this.base + (this.entries.length - 1) * BUFFER_STEP;
    let regime = "complete";
    if (now > end) {
      regime = regimeAfter(now - this.lastSeen, this.inputs);
      if (regime === "complete" && now <= end + BUFFER_STEP) this.extend();
      else {
        const last = this.entries[this.entries.length - 1].state;
        this.restart(recover(last, end, now, regime, this.stream, this.inputs), now);
      }
    }
    while (this.entries.length > 2 && this.base + BUFFER_STEP <= now) {
      this.entries.shift();
      this.base += BUFFER_STEP;
    }
    if (this.entries.length < 2) this.extend();
    return regime;
  }

  restart(state, time) {
    const start = wrapped(state);
    const rates = motion(start.mode, time, start.values, this.inputs);
    this.entries = [{ state: start, rates, position: this.stream.position }];
    this.base = time;
  }

  extend() {
    const from = this.base + (this.entries.length - 1) * BUFFER_STEP;
    const to = this.base + this.entries.length * BUFFER_STEP;
    const state = copy(this.entries[this.entries.length - 1].state);
    advanceExactly(state, from, to, this.stream, this.inputs);
    const rates = motion(state.mode, to, state.values, this.inputs);
    this.entries.push({ state, rates, position: this.stream.position });
  }

  between(now) {
    const index = Math.min(Math.max(0, Math.floor((now - this.base) / BUFFER_STEP)), this.entries.length - 2);
    const before = this.entries[index], after = this.entries[index + 1];
    const start = this.base + index * BUFFER_STEP;
    const state = copy(before.state);
    if (SWITCHES.length > 0) {
      advance(state, start, Math.max(now, start), this.stream.clone(before.position), this.inputs);
    } else {
      const u = Math.min(1, Math.max(0, (now - start) / BUFFER_STEP));
      state.values = state.values.map((a, i) => {
        const b = after.state.values[i], va = before.rates[i] * BUFFER_STEP, vb = after.rates[i] * BUFFER_STEP;
        return a + u * (va + u * (3 * (b - a) - 2 * va - vb + u * (2 * (a - b) + va + vb)));
      });
    }
    return wrapped(state);
  }
}
