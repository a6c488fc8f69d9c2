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
  private readonly head = h("div", { class: "wall-head" });
  private readonly grid = h("div", { class: "tiles", role: "list" });
  private readonly hung = new Map<number, Hung>();
  private entries: GalleryEntry[] = [];
  private run = "";
  private most = FIRST;
  private onlyFavourites = false;
  private trails = false;
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
    const kinds = this.entries.filter((entry) => entry.group === entry.index).length;
    const listed = this.entries.filter((entry) => entry.favourite || !this.onlyFavourites);
    listed.sort((a, b) => a.group - b.group || a.index - b.index);
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
    const title = this.entries.length > 0 ? `Gallery (${this.entries.length} found, of ${kinds} ${kinds === 1 ? "kind" : "kinds"})` : "Gallery";
    fill(
      this.head,
      h("h2", {}, title),
      ...(this.entries.length > 0 ? [only, trails] : []),
      ...(favourites.length > 0
        ? [button(`Export ★ (${favourites.length})`, () => this.exportAll(favourites), { class: "quiet", tip: "Download every favourite" })]
        : []),
    );
    const shown = listed.slice(0, this.most);
    const children: Node[] = shown.map((entry) => this.tile(entry));
    if (listed.length > shown.length) {
      children.push(button(`${listed.length - shown.length} more`, () => {
        this.most += FIRST;
        this.render();
      }, { class: "quiet more" }));
    }
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

  private tile(entry: GalleryEntry): HTMLElement {
    const known = this.hung.get(entry.index);
    const number = String(entry.index + 1).padStart(2, "0");
    const kind = `kind ${String(entry.group + 1).padStart(2, "0")}`;
    if (known?.canvas.isConnected || (known && this.grid.contains(known.element))) {
      known.element.querySelector("button.star")?.setAttribute("aria-pressed", String(entry.favourite));
      return known.element;
    }
    const canvas = previews.add(() => Promise.resolve(entryAddress(this.run, entry.index)), this.angle, () => this.sendTrails());
    const open = h("button", { type: "button", class: "open", "aria-label": `Play ${number}`, draggable: "true" }, canvas);
    open.addEventListener("click", (event) => (event.shiftKey ? this.onCompare(entry.index) : this.onOpen(entry.index)));
    open.addEventListener("dragstart", (event) => event.dataTransfer?.setData("text/entry", String(entry.index)));
    const star = iconButton("star", "Favourite", () => void this.favour(entry.index, star), entry.favourite);
    star.classList.add("star");
    const element = h(
      "div",
      { class: "tile", role: "listitem", "data-entry": entry.index },
      open,
      h(
        "div",
        { class: "caption" },
        h("span", {}, number),
        h("small", { class: "kind", title: "Alike: no body is farther than three of its radii from its place in the first of them" }, kind),
        star,
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
