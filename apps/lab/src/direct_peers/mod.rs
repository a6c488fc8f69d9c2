//! Our default beside re-rolling, the paper's chain, simulated annealing and
//! CMA-ES, each with the same number of simulations.

mod conclude;
mod evolution;
mod methods;

use proscenium_direct::{Model, SamplerOptions};
use proscenium_scenes::{Directed, Scene, SceneErrors, find};
use rayon::prelude::*;

use crate::directing::{Enough, Tally, direct};
use crate::error::LabError;
use crate::experiment::{Conclusion, Context, Experiment};
use crate::results::Row;

/// A scene and what is wanted of it.
struct Problem {
    name: &'static str,
    /// Simulations that every method may make.
    simulations: u64,
    scene: fn() -> Result<Scene, SceneErrors>,
}

const PROBLEMS: [Problem; 4] = [
    Problem { name: "spell", simulations: 10_000, scene: || find("spell=HI", &[("weight", 5.0)]) },
    Problem {
        name: "dice",
        simulations: 10_000,
        scene: || find("table", &[("face", 3.0), ("x", 0.02), ("z", 0.0), ("within", 0.005)]),
    },
    Problem {
        name: "bowling",
        simulations: 3_000,
        scene: || find("bowling=6,7", &[])?.with_wants("{ body = \"all\", upright = false, weight = 2.5 }"),
    },
    Problem {
        name: "billiards",
        simulations: 10_000,
        scene: || {
            find("billiards", &[])?.with_wants("cue ball hits cushions 2 times before ball-1, ball-1 rests in pockets")
        },
    },
];

/// How a problem is approached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Approach {
    Ours,
    ReRolling,
    PapersChain,
    Annealing,
    Evolution,
}

impl Approach {
    const ALL: [Self; 5] = [Self::Ours, Self::ReRolling, Self::PapersChain, Self::Annealing, Self::Evolution];

    pub fn name(self) -> &'static str {
        match self {
            Self::Ours => "our default",
            Self::ReRolling => "re-rolling",
            Self::PapersChain => "the paper's chain",
            Self::Annealing => "simulated annealing",
            Self::Evolution => "CMA-ES",
        }
    }
}

/// The experiment `direct-peers`.
pub(crate) struct DirectPeers;

impl Experiment for DirectPeers {
    fn name(&self) -> &'static str {
        "direct-peers"
    }

    fn reproduces(&self) -> &'static str {
        "a comparison of our own: how else one could direct"
    }

    fn summary(&self) -> &'static str {
        "spell, dice, bowling and billiards: five ways to find what is wanted, with the same number of simulations"
    }

    fn columns(&self) -> &'static [&'static str] {
        &["scene", "method", "simulations", "first_success", "successes", "distinct", "distinct_per_1000_simulations"]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), LabError> {
        let share = if context.quick() { 25 } else { 1 };
        context.plan((PROBLEMS.len() * Approach::ALL.len()) as f64);
        for problem in &PROBLEMS {
            let model = Directed::new(&(problem.scene)()?)?;
            let simulations = problem.simulations / share;
            context.doing(problem.name);
            let found: Result<Vec<Row>, LabError> = Approach::ALL
                .par_iter()
                .map(|approach| {
                    let tally = tallied(*approach, &model, simulations, context)?;
                    context.done(1.0);
                    Ok(row(problem, *approach, tally.as_ref()))
                })
                .collect();
            rows.extend(found?);
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        conclude::conclude(rows)
    }
}

/// What an approach finds; `None` if it is not installed.
fn tallied(
    approach: Approach,
    model: &Directed,
    simulations: u64,
    context: &Context,
) -> Result<Option<Tally>, LabError> {
    let seed = context.seed().child("direct-peers", approach as u64);
    Ok(match approach {
        Approach::Ours => {
            let enough = Enough { simulations, seconds: f64::INFINITY, distinct: usize::MAX };
            Some(direct(model, seed, SamplerOptions::default(), enough, context)?.0)
        }
        Approach::ReRolling => Some(methods::re_rolling(model, seed, simulations, context)?),
        Approach::PapersChain => Some(methods::papers_chain(model, seed, simulations, context)?),
        Approach::Annealing => Some(methods::annealing(model, seed, simulations, context)?),
        Approach::Evolution => match context.peer("peer-cma") {
            Some(program) => Some(evolution::evolution(&program, model, seed, simulations, context)?),
            None => None,
        },
    })
}

fn row(problem: &Problem, approach: Approach, tally: Option<&Tally>) -> Row {
    let row = Row::new().with("scene", problem.name).with("method", approach.name());
    let per_1000 = |tally: &Tally| 1e3 * tally.distinct.len() as f64 / tally.simulations as f64;
    row.with("simulations", tally.map(|tally| tally.simulations))
        .with("first_success", tally.and_then(|tally| tally.first).map(|(first, _)| first))
        .with("successes", tally.map(|tally| tally.successes))
        .with("distinct", tally.map(|tally| tally.distinct.len()))
        .with("distinct_per_1000_simulations", tally.map(per_1000))
        .with("seconds", tally.map(|tally| tally.seconds))
}

/// How many numbers describe a point: its variables, and a switch for each
/// group that may take part or not.
pub(super) fn dimensions(model: &Directed) -> usize {
    let space = model.space();
    space.variables().len() + space.optional_groups().count()
}
