//! Reading a world.

use proscenium_bodies::{Inertia, Motion};
use proscenium_geometry::{Bounds, Pose, Shape};

use super::World;
use crate::body::{Body, BodyId, Presence};
use crate::record::{Recording, Sample};
use crate::statistics::Statistics;

impl World {
    /// The time that the world has reached, seconds.
    pub fn now(&self) -> f64 {
        self.now
    }

    /// The gap that counts as contact.
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// The bodies, in the order of addition.
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> + use<> {
        (0..self.bodies.len() as u32).map(BodyId)
    }

    /// The name of a body.
    pub fn name(&self, body: BodyId) -> &str {
        &self.bodies[body.index()].name
    }

    /// The shape of a body.
    pub fn shape(&self, body: BodyId) -> &Shape {
        &self.bodies[body.index()].shape
    }

    /// The inertia of a body that can move.
    pub fn inertia(&self, body: BodyId) -> Option<&Inertia> {
        self.bodies[body.index()].inertia.as_ref()
    }

    /// Whether a body is at rest until something hits it, or one that moves as told has
    /// stopped for good.
    pub fn is_resting(&self, body: BodyId) -> bool {
        let body = &self.bodies[body.index()];
        let has_stopped = body.drive.as_ref().is_some_and(|drive| drive.is_still(self.now, f64::INFINITY));
        body.presence == Presence::Resting || (has_stopped && body.presence == Presence::Here)
    }

    /// The pose of a body's shape now; `None` while it is not in the world.
    pub fn pose(&self, body: BodyId) -> Option<Pose> {
        let body = &self.bodies[body.index()];
        body.is_here().then(|| body.world_from_shape(self.now))
    }

    /// The temporal bound of a body: the box that it stays in until the bound
    /// expires, if nothing hits it; `None` while it is not in the world.
    pub fn bound(&self, body: BodyId) -> Option<Bounds> {
        let body = &self.bodies[body.index()];
        body.is_here().then_some(body.bound)
    }

    /// The motion of a body's principal frame now; `None` while it is not in
    /// the world.
    pub fn motion(&self, body: BodyId) -> Option<Motion> {
        let known = &self.bodies[body.index()];
        known.is_here().then(|| {
            let motions = self.accurate_motions(body.0);
            motions.into_iter().find(|(k, _)| *k == body.0).map(|(_, motion)| motion)
        })?
    }

    /// Kinetic and potential energy of all bodies that can move, but for those that move as
    /// told, joules.
    pub fn energy(&self) -> f64 {
        let mut motions: Vec<Option<Motion>> = vec![None; self.bodies.len()];
        for index in 0..self.bodies.len() {
            let counts = self.bodies[index].inertia.is_some() && !self.bodies[index].is_driven();
            if counts && self.bodies[index].is_here() && motions[index].is_none() {
                for (k, motion) in self.accurate_motions(index as u32) {
                    motions[k as usize] = Some(motion);
                }
            }
        }
        let energy = |(body, motion): (&Body, Option<Motion>)| {
            let (inertia, motion) = (body.inertia.as_ref()?, motion?);
            Some(inertia.kinetic_energy(&motion) - inertia.mass * self.gravity.dot(motion.position))
        };
        self.bodies.iter().zip(motions).filter_map(energy).sum()
    }

    /// Counts of what was done.
    pub fn statistics(&self) -> Statistics {
        Statistics { bound_comparisons: self.intersections.comparisons(), ..self.statistics }
    }

    /// What was recorded, if the world was built with
    /// [`recording`](crate::WorldBuilder::recording).
    pub fn recording(&self) -> Option<&Recording> {
        self.recording.as_ref()
    }

    /// What was recorded, of a world that is needed no more.
    pub fn into_recording(self) -> Option<Recording> {
        self.recording
    }

    /// What the sample events saw.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// A number that depends on every bit of the state of every body: equal
    /// runs have equal hashes.
    pub fn state_hash(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut feed = |value: f64| {
            for byte in value.to_bits().to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        };
        feed(self.now);
        for body in &self.bodies {
            if body.is_here() {
                let motion = body.flight.at(self.now);
                let [p, v, w] = [motion.position, motion.velocity, motion.spin].map(|v| v.to_array());
                p.into_iter().chain(motion.orientation.to_array()).chain(v).chain(w).for_each(&mut feed);
            }
        }
        hash
    }
}
