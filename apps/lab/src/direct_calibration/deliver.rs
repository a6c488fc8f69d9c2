//! What is delivered, as files, and what it says.

use proscenium_chance::Seed;
use proscenium_clip::Clip;
use proscenium_direct::moves::Move;
use proscenium_direct::record::Entry;
use proscenium_direct::{Draw, Method, Mix, Point, Proposal, Sampler, SamplerOptions, Space};
use proscenium_director::{Archive as _, Budget, MemoryArchive, Order, Pick, direct};
use proscenium_scenes::{DirectedScene, SimulateOptions};

use super::problems::Problem;
use crate::error::Halt;
use crate::experiment::Context;

/// What may be spent on a run: the command's default.
const BUDGET: u64 = 200_000;

/// What one run delivered: the mean of the statistic over its animations.
pub(super) struct Delivery {
    pub mean: f64,
    /// Whether the run says that it is a fair draw.
    pub settled: bool,
    pub simulations: u64,
}

/// Orders so many likely animations, writes them as files, and reads them again.
pub(super) fn deliver(
    problem: &Problem,
    method: Option<Method>,
    samples: usize,
    seed: Seed,
    context: &Context,
) -> Result<Delivery, Halt> {
    let directed = problem.directed()?;
    let (mut archive, order) = (MemoryArchive::default(), order(method, samples, seed));
    let report = direct(&directed, &mut archive, &order, &context.progress(), &mut |_| Ok(()))?;
    context.check()?;
    let points = report.animations.iter().map(|animation| &animation.entry.sample.point);
    Ok(Delivery {
        mean: mean(problem, &directed, points, context)?,
        settled: report.animations.len() == samples
            && report.settling.as_ref().is_none_or(|settling| settling.is_settled()),
        simulations: report.effort.simulations,
    })
}

fn order(method: Option<Method>, samples: usize, seed: Seed) -> Order {
    let options = SamplerOptions { method, ..SamplerOptions::default() };
    Order { pick: Pick::Likely, options, budget: Budget::Simulations(BUDGET), ..Order::new(samples, seed) }
}

/// The mean of the statistic over animations, each written to a file and read again.
fn mean<'p>(
    problem: &Problem,
    directed: &DirectedScene,
    points: impl Iterator<Item = &'p Point>,
    context: &Context,
) -> Result<f64, Halt> {
    let (mut sum, mut count) = (0.0, 0);
    for point in points {
        let simulation = directed.drawn(point)?.simulate(&SimulateOptions::default(), &context.progress())?;
        context.check()?;
        sum += problem.statistic.of(&Clip::from_glb(&simulation.clip.to_glb()?)?);
        count += 1;
    }
    Ok(sum / f64::from(count))
}

/// A mistake that the test must catch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Every animation counts once, however long the chain held it.
    WeightsDropped,
    /// What was drawn while the chain found its way counts, too.
    WarmUpKept,
    /// A move that does not know its ratio.
    WrongRatio,
}

impl Fault {
    pub const ALL: [Self; 3] = [Self::WeightsDropped, Self::WarmUpKept, Self::WrongRatio];

    pub fn name(self) -> &'static str {
        match self {
            Self::WeightsDropped => "planted: weights dropped",
            Self::WarmUpKept => "planted: warm-up kept",
            Self::WrongRatio => "planted: a wrong ratio",
        }
    }

    /// The problem in which it shows.
    pub fn problem(self) -> &'static str {
        match self {
            Self::WeightsDropped => "bystander",
            Self::WarmUpKept => "rare",
            Self::WrongRatio => "skewed",
        }
    }
}

/// As [`deliver`], by a chain, with a mistake.
pub(super) fn deliver_wrongly(
    fault: Fault,
    problem: &Problem,
    samples: usize,
    seed: Seed,
    context: &Context,
) -> Result<Delivery, Halt> {
    let directed = problem.directed()?;
    if fault == Fault::WrongRatio {
        return with_wrong_ratio(problem, &directed, samples, seed, context);
    }
    let (mut archive, order) = (MemoryArchive::default(), order(Some(Method::Chain), samples, seed));
    let report = direct(&directed, &mut archive, &order, &context.progress(), &mut |_| Ok(()))?;
    context.check()?;
    let (entries, draws) = (archive.entries()?, archive.draws()?);
    let counted: Vec<&Entry> = match fault {
        Fault::WarmUpKept => {
            let first: Vec<&Draw> = draws.iter().filter(|draw| draw.satisfied && draw.iteration < 200).collect();
            entries.iter().filter(|entry| first.iter().any(|draw| is_of(draw, entry))).collect()
        }
        _ => entries.iter().filter(|entry| entry.sample.phase > 0).collect(),
    };
    let offset = seed.stream("calibration fault").uniform();
    let place = |number: usize| ((number as f64 + offset) * counted.len() as f64 / samples as f64) as usize;
    let picked = (0..samples).filter_map(|number| counted.get(place(number)).map(|entry| &entry.sample.point));
    let mean = mean(problem, &directed, picked, context)?;
    Ok(Delivery { mean, settled: true, simulations: report.effort.simulations })
}

fn is_of(draw: &Draw, entry: &Entry) -> bool {
    (draw.chain, draw.since) == (entry.sample.chain, entry.sample.iteration)
}

/// A walk of the whitened variables that claims to leave the world as it is.
struct Careless;

impl Move for Careless {
    fn name(&self) -> &'static str {
        "careless"
    }

    fn propose(&self, _space: &Space, current: &Point, stream: &mut proscenium_chance::Stream) -> Option<Proposal> {
        let whitened = current.whitened().iter().map(|z| z + 0.5 * stream.normal()).collect();
        Some(Proposal { point: Point::new(whitened, current.active().to_vec()), log_ratio: 0.0 })
    }
}

fn with_wrong_ratio(
    problem: &Problem,
    directed: &DirectedScene,
    samples: usize,
    seed: Seed,
    context: &Context,
) -> Result<Delivery, Halt> {
    let mix = Mix::new(vec![(1.0, Box::new(Careless))])?;
    let options = SamplerOptions { method: Some(Method::Chain), ..SamplerOptions::default() };
    let progress = context.progress();
    let mut sampler = Sampler::start(directed, &mix, seed, options, &progress)?.or_stopped()?;
    let mut points = Vec::new();
    while points.len() < 40 * samples {
        let batch = sampler.advance(&progress)?.or_stopped()?;
        points.extend(batch.successes.into_iter().filter(|one| one.sample.phase > 0).map(|one| one.sample.point));
    }
    let mean = mean(problem, directed, points.iter().step_by(40), context)?;
    Ok(Delivery { mean, settled: true, simulations: sampler.effort().simulations })
}
