//! How much of a city is computed.

use crate::culling::BoundSettings;
use crate::driver::DriverSpread;
use crate::traffic::DriverErrors;
use crate::wander::Wander;
use serde::{Deserialize, Serialize};

/// How cars that nobody sees are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Detail {
    /// Like all others: the complete model on all roads.
    Complete,
    /// Known one by one, each with a bound (Chenney 2000, chapter 6).
    Tracked,
    /// Those seen lately are tracked; the others are densities (6.3.4).
    #[default]
    Pooled,
    /// Deleted, and others made at the edge of the view: what is commonly done,
    /// to be compared with. No car has a past.
    SpawnedBaseline,
}

/// Settings of a city that runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// How cars that nobody sees are treated.
    pub detail: Detail,
    /// How many roads beyond those in view are run by the complete model. At
    /// least 1, so that all who wait at a junction in view are there; with 2
    /// queues and distances are right where the view begins.
    pub margin: u32,
    /// How long a road is run by the complete model after it was last needed,
    /// seconds.
    pub linger: f64,
    /// A car that was not seen for so long may be forgotten, seconds.
    pub forget: f64,
    /// Bounds of tracked cars.
    pub bounds: BoundSettings,
    /// How cars choose their way.
    pub wander: Wander,
    /// Whether cars that drive by the complete model change lanes between junctions,
    /// by need and for speed. In the paper they do not.
    pub lane_changes: bool,
    /// How often drivers err, near the view: never, as in the paper, unless told.
    pub errors: DriverErrors,
    /// By how much drivers differ: not at all, as in the paper, unless told.
    pub drivers: DriverSpread,
    /// Longest step, seconds.
    pub step: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            detail: Detail::default(),
            margin: 2,
            linger: 2.0,
            forget: 300.0,
            bounds: BoundSettings::default(),
            wander: Wander::default(),
            lane_changes: false,
            errors: DriverErrors::default(),
            drivers: DriverSpread::default(),
            step: 0.1,
        }
    }
}
