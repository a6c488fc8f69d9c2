//! Motion as a stream of frames, at the pace of whoever looks.
//!
//! A frame is a number, its time and a count (u32, f32, u32), and then for every
//! node that moves its position and rotation (x y z, x y z w) as f32: 28 bytes.
//! All of it is little-endian. At most two frames are under way; whoever reads
//! slowly gets fewer of them.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{Message, WebSocket};
use proscenium_clip::Clip;
use tokio::time::{Instant, sleep_until};

use crate::api::{MotionHello, MotionRequest, Problem};
use crate::stream::{ClientMessage, Farewell, POSE, UnderWay, client_message, hang_up, message, problem, write_pose};
use crate::takes::Shot;

/// The bytes before the first node.
const HEADER: usize = 12;

/// One client's view of a motion.
struct Stream {
    shot: Arc<Shot>,
    movers: Vec<usize>,
    under_way: UnderWay,
    wish: Wish,
}

/// What the client wants to see next.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wish {
    Nothing,
    Frame { time: f64 },
    Play { from: f64, speed: f64, began: Instant, next: Instant, every: Duration },
}

/// Serves one client until it leaves.
pub async fn serve(mut socket: WebSocket, shot: Arc<Shot>, patience: Duration) {
    let mut stream = Stream::new(shot);
    if socket.send(message(&stream.hello())).await.is_err() {
        return;
    }
    let mut heard_at = Instant::now();
    loop {
        let due = stream.due();
        tokio::select! {
            heard = socket.recv() => match stream.hear(&heard) {
                Ok(true) => heard_at = Instant::now(),
                Ok(false) => return,
                Err(problem) => return hang_up(socket, problem.into()).await,
            },
            () = sleep_until(heard_at + patience) => return hang_up(socket, Farewell::silence()).await,
            () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                let Some(frame) = stream.frame(Instant::now()) else { continue };
                if socket.send(Message::Binary(frame)).await.is_err() {
                    return;
                }
            }
        }
    }
}

impl Stream {
    fn new(shot: Arc<Shot>) -> Self {
        let movers = movers(&shot.clip);
        Self { shot, movers, under_way: UnderWay::default(), wish: Wish::Nothing }
    }

    fn hello(&self) -> MotionHello {
        let nodes = self.movers.iter().map(|index| self.shot.clip.nodes[*index].name.clone()).collect();
        MotionHello { nodes, duration: f64::from(self.shot.clip.duration_secs) }
    }

    /// When the next frame is to be sent; `None` before something is heard.
    fn due(&self) -> Option<Instant> {
        if !self.under_way.has_room() {
            return None;
        }
        match self.wish {
            Wish::Nothing => None,
            Wish::Frame { .. } => Some(Instant::now()),
            Wish::Play { next, .. } => Some(next),
        }
    }

    /// The next frame, of what is to be seen now.
    fn frame(&mut self, now: Instant) -> Option<Bytes> {
        let duration = f64::from(self.shot.clip.duration_secs);
        let time = match &mut self.wish {
            Wish::Nothing => return None,
            Wish::Frame { time } => {
                let time = *time;
                self.wish = Wish::Nothing;
                time
            }
            Wish::Play { from, speed, began, next, every } => {
                // What was missed is not made up for.
                *next = (*next + *every).max(now);
                *from + *speed * now.duration_since(*began).as_secs_f64()
            }
        };
        let time = if duration > 0.0 && time > duration { time % duration } else { time };
        Some(frame(&self.shot.clip, &self.movers, self.under_way.next(), time as f32))
    }

    /// Whether to go on after a message.
    fn hear(&mut self, message: &Option<Result<Message, axum::Error>>) -> Result<bool, Problem> {
        let text = match client_message(message)? {
            ClientMessage::End => return Ok(false),
            ClientMessage::Nothing => return Ok(true),
            ClientMessage::Text(text) => text,
        };
        let request: MotionRequest = serde_json::from_str(text)
            .map_err(|error| problem(&error.to_string(), "say play, show, pause or ack: { \"say\": \"pause\" }"))?;
        let duration = f64::from(self.shot.clip.duration_secs);
        match request {
            MotionRequest::Play { from, speed, rate } => {
                let is_sound = (0.0..=duration).contains(&from) && (0.01..=100.0).contains(&speed);
                if !is_sound || !(0.1..=240.0).contains(&rate) {
                    let help = "from is within the motion, speed from 0.01 to 100, and rate from 0.1 to 240";
                    return Err(problem("it cannot be played like this", help));
                }
                let now = Instant::now();
                let every = Duration::from_secs_f64(1.0 / rate);
                self.wish = Wish::Play { from, speed, began: now, next: now, every };
            }
            MotionRequest::Show { time } => {
                if !(0.0..=duration).contains(&time) {
                    return Err(problem("there is no such time", &format!("give one from 0 to {duration}")));
                }
                self.wish = Wish::Frame { time };
            }
            MotionRequest::Pause {} => self.wish = Wish::Nothing,
            MotionRequest::Ack { frame } => self.under_way.acknowledge(frame)?,
        }
        Ok(true)
    }
}

/// The nodes that move.
fn movers(clip: &Clip) -> Vec<usize> {
    clip.nodes.iter().enumerate().filter(|(_, node)| node.track.is_some()).map(|(index, _)| index).collect()
}

/// All nodes that move, at a time.
fn frame(clip: &Clip, movers: &[usize], number: u32, time: f32) -> Bytes {
    let mut bytes = Vec::with_capacity(HEADER + POSE * movers.len());
    bytes.extend(number.to_le_bytes());
    bytes.extend(time.to_le_bytes());
    bytes.extend((movers.len() as u32).to_le_bytes());
    for index in movers {
        let key = clip.nodes[*index].pose(time);
        write_pose(&mut bytes, key.position.to_array(), key.orientation.to_array());
    }
    Bytes::from(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proscenium_clip::glam::{Quat, Vec3};
    use proscenium_clip::{Key, Node, Track};

    #[test]
    fn a_frame_has_28_bytes_for_each_node_that_moves() {
        let mut clip = Clip::new("two");
        let keys = vec![Key::new(0.0, Vec3::ZERO, Quat::IDENTITY), Key::new(2.0, Vec3::X, Quat::IDENTITY)];
        clip.add_node(Node::new("still"));
        clip.add_node(Node::new("moving").with_track(Track { keys }));
        let bytes = frame(&clip, &movers(&clip), 7, 1.0);
        assert_eq!(bytes.len(), HEADER + POSE);
        let (words, _) = bytes.as_chunks::<4>();
        assert_eq!(u32::from_le_bytes(words[0]), 7);
        assert_eq!(f32::from_le_bytes(words[1]), 1.0);
        let numbers: Vec<f32> = words[3..].iter().map(|word| f32::from_le_bytes(*word)).collect();
        assert_eq!(numbers, [0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    }
}
