//! What the boxes say: marks that are passed or missed, and a picture.

use proscenium_picture::plot::{Plot, Scale};
use serde_json::Value;

use crate::error::LabError;
use crate::experiment::{Conclusion, Figure};
use crate::number::show_number;
use crate::results::Row;

use super::start::{RADIUS, SPEED};

/// Collisions per second of specialised codes at 30 %, by n.
const EDMD: [(f64, f64); 2] = [(1e3, 760_000.0), (1e5, 260_000.0)];
const DYNAMO: [(f64, f64); 2] = [(1e3, 110_000.0), (1e5, 49_000.0)];
/// What is wanted of icosahedra.
const ICOSAHEDRA: f64 = 25_000.0;

pub(super) fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let mut notes = Vec::new();
    notes.extend(beside_marks(rows));
    notes.extend(growth(rows, 0.08));
    notes.extend(growth(rows, 0.3));
    notes.extend(icosahedra(rows));
    notes.extend(structures(rows));
    notes.extend(kept(rows));
    notes.extend(definitions());
    let figures = if rows.is_empty() { Vec::new() } else { vec![figure(rows)?] };
    Ok(Conclusion { notes, figures })
}

fn of<'a>(rows: &'a [Row], shape: &'a str, packing: f64) -> impl Iterator<Item = &'a Row> {
    rows.iter().filter(move |row| {
        row.get("shape").and_then(Value::as_str) == Some(shape) && row.number("packing") == Some(packing)
    })
}

fn series(rows: &[Row], shape: &str, packing: f64, key: &str) -> Vec<(f64, f64)> {
    of(rows, shape, packing).filter_map(|row| Some((row.number("n")?, row.number(key)?))).collect()
}

fn beside_marks(rows: &[Row]) -> Vec<String> {
    let found = series(rows, "spheres", 0.3, "collisions_per_s");
    let beside = EDMD.iter().zip(DYNAMO).filter_map(|((n, edmd), (_, dynamo))| {
        let (_, own) = found.iter().find(|(count, _)| count == n)?;
        Some(format!(
            "At n = {n} and 30 %, spheres collide {own:.0} times per second: {} of DynamO ({dynamo}) and {} of EDMD ({edmd}).",
            times(own / dynamo),
            times(own / edmd),
        ))
    });
    beside.collect()
}

fn times(ratio: f64) -> String {
    format!("{ratio:.2} times the figure")
}

fn growth(rows: &[Row], packing: f64) -> Option<String> {
    let found = series(rows, "spheres", packing, "ns_per_event");
    let at = |n: f64| found.iter().find(|(count, _)| *count == n).map(|(_, cost)| *cost);
    let (small, large) = (at(1e3)?, at(1e5)?);
    Some(format!(
        "At {} %, the time per event grows {:.1} times from 1000 to 100 000 spheres; at most 3 times is wanted.",
        100.0 * packing,
        large / small
    ))
}

fn icosahedra(rows: &[Row]) -> Option<String> {
    let found = series(rows, "icosahedra", 0.08, "collisions_per_s");
    let (n, least) = found.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let reached = found.iter().filter(|(_, rate)| *rate >= ICOSAHEDRA).count();
    let verdict = if reached == found.len() { "reached" } else { "missed" };
    Some(format!(
        "Icosahedra collide at least {least:.0} times per second (n = {n}); the {ICOSAHEDRA} wanted are {verdict}, in {reached} of {} rows they are reached, and a code built on closest points has 8000.",
        found.len()
    ))
}

fn structures(rows: &[Row]) -> Option<String> {
    let ratios: Vec<String> = rows
        .iter()
        .filter_map(|row| {
            let ratio = row.number("lists_ns_per_collision")? / row.number("ns_per_collision")?;
            let shape = row.get("shape").and_then(Value::as_str)?;
            Some(format!("{ratio:.1} ({shape}, {} %, {})", 100.0 * row.number("packing")?, row.number("n")?))
        })
        .collect();
    (!ratios.is_empty()).then(|| {
        format!("With the sorted lists and the paper’s bounds a collision costs so many times what it costs with the grid: {}.", ratios.join("; "))
    })
}

fn largest(rows: &[Row], key: &str) -> Option<f64> {
    rows.iter().filter_map(|row| row.number(key)).max_by(|a, b| a.abs().total_cmp(&b.abs()))
}

fn kept(rows: &[Row]) -> Option<String> {
    let mut note = format!(
        "The energy changes by at most {} of itself, and no two bodies overlap by more than {} m at the end (contact is a gap below {} m).",
        show_number(largest(rows, "energy_drift")?.abs()),
        show_number(largest(rows, "max_overlap")?),
        show_number(largest(rows, "tolerance")?),
    );
    match (largest(rows, "rapier_energy_drift"), largest(rows, "rapier_max_overlap")) {
        (Some(drift), Some(overlap)) => note.push_str(&format!(
            " rapier, from the same starts with its default settings and 60 steps per second, changes the energy by up to {:+.0} % and overlaps by up to {} m; its time per simulated second does not depend on how often bodies collide, ours does.",
            100.0 * drift,
            show_number(overlap),
        )),
        _ => note.push_str(" rapier was not there to compare with: `cargo xtask peers` builds it."),
    }
    Some(note)
}

fn definitions() -> [String; 3] {
    [
        format!(
            "Balls of {RADIUS} m, or icosahedra in such balls, in a cubic box; each component of the velocity normal with {SPEED} m/s; no friction, no loss, no gravity but in the heap. They start on a lattice; two collisions of each body melt it before the clock starts."
        ),
        "An event is a bound’s expiry, a meeting that was looked at and was none, or a collision; rows hold the counts within the window. Times are those of the processor for one thread; rapier’s are of its steps alone."
            .to_owned(),
        "mark_per_s: DynamO for spheres (EDMD, a code for nothing but hard spheres, has 760 000 at n = 1000 and 260 000 at n = 100 000, 30 %), a GJK-based event-driven code for icosahedra; all measured elsewhere on a machine of this kind."
            .to_owned(),
    ]
}

fn figure(rows: &[Row]) -> Result<Figure, LabError> {
    let mut plot = Plot::new("Collisions per second of one thread")
        .x("bodies in the box", Scale::Log)
        .y("collisions per second", Scale::Log)
        .paper_line("EDMD, spheres, 30 %", EDMD)
        .paper_line("DynamO, spheres, 30 %", DYNAMO);
    for (name, shape, packing) in [
        ("spheres, 30 %", "spheres", 0.3),
        ("spheres, 8 %", "spheres", 0.08),
        ("icosahedra, 8 %", "icosahedra", 0.08),
        ("heap", "heap", 0.05),
    ] {
        let points = series(rows, shape, packing, "collisions_per_s");
        if !points.is_empty() {
            plot = plot.line(name, points);
        }
    }
    Ok(Figure { suffix: "rate", svg: plot.to_svg()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(shape: &str, packing: f64, n: f64, rate: f64) -> Row {
        let cost = 1e9 / rate;
        Row::new()
            .with("shape", shape)
            .with("packing", packing)
            .with("n", n)
            .with("collisions_per_s", rate)
            .with("ns_per_event", cost)
            .with("ns_per_collision", cost)
            .with("lists_ns_per_collision", 4.0 * cost)
    }

    #[test]
    fn marks_and_growth_are_told() {
        let rows = [row("spheres", 0.3, 1e3, 220_000.0), row("spheres", 0.3, 1e5, 110_000.0)];
        let notes = conclude(&rows).unwrap().notes.join("\n");
        assert!(notes.contains("2.00 times the figure of DynamO (110000)"), "{notes}");
        assert!(notes.contains("grows 2.0 times"), "{notes}");
        assert!(notes.contains("4.0 (spheres, 30 %, 1000)"), "{notes}");
    }

    #[test]
    fn missed_icosahedra_are_said_to_be() {
        let note = icosahedra(&[row("icosahedra", 0.08, 64.0, 50_000.0), row("icosahedra", 0.08, 512.0, 20_000.0)]);
        assert!(note.unwrap().contains("missed"));
    }

    #[test]
    fn a_few_rows_are_enough_for_a_picture() {
        let conclusion = conclude(&[row("heap", 0.05, 1e3, 1e5)]).unwrap();
        assert!(conclusion.figures[0].svg.starts_with("<svg"));
    }
}
