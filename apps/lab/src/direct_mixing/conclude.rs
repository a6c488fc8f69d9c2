//! What mixing says.

use proscenium_picture::plot::{Plot, Scale};
use serde_json::Value;

use crate::error::LabError;
use crate::experiment::{Conclusion, Figure};
use crate::number::show_number;
use crate::results::Row;

use super::WAYS;
use super::sixes::WORLD;

/// The suffixes of the pictures, from the easiest want to the hardest.
const SUFFIXES: [&str; 3] = ["easy", "hard", "hardest"];

pub(super) fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let mut worlds: Vec<&str> = rows.iter().filter_map(|row| text(row, "world")).collect();
    worlds.dedup();
    worlds.retain(|world| *world != WORLD);
    let mut notes: Vec<String> = worlds.iter().filter_map(|world| world_note(rows, world)).collect();
    notes.extend([
        "A ball falls through five staggered rows of pegs, meets at most one of each with a normal that is uncertain by 10°, and should land at 1.5 gaps, within a tolerance that is also the standard deviation of the want. Its mode is whether it goes left or right at each of the first four rows: sixteen in all.".to_owned(),
        "`error` is half the sum of differences between the shares of the modes among the samples that satisfy the want and the truth, in the mean over the seeds; one where there was no sample. `truth_error` is about how far the truth itself, by brute force, may be off.".to_owned(),
        "Chains and tempering count the second half of their draws, one chain or ladder each; a population is as large as the budget allows. A simulation takes the same time in all methods, so that simulations stand for time.".to_owned(),
    ]);
    notes.extend(sixes_note(rows));
    let mut figures = Vec::new();
    for (world, suffix) in worlds.iter().zip(SUFFIXES) {
        figures.push(figure(rows, world, suffix)?);
    }
    Ok(Conclusion { notes, figures })
}

fn text<'r>(row: &'r Row, key: &str) -> Option<&'r str> {
    row.get(key).and_then(Value::as_str)
}

/// The errors of all methods at the largest budget.
fn world_note(rows: &[Row], world: &str) -> Option<String> {
    let own = || rows.iter().filter(|row| text(row, "world") == Some(world));
    let most = own().filter_map(|row| row.number("budget")).fold(0.0, f64::max);
    let chance = own().next()?.number("chance")?;
    let errors: Vec<String> = own()
        .filter(|row| row.number("budget") == Some(most))
        .filter_map(|row| Some(format!("{} {:.2}", text(row, "method")?, row.number("error")?)))
        .collect();
    Some(format!(
        "At a chance of {} (1 in {:.0}) and {most} simulations, the error is: {}.",
        show_number(chance),
        1.0 / chance,
        errors.join(", ")
    ))
}

/// What two sixes cost with each method.
fn sixes_note(rows: &[Row]) -> Option<String> {
    let own = rows.iter().filter(|row| text(row, "world") == Some(WORLD));
    let costs: Vec<String> = own
        .filter_map(|row| Some(format!("{} {:.1}", text(row, "method")?, row.number("throws_per_success")?)))
        .collect();
    (!costs.is_empty()).then(|| {
        format!(
            "Two dice that hit each other on a bumpy table show 6–6 once in this many simulations: {} (fair dice: 36). The default finds out that rejection is best, and as users have it, lets one simulation serve all turns of the dice.",
            costs.join(", ")
        )
    })
}

fn figure(rows: &[Row], world: &str, suffix: &'static str) -> Result<Figure, LabError> {
    let chance = rows.iter().find(|row| text(row, "world") == Some(world)).and_then(|row| row.number("chance"));
    let title = format!("Error of the modes, where 1 draw in {:.0} succeeds", 1.0 / chance.unwrap_or(1.0));
    let mut plot = Plot::new(title).x("simulations", Scale::Log).y("total variation", Scale::Linear);
    for way in WAYS {
        let points: Vec<(f64, f64)> = rows
            .iter()
            .filter(|row| text(row, "world") == Some(world) && text(row, "method") == Some(way.name()))
            .filter_map(|row| Some((row.number("simulations")?, row.number("error")?)))
            .collect();
        plot = plot.line(way.name(), points);
    }
    Ok(Figure { suffix, svg: plot.to_svg()? })
}
