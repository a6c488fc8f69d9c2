// Field: a banner that walks through its motion graph for ever, in the wind that
// the pointer blows.

import type { FieldControl, FieldFacts, FieldTold } from "../types";
import { fill, grouped, h, short } from "../dom";
import { LiveScene } from "../live";
import { Meter, micro } from "../meter";
import { MotionMap } from "../motion_map";
import { problemCard } from "../problems";
import { replace, type Route } from "../route";
import type { Page, Shell } from "../shell";
import { list } from "./play";

const SIZES = [2, 6, 12, 25];
/** A pointer that is so fast blows as strongly as it can, screens in a second. */
const STRONGEST = 1.6;
/** How soon the air is calm again, s. */
const CALMS = 1.5;

export function openField(shell: Shell, route: Route): Page {
  return new FieldPage(shell, route);
}

class FieldPage implements Page {
  private readonly shell: Shell;
  private readonly live = new LiveScene("field");
  private readonly meter = new Meter(["--accent"]);
  private readonly map = new MotionMap();
  private readonly facts = h("div", { class: "facts-list", role: "status" });
  private readonly making = h("div", { class: "making" });
  private readonly slider = h("input", { type: "range", min: 0, max: 1, step: 0.01, value: 0, "aria-label": "Wind" });
  private readonly byPointer: HTMLInputElement;
  private readonly size = h("select", { "aria-label": "Flags" });
  private known: FieldFacts | null = null;
  private wind = 0;
  private sent = 0;
  private last = { x: 0, y: 0, time: 0 };
  private frame = performance.now();
  private isHeld = false;
  private isOpen = true;

  constructor(shell: Shell, route: Route) {
    this.shell = shell;
    shell.arrange("live");
    shell.setCrumbs({ label: "Field" });
    const wanted = Number(route.query.get("flags") ?? 6);
    for (const size of new Set([...SIZES, wanted].sort((a, b) => a - b))) this.size.append(h("option", { value: size, selected: size === wanted }, grouped(size)));
    this.byPointer = h("input", { type: "checkbox", checked: route.query.get("pointer") !== "off", id: "by-pointer" });
    this.build();
    this.connect();
    if (wanted !== 6) this.say({ flags: wanted });
  }

  private build(): void {
    fill(
      this.shell.left,
      h("h2", {}, "Motion graph"),
      h("p", { class: "summary" }, "Every line is a stretch of data, every arc a transition. The dot is where the banner is now."),
      this.map.element,
      h("ul", { class: "legend" }, h("li", {}, h("span", { class: "regime regime-blending" }), "in transition")),
    );
    fill(
      this.shell.right,
      h("h2", {}, "Banner"),
      h("p", { class: "summary" }, "Move the pointer across the flags: it blows. Each flag leaves one motion for another at a time of its own, and none passes through another."),
      h("label", { class: "field" }, h("span", {}, "wind"), this.slider),
      h("label", { class: "switch", title: "The pointer blows (B)" }, this.byPointer, h("span", {}, "pointer blows")),
      h("label", { class: "field" }, h("span", {}, "flags"), this.size),
      this.making,
      this.facts,
    );
    fill(this.shell.wall);
    fill(this.shell.strip, this.meter.element);
    fill(this.shell.hud, "move the pointer to blow, drag to look around");
  }

  private connect(): void {
    const { live, shell } = this;
    const { stage } = shell;
    shell.clear();
    live.onHello = (hello) => {
      this.known = hello.facts as FieldFacts;
      this.map.show(this.known);
      if (stage.isEmpty) stage.show([live]);
    };
    live.onTold = (statistics) => this.hear(statistics as FieldTold);
    live.onEnd = (problem) => shell.say(problemCard(problem));
    stage.show([]);
    stage.onFrame = () => this.step();
    stage.canvas.addEventListener("pointermove", this.blow);
    this.slider.addEventListener("input", () => this.setWind(Number(this.slider.value)));
    this.size.addEventListener("change", () => {
      this.say({ flags: Number(this.size.value) });
      replace(this.size.value === "6" ? "#/field" : `#/field?flags=${this.size.value}`);
    });
  }

  private say(control: FieldControl): void {
    this.live.control(control);
  }

  /** The faster the pointer, the stronger the wind. */
  private readonly blow = (event: PointerEvent): void => {
    const seconds = (event.timeStamp - this.last.time) / 1000;
    const way = Math.hypot(event.clientX - this.last.x, event.clientY - this.last.y) / Math.max(innerWidth, 1);
    this.last = { x: event.clientX, y: event.clientY, time: event.timeStamp };
    if (!this.byPointer.checked || event.buttons !== 0 || seconds <= 0 || seconds > 0.2) return;
    this.setWind(Math.max(this.wind, Math.min(way / seconds / STRONGEST, 1)));
  };

  private setWind(strength: number): void {
    this.wind = strength;
    this.slider.value = String(strength);
    if (Math.abs(strength - this.sent) < 0.02 && strength > 0) return;
    this.sent = strength;
    this.say({ wind: strength });
  }

  /** The air calms down where only the pointer moves it. */
  private step(): void {
    const now = performance.now();
    const seconds = Math.min((now - this.frame) / 1000, 0.1);
    this.frame = now;
    const isUsed = document.activeElement === this.slider;
    if (this.byPointer.checked && !isUsed && this.wind > 0) this.setWind(Math.max(0, this.wind - seconds / CALMS / 3));
  }

  private hear(told: FieldTold): void {
    if (!this.isOpen || !this.known) return;
    this.meter.add(told.costs, 0);
    this.map.mark(told);
    this.showMaking(told);
    const name = (level: number) => this.known?.levels[level]?.[0] ?? "–";
    const cost = this.meter.middle(0);
    const { known } = this;
    fill(
      this.facts,
      list([
        ["wind", told.level === told.wanted ? name(told.level) : `${name(told.level)}, then ${name(told.wanted)}`],
        ["arrives", told.arrives > 0 ? `in ${short(Number(told.arrives.toPrecision(2)))} s` : "is there"],
        ["blending", `${told.blending} of ${known.flags + 1} groups`],
        ["transitions", `${grouped(told.taken)} taken, ${grouped(known.transitions.length)} known`],
        ["motion", cost === null ? "–" : `${micro(cost)} in a frame`],
        ["graph", known.bytes > 0 ? `${short(Number((known.bytes / 1e6).toPrecision(2)))} MB` : "–"],
      ]),
    );
    this.facts.dataset.level = name(told.level);
    this.facts.dataset.wanted = name(told.wanted);
    this.facts.dataset.walks = String(told.making === null && told.problem === null);
    this.facts.dataset.frames = String(this.live.frames);
  }

  private showMaking(told: FieldTold): void {
    if (told.problem !== null) {
      fill(this.making, problemCard({ error: told.problem, help: "choose another number of flags" }));
    } else if (told.making) {
      const { doing, done } = told.making;
      fill(this.making, h("p", { class: "empty" }, `Made once, and kept: ${doing}.`), h("progress", { max: 1, value: done, "aria-label": doing }));
    } else {
      fill(this.making);
    }
  }

  hold(): void {
    this.isHeld = !this.isHeld;
    this.live.setPace(this.isHeld ? 0 : 1);
  }

  commands() {
    const winds = (this.known?.levels ?? []).map(([name], index, all) => ({
      name: `Wind: ${name}`,
      run: () => {
        this.byPointer.checked = false;
        this.setWind((index + 0.5) / all.length);
      },
    }));
    return [{ name: "Pointer blows, or not", hint: "B", run: () => (this.byPointer.checked = !this.byPointer.checked) }, ...winds];
  }

  leave(): void {
    this.isOpen = false;
    const { stage } = this.shell;
    stage.onFrame = () => {};
    stage.canvas.removeEventListener("pointermove", this.blow);
    stage.show([]);
    this.live.dispose();
  }
}
