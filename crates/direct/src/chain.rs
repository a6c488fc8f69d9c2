//! A chain of animations (Chenney 2000, Algorithm 2.1).

use proscenium_chance::Seed;
use proscenium_work::{Completion, Finish as _, Halt, Progress};
use serde::{Deserialize, Serialize};

use crate::error::DirectError;
use crate::model::{Current, Model};
use crate::moves::Mix;
use crate::space::Point;
use crate::step::{Effort, MoveCount, Stepper, StoredPoint, Tally};

/// A single Metropolis–Hastings chain (Chenney 2000, Algorithm 2.1).
///
/// The numbers of iteration i of chain c come from a stream of their own, keyed
/// by the seed, c and i: a chain that is stopped and resumed is the same chain.
///
/// ```
/// use proscenium_chance::{Density, Seed};
/// use proscenium_direct::chain::Chain;
/// use proscenium_direct::{Abandon, Evaluation, Mix, Model, Request, Space, VariableId};
/// use proscenium_work::Progress;
///
/// struct Near { space: Space, x: VariableId }
/// impl Model for Near {
///     type Outcome = ();
///     fn space(&self) -> &Space { &self.space }
///     fn greatest_log_score(&self) -> f64 { 0.0 }
///     fn simulate(&self, request: &Request<'_, ()>) -> Result<Evaluation<()>, Abandon> {
///         let off = request.values.at(self.x) - 2.0;
///         Ok(Evaluation { log_score: -0.5 * off * off, satisfied: off.abs() < 1.0, outcome: () })
///     }
/// }
///
/// let mut space = Space::new();
/// let group = space.group("all")?;
/// let x = space.variable(group, "x", Density::normal(0.0, 1.0)?)?;
/// let model = Near { space, x };
/// let mix = Mix::standard(model.space())?;
/// let progress = Progress::none();
/// let mut chain = Chain::start(&model, &mix, Seed(1), 0, &progress)?.finished().expect("nobody stops it");
/// let mut mean = 0.0;
/// for _ in 0..4000 {
///     chain.step(&progress)?.finished().expect("nobody stops it");
///     mean += chain.values().at(x) / 4000.0;
/// }
/// // Half-way between what the world and what the author says.
/// assert!((mean - 1.0).abs() < 0.15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Chain<'a, M: Model> {
    stepper: Stepper<'a, M>,
    seed: Seed,
    chain: u64,
    iteration: u64,
    /// Where it is it has been since this iteration; where it started, since the first.
    since: u64,
    tally: Tally,
    current: Current<M::Outcome>,
}

// Written out, since a derived one would ask the model to be cloned.
impl<M: Model> Clone for Chain<'_, M> {
    fn clone(&self) -> Self {
        let (stepper, seed, chain) = (self.stepper, self.seed, self.chain);
        let (iteration, since) = (self.iteration, self.since);
        Self { stepper, seed, chain, iteration, since, tally: self.tally.clone(), current: self.current.clone() }
    }
}

/// A chain as it is stored: all that its continuation depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChainState {
    chain: u64,
    iteration: u64,
    since: u64,
    kept: StoredPoint,
    tally: Tally,
}

impl<'a, M: Model> Chain<'a, M> {
    /// A chain that starts from a draw of the world (lines 1 and 2), or from what is given.
    ///
    /// # Errors
    /// When the model fails.
    pub fn start(
        model: &'a M,
        mix: &'a Mix,
        seed: Seed,
        chain: u64,
        progress: &Progress,
    ) -> Result<Completion<Self>, DirectError> {
        Self::try_start(model, mix, seed, chain, progress).finish()
    }

    pub(crate) fn try_start(
        model: &'a M,
        mix: &'a Mix,
        seed: Seed,
        chain: u64,
        progress: &Progress,
    ) -> Result<Self, Halt<DirectError>> {
        let stepper = Stepper { model, mix, abandon: true };
        let mut tally = Tally::new(mix.len());
        let current = stepper.begin(&mut seed.stream("direct chain").at(chain).at(0), &mut tally.effort, progress)?;
        Ok(Self { stepper, seed, chain, iteration: 0, since: 1, tally, current })
    }

    /// Goes on from where a chain was stored.
    ///
    /// # Errors
    /// When the state is of another model, or the model fails.
    pub fn resume(
        model: &'a M,
        mix: &'a Mix,
        seed: Seed,
        state: &ChainState,
        progress: &Progress,
    ) -> Result<Completion<Self>, DirectError> {
        Self::try_resume(model, mix, seed, state, progress).finish()
    }

    pub(crate) fn try_resume(
        model: &'a M,
        mix: &'a Mix,
        seed: Seed,
        state: &ChainState,
        progress: &Progress,
    ) -> Result<Self, Halt<DirectError>> {
        let stepper = Stepper { model, mix, abandon: true };
        let current = state.kept.restore(model, progress)?;
        let mut tally = Tally::new(mix.len());
        tally.add(&state.tally);
        let ChainState { chain, iteration, since, .. } = *state;
        Ok(Self { stepper, seed, chain, iteration, since, tally, current })
    }

    /// Lets every simulation go to its end. The chain is the same.
    #[must_use]
    pub fn without_abandoning(mut self) -> Self {
        self.stepper.abandon = false;
        self
    }

    /// One iteration; whether it went to a new point. One that is stopped has
    /// not been made.
    ///
    /// # Errors
    /// When the model fails.
    pub fn step(&mut self, progress: &Progress) -> Result<Completion<bool>, DirectError> {
        self.try_step(progress).finish()
    }

    pub(crate) fn try_step(&mut self, progress: &Progress) -> Result<bool, Halt<DirectError>> {
        let mut stream = self.seed.stream("direct chain").at(self.chain).at(self.iteration + 1);
        let mut tally = Tally::new(self.tally.moves.len());
        let is_new = self.stepper.step(&mut self.current, 1.0, &mut stream, &mut tally, progress)?;
        self.tally.add(&tally);
        self.iteration += 1;
        if is_new {
            self.since = self.iteration;
        }
        Ok(is_new)
    }

    /// All that its continuation depends on.
    #[must_use]
    pub fn state(&self) -> ChainState {
        ChainState {
            chain: self.chain,
            iteration: self.iteration,
            since: self.since,
            kept: StoredPoint::of(&self.current),
            tally: self.tally.clone(),
        }
    }

    /// The number of the chain.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.chain
    }

    /// How many steps were made.
    #[must_use]
    pub fn iteration(&self) -> u64 {
        self.iteration
    }

    /// Where it is.
    #[must_use]
    pub fn point(&self) -> &Point {
        &self.current.point
    }

    /// Where it is, in natural units.
    #[must_use]
    pub fn values(&self) -> &crate::space::Values {
        &self.current.values
    }

    /// What came of it.
    #[must_use]
    pub fn outcome(&self) -> &M::Outcome {
        &self.current.outcome
    }

    /// log p_c of where it is.
    #[must_use]
    pub fn log_score(&self) -> f64 {
        self.current.log_score
    }

    /// Whether all wants are met.
    #[must_use]
    pub fn satisfied(&self) -> bool {
        self.current.satisfied
    }

    /// How often each move was made and accepted, in the order of the mix.
    #[must_use]
    pub fn move_counts(&self) -> &[MoveCount] {
        &self.tally.moves
    }

    /// What it has cost.
    #[must_use]
    pub fn effort(&self) -> Effort {
        self.tally.effort
    }

    /// Since which iteration it has been where it is.
    pub(crate) fn since(&self) -> u64 {
        self.since
    }

    pub(crate) fn current(&self) -> &Current<M::Outcome> {
        &self.current
    }
}
