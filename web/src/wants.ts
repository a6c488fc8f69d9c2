// Wants, edited where one would expect to: a face is picked, a spot is dragged, a
// pin or a pocket is clicked.

import { castOf, chart, clicked, marks, type Cast, type Mark, type Place } from "./chart";
import { button, fill, h, short } from "./dom";
import { iconButton } from "./icons";
import type { TreeGroup } from "./types";

type Want =
  | { kind: "shows"; body: string; face: number }
  | { kind: "near"; body: string; x: number; z: number; within: number }
  | { kind: "words"; text: string };

/** Reads a want as far as there is a form for it. */
export function read(text: string): Want {
  const shows = /^(\S+) shows ([1-6])$/.exec(text.trim());
  if (shows) return { kind: "shows", body: shows[1] ?? "", face: Number(shows[2]) };
  const near = /^(\S+) rests near (\S+) (\S+) within (\S+)$/.exec(text.trim());
  const [x, z, within] = [Number(near?.[2]), Number(near?.[3]), Number(near?.[4])];
  if (near && [x, z, within].every(Number.isFinite)) return { kind: "near", body: near[1] ?? "", x, z, within };
  return { kind: "words", text };
}

/** Writes a want as the server reads it. */
export function write(want: Want): string {
  switch (want.kind) {
    case "shows":
      return `${want.body} shows ${want.face}`;
    case "near":
      return `${want.body} rests near ${short(want.x)} ${short(want.z)} within ${short(want.within)}`;
    case "words":
      return want.text.trim();
  }
}

/** Words after which something has to follow. */
const OPEN = /\b(shows?|hits?|touch(es)?|faces?|pass(es)?|through|rests? (in|near|on)|near|on|within|between|before|after|and|then|not|always)$/;

/** Whether a want is still being written: it is a name at most, or breaks off. */
function isUnfinished(want: Want): boolean {
  const said = want.kind === "words" ? want.text.trim() : "";
  return want.kind === "words" && (!/\s/.test(said) || OPEN.test(said));
}

export class WantsEditor {
  readonly element = h("div", { class: "wants" });
  onChange: () => void = () => {};
  private wants: Want[] = [];
  private bodies: string[] = [];
  private size = 0.2;
  private cast: Cast = { pins: [], pockets: [], balls: [] };
  private places = new Map<string, Place>();

  /** The wants, as the server reads them. */
  get(): string[] {
    return this.wants.filter((want) => !isUnfinished(want)).map(write);
  }

  set(texts: string[]): void {
    this.wants = texts.map(read);
    this.render();
  }

  /** Which bodies there are to choose from, and how large the scene is. */
  know(bodies: string[], groups: TreeGroup[], size: number): void {
    this.size = size;
    const cast = castOf(groups, bodies);
    if (JSON.stringify([bodies, cast]) === JSON.stringify([this.bodies, this.cast])) return;
    this.bodies = bodies;
    this.cast = cast;
    this.render();
  }

  /** Where what can be clicked is at the start. */
  place(placeOf: (body: string) => Place | null): void {
    const { pins, pockets, balls } = this.cast;
    this.places.clear();
    for (const body of [...pins, ...pockets, ...balls]) {
      const place = placeOf(body);
      if (place) this.places.set(body, place);
    }
    this.render();
  }

  /** A body was clicked; whether that says something about it. */
  click(body: string): void {
    const wants = clicked(this.get(), this.cast, body);
    if (!wants) return;
    this.wants = wants.map(read);
    this.changed(true);
    this.element.querySelector<HTMLElement>(`[data-body="${CSS.escape(body)}"]`)?.focus();
  }

  /** What is marked in the view. */
  marks(): Mark[] {
    return marks(this.get(), this.cast, this.places);
  }

  /** Spots that are shown in the view. */
  spots(): { want: number; x: number; z: number; radius: number }[] {
    return this.wants.flatMap((want, index) => (want.kind === "near" ? [{ want: index, x: want.x, z: want.z, radius: want.within }] : []));
  }

  /** A spot was dragged. */
  move(index: number, x: number, z: number): void {
    const want = this.wants[index];
    if (want?.kind !== "near") return;
    [want.x, want.z] = [Number(x.toFixed(4)), Number(z.toFixed(4))];
    this.render();
  }

  private changed(render = false): void {
    if (render) this.render();
    this.onChange();
  }

  /** The first die of which no face is wanted, or else the first body. */
  private unused(): string {
    const used = new Set(this.wants.map((want) => (want.kind === "words" ? "" : want.body)));
    return this.bodies.find((body) => /^die/.test(body) && !used.has(body)) ?? this.bodies.find((body) => !used.has(body)) ?? this.bodies[0] ?? "body";
  }

  /** What could be wanted, to be chosen from as one types. */
  private sentences(): HTMLElement {
    const [bodies, groups] = [this.bodies.slice(0, 24), this.cast.pins.length > 0 ? ["all fall", "all stand", "others fall"] : []];
    const pairs = bodies.slice(0, 6).flatMap((a) => bodies.slice(0, 6).filter((b) => b !== a).map((b) => `${a} hits ${b}`));
    const all = [...groups, ...bodies.flatMap((body) => [`${body} ${/^die/.test(body) ? "shows 6" : "falls"}`, `${body} stands`, `${body} stays`]), ...pairs];
    return h("datalist", { id: "want-sentences" }, ...all.map((value) => h("option", { value })));
  }

  /** Draws the rows anew; what has the focus keeps it, so that letters are never lost to the page. */
  private render(focus: string | null = null): void {
    const active = this.element.contains(document.activeElement) ? (document.activeElement as HTMLElement) : null;
    const row = active?.closest<HTMLElement>("[data-want]")?.dataset.want;
    const label = active?.getAttribute("aria-label") ?? active?.textContent;
    this.draw();
    const wanted = focus ?? row;
    if (wanted === undefined && !active) return;
    const rows = [...this.element.querySelectorAll<HTMLElement>("[data-want]")];
    const within = rows.find((one) => one.dataset.want === wanted) ?? (row === undefined ? this.element : rows.at(-1)) ?? this.element;
    const controls = [...within.querySelectorAll<HTMLElement>("input, select, button")];
    const same = focus === null ? controls.find((one) => (one.getAttribute("aria-label") ?? one.textContent) === label) : controls[0];
    (same ?? controls[0])?.focus();
  }

  private draw(): void {
    const rows = this.wants.map((want, index) =>
      h(
        "div",
        { class: "want", "data-want": index },
        ...this.fields(want),
        iconButton("close", "Take this want away", () => {
          this.wants.splice(index, 1);
          this.changed(true);
        }),
      ),
    );
    const body = this.unused();
    const add = (label: string, want: Want, tip: string) =>
      button(label, () => {
        this.wants.push(want);
        this.render(String(this.wants.length - 1));
        this.onChange();
      }, { class: "quiet", tip });
    fill(
      this.element,
      chart(this.get(), this.cast, this.places, (name) => this.click(name)),
      ...(rows.length > 0 ? rows : [h("p", { class: "empty" }, "Nothing is wanted yet. Say what should happen:")]),
      this.sentences(),
      h(
        "div",
        { class: "adders" },
        add("+ shows a face", { kind: "shows", body, face: 6 }, "A die should show a number"),
        add("+ rests near", { kind: "near", body, x: this.size / 4, z: 0, within: this.size / 12 }, "Drag the spot in the view"),
        add("+ in words", { kind: "words", text: "" }, "BODY stands · falls · stays · hits OTHER, or a table as in the file"),
      ),
    );
  }

  private fields(want: Want): Node[] {
    if (want.kind === "words") {
      const example = this.bodies.length > 1 ? `${this.bodies[0]} hits ${this.bodies[1]}` : `${this.bodies[0] ?? "body"} stands`;
      const field = h("input", { type: "text", value: want.text, "aria-label": "Want", placeholder: example, list: "want-sentences" });
      const tell = () => {
        field.classList.toggle("unfinished", isUnfinished(want));
        field.title = isUnfinished(want) ? "It asks for nothing yet, and is left out of a run until it does" : "";
      };
      tell();
      field.addEventListener("input", () => {
        want.text = field.value;
        tell();
        this.changed();
      });
      // What the chart shows follows once the sentence is said.
      field.addEventListener("change", () => this.render());
      return [field];
    }
    const body = h("select", { "aria-label": "Body" });
    for (const name of new Set([want.body, ...this.bodies])) body.append(h("option", { value: name, selected: name === want.body }, name));
    body.addEventListener("change", () => {
      want.body = body.value;
      this.changed();
    });
    if (want.kind === "shows") {
      const faces = [1, 2, 3, 4, 5, 6].map((face) => {
        const one = h("button", { type: "button", class: "face", "aria-pressed": String(face === want.face), "aria-label": `shows ${face}` }, "⚀⚁⚂⚃⚄⚅"[face - 1]);
        one.addEventListener("click", () => {
          want.face = face;
          this.changed(true);
        });
        return one;
      });
      return [body, h("span", {}, "shows"), h("span", { class: "faces" }, ...faces)];
    }
    const number = (name: "x" | "z" | "within") => {
      const field = h("input", { type: "number", step: "any", value: want[name], "aria-label": name, title: name });
      field.addEventListener("input", () => {
        want[name] = Number(field.value);
        this.changed();
      });
      return field;
    };
    return [body, h("span", {}, "near"), number("x"), number("z"), h("span", {}, "±"), number("within")];
  }
}
