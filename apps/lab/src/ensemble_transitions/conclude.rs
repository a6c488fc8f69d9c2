//! What follows from the transitions.

use std::fmt::Write as _;

use proscenium_picture::plot::{Plot, Scale};
use serde_json::Value;

use super::{FIGURE_4, FIGURE_10};
use crate::error::LabError;
use crate::experiment::{Conclusion, Figure};
use crate::number::show_number;
use crate::results::Row;

fn of_kind<'rows>(rows: &'rows [Row], kind: &'static str) -> impl Iterator<Item = &'rows Row> {
    rows.iter().filter(move |row| row.get("kind").and_then(Value::as_str) == Some(kind))
}

pub(super) fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let mut notes = vec![
        "Costs are \u{3a6} in square metres, summed over vertices; pairs are pairs of groups closer than the thickness, \
         summed over the frames of a transition; both are means over departures that found a transition, and all three \
         ways lead to the same destination, so the first two are of destinations that ours could reach."
            .to_owned(),
        "cd_s is the processor's time for one test of all groups in all frames of a transition; time-outs are counted \
         in shapes and pairs instead, so that the same seed gives the same transitions."
            .to_owned(),
    ];
    let ours = of_kind(rows, "table I, ours").next();
    let paper = of_kind(rows, "table I, paper").next();
    if let (Some(ours), Some(paper)) = (ours, paper) {
        let both = |key: &str| (ours.number(key), paper.number(key));
        if let (Some(here), Some(there)) = both("cd_s") {
            notes.push(format!(
                "One test of a transition takes {} s; the paper\u{2019}s took {there} s.",
                show_number(here)
            ));
        }
        if let (Some(bad), Some(theirs)) = both("first_bad_pairs") {
            notes.push(format!(
                "The unconstrained minimum makes {} pairs interpenetrate on average; in the paper\u{2019}s banner {theirs}.",
                show_number(bad)
            ));
        }
    }
    let mut figures = Vec::new();
    if let Some(row) = of_kind(rows, FIGURE_4).next() {
        figures.push(Figure { suffix: "costs", svg: heat_maps(row) });
    }
    if let Some(row) = of_kind(rows, FIGURE_10).next() {
        figures.extend(traces(row)?);
    }
    if of_kind(rows, "banner").next().is_some() {
        let line = |key: &'static str| {
            of_kind(rows, "banner").filter_map(move |row| Some((row.number("tau_max")?, row.number(key)?)))
        };
        let plot = Plot::new("What a transition costs")
            .x("reach of splices, frames", Scale::Linear)
            .y("cost, m\u{b2}", Scale::Linear)
            .line("all groups at once", line("cost_sync"))
            .line("each at its cheapest", line("cost_async"))
            .line("ours, none interpenetrating", line("cost_ours"));
        figures.push(Figure { suffix: "reach", svg: plot.to_svg()? });
    }
    Ok(Conclusion { notes, figures })
}

/// Figure 4: a square for each reach; rows are departures, columns are
/// destinations.
fn heat_maps(row: &Row) -> String {
    const SIDE: f64 = 210.0;
    let numbers =
        |value: &Value| -> Vec<f64> { value.as_array().into_iter().flatten().filter_map(Value::as_f64).collect() };
    let reaches = row.get("reaches").map(numbers).unwrap_or_default();
    let matrices: Vec<Vec<Vec<f64>>> = row
        .get("matrices")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(|matrix| matrix.as_array().into_iter().flatten().map(numbers).collect())
        .collect();
    let most = matrices.iter().flatten().flatten().copied().fold(f64::MIN_POSITIVE, f64::max);
    let width = (SIDE + 14.0) * matrices.len().max(1) as f64 + 14.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} 270\" width=\"{width}\" height=\"270\" \
         font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"14\" y=\"20\">Cost from each moment (down) to each other (across), without constraints; dark is cheap</text>\n"
    );
    for (panel, (matrix, reach)) in matrices.iter().zip(&reaches).enumerate() {
        let left = 14.0 + (SIDE + 14.0) * panel as f64;
        let cell = SIDE / matrix.len().max(1) as f64;
        // Writing to a string cannot fail.
        let _ = writeln!(svg, "<text x=\"{left}\" y=\"44\">\u{3c4}_max = {reach}</text>");
        for (down, costs) in matrix.iter().enumerate() {
            for (across, cost) in costs.iter().enumerate() {
                let shade = (255.0 * (cost / most).sqrt()) as u8;
                let (x, y) = (left + cell * across as f64, 52.0 + cell * down as f64);
                let _ = writeln!(
                    svg,
                    "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{0:.2}\" height=\"{0:.2}\" fill=\"rgb({shade},{shade},{1})\"/>",
                    cell + 0.1,
                    127 + shade / 2
                );
            }
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// Figure 10: the cost, and the contacts that are bad and known, as a search
/// goes.
fn traces(row: &Row) -> Result<Vec<Figure>, LabError> {
    let points: Vec<Vec<Option<f64>>> = row
        .get("points")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(|point| point.as_array().into_iter().flatten().map(Value::as_f64).collect())
        .collect();
    if points.is_empty() {
        return Ok(Vec::new());
    }
    let series = |at: usize| points.iter().filter_map(move |point| Some(((*point.first()?)?, (*point.get(at)?)?)));
    let costs = Plot::new("A search: cost")
        .x("shapes made and pairs tested", Scale::Linear)
        .y("cost, m\u{b2}", Scale::Linear)
        .points("\u{3c6}", series(1))
        .points("\u{3c6}_min", series(2));
    let contacts = Plot::new("A search: contacts")
        .x("shapes made and pairs tested", Scale::Linear)
        .y("contacts", Scale::Linear)
        .points("bad, |B|", series(3))
        .points("known, |C|", series(4));
    Ok(vec![
        Figure { suffix: "trace-cost", svg: costs.to_svg()? },
        Figure { suffix: "trace-contacts", svg: contacts.to_svg()? },
    ])
}
