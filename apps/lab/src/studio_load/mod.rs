//! How the studio bears up: many clients that look at very many bodies, clients
//! that are too slow, and how soon something moves after the start.

mod client;
mod server;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use proscenium_picture::plot::{Plot, Scale};
use serde_json::{Value, json};

use crate::error::LabError;
use crate::experiment::{Conclusion, Context, Experiment, Figure};
use crate::number::show_number;
use crate::results::Row;

use client::{Bell, Habits, Seen, look};
use server::{Server, program};

/// Frames in a second that clients ask for.
const RATE: f64 = 60.0;
/// A frame is late if it comes more than this after the one before: one was
/// missed.
const LATE: f64 = 1.5 / RATE;
/// How often memory is weighed, s.
const WEIGHED_EVERY: Duration = Duration::from_millis(500);
/// The goals.
const FIRST_PICTURE_MS: f64 = 3000.0;

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
        "ten clients on 10 000 moving instances: late frames, memory; and how soon the studio shows motion"
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
            "memory_first_mb",
            "memory_last_mb",
            "memory_most_mb",
            "processor_share",
            "listening_ms",
            "picture_ms",
        ]
    }

    fn measure(&self, context: &Context, rows: &mut Vec<Row>) -> Result<(), LabError> {
        let seconds: f64 = if context.quick() { 8.0 } else { 300.0 };
        let crowds = [
            Crowd { what: "one client", clients: 1, seconds: seconds.min(30.0), dwell: Duration::ZERO },
            Crowd { what: "slow clients", clients: 10, seconds: seconds.min(30.0), dwell: Duration::from_millis(250) },
            Crowd { what: "ten clients", clients: 10, seconds, dwell: Duration::ZERO },
        ];
        context.plan(20.0 + crowds.iter().map(|crowd| crowd.seconds).sum::<f64>());
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
        Ok(())
    }

    fn conclude(&self, rows: &[Row]) -> Result<Conclusion, LabError> {
        conclude(rows)
    }
}

/// Simulates a gas that clients can look at; its name.
fn simulate(server: &Server, context: &Context) -> Result<String, LabError> {
    let scene = json!({ "builtin": "gas", "parameters": { "n": 10_000, "duration": 2.0 } });
    let mut take = server.ask("POST", "/api/takes", &json!({ "scene": scene, "seed": 1 }).to_string())?;
    let id = take["id"].as_str().unwrap_or_default().to_owned();
    while take["state"] == "running" {
        context.check()?;
        std::thread::sleep(Duration::from_millis(100));
        take = server.ask("GET", &format!("/api/takes/{id}"), "")?;
    }
    if take["state"] != "ready" {
        return Err(LabError::Studio(format!("the gas was not simulated: {take}")));
    }
    Ok(id)
}

impl Crowd {
    fn row(&self, server: &Server, take: &str, context: &Context) -> Result<Row, LabError> {
        let bell = Arc::new(Bell::default());
        let habits = Habits { rate: RATE, dwell: self.dwell };
        let begin = |_: usize| {
            let (address, take, bell) = (server.address.clone(), take.to_owned(), Arc::clone(&bell));
            std::thread::spawn(move || look(&address, &take, habits, &bell))
        };
        let (began, used) = (Instant::now(), server.processor_s());
        let clients: Vec<_> = (0..self.clients).map(begin).collect();
        let mut memory = Vec::new();
        let mut checked = Ok(());
        while checked.is_ok() && began.elapsed().as_secs_f64() < self.seconds {
            std::thread::sleep(WEIGHED_EVERY);
            context.done(WEIGHED_EVERY.as_secs_f64());
            // At first buffers grow to their size.
            if began.elapsed().as_secs_f64() > 2.0 {
                memory.extend(server.memory_mb());
            }
            checked = context.check();
        }
        let (seconds, frames) = (began.elapsed().as_secs_f64(), bell.frames());
        let used = server.processor_s().zip(used).map(|(now, before)| (now - before) / seconds);
        bell.ring();
        let mut seen: Vec<Seen> = Vec::new();
        for client in clients {
            seen.push(client.join().map_err(|_| LabError::Studio("a client broke off".to_owned()))??);
        }
        checked?;
        let gaps: Vec<f64> = seen.iter().flat_map(|seen| seen.gaps.iter().copied()).collect();
        let late = gaps.iter().filter(|gap| **gap > LATE).count() as f64 / gaps.len().max(1) as f64;
        let bytes: u64 = seen.iter().map(|seen| seen.bytes).sum();
        Ok(Row::new()
            .with("what", self.what)
            .with("clients", self.clients)
            .with("instances", seen.first().map(|seen| seen.instances))
            .with("seconds", seconds)
            .with("rate_hz", frames as f64 / seconds / self.clients as f64)
            .with("late_share", late)
            .with("worst_gap_ms", 1e3 * gaps.iter().copied().fold(0.0, f64::max))
            .with("mb_per_s", bytes as f64 / 1e6 / seconds)
            .with("memory_first_mb", memory.first().copied())
            .with("memory_last_mb", memory.last().copied())
            .with("memory_most_mb", memory.iter().copied().reduce(f64::max))
            .with("processor_share", used)
            .with("listening_ms", None::<f64>)
            .with("picture_ms", None::<f64>))
    }
}

/// How soon something moves: in the browser where there is one, which runs
/// already and draws with the processor.
fn first_picture(program: &Path) -> Result<Row, LabError> {
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

fn conclude(rows: &[Row]) -> Result<Conclusion, LabError> {
    let is = |row: &&Row, what: &str| row.get("what").is_some_and(|known| known == what);
    let mut notes = Vec::new();
    if let Some(ten) = rows.iter().find(|row| is(row, "ten clients"))
        && let (Some(late), Some(rate)) = (ten.number("late_share"), ten.number("rate_hz"))
    {
        notes.push(format!(
            "Ten clients get {} frames a second each; {} % of the frames come late (after more than one and a half times \
             the pause that was asked for).",
            show_number(rate),
            show_number(100.0 * late)
        ));
        if let (Some(first), Some(last)) = (ten.number("memory_first_mb"), ten.number("memory_last_mb")) {
            notes.push(format!(
                "The server holds {} MB two seconds after they came and {} MB at the end.",
                show_number(first),
                show_number(last)
            ));
        }
    }
    let pictures: Vec<f64> = rows.iter().filter_map(|row| row.number("picture_ms")).collect();
    if let Some(best) = pictures.iter().copied().reduce(f64::min) {
        notes.push(format!(
            "From the start of the program to the first moving picture in the browser: {} ms at best (wanted: under {}). \
             The browser runs already, and draws with the processor.",
            show_number(best),
            show_number(FIRST_PICTURE_MS)
        ));
    }
    if !rows.is_empty() {
        notes.push(
            "Clients and server share the machine. A frame has 28 bytes an instance; a client that looks a quarter of a \
             second at each frame gets as many as it acknowledges, and the server queues none."
                .to_owned(),
        );
    }
    let streams: Vec<&Row> = rows.iter().filter(|row| row.number("rate_hz").is_some()).collect();
    let mut figures = Vec::new();
    if !streams.is_empty() {
        let of = |key: &'static str| {
            let number = move |(place, row): (usize, &&Row)| Some((place as f64, row.number(key)?));
            streams.iter().enumerate().filter_map(number).collect::<Vec<_>>()
        };
        let names = streams.iter().filter_map(|row| row.get("what")?.as_str().map(str::to_owned));
        let plot = Plot::new("Clients on 10 000 moving instances")
            .categories(names)
            .y("frames a second for each; MB", Scale::Linear)
            .bars("frames a second", of("rate_hz"))
            .bars("memory of the server, MB", of("memory_last_mb"));
        figures.push(Figure { suffix: "streams", svg: plot.to_svg()? });
    }
    Ok(Conclusion { notes, figures })
}
