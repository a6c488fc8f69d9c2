//! What goes over the wire about collisions within a budget.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Problem;

/// What the page should know of the box of bodies (the facts of its hello).
#[derive(Clone, Debug, Serialize, TS)]
pub struct CollisionsFacts {
    /// What the box is filled with: a built-in scene, or the name of a mesh.
    pub filled_with: String,
    /// The built-in scenes.
    pub scenes: Vec<String>,
    /// How the budget can be spent.
    pub schedules: Vec<String>,
    /// How many bodies there are.
    pub bodies: u32,
    /// Triangles of all of them.
    pub triangles: f64,
    /// The deepest level of their trees.
    pub deepest: u32,
    /// Colours by level, the coarsest first, as #rrggbb.
    pub level_colours: Vec<String>,
    /// Colours by band of priority, the highest first; the last is out of view.
    pub band_colours: Vec<String>,
    /// The colour of what touches nothing.
    pub alone_colour: String,
    /// What was wrong with the mesh and is mended.
    pub mended: Option<String>,
}

/// How the box of bodies is doing (the statistics of its stream).
#[derive(Clone, Debug, Serialize, TS)]
pub struct CollisionsStatistics {
    /// Seconds since it began.
    pub time: f64,
    /// What a frame may take, µs; nothing in a trial, which takes what it needs.
    pub budget: Option<f64>,
    /// Frames since the last report: when, and how long each took, µs.
    pub costs: Vec<(f64, f64)>,
    /// Frames so far, and how many took more than 1.1 times the budget.
    pub frames: (f64, f64),
    /// In the last frame: pairs whose roots met, collisions, node tests, and
    /// contacts that were kept from the frame before.
    pub pairs: u32,
    /// Those that touched at the level they reached.
    pub collisions: u32,
    /// Node tests.
    pub tests: f64,
    /// Collisions whose contact was kept, so that their level does not fall.
    pub held: u32,
    /// Their mean level.
    pub mean_level: f64,
    /// Collisions by the level they reached.
    pub levels: Vec<u32>,
    /// Collisions by their band of priority, the highest first; the last are
    /// out of view.
    pub bands: Vec<u32>,
    /// What was last asked for and cannot be done.
    pub trouble: Option<Problem>,
}

/// What colours say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CollisionsColours {
    /// How far a body's collision was refined.
    Level,
    /// In which band of priority it is.
    Priority,
    /// Which mesh it is.
    Plain,
}

/// What the box of bodies can be told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum CollisionsControl {
    /// What a frame may take, µs.
    Budget(f64),
    /// How many bodies there are.
    Bodies(u32),
    /// Fills the box with a built-in scene.
    Scene(String),
    /// Fills the box with a mesh that was uploaded.
    Mesh(String),
    /// What is refined first: `perceptual`, `round-robin`, or one measure.
    Schedule(String),
    /// Where the viewer looks, as shares of the picture from its top left
    /// corner; nowhere is the middle.
    Gaze(Option<[f64; 2]>),
    /// Whether bodies fall.
    Gravity(bool),
    /// What colours say.
    Colours(CollisionsColours),
    /// Shows a condition of the experiment with the gaze, from 1; nothing ends
    /// it.
    Trial(Option<u32>),
}
