//! Table 6.2: larger and larger cities with equally dense traffic.

use proscenium_picture::plot::Scale;

use super::efficiency::{Efficiency, MEAN};
use super::ground::Drives;
use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment};
use crate::number::show_number;
use crate::results::Row;

/// Table 6.2: cars, roads, in view, speedup, efficiency. The paper tells the
/// number of roads of the smallest and the largest city.
const PAPER: [(u32, usize, f64, f64, f64); 5] = [
    (150, 199, 6.13, 21.46, 0.88),
    (300, 400, 6.00, 40.17, 0.80),
    (600, 850, 6.09, 67.94, 0.69),
    (1200, 1800, 6.31, 97.46, 0.51),
    (2400, 3820, 5.96, 141.92, 0.35),
];

/// The experiment `city-size`.
pub(crate) struct CitySize;

impl Experiment for CitySize {
    fn name(&self) -> &'static str {
        "city-size"
    }

    fn reproduces(&self) -> &'static str {
        "Chenney 2000, table 6.2 and figure 6.5"
    }

    fn summary(&self) -> &'static str {
        "the cost of a frame with 150 to 2400 cars at equal density: complete, tracked and pooled"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "cars",
            "roads",
            "in_view",
            "complete_us",
            "tracked_us",
            "pooled_us",
            "tracked_efficiency",
            "pooled_efficiency",
            "stepped_out_of_view",
            "overhead_us",
            "overhead_cars",
            "paper_efficiency",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let (seconds, count) = if context.quick() { (120.0, 2) } else { (900.0, 10) };
        context.plan(PAPER.len() as f64);
        for (cars, roads, paper_in_view, paper_speedup, paper_efficiency) in PAPER {
            context.doing(&format!("{cars} cars"));
            let drives = Drives { roads, seconds, count };
            let costs = drives.costs(cars, if context.quick() { 300 } else { 2000 }, context)?;
            rows.push(
                costs
                    .row()
                    .with("in_view", costs.pooled.in_view)
                    .with("tracked_us", costs.tracked.frame_us)
                    .with("tracked_speedup", costs.speedup(&costs.tracked))
                    .with("pooled_speedup", costs.speedup(&costs.pooled))
                    .with("tracked_efficiency", costs.efficiency(&costs.tracked))
                    .with("pooled_us_per_view", costs.pooled.frame_us / costs.pooled.in_view)
                    .with("paper_in_view", paper_in_view)
                    .with("paper_speedup", paper_speedup)
                    .with("paper_efficiency", paper_efficiency),
            );
            context.done(1.0);
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        let mut notes = Vec::new();
        if let (Some(first), Some(last)) = (rows.first(), rows.last()) {
            let of = |row: &Row, key: &str| row.number(key).map_or_else(|| "–".to_owned(), show_number);
            notes.push(format!(
                "From {} to {} cars the efficiency goes from {} to {} when all are tracked, and from {} to {} with \
                 pools; the paper falls from 0.88 to 0.35.",
                of(first, "cars"),
                of(last, "cars"),
                of(first, "tracked_efficiency"),
                of(last, "tracked_efficiency"),
                of(first, "pooled_efficiency"),
                of(last, "pooled_efficiency")
            ));
            notes.push(format!(
                "The paper extrapolated the cost of the complete model beyond 150 cars; here it is measured, over fewer \
                 frames. {MEAN}"
            ));
        }
        let efficiency = Efficiency {
            title: "Efficiency of culling in larger cities",
            cars: Scale::Log,
            lines: &[("tracked", "tracked_efficiency"), ("pooled", "pooled_efficiency")],
            table: "table 6.2",
            paper: PAPER.iter().map(|row| (row.0, row.4)).collect(),
        };
        efficiency.conclude(rows, notes)
    }
}
