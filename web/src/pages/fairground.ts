// Fairground: rides that cost nothing out of view, and what that saves.

import * as three from "three";
import { api, problemOf, reportAddress } from "../api";
import type { FairgroundControl, FairgroundFacts, FairgroundStatistics, LiveHello, RideReport } from "../types";
import { button, fill, grouped, h, short } from "../dom";
import { GroundMap } from "../ground_map";
import { LivePage, flip, howMany, keepInAddress, unless } from "../live_page";
import { Meter, micro } from "../meter";
import { problemCard } from "../problems";
import type { Route } from "../route";
import type { Page, Shell } from "../shell";
import { along } from "../stroll";
import { list } from "./play";

/** How a ride came back into view; the number is its colour. */
const REGIMES = ["by the complete model", "by jumps", "by a sample", "always computed"];
const SIZES = [8, 40, 400, 4000, 40000];
const USUAL = 40;
/** How fast one strolls, m/s, and how long the look swings from side to side, s. */
const STROLL = 2.5;
const SWING = 14;

export function openFairground(shell: Shell, route: Route): Page {
  return new FairgroundPage(shell, route);
}

class FairgroundPage extends LivePage<FairgroundFacts, FairgroundStatistics, FairgroundControl> {
  private readonly meter = new Meter(["--regime-0", "--accent"]);
  private readonly map = new GroundMap();
  private readonly kinds = h("div", { class: "kinds" });
  private readonly facts = h("div", { class: "facts-list" });
  private readonly costs = h("div", { class: "costs", role: "status" });
  private readonly ride = h("div", { class: "facts-list" });
  private readonly culling: HTMLInputElement;
  private readonly marks = h("input", { type: "checkbox", id: "marks" });
  private readonly size: HTMLSelectElement;
  private readonly stroll: HTMLButtonElement;
  private ground: FairgroundFacts = { kinds: [], rides: [], stroll: [] };
  private rides: RideReport[] = [];
  private readonly rows = new Map<string, HTMLElement>();
  private regimes = new Map<number, number>();
  private selected: number | null = null;
  private isStrolling = false;
  private walked = 0;
  private last = performance.now();

  constructor(shell: Shell, route: Route) {
    super(shell, { world: "fairground", crumbs: [{ label: "Fairground" }], walks: true });
    this.culling = h("input", { type: "checkbox", checked: route.query.get("culling") !== "off", id: "culling" });
    const wanted = Number(route.query.get("rides") ?? USUAL);
    this.size = howMany("Rides", SIZES, wanted);
    this.stroll = button("Stroll", () => this.setStroll(!this.isStrolling), { tip: "Walks around by itself (T)" });
    this.live.groundColours = ["#8d8864", "#6b7a40"];
    this.build();
    this.open();
    this.connect();
    if (wanted !== USUAL) this.say({ rides: wanted });
    if (!this.culling.checked) this.say({ culling: false });
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches || route.query.get("stroll") === "off";
    this.setStroll(!still);
    void this.watchRides();
  }

  private build(): void {
    const legend = REGIMES.map((words, regime) => h("li", {}, h("span", { class: `regime regime-${regime}` }), words));
    fill(this.shell.left, h("h2", {}, "Rides"), this.kinds, h("h3", {}, "Came back into view"), h("ul", { class: "legend" }, ...legend), this.map.element);
    fill(
      this.shell.right,
      h("h2", {}, "Fairground"),
      h("p", { class: "summary" }, "A ride that nobody sees is not computed. When it comes back into view, its state is one that you cannot tell from the truth."),
      h("label", { class: "switch", title: "Off: every ride is computed in every frame (C)" }, this.culling, h("span", {}, "culling")),
      h("label", { class: "switch", title: "The ground under a ride has the colour of how it came back into view (K)" }, this.marks, h("span", {}, "colours on the ground")),
      h("label", { class: "field" }, h("span", {}, "rides"), this.size),
      h("div", { class: "actions" }, this.stroll, button("Go to the entrance", () => this.enter(), { class: "quiet" })),
      this.costs,
      this.facts,
      this.ride,
    );
    fill(this.shell.wall);
    fill(this.shell.strip, this.meter.element);
    this.select(null);
  }

  protected meet(facts: FairgroundFacts, hello: LiveHello): void {
    this.ground = facts;
    this.map.show(facts.rides, hello.bounds);
  }

  private connect(): void {
    const { stage } = this.shell;
    stage.onSelect = (name) => this.select(name === null ? null : Number(name));
    stage.onUse = () => this.setStroll(false);
    this.map.onGo = (x, z) => this.goTo(x, z);
    this.culling.addEventListener("change", () => {
      this.say({ culling: this.culling.checked });
      this.remember();
    });
    this.marks.addEventListener("change", () => this.say({ marks: this.marks.checked }));
    this.size.addEventListener("change", () => {
      this.say({ rides: Number(this.size.value) });
      this.select(null);
      this.remember();
    });
  }

  private remember(): void {
    keepInAddress("#/fairground", { rides: unless(USUAL, this.size), culling: this.culling.checked ? null : "off" });
  }

  private setStroll(on: boolean): void {
    if (!this.isOpen) return;
    this.isStrolling = on;
    this.stroll.setAttribute("aria-pressed", String(on));
    fill(this.shell.hud, on ? "strolling; drag the view or press W A S D to walk yourself" : "W A S D or arrows walk, drag or ← → look, Shift runs");
  }

  private enter(): void {
    this.setStroll(false);
    this.walked = 0;
    this.shell.stage.reframe();
  }

  private goTo(x: number, z: number): void {
    this.setStroll(false);
    const { ahead } = this.shell.stage.view;
    const eye = new three.Vector3(x, 1.7, z);
    this.shell.stage.setView(eye, eye.clone().add(ahead.setY(0).normalize()));
  }

  /** Walks on along the paths, looking from side to side. */
  protected override step(): void {
    const now = performance.now();
    const seconds = Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    const { stage } = this.shell;
    if (this.isStrolling && !this.isHeld && this.ground.stroll.length > 1 && !stage.isEmpty) {
      this.walked += STROLL * seconds;
      const { x, z, heading } = along(this.ground.stroll, this.walked);
      const swing = heading + 1.1 * Math.sin((2 * Math.PI * this.walked) / (STROLL * SWING));
      const eye = new three.Vector3(x, 2.2, z);
      stage.setView(eye, eye.clone().add(new three.Vector3(Math.cos(swing), 0.06, Math.sin(swing))));
    }
    const { eye, ahead } = stage.view;
    this.map.look(eye.x, eye.z, Math.atan2(ahead.z, ahead.x));
  }

  protected hear(told: FairgroundStatistics): void {
    this.meter.add(told.costs, told.culling ? 0 : 1);
    this.regimes = new Map(told.seen);
    this.map.mark(told.seen);
    const [culled, complete] = [this.meter.middle(0), this.meter.middle(1)];
    const line = (name: string, series: number, cost: number | null, isOn: boolean) =>
      h("div", { class: isOn ? "cost on" : "cost" }, h("span", { class: `mark series-${series}` }), name, h("strong", {}, cost === null ? "–" : micro(cost)));
    fill(
      this.costs,
      h("h3", {}, "Motion, in each frame"),
      line("culling", 0, culled, told.culling),
      line("all rides", 1, complete, !told.culling),
      culled !== null && complete !== null
        ? h("p", { class: "gain" }, gain(complete / culled))
        : h("p", { class: "empty" }, "Switch culling off and on (C) to compare, here and among more rides."),
    );
    this.costs.dataset.culling = String(told.culling);
    this.costs.dataset.frames = String(this.live.frames);
    const [exact = 0, jumped = 0, sampled = 0] = told.returns;
    fill(
      this.facts,
      list([
        ["in view", `${grouped(told.in_view)} of ${grouped(told.rides)}`],
        ["states computed", `${grouped(told.computed)} in a frame`],
        ["came back", `${grouped(exact)} · ${grouped(jumped)} · ${grouped(sampled)}`],
      ]),
    );
    if (told.learned < told.rides && told.culling) {
      const now = told.learning[0];
      const words = now ? `learning ${now[0]}: ${now[1].doing}` : "learning the rides";
      this.facts.append(h("p", { class: "empty" }, `${words}. Until then they are computed always.`));
    }
    this.showState();
  }

  /** Asks how far the rides are learned, as long as something changes. */
  private async watchRides(): Promise<void> {
    while (this.isOpen) {
      try {
        const rides = await api.rides();
        // What nobody changed stays, and can be clicked.
        if (JSON.stringify(rides) !== JSON.stringify(this.rides)) {
          const before = JSON.stringify(this.report());
          this.rides = rides;
          this.showKinds();
          if (this.selected !== null && JSON.stringify(this.report()) !== before) this.showRide();
        }
      } catch (thrown) {
        this.shell.say(problemCard(problemOf(thrown)));
        return;
      }
      const isDone = this.rides.every((ride) => ride.learned && !ride.learning);
      await new Promise((resolve) => setTimeout(resolve, isDone ? 3000 : 500));
    }
  }

  private showKinds(): void {
    const rows = this.rides.map((ride) => {
      const share = ride.learning ? h("progress", { max: 1, value: ride.learning.done, title: ride.learning.doing, "aria-label": `Learning ${ride.title}` }) : null;
      const state = ride.problem ? "cannot be learned" : ride.learned ? thresholds(ride) : ride.learning ? ride.learning.doing : "waits to be learned";
      const row = this.rows.get(ride.name) ?? this.row(ride.name);
      row.dataset.learned = String(ride.learned !== null);
      fill(row, ride.title, h("small", {}, state), share);
      return row;
    });
    if (rows.some((row, place) => this.kinds.children[place] !== row) || rows.length !== this.kinds.childElementCount) fill(this.kinds, ...rows);
  }

  /** The row of a ride stays while reports come and go, so that no press of it is lost. */
  private row(name: string): HTMLElement {
    const row = h("button", { type: "button", class: "row kind", "data-ride": name, on: { click: () => this.visit(name) } });
    this.rows.set(name, row);
    return row;
  }

  /** Goes to the nearest ride of a kind. */
  private visit(name: string): void {
    const { eye } = this.shell.stage.view;
    const kind = this.ground.kinds.indexOf(name);
    let [best, least] = [-1, Infinity];
    this.ground.rides.forEach(([of, x, z], index) => {
      const distance = Math.hypot(x - eye.x, z - eye.z);
      if (of === kind && distance < least) [best, least] = [index, distance];
    });
    const ride = this.ground.rides[best];
    if (!ride) return;
    this.setStroll(false);
    const [, x, z, radius] = ride;
    const middle = new three.Vector3(x, Math.min(radius * 0.5, 3), z);
    const away = Math.max(radius * 2.1, 5);
    this.shell.stage.setView(new three.Vector3(x - 0.5 * away, 1.7 + 0.32 * away, z + 0.85 * away), middle);
    this.select(best);
  }

  private select(ride: number | null): void {
    this.selected = ride;
    this.showRide();
  }

  private report(): RideReport | undefined {
    const [kind = -1] = this.ground.rides[this.selected ?? -1] ?? [];
    return this.rides.find((ride) => ride.name === this.ground.kinds[kind]);
  }

  private showRide(): void {
    const ride = this.report();
    this.map.select(this.selected);
    if (this.selected === null || !ride) {
      fill(this.ride, h("p", { class: "empty" }, "Click a ride in the view or in the list to see what was learned of it."));
      return;
    }
    const signals = ride.signals.map((name) =>
      button(`Send “${name}”`, () => this.live.signal({ signal: { ride: this.selected ?? 0, name } } satisfies FairgroundControl), { tip: "It reaches the ride even if nobody sees it" }),
    );
    const { learned } = ride;
    fill(
      this.ride,
      h("h3", {}, ride.title, h("span", { class: "state now" })),
      learned ? h("p", { class: "why" }, learned.verdict) : h("p", { class: "empty" }, "It is not learned yet, and computed always."),
      h(
        "div",
        { class: "actions" },
        learned ? h("a", { class: "button", href: reportAddress(ride.name), target: "_blank", rel: "noopener" }, "Report") : null,
        ...signals,
        learned && !learned.thorough && !ride.learning
          ? button("Learn it thoroughly", () => void this.learn(ride.name), { class: "quiet", tip: "With all effort: takes from seconds to minutes, and goes on beside everything else" })
          : null,
      ),
      learned ? list([...learned.summary, ["learned in", `${short(learned.seconds)} s${learned.thorough ? ", thoroughly" : ""}`], ["file", `${grouped(learned.bytes / 1000)} kB`]]) : null,
    );
    this.showState();
  }

  /** What is done for the ride that is looked at. */
  private showState(): void {
    const badge = this.ride.querySelector<HTMLElement>(".state.now");
    if (!badge || this.selected === null) return;
    const regime = this.regimes.get(this.selected);
    badge.textContent = regime === undefined ? "out of view" : (REGIMES[regime] ?? "");
    badge.dataset.regime = String(regime ?? "none");
  }

  private async learn(name: string): Promise<void> {
    try {
      await api.learn(name);
    } catch (thrown) {
      this.shell.say(problemCard(problemOf(thrown)));
    }
  }

  commands() {
    return [
      { name: "Culling on or off", hint: "C", run: () => flip(this.culling) },
      { name: "Colours on the ground, or not", hint: "K", run: () => flip(this.marks) },
      { name: "Stroll around", hint: "T", run: () => this.setStroll(!this.isStrolling) },
      { name: "Go to the entrance", run: () => this.enter() },
      ...this.rides.map((ride) => ({ name: `Visit: ${ride.title}`, run: () => this.visit(ride.name) })),
    ];
  }
}

/** When a ride is jumped, and when it is forgotten, in a few words. */
function thresholds(ride: RideReport): string {
  const { learned } = ride;
  if (!learned) return "";
  if (learned.period !== null) return `every ${short(Number(learned.period.toPrecision(3)))} s`;
  if (learned.long === null) return "never forgets";
  return `forgets after ${short(Number(learned.long.toPrecision(3)))} s`;
}

/** What culling saves, in words; below half as much again nobody would call it cheaper. */
function gain(times: number): string {
  return times >= 1.5 ? `Culling is ${short(Number(times.toPrecision(2)))} times cheaper.` : "Culling costs about as much as all rides: among more of them it saves more.";
}
