//! Table I: what it takes to make each ensemble.

mod paper;

use std::sync::Arc;

use proscenium_ensemble::Seed;
use proscenium_ensemble::built_in::{BUILT_IN, Banner, Grass, built_in};
use proscenium_ensemble::simulate::Generator;
use proscenium_picture::plot::{Plot, Scale};
use serde_json::Value;

use crate::ensemble_data::{choose, collision_seconds, connect, make, with_data, with_tally};
use crate::ensemble_walk::{WalkReport, stays, walk};
use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment, Figure};
use crate::number::show_number;
use crate::results::Row;

/// The experiment `ensemble-build`.
pub(crate) struct EnsembleBuild;

impl Experiment for EnsembleBuild {
    fn name(&self) -> &'static str {
        "ensemble-build"
    }

    fn reproduces(&self) -> &'static str {
        "James, Twigg, Cove and Wang 2007, table I"
    }

    fn summary(&self) -> &'static str {
        "what it takes to make the motion and the transitions of each ensemble, and how its walk goes"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "ensemble",
            "vertices",
            "triangles",
            "groups",
            "dof",
            "frames",
            "wind_levels",
            "motion_s",
            "memg_s",
            "samples",
            "tau_max",
            "cd_s",
            "eta",
            "local_searches",
            "contact_set",
            "wins",
            "departures",
            "programs",
            "first_bad_pairs",
            "ok",
            "culled",
            "timed_out",
            "bytes",
            "interpenetrating",
            "step_ratio",
            "acceleration_ratio",
            "spectrum_error",
            "crossings_between_frames",
            "walkable_share",
            "contacts_per_search",
            "late",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let plans = plans(context);
        context.plan(plans.len() as f64);
        for plan in &plans {
            rows.push(built(plan, context)?);
            rows.extend(paper::row(&plan.generator.name));
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        conclude(rows)
    }
}

/// How much is recorded of each wind, seconds.
const RECORDED_S: f64 = 60.0;

/// An ensemble, how much of it is simulated, and how long its walk is, seconds.
struct Plan {
    generator: Generator,
    seconds: f64,
    walked: f64,
}

fn plans(context: &Context) -> Vec<Plan> {
    let seed = Seed(1);
    let plan = |generator: Generator, seconds: f64, walked: f64| Plan { generator, seconds, walked };
    if context.quick() {
        let flags = Banner { flags: 3, ..Banner::default() };
        let grass = Grass { blades: 12, ..Grass::clump(seed) };
        let small = [flags.generator(), grass.generator("grass-clump", 1)];
        return small.into_iter().map(|generator| plan(generator, 7.0, 30.0)).collect();
    }
    let all = BUILT_IN.iter().filter_map(|name| built_in(name, seed));
    all.map(|generator| plan(generator, RECORDED_S, 600.0)).collect()
}

/// Makes an ensemble, and walks along it.
fn built(plan: &Plan, context: &Context) -> Result<Row, Halt> {
    let timed = make(&plan.generator, plan.seconds, 0.5, context)?;
    let data = &timed.made.data;
    let settings = choose(data, context)?;
    let cd_s = collision_seconds(data, &settings.transition, context)?;
    let (graph, memg_s) = connect(data.clone(), settings, 0.3, context)?;
    let row = with_data(Row::new().with("ensemble", plan.generator.name.clone()), &timed)
        .with("memg_s", memg_s)
        .with("samples", settings.transition.samples)
        .with("tau_max", settings.transition.reach)
        .with("cd_s", cd_s)
        .with("eta", settings.transition.patience);
    let row = with_tally(row, graph.tally()).with("left_out", graph.report().left_out.join(", "));
    let contacts = graph.tally().known as f64 / graph.tally().feasible.max(1) as f64;
    let row = row.with("walkable_share", graph.report().walkable_share()).with("contacts_per_search", contacts);
    let graph = Arc::new(graph);
    let WalkReport { all, longest, .. } = walk(&graph, plan.walked, 20.0, 0.2, context)?;
    let stays = stays(&graph, plan.walked / 4.0, context)?;
    Ok(row
        .with("acceleration_ratio", all.acceleration_ratio)
        .with("spectrum_error", stays.iter().filter_map(|stay| stay.spectrum_error).reduce(f64::max))
        .with("crossings_between_frames", stays.iter().map(|stay| stay.crossings).sum::<usize>())
        .with("walked_s", plan.walked)
        .with("interpenetrating", all.interpenetrating)
        .with("step_ratio", all.largest_step / longest)
        .with("wishes", all.wishes)
        .with("late", all.late))
}

fn is_paper(row: &Row) -> bool {
    row.get("ensemble").and_then(Value::as_str).is_some_and(|name| name.ends_with(paper::ENDING))
}

fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let mut notes = vec![
        "motion_s and memg_s are seconds on the wall, on all cores; the paper\u{2019}s are sums over the machines of a \
         cluster. cd_s is the processor\u{2019}s time for one test of all groups in all frames of a transition. The last \
         columns are of a walk along the graph that wants another wind every 20 s: pairs closer than the thickness in \
         any frame, the longest step of a vertex as a share of the longest in the data, and wishes that were late. The \
         paper\u{2019}s nIP, integer programs (8), are our departures: one minimum over destinations each. Ours counts the \
         searches within them as programs besides. first_bad_pairs is how many pairs were bad before a search began."
            .to_owned(),
    ];
    let ours: Vec<&Row> = rows.iter().filter(|row| !is_paper(row)).collect();
    let hours = |row: &Row| Some((row.number("motion_s")? + row.number("memg_s")?) / 3600.0);
    if !ours.is_empty() {
        let total: f64 = ours.iter().filter_map(|row| hours(row)).sum();
        let largest = ours.iter().filter_map(|row| hours(row)).fold(0.0, f64::max);
        let theirs: f64 = rows.iter().filter(|row| is_paper(row)).filter_map(hours).sum();
        notes.push(format!(
            "All together took {} h, the largest {} h; the paper\u{2019}s, {} h.",
            show_number(total),
            show_number(largest),
            show_number(theirs)
        ));
    }
    let text = |row: &Row, key: &str| row.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
    for row in ours.iter().filter(|row| !text(row, "left_out").is_empty()) {
        notes.push(format!("The graph of {} has no way to and from {}.", text(row, "ensemble"), text(row, "left_out")));
    }
    let mut figures = Vec::new();
    if !ours.is_empty() {
        let name = |row: &&Row| text(row, "ensemble");
        let bars = |key: &'static str| {
            let rows: Vec<(f64, f64)> =
                ours.iter().enumerate().filter_map(|(at, row)| Some((at as f64, row.number(key)?))).collect();
            rows
        };
        let plot = Plot::new("What it takes to make an ensemble")
            .categories(ours.iter().map(name))
            .y("seconds", Scale::Linear)
            .bars("motion", bars("motion_s"))
            .bars("transitions", bars("memg_s"));
        figures.push(Figure { suffix: "times", svg: plot.to_svg()? });
    }
    Ok(Conclusion { notes, figures })
}
