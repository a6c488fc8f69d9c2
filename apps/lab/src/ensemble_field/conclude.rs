//! What follows from the views.

use proscenium_picture::plot::{Plot, Scale};
use serde_json::Value;

use crate::error::LabError;
use crate::experiment::{Conclusion, Figure};
use crate::number::show_number;
use crate::results::Row;

pub(super) fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let mut notes = vec![
        "us_per_frame is the processor\u{2019}s time on one core for everything that the meadow does in a frame: which \
         clumps are seen, what wind reaches each, its walk, and all vertices in place. The floor reads the same vertices \
         of the same clumps in the same detail from a plain cache and puts them in place; the ceiling simulates them. \
         kept_bytes is the memory of shapes that were made from modes once, before the first frame, and are shared by \
         all instances. The paper shows about 26 000 clumps at 3 frames per second, with the vertices moved by a graphics card."
            .to_owned(),
    ];
    let text = |row: &Row, key: &str| row.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
    let costs = || rows.iter().filter(|row| row.number("us_per_frame").is_some());
    if let Some(row) = rows.iter().find(|row| row.number("lean_circular_variance").is_some()) {
        let number = |key: &str| row.number(key).map_or_else(|| "?".to_owned(), show_number);
        notes.push(format!(
            "Clumps lean with a circular variance of {}, and are at the level of the wind for a share of {} of the time \
             (wanted: 0.8); a clump is at a level if most of its groups are.",
            number("lean_circular_variance"),
            number("level_is_wind_share")
        ));
    }
    for row in costs() {
        let number = |key: &str| row.number(key).map_or_else(|| "?".to_owned(), show_number);
        notes.push(format!(
            "{}, detail {}: {} of {} clumps in view, {} ms per frame, {} times the floor, {} times less than simulating.",
            text(row, "view"),
            text(row, "detail"),
            number("in_view"),
            number("instances"),
            row.number("us_per_frame").map_or_else(|| "?".to_owned(), |us| show_number(1e-3 * us)),
            number("floor_ratio"),
            row.number("ceiling_us")
                .zip(row.number("us_per_frame"))
                .map_or_else(|| "?".to_owned(), |(a, b)| show_number(a / b)),
        ));
    }
    let mut figures = Vec::new();
    if costs().next().is_some() {
        let name = |row: &Row| format!("{}, {}", text(row, "view"), text(row, "detail"));
        let bars = |key: &'static str| {
            costs().enumerate().filter_map(move |(at, row)| Some((at as f64, 1e-3 * row.number(key)?)))
        };
        let plot = Plot::new("What a frame of the meadow costs")
            .categories(costs().map(name))
            .y("ms", Scale::Log)
            .bars("plain cache", bars("floor_us"))
            .bars("walks", bars("us_per_frame"))
            .bars("simulated", bars("ceiling_us"));
        figures.push(Figure { suffix: "costs", svg: plot.to_svg()? });
    }
    Ok(Conclusion { notes, figures })
}
