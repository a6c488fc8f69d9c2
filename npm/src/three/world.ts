// A world of rigid bodies as an object of three.js.

import { Group, type Object3D } from "three";
import { BODY, type World } from "../rigid-orders.js";
import { disposeOf, load } from "./gltf.js";

/** A world that goes on: what `proscenium/rigid` makes. */
export class WorldObject extends Group {
  #world: World;
  #bodies: (Object3D | undefined)[];

  private constructor(world: World, scene: Group) {
    super();
    this.add(scene);
    this.#world = world;
    // Nodes are bodies in their order; what is written on them hangs on them.
    const named = new Map(scene.children.map((child) => [(child.userData.name as string | undefined) ?? child.name, child]));
    // What is fixed stays: a floor without an end is drawn where things happen.
    this.#bodies = world.bodies.map(({ name, fixed }) => (fixed ? undefined : named.get(name)));
  }

  /** The look of a world. */
  static async of(world: World): Promise<WorldObject> {
    return new WorldObject(world, (await load(await world.look())).scene);
  }

  /** Goes on to a time, s, and shows it. */
  async advance(now: number): Promise<void> {
    const rows = await this.#world.advance(now);
    this.#bodies.forEach((body, index) => {
      const at = BODY * index;
      if (!body) return;
      body.visible = !Number.isNaN(rows[at]);
      if (!body.visible) return;
      body.position.fromArray(rows, at);
      body.quaternion.fromArray(rows, at + 3);
    });
  }

  /** Gives back what the graphics card holds; the world goes on. */
  dispose(): void {
    disposeOf(this);
  }
}
