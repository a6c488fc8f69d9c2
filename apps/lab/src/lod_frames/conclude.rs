//! What follows from the frames.

use proscenium_picture::plot::{Plot, Scale};

use crate::error::LabError;
use crate::experiment::{Conclusion, Figure};
use crate::number::show_number;
use crate::results::Row;

/// The rows of a budget and a schedule, in order, where bodies float or fall.
fn those<'a>(
    rows: &'a [Row],
    budget: &'a str,
    schedule: &'a str,
    falls: bool,
) -> impl Iterator<Item = &'a Row> + Clone {
    let is = |row: &Row, key: &str, name: &str| row.get(key).and_then(|value| value.as_str()) == Some(name);
    let does_fall = |row: &Row| row.get("falls").and_then(|value| value.as_bool()).unwrap_or(false);
    rows.iter().filter(move |row| is(row, "budget", budget) && is(row, "schedule", schedule) && does_fall(row) == falls)
}

/// The rows of a budget and a schedule, in order, where bodies float.
fn of<'a>(rows: &'a [Row], budget: &'a str, schedule: &'a str) -> impl Iterator<Item = &'a Row> + Clone {
    those(rows, budget, schedule, false)
}

pub(super) fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let mut notes = Vec::new();
    for falls in [false, true] {
        let how = if falls { "that fall" } else { "that float" };
        for against in ["round-robin", "random"] {
            for (row, other) in those(rows, "tight", "perceptual", falls).zip(those(rows, "tight", against, falls)) {
                let ratio = |key: &str| Some(other.number(key)? / row.number(key)?);
                let objects = row.number("objects").unwrap_or(0.0);
                if let (Some(noticed), Some(plain)) = (ratio("noticed_error"), ratio("error")) {
                    notes.push(format!(
                        "With {objects} objects {how} and the same tight budget, {against} scheduling has {} times the \
                         noticed error of perceptual scheduling (wanted: at least 1.5), and {} times the unweighted error.",
                        show_number(noticed),
                        show_number(plain)
                    ));
                }
            }
        }
    }
    let over: f64 = rows.iter().filter_map(|row| row.number("tests_over_budget")).sum();
    if !rows.is_empty() {
        notes.push(format!("Frames that passed a counted budget: {over} (wanted: none)."));
        for (objects, budget) in [(250.0, "given"), (250.0, "tight"), (1000.0, "given"), (1000.0, "tight")] {
            let own = of(rows, budget, "perceptual").chain(of(rows, budget, "round-robin"));
            let shares = own.filter(|row| row.number("objects") == Some(objects));
            if let Some(share) = shares.filter_map(|row| row.number("over_budget_share")).reduce(f64::max) {
                notes.push(format!(
                    "At {objects} objects and the {budget} budget, {} of the frames took more than 1.1 times their time \
                     (wanted: under 0.001).",
                    show_number(share)
                ));
            }
        }
        notes.push(
            "The given budgets are those of the question: 8 ms at 1 000 objects, 2 ms at 250, and in proportion. Full depth \
             takes less than that here: they show lateness, and next to no errors. The tight budgets allow the root level \
             and a quarter of what full depth spends beyond it, in tests and in the time that these take: they are where \
             scheduling matters. Round-robin has all false contacts of a level at once, and keeps back time for the response \
             to each. Everything begins after a second, when bodies that overlapped at the start have parted."
                .to_owned(),
        );
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
        let points = |budget: &'static str, schedule: &'static str, key: &'static str| {
            of(rows, budget, schedule)
                .filter_map(move |row| Some((row.number("objects")?, row.number(key).filter(|x| *x > 0.0)?)))
        };
        for (budget, suffix) in [("given", "times"), ("tight", "tight")] {
            // A run that was stopped may have rows of bodies that fall alone.
            if points(budget, "perceptual", "frame_us_p50").next().is_none() {
                continue;
            }
            let times = Plot::new(format!("What a frame takes, with the {budget} budget"))
                .x("objects", Scale::Log)
                .y("microseconds", Scale::Log)
                .line("median", points(budget, "perceptual", "frame_us_p50"))
                .line("99 of 100", points(budget, "perceptual", "frame_us_p99"))
                .line("longest", points(budget, "perceptual", "frame_us_max"))
                .paper_line("budget", points(budget, "perceptual", "budget_us"));
            figures.push(Figure { suffix, svg: times.to_svg()? });
        }
        let has_errors = points("tight", "perceptual", "noticed_error").next().is_some();
        if has_errors && points("tight", "round-robin", "noticed_error").next().is_some() {
            let errors = Plot::new("What is wrong with a frame, as it is noticed, with the tight budget")
                .x("objects", Scale::Log)
                .y("noticed error", Scale::Log)
                .line("perceptual", points("tight", "perceptual", "noticed_error"))
                .line("round-robin", points("tight", "round-robin", "noticed_error"))
                .line("random", points("tight", "random", "noticed_error"));
            figures.push(Figure { suffix: "errors", svg: errors.to_svg()? });
        }
    }
    Ok(Conclusion { notes, figures })
}
