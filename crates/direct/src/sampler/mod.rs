//! One command for all methods: which runs, and why.

mod choice;
mod engine;

pub use choice::{Choice, Method};

use proscenium_chance::Seed;
use proscenium_work::{Completion, Finish as _, Halt, Progress};
use serde::{Deserialize, Serialize};

use crate::climb::ClimbState;
use crate::error::DirectError;
use crate::exploration::{Discovery, ExplorationState, Parent};
use crate::model::{Current, Model};
use crate::moves::{Mix, Moves};
use crate::population::PopulationOptions;
use crate::rejection::RejectionState;
use crate::space::Point;
use crate::step::{Effort, MoveCount};
use crate::tempering::{Round, Tempering, TemperingOptions};
use engine::{Engine, EngineState};

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
    /// Which moves the model is asked for.
    #[serde(default)]
    pub moves: Moves,
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
            moves: Moves::default(),
        }
    }
}

/// One animation of the run, as it is stored.
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
    /// The phase in which it was found. In phase 0 the run was finding its way:
    /// its samples meet the wants as well as any, but together they are not
    /// distributed as they should be.
    pub phase: u32,
}

/// A sample that satisfies all wants, with what came of it.
#[derive(Clone, Debug)]
pub struct Success<Outcome> {
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
    /// The phase of the run: 0 while it finds its way. Draws of the last phase
    /// count; those of earlier ones are its warm-up.
    pub phase: u32,
    /// It has been where it is since this iteration: the one that its sample has,
    /// if all wants are met there.
    pub since: u64,
    /// log p_c.
    pub log_score: f64,
    /// log p_w + log p_c.
    pub log_density: f64,
    /// Whether all wants are met.
    pub satisfied: bool,
    /// A fixed mix of all variables and of who takes part: it tells chains apart
    /// that differ in what no quantity shows.
    pub probe: f64,
    /// The numbers of the outcome that the model names.
    pub quantities: Vec<f64>,
}

/// What a run has given since the last report.
#[derive(Clone, Debug)]
pub struct Batch<Outcome> {
    /// New animations that satisfy all wants.
    pub successes: Vec<Success<Outcome>>,
    /// Every iteration.
    pub draws: Vec<Draw>,
    phase: u32,
}

impl<Outcome> Batch<Outcome> {
    fn of(phase: u32) -> Self {
        Self { successes: Vec::new(), draws: Vec::new(), phase }
    }
}

impl<Outcome: Clone> Batch<Outcome> {
    fn push<M: Model<Outcome = Outcome>>(
        &mut self,
        model: &M,
        current: &Current<Outcome>,
        (method, chain, iteration): (Method, u64, u64),
        since: u64,
    ) {
        let phase = self.phase;
        self.draws.push(Draw {
            method,
            chain,
            iteration,
            phase,
            since,
            log_score: current.log_score,
            log_density: model.space().log_density(&current.point) + current.log_score,
            satisfied: current.satisfied,
            probe: model.space().probe(&current.point),
            quantities: model.measure(&current.outcome),
        });
        if since == iteration && current.satisfied {
            let (point, log_score) = (current.point.clone(), current.log_score);
            let sample = Sample { method, chain, iteration, point, log_score, phase };
            self.successes.push(Success { sample, outcome: current.outcome.clone() });
        }
    }
}

/// What is found beside the draws has numbers of its own: changes of what was found, and
/// what was climbed to.
const EXPLORED: u64 = 0;
const CLIMBED: u64 = 1;

/// The method that was chosen, and what draws by it if that is another than before.
type Settlement<'a, M> = (Choice, Option<Engine<'a, M>>);

/// A run: any method, resumable, the same for any number of threads.
///
/// Ask for batches until there is enough; keep [`state`](Sampler::state) with
/// what a batch holds, and [`resume`](Sampler::resume) from it: the run goes on
/// as if it had never stopped. A batch that is stopped has not been made, and the
/// next call makes it.
///
/// ```
/// use proscenium_chance::{Density, Seed};
/// use proscenium_direct::{
///     Abandon, Evaluation, Method, Mix, Model, Request, Sampler, SamplerOptions, Space, VariableId,
/// };
/// use proscenium_work::Progress;
///
/// /// Two dice that should show six.
/// struct Sixes { space: Space, dice: [VariableId; 2] }
/// impl Model for Sixes {
///     type Outcome = [f64; 2];
///     fn space(&self) -> &Space { &self.space }
///     fn greatest_log_score(&self) -> f64 { 0.0 }
///     fn simulate(&self, request: &Request<'_, [f64; 2]>) -> Result<Evaluation<[f64; 2]>, Abandon> {
///         let faces = self.dice.map(|die| request.values.at(die));
///         let missing = faces.iter().filter(|face| **face < 6.0).count();
///         Ok(Evaluation { log_score: -5.0 * missing as f64, satisfied: missing == 0, outcome: faces })
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
/// let progress = Progress::none();
/// let started = Sampler::start(&model, &mix, Seed(1), SamplerOptions::default(), &progress)?;
/// let mut sampler = started.finished().expect("nobody stops it");
/// while sampler.choice().is_none() {
///     let batch = sampler.advance(&progress)?.finished().expect("nobody stops it");
///     assert!(batch.successes.iter().all(|success| success.outcome == [6.0, 6.0]));
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
    phase: u32,
    first_success: Option<u64>,
    exploration: ExplorationState,
    climb: ClimbState,
    engine: Engine<'a, M>,
    /// How many fair draws are wanted, if that is what is wanted.
    fair: Option<u64>,
}

/// A run as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SamplerState {
    choice: Option<Choice>,
    pilot: Option<RejectionState>,
    phase: u32,
    first_success: Option<u64>,
    exploration: ExplorationState,
    #[serde(default)]
    climb: ClimbState,
    engine: EngineState,
}

impl<'a, M: Model> Sampler<'a, M> {
    /// A new run.
    ///
    /// # Errors
    /// When an option makes no run, or the model fails.
    pub fn start(
        model: &'a M,
        mix: &'a Mix,
        seed: Seed,
        options: SamplerOptions,
        progress: &Progress,
    ) -> Result<Completion<Self>, DirectError> {
        let greatest = model.greatest_log_score();
        if !greatest.is_finite() {
            return Err(DirectError::Score { score: f64::NAN, greatest });
        }
        if options.chains == 0 {
            return Err(DirectError::Option { option: "chains", value: 0, least: 1 });
        }
        let choice = options.method.map(Choice::forced);
        let first = options.method.unwrap_or(Method::Rejection);
        let engine = Engine::start(model, mix, seed, &options, first, progress).finish()?;
        Ok(engine.map(|engine| {
            let phase = first_phase(&engine, &options);
            let exploration = ExplorationState::default();
            Self {
                model,
                mix,
                seed,
                options,
                choice,
                pilot: None,
                phase,
                first_success: None,
                exploration,
                climb: ClimbState::default(),
                engine,
                fair: None,
            }
        }))
    }

    /// Goes on with a run that was stored. Model, mix, seed and options must be
    /// those it was started with.
    ///
    /// # Errors
    /// When the state is of another model, or the model fails.
    pub fn resume(
        model: &'a M,
        mix: &'a Mix,
        seed: Seed,
        options: SamplerOptions,
        state: SamplerState,
        progress: &Progress,
    ) -> Result<Completion<Self>, DirectError> {
        let SamplerState { choice, pilot, phase, first_success, exploration, climb, engine } = state;
        let engine = Engine::resume(model, mix, seed, &options, engine, progress).finish()?;
        Ok(engine.map(|engine| Self {
            model,
            mix,
            seed,
            options,
            choice,
            pilot,
            phase,
            first_success,
            exploration,
            climb,
            engine,
            fair: None,
        }))
    }

    /// The same for so many fair draws: what is left to be chosen is chosen for them.
    #[must_use]
    pub fn for_fair_draws(mut self, count: u64) -> Self {
        self.fair = Some(count);
        self
    }

    /// All that its continuation depends on.
    #[must_use]
    pub fn state(&self) -> SamplerState {
        let (choice, pilot, first_success) = (self.choice.clone(), self.pilot.clone(), self.first_success);
        let (phase, exploration, climb) = (self.phase, self.exploration, self.climb.clone());
        SamplerState { choice, pilot, phase, first_success, exploration, climb, engine: self.engine.state() }
    }

    /// Looks near animations that were found, for some more that meet all wants. It is a
    /// search beside the draws, which go on as if nothing had been: what it finds is of
    /// no stated distribution. If it is stopped, the sampler is as it was before.
    ///
    /// # Errors
    /// When the model fails.
    pub fn explore(
        &mut self,
        parents: &[Parent],
        progress: &Progress,
    ) -> Result<Completion<Batch<M::Outcome>>, DirectError> {
        let mut exploration = self.exploration;
        let explored = exploration.explore((self.model, self.mix, self.seed), parents, progress).finish()?;
        Ok(explored.map(|found| {
            self.exploration = exploration;
            self.discovered(found, EXPLORED)
        }))
    }

    /// Looks between and around some animations, for others that meet all wants: a search,
    /// beside the draws or in their place. What it finds is of no stated distribution. If it
    /// is stopped, the sampler is as it was before.
    ///
    /// # Errors
    /// Fewer than two parents, or when the model fails.
    pub fn breed(
        &mut self,
        parents: &[Parent],
        progress: &Progress,
    ) -> Result<Completion<Batch<M::Outcome>>, DirectError> {
        if parents.len() < 2 {
            return Err(DirectError::Option { option: "parents", value: parents.len() as u64, least: 2 });
        }
        parents.iter().try_for_each(|parent| self.model.space().check(&parent.point))?;
        let mut exploration = self.exploration;
        let bred = exploration.breed((self.model, self.seed), parents, progress).finish()?;
        Ok(bred.map(|found| {
            if !found.is_empty() && self.first_success.is_none() {
                self.first_success = Some(self.effort().simulations + exploration.effort.simulations);
            }
            self.exploration = exploration;
            self.discovered(found, EXPLORED)
        }))
    }

    /// Climbs towards what is wanted, for something to look near: a search beside the
    /// draws as well, and of no stated distribution. If it is stopped, the sampler is as it
    /// was before.
    ///
    /// # Errors
    /// When the model fails.
    pub fn climb(&mut self, progress: &Progress) -> Result<Completion<Batch<M::Outcome>>, DirectError> {
        let mut climb = self.climb.clone();
        let climbed = climb.climb((self.model, self.mix, self.seed), progress).finish()?;
        Ok(climbed.map(|found| {
            self.climb = climb;
            if !found.is_empty() && self.first_success.is_none() {
                self.first_success = Some(self.effort().simulations);
            }
            self.discovered(found, CLIMBED)
        }))
    }

    /// What climbing has cost so far.
    #[must_use]
    pub fn climbed(&self) -> Effort {
        self.climb.effort
    }

    fn discovered(&self, found: Vec<Discovery<M::Outcome>>, chain: u64) -> Batch<M::Outcome> {
        let mut batch = Batch::of(self.phase);
        for one in found {
            let Current { point, log_score, outcome, .. } = one.current;
            let (method, iteration, phase) = (Method::Exploration, one.number, self.phase);
            let sample = Sample { method, chain, iteration, point, log_score, phase };
            batch.successes.push(Success { sample, outcome });
        }
        batch
    }

    /// What looking near animations has cost so far.
    #[must_use]
    pub fn exploration(&self) -> ExplorationState {
        self.exploration
    }

    /// Works for a while, and says what it gave. If it is stopped, the sampler is
    /// as it was before.
    ///
    /// # Errors
    /// When the model fails.
    pub fn advance(&mut self, progress: &Progress) -> Result<Completion<Batch<M::Outcome>>, DirectError> {
        let mut engine = self.engine.clone();
        let worked = engine.advance(self.model, self.mix, self.seed, &self.options, self.phase, progress);
        let chosen = worked.and_then(|batch| Ok((batch, self.choose(&engine, progress)?)));
        Ok(match chosen.finish()? {
            Completion::Stopped => Completion::Stopped,
            Completion::Finished((batch, chosen)) => {
                self.note_first_success(&engine, &batch);
                self.engine = engine;
                if let Some((choice, next)) = chosen {
                    self.settle(choice, next);
                }
                self.phase = self.phase.max(first_phase(&self.engine, &self.options));
                Completion::Finished(batch)
            }
        })
    }

    fn note_first_success(&mut self, engine: &Engine<'a, M>, batch: &Batch<M::Outcome>) {
        let Some(first) = batch.successes.first().filter(|_| self.first_success.is_none()) else {
            return;
        };
        let pilot = self.pilot.as_ref().map_or(0, |pilot| pilot.effort.simulations);
        self.first_success = Some(match (&self.engine, &first.sample) {
            // A draw is a simulation.
            (Engine::Rejection(before), sample) => {
                self.effort().simulations + sample.iteration + 1 - before.state().draws
            }
            _ => pilot + engine.effort().simulations,
        });
    }

    /// The method, once enough is known, and what draws by it if that is another.
    fn choose(
        &self,
        engine: &Engine<'a, M>,
        progress: &Progress,
    ) -> Result<Option<Settlement<'a, M>>, Halt<DirectError>> {
        let (None, Engine::Rejection(rejection)) = (&self.choice, engine) else {
            return Ok(None);
        };
        let Some(choice) = Choice::after(rejection.state(), self.fair) else {
            return Ok(None);
        };
        let start = || Engine::start(self.model, self.mix, self.seed, &self.options, Method::Tempering, progress);
        let next = if choice.method == Method::Tempering { Some(start()?) } else { None };
        Ok(Some((choice, next)))
    }

    /// Settles on a method.
    fn settle(&mut self, choice: Choice, next: Option<Engine<'a, M>>) {
        self.choice = Some(choice);
        if let Some(next) = next {
            if let Engine::Rejection(rejection) = &self.engine {
                self.pilot = Some(rejection.state().clone());
            }
            self.engine = next;
            self.phase = first_phase(&self.engine, &self.options);
        }
    }

    /// Which phase the next draws belong to: 0 while the run finds its way.
    #[must_use]
    pub fn phase(&self) -> u32 {
        self.phase
    }

    /// Begins a new phase: all that was drawn so far becomes a warm-up, to which
    /// what adapts itself is adapted once more.
    pub fn begin_phase(&mut self) {
        self.engine.adapt();
        self.phase += 1;
    }

    /// Which method runs, and why; `None` while that is being found out.
    #[must_use]
    pub fn choice(&self) -> Option<&Choice> {
        self.choice.as_ref()
    }

    /// As [`choice`](Sampler::choice), for a run that ends: what was found before a
    /// choice was needed was found by drawing.
    #[must_use]
    pub fn final_choice(&self) -> Option<Choice> {
        let drawn = match &self.engine {
            Engine::Rejection(rejection) => Some(Choice::drawn(rejection.state())),
            _ => None,
        };
        self.choice.clone().or_else(|| drawn.flatten())
    }

    /// What the run has cost.
    #[must_use]
    pub fn effort(&self) -> Effort {
        let mut effort = self.pilot.as_ref().map(|pilot| pilot.effort).unwrap_or_default();
        effort.add(self.engine.effort());
        effort.add(self.exploration.effort);
        effort.add(self.climb.effort);
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

/// 0 for what has to find its way first.
fn first_phase<M: Model>(engine: &Engine<'_, M>, options: &SamplerOptions) -> u32 {
    u32::from(!engine.is_warming_up(options.warm_up))
}
