//! What transitions cost, what they make interpenetrate, and how hard they are
//! to find.

mod conclude;

use proscenium_ensemble::CompressedEnsemble;
use proscenium_ensemble::build::BuildSettings;
use proscenium_ensemble::transition::{
    Observer, Step, Tally, Trace, Transition, TransitionSettings, compute_transition, cost_matrices,
};
use proscenium_work::parallel;
use serde_json::json;

use crate::ensemble_data::{TimedData, banner, choose, collision_seconds, search, with_data, with_tally};
use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment};
use crate::results::Row;

/// The experiment `ensemble-transitions`.
pub(crate) struct EnsembleTransitions;

/// Rows of this kind hold what the pictures show.
const FIGURE_4: &str = "figure 4";
const FIGURE_10: &str = "figure 10";
/// Reaches of figure 4, frames.
const REACHES: [u32; 4] = [0, 10, 20, 30];

impl Experiment for EnsembleTransitions {
    fn name(&self) -> &'static str {
        "ensemble-transitions"
    }

    fn reproduces(&self) -> &'static str {
        "James, Twigg, Cove and Wang 2007, table I (flag banner), figures 4 and 10"
    }

    fn summary(&self) -> &'static str {
        "what transitions of a banner cost and make interpenetrate, and how hard they are to find"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "kind",
            "tau_max",
            "n",
            "found",
            "cost_sync",
            "cost_async",
            "cost_ours",
            "pairs_sync",
            "pairs_async",
            "pairs_ours",
            "cd_s",
            "eta",
            "local_searches",
            "contact_set",
            "wins",
            "departures",
            "programs",
            "ok",
            "culled",
            "timed_out",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        context.plan(1.0);
        let banner = banner(context)?;
        let data = &banner.made.data;
        let chosen = choose(data, context)?;
        rows.push(figure_4(data, context)?);
        rows.push(figure_10(data, chosen.transition, context)?);
        let count = if context.quick() { 16 } else { 200 };
        let mut last = None;
        for reach in [10, 20, 30] {
            let transition = TransitionSettings { reach, ..chosen.transition };
            let measured = DepartureSeries::new(data, BuildSettings { transition, ..chosen }, count, context)?;
            rows.push(measured.row());
            last = Some(measured);
        }
        if let Some(measured) = last {
            rows.push(measured.table(&banner, context)?);
        }
        rows.push(paper());
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        conclude::conclude(rows)
    }
}

/// One departure, three ways.
struct Departure {
    costs: [f64; 3],
    pairs: [usize; 3],
}

/// Many departures with one reach.
struct DepartureSeries {
    settings: TransitionSettings,
    count: usize,
    departures: Vec<Departure>,
    tally: Tally,
    memg_s: f64,
}

impl DepartureSeries {
    fn new(data: &CompressedEnsemble, settings: BuildSettings, count: usize, context: &Context) -> Result<Self, Halt> {
        let start = std::time::Instant::now();
        let transition = settings.transition;
        context.doing(&format!("{count} departures, splices within {} frames", transition.reach));
        let search = search(data, settings, context)?;
        let progress = &context.progress();
        let results = parallel::try_tasks(count, |index| {
            let mut stream = context.seed().stream("departures").at(index as u64);
            let Some((from, candidates)) = search.random_departure(&mut stream) else {
                return Ok((None, Tally::default()));
            };
            let (shapes, costs) = (search.shapes(), search.costs());
            let mut observer = Observer { progress, trace: &mut |_| () };
            let found = compute_transition(shapes, costs, from, &candidates, &transition, &mut stream, &mut observer);
            let found = found.or_stopped()?;
            context.done(0.2 / count as f64);
            let departure = found.transition.map(|ours| {
                let ends = [ours.from, ours.to];
                let together = vec![0; data.groups().len()];
                let apart = costs.cheapest(ours.from, ours.to, transition.reach);
                let ways =
                    [together, apart].map(|offsets| Transition::with_splices(costs, ends, &offsets, &transition));
                let [together, apart] = &ways;
                let each = [together, apart, &ours];
                Departure { costs: each.map(|way| way.cost), pairs: each.map(|way| way.pair_frames(shapes)) }
            });
            Ok::<_, Halt>((departure, found.tally))
        });
        let mut measured =
            Self { settings: transition, count, departures: Vec::new(), tally: Tally::default(), memg_s: 0.0 };
        for (departure, tally) in results? {
            measured.departures.extend(departure);
            measured.tally.add(&tally);
        }
        measured.memg_s = start.elapsed().as_secs_f64();
        Ok(measured)
    }

    fn mean(&self, of: impl Fn(&Departure) -> f64) -> Option<f64> {
        let count = self.departures.len();
        (count > 0).then(|| self.departures.iter().map(of).sum::<f64>() / count as f64)
    }

    /// Means over departures that found a transition, all three to the same
    /// destination.
    fn row(&self) -> Row {
        Row::new()
            .with("kind", "banner")
            .with("tau_max", self.settings.reach)
            .with("n", self.count)
            .with("found", self.departures.len())
            .with("cost_sync", self.mean(|departure| departure.costs[0]))
            .with("cost_async", self.mean(|departure| departure.costs[1]))
            .with("cost_ours", self.mean(|departure| departure.costs[2]))
            .with("pairs_sync", self.mean(|departure| departure.pairs[0] as f64))
            .with("pairs_async", self.mean(|departure| departure.pairs[1] as f64))
            .with("pairs_ours", self.mean(|departure| departure.pairs[2] as f64))
            .with("worst_ours", self.departures.iter().map(|departure| departure.pairs[2]).max())
    }

    /// The solver's row of table I.
    fn table(&self, banner: &TimedData, context: &Context) -> Result<Row, Halt> {
        let (tally, data) = (&self.tally, &banner.made.data);
        let row = Row::new().with("kind", "table I, ours").with("tau_max", self.settings.reach);
        let row = with_data(row, banner)
            .with("memg_s", self.memg_s)
            .with("samples", self.settings.samples)
            .with("cd_s", collision_seconds(data, &self.settings, context)?)
            .with("eta", self.settings.patience);
        Ok(with_tally(row, tally))
    }
}

/// The row of the paper.
fn paper() -> Row {
    Row::new()
        .with("kind", "table I, paper")
        .with("tau_max", 30)
        .with("vertices", 9904)
        .with("triangles", 15792)
        .with("groups", 101)
        .with("dof", 10170)
        .with("frames", 1667)
        .with("wind_levels", 1)
        .with("motion_s", 690.0 * 3600.0)
        .with("memg_s", 66.0 * 3600.0)
        .with("samples", 10)
        .with("first_bad_pairs", 81)
        .with("cd_s", 27.0)
        .with("eta", 20.0)
        .with("local_searches", 1426.0)
        .with("contact_set", 85.0)
        .with("wins", 22)
        .with("departures", 53)
        .with("ok", 0.05)
        .with("culled", 0.24)
        .with("timed_out", 0.71)
}

/// Costs without constraints, by reach.
fn figure_4(data: &CompressedEnsemble, context: &Context) -> Result<Row, Halt> {
    let count = if context.quick() { 24 } else { 48 };
    let matrices = cost_matrices(data, &REACHES, count, &context.progress()).or_stopped()?;
    Ok(Row::new().with("kind", FIGURE_4).with("reaches", json!(REACHES)).with("matrices", json!(matrices)))
}

/// How three departures go.
fn figure_10(data: &CompressedEnsemble, settings: TransitionSettings, context: &Context) -> Result<Row, Halt> {
    let settings = BuildSettings { transition: settings, ..BuildSettings::default() };
    let search = search(data, settings, context)?;
    let mut points = Vec::new();
    let mut before = 0;
    for index in 0..3 {
        let mut stream = context.seed().stream("trace").at(index);
        let Some((from, candidates)) = search.random_departure(&mut stream) else {
            continue;
        };
        let mut last = 0;
        let mut tell = |point: Trace| {
            last = point.work;
            if point.step == Step::Search || point.step == Step::Feasible {
                let best = point.best.or((point.step == Step::Feasible).then_some(point.cost));
                points.push(json!([before + point.work, point.cost, best, point.bad, point.known, index]));
            }
        };
        let (shapes, costs) = (search.shapes(), search.costs());
        let mut observer = Observer { progress: &context.progress(), trace: &mut tell };
        let transition = &settings.transition;
        let found = compute_transition(shapes, costs, from, &candidates, transition, &mut stream, &mut observer);
        found.or_stopped()?;
        before += last;
    }
    // A thousand points are as many as a picture can show.
    let every = points.len().div_ceil(1000).max(1);
    let points: Vec<_> = points.into_iter().step_by(every).collect();
    Ok(Row::new().with("kind", FIGURE_10).with("points", json!(points)))
}
