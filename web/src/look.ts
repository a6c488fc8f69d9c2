// Light, ground and colours that all views share. They are the same in the light and
// in the dark theme: a room for what lies on a table, and the open air for worlds.

import * as three from "three";
import { RoomEnvironment } from "three/addons/environments/RoomEnvironment.js";
import { remembered } from "./dom";

export interface Colours {
  background: number;
  grid: number;
  accent: number;
  good: number;
  ink: number;
  ground: number;
}

/** Where something is shown. */
export type Surroundings = "indoors" | "outdoors";

/** What is reflected counts for so much: colours stay what they are. */
const REFLECTED = 0.3;
/** Texels along a side of what is around, where it is averaged. */
const AVERAGED = 64;
/** Where the sun stands, seen from the ground. */
const SUN = new three.Vector3(0.7, 1.5, 1.0).normalize();
/** The sky where it meets the ground, which is what far things fade into, and above. */
export const HORIZON = "#e3e2da";
const ZENITH = "#6f9fd6";
const SUNLIGHT = 0xfff1dc;
/** Shadows are sampled in so many places; in fewer where the processor draws. */
const [SAMPLES, SAMPLES_BY_PROCESSOR] = [9, 4];
/** Names of what draws where no graphics card does. */
const PROCESSOR = /swiftshader|llvmpipe|softpipe|software|basic render/i;
/** How finely shadows are drawn: texels along a side, of the sun's. */
export type Fineness = "large" | "small";
const TEXELS: Record<Fineness, number> = { large: 2048, small: 512 };

/** The colours of the theme that is set. */
export function colours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => new three.Color(style.getPropertyValue(name).trim() || "#888").getHex();
  return { background: read("--stage"), grid: read("--grid"), accent: read("--accent"), good: read("--good"), ink: read("--ink"), ground: read("--floor") };
}

/** There is nothing to draw with. */
export class NoWebGl extends Error {}

/** Somebody wants all of it although the processor draws. */
export const finely = remembered<boolean>("finely", false);
let known: boolean | null = null;

/** Whether less is drawn than could be, since the processor draws, which has other things to do. */
export function isSparing(): boolean {
  return drawsByProcessor() && !finely.get();
}

/** Whether the processor draws, for want of anything better. */
export function drawsByProcessor(): boolean {
  if (known !== null) return known;
  const asked = document.createElement("canvas").getContext("webgl2");
  const info = asked?.getExtension("WEBGL_debug_renderer_info");
  known = info ? PROCESSOR.test(String(asked?.getParameter(info.UNMASKED_RENDERER_WEBGL))) : false;
  asked?.getExtension("WEBGL_lose_context")?.loseContext();
  // three turns the samples of a shadow's edge by another angle in each pixel, which is
  // seen as dots: here they stand still, and there are more of them.
  const taps = known && !finely.get() ? SAMPLES_BY_PROCESSOR : SAMPLES;
  three.ShaderChunk.shadowmap_pars_fragment = three.ShaderChunk.shadowmap_pars_fragment.replace(
    /float phi = interleavedGradientNoise[\s\S]*?\* 0\.2;/,
    `shadow = 0.0;
    for ( int tap = 0; tap < ${taps}; tap ++ ) shadow += texture( shadowMap, vec3( shadowCoord.xy + vogelDiskSample( tap, ${taps}, 0.0 ) * radius, shadowCoord.z ) );
    shadow /= ${taps}.0;`,
  );
  return known;
}

/** A renderer as all views have it. */
export function renderer(canvas: HTMLCanvasElement): three.WebGLRenderer {
  const antialias = !isSparing();
  // Asked first, since three complains at length.
  if (!canvas.getContext("webgl2", { antialias, preserveDrawingBuffer: true })) throw new NoWebGl("this browser draws nothing in 3D (WebGL is off or missing)");
  const made = new three.WebGLRenderer({ canvas, antialias, preserveDrawingBuffer: true });
  made.shadowMap.enabled = true;
  made.shadowMap.type = three.PCFShadowMap;
  made.toneMapping = three.NeutralToneMapping;
  return made;
}

const environments = new WeakMap<three.WebGLRenderer, Map<Surroundings, three.Texture>>();

/** What is around, as a renderer has it reflected. */
function environment(renderer: three.WebGLRenderer, where: Surroundings): three.Texture {
  const known = environments.get(renderer) ?? new Map<Surroundings, three.Texture>();
  environments.set(renderer, known);
  const found = known.get(where);
  if (found) return found;
  const around = where === "indoors" ? new RoomEnvironment() : openAir();
  const texture = isSparing() ? averaged(renderer, around) : filtered(renderer, around);
  known.set(where, texture);
  return texture;
}

/** What is around as each roughness reflects it. */
function filtered(renderer: three.WebGLRenderer, around: three.Scene): three.Texture {
  const generator = new three.PMREMGenerator(renderer);
  const { texture } = generator.fromScene(around, 0.04);
  generator.dispose();
  return texture;
}

/** The same from averages, which take a processor no time; the filter takes it some seconds. */
function averaged(renderer: three.WebGLRenderer, around: three.Scene): three.Texture {
  const target = new three.WebGLCubeRenderTarget(AVERAGED, { type: three.HalfFloatType, generateMipmaps: true, minFilter: three.LinearMipmapLinearFilter });
  new three.CubeCamera(0.1, 100, target).update(renderer, around);
  const { texture } = target;
  // From here on it is one that was filtered: a level for each roughness, the last one for what is matt.
  const levels: { width: number; height: number }[] = [];
  for (let size = AVERAGED; size > 1; size /= 2) levels.push({ width: size, height: size });
  return Object.assign(texture, { mipmaps: levels, isPMREMTexture: true }) as three.Texture;
}

/** The sky over a plain, to be reflected: the one that is seen, so that both agree. */
function openAir(): three.Scene {
  const scene = new three.Scene();
  const plain = new three.Mesh(new three.CircleGeometry(60, 24).rotateX(-Math.PI / 2), new three.MeshBasicMaterial({ color: 0x77705f }));
  plain.position.y = -2;
  scene.add(dome(), plain);
  return scene;
}

const DOME = {
  vertexShader: `
    varying vec3 vWay;
    void main() {
      vWay = position;
      gl_Position = ( projectionMatrix * vec4( mat3( viewMatrix ) * position, 1.0 ) ).xyww;
    }`,
  fragmentShader: `
    uniform vec3 horizon, zenith, sunlight, sun;
    varying vec3 vWay;
    float corner( vec2 at ) { return fract( sin( dot( at, vec2( 127.1, 311.7 ) ) ) * 43758.5453 ); }
    float noise( vec2 at ) {
      vec2 cell = floor( at ), part = fract( at );
      part = part * part * ( 3.0 - 2.0 * part );
      return mix( mix( corner( cell ), corner( cell + vec2( 1, 0 ) ), part.x ), mix( corner( cell + vec2( 0, 1 ) ), corner( cell + vec2( 1, 1 ) ), part.x ), part.y );
    }
    void main() {
      vec3 way = normalize( vWay );
      float up = max( way.y, 0.0 );
      vec3 colour = mix( horizon, zenith, 1.0 - pow( 1.0 - up, 3.6 ) );
      float toSun = max( dot( way, sun ), 0.0 );
      colour += sunlight * ( 0.16 * pow( toSun, 12.0 ) + 0.8 * pow( toSun, 900.0 ) ) * smoothstep( 0.0, 0.2, up );
      vec2 at = 1.6 * way.xz / ( up + 0.12 );
      float cloud = 0.55 * noise( at ) + 0.3 * noise( 2.3 * at + 7.0 ) + 0.15 * noise( 5.1 * at + 3.0 );
      colour = mix( colour, vec3( 0.96 ), 0.75 * smoothstep( 0.52, 0.8, cloud ) * smoothstep( 0.02, 0.3, up ) );
      gl_FragColor = vec4( colour, 1.0 );
      #include <colorspace_fragment>
    }`,
};

/** The sky as it is seen: at its edge it has the colour that far things fade into. */
function dome(): three.Mesh {
  const colour = (value: three.ColorRepresentation) => ({ value: new three.Color(value) });
  const uniforms = { horizon: colour(HORIZON), zenith: colour(ZENITH), sunlight: colour(SUNLIGHT), sun: { value: SUN } };
  const mesh = new three.Mesh(new three.SphereGeometry(1, 32, 16), new three.ShaderMaterial({ ...DOME, uniforms, side: three.BackSide, depthWrite: false }));
  mesh.frustumCulled = false;
  // Behind everything: it is drawn last, and only where nothing else is.
  mesh.renderOrder = 3;
  mesh.raycast = () => {};
  return mesh;
}

/** A set with light in which a clip can be put. */
export class Set3D {
  readonly scene = new three.Scene();
  private readonly sun = new three.DirectionalLight(SUNLIGHT);
  private readonly sky = new three.HemisphereLight(0xf1f3f6, 0x8a8378);
  /** Light from straight above: under and between things it is dark. */
  private readonly above = new three.DirectionalLight(0xf2f3f5);
  private readonly dome: three.Mesh | null;
  grid: three.GridHelper | null = null;

  constructor(
    private readonly where: Surroundings = "indoors",
    fineness: Fineness = "large",
  ) {
    const texels = TEXELS[fineness] / (fineness === "large" && isSparing() ? 4 : 1);
    this.sun.shadow.mapSize.set(texels, texels);
    this.above.shadow.mapSize.set(texels / 2, texels / 2);
    [this.sun.intensity, this.sky.intensity, this.above.intensity] = where === "indoors" ? [2.1, 0.75, 0.95] : [2.8, 1.9, 0.7];
    for (const [light, blur] of [[this.sun, 2.2], [this.above, 7]] as const) {
      light.castShadow = true;
      light.shadow.radius = (blur * texels) / TEXELS.large;
      light.shadow.bias = -0.0004;
      this.scene.add(light, light.target);
    }
    this.scene.environmentIntensity = REFLECTED;
    this.dome = where === "outdoors" ? dome() : null;
    this.scene.add(this.sky);
    if (this.dome) this.scene.add(this.dome);
  }

  /** Lights what happens in a box, and puts a grid under it. */
  light(action: three.Box3, theme: Colours, withGrid: boolean): void {
    const centre = action.getCenter(new three.Vector3());
    const radius = Math.max(action.getSize(new three.Vector3()).length() / 2, 1e-3);
    const faded = this.dome ? HORIZON : theme.background;
    this.scene.background = new three.Color(faded);
    this.scene.fog = new three.Fog(faded, radius * 9, radius * 26);
    this.sun.position.copy(centre).addScaledVector(SUN, radius * 4);
    this.above.position.copy(centre).add(new three.Vector3(0, radius * 4, 0));
    for (const light of [this.sun, this.above]) {
      light.target.position.copy(centre);
      const camera = light.shadow.camera;
      camera.left = camera.bottom = -radius * 1.3;
      camera.right = camera.top = radius * 1.3;
      camera.near = radius * 0.5;
      camera.far = radius * 8;
      camera.updateProjectionMatrix();
      light.shadow.normalBias = (radius * 8) / light.shadow.mapSize.x;
    }
    this.setGrid(withGrid, centre, radius, theme);
  }

  /** Draws the set as a camera sees it. */
  draw(renderer: three.WebGLRenderer, camera: three.Camera): void {
    this.scene.environment = environment(renderer, this.where);
    renderer.render(this.scene, camera);
  }

  private setGrid(withGrid: boolean, centre: three.Vector3, radius: number, theme: Colours): void {
    if (this.grid) {
      this.scene.remove(this.grid);
      this.grid.dispose();
      this.grid = null;
    }
    if (!withGrid) return;
    const cell = 10 ** Math.round(Math.log10(radius / 4));
    const cells = 2 * Math.ceil((radius * 8) / cell / 2);
    const grid = new three.GridHelper(cells * cell, cells, theme.grid, theme.grid);
    grid.renderOrder = 1;
    const material = grid.material as three.LineBasicMaterial;
    material.transparent = true;
    material.opacity = 0.22;
    material.depthWrite = false;
    grid.position.set(Math.round(centre.x / cell) * cell, radius * 0.002, Math.round(centre.z / cell) * cell);
    this.grid = grid;
    this.scene.add(grid);
  }
}

/** From where a scene is looked at: `close` is for reading what is shown, `low` for the open air. */
export type Angle = "side" | "above" | "close" | "low";

const AHEAD: Record<Angle, three.Vector3> = {
  side: new three.Vector3(-0.5, -0.62, -1).normalize(),
  above: new three.Vector3(-0.12, -1.9, -1).normalize(),
  close: new three.Vector3(-0.3, -1.25, -1).normalize(),
  low: new three.Vector3(-0.5, -0.36, -1).normalize(),
};

/** Puts a camera where it sees a whole box, or `share` of the way there; what it then looks at. */
export function frame(camera: three.PerspectiveCamera, box: three.Box3, angle: Angle = "side", share = 1.08): three.Vector3 {
  const centre = box.getCenter(new three.Vector3());
  const ahead = AHEAD[angle];
  const right = new three.Vector3().crossVectors(ahead, new three.Vector3(0, 1, 0)).normalize();
  const up = new three.Vector3().crossVectors(right, ahead);
  const rise = Math.tan((camera.fov * Math.PI) / 360);
  let distance = 1e-3;
  for (let corner = 0; corner < 8; corner += 1) {
    const place = new three.Vector3(
      corner & 1 ? box.max.x : box.min.x,
      corner & 2 ? box.max.y : box.min.y,
      corner & 4 ? box.max.z : box.min.z,
    ).sub(centre);
    const aside = Math.max(Math.abs(place.dot(up)) / rise, Math.abs(place.dot(right)) / (rise * camera.aspect));
    distance = Math.max(distance, aside - place.dot(ahead));
  }
  distance *= share;
  camera.position.copy(centre).addScaledVector(ahead, -distance);
  reach(camera, centre);
  return centre;
}

/** Looks at a place, and sees as near and as far as that asks for. */
function reach(camera: three.PerspectiveCamera, target: three.Vector3): void {
  const distance = camera.position.distanceTo(target);
  camera.near = distance / 100;
  camera.far = distance * 40;
  camera.lookAt(target);
  camera.updateProjectionMatrix();
}

/** Something that a camera should see: a ball around it. */
export interface Sight {
  place: three.Vector3;
  radius: number;
  /** It is never left out as one that has gone astray. */
  stays?: boolean;
}

/** What a camera should see of something that moves: all of it at first, and in the end what came of it. */
export interface Sights {
  readonly duration: number;
  readonly focus: three.Box3;
  readonly rest: three.Box3;
  /** What there is to see at times that are equally far from each other, of few bodies. */
  readonly steps?: readonly Sight[][];
}

/** From where a step is seen. */
interface Waypoint {
  target: three.Vector3;
  ahead: three.Vector3;
  distance: number;
}

/** So many steps before and after one are seen with it, and smoothed with it. */
const [WINDOW, SMOOTHED] = [3, 2];
/** Nothing takes more than this share of half the view. */
const LARGEST = 0.45;
/** Of more than so many bodies, this share may have gone astray to each side. */
const [FEW, ASTRAY] = [4, 0.12];
/** From when to when one comes nearer to see what came of it, in shares of the time. */
const [NEARS, IS_NEAR] = [0.45, 0.85];

const ways = new WeakMap<readonly Sight[][], { key: string; way: Waypoint[] }>();

/** Goes from the whole to what came of it as time passes; what the camera then looks at. Bodies take at least a share
 * of half the view, even if some of them are then not in it. */
export function follow(camera: three.PerspectiveCamera, sights: Sights, time: number, angle: Angle, share = 1.08, least = 0): three.Vector3 {
  const { duration, focus, rest, steps } = sights;
  if (steps && duration > 0) return goAlong(camera, wayOf(camera, steps, angle, !rest.equals(focus), least), time / duration, share);
  const part = duration > 0 ? three.MathUtils.smoothstep(time / duration, NEARS, IS_NEAR) : 0;
  const target = frame(camera, focus, angle, share);
  if (part === 0 || rest.equals(focus)) return target;
  const eye = camera.position.clone();
  const nearer = frame(camera, rest, angle === "above" ? "above" : "close", 1.15 * share);
  camera.position.lerpVectors(eye, camera.position.clone(), part);
  target.lerp(nearer, part);
  reach(camera, target);
  return target;
}

function goAlong(camera: three.PerspectiveCamera, way: Waypoint[], part: number, share: number): three.Vector3 {
  const at = three.MathUtils.clamp(part, 0, 1) * (way.length - 1);
  const [from, to] = [way[Math.floor(at)], way[Math.ceil(at)]];
  if (!from || !to) return new three.Vector3();
  const between = at - Math.floor(at);
  const target = from.target.clone().lerp(to.target, between);
  const ahead = from.ahead.clone().lerp(to.ahead, between).normalize();
  camera.position.copy(target).addScaledVector(ahead, -share * three.MathUtils.lerp(from.distance, to.distance, between));
  reach(camera, target);
  return target;
}

/** From where each step is seen, without haste. */
function wayOf(camera: three.PerspectiveCamera, steps: readonly Sight[][], angle: Angle, nears: boolean, least: number): Waypoint[] {
  const key = `${angle} ${nears} ${least} ${camera.aspect.toFixed(3)}`;
  const known = ways.get(steps);
  if (known?.key === key) return known.way;
  const near = AHEAD[nears && angle === "side" ? "close" : angle];
  const fits = steps.map((_, step) => {
    const part = three.MathUtils.smoothstep(step / Math.max(steps.length - 1, 1), NEARS, IS_NEAR);
    const ahead = AHEAD[angle].clone().lerp(near, part).normalize();
    const waypoint = fit(camera, steps.slice(Math.max(step - WINDOW, 0), step + WINDOW + 1).flat(), ahead, (steps[0]?.length ?? 0) > FEW);
    const radii = (steps[step] ?? []).flatMap((one) => (one.stays ? [] : [one.radius])).sort((a, b) => a - b);
    const farthest = (radii[radii.length >> 1] ?? 0) / (least * Math.tan((camera.fov * Math.PI) / 360));
    return least > 0 && farthest > 0 ? { ...waypoint, distance: Math.min(waypoint.distance, farthest) } : waypoint;
  });
  const way = smoothed(smoothed(fits));
  ways.set(steps, { key, way });
  return way;
}

/** From where all of it is seen, but for what has gone astray. */
function fit(camera: three.PerspectiveCamera, seen: Sight[], ahead: three.Vector3, mayStray: boolean): Waypoint {
  const right = new three.Vector3().crossVectors(ahead, new three.Vector3(0, 1, 0)).normalize();
  const axes = [right, new three.Vector3().crossVectors(right, ahead), ahead];
  const rise = Math.tan((camera.fov * Math.PI) / 360);
  const placed = seen.map(({ place, radius, stays }) => ({ at: axes.map((axis) => place.dot(axis)), radius, stays }));
  const ranges = axes.map((_, axis) => {
    const values = placed.filter((one) => !one.stays).map((one) => one.at[axis] ?? 0).sort((a, b) => a - b);
    const value = (share: number) => values[Math.round(share * (values.length - 1))] ?? 0;
    const still = placed.filter((one) => one.stays).map((one) => one.at[axis] ?? 0);
    return [Math.min(value(mayStray ? ASTRAY : 0), ...still), Math.max(value(mayStray ? 1 - ASTRAY : 1), ...still)] as const;
  });
  const middle = ranges.map(([low, high]) => (low + high) / 2);
  const target = new three.Vector3();
  axes.forEach((axis, number) => target.addScaledVector(axis, middle[number] ?? 0));
  let distance = Math.max(...seen.map((one) => one.radius), 1e-3) / (LARGEST * rise);
  for (const { at, radius } of placed) {
    if (at.some((value, axis) => value < (ranges[axis]?.[0] ?? 0) || value > (ranges[axis]?.[1] ?? 0))) continue;
    const [aside = 0, above = 0, beyond = 0] = at.map((value, axis) => value - (middle[axis] ?? 0));
    distance = Math.max(distance, Math.max((Math.abs(above) + radius) / rise, (Math.abs(aside) + radius) / (rise * camera.aspect)) - beyond);
  }
  return { target, ahead, distance };
}

/** Each step in the middle of those around it. */
function smoothed(way: Waypoint[]): Waypoint[] {
  return way.map((point, step) => {
    const around = way.slice(Math.max(step - SMOOTHED, 0), step + SMOOTHED + 1);
    const target = around.reduce((sum, one) => sum.add(one.target), new three.Vector3()).divideScalar(around.length);
    return { target, ahead: point.ahead, distance: around.reduce((sum, one) => sum + one.distance, 0) / around.length };
  });
}

/** How far behind a car one drives, how high, and how far before it one looks, m. */
const [BEHIND, HIGH, BEFORE] = [8.5, 2.6, 9];

/** Something in which there are cars, and how far each comes. */
interface Traffic {
  readonly root: three.Object3D;
  readonly paths: ReadonlyMap<string, three.Vector3[]>;
}

/** Drives behind the car that comes farthest; what the camera then looks at, if there is one. */
export function chase(camera: three.PerspectiveCamera, { root, paths }: Traffic): three.Vector3 | null {
  const length = (path: three.Vector3[]) => path.reduce((sum, place, at) => sum + place.distanceTo(path[at - 1] ?? place), 0);
  let [leader, most] = ["", 0];
  for (const [name, path] of paths) {
    const here = length(path);
    if (here > most) [leader, most] = [name, here];
  }
  const car = root.getObjectByName(leader);
  if (!car) return null;
  const ahead = new three.Vector3(1, 0, 0).applyQuaternion(car.quaternion).setY(0).normalize();
  const target = car.position.clone().addScaledVector(ahead, BEFORE).setY(car.position.y + 1);
  camera.position.copy(car.position).addScaledVector(ahead, -BEHIND).setY(car.position.y + HIGH);
  [camera.near, camera.far] = [0.5, 600];
  camera.lookAt(target);
  camera.updateProjectionMatrix();
  return target;
}

/** Lets what is far behind fade into the background. */
export function fade(scene: three.Scene, distance: number, far?: number): void {
  if (!(scene.fog instanceof three.Fog)) return;
  if (far !== undefined) {
    [scene.fog.near, scene.fog.far] = [far * 0.35, far];
    return;
  }
  scene.fog.near = distance * 1.15;
  scene.fog.far = distance * 2.6;
}
