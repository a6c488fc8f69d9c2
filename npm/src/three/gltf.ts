// Binary glTF of the engine as objects that throw shadows.

import { type AnimationClip, type Group, Mesh, type Object3D } from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";

/** Reads binary glTF. */
export async function load(glb: Uint8Array): Promise<{ scene: Group; animations: AnimationClip[] }> {
  const { scene, animations } = await new GLTFLoader().parseAsync(glb.slice().buffer, "");
  for (const mesh of meshes(scene)) {
    mesh.castShadow = true;
    mesh.receiveShadow = true;
  }
  return { scene, animations };
}

/** All meshes of an object. */
export function meshes(object: Object3D): Mesh[] {
  const found: Mesh[] = [];
  object.traverse((one) => {
    if (one instanceof Mesh) found.push(one);
  });
  return found;
}

/** Gives back what the graphics card holds of an object. */
export function disposeOf(object: Object3D): void {
  for (const mesh of meshes(object)) {
    mesh.geometry.dispose();
    for (const material of Array.isArray(mesh.material) ? mesh.material : [mesh.material]) material.dispose();
  }
}
