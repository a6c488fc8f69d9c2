//! What re-use says: how much faster, with which blocks, and a picture.

use proscenium_picture::plot::{Plot, Scale};
use serde_json::Value;

use crate::error::LabError;
use crate::experiment::{Conclusion, Figure};
use crate::number::show_number;
use crate::results::Row;

use super::PAPER_SPEEDUP;

pub(super) fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let mut notes = Vec::new();
    notes.extend(reached(rows));
    notes.extend(best_block(rows));
    if rows.iter().any(|row| row.get("equal").and_then(Value::as_bool) == Some(false)) {
        notes.push("Some re-used runs differ from fresh ones: this is a fault.".to_owned());
    }
    notes.extend(
        [
            "Marbles of 7 mm radius are dropped from 72 mm, one every 0.2 s, into 7 × 5 bins of 20 mm with partitions of 2 mm × 12 mm in a box 36 mm deep, each bin with a domed floor; runs last until 2 s after the last one. A change moves the start of one marble in a random direction by a normal distance of 20 mm. The paper’s marbles, too, enter one after the other; it does not say how fast. Its partitions are a little askew; these are not.",
            "`fresh_ms` is a plain world that keeps nothing, `record_ms` a take recorded anew, `again_ms` the take that re-uses another and can be re-used in turn. `speedup` is the median over the changes of fresh over again, `speedup_mean` the ratio of the summed times. `blocks_simulated` counts repetitions. `equal`: all state hashes are those of a fresh run.",
        ]
        .map(str::to_owned),
    );
    let figures = figure(rows)?.into_iter().collect();
    Ok(Conclusion { notes, figures })
}

/// The rows with the most marbles.
fn largest(rows: &[Row]) -> Vec<&Row> {
    let most = rows.iter().filter_map(|row| row.number("marbles")).fold(0.0, f64::max);
    rows.iter().filter(|row| row.number("marbles") == Some(most)).collect()
}

fn fastest<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Option<&'a Row> {
    let speed = |row: &Row| row.number("speedup_mean").unwrap_or(0.0);
    rows.into_iter().max_by(|a, b| speed(a).total_cmp(&speed(b)))
}

fn reached(rows: &[Row]) -> Option<String> {
    let best = fastest(largest(rows))?;
    let speedup = best.number("speedup")?;
    let verdict = if speedup >= PAPER_SPEEDUP { "is reached" } else { "is not reached" };
    Some(format!(
        "The paper’s factor of about {PAPER_SPEEDUP} {verdict} with {} marbles: {} in the median, {} over all changes, with {:.0} % of the motion replayed.",
        best.number("marbles")?,
        show_number(speedup),
        show_number(best.number("speedup_mean")?),
        100.0 * best.number("share_replayed")?,
    ))
}

fn best_block(rows: &[Row]) -> Option<String> {
    let rows = largest(rows);
    let best = fastest(rows.iter().copied())?;
    let others: Vec<String> = rows
        .iter()
        .filter_map(|row| Some(format!("{} s: {}", row.number("block_s")?, show_number(row.number("speedup_mean")?))))
        .collect();
    (others.len() > 1).then_some(())?;
    Some(format!(
        "Blocks of {} s are the best of those tried ({}): short blocks cost more to keep, long ones are simulated whole for a touch at their end.",
        best.number("block_s")?,
        others.join(", ")
    ))
}

fn figure(rows: &[Row]) -> Result<Option<Figure>, LabError> {
    let mut counts: Vec<f64> = rows.iter().filter_map(|row| row.number("marbles")).collect();
    counts.dedup();
    if counts.is_empty() {
        return Ok(None);
    }
    let lengths: Vec<f64> = largest(rows).iter().filter_map(|row| row.number("block_s")).collect();
    let mut plot = Plot::new("What re-use gains").x("marbles", Scale::Linear).y("speedup", Scale::Linear);
    plot = plot.paper_line("Chenney 2000: about 2", counts.iter().map(|count| (*count, PAPER_SPEEDUP)));
    for length in lengths {
        let of_length = rows.iter().filter(|row| row.number("block_s") == Some(length));
        let points: Vec<(f64, f64)> =
            of_length.filter_map(|row| Some((row.number("marbles")?, row.number("speedup")?))).collect();
        plot = plot.line(format!("blocks of {length} s"), points);
    }
    Ok(Some(Figure { suffix: "speedup", svg: plot.to_svg()? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(marbles: u32, block: f64, speedup: f64, equal: bool) -> Row {
        let row = Row::new().with("marbles", marbles).with("block_s", block).with("share_replayed", 0.7);
        row.with("speedup", speedup).with("speedup_mean", speedup).with("equal", equal)
    }

    #[test]
    fn hits_misses_and_faults_are_told() {
        let hit = conclude(&[row(10, 0.1, 1.5, true), row(30, 0.05, 1.9, true), row(30, 0.1, 2.5, true)]).unwrap();
        assert!(hit.notes[0].contains("is reached with 30 marbles: 2.500"), "{}", hit.notes[0]);
        assert!(hit.notes[1].starts_with("Blocks of 0.1 s are the best"), "{}", hit.notes[1]);
        assert_eq!(hit.figures.len(), 1);
        let miss = conclude(&[row(30, 0.1, 1.5, false)]).unwrap();
        assert!(miss.notes[0].contains("is not reached"), "{}", miss.notes[0]);
        assert!(miss.notes[1].contains("a fault"), "{}", miss.notes[1]);
    }
}
