//! From a drawn scene to a clip.

use std::sync::Arc;

use glam::DVec3;
use proscenium_clip::Clip;
use proscenium_rigid::{Statistics, World};

/// How to run a scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SimulateOptions {
    /// How long, seconds; `None` for what the scene says.
    pub duration: Option<f64>,
    /// How far a clip may be from the motion, metres; `None` for a share of
    /// the size of the scene.
    pub position_error: Option<f64>,
    /// How far a clip may be turned from the motion, radians; `None` for half
    /// a degree.
    pub angle_error: Option<f64>,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// The simulated time, seconds.
    pub time: f64,
    /// Where the run will end.
    pub duration: f64,
    /// How many events happened so far.
    pub events: u64,
}

/// A collision that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactNote {
    /// When, seconds.
    pub time: f64,
    /// The name of one of the bodies.
    pub a: Arc<str>,
    /// The name of the other.
    pub b: Arc<str>,
    /// Where.
    pub point: DVec3,
    /// How fast they approached each other there, m/s.
    pub speed: f64,
    /// How hard they hit each other, N s.
    pub impulse: f64,
}

/// What came out of a run.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// What was seen.
    pub clip: Clip,
    /// Counts of what was done.
    pub statistics: Statistics,
    /// The collisions, in order.
    pub contacts: Vec<ContactNote>,
    /// Whether `progress` stopped the run.
    pub stopped_early: bool,
    /// A number that depends on every bit of the state at the end.
    pub state_hash: u64,
    /// The world at the end.
    pub world: World,
}
