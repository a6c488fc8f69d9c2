// Low grass around whoever looks: what covers the ground between the things that are
// computed. It stands where the ground is green, follows the viewer in steps that are
// not seen, and takes nothing from the server.

import * as three from "three";
import { NOISE, OVERGROWN } from "./finishes";
import { isSparing } from "./look";

/** It grows so far around the viewer, m, in so many tufts; in fewer where the processor draws. */
const REACH = 8;
const [TUFTS, TUFTS_BY_PROCESSOR] = [24000, 6000];
/** A tuft has so many blades, which are so high and wide, m. */
const BLADES = 5;
const [HIGH, WIDE] = [0.12, 0.009];
/** How dark it is at the ground. */
const SHADE = 0.62;

export class Turf {
  readonly mesh: three.Mesh<three.InstancedBufferGeometry, three.MeshLambertMaterial>;
  private readonly centre = { value: new three.Vector2() };
  private readonly time = { value: 0 };

  /** Grass of a colour, which also grows by this share where the ground is bare. */
  constructor(colour: three.ColorRepresentation, private readonly bare = 0) {
    const material = new three.MeshLambertMaterial({ color: colour, vertexColors: true, side: three.DoubleSide });
    material.onBeforeCompile = (shader) => this.grow(shader);
    this.mesh = new three.Mesh(tufts(isSparing() ? TUFTS_BY_PROCESSOR : TUFTS), material);
    this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    this.mesh.raycast = () => {};
  }

  /** Grows around this place. */
  follow(place: three.Vector3): void {
    this.centre.value.set(place.x, place.z);
    this.time.value = performance.now() / 1000;
  }

  private grow(shader: three.WebGLProgramParametersWithUniforms): void {
    Object.assign(shader.uniforms, { centre: this.centre, time: this.time, bare: { value: this.bare } });
    shader.vertexShader = shader.vertexShader
      .replace("void main() {", `attribute vec4 tuft;\nuniform vec2 centre;\nuniform float time, bare;\n${NOISE}\nvoid main() {`)
      .replace(
        "#include <begin_vertex>",
        `vec2 at = tuft.xy + ${(2 * REACH).toFixed(1)} * floor( ( centre - tuft.xy ) / ${(2 * REACH).toFixed(1)} + 0.5 );
        ${OVERGROWN("at")}
        float size = tuft.z * max( green, bare ) * ( 1.0 - smoothstep( 0.6, 1.0, distance( at, centre ) / ${REACH.toFixed(1)} ) );
        float sine = sin( tuft.w ), cosine = cos( tuft.w );
        vec3 transformed = size * vec3( cosine * position.x - sine * position.z, position.y, sine * position.x + cosine * position.z );
        transformed.xz += transformed.y * vec2( 0.35, 0.2 ) * sin( 1.9 * time + dot( at, vec2( 0.8, 0.5 ) ) );
        transformed += vec3( at.x, 0.0, at.y );`,
      );
    // Blades are lit as the ground is, whichever side is seen.
    shader.fragmentShader = shader.fragmentShader.replace("#include <normal_fragment_begin>", "float faceDirection = 1.0;\nvec3 normal = normalize( vNormal ), nonPerturbedNormal = normal;");
    // What has the same colour in all of a tuft looks sown.
    shader.vertexShader = shader.vertexShader.replace("#include <color_vertex>", "#include <color_vertex>\nvColor.rgb *= 0.75 + 0.5 * fract( tuft.w * 7.31 ) * vec3( 1.0, 0.9, 0.6 );");
  }
}

/** Tufts at places of a square that repeats itself; numbers that look drawn, and are the same on every visit. */
function tufts(many: number): three.InstancedBufferGeometry {
  const geometry = new three.InstancedBufferGeometry();
  const [positions, shades] = [[] as number[], [] as number[]];
  for (let blade = 0; blade < BLADES; blade += 1) {
    const angle = 2.4 * blade;
    const [x, z, out] = [Math.cos(angle), Math.sin(angle), 0.015 * Math.sqrt(blade)];
    const [high, lean] = [HIGH * (0.55 + 0.45 * Math.abs(Math.cos(3 * blade))), 0.012 + 0.012 * blade];
    positions.push(out * x - WIDE * z, 0, out * z + WIDE * x, out * x + WIDE * z, 0, out * z - WIDE * x, (out + lean) * x, high, (out + lean) * z);
    shades.push(SHADE, SHADE, SHADE, SHADE, SHADE, SHADE, 1.15, 1.2, 1);
  }
  const places = new Float32Array(4 * many);
  let state = 1;
  // What is evenly spread would stand in rows.
  const drawn = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  for (let tuft = 0; tuft < many; tuft += 1) places.set([2 * REACH * drawn(), 2 * REACH * drawn(), 0.45 + 0.8 * drawn(), 2 * Math.PI * drawn()], 4 * tuft);
  const up = positions.map((_, index) => (index % 3 === 1 ? 1 : 0));
  geometry.setAttribute("position", new three.Float32BufferAttribute(positions, 3));
  geometry.setAttribute("normal", new three.Float32BufferAttribute(up, 3));
  geometry.setAttribute("color", new three.Float32BufferAttribute(shades, 3));
  geometry.setAttribute("tuft", new three.InstancedBufferAttribute(places, 4));
  geometry.instanceCount = many;
  return geometry;
}
