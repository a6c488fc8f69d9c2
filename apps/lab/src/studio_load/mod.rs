//! How the studio bears up: many clients that look at very many bodies, clients
//! that are too slow, all pages at once, floods, and how soon something moves after
//! the start.

mod client;
mod conclude;
mod flood;
mod pages;
mod server;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::error::{Halt, LabError};
use crate::experiment::{Conclusion, Context, Experiment};
use crate::results::Row;

use client::{Bell, Habits, SeenFrames, WatchedPage, look};
use server::{Server, program};

/// Frames in a second that clients ask for.
const RATE: f64 = 60.0;
/// A frame is late if it comes more than this after the one before: one was
/// missed.
const LATE: f64 = 1.5 / RATE;
/// How often memory is weighed, s.
const WEIGHED_EVERY: Duration = Duration::from_millis(500);
/// The experiment `studio-load`.
pub(crate) struct StudioLoad;

/// Clients of one row.
struct Crowd {
    what: &'static str,
    clients: usize,
    seconds: f64,
    /// How long each of them looks at a frame.
    dwell: Duration,
}

impl Experiment for StudioLoad {
    fn name(&self) -> &'static str {
        "studio-load"
    }

    fn reproduces(&self) -> &'static str {
        "a measurement of our own"
    }

    fn summary(&self) -> &'static str {
        "ten clients on 10 000 moving instances, all pages at once, and floods: late frames, waiting, memory; and how soon the studio shows motion"
    }

    fn columns(&self) -> &'static [&'static str] {
        &[
            "what",
            "clients",
            "instances",
            "seconds",
            "rate_hz",
            "late_share",
            "worst_gap_ms",
            "mb_per_s",
            "requests",
            "refused",
            "median_ms",
            "worst_ms",
            "memory_first_mb",
            "memory_last_mb",
            "memory_most_mb",
            "processor_share",
            "listening_ms",
            "picture_ms",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
        let seconds: f64 = if context.quick() { 8.0 } else { 300.0 };
        let crowds = [
            Crowd { what: "one client", clients: 1, seconds: seconds.min(30.0), dwell: Duration::ZERO },
            Crowd { what: "slow clients", clients: 10, seconds: seconds.min(30.0), dwell: Duration::from_millis(250) },
            Crowd { what: "ten clients", clients: 10, seconds, dwell: Duration::ZERO },
        ];
        let together = seconds.min(120.0);
        context.plan(20.0 + crowds.iter().map(|crowd| crowd.seconds).sum::<f64>() + together);
        context.doing("building the studio");
        let program = program()?;
        context.doing("the first picture");
        for _ in 0..if context.quick() { 1 } else { 3 } {
            rows.push(first_picture(&program)?);
        }
        context.doing("simulating 10 000 balls");
        let server = Server::start(&program)?;
        let take = simulate(&server, context)?;
        context.done(20.0);
        for crowd in crowds {
            context.doing(crowd.what);
            rows.push(crowd.row(&server, &take, context)?);
        }
        pages::measure(&server, &take, together, context, rows)?;
        flood::measure(&server, context, rows)
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        conclude::conclude(rows)
    }
}

/// Simulates a gas that clients can look at; its name.
fn simulate(server: &Server, context: &Context) -> Result<String, Halt> {
    let scene = json!({ "builtin": "gas", "parameters": { "n": 10_000, "duration": 2.0 } });
    let mut take = server.ask("POST", "/api/takes", &json!({ "scene": scene, "seed": 1 }).to_string())?;
    let id = take["id"].as_str().unwrap_or_default().to_owned();
    while take["state"] == "running" {
        context.check()?;
        std::thread::sleep(Duration::from_millis(100));
        take = server.ask("GET", &format!("/api/takes/{id}"), "")?;
    }
    if take["state"] != "ready" {
        return Err(LabError::Studio(format!("the gas was not simulated: {take}")).into());
    }
    Ok(id)
}

impl Crowd {
    fn row(&self, server: &Server, take: &str, context: &Context) -> Result<Row, Halt> {
        let bell = Arc::new(Bell::default());
        let habits = Habits { rate: RATE, dwell: self.dwell };
        let begin = |_: usize| {
            let (address, bell) = (server.address.clone(), Arc::clone(&bell));
            let watched = WatchedPage::Motion(take.to_owned());
            std::thread::spawn(move || look(&address, &watched, habits, &bell))
        };
        let clients: Vec<_> = (0..self.clients).map(begin).collect();
        let weighed = weigh(server, self.seconds, context);
        let frames = bell.frames();
        bell.ring();
        let mut seen: Vec<SeenFrames> = Vec::new();
        for client in clients {
            seen.push(client.join().map_err(|_| LabError::Studio("a client broke off".to_owned()))??);
        }
        let weighed = weighed?;
        let row = Row::new().with("what", self.what).with("clients", self.clients);
        Ok(weighed.with_memory(with_frames(row, &seen, frames, weighed.seconds)))
    }
}

/// What clients got.
fn with_frames(row: Row, seen: &[SeenFrames], frames: u64, seconds: f64) -> Row {
    let gaps: Vec<f64> = seen.iter().flat_map(|seen| seen.gaps.iter().copied()).collect();
    let late = gaps.iter().filter(|gap| **gap > LATE).count() as f64 / gaps.len().max(1) as f64;
    let bytes: u64 = seen.iter().map(|seen| seen.bytes).sum();
    row.with("instances", seen.first().map(|seen| seen.instances))
        .with("seconds", seconds)
        .with("rate_hz", frames as f64 / seconds / seen.len().max(1) as f64)
        .with("late_share", late)
        .with("worst_gap_ms", 1e3 * gaps.iter().copied().fold(0.0, f64::max))
        .with("mb_per_s", bytes as f64 / 1e6 / seconds)
}

/// What the server took while clients were there.
struct Weighed {
    seconds: f64,
    memory_mb: Vec<f64>,
    processor_share: Option<f64>,
}

impl Weighed {
    fn with_memory(&self, row: Row) -> Row {
        row.with("memory_first_mb", self.memory_mb.first().copied())
            .with("memory_last_mb", self.memory_mb.last().copied())
            .with("memory_most_mb", self.memory_mb.iter().copied().reduce(f64::max))
            .with("processor_share", self.processor_share)
    }
}

/// Weighs the server for so many seconds.
fn weigh(server: &Server, seconds: f64, context: &Context) -> Result<Weighed, Halt> {
    let (began, used) = (Instant::now(), server.processor_s());
    let mut memory_mb = Vec::new();
    while began.elapsed().as_secs_f64() < seconds {
        std::thread::sleep(WEIGHED_EVERY);
        context.done(WEIGHED_EVERY.as_secs_f64());
        // At first buffers grow to their size.
        if began.elapsed().as_secs_f64() > 2.0 {
            memory_mb.extend(server.memory_mb());
        }
        context.check()?;
    }
    let seconds = began.elapsed().as_secs_f64();
    let processor_share = server.processor_s().zip(used).map(|(now, before)| (now - before) / seconds);
    Ok(Weighed { seconds, memory_mb, processor_share })
}

/// How soon something moves: in the browser where there is one, which runs
/// already and draws with the processor.
fn first_picture(program: &Path) -> Result<Row, Halt> {
    let answer = in_browser(program);
    let number = |key: &str| answer.as_ref().and_then(|answer| answer[key].as_f64());
    let listening = match number("listening_ms") {
        Some(listening) => listening,
        None => Server::start(program)?.started.as_secs_f64() * 1e3,
    };
    Ok(Row::new()
        .with("what", "start")
        .with("clients", 1)
        .with("listening_ms", listening)
        .with("picture_ms", number("picture_ms")))
}

/// Asks the script of the browser tests; `None` without Node, its packages, a
/// browser or a checkout.
fn in_browser(program: &Path) -> Option<Value> {
    let root = program.ancestors().map(Path::to_path_buf).chain(std::env::current_dir().ok());
    let script = |root: PathBuf| Some(root.join("web/e2e/first_picture.mjs")).filter(|script| script.is_file());
    let script = root.into_iter().find_map(script)?;
    let node = Command::new("node").arg(script).env("STUDIO_PROGRAM", program).stdin(Stdio::null()).output().ok()?;
    serde_json::from_slice(&node.stdout).ok()
}
