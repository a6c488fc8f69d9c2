//! Worlds that go on while somebody looks at them: the one stream behind every
//! page on which the view matters.
//!
//! A page opens `/api/live/NAME`. The client says from where it looks; the
//! server advances a [`LiveWorld`] for that view, and sends what can be seen:
//! instances in frames, and statistics as JSON a few times in a second. A new
//! page is a new implementation of the trait and a line in `WORLDS`.
//!
//! A frame is little-endian: its number (u32), its time (f32), how many
//! instances (u32) and shapes (u32) there are; for every shape how many of the
//! instances, in order, have it (u32); for every instance its position and
//! rotation (x y z, x y z w) as f32; and for every instance to whom it belongs
//! (u32) and its colour (0x01rrggbb, or 0 for the shape's own). Then comes what
//! bends: how many vertices (u32) and parts (u32) there are; for every vertex its
//! position (x y z) as f32; and for every part its colour, as above. Last comes
//! what grows: how many plants there are (u32), and of each how many are seen
//! (u32); for every one that is seen its number and its colour (u32 each); and
//! for every vertex of each, plant after plant, its position.

mod frame;

use std::time::Duration;

use axum::extract::ws::{Message, WebSocket};
use proscenium_view::{Camera, ViewError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, sleep_until};

use crate::api::{LiveHello, LiveMessage, LiveRequest, Problem};
use crate::city::CityWorld;
use crate::collisions::Collisions;
use crate::failure::Failure;
use crate::fairground::Fairground;
use crate::field::{Field, Meadow};
use crate::routes::Studio;
use crate::stream::{ClientMessage, Farewell, UnderWay, client_message, message, problem};

pub use frame::Instances;

/// A step of the world is no longer than this, s: what a slow machine misses
/// is not made up for.
const LONGEST_STEP: f64 = 0.1;
/// Between two reports.
const TOLD_EVERY: Duration = Duration::from_millis(200);
/// More costs than this are not kept between two reports.
const MOST_COSTS: usize = 240;
/// So many controls may wait for a frame.
const MOST_CONTROLS: usize = 64;
/// Nearer than this nothing is drawn, m.
const NEAR: f64 = 0.05;

/// A world that goes on while somebody looks at it.
///
/// Every client has one of its own. All calls happen one after the other, beside
/// the server's own work, so they may take their time.
pub trait LiveWorld: Send {
    /// What a client can ask for.
    type Control: DeserializeOwned;
    /// What a page knows of it beside what there is to be drawn.
    type Facts: Serialize;
    /// What it tells of itself a few times in a second.
    type Statistics: Serialize;
    /// What can be asked for, by examples.
    const CONTROLS: &'static str;

    /// What there is to be drawn, and where to begin.
    fn hello(&mut self) -> LiveHello;

    /// What goes with [`hello`](LiveWorld::hello).
    fn facts(&mut self) -> Self::Facts;

    /// Whether what [`hello`](LiveWorld::hello) says is new since it was asked
    /// for last.
    fn is_new(&mut self) -> &mut bool;

    /// Does what a client asks for.
    ///
    /// # Errors
    ///
    /// What makes no sense; the stream then ends with this reason.
    fn control(&mut self, control: Self::Control) -> Result<(), Problem>;

    /// Moves on by some seconds, and says what can be seen then.
    ///
    /// # Errors
    ///
    /// A world that cannot go on.
    fn advance(&mut self, seconds: f64, view: &Camera, instances: &mut Instances) -> Result<(), Problem>;

    /// How it is doing, since this was last asked for.
    fn statistics(&mut self) -> Self::Statistics;
}

/// Any world, as the stream sees it.
pub trait AnyWorld: Send {
    /// What there is; it is not new any more.
    fn greet(&mut self) -> LiveHello;
    /// Whether there is something new.
    fn has_changed(&mut self) -> bool;
    /// Does what a client asks for.
    ///
    /// # Errors
    ///
    /// What is not among what the world understands, or makes no sense.
    fn obey(&mut self, control: serde_json::Value) -> Result<(), Problem>;
    /// As [`LiveWorld::advance`].
    ///
    /// # Errors
    ///
    /// A world that cannot go on.
    fn go_on(&mut self, seconds: f64, view: &Camera, instances: &mut Instances) -> Result<(), Problem>;
    /// As [`LiveWorld::statistics`].
    fn told(&mut self) -> serde_json::Value;
}

impl<World: LiveWorld> AnyWorld for World {
    fn greet(&mut self) -> LiveHello {
        *self.is_new() = false;
        // What a page is told is plain data, which JSON can always hold.
        let facts = serde_json::to_value(self.facts()).unwrap_or_default();
        LiveHello { facts, ..self.hello() }
    }

    fn has_changed(&mut self) -> bool {
        *self.is_new()
    }

    fn obey(&mut self, control: serde_json::Value) -> Result<(), Problem> {
        let control = serde_json::from_value(control).map_err(|error| problem(&error.to_string(), World::CONTROLS))?;
        self.control(control)
    }

    fn go_on(&mut self, seconds: f64, view: &Camera, instances: &mut Instances) -> Result<(), Problem> {
        LiveWorld::advance(self, seconds, view, instances)
    }

    fn told(&mut self) -> serde_json::Value {
        serde_json::to_value(self.statistics()).unwrap_or_default()
    }
}

/// What frames cost, since this was last told: when, s, and how much, µs.
#[derive(Debug, Default)]
pub struct Costs(Vec<(f64, f64)>);

impl Costs {
    /// One more, unless there are many already.
    pub fn add(&mut self, time: f64, micros: f64) {
        if self.0.len() < MOST_COSTS {
            self.0.push((time, micros));
        }
    }

    /// What was done since `began` at this time of the world.
    pub fn since(&mut self, began: std::time::Instant, time: f64) {
        self.add(time, began.elapsed().as_secs_f64() * 1e6);
    }

    /// All of them, which are forgotten.
    pub fn take(&mut self) -> Vec<(f64, f64)> {
        std::mem::take(&mut self.0)
    }
}

/// Makes a world, which may take a while.
type Maker = fn(&Studio) -> Result<Box<dyn AnyWorld>, Failure>;

/// The worlds that there are.
const WORLDS: &[(&str, Maker)] = &[
    ("city", |studio| Ok(Box::new(CityWorld::open(studio.workspace())?))),
    ("collisions", |studio| Ok(Box::new(Collisions::open(studio.models(), studio.workspace())?))),
    ("fairground", |studio| Ok(Box::new(Fairground::open(studio.rides())?))),
    ("field", |studio| Ok(Box::new(Field::open(studio.graphs())))),
    ("meadow", |studio| Ok(Box::new(Meadow::open(studio.graphs())))),
];

/// How a world is made.
///
/// # Errors
///
/// One that is not there.
pub fn find(name: &str) -> Result<Maker, Failure> {
    let found = WORLDS.iter().find(|(known, _)| *known == name);
    found.map(|(_, maker)| *maker).ok_or_else(|| {
        let known: Vec<&str> = WORLDS.iter().map(|(name, _)| *name).collect();
        Failure::missing("there is no such world", format!("the worlds are: {}", known.join(", ")))
    })
}

/// What one client wants.
struct Wishes {
    view: Option<Camera>,
    speed: f64,
    every: Duration,
    controls: Vec<serde_json::Value>,
}

/// A world and what is drawn of it, which move to another thread for a frame.
struct Scene {
    world: Box<dyn AnyWorld>,
    instances: Instances,
    /// What there is, if it is to be told.
    hello: Option<Message>,
}

/// Serves one client until it leaves, or says nothing for longer than one is patient;
/// whom to hang up on, and why.
pub async fn serve(
    mut socket: WebSocket,
    world: Box<dyn AnyWorld>,
    patience: Duration,
) -> Option<(WebSocket, Farewell)> {
    let mut wishes =
        Wishes { view: None, speed: 1.0, every: Duration::from_secs_f64(1.0 / 60.0), controls: Vec::new() };
    let mut scene = Scene { world, instances: Instances::default(), hello: None };
    let mut under_way = UnderWay::default();
    let (mut last, mut next, mut told) = (Instant::now(), Instant::now(), Instant::now());
    let mut time = 0.0;
    let mut heard_at = Instant::now();
    scene = beside(move || scene.greeted()).await?;
    scene.introduce(&mut socket).await.ok()?;
    loop {
        let is_due = wishes.view.is_some() && under_way.has_room();
        tokio::select! {
            heard = socket.recv() => match wishes.hear(&heard, &mut under_way) {
                Ok(true) => heard_at = Instant::now(),
                Ok(false) => return None,
                Err(problem) => return Some((socket, problem.into())),
            },
            () = sleep_until(heard_at + patience) => return Some((socket, Farewell::silence())),
            () = sleep_until(next), if is_due => {
                let now = Instant::now();
                let step = now.duration_since(last).as_secs_f64().min(LONGEST_STEP) * wishes.speed;
                (last, next) = (now, (next + wishes.every).max(now));
                time += step;
                scene = match scene.advanced(step, &mut wishes).await? {
                    Ok(scene) => scene,
                    Err(problem) => return Some((socket, problem.into())),
                };
                let sent = send(&mut socket, &mut scene, under_way.next(), time, &mut told);
                // Who does not take what is sent is gone.
                if !matches!(tokio::time::timeout(patience, sent).await, Ok(Ok(()))) {
                    return None;
                }
                // What the world takes for a step is no silence of the page.
                heard_at = Instant::now();
            }
        }
    }
}

/// Sends a frame, and what has to be known before and after it.
async fn send(
    socket: &mut WebSocket,
    scene: &mut Scene,
    number: u32,
    time: f64,
    told: &mut Instant,
) -> Result<(), axum::Error> {
    scene.introduce(socket).await?;
    socket.send(Message::Binary(scene.instances.frame(number, time as f32))).await?;
    if told.elapsed() >= TOLD_EVERY {
        *told = Instant::now();
        socket.send(message(&LiveMessage::Statistics { statistics: scene.world.told() })).await?;
    }
    Ok(())
}

/// Does something beside the server's own work; `None` if it broke off.
async fn beside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}

impl Scene {
    /// With what there is, to be told.
    fn greeted(mut self) -> Self {
        self.hello = Some(message(&LiveMessage::Hello(Box::new(self.world.greet()))));
        self
    }

    /// Tells what there is, if that is new.
    async fn introduce(&mut self, socket: &mut WebSocket) -> Result<(), axum::Error> {
        match self.hello.take() {
            Some(hello) => socket.send(hello).await,
            None => Ok(()),
        }
    }

    /// The world a step later; `None` if it broke off.
    async fn advanced(mut self, seconds: f64, wishes: &mut Wishes) -> Option<Result<Self, Problem>> {
        let view = wishes.view?;
        let controls = std::mem::take(&mut wishes.controls);
        let work = move || {
            controls.into_iter().try_for_each(|control| self.world.obey(control))?;
            self.instances.clear();
            self.world.go_on(seconds, &view, &mut self.instances)?;
            Ok(if self.world.has_changed() { self.greeted() } else { self })
        };
        beside(work).await
    }
}

impl Wishes {
    /// Whether to go on after a message.
    fn hear(&mut self, said: &Option<Result<Message, axum::Error>>, under_way: &mut UnderWay) -> Result<bool, Problem> {
        let text = match client_message(said)? {
            ClientMessage::End => return Ok(false),
            ClientMessage::Nothing => return Ok(true),
            ClientMessage::Text(text) => text,
        };
        let request: LiveRequest = serde_json::from_str(text).map_err(|error| {
            problem(&error.to_string(), "say view, pace, control or ack: { \"say\": \"ack\", \"frame\": 1 }")
        })?;
        match request {
            LiveRequest::View { position, forward, fov_y, aspect, far } => {
                let view = camera(position, forward, fov_y, aspect, far);
                self.view = Some(view.map_err(|error| problem(&error.to_string(), "send the camera that draws"))?);
            }
            LiveRequest::Pace { speed, rate } => {
                if !(0.0..=100.0).contains(&speed) || !(0.1..=240.0).contains(&rate) {
                    let help = "speed is from 0 to 100, and rate from 0.1 to 240";
                    return Err(problem("it cannot be paced like this", help));
                }
                (self.speed, self.every) = (speed, Duration::from_secs_f64(1.0 / rate));
            }
            LiveRequest::Control { .. } if self.controls.len() >= MOST_CONTROLS => {
                let help = "wait for a frame now and then; frames come once a view is sent";
                return Err(problem(&format!("more than {MOST_CONTROLS} controls wait"), help));
            }
            LiveRequest::Control { control } => self.controls.push(control),
            LiveRequest::Ack { frame } => under_way.acknowledge(frame)?,
        }
        Ok(true)
    }
}

fn camera(position: [f64; 3], forward: [f64; 3], fov_y: f64, aspect: f64, far: f64) -> Result<Camera, ViewError> {
    let (position, forward) = (position.into(), proscenium_view::glam::DVec3::from(forward));
    let mut camera = Camera::look_at(position, position + forward, fov_y, aspect)?;
    (camera.near, camera.far) = (NEAR, far);
    camera.validate()?;
    Ok(camera)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cameras_that_make_no_sense_are_refused() {
        let ahead = [0.0, 0.0, -1.0];
        assert!(camera([0.0; 3], ahead, 0.8, 1.5, 100.0).is_ok());
        assert!(camera([0.0; 3], [0.0; 3], 0.8, 1.5, 100.0).is_err());
        assert!(camera([0.0, f64::INFINITY, 0.0], ahead, 0.8, 1.5, 100.0).is_err());
        assert!(camera([0.0; 3], ahead, 4.0, 1.5, 100.0).is_err());
        assert!(camera([0.0; 3], ahead, 0.8, -1.0, 100.0).is_err());
        assert!(camera([0.0; 3], ahead, 0.8, 1.0, 0.01).is_err());
    }
}
