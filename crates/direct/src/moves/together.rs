use proscenium_chance::Stream;

use super::{Move, Proposal};
use crate::error::DirectError;
use crate::space::{Point, Space};

/// Several moves, one after the other, as one proposal.
///
/// They are made in the order given or in the reverse order, with equal
/// chances: the way back undoes them last to first, and must be as likely as the
/// way there. The ratios multiply, since what is between cancels.
pub struct Together {
    name: String,
    moves: Vec<Box<dyn Move>>,
}

impl Together {
    /// The moves as one, with a name.
    pub fn new(name: impl Into<String>, moves: Vec<Box<dyn Move>>) -> Result<Self, DirectError> {
        let name = name.into();
        if moves.is_empty() { Err(DirectError::EmptyMove { name }) } else { Ok(Self { name, moves }) }
    }
}

impl Move for Together {
    fn name(&self) -> &str {
        &self.name
    }

    fn propose(&self, space: &Space, current: &Point, stream: &mut Stream) -> Option<Proposal> {
        let backwards = stream.uniform() < 0.5;
        let mut proposal = Proposal { point: current.clone(), log_ratio: 0.0 };
        for index in 0..self.moves.len() {
            let index = if backwards { self.moves.len() - 1 - index } else { index };
            let next = self.moves[index].propose(space, &proposal.point, stream)?;
            proposal = Proposal { point: next.point, log_ratio: proposal.log_ratio + next.log_ratio };
        }
        Some(proposal)
    }
}
