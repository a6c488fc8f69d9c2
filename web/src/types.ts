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
 * Other densities for variables of the scene, by name.
 */
densities?: { [key in string]?: DensityChoice }, 
/**
 * What should happen, in place of what the scene says itself.
 */
wants?: Array<string>, };

/**
 * A density in its own terms.
 */
export type DensityChoice = { 
/**
 * Its family.
 */
kind: DensityKind, 
/**
 * The numbers of the family, in the order of the scene file; nothing for a
 * limit that is not there.
 */
parameters: Array<number | null>, };

/**
 * Families of densities that have a few numbers.
 */
export type DensityKind = "constant" | "normal" | "uniform" | "truncated_normal" | "exponential" | "log_normal";

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
 * Bodies that have a name together.
 */
groups: Array<TreeGroup>, 
/**
 * What it is made of.
 */
materials: Array<TreeMaterial>, 
/**
 * What is uncertain, one for each density that is written; only the first
 * thousand.
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
 * Bodies that have a name together.
 */
export type TreeGroup = { 
/**
 * What they are called together.
 */
name: string, 
/**
 * Who they are.
 */
bodies: Array<string>, };

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
 * How many variables have this density, which is written once.
 */
count: number, 
/**
 * Its density, in words.
 */
density: string, 
/**
 * Its density in its own terms, if it can be changed by itself.
 */
choice: DensityChoice | null, 
/**
 * The mean.
 */
mean: number, 
/**
 * Its density at some places, from the first thousandth to the last.
 */
curve: Array<[number, number]>, };

/**
 * A mesh that scenes can name.
 */
export type MeshReport = { 
/**
 * Its name, which scenes give as a file.
 */
name: string, 
/**
 * How large it is, bytes.
 */
bytes: number, };

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
 * The share that is done, from 0 to 1.
 */
done: number, } | { "state": "ready" } & TakeSummary | { "state": "failed", 
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
 * The temporal bounds of a simulation: boxes that bodies stay in until they
 * get others.
 */
export type TakeBounds = { 
/**
 * The bodies that can move.
 */
bodies: Array<string>, 
/**
 * In order: when (s), which of the bodies, and the least and the greatest
 * corner of its next box (m).
 */
changes: Array<[number, number, [number, number, number], [number, number, number]]>, 
/**
 * Until when all of them are known, s.
 */
until: number, };

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
method?: RunMethod, 
/**
 * Which of those that are found; left open, those that differ.
 */
pick?: RunPick, 
/**
 * What is kept of an animation that was found; left open, nothing.
 */
keep?: RunKeep, 
/**
 * An animation that was found and that all are like; left open, none.
 */
like?: RunLike, 
/**
 * Animations that were found, between and around which others are sought; left open,
 * none.
 */
breed?: RunBreed, };

/**
 * A stretch that all animations of a run have in common with one that was found.
 */
export type RunKeep = { 
/**
 * The run that found it.
 */
run: string, 
/**
 * Its number there, from 0.
 */
entry: number, 
/**
 * Until when it is kept, s.
 */
until: number, };

/**
 * An animation that was found, and what all of a run have in common with it.
 */
export type RunLike = { 
/**
 * The run that found it.
 */
run: string, 
/**
 * Its number there, from 0.
 */
entry: number, 
/**
 * Bodies and variables that are held; if there are none, everything may move a little.
 */
hold: Array<string>, };

/**
 * Animations between and around which others are sought.
 */
export type RunBreed = { 
/**
 * The run that found them.
 */
run: string, 
/**
 * Their numbers there, from 0; two at least.
 */
entries: Array<number>, };

/**
 * How animations are drawn.
 */
export type RunMethod = "rejection" | "chain" | "tempering" | "population";

/**
 * Which animations are picked.
 */
export type RunPick = "likely" | "different";

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
 * Whether chains agree, in words; where there are chains.
 */
settling: string | null, 
/**
 * How many wants of how many what came closest meets, until something meets all.
 */
nearest: [number, number] | null, 
/**
 * The share of the way that is behind, from 0 to 1.
 */
done: number, 
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
 * How often it was picked, once the run is over.
 */
picked: number, 
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

/**
 * What the server says on a live stream, besides frames.
 */
export type LiveMessage = { "kind": "hello" } & LiveHello | { "kind": "statistics", 
/**
 * What there is to tell; every world has its own.
 */
statistics: unknown, };

/**
 * What a world is made of.
 */
export type LiveHello = { 
/**
 * What instances look like; a frame counts the instances of each.
 */
shapes: Array<LiveShape>, 
/**
 * What never moves.
 */
still: Array<LiveStill>, 
/**
 * What bends, if anything does; a frame has the place of each vertex.
 */
bent: LiveBent | null, 
/**
 * What grows in many places; a frame has the place of each vertex of each.
 */
plants: Array<LivePlant>, 
/**
 * The box that most of it is in, m: its least corner, and its greatest.
 */
bounds: [[number, number, number], [number, number, number]], 
/**
 * Where to begin: from where and to where one looks, m.
 */
eye: [number, number, number], 
/**
 * What is looked at first, m.
 */
target: [number, number, number], 
/**
 * How far one sees, m.
 */
far: number, 
/**
 * What else the page should know; every world has its own.
 */
facts: unknown, };

/**
 * A mesh whose every vertex moves.
 */
export type LiveBent = { 
/**
 * How many vertices each part has, one part after the other.
 */
parts: Array<number>, 
/**
 * The colour of each part, as #rrggbb.
 */
colours: Array<string>, 
/**
 * Three vertices for every triangle.
 */
indices: Array<number>, };

/**
 * Something of which there are many, and each bends in its own way.
 */
export type LivePlant = { 
/**
 * How many vertices one has.
 */
vertices: number, 
/**
 * Three vertices for every triangle, which is seen from both sides.
 */
indices: Array<number>, 
/**
 * How bright each vertex is, from 0 to 1.
 */
shades: Array<number>, 
/**
 * How many vertices each part has, one part after the other.
 */
parts: Array<number>, 
/**
 * The colour of each part, as #rrggbb, where one has none of its own.
 */
colours: Array<string>, 
/**
 * How high it stands, m.
 */
height: number, };

/**
 * What instances look like.
 */
export type LiveShape = { 
/**
 * What it is called.
 */
name: string, 
/**
 * Its form.
 */
solid: LiveSolid, 
/**
 * Its colour, as #rrggbb, where an instance has none of its own.
 */
colour: string, 
/**
 * What its surface is like.
 */
finish: LiveFinish, };

/**
 * A form.
 */
export type LiveSolid = { "box": [number, number, number] } | { "ball": number } | { "pipe": { 
/**
 * The line, m.
 */
points: Array<[number, number, number]>, 
/**
 * Whether its end is its beginning.
 */
closed: boolean, 
/**
 * How thick it is, m.
 */
radius: number, } } | { "mesh": { 
/**
 * Three numbers for every corner, m.
 */
positions: Array<number>, 
/**
 * Three corners for every triangle.
 */
indices: Array<number>, } };

/**
 * What a surface is like.
 */
export type LiveFinish = "plain" | "paint" | "glass" | "metal" | "facade" | "grain" | "lamp";

/**
 * Something that never moves.
 */
export type LiveStill = { 
/**
 * Which shape.
 */
shape: number, 
/**
 * Where, m.
 */
position: [number, number, number], 
/**
 * How it is turned: x, y, z, w.
 */
rotation: [number, number, number, number], };

/**
 * What a client says on a live stream.
 */
export type LiveRequest = { "say": "view", 
/**
 * The eye, m.
 */
position: [number, number, number], 
/**
 * Where it looks.
 */
forward: [number, number, number], 
/**
 * Full vertical angle, rad.
 */
fov_y: number, 
/**
 * Width over height.
 */
aspect: number, 
/**
 * How far it sees, m.
 */
far: number, } | { "say": "pace", 
/**
 * One for the speed that it has; zero holds it.
 */
speed: number, 
/**
 * Frames in a second.
 */
rate: number, } | { "say": "control", 
/**
 * Every world has its own.
 */
control: unknown, } | { "say": "ack", 
/**
 * The number of the frame.
 */
frame: number, };

/**
 * What the page should know of the box of bodies (the facts of its hello).
 */
export type CollisionsFacts = { 
/**
 * What the box is filled with: a built-in scene, or the name of a mesh.
 */
filled_with: string, 
/**
 * The built-in scenes.
 */
scenes: Array<string>, 
/**
 * How the budget can be spent.
 */
schedules: Array<string>, 
/**
 * How many bodies there are.
 */
bodies: number, 
/**
 * Triangles of all of them.
 */
triangles: number, 
/**
 * The deepest level of their trees.
 */
deepest: number, 
/**
 * Colours by level, the coarsest first, as #rrggbb.
 */
level_colours: Array<string>, 
/**
 * Colours by band of priority, the highest first; the last is out of view.
 */
band_colours: Array<string>, 
/**
 * The colour of what touches nothing.
 */
alone_colour: string, 
/**
 * What was wrong with the mesh and is mended.
 */
mended: string | null, };

/**
 * How the box of bodies is doing (the statistics of its stream).
 */
export type CollisionsStatistics = { 
/**
 * Seconds since it began.
 */
time: number, 
/**
 * What a frame may take, µs; nothing in a trial, which takes what it needs.
 */
budget: number | null, 
/**
 * Frames since the last report: when, and how long each took, µs.
 */
costs: Array<[number, number]>, 
/**
 * Frames so far, and how many took more than 1.1 times the budget.
 */
frames: [number, number], 
/**
 * In the last frame: pairs whose roots met, collisions, node tests, and
 * contacts that were kept from the frame before.
 */
pairs: number, 
/**
 * Those that touched at the level they reached.
 */
collisions: number, 
/**
 * Node tests.
 */
tests: number, 
/**
 * Collisions whose contact was kept, so that their level does not fall.
 */
held: number, 
/**
 * Their mean level.
 */
mean_level: number, 
/**
 * Collisions by the level they reached.
 */
levels: Array<number>, 
/**
 * Collisions by their band of priority, the highest first; the last are
 * out of view.
 */
bands: Array<number>, 
/**
 * What was last asked for and cannot be done.
 */
trouble: Problem | null, };

/**
 * What colours say.
 */
export type CollisionsColours = "level" | "priority" | "plain";

/**
 * What the box of bodies can be told.
 */
export type CollisionsControl = { "budget": number } | { "bodies": number } | { "scene": string } | { "mesh": string } | { "schedule": string } | { "gaze": [number, number] | null } | { "gravity": boolean } | { "colours": CollisionsColours } | { "trial": number | null };

/**
 * A ride, and how far it is learned.
 */
export type RideReport = { 
/**
 * What it is called in addresses.
 */
name: string, 
/**
 * What it is called by people.
 */
title: string, 
/**
 * How many variables of it move.
 */
variables: number, 
/**
 * What it can be told.
 */
signals: Array<string>, 
/**
 * Whether it is being learned: what is done, and the share that is.
 */
learning: RideLearning | null, 
/**
 * What was learned.
 */
learned: RideLearned | null, 
/**
 * Why it could not be learned.
 */
problem: string | null, };

/**
 * A ride that is being learned.
 */
export type RideLearning = { 
/**
 * In words.
 */
doing: string, 
/**
 * From 0 to 1.
 */
done: number, };

/**
 * What was learned of a ride.
 */
export type RideLearned = { 
/**
 * Whether it was learned with all effort.
 */
thorough: boolean, 
/**
 * How long it took, s.
 */
seconds: number, 
/**
 * The size of the compiled file, bytes.
 */
bytes: number, 
/**
 * After how long it comes around, s.
 */
period: number | null, 
/**
 * From how long out of view on jumps are used, s.
 */
medium: number | null, 
/**
 * From how long out of view on nothing is remembered, s.
 */
long: number | null, 
/**
 * What a viewer could notice.
 */
verdict: string, 
/**
 * What was found, as rows.
 */
summary: Array<[string, string]>, };

/**
 * What the page should know of the fairground (the facts of its hello).
 */
export type FairgroundFacts = { 
/**
 * The kinds of rides, by name.
 */
kinds: Array<string>, 
/**
 * Every ride: kind, x and z of its middle (m), and its radius (m).
 */
rides: Array<[number, number, number, number]>, 
/**
 * A walk around a block: its corners, x and z (m).
 */
stroll: Array<[number, number]>, };

/**
 * How the fairground is doing (the statistics of its stream).
 */
export type FairgroundStatistics = { 
/**
 * Seconds since it opened.
 */
time: number, 
/**
 * Whether what is not seen is left out.
 */
culling: boolean, 
/**
 * How many rides there are.
 */
rides: number, 
/**
 * How many are in view.
 */
in_view: number, 
/**
 * How many of them are of kinds that are learned.
 */
learned: number, 
/**
 * Frames since the last report: when, and how long the motion took, µs.
 */
costs: Array<[number, number]>, 
/**
 * States that the complete model computed in the last frame.
 */
computed: number, 
/**
 * Returns into view so far: by the complete model, by jumps, by a sample.
 */
returns: [number, number, number], 
/**
 * Rides in view, and how they came back: 0 by the complete model, 1 by
 * jumps, 2 by a sample, 3 always computed.
 */
seen: Array<[number, number]>, 
/**
 * Kinds that are being learned.
 */
learning: Array<[string, RideLearning]>, };

/**
 * What the fairground can be told.
 */
export type FairgroundControl = { "culling": boolean } | { "rides": number } | { "marks": boolean } | { "signal": { 
/**
 * Which one.
 */
ride: number, 
/**
 * What.
 */
name: string, } };

/**
 * What the page should know of the field (the facts of its hello).
 */
export type FieldFacts = { 
/**
 * What it is called.
 */
name: string, 
/**
 * How many flags hang on the rope.
 */
flags: number, 
/**
 * Winds, from the weakest: name, and speed, m/s.
 */
levels: Array<[string, number]>, 
/**
 * Frames of the data in a second.
 */
rate: number, 
/**
 * The sequences of the data: the wind, and how many frames.
 */
sequences: Array<[number, number]>, 
/**
 * The transitions: sequence and frame where the middle is, before and after.
 */
transitions: Array<[number, number, number, number]>, 
/**
 * How large the graph is, bytes; 0 while it is made.
 */
bytes: number, };

/**
 * How the field is doing (the statistics of its stream).
 */
export type FieldStatistics = { 
/**
 * Seconds since it opened.
 */
time: number, 
/**
 * What is done before anything moves.
 */
making: FieldMaking | null, 
/**
 * Why nothing will move.
 */
problem: string | null, 
/**
 * The wind that the walk is in, and the one that is wanted.
 */
level: number, 
/**
 * See `level`.
 */
wanted: number, 
/**
 * In how many seconds it is there.
 */
arrives: number, 
/**
 * Where in the data the walk is: sequence and frame.
 */
moment: [number, number], 
/**
 * Which transition it goes through, and the share that is behind it.
 */
transition: [number, number] | null, 
/**
 * How many groups are blending now.
 */
blending: number, 
/**
 * Transitions taken so far.
 */
taken: number, 
/**
 * Frames since the last report: when, and how long the motion took, µs.
 */
costs: Array<[number, number]>, };

/**
 * A graph that is being made.
 */
export type FieldMaking = { 
/**
 * In words.
 */
doing: string, 
/**
 * The share of this that is done, from 0 to 1.
 */
done: number, };

/**
 * What the field can be told.
 */
export type FieldControl = { "wind": number } | { "flags": number };

/**
 * What the page should know of the meadow (the facts of its hello).
 */
export type MeadowFacts = { 
/**
 * How many clumps there are; 0 while they grow.
 */
clumps: number, 
/**
 * How long each side of the meadow is, m.
 */
side: number, 
/**
 * Winds, from the weakest: name, and speed, m/s.
 */
levels: Array<[string, number]>, 
/**
 * Their colours, as #rrggbb.
 */
colours: Array<string>, 
/**
 * In how many squares along each side the wind is told.
 */
squares: number, 
/**
 * How large the graphs are, bytes; 0 while they are made.
 */
bytes: number, };

/**
 * How the meadow is doing (the statistics of its stream).
 */
export type MeadowStatistics = { 
/**
 * Seconds since it opened.
 */
time: number, 
/**
 * What is done before anything moves.
 */
making: FieldMaking | null, 
/**
 * Why nothing will grow.
 */
problem: string | null, 
/**
 * How many clumps are in view.
 */
in_view: number, 
/**
 * How many vertices these have, as they are shown.
 */
vertices: number, 
/**
 * How many clumps were tested for being in view.
 */
tested: number, 
/**
 * How many of those in view go by each wind.
 */
by_level: Array<number>, 
/**
 * How many of those in view are in each detail; the first is all of it.
 */
by_detail: Array<number>, 
/**
 * The wind in each square of the meadow, along x first.
 */
wind: Array<number>, 
/**
 * The clump that was asked for, while it is in view.
 */
clump: MeadowClump | null, 
/**
 * Frames since the last report: when, and how long the motion took, µs.
 */
costs: Array<[number, number]>, };

/**
 * What there is to say of a clump.
 */
export type MeadowClump = { 
/**
 * Its number, from 0.
 */
number: number, 
/**
 * What grows there.
 */
name: string, 
/**
 * Which of the kinds it is, from 0, and how many there are.
 */
kind: number, 
/**
 * See `kind`.
 */
kinds: number, 
/**
 * How large it is; one is as its kind was simulated.
 */
size: number, 
/**
 * How far away it is, m.
 */
distance: number, 
/**
 * How many blades, leaves, petals and stems it has.
 */
parts: number, 
/**
 * The wind that it goes by, and the one that blows where it stands.
 */
level: number, 
/**
 * See `level`.
 */
wind: number, 
/**
 * Which detail it is shown in, from 0, and how many there are.
 */
detail: number, 
/**
 * See `detail`.
 */
details: number, 
/**
 * Its vertices: those that are shown, and all.
 */
vertices: [number, number], 
/**
 * Its modes: those that are used, and all.
 */
modes: [number, number], };

/**
 * What the meadow can be told.
 */
export type MeadowControl = { "wind": number } | { "clumps": number } | { "explain": number | null } | { "show_wind": boolean };

/**
 * A road network that was uploaded.
 */
export type NetworkReport = { 
/**
 * What it is called in addresses.
 */
name: string, 
/**
 * What kind of file it was.
 */
format: string, 
/**
 * How many roads it has.
 */
roads: number, 
/**
 * How long they are together, km.
 */
kilometres: number, 
/**
 * What could not be represented as it was: what became of it, how often,
 * and the first few.
 */
notes: Array<[string, number, Array<string>]>, };

/**
 * What the page should know of the city around the viewer (the facts of its
 * hello).
 */
export type CityFacts = { 
/**
 * What it is called.
 */
name: string, 
/**
 * Roads near the viewer: number, lanes, and x and z of its points (m).
 */
roads: Array<[number, number, Array<number>]>, 
/**
 * A drive: x and z (m), and the direction, for every half second.
 */
route: Array<[number, number, number, number]>, 
/**
 * Where on the drive one begins: so many of its places are behind.
 */
start: number, 
/**
 * Whom the data is from.
 */
attribution: string | null, };

/**
 * How the city is doing (the statistics of its stream).
 */
export type CityStatistics = { 
/**
 * Seconds since it was opened.
 */
time: number, 
/**
 * Whether cars that nobody sees are left out.
 */
culling: boolean, 
/**
 * Whether cars that nobody saw lately are densities.
 */
pools: boolean, 
/**
 * How many cars there are.
 */
cars: number, 
/**
 * How many roads there are.
 */
roads: number, 
/**
 * Cars in view.
 */
in_view: number, 
/**
 * Cars that drive by the complete model, are tracked one by one, and are
 * in pools.
 */
counts: [number, number, number], 
/**
 * Frames since the last report: when, and how long the cars took, µs.
 */
costs: Array<[number, number]>, 
/**
 * What the complete model takes for a car, µs.
 */
complete: number, 
/**
 * The speedup times the share of cars in view; 1 is culling that costs
 * nothing.
 */
efficiency: number | null, 
/**
 * Roads in view, and those on which the complete model runs.
 */
seen: Array<number>, 
/**
 * Roads on which the complete model runs.
 */
active: Array<number>, 
/**
 * For each of the roads near the viewer how many cars it may have that
 * nobody sees.
 */
densities: Array<number>, 
/**
 * Where cars in view are: x and z, m.
 */
places: Array<[number, number]>, 
/**
 * Where the other viewers are: x, z (m), and the direction.
 */
viewers: Array<[number, number, number, number]>, 
/**
 * Circles of cars that wait for each other.
 */
gridlocks: number, };

/**
 * What the city can be told.
 */
export type CityControl = { "culling": boolean } | { "pools": boolean } | { "cars": number | null } | { "viewers": number } | { "network": string | null };

/**
 * The lab: its experiments, and what was found so far.
 */
export type LabReport = { 
/**
 * The experiments, by name.
 */
experiments: Array<LabExperiment>, 
/**
 * Why none can be run here, if so.
 */
problem: Problem | null, };

/**
 * An experiment.
 */
export type LabExperiment = { 
/**
 * What it is called.
 */
name: string, 
/**
 * Which table or figure of which paper.
 */
reproduces: string, 
/**
 * What it shows, in a sentence.
 */
summary: string, 
/**
 * The columns that matter most; the results have more.
 */
columns: Array<string>, 
/**
 * What was found last.
 */
last: LabLast | null, 
/**
 * The run that was ordered last.
 */
job: LabJob | null, };

/**
 * What a run of an experiment left.
 */
export type LabLast = { 
/**
 * What its random numbers followed from.
 */
seed: number, 
/**
 * Whether rows were left out or made smaller.
 */
quick: boolean, 
/**
 * How many rows there are.
 */
rows: number, 
/**
 * When it was written, seconds since 1970.
 */
written: number, 
/**
 * The names of its pictures.
 */
pictures: Array<string>, };

/**
 * How an experiment should be run.
 */
export type LabOrder = { 
/**
 * With fewer or smaller rows, in less than a minute.
 */
quick: boolean, 
/**
 * What all random numbers follow from.
 */
seed: number, };

/**
 * How far a run of an experiment is.
 */
export type LabJob = { 
/**
 * What was ordered.
 */
order: LabOrder, 
/**
 * What it does; one that was stopped has written what it had.
 */
state: RunState, 
/**
 * How much is done, if that is known.
 */
share: number | null, 
/**
 * What is being done.
 */
doing: string, 
/**
 * When it was ordered, seconds since 1970.
 */
ordered: number, 
/**
 * How long it has worked, s.
 */
seconds: number, 
/**
 * What it said; only where one job is asked for.
 */
log: Array<string>, 
/**
 * Why it failed.
 */
problem: Problem | null, };

/**
 * The file that a run leaves, as it is.
 */
export type LabResults = { 
/**
 * Which experiment.
 */
experiment: string, 
/**
 * Which table or figure of which paper.
 */
reproduces: string, 
/**
 * What its random numbers followed from.
 */
seed: number, 
/**
 * Whether rows were left out or made smaller.
 */
quick: boolean, 
/**
 * What was varied and what was measured; figures of a paper begin with
 * `paper_`.
 */
rows: Record<string, unknown>[], 
/**
 * What the rows mean, and what follows from them.
 */
notes: Array<string>, };

/**
 * An experiment with people.
 */
export type StudyReport = { 
/**
 * What it is called.
 */
name: string, 
/**
 * What is varied.
 */
factors: Array<StudyFactor>, 
/**
 * How many conditions there are.
 */
conditions: number, 
/**
 * How many trials each person has.
 */
trials: number, 
/**
 * The highest rating; the lowest is 1.
 */
highest_rating: number, 
/**
 * Whether 1 is the best rating, and not the worst.
 */
low_is_good: boolean, 
/**
 * Whether it runs live, with the pointer as the gaze; otherwise clips are
 * shown.
 */
live: boolean, 
/**
 * What people are shown before, to know what to look for.
 */
training: Array<StudyExample>, 
/**
 * How many people have taken part.
 */
people: number, 
/**
 * How many answers there are.
 */
answers: number, 
/**
 * Those who have not seen everything yet.
 */
unfinished: Array<number>, };

/**
 * What is varied in an experiment.
 */
export type StudyFactor = { 
/**
 * What is varied.
 */
name: string, 
/**
 * The levels, in order.
 */
levels: Array<string>, };

/**
 * An example for training.
 */
export type StudyExample = { 
/**
 * Which condition, from 1.
 */
condition: number, 
/**
 * Whether it is one at its best.
 */
good: boolean, };

/**
 * Somebody who takes part.
 */
export type StudyPerson = { 
/**
 * Their number, from 1; nothing else is known about them.
 */
participant: number, 
/**
 * What they have still to see, in order.
 */
trials: Array<StudyTrial>, 
/**
 * How many trials they have in all.
 */
of: number, };

/**
 * Something to be rated.
 */
export type StudyTrial = { 
/**
 * Which of the person's trials, from 1.
 */
number: number, 
/**
 * Which condition, from 1.
 */
condition: number, };

/**
 * Somebody wants to take part.
 */
export type StudyConsent = { 
/**
 * Whether they know what it is about and agree.
 */
consent: boolean, };

/**
 * What somebody thinks of a trial.
 */
export type StudyAnswer = { 
/**
 * Which of the person's trials, from 1.
 */
number: number, 
/**
 * From 1 to the highest.
 */
rating: number, 
/**
 * How often something looked wrong.
 */
clicks: number, 
/**
 * How long the person thought about it, s.
 */
seconds: number, };

/**
 * What somebody says in the end.
 */
export type StudyRemark = { 
/**
 * What they looked for.
 */
text: string, };

/**
 * What the answers to an experiment say.
 */
export type StudyAnalysis = { 
/**
 * How many there are.
 */
answers: number, 
/**
 * From how many people.
 */
participants: number, 
/**
 * Of whom so many rated every condition; the others are left out.
 */
complete: number, 
/**
 * What each factor does.
 */
factors: Array<StudyEffect>, 
/**
 * What two of them do together beyond that.
 */
interactions: Array<StudyEffect>, };

/**
 * An effect, by an analysis of variance within people.
 */
export type StudyEffect = { 
/**
 * Of what.
 */
name: string, 
/**
 * For each level its name, the mean rating, and its standard error over
 * people; nothing for an interaction.
 */
means: Array<[string, number, number]>, 
/**
 * The ratio of mean squares; nothing with fewer than two people, or where
 * they agree entirely.
 */
f: number | null, 
/**
 * Degrees of freedom of the effect and of its error.
 */
degrees: [number, number] | null, 
/**
 * The chance of a ratio as large without an effect.
 */
p: number | null, };

/**
 * A model file.
 */
export type ModelListed = { 
/**
 * What it is called in addresses.
 */
name: string, 
/**
 * What it is called by people.
 */
title: string, 
/**
 * Whether it is in the workspace, and not one that comes with the studio.
 */
own: boolean, };

/**
 * The text of a model file.
 */
export type ModelText = { 
/**
 * As it stands in the file.
 */
toml: string, };

/**
 * A model file that is kept.
 */
export type ModelKept = { 
/**
 * As it stands in the file.
 */
toml: string, 
/**
 * Which text it is; another one has another version.
 */
version: string, };

/**
 * A model file to be kept.
 */
export type ModelOffer = { 
/**
 * As it should stand in the file.
 */
toml: string, 
/**
 * The version that was edited: if another one is kept by now, nothing is
 * written. Without it the text is kept whatever it replaces.
 */
replaces: string | null, };

/**
 * A model file taken apart.
 */
export type ModelCheck = { 
/**
 * Which text it is.
 */
version: string, 
/**
 * What it is called by people.
 */
title: string, 
/**
 * The text without its parts: parameters, state, motion and outputs.
 */
equations: string, 
/**
 * The parts, parents first.
 */
parts: Array<ModelPart>, 
/**
 * What a field can be bound to: what moves.
 */
outputs: Array<string>, 
/**
 * What a field can be bound to besides: what stays.
 */
parameters: Array<string>, 
/**
 * How many copies of it there are.
 */
copies: number, 
/**
 * What is wrong with it; places are those of the text that was sent.
 */
problem: Problem | null, };

/**
 * A part of a model: how it hangs on another, and what is seen of it. Fields
 * are as they are written: a number, or an expression of outputs.
 */
export type ModelPart = { 
/**
 * What it is called.
 */
name: string, 
/**
 * What it hangs on.
 */
parent: string | null, 
/**
 * Whether every copy has one.
 */
each: boolean, 
/**
 * Where it is moved, m.
 */
shift: [string, string, string] | null, 
/**
 * What it turns about.
 */
axis: [string, string, string] | null, 
/**
 * How far it is turned, radians.
 */
angle: string | null, 
/**
 * What is seen of it.
 */
solid: PartSolid | null, 
/**
 * As #rrggbb.
 */
colour: string | null, };

/**
 * What is seen of a part.
 */
export type PartSolid = { "box": [number, number, number] } | { "ball": number } | { "mesh": string };

/**
 * A model that was run for a while.
 */
export type ModelPreview = { 
/**
 * What its animation is called.
 */
id: string, 
/**
 * How long it is, s.
 */
seconds: number, 
/**
 * How many values of each output there are in a second.
 */
rate: number, 
/**
 * The outputs of the first copy over time.
 */
outputs: Array<[string, Array<number>]>, 
/**
 * The box that everything stays in: its least and greatest coordinates, m.
 */
bounds: [[number, number, number], [number, number, number]], };

/**
 * How a model should be compiled.
 */
export type ModelOrder = { 
/**
 * With all effort, and not in a hurry.
 */
thorough: boolean, };
