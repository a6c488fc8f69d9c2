// A street with its cars, in ten lines.
import { City } from "proscenium/city";
import { CityObject, Stage } from "proscenium/three";

const stage = new Stage(document.querySelector("canvas") as HTMLCanvasElement, { shadows: 60 });
const city = await City.generate({ roads: 60, cars: 500, seed: 7 });
const streets = await CityObject.of(city);
const [viewer] = await city.drive(1);
if (!viewer) throw new Error("nobody drives here");
const [x, z] = viewer.position;
const [dx, dz] = viewer.direction;
stage.add(streets).look([x, 1.5, z], [x + dx, 1.45, z + dz]);
document.title = "driving";
await stage.play((now) => streets.advance(now, [viewer]));
