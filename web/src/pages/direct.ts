// Direct: say what should happen, run, watch, and browse what was found.

import { api, download, entryAddress, problemOf, settled } from "../api";
import type { RunBreed, RunKeep, RunLike, RunMethod, RunPick, RunReport, SceneChoice, SceneTree, TakeSummary } from "../api";
import { anew, load, simulated, type Clip } from "../clip";
import { button, fill, grouped, h } from "../dom";
import { letters } from "../plots";
import { problemCard } from "../problems";
import { replace, type Route } from "../route";
import { keepOwn, SCENE_FILES, SceneForm } from "../scene_form";
import type { Page, Shell } from "../shell";
import { found, RunView } from "../run_view";
import { Tree } from "../tree";
import { Wall } from "../wall";
import { WantsEditor } from "../wants";

const METHODS: [string, string][] = [
  ["", "what suits"],
  ["rejection", "drawing until it fits"],
  ["chain", "a single chain"],
  ["tempering", "tempering"],
  ["population", "populations"],
];

const PICKS: [string, string][] = [
  ["different", "different ones (a search)"],
  ["likely", "likely ones (a fair draw)"],
];

/** What is wanted at first of scenes whose wants are edited piece by piece. */
function firstWants(scene: string, tree: SceneTree): string[] {
  const dice = tree.bodies.filter((body) => /^die/.test(body.name)).map((body) => body.name);
  if (scene === "table" && dice.length === 1) return ["die-1 shows 6", "die-1 rests near 0.1 0.05 within 0.04"];
  if (scene === "table" || scene === "own") return dice.map((name) => `${name} shows 6`);
  if (scene === "dice") return dice.slice(0, 2).map((name) => `${name} shows 6`);
  if (scene === "bowling") return ["all fall"];
  if (scene === "billiards") return ["ball-1 rests in pockets"];
  return [];
}

/** How far a run is, in a line. */
function progress(run: RunReport): string {
  return run.state === "running" || run.state === "waiting" ? `searching: ${found(run)}` : found(run);
}

export function openDirect(shell: Shell, route: Route): Page {
  return new Direct(shell, route);
}

class Direct implements Page {
  private readonly shell: Shell;
  private readonly form = new SceneForm();
  private readonly tree = new Tree();
  private readonly wants = new WantsEditor();
  private readonly wall = new Wall();
  private readonly view = new RunView();
  private readonly ownWants = h("div", { class: "own-wants" });
  private readonly samples = h("input", { type: "number", min: 1, max: 1000, step: 1, value: 12 });
  private readonly seed = h("input", { type: "number", min: 0, max: 4294967295, step: 1, value: 1 });
  private readonly method = h("select", {});
  private readonly pick = h("select", {});
  private readonly go: HTMLButtonElement;
  private readonly keeps: HTMLButtonElement;
  private readonly likes: HTMLButtonElement;
  private readonly problems = h("div", { class: "problems" });
  private usesOwnWants = false;
  private isFirstTree = true;
  private run: RunReport | null = null;
  /** Which run is followed: one at a time, also if the same one goes on. */
  private following = 0;
  /** Reports by when they were asked for: how many, and the last one that was shown. */
  private asked = 0;
  private told = 0;
  private found = -1;
  private entry: number | null = null;
  private summary: TakeSummary | null = null;
  private playing: Clip[] = [];
  private version = 0;
  /** The scene that is shown, or that led to what is shown. */
  private shown: string | null = null;
  private isOpen = true;

  constructor(shell: Shell, route: Route) {
    this.shell = shell;
    shell.arrange("direct");
    for (const [value, label] of METHODS) this.method.append(h("option", { value }, label));
    for (const [value, label] of PICKS) this.pick.append(h("option", { value }, label));
    this.go = button("▶ Run", () => void this.start(), { class: "primary", tip: "Find animations that end as wanted (Ctrl Enter)" });
    this.go.disabled = true;
    this.keeps = button("Keep until here", () => this.keepHere(), { tip: "Runs with the wants as they are now: all that is found is the animation that is played until the time that is shown, and then another" });
    this.keeps.disabled = true;
    this.likes = button("More like this", () => this.moreLikeThis(), { tip: "Runs with the wants as they are now: all that is found has what is held in the tree (the pins) as in the animation that is played; without any, everything moves a little" });
    this.likes.disabled = true;
    this.build();
    this.connect();
    shell.stage.show([]);
    shell.timeline.pause();
    shell.timeline.open(null);
    const opened = route.page === "run" ? this.openRun(route) : this.openScene(route.name, route.query);
    opened.catch((thrown: unknown) => shell.say(problemCard(problemOf(thrown))));
  }

  private build(): void {
    const field = (name: string, control: HTMLElement, tip: string) => h("label", { class: "field", title: tip }, h("span", {}, name), control);
    fill(this.shell.left, h("h2", {}, "Scene"), this.tree.element);
    fill(
      this.shell.right,
      h("h2", {}, "Direct"),
      this.form.element,
      h("h3", {}, "Wants"),
      this.ownWants,
      this.wants.element,
      h("h3", {}, "Run"),
      h(
        "div",
        { class: "two" },
        field("animations", this.samples, "how many"),
        field("seed", this.seed, "everything follows from it"),
      ),
      field("pick", this.pick, "different: a search for those that differ most. likely: a fair draw, which takes longer, and may have one twice"),
      field("method", this.method, "left open, the chance of success decides"),
      h("div", { class: "actions" }, this.go, this.keeps, this.likes),
      this.problems,
      this.view.element,
    );
    fill(this.shell.wall, this.wall.element);
  }

  private connect(): void {
    const { stage } = this.shell;
    stage.onSelect = (name) => this.tree.mark(name);
    stage.onClick = (name) => this.wants.click(name);
    stage.onSpot = (place, spot, done) => {
      const want = this.wants.spots()[place]?.want;
      if (want === undefined) return;
      this.wants.move(want, spot.x, spot.z);
      if (done) this.wantsChanged();
    };
    stage.element.addEventListener("dragover", this.allowDrop);
    stage.element.addEventListener("drop", this.drop);
    document.addEventListener("keydown", this.key);
    this.tree.onSelect = (name) => stage.select(name);
    this.tree.onDensity = (name, density) => this.form.setDensity(name, density);
    this.shell.onFiles = { ...SCENE_FILES, take: (files) => void this.form.take(files) };
    this.form.onScene = (name) => (location.hash = `#/direct/${name}`);
    this.form.onEnter = () => void this.start();
    this.form.onTree = (tree) => this.treeChanged(tree);
    this.wants.onChange = () => this.wantsChanged();
    this.wall.onOpen = (index) => void this.open(index);
    this.wall.onCompare = (index) => void this.compare(index);
    this.wall.onBreed = (entries) => this.breed(entries);
    this.wall.onTrails = (clips) => stage.setTrails(clips);
    this.view.onStop = () => void this.stop();
    this.view.onResume = (samples) => void this.resume(samples);
  }

  private readonly allowDrop = (event: DragEvent) => {
    if (event.dataTransfer?.types.includes("text/entry")) event.preventDefault();
  };

  private readonly drop = (event: DragEvent) => {
    const text = event.dataTransfer?.getData("text/entry");
    if (text) void this.open(Number(text));
  };

  private readonly key = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void this.start();
  };

  private async openScene(name: string, query: URLSearchParams): Promise<void> {
    this.shell.setCrumbs({ label: "Direct", href: "#/direct" }, { label: name === "own" ? "your scene" : name });
    await this.openForm(name, query);
    if (this.form.tree) await this.sketch();
  }

  private async openRun(route: Route): Promise<void> {
    this.shell.setCrumbs({ label: "Direct", href: "#/direct" }, { label: route.name });
    const run = await api.run(route.name);
    const scene = run.order.scene;
    const query = new URLSearchParams(Object.entries(scene.parameters ?? {}).map(([name, value]) => [name, String(value)]));
    if (scene.text) query.set("text", scene.text);
    if (scene.toml) keepOwn(scene.toml);
    if (scene.wants) {
      this.isFirstTree = false;
      this.wants.set(scene.wants);
    }
    this.samples.value = String(run.order.samples);
    this.seed.value = String(run.order.seed);
    this.method.value = run.order.method ?? "";
    this.pick.value = run.order.pick ?? "different";
    await this.openForm(scene.builtin ?? "own", query);
    this.shown = JSON.stringify(this.bare());
    if (scene.wants) this.wantsChanged();
    this.watch(run);
    if (route.entry !== null) await this.open(route.entry);
    else if (run.found === 0) await this.sketch();
  }

  /** The scene as it is without a wish, so that there is something to see. */
  private async sketch(): Promise<void> {
    const version = ++this.version;
    const isWanted = () => version === this.version && this.isOpen;
    const scene = this.bare();
    this.shown = JSON.stringify(scene);
    const made = await simulated(() => api.order({ scene, seed: 1 }), undefined, isWanted);
    if (!made) return;
    const { clip, summary } = made;
    if (!isWanted() || this.entry !== null) return clip.dispose();
    this.wants.place((body) => clip.placeOf(body));
    this.play([clip], summary, false);
  }

  /** The scene without what is wanted. */
  private bare(): SceneChoice {
    const { wants: _, ...scene } = this.form.choice();
    return scene;
  }

  private play(clips: Clip[], summary: TakeSummary, keepView: boolean): void {
    this.shell.say();
    this.playing = clips;
    this.summary = summary;
    this.keeps.disabled = this.likes.disabled = this.entry === null;
    this.shell.stage.element.dataset.take = summary.id;
    // A view that nobody has chosen goes where there is something to see.
    this.shell.stage.show(clips, keepView && this.shell.stage.isMoved);
    this.shell.stage.setContacts(summary.contacts);
    this.showSpots();
    this.shell.timeline.open(summary);
    this.shell.showBounds();
    this.shell.timeline.start();
  }

  private treeChanged(tree: SceneTree | null): void {
    // What is wrong is told to whoever presses it.
    this.go.disabled = false;
    this.go.dataset.scene = tree ? "sound" : "wrong";
    if (!tree && this.shell.stage.isEmpty) this.shell.say("What is wrong with the scene is told on the right.");
    if (!tree) return;
    this.tree.changed = new Set(this.form.densities.keys());
    this.tree.show(tree);
    const movers = tree.bodies.filter((body) => !body.fixed && body.count === 1).map((body) => body.name);
    this.wants.know(movers, tree.groups, this.size());
    if (this.isFirstTree) {
      this.isFirstTree = false;
      this.usesOwnWants = tree.wants.length > 0 && this.form.name !== "table";
      const first = this.usesOwnWants ? [] : firstWants(this.form.name, tree);
      this.wants.set(first);
      if (first.length > 0) this.wantsChanged();
    }
    this.showOwnWants(tree);
    // Whoever edits the scene sees the one that is edited, and not what another one led to.
    const scene = JSON.stringify(this.bare());
    if (this.shown === null || this.shown === scene) return;
    this.entry = null;
    this.wall.mark(null);
    void this.sketch().catch((thrown: unknown) => this.shell.say(problemCard(problemOf(thrown))));
  }

  /** The scene is known: from where to look at it, and what the wants replace. */
  private openForm(name: string, query: URLSearchParams): Promise<void> {
    this.shell.stage.angle = this.wall.angle = name === "spell" ? "above" : "side";
    this.form.isCompact = true;
    this.form.leftOut = name === "table" ? ["face", "x", "z", "within"] : [];
    return this.form.open(name, query);
  }

  private showOwnWants(tree: SceneTree): void {
    this.wants.element.hidden = this.usesOwnWants;
    if (!this.usesOwnWants) return fill(this.ownWants);
    const items = tree.wants.slice(0, 8).map((want) => h("li", {}, want));
    const word = letters(tree.wants);
    fill(
      this.ownWants,
      word ?? h("ul", {}, ...items),
      !word && tree.wants.length > 8 ? h("p", { class: "empty" }, `and ${tree.wants.length - 8} more`) : null,
      button("Want something else", () => {
        this.usesOwnWants = false;
        this.wantsChanged();
        this.showOwnWants(tree);
      }, { class: "quiet", tip: "Replace what the scene itself wants" }),
    );
  }

  private wantsChanged(): void {
    this.usesOwnWants = false;
    this.form.setWants(this.wants.get());
    this.showSpots();
  }

  private showSpots(): void {
    this.shell.stage.setSpots(this.wants.spots());
    this.shell.stage.setMarks(this.wants.marks());
  }

  /** How large the scene is, m. */
  private size(): number {
    const action = this.playing[0]?.action;
    return action ? action.max.distanceTo(action.min) : 0.4;
  }

  /** What is played is kept until the time that is shown, and what comes then is drawn anew. */
  private keepHere(): void {
    if (!this.run || this.entry === null) return;
    this.nextSeed();
    void this.start({ keep: { run: this.run.id, entry: this.entry, until: this.shell.timeline.time } });
  }

  /** Others that have what is held in common with what is played. */
  private moreLikeThis(): void {
    if (!this.run || this.entry === null) return;
    this.nextSeed();
    void this.start({ like: { run: this.run.id, entry: this.entry, hold: [...this.tree.held] } });
  }

  /** Others between and around some. */
  private breed(entries: number[]): void {
    if (!this.run) return;
    // It is a search.
    this.pick.value = "different";
    this.nextSeed();
    void this.start({ breed: { run: this.run.id, entries } });
  }

  /** With the same seed, what is drawn anew would be drawn as before. */
  private nextSeed(): void {
    this.seed.value = String((Number(this.seed.value) + 1) % 4294967296);
  }

  private async start(more: { keep?: RunKeep; like?: RunLike; breed?: RunBreed } = {}): Promise<void> {
    fill(this.problems);
    this.go.disabled = true;
    try {
      await this.form.check();
      if (!this.form.tree) return this.form.showProblem();
      const pick = this.pick.value as RunPick;
      const order = { scene: this.form.choice(), seed: Number(this.seed.value), samples: Number(this.samples.value), pick, ...more };
      const method = this.method.value as RunMethod | "";
      const run = await api.start(method ? { ...order, method } : order);
      this.entry = null;
      this.watch(run);
      this.view.element.scrollIntoView({ block: "nearest" });
    } catch (thrown) {
      fill(this.problems, problemCard(problemOf(thrown)));
    } finally {
      this.go.disabled = false;
    }
  }

  /** Follows a run until it ends or another is looked at. */
  private watch(run: RunReport): void {
    this.run = run;
    this.found = -1;
    const number = ++this.following;
    const isFollowed = () => this.isOpen && this.following === number;
    replace(`#/runs/${run.id}`);
    this.shell.setCrumbs({ label: "Direct", href: `#/direct/${run.order.scene.builtin ?? "own"}` }, { label: run.title }, { label: run.id });
    this.wall.show(run.id, []);
    const follow = async () => {
      while (isFollowed()) {
        try {
          const report = await this.newest(api.run(run.id));
          if (!isFollowed()) return;
          if (report && report.found !== this.found) await this.refresh(report);
          if (report && report.state !== "waiting" && report.state !== "running") return;
          if (report) fill(this.problems);
        } catch (thrown) {
          // The run goes on without the page; it is asked again.
          fill(this.problems, problemCard(problemOf(thrown)));
        }
        await new Promise((resolve) => setTimeout(resolve, 400));
      }
    };
    void follow();
  }

  /** Shows how far the run is, unless something newer is shown: answers may overtake each other. */
  private async newest(asked: Promise<RunReport>): Promise<RunReport | null> {
    const number = ++this.asked;
    const report = await asked;
    if (number < this.told || report.id !== this.run?.id || !this.isOpen) return null;
    this.told = number;
    this.run = report;
    this.view.show(report);
    fill(this.shell.hud, progress(report));
    return report;
  }

  private async refresh(report: RunReport): Promise<void> {
    const entries = await api.entries(report.id);
    if (!this.isOpen || this.run?.id !== report.id) return;
    this.found = report.found;
    this.wall.show(report.id, entries);
    // The first that is found is played, so that nobody waits for a click.
    if (this.entry === null && entries[0]) void this.open(entries[0].index);
  }

  private async stop(): Promise<void> {
    if (!this.run) return;
    try {
      await this.newest(api.stop(this.run.id));
    } catch (thrown) {
      fill(this.problems, problemCard(problemOf(thrown)));
    }
  }

  private async resume(samples: number): Promise<void> {
    if (!this.run) return;
    fill(this.problems);
    this.samples.value = String(samples);
    try {
      const run = await this.newest(api.resume(this.run.id, samples));
      if (run) this.watch(run);
    } catch (thrown) {
      fill(this.problems, problemCard(problemOf(thrown)));
    }
  }

  private async fetchEntry(index: number): Promise<{ clip: Clip; summary: TakeSummary } | null> {
    const run = this.run;
    if (!run) return null;
    return anew(async () => {
      const summary = await settled(() => api.entry(run.id, index), undefined, () => this.isOpen);
      return summary && { clip: await load(entryAddress(run.id, index)), summary };
    });
  }

  /** Plays an entry large. */
  private async open(index: number): Promise<void> {
    if (!this.run) return;
    const version = ++this.version;
    const keepView = this.playing.length > 0;
    this.entry = index;
    this.wall.mark(index);
    replace(`#/runs/${this.run.id}/${index}`);
    try {
      const fetched = await this.fetchEntry(index);
      if (!fetched) return;
      if (version !== this.version || !this.isOpen) return fetched.clip.dispose();
      this.wants.place((body) => fetched.clip.placeOf(body));
      this.play([fetched.clip], fetched.summary, keepView);
    } catch (thrown) {
      this.shell.say(problemCard(problemOf(thrown)));
    }
  }

  /** Puts a second entry beside the one that is played. */
  private async compare(index: number): Promise<void> {
    const [first] = this.playing;
    const summary = this.summary;
    const fetched = await this.fetchEntry(index);
    if (!fetched || !first || !summary) return;
    if (!this.isOpen) return fetched.clip.dispose();
    const longer = fetched.summary.duration > summary.duration ? fetched.summary : summary;
    this.play([first, fetched.clip], longer, true);
  }

  private export(): void {
    if (this.run && this.entry !== null) download(entryAddress(this.run.id, this.entry));
  }

  commands() {
    const run = this.run;
    return [
      { name: "Run", hint: "Ctrl Enter", run: () => void this.start() },
      ...(run ? [{ name: "Stop the run", run: () => void this.stop() }] : []),
      ...(run ? [{ name: `Find ${grouped(run.order.samples)} more`, run: () => void this.resume(run.order.samples * 2) }] : []),
      ...(this.entry !== null
        ? [
            { name: "Export what is played as .glb", run: () => this.export() },
            { name: "Keep what is played until here, and find other endings", run: () => this.keepHere() },
            { name: "Find more like what is played", run: () => this.moreLikeThis() },
          ]
        : []),
      { name: "Play this scene", run: () => (location.hash = `#/play/${this.form.name}?${this.form.query()}`) },
    ];
  }

  leave(): void {
    this.shell.onFiles = null;
    this.form.leave();
    this.isOpen = false;
    this.version += 1;
    const { stage } = this.shell;
    stage.element.removeEventListener("dragover", this.allowDrop);
    stage.element.removeEventListener("drop", this.drop);
    document.removeEventListener("keydown", this.key);
    delete stage.element.dataset.take;
    stage.setSpots([]);
    stage.setMarks([]);
    stage.setContacts([]);
    stage.onSelect = () => {};
    stage.onClick = () => {};
    stage.onSpot = () => {};
    this.shell.wall.replaceChildren();
  }
}
