//! What tables 6.1 and 6.2 of the paper are concluded from alike: how efficient
//! culling is with more and more cars.

use proscenium_picture::plot::{Plot, Scale};

use crate::error::LabError;
use crate::experiment::{Conclusion, Figure};
use crate::results::Row;

/// What every row is.
pub(super) const MEAN: &str =
    "Each row is the mean over ten cities (two in a quick run), each with a drive of its own.";

/// Efficiency over the number of cars, ours beside the paper's.
pub(super) struct Efficiency {
    pub title: &'static str,
    /// How the number of cars is drawn.
    pub cars: Scale,
    /// Names of our lines, and the columns they are in.
    pub lines: &'static [(&'static str, &'static str)],
    /// The paper's table, and its cars and efficiencies.
    pub table: &'static str,
    pub paper: Vec<(u32, f64)>,
}

impl Efficiency {
    /// The figure, and what else there is to say.
    pub fn conclude(self, rows: &[Row], notes: Vec<String>) -> Result<Conclusion, LabError> {
        let points =
            |key: &'static str| rows.iter().filter_map(move |row| Some((row.number("cars")?, row.number(key)?)));
        let mut plot = Plot::new(self.title).x("cars", self.cars).y("efficiency", Scale::Linear);
        let mut figures = Vec::new();
        if self.lines.iter().any(|(_, key)| points(key).next().is_some()) {
            for (name, key) in self.lines {
                plot = plot.line(*name, points(key));
            }
            let paper = self.paper.iter().map(|(cars, efficiency)| (f64::from(*cars), *efficiency));
            let plot = plot.paper_line(format!("Chenney 2000, {}", self.table), paper);
            figures.push(Figure { suffix: "efficiency", svg: plot.to_svg()? });
        }
        Ok(Conclusion { notes, figures })
    }
}
