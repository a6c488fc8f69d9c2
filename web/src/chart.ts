// A chart from above of what one chooses by clicking: pins that should fall or
// stand, and pockets that a ball should rest in. What is chosen is said as wants
// in words, and read from them.

import { h } from "./dom";
import type { TreeGroup } from "./types";

/** What should become of a pin. */
export type Fate = "falls" | "stands" | "free";

/** A place on the ground, and how far what is there reaches. */
export interface Place {
  x: number;
  y: number;
  z: number;
  radius: number;
}

/** What there is to choose from in a scene. */
export interface Cast {
  /** Bodies that stand, and may fall. */
  pins: string[];
  /** Where a ball may end. */
  pockets: string[];
  /** What may end there. */
  balls: string[];
}

/** A mark in the view at something that was chosen. */
export interface Mark {
  place: Place;
  colour: "accent" | "good";
}

const NEXT: Record<Fate, Fate> = { falls: "stands", stands: "free", free: "falls" };

/** Groups of these names are chosen from by clicking. */
export function castOf(groups: TreeGroup[], movers: string[]): Cast {
  const members = (name: string) => groups.find((group) => group.name === name)?.bodies ?? [];
  const pockets = members("pockets");
  return { pins: members("pins"), pockets, balls: pockets.length > 0 ? movers : [] };
}

const clauses = (text: string) => (text.includes("=") ? [text] : text.split(/[,;]/)).map((clause) => clause.trim()).filter((clause) => clause !== "");
const names = (text: string) => text.split(/\s+and\s+/).map((name) => name.trim());

/** What a clause says about pins, if that is what it does. */
function fateSaid(clause: string, pins: string[]): { whom: string[]; fate: Fate } | null {
  const said = /^(.+)\s(stands?|falls?)$/.exec(clause);
  const whom = names(said?.[1] ?? "");
  const isKnown = (name: string) => name === "all" || name === "others" || name === "pins" || pins.includes(name);
  return said && whom.every(isKnown) ? { whom, fate: said[2]?.startsWith("stand") ? "stands" : "falls" } : null;
}

/** What should become of each pin. */
export function fates(wants: string[], pins: string[]): Map<string, Fate> {
  const found = new Map<string, Fate>(pins.map((pin) => [pin, "free"]));
  const said = wants.flatMap(clauses).flatMap((clause) => fateSaid(clause, pins) ?? []);
  const give = (whom: string[], fate: Fate) => whom.forEach((pin) => found.set(pin, fate));
  for (const { whom, fate } of said) if (whom.some((name) => name === "all" || name === "pins")) give(pins, fate);
  for (const { whom, fate } of said) give(whom.filter((name) => found.has(name)), fate);
  const named = new Set(said.flatMap(({ whom }) => whom));
  for (const { whom, fate } of said) if (whom.includes("others")) give(pins.filter((pin) => !named.has(pin)), fate);
  return found;
}

/** The wants with another fate of a pin. */
export function withFate(wants: string[], pins: string[], pin: string, fate: Fate): string[] {
  const chosen = fates(wants, pins).set(pin, fate);
  const kept = wants.map((text) => clauses(text).filter((clause) => fateSaid(clause, pins) === null).join(", ")).filter((text) => text !== "");
  const [standing, falling] = (["stands", "falls"] as Fate[]).map((wanted) => pins.filter((one) => chosen.get(one) === wanted));
  if (!standing || !falling) return kept;
  const say = (whom: string[], verb: string) => (whom.length === 0 ? [] : [`${whom.join(" and ")} ${verb}${whom.length === 1 ? "s" : ""}`]);
  // "All" and "others" mean the pins where nothing else is said.
  const isShort = kept.length === 0 && standing.length + falling.length === pins.length;
  if (isShort && standing.length === 0) return ["all fall"];
  if (isShort && falling.length === 0) return ["all stand"];
  if (isShort && falling.length > 1) return [...say(standing, "stand"), "others fall"];
  return [...kept, ...say(standing, "stand"), ...say(falling, "fall")];
}

/** What a clause says about a ball and where it should end. */
function restSaid(clause: string, cast: Cast): { ball: string; pocket: string } | null {
  const said = /^(.+?)\srests?\sin\s(.+)$/.exec(clause);
  const [ball = "", pocket = ""] = [said?.[1]?.trim(), said?.[2]?.trim()];
  return cast.balls.includes(ball) && (pocket === "pockets" || cast.pockets.includes(pocket)) ? { ball, pocket } : null;
}

/** The ball that should end in a pocket, and which one: what is said first. */
export function rest(wants: string[], cast: Cast): { ball: string; pocket: string } | null {
  return wants.flatMap(clauses).flatMap((clause) => restSaid(clause, cast) ?? [])[0] ?? null;
}

/** The wants with another ball, or another pocket. */
export function withRest(wants: string[], cast: Cast, change: { ball?: string; pocket?: string }): string[] {
  const before = rest(wants, cast);
  const ball = change.ball ?? before?.ball ?? cast.balls[0] ?? "";
  // A second click on the pocket asks for any again.
  const pocket = change.pocket === before?.pocket ? "pockets" : (change.pocket ?? before?.pocket ?? "pockets");
  const said = `${ball} rests in ${pocket}`;
  let isSaid = false;
  const changed = wants.map((text) =>
    clauses(text).map((clause) => {
      if (isSaid || !restSaid(clause, cast)) return clause;
      isSaid = true;
      return said;
    }).join(", "),
  );
  return isSaid ? changed : [...changed, said];
}

/** The wants after a click on a body; null if it is nothing to choose. */
export function clicked(wants: string[], cast: Cast, body: string): string[] | null {
  if (cast.pins.includes(body)) return withFate(wants, cast.pins, body, NEXT[fates(wants, cast.pins).get(body) ?? "free"]);
  if (cast.pockets.includes(body)) return withRest(wants, cast, { pocket: body });
  if (cast.balls.includes(body)) return withRest(wants, cast, { ball: body });
  return null;
}

/** What is marked in the view. */
export function marks(wants: string[], cast: Cast, places: Map<string, Place>): Mark[] {
  const at = (name: string, colour: Mark["colour"]) => {
    const place = places.get(name);
    return place ? [{ place, colour }] : [];
  };
  const pins = [...fates(wants, cast.pins)].flatMap(([pin, fate]) => (fate === "free" ? [] : at(pin, fate === "falls" ? "accent" : "good")));
  const chosen = rest(wants, cast);
  return chosen ? [...pins, ...at(chosen.pocket, "accent")] : pins;
}

/** The chart; pins are seen from where the ball comes from, pockets as in the view. */
export function chart(wants: string[], cast: Cast, places: Map<string, Place>, onClick: (body: string) => void): HTMLElement | null {
  const shown = [...cast.pins, ...cast.pockets, ...cast.balls].flatMap((name) => {
    const place = places.get(name);
    return place ? [{ name, place }] : [];
  });
  if (shown.length === 0) return null;
  const up = cast.pins.length > 0 ? [1, 0] : [0, -1];
  const spots = shown.map(({ name, place }) => ({
    name,
    right: -place.x * (up[1] ?? 0) + place.z * (up[0] ?? 0),
    ahead: place.x * (up[0] ?? 0) + place.z * (up[1] ?? 0),
  }));
  const range = (values: number[]): [number, number] => [Math.min(...values), Math.max(...values)];
  const [left, right] = range(spots.map((spot) => spot.right));
  const [near, far] = range(spots.map((spot) => spot.ahead));
  const width = Math.max(right - left, far - near, 1e-6);
  const share = (value: number, from: number) => ((100 * (value - from)) / width).toFixed(1);
  const chosen = rest(wants, cast);
  const states = fates(wants, cast.pins);
  const buttons = spots.map(({ name, right: aside, ahead }) => {
    const state = states.get(name) ?? (chosen?.pocket === name || chosen?.ball === name ? "chosen" : "open");
    const kind = cast.pins.includes(name) ? "pin" : cast.pockets.includes(name) ? "pocket" : "ball";
    const label = kind === "pin" ? `${name} ${state === "free" ? "is free" : state}` : `${name}${state === "chosen" ? ", chosen" : ""}`;
    const at = `left: ${share(aside, left)}%; bottom: calc(${share(ahead, near)} * var(--unit))`;
    const text = /(\d+)$/.exec(name)?.[1] ?? (kind === "ball" ? name.slice(0, 1).toUpperCase() : "");
    return h("button", { type: "button", class: `spot ${kind}`, style: at, "data-body": name, "data-state": state, "aria-label": label, title: label, on: { click: () => onClick(name) } }, text);
  });
  const height = (100 * (far - near)) / width;
  const legend =
    cast.pins.length > 0
      ? (["falls", "stands", "free"] as Fate[]).map((fate) => h("span", {}, h("i", { class: "spot pin", "data-state": fate }), fate))
      : [h("span", {}, "Click a ball, and the pocket it should end in.")];
  return h("div", { class: "chart" }, h("div", { class: "spots", style: `--height: ${height.toFixed(1)}` }, ...buttons), h("p", { class: "legend" }, ...legend));
}
