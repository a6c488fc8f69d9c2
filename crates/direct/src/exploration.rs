//! Looking near what was found.

use proscenium_chance::Seed;
use proscenium_work::{Halt, Progress, parallel};
use serde::{Deserialize, Serialize};

use crate::error::DirectError;
use crate::model::{Current, Model, simulate};
use crate::moves::Mix;
use crate::space::Point;
use crate::step::Effort;

/// Tries between two reports: as many simulations as a few scans of a ladder.
const TRIES: u64 = 64;
/// A try may score so much less than what it is a change of; further down it is
/// abandoned. A want that is missed costs 5 unless somebody says otherwise.
const LEEWAY: f64 = 5.0;

/// An animation that is known to meet all wants.
#[derive(Clone, Debug, PartialEq)]
pub struct Parent {
    /// Its point.
    pub point: Point,
    /// What it scores.
    pub log_score: f64,
}

/// How far an exploration is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExplorationState {
    /// How many tries were made.
    pub tries: u64,
    /// What they have cost.
    pub effort: Effort,
}

/// A try that meets all wants.
pub(crate) struct Discovery<Outcome> {
    pub number: u64,
    pub current: Current<Outcome>,
}

impl ExplorationState {
    /// Makes some more tries: each changes one of the parents by one move of the mix, and
    /// counts if it meets all wants. A search, which no distribution is promised of.
    ///
    /// Try i has a stream of its own, so that they are the same for any number of
    /// threads.
    pub(crate) fn explore<M: Model>(
        &mut self,
        (model, mix, seed): (&M, &Mix, Seed),
        parents: &[Parent],
        progress: &Progress,
    ) -> Result<Vec<Discovery<M::Outcome>>, Halt<DirectError>> {
        let (first, stream) = (self.tries, seed.stream("direct exploration"));
        let one = |index: usize| -> Result<_, Halt<DirectError>> {
            let number = first + index as u64;
            let mut stream = stream.at(number);
            let changed = stream.pick(parents).and_then(|parent| {
                let (_, proposal) = mix.propose(model.space(), &parent.point, &mut stream);
                Some((proposal?.point, parent.log_score - LEEWAY)).filter(|(point, _)| *point != parent.point)
            });
            let Some((point, needed)) = changed else {
                return Ok((number, Effort { skipped: 1, ..Effort::default() }, None));
            };
            let simulated = simulate(model, point, needed, None, progress)?;
            let effort = Effort { simulations: 1, abandoned: u64::from(simulated.is_none()), skipped: 0 };
            Ok((number, effort, simulated.filter(|current| current.satisfied)))
        };
        let tried = parallel::times(TRIES as usize, one).into_iter().collect::<Result<Vec<_>, _>>()?;
        let mut found = Vec::new();
        for (number, effort, current) in tried {
            self.effort.add(effort);
            found.extend(current.map(|current| Discovery { number, current }));
        }
        self.tries += TRIES;
        Ok(found)
    }
}
