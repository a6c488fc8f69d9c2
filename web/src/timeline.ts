// Time, below: play, scrub, how many events happen when, and where bodies touch.

import type { TakeSummary } from "./types";
import { blank, fill, grouped, h } from "./dom";
import { icon, iconButton } from "./icons";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2];

export class Timeline {
  readonly element: HTMLElement;
  time = 0;
  duration = 0;
  isPlaying = false;
  onTime: (time: number) => void = () => {};
  private readonly play: HTMLButtonElement;
  private readonly slider: HTMLInputElement;
  private readonly clock = h("output", { class: "clock", "aria-live": "off" }, "0.00 s");
  private readonly canvas = h("canvas", { class: "events", "aria-hidden": "true" });
  private readonly speed: HTMLSelectElement;
  private readonly facts = h("span", { class: "facts" });
  summary: TakeSummary | null = null;
  private last = 0;

  constructor() {
    this.play = iconButton("play", "Play or pause (Space)", () => this.toggle());
    this.slider = h("input", {
      type: "range",
      min: 0,
      max: 1,
      step: "any",
      value: 0,
      "aria-label": "Time",
      on: { input: () => this.set(Number(this.slider.value)) },
    });
    this.slider.addEventListener("keydown", (event) => this.key(event));
    this.speed = h("select", { "aria-label": "Speed", title: "Speed" });
    for (const speed of SPEEDS) this.speed.append(h("option", { value: speed, selected: speed === 1 }, `${speed}×`));
    this.element = h(
      "section",
      { class: "timeline", "aria-label": "Timeline" },
      h("div", { class: "transport" }, this.play, this.speed, this.clock, this.facts),
      h("div", { class: "track" }, this.canvas, this.slider),
    );
    new ResizeObserver(() => this.draw()).observe(this.element);
    const tick = (now: number) => {
      requestAnimationFrame(tick);
      const seconds = Math.min((now - this.last) / 1000, 0.1);
      this.last = now;
      if (!this.isPlaying || this.duration === 0) return;
      const next = this.time + seconds * Number(this.speed.value);
      this.set(next > this.duration + 0.6 ? 0 : next);
    };
    requestAnimationFrame(tick);
  }

  private key(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    this.pause();
    this.set(Math.min(Math.max(this.time + step * (event.shiftKey ? 0.1 : 1 / 60), 0), this.duration));
  }

  /** Begins with another clip. */
  open(summary: TakeSummary | null, from = 0): void {
    this.summary = summary;
    this.duration = summary?.duration ?? 0;
    this.slider.max = String(this.duration || 1);
    this.slider.disabled = this.duration === 0;
    const facts = summary
      ? `${grouped(summary.events)} events · ${grouped(summary.collisions)} collisions · simulated in ${grouped(summary.wall_ms)} ms`
      : "";
    fill(this.facts, facts);
    this.draw();
    this.set(Math.min(from, this.duration));
  }

  toggle(): void {
    if (this.isPlaying) this.pause();
    else this.start();
  }

  start(): void {
    if (this.duration === 0) return;
    if (this.time >= this.duration) this.set(0);
    this.isPlaying = true;
    fill(this.play, icon("pause"));
    this.play.dataset.playing = "true";
  }

  pause(): void {
    this.isPlaying = false;
    fill(this.play, icon("play"));
    delete this.play.dataset.playing;
  }

  set(time: number): void {
    this.time = time;
    const shown = Math.min(time, this.duration);
    this.slider.value = String(shown);
    this.clock.textContent = `${shown.toFixed(2)} / ${this.duration.toFixed(2)} s`;
    this.onTime(shown);
  }

  /** Redraws the events; the theme may have changed. */
  draw(): void {
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    const context = blank(this.canvas);
    if (!context) return;
    const style = getComputedStyle(this.element);
    const summary = this.summary;
    if (!summary || this.duration === 0) return;
    this.drawRate(context, summary, width, height, style.getPropertyValue("--fill"));
    this.drawContacts(context, summary, width, height, style.getPropertyValue("--accent"));
  }

  /** The event rate, on a scale of roots so that quiet times show too. */
  private drawRate(c: CanvasRenderingContext2D, summary: TakeSummary, width: number, height: number, colour: string) {
    const rates: [number, number][] = [];
    summary.event_counts.forEach(([time, count], index) => {
      const [before, then] = summary.event_counts[index - 1] ?? [0, 0];
      if (time > before) rates.push([time, Math.sqrt((count - then) / (time - before))]);
    });
    const top = Math.max(...rates.map(([, rate]) => rate), 1e-9);
    c.fillStyle = colour;
    c.beginPath();
    c.moveTo(0, height);
    for (const [time, rate] of rates) c.lineTo((time / this.duration) * width, height - (rate / top) * (height - 16));
    c.lineTo(((rates.at(-1)?.[0] ?? 0) / this.duration) * width, height);
    c.fill();
  }

  private drawContacts(c: CanvasRenderingContext2D, summary: TakeSummary, width: number, height: number, colour: string) {
    const bins = new Array<number>(Math.max(Math.floor(width / 2), 1)).fill(0);
    for (const contact of summary.contacts) {
      const bin = Math.min(Math.floor((contact.time / this.duration) * bins.length), bins.length - 1);
      bins[bin] = (bins[bin] ?? 0) + 1;
    }
    const top = Math.log1p(Math.max(...bins, 1));
    c.fillStyle = colour;
    bins.forEach((count, bin) => {
      if (count === 0) return;
      const size = 3 + (Math.log1p(count) / top) * (height * 0.45);
      c.fillRect(bin * 2, height - size, 1.2, size);
    });
  }
}
