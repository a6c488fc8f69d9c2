//! Table 6.1: more and more cars in one city.

use proscenium_picture::plot::Scale;

use super::efficiency::{Efficiency, MEAN};
use super::ground::Drives;
use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment};
use crate::number::show_number;
use crate::results::Row;

/// Table 6.1: cars, in view, speedup, efficiency.
const PAPER: [(u32, f64, f64, f64); 7] = [
    (50, 1.88, 22.94, 0.86),
    (75, 3.17, 21.09, 0.89),
    (100, 4.42, 20.50, 0.91),
    (125, 5.87, 19.53, 0.92),
    (150, 5.96, 22.82, 0.91),
    (175, 7.40, 21.68, 0.92),
    (200, 8.75, 21.87, 0.96),
];

/// The experiment `city-density`.
pub(crate) struct CityDensity;

impl Experiment for CityDensity {
    fn name(&self) -> &'static str {
        "city-density"
    }

    fn reproduces(&self) -> &'static str {
        "Chenney 2000, table 6.1 and figure 6.3"
    }

    fn summary(&self) -> &'static str {
        "the cost of a frame with 50 to 200 cars in one city, culled and complete"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "cars",
            "in_view",
            "complete_us",
            "cull_us",
            "speedup",
            "efficiency",
            "pooled_us",
            "stepped_out_of_view",
            "overhead_us",
            "overhead_cars",
            "paper_in_view",
            "paper_speedup",
            "paper_efficiency",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let (seconds, count) = if context.quick() { (180.0, 2) } else { (900.0, 10) };
        let drives = Drives { roads: 199, seconds, count };
        let wanted: Vec<_> = PAPER.iter().filter(|row| !context.quick() || row.0 % 50 == 0).copied().collect();
        context.plan(wanted.len() as f64);
        for (cars, paper_in_view, paper_speedup, paper_efficiency) in wanted {
            context.doing(&format!("{cars} cars"));
            let costs = drives.costs(cars, usize::MAX, context)?;
            let culled = &costs.tracked;
            rows.push(
                costs
                    .row()
                    .with("in_view", culled.in_view)
                    .with("complete_in_view", costs.complete.in_view)
                    .with("cull_us", culled.frame_us)
                    .with("speedup", costs.speedup(culled))
                    .with("efficiency", costs.efficiency(culled))
                    .with("paper_in_view", paper_in_view)
                    .with("paper_speedup", paper_speedup)
                    .with("paper_efficiency", paper_efficiency),
            );
            context.done(1.0);
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        let of = |row: &Row, key: &str| row.number(key).unwrap_or(f64::NAN);
        let mut notes = Vec::new();
        if let Some(last) = rows.last() {
            notes.push(format!(
                "With {} cars a car of the complete model takes {} ns for a step of 0.1 s, body, steering and wheels \
                 included; one in view of the culled city costs {} ns, all that is done for others included.",
                of(last, "cars"),
                show_number(of(last, "complete_ns_per_car")),
                show_number(1e3 * of(last, "cull_us") / of(last, "in_view"))
            ));
            notes.push(format!(
                "The complete model runs on the roads in view and a margin around them: {} cars are moved for {} in view. \
                 The paper moves those in view alone, and they do not see who else waits at a junction.",
                show_number(of(last, "tracked_car_steps")),
                show_number(of(last, "in_view"))
            ));
            notes.push(format!(
                "Efficiency is the speedup times the share of cars in view: 1 would be culling that costs nothing. Time \
                 is that of the processor for City::advance; finding the roads in view is not part of it, as in the \
                 paper. {MEAN}"
            ));
        }
        let efficiency = Efficiency {
            title: "Efficiency of culling in one city",
            cars: Scale::Linear,
            lines: &[("ours", "efficiency")],
            table: "table 6.1",
            paper: PAPER.iter().map(|row| (row.0, row.3)).collect(),
        };
        efficiency.conclude(rows, notes)
    }
}
