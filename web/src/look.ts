// Light, ground and colours that all views share.

import * as three from "three";

export interface Colours {
  background: number;
  grid: number;
  accent: number;
  good: number;
  ink: number;
  ground: number;
}

/** The colours of the theme that is set. */
export function colours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => new three.Color(style.getPropertyValue(name).trim() || "#888").getHex();
  return { background: read("--stage"), grid: read("--grid"), accent: read("--accent"), good: read("--good"), ink: read("--ink"), ground: read("--floor") };
}

/** A renderer as all views have it. */
export function renderer(canvas: HTMLCanvasElement | OffscreenCanvas, shadows: boolean): three.WebGLRenderer {
  const made = new three.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
  made.shadowMap.enabled = shadows;
  made.shadowMap.type = three.PCFShadowMap;
  made.toneMapping = three.NeutralToneMapping;
  return made;
}

function isDark(colour: number): boolean {
  return new three.Color(colour).getHSL({ h: 0, s: 0, l: 0 }).l < 0.3;
}

/** A set with light in which a clip can be put. */
export class Set3D {
  readonly scene = new three.Scene();
  private readonly sun = new three.DirectionalLight(0xfff4e6, 2.6);
  private readonly sky = new three.HemisphereLight(0xeaf1ff, 0x8a8378, 1.5);
  private readonly fill = new three.DirectionalLight(0xdfe8ff, 0.6);
  grid: three.GridHelper | null = null;

  constructor() {
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 5;
    this.sun.shadow.bias = -0.0004;
    this.scene.add(this.sun, this.sun.target, this.sky, this.fill);
  }

  /** Lights what happens in a box, and puts a grid under it. */
  light(action: three.Box3, theme: Colours, withGrid: boolean): void {
    const centre = action.getCenter(new three.Vector3());
    const radius = Math.max(action.getSize(new three.Vector3()).length() / 2, 1e-3);
    this.scene.background = new three.Color(theme.background);
    this.scene.fog = new three.Fog(theme.background, radius * 9, radius * 26);
    const dim = isDark(theme.background) ? 0.75 : 1;
    this.sun.intensity = 2.6 * dim;
    this.sky.intensity = 1.5 * dim;
    this.fill.intensity = 0.6 * dim;
    this.sun.position.copy(centre).add(new three.Vector3(0.7, 2.2, 1.0).normalize().multiplyScalar(radius * 4));
    this.sun.target.position.copy(centre);
    this.fill.position.copy(centre).add(new three.Vector3(-2, 1, -1).multiplyScalar(radius));
    const camera = this.sun.shadow.camera;
    camera.left = camera.bottom = -radius * 1.3;
    camera.right = camera.top = radius * 1.3;
    camera.near = radius * 0.5;
    camera.far = radius * 8;
    camera.updateProjectionMatrix();
    this.sun.shadow.normalBias = radius * 0.004;
    this.setGrid(withGrid, centre, radius, theme);
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
    material.opacity = 0.35;
    material.depthWrite = false;
    grid.position.set(Math.round(centre.x / cell) * cell, radius * 0.002, Math.round(centre.z / cell) * cell);
    this.grid = grid;
    this.scene.add(grid);
  }
}

/** From where a scene is looked at. */
export type Angle = "side" | "above";

/** Puts a camera where it sees a whole box, or `share` of the way there; what it then looks at. */
export function frame(camera: three.PerspectiveCamera, box: three.Box3, angle: Angle = "side", share = 1.08): three.Vector3 {
  const centre = box.getCenter(new three.Vector3());
  const ahead = (angle === "above" ? new three.Vector3(-0.12, -1.9, -1) : new three.Vector3(-0.5, -0.62, -1)).normalize();
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
  camera.near = distance / 100;
  camera.far = distance * 40;
  camera.lookAt(centre);
  camera.updateProjectionMatrix();
  return centre;
}

/** Lets what is far behind fade into the background. */
export function fade(scene: three.Scene, distance: number, far?: number): void {
  if (!(scene.fog instanceof three.Fog)) return;
  if (far !== undefined) {
    [scene.fog.near, scene.fog.far] = [far * 0.4, far];
    return;
  }
  scene.fog.near = distance * 1.15;
  scene.fog.far = distance * 2.6;
}
