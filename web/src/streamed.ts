// A clip with very many bodies: drawn as instances, moved by frames that the
// server sends at the pace at which they are drawn.

import * as three from "three";
import type { MotionHello, MotionRequest } from "./types";
import { disposeOf, type Playable } from "./clip";

/** With more moving bodies than this, motion is streamed. */
export const MANY = 300;

const HEADER = 12;
const NUMBERS = 7;

/** A place among the instances of a mesh. */
interface Seat {
  mesh: three.InstancedMesh;
  index: number;
}

export class StreamedClip implements Playable {
  readonly root = new three.Group();
  readonly duration: number;
  readonly action: three.Box3;
  readonly focus: three.Box3;
  readonly rest: three.Box3;
  readonly paths: Map<string, three.Vector3[]>;
  onChange: () => void = () => {};
  /** The motion is not there any more. */
  onEnd: () => void = () => {};
  private hasLeft = false;
  private socket: WebSocket;
  private readonly seats = new Map<string, Seat>();
  private readonly scales = new Map<string, three.Vector3>();
  private nodes: string[] = [];
  private wanted: number | null = null;
  private underWay = false;
  /** How many frames have arrived; tests look at it. */
  frames = 0;

  constructor(
    clip: Playable,
    private readonly take: string,
  ) {
    this.duration = clip.duration;
    this.action = clip.action;
    this.focus = clip.focus;
    this.rest = clip.rest;
    this.paths = clip.paths;
    this.gather(clip.root);
    this.socket = this.open();
  }

  private open(): WebSocket {
    const socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}/api/takes/${this.take}/motion`);
    let wasOpen = false;
    this.underWay = false;
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", () => (wasOpen = true));
    socket.addEventListener("message", (event) => this.hear(event.data as string | ArrayBuffer));
    socket.addEventListener("close", () => {
      if (this.hasLeft) return;
      // A stream that was silent for long is opened again when it is looked at.
      if (!wasOpen) this.onEnd();
      else if (this.wanted !== null || this.underWay) this.socket = this.open();
    });
    return socket;
  }

  /** Bodies of one shape and material become instances of one mesh. */
  private gather(root: three.Object3D): void {
    const alike = new Map<string, three.Mesh[]>();
    root.updateMatrixWorld(true);
    root.traverse((thing) => {
      if (!(thing instanceof three.Mesh)) return;
      const key = `${thing.geometry.uuid} ${(thing.material as three.Material).uuid}`;
      alike.set(key, [...(alike.get(key) ?? []), thing]);
    });
    for (const meshes of alike.values()) {
      const first = meshes[0];
      if (!first) continue;
      const mesh = new three.InstancedMesh(first.geometry, first.material, meshes.length);
      mesh.castShadow = mesh.receiveShadow = true;
      mesh.frustumCulled = false;
      meshes.forEach((one, index) => {
        mesh.setMatrixAt(index, one.matrixWorld);
        this.seats.set(one.name, { mesh, index });
        this.scales.set(one.name, one.getWorldScale(new three.Vector3()));
      });
      mesh.userData.names = meshes.map((one) => one.name);
      this.root.add(mesh);
    }
  }

  private hear(data: string | ArrayBuffer): void {
    if (typeof data === "string") {
      const hello = JSON.parse(data) as MotionHello;
      this.nodes = hello.nodes ?? [];
      this.askNext();
      return;
    }
    const [frame = 0] = new Uint32Array(data, 0, 1);
    this.say({ say: "ack", frame });
    this.place(new Float32Array(data, HEADER));
    this.frames += 1;
    this.onChange();
    this.underWay = false;
    this.askNext();
  }

  private place(numbers: Float32Array): void {
    const [position, rotation, matrix] = [new three.Vector3(), new three.Quaternion(), new three.Matrix4()];
    const one = new three.Vector3(1, 1, 1);
    const touched = new Set<three.InstancedMesh>();
    this.nodes.forEach((name, node) => {
      const seat = this.seats.get(name) ?? this.seats.get(three.PropertyBinding.sanitizeNodeName(name));
      if (!seat) return;
      position.fromArray(numbers, node * NUMBERS);
      rotation.fromArray(numbers, node * NUMBERS + 3);
      seat.mesh.setMatrixAt(seat.index, matrix.compose(position, rotation, this.scales.get(name) ?? one));
      touched.add(seat.mesh);
    });
    for (const mesh of touched) mesh.instanceMatrix.needsUpdate = true;
  }

  private say(request: MotionRequest): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(request));
  }

  /** Asks for the time that is wanted by now; what lies between is passed over. */
  private askNext(): void {
    if (this.wanted === null || this.underWay || this.nodes.length === 0) return;
    this.underWay = true;
    this.say({ say: "show", time: this.wanted });
    this.wanted = null;
  }

  show(time: number): void {
    this.wanted = Math.min(Math.max(time, 0), this.duration);
    if (this.socket.readyState === WebSocket.CLOSED) this.socket = this.open();
    this.askNext();
  }

  bodyOf(hit: three.Intersection): string | null {
    const names = hit.object.userData.names as string[] | undefined;
    return names?.[hit.instanceId ?? -1] ?? null;
  }

  boxOf(name: string): three.Box3 | null {
    const seat = this.seats.get(name);
    if (!seat) return null;
    const matrix = new three.Matrix4();
    seat.mesh.getMatrixAt(seat.index, matrix);
    seat.mesh.geometry.computeBoundingBox();
    return seat.mesh.geometry.boundingBox?.clone().applyMatrix4(matrix) ?? null;
  }

  dispose(): void {
    this.hasLeft = true;
    this.socket.close();
    disposeOf(this.root);
  }
}
