//! From a drawn scene to a clip.

use std::sync::Arc;

use glam::DVec3;
use proscenium_clip::Clip;
use proscenium_rigid::{BodyId, Recording, SimulationError, Statistics, World};
use proscenium_work::{Completion, Progress};

use crate::drawn::DrawnScene;
use crate::error::SceneErrors;
use crate::look;

/// How to run a scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SimulateOptions {
    /// How long, seconds; `None` for what the scene says.
    pub duration: Option<f64>,
    /// How far a clip may be from the motion, metres; `None` for 0.2 mm per
    /// metre of the action's extent (taken as at least 5 cm and at most 5 m).
    pub position_error: Option<f64>,
    /// How far a clip may be turned from the motion, radians; `None` for half
    /// a degree. Within one flight a clip has at most 960 keys per second, so
    /// that a body which turns faster than a camera sees is shown too slow.
    pub angle_error: Option<f64>,
}

/// A collision that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactNote {
    /// When, seconds.
    pub time: f64,
    /// The name of one of the bodies.
    pub a: Arc<str>,
    /// The name of the other.
    pub b: Arc<str>,
    /// Where.
    pub point: DVec3,
    /// How fast they approached each other there, m/s.
    pub speed: f64,
    /// How hard they hit each other, N s.
    pub impulse: f64,
}

/// What came out of a run.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// What was seen: one node per body, named as the body. A body that enters
    /// late waits where it enters.
    pub clip: Clip,
    /// Counts of what was done.
    pub statistics: Statistics,
    /// The collisions, in order.
    pub contacts: Vec<ContactNote>,
    /// How many events had happened by some times, seconds.
    pub event_counts: Vec<(f64, u64)>,
    /// Whether somebody stopped the run before its end.
    pub stopped: bool,
    /// A number that depends on every bit of the state at the end.
    pub state_hash: u64,
    /// The world at the end.
    pub world: World,
}

// Where a run pauses to tell how far it is: chosen, and no part of the result.

/// So many steps of a progress bar look smooth.
const STEPS: f64 = 200.0;
/// No step is shorter than this share of the duration.
const SHORTEST_STEP: f64 = 1e-6;
/// About this many events take 20 ms; what takes more is cut into more steps.
const EVENTS_PER_STEP: u64 = 2000;

pub(crate) fn simulate(
    drawn: &DrawnScene,
    options: &SimulateOptions,
    progress: &Progress,
) -> Result<Simulation, SceneErrors> {
    let duration = options.duration.unwrap_or(drawn.scene().duration());
    for (what, value) in
        [("duration", Some(duration)), ("position error", options.position_error), ("angle error", options.angle_error)]
    {
        if let Some(value) = value.filter(|value| !(value.is_finite() && *value > 0.0)) {
            return Err(SceneErrors::plain(
                format!("the {what} must be positive, but is {value}"),
                "give a positive number",
            ));
        }
    }
    let drawn = &drawn.clone().lasting(duration);
    let (builder, placed) = drawn.prepared()?;
    let mut world = drawn.built(builder.recording())?;
    let mut event_counts = Vec::new();
    let ran = run(&mut world, duration, &mut event_counts, progress);
    let stopped = ran.map_err(|error| explain(drawn, &error))?;
    let turns = drawn.shown().map_or_else(|| Completion::Finished(Vec::new()), |shown| shown.turns(drawn, progress));
    let (turns, stopped) = match turns {
        Completion::Finished(turns) => (turns, stopped),
        Completion::Stopped => (Vec::new(), true),
    };
    let clip = look::clip(drawn, &placed, &world, &turns, options)?;
    let contacts = world.recording().map_or_else(Vec::new, |recording| contacts(&world, recording));
    Ok(Simulation {
        clip,
        statistics: world.statistics(),
        contacts,
        event_counts,
        stopped,
        state_hash: world.state_hash(),
        world,
    })
}

/// Advances a world to the end, or to where it is stopped. Where the pauses
/// are does not reach the result.
fn run(
    world: &mut World,
    duration: f64,
    event_counts: &mut Vec<(f64, u64)>,
    progress: &Progress,
) -> Result<bool, SimulationError> {
    let longest = duration / STEPS;
    let mut step = longest;
    let mut events = 0;
    while world.now() < duration {
        let next = world.now() + step;
        // The last step ends exactly at the end.
        let until = if next + 0.5 * step.min(SHORTEST_STEP * duration) >= duration { duration } else { next };
        let advanced = world.advance_watched(until, progress)?;
        let total = world.statistics().events;
        event_counts.push((world.now(), total));
        let told = progress.tell("simulating", world.now() / duration);
        if (advanced == Completion::Stopped || told.is_err()) && world.now() < duration {
            return Ok(true);
        }
        if total - events > EVENTS_PER_STEP {
            step = (0.5 * step).max(SHORTEST_STEP * duration);
        } else if total - events < EVENTS_PER_STEP / 4 {
            step = (2.0 * step).min(longest);
        }
        events = total;
    }
    Ok(false)
}

pub(crate) fn explain(drawn: &DrawnScene, error: &SimulationError) -> SceneErrors {
    let body = match error {
        SimulationError::NotFinite { body, .. }
        | SimulationError::EntersInside { body, .. }
        | SimulationError::Wedged { body, .. } => Some(body.as_str()),
        _ => None,
    };
    drawn.about(body, error)
}

fn contacts(world: &World, recording: &Recording) -> Vec<ContactNote> {
    let names: Vec<Arc<str>> = world.bodies().map(|body| Arc::from(world.name(body))).collect();
    let note = |contact: &proscenium_rigid::Contact| {
        let velocity = |body| velocity_before(recording, body, contact.time, contact.point);
        let approach = (velocity(contact.a) - velocity(contact.b)).dot(contact.normal);
        ContactNote {
            time: contact.time,
            a: names[contact.a.index()].clone(),
            b: names[contact.b.index()].clone(),
            point: contact.point,
            speed: approach.max(0.0),
            impulse: contact.impulse.length(),
        }
    };
    recording.contacts.iter().map(note).collect()
}

/// How fast a body moved at a point just before a time.
fn velocity_before(recording: &Recording, body: BodyId, time: f64, point: DVec3) -> DVec3 {
    let flights = recording.flights(body);
    let after = flights.partition_point(|flight| flight.start() < time);
    let before = after.checked_sub(1).and_then(|index| flights.get(index)).or(flights.first());
    before.map_or(DVec3::ZERO, |flight| flight.at(time).velocity_at(point))
}
