//! The motion graph: which transitions there are, and where each can lead.

mod connect;
mod cycle;
mod stationary;

use crate::compressed::{CompressedEnsemble, CompressedParts};
use crate::data::Moment;
use crate::error::EnsembleError;
use crate::file::{FIRST_GRAPH, GRAPH};
use crate::transition::{Tally, Transition};

pub use connect::GraphReport;
pub(crate) use connect::{kept_within, leads_on, passes};
pub use cycle::Cycle;
pub use stationary::Stationary;

/// A place of the data where the walk decides: whether to take a transition or
/// to pass it by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Node {
    /// Where the transition would begin.
    pub at: Moment,
    /// The condition that it leaves.
    pub level: usize,
    /// The condition that it leads to.
    pub to_level: usize,
    /// The first node after it has been taken.
    pub taken: usize,
    /// The first node after it has been passed by, if the walk may do that.
    pub passed: Option<usize>,
    /// With which chance it is taken, in a walk that stays in the condition and may pass it.
    pub chance: f64,
    /// Frames from here until the next decision, if it is taken.
    pub taken_frames: u32,
    /// Frames from here until the next decision, if it is passed by.
    pub passed_frames: u32,
}

/// A mesh-ensemble motion graph: the data, the transitions, and how the walk
/// goes on after each.
///
/// All transitions that are kept can be walked for ever: within each condition
/// they form a strongly connected component, and the conditions that are kept
/// can be reached from each other.
#[derive(Clone, Debug)]
pub struct MotionGraph {
    data: CompressedEnsemble,
    transitions: Vec<Transition>,
    nodes: Vec<Node>,
    /// The nodes of each condition that lead to the same condition.
    within: Vec<Vec<usize>>,
    /// For each condition, frames from each node until the walk is there.
    away: Vec<Vec<Option<u32>>>,
    stationary: Vec<Option<Stationary>>,
    report: GraphReport,
    tally: Tally,
}

impl MotionGraph {
    /// Connects transitions to a graph, and leaves out those that lead where
    /// the walk could not go on.
    ///
    /// # Errors
    /// When nothing can be walked for ever, or a transition does not fit the
    /// data.
    pub fn new(data: CompressedEnsemble, transitions: Vec<Transition>, tally: Tally) -> Result<Self, EnsembleError> {
        connect::check(&data, &transitions)?;
        connect::connect(data, transitions, tally)
    }

    /// The same graph up to a level: what never leaves the weaker ones sweeps less, so that a
    /// field of it can be planted more densely.
    ///
    /// # Errors
    /// When nothing is left that can be walked for ever.
    pub fn up_to(&self, level: usize) -> Result<Self, EnsembleError> {
        let level_of = |moment: Moment| self.data.sequences()[moment.sequence as usize].condition;
        let is_within = |way: &&Transition| level_of(way.from) <= level && level_of(way.to) <= level;
        let within = self.transitions.iter().filter(is_within).cloned().collect();
        MotionGraph::new(self.data.clone(), within, self.tally)
    }

    /// The data.
    pub fn data(&self) -> &CompressedEnsemble {
        &self.data
    }

    /// The transitions that are kept.
    pub fn transitions(&self) -> &[Transition] {
        &self.transitions
    }

    /// What was left out, and why.
    pub fn report(&self) -> &GraphReport {
        &self.report
    }

    /// What finding the transitions came to.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The conditions that the walk can be in, from the weakest.
    pub fn levels(&self) -> impl Iterator<Item = usize> {
        (0..self.within.len()).filter(|&level| !self.within[level].is_empty())
    }

    /// How the walk is distributed over the data of a condition in the long
    /// run.
    pub fn stationary(&self, level: usize) -> Option<&Stationary> {
        self.stationary.get(level)?.as_ref()
    }

    /// The index of the condition with this name.
    ///
    /// # Errors
    /// A name that is not there, with those that are.
    pub fn level(&self, name: &str) -> Result<usize, EnsembleError> {
        let conditions = self.data.conditions();
        conditions.iter().position(|condition| condition.name == name).ok_or_else(|| EnsembleError::Unknown {
            what: "condition",
            name: name.to_owned(),
            known: conditions.iter().map(|condition| condition.name.as_str()).collect::<Vec<_>>().join(", "),
        })
    }

    /// How long it takes from one level to another, in the mean over all decisions and
    /// levels, seconds; none if there is but one.
    pub fn seconds_between_levels(&self) -> f64 {
        let others = self.levels().flat_map(|level| {
            let elsewhere = self.nodes.iter().zip(&self.away[level]).filter(move |(node, _)| node.level != level);
            elsewhere.filter_map(|(_, away)| *away)
        });
        let (count, sum) = others.fold((0_u32, 0.0), |(count, sum), away| (count + 1, sum + f64::from(away)));
        if count > 0 { sum / f64::from(count) / self.data.frames_per_second() } else { 0.0 }
    }

    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub(crate) fn away(&self, level: usize) -> &[Option<u32>] {
        &self.away[level]
    }

    /// The graph as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        GRAPH.seal(&(self.data.content(), &self.transitions, self.tally))
    }

    /// Reads such a file.
    ///
    /// # Errors
    /// When it is no such file, of another version, or damaged. Older graphs were tested
    /// with other blends than are played.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, EnsembleError> {
        if bytes.starts_with(FIRST_GRAPH) {
            return Err(GRAPH.damaged("it is of release 0.1, which tested other blends than are played").into());
        }
        let (data, transitions, tally): (CompressedParts, Vec<Transition>, Tally) = GRAPH.open(bytes)?;
        Self::new(CompressedEnsemble::new(data)?, transitions, tally)
    }
}
