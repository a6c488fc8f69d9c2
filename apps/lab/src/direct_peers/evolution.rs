//! CMA-ES: a program that asks for the costs of points.

use std::path::Path;

use proscenium_chance::Seed;
use proscenium_direct::{Model, Point};
use proscenium_scenes::DirectedScene;
use serde_json::{Value, json};

use super::dimensions;
use crate::directing::Tally;
use crate::error::Halt;
use crate::experiment::Context;
use crate::peer::Conversation;
use crate::timing::Timer;

/// What it may cost that something cannot be.
const IMPOSSIBLE: f64 = 1e6;

/// Lets CMA-ES minimise minus the logarithm of the density that we sample.
pub(super) fn evolution(
    program: &Path,
    model: &DirectedScene,
    seed: Seed,
    simulations: u64,
    context: &Context,
) -> Result<Tally, Halt> {
    let timer = Timer::start();
    let mut tally = Tally::default();
    let mut talk = Conversation::start(program)?;
    let seed = seed.0 % (1 << 30) + 1;
    talk.say(&json!({ "dimensions": dimensions(model), "seed": seed, "deviation": 1.0 }))?;
    while tally.simulations < simulations {
        let generation = talk.listen()?;
        let mut costs = Vec::new();
        for coordinates in generation.as_array().into_iter().flatten() {
            context.check()?;
            let coordinates: Vec<f64> =
                coordinates.as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
            let found = model.outcome(&point(model, &coordinates), &context.progress())?.or_stopped()?;
            tally.count(model, found.satisfied, &found.outcome, timer.elapsed().as_secs_f64());
            let unlikely: f64 = coordinates.iter().map(|z| 0.5 * z * z).sum();
            costs.push((unlikely - found.log_score).min(IMPOSSIBLE));
        }
        talk.say(&json!(costs))?;
    }
    tally.seconds = timer.elapsed().as_secs_f64();
    Ok(tally)
}

/// The point that some numbers stand for: its whitened variables, then a switch
/// for each group that may take part.
fn point(model: &DirectedScene, coordinates: &[f64]) -> Point {
    let space = model.space();
    let (whitened, switches) = coordinates.split_at(space.variables().len().min(coordinates.len()));
    let mut active = vec![true; space.groups().len()];
    for (group, switch) in space.optional_groups().zip(switches) {
        let share = 0.5 * libm::erfc(-switch / 2f64.sqrt());
        active[group.index()] = share < space.chance_of(group).unwrap_or(1.0);
    }
    Point::new(whitened.to_vec(), active)
}
