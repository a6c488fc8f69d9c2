//! Directing a scene for an experiment: what was found, and what it cost.

use proscenium_chance::Seed;
use proscenium_direct::chain::Chain;
use proscenium_direct::{Mix, Model, MoveCount, Sampler, SamplerOptions};
use proscenium_director::{Budget, MemoryArchive, Order};
use proscenium_scenes::{DirectedScene, Outcome, Sketch};
use proscenium_work::Stopped;
use rayon::ThreadPoolBuilder;

use crate::error::{Halt, LabError};
use crate::experiment::Context;
use crate::results::Row;
use crate::timing::Timer;

/// More found animations than this are not compared with each other.
const MOST_COMPARED: usize = 1000;

/// What a run has found and cost.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub iterations: u64,
    pub simulations: u64,
    pub abandoned: u64,
    /// Of one processor.
    pub seconds: f64,
    /// The iteration and the second of the first success.
    pub first: Option<(u64, f64)>,
    /// Iterations that meet all wants.
    pub successes: u64,
    /// How many wants were met, from iteration to iteration.
    pub trace: Vec<f64>,
    /// The logarithm of the density, likewise.
    pub log_density: Vec<f64>,
    /// The share of proposals that were accepted, if there were chains.
    pub acceptance: Option<f64>,
    /// As many independent draws would tell as much.
    pub effective: f64,
    /// When each animation was found that differs from all before.
    pub distinct: Vec<f64>,
    sketches: Vec<Sketch>,
}

impl Tally {
    /// Notes an animation that meets all wants.
    fn note(&mut self, model: &DirectedScene, outcome: &Outcome, seconds: f64) {
        if self.sketches.len() >= MOST_COMPARED {
            return;
        }
        let sketch = model.sketch(outcome);
        if self.sketches.iter().all(|known| known.differs(&sketch)) {
            self.sketches.push(sketch);
            self.distinct.push(seconds);
        }
    }

    /// Counts a simulation, and notes it if it meets all wants.
    pub fn count(&mut self, model: &DirectedScene, satisfied: bool, outcome: &Outcome, seconds: f64) {
        self.simulations += 1;
        self.successes += u64::from(satisfied);
        if satisfied {
            self.found(model, outcome, self.simulations, seconds);
        }
    }

    /// Notes an animation that meets all wants, after so many simulations.
    pub fn found(&mut self, model: &DirectedScene, outcome: &Outcome, simulation: u64, seconds: f64) {
        self.first.get_or_insert((simulation, seconds));
        self.note(model, outcome, seconds);
    }

    /// The columns that runs share.
    pub fn row(&self, row: Row) -> Row {
        let minutes = self.seconds / 60.0;
        row.with("iterations", self.iterations)
            .with("simulations", self.simulations)
            .with("abandoned", self.abandoned)
            .with("seconds", self.seconds)
            .with("iterations_per_s", self.iterations as f64 / self.seconds)
            .with("ms_per_simulation", 1e3 * self.seconds / self.simulations as f64)
            .with("first_success", self.first.map(|(iteration, _)| iteration))
            .with("first_success_s", self.first.map(|(_, seconds)| seconds))
            .with("successes", self.successes)
            .with("distinct", self.distinct.len())
            .with("distinct_per_minute", self.distinct.len() as f64 / minutes)
    }
}

/// Follows one chain for so many iterations, or seconds of a processor.
pub(crate) fn follow(
    model: &DirectedScene,
    mix: &Mix,
    seed: Seed,
    iterations: u64,
    seconds: f64,
    context: &Context,
) -> Result<Tally, Halt> {
    let timer = Timer::start();
    let mut tally = Tally::default();
    let progress = context.progress();
    let mut chain = Chain::start(model, mix, seed, 0, &progress)?.or_stopped()?;
    while tally.iterations < iterations && timer.elapsed().as_secs_f64() < seconds {
        tally.iterations += 1;
        let is_new = chain.step(&progress)?.or_stopped()?;
        let met = chain.outcome().wants_met().iter().filter(|met| **met).count();
        tally.trace.push(met as f64);
        tally.log_density.push(model.space().log_density(chain.point()) + chain.log_score());
        if chain.satisfied() {
            let now = timer.elapsed().as_secs_f64();
            tally.successes += 1;
            tally.first.get_or_insert((tally.iterations, now));
            if is_new {
                tally.note(model, chain.outcome(), now);
            }
        }
    }
    tally.seconds = timer.elapsed().as_secs_f64();
    (tally.simulations, tally.abandoned) = (chain.effort().simulations, chain.effort().abandoned);
    Ok(tally)
}

/// When a run of the sampler ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Enough {
    pub simulations: u64,
    /// Of one processor.
    pub seconds: f64,
    pub distinct: usize,
}

/// More different animations than any experiment waits for.
const MOST_ORDERED: usize = 1_000_000;

/// What the command finds if nothing is said: a search for different animations, on one
/// processor; also says in its own line which method it took.
pub(crate) fn search(
    model: &DirectedScene,
    seed: Seed,
    enough: Enough,
    context: &Context,
) -> Result<(Tally, String), Halt> {
    let run = || -> Result<(Tally, String), Halt> {
        let timer = Timer::start();
        let mut tally = Tally::default();
        let order = Order { budget: Budget::Simulations(enough.simulations), ..Order::new(MOST_ORDERED, seed) };
        let (mut archive, progress) = (MemoryArchive::default(), context.progress());
        let report = proscenium_director::direct(model, &mut archive, &order, &progress, &mut |status| {
            let now = timer.elapsed().as_secs_f64();
            tally.distinct.resize(status.different, now);
            let is_enough = status.different >= enough.distinct || now >= enough.seconds;
            if is_enough { Err(Stopped) } else { Ok(()) }
        })?;
        context.check()?;
        tally.seconds = timer.elapsed().as_secs_f64();
        (tally.simulations, tally.abandoned) = (report.effort.simulations, report.effort.abandoned);
        (tally.iterations, tally.successes) = (report.effort.simulations, report.found);
        tally.first = report.first_success.zip(tally.distinct.first().copied());
        tally.acceptance = acceptance(&report.moves);
        let why = report.choice.map_or_else(|| "still finding out".to_owned(), |choice| choice.to_string());
        Ok((tally, why))
    };
    on_one_processor(run)
}

/// The share of proposals that were accepted.
fn acceptance(moves: &[(String, MoveCount)]) -> Option<f64> {
    let sums = moves.iter().fold((0, 0), |sums, (_, count)| (sums.0 + count.accepted, sums.1 + count.proposed));
    (sums.1 > 0).then(|| sums.0 as f64 / sums.1 as f64)
}

/// On a pool of one thread its own time is the time of all the work.
fn on_one_processor<T: Send>(run: impl FnOnce() -> Result<T, Halt> + Send) -> Result<T, Halt> {
    let pool = ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .map_err(|error| LabError::Peer { program: "a thread".into(), message: error.to_string() })?;
    pool.install(run)
}

/// Lets the sampler draw as it is, on one processor; also says in its own line
/// which method it took.
pub(crate) fn direct(
    model: &DirectedScene,
    seed: Seed,
    options: SamplerOptions,
    enough: Enough,
    context: &Context,
) -> Result<(Tally, String), Halt> {
    let mix = model.mix()?;
    let run = || -> Result<(Tally, String), Halt> {
        let timer = Timer::start();
        let mut tally = Tally::default();
        let progress = context.progress();
        let mut sampler = Sampler::start(model, &mix, seed, options, &progress)?.or_stopped()?;
        while tally.simulations < enough.simulations
            && tally.distinct.len() < enough.distinct
            && timer.elapsed().as_secs_f64() < enough.seconds
        {
            let batch = sampler.advance(&progress)?.or_stopped()?;
            tally.simulations = sampler.effort().simulations;
            tally.iterations = tally.simulations;
            let now = timer.elapsed().as_secs_f64();
            for success in &batch.successes {
                tally.first.get_or_insert((sampler.first_success().unwrap_or(tally.simulations), now));
                tally.note(model, &success.outcome, now);
            }
            tally.successes += batch.draws.iter().filter(|draw| draw.satisfied).count() as u64;
            tally.trace.extend(batch.draws.iter().map(|draw| draw.quantities[0]));
        }
        tally.seconds = timer.elapsed().as_secs_f64();
        tally.abandoned = sampler.effort().abandoned;
        tally.acceptance = acceptance(&sampler.move_counts());
        let why = sampler.choice().map_or_else(|| "still finding out".to_owned(), ToString::to_string);
        Ok((tally, why))
    };
    on_one_processor(run)
}

/// What one simulation of a scene costs: draws of the world, simulated to their
/// end, with nothing to re-use.
pub(crate) fn cost(model: &DirectedScene, seed: Seed, count: u64, context: &Context) -> Result<Tally, Halt> {
    let timer = Timer::start();
    let stream = seed.stream("direct cost");
    let mut tally = Tally::default();
    for index in 0..count {
        let point = model.space().draw(&mut stream.at(index));
        tally.successes += u64::from(model.outcome(&point, &context.progress())?.or_stopped()?.satisfied);
        (tally.simulations, tally.iterations) = (index + 1, index + 1);
    }
    tally.seconds = timer.elapsed().as_secs_f64();
    Ok(tally)
}
