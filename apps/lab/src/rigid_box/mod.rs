//! Polyhedra in a lossless box: the asynchronous algorithm against the
//! synchronous one (Chenney 2000, 3.3.1, table 3.1 and figure 3.8).

mod conclude;
mod quality;
mod start;

use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment};
use crate::paper;
use crate::race::{Efforts, Windows, race};
use crate::results::Row;

use quality::{Quality, watch};

/// What events and times are given for, simulated seconds.
const STATED: f64 = 1000.0;
/// How long energy and overlap are watched, unless there is no time for it.
const WATCHED: f64 = 60.0;

/// The experiment `rigid-box`.
pub(crate) struct RigidBox;

impl Experiment for RigidBox {
    fn name(&self) -> &'static str {
        "rigid-box"
    }

    fn reproduces(&self) -> &'static str {
        "Chenney 2000, table 3.1"
    }

    fn summary(&self) -> &'static str {
        "polyhedra in a lossless box: asynchronous against synchronous simulation"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "n",
            "sync_events",
            "sync_us_per_event",
            "sync_s",
            "async_events",
            "async_us_per_event",
            "async_s",
            "speedup",
            "speedup_patient",
            "paper_speedup",
            "energy_drift",
            "max_overlap",
            "rapier_energy_drift",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let plan = plan(context.quick());
        context.plan(plan.iter().map(Case::whole_work).sum());
        for case in &plan {
            rows.push(case.measure(context)?);
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        conclude::conclude(rows)
    }
}

/// One row to be measured.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Case {
    n: usize,
    starts: u64,
    windows: Windows,
    /// How long energy and overlap are watched, simulated seconds.
    watched: f64,
}

/// What is measured, for how long. The full plan takes about a quarter of an
/// hour, most of it the asynchronous side of 512 bodies; the quick one takes
/// about half a minute.
fn plan(quick: bool) -> Vec<Case> {
    let case = |n, starts, synchronous, asynchronous, watched| Case {
        n,
        starts,
        windows: Windows { synchronous, asynchronous },
        watched,
    };
    let small = paper::BOX.iter().map(|row| row.n);
    if quick {
        let window = |n: usize| if n <= 16 { 200.0 } else { 50.0 };
        let large = [case(128, 1, 5.0, 20.0, 10.0), case(256, 1, 2.0, 10.0, 5.0), case(512, 1, 0.5, 2.0, 1.0)];
        return small.map(|n| case(n, 2, window(n), window(n), WATCHED)).chain(large).collect();
    }
    let large = [(128, 200.0), (256, 50.0), (512, 10.0)];
    let large = large.map(|(n, synchronous)| case(n, 3, synchronous, STATED, WATCHED));
    small.map(|n| case(n, 5, STATED, STATED, WATCHED)).chain(large).collect()
}

impl Case {
    /// Roughly how long one start takes to race and to watch, seconds.
    fn work(&self) -> (f64, f64) {
        let times_64 = self.n as f64 / 64.0;
        let asynchronous = 1.5e-3 * libm::pow(times_64, 2.2);
        let synchronous = 5e-3 * libm::pow(times_64, 2.7);
        let rapier = 3e-2 * times_64;
        let race = asynchronous * self.windows.asynchronous + synchronous * self.windows.synchronous;
        (race, self.watched * (asynchronous + rapier))
    }

    fn whole_work(&self) -> f64 {
        let (race, watch) = self.work();
        self.starts as f64 * (race + watch)
    }

    fn measure(&self, context: &Context) -> Result<Row, Halt> {
        let Windows { synchronous: sync_window, asynchronous: async_window } = self.windows;
        let mut efforts = Efforts::default();
        let mut quality = Quality::default();
        let share = 1.0 / self.starts as f64;
        let (race_work, watch_work) = self.work();
        for index in 0..self.starts {
            context.doing(&format!("{} bodies, start {} of {}", self.n, index + 1, self.starts));
            let builder = start::boxed(self.n, context.seed().child("rigid-box", index))?;
            let run = race(builder.clone(), self.windows, context, race_work)?;
            efforts.add(&run, [share * STATED / sync_window, share * STATED / async_window]);
            quality.worsen(watch(builder, self.watched, context, watch_work)?);
        }
        Ok(self.row(&efforts, &quality))
    }

    fn row(&self, efforts: &Efforts, quality: &Quality) -> Row {
        let row = efforts
            .columns(Row::new().with("n", self.n), self.n, &paper::BOX)
            .with("energy_drift", quality.energy_drift)
            .with("max_overlap", quality.max_overlap)
            .with("rapier_energy_drift", quality::typical(&quality.rapier_energy_drifts))
            .with("rapier_max_overlap", quality::typical(&quality.rapier_overlaps))
            .with("tolerance", quality.tolerance)
            .with("starts", self.starts)
            .with("watched_s", self.watched)
            .with("sync_window_s", self.windows.synchronous)
            .with("async_window_s", self.windows.asynchronous);
        efforts.counts(row, self.n, &paper::BOX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plan_is_the_papers_and_more() {
        let plan = plan(false);
        let counts: Vec<usize> = plan.iter().map(|case| case.n).collect();
        assert_eq!(counts, [1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 128, 256, 512]);
        for case in &plan {
            assert_eq!(case.starts, if case.n <= 64 { 5 } else { 3 });
            assert_eq!(case.watched, 60.0);
            assert_eq!(case.windows.asynchronous, 1000.0);
            assert_eq!(case.windows.synchronous < 1000.0, case.n > 64);
        }
    }

    #[test]
    fn quick_is_quick() {
        let work = |quick| plan(quick).iter().map(Case::whole_work).sum::<f64>();
        assert!(work(true) < 45.0, "{}", work(true));
        assert!(work(false) < 1200.0, "{}", work(false));
    }

    /// One small row, measured for real.
    #[test]
    fn a_row_holds_what_the_contract_names() {
        let windows = Windows { synchronous: 2.0, asynchronous: 4.0 };
        let case = Case { n: 4, starts: 2, windows, watched: 2.0 };
        let row = case.measure(&Context::new(1, true)).unwrap();
        assert!(RigidBox.columns().iter().all(|key| row.get(key).is_some()));
        assert_eq!((row.number("n"), row.number("rapier_energy_drift")), (Some(4.0), None));
        assert!((row.number("paper_speedup").unwrap() - 2.34).abs() < 0.001);
        assert!(row.number("energy_drift").unwrap() < 1e-10);
        assert!(row.number("max_overlap").unwrap() <= row.number("tolerance").unwrap());
        let ratio = row.number("sync_s").unwrap() / row.number("async_s").unwrap();
        assert!((row.number("speedup").unwrap() / ratio - 1.0).abs() < 1e-12);
        // Scaled to the same time, both sides see about as many collisions.
        let collisions = row.number("sync_collisions").unwrap() / row.number("async_collisions").unwrap();
        assert!((0.5..2.0).contains(&collisions), "{collisions}");
    }
}
