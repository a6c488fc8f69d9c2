// What surfaces are like: paint, glass, metal, walls with windows, and ground with some
// grain. Windows and grain are painted where they are seen, and cost no triangles.

import * as three from "three";
import { toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";
import { RoundedBoxGeometry } from "three/addons/geometries/RoundedBoxGeometry.js";
import type { LiveFinish, LiveSolid } from "./types";

/** Faces that are turned by less against each other look like one, rad. */
const CREASE = 0.6;
/** The edges of a box are rounded by this share of its shortest side, and by no more than this, m. */
const ROUNDED = 0.16;
const ROUNDED_MOST = 0.08;

/** Noise that is the same wherever it is asked for. */
export const NOISE = `
  float corner( vec2 at ) { return fract( sin( dot( at, vec2( 127.1, 311.7 ) ) ) * 43758.5453 ); }
  float grain( vec2 at ) {
    vec2 cell = floor( at ), part = fract( at );
    part = part * part * ( 3.0 - 2.0 * part );
    return mix( mix( corner( cell ), corner( cell + vec2( 1, 0 ) ), part.x ), mix( corner( cell + vec2( 0, 1 ) ), corner( cell + vec2( 1, 1 ) ), part.x ), part.y );
  }`;

/** Stories with windows; the lowest one has those of shops. */
const WINDOWS = `
  float glazed = 0.0;
  vec3 facing = normalize( vFacing );
  if ( abs( facing.y ) < 0.5 ) {
    vec2 at = vec2( dot( vPlace.xz, vec2( - facing.z, facing.x ) ) / 2.6, ( vPlace.y - 0.15 ) / 3.1 );
    vec2 number = floor( at ), part = at - number, blur = fwidth( at ) + 0.004;
    bool isShop = number.y < 0.5;
    vec2 low = isShop ? vec2( 0.09, 0.14 ) : vec2( 0.27, 0.28 ), high = isShop ? vec2( 0.91, 0.8 ) : vec2( 0.73, 0.8 );
    vec2 inside = smoothstep( low - blur, low + blur, part ) * ( 1.0 - smoothstep( high - blur, high + blur, part ) );
    vec2 around = smoothstep( low - 0.05 - blur, low - 0.05 + blur, part ) * ( 1.0 - smoothstep( high + 0.05 - blur, high + 0.05 + blur, part ) );
    float far = clamp( 1.3 - 1.6 * max( blur.x, blur.y ), 0.0, 1.0 );
    glazed = inside.x * inside.y * far;
    float bar = isShop ? 0.0 : 1.0 - smoothstep( 0.01, 0.012 + blur.x, abs( part.x - 0.5 ) );
    float ledge = smoothstep( 0.94, 0.95, part.y );
    float stain = 0.82 + 0.3 * grain( vPlace.xz * 0.35 + vPlace.y * 0.2 ) - 0.12 * exp( - vPlace.y * 1.4 );
    diffuseColor.rgb *= stain * mix( 1.0, 1.22, around.x * around.y * ( 1.0 - glazed ) * far ) * mix( 1.0, 1.12, ledge * far );
    float curtain = step( 0.62, corner( number + 3.0 ) ) * step( 0.5, part.y );
    vec3 pane = mix( vec3( 0.035, 0.05, 0.065 ), vec3( 0.34, 0.32, 0.28 ), 0.7 * curtain * ( isShop ? 0.3 : 1.0 ) );
    diffuseColor.rgb = mix( diffuseColor.rgb, mix( pane, vec3( 0.6, 0.58, 0.54 ), bar ), glazed );
    glazed *= 1.0 - bar;
  }`;

const GRAIN = `
  float glazed = 0.0;
  float near = clamp( 1.2 - 30.0 * length( fwidth( vPlace.xz ) ), 0.0, 1.0 );
  float rough = mix( 0.5, grain( vPlace.xz * 38.0 ), near ), patches = grain( vPlace.xz * 0.31 ), spots = grain( vPlace.xz * 3.1 );
  diffuseColor.rgb *= 0.76 + 0.2 * rough + 0.2 * patches + 0.12 * spots;`;

/** How green the ground is at a place. */
export const OVERGROWN = (place: string) => `float green = smoothstep( 0.42, 0.62, 0.6 * grain( ${place} * 0.07 ) + 0.4 * grain( ${place} * 0.9 ) );`;

/** Ground that is overgrown here and there. */
const EARTH = `
  ${GRAIN}
  ${OVERGROWN("vPlace.xz")}
  diffuseColor.rgb = mix( diffuseColor.rgb, overgrown * ( 0.7 + 0.4 * rough ), green );`;

/** Draws something of its own onto a material, by where it is. */
function painted(material: three.MeshStandardMaterial, code: string, overgrown = new three.Color()): three.MeshStandardMaterial {
  material.onBeforeCompile = (shader) => {
    shader.uniforms.overgrown = { value: overgrown };
    shader.vertexShader = shader.vertexShader.replace("void main() {", "varying vec3 vPlace, vFacing;\nvoid main() {").replace(
      "#include <project_vertex>",
      `#include <project_vertex>
      vec4 placed = vec4( transformed, 1.0 );
      vec3 faced = objectNormal;
      #ifdef USE_INSTANCING
        placed = instanceMatrix * placed;
        faced = mat3( instanceMatrix ) * faced;
      #endif
      vPlace = ( modelMatrix * placed ).xyz;
      vFacing = mat3( modelMatrix ) * faced;`,
    );
    shader.fragmentShader = shader.fragmentShader
      .replace("void main() {", `varying vec3 vPlace, vFacing;\nuniform vec3 overgrown;\n${NOISE}\nvoid main() {`)
      .replace("#include <color_fragment>", `#include <color_fragment>\n${code}`)
      .replace("#include <roughnessmap_fragment>", "#include <roughnessmap_fragment>\nroughnessFactor = mix( roughnessFactor, 0.08, glazed );")
      .replace("#include <metalnessmap_fragment>", "#include <metalnessmap_fragment>\nmetalnessFactor = mix( metalnessFactor, 0.5, glazed );");
  };
  // What is compiled for one serves all that are painted alike.
  material.customProgramCacheKey = () => code;
  return material;
}

/** The ground of a world, which is overgrown here and there. */
export function earth(): { material: three.MeshStandardMaterial; overgrown: three.Color } {
  const overgrown = new three.Color("#6f7a45");
  return { material: painted(new three.MeshStandardMaterial({ roughness: 1 }), EARTH, overgrown), overgrown };
}

/** A material by what a surface is like; its colour comes with what is drawn. */
export function materialOf(finish: LiveFinish): three.MeshStandardMaterial {
  const made = (roughness: number, metalness: number) => new three.MeshStandardMaterial({ roughness, metalness });
  switch (finish) {
    case "paint":
      return made(0.28, 0.25);
    case "glass":
      return made(0.06, 0.7);
    case "metal":
      return made(0.32, 0.85);
    case "facade":
      return painted(made(0.9, 0), WINDOWS);
    case "grain":
      return painted(made(0.95, 0), GRAIN);
    case "lamp":
      return new three.MeshStandardMaterial({ roughness: 0.3, emissive: 0x5a5650 });
    case "plain":
      return made(0.6, 0);
  }
}

/** What materials of a file are like, by their names. */
const FINISHES: [RegExp, LiveFinish][] = [
  [/^(asphalt|pavement)/, "grain"],
  [/^(brick|plaster|stone|lime)/, "facade"],
  [/^paint \d/, "paint"],
  [/^glass/, "glass"],
  [/^hub/, "metal"],
];

/** Paints windows, asphalt and cars onto streets that came in a file, where there are but colours. */
export function refine(root: three.Object3D): void {
  const made = new Map<three.Material, three.Material>();
  root.traverse((thing) => {
    if (!(thing instanceof three.Mesh)) return;
    const plain = thing.material as three.MeshStandardMaterial;
    const finish = FINISHES.find(([words]) => words.test(plain.name))?.[1];
    if (!finish) return;
    const finer = made.get(plain) ?? Object.assign(materialOf(finish), { color: plain.color.clone(), side: three.DoubleSide });
    made.set(plain, finer);
    thing.material = finer;
  });
}

/** Paints what was made of plain boxes, and takes the sharpness from their edges. */
export function varnish(root: three.Object3D): void {
  const rounded = new Map<three.BufferGeometry, three.BufferGeometry>();
  root.traverse((thing) => {
    if (!(thing instanceof three.Mesh)) return;
    const before = thing.geometry as three.BufferGeometry;
    const known = rounded.get(before) ?? soft(before);
    rounded.set(before, known);
    thing.geometry = known;
    const material = thing.material as three.MeshStandardMaterial;
    [material.roughness, material.metalness] = [0.34, 0.2];
  });
}

/** A box without sharp edges in place of one with them; all else as it is. */
function soft(geometry: three.BufferGeometry): three.BufferGeometry {
  const places = geometry.getAttribute("position");
  geometry.computeBoundingBox();
  const { max, min } = geometry.boundingBox ?? new three.Box3();
  if (places.count !== 24 || min.clone().add(max).length() > 1e-6 * max.length()) return geometry;
  const isCorner = (at: number) => [places.getX(at) / max.x, places.getY(at) / max.y, places.getZ(at) / max.z].every((share) => Math.abs(Math.abs(share) - 1) < 1e-5);
  for (let at = 0; at < places.count; at += 1) if (!isCorner(at)) return geometry;
  return roundedBox(2 * max.x, 2 * max.y, 2 * max.z);
}

/** A form as triangles. */
export function geometryOf(solid: LiveSolid): three.BufferGeometry {
  if ("box" in solid) return roundedBox(2 * solid.box[0], 2 * solid.box[1], 2 * solid.box[2]);
  if ("ball" in solid) return new three.SphereGeometry(solid.ball, 28, 18);
  if ("pipe" in solid) {
    const { points, closed, radius } = solid.pipe;
    const line = new three.CatmullRomCurve3(points.map((point) => new three.Vector3(...point)), closed);
    return new three.TubeGeometry(line, points.length * 2, radius, 10, closed);
  }
  const geometry = new three.BufferGeometry();
  geometry.setAttribute("position", new three.Float32BufferAttribute(solid.mesh.positions, 3));
  geometry.setIndex(solid.mesh.indices);
  return toCreasedNormals(geometry, CREASE);
}

/** A box as things are made: without sharp edges. */
export function roundedBox(x: number, y: number, z: number): three.BufferGeometry {
  const radius = Math.min(ROUNDED * Math.min(x, y, z), ROUNDED_MOST);
  return new RoundedBoxGeometry(x, y, z, 2, radius);
}
