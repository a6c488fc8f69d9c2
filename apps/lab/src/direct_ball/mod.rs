//! The paper's first chain (Chenney 2000, 2.4.1 and figure 2.4), and whether
//! every method samples what plain rejection does.

mod conclude;
mod distribution;

use proscenium_direct::Model;
use proscenium_direct::chain::Chain;
use proscenium_direct::moves::paper::ball_mix;

use crate::direct_worlds::{Ball, INCLINATION, TARGET};
use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment};
use crate::results::Row;
use crate::timing::Timer;

/// The paper's chain: so many samples.
const ITERATIONS: u64 = 1000;
/// Near enough to count as having moved to the target, diameters.
const NEAR: f64 = 0.3;
/// The paper: "within twenty iterations".
const PAPER_ARRIVAL: u64 = 20;

/// The experiment `direct-ball`.
pub(crate) struct DirectBall;

impl Experiment for DirectBall {
    fn name(&self) -> &'static str {
        "direct-ball"
    }

    fn reproduces(&self) -> &'static str {
        "Chenney 2000, section 2.4.1 and figure 2.4"
    }

    fn summary(&self) -> &'static str {
        "a ball told where to rest: the paper's chain, and all methods against rejection"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "what",
            "iterations",
            "simulations",
            "seconds",
            "us_per_simulation",
            "arrival",
            "paper_arrival",
            "within_tenth",
            "acceptance",
            "samples",
            "effective",
            "compared",
            "ks_statistic",
            "ks_p",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let chains = if context.quick() { 20 } else { 200 };
        context.plan(1.0 + distribution::METHODS.len() as f64);
        rows.push(paper_chain(context, chains)?);
        context.done(1.0);
        distribution::measure(context, rows)
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        conclude::conclude(rows)
    }
}

/// Chains of a thousand with the proposals of Algorithm 2.2: how soon they reach
/// the target and how much of them is near it, in the median.
fn paper_chain(context: &Context, chains: u64) -> Result<Row, Halt> {
    context.doing("the paper's chain");
    let ball = Ball::new()?;
    let mix = ball_mix(ball.space(), 0.5 * INCLINATION)?;
    let (mut arrivals, mut shares, mut acceptances) = (Vec::new(), Vec::new(), Vec::new());
    let (mut first_trace, mut simulations) = (Vec::new(), 0);
    let timer = Timer::start();
    let progress = context.progress();
    for number in 0..chains {
        let seed = context.seed().child("direct-ball", 0);
        let mut chain = Chain::start(&ball, &mix, seed, number, &progress)?.or_stopped()?;
        let mut trace = vec![chain.outcome().x];
        let mut accepted = 0.0;
        for _ in 1..ITERATIONS {
            accepted += f64::from(u8::from(chain.step(&progress)?.or_stopped()?));
            trace.push(chain.outcome().x);
        }
        let near = |x: &f64, distance: f64| (x - TARGET).abs() <= distance;
        let arrival = trace.iter().position(|x| near(x, NEAR)).unwrap_or(trace.len());
        arrivals.push(arrival as f64);
        shares.push(trace.iter().filter(|x| near(x, 0.1)).count() as f64 / trace.len() as f64);
        acceptances.push(accepted / (ITERATIONS - 1) as f64);
        simulations += chain.effort().simulations;
        if number == 0 {
            first_trace = trace;
        }
    }
    let seconds = timer.elapsed().as_secs_f64();
    let late = arrivals.iter().filter(|arrival| **arrival > PAPER_ARRIVAL as f64).count() as f64;
    Ok(Row::new()
        .with("what", "the paper's chain")
        .with("iterations", ITERATIONS)
        .with("chains", chains)
        .with("simulations", simulations)
        .with("seconds", seconds)
        .with("us_per_simulation", 1e6 * seconds / simulations as f64)
        .with("arrival", median(&mut arrivals))
        .with("paper_arrival", PAPER_ARRIVAL)
        .with("later_than_paper", late / chains as f64)
        .with("within_tenth", median(&mut shares))
        .with("paper_within_tenth", "the majority")
        .with("acceptance", median(&mut acceptances))
        .with("trace", first_trace))
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_reach_the_target_and_stay_near() {
        let row = paper_chain(&Context::new(1, true), 5).unwrap();
        assert_eq!(row.number("chains"), Some(5.0));
        assert!(row.number("arrival").unwrap() < 200.0);
        assert!(row.number("within_tenth").unwrap() > 0.4);
        assert_eq!(row.get("trace").unwrap().as_array().unwrap().len(), 1000);
    }
}
