// The tree on the left: what there is in a scene.

import { variableRow } from "./density_form";
import { fill, h } from "./dom";
import { iconButton } from "./icons";
import type { DensityChoice, SceneTree, TreeBody, TreeVariable } from "./types";

/** Copies of a body that are listed one by one. */
const MOST_COPIES = 200;
/** So many numbered variables are listed one by one. */
const FEW = 6;
/** Variables that are shown at first. */
const FIRST_VARIABLES = 60;

export class Tree {
  readonly element = h("div", { class: "tree" });
  onSelect: (name: string) => void = () => {};
  /** Another density is wanted for a variable, or the scene's own again. */
  onDensity: (name: string, density: DensityChoice | null) => void = () => {};
  /** Variables whose density is not the scene's own. */
  changed = new Set<string>();
  /** Bodies and variables that more of the same shall have in common with what is played. */
  readonly held = new Set<string>();
  private readonly rows = new Map<string, HTMLElement>();
  private opened = new Set<string | undefined>();

  /** Shows a scene. */
  show(scene: SceneTree): void {
    this.rows.clear();
    this.forget(scene);
    const opened = [...this.element.querySelectorAll<HTMLElement>("details[open][data-variable]")].map((one) => one.dataset.variable);
    this.opened = new Set(opened);
    const focused = document.activeElement?.getAttribute("aria-label");
    const bodies = scene.bodies.map((body) => this.body(body));
    const materials = scene.materials.map((material) =>
      h(
        "details",
        {},
        h("summary", {}, material.name),
        h("dl", {}, ...material.properties.flatMap(([key, value]) => [h("dt", {}, key), h("dd", { title: value }, value.replace(/^"|"$/g, ""))])),
      ),
    );
    fill(
      this.element,
      this.section(`Bodies (${scene.body_count})`, true, ...bodies),
      this.section(`Materials (${materials.length})`, false, ...materials),
      this.variables(scene),
    );
    // Whoever types a number after the other stays where they are.
    if (focused && opened.length > 0) this.element.querySelector<HTMLElement>(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
  }

  private section(title: string, open: boolean, ...children: Node[]): HTMLElement {
    return h("details", { class: "section", open }, h("summary", {}, title), ...children);
  }

  private body(body: TreeBody): HTMLElement {
    if (body.count === 1) return this.row(body.name, body.shape, body.fixed);
    const names = Array.from({ length: Math.min(body.count, MOST_COPIES) }, (_, copy) => `${body.name}-${copy + 1}`);
    const details = h("details", {}, h("summary", {}, body.name, h("small", {}, ` ${body.shape} ×${body.count}`)));
    details.addEventListener("toggle", () => {
      if (details.children.length === 1) details.append(...names.map((name) => this.row(name, "", body.fixed)));
    });
    return details;
  }

  private row(name: string, shape: string, fixed: boolean): HTMLElement {
    const row = h(
      "button",
      { type: "button", class: "row", title: fixed ? "stays where it is" : "moves", on: { click: () => this.onSelect(name) } },
      h("span", { class: fixed ? "dot fixed" : "dot" }),
      name,
      h("small", {}, ` ${shape}`),
    );
    this.rows.set(name, row);
    return fixed ? row : h("div", { class: "holdable" }, row, this.hold(name));
  }

  /** A switch that holds a body, or a variable. */
  private hold(name: string): HTMLButtonElement {
    const toggle = iconButton("pin", `Hold ${name} in more like this`, () => {
      if (!this.held.delete(name)) this.held.add(name);
      toggle.setAttribute("aria-pressed", String(this.held.has(name)));
    }, this.held.has(name));
    return toggle;
  }

  /** What another scene does not have is not held. */
  private forget(scene: SceneTree): void {
    const copies = scene.bodies.flatMap((body) => Array.from({ length: Math.min(body.count, MOST_COPIES) }, (_, copy) => `${body.name}-${copy + 1}`));
    const known = new Set([...scene.bodies.map((body) => body.name), ...copies, ...scene.variables.map((one) => one.name)]);
    for (const name of [...this.held]) if (!known.has(name)) this.held.delete(name);
  }

  /** Marks the body that is selected. */
  mark(name: string | null): void {
    for (const [other, row] of this.rows) row.classList.toggle("marked", other === name);
    const row = name ? this.rows.get(name) : undefined;
    row?.scrollIntoView({ block: "nearest" });
  }

  private variables(scene: SceneTree): HTMLElement {
    const row = (one: TreeVariable) =>
      h(
        "div",
        { class: "holdable" },
        variableRow(one, this.opened.has(one.name), this.changed.has(one.name), (density) => this.onDensity(one.name, density)),
        this.hold(one.name),
      );
    const { single, many } = gathered(scene.variables);
    const section = this.section(`Variables (${scene.variable_count})`, true, ...single.slice(0, FIRST_VARIABLES).map(row));
    if (scene.variable_count === 0) section.append(h("p", { class: "empty" }, "Nothing in this scene is uncertain."));
    const rest = single.slice(FIRST_VARIABLES);
    if (rest.length > 0) {
      const more = h("button", { type: "button", class: "quiet" }, `${rest.length} more`);
      more.addEventListener("click", () => more.replaceWith(...rest.map(row)));
      section.append(more);
    }
    for (const [name, list] of many) {
      const group = h("details", { class: "many" }, h("summary", {}, name, h("small", {}, ` ×${list.length}`)));
      group.addEventListener("toggle", () => {
        if (group.children.length === 1) group.append(...list.slice(0, MOST_COPIES).map(row));
      });
      section.append(group);
    }
    return section;
  }
}

/** Variables that are numbered, such as the corners of a mesh, fold into one. */
function gathered(variables: TreeVariable[]): { single: TreeVariable[]; many: Map<string, TreeVariable[]> } {
  const stem = (name: string) => /^(.*?)\.\d+(\.|$)/.exec(name)?.[1] ?? "";
  const groups = new Map<string, TreeVariable[]>();
  for (const variable of variables) {
    const list = groups.get(stem(variable.name));
    if (list) list.push(variable);
    else groups.set(stem(variable.name), [variable]);
  }
  const many = new Map([...groups].filter(([name, list]) => name !== "" && list.length > FEW));
  return { single: variables.filter((variable) => !many.has(stem(variable.name))), many };
}
