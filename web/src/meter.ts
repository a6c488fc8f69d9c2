// What frames cost, as a line that goes on: one colour for each way of working.

import { blank, h, redrawn, short } from "./dom";

/** So many seconds are shown. */
const SPAN = 30;
const MARGIN = 44;

interface Mark {
  time: number;
  cost: number;
  series: number;
}

export class Meter {
  readonly element = h("canvas", { class: "meter", role: "img", "aria-label": "What frames cost, in microseconds" });
  private marks: Mark[] = [];
  private readonly colours: string[];
  /** What a frame may cost, µs: drawn as a line. */
  limit: number | null = null;

  /** The colours of the series, as names of the theme's. */
  constructor(colours: string[]) {
    this.colours = colours;
    redrawn(this.element, () => this.draw());
  }

  add(costs: [number, number][], series: number): void {
    for (const [time, cost] of costs) this.marks.push({ time, cost: Math.max(cost, 0.1), series });
    const last = this.marks.at(-1)?.time ?? 0;
    this.marks = this.marks.filter((mark) => mark.time > last - SPAN);
    this.draw();
  }

  /** What a frame of a series costs of late: the middle of the last ones. */
  middle(series: number): number | null {
    const late = this.marks.filter((mark) => mark.series === series).slice(-60).map((mark) => mark.cost);
    late.sort((a, b) => a - b);
    return late[Math.floor(late.length / 2)] ?? null;
  }

  draw(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    const context = blank(this.element);
    if (!context) return;
    const style = getComputedStyle(this.element);
    const costs = this.marks.map((mark) => mark.cost);
    if (this.limit !== null) costs.push(this.limit);
    const low = Math.floor(Math.log10(Math.min(...costs, 10)));
    const high = Math.max(Math.ceil(Math.log10(Math.max(...costs, 100))), low + 1);
    const y = (cost: number) => height - 4 - ((Math.log10(cost) - low) / (high - low)) * (height - 12);
    this.drawScale(context, style, [low, high], width, y);
    if (this.limit !== null) {
      context.fillStyle = style.getPropertyValue("--accent");
      context.fillRect(MARGIN, y(this.limit), width - MARGIN, 1.5);
      context.textAlign = "right";
      // Above its line, or below where the line is at the top.
      const above = y(this.limit) - 8;
      context.fillText(`budget ${micro(this.limit)}`, width, above < 8 ? above + 20 : above);
      context.textAlign = "left";
    }
    const last = this.marks.at(-1)?.time ?? 0;
    const x = (time: number) => width - ((last - time) / SPAN) * (width - MARGIN);
    for (const mark of this.marks) {
      context.fillStyle = style.getPropertyValue(this.colours[mark.series] ?? "--ink");
      context.fillRect(x(mark.time) - 1, y(mark.cost) - 1, 2, 2);
    }
  }

  private drawScale(context: CanvasRenderingContext2D, style: CSSStyleDeclaration, [low, high]: [number, number], width: number, y: (cost: number) => number): void {
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (let power = low; power <= high; power += 1) {
      const at = y(10 ** power);
      context.fillStyle = style.getPropertyValue("--line");
      context.fillRect(MARGIN, at, width - MARGIN, 1);
      context.fillStyle = style.getPropertyValue("--muted");
      context.fillText(micro(10 ** power), 0, at);
    }
  }
}

/** Microseconds in words. */
export function micro(value: number): string {
  return value >= 1000 ? `${short(Number((value / 1000).toPrecision(3)))} ms` : `${short(Number(value.toPrecision(2)))} µs`;
}
