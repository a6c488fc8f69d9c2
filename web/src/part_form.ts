// The fields of a part: each is a number, or follows an output of the equations.

import { button, fill, h } from "./dom";
import type { ModelCheck, ModelPart, PartSolid } from "./types";

const AXES = ["x", "y", "z"] as const;

export class PartForm {
  readonly element = h("div", { class: "form part-form" });
  onChange: (change: Partial<ModelPart>) => void = () => {};
  /** Keeps a file in the workspace, and says what it is called there. */
  onFile: (file: File) => Promise<string | null> = async () => null;
  /** The binary glTF files of the workspace. */
  meshes: string[] = [];
  private readonly names = h("datalist", { id: "ride-names" });

  constructor() {
    document.body.append(this.names);
  }

  dispose(): void {
    this.names.remove();
  }

  show(part: ModelPart | null, check: ModelCheck | null): void {
    const outputs = check?.outputs ?? [];
    fill(this.names, ...[...outputs, ...(check?.parameters ?? [])].map((name) => h("option", { value: name })));
    if (!part) return fill(this.element, h("p", { class: "empty" }, "Select a part on the left or in the view."));
    const focused = document.activeElement?.getAttribute("aria-label");
    fill(
      this.element,
      this.field("name", this.text("Name of the part", part.name, (name) => name.trim() !== "" && this.onChange({ name: name.trim() }))),
      this.toggle("moved by", part.shift !== null, (on) => this.onChange({ shift: on ? ["0", "0", "0"] : null })),
      ...(part.shift ? this.three("move", part.shift, outputs, (shift) => this.onChange({ shift })) : []),
      this.toggle("turned by", part.angle !== null, (on) => this.onChange(on ? { angle: "0", axis: ["0", "1", "0"] } : { angle: null, axis: null })),
      ...(part.angle === null ? [] : [this.bound("angle", part.angle, outputs, (angle) => this.onChange({ angle })), ...this.three("axis", part.axis ?? ["0", "1", "0"], outputs, (axis) => this.onChange({ axis }))]),
      this.field("looks like", this.looks(part)),
      ...(part.solid ? this.size(part.solid) : []),
      part.solid ? this.field("colour", this.colour(part.colour ?? "#999999")) : null,
      (check?.copies ?? 1) > 1 ? this.toggle("on every copy", part.each, (each) => this.onChange({ each })) : null,
    );
    // Whoever goes from field to field stays where they are.
    if (focused) this.element.querySelector<HTMLElement>(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
  }

  private field(label: string, ...content: Node[]): HTMLElement {
    return h("label", { class: "field" }, h("span", {}, label), ...content);
  }

  private text(label: string, value: string, take: (value: string) => void, list = ""): HTMLInputElement {
    const input = h("input", { type: "text", value, "aria-label": label, spellcheck: "false", list: list || undefined });
    input.addEventListener("change", () => take(input.value));
    return input;
  }

  private toggle(label: string, on: boolean, take: (on: boolean) => void): HTMLElement {
    const input = h("input", { type: "checkbox", checked: on, "aria-label": label });
    input.addEventListener("change", () => take(input.checked));
    return h("label", { class: "switch small" }, input, h("span", {}, label));
  }

  /** A field that is a constant, or follows an output. */
  private bound(label: string, value: string, outputs: string[], take: (value: string) => void): HTMLElement {
    const input = this.text(label, value, take, "ride-names");
    const follows = outputs.includes(value) ? value : /^[\s\d.eE+-]*$/.test(value) ? "" : "expression";
    const choice = h(
      "select",
      { "aria-label": `What ${label} follows`, title: "A constant, or an output of the equations" },
      h("option", { value: "", selected: follows === "" }, "constant"),
      ...outputs.map((name) => h("option", { value: name, selected: follows === name }, name)),
      follows === "expression" ? h("option", { value: "expression", selected: true }, "expression") : null,
    );
    choice.addEventListener("change", () => {
      if (choice.value !== "expression") take(choice.value === "" ? "0" : choice.value);
    });
    const row = this.field(label, h("span", { class: "pair" }, input, choice));
    row.classList.toggle("follows", follows !== "");
    return row;
  }

  private three(label: string, values: [string, string, string], outputs: string[], take: (values: [string, string, string]) => void): HTMLElement[] {
    return AXES.map((axis, at) =>
      this.bound(`${label} ${axis}`, values[at] ?? "0", outputs, (value) => {
        const next: [string, string, string] = [...values];
        next[at] = value;
        take(next);
      }),
    );
  }

  private looks(part: ModelPart): HTMLElement {
    const kind = !part.solid ? "nothing" : "box" in part.solid ? "box" : "ball" in part.solid ? "ball" : `mesh ${part.solid.mesh}`;
    const seen = part.solid && "mesh" in part.solid ? [part.solid.mesh] : [];
    const meshes = [...new Set([...seen, ...this.meshes])];
    const option = (value: string, words: string) => h("option", { value, selected: value === kind }, words);
    const select = h("select", { "aria-label": "What it looks like" }, ...["nothing", "box", "ball"].map((one) => option(one, one)), ...meshes.map((name) => option(`mesh ${name}`, name)));
    const take = (solid: PartSolid | null) => this.onChange({ solid, colour: solid ? (part.colour ?? "#c8503a") : null });
    select.addEventListener("change", () => {
      if (select.value.startsWith("mesh ")) return take({ mesh: select.value.slice(5) });
      take(select.value === "box" ? { box: [0.5, 0.5, 0.5] } : select.value === "ball" ? { ball: 0.5 } : null);
    });
    const file = h("input", { type: "file", accept: ".glb", hidden: true, "aria-label": "A mesh for the part" });
    file.addEventListener("change", async () => {
      const chosen = file.files?.[0];
      const name = chosen ? await this.onFile(chosen) : null;
      if (name !== null) take({ mesh: name });
    });
    const open = button("Open .glb …", () => file.click(), { class: "quiet", tip: "A mesh from a file; it is kept in the workspace" });
    return h("span", { class: "pair" }, select, open, file);
  }

  private size(solid: PartSolid): HTMLElement[] {
    const number = (label: string, value: number, take: (value: number) => void) => {
      const input = h("input", { type: "number", min: 0.001, step: "any", value, "aria-label": label });
      input.addEventListener("change", () => Number(input.value) > 0 && take(Number(input.value)));
      return input;
    };
    if ("mesh" in solid) return [];
    if ("ball" in solid) return [this.field("radius", number("radius", solid.ball, (ball) => this.onChange({ solid: { ball } })))];
    const sides = AXES.map((axis, at) =>
      number(`half side ${axis}`, solid.box[at] ?? 0.5, (value) => {
        const box: [number, number, number] = [...solid.box];
        box[at] = value;
        this.onChange({ solid: { box } });
      }),
    );
    return [this.field("half sides", h("span", { class: "pair" }, ...sides))];
  }

  private colour(value: string): HTMLElement {
    const input = h("input", { type: "color", value, "aria-label": "Colour" });
    input.addEventListener("change", () => this.onChange({ colour: input.value }));
    return input;
  }
}
