//! One step of a Metropolis–Hastings chain at some temperature.

use proscenium_chance::Stream;
use proscenium_work::{Halt, Progress};
use serde::{Deserialize, Serialize};

use crate::error::DirectError;
use crate::model::{Current, Model, simulate, simulate_whole};
use crate::moves::Mix;
use crate::space::Point;

/// How often a move was proposed and accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveCount {
    /// How often it was made.
    pub proposed: u64,
    /// How often the chain went where it proposed.
    pub accepted: u64,
}

impl MoveCount {
    /// The share that was accepted; zero if it was never made.
    #[must_use]
    pub fn acceptance(self) -> f64 {
        if self.proposed == 0 { 0.0 } else { self.accepted as f64 / self.proposed as f64 }
    }

    pub(crate) fn add(&mut self, other: MoveCount) {
        self.proposed += other.proposed;
        self.accepted += other.accepted;
    }
}

/// What a run has cost, in simulations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effort {
    /// Simulations begun.
    pub simulations: u64,
    /// Those of them that were abandoned when they could not be accepted.
    pub abandoned: u64,
    /// Proposals that were refused or known without a simulation.
    pub skipped: u64,
}

impl Effort {
    pub(crate) fn add(&mut self, other: Effort) {
        self.simulations += other.simulations;
        self.abandoned += other.abandoned;
        self.skipped += other.skipped;
    }
}

/// What the steps of a chain share.
pub(crate) struct Stepper<'a, M: Model> {
    pub model: &'a M,
    pub mix: &'a Mix,
    /// Whether simulations may be abandoned.
    pub abandon: bool,
}

// Written out, since derived ones would ask the model to be copied.
impl<M: Model> Clone for Stepper<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: Model> Copy for Stepper<'_, M> {}

/// What the steps of a chain count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub moves: Vec<MoveCount>,
    pub effort: Effort,
}

impl Tally {
    pub fn new(moves: usize) -> Self {
        Self { moves: vec![MoveCount::default(); moves], effort: Effort::default() }
    }

    pub fn add(&mut self, other: &Tally) {
        self.effort.add(other.effort);
        self.moves.resize(self.moves.len().max(other.moves.len()), MoveCount::default());
        for (own, count) in self.moves.iter_mut().zip(&other.moves) {
            own.add(*count);
        }
    }
}

impl<M: Model> Stepper<'_, M> {
    /// Algorithm 2.1, lines 4 to 10, for the density p_w p_c^β. Says whether the
    /// chain went somewhere new.
    ///
    /// The acceptance variate is drawn before the simulation, so that the least
    /// score which would be accepted is known while it runs.
    pub fn step(
        &self,
        current: &mut Current<M::Outcome>,
        beta: f64,
        stream: &mut Stream,
        tally: &mut Tally,
        progress: &Progress,
    ) -> Result<bool, Halt<DirectError>> {
        // propose(A_c, A_i)
        let (picked, proposal) = self.mix.propose(self.model.space(), &current.point, stream);
        // u ← random(0, 1)
        let log_u = libm::log(stream.uniform());
        tally.moves[picked].proposed += 1;
        let Some(proposal) = proposal else {
            tally.effort.skipped += 1;
            return Ok(false);
        };
        if proposal.point == current.point {
            tally.effort.skipped += 1;
            tally.moves[picked].accepted += 1;
            return Ok(false);
        }
        self.model.space().check(&proposal.point)?;
        let needed = needed(current.log_score, beta, proposal.log_ratio, log_u);
        // simulate(A_c), and compare
        let candidate = self.attempt(proposal.point, needed, current, &mut tally.effort, progress)?;
        let Some(candidate) = candidate.filter(|candidate| candidate.log_score >= needed) else {
            return Ok(false);
        };
        tally.moves[picked].accepted += 1;
        *current = candidate;
        Ok(true)
    }

    /// Simulates as far as it is of use.
    fn attempt(
        &self,
        point: Point,
        needed: f64,
        current: &Current<M::Outcome>,
        effort: &mut Effort,
        progress: &Progress,
    ) -> Result<Option<Current<M::Outcome>>, Halt<DirectError>> {
        if self.abandon && needed > self.model.greatest_log_score() {
            effort.skipped += 1;
            return Ok(None);
        }
        effort.simulations += 1;
        let needed = if self.abandon { needed } else { f64::NEG_INFINITY };
        let simulated = simulate(self.model, point, needed, Some(current), progress)?;
        effort.abandoned += u64::from(simulated.is_none());
        Ok(simulated)
    }

    /// Where a chain begins, simulated to its end.
    pub fn begin(
        &self,
        stream: &mut Stream,
        effort: &mut Effort,
        progress: &Progress,
    ) -> Result<Current<M::Outcome>, Halt<DirectError>> {
        effort.simulations += 1;
        simulate_whole(self.model, self.model.space().begin(stream), progress)
    }

    /// A draw from the world's distribution, simulated to its end.
    pub fn fresh(
        &self,
        stream: &mut Stream,
        effort: &mut Effort,
        progress: &Progress,
    ) -> Result<Current<M::Outcome>, Halt<DirectError>> {
        effort.simulations += 1;
        simulate_whole(self.model, self.model.space().draw(stream), progress)
    }
}

/// The least log score c' with u < exp(β (c' − c)) · ratio.
fn needed(log_score: f64, beta: f64, log_ratio: f64, log_u: f64) -> f64 {
    let short = log_u - log_ratio;
    if beta > 0.0 {
        log_score + short / beta
    } else if short <= 0.0 {
        f64::NEG_INFINITY
    } else {
        f64::INFINITY
    }
}

/// A point with its score: what is stored of where a chain is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredPoint {
    pub point: Point,
    pub log_score: f64,
}

impl StoredPoint {
    pub fn of<Outcome>(current: &Current<Outcome>) -> Self {
        Self { point: current.point.clone(), log_score: current.log_score }
    }

    /// Simulates it again, and checks that it comes out as it did.
    pub fn restore<M: Model>(&self, model: &M, progress: &Progress) -> Result<Current<M::Outcome>, Halt<DirectError>> {
        model.space().check(&self.point)?;
        let current = simulate_whole(model, self.point.clone(), progress)?;
        if current.log_score.to_bits() != self.log_score.to_bits() {
            return Err(DirectError::Changed { stored: self.log_score, now: current.log_score }.into());
        }
        Ok(current)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_depends_on_the_temperature() {
        let half = libm::log(0.5);
        assert_eq!(needed(-3.0, 1.0, 0.0, half), -3.0 + half);
        assert_eq!(needed(-3.0, 0.5, 0.0, half), -3.0 + 2.0 * half);
        assert_eq!(needed(-3.0, 1.0, 1.0, half), -3.0 + half - 1.0);
        // At β = 0 the score does not matter, the ratio does.
        assert_eq!(needed(-3.0, 0.0, 0.0, half), f64::NEG_INFINITY);
        assert_eq!(needed(-3.0, 0.0, 2.0 * half, half), f64::INFINITY);
        // From an impossible animation, any other is accepted.
        assert_eq!(needed(f64::NEG_INFINITY, 1.0, 0.0, half), f64::NEG_INFINITY);
    }
}
