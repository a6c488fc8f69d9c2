//! What the compiler learned of a system.

use serde::{Deserialize, Serialize};

use crate::compile::cells::Grid;
use crate::compile::maps::Map;
use crate::compile::periodic::Periodic;
use crate::compile::stationary::Distribution;
use crate::system::State;

/// What is known of a system, so that it costs nothing out of view.
///
/// Made by [`compile`](crate::compile()).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearnedBehaviour {
    pub(crate) grid: Grid,
    /// Between states that are computed ahead, seconds.
    pub(crate) buffer_step: f64,
    pub(crate) behaviour: Behaviour,
    pub(crate) findings: Findings,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Behaviour {
    /// A plain function of time.
    ClosedForm,
    /// It comes around for ever.
    Periodic(Periodic),
    /// It can be approximated, and perhaps forgets.
    Forgetful(Forgetful),
}

/// The most steps that a jump leaps over: longer ones are never better than a
/// chain.
pub(crate) const LONGEST_JUMP: u32 = 128;

/// A system whose past matters less and less.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Forgetful {
    /// The shortest jump: the period of the forcing, or a step of its own.
    pub step: f64,
    /// Whether jumps must begin at whole multiples of the step.
    pub is_forced: bool,
    /// From here on jumps are used, seconds out of view.
    pub medium: f64,
    /// From here on nothing is remembered, seconds out of view; `None` if the
    /// system never forgets.
    pub long: Option<f64>,
    /// Longest first.
    pub jumps: Vec<Jump>,
    pub distribution: Distribution,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Jump {
    /// How many steps it leaps over.
    pub steps: u32,
    pub map: Map,
}

/// What was found on the way, for reports.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// The names of the variables.
    pub variables: Vec<String>,
    /// The range of each variable once the start is forgotten.
    pub ranges: Vec<(f64, f64)>,
    /// How many cells carry the important share of the time.
    pub important_cells: usize,
    /// That share.
    pub important: f64,
    /// The time after which the paper's own criterion would forget, seconds.
    pub paper_long: Option<f64>,
    /// For each number of steps the mean L1 distance of clouds from the
    /// stationary distribution, and what chance alone would make of it.
    pub convergence: Vec<(f64, f64, f64)>,
    /// Approximations that were tried, with their error and their cost.
    pub candidates: Vec<Candidate>,
    /// States of the stationary distribution, for pictures: at most two
    /// variables of each.
    pub cloud: Vec<(f32, f32)>,
    /// The spreading of the cloud of one cell: after so many seconds, states.
    pub spreading: Vec<(f64, Vec<(f32, f32)>)>,
    /// For each example of the shortest jump: start, and error of what was
    /// chosen, both of at most two variables.
    pub errors: Vec<((f32, f32), f32)>,
    /// Outputs whose distribution should match: name, largest difference of the
    /// distribution functions, and what the author allows.
    pub statistics: Vec<(String, f64, f64)>,
    /// Simulated seconds that the compiler ran through.
    pub simulated_s: f64,
}

/// An approximation that was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// How far it jumps, seconds.
    pub jump_s: f64,
    /// What it is.
    pub name: String,
    /// Largest difference of the distribution functions of where it ends and
    /// where the complete model ends, over variables, averaged over cells.
    pub error: f64,
    /// Rough cost, in additions.
    pub cost: f64,
    /// Whether it was chosen.
    pub chosen: bool,
}

/// How much a state that comes back into view is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Regime {
    /// By the complete model.
    Complete,
    /// By approximations, finished by the complete model.
    Approximate,
    /// By a sample of what is usual.
    Sampled,
}

impl Forgetful {
    /// Whether the tables have the sizes they should have.
    pub(crate) fn is_sound(&self, grid: &Grid) -> bool {
        let dimensions = grid.axes.len();
        let leaves = &self.distribution.leaves;
        let states = self.distribution.states.len();
        let leaf = |leaf: &crate::compile::stationary::Leaf| {
            let end = u64::from(leaf.first) + u64::from(leaf.count);
            leaf.count > 0 && leaf.cumulative.is_finite() && end * dimensions as u64 <= states as u64
        };
        let times = self.step > 0.0 && self.step.is_finite() && self.medium >= 0.0;
        times
            && self.long.is_none_or(f64::is_finite)
            && leaves.iter().all(leaf)
            && leaves.is_sorted_by(|a, b| a.cumulative <= b.cumulative)
            && self.jumps.iter().all(|jump| (1..=LONGEST_JUMP).contains(&jump.steps) && jump.map.is_sound(grid))
            && self.jumps.is_sorted_by(|a, b| a.steps >= b.steps)
    }
}

impl LearnedBehaviour {
    /// What was found on the way.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// After how long the system comes around, if it does.
    pub fn period(&self) -> Option<f64> {
        match &self.behaviour {
            Behaviour::Periodic(periodic) => Some(periodic.period),
            _ => None,
        }
    }

    /// From how long out of view on approximations are used, seconds.
    pub fn medium(&self) -> Option<f64> {
        match &self.behaviour {
            Behaviour::ClosedForm => None,
            Behaviour::Periodic(periodic) => Some(periodic.medium()),
            Behaviour::Forgetful(forgetful) => Some(forgetful.medium),
        }
    }

    /// From how long out of view on nothing is remembered, seconds; `None` for
    /// systems that never forget.
    pub fn long(&self) -> Option<f64> {
        match &self.behaviour {
            Behaviour::Forgetful(forgetful) => forgetful.long,
            _ => None,
        }
    }

    /// How many approximations there are.
    pub fn approximations(&self) -> usize {
        match &self.behaviour {
            Behaviour::ClosedForm => 0,
            Behaviour::Periodic(_) => 1,
            Behaviour::Forgetful(forgetful) => forgetful.jumps.len(),
        }
    }

    /// The states over one period, at so many equal times from its beginning, with
    /// the seconds since; none if the system does not come around.
    pub fn orbit(&self, times: u32) -> Vec<(f64, State)> {
        let Behaviour::Periodic(periodic) = &self.behaviour else {
            return Vec::new();
        };
        let Some(orbit) = periodic.orbits.first() else {
            return Vec::new();
        };
        let at = |index: u32| {
            let part = f64::from(index) / f64::from(times);
            (part * periodic.period, orbit.state(&self.grid, part))
        };
        (0..times).map(at).collect()
    }

    /// The jumps, shortest first: seconds and what approximates them.
    pub fn jumps(&self) -> Vec<(f64, String)> {
        match &self.behaviour {
            Behaviour::Forgetful(forgetful) => {
                let each = forgetful.jumps.iter().rev();
                each.map(|jump| (f64::from(jump.steps) * forgetful.step, jump.map.name())).collect()
            }
            _ => Vec::new(),
        }
    }

    /// How much of each variable a viewer is taken not to tell: the sides of a
    /// cell.
    pub fn uncertainty(&self) -> Vec<f64> {
        self.grid.axes.iter().map(|axis| axis.width()).collect()
    }

    /// What is done for a system that was out of view for so long.
    pub fn regime(&self, seconds: f64) -> Regime {
        if self.long().is_some_and(|long| seconds > long) {
            Regime::Sampled
        } else if self.medium().is_some_and(|medium| seconds > medium) {
            Regime::Approximate
        } else {
            Regime::Complete
        }
    }
}
