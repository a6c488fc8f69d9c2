//! What the shots say.

use proscenium_picture::plot::{Plot, Scale};
use proscenium_scenes::DIFFERENT;
use serde_json::Value;

use crate::error::LabError;
use crate::experiment::{Conclusion, Figure};
use crate::results::Row;

use super::MANY;

pub(super) fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let text = |row: &Row, column: &str| row.get(column).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut notes = Vec::new();
    for row in rows {
        let name = text(row, "want");
        let first = match row.number("seconds_to_first") {
            Some(seconds) => format!("first found after {seconds:.0} s"),
            None => format!("not found in {:.0} s", row.number("seconds").unwrap_or_default()),
        };
        let (successes, draws) = (row.number("prior_success").unwrap_or_default(), row.number("prior_draws"));
        let draws = draws.unwrap_or_default();
        let chance = if successes > 0.0 { format!("{successes:.4}") } else { format!("below {:.1e}", 3.0 / draws) };
        notes.push(format!("{name}: {first}; chance in one throw {chance} ({draws:.0} draws); {}.", text(row, "why")));
    }
    notes.extend([
        format!("`distinct_in_5_min`: within 600 s of a processor, counted up to {MANY}; {DIFFERENT}."),
        "`ms_per_simulation` and `seconds` are of one processor; simulations of a chain are shorter, since they are abandoned when a pin that must stand has fallen.".to_owned(),
        "Of the paper there are no figures to compare with, but its order: the strike easiest, then the spare, then the split; its 7-10 split was never converted.".to_owned(),
    ]);
    let mut plot = Plot::new("Different shots").x("seconds", Scale::Linear).y("shots", Scale::Linear);
    let mut any = false;
    for row in rows {
        let found = row.get("found_s").and_then(Value::as_array);
        let found: Vec<f64> = found.into_iter().flatten().filter_map(Value::as_f64).collect();
        any |= !found.is_empty();
        let steps = found.iter().enumerate().map(|(index, seconds)| (*seconds, index as f64 + 1.0));
        plot = plot.line(text(row, "want"), steps);
    }
    let figures = if any { vec![Figure { suffix: "found", svg: plot.to_svg()? }] } else { Vec::new() };
    Ok(Conclusion { notes, figures })
}
