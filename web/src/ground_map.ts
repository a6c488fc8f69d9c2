// Where things stand, seen from above: what is in view has the colour of how it
// came there, and a cone shows where one looks.

import { blank, h } from "./dom";

type Thing = [kind: number, x: number, z: number, radius: number];

const REGIMES = ["--regime-0", "--regime-1", "--regime-2", "--regime-3"];
/** A ground that is larger than this is shown around the viewer only, m. */
const REACH = 130;

export class GroundMap {
  readonly element = h("canvas", { class: "map", role: "img", "aria-label": "The fairground from above; click to go there" });
  onGo: (x: number, z: number) => void = () => {};
  private things: Thing[] = [];
  private seen = new Map<number, number>();
  private centre: [number, number] = [0, 0];
  private scale = 1;
  private drawn = "";
  private selected: number | null = null;
  private half: [number, number] = [REACH, REACH];
  private middle: [number, number] | null = null;

  constructor() {
    this.element.addEventListener("click", (event) => {
      const box = this.element.getBoundingClientRect();
      const across = event.clientX - box.left - box.width / 2;
      const down = event.clientY - box.top - box.height / 2;
      this.onGo(this.centre[0] + across / this.scale, this.centre[1] + down / this.scale);
    });
  }

  show(things: Thing[], [min, max]: [[number, number, number], [number, number, number]]): void {
    this.things = things;
    const half: [number, number] = [(max[0] - min[0]) / 2 + 6, (max[2] - min[2]) / 2 + 6];
    const fits = Math.max(...half) <= REACH;
    this.half = fits ? half : [REACH, REACH];
    this.middle = fits ? [(min[0] + max[0]) / 2, (min[2] + max[2]) / 2] : null;
    this.drawn = "";
  }

  mark(seen: [number, number][]): void {
    this.seen = new Map(seen);
    this.drawn = "";
  }

  select(thing: number | null): void {
    this.selected = thing;
    this.drawn = "";
  }

  /** Draws the map around the viewer, if anything has changed. */
  look(x: number, z: number, heading: number): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    const state = [x.toFixed(1), z.toFixed(1), heading.toFixed(2), width, document.documentElement.dataset.theme].join();
    const context = state === this.drawn ? null : blank(this.element);
    if (!context) return;
    this.drawn = state;
    context.translate(width / 2, height / 2);
    this.scale = Math.min(width / this.half[0], height / this.half[1]) / 2;
    this.centre = this.middle ?? [x, z];
    const here: [number, number] = [(x - this.centre[0]) * this.scale, (z - this.centre[1]) * this.scale];
    const style = getComputedStyle(this.element);
    this.drawCone(context, style, here, heading);
    this.drawThings(context, style);
    context.fillStyle = style.getPropertyValue("--ink");
    context.beginPath();
    context.arc(...here, 3.5, 0, 2 * Math.PI);
    context.fill();
  }

  private drawCone(context: CanvasRenderingContext2D, style: CSSStyleDeclaration, here: [number, number], heading: number): void {
    context.fillStyle = style.getPropertyValue("--fill");
    context.globalAlpha = 0.7;
    context.beginPath();
    context.moveTo(...here);
    context.arc(...here, Math.max(...this.half) * this.scale * 3, heading - 0.5, heading + 0.5);
    context.fill();
    context.globalAlpha = 1;
  }

  private drawThings(context: CanvasRenderingContext2D, style: CSSStyleDeclaration): void {
    const colours = REGIMES.map((name) => style.getPropertyValue(name));
    const [dim, ink] = [style.getPropertyValue("--muted"), style.getPropertyValue("--ink")];
    this.things.forEach(([, x, z, radius], index) => {
      const [across, down] = [x - this.centre[0], z - this.centre[1]];
      if (Math.max(Math.abs(across), Math.abs(down)) > 2 * Math.max(...this.half)) return;
      const regime = this.seen.get(index);
      context.fillStyle = regime === undefined ? dim : (colours[regime] ?? dim);
      context.globalAlpha = regime === undefined ? 0.25 : 0.9;
      context.beginPath();
      context.arc(across * this.scale, down * this.scale, Math.max(radius * this.scale, 2), 0, 2 * Math.PI);
      context.fill();
      if (index !== this.selected) return;
      context.globalAlpha = 1;
      context.strokeStyle = ink;
      context.stroke();
    });
    context.globalAlpha = 1;
  }
}
