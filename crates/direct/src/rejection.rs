//! Drawing until it fits.

use proscenium_chance::Seed;
use proscenium_work::{Halt, Progress, parallel};
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

// Written out, since a derived one would ask the model to be cloned.
impl<M: Model> Clone for Rejection<'_, M> {
    fn clone(&self) -> Self {
        Self { model: self.model, seed: self.seed, abandon: self.abandon, state: self.state.clone() }
    }
}

/// A rejection sampler as it is stored.
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
type Attempt<Outcome> = (Effort, Option<Current<Outcome>>);

/// A draw that was accepted.
pub(crate) struct Acceptance<Outcome> {
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

    /// What is stored, and the counts.
    #[must_use]
    pub fn state(&self) -> &RejectionState {
        &self.state
    }

    /// Makes so many draws, on all threads; those accepted, in order. Draws that
    /// are stopped have not been made.
    pub(crate) fn draw(
        &mut self,
        count: u64,
        progress: &Progress,
    ) -> Result<Vec<Acceptance<M::Outcome>>, Halt<DirectError>> {
        let first = self.state.draws;
        let draws = parallel::times(count as usize, |index| self.one(first + index as u64, progress));
        let draws = draws.into_iter().collect::<Result<Vec<_>, _>>();
        let mut accepted = Vec::new();
        for (draw, (effort, current)) in (first..).zip(draws?) {
            self.state.effort.add(effort);
            if let Some(current) = current {
                self.state.accepted += 1;
                self.state.successes += u64::from(current.satisfied);
                accepted.push(Acceptance { draw, current });
            }
        }
        self.state.draws = first + count;
        Ok(accepted)
    }

    fn one(&self, index: u64, progress: &Progress) -> Result<Attempt<M::Outcome>, Halt<DirectError>> {
        let mut stream = self.seed.stream("direct rejection").at(index);
        let needed = self.model.greatest_log_score() + libm::log(stream.uniform());
        let point = self.model.space().draw(&mut stream);
        let limit = if self.abandon { needed } else { f64::NEG_INFINITY };
        let simulated = simulate(self.model, point, limit, None, progress)?;
        let effort = Effort { simulations: 1, abandoned: u64::from(simulated.is_none()), skipped: 0 };
        Ok((effort, simulated.filter(|current| current.log_score >= needed)))
    }
}
