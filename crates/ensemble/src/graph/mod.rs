//! The motion graph: which transitions there are, and where each can lead.

mod build;
mod connect;
mod journal;
mod make;
mod stationary;

use serde::{Deserialize, Serialize};

use crate::compressed::{Compressed, CompressedParts};
use crate::data::Moment;
use crate::error::EnsembleError;
use crate::file;
use crate::transition::{Tally, Transition};

pub use build::{BuildProgress, BuildSettings, Builder, Solved, Task, choose_settings};
pub use connect::GraphReport;
pub use journal::Journal;
pub use make::Making;
pub use stationary::Stationary;
pub(crate) use stationary::TAKEN;

/// What a motion graph begins with; the number is the format's version.
const GRAPH: &str = "proscenium motion graph 1\n";

/// A place of the data where the walk decides: whether to take a transition or
/// to pass it by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    data: Compressed,
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

#[derive(Serialize, Deserialize)]
struct GraphFile {
    data: CompressedParts,
    transitions: Vec<Transition>,
    tally: Tally,
}

impl MotionGraph {
    /// Connects transitions to a graph, and leaves out those that lead where
    /// the walk could not go on.
    ///
    /// # Errors
    /// When nothing can be walked for ever, or a transition does not fit the
    /// data.
    pub fn new(data: Compressed, transitions: Vec<Transition>, tally: Tally) -> Result<Self, EnsembleError> {
        connect::check(&data, &transitions)?;
        connect::connect(data, transitions, tally)
    }

    /// The data.
    pub fn data(&self) -> &Compressed {
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

    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub(crate) fn away(&self, level: usize) -> &[Option<u32>] {
        &self.away[level]
    }

    /// The graph as a file.
    ///
    /// # Errors
    /// Never for a graph that [`MotionGraph::new`] made.
    pub fn to_bytes(&self) -> Result<Vec<u8>, EnsembleError> {
        let graph =
            GraphFile { data: self.data.parts().clone(), transitions: self.transitions.clone(), tally: self.tally };
        file::write(GRAPH, &graph)
    }

    /// Reads such a file.
    ///
    /// # Errors
    /// When it is no such file, of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, EnsembleError> {
        let graph: GraphFile = file::read(GRAPH, "a motion graph", bytes)?;
        Self::new(Compressed::new(graph.data)?, graph.transitions, graph.tally)
    }
}
