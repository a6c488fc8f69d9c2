// An animation of the engine as an object of three.js.

import { AnimationMixer, Group } from "three";
import { disposeOf, load } from "./gltf.js";

/** A clip: what `simulate` and `direct` give as binary glTF. */
export class ClipObject extends Group {
  /** How long it is, s. */
  readonly duration: number;
  #mixer: AnimationMixer;

  private constructor(scene: Group, mixer: AnimationMixer, duration: number) {
    super();
    this.add(scene);
    this.#mixer = mixer;
    this.duration = duration;
  }

  /** Reads a clip from binary glTF. */
  static async of(glb: Uint8Array): Promise<ClipObject> {
    const { scene, animations } = await load(glb);
    const mixer = new AnimationMixer(scene);
    for (const animation of animations) mixer.clipAction(animation).play();
    const clip = new ClipObject(scene, mixer, Math.max(0, ...animations.map((animation) => animation.duration)));
    clip.at(0);
    return clip;
  }

  /** Shows a time, s; after the end, the end. */
  at(time: number): void {
    // A mixer begins again at its end.
    this.#mixer.setTime(Math.min(Math.max(time, 0), this.duration * (1 - 1e-6)));
  }

  /** Gives back what the graphics card holds. */
  dispose(): void {
    this.#mixer.stopAllAction();
    disposeOf(this);
  }
}
