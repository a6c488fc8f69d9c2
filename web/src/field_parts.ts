// What the pages of the field share.

import type { FieldMaking } from "./types";
import type { Blower } from "./blower";
import { h } from "./dom";
import { problemCard } from "./problems";

/** Says what the field shows, and leads to what else it could. */
export function whatGrows(now: "banner" | "meadow"): HTMLElement {
  const link = (name: "banner" | "meadow", to: string) => h("a", { class: "button", href: to, "aria-current": name === now ? "page" : null }, name);
  return h("nav", { class: "choice", "aria-label": "What the field shows" }, link("banner", "#/field"), link("meadow", "#/field/meadow"));
}

/** How strongly the wind blows, and whether the pointer does. */
export function windControls(blower: Blower): HTMLElement[] {
  return [
    h("label", { class: "field" }, h("span", {}, "wind"), blower.slider),
    h("label", { class: "switch", title: "The pointer blows (B)" }, blower.byPointer, h("span", {}, "pointer blows")),
  ];
}

/** How far what is shown is made, or why it cannot be. */
export function making(now: FieldMaking | null, problem: string | null, help: string): HTMLElement[] {
  if (problem !== null) return [problemCard({ error: problem, help })];
  if (!now) return [];
  return [h("p", { class: "empty" }, `Made once, and kept: ${now.doing}.`), h("progress", { max: 1, value: now.done, "aria-label": now.doing })];
}
