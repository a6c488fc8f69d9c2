//! What goes over the wire. The front end has the same types, made from these
//! by `tests/types.rs`.

mod city;
mod collisions;
mod fairground;
mod field;
mod lab;
mod live;
mod modeler;
mod studies;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

pub use city::*;
pub use collisions::*;
pub use fairground::*;
pub use field::*;
pub use lab::*;
pub use live::*;
pub use modeler::*;
pub use studies::*;

/// Why a request was refused, and what would be right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Problem {
    /// What is wrong.
    pub error: String,
    /// What would be right.
    pub help: String,
    /// Where in the text that was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub place: Option<Spot>,
    /// What else is wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<Problem>>", optional)]
    pub more: Vec<Problem>,
}

/// A place in a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Spot {
    /// Counted from 1.
    pub line: u32,
    /// Counted from 1, in characters.
    pub column: u32,
    /// How many characters are meant.
    pub length: u32,
    /// What the place belongs to, such as `in body "die-1"`.
    pub label: String,
}

/// A scene that comes with the engine.
#[derive(Clone, Debug, Serialize, TS)]
pub struct BuiltinScene {
    /// What it is called.
    pub name: String,
    /// What it shows, in a sentence.
    pub summary: String,
    /// The text that it is made from, if there is one.
    pub text: Option<SceneText>,
    /// The numbers that it is made from.
    pub parameters: Vec<SceneParameter>,
}

/// A text that a scene is made from.
#[derive(Clone, Debug, Serialize, TS)]
pub struct SceneText {
    /// What it is if nothing is said.
    pub default: String,
    /// What it means.
    pub meaning: String,
}

/// A number that a scene is made from.
#[derive(Clone, Debug, Serialize, TS)]
pub struct SceneParameter {
    /// What it is called.
    pub name: String,
    /// What it is if nothing is said.
    pub default: f64,
    /// What it means, with its unit.
    pub meaning: String,
    /// The least it may be.
    pub min: f64,
    /// The most it may be.
    pub max: f64,
    /// Whether it is a whole number.
    pub whole: bool,
}

/// Which scene is meant, and what is changed about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SceneChoice {
    /// A built-in scene, by its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub builtin: Option<String>,
    /// The text that a built-in scene is made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub text: Option<String>,
    /// Numbers that a built-in scene is made from.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(as = "Option<BTreeMap<String, f64>>", optional)]
    pub parameters: BTreeMap<String, f64>,
    /// The text of a scene file, in place of a built-in scene.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub toml: Option<String>,
    /// Other densities for variables of the scene, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[ts(as = "Option<BTreeMap<String, DensityChoice>>", optional)]
    pub densities: BTreeMap<String, DensityChoice>,
    /// What should happen, in place of what the scene says itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub wants: Option<Vec<String>>,
}

/// A density in its own terms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct DensityChoice {
    /// Its family.
    pub kind: DensityKind,
    /// The numbers of the family, in the order of the scene file; nothing for a
    /// limit that is not there.
    pub parameters: Vec<Option<f64>>,
}

/// Families of densities that have a few numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum DensityKind {
    /// Always the same: the value.
    Constant,
    /// Mean and standard deviation.
    Normal,
    /// Low and high.
    Uniform,
    /// Mean, standard deviation, low and high.
    TruncatedNormal,
    /// The rate.
    Exponential,
    /// Mean and standard deviation of the logarithm.
    LogNormal,
}

/// A scene that was checked.
#[derive(Clone, Debug, Serialize, TS)]
pub struct SceneTree {
    /// What it is called.
    pub name: String,
    /// How long it is simulated, s.
    pub duration: f64,
    /// How many bodies there are, copies included.
    pub body_count: u32,
    /// What there is.
    pub bodies: Vec<TreeBody>,
    /// Bodies that have a name together.
    pub groups: Vec<TreeGroup>,
    /// What it is made of.
    pub materials: Vec<TreeMaterial>,
    /// What is uncertain, one for each density that is written; only the first
    /// thousand.
    pub variables: Vec<TreeVariable>,
    /// How many uncertain numbers there are.
    pub variable_count: u32,
    /// What should happen, in words.
    pub wants: Vec<String>,
    /// Why the scene cannot be directed, if it cannot.
    pub undirectable: Option<String>,
    /// What is probably not meant.
    pub warnings: Vec<String>,
    /// The scene as a file.
    pub toml: String,
}

/// A body of a scene, or many copies of one.
#[derive(Clone, Debug, Serialize, TS)]
pub struct TreeBody {
    /// What it is called.
    pub name: String,
    /// What it looks like, in a word.
    pub shape: String,
    /// What it is made of.
    pub material: Option<String>,
    /// Whether it stays where it is.
    pub fixed: bool,
    /// How many of it there are.
    pub count: u32,
}

/// Bodies that have a name together.
#[derive(Clone, Debug, Serialize, TS)]
pub struct TreeGroup {
    /// What they are called together.
    pub name: String,
    /// Who they are.
    pub bodies: Vec<String>,
}

/// A material.
#[derive(Clone, Debug, Serialize, TS)]
pub struct TreeMaterial {
    /// What it is called.
    pub name: String,
    /// What is said about it, as in the file.
    pub properties: Vec<(String, String)>,
}

/// An uncertain number.
#[derive(Clone, Debug, Serialize, TS)]
pub struct TreeVariable {
    /// What it is called.
    pub name: String,
    /// How many variables have this density, which is written once.
    pub count: u32,
    /// Its density, in words.
    pub density: String,
    /// Its density in its own terms, if it can be changed by itself.
    pub choice: Option<DensityChoice>,
    /// The mean.
    pub mean: f64,
    /// Its density at some places, from the first thousandth to the last.
    pub curve: Vec<(f64, f64)>,
}

/// A mesh that scenes can name.
#[derive(Clone, Debug, Serialize, TS)]
pub struct MeshReport {
    /// Its name, which scenes give as a file.
    pub name: String,
    /// How large it is, bytes.
    pub bytes: f64,
}

/// What is simulated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct TakeOrder {
    /// The scene.
    pub scene: SceneChoice,
    /// What the uncertain numbers are drawn from.
    pub seed: u32,
}

/// A simulation: under way, done or failed.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum TakeReport {
    /// It is being simulated.
    Running {
        /// What it is called.
        id: String,
        /// The share that is done, from 0 to 1.
        done: f64,
    },
    /// It is there.
    Ready(TakeSummary),
    /// It cannot be.
    Failed {
        /// What it is called.
        id: String,
        /// Why.
        problem: Problem,
    },
}

/// What came out of a simulation.
#[derive(Clone, Debug, Serialize, TS)]
pub struct TakeSummary {
    /// What it is called.
    pub id: String,
    /// The scene's name.
    pub name: String,
    /// How long it is, s.
    pub duration: f64,
    /// How long it took, ms.
    pub wall_ms: f64,
    /// Events of all kinds.
    pub events: f64,
    /// Collisions.
    pub collisions: f64,
    /// How many nodes move.
    pub moving: u32,
    /// Whether it was stopped before its end.
    pub stopped_early: bool,
    /// A number that depends on every bit of the state at the end.
    pub state_hash: String,
    /// Collisions in order; only the first ten thousand.
    pub contacts: Vec<TakeContact>,
    /// How many events happened until a time: times and counts.
    pub event_counts: Vec<(f64, f64)>,
    /// The values that were drawn; only the first thousand.
    pub values: Vec<(String, f64)>,
    /// How large the file is, bytes.
    pub glb_bytes: f64,
}

/// A collision.
#[derive(Clone, Debug, Serialize, TS)]
pub struct TakeContact {
    /// When, s.
    pub time: f64,
    /// One of the bodies.
    pub a: String,
    /// The other.
    pub b: String,
    /// Where, m.
    pub point: [f64; 3],
    /// How fast they met, m/s.
    pub speed: f64,
    /// How hard they hit each other, N s.
    pub impulse: f64,
}

/// The temporal bounds of a simulation: boxes that bodies stay in until they
/// get others.
#[derive(Clone, Debug, Serialize, TS)]
pub struct TakeBounds {
    /// The bodies that can move.
    pub bodies: Vec<String>,
    /// In order: when (s), which of the bodies, and the least and the greatest
    /// corner of its next box (m).
    pub changes: Vec<(f64, u32, [f64; 3], [f64; 3])>,
    /// Until when all of them are known, s.
    pub until: f64,
}

/// A run that is ordered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct RunOrder {
    /// The scene, with its wants.
    pub scene: SceneChoice,
    /// The number that everything follows from.
    pub seed: u32,
    /// How many different animations are wanted.
    pub samples: u32,
    /// How they are drawn; left open, what the chance of success asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub method: Option<RunMethod>,
    /// Which of those that are found; left open, those that differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub pick: Option<RunPick>,
    /// What is kept of an animation that was found; left open, nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub keep: Option<RunKeep>,
    /// An animation that was found and that all are like; left open, none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub like: Option<RunLike>,
    /// Animations that were found, between and around which others are sought; left open,
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub breed: Option<RunBreed>,
}

/// A stretch that all animations of a run have in common with one that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct RunKeep {
    /// The run that found it.
    pub run: String,
    /// Its number there, from 0.
    pub entry: u32,
    /// Until when it is kept, s.
    pub until: f64,
}

/// An animation that was found, and what all of a run have in common with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct RunLike {
    /// The run that found it.
    pub run: String,
    /// Its number there, from 0.
    pub entry: u32,
    /// Bodies and variables that are held; if there are none, everything may move a little.
    pub hold: Vec<String>,
}

/// Animations between and around which others are sought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct RunBreed {
    /// The run that found them.
    pub run: String,
    /// Their numbers there, from 0; two at least.
    pub entries: Vec<u32>,
}

/// Which animations are picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RunPick {
    /// A fair draw: what is likely comes often, and one may come twice.
    Likely,
    /// Those that differ most: a search.
    Different,
}

/// How animations are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RunMethod {
    /// Drawing until it fits.
    Rejection,
    /// A single chain.
    Chain,
    /// Non-reversible parallel tempering.
    Tempering,
    /// Tempered sequential Monte Carlo.
    Population,
}

/// What a run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// It waits for its turn.
    Waiting,
    /// It searches.
    Running,
    /// It was stopped, and can go on.
    Stopped,
    /// It found what was ordered.
    Finished,
    /// It cannot go on.
    Failed,
}

/// How far a run is.
#[derive(Clone, Debug, Serialize, TS)]
pub struct RunReport {
    /// What it is called.
    pub id: String,
    /// The scene's name, and the text that it is made from.
    pub title: String,
    /// What was ordered.
    pub order: RunOrder,
    /// What it does.
    pub state: RunState,
    /// Why it failed, if it did.
    pub problem: Option<Problem>,
    /// The wants, in words.
    pub wants: Vec<String>,
    /// Which method runs, and why.
    pub method: Option<String>,
    /// Simulations so far.
    pub simulations: f64,
    /// Simulations in a second, of late.
    pub rate: f64,
    /// Animations that meet all wants.
    pub found: u32,
    /// Those that differ from each other.
    pub different: u32,
    /// What *different* means.
    pub different_means: String,
    /// Whether chains agree, in words; where there are chains.
    pub settling: Option<String>,
    /// How many wants of how many what came closest meets, until something meets all.
    pub nearest: Option<[u32; 2]>,
    /// The share of the way that is behind, from 0 to 1.
    pub done: f64,
    /// How often each move was accepted.
    pub moves: Vec<(String, f64)>,
    /// Where the chains were of late: chain, iteration, log density, wants met.
    pub trace: Vec<TracePoint>,
}

/// Where a chain was at one iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
pub struct TracePoint {
    /// Which chain.
    pub chain: u32,
    /// Where in it.
    pub iteration: f64,
    /// The logarithm of the density, up to a constant.
    pub log_density: f64,
    /// How many wants are met.
    pub wants_met: u32,
}

/// An animation of a gallery.
#[derive(Clone, Debug, Serialize, TS)]
pub struct GalleryEntry {
    /// Its place in the gallery, from 0.
    pub index: u32,
    /// The chain that it is from.
    pub chain: u32,
    /// Where in it.
    pub iteration: f64,
    /// The logarithm of its score.
    pub log_score: f64,
    /// Whether it is from before the run had settled.
    pub warm_up: bool,
    /// Those of one group are alike: the place of the first of them.
    pub group: u32,
    /// How often it was picked, once the run is over.
    pub picked: u32,
    /// Whether it is kept as a favourite.
    pub favourite: bool,
}

/// A change of what is kept as a favourite.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct FavouriteOrder {
    /// Whether it is one.
    pub favourite: bool,
}

/// A run that is continued.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ResumeOrder {
    /// How many different animations are wanted now.
    pub samples: u32,
}

/// The first message of a motion stream.
#[derive(Clone, Debug, Serialize, TS)]
pub struct MotionHello {
    /// The nodes that move, in the order of the frames.
    pub nodes: Vec<String>,
    /// How long the motion is, s.
    pub duration: f64,
}

/// What a client says on a motion stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "say", rename_all = "snake_case", deny_unknown_fields)]
pub enum MotionRequest {
    /// From a time on, so many times as fast as it was.
    Play {
        /// Where to begin, s.
        from: f64,
        /// One for the speed that it had.
        speed: f64,
        /// Frames in a second, at most.
        rate: f64,
    },
    /// One frame.
    Show {
        /// When, s.
        time: f64,
    },
    /// No more frames.
    Pause {},
    /// A frame has arrived, and another may be sent.
    Ack {
        /// The number of the frame.
        frame: u32,
    },
}
