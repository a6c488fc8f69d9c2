// What is the same on every page with a live world: it opens the stream, shows what
// comes, holds it, keeps its settings in the address, and leaves the stage as it was.

import type { LiveHello } from "./types";
import { grouped, h } from "./dom";
import { LiveScene } from "./live";
import type { Surroundings } from "./look";
import { replace } from "./route";
import type { Command } from "./palette";
import type { Crumb, Page, Shell } from "./shell";

/** How a page with a live world begins. */
interface Beginning {
  /** The world's name at the server. */
  world: string;
  crumbs: Crumb[];
  /** Whether one walks in it; elsewhere one looks at it from outside. */
  walks?: boolean;
  /** Where it is, if not in the open air. */
  surroundings?: Surroundings;
}

export abstract class LivePage<Facts, Statistics, Control> implements Page {
  protected readonly live: LiveScene;
  protected isHeld = false;
  protected isOpen = true;
  private readonly listening = new AbortController();

  constructor(
    protected readonly shell: Shell,
    private readonly beginning: Beginning,
  ) {
    this.live = new LiveScene(beginning.world, beginning.surroundings);
    shell.arrange("live");
    shell.setCrumbs(...beginning.crumbs);
  }

  /** What there is, first and whenever that has changed. */
  protected abstract meet(facts: Facts, hello: LiveHello): void;
  /** How it is doing, a few times in a second. */
  protected abstract hear(told: Statistics): void;
  abstract commands(): Command[];

  /** Before each frame. */
  protected step(): void {}

  /** Opens the stream; the last thing that a page does to begin. */
  protected open(): void {
    const { live, shell } = this;
    const { stage } = shell;
    const { walks = false } = this.beginning;
    shell.clear();
    if (walks) stage.angle = "side";
    live.onHello = (hello) => {
      this.meet(hello.facts as Facts, hello);
      if (!stage.isEmpty) return;
      stage.show([live]);
      if (walks) shell.walk(true);
    };
    live.onTold = (statistics) => {
      if (this.isOpen) this.hear(statistics as Statistics);
    };
    live.onEnd = (problem) => shell.ended(problem);
    stage.show([]);
    stage.onFrame = () => this.step();
  }

  /** Hears events until the page is left. */
  protected listen<Name extends keyof HTMLElementEventMap>(element: HTMLElement, name: Name, hear: (event: HTMLElementEventMap[Name]) => void): void {
    element.addEventListener(name, hear, { signal: this.listening.signal });
  }

  protected say(control: Control & object): void {
    this.live.control(control);
  }

  hold(): void {
    this.isHeld = !this.isHeld;
    this.live.setPace(this.isHeld ? 0 : 1);
  }

  leave(): void {
    this.isOpen = false;
    this.listening.abort();
    const { shell } = this;
    const { stage } = shell;
    stage.onFrame = stage.onUse = stage.onSelect = stage.onClick = () => {};
    shell.onFiles = null;
    if (this.beginning.walks) shell.walk(false);
    stage.show([]);
    this.live.dispose();
  }
}

/** A choice of how many there are, with what the address asks for among it. */
export function howMany(label: string, sizes: number[], wanted: number): HTMLSelectElement {
  const all = [...new Set([...sizes, wanted])].sort((a, b) => a - b);
  return h("select", { "aria-label": label }, ...all.map((size) => h("option", { value: size, selected: size === wanted }, grouped(size))));
}

/** The address says what is set, so that it can be kept; what is as usual is left out (`null`). */
export function keepInAddress(page: string, settings: Record<string, string | null>): void {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(settings)) if (value !== null) query.set(name, value);
  const text = query.toString();
  replace(text === "" ? page : `${page}?${text}`);
}

/** What is chosen, unless that is as usual. */
export function unless(usual: number, chosen: HTMLSelectElement): string | null {
  return Number(chosen.value) === usual ? null : chosen.value;
}

/** Flips a switch as a click would. */
export function flip(box: HTMLInputElement): void {
  box.checked = !box.checked;
  box.dispatchEvent(new Event("change"));
}
