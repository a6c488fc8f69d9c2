// A city from above, after figure 6.2 of the paper: roads in view are red, those
// that the complete model runs on are framed, and the others are shaded by how
// many cars may be there.

import { blank, h } from "./dom";
import type { CityFacts, CityStatistics } from "./types";

/** How much is shown around the viewer at first, m. */
const REACH = 420;

export class CityMap {
  readonly element = h("canvas", { class: "city-map", role: "img", tabindex: 0, "aria-label": "The city from above; click to go there, the wheel or + and − zoom" });
  onGo: (x: number, z: number) => void = () => {};
  private roads: CityFacts["roads"] = [];
  private told: CityStatistics | null = null;
  private centre: [number, number] = [0, 0];
  private reach = REACH;
  private scale = 1;
  private drawn = "";

  constructor() {
    this.element.addEventListener("click", (event) => {
      const box = this.element.getBoundingClientRect();
      const across = event.clientX - box.left - box.width / 2;
      const down = event.clientY - box.top - box.height / 2;
      this.onGo(this.centre[0] + across / this.scale, this.centre[1] + down / this.scale);
    });
    this.element.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15);
    });
    this.element.addEventListener("keydown", (event) => {
      const zoom = { "+": 1 / 1.25, "=": 1 / 1.25, "-": 1.25 }[event.key];
      if (zoom) this.zoom(zoom);
    });
  }

  private zoom(by: number): void {
    this.reach = Math.min(Math.max(this.reach * by, 80), 1200);
    this.drawn = "";
  }

  show(roads: CityFacts["roads"]): void {
    this.roads = roads;
    this.drawn = "";
  }

  tell(told: CityStatistics): void {
    this.told = told;
    this.drawn = "";
  }

  /** Draws the map around the viewer, if anything has changed. */
  look(x: number, z: number, heading: number): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    const state = [x.toFixed(1), z.toFixed(1), heading.toFixed(2), width, height, document.documentElement.dataset.theme].join();
    const context = state === this.drawn ? null : blank(this.element);
    if (!context) return;
    this.drawn = state;
    context.translate(width / 2, height / 2);
    this.scale = Math.min(width, height) / (2 * this.reach);
    this.centre = [x, z];
    const style = getComputedStyle(this.element);
    this.drawView(context, style, 0, 0, heading);
    for (const [vx, vz, dx, dz] of this.told?.viewers ?? []) {
      this.drawView(context, style, (vx - x) * this.scale, (vz - z) * this.scale, Math.atan2(dz, dx));
    }
    this.drawRoads(context, style);
    this.drawCars(context, style);
  }

  private drawView(context: CanvasRenderingContext2D, style: CSSStyleDeclaration, x: number, y: number, heading: number): void {
    context.fillStyle = style.getPropertyValue("--fill");
    context.globalAlpha = 0.8;
    context.beginPath();
    context.moveTo(x, y);
    context.arc(x, y, 180 * this.scale, heading - 0.5, heading + 0.5);
    context.fill();
    context.globalAlpha = 1;
    context.fillStyle = style.getPropertyValue("--ink");
    context.beginPath();
    context.arc(x, y, 4, 0, 2 * Math.PI);
    context.fill();
  }

  private drawRoads(context: CanvasRenderingContext2D, style: CSSStyleDeclaration): void {
    const [seen, active] = [new Set(this.told?.seen), new Set(this.told?.active)];
    const [ink, muted, accent] = ["--ink", "--muted", "--regime-1"].map((name) => style.getPropertyValue(name));
    const stroke = (points: number[], width: number, colour: string, alpha: number) => {
      context.strokeStyle = colour;
      context.globalAlpha = alpha;
      context.lineWidth = width;
      context.beginPath();
      for (let at = 0; at + 1 < points.length; at += 2) {
        const [x, y] = [((points[at] ?? 0) - this.centre[0]) * this.scale, ((points[at + 1] ?? 0) - this.centre[1]) * this.scale];
        if (at === 0) context.moveTo(x, y);
        else context.lineTo(x, y);
      }
      context.stroke();
    };
    context.lineCap = "round";
    this.roads.forEach(([road, lanes, points], place) => {
      const width = Math.max(lanes * 3.4 * this.scale, lanes > 2 ? 2.5 : 1.2);
      const density = this.told?.densities[place] ?? 0;
      if (active.has(road)) stroke(points, width + 4, accent ?? "", 0.45);
      if (seen.has(road)) stroke(points, width, "#d23b30", 1);
      else stroke(points, width, density > 0.02 ? (ink ?? "") : (muted ?? ""), density > 0.02 ? Math.min(0.22 + 0.3 * density, 0.95) : 0.22);
    });
    context.globalAlpha = 1;
  }

  private drawCars(context: CanvasRenderingContext2D, style: CSSStyleDeclaration): void {
    for (const [x, z] of this.told?.places ?? []) {
      context.fillStyle = style.getPropertyValue("--field");
      context.strokeStyle = style.getPropertyValue("--ink");
      context.lineWidth = 1;
      context.beginPath();
      context.arc((x - this.centre[0]) * this.scale, (z - this.centre[1]) * this.scale, Math.max(2.1 * this.scale, 2.5), 0, 2 * Math.PI);
      context.fill();
      context.stroke();
    }
  }
}
