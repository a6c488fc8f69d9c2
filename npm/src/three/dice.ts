// Dice in three.js: a tray, its light, and throws that are played in it.

import {
  AmbientLight, BufferAttribute, BufferGeometry, CanvasTexture, Color, DirectionalLight, Group, Matrix4, Mesh,
  MeshStandardMaterial, PCFShadowMap, PerspectiveCamera, PlaneGeometry, Quaternion, Scene, SRGBColorSpace,
  Vector2, Vector3, WebGLRenderer,
} from "three";
import { RoundedBoxGeometry } from "three/examples/jsm/geometries/RoundedBoxGeometry.js";
import { type Face, type Label, type Solid, type Throw, type ThrownSolid, solid as shapeOf } from "../dice.js";

/** How dice and their tray look. */
export interface DiceLook {
  /** Colours of the dice, taken in turn. */
  dice?: readonly string[];
  /** The colour of numbers. */
  numbers?: string;
  /** The colour of the felt. */
  felt?: string;
  /** Whether the drawing is kept, to be read back as a picture. */
  keep?: boolean;
}

/** How a throw is played. */
export interface PlayOptions {
  /** How fast; 1 is as it was simulated. */
  speed?: number;
}

/** Plays throws in a canvas. Add what you like to `scene`. */
export class DiceView {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(35, 1, 0.05, 20);
  readonly renderer: WebGLRenderer;
  #look: Required<DiceLook>;
  #light = new DirectionalLight("#fff4e0", 2.6);
  #felt: Mesh;
  #dice: { group: Group; solid: ThrownSolid }[] = [];
  #labels = new Map<string, MeshStandardMaterial>();
  #frame = 0;
  #plays = 0;

  constructor(canvas: HTMLCanvasElement, look: DiceLook = {}) {
    this.#look = { dice: ["#b3262e", "#1f4f8f", "#e8e2d0", "#2f6b3c", "#3a2a4f"], numbers: "", felt: "#2b5d43", keep: false, ...look };
    this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: this.#look.keep });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.scene.background = new Color("#16181c");
    this.#felt = new Mesh(new PlaneGeometry(1, 1), new MeshStandardMaterial({ color: this.#look.felt, roughness: 1 }));
    this.#felt.rotation.x = -Math.PI / 2;
    this.#felt.receiveShadow = true;
    this.#light.castShadow = true;
    this.#light.shadow.mapSize.set(2048, 2048);
    this.#light.shadow.bias = -0.0002;
    this.#light.shadow.normalBias = 0.0004;
    this.scene.add(this.#felt, this.#light, this.#light.target, new AmbientLight("#c8d4ff", 1.1));
  }

  /** Plays a throw; fulfilled when all dice lie, or when another throw is played. */
  async play(throw1: Throw, options: PlayOptions = {}): Promise<void> {
    const speed = options.speed ?? 1;
    const play = (this.#plays += 1);
    cancelAnimationFrame(this.#frame);
    await this.show(throw1, 0);
    if (play !== this.#plays) return;
    await new Promise<void>((resolve) => {
      let start: number | undefined;
      const draw = (now: number) => {
        if (play !== this.#plays) return resolve();
        start ??= now;
        const time = Math.min(((now - start) / 1000) * speed, throw1.duration);
        this.at(time);
        if (time >= throw1.duration) return resolve();
        this.#frame = requestAnimationFrame(draw);
      };
      this.#frame = requestAnimationFrame(draw);
    });
  }

  /** Puts a throw into the tray as it is at a time, s, and draws it. */
  async show(throw1: Throw, time: number): Promise<void> {
    const shapes = await Promise.all(throw1.solids.map((one) => shapeOf(one.solid, one.tens)));
    this.#clear();
    this.#dice = throw1.solids.map((one, index) => ({ group: this.#die(shapes[index] as Solid, one), solid: one }));
    for (const { group } of this.#dice) this.scene.add(group);
    this.#frameTray(throw1.tray);
    this.at(time);
  }

  /** Draws the throw that was shown last, at a time, s. */
  at(time: number): void {
    for (const { group, solid } of this.#dice) pose(group, solid, time);
    this.#resize();
    this.renderer.render(this.scene, this.camera);
  }

  /** Gives back what the graphics card holds. */
  dispose(): void {
    this.#plays += 1;
    cancelAnimationFrame(this.#frame);
    this.#clear();
    for (const material of this.#labels.values()) {
      material.map?.dispose();
      material.dispose();
    }
    this.#labels.clear();
    this.#felt.geometry.dispose();
    (this.#felt.material as MeshStandardMaterial).dispose();
    this.#light.dispose();
    this.renderer.dispose();
  }

  #clear(): void {
    for (const { group } of this.#dice) {
      this.scene.remove(group);
      group.traverse((part) => part instanceof Mesh && part.geometry.dispose());
      const body = group.children[0] as Mesh | undefined;
      (body?.material as MeshStandardMaterial | undefined)?.dispose();
    }
    this.#dice = [];
  }

  #frameTray([width, depth]: [number, number]): void {
    this.#felt.scale.set(width, depth, 1);
    const size = Math.max(width, depth);
    this.camera.position.set(0, 1.45 * size, 0.95 * size);
    this.camera.lookAt(0, 0, 0.02 * size);
    this.#light.position.set(-0.5 * size, 1.6 * size, 0.6 * size);
    const eye = this.#light.shadow.camera;
    [eye.left, eye.right, eye.bottom, eye.top, eye.near, eye.far] = [-0.8 * size, 0.8 * size, -0.8 * size, 0.8 * size, 0.1 * size, 4 * size];
    eye.updateProjectionMatrix();
  }

  #resize(): void {
    const canvas = this.renderer.domElement;
    const [width, height] = [canvas.clientWidth || canvas.width, canvas.clientHeight || canvas.height];
    const size = this.renderer.getSize(SIZE);
    if (size.x === width && size.y === height) return;
    this.renderer.setPixelRatio(Math.min(globalThis.devicePixelRatio ?? 1, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  #die(shape: Solid, one: ThrownSolid): Group {
    const colour = this.#look.dice[one.die % this.#look.dice.length] ?? "#b3262e";
    const group = new Group();
    const body = new Mesh(bodyOf(shape), new MeshStandardMaterial({ color: colour, roughness: 0.35 }));
    body.castShadow = true;
    body.receiveShadow = true;
    group.add(body);
    const ink = this.#look.numbers || (brightness(colour) > 0.5 ? "#1a1a1a" : "#fdfaf0");
    for (const face of shape.faces) for (const label of face.labels) group.add(this.#label(face, label, ink));
    return group;
  }

  #label(face: Face, label: Label, ink: string): Mesh {
    const key = `${ink} ${label.text}`;
    let material = this.#labels.get(key);
    if (!material) {
      material = new MeshStandardMaterial({ map: letters(label.text, ink), transparent: true, roughness: 0.6, polygonOffset: true, polygonOffsetFactor: -2 });
      this.#labels.set(key, material);
    }
    const mesh = new Mesh(new PlaneGeometry(2 * label.height, label.height), material);
    const [normal, up] = [new Vector3().fromArray(face.normal), new Vector3().fromArray(label.up)];
    const right = new Vector3().crossVectors(up, normal);
    mesh.quaternion.setFromRotationMatrix(new Matrix4().makeBasis(right, up, normal));
    mesh.position.fromArray(label.place).addScaledVector(normal, 2e-5);
    return mesh;
  }
}

const SIZE = new Vector2();
const START = new Quaternion();
const END = new Quaternion();

/** Puts an object where a solid is at a time: straight between keys, and along the shorter arc. */
export function pose(object: { position: Vector3; quaternion: Quaternion }, solid: ThrownSolid, time: number): void {
  const { times, positions, rotations } = solid;
  let after = times.findIndex((key) => key > time);
  if (after < 0) after = times.length;
  const before = Math.max(after - 1, 0);
  after = Math.min(after, times.length - 1);
  const [from, to] = [times[before] ?? 0, times[after] ?? 0];
  const share = to > from ? Math.max(0, (time - from) / (to - from)) : 0;
  START.fromArray(rotations, 4 * before);
  object.quaternion.copy(START.slerp(END.fromArray(rotations, 4 * after), share));
  const at = (axis: number) => {
    const [a, b] = [positions[3 * before + axis] ?? 0, positions[3 * after + axis] ?? 0];
    return a + share * (b - a);
  };
  object.position.set(at(0), at(1), at(2));
}

function bodyOf(shape: Solid): BufferGeometry {
  if (shape.rounding > 0) {
    const edge = 2 * Math.max(...(shape.faces[0]?.corners ?? [0]));
    return new RoundedBoxGeometry(edge, edge, edge, 4, shape.rounding);
  }
  const [places, normals]: number[][] = [[], []];
  for (const { corners, normal } of shape.faces) {
    for (let corner = 1; corner + 1 < corners.length / 3; corner += 1) {
      for (const index of [0, corner, corner + 1]) {
        places?.push(...corners.subarray(3 * index, 3 * index + 3));
        normals?.push(...normal);
      }
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(places ?? []), 3));
  geometry.setAttribute("normal", new BufferAttribute(new Float32Array(normals ?? []), 3));
  return geometry;
}

/** Letters twice as wide as high, on nothing. */
function letters(text: string, ink: string): CanvasTexture {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [256, 128];
  const context = canvas.getContext("2d");
  if (context) {
    context.fillStyle = ink;
    context.font = "bold 118px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(text, 128, 70);
  }
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  texture.anisotropy = 8;
  return texture;
}

function brightness(colour: string): number {
  const { r, g, b } = new Color(colour);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
