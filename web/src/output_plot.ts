// The outputs of a ride over time, with a mark where the preview is.

import { blank, h, redrawn } from "./dom";
import type { ModelPreview } from "./types";

const COLOURS = ["--accent", "--regime-2", "--regime-0", "--regime-1"];
const MARGIN = 14;

export class OutputPlot {
  readonly element = h("canvas", { class: "meter", role: "img", "aria-label": "Outputs over time" });
  private preview: ModelPreview | null = null;
  private time = 0;

  constructor() {
    redrawn(this.element, () => this.draw());
  }

  show(preview: ModelPreview | null): void {
    this.preview = preview;
    this.element.dataset.outputs = String(preview?.outputs.length ?? 0);
    this.draw();
  }

  setTime(time: number): void {
    this.time = time;
    this.draw();
  }

  draw(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    const context = blank(this.element);
    if (!context || !this.preview) return;
    const style = getComputedStyle(this.element);
    const { outputs, seconds } = this.preview;
    const colour = (name: string) => style.getPropertyValue(name);
    context.font = "11px system-ui";
    context.lineWidth = 1.3;
    outputs.forEach(([, values], at) => {
      const [low, high] = [Math.min(...values), Math.max(...values)];
      // What stays the same is a line in the middle.
      const y = (value: number) => (high > low ? height - 6 - ((value - low) / (high - low)) * (height - 28) : height / 2 + 8);
      context.strokeStyle = colour(COLOURS[at % COLOURS.length] ?? "--accent");
      context.beginPath();
      values.forEach((value, step) => context.lineTo((step / Math.max(values.length - 1, 1)) * width, y(value)));
      context.stroke();
    });
    let x = 0;
    outputs.forEach(([name, values], at) => {
      const now = values[Math.round((this.time / seconds) * (values.length - 1))] ?? 0;
      const words = `${name} ${now.toFixed(2)}`;
      context.fillStyle = colour(COLOURS[at % COLOURS.length] ?? "--accent");
      context.fillText(words, x, 10);
      x += context.measureText(words).width + MARGIN;
    });
    context.fillStyle = colour("--ink");
    context.fillRect((this.time / seconds) * width, 14, 1, height - 14);
  }
}
