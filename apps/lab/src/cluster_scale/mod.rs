//! How a directed run on many machines scales: measured with the processes of this one, and
//! scheduled from what was measured for more workers than it has.

mod schedule;

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment};
use crate::peer::ask_with;
use crate::results::Row;
use schedule::{Parts, makespan};

/// The experiment `cluster-scale`.
pub(crate) struct ClusterScale;

/// Numbers of workers that are scheduled.
const SCHEDULED: [usize; 6] = [1, 2, 10, 100, 300, 1000];
/// Batches that each worker has in a schedule: a run that lasts.
const ROUNDS: usize = 20;
/// Batches that are asked for ahead for each worker, as in `proscenium/_cluster.py`.
const AHEAD: usize = 2;
/// The share of all processor time that driver and messages may take at batches of a second.
const GOAL: f64 = 0.05;

/// A run that was measured.
#[derive(Clone, Debug, Deserialize)]
struct Run {
    workers: usize,
    batch: u64,
    /// What each batch took its worker, s of processor.
    tasks: Vec<f64>,
    simulations: u64,
    took_s: f64,
    driver_s: f64,
    bytes: u64,
    order_bytes: u64,
    digest: String,
    driver_memory_mb: f64,
}

impl Experiment for ClusterScale {
    fn name(&self) -> &'static str {
        "cluster-scale"
    }

    fn reproduces(&self) -> &'static str {
        "a measurement of our own"
    }

    fn summary(&self) -> &'static str {
        "directed runs on 1, 2, … workers: simulations per second beside the ideal, bytes, overhead; and the schedule of a thousand"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "work",
            "workers",
            "simulations_per_s",
            "over_ideal",
            "bytes_per_simulation",
            "same_bytes",
            "simulated",
            "batch_s",
            "overhead_ms",
            "driver_share",
            "driver_memory_mb",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        context.plan(1.0);
        let Some(python) = python() else {
            return Ok(());
        };
        context.doing("directed runs on processes");
        // Batches of about 0.1, 1 and 4 s, and as many as make some seconds.
        let batches: &[[u64; 2]] =
            if context.quick() { &[[100, 16], [1000, 4]] } else { &[[100, 60], [1000, 12], [4000, 6]] };
        let workers: Vec<usize> = [1, 2, 4, 8].into_iter().filter(|count| *count <= processors()).collect();
        let request = serde_json::json!({ "workers": workers, "batches": batches });
        let script = folder().join("bench/scale.py");
        let answer = ask_with(&python, &[script.as_os_str()], &request, context)?;
        let runs: Vec<Run> = serde_json::from_value(answer["runs"].clone()).map_err(LabError::from)?;
        for run in &runs {
            let alone = runs.iter().find(|other| other.batch == run.batch && other.workers == 1);
            rows.push(measured(run, alone.unwrap_or(run)));
        }
        for alone in runs.iter().filter(|run| run.workers == 1) {
            rows.extend(SCHEDULED.map(|workers| scheduled(alone, workers)));
        }
        context.done(1.0);
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        if rows.is_empty() {
            let note = "No run could be made: build the Python package with `cargo xtask python`.".to_owned();
            return Ok(Conclusion { notes: vec![note], figures: Vec::new() });
        }
        let is = |row: &&Row, key: &str| row.get(key) == Some(&Value::Bool(true));
        let mut notes = vec![
            "Ideal is the rate of one worker, times the workers. What a batch takes is the processor time of its worker; the driver's share is of all processor time. Simulated rows are a schedule: batches as they were measured, a driver that takes them one after the other in their order and needs for each what it needed here, two batches ahead for each worker; the network is not in it.".to_owned(),
        ];
        let measured = rows.iter().filter(|row| !is(row, "simulated"));
        let same = measured.clone().all(|row| is(&row, "same_bytes"));
        notes.push(format!(
            "What was found is {} for any number of workers.",
            if same { "the same, to the byte," } else { "NOT the same" }
        ));
        for row in rows.iter().filter(|row| is(row, "simulated")) {
            let pair = measured.clone().find(|other| {
                other.number("workers") == row.number("workers") && other.number("batch") == row.number("batch")
            });
            let rates = pair.and_then(|pair| pair.number("simulations_per_s")).zip(row.number("simulations_per_s"));
            if let Some((real, modelled)) = rates {
                let (workers, batch) = (row.number("workers").unwrap_or(0.0), row.number("batch").unwrap_or(0.0));
                // Not −0.
                let off = (100.0 * (modelled / real - 1.0)).round() + 0.0;
                notes.push(format!(
                    "The schedule is {off:+.0} % off what was measured at {workers} workers and batches of {batch}."
                ));
            }
        }
        let worst = measured
            .filter(|row| row.number("batch_s").is_some_and(|seconds| seconds >= 1.0))
            .filter_map(|row| row.number("driver_share"))
            .fold(0.0, f64::max);
        let verdict = if worst <= GOAL { "within" } else { "beyond" };
        notes.push(format!("At batches of a second and more the driver has at most {:.2} % of all processor time, {verdict} the {:.0} % that it may have.", 100.0 * worst, 100.0 * GOAL));
        notes.push(
            "The limit is the driver: it keeps as many workers busy as a batch takes longer than what it does for one."
                .to_owned(),
        );
        Ok(Conclusion { notes, figures: Vec::new() })
    }
}

fn measured(run: &Run, alone: &Run) -> Row {
    let rate = |run: &Run| run.simulations as f64 / run.took_s;
    let worked: f64 = run.tasks.iter().sum();
    let ideal = worked / run.workers.min(processors()) as f64;
    row(run, run.workers)
        .with("simulations_per_s", rate(run))
        .with("over_ideal", rate(run) / (rate(alone) * run.workers as f64))
        .with("bytes_per_simulation", (run.bytes + run.order_bytes) as f64 / run.simulations as f64)
        .with("same_bytes", run.digest == alone.digest)
        .with("simulated", false)
        .with("overhead_ms", 1e3 * (run.took_s - ideal) / run.tasks.len() as f64)
        .with("driver_share", run.driver_s / (run.driver_s + worked))
        .with("driver_memory_mb", run.driver_memory_mb)
}

fn scheduled(alone: &Run, workers: usize) -> Row {
    let driver = alone.driver_s / alone.tasks.len() as f64;
    let parts = Parts { batches: &alone.tasks, driver, ahead: AHEAD };
    let batches = ROUNDS * workers;
    let per_batch = alone.simulations as f64 / alone.tasks.len() as f64;
    let rate = |workers: usize, batches: usize| batches as f64 * per_batch / makespan(parts, workers, batches);
    row(alone, workers)
        .with("simulations_per_s", rate(workers, batches))
        .with("over_ideal", rate(workers, batches) / (rate(1, ROUNDS) * workers as f64))
        .with("bytes_per_simulation", (alone.bytes + alone.order_bytes) as f64 / alone.simulations as f64)
        .with("same_bytes", Value::Null)
        .with("simulated", true)
        .with("overhead_ms", 1e3 * driver)
        .with("driver_share", Value::Null)
        .with("driver_memory_mb", Value::Null)
}

fn row(run: &Run, workers: usize) -> Row {
    let mean = run.tasks.iter().sum::<f64>() / run.tasks.len().max(1) as f64;
    Row::new()
        .with("work", "dice near a place, by rejection")
        .with("workers", workers as u64)
        .with("batch", run.batch)
        .with("batch_s", mean)
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python")
}

/// The Python that has the package, if it was built.
fn python() -> Option<PathBuf> {
    let inside = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
    let python = folder().join("../target/python").join(inside);
    python.is_file().then_some(python)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(workers: usize, took_s: f64) -> Run {
        Run {
            workers,
            batch: 100,
            tasks: vec![1.0; 4],
            simulations: 400,
            took_s,
            driver_s: 0.04,
            bytes: 4000,
            order_bytes: 400,
            digest: "a".to_owned(),
            driver_memory_mb: 50.0,
        }
    }

    #[test]
    fn rows_are_beside_the_ideal_and_schedules_beside_what_was_measured() {
        let (one, two) = (run(1, 4.0), run(2, 2.0));
        let row = measured(&two, &one);
        assert!(ClusterScale.columns().iter().all(|column| row.get(column).is_some()));
        assert_eq!((row.number("over_ideal"), row.number("bytes_per_simulation")), (Some(1.0), Some(11.0)));
        let thousand = scheduled(&one, 1000);
        // Ten milliseconds for each of a second: a hundred workers are kept busy.
        let share = thousand.number("over_ideal").unwrap();
        assert!((share - 0.1).abs() < 0.01, "{share}");
        let notes = ClusterScale.conclude(&[measured(&one, &one), scheduled(&one, 1)]).unwrap().notes;
        assert!(
            notes
                .iter()
                .any(|note| note.starts_with("The schedule is +0 %") || note.starts_with("The schedule is -1 %")),
            "{notes:?}"
        );
        assert!(notes.iter().any(|note| note.contains("within the 5 %")));
        assert!(ClusterScale.conclude(&[]).unwrap().notes[0].contains("cargo xtask python"));
    }
}
