// A city as an object of three.js: its streets, and the cars in view.

import { Color, Group, type Material, Matrix4, Quaternion, Vector3 } from "three";
import { CAR, type City, type Viewer } from "../city-orders.js";
import { disposeOf, load, meshes } from "./gltf.js";
import { Instances } from "./instances.js";

const COLOURS = ["#c8302a", "#2a4f9c", "#e8e6df", "#26282b", "#d9a02a", "#3b7a4a", "#8b9096"].map((colour) => new Color(colour));
const ONE = new Vector3(1, 1, 1);

/** A city: what `proscenium/city` makes. */
export class CityObject extends Group {
  #city: City;
  #parts: { instances: Instances; place: Matrix4; isPainted: boolean }[];
  /** The cars that were shown last, a row of `CAR` numbers each. */
  cars: Float32Array<ArrayBuffer> = new Float32Array();

  private constructor(city: City, streets: Group, car: Group) {
    super();
    this.#city = city;
    this.add(streets);
    car.updateMatrixWorld(true);
    this.#parts = meshes(car).map((mesh) => {
      const material = mesh.material as Material & { color?: Color };
      const isPainted = material.name === "paint";
      if (isPainted) material.color?.set("#ffffff");
      const instances = new Instances(mesh.geometry, material);
      this.add(instances);
      return { instances, place: mesh.matrixWorld.clone(), isPainted };
    });
  }

  /** The streets within a distance of a place (x and z, m), or all of them, and cars. */
  static async of(city: City, part: { around?: readonly [number, number]; within?: number } = {}): Promise<CityObject> {
    const look = await city.look(part);
    const [streets, car] = await Promise.all([load(look.streets), load(look.car)]);
    return new CityObject(city, streets.scene, car.scene);
  }

  /** Goes on to a time, s, and shows the cars that viewers see. */
  async advance(now: number, views: readonly Viewer[]): Promise<void> {
    this.cars = await this.#city.advance(now, views);
    const [place, turn, car, part] = [new Vector3(), new Quaternion(), new Matrix4(), new Matrix4()];
    for (const { instances } of this.#parts) instances.begin();
    for (let at = 0; at < this.cars.length; at += CAR) {
      car.compose(place.fromArray(this.cars, at + 1), turn.fromArray(this.cars, at + 4), ONE);
      const colour = COLOURS[(this.cars[at] ?? 0) % COLOURS.length];
      for (const { instances, place, isPainted } of this.#parts)
        instances.push(part.multiplyMatrices(car, place), isPainted ? colour : undefined);
    }
    for (const { instances } of this.#parts) instances.end();
  }

  /** Gives back what the graphics card holds; the city goes on. */
  dispose(): void {
    for (const { instances } of this.#parts) instances.dispose();
    disposeOf(this);
  }
}
