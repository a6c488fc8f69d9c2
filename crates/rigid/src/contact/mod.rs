//! Contact that lasts: where bodies touch, and what keeps them apart.
//!
//! Bounces that become ever smaller never end. Below a speed, a touch becomes
//! a contact: the bodies that it joins form an island, and the island is
//! stepped at a fixed rate by a solver for all its contacts at once, as one
//! more kind of event. A single ball on flat ground is not stepped: how it
//! slides and rolls is known in closed form.

mod linked;
mod rolling;
mod rule;
mod solver;
mod touches;

pub(crate) use linked::JointGroup;
pub(crate) use rolling::{Course, Rolling, Support, plan};
pub use rule::ContactRule;
pub(crate) use solver::{ContactConstraint, SolverBody, solve};
pub(crate) use touches::{MOST_PLACES, every_touch, touches};

use proscenium_bodies::glam::DVec3;

/// A contact that lasts: the impulses of its last step, by place.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PersistentContact {
    pub impulses: Vec<(u64, DVec3)>,
    /// Whether a body at rest has been woken by it: a new contact is a new
    /// load, an old one is not.
    pub has_woken: bool,
    /// Whether the two have pressed on each other: near each other they can be before.
    pub presses: bool,
    /// All places nearer than this took part in the last step, metres; zero if
    /// that is not known.
    pub reach: f64,
}

impl PersistentContact {
    /// The impulse on the second body at a place in the last step.
    pub(crate) fn impulse(&self, feature: u64) -> DVec3 {
        self.impulses.iter().find(|(place, _)| *place == feature).map_or(DVec3::ZERO, |(_, impulse)| *impulse)
    }
}
