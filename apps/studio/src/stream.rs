//! What all streams share: frames that are under way, and how to hang up.

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use futures_util::SinkExt;

use crate::api::Problem;

/// Frames that may be under way.
const MOST_UNDER_WAY: u32 = 2;
/// What a client said that makes no sense; the numbers from 4000 on are for
/// applications.
const NOT_UNDERSTOOD: u16 = 4400;
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
pub enum Heard<'a> {
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
/// Bytes, which nobody understands.
pub fn heard(message: &Message) -> Result<Heard<'_>, Problem> {
    match message {
        Message::Close(_) => Ok(Heard::End),
        Message::Ping(_) | Message::Pong(_) => Ok(Heard::Nothing),
        Message::Binary(_) => Err(problem("bytes are not understood", "send requests as JSON")),
        Message::Text(text) => Ok(Heard::Text(text.as_str())),
    }
}

/// A problem without a place.
pub fn problem(error: &str, help: &str) -> Problem {
    Problem { error: error.to_owned(), help: help.to_owned(), place: None, more: Vec::new() }
}

/// Says why, and hangs up.
pub async fn refuse(mut socket: WebSocket, problem: Problem) {
    let text = serde_json::to_string(&problem).unwrap_or_default();
    // Whoever does not listen any more needs no reason. Both travel together: the
    // second would wait until the first is acknowledged.
    let _ = socket.feed(Message::text(text)).await;
    let reason = problem.error.chars().take(60).collect::<String>().into();
    let _ = socket.send(Message::Close(Some(CloseFrame { code: NOT_UNDERSTOOD, reason }))).await;
    // Dropped with something unread, the connection would be reset and the reason
    // lost: the other side may finish first, but not go on for ever.
    let _ = tokio::time::timeout(FAREWELL, async { while let Some(Ok(_)) = socket.recv().await {} }).await;
}

/// A position and a rotation, as a stream has them.
pub fn write_pose(bytes: &mut Vec<u8>, position: [f32; 3], rotation: [f32; 4]) {
    for value in position.into_iter().chain(rotation) {
        bytes.extend(value.to_le_bytes());
    }
}
