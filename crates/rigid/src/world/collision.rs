//! Collision resolution within a world: impulses, parting, rest.

use proscenium_bodies::glam::DVec3;
use proscenium_bodies::{Colliding, Encounter, Flight, Inertia, PairSurface, collide, parting_push, push_apart};

use super::{RAPID_COLLISIONS, RAPID_SPAN, World};
use crate::body::{Body, BodyId, MaterialId, Presence};
use crate::error::SimulationError;
use crate::record::Contact;

impl World {
    /// Exchanges an impulse if a pair is in contact and approaching; false if
    /// it is not.
    pub(crate) fn resolve_collision(&mut self, index: u32) -> Result<bool, SimulationError> {
        let now = self.now;
        let pair = &mut self.pairs[index as usize];
        // Nothing has changed the courses of the two since the prediction, or
        // it would have been made anew: the gap is the one predicted.
        let Some(gap) = pair.expected else {
            return Ok(false);
        };
        let (a, b) = (pair.a, pair.b);
        let (body_a, body_b) = (&self.bodies[a as usize], &self.bodies[b as usize]);
        if gap.normal != DVec3::ZERO {
            pair.normal = gap.normal;
        }
        let normal = if pair.normal == DVec3::ZERO { fallback_normal(body_a, body_b, now) } else { pair.normal };
        self.statistics.integrations += 2;

        let contact = 0.5 * (gap.point_a + gap.point_b);
        let surface = self.surface(body_a.material_at(contact, now), body_b.material_at(contact, now));
        let (motion_a, motion_b) = (body_a.flight.at(now), body_b.flight.at(now));
        let point = 0.5 * (gap.point_a + gap.point_b);
        let relative = motion_b.velocity_at(point) - motion_a.velocity_at(point);
        let mut first = Colliding { motion: motion_a, inertia: self.movable(a, -relative.dot(normal)) };
        let mut second = Colliding { motion: motion_b, inertia: self.movable(b, -relative.dot(normal)) };
        let meeting = Encounter { point, normal, surface };
        let Some(mut impulse) = collide(&mut first, &mut second, &meeting) else {
            return Ok(false);
        };
        let after = second.motion.velocity_at(point) - first.motion.velocity_at(point);
        let lost = -0.5 * impulse.dot(relative + after);
        let (given_back, push) = self.parting_push([a, b], &first, &second, &meeting, lost);
        push_apart(&mut first, &mut second, point, push);
        impulse += push;

        let outcome = [(a, first.motion, first.inertia.is_some()), (b, second.motion, second.inertia.is_some())];
        self.statistics.collisions += 1;
        if let Some(recording) = &mut self.recording {
            recording.contacts.push(Contact { time: now, a: BodyId(a), b: BodyId(b), point, normal, impulse });
        }
        for (k, motion, moved) in outcome {
            if moved {
                self.bodies[k as usize].lost_energy += lost - given_back;
                self.set_motion(k, motion)?;
                self.note_collision(k, surface.restitution < 1.0)?;
            }
        }
        Ok(true)
    }

    /// What keeps bounces that lose energy from becoming infinitely many in a
    /// moment: none parts slower than a quarter of the speed of rest. The
    /// energy comes out of what one of the two has lost before, so that no
    /// body ever gains what it did not have.
    fn parting_push(
        &self,
        pair: [u32; 2],
        a: &Colliding<'_>,
        b: &Colliding<'_>,
        meeting: &Encounter,
        lost: f64,
    ) -> (f64, DVec3) {
        let none = (0.0, DVec3::ZERO);
        let Some(rule) = self.rest.filter(|_| meeting.surface.restitution < 1.0) else {
            return none;
        };
        let account = pair.map(|k| self.bodies[k as usize].lost_energy).into_iter().fold(0.0, f64::max) + lost;
        parting_push(a, b, meeting, 0.25 * rule.speed).filter(|(energy, _)| *energy <= account).unwrap_or(none)
    }

    /// The inertia of a body in a collision at this speed: a resting body
    /// gives way only to a blow that wakes it.
    fn movable(&self, index: u32, speed: f64) -> Option<&Inertia> {
        let body = &self.bodies[index as usize];
        let awake = body.presence != Presence::Resting || self.rest.is_none_or(|rule| speed > rule.speed);
        body.inertia.as_ref().filter(|_| awake)
    }

    fn surface(&self, a: MaterialId, b: MaterialId) -> PairSurface {
        let stated = self.surfaces.get(&(a.0.min(b.0), a.0.max(b.0)));
        stated.copied().unwrap_or_else(|| self.materials[a.0 as usize].meet(&self.materials[b.0 as usize]))
    }

    /// Counts slow and rapid collisions: the first lead to rest, the second
    /// to an error.
    fn note_collision(&mut self, index: u32, lossy: bool) -> Result<(), SimulationError> {
        let now = self.now;
        let body = &mut self.bodies[index as usize];
        if now - body.rapid_since > RAPID_SPAN {
            (body.rapid_collisions, body.rapid_since) = (0, now);
        }
        body.rapid_collisions += 1;
        if body.rapid_collisions > RAPID_COLLISIONS {
            let count = body.rapid_collisions;
            return Err(SimulationError::Wedged { body: body.name.clone(), count, span: RAPID_SPAN, time: now });
        }
        let Some(rule) = self.rest else {
            return Ok(());
        };
        let motion = *body.flight.initial();
        let speed = motion.velocity.length() + motion.spin.length() * body.reach;
        let slow = lossy && speed < rule.speed;
        body.slow_collisions = if slow { body.slow_collisions + 1 } else { 0 };
        if body.slow_collisions >= rule.collisions {
            body.slow_collisions = 0;
            body.presence = Presence::Resting;
            body.flight = Flight::resting(now, &motion.pose());
            self.record_flight(index);
        }
        Ok(())
    }
}

/// The direction between two centres, for solids whose cores overlap before
/// they were ever seen apart.
fn fallback_normal(a: &Body, b: &Body, now: f64) -> DVec3 {
    (b.flight.position(now) - a.flight.position(now)).try_normalize().unwrap_or(DVec3::Y)
}
