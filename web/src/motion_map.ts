// A motion graph as a picture: stretches of data as lines, one band for each
// wind, transitions as arcs between them, and the walk as a dot.

import type { FieldFacts, FieldStatistics } from "./types";
import { blank, h, redrawn } from "./dom";

const MARGIN = 14;
const BAND = 20;

type Point = [x: number, y: number];

export class MotionMap {
  readonly element = h("canvas", { class: "motion-map", role: "img", "aria-label": "The motion graph, and where the walk is" });
  private facts: FieldFacts | null = null;
  private told: FieldStatistics | null = null;

  constructor() {
    redrawn(this.element, () => this.draw());
  }

  show(facts: FieldFacts): void {
    this.facts = facts;
    this.draw();
  }

  mark(told: FieldStatistics): void {
    this.told = told;
    this.element.dataset.sequence = String(told.moment[0]);
    this.element.dataset.frame = String(told.moment[1]);
    this.draw();
  }

  private draw(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    const context = this.facts ? blank(this.element) : null;
    if (!context) return;
    const style = getComputedStyle(this.element);
    if (this.facts?.sequences.length === 0) {
      context.font = "12px system-ui, sans-serif";
      context.fillStyle = style.getPropertyValue("--muted");
      context.textAlign = "center";
      context.fillText("drawn as soon as it is found", width / 2, height / 2);
      return;
    }
    const at = this.layout(width, height);
    this.drawData(context, style, at);
    this.drawTransitions(context, style, at);
    this.drawWalk(context, style, at);
  }

  /** Where a frame of a sequence is; sequences of one wind follow each other. */
  private layout(width: number, height: number): (sequence: number, frame: number) => Point {
    const { sequences, levels } = this.facts as FieldFacts;
    const lengths = levels.map((_, level) => sequences.filter(([of]) => of === level).reduce((sum, [, frames]) => sum + frames, 0));
    const longest = Math.max(...lengths, 1);
    const firsts = levels.map(() => 0);
    const begins = sequences.map(([level, frames]) => {
      const first = firsts[level] ?? 0;
      firsts[level] = first + frames;
      return first;
    });
    // The strongest wind is on top.
    const y = (level: number) => height - BAND - (level + 0.5) * ((height - BAND) / Math.max(levels.length, 1)) + BAND;
    return (sequence, frame) => [MARGIN + (((begins[sequence] ?? 0) + frame) / longest) * (width - 2 * MARGIN), y(sequences[sequence]?.[0] ?? 0)];
  }

  private drawData(context: CanvasRenderingContext2D, style: CSSStyleDeclaration, at: (sequence: number, frame: number) => Point): void {
    const { sequences, levels } = this.facts as FieldFacts;
    context.lineWidth = 3;
    context.strokeStyle = style.getPropertyValue("--line");
    sequences.forEach(([, frames], sequence) => {
      context.beginPath();
      context.moveTo(...at(sequence, 0));
      context.lineTo(...at(sequence, frames - 1));
      context.stroke();
    });
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = style.getPropertyValue("--muted");
    levels.forEach(([name], level) => {
      const sequence = sequences.findIndex(([of]) => of === level);
      if (sequence < 0) return;
      const [x, y] = at(sequence, 0);
      context.fillText(name, x, y + 14);
    });
  }

  private drawTransitions(context: CanvasRenderingContext2D, style: CSSStyleDeclaration, at: (sequence: number, frame: number) => Point): void {
    const { transitions } = this.facts as FieldFacts;
    const now = this.told?.transition?.[0];
    transitions.forEach((ends, number) => {
      const isNow = number === now;
      context.strokeStyle = style.getPropertyValue(isNow ? "--accent" : "--muted");
      context.globalAlpha = isNow ? 1 : 0.25;
      context.lineWidth = isNow ? 2 : 1;
      const [from, middle, to] = this.arc(ends, at);
      context.beginPath();
      context.moveTo(...from);
      context.quadraticCurveTo(...middle, ...to);
      context.stroke();
    });
    context.globalAlpha = 1;
  }

  private arc([a, b, c, d]: [number, number, number, number], at: (sequence: number, frame: number) => Point): [Point, Point, Point] {
    const [from, to] = [at(a, b), at(c, d)];
    const rise = from[1] === to[1] ? Math.min(Math.abs(to[0] - from[0]) * 0.4, 36) : 0;
    return [from, [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2 - rise], to];
  }

  private drawWalk(context: CanvasRenderingContext2D, style: CSSStyleDeclaration, at: (sequence: number, frame: number) => Point): void {
    const { told, facts } = this;
    if (!told || !facts || told.making || facts.sequences.length === 0) return;
    let here = at(...told.moment);
    const through = told.transition;
    const ends = through ? facts.transitions[through[0]] : undefined;
    if (through && ends) {
      const [[ax, ay], [bx, by], [cx, cy]] = this.arc(ends, at);
      const [s, t] = [1 - through[1], through[1]];
      here = [s * s * ax + 2 * s * t * bx + t * t * cx, s * s * ay + 2 * s * t * by + t * t * cy];
    }
    context.fillStyle = style.getPropertyValue("--accent");
    context.beginPath();
    context.arc(...here, 5, 0, 2 * Math.PI);
    context.fill();
  }
}
