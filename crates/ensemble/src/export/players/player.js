// A player of Proscenium's motion graphs, in plain JavaScript and WebGL 2, without
// dependencies. It reads the files that `proscenium ensemble export GRAPH -o NAME.pmg`
// writes; the page "Ensembles: players" of Proscenium's book has their layout.
//
//   MotionGraph    what such a file holds
//   Walk           a walk along it that never ends: the same as the engine's for a seed
//   EnsembleView   draws many walks at once: instances whose vertices are placed from textures
//
// Deliberately absent: a scene, a camera, shadows. `PLACE` is the part of the vertex shader
// that places a vertex, for shaders of your own.

const MAGIC = "PROSCPMG";
const VERSION = 1;

/** What a file of a motion graph holds. */
export class MotionGraph {
  /** @param {ArrayBuffer | ArrayBufferView} file */
  constructor(file) {
    const bytes = ArrayBuffer.isView(file) ? new Uint8Array(file.buffer, file.byteOffset, file.byteLength) : new Uint8Array(file);
    if (bytes.length < 16 || String.fromCharCode(...bytes.subarray(0, 8)) !== MAGIC) {
      throw new Error("this is no motion graph for players: write one with proscenium ensemble export GRAPH -o NAME.pmg");
    }
    const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const [version, length] = [words.getUint32(8, true), words.getUint32(12, true)];
    if (version !== VERSION) throw new Error(`the motion graph has version ${version}, and this player reads ${VERSION}: use the player of the same release`);
    if (16 + length > bytes.length) throw new Error("the motion graph is cut short: copy it again");
    const head = JSON.parse(new TextDecoder().decode(bytes.subarray(16, 16 + length)));
    // A copy begins at a multiple of four bytes, wherever the file was.
    const body = bytes.slice(16 + length);
    const kinds = { f32: Float32Array, u32: Uint32Array, i32: Int32Array, i16: Int16Array };
    const block = (name) => {
      const { type, offset, count } = head.blocks[name];
      const kind = kinds[type];
      if (offset + count * kind.BYTES_PER_ELEMENT > body.length) throw new Error(`the motion graph is cut short in "${name}": copy it again`);
      return new kind(body.buffer, offset, count);
    };
    Object.assign(this, head);
    /** Corners of triangles: numbers of vertices among all. */
    this.triangles = block("triangles");
    /** Less of the mesh for those far away: other triangles between the same vertices. */
    this.details = head.details.map(({ merge }, at) => ({ merge, triangles: block(`detail ${at + 1}`) }));
    this.rest = block("rest");
    this.middle = block("middle");
    this.basis = block("basis");
    this.steps = block("steps");
    this.coordinates = block("coordinates");
    this.splices = block("splices");
    this.vertexCount = head.vertices;
    this.rows = head.sequences.reduce((rows, sequence) => rows + sequence.frames, 0);
    // Where the numbers of each group begin.
    let [basis, steps, coordinates] = [0, 0, 0];
    for (const group of this.groups) {
      Object.assign(group, { basisAt: basis, stepsAt: steps, coordinatesAt: coordinates });
      basis += group.modes * 3 * group.vertices[1];
      steps += group.modes;
      coordinates += group.modes * this.rows;
    }
  }

  /** The number of a level, by its name. */
  level(name) {
    const found = this.conditions.findIndex((condition) => condition.name === name);
    if (found < 0) throw new Error(`there is no level "${name}"; known: ${this.conditions.map(({ name }) => name).join(", ")}`);
    return found;
  }

  /** The row of a moment: all frames of all sequences are counted through. */
  row([sequence, frame]) {
    return this.sequences[sequence].firstRow + frame;
  }

  /** The vertices of a group in its own frame at a row, written from `at` on. */
  shape(group, row, out, at = 0) {
    const { vertices, modes, basisAt, stepsAt, coordinatesAt } = this.groups[group];
    const [first, size] = [3 * vertices[0], 3 * vertices[1]];
    for (let number = 0; number < size; number++) out[at + number] = this.middle[first + number];
    for (let mode = 0; mode < modes; mode++) {
      const coordinate = Math.fround(this.coordinates[coordinatesAt + row * modes + mode] * this.steps[stepsAt + mode]);
      if (coordinate === 0) continue;
      const from = basisAt + mode * size;
      for (let number = 0; number < size; number++) out[at + number] += this.basis[from + number] * coordinate;
    }
  }
}

// ---- Chance: Philox4x32-10, as the engine draws it.

const mask = (1n << 64n) - 1n;

function mixed(z) {
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
  return z ^ (z >> 31n);
}

function hash(name) {
  let sum = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(name)) sum = ((sum ^ BigInt(byte)) * 0x100000001b3n) & mask;
  return sum;
}

const halves = (number) => [Number(number & 0xffffffffn), Number(number >> 32n)];

/** The high and the low half of a product of two words. */
function product(a, b) {
  const [ah, al, bh, bl] = [a >>> 16, a & 0xffff, b >>> 16, b & 0xffff];
  const low = al * bl;
  const cross = ah * bl + (low >>> 16);
  const other = al * bh + (cross & 0xffff);
  return [(ah * bh + Math.floor(cross / 65536) + Math.floor(other / 65536)) >>> 0, Math.imul(a, b) >>> 0];
}

function philox(counter, key) {
  let [a, b, c, d] = counter;
  let [first, second] = key;
  for (let round = 0; round < 10; round++) {
    const [high, low] = product(0xd2511f53, a);
    const [above, below] = product(0xcd9e8d57, c);
    [a, b, c, d] = [(above ^ b ^ first) >>> 0, below, (high ^ d ^ second) >>> 0, low];
    [first, second] = [(first + 0x9e3779b9) >>> 0, (second + 0xbb67ae85) >>> 0];
  }
  return [a, b, c, d];
}

/** A sequence of random words with a name. */
export class Stream {
  constructor(seed, name) {
    this.key = halves(mixed(BigInt.asUintN(64, BigInt(seed))));
    this.id = halves(mixed(hash(name)));
    this.position = 0;
    this.block = [0, 0, 0, 0];
  }

  word() {
    const within = this.position % 4;
    if (within === 0) {
      const block = Math.floor(this.position / 4);
      this.block = philox([block >>> 0, Math.floor(block / 4294967296), ...this.id], this.key);
    }
    this.position += 1;
    return this.block[within];
  }

  /** A number between 0 and 1. */
  uniform() {
    const [high, low] = [this.word() >>> 6, this.word() >>> 6];
    // 2 n + 1 has 53 bits, so this is exact.
    return (2 * (high * 67108864 + low) + 1) / 9007199254740992;
  }

  /** A whole number below a limit. */
  below(limit) {
    const wide = BigInt(limit);
    const surplus = wide === 0n ? 0n : BigInt.asUintN(64, -wide) % wide;
    for (;;) {
      const low = BigInt(this.word());
      const all = ((BigInt(this.word()) << 32n) | low) * wide;
      if ((all & mask) >= surplus) return Number(all >> 64n);
    }
  }
}

/** A walk along a motion graph that never ends: the engine's own, for the same seed. */
export class Walk {
  /** Begins in the weakest level, in a state of its long run. */
  constructor(graph, seed = 1) {
    this.graph = graph;
    this.stream = new Stream(seed, "walk");
    this.wanted = graph.levels[0];
    this.now = 0;
    this.share = 0;
    this.draw();
  }

  /** The level of the data that is played; in a transition, the one it leads to. */
  get level() {
    const at = this.taken ? this.graph.transitions[this.node].to : this.graph.decisions[this.node].at;
    return this.graph.sequences[at[0]].condition;
  }

  /** The number of the transition that is gone through now, or -1. */
  get transition() {
    if (!this.taken) return -1;
    const { span } = this.graph.transitions[this.node];
    return this.now - this.since - span < span ? this.node : -1;
  }

  /** In how many frames the walk could be in a level, with every group; undefined if never. */
  framesUntil(level) {
    const graph = this.graph;
    if (!graph.levels.includes(level)) return undefined;
    if (this.level === level) {
      const number = this.transition;
      if (number < 0) return 0;
      const { from, span } = graph.transitions[number];
      return graph.sequences[from[0]].condition === level ? 0 : 2 * span - (this.now - this.since);
    }
    const away = graph.away[level][this.next];
    return away < 0 ? undefined : this.decidesAt - this.now + away;
  }

  /** Wants a level, by its number or name, and says in how many frames the walk is there. */
  want(level) {
    const number = typeof level === "string" ? this.graph.level(level) : level;
    const frames = this.framesUntil(number);
    if (frames === undefined) throw new Error(`the walk cannot reach the level ${level}: build the graph from more data of it`);
    this.wanted = number;
    return frames;
  }

  /** Looks at a frame. After a long absence the state is drawn from the long run. */
  see(frame) {
    this.share = 0;
    frame = Math.max(Math.floor(frame), this.now);
    if (frame >= this.decidesAt) {
      const longRun = this.graph.longRun[this.wanted];
      if (longRun && frame - this.now > (this.framesUntil(this.wanted) ?? 0) + longRun.forgetsAfter) {
        this.now = frame;
        this.draw();
        return;
      }
      while (frame >= this.decidesAt) this.decide();
    }
    this.now = frame;
  }

  /** Looks at any time, in seconds from the beginning. */
  seeAt(seconds) {
    if (!(Number.isFinite(seconds) && seconds >= 0)) throw new Error(`the time is ${seconds}: use seconds from 0 on`);
    const frames = seconds * this.graph.framesPerSecond;
    this.see(frames);
    if (this.now === Math.floor(frames)) this.share = frames - this.now;
  }

  /** A state of the long run in the wanted level, now. */
  draw() {
    const { spells } = this.graph.longRun[this.wanted];
    const share = this.stream.uniform();
    const found = spells.findIndex((spell) => spell[3] >= share);
    const [node, taken, frames] = spells[found < 0 ? spells.length - 1 : found];
    this.since = this.now - this.stream.below(frames);
    this.begin(node, taken === 1);
  }

  begin(node, taken) {
    const here = this.graph.decisions[node];
    this.node = node;
    this.taken = taken;
    this.next = taken || here.passed < 0 ? here.taken : here.passed;
    this.decidesAt = this.since + (taken ? here.takenFrames : here.passedFrames);
  }

  /** Decides at the node ahead: towards the wanted level by the shortest way, and by chance within it. */
  decide() {
    const node = this.next;
    const here = this.graph.decisions[node];
    this.since = this.decidesAt;
    let taken;
    if (here.level === this.wanted) {
      taken = here.to === this.wanted && (here.passed < 0 || this.stream.uniform() < (here.chance ?? 0.5));
    } else if (here.passed < 0) {
      taken = true;
    } else {
      const away = this.graph.away[this.wanted];
      const passing = away[here.passed] < 0 ? Infinity : away[here.passed] + here.passedFrames;
      taken = passing === Infinity || (away[node] >= 0 && away[node] < passing);
    }
    this.begin(node, taken);
  }

  /**
   * Four numbers that say everything: the transition (or -1), the rows of source and
   * destination, and frames since the middle of the transition; in plain data the same row
   * twice, and the share of a frame.
   */
  state(out = new Float32Array(4), at = 0) {
    const graph = this.graph;
    const number = this.transition;
    const gone = this.now - this.since;
    if (number >= 0) {
      const { from, to, span } = graph.transitions[number];
      out[at] = number;
      out[at + 1] = graph.row(from) + gone - span;
      out[at + 2] = graph.row(to) + gone - span;
      out[at + 3] = gone - span + this.share;
    } else {
      let [sequence, frame] = graph.decisions[this.node].at;
      if (this.taken) {
        const { to, span } = graph.transitions[this.node];
        [sequence, frame] = [to[0], to[1] - span];
      }
      frame += gone;
      out[at] = -1;
      out[at + 1] = out[at + 2] = graph.row([sequence, frame]);
      out[at + 3] = frame + 1 < graph.sequences[sequence].frames ? this.share : 0;
    }
    return out;
  }

  /** Where every vertex is now, on the processor: three numbers each. */
  positions(out = new Float32Array(3 * this.graph.vertexCount)) {
    return placeOnProcessor(this.graph, this.state(), out);
  }
}

/** How far a blend has come at a share of its time: two parabolas. */
const eased = (share) => (share < 0.5 ? 2 * share * share : 1 - 2 * (1 - share) * (1 - share));

/** The rows of a group in a state, and their weights: source, detour, destination. */
function rowsOf(graph, [number, source, destination, frame], group) {
  if (number < 0) return [[source, 1]];
  const { blend } = graph.transitions[number];
  const [first, second, by] = graph.splices.subarray(4 * (number * graph.groups.length + group));
  const come = (offset) => eased(Math.min(1, Math.max(0, (frame - offset + Math.floor(blend / 2)) / blend)));
  const to = come(second);
  const through = by < 0 ? 0 : come(first);
  const rows = [[source, (1 - through) * (1 - to)], [by + Math.floor(frame), through * (1 - to)], [destination, to]];
  return rows.filter(([, weight]) => weight > 0);
}

/** Where every vertex is in a state, without graphics. */
export function placeOnProcessor(graph, state, out) {
  const share = state[3] - Math.floor(state[3]);
  const largest = Math.max(...graph.groups.map(({ vertices }) => 3 * vertices[1]));
  const [own, other] = [new Float32Array(largest), new Float32Array(largest)];
  for (const group of graph.order) {
    const { vertices, parent, anchor } = graph.groups[group];
    const [first, size] = [3 * vertices[0], 3 * vertices[1]];
    other.fill(0, 0, size);
    for (const [row, weight] of rowsOf(graph, state, group)) {
      for (const [at, part] of [[row, weight * (1 - share)], [row + 1, weight * share]]) {
        if (part === 0) continue;
        graph.shape(group, at, own);
        for (let number = 0; number < size; number++) other[number] += part * own[number];
      }
    }
    const axes = parent < 0 ? null : frameOf(anchor.map((vertex) => [...out.subarray(3 * vertex, 3 * vertex + 3)]));
    for (let number = 0; number < size; number += 3) {
      const [x, y, z] = [other[number], other[number + 1], other[number + 2]];
      for (let axis = 0; axis < 3; axis++) {
        out[first + number + axis] = axes === null ? other[number + axis] : axes[3][axis] + axes[0][axis] * x + axes[1][axis] * y + axes[2][axis] * z;
      }
    }
  }
  return out;
}

const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a, otherwise) => {
  const length = Math.hypot(...a);
  return length > 0 && Number.isFinite(1 / length) ? a.map((x) => x / length) : otherwise;
};
const across = ([x, y, z]) => {
  const sign = z < 0 ? -1 : 1;
  const part = -1 / (sign + z);
  return [1 + sign * x * x * part, sign * x * y * part, -sign * x];
};

/** The axes and the origin of three points: along the first side, in their plane, across it. */
function frameOf([a, b, c]) {
  const first = unit(minus(b, a), [1, 0, 0]);
  const third = unit(cross(first, minus(c, a)), across(first));
  return [first, cross(third, first), third, [0, 1, 2].map((axis) => (a[axis] + b[axis] + c[axis]) / 3)];
}

// ---- Drawing.

/**
 * The part of a vertex shader that places a vertex. It wants two functions: `point_at(row,
 * vertex, slot)`, where a vertex is in its group's frame at a row (an anchor's slot is above
 * -1, a vertex's own is -1), and `table_at(column, row)`; and `GROUPS`, how many there are.
 */
export const PLACE = `
// How far a blend has come at a share of its time: two parabolas.
float eased(float share) {
  return share < 0.5 ? 2.0 * share * share : 1.0 - 2.0 * (1.0 - share) * (1.0 - share);
}

float come(float frame, float offset, float blend) {
  return eased(clamp((frame - offset + floor(0.5 * blend)) / blend, 0.0, 1.0));
}

// At which rows a group is, and with which weights: source, detour, destination.
void rows_of(vec4 state, int group, out ivec3 rows, out vec3 weights) {
  rows = ivec3(int(state.y), 0, int(state.z));
  weights = vec3(1.0, 0.0, 0.0);
  if (state.x >= 0.0) {
    int number = 3 + int(state.x);
    vec4 splice = table_at(group, number);
    float blend = table_at(GROUPS, number).x;
    float to = come(state.w, splice.y, blend);
    float through = 0.0;
    if (splice.z >= 0.0) {
      through = come(state.w, splice.x, blend);
      rows.y = int(splice.z) + int(floor(state.w));
    }
    weights = vec3((1.0 - through) * (1.0 - to), through * (1.0 - to), to);
  }
}

// Where a vertex is in the frame of its group.
vec3 local_of(vec4 state, ivec3 rows, vec3 weights, int vertex, int slot) {
  float share = state.w - floor(state.w);
  vec3 place = vec3(0.0, 0.0, 0.0);
  for (int end = 0; end < 3; end++) {
    if (weights[end] > 0.0) {
      vec3 here = point_at(rows[end], vertex, slot);
      if (share > 0.0) here = mix(here, point_at(rows[end] + 1, vertex, slot), share);
      place += weights[end] * here;
    }
  }
  return place;
}

// Where a vertex of a group is in the ensemble.
vec3 place_of(vec4 state, int group, int vertex) {
  ivec3 rows;
  vec3 weights;
  rows_of(state, group, rows, weights);
  vec3 place = local_of(state, rows, weights, vertex, -1);
  // Up the tree of what groups hang on: each frame follows three vertices of the parent.
  for (int up = 0; up < 64; up++) {
    vec4 held = table_at(group, 0);
    if (held.x < 0.0) break;
    int slot = int(table_at(group, 1).w);
    rows_of(state, int(held.x), rows, weights);
    vec3 a = local_of(state, rows, weights, int(held.y), slot);
    vec3 b = local_of(state, rows, weights, int(held.z), slot + 1);
    vec3 c = local_of(state, rows, weights, int(held.w), slot + 2);
    vec3 first = normalize(b - a);
    vec3 third = normalize(cross(first, c - a));
    vec3 second = cross(third, first);
    place = (a + b + c) / 3.0 + first * place.x + second * place.y + third * place.z;
    group = int(held.x);
  }
  return place;
}
`;

/** Texels in a row of the textures that wrap. */
const WIDE = 2048;
/** Texels of an instance: its state, its place and size, its turn. */
const TEXELS = 3;

const VERTEX = `#version 300 es
precision highp float;
precision highp int;
precision highp isampler2D;
precision highp sampler2D;
uniform isampler2D shapes;
uniform sampler2D anchors;
uniform sampler2D tables;
uniform sampler2D instances;
uniform mat4 view;
uniform int vertexCount;
uniform int slotCount;
uniform int GROUPS;
uniform int first;
in uint inGroup;
flat out vec3 colour;
out vec3 placed;

vec4 table_at(int column, int row) { return texelFetch(tables, ivec2(column, row), 0); }

vec3 point_at(int row, int vertex, int slot) {
  if (slot >= 0) {
    int at = row * slotCount + slot;
    return texelFetch(anchors, ivec2(at % ${WIDE}, at / ${WIDE}), 0).xyz;
  }
  int at = row * vertexCount + vertex;
  vec4 box = table_at(int(inGroup), 2);
  return box.xyz + box.w * vec3(texelFetch(shapes, ivec2(at % ${WIDE}, at / ${WIDE}), 0).xyz);
}
${PLACE}
vec4 instance_at(int texel) {
  int at = ${TEXELS} * (first + gl_InstanceID) + texel;
  return texelFetch(instances, ivec2(at % ${WIDE}, at / ${WIDE}), 0);
}

void main() {
  vec4 stand = instance_at(1);
  vec4 turn = instance_at(2);
  vec3 own = stand.w * place_of(instance_at(0), int(inGroup), gl_VertexID);
  placed = stand.xyz + vec3(turn.x * own.x + turn.y * own.z, own.y, turn.x * own.z - turn.y * own.x);
  colour = table_at(int(inGroup), 1).rgb;
  gl_Position = view * vec4(placed, 1.0);
  gl_PointSize = 1.0;
}`;

const FRAGMENT = `#version 300 es
precision highp float;
flat in vec3 colour;
in vec3 placed;
out vec4 pixel;
uniform vec3 eye;
uniform vec3 sun;
void main() {
  vec3 normal = normalize(cross(dFdx(placed), dFdy(placed)));
  if (dot(normal, eye - placed) < 0.0) normal = -normal;
  float lit = 0.35 + 0.15 * normal.y + 0.6 * max(dot(normal, sun), 0.0) + 0.2 * max(-dot(normal, sun), 0.0);
  pixel = vec4(pow(colour * lit, vec3(1.0 / 2.2)), 1.0);
}`;

/** Draws many walks along one graph with WebGL 2. */
export class EnsembleView {
  constructor(gl, graph) {
    this.gl = gl;
    this.graph = graph;
    /** What the last frame took. */
    this.stats = { drawCalls: 0, texels: 0, instances: 0, vertices: 0 };
    this.slots = 3 * graph.groups.filter(({ parent }) => parent >= 0).length;
    const most = gl.getParameter(gl.MAX_TEXTURE_SIZE);
    const tall = Math.ceil((graph.rows * Math.max(graph.vertexCount, this.slots)) / WIDE);
    const lines = 3 + graph.transitions.length;
    if (Math.max(tall, WIDE, lines, graph.groups.length + 1) > most) {
      throw new Error(`the motion graph needs a texture ${tall} texels high, and the graphics here take ${most}: build it from less data`);
    }
    this.program = link(gl, VERTEX, FRAGMENT);
    const names = ["shapes", "anchors", "tables", "instances", "view", "vertexCount", "slotCount", "GROUPS", "first", "eye", "sun"];
    this.places = Object.fromEntries(names.map((name) => [name, gl.getUniformLocation(this.program, name)]));
    this.makeMesh();
    this.textures = { tables: this.makeTables() };
    this.walks = [];
    this.stands = [];
    this.setInstances([]);
  }

  makeMesh() {
    const { gl, graph } = this;
    const groups = new Uint16Array(graph.vertexCount);
    graph.groups.forEach(({ vertices: [first, count] }, group) => groups.fill(group, first, first + count));
    const mesh = (triangles) => {
      const array = gl.createVertexArray();
      gl.bindVertexArray(array);
      gl.bindBuffer(gl.ARRAY_BUFFER, this.groupBuffer);
      const place = gl.getAttribLocation(this.program, "inGroup");
      gl.enableVertexAttribArray(place);
      gl.vertexAttribIPointer(place, 1, gl.UNSIGNED_SHORT, 2, 0);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangles, gl.STATIC_DRAW);
      return { array, count: triangles.length, vertices: new Set(triangles).size };
    };
    this.groupBuffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.groupBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, groups, gl.STATIC_DRAW);
    this.meshes = [graph.triangles, ...graph.details.map(({ triangles }) => triangles)].map(mesh);
    gl.bindVertexArray(null);
  }

  /** What is small: what groups hang on, their boxes, and when they splice. */
  makeTables() {
    const { gl, graph } = this;
    const [wide, tall] = [graph.groups.length + 1, 3 + graph.transitions.length];
    const table = new Float32Array(4 * wide * tall);
    let slot = 0;
    graph.groups.forEach(({ parent, anchor, colour, box: [low, high] }, group) => {
      table.set([parent, ...(anchor ?? [0, 0, 0])], 4 * group);
      table.set([...colour, slot], 4 * (wide + group));
      const size = Math.max(...low.map((x, axis) => high[axis] - x), 1e-6);
      table.set([...low.map((x, axis) => 0.5 * (x + high[axis])), size / 65534], 4 * (2 * wide + group));
      if (parent >= 0) slot += 3;
    });
    graph.transitions.forEach(({ blend, span }, number) => {
      const line = 4 * (3 + number) * wide;
      table.set(graph.splices.subarray(4 * number * graph.groups.length, 4 * (number + 1) * graph.groups.length), line);
      table.set([blend, span, 0, 0], line + 4 * graph.groups.length);
    });
    this.table = table;
    return texture(gl, gl.RGBA32F, wide, tall, gl.RGBA, gl.FLOAT, table);
  }

  /**
   * Makes the shapes of all rows from their modes, a few milliseconds at a time.
   * @param {(share: number) => void} [progress]
   */
  async prepare(progress = () => {}) {
    const { gl, graph, table } = this;
    const [count, slots, wide] = [graph.vertexCount, this.slots, graph.groups.length + 1];
    const tall = (each) => Math.max(1, Math.ceil((graph.rows * each) / WIDE));
    const shapes = new Int16Array(4 * WIDE * tall(count));
    const anchors = new Float32Array(4 * WIDE * tall(slots));
    const shape = new Float32Array(3 * count);
    const attached = graph.groups.filter(({ parent }) => parent >= 0);
    let before = performance.now();
    for (let row = 0; row < graph.rows; row++) {
      graph.groups.forEach(({ vertices: [first, vertices] }, group) => {
        graph.shape(group, row, shape, 3 * first);
        const [x, y, z, step] = table.subarray(4 * (2 * wide + group));
        for (let vertex = first; vertex < first + vertices; vertex++) {
          const at = 4 * (row * count + vertex);
          shapes[at] = Math.round((shape[3 * vertex] - x) / step);
          shapes[at + 1] = Math.round((shape[3 * vertex + 1] - y) / step);
          shapes[at + 2] = Math.round((shape[3 * vertex + 2] - z) / step);
        }
      });
      attached.forEach(({ anchor }, number) => {
        anchor.forEach((vertex, corner) => anchors.set(shape.subarray(3 * vertex, 3 * vertex + 3), 4 * (row * slots + 3 * number + corner)));
      });
      if (performance.now() - before > 12) {
        progress(row / graph.rows);
        await new Promise((resolve) => setTimeout(resolve, 0));
        before = performance.now();
      }
    }
    this.textures.shapes = texture(gl, gl.RGBA16I, WIDE, tall(count), gl.RGBA_INTEGER, gl.SHORT, shapes);
    this.textures.anchors = texture(gl, gl.RGBA32F, WIDE, tall(slots), gl.RGBA, gl.FLOAT, anchors);
    progress(1);
  }

  /** Which instances there are: `{ x, y, z, turn, size, seed }`, radians about y. */
  setInstances(stands) {
    const { gl } = this;
    this.walks = stands.map(({ seed }, number) => new Walk(this.graph, seed ?? number + 1));
    this.stands = stands.map(({ x = 0, y = 0, z = 0, turn = 0, size = 1 }) => ({ x, y, z, size, cos: Math.cos(turn), sin: Math.sin(turn) }));
    this.tall = Math.max(1, Math.ceil((TEXELS * stands.length) / WIDE));
    this.texels = new Float32Array(4 * WIDE * this.tall);
    if (this.textures?.instances) gl.deleteTexture(this.textures.instances);
    this.textures.instances = texture(gl, gl.RGBA32F, WIDE, this.tall, gl.RGBA, gl.FLOAT, this.texels);
  }

  /** All walks want a level; those that cannot reach it stay. */
  want(level) {
    for (const walk of this.walks) if (walk.framesUntil(level) !== undefined) walk.want(level);
  }

  /**
   * Draws what a view sees at a time. `view` is a matrix by columns that takes the world to
   * clip space. Beyond the distances of `details` instances have less detail, one after another.
   */
  draw({ view, eye, seconds, sun = [0.4, 0.8, 0.45], details = [] }) {
    const { gl, graph } = this;
    const sets = this.meshes.map(() => []);
    this.stands.forEach((stand, number) => {
      const away = Math.hypot(stand.x - eye[0], stand.y - eye[1], stand.z - eye[2]);
      if (!isSeen(view, stand, graph.radius * stand.size)) return;
      sets[Math.min(details.filter((from) => away > from).length, sets.length - 1)].push(number);
    });
    let filled = 0;
    for (const number of sets.flat()) {
      const [walk, { x, y, z, size, cos, sin }] = [this.walks[number], this.stands[number]];
      walk.seeAt(Math.max(seconds, walk.now / graph.framesPerSecond));
      const at = 4 * TEXELS * filled++;
      walk.state(this.texels, at);
      this.texels.set([x, y, z, size, cos, sin, 0, 0], at + 4);
    }
    this.bind(view, eye, sun);
    this.upload(TEXELS * filled);
    this.stats = { drawCalls: 0, texels: TEXELS * filled, instances: filled, vertices: 0 };
    let first = 0;
    sets.forEach((set, level) => {
      if (set.length === 0) return;
      const { array, count, vertices } = this.meshes[level];
      gl.bindVertexArray(array);
      gl.uniform1i(this.places.first, first);
      gl.drawElementsInstanced(gl.TRIANGLES, count, gl.UNSIGNED_INT, 0, set.length);
      first += set.length;
      this.stats.drawCalls += 1;
      this.stats.vertices += set.length * vertices;
    });
    gl.bindVertexArray(null);
    return this.stats;
  }

  /** Uploads the first so many texels: whole lines, and what is begun. */
  upload(count) {
    const { gl, texels } = this;
    const [lines, rest] = [Math.floor(count / WIDE), count % WIDE];
    gl.activeTexture(gl.TEXTURE3);
    if (lines > 0) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, WIDE, lines, gl.RGBA, gl.FLOAT, texels.subarray(0, 4 * WIDE * lines));
    if (rest > 0) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, lines, rest, 1, gl.RGBA, gl.FLOAT, texels.subarray(4 * WIDE * lines, 4 * (WIDE * lines + rest)));
  }

  bind(view, eye, sun, program = this.program, places = this.places) {
    const { gl, graph } = this;
    if (!this.textures.shapes) throw new Error("the view is not prepared: await its prepare() first");
    gl.useProgram(program);
    ["shapes", "anchors", "tables", "instances"].forEach((name, unit) => {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, this.textures[name]);
      gl.uniform1i(places[name], unit);
    });
    gl.uniformMatrix4fv(places.view, false, view);
    gl.uniform1i(places.vertexCount, graph.vertexCount);
    gl.uniform1i(places.slotCount, this.slots);
    gl.uniform1i(places.GROUPS, graph.groups.length);
    gl.uniform1i(places.first, 0);
    if (places.eye) gl.uniform3fv(places.eye, eye);
    const length = Math.hypot(...sun);
    if (places.sun) gl.uniform3fv(places.sun, sun.map((x) => x / length));
  }

  /** Where the graphics place every vertex in a state: three numbers each. */
  read(state) {
    const { gl, graph } = this;
    this.reader ??= link(gl, VERTEX, FRAGMENT, ["placed"]);
    const names = Object.keys(this.places);
    const places = Object.fromEntries(names.map((name) => [name, gl.getUniformLocation(this.reader, name)]));
    if (this.stands.length === 0) this.setInstances([{}]);
    this.texels.set([...state, 0, 0, 0, 1, 1, 0, 0, 0]);
    this.bind([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], [0, 0, 0], [0, 1, 0], this.reader, places);
    this.upload(TEXELS);
    const [array, feedback, buffer] = [gl.createVertexArray(), gl.createTransformFeedback(), gl.createBuffer()];
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.groupBuffer);
    const place = gl.getAttribLocation(this.reader, "inGroup");
    gl.enableVertexAttribArray(place);
    gl.vertexAttribIPointer(place, 1, gl.UNSIGNED_SHORT, 2, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, null);
    gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, feedback);
    gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
    gl.bufferData(gl.TRANSFORM_FEEDBACK_BUFFER, 12 * graph.vertexCount, gl.DYNAMIC_READ);
    gl.enable(gl.RASTERIZER_DISCARD);
    gl.beginTransformFeedback(gl.POINTS);
    gl.drawArraysInstanced(gl.POINTS, 0, graph.vertexCount, 1);
    gl.endTransformFeedback();
    gl.disable(gl.RASTERIZER_DISCARD);
    const out = new Float32Array(3 * graph.vertexCount);
    gl.getBufferSubData(gl.TRANSFORM_FEEDBACK_BUFFER, 0, out);
    gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, null);
    gl.bindTransformFeedback(gl.TRANSFORM_FEEDBACK, null);
    gl.bindVertexArray(null);
    gl.deleteBuffer(buffer);
    gl.deleteTransformFeedback(feedback);
    gl.deleteVertexArray(array);
    return out;
  }
}

/** Whether a ball may be seen: it is not wholly beyond one side of the view. */
function isSeen(view, { x, y, z }, radius) {
  const line = (row) => [view[row], view[4 + row], view[8 + row], view[12 + row]];
  const [a, b, c, w] = [line(0), line(1), line(2), line(3)];
  const beyond = (side) => side[0] * x + side[1] * y + side[2] * z + side[3] < -radius * Math.hypot(side[0], side[1], side[2]);
  return ![a, b, c].some((axis) => beyond(w.map((part, at) => part + axis[at])) || beyond(w.map((part, at) => part - axis[at])));
}

function texture(gl, kind, wide, tall, format, type, texels) {
  const made = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, made);
  for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
  for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, name, gl.CLAMP_TO_EDGE);
  gl.texImage2D(gl.TEXTURE_2D, 0, kind, wide, tall, 0, format, type, texels);
  return made;
}

function link(gl, vertex, fragment, varyings) {
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(`a shader was refused: ${gl.getShaderInfoLog(shader)}`);
    gl.attachShader(program, shader);
  }
  if (varyings) gl.transformFeedbackVaryings(program, varyings, gl.INTERLEAVED_ATTRIBS);
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(`the shaders do not fit: ${gl.getProgramInfoLog(program)}`);
  return program;
}
