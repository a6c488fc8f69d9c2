//! How soon each method knows the ways to a goal: the error in the
//! probabilities of the outcome's modes against the number of simulations.

mod conclude;
mod sixes;
mod truth;

use proscenium_direct::moves::paper::ball_mix;
use proscenium_direct::population::PopulationOptions;
use proscenium_direct::{Draw, Method, Mix, Model, Sampler, SamplerOptions};
use rayon::prelude::*;

use crate::direct_worlds::{MODES, PEG_INCLINATION, Pegs};
use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment};
use crate::results::Row;

/// Where the ball among pegs should land.
const TARGET: f64 = 1.5;

/// The experiment `direct-mixing`.
pub(crate) struct DirectMixing;

impl Experiment for DirectMixing {
    fn name(&self) -> &'static str {
        "direct-mixing"
    }

    fn reproduces(&self) -> &'static str {
        "Chenney 2000, chapter 2: how well chains mix"
    }

    fn summary(&self) -> &'static str {
        "the error in the probabilities of an outcome's modes: rejection, chains, tempering, populations"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "world",
            "chance",
            "method",
            "budget",
            "simulations",
            "samples",
            "error",
            "error_spread",
            "truth_error",
            "throws_per_success",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let instances = instances(context.quick());
        context.plan(instances.iter().map(Instance::work).sum::<f64>() + sixes::work(context.quick()));
        for instance in &instances {
            instance.measure(context, rows)?;
        }
        sixes::measure(context, rows)
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        conclude::conclude(rows)
    }
}

/// A want that is so hard, and what is spent on it.
struct Instance {
    tolerance: f64,
    /// Draws of the world that give the truth.
    draws: u64,
    budgets: &'static [u64],
    seeds: u64,
}

/// The full plan takes some minutes on two cores, the quick one half a minute.
fn instances(quick: bool) -> Vec<Instance> {
    const BUDGETS: [u64; 5] = [3_000, 10_000, 30_000, 100_000, 300_000];
    if quick {
        return vec![
            Instance { tolerance: 0.03, draws: 1_000_000, budgets: &BUDGETS[..3], seeds: 6 },
            Instance { tolerance: 0.0003, draws: 6_000_000, budgets: &BUDGETS[1..4], seeds: 4 },
        ];
    }
    vec![
        Instance { tolerance: 0.03, draws: 10_000_000, budgets: &BUDGETS, seeds: 16 },
        Instance { tolerance: 0.004, draws: 40_000_000, budgets: &BUDGETS, seeds: 16 },
        Instance { tolerance: 0.0001, draws: 200_000_000, budgets: &BUDGETS, seeds: 16 },
    ]
}

/// A method with its moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Way {
    Rejection,
    PaperChain,
    Chain,
    Tempering,
    Populations,
}

pub(super) const WAYS: [Way; 5] = [Way::Rejection, Way::PaperChain, Way::Chain, Way::Tempering, Way::Populations];

impl Way {
    pub fn name(self) -> &'static str {
        match self {
            Way::Rejection => "rejection",
            Way::PaperChain => "chain, the paper's moves",
            Way::Chain => "chain, our moves",
            Way::Tempering => "tempering",
            Way::Populations => "populations",
        }
    }

    fn method(self) -> Method {
        match self {
            Way::Rejection => Method::Rejection,
            Way::PaperChain | Way::Chain => Method::Chain,
            Way::Tempering => Method::Tempering,
            Way::Populations => Method::Population,
        }
    }
}

impl Instance {
    /// Roughly how long it takes, in seconds.
    fn work(&self) -> f64 {
        let budgets: u64 = self.budgets.iter().sum();
        1e-6 * (self.draws as f64 + (WAYS.len() as u64 * self.seeds * budgets) as f64)
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let pegs = Pegs::new(TARGET, self.tolerance)?;
        context.doing(&format!("the truth within {}", self.tolerance));
        let truth = truth::truth(&pegs, context, self.draws)?;
        for way in WAYS {
            for budget in self.budgets {
                context.check()?;
                context.doing(&format!("{}, {budget} simulations", way.name()));
                let seeds = (0..self.seeds).into_par_iter();
                let runs: Result<Vec<Spent>, Halt> =
                    seeds.map(|seed| spend(&pegs, way, *budget, context, seed)).collect();
                rows.push(self.row(&truth, way, *budget, &runs?));
                context.done(1e-6 * (self.seeds * budget) as f64);
            }
        }
        Ok(())
    }

    fn row(&self, truth: &truth::Truth, way: Way, budget: u64, runs: &[Spent]) -> Row {
        let count = runs.len() as f64;
        let errors: Vec<f64> = runs.iter().map(|run| total_variation(&run.modes, &truth.modes)).collect();
        let mean = errors.iter().sum::<f64>() / count;
        let spread = (errors.iter().map(|error| (error - mean) * (error - mean)).sum::<f64>() / count).sqrt();
        let simulations = runs.iter().map(|run| run.simulations).sum::<u64>() as f64 / count;
        Row::new()
            .with("world", format!("pegs ± {}", self.tolerance))
            .with("tolerance", self.tolerance)
            .with("chance", truth.chance)
            .with("method", way.name())
            .with("budget", budget)
            .with("simulations", simulations.round() as u64)
            .with("samples", runs.iter().map(|run| run.modes.iter().sum::<f64>()).sum::<f64>() / count)
            .with("runs_without_any", runs.iter().filter(|run| run.modes.iter().sum::<f64>() == 0.0).count())
            .with("error", mean)
            .with("error_spread", spread)
            .with("truth_error", truth.error)
            .with("seeds", self.seeds)
            .with("modes", truth.modes.to_vec())
    }
}

/// What some simulations gave: how often each mode was sampled.
pub(super) struct Spent {
    simulations: u64,
    modes: [f64; MODES],
}

/// Half the sum of the differences; one if nothing is known.
pub(super) fn total_variation(counts: &[f64; MODES], truth: &[f64; MODES]) -> f64 {
    let sum: f64 = counts.iter().sum();
    if sum == 0.0 {
        return 1.0;
    }
    counts.iter().zip(truth).map(|(count, share)| 0.5 * (count / sum - share).abs()).sum()
}

/// Spends a number of simulations on samples that satisfy the want.
///
/// A chain or a ladder needs to find its way, so that only the second half of
/// what it did counts. A population is as large as the budget allows.
fn spend(pegs: &Pegs, way: Way, budget: u64, context: &Context, seed: u64) -> Result<Spent, Halt> {
    let mix = if way == Way::PaperChain {
        ball_mix(pegs.space(), 0.5 * PEG_INCLINATION)?
    } else {
        Mix::standard(pegs.space())?
    };
    // As many stages as a population was seen to need.
    let stages = 2.0 + 2.7 * libm::log10(1.0 / pegs.tolerance()).max(0.0);
    let particles = (budget as f64 / (1.0 + 8.0 * stages)) as usize;
    let options = SamplerOptions {
        method: Some(way.method()),
        chains: 1,
        population: PopulationOptions { particles: particles.max(16), moves: 8, effective: 0.5 },
        ..SamplerOptions::default()
    };
    let seed = context.seed().child("direct-mixing", seed);
    let progress = context.progress();
    let mut sampler = Sampler::start(pegs, &mix, seed, options, &progress)?.or_stopped()?;
    let mut draws: Vec<Draw> = Vec::new();
    while sampler.effort().simulations < budget {
        draws.extend(sampler.advance(&progress)?.or_stopped()?.draws);
        if way == Way::Populations && !draws.is_empty() {
            break;
        }
    }
    let kept = match way {
        Way::PaperChain | Way::Chain | Way::Tempering => draws.len() / 2,
        Way::Rejection | Way::Populations => 0,
    };
    let mut modes = [0.0; MODES];
    for draw in draws[kept..].iter().filter(|draw| draw.satisfied) {
        modes[draw.quantities[0] as usize] += 1.0;
    }
    Ok(Spent { simulations: sampler.effort().simulations, modes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_between_zero_and_one() {
        let mut truth = [0.0; MODES];
        (truth[0], truth[1]) = (0.25, 0.75);
        let mut counts = [0.0; MODES];
        assert_eq!(total_variation(&counts, &truth), 1.0);
        (counts[0], counts[1]) = (5.0, 15.0);
        assert_eq!(total_variation(&counts, &truth), 0.0);
        counts = [0.0; MODES];
        counts[2] = 9.0;
        assert_eq!(total_variation(&counts, &truth), 1.0);
    }

    #[test]
    fn every_method_comes_near_the_truth_of_an_easy_want() {
        let context = Context::new(1, true);
        let pegs = Pegs::new(TARGET, 0.1).unwrap();
        let truth = truth::truth(&pegs, &context, 100_000).unwrap();
        assert!((truth.modes.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        for way in WAYS {
            let run = spend(&pegs, way, 20_000, &context, 0).unwrap();
            let error = total_variation(&run.modes, &truth.modes);
            assert!(error < 0.35, "{}: {error}", way.name());
        }
    }
}
