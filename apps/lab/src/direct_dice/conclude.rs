//! What the dice say.

use proscenium_picture::plot::{Plot, Scale};
use proscenium_scenes::DIFFERENT;
use serde_json::Value;

use crate::error::LabError;
use crate::experiment::{Conclusion, Figure};
use crate::results::Row;

use super::DISTINCT;

pub(super) fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let dice = || rows.iter().filter(|row| row.get("spot").is_some());
    let mut notes = Vec::new();
    let firsts: Vec<f64> = dice().filter_map(|row| row.number("first_success_s")).collect();
    let tenths: Vec<f64> = dice().filter_map(|row| row.number("tenth_distinct_s")).collect();
    let longest = |times: &[f64]| times.iter().copied().fold(0.0, f64::max);
    notes.push(format!(
        "{} of {} dice were found, the slowest after {:.0} s of a processor (the paper: an hour or so each); {} of them in {DISTINCT} distinct ways, the slowest after {:.0} s (the paper’s chain did not mix).",
        firsts.len(),
        dice().count(),
        longest(&firsts),
        tenths.len(),
        longest(&tenths),
    ));
    notes.extend(
        dice().filter_map(|row| Some(format!("{}: {}.", row.get("what")?.as_str()?, row.get("why")?.as_str()?))),
    );
    notes.extend([
        format!("`distinct`: {DIFFERENT}."),
        "A die of 16 mm is thrown at about 1 m/s from 10 cm above a table whose 143 control points, 6 cm apart, have heights N(0, 1.5 mm); friction and restitution of the felt, a sticky and a springy spot are uncertain too. It should come to rest within 5 mm of its spot (the standard deviation of the want) and show its face (weight 5).".to_owned(),
        "`seconds` are of one processor; `first_success` is in simulations.".to_owned(),
    ]);
    let mut plot =
        Plot::new("Different animations of each die").x("seconds", Scale::Linear).y("animations", Scale::Linear);
    let mut any = false;
    for row in dice() {
        let found: Vec<f64> = row
            .get("found_s")
            .and_then(Value::as_array)
            .map(|all| all.iter().filter_map(Value::as_f64).collect())
            .unwrap_or_default();
        any |= !found.is_empty();
        let name = row.get("what").and_then(Value::as_str).unwrap_or_default().to_owned();
        plot = plot.line(name, found.iter().enumerate().map(|(index, seconds)| (*seconds, index as f64 + 1.0)));
    }
    let figures = if any { vec![Figure { suffix: "found", svg: plot.to_svg()? }] } else { Vec::new() };
    Ok(Conclusion { notes, figures })
}
