//! Ways to find what is wanted, other than ours.

use proscenium_chance::{Seed, Stream};
use proscenium_direct::chain::Chain;
use proscenium_direct::moves::{
    Choose, CrankNicolson, Edges, FromPrior, Mix, Move, Offset, OneMoreOrLess, Scope, Walk,
};
use proscenium_direct::{Model, Space};
use proscenium_scenes::DirectedScene;

use crate::directing::Tally;
use crate::error::Halt;
use crate::experiment::Context;
use crate::timing::Timer;

/// The temperatures between which annealing cools, in units of the score.
const HOTTEST: f64 = 10.0;
const COLDEST: f64 = 0.1;
/// Simulations of one cooling; then it starts over.
const COOLING: u64 = 500;

/// Draws of the world until one fits.
pub(super) fn re_rolling(
    model: &DirectedScene,
    seed: Seed,
    simulations: u64,
    context: &Context,
) -> Result<Tally, Halt> {
    let (timer, stream) = (Timer::start(), seed.stream("re-rolling"));
    let mut tally = Tally::default();
    for index in 0..simulations {
        let point = model.space().draw(&mut stream.at(index));
        let found = model.outcome(&point, &context.progress())?.or_stopped()?;
        tally.count(model, found.satisfied, &found.outcome, timer.elapsed().as_secs_f64());
    }
    tally.seconds = timer.elapsed().as_secs_f64();
    Ok(tally)
}

/// Metropolis and Hastings: now and then everything anew, mostly one variable by about
/// half its deviation, as the paper does it where it says little (2.4.4).
pub(super) fn chain(model: &DirectedScene, seed: Seed, simulations: u64, context: &Context) -> Result<Tally, Halt> {
    let (timer, mix) = (Timer::start(), single_steps(model.space())?);
    let mut tally = Tally::default();
    let progress = context.progress();
    let mut chain = Chain::start(model, &mix, seed, 0, &progress)?.or_stopped()?;
    while chain.effort().simulations < simulations {
        let is_new = chain.step(&progress)?.or_stopped()?;
        tally.simulations = chain.effort().simulations;
        if chain.satisfied() && is_new {
            tally.found(model, chain.outcome(), tally.simulations, timer.elapsed().as_secs_f64());
        }
        tally.successes += u64::from(chain.satisfied());
    }
    tally.seconds = timer.elapsed().as_secs_f64();
    Ok(tally)
}

fn single_steps(space: &Space) -> Result<Mix, Halt> {
    let mut moves: Vec<(f64, Box<dyn Move>)> = vec![(0.05, Box::new(FromPrior::new("change all")))];
    let switches = space.optional_groups().next().is_some();
    let ids: Vec<_> = space.variables().collect();
    let share = if switches { 0.6 } else { 0.95 };
    for id in &ids {
        let deviation = 0.5 * space.density(*id).variance().sqrt();
        let name = space.variable_name(*id).to_owned();
        let walk = Walk::new(name, space, vec![vec![*id]], Choose::One, Offset::Normal(deviation), Edges::Wrap)?;
        moves.push((share / ids.len() as f64, Box::new(walk)));
    }
    if switches {
        moves.push((0.35, Box::new(OneMoreOrLess::new("one more or less"))));
    }
    Ok(Mix::new(moves)?)
}

/// Simulated annealing of the score, in steps that leave the world's density as
/// it is; it cools, and starts over.
pub(super) fn annealing(model: &DirectedScene, seed: Seed, simulations: u64, context: &Context) -> Result<Tally, Halt> {
    let (timer, space) = (Timer::start(), model.space());
    let step = CrankNicolson::new("step", Scope::All, 1e-3, 1.0)?;
    let switch = OneMoreOrLess::new("one more or less");
    let switches = space.optional_groups().next().is_some();
    let mut stream = seed.stream("annealing");
    let mut tally = Tally::default();
    let mut current: Option<(proscenium_direct::Point, f64)> = None;
    while tally.simulations < simulations {
        let cooled = (tally.simulations % COOLING) as f64 / COOLING as f64;
        if cooled == 0.0 {
            current = None;
        }
        let temperature = HOTTEST * libm::pow(COLDEST / HOTTEST, cooled);
        let point = match &current {
            None => space.draw(&mut stream),
            Some((point, _)) => proposed(space, point, [&step, &switch], switches, &mut stream),
        };
        let found = model.outcome(&point, &context.progress())?.or_stopped()?;
        tally.count(model, found.satisfied, &found.outcome, timer.elapsed().as_secs_f64());
        let better = current.as_ref().is_none_or(|(_, score)| {
            libm::log(stream.uniform().max(f64::MIN_POSITIVE)) < (found.log_score - score) / temperature
        });
        if better {
            current = Some((point, found.log_score));
        }
    }
    tally.seconds = timer.elapsed().as_secs_f64();
    Ok(tally)
}

fn proposed(
    space: &Space,
    point: &proscenium_direct::Point,
    [step, switch]: [&dyn Move; 2],
    switches: bool,
    stream: &mut Stream,
) -> proscenium_direct::Point {
    let chosen = if switches && stream.uniform() < 0.5 { switch } else { step };
    chosen.propose(space, point, stream).map_or_else(|| point.clone(), |proposal| proposal.point)
}
