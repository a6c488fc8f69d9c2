// Play: a scene simulated and scrubbed.

import { api, clipAddress, connection, download, problemOf, type TakeSummary } from "../api";
import { simulated, type Clip } from "../clip";
import { button, fill, grouped, h, short } from "../dom";
import { iconButton } from "../icons";
import { problemCard } from "../problems";
import { replace, type Route } from "../route";
import { SCENE_FILES, SceneForm } from "../scene_form";
import type { Page, Shell } from "../shell";
import { MANY, StreamedClip } from "../streamed";
import { Tree } from "../tree";

export function openPlay(shell: Shell, route: Route): Page {
  return new Play(shell, route);
}

class Play implements Page {
  private readonly shell: Shell;
  private readonly form = new SceneForm();
  private readonly tree = new Tree();
  private readonly seed: HTMLInputElement;
  private readonly body = h("div", { class: "facts-list" });
  private readonly result = h("div", { class: "facts-list" });
  private readonly take = button("Export .glb", () => this.export(), { class: "primary", tip: "For Blender, Godot, Unreal, three.js … (E)" });
  private readonly bar = h("progress", { max: 1, value: 0, "aria-label": "Simulation" });
  private summary: TakeSummary | null = null;
  private version = 0;
  private shown = "";

  constructor(shell: Shell, route: Route) {
    this.shell = shell;
    shell.arrange("play");
    shell.setCrumbs({ label: "Play", href: "#/play" }, { label: route.name === "own" ? "your scene" : route.name });
    this.seed = h("input", {
      type: "number",
      "aria-label": "Seed",
      min: 0,
      max: 4294967295,
      step: 1,
      value: route.query.get("seed") ?? 1,
      on: { change: () => void this.simulate() },
    });
    this.build();
    shell.stage.angle = route.name === "spell" ? "above" : "side";
    shell.stage.show([]);
    shell.timeline.pause();
    shell.timeline.open(null);
    shell.stage.setSpots([]);
    shell.stage.onSelect = (name) => this.select(name);
    this.tree.onSelect = (name) => shell.stage.select(name);
    this.tree.onDensity = (name, density) => this.form.setDensity(name, density);
    this.shell.onFiles = { ...SCENE_FILES, take: (files) => void this.form.take(files) };
    this.form.onScene = (name) => (location.hash = `#/play/${name}`);
    this.form.onEnter = () => void this.simulate();
    this.form.onTree = (tree) => {
      if (!tree && shell.stage.isEmpty) shell.say("What is wrong with the scene is told on the right.");
      if (!tree) return;
      this.tree.changed = new Set(this.form.densities.keys());
      this.tree.show(tree);
      void this.simulate();
    };
    void this.form.open(route.name, route.query).catch((thrown: unknown) => shell.say(problemCard(problemOf(thrown))));
  }

  private build(): void {
    fill(this.shell.left, h("h2", {}, "Scene"), this.tree.element);
    fill(
      this.shell.right,
      h("h2", {}, "Play"),
      this.form.element,
      h(
        "div",
        { class: "field" },
        h("span", {}, "seed"),
        h("span", { class: "pair" }, this.seed, iconButton("dice", "Another seed (R)", () => this.another())),
      ),
      this.bar,
      h(
        "div",
        { class: "actions" },
        this.take,
        button("Direct it", () => (location.hash = `#/direct/${this.form.name}?${this.form.query()}`), {
          tip: "Say what should happen, and find animations in which it does",
        }),
      ),
      this.result,
      this.body,
    );
    this.shell.wall.replaceChildren();
    this.bar.hidden = this.take.disabled = true;
  }

  private another(): void {
    this.seed.value = String((Number(this.seed.value) + 1) % 4294967296);
    void this.simulate();
  }

  private export(): void {
    if (this.summary) download(clipAddress(this.summary.id));
  }

  private async simulate(): Promise<void> {
    const version = ++this.version;
    const isWanted = () => version === this.version;
    const seed = Math.max(0, Math.floor(Number(this.seed.value) || 0));
    const scene = this.form.choice();
    if (this.form.hasSeed) scene.parameters = { ...scene.parameters, seed };
    const order = { scene, seed };
    const query = [this.form.query(), `seed=${seed}`].filter((part) => part !== "").join("&");
    replace(`#/play/${this.form.name}?${query}`);
    try {
      this.bar.hidden = false;
      this.bar.removeAttribute("value");
      const made = await simulated(() => api.order(order), (share) => (this.bar.value = share), isWanted);
      if (!made) return;
      if (!isWanted()) return made.clip.dispose();
      this.show(made.clip, made.summary, isWanted);
    } catch (thrown) {
      if (!isWanted()) return;
      this.shell.say(problemCard(problemOf(thrown)));
    } finally {
      if (isWanted()) this.bar.hidden = true;
    }
  }

  private show(clip: Clip, summary: TakeSummary, isWanted: () => boolean): void {
    const playable = summary.moving > MANY ? new StreamedClip(clip, summary.id) : clip;
    if (playable instanceof StreamedClip) playable.onEnd = () => void connection.back().then(() => {
        if (isWanted()) void this.simulate();
      });
    this.shell.say();
    this.shell.stage.show([playable], this.shown === this.form.name);
    this.shell.stage.setContacts(summary.contacts);
    this.shell.timeline.open(summary);
    this.shell.showBounds();
    this.shell.timeline.start();
    this.shown = this.form.name;
    this.summary = summary;
    this.take.disabled = false;
    const facts: [string, string][] = [
      ["length", `${short(summary.duration)} s`],
      ["simulated in", `${grouped(summary.wall_ms)} ms`],
      ["events", grouped(summary.events)],
      ["collisions", grouped(summary.collisions)],
      ["moving bodies", grouped(summary.moving)],
      ["file", `${grouped(summary.glb_bytes / 1000)} kB`],
      ["state", summary.state_hash],
    ];
    fill(
      this.result,
      h("h3", {}, "This simulation"),
      summary.stopped_early ? h("p", { class: "warning" }, "It took too long and was stopped before its end.") : null,
      list(facts),
    );
    this.select(null);
  }

  private select(name: string | null): void {
    this.tree.mark(name);
    const summary = this.summary;
    if (!name || !summary) {
      fill(this.body, h("p", { class: "empty" }, "Click a body in the view or in the tree to see what happens to it."));
      return;
    }
    const contacts = summary.contacts.filter((contact) => contact.a === name || contact.b === name);
    const drawn = summary.values.filter(([variable]) => variable.startsWith(`${name}.`));
    const rows = contacts.slice(0, 40).map((contact) => {
      const other = contact.a === name ? contact.b : contact.a;
      const row = h("button", { type: "button", class: "row" }, `${contact.time.toFixed(3)} s`, h("small", {}, ` ${other}, ${short(contact.speed)} m/s`));
      row.addEventListener("click", () => {
        this.shell.timeline.pause();
        this.shell.timeline.set(contact.time);
      });
      return row;
    });
    fill(
      this.body,
      h("h3", {}, name),
      list(drawn.map(([variable, value]) => [variable.slice(name.length + 1), short(value)])),
      h("h4", {}, `${contacts.length} collisions`),
      ...rows,
    );
  }

  commands() {
    return [
      { name: "Export as .glb", hint: "E", run: () => this.export() },
      { name: "Another seed", hint: "R", run: () => this.another() },
      { name: "Direct this scene", run: () => (location.hash = `#/direct/${this.form.name}?${this.form.query()}`) },
    ];
  }

  leave(): void {
    this.shell.onFiles = null;
    this.form.leave();
    this.version += 1;
    this.shell.stage.onSelect = () => {};
    this.shell.stage.setContacts([]);
  }
}

/** Names and values beside each other. */
export function list(facts: [string, string][]): HTMLElement {
  return h("dl", {}, ...facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", { title: value }, value)]));
}
