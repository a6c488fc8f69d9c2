//! Collision resolution within a world: impulses, or a contact that lasts.

use proscenium_bodies::glam::DVec3;
use proscenium_bodies::{CollidingBody, Encounter, Inertia, PairSurface, collide, part};

use super::{PRESSED, RAPID_COLLISIONS, RAPID_SPAN, World};
use crate::body::{Body, BodyId, MaterialId, Touchable};
use crate::error::SimulationError;
use crate::record::Contact;
use crate::surface::SurfaceSplines;

/// What became of a predicted touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CollisionOutcome {
    /// They do not touch, or do not approach each other.
    Missed,
    /// They touch slowly, and from now on in a contact that lasts.
    Held,
    /// They exchanged an impulse.
    Bounced,
}

/// Where and how two bodies of a world meet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meet {
    pub a: u32,
    pub b: u32,
    pub point: DVec3,
    pub normal: DVec3,
    pub surface: PairSurface,
}

impl World {
    /// What happens where a pair is expected to touch now.
    pub(crate) fn resolve_collision(&mut self, index: u32) -> Result<CollisionOutcome, SimulationError> {
        let now = self.now;
        let pair = &self.pairs[index as usize];
        // Nothing has changed the courses of the two since the prediction, or
        // it would have been made anew: the gap is the one predicted.
        let Some(gap) = pair.expected() else {
            return Ok(CollisionOutcome::Missed);
        };
        let (a, b) = (pair.a, pair.b);
        let (body_a, body_b) = (&self.bodies[a as usize], &self.bodies[b as usize]);
        let normal = if gap.normal == DVec3::ZERO { fallback_normal(body_a, body_b, now) } else { gap.normal };
        self.statistics.integrations += 2;

        let point = 0.5 * (gap.point_a + gap.point_b);
        let surface = self.surface_at(body_a, body_b, point);
        if self.is_jointed(a) || self.is_jointed(b) {
            return self.resolve_jointed(index, &Meet { a, b, point, normal, surface });
        }
        let (motion_a, motion_b) = (body_a.flight.at(now), body_b.flight.at(now));
        let approach = (motion_a.velocity_at(point) - motion_b.velocity_at(point)).dot(normal);
        if approach >= 0.0 && self.lasts([a, b], approach, surface) {
            self.hold(index);
            return Ok(CollisionOutcome::Held);
        }
        let mut first = CollidingBody { motion: motion_a, inertia: self.movable(body_a, approach) };
        let mut second = CollidingBody { motion: motion_b, inertia: self.movable(body_b, approach) };
        let plain = Encounter { point, normal, surface };
        let changed = self.collisions.next(a, b).map(|(upwards, change)| {
            // The normal is that from `a` to `b`, and is meant from the second that was named.
            let sign = if upwards == (a < b) { 1.0 } else { -1.0 };
            let normal = sign * change.normal(sign * normal);
            // A ball is touched where its surface faces the one that leans.
            let place = |body: &Body, centre: DVec3, sign: f64| match body.touchable {
                Touchable::Ball { radius, .. } => Some(centre + sign * radius * normal),
                _ => None,
            };
            let on_ball = place(body_a, motion_a.position, 1.0).or_else(|| place(body_b, motion_b.position, -1.0));
            Encounter { point: on_ball.unwrap_or(point), normal, surface: change.surface(surface) }
        });
        // A normal that leans so far that the two do not approach along it is left alone.
        let meeting = changed.unwrap_or(plain);
        let struck = collide(&mut first, &mut second, &meeting);
        let Some(mut impulse) = struck.or_else(|| collide(&mut first, &mut second, &plain)) else {
            return Ok(CollisionOutcome::Missed);
        };
        self.collisions.note(a, b);
        if let Some(speed) = self.least_parting() {
            impulse += part(&mut first, &mut second, &meeting, speed);
        }
        let outcome = [(a, first.motion, first.inertia.is_some()), (b, second.motion, second.inertia.is_some())];
        self.statistics.collisions += 1;
        self.note_contact(Contact { time: now, a: BodyId(a), b: BodyId(b), point, normal, impulse });
        for (k, motion, moved) in outcome {
            if moved {
                self.set_motion(k, motion)?;
                self.note_collision(k)?;
                self.freeze_if_slow(k);
            }
        }
        Ok(CollisionOutcome::Bounced)
    }

    /// Whether what two bodies do to each other at this speed of approach is a contact that
    /// lasts: they are slow, or pressed.
    pub(super) fn lasts(&self, both: [u32; 2], approach: f64, surface: PairSurface) -> bool {
        let pressed = |k: u32| {
            let body = &self.bodies[k as usize];
            body.rapid_collisions > PRESSED && self.now - body.rapid_since <= RAPID_SPAN
        };
        let lasts = |speed: f64| approach <= speed || both.into_iter().any(pressed);
        self.contact.is_some_and(|rule| lasts(rule.speed)) && surface.restitution < 1.0
    }

    /// The inertia of a body in a collision at this speed: one that moves as told gives way
    /// to nothing, and one that is frozen only to a blow that wakes it.
    fn movable<'a>(&self, body: &'a Body, approach: f64) -> Option<&'a Inertia> {
        body.inertia.as_ref().filter(|_| !body.is_driven() && !self.is_frozen(body, approach))
    }

    /// The surface where two bodies meet at a place.
    pub(super) fn surface_at(&self, a: &Body, b: &Body, point: DVec3) -> PairSurface {
        let now = self.now;
        let (first, second) = (a.material_at(point, now), b.material_at(point, now));
        let surface = self.surface(first, second);
        if a.splines.is_none() && b.splines.is_none() {
            return surface;
        }
        let here = |body: &Body, material: MaterialId| {
            let material = self.materials[material.0 as usize];
            let local = || body.world_from_shape(now).inverse_transform_point(point);
            body.splines.as_ref().map_or(material, |splines| splines.at(local(), material))
        };
        let met = here(a, first).meet(&here(b, second));
        let has = |of: fn(&SurfaceSplines) -> bool| [a, b].iter().any(|body| body.splines.as_ref().is_some_and(of));
        PairSurface {
            friction: if has(|splines| splines.friction.is_some()) { met.friction } else { surface.friction },
            restitution: if has(|splines| splines.restitution.is_some()) {
                met.restitution
            } else {
                surface.restitution
            },
            ..surface
        }
    }

    /// The surface where two bodies meet, zones apart.
    pub(super) fn surface_of(&self, a: u32, b: u32) -> PairSurface {
        self.surface(self.bodies[a as usize].material, self.bodies[b as usize].material)
    }

    pub(super) fn surface(&self, a: MaterialId, b: MaterialId) -> PairSurface {
        let stated = self.surfaces.get(&(a.0.min(b.0), a.0.max(b.0)));
        stated.copied().unwrap_or_else(|| self.materials[a.0 as usize].meet(&self.materials[b.0 as usize]))
    }

    /// Counts collisions that follow each other too fast: an error, not a hang.
    pub(super) fn note_collision(&mut self, index: u32) -> Result<(), SimulationError> {
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
        Ok(())
    }
}

/// Bodies freeze in comparisons only (see `crate::baselines`).
#[cfg(not(feature = "baselines"))]
impl World {
    fn least_parting(&self) -> Option<f64> {
        None
    }

    fn is_frozen(&self, _: &Body, _: f64) -> bool {
        false
    }

    fn freeze_if_slow(&mut self, _: u32) {}
}

/// The direction between two centres, for solids whose cores overlap before
/// they were ever seen apart.
fn fallback_normal(a: &Body, b: &Body, now: f64) -> DVec3 {
    (b.flight.position(now) - a.flight.position(now)).try_normalize().unwrap_or(DVec3::Y)
}
