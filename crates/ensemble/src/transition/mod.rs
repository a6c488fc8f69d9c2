//! Transitions: how every group gets from one moment of the data to another,
//! each at its own time, so that none interpenetrate (section 4).

mod abrupt;
mod blend;
mod compute;
mod cost;
mod memory;
mod program;
mod rule;
mod satisfy;
mod trace;

use serde::{Deserialize, Serialize};

use crate::data::Moment;

pub(crate) use abrupt::Limit;
pub(crate) use blend::{PlacementSink, Scratch};
pub use compute::{DepartureOutcome, Tally, compute_transition};
pub use cost::{Costs, cost_matrices};
pub use program::Shapes;
pub use rule::Rule;
pub use trace::{Observer, Step, Trace};

/// How transitions are sought.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TransitionSettings {
    /// How far from the middle of a transition a group may splice, frames
    /// (τ_max).
    pub reach: u32,
    /// How long a group blends, frames (τ_blend).
    pub blend: u32,
    /// How many destinations are tried for one departure (N_samples).
    pub samples: u32,
    /// When a program is given up: this many times the work of one test of the
    /// whole transition (η).
    pub patience: f64,
    /// A later destination must cost less than this share of the best (α).
    pub cutoff: f64,
    /// How strongly groups with few contacts are preferred for a change: the
    /// constant C of (13), 1.1 in the paper but for its banner, which has 2 so that
    /// flags are moved rather than their rope.
    pub preference: f64,
    /// The largest acceleration of a vertex in a transition, as a multiple of the largest
    /// in the data of the conditions that it leaves and enters; infinite allows any.
    pub acceleration: f64,
    /// How many moments between two frames are searched too. What is found is tested
    /// between frames in any case, for groups that pass through each other.
    pub between: u32,
    /// How much closer than the thickness groups may come where no transition
    /// is found otherwise, metres.
    pub tolerance: f64,
    /// Whether groups in stubborn contacts may go by way of a third moment
    /// (i → m → j).
    pub detours: bool,
}

/// Reach, samples and patience are those of the paper's banner (table I).
impl Default for TransitionSettings {
    fn default() -> Self {
        Self {
            reach: 30,
            blend: 10,
            samples: 10,
            patience: 20.0,
            cutoff: 0.97,
            preference: 1.1,
            acceleration: 1.1,
            between: 0,
            tolerance: 0.0,
            detours: true,
        }
    }
}

impl TransitionSettings {
    /// How many frames a transition begins before, and ends after, its middle.
    pub fn span(&self) -> u32 {
        self.reach + self.blend.div_ceil(2)
    }

    /// How many frames a stretch must have for transitions to lead into it, within it
    /// and out of it: three of them must fit one after another, and what they lead to.
    pub fn least_stretch(&self) -> u32 {
        8 * self.span()
    }
}

/// When one group leaves one motion for another: frames from the middle of the
/// transition to the middle of its own blend (τ_k).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Splice {
    /// From the source straight to the destination.
    Direct(i8),
    /// By way of the same stretch around a third moment (i → m → j).
    Detour {
        /// The moment that stands beside the middle of the transition.
        by: Moment,
        /// When it leaves the source.
        first: i8,
        /// When it leaves the detour.
        second: i8,
    },
}

/// A way from one stretch of the data to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transition {
    /// The moment of the source in the middle of the transition (i).
    pub from: Moment,
    /// The moment of the destination in the middle of the transition (j).
    pub to: Moment,
    /// How long a group blends, frames.
    pub blend: u32,
    /// How many frames it begins before, and ends after, its middle.
    pub span: u32,
    /// When each group splices (τ).
    pub splices: Vec<Splice>,
    /// What it costs (Φ).
    pub cost: f64,
    /// How much closer than the thickness it was allowed to come, metres.
    pub tolerance: f64,
}
