//! What the compiler finds of each ride (Chenney 2000, table 5.1; Chenney,
//! Ichnowski and Forsyth 1998, table 1 and section 5.1).

mod returns;

use std::time::Instant;

use proscenium_cull::{CompiledModel, CullError, System as _};
use proscenium_picture::plot::{Plot, Scale};

use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment, Figure};
use crate::number::show_number;
use crate::results::Row;
use crate::rides::{RIDES, Ride};
use crate::timing::Stopwatch;

/// The experiment `cull-rides`.
pub(crate) struct CullRides;

impl Experiment for CullRides {
    fn name(&self) -> &'static str {
        "cull-rides"
    }

    fn reproduces(&self) -> &'static str {
        "Chenney 2000, table 5.1; Chenney, Ichnowski and Forsyth 1998, table 1"
    }

    fn summary(&self) -> &'static str {
        "what the compiler finds of each ride, and how long it takes"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "ride",
            "variables",
            "dimensions",
            "period_s",
            "t_medium_s",
            "t_long_s",
            "t_long_as_paper_s",
            "approximations",
            "compile_s",
            "bytes",
            "complete_us_per_s",
            "jump_us_most",
            "sample_us_most",
            "paper_period_s",
            "paper_t_medium_s",
            "paper_t_long_s",
            "paper_networks",
            "paper_compile_s",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        context.plan(RIDES.len() as f64);
        for ride in &RIDES {
            context.doing(ride.name);
            rows.push(row(ride, context)?);
            context.done(1.0);
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        conclude(rows)
    }
}

fn row(ride: &Ride, context: &Context) -> Result<Row, Halt> {
    let start = Instant::now();
    let culled = ride.compile(context)?;
    let compile_s = start.elapsed().as_secs_f64();
    let (model, learned) = (culled.model(), culled.learned());
    let findings = learned.findings();
    let bytes = culled.to_bytes().len();
    let jumps: Vec<String> = learned.jumps().iter().map(|(seconds, name)| format!("{seconds:.2} s: {name}")).collect();
    let networks = findings.candidates.iter().filter(|one| one.name.starts_with("network"));
    let best_network = networks.map(|one| one.error).fold(f64::INFINITY, f64::min);
    let chosen = findings.candidates.iter().filter(|one| one.chosen).map(|one| one.error);
    let paper = ride.paper;
    let at = |gap: Option<f64>| {
        let gap = gap.filter(|gap| gap.is_finite());
        gap.map(|gap| returns::at_all_phases(&culled, gap, context.seed())).transpose()
    };
    let jumped = at(learned.medium().map(|medium| 1.5 * medium))?;
    let sampled = at(learned.long().map(|long| 1.5 * long))?;
    Ok(Row::new()
        .with("ride", ride.name)
        .with("variables", model.animated_variables())
        .with("dimensions", model.variables().len())
        .with("period_s", learned.period())
        .with("t_medium_s", learned.medium().filter(|_| learned.period().is_none()))
        .with("t_long_s", learned.long())
        .with("t_long_as_paper_s", findings.paper_long)
        .with("approximations", learned.approximations())
        .with("compile_s", compile_s)
        .with("bytes", bytes)
        .with("javascript_bytes", culled.to_javascript()?.len())
        .with("complete_us_per_s", complete_us_per_s(&culled, context)?)
        .with("jump_us_least", jumped.map(|cost| cost.least_us))
        .with("jump_us_most", jumped.map(|cost| cost.most_us))
        .with("sample_us_least", sampled.map(|cost| cost.least_us))
        .with("sample_us_most", sampled.map(|cost| cost.most_us))
        .with("simulated_s", findings.simulated_s)
        .with("important_cells", findings.important_cells)
        .with("range_low", findings.ranges.last().map(|range| range.0))
        .with("range_high", findings.ranges.last().map(|range| range.1))
        .with("jumps", jumps.join("; "))
        .with("shortest_jump_error", chosen.clone().next())
        .with("worst_jump_error", chosen.reduce(f64::max))
        .with("best_network_error", Some(best_network).filter(|error| error.is_finite()))
        .with("paper_variables", paper.map(|paper| paper.variables))
        .with("paper_dimensions", paper.map(|paper| paper.dimensions))
        .with("paper_period_s", paper.and_then(|paper| paper.period_s))
        .with("paper_t_medium_s", paper.and_then(|paper| paper.medium_s))
        .with("paper_t_long_s", paper.and_then(|paper| paper.long_s))
        .with("paper_networks", paper.map(|paper| paper.networks))
        .with("paper_compile_s", paper.and_then(|paper| paper.compile_s)))
}

/// What the complete model costs for a simulated second.
fn complete_us_per_s(culled: &CompiledModel, context: &Context) -> Result<f64, Halt> {
    const SECONDS: f64 = 2000.0;
    let model = culled.model();
    let mut stream = context.seed().stream("cost");
    let mut state = model.initial(&mut stream);
    let mut watch = Stopwatch::default();
    let ran = watch.time(|| model.advance(&mut state, 0.0, SECONDS, &mut stream));
    ran.map_err(CullError::from)?;
    Ok(watch.seconds() * 1e6 / SECONDS)
}

fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let mut notes = Vec::new();
    let total: f64 = rows.iter().filter_map(|row| row.number("compile_s")).sum();
    if !rows.is_empty() {
        notes.push(format!(
            "All {} rides together are compiled in {} s of wall-clock time on this machine, shared or not (wanted: 600 s on two cores).",
            rows.len(),
            show_number(total)
        ));
        notes.push(
            "t_long_s is when the average cloud differs from the stationary distribution by an L1 distance of 0.1 above \
             what chance makes; t_long_as_paper_s is the criterion of the 1998 paper (0.8, for four cells of five). The \
             rides other than the Tilt-A-Whirl are our own mechanics with the papers\u{2019} forcing periods, so their times differ."
                .to_owned(),
        );
        notes.push(
            "Errors are the largest differences of distribution functions between jumps and the complete model, averaged \
             over cells. Local polynomials are both nearer and cheaper than networks of 20+20 here, so they are chosen; \
             chained short jumps are better than long ones."
                .to_owned(),
        );
    }
    let bars = |key: &'static str| {
        rows.iter().enumerate().filter_map(move |(index, row)| Some((index as f64, row.number(key)?)))
    };
    let mut figures = Vec::new();
    if bars("compile_s").next().is_some() {
        let names = rows.iter().map(|row| row.get("ride").and_then(|name| name.as_str()).unwrap_or("").to_owned());
        let mut plot = Plot::new("Time to compile")
            .size(900, 440)
            .categories(names)
            .y("seconds", Scale::Log)
            .points("ours", bars("compile_s"));
        if bars("paper_compile_s").next().is_some() {
            plot = plot.points("paper (1998, 200 MHz)", bars("paper_compile_s"));
        }
        figures.push(Figure { suffix: "time", svg: plot.to_svg()? });
    }
    Ok(Conclusion { notes, figures })
}
