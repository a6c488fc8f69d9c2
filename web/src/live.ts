// A world that goes on while somebody looks at it: the camera goes up, what can
// be seen from there comes down as instances, and statistics with it. Every page
// on which the view matters uses this class.

import * as three from "three";
import { connection } from "./api";
import type { LiveBent, LiveHello, LiveMessage, LiveRequest, LiveShape, Problem } from "./types";
import { disposeOf, type Playable } from "./clip";
import { earth, geometryOf, materialOf } from "./finishes";
import { colours, type Surroundings } from "./look";
import { Plants } from "./plants";
import { Turf } from "./turf";

const HEADER = 4;
const POSE = 7;
/** Shadows are drawn so far around the viewer, m; less where one does not see far. */
const SHADED = 42;
/** What a packed message begins with, where a frame has its number. */
const PACKED = 0;
/** The stream was ended since nothing was heard, as from a page that nobody sees. */
const SILENT = 4408;

/** The instances of one shape. */
interface Crowd {
  mesh: three.InstancedMesh;
  colour: three.Color;
  owners: Uint32Array;
}

export class LiveScene implements Playable {
  readonly root = new three.Group();
  readonly duration = 0;
  readonly action = new three.Box3();
  readonly focus = new three.Box3();
  readonly rest = new three.Box3();
  readonly paths = new Map<string, three.Vector3[]>();
  /** Where to begin. */
  begin = { eye: new three.Vector3(0, 2, 10), target: new three.Vector3() };
  far = 200;
  /** How fast one walks, m/s. */
  readonly pace = 6;
  onChange: () => void = () => {};
  /** What the world is made of, first and whenever that has changed. */
  onHello: (hello: LiveHello) => void = () => {};
  /** How the world is doing. */
  onTold: (statistics: unknown) => void = () => {};
  /** The stream has ended. */
  onEnd: (problem: Problem) => void = () => {};
  /** How many frames have arrived, and how many instances the last one had. */
  frames = 0;
  instances = 0;
  time = 0;
  private socket: WebSocket;
  private readonly ground: three.Mesh;
  private readonly earth = earth();
  /** What was asked for, each by its name: it is asked for again after a break. */
  private readonly wishes = new Map<string, unknown>();
  private pacing: LiveRequest | null = null;
  private refusal: Problem | null = null;
  /** Messages are heard one after the other, also those that are unpacked first. */
  private heard: Promise<void> = Promise.resolve();
  private readonly lit = new three.Vector3(Infinity, 0, 0);
  private crowds: Crowd[] = [];
  private bent: Bent | null = null;
  private plants: Plants | null = null;
  /** The ground, and what grows on it. */
  groundColours: [string, string] | null = null;
  private turf: Turf | null = null;
  /** Where one cannot be: a place that is not allowed becomes one that is. */
  confine: (place: three.Vector3) => void = () => {};
  private camera: three.PerspectiveCamera | null = null;
  private sent = "";
  private hasEnded = false;

  constructor(
    private readonly world: string,
    readonly surroundings: Surroundings = "outdoors",
  ) {
    this.ground = new three.Mesh(new three.CircleGeometry(1, 64).rotateX(-Math.PI / 2), this.earth.material);
    this.ground.receiveShadow = true;
    // Most of it lies under something that is drawn before.
    this.ground.renderOrder = 2;
    this.root.add(this.ground);
    this.socket = this.open();
  }

  /** Low grass grows on the ground where that is green, and by this share where it is bare. */
  sow(bare: number): void {
    this.turf = new Turf(this.groundColours?.[1] ?? "#6b7a40", bare);
    this.root.add(this.turf.mesh);
  }

  private open(): WebSocket {
    const socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}/api/live/${this.world}`);
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", () => {
      if (this.pacing) this.say(this.pacing);
      for (const control of this.wishes.values()) this.say({ say: "control", control });
    });
    socket.addEventListener("message", (event) => {
      const data = event.data as string | ArrayBuffer;
      this.heard = this.heard.then(async () => {
        const message = await unpacked(data);
        if (socket === this.socket) this.hear(message);
      });
    });
    socket.addEventListener("close", (event) => void this.heard.then(() => this.closed(event.code)));
    return socket;
  }

  /** Goes on as soon as the studio answers again, unless it has refused to. */
  private async closed(code: number): Promise<void> {
    if (this.hasEnded) return;
    if (this.refusal && code !== SILENT) return this.end(this.refusal);
    this.refusal = null;
    if (document.hidden) await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
    else if (code !== SILENT) await connection.back();
    if (this.hasEnded) return;
    this.sent = "";
    this.socket = this.open();
  }

  /** Tells the world something that it understands. */
  control(control: object): void {
    const [name = ""] = Object.keys(control);
    this.wishes.delete(name);
    this.wishes.set(name, control);
    this.say({ say: "control", control });
  }

  /** Tells the world of something that happens now, and not again. */
  signal(control: object): void {
    this.say({ say: "control", control });
  }

  /** How fast time goes, and how many frames there are in a second at most. */
  setPace(speed: number, rate = 60): void {
    this.pacing = { say: "pace", speed, rate };
    this.say(this.pacing);
  }

  private say(request: LiveRequest): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(request));
  }

  private end(problem: Problem): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.onEnd(problem);
  }

  private hear(data: string | ArrayBuffer): void {
    if (data instanceof ArrayBuffer) return this.draw(data);
    const message = JSON.parse(data) as LiveMessage | Problem;
    if ("error" in message) this.refusal = message;
    else if (message.kind === "hello") this.meet(message);
    else this.onTold(message.statistics);
  }

  private meet(hello: LiveHello): void {
    for (const { mesh } of this.crowds) {
      mesh.removeFromParent();
      disposeOf(mesh);
    }
    this.crowds = hello.shapes.map((shape) => this.crowd(shape, 16));
    this.setStill(hello);
    this.setBent(hello.bent);
    this.plants?.dispose();
    this.plants = new Plants(hello.plants);
    this.root.add(this.plants.root);
    this.far = hello.far;
    this.begin = { eye: new three.Vector3(...hello.eye), target: new three.Vector3(...hello.target) };
    this.focus.set(new three.Vector3(...hello.bounds[0]), new three.Vector3(...hello.bounds[1]));
    this.lit.setX(Infinity);
    this.onHello(hello);
  }

  private crowd(shape: LiveShape, room: number, geometry = geometryOf(shape.solid)): Crowd {
    const material = materialOf(shape.finish);
    if ("mesh" in shape.solid) material.side = three.DoubleSide;
    const mesh = new three.InstancedMesh(geometry, material, room);
    mesh.userData.shape = shape;
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    // Only what can be seen is sent.
    mesh.frustumCulled = false;
    mesh.count = 0;
    this.root.add(mesh);
    return { mesh, colour: new three.Color(shape.colour), owners: new Uint32Array(0) };
  }

  /** What never moves is drawn once. */
  private setStill(hello: LiveHello): void {
    for (const old of this.root.children.filter((child) => child.userData.still)) {
      old.removeFromParent();
      disposeOf(old);
    }
    hello.shapes.forEach((shape, index) => {
      const still = hello.still.filter((one) => one.shape === index);
      if (still.length === 0) return;
      const { mesh } = this.crowd(shape, still.length);
      mesh.userData.still = true;
      mesh.count = still.length;
      (mesh.material as three.MeshStandardMaterial).color.set(shape.colour);
      still.forEach((one, place) => mesh.setMatrixAt(place, matrixOf(one.position, one.rotation, 0)));
    });
  }

  private setBent(bent: LiveBent | null): void {
    if (this.bent) {
      this.bent.mesh.removeFromParent();
      disposeOf(this.bent.mesh);
    }
    this.bent = bent ? new Bent(bent) : null;
    if (this.bent) this.root.add(this.bent.mesh);
  }

  private draw(data: ArrayBuffer): void {
    const whole = new Uint32Array(data);
    const numbers = new Float32Array(data);
    const [frame = 0, , count = 0, shapes = 0] = whole;
    this.time = numbers[1] ?? 0;
    const poses = HEADER + shapes;
    const marks = poses + POSE * count;
    let first = 0;
    this.crowds.forEach((_, shape) => {
      const many = shape < shapes ? (whole[HEADER + shape] ?? 0) : 0;
      this.place(shape, numbers.subarray(poses + POSE * first), whole.subarray(marks + 2 * first), many);
      first += many;
    });
    const after = marks + 2 * count;
    const [vertices = 0, parts = 0] = whole.subarray(after, after + 2);
    this.bent?.place(numbers.subarray(after + 2, after + 2 + 3 * vertices), whole.subarray(after + 2 + 3 * vertices));
    this.plants?.place(whole, numbers, after + 2 + 3 * vertices + parts);
    this.instances = count;
    this.frames += 1;
    this.sendView();
    this.onChange();
    // No more is asked for than is drawn: where pictures take long, frames come as seldom.
    requestAnimationFrame(() => this.say({ say: "ack", frame }));
  }

  private place(shape: number, poses: Float32Array, marks: Uint32Array, many: number): void {
    const crowd = this.roomFor(shape, many);
    if (!crowd) return;
    const { mesh } = crowd;
    const colour = new three.Color();
    crowd.owners = new Uint32Array(many);
    for (let index = 0; index < many; index += 1) {
      mesh.setMatrixAt(index, matrixOf(poses, poses, index * POSE));
      const own = marks[2 * index + 1] ?? 0;
      mesh.setColorAt(index, own === 0 ? crowd.colour : colour.setHex(own & 0xffffff));
      crowd.owners[index] = marks[2 * index] ?? 0;
    }
    mesh.count = many;
    mesh.boundingSphere = null;
    mesh.instanceMatrix.needsUpdate = true;
    if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
  }

  /** A crowd with room for so many. */
  private roomFor(shape: number, many: number): Crowd | undefined {
    const crowd = this.crowds[shape];
    if (!crowd || many <= crowd.mesh.instanceMatrix.count) return crowd;
    const { mesh } = crowd;
    mesh.removeFromParent();
    const larger = this.crowd(mesh.userData.shape as LiveShape, 2 * many, mesh.geometry);
    (mesh.material as three.Material).dispose();
    mesh.dispose();
    this.crowds[shape] = larger;
    return larger;
  }

  /** Tells from where one looks, if that has changed. */
  private sendView(): void {
    const { camera } = this;
    if (!camera || this.socket.readyState !== WebSocket.OPEN) return;
    const forward = camera.getWorldDirection(new three.Vector3());
    const round = (value: number) => Math.round(value * 1e4) / 1e4;
    const view: LiveRequest = {
      say: "view",
      position: [round(camera.position.x), round(camera.position.y), round(camera.position.z)],
      forward: [round(forward.x), round(forward.y), round(forward.z)],
      fov_y: (camera.fov * Math.PI) / 180,
      aspect: camera.aspect,
      far: this.far,
    };
    const text = JSON.stringify(view);
    if (text === this.sent) return;
    this.sent = text;
    this.socket.send(text);
  }

  /** Follows the camera; whether the light should follow too. */
  look(camera: three.PerspectiveCamera): boolean {
    this.camera = camera;
    this.confine(camera.position);
    // The first view starts the stream; later ones go with every frame.
    if (this.sent === "" && this.plants) this.sendView();
    this.ground.position.set(camera.position.x, -0.02, camera.position.z);
    this.ground.scale.setScalar(this.far * 1.1);
    this.turf?.follow(camera.position);
    const ahead = camera.getWorldDirection(new three.Vector3()).setY(0).normalize();
    const shaded = Math.min(SHADED, this.far / 5);
    // A small world is lit as a whole, so that its shadows are fine.
    const isSmall = this.focus.getSize(new three.Vector3()).length() < 2 * shaded;
    const middle = isSmall ? this.focus.getCenter(new three.Vector3()) : camera.position.clone().setY(0).addScaledVector(ahead, shaded * 0.6);
    if (middle.distanceTo(this.lit) < shaded * 0.2) return false;
    this.lit.copy(middle);
    const height = Math.min(12, shaded);
    if (isSmall) this.action.copy(this.focus);
    else this.action.setFromCenterAndSize(middle.setY(height / 2), new three.Vector3(2 * shaded, height, 2 * shaded));
    const [ground, overgrown] = this.groundColours ?? [colours().ground, colours().ground];
    this.earth.material.color.set(ground);
    this.earth.overgrown.set(overgrown);
    return true;
  }

  show(): void {}

  /** Which of what grows a line of sight meets first. */
  plantAt(ray: three.Ray): number | null {
    return this.plants?.at(ray) ?? null;
  }

  /** How many of what grows are shown. */
  get plantCount(): number {
    return this.plants?.count ?? 0;
  }

  bodyOf(hit: three.Intersection): string | null {
    const crowd = this.crowds.find(({ mesh }) => mesh === hit.object);
    if (this.bent && hit.object === this.bent.mesh) return String(this.bent.partOf(hit.face?.a ?? 0));
    const owner = crowd?.owners[hit.instanceId ?? -1];
    return owner === undefined ? null : String(owner);
  }

  boxOf(name: string): three.Box3 | null {
    const [owner, box, matrix] = [Number(name), new three.Box3(), new three.Matrix4()];
    for (const { mesh, owners } of this.crowds) {
      owners.forEach((one, index) => {
        if (one !== owner) return;
        if (!mesh.geometry.boundingBox) mesh.geometry.computeBoundingBox();
        mesh.getMatrixAt(index, matrix);
        if (mesh.geometry.boundingBox) box.union(mesh.geometry.boundingBox.clone().applyMatrix4(matrix));
      });
    }
    if (box.isEmpty() && this.bent) return this.bent.boxOf(owner);
    if (box.isEmpty() && this.plants) return this.plants.boxOf(owner);
    return box.isEmpty() ? null : box;
  }

  dispose(): void {
    this.hasEnded = true;
    this.socket.close();
    disposeOf(this.root);
  }
}

/** A mesh whose every vertex moves. */
class Bent {
  readonly mesh: three.Mesh;
  private readonly parts: number[];
  private readonly colours: three.Color[];

  constructor(bent: LiveBent) {
    this.parts = bent.parts;
    this.colours = bent.colours.map((colour) => new three.Color(colour));
    const geometry = new three.BufferGeometry();
    const count = bent.parts.reduce((sum, part) => sum + part, 0);
    for (const name of ["position", "color"]) geometry.setAttribute(name, new three.BufferAttribute(new Float32Array(3 * count), 3));
    geometry.setIndex(bent.indices);
    this.mesh = new three.Mesh(geometry, new three.MeshStandardMaterial({ roughness: 0.8, side: three.DoubleSide, vertexColors: true }));
    // Sheets are lit from both sides, and would shade themselves.
    this.mesh.castShadow = true;
    this.mesh.frustumCulled = false;
  }

  /** Which part a vertex belongs to. */
  partOf(vertex: number): number {
    let left = vertex;
    return this.parts.findIndex((part) => (left -= part) < 0);
  }

  /** Puts every vertex where it is now, and gives each part its colour. */
  place(positions: Float32Array, marks: Uint32Array): void {
    const { geometry } = this.mesh;
    const [places, shades] = [geometry.getAttribute("position"), geometry.getAttribute("color")];
    if (positions.length !== places.array.length) return;
    places.array.set(positions);
    places.needsUpdate = true;
    const own = new three.Color();
    let vertex = 0;
    this.parts.forEach((part, index) => {
      const mark = marks[index] ?? 0;
      const colour = mark === 0 ? this.colours[index] : own.setHex(mark & 0xffffff);
      for (const end = vertex + part; vertex < end; vertex += 1) if (colour) shades.setXYZ(vertex, colour.r, colour.g, colour.b);
    });
    shades.needsUpdate = true;
    geometry.computeVertexNormals();
    geometry.boundingSphere = null;
  }

  boxOf(part: number): three.Box3 | null {
    const first = this.parts.slice(0, part).reduce((sum, count) => sum + count, 0);
    const places = this.mesh.geometry.getAttribute("position");
    const box = new three.Box3();
    for (let vertex = first; vertex < first + (this.parts[part] ?? 0); vertex += 1) box.expandByPoint(new three.Vector3().fromBufferAttribute(places, vertex));
    return box.isEmpty() ? null : box;
  }
}

const ONE = new three.Vector3(1, 1, 1);
const [place, turn, made] = [new three.Vector3(), new three.Quaternion(), new three.Matrix4()];

/** A place and a rotation that stand beside each other, or in two lists. */
function matrixOf(position: ArrayLike<number>, rotation: ArrayLike<number>, at: number): three.Matrix4 {
  place.fromArray(position, at);
  turn.fromArray(rotation, position === rotation ? at + 3 : at);
  return made.compose(place, turn, ONE);
}

/** A message as it was before it was packed. */
async function unpacked(data: string | ArrayBuffer): Promise<string | ArrayBuffer> {
  if (typeof data === "string" || new Uint32Array(data, 0, 1)[0] !== PACKED) return data;
  const stream = new Blob([new Uint8Array(data, 4)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}
