//! Somebody on every page at once: motion and live worlds that are looked at,
//! scenes that are simulated and directed, files that are uploaded, texts that
//! are edited, and lists that are read.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::error::{Halt, LabError};
use crate::experiment::Context;
use crate::results::Row;

use super::client::{Bell, Habits, SeenFrames, WatchedPage, look, wait};
use super::server::{Server, fetch};
use super::{RATE, weigh, with_frames};

/// Live worlds, all of which are looked at.
const WORLDS: [&str; 5] = ["city", "collisions", "fairground", "field", "meadow"];
/// What is made on a first visit is waited for so long.
const LONGEST_MAKING: Duration = Duration::from_secs(600);
/// Between two questions whether something is done.
const ASKED_EVERY: Duration = Duration::from_millis(50);

/// What somebody does on a page, again and again: a round, by its number.
type Habit = fn(&mut Asker, u64) -> Result<(), LabError>;

const HABITS: [(&str, Habit); 5] =
    [("play", play), ("direct", direct), ("upload", upload), ("edit", edit), ("read", read)];

/// Somebody who asks, and what came of it.
struct Asker {
    address: String,
    bell: Arc<Bell>,
    /// How long each answer took, s.
    waits: Vec<f64>,
    refused: usize,
}

/// Somebody who looks.
struct Looker {
    name: String,
    bell: Arc<Bell>,
    thread: JoinHandle<Result<SeenFrames, LabError>>,
}

/// Measures all pages at once: a row for each, and one for all.
pub(super) fn measure(
    server: &Server,
    take: &str,
    seconds: f64,
    context: &Context,
    rows: &mut Vec<Row>,
) -> Result<(), Halt> {
    context.doing("what is made on a first visit");
    if !context.quick() {
        warm(server)?;
    }
    context.doing("all pages at once");
    let bell = Arc::new(Bell::default());
    let watched = WORLDS.map(WatchedPage::Live).into_iter().chain([WatchedPage::Motion(take.to_owned())]);
    let lookers: Vec<Looker> = watched
        .map(|watched| {
            let name = match &watched {
                WatchedPage::Live(world) => (*world).to_owned(),
                WatchedPage::Motion(_) => "motion".to_owned(),
            };
            let (address, own) = (server.address.clone(), Arc::new(Bell::default()));
            let habits = Habits { rate: RATE, dwell: Duration::ZERO };
            let theirs = Arc::clone(&own);
            Looker { name, bell: own, thread: std::thread::spawn(move || look(&address, &watched, habits, &theirs)) }
        })
        .collect();
    let askers = HABITS.map(|(name, habit)| {
        let (address, bell) = (server.address.clone(), Arc::clone(&bell));
        let mut asker = Asker { address, bell, waits: Vec::new(), refused: 0 };
        (name, std::thread::spawn(move || asker.go_on(habit).map(|()| asker)))
    });
    let weighed = weigh(server, seconds, context);
    bell.ring();
    lookers.iter().for_each(|looker| looker.bell.ring());
    let broken = |_| LabError::Studio("a client broke off".to_owned());
    for Looker { name, bell, thread } in lookers {
        let seen = thread.join().map_err(broken)??;
        let row = Row::new().with("what", name).with("clients", 1);
        rows.push(with_frames(row, &[seen], bell.frames(), seconds));
    }
    for (name, asker) in askers {
        let asker = asker.join().map_err(broken)??;
        rows.push(asker.row(name, seconds));
    }
    let weighed = weighed?;
    let all = Row::new().with("what", "all pages").with("clients", WORLDS.len() + 1 + HABITS.len());
    rows.push(weighed.with_memory(all.with("seconds", weighed.seconds)));
    Ok(())
}

/// Waits until rides are learned, and the field and the meadow have grown.
fn warm(server: &Server) -> Result<(), LabError> {
    let is_made = |told: &Value| told["making"].is_null();
    wait(&server.address, "field", LONGEST_MAKING, is_made)?;
    wait(&server.address, "meadow", LONGEST_MAKING, is_made)?;
    let is_learned = |told: &Value| told["learned"] == told["rides"];
    wait(&server.address, "fairground", LONGEST_MAKING, is_learned)?;
    Ok(())
}

impl Asker {
    /// Does the same until the bell rings.
    fn go_on(&mut self, habit: Habit) -> Result<(), LabError> {
        let mut round = 0;
        while !self.bell.has_rung() {
            habit(self, round)?;
            round += 1;
        }
        Ok(())
    }

    fn ask(&mut self, method: &str, path: &str, body: &[u8]) -> Result<Vec<u8>, LabError> {
        let began = Instant::now();
        let (status, answer) = fetch(&self.address, method, path, body)?;
        self.waits.push(began.elapsed().as_secs_f64());
        self.refused += usize::from(status >= 400);
        Ok(answer)
    }

    fn json(&mut self, method: &str, path: &str, body: &Value) -> Result<Value, LabError> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        Ok(serde_json::from_slice(&self.ask(method, path, body.as_bytes())?)?)
    }

    /// Asks again until a state is another one, or the bell rings.
    fn until_not(&mut self, path: &str, states: &[&str]) -> Result<Value, LabError> {
        loop {
            let answer = self.json("GET", path, &Value::Null)?;
            let is_over = answer["state"].as_str().is_none_or(|state| !states.contains(&state));
            if is_over || self.bell.has_rung() {
                return Ok(answer);
            }
            std::thread::sleep(ASKED_EVERY);
        }
    }

    fn row(mut self, what: &str, seconds: f64) -> Row {
        self.waits.sort_by(f64::total_cmp);
        let milliseconds = |seconds: &f64| 1e3 * seconds;
        Row::new()
            .with("what", what)
            .with("clients", 1)
            .with("seconds", seconds)
            .with("requests", self.waits.len())
            .with("refused", self.refused)
            .with("median_ms", self.waits.get(self.waits.len() / 2).map(milliseconds))
            .with("worst_ms", self.waits.last().map(milliseconds))
    }
}

/// Simulates a scene that nobody asked for before, and takes it away.
fn play(asker: &mut Asker, round: u64) -> Result<(), LabError> {
    let take = asker.json("POST", "/api/takes", &json!({ "scene": { "builtin": "bounce" }, "seed": round + 1 }))?;
    let path = format!("/api/takes/{}", take["id"].as_str().unwrap_or_default());
    if asker.until_not(&path, &["running"])?["state"] == "ready" {
        asker.ask("GET", &format!("{path}/clip.glb"), b"")?;
    }
    Ok(())
}

/// Directs two dice, and looks at what was found.
fn direct(asker: &mut Asker, round: u64) -> Result<(), LabError> {
    let scene = json!({ "builtin": "table", "parameters": { "n": 2 }, "wants": ["die-1 shows 6", "die-2 shows 6"] });
    let run = asker.json("POST", "/api/runs", &json!({ "scene": scene, "seed": round + 1, "samples": 4 }))?;
    let path = format!("/api/runs/{}", run["id"].as_str().unwrap_or_default());
    let run = asker.until_not(&path, &["waiting", "running"])?;
    if run["state"] != "finished" {
        asker.ask("POST", &format!("{path}/stop"), b"")?;
        return Ok(());
    }
    let entries = asker.json("GET", &format!("{path}/entries"), &Value::Null)?;
    if let Some(index) = entries[0]["index"].as_u64() {
        asker.until_not(&format!("{path}/entries/{index}"), &["running"])?;
        asker.ask("GET", &format!("{path}/entries/{index}/clip.glb"), b"")?;
    }
    Ok(())
}

/// Uploads a mesh and takes it away again.
fn upload(asker: &mut Asker, _: u64) -> Result<(), LabError> {
    asker.ask("PUT", "/api/meshes/load.obj", bumpy().as_bytes())?;
    asker.ask("GET", "/api/meshes", b"")?;
    asker.ask("DELETE", "/api/meshes/load.obj", b"")?;
    std::thread::sleep(ASKED_EVERY);
    Ok(())
}

/// Types in a scene and in a ride, which are checked each time.
fn edit(asker: &mut Asker, round: u64) -> Result<(), LabError> {
    let letters = ["HI", "HELLO", "WORD", "I"][(round % 4) as usize];
    asker.json("POST", "/api/scenes/check", &json!({ "builtin": "spell", "text": letters }))?;
    let models = asker.json("GET", "/api/models", &Value::Null)?;
    if let Some(name) = models[0]["name"].as_str() {
        let model = asker.json("GET", &format!("/api/models/{name}"), &Value::Null)?;
        asker.json("POST", "/api/models/check", &json!({ "toml": model["toml"] }))?;
    }
    std::thread::sleep(ASKED_EVERY);
    Ok(())
}

/// Reads what the first page, the lab and the experiments with people list.
fn read(asker: &mut Asker, _: u64) -> Result<(), LabError> {
    for path in ["/", "/api/scenes", "/api/runs", "/api/rides", "/api/lab", "/api/studies", "/api/networks"] {
        asker.ask("GET", path, b"")?;
    }
    std::thread::sleep(ASKED_EVERY);
    Ok(())
}

/// A ball with bumps, of some ten thousand triangles, as OBJ.
fn bumpy() -> String {
    use std::fmt::Write as _;

    let (rings, parts) = (70_u32, 72_u32);
    let mut text = String::new();
    let mut vertex = |polar: f64, around: f64| {
        let radius = 0.2 + 0.01 * libm::sin(9.0 * polar) * libm::cos(7.0 * around);
        let (flat, height) = (radius * libm::sin(polar), radius * libm::cos(polar));
        // Writing to a text cannot fail.
        let _ = writeln!(text, "v {} {} {}", flat * libm::cos(around), height, flat * libm::sin(around));
    };
    vertex(0.0, 0.0);
    for ring in 1..rings {
        let polar = std::f64::consts::PI * f64::from(ring) / f64::from(rings);
        (0..parts).for_each(|part| vertex(polar, std::f64::consts::TAU * f64::from(part) / f64::from(parts)));
    }
    vertex(std::f64::consts::PI, 0.0);
    let at = |ring: u32, part: u32| 2 + (ring - 1) * parts + part % parts;
    let last = 2 + (rings - 1) * parts;
    for part in 0..parts {
        let _ = writeln!(text, "f 1 {} {}", at(1, part + 1), at(1, part));
        let _ = writeln!(text, "f {last} {} {}", at(rings - 1, part), at(rings - 1, part + 1));
        for ring in 1..rings - 1 {
            let (a, b) = (at(ring, part), at(ring, part + 1));
            let (c, d) = (at(ring + 1, part), at(ring + 1, part + 1));
            let _ = writeln!(text, "f {a} {b} {d}\nf {a} {d} {c}");
        }
    }
    text
}
