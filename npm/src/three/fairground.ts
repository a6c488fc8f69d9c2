// A fairground as an object of three.js: the rides in view.

import {
  BoxGeometry, BufferAttribute, BufferGeometry, CatmullRomCurve3, Color, Group, Matrix4, Mesh, MeshStandardMaterial,
  type PerspectiveCamera, Quaternion, SphereGeometry, TubeGeometry, Vector3,
} from "three";
import { type Fairground, PART, type Ride, type RidePart, type RideView } from "../cull-orders.js";
import { disposeOf } from "./gltf.js";
import { Instances } from "./instances.js";

const ONE = new Vector3(1, 1, 1);
/** How thick rails are, m, and how many pieces a point of them has. */
const RAIL = 0.14;
const PIECES = 2;

/** A fairground: what `proscenium/cull` makes. */
export class FairgroundObject extends Group {
  #ground: Fairground;
  #looks = new Map<Ride, (Instances | undefined)[]>();
  #known = new Set<number>();

  constructor(ground: Fairground) {
    super();
    this.#ground = ground;
  }

  /** What a camera of three.js sees, as the fairground is asked. */
  static view(camera: PerspectiveCamera): RideView {
    const ahead = camera.getWorldDirection(new Vector3());
    const { x, y, z } = camera.getWorldPosition(new Vector3());
    return {
      eye: [x, y, z],
      target: [x + ahead.x, y + ahead.y, z + ahead.z],
      fov: (camera.fov * Math.PI) / 180,
      aspect: camera.aspect,
      far: camera.far,
    };
  }

  /** Goes on to a time, s, and shows what cameras see. */
  async advance(now: number, views: readonly RideView[]): Promise<void> {
    const { parts } = await this.#ground.advance(now, views);
    const [place, turn, matrix] = [new Vector3(), new Quaternion(), new Matrix4()];
    for (const look of this.#looks.values()) for (const part of look) part?.begin();
    for (let at = 0; at < parts.length; at += PART) {
      const ride = this.#ground.rides.get(parts[at] ?? -1);
      if (!ride) continue;
      const part = this.#look(ride)[parts[at + 1] ?? 0];
      part?.push(matrix.compose(place.fromArray(parts, at + 2), turn.fromArray(parts, at + 5), ONE));
    }
    for (const look of this.#looks.values()) for (const part of look) part?.end();
  }

  /** Adds what of a ride does not move: its rails, where it stands. */
  rails(number: number, position: readonly [number, number, number], turn = 0): void {
    const ride = this.#ground.rides.get(number);
    if (!ride?.track.length || this.#known.has(number)) return;
    this.#known.add(number);
    const points: Vector3[] = [];
    for (let at = 0; at < ride.track.length; at += 3) points.push(new Vector3().fromArray(ride.track, at).add(new Vector3(0, -0.55, 0)));
    const curve = new CatmullRomCurve3(points, true);
    const rails = new Mesh(new TubeGeometry(curve, PIECES * points.length, RAIL, 8, true), new MeshStandardMaterial({ color: "#c8503a", roughness: 0.5 }));
    rails.position.set(...position);
    rails.rotation.y = turn;
    rails.castShadow = true;
    this.add(rails);
  }

  #look(ride: Ride): (Instances | undefined)[] {
    const known = this.#looks.get(ride);
    if (known) return known;
    const look = ride.parts.map((part) => {
      if (!part.shape) return undefined;
      const [red = 0, green = 0, blue = 0] = part.colour;
      const colour = new Color().setRGB(red, green, blue, "srgb");
      const instances = new Instances(geometry(part.shape), new MeshStandardMaterial({ color: colour, roughness: 0.6 }));
      this.add(instances);
      return instances;
    });
    this.#looks.set(ride, look);
    for (const part of look) part?.begin();
    return look;
  }

  /** Gives back what the graphics card holds; the fairground goes on. */
  dispose(): void {
    for (const look of this.#looks.values()) for (const part of look) part?.dispose();
    disposeOf(this);
  }
}

function geometry(shape: NonNullable<RidePart["shape"]>): BufferGeometry {
  if ("box" in shape) return new BoxGeometry(shape.box[0], shape.box[1], shape.box[2]);
  if ("ball" in shape) return new SphereGeometry(shape.ball, 20, 14);
  const mesh = new BufferGeometry();
  mesh.setAttribute("position", new BufferAttribute(shape.positions, 3));
  mesh.setIndex(new BufferAttribute(shape.triangles, 1));
  const flat = mesh.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}
