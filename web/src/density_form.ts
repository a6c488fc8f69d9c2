// A density in its own terms: a family, its numbers, and the hill that they make.

import { button, h, short } from "./dom";
import { hill } from "./plots";
import type { DensityChoice, DensityKind, TreeVariable } from "./types";

/** Families, in words, and what their numbers mean. */
const FAMILIES: Record<DensityKind, { words: string; numbers: string[] }> = {
  constant: { words: "always", numbers: ["value"] },
  uniform: { words: "uniform", numbers: ["low", "high"] },
  normal: { words: "normal", numbers: ["mean", "± deviation"] },
  truncated_normal: { words: "normal, within limits", numbers: ["mean", "± deviation", "low", "high"] },
  exponential: { words: "exponential", numbers: ["rate"] },
  log_normal: { words: "log-normal", numbers: ["mean of log", "± of log"] },
};

/** The numbers of another family that say about the same. */
export function alike(kind: DensityKind, variable: TreeVariable): (number | null)[] {
  const first = variable.curve[0]?.[0] ?? variable.mean;
  const last = variable.curve[variable.curve.length - 1]?.[0] ?? variable.mean;
  const round = (value: number) => Number(value.toPrecision(4));
  const mean = round(variable.mean);
  const deviation = round(Math.max((last - first) / 6, Math.abs(mean) * 0.05, 1e-3));
  switch (kind) {
    case "constant":
      return [mean];
    case "uniform":
      return [round(mean - 1.75 * deviation), round(mean + 1.75 * deviation)];
    case "normal":
      return [mean, deviation];
    case "truncated_normal":
      return [mean, deviation, round(mean - 2 * deviation), round(mean + 2 * deviation)];
    case "exponential":
      return [round(1 / Math.max(Math.abs(mean), 1e-3))];
    case "log_normal":
      return [round(Math.log(Math.max(Math.abs(mean), 1e-3))), 0.2];
  }
}

/** A variable as a row that opens into a form. */
export function variableRow(variable: TreeVariable, isOpen: boolean, isChanged: boolean, change: (density: DensityChoice | null) => void): HTMLElement {
  const { choice } = variable;
  const copies = variable.count > 1 ? h("small", {}, ` ×${variable.count}`) : null;
  const head: Node[] = [
    h("span", { class: "name" }, variable.name, ...(copies ? [copies] : [])),
    h("small", {}, variable.density),
    hill(variable.curve),
  ];
  const title = `${variable.density} (mean ${short(variable.mean)})`;
  if (!choice) return h("div", { class: "variable", title }, ...head);
  const row = h("details", { class: isChanged ? "uncertain changed" : "uncertain", open: isOpen, "data-variable": variable.name });
  row.append(h("summary", { class: "variable", title: `${title}; open to change it` }, ...head), ...form(variable, choice, isChanged, change));
  return row;
}

function form(variable: TreeVariable, choice: DensityChoice, isChanged: boolean, change: (density: DensityChoice | null) => void): Node[] {
  const kind = h("select", { "aria-label": `Family of ${variable.name}` });
  for (const [name, family] of Object.entries(FAMILIES)) kind.append(h("option", { value: name, selected: name === choice.kind }, family.words));
  kind.addEventListener("change", () => {
    const family = kind.value as DensityKind;
    change({ kind: family, parameters: alike(family, variable) });
  });
  const inputs = FAMILIES[choice.kind].numbers.map((name, index) => {
    const value = choice.parameters[index];
    const input = h("input", { type: "number", step: "any", value: value ?? "", placeholder: "none", "aria-label": `${name} of ${variable.name}` });
    input.addEventListener("change", () => change({ kind: choice.kind, parameters: inputs.map(({ input: one }) => (one.value === "" ? null : Number(one.value))) }));
    return { name, input };
  });
  const fields = inputs.map(({ name, input }) => h("label", { class: "field" }, h("span", {}, name), input));
  const back = isChanged ? [button("as it was", () => change(null), { class: "quiet", tip: "The density that the scene itself has" })] : [];
  return [h("div", { class: "density" }, h("label", { class: "field" }, h("span", {}, "family"), kind), ...fields, ...back)];
}
