// The rows of an experiment as a table, with the paper's figures marked.

import { h } from "./dom";
import type { LabResults } from "./types";

type Row = LabResults["rows"][number];

/** A value as the lab prints it: four digits, a dash for what was not measured. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return typeof value === "string" ? value : JSON.stringify(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  const exponent = Number(value.toExponential(3).split("e")[1]);
  if (exponent < -4 || exponent >= 7) return value.toExponential(3).replace(/\.?0+e\+?/, "e");
  return value.toFixed(Math.max(3 - exponent, 0));
}

/** All columns, in the order in which rows name them. */
export function keysOf(rows: Row[]): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}

const isPaper = (key: string) => key.startsWith("paper");

/** The columns that matter: those that the lab prints, and the paper's. */
export function mainKeys(rows: Row[], columns: string[]): string[] {
  const known = keysOf(rows);
  const chosen = columns.filter((key) => known.includes(key));
  return chosen.length > 0 ? [...chosen, ...known.filter((key) => isPaper(key) && !chosen.includes(key))] : known;
}

/** A table of some columns. */
export function labTable(rows: Row[], keys: string[]): HTMLElement {
  const isWords = (key: string) => rows.some((row) => typeof row[key] === "string");
  const kind = (key: string) => [isPaper(key) ? "of-paper" : "", isWords(key) ? "words" : ""].join(" ").trim() || undefined;
  const head = keys.map((key) => h("th", { scope: "col", class: kind(key) }, key.replaceAll("_", " ")));
  const cells = (row: Row) => keys.map((key) => h("td", { class: kind(key) }, shown(row[key])));
  const body = rows.map((row) => h("tr", {}, ...cells(row)));
  // A wide table is scrolled, also with the arrow keys.
  return h("div", { class: "lab-table", tabindex: 0, role: "region", "aria-label": "Rows" }, h("table", {}, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...body)));
}
