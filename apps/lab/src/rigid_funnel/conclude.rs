//! What the funnel says: how the speedup grows, and two pictures.

use crate::error::LabError;
use crate::experiment::{Conclusion, Figure};
use crate::number::show_number;
use crate::paper;
use crate::results::Row;
use crate::speedup::{cost_figure, series, speedup_figure};

pub(super) fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let mut notes = Vec::new();
    notes.extend(reached(rows));
    notes.extend(growth(rows));
    notes.extend(work(rows).into_iter().flatten());
    notes.extend(price(rows));
    notes.extend(definitions(rows));
    let figures = if rows.is_empty() { Vec::new() } else { figures(rows)? };
    Ok(Conclusion { notes, figures })
}

fn reached(rows: &[Row]) -> Option<String> {
    let best = paper::best(&paper::FUNNEL);
    let points = series(rows, "speedup");
    let first = points.iter().find(|(_, speedup)| *speedup >= best);
    Some(match first {
        Some((n, _)) => format!("The paper’s best speedup, {best:.1} at n = 100, is reached by n = {n}."),
        None => {
            let (n, most) = points.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1))?;
            format!(
                "The paper’s best speedup, {best:.1} at n = 100, is not reached: the largest here is {} at n = {n}.",
                show_number(most)
            )
        }
    })
}

fn growth(rows: &[Row]) -> Option<String> {
    let points = series(rows, "speedup");
    let [.., (n, before), (m, after)] = points[..] else {
        return None;
    };
    let verb = if after > before { "still grows" } else { "does not grow any more" };
    Some(format!(
        "From n = {n} to {m} the speedup {verb}: {} and {}. The paper’s (figure 3.10) is constant beyond 50.",
        show_number(before),
        show_number(after)
    ))
}

/// What the events of the largest funnel are, and what each side does for one.
fn work(rows: &[Row]) -> Option<Vec<String>> {
    let last = rows.last()?;
    let per_event = |side: &str, what: &str| {
        let count = |key: &str| last.number(&format!("{side}_{key}"));
        Some(count(what)? / count("events")?)
    };
    let percent = |what: &str| per_event("async", what).map(|share| format!("{:.0} %", 100.0 * share));
    let does = |side: &str| {
        let each = |what: &str| per_event(side, what).map(show_number);
        Some([each("predictions")?, each("distance_queries")?, each("integrations")?, each("bound_comparisons")?])
    };
    let n = last.number("n")?;
    let ([own_p, own_d, own_i, own_b], [p, d, i, b]) = (does("async")?, does("sync")?);
    Some(vec![
        format!(
            "At n = {n} asynchronous events are {} steps of islands, {} collisions, {} near misses and {} expiries.",
            percent("contact_steps")?,
            percent("collisions")?,
            percent("near_misses")?,
            percent("bound_expiries")?,
        ),
        format!(
            "At n = {n} an asynchronous event makes {own_p} predictions, {own_d} distance queries, {own_i} integrations and {own_b} comparisons of bounds; a synchronous one {p}, {d}, {i} and {b}. What both sides do for a step of an island is the same, and hides the difference where grains lie in heaps."
        ),
    ])
}

/// What the synchronous side would have to pay for the paper's ratio.
fn price(rows: &[Row]) -> Option<String> {
    let last = rows.last()?;
    let number = |key: &str| last.number(key);
    let bodies = number("sync_integrations")? / number("sync_events")?;
    let (own, more) = (number("async_us_per_event")?, number("sync_overhead_us")?);
    let (bouncing_n, bouncing) = series(rows, "bouncing_speedup").last().copied()?;
    Some(format!(
        "Why: at n = {} an asynchronous event takes {} us, so a ratio of 8 asks for {} us more for each synchronous one. It pays {} us, {:.0} ns for each of {:.0} bodies: where a body is at a time, and its bound, are closed forms, where the paper integrated step by step. That islands share their steps is not the reason: with grains that bounce until they freeze, as in the paper, the ratio is {} at n = {bouncing_n}.",
        number("n")?,
        show_number(own),
        show_number(7.0 * own),
        show_number(more),
        1e3 * more / bodies,
        bodies,
        show_number(bouncing),
    ))
}

fn definitions(rows: &[Row]) -> Vec<String> {
    let mut notes = vec![
        "The scene `hourglass`: cubes of 1 cm with perturbed corners, 50 dropped a second, through a hole of 4.5 cm into a box of 16 cm; whole rows run until 4 s after the last grain was dropped. The paper does not say how large or how fast its grains are.".to_owned(),
        "Events, times and counters are means over the starts. The paper’s times are from a Pentium Pro at 200 MHz: only the ratios compare. Its bodies bounce until they have been slow for many collisions and are then frozen; here touching bodies form islands, which take far fewer events, each of which does far more. The columns `bouncing` are of the paper’s way, one start each: slow below 6 cm/s, for 20 collisions, and parting at 1.5 cm/s at least; they are empty beyond the paper’s rows, and where a grain was wedged between frozen ones.".to_owned(),
        "Both sides share flights, predictions, closest points, collisions, steps of islands, sorted lists and queue, start alike, see the same motion, run on one thread and are timed in turns. Bodies at rest cost neither side anything until they are hit, as in the paper. `speedup_patient` compares with the synchronous side at its best, with predictions that take as many steps as they need. `sync_overhead_us` is what the synchronous side pays more, for each of its events.".to_owned(),
    ];
    let windows: Vec<String> = rows
        .iter()
        .filter(|row| row.get("whole").and_then(serde_json::Value::as_bool) == Some(false))
        .filter_map(|row| Some(format!("n = {}: {} s", row.number("n")?, show_number(row.number("window_s")?))))
        .collect();
    if !windows.is_empty() {
        notes.push(format!("Both sides timed over the first seconds only: {}.", windows.join("; ")));
    }
    notes
}

fn figures(rows: &[Row]) -> Result<Vec<Figure>, LabError> {
    let bodies = "grains";
    let paper = ("Chenney 2000, figure 3.10", &paper::FUNNEL[..]);
    Ok(vec![
        speedup_figure(
            rows,
            bodies,
            paper,
            &[("grains bounce until they freeze, as in the paper", "bouncing_speedup")],
        )?,
        cost_figure(rows, bodies)?,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_and_misses_are_told() {
        let rows = |factor: f64| {
            [50_u32, 100, 200]
                .map(|n| Row::new().with("n", n).with("speedup", factor * f64::from(n)).with("sync_us_per_event", 2.0))
        };
        let hit = conclude(&rows(0.05)).unwrap();
        assert!(hit.notes[0].ends_with("is reached by n = 200."), "{}", hit.notes[0]);
        assert!(hit.notes[1].contains("still grows"));
        let miss = conclude(&rows(0.01)).unwrap();
        assert!(miss.notes[0].contains("not reached: the largest here is 2.000 at n = 200"), "{}", miss.notes[0]);
        assert_eq!(miss.figures.len(), 2);
    }
}
