//! Whether animations that are delivered as likely are: small scenes whose answers are
//! known, each method, judged on the files.

mod deliver;
mod problems;

use proscenium_chance::Seed;
use proscenium_chance::statistics::{Moments, students_t};
use proscenium_direct::Method;
use rayon::prelude::*;

use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment};
use crate::results::Row;
use deliver::{Delivery, Fault, deliver, deliver_wrongly};
use problems::Problem;

/// The chance of even one false alarm among all rows together.
const FAMILY: f64 = 0.01;

/// The experiment `direct-calibration`.
pub(crate) struct DirectCalibration;

/// How much is done.
struct Plan {
    /// Runs of each problem and method, each with a seed of its own.
    runs: u64,
    /// Animations that each run delivers.
    samples: usize,
    /// Problems drawn from the seed.
    drawn: u64,
    methods: &'static [Option<Method>],
}

const METHODS: [Option<Method>; 5] =
    [None, Some(Method::Rejection), Some(Method::Chain), Some(Method::Tempering), Some(Method::Population)];

impl Plan {
    fn new(quick: bool) -> Self {
        if quick {
            return Self { runs: 16, samples: 4, drawn: 2, methods: &METHODS[..3] };
        }
        Self { runs: 100, samples: 8, drawn: 6, methods: &METHODS }
    }
}

impl Experiment for DirectCalibration {
    fn name(&self) -> &'static str {
        "direct-calibration"
    }

    fn reproduces(&self) -> &'static str {
        "Chenney 2000, equation 2.1: what is sampled"
    }

    fn summary(&self) -> &'static str {
        "delivered animations against known answers, every method, and three planted faults"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "scene",
            "method",
            "statistic",
            "truth",
            "delivered",
            "standard_error",
            "settled_share",
            "simulations",
            "p_value",
            "verdict",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let plan = Plan::new(context.quick());
        let mut problems = problems::fixed()?;
        problems.extend(problems::drawn(context.seed(), plan.drawn)?);
        // A row is wrong at the rate of a false alarm that all rows share (Bonferroni).
        let tests = problems.len() * plan.methods.len() + Fault::ALL.len();
        let rate = FAMILY / tests as f64;
        context.plan(tests as f64);
        for problem in &problems {
            for method in plan.methods {
                let name = method.map_or("default", Method::name);
                context.doing(&format!("{}, {name}", problem.name));
                let one = |seed| deliver(problem, *method, plan.samples, seed, context);
                rows.push(Measured::of(problem, name, &plan, context, one)?.row(rate));
                context.done(1.0);
            }
        }
        for fault in Fault::ALL {
            let problem = problems.iter().find(|problem| problem.name == fault.problem());
            let problem = problem.expect("every fault names one of the problems");
            context.doing(fault.name());
            // Quick as the rest may be, a fault has to be seen.
            let plan = Plan::new(false);
            let one = |seed| deliver_wrongly(fault, problem, plan.samples, seed, context);
            rows.push(Measured::of(problem, fault.name(), &plan, context, one)?.row(rate));
            context.done(1.0);
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        let text = |row: &Row, key: &str| row.get(key).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
        let is_planted = |row: &&Row| text(row, "method").starts_with("planted");
        let verdicts = |verdict: &str, planted: bool| {
            rows.iter().filter(|row| is_planted(row) == planted && text(row, "verdict") == verdict).count()
        };
        let planted = rows.iter().filter(is_planted).count();
        let notes = vec![
            format!(
                "Of {} rows {} are right, {} refused (the run itself says that it is not settled) and {} wrong; the chance of even one false alarm is {FAMILY} (Student's t of the runs' means, Bonferroni).",
                rows.len() - planted,
                verdicts("right", false),
                verdicts("refused", false),
                verdicts("wrong", false)
            ),
            format!("Of {planted} planted faults {} are caught by the same test.", verdicts("wrong", true)),
            "Balls fly for a second without meeting anything, so that where they are is their velocity, and what is true of those that meet the wants follows by one-dimensional quadrature. Every animation was written as .glb and read again.".to_owned(),
            "`drawn` problems follow from the seed of the run.".to_owned(),
        ];
        Ok(Conclusion { notes, figures: Vec::new() })
    }
}

/// What the runs of one problem by one method delivered.
struct Measured {
    scene: String,
    method: String,
    statistic: String,
    truth: f64,
    mean: f64,
    standard_error: Option<f64>,
    settled: f64,
    simulations: f64,
    p_value: f64,
}

impl Measured {
    fn of(
        problem: &Problem,
        method: &str,
        plan: &Plan,
        context: &Context,
        one: impl Fn(Seed) -> Result<Delivery, Halt> + Send + Sync,
    ) -> Result<Self, Halt> {
        let root = context.seed().child("direct-calibration", 0);
        let seeds: Vec<Seed> =
            (0..plan.runs).map(|run| root.child(&format!("{} {method}", problem.name), run)).collect();
        let deliveries: Vec<Delivery> = seeds.into_par_iter().map(one).collect::<Result<_, _>>()?;
        let share = deliveries.iter().filter(|one| one.settled).count() as f64 / deliveries.len() as f64;
        // Runs that say that they are no fair draw are not judged as one.
        let means: Vec<f64> =
            deliveries.iter().filter(|one| one.settled && one.mean.is_finite()).map(|one| one.mean).collect();
        let moments = if means.is_empty() { Moments::new() } else { Moments::of(&means)? };
        let p_value = if means.len() < 2 { 1.0 } else { students_t(&means, problem.truth)? };
        Ok(Self {
            scene: problem.name.clone(),
            method: method.to_owned(),
            statistic: problem.statistic.name(),
            truth: problem.truth,
            mean: moments.mean(),
            standard_error: moments.standard_error(),
            settled: share,
            simulations: deliveries.iter().map(|one| one.simulations as f64).sum::<f64>() / deliveries.len() as f64,
            p_value,
        })
    }

    fn row(self, rate: f64) -> Row {
        let verdict = if self.p_value < rate {
            "wrong"
        } else if self.settled < 0.5 {
            "refused"
        } else {
            "right"
        };
        Row::new()
            .with("scene", self.scene)
            .with("method", self.method)
            .with("statistic", self.statistic)
            .with("truth", self.truth)
            .with("delivered", self.mean)
            .with("standard_error", self.standard_error)
            .with("settled_share", self.settled)
            .with("simulations", self.simulations)
            .with("p_value", self.p_value)
            .with("verdict", verdict)
    }
}
