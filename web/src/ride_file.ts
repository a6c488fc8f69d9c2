// A ride as one edits it: equations as text, and parts as a tree. Together they are
// a model file.

import type { ModelPart } from "./types";

export interface RideFile {
  equations: string;
  parts: ModelPart[];
}

/** What can be added to a ride. */
export type PartKind = "group" | "translation" | "rotation" | "box" | "ball";

export const isNumber = (text: string) => /^[+-]?(\d+(\.\d+)?|\.\d+)(e[+-]?\d+)?$/i.test(text.trim());

/** A number, or an expression in quotation marks. */
function value(text: string): string {
  if (text.trim() === "") return "0";
  return isNumber(text) ? String(Number(text)) : JSON.stringify(text.trim());
}

const three = (values: string[]) => `[${values.map(value).join(", ")}]`;

function section(part: ModelPart): string {
  const { solid } = part;
  const lines = [
    "[[part]]",
    `name = ${JSON.stringify(part.name)}`,
    part.parent === null ? "" : `parent = ${JSON.stringify(part.parent)}`,
    part.each ? "each = true" : "",
    part.shift ? `move = ${three(part.shift)}` : "",
    part.axis ? `axis = ${three(part.axis)}` : "",
    part.angle === null ? "" : `angle = ${value(part.angle)}`,
    solid && "box" in solid ? `box = [${solid.box.join(", ")}]` : "",
    solid && "ball" in solid ? `ball = ${solid.ball}` : "",
    solid && "mesh" in solid ? `mesh = ${JSON.stringify(solid.mesh)}` : "",
    part.colour === null ? "" : `colour = ${JSON.stringify(part.colour)}`,
  ];
  return lines.filter((line) => line !== "").join("\n");
}

/** The text of the model file. */
export function compose({ equations, parts }: RideFile): string {
  return [equations.trimEnd(), ...ordered(parts).map(section)].join("\n\n") + "\n";
}

export function childrenOf(parts: ModelPart[], parent: string | null): ModelPart[] {
  const names = new Set(parts.map((part) => part.name));
  // What hangs on nothing that is there stands by itself.
  return parts.filter((part) => (part.parent !== null && names.has(part.parent) ? part.parent : null) === parent);
}

/** Parents first, each followed by what hangs on it. */
export function ordered(parts: ModelPart[], parent: string | null = null): ModelPart[] {
  return childrenOf(parts, parent).flatMap((part) => [part, ...ordered(parts, part.name)]);
}

/** Whether a part hangs on another, however far down. */
export function hangsOn(parts: ModelPart[], part: string, other: string): boolean {
  return ordered(parts, other).some((one) => one.name === part);
}

/** A name that no other part has. */
export function freeName(parts: ModelPart[], stem: string): string {
  const taken = new Set(parts.map((part) => part.name));
  let name = stem;
  for (let number = 2; taken.has(name); number += 1) name = `${stem} ${number}`;
  return name;
}

/** A part of a kind, hung on another. */
export function newPart(parts: ModelPart[], kind: PartKind, parent: string | null): ModelPart {
  const base: ModelPart = { name: freeName(parts, kind), parent, each: false, shift: null, axis: null, angle: null, solid: null, colour: null };
  switch (kind) {
    case "translation":
      return { ...base, shift: ["0", "1", "0"] };
    case "rotation":
      return { ...base, axis: ["0", "1", "0"], angle: "0" };
    case "box":
      return { ...base, shift: ["0", "0.5", "0"], solid: { box: [0.5, 0.5, 0.5] }, colour: "#c8503a" };
    case "ball":
      return { ...base, shift: ["0", "0.5", "0"], solid: { ball: 0.5 }, colour: "#3d7ed8" };
    case "group":
      return base;
  }
}

/** What a part does, in a word. */
export function kindOf(part: ModelPart): string {
  if (part.solid) return "box" in part.solid ? "box" : "ball" in part.solid ? "ball" : "mesh";
  if (part.angle !== null) return part.shift ? "moves and turns" : "rotation";
  return part.shift ? "translation" : "group";
}

/** Hangs a part on another, before one of its children or as the last. */
export function moved(parts: ModelPart[], name: string, parent: string | null, before: string | null): ModelPart[] {
  const part = parts.find((one) => one.name === name);
  if (!part || name === parent || name === before || (parent !== null && hangsOn(parts, parent, name))) return parts;
  const others = parts.filter((one) => one !== part);
  const at = before === null ? others.length : others.findIndex((one) => one.name === before);
  return ordered([...others.slice(0, at), { ...part, parent }, ...others.slice(at)]);
}

/** Takes a part away with all that hangs on it. */
export function without(parts: ModelPart[], name: string): ModelPart[] {
  const gone = new Set([name, ...ordered(parts, name).map((part) => part.name)]);
  return parts.filter((part) => !gone.has(part.name));
}

/** Adds a copy of a part, with all that hangs on it, and what it is called. */
export function duplicated(parts: ModelPart[], name: string): { parts: ModelPart[]; name: string } {
  const first = parts.find((part) => part.name === name);
  if (!first) return { parts, name };
  const names = new Map<string, string>();
  const copies: ModelPart[] = [];
  for (const part of [first, ...ordered(parts, name)]) {
    const copy = freeName([...parts, ...copies], part.name.replace(/ \d+$/, ""));
    names.set(part.name, copy);
    copies.push({ ...part, name: copy, parent: part.parent === null ? null : (names.get(part.parent) ?? part.parent) });
  }
  return { parts: [...parts, ...copies], name: names.get(name) ?? name };
}

/** Changes a part; what hangs on it follows its name. */
export function changed(parts: ModelPart[], name: string, change: Partial<ModelPart>): ModelPart[] {
  const rename = change.name !== undefined && change.name !== name ? freeName(parts.filter((part) => part.name !== name), change.name) : name;
  return parts.map((part) => {
    if (part.name === name) return { ...part, ...change, name: rename };
    return part.parent === name ? { ...part, parent: rename } : part;
  });
}

/** Moves a part with the keyboard: among its siblings, into the one before, or out. */
export function nudged(parts: ModelPart[], name: string, way: "up" | "down" | "in" | "out"): ModelPart[] {
  const part = parts.find((one) => one.name === name);
  if (!part) return parts;
  const siblings = childrenOf(parts, part.parent).map((one) => one.name);
  const at = siblings.indexOf(name);
  switch (way) {
    case "up":
      return at > 0 ? moved(parts, name, part.parent, siblings[at - 1] ?? null) : parts;
    case "down":
      return at < siblings.length - 1 ? moved(parts, name, part.parent, siblings[at + 2] ?? null) : parts;
    case "in":
      return at > 0 ? moved(parts, name, siblings[at - 1] ?? null, null) : parts;
    case "out": {
      const parent = parts.find((one) => one.name === part.parent);
      if (!parent) return parts;
      const uncles = childrenOf(parts, parent.parent).map((one) => one.name);
      return moved(parts, name, parent.parent, uncles[uncles.indexOf(parent.name) + 1] ?? null);
    }
  }
}

/** A ride to start from. */
export const FIRST_RIDE = (title: string): string => `format = 1
name = ${JSON.stringify(title)}

[parameters]
turn = { rpm = 6 }

# What moves: names for numbers that change with the time t, or with a [state].
[output]
turning = "turn t"

[[part]]
name = "post"
move = [0, 1, 0]
box = [0.2, 1, 0.2]
colour = "#3b4c6b"
`;
