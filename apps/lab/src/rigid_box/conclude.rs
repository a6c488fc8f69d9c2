//! What the box says: how the speedup grows, and two pictures.

use crate::error::LabError;
use crate::experiment::{Conclusion, Figure};
use crate::number::show_number;
use crate::paper;
use crate::results::Row;
use crate::speedup::{cost_figure, series, speedup_figure};

use super::start::{RADIUS, SPEED};

/// The paper's speedup for its largest box.
const PAPER_BEST: f64 = 12.1;

pub(super) fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let mut notes = Vec::new();
    notes.extend(growth(rows));
    notes.extend(reached(rows));
    notes.extend(kept(rows));
    notes.extend(work(rows).into_iter().flatten());
    notes.extend(definitions(rows));
    let figures = if rows.is_empty() { Vec::new() } else { figures(rows)? };
    Ok(Conclusion { notes, figures })
}

/// The exponent of the power law nearest to the points (least squares in
/// logarithms); `None` for fewer than two places.
fn exponent(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (libm::log(*x), libm::log(*y))).collect();
    let count = logs.len() as f64;
    let (x_sum, y_sum) = logs.iter().fold((0.0, 0.0), |sum, log| (sum.0 + log.0, sum.1 + log.1));
    let (x_mean, y_mean) = (x_sum / count, y_sum / count);
    let covariance: f64 = logs.iter().map(|(x, y)| (x - x_mean) * (y - y_mean)).sum();
    let variance: f64 = logs.iter().map(|(x, _)| (x - x_mean) * (x - x_mean)).sum();
    (variance > 0.0).then(|| covariance / variance)
}

fn growth(rows: &[Row]) -> Option<String> {
    let mut large = series(rows, "speedup");
    large.retain(|(n, _)| *n >= 64.0);
    let (first, last) = (large.first()?.0, large.last()?.0);
    let paper: Vec<(f64, f64)> = paper::BOX.iter().map(|row| (row.n as f64, row.speedup())).collect();
    Some(format!(
        "The speedup grows as n^{:.2} from n = {first} to {last}; the paper’s grows as n^{:.2} from 16 to 64.",
        exponent(&large)?,
        exponent(&paper[7..])?,
    ))
}

/// Where the speedup first reaches the paper's best, between rows by a power
/// law.
fn reached(rows: &[Row]) -> Option<String> {
    let points = series(rows, "speedup");
    let first = points.iter().position(|(_, speedup)| *speedup >= PAPER_BEST);
    let Some(index) = first else {
        let (n, best) = points.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1))?;
        return Some(format!(
            "The paper’s speedup of {PAPER_BEST} (at n = 64) is not reached: the largest here is {} at n = {n}.",
            show_number(best)
        ));
    };
    let (n, speedup) = points[index];
    let place = match index.checked_sub(1).map(|before| points[before]) {
        Some((m, slower)) => {
            let part = libm::log(PAPER_BEST / slower) / libm::log(speedup / slower);
            m * libm::exp(part * libm::log(n / m))
        }
        None => n,
    };
    Some(format!("The paper’s speedup of {PAPER_BEST} (at n = 64) is reached at n = {place:.0}."))
}

fn largest(rows: &[Row], key: &str) -> Option<f64> {
    rows.iter().filter_map(|row| row.number(key)).max_by(|a, b| a.abs().total_cmp(&b.abs()))
}

fn kept(rows: &[Row]) -> Option<String> {
    let watched = rows.iter().filter_map(|row| row.number("watched_s")).fold(f64::INFINITY, f64::min);
    let shorter = if watched < super::WATCHED { " (fewer in large boxes: watched_s)" } else { "" };
    let mut note = format!(
        "Over {} simulated seconds{shorter} the energy changes by at most {} of itself, and no two bodies overlap by more than {} m (contact is a gap below {} m).",
        super::WATCHED,
        show_number(largest(rows, "energy_drift")?),
        show_number(largest(rows, "max_overlap")?),
        show_number(largest(rows, "tolerance")?),
    );
    match rows.iter().rfind(|row| row.number("n").is_some_and(|n| n <= 64.0)).and_then(rapier_at) {
        Some(rapier) => note.push_str(&rapier),
        None => note.push_str(" rapier was not there to compare with: `cargo xtask peers` builds it."),
    }
    Some(note)
}

fn rapier_at(row: &Row) -> Option<String> {
    Some(format!(
        " rapier, from the same starts with its default settings and 60 steps per second, changes the energy by {:+.0} % at n = {} and overlaps by {} m (medians over the starts).",
        100.0 * row.number("rapier_energy_drift")?,
        row.number("n")?,
        show_number(row.number("rapier_max_overlap")?),
    ))
}

/// What the events of the largest box are, and what one of them does.
fn work(rows: &[Row]) -> Option<Vec<String>> {
    let last = rows.last()?;
    let per_event = |side: &str, what: &str| {
        let count = |key: &str| last.number(&format!("{side}_{key}"));
        Some(count(what)? / count("events")?)
    };
    let kinds = |side: &str| {
        let percent = |what: &str| per_event(side, what).map(|share| format!("{:.0} %", 100.0 * share));
        Some([percent("bound_expiries")?, percent("near_misses")?, percent("collisions")?])
    };
    let does = |side: &str| {
        let each = |what: &str| per_event(side, what).map(show_number);
        Some([each("predictions")?, each("distance_queries")?, each("integrations")?])
    };
    let n = last.number("n")?;
    let ([own_expiries, own_misses, own_collisions], [steps, misses, collisions]) = (kinds("async")?, kinds("sync")?);
    let ([own_p, own_d, own_i], [p, d, i]) = (does("async")?, does("sync")?);
    Some(vec![
        format!(
            "At n = {n} asynchronous events are {own_expiries} expiries, {own_misses} near misses and {own_collisions} collisions; synchronous ones {steps} plain steps, {misses} near misses and {collisions} collisions."
        ),
        format!(
            "At n = {n} an asynchronous event makes {own_p} predictions, {own_d} distance queries and {own_i} integrations; a synchronous one {p}, {d} and {i}."
        ),
    ])
}

fn definitions(rows: &[Row]) -> Vec<String> {
    let mut notes = vec![
        format!(
            "The scene `box`: icosahedra in a sphere of {RADIUS} m, in a cube 10.2 diameters wide; each component of the velocity normal with {SPEED} m/s, no spin at first; no gravity, no friction, no loss."
        ),
        "Events, times and counters are means over the starts, for 1000 simulated seconds. The paper’s times are from a Pentium Pro at 200 MHz: only the ratios compare."
            .to_owned(),
        "An asynchronous event is a bound’s expiry, a near miss or a collision; a synchronous one is a near miss, a collision, or a step when nothing is expected. Both sides share flights, predictions, closest points, collisions, sorted lists and queue, run on one thread, start alike, and are timed in turns. Times are those of the processor for this thread."
            .to_owned(),
        "A prediction takes one step of conservative advancement and is then put off, as in the paper: what happens until then often makes the rest needless, and the asynchronous side is fastest so. A synchronous side pays for every event with all bodies, and is faster with predictions that take as many steps as they need: `speedup_patient` compares with that."
            .to_owned(),
    ];
    let shorter = windows(rows);
    if !shorter.is_empty() {
        notes.push(format!(
            "Timed over shorter windows (synchronous and asynchronous), and scaled to 1000 s: {}.",
            shorter.join("; ")
        ));
    }
    notes
}

/// Rows that were timed for less than the stated time, neighbours with equal
/// windows together.
fn windows(rows: &[Row]) -> Vec<String> {
    let mut groups: Vec<(f64, f64, (f64, f64))> = Vec::new();
    for row in rows {
        let window = |key: &str| row.number(key).unwrap_or(super::STATED);
        let (n, both) = (row.number("n").unwrap_or(0.0), (window("sync_window_s"), window("async_window_s")));
        match groups.last_mut() {
            Some((_, last, windows)) if *windows == both => *last = n,
            _ => groups.push((n, n, both)),
        }
    }
    let shorter = groups.into_iter().filter(|(_, _, (sync, own))| sync.min(*own) < super::STATED);
    shorter
        .map(|(first, last, (sync, own))| {
            let bodies = if first == last { format!("n = {first}") } else { format!("n = {first} to {last}") };
            format!("{bodies}: {sync} s and {own} s")
        })
        .collect()
}

fn figures(rows: &[Row]) -> Result<Vec<Figure>, LabError> {
    let bodies = "bodies in the box";
    let paper = ("Chenney 2000, figure 3.8", &paper::BOX[..]);
    Ok(vec![speedup_figure(rows, bodies, paper, &[])?, cost_figure(rows, bodies)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(power: f64) -> Vec<Row> {
        let counts = [16_u32, 64, 128, 512];
        counts
            .map(|n| {
                let speedup = 0.5 * libm::pow(f64::from(n), power);
                Row::new()
                    .with("n", n)
                    .with("speedup", speedup)
                    .with("sync_us_per_event", 5.0)
                    .with("async_us_per_event", 1.0)
            })
            .to_vec()
    }

    #[test]
    fn the_exponent_of_a_power_law_is_found() {
        let points = series(&rows(0.9), "speedup");
        assert!((exponent(&points).unwrap() - 0.9).abs() < 1e-12);
        assert_eq!(exponent(&points[..1]), None);
        assert_eq!(exponent(&[]), None);
    }

    #[test]
    fn the_place_of_the_papers_speedup_is_found_or_not() {
        // 0.5 n^0.9 is 12.1 at n = 34.5.
        let note = reached(&rows(0.9)).unwrap();
        assert!(note.ends_with("reached at n = 34."), "{note}");
        let note = reached(&rows(0.2)).unwrap();
        assert!(note.contains("not reached") && note.contains("n = 512"), "{note}");
    }

    #[test]
    fn equal_windows_are_said_once() {
        let row = |n: u32, sync: f64, own: f64| {
            Row::new().with("n", n).with("sync_window_s", sync).with("async_window_s", own)
        };
        let rows = [row(1, 1000.0, 1000.0), row(2, 9.0, 9.0), row(3, 9.0, 9.0), row(4, 1.0, 1000.0)];
        assert_eq!(windows(&rows), ["n = 2 to 3: 9 s and 9 s", "n = 4: 1 s and 1000 s"]);
    }

    #[test]
    fn a_few_rows_are_enough_for_pictures() {
        let conclusion = conclude(&rows(0.9)[..1]).unwrap();
        assert_eq!(conclusion.figures.len(), 2);
        assert!(conclusion.figures.iter().all(|figure| figure.svg.starts_with("<svg")));
    }
}
