//! One command for all methods: which runs, and why.

mod choice;

pub use choice::{Choice, Method};

use proscenium_chance::Seed;
use serde::{Deserialize, Serialize};

use crate::chain::{Chain, ChainState};
use crate::error::DirectError;
use crate::model::{Current, Model};
use crate::moves::Mix;
use crate::population::{Population, PopulationOptions, PopulationState};
use crate::rejection::{Rejection, RejectionState};
use crate::space::Point;
use crate::step::{Effort, MoveCount};
use crate::tempering::{Round, Tempering, TemperingOptions, TemperingState};
use rayon::prelude::*;

/// Draws of the world between two reports of a rejection sampler.
const DRAWS: u64 = 256;
/// Iterations of each chain between two reports.
const ITERATIONS: u64 = 64;
/// Scans of each ladder between two reports.
const SCANS: u64 = 8;

/// How a run is made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SamplerOptions {
    /// The method; left open, what the chance of success asks for.
    pub method: Option<Method>,
    /// How many chains or ladders run beside each other.
    pub chains: u64,
    /// How many iterations of a chain are for finding its way.
    pub warm_up: u64,
    /// How tempering is done.
    pub tempering: TemperingOptions,
    /// How populations are led.
    pub population: PopulationOptions,
    /// Whether simulations are abandoned when they cannot be accepted.
    pub abandon: bool,
}

impl Default for SamplerOptions {
    fn default() -> Self {
        Self {
            method: None,
            chains: 2,
            warm_up: 1000,
            tempering: TemperingOptions::default(),
            population: PopulationOptions::default(),
            abandon: true,
        }
    }
}

/// One animation of the run, as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// How it was drawn.
    pub method: Method,
    /// Which chain, ladder or population it is from.
    pub chain: u64,
    /// Where in it: the draw, iteration, scan or particle.
    pub iteration: u64,
    /// Its variables.
    pub point: Point,
    /// log p_c.
    pub log_score: f64,
    /// Whether it is from before the run had settled: it meets the wants as
    /// well as any, but such samples together are not distributed as they
    /// should be.
    pub warm_up: bool,
}

/// A sample that satisfies all wants, with what came of it.
#[derive(Clone, Debug)]
pub struct Found<Outcome> {
    /// The sample.
    pub sample: Sample,
    /// Its outcome.
    pub outcome: Outcome,
}

/// Where a chain is at one iteration, whether or not the wants are met there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Draw {
    /// How it was drawn.
    pub method: Method,
    /// Which chain, ladder or population.
    pub chain: u64,
    /// Where in it.
    pub iteration: u64,
    /// Whether the run had not settled yet.
    pub warm_up: bool,
    /// log p_c.
    pub log_score: f64,
    /// log p_w + log p_c.
    pub log_density: f64,
    /// Whether all wants are met.
    pub satisfied: bool,
    /// The numbers of the outcome that the model names.
    pub quantities: Vec<f64>,
}

/// What a run has given since the last report.
#[derive(Clone, Debug)]
pub struct Batch<Outcome> {
    /// New animations that satisfy all wants.
    pub found: Vec<Found<Outcome>>,
    /// Every iteration.
    pub draws: Vec<Draw>,
}

impl<Outcome> Default for Batch<Outcome> {
    fn default() -> Self {
        Self { found: Vec::new(), draws: Vec::new() }
    }
}

impl<Outcome: Clone> Batch<Outcome> {
    fn push<M: Model<Outcome = Outcome>>(
        &mut self,
        model: &M,
        current: &Current<Outcome>,
        (method, chain, iteration): (Method, u64, u64),
        warm_up: bool,
        is_new: bool,
    ) {
        self.draws.push(Draw {
            method,
            chain,
            iteration,
            warm_up,
            log_score: current.log_score,
            log_density: model.space().log_density(&current.point) + current.log_score,
            satisfied: current.satisfied,
            quantities: model.measure(&current.outcome),
        });
        if is_new && current.satisfied {
            let (point, log_score) = (current.point.clone(), current.log_score);
            let sample = Sample { method, chain, iteration, point, log_score, warm_up };
            self.found.push(Found { sample, outcome: current.outcome.clone() });
        }
    }
}

/// A run: any method, resumable, the same for any number of threads.
///
/// Ask for batches until there is enough; keep [`state`](Sampler::state) with
/// what a batch holds, and [`resume`](Sampler::resume) from it: the run goes on
/// as if it had never stopped.
///
/// ```
/// use proscenium_chance::{Density, Seed};
/// use proscenium_direct::{
///     Halt, Method, Mix, Model, Request, Sampler, SamplerOptions, Simulated, Space, VariableId,
/// };
///
/// /// Two dice that should show six.
/// struct Sixes { space: Space, dice: [VariableId; 2] }
/// impl Model for Sixes {
///     type Outcome = [f64; 2];
///     fn space(&self) -> &Space { &self.space }
///     fn greatest_log_score(&self) -> f64 { 0.0 }
///     fn simulate(&self, request: &Request<'_, [f64; 2]>) -> Result<Simulated<[f64; 2]>, Halt> {
///         let faces = self.dice.map(|die| request.values.at(die));
///         let missing = faces.iter().filter(|face| **face < 6.0).count();
///         Ok(Simulated { log_score: -5.0 * missing as f64, satisfied: missing == 0, outcome: faces })
///     }
/// }
///
/// let mut space = Space::new();
/// let throw = space.group("throw")?;
/// let face = Density::discrete((1..=6).map(|face| (f64::from(face), 1.0)))?;
/// let dice = [space.variable(throw, "first", face.clone())?, space.variable(throw, "second", face)?];
/// let model = Sixes { space, dice };
///
/// let mix = Mix::standard(model.space())?;
/// let mut sampler = Sampler::start(&model, &mix, Seed(1), SamplerOptions::default())?;
/// while sampler.choice().is_none() {
///     let batch = sampler.advance()?;
///     assert!(batch.found.iter().all(|found| found.outcome == [6.0, 6.0]));
/// }
/// assert!(sampler.choice().is_some_and(|choice| choice.method == Method::Rejection));
/// assert!(sampler.choice().is_some_and(|choice| choice.to_string().contains("about 0.0")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Sampler<'a, M: Model> {
    model: &'a M,
    mix: &'a Mix,
    seed: Seed,
    options: SamplerOptions,
    choice: Option<Choice>,
    pilot: Option<RejectionState>,
    first_success: Option<u64>,
    engine: Engine<'a, M>,
}

enum Engine<'a, M: Model> {
    Rejection(Rejection<'a, M>),
    Chains(Vec<Chain<'a, M>>),
    Tempering(Vec<Tempering<'a, M>>),
    Population { population: Population<'a, M>, spent: Spent },
}

/// What the populations before the present one have cost and counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Spent {
    effort: Effort,
    moves: Vec<MoveCount>,
}

/// A run as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SamplerState {
    choice: Option<Choice>,
    pilot: Option<RejectionState>,
    first_success: Option<u64>,
    engine: EngineState,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum EngineState {
    Rejection(RejectionState),
    Chains(Vec<ChainState>),
    Tempering(Vec<TemperingState>),
    Population { population: PopulationState, spent: Spent },
}

impl<'a, M: Model> Sampler<'a, M> {
    /// A new run.
    pub fn start(model: &'a M, mix: &'a Mix, seed: Seed, options: SamplerOptions) -> Result<Self, DirectError> {
        let greatest = model.greatest_log_score();
        if !greatest.is_finite() {
            return Err(DirectError::Score { score: f64::NAN, greatest });
        }
        if options.chains == 0 {
            return Err(DirectError::Option { option: "chains", value: 0, least: 1 });
        }
        let choice = options.method.map(Choice::forced);
        let first = options.method.unwrap_or(Method::Rejection);
        let engine = Engine::start(model, mix, seed, &options, first)?;
        Ok(Self { model, mix, seed, options, choice, pilot: None, first_success: None, engine })
    }

    /// Goes on with a run that was kept. Model, mix, seed and options must be
    /// those it was started with.
    pub fn resume(
        model: &'a M,
        mix: &'a Mix,
        seed: Seed,
        options: SamplerOptions,
        state: SamplerState,
    ) -> Result<Self, DirectError> {
        let engine = Engine::resume(model, mix, seed, &options, state.engine)?;
        let SamplerState { choice, pilot, first_success, .. } = state;
        Ok(Self { model, mix, seed, options, choice, pilot, first_success, engine })
    }

    /// All that its continuation depends on.
    #[must_use]
    pub fn state(&self) -> SamplerState {
        let (choice, pilot, first_success) = (self.choice.clone(), self.pilot.clone(), self.first_success);
        SamplerState { choice, pilot, first_success, engine: self.engine.state() }
    }

    /// Works for a while, and says what it gave.
    pub fn advance(&mut self) -> Result<Batch<M::Outcome>, DirectError> {
        let before = self.effort().simulations;
        let batch = self.engine.advance(self.model, self.mix, self.seed, &self.options)?;
        if self.first_success.is_none() && !batch.found.is_empty() {
            self.first_success = Some(match (&self.engine, &batch.found[0].sample) {
                // A draw is a simulation.
                (Engine::Rejection(_), sample) => before + sample.iteration + 1 - (self.draws() - DRAWS),
                _ => self.effort().simulations,
            });
        }
        if self.choice.is_none() {
            self.choose()?;
        }
        Ok(batch)
    }

    fn draws(&self) -> u64 {
        if let Engine::Rejection(rejection) = &self.engine { rejection.state().draws } else { 0 }
    }

    /// Settles on a method once enough is known.
    fn choose(&mut self) -> Result<(), DirectError> {
        let Engine::Rejection(rejection) = &self.engine else {
            return Ok(());
        };
        let state = rejection.state().clone();
        self.choice = Choice::after(&state);
        if let Some(Choice { method: Method::Tempering, .. }) = self.choice {
            self.engine = Engine::start(self.model, self.mix, self.seed, &self.options, Method::Tempering)?;
            self.pilot = Some(state);
        }
        Ok(())
    }

    /// Which method runs, and why; `None` while that is being found out.
    #[must_use]
    pub fn choice(&self) -> Option<&Choice> {
        self.choice.as_ref()
    }

    /// What the run has cost.
    #[must_use]
    pub fn effort(&self) -> Effort {
        let mut effort = self.pilot.as_ref().map(|pilot| pilot.effort).unwrap_or_default();
        effort.add(self.engine.effort());
        effort
    }

    /// After how many simulations the first success was reported. Within a
    /// batch of draws it is counted to the draw, for other methods to the batch.
    #[must_use]
    pub fn first_success(&self) -> Option<u64> {
        self.first_success
    }

    /// How often each move was made and accepted, with its name.
    #[must_use]
    pub fn move_counts(&self) -> Vec<(String, MoveCount)> {
        let counts = self.engine.move_counts();
        self.mix
            .names()
            .map(str::to_owned)
            .zip(counts.into_iter().chain(std::iter::repeat(MoveCount::default())))
            .collect()
    }

    /// For each ladder, the rounds of tempering that are over.
    #[must_use]
    pub fn rounds(&self) -> Vec<&[Round]> {
        match &self.engine {
            Engine::Tempering(ladders) => ladders.iter().map(Tempering::rounds).collect(),
            _ => Vec::new(),
        }
    }
}

impl<'a, M: Model> Engine<'a, M> {
    fn start(
        model: &'a M,
        mix: &'a Mix,
        seed: Seed,
        options: &SamplerOptions,
        method: Method,
    ) -> Result<Self, DirectError> {
        Ok(match method {
            Method::Rejection => Engine::Rejection(Rejection::start(model, seed)),
            Method::Chain => Engine::Chains(
                (0..options.chains).map(|chain| Chain::start(model, mix, seed, chain)).collect::<Result<_, _>>()?,
            ),
            Method::Tempering => {
                let ladder = |chain| Tempering::start(model, mix, seed, chain, options.tempering);
                Engine::Tempering((0..options.chains).map(ladder).collect::<Result<_, _>>()?)
            }
            Method::Population => Engine::Population {
                population: Population::start(model, mix, seed, 0, options.population)?,
                spent: Spent::default(),
            },
        }
        .abandoning(options.abandon))
    }

    fn resume(
        model: &'a M,
        mix: &'a Mix,
        seed: Seed,
        options: &SamplerOptions,
        state: EngineState,
    ) -> Result<Self, DirectError> {
        Ok(match state {
            EngineState::Rejection(state) => Engine::Rejection(Rejection::resume(model, seed, state)),
            EngineState::Chains(states) => Engine::Chains(
                states.iter().map(|state| Chain::resume(model, mix, seed, state)).collect::<Result<_, _>>()?,
            ),
            EngineState::Tempering(states) => {
                let ladder = |state| Tempering::resume(model, mix, seed, options.tempering, state);
                Engine::Tempering(states.into_iter().map(ladder).collect::<Result<_, _>>()?)
            }
            EngineState::Population { population, spent } => Engine::Population {
                population: Population::resume(model, mix, seed, options.population, population)?,
                spent,
            },
        }
        .abandoning(options.abandon))
    }

    fn abandoning(self, abandon: bool) -> Self {
        if abandon {
            return self;
        }
        match self {
            Engine::Rejection(rejection) => Engine::Rejection(rejection.without_abandoning()),
            Engine::Chains(chains) => Engine::Chains(chains.into_iter().map(Chain::without_abandoning).collect()),
            Engine::Tempering(ladders) => {
                Engine::Tempering(ladders.into_iter().map(Tempering::without_abandoning).collect())
            }
            Engine::Population { population, spent } => {
                Engine::Population { population: population.without_abandoning(), spent }
            }
        }
    }

    fn state(&self) -> EngineState {
        match self {
            Engine::Rejection(rejection) => EngineState::Rejection(rejection.state().clone()),
            Engine::Chains(chains) => EngineState::Chains(chains.iter().map(Chain::state).collect()),
            Engine::Tempering(ladders) => EngineState::Tempering(ladders.iter().map(Tempering::state).collect()),
            Engine::Population { population, spent } => {
                EngineState::Population { population: population.state(), spent: spent.clone() }
            }
        }
    }

    fn effort(&self) -> Effort {
        let mut sum = Effort::default();
        match self {
            Engine::Rejection(rejection) => sum.add(rejection.state().effort),
            Engine::Chains(chains) => chains.iter().for_each(|chain| sum.add(chain.effort())),
            Engine::Tempering(ladders) => ladders.iter().for_each(|ladder| sum.add(ladder.effort())),
            Engine::Population { population, spent } => {
                sum.add(spent.effort);
                sum.add(population.effort());
            }
        }
        sum
    }

    fn move_counts(&self) -> Vec<MoveCount> {
        match self {
            Engine::Rejection(_) => Vec::new(),
            Engine::Chains(chains) => sums(chains.iter().map(Chain::move_counts)),
            Engine::Tempering(ladders) => sums(ladders.iter().map(Tempering::move_counts)),
            Engine::Population { population, spent } => {
                sums([spent.moves.as_slice(), population.move_counts()].into_iter())
            }
        }
    }

    fn advance(
        &mut self,
        model: &'a M,
        mix: &'a Mix,
        seed: Seed,
        options: &SamplerOptions,
    ) -> Result<Batch<M::Outcome>, DirectError> {
        match self {
            Engine::Rejection(rejection) => {
                let mut batch = Batch::default();
                for accepted in rejection.draw(DRAWS)? {
                    batch.push(model, &accepted.current, (Method::Rejection, 0, accepted.draw), false, true);
                }
                Ok(batch)
            }
            Engine::Chains(chains) => in_order(chains, |chain| advance_chain(model, chain, options.warm_up)),
            Engine::Tempering(ladders) => in_order(ladders, |ladder| advance_ladder(model, ladder)),
            Engine::Population { population, spent } => {
                population.stage()?;
                let mut batch = Batch::default();
                if population.is_finished() {
                    for (index, particle) in population.particles().iter().enumerate() {
                        batch.push(
                            model,
                            particle,
                            (Method::Population, population.number(), index as u64),
                            false,
                            true,
                        );
                    }
                    spent.effort.add(population.effort());
                    spent.moves = sums([spent.moves.as_slice(), population.move_counts()].into_iter());
                    let next = Population::start(model, mix, seed, population.number() + 1, options.population)?;
                    *population = if options.abandon { next } else { next.without_abandoning() };
                }
                Ok(batch)
            }
        }
    }
}

/// Lets all work beside each other, and puts what they give in their order.
fn in_order<T: Send, Outcome: Send>(
    items: &mut [T],
    advance: impl Fn(&mut T) -> Result<Batch<Outcome>, DirectError> + Send + Sync,
) -> Result<Batch<Outcome>, DirectError> {
    let batches: Result<Vec<_>, DirectError> = items.par_iter_mut().map(advance).collect();
    let mut all = Batch::default();
    for batch in batches? {
        all.found.extend(batch.found);
        all.draws.extend(batch.draws);
    }
    Ok(all)
}

fn advance_chain<M: Model>(
    model: &M,
    chain: &mut Chain<'_, M>,
    warm_up: u64,
) -> Result<Batch<M::Outcome>, DirectError> {
    let mut batch = Batch::default();
    for _ in 0..ITERATIONS {
        let is_new = chain.step()?;
        let at = (Method::Chain, chain.number(), chain.iteration());
        batch.push(model, chain.current(), at, chain.iteration() <= warm_up, is_new);
    }
    Ok(batch)
}

fn advance_ladder<M: Model>(model: &M, ladder: &mut Tempering<'_, M>) -> Result<Batch<M::Outcome>, DirectError> {
    let mut batch = Batch::default();
    for _ in 0..SCANS {
        let warm_up = ladder.is_warming_up();
        ladder.scan()?;
        let (current, is_new) = ladder.top();
        batch.push(model, current, (Method::Tempering, ladder.chain(), ladder.scans()), warm_up, is_new);
    }
    Ok(batch)
}

fn sums<'c>(all: impl Iterator<Item = &'c [MoveCount]>) -> Vec<MoveCount> {
    let mut sums: Vec<MoveCount> = Vec::new();
    for counts in all {
        sums.resize(sums.len().max(counts.len()), MoveCount::default());
        for (sum, count) in sums.iter_mut().zip(counts) {
            sum.add(*count);
        }
    }
    sums
}
