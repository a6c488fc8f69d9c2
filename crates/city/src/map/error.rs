//! What can be wrong with a plan.

use std::borrow::Cow;

use proscenium_work::{ArtifactError, Halt, Remedy};

/// Why a map could not be built or read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MapError {
    /// There is nothing to drive on.
    #[error("the plan has no roads")]
    NoRoads,
    /// More than the numbers can name.
    #[error("the plan has too many {what}: at most {most} fit in one map")]
    TooMany {
        /// Junctions, roads, lanes or paths.
        what: &'static str,
        /// How many fit.
        most: u64,
    },
    /// A number is not finite, or not in its range.
    #[error("{what} of {place} is {value}")]
    Number {
        /// Which number.
        what: &'static str,
        /// The junction or road.
        place: String,
        /// What it is.
        value: f64,
        /// What would be right.
        remedy: &'static str,
    },
    /// Something refers to what is not there.
    #[error("{place} refers to {what} {number}, but there are {count}")]
    Unknown {
        /// What refers.
        place: String,
        /// A junction, a road, a lane.
        what: &'static str,
        /// The number it refers to.
        number: u64,
        /// How many there are.
        count: u64,
    },
    /// A road leads from a junction to itself.
    #[error("{place} starts and ends at junction {junction}")]
    Loop {
        /// The road.
        place: String,
        /// The junction.
        junction: u32,
    },
    /// A road without lanes.
    #[error("{place} has no lanes")]
    NoLanes {
        /// The road.
        place: String,
    },
    /// A road whose ends lie on each other.
    #[error("{place} is {length} m long: {least} m is the least")]
    TooShort {
        /// The road.
        place: String,
        /// Its length, metres.
        length: f64,
        /// The least length.
        least: f64,
    },
    /// A connection between roads that do not meet there.
    #[error("junction {junction} connects {place}, which does not meet it so")]
    NotAdjacent {
        /// The junction.
        junction: u32,
        /// The road and the lane.
        place: String,
    },
    /// Cars could enter a lane and never leave it.
    #[error("{place} leads to junction {junction}, from which no lane goes on")]
    NoWayOut {
        /// The road.
        place: String,
        /// Where it leads.
        junction: u32,
    },
    /// Lights that do not fit the junction.
    #[error("the lights of junction {junction} {what}")]
    Signals {
        /// The junction.
        junction: u32,
        /// What is wrong.
        what: String,
    },
    /// A file is no city.
    #[error(transparent)]
    File(#[from] ArtifactError),
}

impl Remedy for MapError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        Some(Cow::Borrowed(match self {
            Self::NoRoads => "add at least one",
            Self::TooMany { .. } => "divide the plan into several",
            Self::Number { remedy, .. } => remedy,
            Self::Unknown { .. } => "number from 0 on, in the order of the plan",
            Self::Loop { .. } => "put a junction in between",
            Self::NoLanes { .. } => "give it at least one, in one direction",
            Self::TooShort { .. } => "merge its junctions",
            Self::NotAdjacent { .. } => "connect lanes that end at the junction with lanes that start there",
            Self::NoWayOut { .. } => "add a way out, or keep only the connected part",
            Self::Signals { .. } => "mend its phases, or leave them out for a plain programme",
            Self::File(error) => return error.remedy(),
        }))
    }
}

impl From<MapError> for Halt<MapError> {
    fn from(error: MapError) -> Self {
        Self::Failed(error)
    }
}
