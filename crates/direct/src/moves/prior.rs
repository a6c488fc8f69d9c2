use proscenium_chance::Stream;

use super::{Move, Proposal};
use crate::space::{Point, Space};

/// A new draw of everything from the world's distribution: the paper's
/// *change-all*, with the ratio it should have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FromPrior {
    name: String,
}

impl FromPrior {
    /// The move, with its name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into() }
    }
}

impl Move for FromPrior {
    fn name(&self) -> &str {
        &self.name
    }

    fn propose(&self, space: &Space, _current: &Point, stream: &mut Stream) -> Option<Proposal> {
        Some(Proposal { point: space.draw(stream), log_ratio: 0.0 })
    }
}
