//! Our searches beside re-rolling, a chain, simulated annealing and CMA-ES, and our fair
//! draws beside those of other samplers, each with the same number of simulations.

mod conclude;
mod evolution;
mod methods;

use proscenium_direct::{Method, Model, Moves, SamplerOptions};
use proscenium_director::{Budget, MemoryArchive, Order, Pick};
use proscenium_scenes::{DirectedScene, Scene, SceneErrors, Source, find};
use rayon::prelude::*;

use crate::directing::Tally;
use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment};
use crate::results::Row;

/// A scene and what is wanted of it.
struct Problem {
    name: &'static str,
    /// Simulations that every method may make.
    simulations: u64,
    scene: fn() -> Result<Scene, SceneErrors>,
}

const PROBLEMS: [Problem; 6] = [
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
    Problem {
        name: "two sixes",
        simulations: 3_000,
        scene: || find("dice", &[])?.with_wants("die-1 and die-2 show 6"),
    },
    Problem { name: "tray", simulations: 10_000, scene: || Scene::parse(TRAY, &Source::inline("tray.toml", TRAY)) },
];

/// A ball that should bounce once or more and come to rest in a tray.
const TRAY: &str = include_str!("tray.toml");

/// More different animations than any budget here finds.
const MOST_ORDERED: usize = 1_000_000;
/// So many fair draws are ordered: what a wall of them shows.
const FAIR_ORDERED: usize = 100;

/// How a problem is approached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Approach {
    Search(Search),
    Sampler(SamplerKind),
}

/// Ways to find, judged by how many different animations they find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    Ours,
    ReRolling,
    Chain,
    Annealing,
    Evolution,
}

/// Ways to draw fairly, judged by how many independent draws theirs are worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SamplerKind {
    Ours,
    Rejection,
    Papers,
    Chain,
    Tempering,
}

impl Approach {
    /// Ours is the first of each kind.
    const ALL: [Self; 10] = [
        Self::Search(Search::Ours),
        Self::Search(Search::ReRolling),
        Self::Search(Search::Chain),
        Self::Search(Search::Annealing),
        Self::Search(Search::Evolution),
        Self::Sampler(SamplerKind::Ours),
        Self::Sampler(SamplerKind::Rejection),
        Self::Sampler(SamplerKind::Papers),
        Self::Sampler(SamplerKind::Chain),
        Self::Sampler(SamplerKind::Tempering),
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Search(Search::Ours) => "ours, different",
            Self::Search(Search::ReRolling) => "re-rolling",
            Self::Search(Search::Chain) => "chain of single steps",
            Self::Search(Search::Annealing) => "simulated annealing",
            Self::Search(Search::Evolution) => "CMA-ES",
            Self::Sampler(SamplerKind::Ours) => "ours, likely",
            Self::Sampler(SamplerKind::Rejection) => "rejection",
            Self::Sampler(SamplerKind::Papers) => "the paper's chain",
            Self::Sampler(SamplerKind::Chain) => "chain",
            Self::Sampler(SamplerKind::Tempering) => "tempering",
        }
    }

    fn is_ours(self) -> bool {
        matches!(self, Self::Search(Search::Ours) | Self::Sampler(SamplerKind::Ours))
    }

    /// What it is judged by.
    fn column(self) -> &'static str {
        match self {
            Self::Search(_) => DISTINCT,
            Self::Sampler(_) => EFFECTIVE,
        }
    }
}

/// Different animations that were found in 1000 simulations.
const DISTINCT: &str = "distinct_per_1000_simulations";
/// Independent draws that those of 1000 simulations are worth.
const EFFECTIVE: &str = "effective_per_1000_simulations";

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
        "six scenes: five ways to find what is wanted and five to draw it fairly, with the same number of simulations"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "scene",
            "method",
            "simulations",
            "first_success",
            "successes",
            "distinct",
            DISTINCT,
            EFFECTIVE,
            "ours_over_best",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let share = if context.quick() { 25 } else { 1 };
        context.plan((PROBLEMS.len() * Approach::ALL.len()) as f64);
        for problem in &PROBLEMS {
            let scene = (problem.scene)()?;
            let (model, plain) = (DirectedScene::new(&scene)?, DirectedScene::new(&scene)?.without_symmetry());
            let simulations = problem.simulations / share;
            context.doing(problem.name);
            let found: Result<Vec<Row>, Halt> = Approach::ALL
                .par_iter()
                .map(|approach| {
                    // That one simulation serves all turns of a die is part of our way.
                    let model = if approach.is_ours() { &model } else { &plain };
                    let row = row(problem, *approach, model, simulations, context)?;
                    context.done(1.0);
                    Ok(row)
                })
                .collect();
            rows.extend(with_ratio(found?));
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        conclude::conclude(rows)
    }
}

/// What an approach comes to; without figures if it is not installed, or not for this
/// scene.
fn row(
    problem: &Problem,
    approach: Approach,
    model: &DirectedScene,
    simulations: u64,
    context: &Context,
) -> Result<Row, Halt> {
    let place = Approach::ALL.iter().position(|one| *one == approach).unwrap_or_default();
    let seed = context.seed().child("direct-peers", place as u64);
    let row = Row::new().with("scene", problem.name).with("method", approach.name());
    let tally = match approach {
        Approach::Search(Search::Ours) => Some(ordered(model, seed, simulations, None, context)?),
        Approach::Search(Search::ReRolling) => Some(methods::re_rolling(model, seed, simulations, context)?),
        Approach::Search(Search::Chain) => Some(methods::chain(model, seed, simulations, context)?),
        Approach::Search(Search::Annealing) => Some(methods::annealing(model, seed, simulations, context)?),
        Approach::Search(Search::Evolution) => match context.peer("peer-cma") {
            Some(program) => Some(evolution::evolution(&program, model, seed, simulations, context)?),
            None => None,
        },
        Approach::Sampler(kind) => {
            let (method, moves) = match kind {
                SamplerKind::Ours => (None, Moves::Suited),
                SamplerKind::Rejection => (Some(Method::Rejection), Moves::Suited),
                SamplerKind::Papers => (Some(Method::Chain), Moves::Paper),
                SamplerKind::Chain => (Some(Method::Chain), Moves::Suited),
                SamplerKind::Tempering => (Some(Method::Tempering), Moves::Suited),
            };
            match model.mix_of(moves) {
                Ok(_) => Some(ordered(model, seed, simulations, Some((method, moves)), context)?),
                Err(_) => None,
            }
        }
    };
    let per_1000 = |count: f64, tally: &Tally| 1e3 * count / tally.simulations as f64;
    let searches = matches!(approach, Approach::Search(_));
    let found = tally.as_ref().filter(|_| searches);
    let drawn = tally.as_ref().filter(|_| !searches);
    Ok(row
        .with("simulations", tally.as_ref().map(|tally| tally.simulations))
        .with("first_success", tally.as_ref().and_then(|tally| tally.first).map(|(first, _)| first))
        .with("successes", tally.as_ref().map(|tally| tally.successes))
        .with("distinct", found.map(|tally| tally.distinct.len()))
        .with(DISTINCT, found.map(|tally| per_1000(tally.distinct.len() as f64, tally)))
        .with(EFFECTIVE, drawn.map(|tally| per_1000(tally.effective, tally)))
        .with("seconds", tally.as_ref().map(|tally| tally.seconds)))
}

/// Adds how many times as much we find, or draw, as the best of the others.
fn with_ratio(rows: Vec<Row>) -> Vec<Row> {
    let ratio = |column: &str| {
        let worth = |ours: bool| {
            let rows = rows.iter().zip(Approach::ALL).filter(move |(_, approach)| approach.is_ours() == ours);
            rows.filter_map(|(row, _)| row.number(column)).fold(0.0, f64::max)
        };
        (worth(false) > 0.0).then(|| worth(true) / worth(false))
    };
    let ratios = Approach::ALL.map(|approach| ratio(approach.column()));
    rows.into_iter().zip(ratios).map(|(row, ratio)| row.with("ours_over_best", ratio)).collect()
}

/// What the command finds: a search for different animations, or, if a method and moves
/// are given, a fair draw with them.
fn ordered(
    model: &DirectedScene,
    seed: proscenium_chance::Seed,
    simulations: u64,
    fair: Option<(Option<Method>, Moves)>,
    context: &Context,
) -> Result<Tally, Halt> {
    let timer = crate::timing::Timer::start();
    let (pick, samples) = if fair.is_some() { (Pick::Likely, FAIR_ORDERED) } else { (Pick::Different, MOST_ORDERED) };
    let (method, moves) = fair.unwrap_or_default();
    let options = SamplerOptions { method, moves, ..SamplerOptions::default() };
    let order = Order { pick, options, budget: Budget::Simulations(simulations), ..Order::new(samples, seed) };
    let mut archive = MemoryArchive::default();
    let report = proscenium_director::direct(model, &mut archive, &order, &context.progress(), &mut |_| Ok(()))?;
    context.check()?;
    let seconds = timer.elapsed().as_secs_f64();
    let mut tally = Tally::default();
    (tally.simulations, tally.successes, tally.seconds) = (report.effort.simulations, report.found, seconds);
    tally.first = report.first_success.map(|first| (first, seconds));
    tally.distinct = vec![seconds; report.different];
    // What is drawn independently is worth what it is.
    tally.effective = report.settling.map_or(report.found as f64, |settling| settling.effective_size);
    Ok(tally)
}

/// How many numbers describe a point: its variables, and a switch for each
/// group that may take part or not.
pub(super) fn dimensions(model: &DirectedScene) -> usize {
    let space = model.space();
    space.variables().len() + space.optional_groups().count()
}
