// Made from apps/studio/src/api.rs by apps/studio/tests/types.rs; not to be edited.

/**
 * Why a request was refused, and what would be right.
 */
export type Problem = { 
/**
 * What is wrong.
 */
error: string, 
/**
 * What would be right.
 */
help: string, 
/**
 * Where in the text that was sent.
 */
place?: Spot, 
/**
 * What else is wrong.
 */
more?: Array<Problem>, };

/**
 * A place in a text.
 */
export type Spot = { 
/**
 * Counted from 1.
 */
line: number, 
/**
 * Counted from 1, in characters.
 */
column: number, 
/**
 * How many characters are meant.
 */
length: number, 
/**
 * What the place belongs to, such as `in body "die-1"`.
 */
label: string, };

/**
 * A scene that comes with the engine.
 */
export type BuiltinScene = { 
/**
 * What it is called.
 */
name: string, 
/**
 * What it shows, in a sentence.
 */
summary: string, 
/**
 * The text that it is made from, if there is one.
 */
text: SceneText | null, 
/**
 * The numbers that it is made from.
 */
parameters: Array<SceneParameter>, };

/**
 * A text that a scene is made from.
 */
export type SceneText = { 
/**
 * What it is if nothing is said.
 */
default: string, 
/**
 * What it means.
 */
meaning: string, };

/**
 * A number that a scene is made from.
 */
export type SceneParameter = { 
/**
 * What it is called.
 */
name: string, 
/**
 * What it is if nothing is said.
 */
default: number, 
/**
 * What it means, with its unit.
 */
meaning: string, 
/**
 * The least it may be.
 */
min: number, 
/**
 * The most it may be.
 */
max: number, 
/**
 * Whether it is a whole number.
 */
whole: boolean, };

/**
 * Which scene is meant, and what is changed about it.
 */
export type SceneChoice = { 
/**
 * A built-in scene, by its name.
 */
builtin?: string, 
/**
 * The text that a built-in scene is made from.
 */
text?: string, 
/**
 * Numbers that a built-in scene is made from.
 */
parameters?: { [key in string]?: number }, 
/**
 * The text of a scene file, in place of a built-in scene.
 */
toml?: string, 
/**
 * What should happen, in place of what the scene says itself.
 */
wants?: Array<string>, };

/**
 * A scene that was checked.
 */
export type SceneTree = { 
/**
 * What it is called.
 */
name: string, 
/**
 * How long it is simulated, s.
 */
duration: number, 
/**
 * How many bodies there are, copies included.
 */
body_count: number, 
/**
 * What there is.
 */
bodies: Array<TreeBody>, 
/**
 * What it is made of.
 */
materials: Array<TreeMaterial>, 
/**
 * What is uncertain; only the first thousand.
 */
variables: Array<TreeVariable>, 
/**
 * How many uncertain numbers there are.
 */
variable_count: number, 
/**
 * What should happen, in words.
 */
wants: Array<string>, 
/**
 * Why the scene cannot be directed, if it cannot.
 */
undirectable: string | null, 
/**
 * What is probably not meant.
 */
warnings: Array<string>, 
/**
 * The scene as a file.
 */
toml: string, };

/**
 * A body of a scene, or many copies of one.
 */
export type TreeBody = { 
/**
 * What it is called.
 */
name: string, 
/**
 * What it looks like, in a word.
 */
shape: string, 
/**
 * What it is made of.
 */
material: string | null, 
/**
 * Whether it stays where it is.
 */
fixed: boolean, 
/**
 * How many of it there are.
 */
count: number, };

/**
 * A material.
 */
export type TreeMaterial = { 
/**
 * What it is called.
 */
name: string, 
/**
 * What is said about it, as in the file.
 */
properties: Array<[string, string]>, };

/**
 * An uncertain number.
 */
export type TreeVariable = { 
/**
 * What it is called.
 */
name: string, 
/**
 * Its density, in words.
 */
density: string, 
/**
 * The mean.
 */
mean: number, 
/**
 * Its density at some places, from the first thousandth to the last.
 */
curve: Array<[number, number]>, };

/**
 * What is simulated.
 */
export type TakeOrder = { 
/**
 * The scene.
 */
scene: SceneChoice, 
/**
 * What the uncertain numbers are drawn from.
 */
seed: number, };

/**
 * A simulation: under way, done or failed.
 */
export type TakeReport = { "state": "running", 
/**
 * What it is called.
 */
id: string, 
/**
 * How far it is, s.
 */
time: number, 
/**
 * How far it goes, s.
 */
duration: number, 
/**
 * Events so far.
 */
events: number, } | { "state": "ready" } & TakeSummary | { "state": "failed", 
/**
 * What it is called.
 */
id: string, 
/**
 * Why.
 */
problem: Problem, };

/**
 * What came out of a simulation.
 */
export type TakeSummary = { 
/**
 * What it is called.
 */
id: string, 
/**
 * The scene's name.
 */
name: string, 
/**
 * How long it is, s.
 */
duration: number, 
/**
 * How long it took, ms.
 */
wall_ms: number, 
/**
 * Events of all kinds.
 */
events: number, 
/**
 * Collisions.
 */
collisions: number, 
/**
 * How many nodes move.
 */
moving: number, 
/**
 * Whether it was stopped before its end.
 */
stopped_early: boolean, 
/**
 * A number that depends on every bit of the state at the end.
 */
state_hash: string, 
/**
 * Collisions in order; only the first ten thousand.
 */
contacts: Array<TakeContact>, 
/**
 * How many events happened until a time: times and counts.
 */
event_counts: Array<[number, number]>, 
/**
 * The values that were drawn; only the first thousand.
 */
values: Array<[string, number]>, 
/**
 * How large the file is, bytes.
 */
glb_bytes: number, };

/**
 * A collision.
 */
export type TakeContact = { 
/**
 * When, s.
 */
time: number, 
/**
 * One of the bodies.
 */
a: string, 
/**
 * The other.
 */
b: string, 
/**
 * Where, m.
 */
point: [number, number, number], 
/**
 * How fast they met, m/s.
 */
speed: number, 
/**
 * How hard they hit each other, N s.
 */
impulse: number, };

/**
 * A run that is ordered.
 */
export type RunOrder = { 
/**
 * The scene, with its wants.
 */
scene: SceneChoice, 
/**
 * The number that everything follows from.
 */
seed: number, 
/**
 * How many different animations are wanted.
 */
samples: number, 
/**
 * How they are drawn; left open, what the chance of success asks for.
 */
method?: RunMethod, };

/**
 * How animations are drawn.
 */
export type RunMethod = "rejection" | "chain" | "tempering" | "population";

/**
 * What a run does.
 */
export type RunState = "waiting" | "running" | "stopped" | "finished" | "failed";

/**
 * How far a run is.
 */
export type RunReport = { 
/**
 * What it is called.
 */
id: string, 
/**
 * The scene's name, and the text that it is made from.
 */
title: string, 
/**
 * What was ordered.
 */
order: RunOrder, 
/**
 * What it does.
 */
state: RunState, 
/**
 * Why it failed, if it did.
 */
problem: Problem | null, 
/**
 * The wants, in words.
 */
wants: Array<string>, 
/**
 * Which method runs, and why.
 */
method: string | null, 
/**
 * Simulations so far.
 */
simulations: number, 
/**
 * Simulations in a second, of late.
 */
rate: number, 
/**
 * Animations that meet all wants.
 */
found: number, 
/**
 * Those that differ from each other.
 */
different: number, 
/**
 * What *different* means.
 */
different_means: string, 
/**
 * How often each move was accepted.
 */
moves: Array<[string, number]>, 
/**
 * Where the chains were of late: chain, iteration, log density, wants met.
 */
trace: Array<TracePoint>, };

/**
 * Where a chain was at one iteration.
 */
export type TracePoint = { 
/**
 * Which chain.
 */
chain: number, 
/**
 * Where in it.
 */
iteration: number, 
/**
 * The logarithm of the density, up to a constant.
 */
log_density: number, 
/**
 * How many wants are met.
 */
wants_met: number, };

/**
 * An animation of a gallery.
 */
export type GalleryEntry = { 
/**
 * Its place in the gallery, from 0.
 */
index: number, 
/**
 * The chain that it is from.
 */
chain: number, 
/**
 * Where in it.
 */
iteration: number, 
/**
 * The logarithm of its score.
 */
log_score: number, 
/**
 * Whether it is from before the run had settled.
 */
warm_up: boolean, 
/**
 * Those of one group are alike: the place of the first of them.
 */
group: number, 
/**
 * Whether it is kept as a favourite.
 */
favourite: boolean, };

/**
 * A change of what is kept as a favourite.
 */
export type FavouriteOrder = { 
/**
 * Whether it is one.
 */
favourite: boolean, };

/**
 * A run that is continued.
 */
export type ResumeOrder = { 
/**
 * How many different animations are wanted now.
 */
samples: number, };

/**
 * The first message of a motion stream.
 */
export type MotionHello = { 
/**
 * The nodes that move, in the order of the frames.
 */
nodes: Array<string>, 
/**
 * How long the motion is, s.
 */
duration: number, };

/**
 * What a client says on a motion stream.
 */
export type MotionRequest = { "say": "play", 
/**
 * Where to begin, s.
 */
from: number, 
/**
 * One for the speed that it had.
 */
speed: number, 
/**
 * Frames in a second, at most.
 */
rate: number, } | { "say": "show", 
/**
 * When, s.
 */
time: number, } | { "say": "pause", } | { "say": "ack", 
/**
 * The number of the frame.
 */
frame: number, };
