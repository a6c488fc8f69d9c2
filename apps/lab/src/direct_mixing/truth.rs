//! The truth by brute force.

use proscenium_direct::{Model, Request};
use rayon::prelude::*;

use crate::direct_worlds::{MODES, Pegs};
use crate::error::Halt;
use crate::experiment::Context;

/// Draws that one task makes. The sums of tasks are added in order, so that the
/// truth does not depend on the number of threads.
const CHUNK: u64 = 50_000;

/// What so many draws of the world say.
pub(super) struct Truth {
    /// The chance of a draw to be accepted and to satisfy the want.
    pub chance: f64,
    /// The probability of each mode among those.
    pub modes: [f64; MODES],
    /// About how large the error of `modes` is, as a total variation.
    pub error: f64,
}

/// Weights each draw that satisfies the want with its score: what rejection
/// would accept, with less noise.
pub(super) fn truth(pegs: &Pegs, context: &Context, draws: u64) -> Result<Truth, Halt> {
    let mut weights = [0.0; MODES];
    let mut squares = 0.0;
    let chunks = draws.div_ceil(CHUNK);
    let stream = context.seed().stream("direct-mixing truth");
    let progress = context.progress();
    for first in (0..chunks).step_by(64) {
        context.check()?;
        let tasks: Vec<([f64; MODES], f64)> = (first..chunks.min(first + 64))
            .into_par_iter()
            .map(|chunk| {
                let mut stream = stream.at(chunk);
                let (mut weights, mut squares) = ([0.0; MODES], 0.0);
                for _ in 0..CHUNK {
                    let values = pegs.space().values(&pegs.space().draw(&mut stream));
                    if let Ok(simulated) = pegs.simulate(&Request::whole(&values, &progress))
                        && simulated.satisfied
                    {
                        let weight = libm::exp(simulated.log_score);
                        weights[simulated.outcome] += weight;
                        squares += weight * weight;
                    }
                }
                (weights, squares)
            })
            .collect();
        for (task, task_squares) in &tasks {
            weights.iter_mut().zip(task).for_each(|(sum, weight)| *sum += weight);
            squares += task_squares;
        }
        context.done(1e-6 * (tasks.len() as u64 * CHUNK) as f64);
    }
    let sum: f64 = weights.iter().sum();
    let modes = weights.map(|weight| weight / sum);
    let effective = sum * sum / squares;
    // The mean absolute deviation of each share is √(2/π) of its standard deviation.
    let error = modes.iter().map(|share| 0.4 * (share * (1.0 - share) / effective).sqrt()).sum();
    Ok(Truth { chance: sum / (chunks * CHUNK) as f64, modes, error })
}
