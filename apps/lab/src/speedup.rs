//! Pictures of how two algorithms compare as bodies become more.

use proscenium_picture::plot::{Plot, Scale};

use crate::error::LabError;
use crate::experiment::Figure;
use crate::paper::PaperRow;
use crate::results::Row;

/// A column against the number of bodies, where it is positive.
pub(crate) fn series(rows: &[Row], key: &str) -> Vec<(f64, f64)> {
    rows.iter().filter_map(|row| Some((row.number("n")?, row.number(key)?))).filter(|(_, y)| *y > 0.0).collect()
}

/// How many times faster the asynchronous side is, beside the paper, and in
/// further columns, each with what it is called.
pub(crate) fn speedup_figure(
    rows: &[Row],
    bodies: &str,
    (figure, table): (&str, &[PaperRow]),
    further: &[(&str, &str)],
) -> Result<Figure, LabError> {
    let plot = Plot::new("Asynchronous over synchronous simulation")
        .x(bodies, Scale::Log)
        .y("speedup", Scale::Log)
        .paper_line(figure, table.iter().map(|row| (row.n as f64, row.speedup())))
        .line("same sub-algorithms on both sides, as in the paper", series(rows, "speedup"))
        .line("against the synchronous side at its best", series(rows, "speedup_patient"));
    let plot = further.iter().fold(plot, |plot, (name, key)| plot.line(*name, series(rows, key)));
    Ok(Figure { suffix: "speedup", svg: plot.to_svg()? })
}

/// What an event costs on each side.
pub(crate) fn cost_figure(rows: &[Row], bodies: &str) -> Result<Figure, LabError> {
    let svg = Plot::new("What an event costs")
        .x(bodies, Scale::Log)
        .y("microseconds per event", Scale::Log)
        .line("synchronous", series(rows, "sync_us_per_event"))
        .line("asynchronous", series(rows, "async_us_per_event"))
        .to_svg()?;
    Ok(Figure { suffix: "cost", svg })
}
