// A meadow as an object of three.js: loops of an ensemble in a texture, which the graphics
// card plays for every clump at its own time. It costs the processor nothing.

import {
  BufferAttribute, BufferGeometry, DataTexture, DoubleSide, FloatType, Group, InstancedBufferAttribute, InstancedMesh,
  type Material, Matrix4, MeshDepthMaterial, MeshStandardMaterial, Quaternion, RGBADepthPacking, RGBAFormat, Vector3,
  type WebGLProgramParametersWithUniforms,
} from "three";
import type { Ensemble, EnsembleLoop } from "../ensemble-orders.js";

/** How a meadow is planted. */
export interface MeadowLook {
  /** How many clumps. */
  count?: number;
  /** How wide and deep the meadow is, m. */
  side?: number;
  /** How long the loops are, s, about. */
  seconds?: number;
  /** The colour of the plants. */
  colour?: string;
  /** Another number plants them otherwise. */
  seed?: number;
}

/** A row of texels is so wide; all graphics cards know it. */
const WIDTH = 2048;

const MOTION = `
uniform highp sampler2D motion;
uniform float clock;
uniform float rate;
uniform vec4 gust;
uniform vec2 frames[LOOPS];
attribute float phase;

vec3 texel(float first, float frame) {
  int index = (int(first) + int(frame)) * VERTICES + gl_VertexID;
  return texelFetch(motion, ivec2(index % ${WIDTH}, index / ${WIDTH}), 0).xyz;
}

vec3 played(vec2 loop) {
  float at = mod((clock + phase) * rate, loop.y);
  float frame = floor(at);
  float next = frame + 1.0 >= loop.y ? 0.0 : frame + 1.0;
  return mix(texel(loop.x, frame), texel(loop.x, next), at - frame);
}

vec3 bent(vec2 place) {
  float far = length(place - gust.xy) / max(gust.z, 1e-3);
  float level = clamp(gust.w * exp(-far * far), 0.0, 1.0) * float(LOOPS - 1);
  vec3 here = played(frames[0]);
  for (int loop = 1; loop < LOOPS; loop += 1)
    here = mix(here, played(frames[loop]), clamp(level - float(loop - 1), 0.0, 1.0));
  return here;
}
`;

/** A meadow of one ensemble. */
export class MeadowObject extends Group {
  #uniforms: Record<string, { value: unknown }>;
  #mesh: InstancedMesh;
  #clock = { value: 0 };
  #gust = { value: [0, 0, 5, 0] };

  private constructor(ensemble: Ensemble, loops: EnsembleLoop[], look: Required<MeadowLook>) {
    super();
    const vertices = ensemble.rest.length / 3;
    this.#uniforms = {
      motion: { value: texture(loops) },
      clock: this.#clock,
      rate: { value: ensemble.fps },
      gust: this.#gust,
      frames: { value: starts(loops).flat() },
    };
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(ensemble.rest, 3));
    geometry.setIndex(new BufferAttribute(ensemble.triangles, 1));
    const random = randomFrom(look.seed);
    geometry.setAttribute("phase", new InstancedBufferAttribute(Float32Array.from({ length: look.count }, () => 100 * random()), 1));
    const material = new MeshStandardMaterial({ color: look.colour, side: DoubleSide, roughness: 0.8, flatShading: true });
    const depth = new MeshDepthMaterial({ depthPacking: RGBADepthPacking, side: DoubleSide });
    for (const one of [material, depth]) this.#bend(one, loops.length, vertices);
    this.#mesh = new InstancedMesh(geometry, material, look.count);
    this.#mesh.customDepthMaterial = depth;
    this.#mesh.castShadow = true;
    this.#mesh.receiveShadow = true;
    this.#mesh.frustumCulled = false;
    // On a grid that is shaken, so that no two stand in each other.
    const row = Math.ceil(Math.sqrt(look.count));
    const step = look.side / row;
    const matrix = new Matrix4();
    for (let index = 0; index < look.count; index += 1) {
      const [x, z] = [index % row, Math.floor(index / row)].map((at) => (at + 0.5 + 0.6 * (random() - 0.5)) * step - look.side / 2);
      // Little: the wind comes from one side.
      const turn = new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), 0.6 * (random() - 0.5));
      const size = 0.8 + 0.4 * random();
      this.#mesh.setMatrixAt(index, matrix.compose(new Vector3(x, 0, z), turn, new Vector3(size, size, size)));
    }
    this.add(this.#mesh);
  }

  /** Plants a meadow: a loop of every strength of the wind that can be walked. */
  static async of(ensemble: Ensemble, look: MeadowLook = {}): Promise<MeadowObject> {
    const all = { count: 400, side: 20, seconds: 6, colour: "#7fa04a", seed: 1, ...look };
    const walked = ensemble.levels.filter((level) => level.walked);
    const loops: EnsembleLoop[] = [];
    for (const { level } of walked) loops.push(await ensemble.loop(level, all.seconds));
    return new MeadowObject(ensemble, loops, all);
  }

  /** Shows a time, s. */
  at(time: number): void {
    this.#clock.value = time;
  }

  /** Blows around a place (x and z, m): how strongly, from 0 to 1, and how wide, m. Between two strengths plants are mixed, for the eye: parts may touch. */
  blow(place: readonly [number, number], strength: number, wide = 5): void {
    this.#gust.value = [place[0], place[1], wide, strength];
  }

  #bend(material: Material, loops: number, vertices: number): void {
    material.onBeforeCompile = (shader: WebGLProgramParametersWithUniforms) => {
      Object.assign(shader.uniforms, this.#uniforms);
      const defines = `#define LOOPS ${loops}\n#define VERTICES ${vertices}\n`;
      shader.vertexShader = (defines + MOTION + shader.vertexShader).replace(
        "#include <begin_vertex>",
        "vec3 transformed = bent((modelMatrix * instanceMatrix * vec4(0.0, 0.0, 0.0, 1.0)).xz);",
      );
    };
    material.customProgramCacheKey = () => `proscenium meadow ${loops} ${vertices}`;
  }

  /** Gives back what the graphics card holds. */
  dispose(): void {
    this.#mesh.geometry.dispose();
    (this.#mesh.material as Material).dispose();
    this.#mesh.customDepthMaterial?.dispose();
    (this.#uniforms.motion?.value as DataTexture).dispose();
    this.#mesh.dispose();
  }
}

/** Where each loop begins, and how many frames it has. */
function starts(loops: readonly EnsembleLoop[]): [number, number][] {
  let first = 0;
  return loops.map(({ frames }) => {
    const start: [number, number] = [first, frames];
    first += frames;
    return start;
  });
}

/** All frames of all loops, a texel for each vertex. */
function texture(loops: readonly EnsembleLoop[]): DataTexture {
  const texels = loops.reduce((sum, loop) => sum + loop.positions.length / 3, 0);
  const height = Math.max(1, Math.ceil(texels / WIDTH));
  const numbers = new Float32Array(4 * WIDTH * height);
  let to = 0;
  for (const { positions } of loops) {
    for (let from = 0; from < positions.length; from += 3, to += 4) numbers.set(positions.subarray(from, from + 3), to);
  }
  const made = new DataTexture(numbers, WIDTH, height, RGBAFormat, FloatType);
  made.needsUpdate = true;
  return made;
}

/** Numbers from 0 to 1 that follow from a number. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
