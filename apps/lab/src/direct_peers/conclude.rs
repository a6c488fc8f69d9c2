//! What the comparison says.

use proscenium_picture::plot::{Plot, Scale};
use proscenium_scenes::DIFFERENT;
use serde_json::Value;

use crate::error::LabError;
use crate::experiment::{Conclusion, Figure};
use crate::results::Row;

use super::{Approach, PROBLEMS, SamplerKind, Search};

pub(super) fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let is = |row: &Row, column: &str, value: &str| row.get(column).and_then(Value::as_str) == Some(value);
    let mut notes = Vec::new();
    for problem in &PROBLEMS {
        for (ours, what) in [
            (Approach::Search(Search::Ours), "different found"),
            (Approach::Sampler(SamplerKind::Ours), "independent draws"),
        ] {
            let of = |approach: Approach| {
                let row = rows.iter().find(|row| is(row, "scene", problem.name) && is(row, "method", approach.name()));
                row.and_then(|row| row.number(ours.column()))
            };
            let others = Approach::ALL.into_iter().filter(|approach| *approach != ours);
            let told: Vec<String> =
                others.filter_map(|other| Some(format!("{} {:.2}", other.name(), of(other)?))).collect();
            if let Some(found) = of(ours) {
                let others = told.join(", ");
                notes.push(format!("{}: {what} in 1000 simulations, ours {found:.2}; {others}.", problem.name));
            }
        }
    }
    notes.extend([
        format!("`distinct` is counted up to 1000 for all but ours; {DIFFERENT}."),
        "`first_success` is in simulations. Ours are the command's, with `--pick different` and `--pick likely`: the first looks near what it has found, and both let one simulation serve all turns of a die; the others have neither. Simulations that are abandoned count as whole ones.".to_owned(),
        "A sampler is worth as many independent draws as its last phase is, for the quantity that is known worst, counted against all simulations, its warm-up included; rejection is worth what it found.".to_owned(),
        "CMA-ES minimises minus the logarithm of the density that we sample, from the middle of the world with deviation 1, and starts anew with twice the population when it has settled; it finds one peak after the other, and what it finds is no sample of anything. `cargo xtask peers` installs it; its columns are empty where it is not.".to_owned(),
        "Annealing cools from 10 to 0.1 within 500 simulations and starts over. The paper’s chain has the moves of its appendix A, and λ as the weights of the wants say; it is only for the paper’s scenes.".to_owned(),
    ]);
    let plot = |title: &str, ours: Approach| {
        let mut plot = Plot::new(title).y("in 1000 simulations", Scale::Linear);
        for approach in Approach::ALL.into_iter().filter(|one| one.column() == ours.column()) {
            let points = PROBLEMS.iter().enumerate().filter_map(|(place, problem)| {
                let row =
                    rows.iter().find(|row| is(row, "scene", problem.name) && is(row, "method", approach.name()))?;
                Some((place as f64 + 1.0, row.number(approach.column())?))
            });
            plot = plot.line(approach.name().to_owned(), points);
        }
        let names: Vec<&str> = PROBLEMS.iter().map(|problem| problem.name).collect();
        plot.x(format!("1 to {}: {}", names.len(), names.join(", ")), Scale::Linear)
    };
    let mut figures = Vec::new();
    if !rows.is_empty() {
        let found = plot("Different animations found", Approach::Search(Search::Ours)).to_svg()?;
        figures.push(Figure { suffix: "distinct", svg: found });
        let drawn = plot("Independent draws", Approach::Sampler(SamplerKind::Ours)).to_svg()?;
        figures.push(Figure { suffix: "effective", svg: drawn });
    }
    Ok(Conclusion { notes, figures })
}
