//! The paper's chain (Algorithm 2.1).

use proscenium_chance::Seed;
use serde::{Deserialize, Serialize};

use crate::error::DirectError;
use crate::model::{Current, Model};
use crate::moves::Mix;
use crate::space::Point;
use crate::step::{Effort, Kept, MoveCount, Stepper, Tally};

/// A single Metropolis–Hastings chain (Chenney 2000, Algorithm 2.1).
///
/// The numbers of iteration i of chain c come from a stream of their own, keyed
/// by the seed, c and i: a chain that is stopped and resumed is the same chain.
///
/// ```
/// use proscenium_chance::{Density, Seed};
/// use proscenium_direct::{Chain, Halt, Mix, Model, Request, Simulated, Space, VariableId};
///
/// struct Near { space: Space, x: VariableId }
/// impl Model for Near {
///     type Outcome = ();
///     fn space(&self) -> &Space { &self.space }
///     fn greatest_log_score(&self) -> f64 { 0.0 }
///     fn simulate(&self, request: &Request<'_, ()>) -> Result<Simulated<()>, Halt> {
///         let off = request.values.at(self.x) - 2.0;
///         Ok(Simulated { log_score: -0.5 * off * off, satisfied: off.abs() < 1.0, outcome: () })
///     }
/// }
///
/// let mut space = Space::new();
/// let group = space.group("all")?;
/// let x = space.variable(group, "x", Density::normal(0.0, 1.0)?)?;
/// let model = Near { space, x };
/// let mix = Mix::standard(model.space())?;
/// let mut chain = Chain::start(&model, &mix, Seed(1), 0)?;
/// let mut mean = 0.0;
/// for _ in 0..4000 {
///     chain.step()?;
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
    tally: Tally,
    current: Current<M::Outcome>,
}

/// A chain as it is kept: all that its continuation depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChainState {
    chain: u64,
    iteration: u64,
    kept: Kept,
    tally: Tally,
}

impl<'a, M: Model> Chain<'a, M> {
    /// A chain that starts from a draw of the world (lines 1 and 2).
    pub fn start(model: &'a M, mix: &'a Mix, seed: Seed, chain: u64) -> Result<Self, DirectError> {
        let stepper = Stepper { model, mix, abandon: true };
        let mut tally = Tally::new(mix.len());
        let current = stepper.fresh(&mut seed.stream("direct chain").at(chain).at(0), &mut tally.effort)?;
        Ok(Self { stepper, seed, chain, iteration: 0, tally, current })
    }

    /// Goes on from where a chain was kept.
    pub fn resume(model: &'a M, mix: &'a Mix, seed: Seed, state: &ChainState) -> Result<Self, DirectError> {
        let stepper = Stepper { model, mix, abandon: true };
        let current = state.kept.restore(model)?;
        let mut tally = Tally::new(mix.len());
        tally.add(&state.tally);
        Ok(Self { stepper, seed, chain: state.chain, iteration: state.iteration, tally, current })
    }

    /// Lets every simulation go to its end. The chain is the same.
    #[must_use]
    pub fn without_abandoning(mut self) -> Self {
        self.stepper.abandon = false;
        self
    }

    /// One iteration; whether it went to a new point.
    pub fn step(&mut self) -> Result<bool, DirectError> {
        self.iteration += 1;
        let mut stream = self.seed.stream("direct chain").at(self.chain).at(self.iteration);
        self.stepper.step(&mut self.current, 1.0, &mut stream, &mut self.tally)
    }

    /// All that its continuation depends on.
    #[must_use]
    pub fn state(&self) -> ChainState {
        ChainState {
            chain: self.chain,
            iteration: self.iteration,
            kept: Kept::of(&self.current),
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

    pub(crate) fn current(&self) -> &Current<M::Outcome> {
        &self.current
    }
}
