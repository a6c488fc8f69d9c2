//! The studio under load: clients that all watch very many moving bodies, and
//! how long it takes from the start to the first motion.

mod client;
mod server;

use std::time::{Duration, Instant};

use proscenium_picture::plot::{Plot, Scale};

use crate::error::LabError;
use crate::experiment::{Conclusion, Context, Experiment, Figure};
use crate::number::show_number;
use crate::results::Row;

use client::Watched;
use server::Server;

/// The experiment `studio-load`.
pub(crate) struct StudioLoad;

/// Frames in a second that are asked for.
const RATE: f64 = 60.0;
/// The goal for the time to the first motion, ms.
const GOAL_FIRST_MS: f64 = 3000.0;
/// A frame is late if it comes so much after the one before, in units of the
/// time between frames.
const LATE: f64 = 1.5;

impl Experiment for StudioLoad {
    fn name(&self) -> &'static str {
        "studio-load"
    }

    fn reproduces(&self) -> &'static str {
        "nothing: the studio's own goals"
    }

    fn summary(&self) -> &'static str {
        "clients that watch many moving bodies in the studio, and the time to the first motion"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "instances",
            "clients",
            "seconds",
            "goal_rate",
            "rate",
            "slowest_rate",
            "late_share",
            "frames",
            "frame_bytes",
            "memory_before_mb",
            "memory_most_mb",
            "first_motion_ms",
            "goal_first_ms",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), LabError> {
        let cases = plan(context.quick());
        context.plan(cases.iter().map(|case| case.seconds + 3.0).sum());
        for case in &cases {
            context.doing(&format!("{} instances, {} clients", case.instances, case.clients));
            let Some(row) = case.measure(context)? else {
                return Ok(());
            };
            rows.push(row);
            context.done(case.seconds + 3.0);
        }
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        if rows.is_empty() {
            let note =
                "The studio was not found beside the lab: build it with `cargo build --release -p proscenium-studio`.";
            return Ok(Conclusion { notes: vec![note.to_owned()], figures: Vec::new() });
        }
        let mut notes: Vec<String> = rows.iter().filter_map(told).collect();
        notes.push(format!(
            "Every client is a thread of the lab that acknowledges each frame at once and asks for {RATE} frames a second; server and clients share the machine. A frame is late if it comes more than {LATE} times its due interval after the one before. Memory is the server's resident set. `first_motion_ms` is from the start of the server's process to the first frame of motion of the built-in scene `spin` at a client, without a browser."
        ));
        let points: Vec<(f64, f64)> =
            rows.iter().filter_map(|row| Some((row.number("load")?, row.number("rate")?))).collect();
        let plot = Plot::new("Frames that a client of the studio gets")
            .x("instances × clients", Scale::Log)
            .y("frames in a second", Scale::Linear)
            .paper_line("asked for", points.iter().map(|(load, _)| (*load, RATE)))
            .line("got", points);
        Ok(Conclusion { notes, figures: vec![Figure { suffix: "rate", svg: plot.to_svg()? }] })
    }
}

/// What a row says, in a sentence.
fn told(row: &Row) -> Option<String> {
    Some(format!(
        "{} instances, {} clients: {} frames a second each ({} for the slowest), {:.1} % late, at most {:.0} MB.",
        row.number("instances")?,
        row.number("clients")?,
        show_number(row.number("rate")?),
        show_number(row.number("slowest_rate")?),
        100.0 * row.number("late_share")?,
        row.number("memory_most_mb")?,
    ))
}

/// One row to be measured.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Case {
    instances: u32,
    clients: usize,
    seconds: f64,
}

fn plan(quick: bool) -> Vec<Case> {
    let case = |instances, clients, seconds| Case { instances, clients, seconds };
    if quick {
        vec![case(1000, 1, 3.0), case(10_000, 1, 3.0), case(10_000, 10, 8.0)]
    } else {
        vec![case(1000, 1, 20.0), case(1000, 10, 20.0), case(10_000, 1, 20.0), case(10_000, 10, 300.0)]
    }
}

impl Case {
    /// The row; `None` if the studio has not been built.
    fn measure(&self, context: &Context) -> Result<Option<Row>, LabError> {
        let Some(program) = server::program() else {
            return Ok(None);
        };
        let began = Instant::now();
        let server = Server::start(&program)?;
        let small = server.take(r#"{ "builtin": "spin" }"#, context)?;
        client::watch(&server, &small, RATE, Duration::ZERO)?;
        let first_motion_ms = 1e3 * began.elapsed().as_secs_f64();
        let scene = format!(
            r#"{{ "builtin": "gas", "parameters": {{ "n": {}, "duration": 1.0, "packing": 0.05 }} }}"#,
            self.instances
        );
        let take = server.take(&scene, context)?;
        let memory_before = server.memory_mb();
        let (watched, memory_most) = self.watch(&server, &take, context)?;
        context.check()?;
        let rates: Vec<f64> = watched.iter().map(|one| one.frames as f64 / one.seconds).collect();
        let frames: u64 = watched.iter().map(|one| one.frames).sum();
        let late: u64 = watched.iter().map(|one| one.late).sum();
        let row = Row::new()
            .with("instances", self.instances)
            .with("clients", self.clients)
            .with("load", f64::from(self.instances) * self.clients as f64)
            .with("seconds", self.seconds)
            .with("goal_rate", RATE)
            .with("rate", rates.iter().sum::<f64>() / rates.len() as f64)
            .with("slowest_rate", rates.iter().copied().fold(f64::INFINITY, f64::min))
            .with("late_share", late as f64 / frames.max(1) as f64)
            .with("frames", frames)
            .with("frame_bytes", watched.iter().map(|one| one.frame_bytes).max().unwrap_or(0))
            .with("memory_before_mb", memory_before)
            .with("memory_most_mb", memory_most.max(memory_before))
            .with("first_motion_ms", first_motion_ms)
            .with("goal_first_ms", GOAL_FIRST_MS);
        Ok(Some(row))
    }

    /// Lets all clients watch, and looks at the server's memory meanwhile.
    fn watch(&self, server: &Server, take: &str, context: &Context) -> Result<(Vec<Watched>, f64), LabError> {
        let length = Duration::from_secs_f64(self.seconds);
        let mut most: f64 = 0.0;
        let watched = std::thread::scope(|scope| {
            let watch = || client::watch(server, take, RATE, length);
            let clients: Vec<_> = (0..self.clients).map(|_| scope.spawn(watch)).collect();
            while clients.iter().any(|client| !client.is_finished()) && context.check().is_ok() {
                most = most.max(server.memory_mb());
                std::thread::sleep(Duration::from_millis(200));
            }
            let joined = clients
                .into_iter()
                .map(|client| client.join().unwrap_or_else(|_| Err(server::failed("a client broke off"))));
            joined.collect::<Result<Vec<Watched>, LabError>>()
        })?;
        Ok((watched, most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_goal_is_measured_in_both_plans() {
        for quick in [true, false] {
            assert!(plan(quick).iter().any(|case| case.instances == 10_000 && case.clients == 10));
        }
    }

    #[test]
    fn without_rows_it_is_said_what_to_build() {
        let conclusion = StudioLoad.conclude(&[]).unwrap();
        assert!(conclusion.notes[0].contains("cargo build --release"));
    }

    #[test]
    fn a_row_is_told_and_drawn() {
        let row = StudioLoad.columns().iter().fold(Row::new(), |row, column| row.with(column, 2.0));
        let conclusion = StudioLoad.conclude(&[row.with("load", 2.0)]).unwrap();
        assert!(conclusion.notes[0].starts_with("2 instances, 2 clients"), "{}", conclusion.notes[0]);
        assert_eq!(conclusion.figures.len(), 1);
    }
}
