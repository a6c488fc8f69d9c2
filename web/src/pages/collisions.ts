// Collisions: many concave bodies in a box, handled within what a frame may take.

import { api, problemOf } from "../api";
import type { CollisionsColours, CollisionsControl, CollisionsFacts, CollisionsStatistics } from "../types";
import { button, fill, grouped, h, short } from "../dom";
import { iconButton } from "../icons";
import { LivePage, flip, howMany, keepInAddress, unless } from "../live_page";
import { Meter, micro } from "../meter";
import { problemCard } from "../problems";
import type { Route } from "../route";
import type { Page, Shell } from "../shell";
import { list } from "./play";

const SIZES = [30, 120, 400, 1000, 2000];
const BODIES = 120;
/** The slider goes from 10^LEAST to 10^MOST µs. */
const [LEAST, MOST] = [1.7, 4.3];
const BUDGET = 1000;
const COLOURS: [CollisionsColours, string][] = [
  ["level", "the level that was reached"],
  ["priority", "the priority it has"],
  ["plain", "the mesh"],
];
const BANDS = ["watched most", "watched", "seen", "hardly seen", "out of view"];

export function openCollisions(shell: Shell, route: Route): Page {
  return new CollisionsPage(shell, route);
}

class CollisionsPage extends LivePage<CollisionsFacts, CollisionsStatistics, CollisionsControl> {
  private readonly meter = new Meter(["--regime-2", "--accent"]);
  private readonly fillings = h("div", { class: "kinds" });
  private readonly meshes = h("div", { class: "meshes" });
  private readonly legend = h("ul", { class: "legend" });
  private readonly figures = h("div", { class: "facts-list", role: "status" });
  private readonly trouble = h("div", {});
  private readonly ring = h("div", { class: "gaze", "aria-hidden": "true", hidden: true });
  private readonly budget: HTMLInputElement;
  private readonly budgetText = h("output", {});
  private readonly size: HTMLSelectElement;
  private readonly schedule = h("select", { "aria-label": "What is refined first" });
  private readonly colours = h("select", { "aria-label": "What colours say" });
  private readonly follow = h("input", { type: "checkbox", checked: true, id: "gaze" });
  private readonly gravity = h("input", { type: "checkbox", id: "gravity" });
  private facts: CollisionsFacts | null = null;
  private gaze: [number, number] | null = null;
  private told = "";
  /** A mesh that was just uploaded: if the box cannot use it, it is not kept. */
  private offered: string | null = null;

  constructor(shell: Shell, route: Route) {
    super(shell, { world: "collisions", crumbs: [{ label: "Collisions" }], surroundings: "indoors" });
    const budget = Number(route.query.get("budget")) || BUDGET;
    this.budget = h("input", { type: "range", min: LEAST, max: MOST, step: 0.01, value: Math.log10(budget), "aria-label": "What a frame may take" });
    const wanted = Number(route.query.get("bodies")) || BODIES;
    this.size = howMany("Bodies", SIZES, wanted);
    for (const [value, words] of COLOURS) this.colours.append(h("option", { value }, words));
    this.build();
    this.open();
    this.connect();
    if (budget !== BUDGET) this.say({ budget });
    if (wanted !== BODIES) this.say({ bodies: wanted });
    const scene = route.query.get("scene");
    if (scene) this.say({ scene });
    this.showBudget();
    void this.showMeshes();
  }

  private build(): void {
    const file = h("input", { type: "file", accept: ".glb,.obj", hidden: true });
    file.addEventListener("change", () => void this.take([...(file.files ?? [])]));
    const upload = button("Upload a mesh …", () => file.click(), { class: "quiet", tip: "A closed mesh, .glb or .obj; or drop it anywhere" });
    fill(this.shell.left, h("h2", {}, "In the box"), this.fillings, this.meshes, upload, file, h("h3", {}, "Colours"), this.colours, this.legend);
    const toggle = (input: HTMLInputElement, words: string, title: string) => h("label", { class: "switch", title }, input, h("span", {}, words));
    fill(
      this.shell.right,
      h("h2", {}, "Collisions"),
      h("p", { class: "summary" }, "Every collision starts from one coarse answer and is refined while there is time: first where you look. A frame is late only if even the coarsest answers do not fit."),
      h("label", { class: "field" }, h("span", {}, "budget"), h("span", { class: "pair" }, this.budget, this.budgetText)),
      h("label", { class: "field" }, h("span", {}, "bodies"), this.size),
      h("label", { class: "field" }, h("span", {}, "first"), this.schedule),
      toggle(this.follow, "gaze follows the pointer", "Off: one looks at the middle (G)"),
      toggle(this.gravity, "gravity", "Bodies fall instead of floating"),
      this.trouble,
      this.figures,
      h("h3", {}, "Experiment"),
      h("p", { class: "summary" }, "Do coarse collisions matter where nobody looks?"),
      h("div", { class: "actions" }, h("a", { class: "button", href: "#/study/gaze" }, "Take part")),
    );
    fill(this.shell.wall);
    fill(this.shell.strip, this.meter.element);
    fill(this.shell.hud, "drag to look around; the ring is where you look");
    this.shell.stage.element.append(this.ring);
  }

  protected meet(facts: CollisionsFacts): void {
    const { stage } = this.shell;
    this.facts = facts;
    this.offered = null;
    this.showFacts();
    if (!stage.isEmpty) stage.reframe();
  }

  private connect(): void {
    const { shell } = this;
    this.listen(shell.stage.canvas, "pointermove", this.look);
    this.listen(shell.stage.canvas, "pointerleave", this.lookAhead);
    shell.onFiles = { kinds: /\.(glb|obj)$/i, words: "a closed mesh (.glb, .obj)", take: (files) => void this.take(files) };
    this.budget.addEventListener("input", () => {
      this.say({ budget: this.budgetNow });
      this.showBudget();
      this.remember();
    });
    this.size.addEventListener("change", () => {
      this.say({ bodies: Number(this.size.value) });
      this.remember();
    });
    this.schedule.addEventListener("change", () => this.say({ schedule: this.schedule.value }));
    this.colours.addEventListener("change", () => {
      this.say({ colours: this.colours.value as CollisionsColours });
      this.showLegend();
    });
    this.follow.addEventListener("change", () => this.lookAhead());
    this.gravity.addEventListener("change", () => this.say({ gravity: this.gravity.checked }));
  }

  private get budgetNow(): number {
    return Number((10 ** Number(this.budget.value)).toPrecision(2));
  }

  private showBudget(): void {
    this.budgetText.textContent = micro(this.budgetNow);
    this.meter.limit = this.budgetNow;
    this.meter.draw();
  }

  private remember(): void {
    const { facts } = this;
    const isUsual = !facts || !facts.scenes.includes(facts.filled_with) || facts.filled_with === "crowd";
    keepInAddress("#/collisions", {
      budget: this.budgetNow === BUDGET ? null : String(this.budgetNow),
      bodies: unless(BODIES, this.size),
      scene: isUsual ? null : facts.filled_with,
    });
  }

  /** The gaze is where the pointer is. */
  private readonly look = (event: PointerEvent): void => {
    if (!this.follow.checked) return;
    const box = this.shell.stage.canvas.getBoundingClientRect();
    const share = (value: number) => Math.round(1000 * Math.min(Math.max(value, 0), 1)) / 1000;
    const gaze: [number, number] = [share((event.clientX - box.left) / box.width), share((event.clientY - box.top) / box.height)];
    this.ring.style.left = `${100 * gaze[0]}%`;
    this.ring.style.top = `${100 * gaze[1]}%`;
    this.ring.hidden = false;
    // A pointer says more than a frame can use.
    if (this.gaze === null || Math.hypot(gaze[0] - this.gaze[0], gaze[1] - this.gaze[1]) > 0.01) {
      this.gaze = gaze;
      this.say({ gaze });
    }
  };

  /** Without a pointer one looks at the middle. */
  private readonly lookAhead = (): void => {
    this.ring.hidden = true;
    if (this.gaze === null) return;
    this.gaze = null;
    this.say({ gaze: null });
  };

  protected hear(told: CollisionsStatistics): void {
    this.meter.limit = told.budget;
    this.meter.add(told.costs, 0);
    const [frames, late] = told.frames;
    const cost = this.meter.middle(0);
    const allowed = told.budget === null ? "" : ` of ${micro(told.budget)}`;
    fill(
      this.figures,
      list([
        ["a frame takes", cost === null ? "–" : `${micro(cost)}${allowed}`],
        ["late", `${grouped(late)} of ${grouped(frames)} frames`],
        ["pairs", grouped(told.pairs)],
        ["collisions", `${grouped(told.collisions)}, ${grouped(told.held)} held`],
        ["node tests", grouped(told.tests)],
        ["mean level", `${short(Number(told.mean_level.toPrecision(3)))} of ${this.facts?.deepest ?? "–"}`],
      ]),
    );
    Object.assign(this.figures.dataset, { frames: this.live.frames, collisions: told.collisions, gaze: this.gaze?.join(" ") ?? "middle", budget: told.budget });
    this.count(told);
    const trouble = told.trouble ? JSON.stringify(told.trouble) : "";
    if (trouble === this.told) return;
    this.told = trouble;
    fill(this.trouble, told.trouble ? problemCard(told.trouble) : null);
    if (told.trouble && this.offered) void api.dropMesh(this.offered).then(() => this.showMeshes());
    this.offered = null;
  }

  private showFacts(): void {
    const { facts } = this;
    if (!facts) return;
    const row = (name: string) => {
      const made = h("button", { type: "button", class: "row kind", "aria-pressed": String(name === facts.filled_with), "data-filling": name }, name);
      made.addEventListener("click", () => this.say({ scene: name }));
      return made;
    };
    fill(this.fillings, ...facts.scenes.map(row), h("p", { class: "empty" }, `${grouped(facts.triangles)} triangles in all${facts.mended ? `; mended: ${facts.mended}` : ""}`));
    this.fillings.dataset.filling = facts.filled_with;
    if (this.schedule.childElementCount === 0) for (const name of facts.schedules) this.schedule.append(h("option", { value: name }, name));
    this.showLegend();
    void this.showMeshes();
    this.remember();
  }

  /** What the colours mean, with room for how many there are of each. */
  private showLegend(): void {
    const { facts } = this;
    if (!facts) return;
    const entry = (colour: string, words: string) => h("li", {}, h("span", { class: "regime", style: `background: ${colour}` }), words, h("small", { class: "count" }));
    const levels = facts.level_colours.slice(0, facts.deepest + 1).map((colour, level) => entry(colour, level === 0 ? "level 0, the coarsest" : `level ${level}`));
    const bands = facts.band_colours.map((colour, band) => entry(colour, BANDS[band] ?? ""));
    const alone = entry(facts.alone_colour, "touches nothing");
    const kind = this.colours.value as CollisionsColours;
    fill(this.legend, ...(kind === "plain" ? [] : [...(kind === "level" ? levels : bands), alone]));
  }

  private count(told: CollisionsStatistics): void {
    const counts = this.colours.value === "level" ? told.levels : told.bands;
    this.legend.querySelectorAll(".count").forEach((element, at) => {
      const many = counts[at];
      element.textContent = many ? grouped(many) : "";
    });
  }

  /** Takes a mesh that was chosen or dropped, and fills the box with it. */
  private async take(files: File[]): Promise<void> {
    const file = files.find((one) => /\.(glb|obj)$/i.test(one.name));
    if (!file) return;
    try {
      const known = await api.meshes();
      const kept = await api.keepMesh(file);
      if (!known.some((mesh) => mesh.name === kept.name)) this.offered = kept.name;
      this.say({ mesh: kept.name });
    } catch (thrown) {
      fill(this.trouble, problemCard(problemOf(thrown)));
    }
    await this.showMeshes();
  }

  private async showMeshes(): Promise<void> {
    const meshes = await api.meshes().catch(() => []);
    const drop = (name: string) => void api.dropMesh(name).then(() => this.showMeshes());
    const rows = meshes.map((mesh) =>
      h(
        "div",
        { class: "mesh" },
        button(mesh.name, () => this.say({ mesh: mesh.name }), { class: "quiet", tip: "Fills the box with it" }),
        h("small", {}, `${grouped(mesh.bytes / 1000)} kB`),
        iconButton("close", `Take ${mesh.name} away`, () => drop(mesh.name)),
      ),
    );
    fill(this.meshes, ...rows);
  }

  commands() {
    return [
      { name: "Gaze follows the pointer, or not", hint: "G", run: () => flip(this.follow) },
      { name: "Gravity on or off", run: () => flip(this.gravity) },
      ...(this.facts?.scenes ?? []).map((name) => ({ name: `Fill the box with ${name}`, run: () => this.say({ scene: name }) })),
    ];
  }

  override leave(): void {
    this.ring.remove();
    super.leave();
  }
}
