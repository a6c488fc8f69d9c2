// A meadow from above: which wind blows where, and what of it is in view.

import type { MeadowFacts, MeadowStatistics } from "./types";
import { blank, h } from "./dom";

export class WindMap {
  readonly element = h("canvas", { class: "map", role: "img", "aria-label": "The meadow from above, with the wind that blows; click to go there" });
  onGo: (x: number, z: number) => void = () => {};
  private facts: MeadowFacts | null = null;
  private wind: number[] = [];

  constructor() {
    this.element.addEventListener("click", (event) => {
      const box = this.element.getBoundingClientRect();
      const side = this.facts?.side ?? 0;
      this.onGo(((event.clientX - box.left) / box.width - 0.5) * side, ((event.clientY - box.top) / box.height - 0.5) * side);
    });
  }

  show(facts: MeadowFacts): void {
    this.facts = facts;
    this.wind = [];
  }

  mark(told: MeadowStatistics): void {
    this.wind = told.wind;
    this.element.dataset.gusts = String(new Set(told.wind).size);
  }

  /** Draws the meadow, with the eye and how far it sees. */
  look(x: number, z: number, heading: number, far: number): void {
    const context = this.facts ? blank(this.element) : null;
    if (!context || !this.facts) return;
    const { clientWidth: width } = this.element;
    const { squares, side, colours } = this.facts;
    const cell = width / squares;
    this.wind.forEach((level, at) => {
      context.fillStyle = colours[level] ?? "#888";
      context.globalAlpha = 0.55;
      context.fillRect((at % squares) * cell, Math.floor(at / squares) * cell, cell + 0.5, cell + 0.5);
    });
    context.globalAlpha = 1;
    const scale = width / Math.max(side, 1);
    const here: [number, number] = [(x + side / 2) * scale, (z + side / 2) * scale];
    const style = getComputedStyle(this.element);
    context.fillStyle = style.getPropertyValue("--ink");
    context.globalAlpha = 0.25;
    context.beginPath();
    context.moveTo(...here);
    context.arc(...here, far * scale, heading - 0.45, heading + 0.45);
    context.fill();
    context.globalAlpha = 1;
    context.beginPath();
    context.arc(...here, 3.5, 0, 2 * Math.PI);
    context.fill();
  }
}
