// Walking through a scene: W A S D and the arrows, Q and E for height, drag to look.

import * as three from "three";

const KEYS: Record<string, [number, number, number]> = {
  w: [0, 0, -1],
  s: [0, 0, 1],
  a: [-1, 0, 0],
  d: [1, 0, 0],
  q: [0, -1, 0],
  e: [0, 1, 0],
  arrowup: [0, 0, -1],
  arrowdown: [0, 0, 1],
  arrowleft: [-1, 0, 0],
  arrowright: [1, 0, 0],
};

export class Walk {
  isOn = false;
  /** Metres in a second. */
  speed = 1;
  private readonly camera: three.PerspectiveCamera;
  private readonly down = new Set<string>();
  private last = 0;

  constructor(camera: three.PerspectiveCamera, canvas: HTMLElement, changed: () => void) {
    this.camera = camera;
    canvas.addEventListener("keydown", (event) => {
      const key = event.key.toLowerCase();
      if (!this.isOn || !(key in KEYS) || event.ctrlKey || event.metaKey) return;
      this.down.add(key);
      event.preventDefault();
      event.stopPropagation();
    });
    canvas.addEventListener("keyup", (event) => this.down.delete(event.key.toLowerCase()));
    canvas.addEventListener("blur", () => this.down.clear());
    canvas.addEventListener("pointermove", (event) => {
      if (!this.isOn || event.buttons === 0) return;
      const turn = new three.Euler().setFromQuaternion(camera.quaternion, "YXZ");
      turn.y -= event.movementX * 0.004;
      turn.x = Math.min(Math.max(turn.x - event.movementY * 0.004, -1.5), 1.5);
      camera.quaternion.setFromEuler(turn);
      changed();
    });
  }

  /** Moves on with what is pressed; whether anything is. */
  move(): boolean {
    const now = performance.now();
    const seconds = Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    if (!this.isOn || this.down.size === 0) return false;
    const step = new three.Vector3();
    for (const key of this.down) step.add(new three.Vector3(...(KEYS[key] ?? [0, 0, 0])));
    const rise = step.y;
    step.y = 0;
    step.applyQuaternion(this.camera.quaternion).setY(step.y + rise);
    this.camera.position.addScaledVector(step.normalize(), this.speed * seconds);
    return true;
  }
}
