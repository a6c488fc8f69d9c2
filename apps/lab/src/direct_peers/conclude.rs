//! What the comparison says.

use proscenium_picture::plot::{Plot, Scale};
use proscenium_scenes::DIFFERENT;
use serde_json::Value;

use crate::error::LabError;
use crate::experiment::{Conclusion, Figure};
use crate::results::Row;

use super::{Approach, PROBLEMS};

pub(super) fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let is = |row: &Row, column: &str, value: &str| row.get(column).and_then(Value::as_str) == Some(value);
    let mut notes = Vec::new();
    for problem in &PROBLEMS {
        let of = |approach: Approach| {
            let row = rows.iter().find(|row| is(row, "scene", problem.name) && is(row, "method", approach.name()));
            row.and_then(|row| row.number("distinct_per_1000_simulations"))
        };
        if let Some(ours) = of(Approach::Ours) {
            let others = Approach::ALL.into_iter().filter(|approach| *approach != Approach::Ours);
            let told: Vec<String> =
                others.filter_map(|other| Some(format!("{} {:.2}", other.name(), of(other)?))).collect();
            notes.push(format!(
                "{}: ours {ours:.2} different per 1000 simulations; {}.",
                problem.name,
                told.join(", ")
            ));
        }
    }
    notes.extend([
        format!("`distinct` is counted up to 400; {DIFFERENT}."),
        "`first_success` is in simulations. Our default and the chain abandon simulations that cannot be accepted; they count as whole ones.".to_owned(),
        "CMA-ES minimises minus the logarithm of the density that we sample, from the middle of the world with deviation 1, and starts anew with twice the population when it has settled; it finds one peak after the other, and what it finds is no sample of anything. `cargo xtask peers` installs it; its columns are empty where it is not.".to_owned(),
        "Annealing cools from 10 to 0.1 within 500 simulations and starts over. The paper’s chain has its kind of proposals in every scene, and λ as the weights of the wants say.".to_owned(),
    ]);
    let mut plot = Plot::new("Different animations per 1000 simulations").y("animations", Scale::Linear);
    for approach in Approach::ALL {
        let points = PROBLEMS.iter().enumerate().filter_map(|(place, problem)| {
            let row = rows.iter().find(|row| is(row, "scene", problem.name) && is(row, "method", approach.name()))?;
            Some((place as f64 + 1.0, row.number("distinct_per_1000_simulations")?))
        });
        plot = plot.line(approach.name().to_owned(), points);
    }
    let names: Vec<&str> = PROBLEMS.iter().map(|problem| problem.name).collect();
    let plot = plot.x(format!("1 to 4: {}", names.join(", ")), Scale::Linear);
    let figures = if rows.is_empty() { Vec::new() } else { vec![Figure { suffix: "distinct", svg: plot.to_svg()? }] };
    Ok(Conclusion { notes, figures })
}
