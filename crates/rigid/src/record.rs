//! What is remembered of a simulation.

use proscenium_bodies::glam::DVec3;
use proscenium_bodies::{Flight, Motion};
use proscenium_geometry::Pose;

use crate::body::BodyId;

/// A collision that happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// When.
    pub time: f64,
    /// One of the bodies.
    pub a: BodyId,
    /// The other.
    pub b: BodyId,
    /// Where.
    pub point: DVec3,
    /// Unit vector from `a` to `b`.
    pub normal: DVec3,
    /// On `b`, N s.
    pub impulse: DVec3,
}

/// Two bodies that begin to press on each other without a blow: too slowly to bounce, or
/// in a step of all that touches. What touches from its entry on is not among them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// When.
    pub time: f64,
    /// One of the bodies.
    pub a: BodyId,
    /// The other.
    pub b: BodyId,
}

impl Touch {
    /// Touches come in this order.
    pub(crate) fn order(&self, other: &Self) -> std::cmp::Ordering {
        let bodies = |touch: &Self| (touch.a, touch.b);
        self.time.total_cmp(&other.time).then_with(|| bodies(self).cmp(&bodies(other)))
    }
}

/// Every flight of every body: the whole motion, exactly.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    pub(crate) bodies: Vec<Life>,
    /// The collisions, in order.
    pub contacts: Vec<Contact>,
    /// The touches that are no collisions, in order.
    pub touches: Vec<Touch>,
}

/// One body's part of a recording.
#[derive(Clone, Debug, Default)]
pub(crate) struct Life {
    pub flights: Vec<Flight>,
    pub principal_from_shape: Option<Pose>,
    pub end: Option<f64>,
}

impl Recording {
    /// What was recorded before a time: the flights that began before it.
    pub(crate) fn before(&self, time: f64) -> Self {
        let cut = |life: &Life| Life {
            flights: life.flights.iter().filter(|flight| flight.start() < time).cloned().collect(),
            end: life.end.filter(|end| *end < time),
            ..life.clone()
        };
        let contacts = self.contacts.iter().copied().filter(|contact| contact.time < time).collect();
        let touches = self.touches.iter().copied().filter(|touch| touch.time < time).collect();
        Self { bodies: self.bodies.iter().map(cut).collect(), contacts, touches }
    }

    /// This, and then that.
    pub(crate) fn followed_by(mut self, later: &Self) -> Self {
        for (life, more) in self.bodies.iter_mut().zip(&later.bodies) {
            life.flights.extend(more.flights.iter().cloned());
            life.principal_from_shape = life.principal_from_shape.or(more.principal_from_shape);
            life.end = life.end.or(more.end);
        }
        self.contacts.extend(later.contacts.iter().copied());
        self.touches.extend(later.touches.iter().copied());
        self
    }

    /// Adds a touch that is not earlier than any before it.
    pub(crate) fn add_touch(&mut self, touch: Touch) {
        let place = self.touches.partition_point(|other| other.order(&touch).is_le());
        self.touches.insert(place, touch);
    }

    /// The flights of a body, in order; the first starts when the body enters.
    pub fn flights(&self, body: BodyId) -> &[Flight] {
        self.bodies.get(body.index()).map_or(&[], |life| &life.flights)
    }

    /// When the body was taken out of the world, if it was.
    pub fn end(&self, body: BodyId) -> Option<f64> {
        self.bodies.get(body.index()).and_then(|life| life.end)
    }

    /// The pose of a body's shape in a motion of its principal frame; `None` if it never
    /// entered.
    pub fn shape_pose(&self, body: BodyId, motion: &Motion) -> Option<Pose> {
        Some(motion.pose() * self.bodies.get(body.index())?.principal_from_shape?)
    }

    /// The pose of a body's shape at a time; `None` before it enters and
    /// after it is removed.
    pub fn pose(&self, body: BodyId, time: f64) -> Option<Pose> {
        let life = self.bodies.get(body.index())?;
        if life.end.is_some_and(|end| time > end) {
            return None;
        }
        let after = life.flights.partition_point(|flight| flight.start() <= time);
        let flight = life.flights.get(after.checked_sub(1)?)?;
        Some(flight.pose(time) * life.principal_from_shape?)
    }
}

/// The poses of all bodies at one time, as a sample event saw them.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// When.
    pub time: f64,
    /// Per body the pose of its shape; `None` while it is not in the world.
    pub poses: Vec<Option<Pose>>,
}
