// Errors that tell where, what, and how to mend it.

import { button, h } from "./dom";
import type { Problem } from "./types";

/** Two versions of one thing: somebody has to choose, and nothing is overwritten before. */
export function chooseBetween(what: string, theirs: () => void, mine: () => void): HTMLElement {
  const help = "Nothing is overwritten until you choose.";
  return h("div", { class: "contest" }, problemCard({ error: what, help }), h("div", { class: "actions" }, button("Take theirs", theirs), button("Keep mine", mine)));
}

/** A problem as it is read, with the line of the text that it is about. */
export function problemCard(problem: Problem, text?: string): HTMLElement {
  const card = h("div", { class: "problem", role: "alert" }, h("strong", {}, problem.error));
  const line = problem.place && text ? text.split("\n")[problem.place.line - 1] : undefined;
  if (problem.place && line !== undefined) {
    const { line: number, column, length } = problem.place;
    const mark = " ".repeat(column - 1) + "^".repeat(Math.max(length, 1));
    const where = problem.place.label ? ` ${problem.place.label}` : "";
    card.append(h("pre", {}, `${number} │ ${line}\n${" ".repeat(String(number).length)} │ ${mark}${where}`));
  }
  if (problem.help) card.append(h("p", {}, problem.help));
  for (const other of problem.more ?? []) card.append(problemCard(other, text));
  return card;
}
