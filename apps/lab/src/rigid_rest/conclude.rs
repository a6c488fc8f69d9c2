//! What the settling scenes say, and a picture.

use proscenium_picture::plot::{Plot, Scale};
use serde_json::Value;

use crate::error::LabError;
use crate::experiment::{Conclusion, Figure};
use crate::number::show_number;
use crate::results::Row;

pub(super) fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let mut notes: Vec<String> = rows.iter().filter_map(verdict).collect();
    notes.extend(rows.iter().filter_map(comparison));
    notes.push("`rests_at_s` is the first time, looked at every 10 ms, from which no body moves; `later_motion` is the farthest that a body goes in the 10 s after it, m; `max_overlap` the deepest overlap at those times, m, by queries that the simulator does not use; `cpu_s` the time until all rests. Both are times of the processor for one thread, rapier’s of its steps alone, each over its own span: until all rests there, or for as long as the scene is watched.".to_owned());
    notes.push("rapier is the better choice where bodies lie in heaps or slide among each other and some overlap does no harm, where every frame has to cost about the same, and where joints, motors or soft bodies are needed. It runs with its own settings at 60 steps per second, and again at 240 (`rapier_240`): with bodies of a centimetre or two that fall from a hand’s height, a sixtieth of a second is a long time.".to_owned());
    Ok(Conclusion { notes, figures: figure(rows)?.into_iter().collect() })
}

fn name(row: &Row) -> Option<&str> {
    row.get("scene").and_then(Value::as_str)
}

fn verdict(row: &Row) -> Option<String> {
    let name = name(row)?;
    Some(match (row.number("rests_at_s"), row.number("later_motion")) {
        (Some(time), Some(0.0)) => format!("{name}: all rests at {} s, and nothing moves later.", show_number(time)),
        (Some(time), moved) => {
            format!("{name}: all rests at {} s, but moves by {} m later.", show_number(time), show_number(moved?))
        }
        (None, _) => format!("{name}: something still moves after {} s.", show_number(row.number("watched_s")?)),
    })
}

fn comparison(row: &Row) -> Option<String> {
    let (ours, rapier) = (row.number("ours_s_per_sim_s")?, row.number("rapier_s_per_sim_s")?);
    let (faster, factor) = if ours < rapier { ("this engine", rapier / ours) } else { ("rapier", ours / rapier) };
    Some(format!("{}: {faster} is faster, by a factor of {}.", name(row)?, show_number(factor)))
}

fn figure(rows: &[Row]) -> Result<Option<Figure>, LabError> {
    let bars = |key: &str| -> Vec<(f64, f64)> {
        let values = rows.iter().enumerate().map(|(index, row)| (index as f64, row.number(key).unwrap_or(0.0)));
        values.filter(|(_, value)| *value > 0.0).collect()
    };
    let ours = bars("ours_s_per_sim_s");
    if ours.is_empty() {
        return Ok(None);
    }
    let svg = Plot::new("Until all rests")
        .y("seconds per simulated second", Scale::Log)
        .categories(rows.iter().filter_map(name))
        .bars("here", ours)
        .points("rapier", bars("rapier_s_per_sim_s"))
        .to_svg()?;
    Ok(Some(Figure { suffix: "cost", svg }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rest_unrest_and_costs_are_told() {
        let row = |rests: Option<f64>, moved: Option<f64>| {
            let row = Row::new().with("scene", "dice").with("rests_at_s", rests).with("later_motion", moved);
            row.with("ours_s_per_sim_s", 0.5).with("rapier_s_per_sim_s", 0.25).with("watched_s", 10.0)
        };
        let told = |rests, moved| conclude(&[row(rests, moved)]).unwrap();
        assert!(told(Some(2.0), Some(0.0)).notes[0].ends_with("nothing moves later."));
        assert!(told(Some(2.0), Some(0.1)).notes[0].contains("moves by 0.1000 m later"));
        assert!(told(None, None).notes[0].contains("still moves after 10.00 s"));
        assert!(told(None, None).notes[1].contains("rapier is faster, by a factor of 2.000"));
        assert_eq!(told(None, None).figures.len(), 1);
    }
}
