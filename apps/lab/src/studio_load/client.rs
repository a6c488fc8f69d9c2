//! A client that looks at motion, and keeps a record of what arrives when.

use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tungstenite::{Message, WebSocket};

use crate::error::LabError;

/// What a client may be told to do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Habits {
    /// Frames in a second that it asks for.
    pub rate: f64,
    /// How long it looks at each frame before it acknowledges it.
    pub dwell: Duration,
}

/// What a client saw.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
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

    pub(super) fn frames(&self) -> u64 {
        self.frames.load(Ordering::Relaxed)
    }
}

/// Looks at a motion until the bell rings.
pub(super) fn look(address: &str, take: &str, habits: Habits, bell: &Arc<Bell>) -> Result<Seen, LabError> {
    let failed = |error: tungstenite::Error| LabError::Studio(error.to_string());
    let mut socket = open(address, take)?;
    socket.read().map_err(failed)?;
    let play = serde_json::json!({ "say": "play", "from": 0.0, "speed": 1.0, "rate": habits.rate });
    socket.send(Message::text(play.to_string())).map_err(failed)?;
    let mut seen = Seen::default();
    let mut last: Option<Instant> = None;
    while !bell.stop.load(Ordering::Relaxed) {
        let Message::Binary(frame) = socket.read().map_err(failed)? else { continue };
        let now = Instant::now();
        seen.gaps.extend(last.map(|last| now.duration_since(last).as_secs_f64()));
        last = Some(now);
        seen.bytes += frame.len() as u64;
        let word = |at: usize| frame.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes);
        seen.instances = word(8).unwrap_or_default();
        bell.frames.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(habits.dwell);
        let heard = serde_json::json!({ "say": "ack", "frame": word(0).unwrap_or_default() });
        socket.send(Message::text(heard.to_string())).map_err(failed)?;
    }
    Ok(seen)
}

fn open(address: &str, take: &str) -> Result<WebSocket<TcpStream>, LabError> {
    let failed = |message: String| LabError::Studio(message);
    let stream = TcpStream::connect(address).map_err(|error| failed(error.to_string()))?;
    stream.set_nodelay(true).map_err(|error| failed(error.to_string()))?;
    stream.set_read_timeout(Some(Duration::from_secs(30))).map_err(|error| failed(error.to_string()))?;
    let request = format!("ws://{address}/api/takes/{take}/motion");
    let (socket, _) = tungstenite::client(request, stream).map_err(|error| failed(error.to_string()))?;
    Ok(socket)
}
