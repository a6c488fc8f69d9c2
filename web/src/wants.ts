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
    return this.wants.map(write).filter((text) => text !== "");
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

  private render(): void {
    const rows = this.wants.map((want, index) =>
      h(
        "div",
        { class: "want" },
        ...this.fields(want),
        iconButton("close", "Take this want away", () => {
          this.wants.splice(index, 1);
          this.changed(true);
        }),
      ),
    );
    const body = this.bodies[0] ?? "body";
    const add = (label: string, want: Want, tip: string) =>
      button(label, () => {
        this.wants.push(want);
        this.changed(true);
      }, { class: "quiet", tip });
    fill(
      this.element,
      chart(this.get(), this.cast, this.places, (name) => this.click(name)),
      ...(rows.length > 0 ? rows : [h("p", { class: "empty" }, "Nothing is wanted yet. Say what should happen:")]),
      h(
        "div",
        { class: "adders" },
        add("+ shows a face", { kind: "shows", body, face: 6 }, "A die should show a number"),
        add("+ rests near", { kind: "near", body, x: this.size / 4, z: 0, within: this.size / 12 }, "Drag the spot in the view"),
        add("+ in words", { kind: "words", text: `${body} ` }, "BODY stands · falls · stays · hits OTHER, or a table as in the file"),
      ),
    );
  }

  private fields(want: Want): Node[] {
    if (want.kind === "words") {
      const field = h("input", { type: "text", value: want.text, "aria-label": "Want", placeholder: "die-1 hits die-2" });
      field.addEventListener("input", () => {
        want.text = field.value;
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
