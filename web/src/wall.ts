// The gallery as a wall of small moving pictures; those that are alike hang together.

import { api, download, entryAddress, type GalleryEntry } from "./api";
import type { Clip } from "./clip";
import { button, fill, h } from "./dom";
import { iconButton } from "./icons";
import type { Angle } from "./look";
import { previews } from "./previews";

/** Pictures that are hung at first. */
const FIRST = 24;

interface Hung {
  element: HTMLElement;
  canvas: HTMLCanvasElement;
}

export class Wall {
  readonly element = h("div", { class: "gallery" });
  angle: Angle = "side";
  onOpen: (index: number) => void = () => {};
  onCompare: (index: number) => void = () => {};
  onTrails: (clips: Clip[]) => void = () => {};
  onBreed: (indices: number[]) => void = () => {};
  private readonly head = h("div", { class: "wall-head" });
  private readonly grid = h("div", { class: "tiles" });
  private readonly hung = new Map<number, Hung>();
  private entries: GalleryEntry[] = [];
  private run = "";
  private most = FIRST;
  private onlyFavourites = false;
  /** Kinds of which all are shown. */
  private readonly opened = new Set<number>();
  private trails = false;
  /** Those that others are to be found between and around. */
  private readonly parents = new Set<number>();
  private current: number | null = null;

  constructor() {
    this.element.append(this.head, this.grid);
    this.render();
  }

  /** Shows what a run has found. */
  show(run: string, entries: GalleryEntry[]): void {
    if (run !== this.run) {
      this.hung.clear();
      this.grid.replaceChildren();
      this.most = FIRST;
      this.current = null;
      this.opened.clear();
      this.parents.clear();
      this.trails = false;
    }
    this.run = run;
    this.entries = entries;
    this.render();
  }

  /** Marks the entry that is played. */
  mark(index: number | null): void {
    this.current = index;
    for (const [other, tile] of this.hung) tile.element.classList.toggle("marked", other === index);
  }

  private render(): void {
    const listed = this.onlyFavourites ? this.entries.filter((entry) => entry.favourite) : this.byKind();
    const favourites = this.entries.filter((entry) => entry.favourite);
    const only = button("★ only", () => {
      this.onlyFavourites = !this.onlyFavourites;
      this.render();
    }, { class: "quiet", tip: "Show favourites only" });
    only.setAttribute("aria-pressed", String(this.onlyFavourites));
    const trails = button("Trails", () => {
      this.trails = !this.trails;
      this.sendTrails();
      this.render();
    }, { class: "quiet", tip: "Draw the paths of all of them into the view" });
    trails.setAttribute("aria-pressed", String(this.trails));
    fill(
      this.head,
      h("h2", {}, "Gallery"),
      ...(this.entries.length > 0 ? [only, trails] : []),
      ...(this.parents.size > 1
        ? [button(`Breed (${this.parents.size})`, () => this.onBreed([...this.parents].sort((a, b) => a - b)), { class: "quiet", tip: "Find others between and around them: a search, not a fair draw" })]
        : []),
      ...(favourites.length > 0
        ? [button(`Export ★ (${favourites.length})`, () => this.exportAll(favourites), { class: "quiet", tip: "Download every favourite" })]
        : []),
    );
    const shown = listed.slice(0, this.most);
    const children: Node[] = shown.map((entry) => this.tile(entry));
    if (listed.length > shown.length) {
      const more = button(`${listed.length - shown.length} more`, () => {
        this.most += FIRST;
        this.render();
      }, { class: "quiet more" });
      children.push(h("div", { role: "listitem" }, more));
    }
    // A list has something in it.
    this.grid.role = children.length > 0 ? "list" : null;
    if (children.length === 0) {
      const words = this.onlyFavourites
        ? "No favourites yet: press ★ on a picture to keep it."
        : "Animations that end as wanted will hang here, as soon as they are found.";
      children.push(h("p", { class: "empty" }, words));
    }
    // What hangs already stays where it is: moving a canvas would restart it.
    if (children.some((child, place) => this.grid.childNodes[place] !== child) || children.length !== this.grid.childNodes.length) {
      fill(this.grid, ...children);
      previews.sweep();
    }
  }

  /** One of each kind, those that the search picked since they differ most before the others; of a kind that is opened, all. */
  private byKind(): GalleryEntry[] {
    const kinds = new Map<number, GalleryEntry[]>();
    for (const entry of [...this.entries].sort((a, b) => a.index - b.index)) kinds.set(entry.group, [...(kinds.get(entry.group) ?? []), entry]);
    const isPicked = (members: GalleryEntry[]) => Number(members.some((entry) => entry.picked > 0));
    return [...kinds.values()]
      .sort((a, b) => isPicked(b) - isPicked(a) || (a[0]?.index ?? 0) - (b[0]?.index ?? 0))
      .flatMap((members) => (this.opened.has(members[0]?.group ?? -1) ? members : members.slice(0, 1)));
  }

  /** How many others of its kind hang behind a picture, and whether they are shown. */
  private behind(entry: GalleryEntry): HTMLElement {
    const others = this.entries.filter((one) => one.group === entry.group).length - 1;
    const isFirst = this.entries.every((one) => one.group !== entry.group || one.index >= entry.index);
    if (others === 0 || !isFirst) return h("small", { class: "kind" });
    const isOpen = this.opened.has(entry.group);
    const toggle = button(isOpen ? "− fewer" : `+ ${others}`, () => {
      if (!this.opened.delete(entry.group)) this.opened.add(entry.group);
      this.render();
    }, { class: "quiet kind", tip: "Others that are alike: no body is farther than three of its radii from its place in this one" });
    toggle.setAttribute("aria-expanded", String(isOpen));
    return toggle;
  }

  private tile(entry: GalleryEntry): HTMLElement {
    const known = this.hung.get(entry.index);
    const number = String(entry.index + 1).padStart(2, "0");
    if (known?.canvas.isConnected || (known && this.grid.contains(known.element))) {
      known.element.querySelector("button.star")?.setAttribute("aria-pressed", String(entry.favourite));
      const before = known.element.querySelector(".kind");
      const now = this.behind(entry);
      if (before && before.textContent !== now.textContent) before.replaceWith(now);
      return known.element;
    }
    const canvas = previews.add(() => Promise.resolve(entryAddress(this.run, entry.index)), { angle: this.angle }, () => this.sendTrails());
    const open = h("button", { type: "button", class: "open", "aria-label": `Play ${number}`, draggable: "true" }, canvas);
    open.addEventListener("click", (event) => (event.shiftKey ? this.onCompare(entry.index) : this.onOpen(entry.index)));
    open.addEventListener("dragstart", (event) => event.dataTransfer?.setData("text/entry", String(entry.index)));
    const star = iconButton("star", "Favourite", () => void this.favour(entry.index, star), entry.favourite);
    star.classList.add("star");
    const parent = iconButton("breed", "Choose for breeding: others between and around two or three", () => {
      if (!this.parents.delete(entry.index)) this.parents.add(entry.index);
      parent.setAttribute("aria-pressed", String(this.parents.has(entry.index)));
      this.render();
    }, this.parents.has(entry.index));
    const element = h(
      "div",
      { class: "tile", role: "listitem", "data-entry": entry.index },
      open,
      h(
        "div",
        { class: "caption" },
        h("span", {}, number),
        this.behind(entry),
        star,
        parent,
        iconButton("compare", "Compare with what is played", () => this.onCompare(entry.index)),
        iconButton("download", "Export as .glb", () => download(entryAddress(this.run, entry.index))),
      ),
    );
    element.classList.toggle("marked", entry.index === this.current);
    this.hung.set(entry.index, { element, canvas });
    return element;
  }

  private async favour(index: number, star: HTMLElement): Promise<void> {
    const entry = this.entries[index];
    if (!entry) return;
    const set = (favourite: boolean) => {
      entry.favourite = favourite;
      star.setAttribute("aria-pressed", String(favourite));
    };
    set(!entry.favourite);
    try {
      await api.favourite(this.run, index, entry.favourite);
    } catch {
      // What could not be kept is not shown as if it were.
      set(!entry.favourite);
    }
    this.render();
  }

  private exportAll(entries: GalleryEntry[]): void {
    // Browsers drop downloads that begin in the same moment.
    entries.forEach((entry, place) => setTimeout(() => download(entryAddress(this.run, entry.index)), place * 300));
  }

  private sendTrails(): void {
    const clips = this.trails ? [...this.hung.values()].flatMap((tile) => previews.clipOf(tile.canvas) ?? []) : [];
    this.onTrails(clips);
  }
}
