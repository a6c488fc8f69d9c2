// Which scene, and the numbers that it is made from.

import { api, problemOf, type BuiltinScene, type DensityChoice, type DensityKind, type SceneChoice, type SceneTree } from "./api";
import { button, fill, grouped, h, later, remembered } from "./dom";
import { TextEditor } from "./editor";
import { iconButton } from "./icons";
import { chooseBetween, problemCard } from "./problems";

const own = remembered<string>("own-scene", "");
const OWN_KEY = "proscenium.own-scene";
/** Words of scene files that are offered as one types. */
const WORDS = "format duration variables materials body want density restitution friction colour name fixed shape box ball rounding position orientation velocity spin speed heading rise normal uniform material mesh half_space spline_field shows rests falls stands".split(" ");

/** Makes a text the scene of one's own. */
export function keepOwn(text: string): void {
  own.set(text);
}

/** How the name of a variable is marked in an address. */
const DENSITY = "~";

/** Files that can be dropped where there is a scene. */
export const SCENE_FILES = { kinds: /\.(toml|glb|obj)$/i, words: "a scene (.toml) and the meshes that it names (.glb, .obj)" };

/** A density in an address: `normal,0,0.02`. */
function densityOf(text: string): DensityChoice {
  const [kind = "constant", ...numbers] = text.split(",");
  return { kind: kind as DensityKind, parameters: numbers.map((number) => (number === "" ? null : Number(number))) };
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
  private editor: TextEditor | null = null;
  /** The text of one's own as it was kept last: if another is kept, another tab has changed it. */
  private kept = "";
  private readonly contest = h("div", {});
  private fields = new Map<string, HTMLInputElement>();
  private readonly problems = h("div", { class: "problems" });
  private scenes: BuiltinScene[] = [];
  private wants: string[] | null = null;
  /** Densities in place of the scene's own, by variable. */
  readonly densities = new Map<string, DensityChoice>();
  private readonly meshes = h("div", { class: "meshes" });
  private version = 0;
  private readonly recheck = later(() => void this.check(), 250);

  /** Shows the form of a scene, with what an address says about it. */
  async open(name: string, query: URLSearchParams): Promise<void> {
    this.scenes = await api.scenes();
    this.name = name;
    this.wants = null;
    this.hasSeed = false;
    this.fields.clear();
    this.text = null;
    this.editor?.dispose();
    this.editor = null;
    this.densities.clear();
    for (const [key, value] of query) {
      if (key.startsWith(DENSITY)) this.densities.set(key.slice(DENSITY.length), densityOf(value));
    }
    const scene = this.scenes.find((one) => one.name === name);
    const select = h("select", { "aria-label": "Scene", on: { change: () => this.onScene(select.value) } });
    for (const one of this.scenes) select.append(h("option", { value: one.name, selected: one.name === name }, one.name));
    select.append(h("option", { value: "own", selected: name === "own" }, "a scene of your own"));
    if (!scene && name !== "own") select.prepend(h("option", { value: "", selected: true, disabled: true }, "choose one"));
    const parts: Node[] = [h("label", { class: "field" }, h("span", {}, "scene"), select)];
    if (scene) parts.push(...this.builtin(scene, query));
    else if (name === "own") parts.push(...this.ownScene());
    fill(this.element, ...parts, this.problems);
    await this.check();
  }

  private builtin(scene: BuiltinScene, query: URLSearchParams): Node[] {
    const parts: Node[] = [h("p", { class: "summary" }, scene.summary)];
    if (scene.text) {
      const isWord = /^[\p{L} ]+$/u.test(scene.text.default);
      this.text = h("input", {
        type: "text",
        class: isWord ? "word" : "",
        maxlength: 60,
        spellcheck: "false",
        value: query.get("text") ?? scene.text.default,
        on: { input: this.recheck },
      });
      this.text.addEventListener("keydown", (event) => {
        if (event.key === "Enter") void this.check().then(() => this.onEnter());
      });
      parts.push(h("label", { class: "field tall", title: scene.text.meaning }, h("span", {}, isWord ? "word" : "text"), this.text));
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
    const editor = new TextEditor("Scene file", () => [...WORDS, ...(this.tree?.bodies ?? []).map((body) => body.name), ...(this.tree?.variables ?? []).map((one) => one.name)]);
    this.editor = editor;
    this.kept = own.get();
    editor.value = this.kept || TEMPLATE;
    editor.onChange = () => {
      this.keep();
      this.recheck();
    };
    window.addEventListener("storage", this.heard);
    document.body.dataset.own = "true";
    const file = h("input", { type: "file", accept: ".toml,.glb,.obj", multiple: true, hidden: true });
    file.addEventListener("change", () => void this.take([...(file.files ?? [])]));
    const open = button("Open files …", () => file.click(), { class: "quiet", tip: "A scene (.toml), and the meshes that it names (.glb, .obj)" });
    void this.showMeshes();
    return [h("p", { class: "summary" }, "Describe bodies, what they are made of, and what is uncertain. It is checked as you type."), this.contest, editor.element, open, file, this.meshes];
  }

  /** Another tab has something to say about the scene. */
  private readonly heard = (event: StorageEvent): void => {
    if (this.editor && event.key === OWN_KEY && own.get() !== this.kept) this.tellOfOther();
  };

  /** Keeps the text, unless another tab has kept another meanwhile. */
  private keep(): void {
    if (!this.editor) return;
    if (own.get() !== this.kept) return this.tellOfOther();
    this.kept = this.editor.value;
    own.set(this.kept);
  }

  private tellOfOther(): void {
    const settle = (text: string) => {
      if (!this.editor) return;
      fill(this.contest);
      this.kept = text;
      own.set(text);
      this.editor.value = text;
      void this.check();
    };
    const mine = () => settle(this.editor?.value ?? "");
    fill(this.contest, chooseBetween("this scene was changed in another tab", () => settle(own.get()), mine));
  }

  /** The page is left. */
  leave(): void {
    window.removeEventListener("storage", this.heard);
    delete document.body.dataset.own;
    this.editor?.dispose();
  }

  /** Takes files that were chosen or dropped: a scene, and meshes beside it. */
  async take(files: File[]): Promise<void> {
    try {
      for (const file of files.filter((one) => /\.(glb|obj)$/i.test(one.name))) await api.keepMesh(file);
      const scene = files.find((one) => /\.toml$/i.test(one.name));
      if (scene) {
        const text = await scene.text();
        if (!this.editor) {
          own.set(text);
          return this.onScene("own");
        }
        this.editor.value = text;
        this.keep();
      }
      await this.showMeshes();
      await this.check();
    } catch (thrown) {
      fill(this.problems, problemCard(problemOf(thrown)));
    }
  }

  /** The meshes that a scene can name. */
  private async showMeshes(): Promise<void> {
    const meshes = await api.meshes();
    const rows = meshes.map((mesh) =>
      h(
        "div",
        { class: "mesh" },
        button(mesh.name, () => this.insert(mesh.name), { class: "quiet", tip: "Puts a body of this shape at the end of the scene" }),
        h("small", {}, `${grouped(mesh.bytes / 1000)} kB`),
        iconButton("close", `Take ${mesh.name} away`, () => void api.dropMesh(mesh.name).then(() => Promise.all([this.showMeshes(), this.check()]))),
      ),
    );
    fill(this.meshes, h("h3", {}, "Meshes"), ...(rows.length > 0 ? rows : [h("p", { class: "empty" }, "None yet. Open or drop .glb and .obj files to use them as shapes.")]));
  }

  private insert(mesh: string): void {
    const { editor } = this;
    if (!editor) return;
    const stem = mesh.replace(/\.[a-z]+$/i, "").replace(/[^A-Za-z0-9]+/g, "-");
    editor.value = `${editor.value.trimEnd()}\n\n[[body]]\nname = "${stem}"\nshape = { mesh = "${mesh}" }\nposition = [0.0, 1.0, 0.0]\n`;
    this.keep();
    editor.toEnd();
    void this.check();
  }

  /** What is asked for. */
  choice(): SceneChoice {
    const wants = {
      ...(this.wants ? { wants: this.wants } : {}),
      ...(this.densities.size > 0 ? { densities: Object.fromEntries(this.densities) } : {}),
    };
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
    for (const [name, density] of this.densities) query.set(DENSITY + name, [density.kind, ...density.parameters.map((one) => one ?? "")].join());
    return query.toString();
  }

  /** Gives a variable another density, or the scene's own again. */
  setDensity(name: string, density: DensityChoice | null): void {
    if (density) this.densities.set(name, density);
    else this.densities.delete(name);
    void this.check();
  }

  /** What should happen, in place of what the scene says itself. */
  setWants(wants: string[] | null): void {
    this.wants = wants;
    this.recheck();
  }

  /** Goes to what is wrong. */
  showProblem(): void {
    const card = this.problems.firstElementChild as HTMLElement | null;
    if (!card) return;
    card.tabIndex = -1;
    card.scrollIntoView({ block: "nearest" });
    card.focus({ preventScroll: true });
  }

  /** Asks the server whether the scene makes sense. */
  async check(): Promise<void> {
    const version = ++this.version;
    const choice = this.choice();
    try {
      const tree = await api.check(choice);
      if (version !== this.version) return;
      this.tree = tree;
      this.editor?.tell(null);
      fill(this.problems, ...tree.warnings.map((warning) => h("p", { class: "warning" }, warning)));
    } catch (thrown) {
      if (version !== this.version) return;
      this.tree = null;
      const problem = problemOf(thrown);
      this.editor?.tell(problem);
      fill(this.problems, problemCard(problem, choice.toml));
    }
    this.onTree(this.tree);
  }
}
