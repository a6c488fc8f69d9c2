//! What the marbles say.

use proscenium_picture::plot::{Plot, Scale};
use proscenium_scenes::DIFFERENT;
use serde_json::Value;

use crate::error::LabError;
use crate::experiment::{Conclusion, Figure};
use crate::number::show_number;
use crate::results::Row;

use super::HI;

/// So many iterations of "HI" took the paper a few hours (figure 2.8).
const PAPER_ITERATIONS: f64 = 20_000.0;
/// Points of a drawn trace, so that the picture stays small.
const DRAWN: usize = 1000;

pub(super) fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let mut notes = Vec::new();
    notes.extend(rows.iter().filter(|row| text(row, "method") == Some("the paper's chain")).filter_map(chain_note));
    notes.extend(rows.iter().filter(|row| text(row, "method") == Some("our default")).filter_map(default_note));
    notes.extend([
        format!("`distinct`: {DIFFERENT}. Of the first 400 that differ from all before."),
        "`seconds` are of one processor. `ms_per_simulation` counts simulations that were abandoned or replayed in part. `first_success` is the median of the seeds for a chain, counted in iterations, and in simulations for the default.".to_owned(),
        "Bins of 20 mm, partitions of 2 mm × 12 mm whose corners are N(0, 0.1 mm) along each axis, floors 5 mm lower in the middle, a box 36 mm deep, marbles of 16 mm dropped from 72 mm, one every 0.2 s. Each marble takes part with a chance of ½ in the world. A marble that rests on a partition is in no bin.".to_owned(),
        "The chain with the paper's moves has the ratios that its proposals should have; *as printed* it has those of the paper.".to_owned(),
    ]);
    let mut figures = Vec::new();
    figures.extend(trace_figure(rows)?);
    figures.extend(density_figure(rows)?);
    Ok(Conclusion { notes, figures })
}

fn text<'r>(row: &'r Row, key: &str) -> Option<&'r str> {
    row.get(key).and_then(Value::as_str)
}

fn chain_note(row: &Row) -> Option<String> {
    let (word, lambda) = (text(row, "word")?, row.number("lambda")?);
    let (iterations, seconds) = (row.number("iterations")?, row.number("seconds")?);
    let first = match row.number("first_success") {
        Some(first) => format!("succeeds first after {first} iterations"),
        None => "does not succeed".to_owned(),
    };
    let paper = if word == "HI" && lambda == HI {
        format!(
            "; {PAPER_ITERATIONS} iterations take {:.0} s (the paper: a few hours, and about 6000 iterations to the first)",
            PAPER_ITERATIONS / iterations * seconds
        )
    } else {
        String::new()
    };
    Some(format!(
        "“{word}”, λ = e^{lambda}: the paper’s chain {first}, and finds {} distinct spellings in {iterations} iterations{paper}.",
        show_number(row.number("distinct")?)
    ))
}

fn default_note(row: &Row) -> Option<String> {
    let found: Vec<f64> = row.get("found_s")?.as_array()?.iter().filter_map(Value::as_f64).collect();
    let first = match (found.first(), found.get(2)) {
        (None, _) => "does not succeed".to_owned(),
        (Some(first), None) => format!("succeeds first after {first:.0} s of a processor"),
        (Some(first), Some(third)) => {
            format!("succeeds first after {first:.0} s of a processor, and in a third way after {third:.0} s")
        }
    };
    Some(format!(
        "“{}”, λ = e^{}: the default ({}) {first}; {} distinct in {:.0} s.",
        text(row, "word")?,
        row.number("lambda")?,
        text(row, "why")?,
        found.len(),
        row.number("seconds")?
    ))
}

fn series(row: &Row, key: &str) -> Vec<(f64, f64)> {
    let values = row.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let step = (values.len() / DRAWN).max(1);
    let points = values.iter().enumerate().step_by(step);
    points.filter_map(|(iteration, value)| Some((iteration as f64, value.as_f64()?))).collect()
}

/// Figures 2.8, 2.10 and 2.11.
fn trace_figure(rows: &[Row]) -> Result<Option<Figure>, LabError> {
    let mut plot = Plot::new("Bins of HI that are filled").x("iteration", Scale::Linear).y("bins", Scale::Linear);
    let mut any = false;
    for row in
        rows.iter().filter(|row| text(row, "method") == Some("the paper's chain") && text(row, "word") == Some("HI"))
    {
        let points = series(row, "trace");
        any |= !points.is_empty();
        plot = plot.line(format!("λ = e^{}", row.number("lambda").unwrap_or(0.0)), points);
    }
    if !any {
        return Ok(None);
    }
    Ok(Some(Figure { suffix: "bins", svg: plot.to_svg()? }))
}

/// Figure 2.9.
fn density_figure(rows: &[Row]) -> Result<Option<Figure>, LabError> {
    let row = rows.iter().find(|row| row.number("lambda") == Some(HI) && row.get("log_density").is_some());
    let points = row.map(|row| series(row, "log_density")).unwrap_or_default();
    if points.is_empty() {
        return Ok(None);
    }
    let svg = Plot::new("How likely the animations of the chain are")
        .x("iteration", Scale::Linear)
        .y("log p", Scale::Linear)
        .line("λ = e^5 (figure 2.9)", points)
        .to_svg()?;
    Ok(Some(Figure { suffix: "density", svg }))
}
