// What the engine computes, as objects of three.js. Each object is added to a scene of
// yours, or of a `Stage`, and says where things are when it is told the time.

export * from "./three/city.js";
export * from "./three/clip.js";
export * from "./three/dice.js";
export * from "./three/fairground.js";
export * from "./three/meadow.js";
export * from "./three/stage.js";
export * from "./three/world.js";
