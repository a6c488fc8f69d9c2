//! What coming back into view costs, at all phases of the forcing.

use proscenium_cull::{CompiledModel, CullError, Player, Seed};

use crate::timing::Stopwatch;

/// Phases at which a system comes back, and returns at each.
const PHASES: u32 = 64;
const RETURNS: u64 = 24;

/// Microseconds of processor time that a return of one copy takes: at the cheapest phase
/// and at the dearest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReturnCost {
    pub least_us: f64,
    pub most_us: f64,
}

/// Returns after about so many seconds, which end at all phases.
pub(crate) fn at_all_phases(culled: &CompiledModel, gap: f64, seed: Seed) -> Result<ReturnCost, CullError> {
    let (model, learned) = (culled.model(), culled.learned());
    let period = proscenium_cull::System::forcing_period(model).unwrap_or(1.0);
    let mut cost = ReturnCost { least_us: f64::INFINITY, most_us: 0.0 };
    for phase in 0..PHASES {
        let end = period * f64::from(phase) / f64::from(PHASES);
        let mut watch = Stopwatch::default();
        for index in 0..RETURNS {
            // They begin at all phases, too.
            let begin = period * index as f64 / RETURNS as f64;
            let mut player = Player::new(model, seed.child("return", index), begin);
            player.see(model, learned, begin)?;
            let to = ((begin + gap) / period).ceil() * period + end;
            watch.time(|| player.see(model, learned, to))?;
        }
        let us = watch.seconds() * 1e6 / RETURNS as f64;
        cost.least_us = cost.least_us.min(us);
        cost.most_us = cost.most_us.max(us);
    }
    Ok(cost)
}
