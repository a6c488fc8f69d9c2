//! Bodies that lie still together fall asleep together.

use proscenium_bodies::contact::Islands;

use super::collision::Partner;
use super::joints::GROUND;
use super::{Body, World};

/// A body that moves more slowly at its rim than this share of the speed of a
/// fall from its own radius is still; chosen: a fall that slow is not seen.
const STILL: f64 = 0.03;
/// An island sleeps once all of it was still for so long, seconds; chosen, so
/// that what turns around at the top of a swing does not.
const DROWSY: f64 = 0.5;
/// What presses on a sleeper wakes it if it is faster than this many times what
/// gravity adds in a step: more than lying on it.
const KNOCK: f64 = 1.6;

impl World {
    /// Wakes a body, and all that fell asleep with it.
    pub(super) fn wake(&mut self, index: usize) {
        if let Some(island) = self.bodies[index].asleep {
            for body in self.bodies.iter_mut().filter(|body| body.asleep == Some(island)) {
                (body.asleep, body.still_for) = (None, 0.0);
            }
        }
    }

    /// Wakes what is knocked: contacts whose other body comes faster than what
    /// merely lies there.
    pub(super) fn wake_what_is_knocked(&mut self, step: f64) {
        let knock = KNOCK * step * self.settings.gravity.length();
        let mut woken = Vec::new();
        for collision in &self.collisions {
            let Partner::Body(other) = collision.partner else {
                continue;
            };
            let (one, two) = (&self.bodies[collision.a as usize], &self.bodies[other.0 as usize]);
            let sleeper = match (one.asleep.is_some(), two.asleep.is_some()) {
                (true, false) => collision.a,
                (false, true) => other.0,
                _ => continue,
            };
            let is_knocked = collision.contacts.iter().any(|contact| {
                let apart = two.motion.velocity_at(contact.point) - one.motion.velocity_at(contact.point);
                let approach = -apart.dot(contact.normal);
                approach > knock && approach * step >= -contact.depth
            });
            if is_knocked {
                woken.push(sleeper);
            }
        }
        woken.into_iter().for_each(|sleeper| self.wake(sleeper as usize));
    }

    /// Lets islands sleep of which every body has been still for long enough.
    pub(super) fn fall_asleep(&mut self, step: f64) {
        let gravity = self.settings.gravity.length();
        if !self.settings.sleeping || gravity <= 0.0 {
            return;
        }
        let mut islands = Islands::new(self.bodies.len());
        for collision in &self.collisions {
            if let Partner::Body(other) = collision.partner {
                let both = [collision.a, other.0].map(|index| self.bodies[index as usize].is_awake());
                if both == [true, true] {
                    islands.join(collision.a, other.0);
                }
            }
        }
        // What touches nothing is in the air, however slow.
        let mut touching = vec![false; self.bodies.len()];
        for both in self.joints.pairs() {
            let awake = |index: &u32| *index != GROUND && self.bodies[*index as usize].is_awake();
            if both.iter().all(awake) {
                islands.join(both[0], both[1]);
            }
            both.into_iter().filter(|index| *index != GROUND).for_each(|index| touching[index as usize] = true);
        }
        for collision in &self.collisions {
            touching[collision.a as usize] = true;
            if let Partner::Body(other) = collision.partner {
                touching[other.0 as usize] = true;
            }
        }
        for (body, touches) in self.bodies.iter_mut().zip(&touching) {
            body.still_for = if *touches && is_still(body, gravity) { body.still_for + step } else { 0.0 };
        }
        let mut rested = vec![f64::INFINITY; self.bodies.len()];
        for index in 0..self.bodies.len() as u32 {
            if self.bodies[index as usize].is_awake() {
                let least = &mut rested[islands.of(index) as usize];
                *least = least.min(self.bodies[index as usize].still_for);
            }
        }
        for index in 0..self.bodies.len() as u32 {
            let home = islands.of(index);
            if self.bodies[index as usize].is_awake() && rested[home as usize] >= DROWSY {
                let body = &mut self.bodies[index as usize];
                body.asleep = Some(self.sleepers + u64::from(home));
                (body.motion.velocity, body.motion.spin) = Default::default();
            }
        }
        self.sleepers += self.bodies.len() as u64;
    }
}

fn is_still(body: &Body, gravity: f64) -> bool {
    let (radius, motion) = (body.model.radius(), &body.motion);
    motion.velocity.length() + radius * motion.spin.length() < STILL * (gravity * radius).sqrt()
}
