//! Those who mean no good, or send what they should not: controls without end to a
//! world that nobody looks at, and a thousand requests that are never whole.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::Message;

use crate::error::{Halt, LabError};
use crate::experiment::Context;
use crate::results::Row;

use super::client::{WatchedPage, open};
use super::server::{Server, fetch};

/// So many controls are sent, and so many requests are begun.
const CONTROLS: usize = 150_000;
const HALVES: usize = 1000;
/// Half requests are waited for so long, at most, all of them together.
const LONGEST: Duration = Duration::from_secs(40);

/// A row for each flood.
pub(super) fn measure(server: &Server, context: &Context, rows: &mut Vec<Row>) -> Result<(), Halt> {
    context.doing("a flood of controls");
    rows.push(controls(server)?);
    context.doing("a thousand half requests");
    rows.push(half_requests(server, context)?);
    Ok(())
}

/// What the server holds before, while and after somebody floods it, and how long
/// others wait meanwhile.
struct Watched<'a> {
    server: &'a Server,
    memory: Vec<f64>,
    waits: Vec<f64>,
}

impl<'a> Watched<'a> {
    fn new(server: &'a Server) -> Self {
        let mut watched = Self { server, memory: Vec::new(), waits: Vec::new() };
        watched.memory.extend(server.memory_mb());
        watched
    }

    /// Asks for something good.
    fn look(&mut self) -> Result<(), LabError> {
        let began = Instant::now();
        let (status, _) = fetch(&self.server.address, "GET", "/api/scenes", b"")?;
        if status != 200 {
            return Err(LabError::Studio(format!("a good request was answered with {status}")));
        }
        self.waits.push(1e3 * began.elapsed().as_secs_f64());
        self.memory.extend(self.server.memory_mb());
        Ok(())
    }

    fn row(mut self, what: &str, sent: usize, refused: usize, seconds: f64) -> Row {
        self.waits.sort_by(f64::total_cmp);
        let most = self.memory.iter().copied().reduce(f64::max);
        Row::new()
            .with("what", what)
            .with("clients", sent)
            .with("seconds", seconds)
            .with("requests", self.waits.len())
            .with("refused", refused)
            .with("median_ms", self.waits.get(self.waits.len() / 2).copied())
            .with("worst_ms", self.waits.last().copied())
            .with("memory_first_mb", self.memory.first().copied())
            .with("memory_last_mb", self.memory.last().copied())
            .with("memory_most_mb", most)
    }
}

/// Controls for a world of which no view was sent, so that it never goes on.
fn controls(server: &Server) -> Result<Row, LabError> {
    let mut watched = Watched::new(server);
    let began = Instant::now();
    let mut socket = open(&server.address, &WatchedPage::Live("meadow"))?;
    let control = json!({ "say": "control", "control": { "wind": 0.5 } }).to_string();
    let mut sent = 0;
    // The studio hangs up before all is said.
    while sent < CONTROLS && socket.send(Message::text(control.as_str())).is_ok() {
        sent += 1;
        if sent % 10_000 == 0 {
            watched.look()?;
        }
    }
    watched.look()?;
    let is_refusal = |message: &Message| {
        let told: Option<Value> = message.to_text().ok().and_then(|text| serde_json::from_str(text).ok());
        told.is_some_and(|told| told["error"].is_string())
    };
    let mut told = false;
    while let Ok(message) = socket.read() {
        told |= is_refusal(&message);
    }
    watched.look()?;
    Ok(watched.row("flood of controls", sent, usize::from(told), began.elapsed().as_secs_f64()))
}

/// Requests whose heads never end; a quick run does not wait until all are closed.
fn half_requests(server: &Server, context: &Context) -> Result<Row, Halt> {
    let mut watched = Watched::new(server);
    let began = Instant::now();
    let mut open = Vec::new();
    for number in 0..HALVES {
        let failed = |error: std::io::Error| LabError::Studio(format!("{number} are open: {error}"));
        let mut stream = TcpStream::connect(&server.address).map_err(failed)?;
        stream.write_all(b"GET /api/scenes HTT").map_err(failed)?;
        stream.set_read_timeout(Some(LONGEST)).map_err(failed)?;
        open.push(stream);
        if number % 100 == 0 {
            watched.look()?;
        }
    }
    watched.look()?;
    let mut ended = 0;
    if !context.quick() {
        for mut stream in open {
            context.check()?;
            let left = LONGEST.saturating_sub(began.elapsed()).max(Duration::from_millis(1));
            stream.set_read_timeout(Some(left)).map_err(|error| LabError::Studio(error.to_string()))?;
            // Closed, with a reason or without.
            ended += usize::from(stream.read_to_end(&mut Vec::new()).is_ok() || began.elapsed() < LONGEST);
        }
    }
    watched.look()?;
    Ok(watched.row("half requests", HALVES, ended, began.elapsed().as_secs_f64()))
}
