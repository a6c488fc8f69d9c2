//! Drawing until it fits.

use proscenium_chance::Seed;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::DirectError;
use crate::model::{Current, Model, simulate};
use crate::step::Effort;

/// Plain rejection: draws of the world, each accepted with the probability
/// exp(score − greatest score). Exact, and every sample independent.
///
/// Draw i has a stream of its own, so that the draws are the same for any
/// number of threads.
pub struct Rejection<'a, M: Model> {
    model: &'a M,
    seed: Seed,
    abandon: bool,
    state: RejectionState,
}

/// A rejection sampler as it is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RejectionState {
    /// How many draws were made.
    pub draws: u64,
    /// How many were accepted.
    pub accepted: u64,
    /// How many of these satisfy all wants.
    pub successes: u64,
    /// What they have cost.
    pub effort: Effort,
}

impl RejectionState {
    /// The chance of a draw to be accepted and to satisfy all wants, as far as
    /// is known; with no success yet, an upper bound that holds with a
    /// confidence of 95 %.
    #[must_use]
    pub fn chance(&self) -> f64 {
        let draws = self.draws.max(1) as f64;
        // None of n: (1 − p)^n = 0.05 at p ≈ 3 / n.
        if self.successes == 0 { (3.0 / draws).min(1.0) } else { self.successes as f64 / draws }
    }
}

/// What a draw has cost, and what it gave if it was accepted.
type Drawn<Outcome> = (Effort, Option<Current<Outcome>>);

/// An accepted draw.
pub(crate) struct Accepted<Outcome> {
    pub draw: u64,
    pub current: Current<Outcome>,
}

impl<'a, M: Model> Rejection<'a, M> {
    /// A sampler that starts with draw 0.
    pub fn start(model: &'a M, seed: Seed) -> Self {
        Self::resume(model, seed, RejectionState::default())
    }

    /// Goes on with the next draw.
    pub fn resume(model: &'a M, seed: Seed, state: RejectionState) -> Self {
        Self { model, seed, abandon: true, state }
    }

    /// Lets every simulation go to its end. The samples are the same.
    #[must_use]
    pub fn without_abandoning(mut self) -> Self {
        self.abandon = false;
        self
    }

    /// What is kept, and the counts.
    #[must_use]
    pub fn state(&self) -> &RejectionState {
        &self.state
    }

    /// Makes so many draws, on all threads; those accepted, in order.
    pub(crate) fn draw(&mut self, count: u64) -> Result<Vec<Accepted<M::Outcome>>, DirectError> {
        let first = self.state.draws;
        let draws: Result<Vec<_>, DirectError> =
            (first..first + count).into_par_iter().map(|index| self.one(index)).collect();
        let mut accepted = Vec::new();
        for (draw, (effort, current)) in (first..).zip(draws?) {
            self.state.effort.add(effort);
            if let Some(current) = current {
                self.state.accepted += 1;
                self.state.successes += u64::from(current.satisfied);
                accepted.push(Accepted { draw, current });
            }
        }
        self.state.draws = first + count;
        Ok(accepted)
    }

    fn one(&self, index: u64) -> Result<Drawn<M::Outcome>, DirectError> {
        let mut stream = self.seed.stream("direct rejection").at(index);
        let needed = self.model.greatest_log_score() + libm::log(stream.uniform());
        let point = self.model.space().draw(&mut stream);
        let limit = if self.abandon { needed } else { f64::NEG_INFINITY };
        let simulated = simulate(self.model, point, limit, None)?;
        let effort = Effort { simulations: 1, abandoned: u64::from(simulated.is_none()), skipped: 0 };
        Ok((effort, simulated.filter(|current| current.log_score >= needed)))
    }
}
