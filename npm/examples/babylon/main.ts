// A simulated scene in Babylon, as glTF.
import { Engine, Scene } from "@babylonjs/core";
import { AppendSceneAsync } from "@babylonjs/core/Loading/sceneLoader";
import "@babylonjs/core/Helpers/sceneHelpers";
import "@babylonjs/loaders/glTF";
import { simulate } from "proscenium/direct";

const canvas = document.querySelector("canvas") as HTMLCanvasElement;
const engine = new Engine(canvas, true);
const scene = new Scene(engine);
const { glb } = await simulate({ scene: "dominoes", seed: 1 });
await AppendSceneAsync(new File([glb], "dominoes.glb"), scene);
scene.createDefaultCameraOrLight(true, true, true);
for (const animation of scene.animationGroups) animation.start(true);
engine.runRenderLoop(() => scene.render());
document.title = "playing";
