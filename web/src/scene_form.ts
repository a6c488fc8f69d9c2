// Which scene, and the numbers that it is made from.

import { api, problemOf, type BuiltinScene, type SceneChoice, type SceneTree } from "./api";
import { button, fill, h, later, remembered } from "./dom";
import { problemCard } from "./problems";

const own = remembered<string>("own-scene", "");

/** Makes a text the scene of one's own. */
export function keepOwn(text: string): void {
  own.set(text);
}

const TEMPLATE = `format = 1
duration = 3.0

[materials.ivory]
density = 1850.0
restitution = 0.45
friction = 0.25
colour = "ivory"

[[body]]
name = "die"
shape = { box = [0.1, 0.1, 0.1], rounding = 0.01 }
material = "ivory"
position = [0.0, 0.6, { normal = [0.0, 0.02] }]
orientation = "uniform"
velocity = [1.0, 0.0, 0.0]
spin = { normal = [0.0, 8.0] }

[[body]]
name = "table"
fixed = true
material = "ivory"
shape = { half_space = [0.0, 1.0, 0.0] }
`;

export class SceneForm {
  readonly element = h("div", { class: "form" });
  /** The scene as it is checked, after every change; null while it is wrong. */
  onTree: (tree: SceneTree | null) => void = () => {};
  /** Enter was pressed in the field that matters most. */
  onEnter: () => void = () => {};
  onScene: (name: string) => void = () => {};
  /** Numbers are folded away. */
  isCompact = false;
  /** Numbers that are set elsewhere. */
  leftOut: string[] = [];
  /** The scene draws its start from a seed of its own. */
  hasSeed = false;
  name = "";
  tree: SceneTree | null = null;
  private text: HTMLInputElement | null = null;
  private editor: HTMLTextAreaElement | null = null;
  private fields = new Map<string, HTMLInputElement>();
  private readonly problems = h("div", { class: "problems" });
  private scenes: BuiltinScene[] = [];
  private wants: string[] | null = null;
  private version = 0;
  private readonly recheck = later(() => void this.check(), 250);

  /** Shows the form of a scene, with what an address says about it. */
  async open(name: string, query: URLSearchParams): Promise<void> {
    this.scenes = await api.scenes();
    this.name = name;
    this.wants = null;
    this.hasSeed = false;
    this.fields.clear();
    this.text = this.editor = null;
    const scene = this.scenes.find((one) => one.name === name);
    const select = h("select", { "aria-label": "Scene", on: { change: () => this.onScene(select.value) } });
    for (const one of this.scenes) select.append(h("option", { value: one.name, selected: one.name === name }, one.name));
    select.append(h("option", { value: "own", selected: name === "own" }, "a scene of your own"));
    const parts: Node[] = [h("label", { class: "field" }, h("span", {}, "scene"), select)];
    if (scene) parts.push(...this.builtin(scene, query));
    else if (name === "own") parts.push(...this.ownScene());
    else parts.push(h("p", { class: "empty" }, `There is no scene "${name}". Choose another.`));
    fill(this.element, ...parts, this.problems);
    await this.check();
  }

  private builtin(scene: BuiltinScene, query: URLSearchParams): Node[] {
    const parts: Node[] = [h("p", { class: "summary" }, scene.summary)];
    if (scene.text) {
      this.text = h("input", {
        type: "text",
        class: "word",
        maxlength: 60,
        spellcheck: "false",
        value: query.get("text") ?? scene.text.default,
        on: { input: this.recheck },
      });
      this.text.addEventListener("keydown", (event) => {
        if (event.key === "Enter") void this.check().then(() => this.onEnter());
      });
      parts.push(h("label", { class: "field tall", title: scene.text.meaning }, h("span", {}, "word"), this.text));
    }
    this.hasSeed = scene.parameters.some((one) => one.name === "seed");
    const numbers: Node[] = [];
    for (const parameter of scene.parameters.filter((one) => one.name !== "seed" && !this.leftOut.includes(one.name))) {
      const field = h("input", {
        type: "number",
        min: parameter.min,
        max: parameter.max,
        step: parameter.whole ? 1 : "any",
        value: query.get(parameter.name) ?? parameter.default,
        on: { input: this.recheck },
      });
      field.dataset.default = String(parameter.default);
      this.fields.set(parameter.name, field);
      numbers.push(h("label", { class: "field", title: parameter.meaning }, h("span", {}, parameter.name), field));
    }
    parts.push(h("details", { class: "numbers", open: !this.isCompact }, h("summary", {}, "numbers"), ...numbers));
    const copy = button("Edit as a file", () => {
      if (this.tree) own.set(this.tree.toml);
      this.onScene("own");
    }, { class: "quiet", tip: "Opens this scene as a text that you can change" });
    return [...parts, copy];
  }

  private ownScene(): Node[] {
    this.editor = h("textarea", { class: "editor", spellcheck: "false", wrap: "off", rows: 14, "aria-label": "Scene file" });
    this.editor.value = own.get() || TEMPLATE;
    const editor = this.editor;
    editor.addEventListener("input", () => {
      own.set(editor.value);
      this.recheck();
    });
    const file = h("input", { type: "file", accept: ".toml", hidden: true });
    file.addEventListener("change", () => {
      void file.files?.[0]?.text().then((text) => {
        editor.value = text;
        own.set(text);
        void this.check();
      });
    });
    const open = button("Open a file …", () => file.click(), { class: "quiet" });
    return [h("p", { class: "summary" }, "Describe bodies, what they are made of, and what is uncertain. It is checked as you type."), editor, open, file];
  }

  /** What is asked for. */
  choice(): SceneChoice {
    const wants = this.wants ? { wants: this.wants } : {};
    if (this.editor) return { toml: this.editor.value, ...wants };
    const parameters: Record<string, number> = {};
    for (const [name, field] of this.fields) {
      if (field.value !== "" && field.value !== field.dataset.default) parameters[name] = Number(field.value);
    }
    return { builtin: this.name, parameters, ...(this.text ? { text: this.text.value } : {}), ...wants };
  }

  /** What an address has to say to come back to the same scene. */
  query(): string {
    const query = new URLSearchParams();
    if (this.text) query.set("text", this.text.value);
    for (const [name, field] of this.fields) {
      if (field.value !== "" && field.value !== field.dataset.default) query.set(name, field.value);
    }
    return query.toString();
  }

  /** What should happen, in place of what the scene says itself. */
  setWants(wants: string[] | null): void {
    this.wants = wants;
    this.recheck();
  }

  /** Asks the server whether the scene makes sense. */
  async check(): Promise<void> {
    const version = ++this.version;
    const choice = this.choice();
    try {
      const tree = await api.check(choice);
      if (version !== this.version) return;
      this.tree = tree;
      fill(this.problems, ...tree.warnings.map((warning) => h("p", { class: "warning" }, warning)));
    } catch (thrown) {
      if (version !== this.version) return;
      this.tree = null;
      fill(this.problems, problemCard(problemOf(thrown), choice.toml));
    }
    this.onTree(this.tree);
  }
}
