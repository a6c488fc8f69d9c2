//! What the ball says.

use proscenium_picture::plot::{Plot, Scale};
use serde_json::Value;

use crate::error::LabError;
use crate::experiment::{Conclusion, Figure};
use crate::number::show_number;
use crate::results::Row;

use super::distribution::{METHODS, middle};

/// At this p-value and above, distributions count as equal.
const ERROR_RATE: f64 = 0.001;

pub(super) fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let mut notes = Vec::new();
    notes.extend(rows.first().and_then(chain_note));
    notes.extend(distribution_note(rows));
    notes.extend([
        "Lengths in diameters: dropped from 4.5 above the table, five collisions with normals N(0, 10°), the normal velocity scaled by 1/√2, to rest at x = 1 ± 0.1 (standard deviation). `arrival` is the first iteration within 0.3 of the target.".to_owned(),
        format!("`ks_p` compares the first normal of samples with that of 20 000 by rejection; with an error rate of {ERROR_RATE} each, they count as equal above that. `effective` is the bulk effective size of 20 000 thinned samples, and no more than about that many are `compared`, evenly spaced: samples that depend on each other would fail a test for independent ones. Populations share ancestors, for which the test does not allow."),
        "Times are of the clock on the wall where several threads work.".to_owned(),
    ]);
    let mut figures = Vec::new();
    figures.extend(trace_figure(rows)?);
    figures.extend(normal_figure(rows)?);
    Ok(Conclusion { notes, figures })
}

fn chain_note(row: &Row) -> Option<String> {
    Some(format!(
        "The paper’s chain is near the target after {} iterations in the median of {} chains (the paper: within {}; {:.0} % take longer), and {:.0} % of a thousand samples are within 0.1 diameters of it (the paper: the majority).",
        row.number("arrival")?,
        row.number("chains")?,
        row.number("paper_arrival")?,
        100.0 * row.number("later_than_paper")?,
        100.0 * row.number("within_tenth")?,
    ))
}

fn distribution_note(rows: &[Row]) -> Option<String> {
    let tested: Vec<(f64, &str)> =
        rows.iter().filter_map(|row| Some((row.number("ks_p")?, row.get("what")?.as_str()?))).collect();
    let (least, name) = tested.iter().copied().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let equal = tested.iter().filter(|(p, _)| *p >= ERROR_RATE).count();
    Some(format!(
        "{equal} of {} methods agree with rejection about the first normal; the least p-value is {} ({name}).",
        tested.len(),
        show_number(least)
    ))
}

fn numbers(row: &Row, key: &str) -> Vec<f64> {
    row.get(key).and_then(Value::as_array).map(|all| all.iter().filter_map(Value::as_f64).collect()).unwrap_or_default()
}

/// Figure 2.4.
fn trace_figure(rows: &[Row]) -> Result<Option<Figure>, LabError> {
    let trace = rows.first().map(|row| numbers(row, "trace")).unwrap_or_default();
    if trace.is_empty() {
        return Ok(None);
    }
    // As in the paper, the first samples are off the graph.
    let points = trace.iter().enumerate().map(|(iteration, x)| (iteration as f64, x.clamp(0.0, 2.0)));
    let svg = Plot::new("Where the ball comes to rest")
        .x("iteration", Scale::Linear)
        .y("x, diameters", Scale::Linear)
        .line("the paper’s chain (figure 2.4)", points)
        .to_svg()?;
    Ok(Some(Figure { suffix: "trace", svg }))
}

fn normal_figure(rows: &[Row]) -> Result<Option<Figure>, LabError> {
    let mut plot = Plot::new("The first normal").x("inclination, degrees", Scale::Linear).y("share", Scale::Linear);
    let mut any = false;
    for way in &METHODS {
        let row = rows.iter().find(|row| row.get("what").and_then(Value::as_str) == Some(way.name));
        let bins = row.map(|row| numbers(row, "histogram")).unwrap_or_default();
        if !bins.is_empty() {
            any = true;
            plot = plot.line(way.name, bins.iter().enumerate().map(|(bin, share)| (middle(bin), *share)));
        }
    }
    if !any {
        return Ok(None);
    }
    Ok(Some(Figure { suffix: "normal", svg: plot.to_svg()? }))
}
