// The wind that a pointer or a slider makes: as strong as the pointer is fast,
// and calmer again when it rests.

import { h } from "./dom";

/** A pointer that is so fast blows as strongly as it can, screens in a second. */
const STRONGEST = 1.6;
/** How soon the air is calm again, s. */
const CALMS = 4.5;

export class Blower {
  readonly slider = h("input", { type: "range", min: 0, max: 1, step: 0.01, value: 0, "aria-label": "Wind" });
  readonly byPointer: HTMLInputElement;
  /** The wind has changed. */
  onWind: (strength: number) => void = () => {};
  private wind: number;
  private sent: number;
  private last = { x: 0, y: 0, time: 0 };
  private frame = performance.now();
  private readonly calm: number;

  /** How strongly it blows when nobody does anything, and whether the pointer blows at first. */
  constructor(calm: number, byPointer: boolean) {
    this.calm = this.wind = this.sent = calm;
    this.slider.value = String(calm);
    this.byPointer = h("input", { type: "checkbox", checked: byPointer, id: "by-pointer" });
    this.slider.addEventListener("input", () => this.set(Number(this.slider.value)));
  }

  /** The faster the pointer, the stronger the wind. */
  readonly blow = (event: PointerEvent): void => {
    const seconds = (event.timeStamp - this.last.time) / 1000;
    const way = Math.hypot(event.clientX - this.last.x, event.clientY - this.last.y) / Math.max(innerWidth, 1);
    this.last = { x: event.clientX, y: event.clientY, time: event.timeStamp };
    if (!this.byPointer.checked || event.buttons !== 0 || seconds <= 0 || seconds > 0.2) return;
    this.set(Math.max(this.wind, Math.min(way / seconds / STRONGEST, 1)));
  };

  set(strength: number): void {
    this.wind = strength;
    this.slider.value = String(strength);
    if (Math.abs(strength - this.sent) < 0.02 && strength > this.calm) return;
    this.sent = strength;
    this.onWind(strength);
  }

  /** The air calms down where only the pointer moves it. */
  step(): void {
    const now = performance.now();
    const seconds = Math.min((now - this.frame) / 1000, 0.1);
    this.frame = now;
    const isUsed = document.activeElement === this.slider;
    if (this.byPointer.checked && !isUsed && this.wind > this.calm) this.set(Math.max(this.calm, this.wind - seconds / CALMS));
  }

  /** A wind that stays, whatever the pointer does. */
  hold(strength: number): void {
    this.byPointer.checked = false;
    this.set(strength);
  }

  toggle(): void {
    this.byPointer.checked = !this.byPointer.checked;
  }
}
