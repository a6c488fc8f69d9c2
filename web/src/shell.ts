// The frame around every page: top bar, panels that resize and fold, palette, theme.

import { api, connection, problemOf } from "./api";
import { button, fill, h, remembered } from "./dom";
import { iconButton, type Sign } from "./icons";
import { drawsByProcessor, finely } from "./look";
import { Palette, type Command } from "./palette";
import { previews } from "./previews";
import { problemCard } from "./problems";
import { Stage } from "./stage";
import { Timeline } from "./timeline";
import type { Problem } from "./types";

type Panel = "left" | "right" | "bottom" | "wall";

interface Layout {
  sizes: Record<Panel, number>;
  folded: Record<Panel, boolean>;
}

const USUAL: Layout = {
  sizes: { left: 240, right: 320, bottom: 112, wall: 196 },
  folded: { left: false, right: false, bottom: false, wall: false },
};
const LEAST: Record<Panel, number> = { left: 150, right: 220, bottom: 96, wall: 110 };

const layout = remembered<Layout>("layout", USUAL);
const theme = remembered<"light" | "dark" | null>("theme", null);

/** The pages, as they stand in the bar: what they are called, and where they are. */
const PAGES: [name: string, to: string][] = [
  ["Play", "#/play"],
  ["Direct", "#/direct"],
  ["Fairground", "#/fairground"],
  ["Rides", "#/rides"],
  ["City", "#/city"],
  ["Collisions", "#/collisions"],
  ["Field", "#/field"],
  ["Lab", "#/lab"],
  ["Study", "#/study"],
];

export interface Crumb {
  label: string;
  href?: string;
}

/** Which files a page takes: by their names, in words, and what it does with them. */
export interface FileTaker {
  kinds: RegExp;
  words: string;
  take(files: File[]): void;
}

/** What a page brings to the shell. */
export interface Page {
  commands(): Command[];
  /** Holds what is shown, or lets it go on, where there is no timeline. */
  hold?(): void;
  leave(): void;
}

export class Shell {
  readonly left = h("aside", { class: "panel left", "aria-label": "Scene" });
  readonly right = h("aside", { class: "panel right", "aria-label": "Inspector" });
  readonly wall = h("section", { class: "panel wall", "aria-label": "Gallery" });
  readonly home = h("main", { class: "home" });
  readonly overlay = h("div", { class: "overlay" });
  readonly hud = h("div", { class: "hud", role: "status" });
  readonly tools = h("div", { class: "tools", role: "toolbar", "aria-label": "View" });
  readonly stage = new Stage();
  readonly timeline = new Timeline();
  /** Below, where a page has no timeline. */
  readonly strip = h("section", { class: "strip", "aria-label": "Measurements" });
  private readonly pages = h("nav", { class: "pages", "aria-label": "Pages" }, ...PAGES.map(([name, to]) => h("a", { href: to }, name)));
  private readonly crumbs = h("nav", { class: "crumbs", "aria-label": "Where you are" });
  private readonly body = h("div", { class: "body" });
  private readonly handles = new Map<Panel, HTMLElement>();
  /** What the page is called, for those who hear it; pages that are read have a heading of their own. */
  private readonly heading = h("h1", { class: "unseen" });
  /** Is there while nobody answers. */
  private readonly lost = h("div", { class: "lost", role: "status" });
  private readonly palette: Palette;
  /** Takes files that are dropped anywhere on the page. */
  onFiles: FileTaker | null = null;
  private readonly told = h("div", { class: "lost told", role: "status" });
  private telling = 0;
  private page: Page | null = null;
  private walkButton: HTMLButtonElement | null = null;
  private state: Layout;

  constructor(root: HTMLElement) {
    const kept = layout.get();
    this.state = { sizes: { ...USUAL.sizes, ...kept.sizes }, folded: { ...USUAL.folded, ...kept.folded } };
    this.palette = new Palette(() => this.commands());
    applyTheme();
    const search = h(
      "button",
      { type: "button", class: "search", title: "Commands", on: { click: () => this.palette.open() } },
      "Commands",
      h("kbd", {}, /Mac/.test(navigator.platform) ? "⌘K" : "Ctrl K"),
    );
    const bar = h(
      "header",
      { class: "bar" },
      h("a", { class: "brand", href: "#/", title: "Home" }, "Proscenium"),
      this.heading,
      this.pages,
      this.crumbs,
      h("span", { class: "gap" }),
      iconButton("left", "Fold the scene panel (Ctrl B)", () => this.fold("left")),
      iconButton("right", "Fold the inspector (Ctrl I)", () => this.fold("right")),
      search,
      iconButton("theme", "Light or dark", () => this.toggleTheme()),
    );
    this.stage.element.append(this.tools, this.hud, this.overlay);
    this.stage.onProblem = (problem) => {
      const help = "switch hardware acceleration or WebGL on in the settings of the browser, or open this address in another one";
      this.say(problemCard({ error: problem.message, help }), h("p", {}, "Everything that is not drawn works: scenes are simulated and directed, rides compiled, and files exported."));
    };
    connection.onChange = (isThere) => this.showConnection(isThere);
    const middle = h("main", { class: "middle" }, this.stage.element, this.handle("wall"), this.wall);
    this.body.append(this.left, this.handle("left"), middle, this.handle("right"), this.right);
    this.body.append(this.handle("bottom"), this.timeline.element, this.strip);
    root.replaceChildren(bar, this.lost, this.told, this.home, this.body);
    this.timeline.onTime = (time) => this.stage.showTime(time);
    this.buildTools();
    this.apply();
    this.listen();
  }

  private listen(): void {
    document.addEventListener("keydown", (event) => {
      const command = event.ctrlKey || event.metaKey;
      const typing = (event.target as HTMLElement).matches("input:not([type=range]), textarea, select, .cm-content");
      const key = event.key.toLowerCase();
      if (command && key === "k") this.palette.open();
      else if (command && key === "b") this.fold("left");
      else if (command && key === "i") this.fold("right");
      else if (key === "f6") this.goRound(event.shiftKey ? -1 : 1);
      else if (key === " " && !typing && !(event.target as HTMLElement).matches("button, a, summary")) this.hold();
      else if (command || typing || event.altKey || !this.runLetter(event.key)) return;
      event.preventDefault();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.retheme());
    // A file that is dropped never leaves the studio, where the browser would open it.
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    document.addEventListener("dragover", (event) => {
      if (hasFiles(event)) event.preventDefault();
    });
    document.addEventListener("drop", (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      this.take([...(event.dataTransfer?.files ?? [])]);
    });
  }

  /** Hands files to the page, or says why it does not take them. */
  private take(files: File[]): void {
    const { onFiles } = this;
    const known = onFiles ? files.filter((file) => onFiles.kinds.test(file.name)) : [];
    const other = files.find((file) => !known.includes(file));
    if (known.length > 0) onFiles?.take(known);
    if (!other) return;
    const help = onFiles ? `files that can be dropped here: ${onFiles.words}` : "scenes (.toml) and meshes (.glb, .obj) are dropped on Play, and road networks (.osm.pbf, .osm, .net.xml) on City";
    this.tell(problemCard({ error: `“${other.name}” cannot be used ${onFiles ? "here" : "on this page"}`, help }));
  }

  /** Says something that is taken away with a click or a key, or by itself. */
  tell(content: Node): void {
    const away = () => fill(this.told);
    fill(this.told, content, button("All right", away));
    clearTimeout(this.telling);
    this.telling = window.setTimeout(away, 30_000);
  }

  /** Goes to the next panel, or to the one before, without passing all that is between. */
  private goRound(step: number): void {
    const regions = [this.left, this.stage.element, this.wall, this.right, this.timeline.element, this.strip, this.home];
    const shown = regions.filter((region) => region.getClientRects().length > 0 && firstIn(region));
    const now = shown.findIndex((region) => region.contains(document.activeElement));
    const next = shown[(Math.max(now, step > 0 ? -1 : 0) + step + shown.length) % shown.length];
    if (next) firstIn(next)?.focus();
  }

  /** Runs the command that has this letter, if there is one. */
  private runLetter(key: string): boolean {
    if (key.length !== 1 || document.querySelector("dialog[open]")) return false;
    const command = this.commands().find((one) => one.hint === key.toUpperCase());
    command?.run();
    return command !== undefined;
  }

  private hold(): void {
    if (this.page?.hold) this.page.hold();
    else this.timeline.toggle();
  }

  /** Arranges the panels for a page. */
  arrange(kind: "home" | "paper" | "play" | "direct" | "live" | "trial" | "model"): void {
    document.body.dataset.page = kind;
    // What is read fills the page; all else is around the view.
    const isRead = kind === "home" || kind === "paper";
    this.heading.hidden = isRead;
    this.home.hidden = !isRead;
    this.body.hidden = isRead;
    fill(this.overlay);
    fill(this.hud);
    fill(this.strip);
    this.walk(false);
    if (isRead) return;
    this.apply();
    this.stage.checkWebGl();
  }

  /** Takes away what belongs to a clip, where a world goes on by itself. */
  clear(): void {
    this.timeline.pause();
    this.timeline.open(null);
    this.stage.setSpots([]);
    this.stage.setContacts([]);
    this.stage.select(null);
  }

  /** Leaves the page that is open, and then opens another: they share the view. */
  enter(open: () => Page): void {
    this.page?.leave();
    this.page = null;
    this.page = open();
    previews.sweep();
  }

  setCrumbs(...crumbs: Crumb[]): void {
    const items = crumbs.map((crumb) => (crumb.href ? h("a", { href: crumb.href }, crumb.label) : h("span", {}, crumb.label)));
    fill(this.crumbs, ...items);
    for (const link of this.pages.children) {
      if (link.textContent === crumbs[0]?.label) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    this.heading.textContent = crumbs.map((crumb) => crumb.label).join(": ");
    document.title = ["Proscenium", ...crumbs.map((crumb) => crumb.label)].join(" · ");
  }

  /** Says something in the middle of the view; nothing takes it away. */
  say(...children: (Node | string)[]): void {
    fill(this.overlay, ...(children.length > 0 ? [h("div", { class: "notice" }, ...children)] : []));
  }

  /** What was shown has ended; it can be tried again. */
  ended(problem: Problem): void {
    const again = button("Try again", () => location.reload(), { class: "primary" });
    this.say(problemCard(problem), h("div", { class: "actions" }, again));
    again.focus();
  }

  private showConnection(isThere: boolean): void {
    const words = "The studio does not answer. It is asked again until it does; what you change is sent then.";
    if (isThere) fill(this.lost);
    else if (this.lost.childElementCount === 0) fill(this.lost, h("strong", {}, words), h("small", {}, "It is started with: cargo xtask studio"));
  }

  /** Walks instead of circling, or does not. */
  walk(on: boolean): void {
    this.stage.setWalk(on);
    this.walkButton?.setAttribute("aria-pressed", String(on));
  }

  /** Shows the temporal bounds of what is played, or takes them away. */
  showBounds(): void {
    const { stage, timeline } = this;
    const id = timeline.summary?.id;
    if (!stage.boundsShown || id === undefined) return stage.setBounds(null);
    api
      .bounds(id)
      .then((bounds) => {
        if (stage.boundsShown && timeline.summary?.id === id) stage.setBounds(bounds);
        stage.element.dataset.bounds = String(stage.boundCount);
      })
      .catch((thrown: unknown) => {
        fill(this.hud, problemOf(thrown).error);
      });
  }

  private buildTools(): void {
    const stage = this.stage;
    const toggle = (sign: Sign, name: string, get: () => boolean, set: (on: boolean) => void, clipOnly = true) => {
      const made = iconButton(sign, name, () => {
        set(!get());
        made.setAttribute("aria-pressed", String(get()));
      }, get());
      if (clipOnly) made.dataset.for = "clip";
      return made;
    };
    this.walkButton = toggle("walk", "Walk (W A S D, arrows, Q E)", () => stage.isWalking, (on) => stage.setWalk(on), false);
    fill(
      this.tools,
      iconButton("fit", "See everything (F)", () => stage.reframe()),
      toggle("grid", "Grid", () => stage.gridShown, (on) => {
        stage.gridShown = on;
        stage.relight();
      }),
      toggle("contacts", "Contacts", () => stage.contactsShown, (on) => {
        stage.contactsShown = on;
        stage.showTime(this.timeline.time);
      }),
      toggle("bounds", "Temporal bounds", () => stage.boundsShown, (on) => {
        stage.boundsShown = on;
        this.showBounds();
      }),
      this.walkButton,
    );
  }

  private commands(): Command[] {
    const go = (name: string, to: string): Command => ({ name, run: () => (location.hash = to) });
    const scenes = this.sceneNames.flatMap((name) => [go(`Play: ${name}`, `#/play/${name}`), go(`Direct: ${name}`, `#/direct/${name}`)]);
    return [
      ...(this.page?.commands() ?? []),
      { name: "Play or pause", hint: "Space", run: () => this.hold() },
      { name: "See everything", hint: "F", run: () => this.stage.reframe() },
      go("Home", "#/"),
      go("Play", "#/play"),
      go("Direct", "#/direct"),
      go("Fairground", "#/fairground"),
      go("Rides", "#/rides"),
      go("City", "#/city"),
      go("Field: banner", "#/field"),
      go("Field: meadow", "#/field/meadow"),
      go("Collisions", "#/collisions"),
      go("Lab", "#/lab"),
      go("Study", "#/study"),
      { name: "Light or dark", run: () => this.toggleTheme() },
      ...(drawsByProcessor() ? [{ name: "Draw finely, or fast", run: () => this.toggleFineness() }] : []),
      { name: "Fold the scene panel", hint: "Ctrl B", run: () => this.fold("left") },
      { name: "Fold the inspector", hint: "Ctrl I", run: () => this.fold("right") },
      { name: "Fold the timeline", run: () => this.fold("bottom") },
      { name: "Fold the gallery", run: () => this.fold("wall") },
      { name: "Panels as they were at first", run: () => this.reset() },
      ...scenes,
      go("Play: a scene of your own", "#/play/own"),
      go("Direct: a scene of your own", "#/direct/own"),
    ];
  }

  private sceneNames: string[] = [];

  /** Learns which scenes there are, for the palette. */
  async learn(): Promise<void> {
    this.sceneNames = (await api.scenes()).map((scene) => scene.name);
  }

  private toggleTheme(): void {
    theme.set(isDark() ? "light" : "dark");
    this.retheme();
  }

  /** Where the processor draws, one may want all of it, or as much as goes fast. */
  private toggleFineness(): void {
    finely.set(!finely.get());
    // What draws was made for the one or the other.
    location.reload();
  }

  private retheme(): void {
    applyTheme();
    this.stage.relight();
    previews.relight();
    this.timeline.draw();
  }

  private fold(panel: Panel): void {
    this.state.folded[panel] = !this.state.folded[panel];
    this.apply();
  }

  private reset(): void {
    this.state = { sizes: { ...USUAL.sizes }, folded: { ...USUAL.folded } };
    this.apply();
  }

  private apply(): void {
    for (const panel of ["left", "right", "bottom", "wall"] as const) {
      const size = this.state.folded[panel] ? 0 : this.state.sizes[panel];
      this.body.style.setProperty(`--${panel}`, `${size}px`);
      this.body.classList.toggle(`no-${panel}`, this.state.folded[panel]);
      const most = Math.round((panel === "left" || panel === "right" ? innerWidth : innerHeight) * 0.6);
      for (const [name, value] of Object.entries({ now: Math.round(size), min: 0, max: most })) this.handles.get(panel)?.setAttribute(`aria-value${name}`, String(value));
    }
    layout.set(this.state);
  }

  /** A border that can be dragged, or moved with the arrows. */
  private handle(panel: Panel): HTMLElement {
    const upright = panel === "left" || panel === "right";
    const grow = panel === "left" ? 1 : -1;
    const resize = (change: number) => {
      const most = (upright ? innerWidth : innerHeight) * 0.6;
      this.state.folded[panel] = false;
      this.state.sizes[panel] = Math.min(Math.max(this.state.sizes[panel] + grow * change, LEAST[panel]), most);
      this.apply();
    };
    const element = h("div", {
      class: `handle ${panel}`,
      role: "separator",
      tabindex: 0,
      "aria-orientation": upright ? "vertical" : "horizontal",
      "aria-label": `Resize (${panel}); Enter folds`,
    });
    this.handles.set(panel, element);
    element.addEventListener("pointerdown", (event) => {
      element.setPointerCapture(event.pointerId);
      let last = upright ? event.clientX : event.clientY;
      const move = (moved: PointerEvent) => {
        const now = upright ? moved.clientX : moved.clientY;
        resize(now - last);
        last = now;
      };
      element.addEventListener("pointermove", move);
      element.addEventListener("pointerup", () => element.removeEventListener("pointermove", move), { once: true });
    });
    element.addEventListener("dblclick", () => this.fold(panel));
    element.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -16, ArrowUp: -16, ArrowRight: 16, ArrowDown: 16 }[event.key];
      if (step) resize(step);
      else if (event.key === "Enter") this.fold(panel);
      else return;
      event.preventDefault();
    });
    return element;
  }
}

/** What the keyboard comes to first in a panel. */
function firstIn(region: HTMLElement): HTMLElement | undefined {
  const all = region.querySelectorAll<HTMLElement>("canvas[tabindex], a[href], button, input, select, textarea, summary, [tabindex='0']");
  return [...all].find((one) => one.getClientRects().length > 0 && !one.hasAttribute("disabled"));
}

function isDark(): boolean {
  return (theme.get() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
}

function applyTheme(): void {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
}
