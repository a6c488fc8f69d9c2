// A canvas with light, shadows and a camera, for those who have none yet.

import { Color, DirectionalLight, HemisphereLight, type Object3D, PCFShadowMap, PerspectiveCamera, Scene, Vector2, Vector3, WebGLRenderer } from "three";

/** How a stage looks. */
export interface StageLook {
  /** The colour behind everything. */
  sky?: string;
  /** How far around what is looked at shadows are drawn, m. */
  shadows?: number;
  /** Whether the drawing is kept, to be read back as a picture. */
  keep?: boolean;
}

const SIZE = new Vector2();
const SUN = new Vector3(0.45, 1, 0.35).normalize();

/** Draws a scene in a canvas, with a sun that throws shadows. */
export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(45, 1, 0.1, 4000);
  readonly renderer: WebGLRenderer;
  #sun = new DirectionalLight("#fff2dc", 2.6);
  #shadows: number;
  #plays = 0;

  constructor(canvas: HTMLCanvasElement, look: StageLook = {}) {
    this.#shadows = look.shadows ?? 30;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: look.keep ?? false });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.scene.background = new Color(look.sky ?? "#b9d3ea");
    this.#sun.castShadow = true;
    this.#sun.shadow.mapSize.set(2048, 2048);
    this.scene.add(new HemisphereLight("#dcebff", "#6b6250", 1.4), this.#sun, this.#sun.target);
    this.look([0, 4, 10], [0, 0, 0]);
  }

  /** Adds objects; the stage itself, for a chain of calls. */
  add(...objects: Object3D[]): this {
    this.scene.add(...objects);
    return this;
  }

  /** Looks from one place to another, m. */
  look(from: readonly [number, number, number], to: readonly [number, number, number]): this {
    this.camera.position.set(...from);
    this.camera.lookAt(...to);
    const reach = this.#shadows;
    this.#sun.target.position.set(...to);
    this.#sun.position.copy(this.#sun.target.position).addScaledVector(SUN, 2 * reach);
    Object.assign(this.#sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1, far: 4 * reach });
    this.#sun.shadow.camera.updateProjectionMatrix();
    this.#sun.shadow.bias = -0.00002 * reach;
    this.#sun.shadow.normalBias = 0.001 * reach;
    return this;
  }

  /** Draws once. */
  draw(): void {
    const canvas = this.renderer.domElement;
    const [width, height] = [canvas.clientWidth || canvas.width, canvas.clientHeight || canvas.height];
    const size = this.renderer.getSize(SIZE);
    if (size.x !== width || size.y !== height) {
      this.renderer.setPixelRatio(Math.min(globalThis.devicePixelRatio ?? 1, 2));
      this.renderer.setSize(width, height, false);
      this.camera.aspect = width / height;
      this.camera.updateProjectionMatrix();
    }
    this.renderer.render(this.scene, this.camera);
  }

  /** Draws again and again, and tells the time before, s; stopped by `stop`. What fails is thrown by the promise. */
  async play(frame: (now: number) => void | Promise<void>): Promise<void> {
    const play = (this.#plays += 1);
    const begin = performance.now();
    while (play === this.#plays) {
      await frame((performance.now() - begin) / 1000);
      if (play !== this.#plays) return;
      this.draw();
      await new Promise((drawn) => requestAnimationFrame(drawn));
    }
  }

  /** Ends what `play` began. */
  stop(): void {
    this.#plays += 1;
  }

  /** Gives back what the graphics card holds. */
  dispose(): void {
    this.stop();
    this.#sun.dispose();
    this.renderer.dispose();
  }
}
