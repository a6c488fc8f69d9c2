// Field: a banner that walks through its motion graph for ever, in the wind that
// the pointer blows; and the way to the meadow.

import type { FieldControl, FieldFacts, FieldStatistics } from "../types";
import { Blower } from "../blower";
import { fill, grouped, h, short } from "../dom";
import { making, whatGrows, windControls } from "../field_parts";
import { LivePage, howMany, keepInAddress, unless } from "../live_page";
import { Meter, micro } from "../meter";
import { MotionMap } from "../motion_map";
import type { Route } from "../route";
import type { Page, Shell } from "../shell";
import { MeadowPage } from "./meadow";
import { list } from "./play";

const SIZES = [2, 6, 12, 25];
const USUAL = 6;

export function openField(shell: Shell, route: Route): Page {
  return route.name === "meadow" ? new MeadowPage(shell, route) : new FieldPage(shell, route);
}

class FieldPage extends LivePage<FieldFacts, FieldStatistics, FieldControl> {
  private readonly meter = new Meter(["--accent"]);
  private readonly map = new MotionMap();
  private readonly facts = h("div", { class: "facts-list", role: "status" });
  private readonly making = h("div", { class: "making" });
  private readonly blower: Blower;
  private readonly size: HTMLSelectElement;
  private known: FieldFacts | null = null;

  constructor(shell: Shell, route: Route) {
    super(shell, { world: "field", crumbs: [{ label: "Field" }] });
    const wanted = Number(route.query.get("flags") ?? USUAL);
    this.size = howMany("Flags", SIZES, wanted);
    this.live.groundColours = ["#8d8864", "#6b7a40"];
    this.blower = new Blower(0, route.query.get("pointer") !== "off");
    this.build();
    this.connect();
    this.open();
    if (wanted !== USUAL) this.say({ flags: wanted });
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
      whatGrows("banner"),
      h("p", { class: "summary" }, "Move the pointer across the flags: it blows. Each flag leaves one motion for another at a time of its own, and none passes through another."),
      ...windControls(this.blower),
      h("label", { class: "field" }, h("span", {}, "flags"), this.size),
      this.making,
      this.facts,
    );
    fill(this.shell.wall);
    fill(this.shell.strip, this.meter.element);
    fill(this.shell.hud, "move the pointer to blow, drag to look around");
  }

  private connect(): void {
    const { blower } = this;
    this.listen(this.shell.stage.canvas, "pointermove", blower.blow);
    blower.onWind = (wind) => this.say({ wind });
    this.size.addEventListener("change", () => {
      this.say({ flags: Number(this.size.value) });
      keepInAddress("#/field", { flags: unless(USUAL, this.size) });
    });
  }

  protected meet(facts: FieldFacts): void {
    this.known = facts;
    this.map.show(facts);
  }

  protected override step(): void {
    this.blower.step();
  }

  protected hear(told: FieldStatistics): void {
    if (!this.known) return;
    this.meter.add(told.costs, 0);
    this.map.mark(told);
    fill(this.making, ...making(told.making, told.problem, "choose another number of flags"));
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

  commands() {
    const winds = (this.known?.levels ?? []).map(([name], index, all) => ({
      name: `Wind: ${name}`,
      run: () => this.blower.hold((index + 0.5) / all.length),
    }));
    return [{ name: "Pointer blows, or not", hint: "B", run: () => this.blower.toggle() }, ...winds];
  }
}
