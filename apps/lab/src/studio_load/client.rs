//! Someone who watches motion, and acknowledges every frame at once.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;
use tungstenite::Message;

use crate::error::LabError;

use super::LATE;
use super::server::{Server, failed};

/// What a client saw.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Watched {
    pub(super) frames: u64,
    pub(super) late: u64,
    pub(super) frame_bytes: usize,
    pub(super) seconds: f64,
}

/// Watches a take for a while, and for one frame at least.
pub(super) fn watch(server: &Server, take: &str, rate: f64, length: Duration) -> Result<Watched, LabError> {
    let stream = TcpStream::connect(&server.address).map_err(failed)?;
    stream.set_nodelay(true).map_err(failed)?;
    let address = format!("ws://{}/api/takes/{take}/motion", server.address);
    let (mut socket, _) = tungstenite::client(address.as_str(), stream).map_err(failed)?;
    socket.read().map_err(failed)?;
    let play = json!({ "say": "play", "from": 0.0, "speed": 1.0, "rate": rate });
    socket.send(Message::text(play.to_string())).map_err(failed)?;
    let began = Instant::now();
    let mut last = None;
    let mut watched = Watched::default();
    while watched.frames == 0 || began.elapsed() < length {
        let Message::Binary(bytes) = socket.read().map_err(failed)? else {
            return Err(failed("it sent something else than a frame"));
        };
        let now = Instant::now();
        let is_late = |last: Instant| now.duration_since(last).as_secs_f64() > LATE / rate;
        watched.late += u64::from(last.is_some_and(is_late));
        watched.frames += 1;
        watched.frame_bytes = bytes.len();
        last = Some(now);
        let number = bytes.first_chunk::<4>().map_or(0, |word| u32::from_le_bytes(*word));
        socket.send(Message::text(json!({ "say": "ack", "frame": number }).to_string())).map_err(failed)?;
    }
    watched.seconds = began.elapsed().as_secs_f64();
    Ok(watched)
}
