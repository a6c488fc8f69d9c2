//! How much culling saves in a fairground that a viewer walks through (Chenney
//! 2000, table 5.2 and figure 5.12), and in ever larger ones.

mod ground;

use std::sync::Arc;

use proscenium_cull::CompiledModel;
use proscenium_picture::plot::{Plot, Scale};

use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment, Figure};
use crate::number::show_number;
use crate::results::Row;
use crate::rides::RIDES;
use crate::timing::Stopwatch;

use ground::Ground;

/// Table 5.2: total, seconds with and without culling, in view.
const PAPER: [(usize, f64, f64, f64); 5] = [
    (7, 0.048, 0.126, 1.42),
    (14, 0.090, 0.249, 2.94),
    (21, 0.142, 0.394, 4.75),
    (28, 0.208, 0.550, 7.27),
    (35, 0.280, 0.727, 9.12),
];

/// Frames a second.
const RATE: f64 = 30.0;

/// The experiment `cull-speedup`.
pub(crate) struct CullSpeedup;

impl Experiment for CullSpeedup {
    fn name(&self) -> &'static str {
        "cull-speedup"
    }

    fn reproduces(&self) -> &'static str {
        "Chenney 2000, table 5.2 and figure 5.12"
    }

    fn summary(&self) -> &'static str {
        "the cost of a frame with and without culling, from 7 to 35 000 rides"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "total",
            "in_view",
            "cull_us",
            "complete_us",
            "speedup",
            "efficiency",
            "boxes",
            "buffered",
            "returns",
            "paper_in_view",
            "paper_speedup",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let totals: &[usize] =
            if context.quick() { &[7, 35, 350, 3500] } else { &[7, 14, 21, 28, 35, 350, 3500, 35_000] };
        context.plan(7.0 + totals.len() as f64);
        let mut rides = Vec::new();
        for ride in &RIDES[..7] {
            context.doing(ride.name);
            // How well a ride was learned does not change what a frame costs.
            rides.push(Arc::new(ride.compile_with(context, true)?));
            context.done(1.0);
        }
        let reference = Ground::new(35, &rides, context.seed())?;
        for &total in totals {
            context.doing(&format!("{total} rides"));
            rows.push(row(total, &rides, &reference, context)?);
            context.done(1.0);
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        conclude(rows)
    }
}

fn row(total: usize, rides: &[Arc<CompiledModel>], reference: &Ground, context: &Context) -> Result<Row, Halt> {
    let mut ground = Ground::new(total, rides, context.seed())?;
    let (warm, frames) = if context.quick() { (150, 300) } else { (600, 1800) };
    if total > 35 {
        // In a larger world as much is in view as in that of 35.
        let times = (f64::from(warm) / RATE, f64::from(warm + frames) / RATE);
        ground.see_as_many(reference.in_view(times), times);
    }
    let mut watch = Stopwatch::default();
    let (mut in_view, mut boxes, mut buffered, mut returns) = (0, 0, 0, 0);
    for frame in 0..warm + frames {
        context.check()?;
        let now = f64::from(frame) / RATE;
        let view = ground.view(now)?;
        if frame < warm {
            ground.world.advance(now, &[view])?;
            continue;
        }
        watch.time(|| ground.world.advance(now, &[view]).map(|_| ()))?;
        let work = ground.world.frame_work();
        in_view += work.in_view;
        boxes += work.boxes;
        buffered += work.players.buffered;
        returns += work.players.complete + work.players.approximate + work.players.sampled;
    }
    let per_frame = |count: u64| count as f64 / f64::from(frames);
    let cull_us = watch.seconds() * 1e6 / f64::from(frames);
    let complete_us = ground.complete_us(context)?;
    let speedup = complete_us / cull_us;
    let paper = PAPER.iter().find(|row| row.0 == total);
    Ok(Row::new()
        .with("total", total)
        .with("in_view", per_frame(in_view))
        .with("cull_us", cull_us)
        .with("complete_us", complete_us)
        .with("speedup", speedup)
        .with("efficiency", speedup * per_frame(in_view) / total as f64)
        .with("boxes", per_frame(boxes))
        .with("buffered", per_frame(buffered))
        .with("returns", per_frame(returns))
        .with("paper_in_view", paper.map(|row| row.3))
        .with("paper_speedup", paper.map(|row| row.2 / row.1)))
}

fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let mut notes = Vec::new();
    let of = |total: f64| rows.iter().find(|row| row.number("total") == Some(total));
    let largest = rows.iter().rfind(|row| row.number("total").is_some_and(|total| total > 35.0));
    if let (Some(small), Some(large)) = (of(35.0), largest) {
        let each = |row: &Row| Some(row.number("cull_us")? / row.number("in_view")?);
        let total = large.number("total").unwrap_or(0.0);
        if let (Some(a), Some(b), Some(x), Some(y)) =
            (small.number("cull_us"), large.number("cull_us"), each(small), each(large))
        {
            notes.push(format!(
                "With {total} rides a frame costs {} times what it costs with 35 (wanted: at most 1.25 at 35 000), and {} \
                 times per ride in view.",
                show_number(b / a),
                show_number(y / x)
            ));
        }
    }
    if !rows.is_empty() {
        notes.push(
            "Efficiency is the speedup divided by the number of rides for each one in view: 1 would be free culling. The \
             time is that of the processor for World::advance (finding what is in view, states, outputs); the complete \
             side advances every ride by a frame and computes its outputs, and is measured over fewer frames in large \
             worlds. The viewer circles the middle of the world and swings its look through 90 degrees; beyond 35 rides \
             the far plane is set so that as many are in view as of 35."
                .to_owned(),
        );
    }
    let points = |key: &'static str| {
        rows.iter().filter_map(move |row| Some((row.number("total")?, row.number(key).filter(|value| *value > 0.0)?)))
    };
    let mut figures = Vec::new();
    if points("speedup").next().is_some() {
        let speedup = Plot::new("Speedup by culling")
            .x("rides in the world", Scale::Log)
            .y("speedup", Scale::Log)
            .line("ours", points("speedup"))
            .paper_line("Chenney 2000, table 5.2", PAPER.iter().map(|row| (row.0 as f64, row.2 / row.1)));
        figures.push(Figure { suffix: "speedup", svg: speedup.to_svg()? });
        let cost = Plot::new("Cost of a frame")
            .x("rides in the world", Scale::Log)
            .y("microseconds", Scale::Log)
            .line("culled", points("cull_us"))
            .line("complete", points("complete_us"));
        figures.push(Figure { suffix: "cost", svg: cost.to_svg()? });
    }
    Ok(Conclusion { notes, figures })
}
