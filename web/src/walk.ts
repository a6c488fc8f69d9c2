// Walking through a scene: W A S D, Q and E for height; the arrows walk and turn,
// Page Up and Page Down tilt the look, dragging looks around, Shift runs.

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
};

/** Keys that turn the look: sideways and upwards. */
const TURNS: Record<string, [number, number]> = {
  arrowleft: [1, 0],
  arrowright: [-1, 0],
  pageup: [0, 1],
  pagedown: [0, -1],
};

/** How fast keys turn the look, rad/s. */
const TURN_SPEED = 1.4;

export class Walk {
  isOn = false;
  /** Metres in a second. */
  speed = 1;
  /** Looking up or down does not lift one off the ground. */
  isLevel = false;
  /** Somebody walks, or looks around. */
  onUse: () => void = () => {};
  private isRunning = false;
  private readonly camera: three.PerspectiveCamera;
  private readonly down = new Set<string>();
  private last = 0;

  constructor(camera: three.PerspectiveCamera, canvas: HTMLElement, changed: () => void) {
    this.camera = camera;
    canvas.addEventListener("keydown", (event) => {
      const key = event.key.toLowerCase();
      this.isRunning = event.shiftKey;
      if (!this.isOn || !(key in KEYS || key in TURNS) || event.ctrlKey || event.metaKey) return;
      this.down.add(key);
      this.onUse();
      event.preventDefault();
      event.stopPropagation();
    });
    canvas.addEventListener("keyup", (event) => {
      this.isRunning = event.shiftKey;
      this.down.delete(event.key.toLowerCase());
    });
    canvas.addEventListener("blur", () => this.down.clear());
    canvas.addEventListener("pointermove", (event) => {
      if (!this.isOn || event.buttons === 0) return;
      this.onUse();
      this.turn(-event.movementX * 0.004, -event.movementY * 0.004);
      changed();
    });
  }

  private turn(aside: number, up: number): void {
    const turn = new three.Euler().setFromQuaternion(this.camera.quaternion, "YXZ");
    turn.y += aside;
    turn.x = Math.min(Math.max(turn.x + up, -1.5), 1.5);
    this.camera.quaternion.setFromEuler(turn);
  }

  /** Moves on with what is pressed; whether anything is. */
  move(): boolean {
    const now = performance.now();
    const seconds = Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    if (!this.isOn || this.down.size === 0) return false;
    const step = new three.Vector3();
    for (const key of this.down) {
      step.add(new three.Vector3(...(KEYS[key] ?? [0, 0, 0])));
      const [aside, up] = TURNS[key] ?? [0, 0];
      this.turn(aside * TURN_SPEED * seconds, up * TURN_SPEED * seconds);
    }
    const rise = step.y;
    step.setY(0).applyQuaternion(this.camera.quaternion);
    step.setY((this.isLevel ? 0 : step.y) + rise).normalize();
    this.camera.position.addScaledVector(step, this.speed * (this.isRunning ? 3 : 1) * seconds);
    if (this.isLevel) this.camera.position.y = Math.max(this.camera.position.y, 0.4);
    return true;
  }
}
