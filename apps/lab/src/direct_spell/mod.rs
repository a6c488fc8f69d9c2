//! Marbles that spell a word (Chenney 2000, section 2.4.3, figures 2.8 to 2.12).

mod conclude;

use proscenium_direct::Moves;
use proscenium_scenes::{DirectedScene, Scene, find};
use rayon::prelude::*;

use crate::directing::{Enough, Tally, cost, follow, search};
use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment};
use crate::results::Row;

/// The logarithm of λ for "HI" and for "ACM".
pub(super) const HI: f64 = 5.0;
const ACM: f64 = 7.25;

/// The experiment `direct-spell`.
pub(crate) struct DirectSpell;

impl Experiment for DirectSpell {
    fn name(&self) -> &'static str {
        "direct-spell"
    }

    fn reproduces(&self) -> &'static str {
        "Chenney 2000, figures 2.8 to 2.12"
    }

    fn summary(&self) -> &'static str {
        "marbles that spell HI and ACM: the paper's chain and our default"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "word",
            "method",
            "lambda",
            "seeds",
            "iterations",
            "seconds",
            "iterations_per_s",
            "ms_per_simulation",
            "first_success",
            "paper_first_success",
            "successes",
            "distinct",
            "distinct_per_minute",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let plan = Plan::new(context.quick());
        let hi = |lambda: f64| find("spell=HI", &[("weight", lambda)]);
        let acm = find("spell=ACM", &[("height", 5.0), ("weight", ACM)])?;
        context.plan(plan.work());
        for (word, scene) in [("HI", hi(HI)?), ("ACM", acm.clone())] {
            context.doing(&format!("what a simulation of {word} costs"));
            let tally = cost(&DirectedScene::new(&scene)?, context.seed(), plan.costs, context)?;
            rows.push(tally.row(Row::new().with("word", word).with("method", "draws of the world")));
            context.done(plan.costs as f64 * 0.006);
        }
        for (lambda, moves) in plan.chains.iter().copied() {
            rows.push(chains(&plan, &hi(lambda)?, lambda, moves, context)?);
        }
        rows.push(default("HI", &hi(HI)?, HI, plan.hi, context)?);
        context.done(plan.hi.seconds);
        if plan.acm.seconds > 0.0 {
            context.doing("the paper's chain, ACM");
            let model = DirectedScene::new(&acm)?;
            let mix = model.mix_of(Moves::Paper)?;
            let seed = context.seed().child("direct-spell ACM", 0);
            let tally = follow(&model, &mix, seed, u64::MAX, plan.acm.seconds, context)?;
            let row = Row::new().with("word", "ACM").with("method", "the paper's chain").with("lambda", ACM);
            rows.push(tally.row(row.with("seeds", 1)));
            context.done(plan.acm.seconds);
            rows.push(default("ACM", &acm, ACM, plan.acm, context)?);
            context.done(plan.acm.seconds);
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        conclude::conclude(rows)
    }
}

/// How much is done.
struct Plan {
    costs: u64,
    iterations: u64,
    seeds: u64,
    chains: Vec<(f64, Moves)>,
    hi: Enough,
    acm: Enough,
}

impl Plan {
    fn new(quick: bool) -> Self {
        let corrected = Moves::Paper;
        if quick {
            return Self {
                costs: 20,
                iterations: 3_000,
                seeds: 3,
                chains: vec![(HI, corrected)],
                hi: Enough { simulations: u64::MAX, seconds: 25.0, distinct: 20 },
                acm: Enough { simulations: 0, seconds: 0.0, distinct: 0 },
            };
        }
        Self {
            costs: 200,
            iterations: 20_000,
            seeds: 5,
            chains: vec![(4.0, corrected), (HI, corrected), (6.0, corrected), (HI, Moves::PaperAsPrinted)],
            hi: Enough { simulations: 20_000, seconds: f64::INFINITY, distinct: usize::MAX },
            // Ten minutes of two processors.
            acm: Enough { simulations: u64::MAX, seconds: 1200.0, distinct: 20 },
        }
    }

    /// Roughly how long it takes, in seconds.
    fn work(&self) -> f64 {
        let chains = (self.chains.len() as u64 * self.seeds * self.iterations) as f64;
        2.0 * self.costs as f64 * 0.006 + 0.001 * chains + self.hi.seconds.min(60.0) + 2.0 * self.acm.seconds
    }
}

/// The paper's chain from several seeds, each on a processor of its own.
fn chains(plan: &Plan, scene: &Scene, lambda: f64, moves: Moves, context: &Context) -> Result<Row, Halt> {
    let method = match moves {
        Moves::PaperAsPrinted => "the paper's chain, as printed",
        _ => "the paper's chain",
    };
    context.doing(&format!("{method}, λ = e^{lambda}"));
    let model = DirectedScene::new(scene)?;
    let mix = model.mix_of(moves)?;
    let one = |seed: u64| {
        let seed = context.seed().child("direct-spell HI", seed);
        let tally = follow(&model, &mix, seed, plan.iterations, f64::INFINITY, context);
        context.done(0.001 * plan.iterations as f64);
        tally
    };
    let tallies: Result<Vec<Tally>, Halt> = (0..plan.seeds).into_par_iter().map(one).collect();
    let tallies = tallies?;
    let mut firsts: Vec<Option<u64>> = tallies.iter().map(|tally| tally.first.map(|(first, _)| first)).collect();
    // A chain that never succeeds does so last.
    firsts.sort_by_key(|first| first.unwrap_or(u64::MAX));
    let count = tallies.len() as f64;
    let mean = |of: fn(&Tally) -> f64| tallies.iter().map(of).sum::<f64>() / count;
    let seconds = mean(|tally| tally.seconds);
    let distinct = mean(|tally| tally.distinct.len() as f64);
    let shown = &tallies[0];
    Ok(Row::new()
        .with("word", "HI")
        .with("method", method)
        .with("lambda", lambda)
        .with("seeds", plan.seeds)
        .with("iterations", plan.iterations)
        .with("simulations", mean(|tally| tally.simulations as f64))
        .with("abandoned", mean(|tally| tally.abandoned as f64))
        .with("seconds", seconds)
        .with("iterations_per_s", plan.iterations as f64 / seconds)
        .with("ms_per_simulation", 1e3 * seconds / mean(|tally| tally.simulations as f64))
        .with("first_success", firsts[firsts.len() / 2])
        .with("paper_first_success", (lambda == HI).then_some(6000))
        .with("first_successes", firsts)
        .with("successes", mean(|tally| tally.successes as f64))
        .with("distinct", distinct)
        .with("distinct_per_minute", 60.0 * distinct / seconds)
        .with("trace", shown.trace.clone())
        .with("log_density", shown.log_density.clone()))
}

fn default(word: &str, scene: &Scene, lambda: f64, enough: Enough, context: &Context) -> Result<Row, Halt> {
    context.doing(&format!("our default, {word}"));
    let seed = context.seed().child("direct-spell default", 0);
    let model = DirectedScene::new(scene)?;
    let (tally, why) = search(&model, seed, enough, context)?;
    let row = Row::new().with("word", word).with("method", "our default").with("lambda", lambda).with("seeds", 1);
    Ok(tally.row(row).with("why", why).with("found_s", tally.distinct.clone()))
}

#[cfg(test)]
mod tests {
    use proscenium_direct::Model as _;

    use super::*;

    /// The sizes of appendix A.2 and section 2.4.3.
    #[test]
    fn the_papers_moves_have_vectors_to_move() {
        let scene = find("spell=HI", &[]).unwrap();
        let model = DirectedScene::new(&scene).unwrap();
        assert_eq!(model.wants().len(), 10);
        assert_eq!(model.space().optional_groups().count(), 10);
        // Four corners for each of 24 crossings, two for each of 20 ends.
        let corners =
            model.space().variables().filter(|id| model.space().variable_name(*id).starts_with("box.")).count();
        assert_eq!(corners, 3 * (4 * 24 + 2 * 20));
        let mix = model.mix_of(Moves::Paper).unwrap();
        let tally =
            follow(&model, &mix, proscenium_chance::Seed(1), 30, f64::INFINITY, &Context::new(1, true)).unwrap();
        assert_eq!((tally.iterations, tally.trace.len()), (30, 30));
        assert!(tally.trace.iter().all(|met| *met <= 10.0));
    }
}
