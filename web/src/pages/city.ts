// City: a drive through streets whose cars cost nothing out of view, with the map in
// a corner.

import * as three from "three";
import { api, problemOf } from "../api";
import { CityMap } from "../city_map";
import type { CityControl, CityFacts, CityStatistics, LiveHello, NetworkReport } from "../types";
import { button, fill, grouped, h, short } from "../dom";
import { LivePage, flip, howMany, keepInAddress, unless } from "../live_page";
import { Meter, micro } from "../meter";
import { problemCard } from "../problems";
import type { Route } from "../route";
import type { Page, Shell } from "../shell";
import { list } from "./play";

const SIZES = [150, 1200, 10000, 100000];
const USUAL = 150;
const VIEWERS = [0, 1, 3, 7];
/** Places of the drive in a second, as the server sends them. */
const RATE = 2;
/** How high one sits, m. */
const HEIGHT = 1.6;
/** From where a bird looks: how high and how far behind it is, and how far it looks ahead, m. */
const BIRD = 62;
const BIRD_BEHIND = 34;
const BIRD_AHEAD = 34;
/** Below this height one is among houses, m: there one stays in the streets. */
const ROOFS = 24;
/** How wide a lane is, and what lies beside the outer ones, m. */
const [LANE, BESIDE] = [3.4, 2.2];

export function openCity(shell: Shell, route: Route): Page {
  return new CityPage(shell, route);
}

class CityPage extends LivePage<CityFacts, CityStatistics, CityControl> {
  private readonly meter = new Meter(["--regime-0", "--accent", "--regime-1"]);
  private readonly map = new CityMap();
  private readonly costs = h("div", { class: "costs", role: "status" });
  private readonly facts = h("div", { class: "facts-list" });
  private readonly networks = h("div", { class: "kinds" });
  private readonly credit = h("small", { class: "credit" });
  private readonly inset = h("div", { class: "inset" }, this.map.element, this.credit);
  private roads: CityFacts["roads"] = [];
  private confined = new three.Vector3(Infinity, 0, 0);
  private readonly report = h("div", { class: "facts-list" });
  private readonly culling: HTMLInputElement;
  private readonly pools: HTMLInputElement;
  private readonly size: HTMLSelectElement;
  private readonly viewers: HTMLSelectElement;
  private readonly drive: HTMLButtonElement;
  private readonly file = h("input", { type: "file", accept: ".osm,.pbf,.xml", hidden: true, "aria-label": "A road network" });
  private route: CityFacts["route"] = [];
  private network: string | null;
  private isDriving = false;
  private driven = 0;
  private last = performance.now();

  constructor(shell: Shell, route: Route) {
    super(shell, { world: "city", crumbs: [{ label: "City" }], walks: true });
    shell.stage.element.append(this.inset);
    this.live.groundColours = ["#7d7868", "#68744a"];
    this.live.confine = (place) => this.confine(place);
    this.culling = h("input", { type: "checkbox", checked: route.query.get("culling") !== "off", id: "culling" });
    this.pools = h("input", { type: "checkbox", checked: route.query.get("pools") !== "off", id: "pools" });
    const wanted = Number(route.query.get("cars") ?? 0);
    this.size = howMany("Cars", SIZES, wanted > 0 ? wanted : USUAL);
    this.size.prepend(h("option", { value: 0, selected: wanted === 0 }, "as many as suit"));
    const others = Number(route.query.get("viewers") ?? 0);
    this.viewers = howMany("Other viewers", VIEWERS, others);
    this.network = route.query.get("network");
    this.drive = button("Drive", () => this.setDrive(!this.isDriving), { tip: "Drives around by itself (T)" });
    this.build();
    this.open();
    this.connect();
    if (this.network !== null) this.say({ network: this.network });
    if (wanted !== 0) this.say({ cars: wanted });
    if (others !== 0) this.say({ viewers: others });
    if (!this.pools.checked) this.say({ pools: false });
    if (!this.culling.checked) this.say({ culling: false });
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches || route.query.get("drive") === "off";
    this.setDrive(!still);
    void this.showNetworks();
  }

  private build(): void {
    const legend = (colour: string, words: string) => h("li", {}, h("span", { class: "regime", style: `background: ${colour}` }), words);
    fill(
      this.shell.left,
      h("h2", {}, "Streets"),
      this.networks,
      h("div", { class: "actions" }, button("Upload a map", () => this.file.click(), { tip: "An OpenStreetMap extract (.osm.pbf, .osm) or a SUMO network (.net.xml); it can be dropped on the page, too" })),
      this.file,
      this.report,
      h("h3", {}, "On the map"),
      h("ul", { class: "legend" }, legend("#d23b30", "in view"), legend("var(--regime-1)", "run by the complete model"), legend("var(--ink)", "stronger: more cars may be there")),
    );
    fill(
      this.shell.right,
      h("h2", {}, "City"),
      h("p", { class: "summary" }, "Cars that nobody sees are not simulated. Those that you saw keep their story, and what comes into view is what would have come."),
      h("label", { class: "switch", title: "Off: every car is simulated in every frame (C)" }, this.culling, h("span", {}, "culling")),
      h("label", { class: "switch", title: "Off: every car is known one by one, seen or not (P)" }, this.pools, h("span", {}, "pools")),
      h("label", { class: "field" }, h("span", {}, "cars"), this.size),
      h("label", { class: "field" }, h("span", {}, "other viewers"), this.viewers),
      h("div", { class: "actions" }, this.drive, button("Bird’s eye", () => this.fly(), { tip: "Looks at the streets from above (B)" })),
      this.costs,
      this.facts,
    );
    fill(this.shell.wall);
    fill(this.shell.strip, this.meter.element);
  }

  protected meet(facts: CityFacts, hello: LiveHello): void {
    if (JSON.stringify(facts.route[0]) !== JSON.stringify(this.route[0])) {
      this.driven = facts.start;
      this.shell.stage.setView(new three.Vector3(...hello.eye), new three.Vector3(...hello.target));
    }
    this.route = facts.route;
    this.roads = facts.roads;
    this.confined.setX(Infinity);
    this.map.show(facts.roads);
    fill(this.credit, facts.attribution ?? "");
  }

  private connect(): void {
    const { shell } = this;
    shell.stage.onUse = () => this.setDrive(false);
    shell.onFiles = { kinds: /\.(osm\.pbf|pbf|osm|xml)$/i, words: "a road network (.osm.pbf, .osm, .net.xml)", take: (files) => void this.upload(files[0]) };
    this.map.onGo = (x, z) => this.goTo(x, z);
    this.file.addEventListener("change", () => void this.upload(this.file.files?.[0]));
    const change = (element: HTMLElement, say: () => CityControl) =>
      element.addEventListener("change", () => {
        this.say(say());
        this.remember();
      });
    change(this.culling, () => ({ culling: this.culling.checked }));
    change(this.pools, () => ({ pools: this.pools.checked }));
    change(this.size, () => ({ cars: Number(this.size.value) || null }));
    change(this.viewers, () => ({ viewers: Number(this.viewers.value) }));
  }

  private remember(): void {
    keepInAddress("#/city", {
      network: this.network,
      cars: unless(0, this.size),
      viewers: unless(0, this.viewers),
      culling: this.culling.checked ? null : "off",
      pools: this.pools.checked ? null : "off",
    });
  }

  private setDrive(on: boolean): void {
    if (!this.isOpen) return;
    this.isDriving = on;
    this.drive.setAttribute("aria-pressed", String(on));
    fill(this.shell.hud, on ? "driving; drag the view or press W A S D to go yourself" : "W A S D or arrows walk, drag or ← → look, Shift runs, E rises");
  }

  private goTo(x: number, z: number): void {
    this.setDrive(false);
    const { ahead } = this.shell.stage.view;
    const eye = new three.Vector3(x, HEIGHT, z);
    this.shell.stage.setView(eye, eye.clone().add(ahead.setY(0).normalize()));
  }

  /** Looks at the streets from above. */
  private fly(): void {
    this.setDrive(false);
    const { eye, ahead } = this.shell.stage.view;
    const way = ahead.setY(0).normalize();
    // The street that one was in lies in the middle, and the houses beside it hide little of it.
    const above = eye.clone().setY(BIRD).addScaledVector(way, -BIRD_BEHIND);
    this.shell.stage.setView(above, eye.clone().setY(0).addScaledVector(way, BIRD_AHEAD));
  }

  /** Whoever is among houses is in a street: nobody looks out of a wall. */
  private confine(place: three.Vector3): void {
    if (place.y > ROOFS || place.equals(this.confined) || this.roads.length === 0) return;
    let [least, x, z] = [Infinity, place.x, place.z];
    for (const [, lanes, points] of this.roads) {
      const room = 0.5 * LANE * lanes + BESIDE;
      for (let at = 0; at + 3 < points.length; at += 2) {
        const [ax = 0, az = 0, bx = 0, bz = 0] = points.slice(at, at + 4);
        const length = (bx - ax) ** 2 + (bz - az) ** 2;
        const share = length > 0 ? Math.min(Math.max(((place.x - ax) * (bx - ax) + (place.z - az) * (bz - az)) / length, 0), 1) : 0;
        const [nx, nz] = [ax + share * (bx - ax), az + share * (bz - az)];
        const away = Math.hypot(place.x - nx, place.z - nz);
        if (away - room >= least) continue;
        least = away - room;
        const kept = away > 0 ? Math.min(room / away, 1) : 1;
        [x, z] = [nx + (place.x - nx) * kept, nz + (place.z - nz) * kept];
      }
    }
    if (least > 0) place.set(x, Math.max(place.y, 0.4), z);
    this.confined.copy(place);
  }

  /** Drives on along the recorded way. */
  protected override step(): void {
    const now = performance.now();
    const seconds = Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    const { stage } = this.shell;
    if (this.isDriving && !this.isHeld && this.route.length > 1 && !stage.isEmpty) {
      this.driven = (this.driven + seconds * RATE) % (this.route.length - 1);
      const [from, to] = [this.route[Math.floor(this.driven)], this.route[Math.floor(this.driven) + 1]];
      if (from && to) {
        const share = this.driven - Math.floor(this.driven);
        const mix = (part: number) => (from[part] ?? 0) + ((to[part] ?? 0) - (from[part] ?? 0)) * share;
        const eye = new three.Vector3(mix(0), HEIGHT, mix(1));
        stage.setView(eye, eye.clone().add(new three.Vector3(mix(2), -0.02, mix(3))));
      }
    }
    const { eye, ahead } = stage.view;
    this.map.look(eye.x, eye.z, Math.atan2(ahead.z, ahead.x));
  }

  protected hear(told: CityStatistics): void {
    const series = !told.culling ? 1 : told.pools ? 0 : 2;
    this.meter.add(told.costs, series);
    this.map.tell(told);
    this.pools.disabled = !told.culling;
    const line = (name: string, of: number) => {
      const cost = this.meter.middle(of);
      return h("div", { class: series === of ? "cost on" : "cost" }, h("span", { class: `mark series-${of}` }), name, h("strong", {}, cost === null ? "–" : micro(cost)));
    };
    fill(
      this.costs,
      h("h3", {}, "Cars, in each frame"),
      line("culling, with pools", 0),
      line("culling, all tracked", 2),
      line("all cars simulated", 1),
      told.efficiency === null
        ? h("p", { class: "empty" }, "Every car is simulated, seen or not.")
        : h("p", { class: "gain" }, this.gain(told)),
    );
    this.costs.dataset.culling = String(told.culling);
    this.costs.dataset.pools = String(told.pools);
    this.costs.dataset.frames = String(this.live.frames);
    const [active = 0, tracked = 0, pooled = 0] = told.counts;
    fill(
      this.facts,
      list([
        ["in view", `${grouped(told.in_view)} of ${grouped(told.cars)} cars`],
        ["simulated", grouped(active)],
        ["tracked", grouped(tracked)],
        ["in pools", grouped(pooled)],
        ["roads", `${grouped(told.seen.length)} seen of ${grouped(told.roads)}`],
      ]),
    );
    if (told.gridlocks > 0) this.facts.append(h("p", { class: "empty" }, `${grouped(told.gridlocks)} gridlocks: cars wait for each other in a circle.`));
  }

  /** What culling saves, in words. */
  private gain(told: CityStatistics): string {
    const cost = this.meter.middle(told.pools ? 0 : 2);
    if (cost === null) return "";
    const times = (told.complete * told.cars) / cost;
    return times >= 1.5 ? `About ${grouped(Number(times.toPrecision(2)))} times cheaper than simulating every car.` : `It costs about as much as simulating all ${grouped(told.cars)} cars: with more of them it saves more.`;
  }

  private async showNetworks(): Promise<void> {
    let reports: NetworkReport[] = [];
    try {
      reports = await api.networks();
    } catch (thrown) {
      this.shell.say(problemCard(problemOf(thrown)));
    }
    if (!this.isOpen) return;
    const row = (name: string | null, title: string, words: string) => {
      const made = h("button", { type: "button", class: "row kind", "data-network": name ?? "", "aria-pressed": String(name === this.network) }, title, h("small", {}, words));
      made.addEventListener("click", () => this.choose(name));
      return made;
    };
    fill(this.networks, row(null, "generated", "grows with the cars"), ...reports.map((one) => row(one.name, one.name, `${grouped(one.roads)} roads`)));
    const chosen = reports.find((one) => one.name === this.network);
    fill(this.report, ...(chosen ? [h("p", { class: "why" }, `${chosen.format}, ${short(chosen.kilometres)} km. What a city here cannot have:`), list(chosen.notes.map(([what, count]) => [grouped(count), what]))] : []));
  }

  private choose(network: string | null): void {
    this.network = network;
    this.say({ network });
    this.remember();
    void this.showNetworks();
  }

  private async upload(file: File | undefined): Promise<void> {
    if (!file) return;
    fill(this.report, h("p", { class: "empty" }, `reading ${file.name} …`));
    const name = file.name.toLowerCase().replace(/\.(osm\.pbf|pbf|osm|net\.xml|xml)$/, "").replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60);
    try {
      const report = await api.keepNetwork(name === "" ? "network" : name, file);
      this.choose(report.name);
    } catch (thrown) {
      fill(this.report, problemCard(problemOf(thrown)));
    }
  }

  commands() {
    return [
      { name: "Culling on or off", hint: "C", run: () => flip(this.culling) },
      { name: "Pools on or off", hint: "P", run: () => flip(this.pools) },
      { name: "Drive around", hint: "T", run: () => this.setDrive(!this.isDriving) },
      { name: "Bird’s eye", hint: "B", run: () => this.fly() },
      { name: "Upload a road network", run: () => this.file.click() },
    ];
  }

  override leave(): void {
    this.inset.remove();
    super.leave();
  }
}
