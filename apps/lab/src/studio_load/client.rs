//! A client that looks at motion, and keeps a record of what arrives when.

use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

use crate::error::LabError;

/// What a packed message begins with, where a frame has its number.
const PACKED: u32 = 0;

/// What a client may be told to do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Habits {
    /// Frames in a second that it asks for.
    pub rate: f64,
    /// How long it looks at each frame before it acknowledges it.
    pub dwell: Duration,
}

/// What a client looks at.
#[derive(Clone, Debug)]
pub(super) enum WatchedPage {
    /// The motion of a take, by its name.
    Motion(String),
    /// A live world.
    Live(&'static str),
}

/// What a client saw.
#[derive(Clone, Debug, Default)]
pub(super) struct SeenFrames {
    /// Between one frame and the next, seconds.
    pub gaps: Vec<f64>,
    /// All that arrived, bytes.
    pub bytes: u64,
    /// Instances in a frame.
    pub instances: u32,
}

/// Shared by all clients of a row.
#[derive(Debug, Default)]
pub(super) struct Bell {
    stop: AtomicBool,
    frames: AtomicU64,
}

impl Bell {
    pub(super) fn ring(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_rung(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(super) fn frames(&self) -> u64 {
        self.frames.load(Ordering::Relaxed)
    }
}

/// Looks at something until the bell rings.
pub(super) fn look(
    address: &str,
    watched: &WatchedPage,
    habits: Habits,
    bell: &Arc<Bell>,
) -> Result<SeenFrames, LabError> {
    let mut socket = open(address, watched)?;
    let mut seen = SeenFrames::default();
    let mut last: Option<Instant> = None;
    begin(&mut socket, watched, habits)?;
    while !bell.has_rung() {
        let Message::Binary(frame) = socket.read().map_err(failed)? else { continue };
        if word(&frame, 0) == PACKED {
            continue;
        }
        let now = Instant::now();
        seen.gaps.extend(last.map(|last| now.duration_since(last).as_secs_f64()));
        last = Some(now);
        seen.bytes += frame.len() as u64;
        seen.instances = word(&frame, 8);
        bell.frames.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(habits.dwell);
        acknowledge(&mut socket, &frame)?;
    }
    Ok(seen)
}

/// Looks at a live world until what it tells is as it should be, or the time is
/// over.
pub(super) fn wait(
    address: &str,
    world: &'static str,
    longest: Duration,
    is_right: impl Fn(&Value) -> bool,
) -> Result<bool, LabError> {
    let watched = WatchedPage::Live(world);
    let mut socket = open(address, &watched)?;
    begin(&mut socket, &watched, Habits { rate: 10.0, dwell: Duration::ZERO })?;
    let began = Instant::now();
    while began.elapsed() < longest {
        match socket.read().map_err(failed)? {
            Message::Binary(frame) if word(&frame, 0) != PACKED => acknowledge(&mut socket, &frame)?,
            Message::Text(text) => {
                let message: Value = serde_json::from_str(text.as_str())?;
                if message["kind"] == "statistics" && is_right(&message["statistics"]) {
                    return Ok(true);
                }
            }
            _ => {}
        }
    }
    Ok(false)
}

/// Hears what there is, and says what is wanted.
fn begin(socket: &mut WebSocket<TcpStream>, watched: &WatchedPage, habits: Habits) -> Result<(), LabError> {
    let hello = socket.read().map_err(failed)?;
    let says = match watched {
        WatchedPage::Motion(_) => vec![json!({ "say": "play", "from": 0.0, "speed": 1.0, "rate": habits.rate })],
        WatchedPage::Live(_) => {
            let hello = told(&hello)?;
            vec![json!({ "say": "pace", "speed": 1.0, "rate": habits.rate }), first_view(&hello)]
        }
    };
    says.into_iter().try_for_each(|say| socket.send(Message::text(say.to_string())).map_err(failed))
}

/// What a message says, packed or not.
fn told(message: &Message) -> Result<Value, LabError> {
    Ok(match message {
        Message::Binary(bytes) if word(bytes, 0) == PACKED => {
            serde_json::from_reader(flate2::read::GzDecoder::new(bytes.get(4..).unwrap_or_default()))?
        }
        other => serde_json::from_str(other.to_text().map_err(failed)?)?,
    })
}

/// The view that a world begins with.
fn first_view(hello: &Value) -> Value {
    let along = |axis: usize| {
        let of = |place: &str| hello[place][axis].as_f64().unwrap_or_default();
        of("target") - of("eye")
    };
    let forward = [along(0), along(1), along(2)];
    json!({ "say": "view", "position": hello["eye"], "forward": forward, "fov_y": 0.8, "aspect": 1.6,
        "far": hello["far"] })
}

fn acknowledge(socket: &mut WebSocket<TcpStream>, frame: &[u8]) -> Result<(), LabError> {
    let heard = json!({ "say": "ack", "frame": word(frame, 0) });
    socket.send(Message::text(heard.to_string())).map_err(failed)
}

/// A number of a frame.
fn word(frame: &[u8], at: usize) -> u32 {
    frame.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes).unwrap_or_default()
}

fn failed(error: tungstenite::Error) -> LabError {
    LabError::Studio(error.to_string())
}

pub(super) fn open(address: &str, watched: &WatchedPage) -> Result<WebSocket<TcpStream>, LabError> {
    let failed = |message: String| LabError::Studio(message);
    let stream = TcpStream::connect(address).map_err(|error| failed(error.to_string()))?;
    stream.set_nodelay(true).map_err(|error| failed(error.to_string()))?;
    stream.set_read_timeout(Some(Duration::from_secs(30))).map_err(|error| failed(error.to_string()))?;
    let request = match watched {
        WatchedPage::Motion(take) => format!("ws://{address}/api/takes/{take}/motion"),
        WatchedPage::Live(world) => format!("ws://{address}/api/live/{world}"),
    };
    let (socket, _) = tungstenite::client(request, stream).map_err(|error| failed(error.to_string()))?;
    Ok(socket)
}
