// The hierarchy of a ride: rows that are dragged, or moved with the keyboard.

import { fill, h } from "./dom";
import { childrenOf, kindOf, moved, nudged, ordered, without } from "./ride_file";
import type { ModelPart } from "./types";

/** Near the upper edge of a row means before it, near the lower one after it. */
const EDGE = 0.28;

export class PartTree {
  readonly element = h("ul", { class: "parts", role: "tree", "aria-label": "Parts" });
  onSelect: (name: string | null) => void = () => {};
  onChange: (parts: ModelPart[]) => void = () => {};
  private parts: ModelPart[] = [];
  private selected: string | null = null;
  private dragged: string | null = null;

  constructor() {
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("dragover", (event) => event.preventDefault());
    this.element.addEventListener("drop", (event) => {
      event.preventDefault();
      // What is dropped beside all rows stands by itself.
      if (this.dragged && event.target === this.element) this.change(moved(this.parts, this.dragged, null, null));
    });
  }

  show(parts: ModelPart[], selected: string | null): void {
    const hadFocus = this.element.contains(document.activeElement);
    this.parts = parts;
    this.selected = selected;
    fill(this.element, ...childrenOf(parts, null).map((part) => this.branch(part, 1)));
    if (parts.length === 0) this.element.append(h("li", { class: "empty" }, "Nothing yet. Add a group, a rotation or a box; it hangs on what is selected."));
    if (hadFocus) this.focus();
  }

  focus(): void {
    this.element.querySelector<HTMLElement>(".row[tabindex='0']")?.focus();
  }

  private branch(part: ModelPart, level: number): HTMLElement {
    const below = childrenOf(this.parts, part.name);
    const first = this.selected === null && this.parts[0] === part;
    const isChosen = part.name === this.selected;
    const row = h(
      "div",
      { class: `row${isChosen ? " marked" : ""}`, draggable: "true", tabindex: isChosen || first ? 0 : -1, style: `padding-left: ${6 + 14 * (level - 1)}px`, "data-part": part.name },
      h("span", { class: "swatch", style: part.solid ? `background: ${part.colour ?? "#999999"}` : "" }),
      part.name,
      h("small", {}, kindOf(part), part.each ? " ×" : ""),
    );
    row.addEventListener("click", () => this.onSelect(part.name));
    this.drag(row, part);
    const item = h("li", { role: "treeitem", "aria-level": level, "aria-selected": String(isChosen), "aria-expanded": below.length > 0 ? "true" : undefined }, row);
    if (below.length > 0) item.append(h("ul", { role: "group" }, ...below.map((one) => this.branch(one, level + 1))));
    return item;
  }

  private drag(row: HTMLElement, part: ModelPart): void {
    const where = (event: DragEvent): "before" | "in" | "after" => {
      const box = row.getBoundingClientRect();
      const share = (event.clientY - box.top) / box.height;
      return share < EDGE ? "before" : share > 1 - EDGE ? "after" : "in";
    };
    row.addEventListener("dragstart", (event) => {
      this.dragged = part.name;
      event.dataTransfer?.setData("text/plain", part.name);
    });
    row.addEventListener("dragover", (event) => {
      event.preventDefault();
      row.dataset.drop = where(event);
    });
    row.addEventListener("dragend", () => (this.dragged = null));
    for (const end of ["dragleave", "dragend", "drop"] as const) row.addEventListener(end, () => delete row.dataset.drop);
    row.addEventListener("drop", (event) => {
      event.preventDefault();
      event.stopPropagation();
      if (!this.dragged) return;
      const siblings = childrenOf(this.parts, part.parent).filter((one) => one.name !== this.dragged).map((one) => one.name);
      const next = siblings[siblings.indexOf(part.name) + 1] ?? null;
      const place = where(event);
      this.change(place === "in" ? moved(this.parts, this.dragged, part.name, null) : moved(this.parts, this.dragged, part.parent, place === "before" ? part.name : next));
    });
  }

  private change(parts: ModelPart[]): void {
    this.dragged = null;
    if (parts !== this.parts) this.onChange(parts);
  }

  private key(event: KeyboardEvent): void {
    const rows = ordered(this.parts).map((part) => part.name);
    const at = this.selected === null ? -1 : rows.indexOf(this.selected);
    const way = ({ ArrowUp: "up", ArrowDown: "down", ArrowRight: "in", ArrowLeft: "out" } as const)[event.key];
    if (event.altKey && way && this.selected !== null) this.change(nudged(this.parts, this.selected, way));
    else if (event.key === "ArrowDown") this.onSelect(rows[Math.min(at + 1, rows.length - 1)] ?? null);
    else if (event.key === "ArrowUp") this.onSelect(rows[Math.max(at - 1, 0)] ?? null);
    else if (event.key === "Delete" && this.selected !== null) this.change(without(this.parts, this.selected));
    else if (event.key === "Enter") document.querySelector<HTMLElement>("[aria-label='Name of the part']")?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
