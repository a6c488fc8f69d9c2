// The tree on the left: what there is in a scene.

import { fill, h, short } from "./dom";
import { hill } from "./plots";
import type { SceneTree, TreeBody, TreeVariable } from "./types";

/** Copies of a body that are listed one by one. */
const MOST_COPIES = 200;
/** Variables that are shown at first. */
const FIRST_VARIABLES = 60;

export class Tree {
  readonly element = h("div", { class: "tree" });
  onSelect: (name: string) => void = () => {};
  private readonly rows = new Map<string, HTMLElement>();

  /** Shows a scene. */
  show(scene: SceneTree): void {
    this.rows.clear();
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
    return row;
  }

  /** Marks the body that is selected. */
  mark(name: string | null): void {
    for (const [other, row] of this.rows) row.classList.toggle("marked", other === name);
    const row = name ? this.rows.get(name) : undefined;
    row?.scrollIntoView({ block: "nearest" });
  }

  private variables(scene: SceneTree): HTMLElement {
    const rows = (list: TreeVariable[]) => list.map(variableRow);
    const section = this.section(`Variables (${scene.variable_count})`, true, ...rows(scene.variables.slice(0, FIRST_VARIABLES)));
    if (scene.variable_count === 0) section.append(h("p", { class: "empty" }, "Nothing in this scene is uncertain."));
    const rest = scene.variables.slice(FIRST_VARIABLES);
    if (rest.length > 0) {
      const more = h("button", { type: "button", class: "quiet" }, `${scene.variable_count - FIRST_VARIABLES} more`);
      more.addEventListener("click", () => more.replaceWith(...rows(rest)));
      section.append(more);
    }
    return section;
  }
}

function variableRow(variable: TreeVariable): HTMLElement {
  return h(
    "div",
    { class: "variable", title: `${variable.density} (mean ${short(variable.mean)})` },
    h("span", { class: "name" }, variable.name),
    h("small", {}, variable.density),
    hill(variable.curve),
  );
}
