// Rides: the dynamic transformation modeler. A hierarchy of parts follows the
// outputs of equations; it is looked at, compiled so that it costs nothing out of
// view, and taken away.

import * as three from "three";
import { api, modelExportAddress, modelReportAddress, previewAddress, problemOf, Refusal, type ModelCheck, type ModelListed, type ModelPart, type ModelPreview, type RideReport } from "../api";
import { load, type Clip } from "../clip";
import { Handles, type HandleKind } from "../handles";
import { button, fill, grouped, h, later, short } from "../dom";
import { TextEditor } from "../editor";
import { varnish } from "../finishes";
import { OutputPlot } from "../output_plot";
import type { Command } from "../palette";
import { PartForm } from "../part_form";
import { PartTree } from "../part_tree";
import { chooseBetween, problemCard } from "../problems";
import { changed, compose, duplicated, FIRST_RIDE, newPart, without, type PartKind, type RideFile } from "../ride_file";
import type { Route } from "../route";
import type { Page, Shell } from "../shell";
import { list } from "./play";

const KINDS: PartKind[] = ["group", "translation", "rotation", "box", "ball"];
/** So many steps can be taken back. */
const STEPS = 100;
/** Words of model files that are offered as one types. */
const WORDS = "parameters state define motion output modes initial angle uniform sin cos tan exp sqrt abs min max".split(" ");

export function openRides(shell: Shell, route: Route): Page {
  return new RidesPage(shell, route.name || "tilt-a-whirl");
}

class RidesPage implements Page {
  private readonly shell: Shell;
  private readonly name: string;
  private readonly tree = new PartTree();
  private readonly form = new PartForm();
  private readonly plot = new OutputPlot();
  private readonly editor = new TextEditor("Equations", () => [...(this.check?.outputs ?? []), ...(this.check?.parameters ?? []), ...WORDS]);
  private readonly problems = h("div", { class: "ride-problems", role: "status" });
  private readonly choice = h("select", { "aria-label": "Ride" });
  private readonly compiled = h("div", { class: "compiled" });
  private readonly facts = h("div", { class: "facts-list" });
  private readonly handles: Handles;
  private clip: Clip | null = null;
  private readonly grips = new Map<HandleKind, HTMLButtonElement>();
  private readonly grip = h("small", { class: "grip", role: "status" });
  private file: RideFile = { equations: "", parts: [] };
  private past: RideFile[] = [];
  private check: ModelCheck | null = null;
  private models: ModelListed[] = [];
  /** The radius of what the view was set for, m. */
  private framed = 0;
  private preview: ModelPreview | null = null;
  private selected: string | null = null;
  private time = 0;
  private last = performance.now();
  private isHeld = false;
  private isMarking = false;
  private isOpen = true;
  private version = 0;
  /** Which text is kept, as far as this page knows; another one was written elsewhere. */
  private kept: string | null = null;
  private isSettling = false;
  private offered = "";
  private readonly soon = later(() => void this.settle(), 350);

  constructor(shell: Shell, name: string) {
    this.shell = shell;
    this.name = name;
    this.handles = new Handles(shell.stage);
    shell.arrange("model");
    shell.clear();
    shell.setCrumbs({ label: "Rides", href: "#/rides" }, { label: name });
    this.build();
    void this.open();
  }

  private build(): void {
    const { shell } = this;
    const add = (kind: PartKind) => button(`+ ${kind}`, () => this.add(kind), { class: "quiet", tip: `Hangs a ${kind} on what is selected` });
    fill(
      shell.left,
      h("h2", {}, "Ride"),
      this.choice,
      h("div", { class: "actions" }, button("New …", () => this.create(), { tip: "A ride from nothing" }), button("Undo", () => this.undo(), { tip: "Ctrl Z" }), button("Duplicate", () => this.duplicate(), { tip: "A copy of the selected part, with all that hangs on it (Ctrl D)" })),
      h("h3", {}, "Parts"),
      h("div", { class: "adders" }, ...KINDS.map(add)),
      this.tree.element,
      h("div", { class: "actions" }, ...(["move", "turn"] as const).map((kind) => this.gripButton(kind)), this.grip),
      h("p", { class: "empty" }, "Drag rows onto each other, or press Alt with the arrows; Delete takes away."),
    );
    fill(shell.right, h("h2", {}, "Part"), this.form.element, h("h3", {}, "Ride"), this.facts, this.compiled);
    fill(shell.wall, h("div", { class: "wall-head" }, h("h2", {}, "Equations"), h("small", {}, "parameters, state, motion, and outputs that parts follow")), h("div", { class: "ride-text" }, this.editor.element, this.problems));
    fill(shell.strip, this.plot.element);
    fill(shell.hud, "Space holds it; click a part to edit it");
    this.choice.addEventListener("change", () => (location.hash = `#/rides/${this.choice.value}`));
    this.editor.onChange = () => {
      this.remember();
      this.file = { ...this.file, equations: this.editor.value };
      this.soon();
    };
    this.handles.onChange = (change) => this.change(change);
    this.tree.onSelect = (name) => this.select(name);
    this.tree.onChange = (parts) => this.edit(parts);
    this.form.onChange = (change) => this.change(change);
    this.form.onFile = (file) => this.takeMesh(file);
    shell.stage.onSelect = (name) => {
      if (!this.isMarking) this.select(name?.split(" · ")[0] ?? null, false);
    };
    shell.stage.onFrame = () => this.step();
    document.addEventListener("keydown", this.key);
  }

  private gripButton(kind: HandleKind): HTMLButtonElement {
    const [name, tip] = kind === "move" ? ["Move", "Arrows on the part in the view (M); with Shift by tenths of a metre"] : ["Turn", "Rings around the part in the view (R); with Shift by 15°"];
    const made = button(name, () => this.setGrip(kind), { class: "quiet", tip });
    this.grips.set(kind, made);
    return made;
  }

  private async open(): Promise<void> {
    try {
      const [models, text, meshes] = await Promise.all([api.models(), api.model(this.name), api.meshes()]);
      this.models = models;
      this.form.meshes = meshes.map((mesh) => mesh.name).filter((name) => name.endsWith(".glb"));
      const check = await api.checkModel(text.toml);
      this.kept = text.version;
      this.file = { equations: check.equations, parts: check.parts };
      this.editor.value = check.equations;
      this.selected = check.parts[0]?.name ?? null;
    } catch (thrown) {
      this.shell.say(problemCard(problemOf(thrown)), button("A ride from nothing", () => this.create()));
      return;
    }
    if (!this.isOpen) return;
    this.showChoice();
    await this.settle(true);
  }

  /** Keeps a mesh that a part is to look like, and says what it is called. */
  private async takeMesh(file: File): Promise<string | null> {
    try {
      const { name } = await api.keepMesh(file);
      this.form.meshes = [...new Set([...this.form.meshes, name])].sort();
      return name;
    } catch (thrown) {
      this.problems.dataset.state = "wrong";
      fill(this.problems, problemCard(problemOf(thrown)));
      return null;
    }
  }

  private showChoice(): void {
    const option = (model: ModelListed) => h("option", { value: model.name, selected: model.name === this.name }, model.title);
    const group = (label: string, own: boolean) => {
      const models = this.models.filter((model) => model.own === own);
      return models.length > 0 ? h("optgroup", { label }, ...models.map(option)) : null;
    };
    fill(this.choice, group("Yours", true), group("With the studio", false));
  }

  /** Checks what there is, keeps it, and shows it. */
  private async settle(asItWas = false): Promise<void> {
    this.version += 1;
    // One after the other: what is kept later replaces what was kept before.
    if (this.isSettling) return;
    this.isSettling = true;
    try {
      for (let done = -1; done !== this.version && this.isOpen; ) {
        done = this.version;
        await this.settleOnce(done, asItWas);
      }
    } finally {
      this.isSettling = false;
    }
    await this.watch();
  }

  private async settleOnce(version: number, asItWas: boolean): Promise<void> {
    const text = compose(this.file);
    try {
      const check = asItWas ? await api.checkModel(text) : await api.keepModel(this.name, text, this.kept);
      if (!asItWas) this.kept = check.version;
      if (version !== this.version || !this.isOpen) return;
      const names = (one: ModelCheck | null) => JSON.stringify([one?.outputs, one?.parameters, one?.copies]);
      const isOther = names(this.check) !== names(check);
      this.check = check;
      this.problems.dataset.state = check.problem ? "wrong" : "sound";
      this.editor.tell(check.problem);
      fill(this.problems, check.problem ? problemCard(check.problem, text) : h("p", { class: "empty" }, asItWas ? "Change anything: it is kept as you go." : "Kept."));
      // Whoever drags a row or types a number is left alone, unless there is more to choose from.
      if (isOther) this.showParts();
      if (check.problem) return;
      const preview = await api.previewModel(text);
      const clip = await load(previewAddress(preview.id));
      if (version !== this.version || !this.isOpen) return clip.dispose();
      varnish(clip.root);
      this.showPreview(preview, clip);
    } catch (thrown) {
      if (version !== this.version || !this.isOpen) return;
      this.problems.dataset.state = "wrong";
      if (thrown instanceof Refusal && thrown.status === 409) return this.tellOfOther();
      fill(this.problems, problemCard(problemOf(thrown), text));
    }
  }

  /** Another page has changed the ride meanwhile. */
  private tellOfOther(): void {
    const mine = () => {
      this.kept = null;
      void this.settle();
    };
    fill(this.problems, chooseBetween("this ride was changed in another tab", () => void this.open(), mine));
  }

  private showPreview(preview: ModelPreview, clip: Clip): void {
    const { stage } = this.shell;
    this.preview = preview;
    this.clip = clip;
    const [low, high] = preview.bounds;
    const bound = new three.Box3(new three.Vector3(...low), new three.Vector3(...high));
    const frame = new three.Box3Helper(bound, new three.Color(0x9aa0a8));
    frame.raycast = () => {};
    clip.root.add(frame);
    // The view stays as one has turned it, unless the ride has become another size.
    const radius = 0.5 * bound.getSize(new three.Vector3()).length();
    const keepsView = radius < 1.3 * this.framed && radius > 0.3 * this.framed;
    if (!keepsView) this.framed = radius;
    this.unheard(() => {
      stage.show([clip], keepsView);
      stage.select(this.selected);
    });
    this.handles.take(this.file.parts, this.selected, clip);
    this.showGrip();
    this.plot.show(preview);
    const size = bound.getSize(new three.Vector3());
    fill(
      this.facts,
      list([
        ["bound", `${short(Number(size.x.toFixed(2)))} × ${short(Number(size.y.toFixed(2)))} × ${short(Number(size.z.toFixed(2)))} m`],
        ["outputs", preview.outputs.map(([name]) => name).join(", ") || "none"],
        ["copies", String(this.check?.copies ?? 1)],
      ]),
    );
    this.shell.stage.element.dataset.ride = preview.id;
  }

  private showParts(): void {
    this.handles.take(this.file.parts, this.selected, this.clip);
    this.showGrip();
    this.tree.show(this.file.parts, this.selected);
    this.form.show(this.file.parts.find((part) => part.name === this.selected) ?? null, this.check);
  }

  private select(name: string | null, inView = true): void {
    this.selected = this.file.parts.some((part) => part.name === name) ? name : null;
    this.showParts();
    if (inView) this.unheard(() => this.shell.stage.select(this.selected));
  }

  /** What the view marks by our own doing is no choice: it cannot mark what has no shape. */
  private unheard(action: () => void): void {
    this.isMarking = true;
    action();
    this.isMarking = false;
  }

  private remember(): void {
    this.past.push(this.file);
    if (this.past.length > STEPS) this.past.shift();
  }

  /** Changes the selected part. */
  private change(change: Partial<ModelPart>): void {
    if (this.selected === null) return;
    const at = this.file.parts.findIndex((part) => part.name === this.selected);
    const parts = changed(this.file.parts, this.selected, change);
    this.selected = parts[at]?.name ?? null;
    this.edit(parts);
  }

  /** Moves or turns with the handles in the view. */
  private setGrip(kind: HandleKind): void {
    this.handles.setKind(kind);
    this.showGrip();
  }

  private showGrip(): void {
    for (const [kind, one] of this.grips) one.setAttribute("aria-pressed", String(kind === this.handles.kind));
    fill(this.grip, this.handles.obstacle ?? "");
  }

  private edit(parts: ModelPart[]): void {
    this.remember();
    this.file = { ...this.file, parts };
    if (!parts.some((part) => part.name === this.selected)) this.selected = null;
    this.showParts();
    this.soon();
  }

  private undo(): void {
    const before = this.past.pop();
    if (!before) return;
    this.file = before;
    this.editor.value = before.equations;
    this.select(this.selected);
    this.soon();
  }

  private add(kind: PartKind): void {
    const part = newPart(this.file.parts, kind, this.selected);
    const { parts } = this.file;
    this.selected = part.name;
    this.edit([...parts, part]);
  }

  /** Adds a copy of the selected part, with all that hangs on it. */
  private duplicate(): void {
    if (this.selected === null) return;
    const { parts, name } = duplicated(this.file.parts, this.selected);
    this.selected = name;
    this.edit(parts);
  }

  /** Asks for a name, and begins from nothing. */
  private create(): void {
    const input = h("input", { type: "text", value: "my ride", maxlength: 40, "aria-label": "Name of the new ride" });
    const go = async () => {
      const title = input.value.trim() || "my ride";
      const name = title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "ride";
      const taken = new Set(this.models.map((model) => model.name));
      let free = name;
      for (let number = 2; taken.has(free); number += 1) free = `${name}-${number}`;
      try {
        await api.keepModel(free, FIRST_RIDE(title));
        this.shell.say();
        location.hash = `#/rides/${free}`;
      } catch (thrown) {
        this.shell.say(problemCard(problemOf(thrown)));
      }
    };
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") void go();
      if (event.key === "Escape") this.shell.say();
    });
    this.shell.say(h("strong", {}, "What is the ride called?"), h("div", { class: "actions" }, input, button("Begin", () => void go(), { class: "primary" }), button("Not now", () => this.shell.say())));
    input.select();
  }

  private async compile(thorough: boolean): Promise<void> {
    try {
      // What is compiled is what is kept.
      this.kept = (await api.keepModel(this.name, compose(this.file), this.kept)).version;
      await api.compileModel(this.name, thorough);
    } catch (thrown) {
      if (thrown instanceof Refusal && thrown.status === 409) return this.tellOfOther();
      fill(this.compiled, problemCard(problemOf(thrown)));
      this.offered = "";
      return;
    }
    await this.watch();
  }

  /** Follows a compilation to its end. */
  private async watch(): Promise<void> {
    if (!this.isOpen || this.check?.problem) return;
    const version = this.version;
    try {
      const ride = await api.compiledModel(this.name);
      if (!this.isOpen || version !== this.version) return;
      this.showCompiled(ride);
      if (ride.learning) setTimeout(() => void this.watch(), 400);
    } catch {
      fill(this.compiled);
      this.offered = "";
    }
  }

  private showCompiled(ride: RideReport): void {
    const { learning, learned } = ride;
    const told = JSON.stringify([learning, learned, ride.problem]);
    if (told === this.offered) return;
    this.offered = told;
    const save = (ending: string, words: string, tip: string) => h("a", { class: "button", href: modelExportAddress(this.name, ending), download: `${this.name}.${ending}`, title: tip }, words);
    this.compiled.dataset.state = learning ? "running" : learned ? "finished" : "none";
    const bar = h("progress", { max: 1, value: learning?.done ?? 0, "aria-label": "Compiling" });
    const isOwn = this.models.some((model) => model.name === this.name && model.own);
    fill(
      this.compiled,
      h("h3", {}, "Compile", h("span", { class: `state ${learning ? "running" : learned ? "finished" : ""}` }, learning ? "learning" : learned ? "compiled" : "not compiled")),
      ...(learning
        ? [bar, h("p", { class: "why" }, learning.doing), h("div", { class: "actions" }, button("■ Stop", () => void api.stopModel(this.name).then(() => this.watch())))]
        : [h("div", { class: "actions" }, button("Compile", () => void this.compile(false), { class: "primary", tip: "In a hurry: some seconds" }), button("Thoroughly", () => void this.compile(true), { tip: "With all effort: minutes" }))]),
      ride.problem ? problemCard({ error: ride.problem, help: "look at the equations, and compile again" }) : null,
      ...(learned
        ? [
            list([...learned.summary.slice(0, 6), ["size", `${grouped(learned.bytes / 1000)} kB`]] as [string, string][]),
            h("p", { class: "why" }, learned.verdict),
            h("div", { class: "actions" }, h("a", { class: "button", href: modelReportAddress(this.name), target: "_blank", rel: "noopener" }, "Report")),
          ]
        : learning
          ? []
          : [h("p", { class: "why" }, "A compiled ride costs nothing while nobody looks at it.")]),
      h("h3", {}, "Take away"),
      h("div", { class: "actions" }, save("toml", "Model", "The model file"), save("glb", ".glb", "Twenty seconds of it, for Blender and engines"), ...(learned ? [save("js", "ES module", "The compiled ride without dependencies"), save("html", "Page", "A page on which it runs"), save("cull", ".cull", "The compiled file")] : [])),
      isOwn ? h("div", { class: "actions" }, button("Delete this ride …", () => this.askToDrop(), { class: "quiet" })) : null,
    );
  }

  private askToDrop(): void {
    const drop = async () => {
      await api.dropModel(this.name);
      this.shell.say();
      location.hash = "#/rides";
    };
    this.shell.say(h("strong", {}, `Delete ${this.name}?`), h("p", {}, "Its file is taken out of the workspace."), h("div", { class: "actions" }, button("Delete", () => void drop(), { class: "primary" }), button("Keep it", () => this.shell.say())));
  }

  /** The preview goes on, again and again. */
  private step(): void {
    const now = performance.now();
    const passed = Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    if (this.isHeld || this.handles.isHeld || !this.preview || !this.isOpen) return;
    this.time = (this.time + passed) % this.preview.seconds;
    this.shell.stage.showTime(this.time);
    this.handles.follow();
    this.plot.setTime(this.time);
  }

  private readonly key = (event: KeyboardEvent): void => {
    const typing = (event.target as HTMLElement).matches("input, textarea, .cm-content");
    if (!typing && (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") {
      event.preventDefault();
      this.undo();
    }
    if (!typing && (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "d") {
      event.preventDefault();
      this.duplicate();
    }
  };

  hold(): void {
    this.isHeld = !this.isHeld;
  }

  commands(): Command[] {
    const take = () => {
      if (this.selected !== null) this.edit(without(this.file.parts, this.selected));
    };
    return [
      { name: "A ride from nothing", run: () => this.create() },
      ...KINDS.map((kind) => ({ name: `Add a ${kind}`, run: () => this.add(kind) })),
      { name: "Take the selected part away", run: take },
      { name: "Undo", hint: "Ctrl Z", run: () => this.undo() },
      { name: "Duplicate the selected part", hint: "Ctrl D", run: () => this.duplicate() },
      { name: "Move the selected part with handles", hint: "M", run: () => this.setGrip("move") },
      { name: "Turn the selected part with handles", hint: "R", run: () => this.setGrip("turn") },
      { name: "Compile the ride", run: () => void this.compile(false) },
      ...this.models.map((model) => ({ name: `Ride: ${model.title}`, run: () => (location.hash = `#/rides/${model.name}`) })),
    ];
  }

  leave(): void {
    this.isOpen = false;
    document.removeEventListener("keydown", this.key);
    const { stage } = this.shell;
    stage.onFrame = () => {};
    stage.onSelect = () => {};
    delete stage.element.dataset.ride;
    stage.show([]);
    this.handles.dispose();
    this.form.dispose();
    this.editor.dispose();
  }
}
