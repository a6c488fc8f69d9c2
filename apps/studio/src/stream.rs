//! What all streams share: frames that are under way, and how to hang up.

use std::io::Write as _;

use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, WebSocket};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::SinkExt;
use serde::Serialize;

use crate::api::Problem;

/// Longer messages are not understood, bytes.
pub const LARGEST_MESSAGE: usize = 4096;
/// Longer messages are not even read, bytes: who sends them is hung up on.
pub const LARGEST_READ: usize = 1 << 20;
/// What is longer travels packed, bytes.
const PACKED_FROM: usize = 1 << 16;
/// What a packed message begins with, where a frame has its number.
const PACKED: u32 = 0;

/// Frames that may be under way.
const MOST_UNDER_WAY: u32 = 2;
/// What a client said that makes no sense; the numbers from 4000 on are for
/// applications.
const NOT_UNDERSTOOD: u16 = 4400;
/// A client said nothing for too long, as a page does that nobody sees; it may come
/// back.
const SILENT: u16 = 4408;
/// How long a client that was hung up on may take to close its side.
const FAREWELL: std::time::Duration = std::time::Duration::from_secs(2);
/// The bytes of a position and a rotation.
pub const POSE: usize = 28;

/// How many frames were sent, and how many have arrived.
#[derive(Clone, Copy, Debug, Default)]
pub struct UnderWay {
    sent: u32,
    acknowledged: u32,
}

impl UnderWay {
    /// Whether another frame may be sent. Whoever reads slowly gets fewer of
    /// them, and no queue grows.
    pub fn has_room(self) -> bool {
        self.sent - self.acknowledged < MOST_UNDER_WAY
    }

    /// The number of the next frame.
    pub fn next(&mut self) -> u32 {
        self.sent += 1;
        self.sent
    }

    /// A frame has arrived.
    ///
    /// # Errors
    ///
    /// One that was not under way.
    pub fn acknowledge(&mut self, frame: u32) -> Result<(), Problem> {
        if frame > self.sent || frame <= self.acknowledged {
            return Err(problem("this frame is not under way", "acknowledge each frame once, in order"));
        }
        self.acknowledged = frame;
        Ok(())
    }
}

/// What a message says.
pub enum ClientMessage<'a> {
    /// A text.
    Text(&'a str),
    /// Nothing that needs an answer.
    Nothing,
    /// Farewell.
    End,
}

/// What a message says.
///
/// # Errors
///
/// Bytes, which nobody understands, and more than is read.
pub fn client_message(message: &Option<Result<Message, axum::Error>>) -> Result<ClientMessage<'_>, Problem> {
    let too_long = "send messages of at most 4096 bytes";
    let message = match message {
        None => return Ok(ClientMessage::End),
        Some(Err(error)) => return Err(problem(&format!("the message cannot be read: {error}"), too_long)),
        Some(Ok(message)) => message,
    };
    match message {
        Message::Close(_) => Ok(ClientMessage::End),
        Message::Ping(_) | Message::Pong(_) => Ok(ClientMessage::Nothing),
        Message::Text(text) if text.len() > LARGEST_MESSAGE => {
            Err(problem(&format!("a message of {} bytes is too long", text.len()), too_long))
        }
        Message::Binary(_) => Err(problem("bytes are not understood", "send requests as JSON")),
        Message::Text(text) => Ok(ClientMessage::Text(text.as_str())),
    }
}

/// A problem without a place.
pub fn problem(error: &str, help: &str) -> Problem {
    Problem { error: error.to_owned(), help: help.to_owned(), place: None, more: Vec::new() }
}

/// What is sent: as it is, or packed where it is long. A packed message is bytes:
/// a zero (u32), and the text as gzip.
pub fn message(told: &impl Serialize) -> Message {
    let text = serde_json::to_string(told).unwrap_or_default();
    if text.len() <= PACKED_FROM {
        return Message::text(text);
    }
    let packed = || {
        let mut packed = GzEncoder::new(PACKED.to_le_bytes().to_vec(), Compression::fast());
        packed.write_all(text.as_bytes())?;
        packed.finish()
    };
    // Writing to memory does not fail; if it did, the text would do.
    packed().map_or_else(|_: std::io::Error| Message::text(&text), |bytes| Message::Binary(Bytes::from(bytes)))
}

/// Why a client is hung up on.
pub struct Farewell {
    problem: Problem,
    code: u16,
}

impl Farewell {
    /// It says nothing.
    pub fn silence() -> Self {
        let problem = problem("nothing was heard from this page for a while", "reload the page");
        Self { problem, code: SILENT }
    }
}

impl From<Problem> for Farewell {
    fn from(problem: Problem) -> Self {
        Self { problem, code: NOT_UNDERSTOOD }
    }
}

/// Says why, and hangs up.
pub async fn hang_up(mut socket: WebSocket, Farewell { problem, code }: Farewell) {
    let text = serde_json::to_string(&problem).unwrap_or_default();
    let reason = problem.error.chars().take(60).collect::<String>().into();
    let farewell = async {
        // Whoever does not listen any more needs no reason. Both travel together: the
        // second would wait until the first is acknowledged.
        let _ = socket.feed(Message::text(text)).await;
        let _ = socket.send(Message::Close(Some(CloseFrame { code, reason }))).await;
        // Dropped with something unread, the connection would be reset and the reason
        // lost: the other side may finish first, but not go on for ever.
        loop {
            match socket.recv().await {
                Some(Ok(Message::Close(_))) => return,
                Some(Ok(_)) => {}
                // Nothing more can be read, though more may have been sent.
                Some(Err(_)) | None => std::future::pending().await,
            }
        }
    };
    // Who does not take the time is hung up on without.
    let _ = tokio::time::timeout(FAREWELL, farewell).await;
}

/// A position and a rotation, as a stream has them.
pub fn write_pose(bytes: &mut Vec<u8>, position: [f32; 3], rotation: [f32; 4]) {
    for value in position.into_iter().chain(rotation) {
        bytes.extend(value.to_le_bytes());
    }
}
