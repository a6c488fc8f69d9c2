// Meadow: grass and irises in a wind that travels, of which only what is seen
// costs anything; and what there is to say of the one under the pointer.

import * as three from "three";
import type { MeadowClump, MeadowControl, MeadowFacts, MeadowStatistics } from "../types";
import { Blower } from "../blower";
import { fill, grouped, h, short } from "../dom";
import { making, whatGrows, windControls } from "../field_parts";
import { LivePage, howMany, keepInAddress, unless } from "../live_page";
import { Meter, micro } from "../meter";
import type { Route } from "../route";
import type { Shell } from "../shell";
import { WindMap } from "../wind_map";
import { list } from "./play";

const SIZES = [200, 2600, 10000, 26000];
const USUAL = 2600;
/** The wind of a quiet day, from 0 to 1. */
const QUIET = 0.3;
/** What is under the pointer is looked for so often, ms. */
const ASKED_EVERY = 120;

export class MeadowPage extends LivePage<MeadowFacts, MeadowStatistics, MeadowControl> {
  private readonly meter = new Meter(["--accent"]);
  private readonly map = new WindMap();
  private readonly blower: Blower;
  private readonly winds = h("ul", { class: "legend" });
  private readonly facts = h("div", { class: "facts-list", role: "status" });
  private readonly making = h("div", { class: "making" });
  private readonly clump = h("div", { class: "clump" });
  private readonly size: HTMLSelectElement;
  private readonly showWind = h("input", { type: "checkbox", id: "show-wind" });
  private known: MeadowFacts | null = null;
  private asked: number | null = null;
  private pointer: PointerEvent | null = null;
  private askedAt = 0;

  constructor(shell: Shell, route: Route) {
    super(shell, { world: "meadow", crumbs: [{ label: "Field", href: "#/field" }, { label: "meadow" }] });
    const wanted = Number(route.query.get("clumps") ?? USUAL);
    this.size = howMany("Clumps", SIZES, wanted);
    this.blower = new Blower(QUIET, route.query.get("pointer") !== "off");
    this.live.groundColours = ["#5c6a38", "#6f8042"];
    this.live.sow(0.6);
    this.build();
    this.connect();
    this.open();
    if (wanted !== USUAL) this.say({ clumps: wanted });
  }

  private build(): void {
    fill(
      this.shell.left,
      h("h2", {}, "Wind"),
      h("p", { class: "summary" }, "Gusts travel over the meadow. Each clump walks towards the motion of the wind that reaches it."),
      this.map.element,
      this.winds,
    );
    fill(
      this.shell.right,
      h("h2", {}, "Meadow"),
      whatGrows("meadow"),
      h("p", { class: "summary" }, "Only clumps that are seen are computed, and those far away with less detail. No two ever meet."),
      ...windControls(this.blower),
      h("label", { class: "switch", title: "Clumps have the colour of the wind that they go by (V)" }, this.showWind, h("span", {}, "show the wind")),
      h("label", { class: "field" }, h("span", {}, "clumps"), this.size),
      this.making,
      this.facts,
      this.clump,
    );
    fill(this.shell.wall);
    fill(this.shell.strip, this.meter.element);
    fill(this.shell.hud, "move the pointer to blow, rest it on a clump to ask about it, drag to look around");
    this.explain(null);
  }

  private connect(): void {
    const { canvas } = this.shell.stage;
    this.listen(canvas, "pointermove", (event) => {
      this.pointer = event.buttons === 0 ? event : null;
      this.blower.blow(event);
    });
    this.listen(canvas, "pointerleave", () => (this.pointer = null));
    this.blower.onWind = (wind) => this.say({ wind });
    this.map.onGo = (x, z) => this.goTo(x, z);
    this.showWind.addEventListener("change", () => this.say({ show_wind: this.showWind.checked }));
    this.size.addEventListener("change", () => {
      this.say({ clumps: Number(this.size.value) });
      this.ask(null);
      keepInAddress("#/field/meadow", { clumps: unless(USUAL, this.size) });
    });
  }

  protected meet(facts: MeadowFacts): void {
    this.known = facts;
    this.map.show(facts);
  }

  private goTo(x: number, z: number): void {
    const { ahead } = this.shell.stage.view;
    const eye = new three.Vector3(x, 1.15, z);
    this.shell.stage.setView(eye, eye.clone().addScaledVector(ahead, 3));
  }

  protected override step(): void {
    this.blower.step();
    const { stage } = this.shell;
    const { eye, ahead } = stage.view;
    this.map.look(eye.x, eye.z, Math.atan2(ahead.z, ahead.x), this.live.far);
    const now = performance.now();
    // Whoever uses the keyboard alone asks about what is in the middle.
    const at = this.pointer ?? (document.activeElement === stage.canvas ? stage.middle : null);
    if (!at || now - this.askedAt < ASKED_EVERY) return;
    this.askedAt = now;
    this.ask(this.live.plantAt(stage.ray(at).ray));
  }

  /** Asks about a clump; the last one is kept while the pointer is on none. */
  private ask(clump: number | null): void {
    if (clump === this.asked) return;
    this.asked = clump;
    this.say({ explain: clump });
    this.shell.stage.select(clump === null ? null : String(clump));
  }

  protected hear(told: MeadowStatistics): void {
    const { known } = this;
    if (!known) return;
    this.meter.add(told.costs, 0);
    this.map.mark(told);
    fill(this.making, ...making(told.making, told.problem, "choose another number of clumps"));
    const cost = this.meter.middle(0);
    fill(
      this.facts,
      list([
        ["clumps", grouped(known.clumps)],
        ["in view", `${grouped(told.in_view)}, ${grouped(told.vertices)} vertices`],
        ["in detail", told.by_detail.map(grouped).join(" · ") || "–"],
        ["tested", `${grouped(told.tested)} for being seen`],
        ["motion", cost === null ? "–" : `${micro(cost)} in a frame`],
        ["ground", `${short(Number(known.side.toPrecision(3)))} m × ${short(Number(known.side.toPrecision(3)))} m`],
        ["graphs", known.bytes > 0 ? `${short(Number((known.bytes / 1e6).toPrecision(2)))} MB` : "–"],
      ]),
    );
    this.facts.dataset.grown = String(known.clumps);
    this.facts.dataset.inView = String(told.in_view);
    this.facts.dataset.shown = String(this.live.plantCount);
    this.facts.dataset.frames = String(this.live.frames);
    fill(
      this.winds,
      ...known.levels.map(([name, speed], level) => {
        const mark = h("span", { class: "regime" });
        mark.style.background = known.colours[level] ?? "";
        return h("li", {}, mark, `${name}, ${short(speed)} m/s`, h("span", { class: "count" }, grouped(told.by_level[level] ?? 0)));
      }),
    );
    this.explain(told.clump);
    if (this.asked !== null) this.shell.stage.select(String(this.asked));
  }

  private explain(clump: MeadowClump | null): void {
    delete this.clump.dataset.number;
    if (!clump) {
      fill(this.clump, h("h3", {}, "Under the pointer"), h("p", { class: "empty" }, "Rest the pointer on a clump; with the keyboard, turn the view until one is in its middle."));
      return;
    }
    const name = (level: number) => this.known?.levels[level]?.[0] ?? "–";
    const share = ([some, all]: [number, number]) => (some === all ? `all ${grouped(all)}` : `${grouped(some)} of ${grouped(all)}`);
    fill(
      this.clump,
      h("h3", {}, `Clump ${grouped(clump.number + 1)}`),
      list([
        ["grows", `${clump.name}, kind ${clump.kind + 1} of ${clump.kinds}, ${clump.parts} parts`],
        ["size", `${Math.round(100 * clump.size)} % of its kind`],
        ["away", `${short(Number(clump.distance.toPrecision(2)))} m`],
        ["wind here", name(clump.wind)],
        ["goes by", clump.level === clump.wind ? `${name(clump.level)}, as it blows` : `${name(clump.level)}, on its way to ${name(clump.wind)}`],
        ["detail", `${clump.detail + 1} of ${clump.details}`],
        ["vertices", share(clump.vertices)],
        ["modes", share(clump.modes)],
      ]),
    );
    this.clump.dataset.number = String(clump.number);
  }

  commands() {
    const winds = [0, 0.5, 1].map((strength, index) => ({ name: `Wind: ${["none", "some", "all"][index]}`, run: () => this.blower.hold(strength) }));
    return [
      { name: "Pointer blows, or not", hint: "B", run: () => this.blower.toggle() },
      { name: "Show the wind, or not", hint: "V", run: () => this.showWind.click() },
      ...winds,
    ];
  }
}
