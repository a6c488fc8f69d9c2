// What a throw and a solid are: the fields that apps/wasm/src/dice.rs sets.

/** The six solids that dice are. */
export type SolidName = "d4" | "d6" | "d8" | "d10" | "d12" | "d20";

/** One solid of a throw, with its motion as keyframes: straight in place and along the shorter arc in turn. */
export interface ThrownSolid {
  /** To which of the dice it belongs. */
  die: number;
  /** What it is. */
  solid: SolidName;
  /** Whether its numbers are tens: the first one of a d100. */
  tens: boolean;
  /** The number that is up at the end; a ten is 0. */
  number: number;
  /** When the keys are, s. */
  times: Float32Array;
  /** Where the middle is, three numbers a key, m, y up. */
  positions: Float32Array;
  /** How it is turned, four numbers a key: a quaternion x, y, z, w. */
  rotations: Float32Array;
}

/** A throw in which all dice lie flat. */
export interface Throw {
  /** What each die shows. */
  values: number[];
  /** The solids, in the order of the dice. */
  solids: ThrownSolid[];
  /** When all lie, s. */
  duration: number;
  /** How many throws were made again, since a die ended cocked. */
  thrownAgain: number;
  /** How many were not taken, since dice did not lie at their places. */
  elsewhere: number;
  /** How wide and deep the tray is inside, m. */
  tray: [number, number];
  /** The version of the engine. */
  engine: string;
  /** Set where this device was too slow, and a throw made beforehand is shown. */
  beforehand?: true;
}

/** A number on a face. */
export interface Label {
  /** The letters; a 6 and a 9 that could be mistaken have a point. */
  text: string;
  /** Its middle, m. */
  place: Float32Array;
  /** Where its upper end is. */
  up: Float32Array;
  /** How high it may be, m. */
  height: number;
}

/** A flat part of a die. */
export interface Face {
  /** Where it looks. */
  normal: Float32Array;
  /** Its corners, counterclockwise from outside, three numbers each, m. */
  corners: Float32Array;
  /** What is written on it. */
  labels: Label[];
}

/** What a solid looks like. */
export interface Solid {
  /** Its name. */
  name: SolidName;
  /** How round its edges are, m. */
  rounding: number;
  /** Its faces. */
  faces: Face[];
  /** Where each number points when it is read. */
  sides: { number: number; up: Float32Array }[];
}
