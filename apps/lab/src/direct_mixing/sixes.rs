//! Two dice on a bumpy table that should both show a six: as easy as a want
//! gets, and no method may be worse than throwing until it fits.

use proscenium_direct::{Method, SamplerOptions};
use proscenium_scenes::{DirectedScene, find};

use crate::directing::{Enough, direct};
use crate::error::Halt;
use crate::experiment::Context;
use crate::results::Row;

pub(super) const WORLD: &str = "two dice, 6–6";

/// Roughly what a throw takes, in seconds.
const THROW: f64 = 0.005;

/// Each with its method, and whether one simulation serves all turns of the dice.
const WAYS: [(&str, Option<Method>, bool); 4] = [
    ("rejection", Some(Method::Rejection), false),
    ("default", None, false),
    ("tempering", Some(Method::Tempering), false),
    ("default with symmetry", None, true),
];

fn throws(quick: bool) -> u64 {
    if quick { 512 } else { 10_240 }
}

/// Roughly how long it takes, in seconds.
pub(super) fn work(quick: bool) -> f64 {
    WAYS.len() as f64 * throws(quick) as f64 * THROW
}

pub(super) fn measure(context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
    let scene = find("table", &[("n", 2.0)])?;
    let (symmetric, plain) = (DirectedScene::new(&scene)?, DirectedScene::new(&scene)?.without_symmetry());
    let budget = throws(context.quick());
    for (name, method, is_symmetric) in WAYS {
        let model = if is_symmetric { &symmetric } else { &plain };
        context.doing(&format!("{WORLD}, {name}"));
        let options = SamplerOptions { method, chains: 1, ..SamplerOptions::default() };
        let enough = Enough { simulations: budget, seconds: f64::INFINITY, distinct: usize::MAX };
        let (tally, why) = direct(model, context.seed().child("direct-mixing sixes", 0), options, enough, context)?;
        let per = |count: u64| if count == 0 { None } else { Some(tally.simulations as f64 / count as f64) };
        rows.push(
            Row::new()
                .with("world", WORLD)
                .with("chance", 1.0 / 36.0)
                .with("method", name)
                .with("budget", budget)
                .with("simulations", tally.simulations)
                .with("samples", tally.successes)
                .with("distinct", tally.distinct.len())
                .with("throws_per_success", per(tally.successes))
                .with("throws_per_distinct", per(tally.distinct.len() as u64))
                .with("ms_per_simulation", 1e3 * tally.seconds / tally.simulations as f64)
                .with("why", why),
        );
        context.done(budget as f64 * THROW);
    }
    Ok(())
}
