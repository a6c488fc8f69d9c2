//! What follows from the frames.

use proscenium_picture::plot::{Plot, Scale};

use crate::error::LabError;
use crate::experiment::{Conclusion, Figure};
use crate::number::show_number;
use crate::results::Row;

fn of<'a>(rows: &'a [Row], schedule: &'a str) -> impl Iterator<Item = &'a Row> + Clone {
    rows.iter().filter(move |row| row.get("schedule").and_then(|name| name.as_str()) == Some(schedule))
}

pub(super) fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let mut notes = Vec::new();
    for (row, other) in of(rows, "perceptual").zip(of(rows, "round-robin")) {
        let ratio = |key: &str| Some(other.number(key)? / row.number(key)?);
        let objects = row.number("objects").unwrap_or(0.0);
        if let (Some(noticed), Some(plain)) = (ratio("noticed_error"), ratio("error")) {
            notes.push(format!(
                "At {objects} objects and the same counted budget, round-robin scheduling has {} times the noticed error of \
                 perceptual scheduling (wanted: at least 1.5), and {} times the unweighted error.",
                show_number(noticed),
                show_number(plain)
            ));
        }
    }
    let over: f64 = rows.iter().filter_map(|row| row.number("tests_over_budget")).sum();
    if !rows.is_empty() {
        notes.push(format!("Frames that passed a counted budget: {over} (wanted: none)."));
        let late = |objects: f64| {
            let shares = rows.iter().filter(|row| row.number("objects") == Some(objects));
            shares.filter_map(|row| row.number("over_budget_share")).reduce(f64::max)
        };
        for objects in [250.0, 1000.0] {
            if let Some(share) = late(objects) {
                notes.push(format!(
                    "At {objects} objects, {} of the frames took more than 1.1 times their time (wanted: under 0.001).",
                    show_number(share)
                ));
            }
        }
        notes.push(
            "A frame's time is that of the processor for World::advance: broad phase, detection, contact modelling, \
             response and motion. The error of a body is the difference of its velocity and of its spin times its radius \
             from those of a frame without a budget, from the same state, divided by the mean speed. Noticed errors are \
             weighted with Reddy's model of visual acuity (2001), by eccentricity from the middle of the picture and by \
             apparent speed, and with the apparent size; the scheduler does not use it."
                .to_owned(),
        );
    }
    let mut figures = Vec::new();
    if !rows.is_empty() {
        let points = |schedule: &'static str, key: &'static str| {
            of(rows, schedule)
                .filter_map(move |row| Some((row.number("objects")?, row.number(key).filter(|x| *x > 0.0)?)))
        };
        let times = Plot::new("What a frame takes")
            .x("objects", Scale::Log)
            .y("microseconds", Scale::Log)
            .line("median", points("perceptual", "frame_us_p50"))
            .line("99 of 100", points("perceptual", "frame_us_p99"))
            .line("longest", points("perceptual", "frame_us_max"))
            .paper_line("budget", points("perceptual", "budget_us"));
        figures.push(Figure { suffix: "times", svg: times.to_svg()? });
        let has_errors = points("perceptual", "noticed_error").next().is_some();
        if has_errors && points("round-robin", "noticed_error").next().is_some() {
            let errors = Plot::new("What is wrong with a frame, as it is noticed")
                .x("objects", Scale::Log)
                .y("noticed error", Scale::Log)
                .line("perceptual", points("perceptual", "noticed_error"))
                .line("round-robin", points("round-robin", "noticed_error"));
            figures.push(Figure { suffix: "errors", svg: errors.to_svg()? });
        }
    }
    Ok(Conclusion { notes, figures })
}
