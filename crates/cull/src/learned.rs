//! What the compiler learned of a system.

use proscenium_chance::Seed;
use serde::{Deserialize, Serialize};

use crate::compile::cells::Grid;
use crate::compile::maps::Map;
use crate::compile::periodic::Periodic;
use crate::compile::phases::Phase;
use crate::compile::stationary::Distribution;
use crate::system::{State, System};

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
    /// It was recorded: the recording knows where it goes on.
    Recorded(RecordedRegimes),
}

/// From when on a recorded motion is not simply played on, seconds out of view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RecordedRegimes {
    /// From here on another stretch goes on that was alike.
    pub medium: f64,
    /// From here on any.
    pub long: Option<f64>,
    /// After how long it comes around, if it is a loop.
    pub period: Option<f64>,
}

impl RecordedRegimes {
    pub(crate) fn is_sound(&self) -> bool {
        let is_time = |time: f64| time > 0.0 && time.is_finite();
        self.medium >= 0.0 && self.long.is_none_or(is_time) && self.period.is_none_or(is_time)
    }
}

/// So many states stand for all in which a system is found, at the beginnings of so many
/// periods of its forcing.
const USUAL_STATES: u32 = 512;
const USUAL_ROUNDS: u32 = 64;

/// What never forgets is brought back by jumps after so long at most, seconds: as long as they
/// are judged. A chain of jumps is a little off in each, and after days by anything.
pub(crate) const LONGEST_CHAIN: f64 = 1800.0;

/// A system that is driven otherwise than it was learned is followed for at
/// least this long, seconds. Chosen.
const LEAST_FOLLOWED: f64 = 60.0;

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
    /// The phases of a forcing after 0 at which something was learned, in order: its period
    /// is cut into equal parts.
    pub phases: Vec<Phase>,
    /// The energy that all states keep, if the system keeps one.
    pub energy: Option<f64>,
}

/// States whose energy differs by more than this share are none that were learned from.
pub(crate) const SAME_ENERGY: f64 = 0.01;

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
    /// For each number of steps the distance of clouds from the stationary distribution,
    /// as an L1 distance without what chance makes of it: of the average cell, of the one
    /// that four of five are nearer than, and of the worst.
    pub convergence: Vec<(f64, f64, f64, f64)>,
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
    /// Returns into view that were held against the complete model at the end.
    pub trials: Vec<Trial>,
    /// Whether starts stay apart for good: in basins, or on islands.
    pub stays_apart: bool,
    /// What the motion was found to keep, if nobody said it: an expression of its variables.
    pub keeps: Option<String>,
    /// Why the complete model is run however long nobody looks, if it is.
    pub complete_because: Option<String>,
    /// Simulated seconds that the compiler ran through.
    pub simulated_s: f64,
}

/// Returns into view after one time out of it, from states that nothing was learned
/// from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The time out of view, seconds.
    pub gap_s: f64,
    /// How they came back.
    pub regime: Regime,
    /// The largest difference of distribution functions from the complete model, over
    /// all sightings.
    pub difference: f64,
    /// Whether that was too little to be told.
    pub used: bool,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Regime {
    /// By the complete model.
    Complete,
    /// By approximations, finished by the complete model.
    Approximate,
    /// By a sample of what is usual.
    Sampled,
}

impl Forgetful {
    /// A system that is run by the complete model, however long nobody looks.
    pub(crate) fn complete(step: f64) -> Self {
        let distribution = Distribution { leaves: Vec::new(), states: Vec::new() };
        Self {
            step,
            is_forced: false,
            medium: f64::INFINITY,
            long: None,
            jumps: Vec::new(),
            distribution,
            phases: Vec::new(),
            energy: None,
        }
    }

    /// The seconds between two phases.
    pub(crate) fn part(&self) -> f64 {
        self.step / (self.phases.len() + 1) as f64
    }

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
            && self.energy.is_none_or(f64::is_finite)
            && leaves.iter().all(leaf)
            && leaves.is_sorted_by(|a, b| a.cumulative <= b.cumulative)
            && self.jumps.iter().all(|jump| (1..=LONGEST_JUMP).contains(&jump.steps) && jump.map.is_sound(grid))
            && self.phases.iter().all(|phase| phase.is_sound(grid, states))
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
            Behaviour::Recorded(recorded) => recorded.period,
            _ => None,
        }
    }

    /// From how long out of view on approximations are used, seconds.
    pub fn medium(&self) -> Option<f64> {
        match &self.behaviour {
            Behaviour::ClosedForm => None,
            Behaviour::Periodic(periodic) => Some(periodic.medium()),
            Behaviour::Forgetful(forgetful) => Some(forgetful.medium),
            Behaviour::Recorded(recorded) => Some(recorded.medium),
        }
    }

    /// From how long out of view on nothing is remembered, seconds; `None` for
    /// systems that never forget.
    pub fn long(&self) -> Option<f64> {
        match &self.behaviour {
            Behaviour::Forgetful(forgetful) => forgetful.long,
            Behaviour::Recorded(recorded) => recorded.long,
            _ => None,
        }
    }

    /// Whether the complete model is run however long nobody looks: nothing that was
    /// learned is good enough, or nothing could be.
    pub fn is_complete(&self) -> bool {
        matches!(&self.behaviour, Behaviour::Forgetful(forgetful) if forgetful.medium.is_infinite())
    }

    /// How many approximations there are.
    pub fn approximations(&self) -> usize {
        match &self.behaviour {
            Behaviour::ClosedForm => 0,
            Behaviour::Periodic(_) | Behaviour::Recorded(_) => 1,
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

    /// Whether a state has another energy than those that were learned from.
    pub(crate) fn is_elsewhere(&self, system: &dyn System, state: &State, time: f64) -> bool {
        let Behaviour::Forgetful(Forgetful { energy: Some(level), .. }) = &self.behaviour else {
            return false;
        };
        let is_near = |energy: f64| (energy - level).abs() <= SAME_ENERGY * level.abs().max(1.0);
        system.energy(state, time).is_some_and(|energy| !is_near(energy))
    }

    /// For how long a system may remember that is driven otherwise than it was learned,
    /// seconds: how soon it forgets then is not known; surely after several times as long.
    pub(crate) fn memory(&self) -> f64 {
        let memory = self.long().unwrap_or(f64::INFINITY).max(self.medium().unwrap_or(0.0));
        LEAST_FOLLOWED.max(4.0 * memory)
    }

    /// Whether a system that forgets is not where it lives.
    pub(crate) fn is_outside(&self, state: &State) -> bool {
        matches!(self.behaviour, Behaviour::Forgetful(_)) && self.grid.cell(state).is_none()
    }

    /// The shortest jump, seconds.
    pub(crate) fn step(&self) -> f64 {
        match &self.behaviour {
            Behaviour::Forgetful(forgetful) => forgetful.step,
            _ => self.period().unwrap_or(1.0),
        }
    }

    /// States in which the system is usually found, each with a time at which it may be there;
    /// none if none are known.
    pub(crate) fn usual(&self, seed: Seed) -> Vec<(State, f64)> {
        let Behaviour::Forgetful(forgetful) = &self.behaviour else {
            return self.orbit(USUAL_STATES).into_iter().map(|(seconds, state)| (state, seconds)).collect();
        };
        let mut stream = seed.stream("usual");
        let samples = (0..USUAL_STATES).filter_map(|index| {
            let state = forgetful.distribution.sample(&self.grid, &mut stream)?;
            Some((state, f64::from(index % USUAL_ROUNDS) * forgetful.step))
        });
        samples.collect()
    }

    /// How much of each variable a viewer is taken not to tell: the sides of a
    /// cell.
    pub fn uncertainty(&self) -> Vec<f64> {
        self.grid.axes.iter().map(|axis| axis.unsure()).collect()
    }

    /// After how long out of view jumps are no longer used, seconds.
    pub(crate) fn longest_chain(&self) -> f64 {
        match &self.behaviour {
            Behaviour::Forgetful(Forgetful { long: None, .. }) => LONGEST_CHAIN,
            _ => f64::INFINITY,
        }
    }

    /// What is done for a system that was out of view for so long.
    pub fn regime(&self, seconds: f64) -> Regime {
        if self.long().is_some_and(|long| seconds > long) {
            Regime::Sampled
        } else if seconds > self.longest_chain() {
            Regime::Complete
        } else if self.medium().is_some_and(|medium| seconds > medium) {
            Regime::Approximate
        } else {
            Regime::Complete
        }
    }
}
