//! Balls alone on flat ground: they move in closed form.

use proscenium_bodies::glam::DVec3;
use proscenium_bodies::{Flight, Inertia};

use super::World;
use super::island::Step;
use crate::body::{Presence, Touchable};
use crate::contact::{Course, Rolling, Support, plan};
use crate::error::SimulationError;
use crate::roots::Polynomial;
use crate::surface::Region;

/// A length that makes no difference to anything but which side of an edge a
/// point is on, metres.
const HAIR: f64 = 1e-9;

impl World {
    /// A ball alone on flat ground moves in closed form until something about
    /// it changes.
    pub(super) fn try_rolling(&mut self, step: &Step) -> Result<bool, SimulationError> {
        let ([k], []) = (&step.members[..], &step.linkages[..]) else {
            return Ok(false);
        };
        let k = *k;
        let body = &self.bodies[k as usize];
        let (Touchable::Ball { radius, .. }, Some(inertia)) = (&body.touchable, &body.inertia) else {
            return Ok(false);
        };
        let Some((supports, places)) = self.supports(step) else {
            return Ok(false);
        };
        let ball = rolling(*radius, inertia);
        let leaves = |support: &Support| step.motions[0].velocity.dot(support.normal) > self.contact_speed();
        if supports.iter().any(leaves) {
            return Ok(false);
        }
        let Some(mut course) = plan(&step.motions[0], ball, &supports, self.gravity) else {
            return Ok(false);
        };
        for (contact, place) in step.contacts.iter().zip(&places) {
            course.duration = course.duration.min(self.until_ground_changes(contact.pair, place, &course));
        }
        if course.duration <= 1e-9 {
            return Ok(false);
        }
        self.set_rolling(k, &course);
        Ok(true)
    }

    fn contact_speed(&self) -> f64 {
        self.contact.map_or(0.0, |rule| rule.speed)
    }

    /// The planes that a single ball lies on, and where; `None` if one of its
    /// contacts is not flat, or not with something fixed.
    fn supports(&self, step: &Step) -> Option<(Vec<Support>, Vec<DVec3>)> {
        let skin = self.contact.map_or(0.0, |rule| rule.skin);
        let mut supports: Vec<Support> = Vec::new();
        let mut places = Vec::new();
        for contact in &step.contacts {
            let [place] = contact.places[..] else {
                return None;
            };
            // What has yet to come down, or to be pushed out, is stepped.
            if !(-skin..=4.0 * skin).contains(&place.gap) {
                return None;
            }
            let pair = &self.pairs[contact.pair as usize];
            let ground = &self.bodies[pair.b as usize];
            if ground.inertia.is_some() {
                return None;
            }
            let normal = match &ground.touchable {
                Touchable::HalfSpace { .. } => -place.normal,
                Touchable::Parts(parts) => {
                    let pose = ground.flight.pose(self.now);
                    let local = pose.rotation.inverse() * -place.normal;
                    let facet = parts.iter().flat_map(|part| part.facets()).find(|facet| {
                        let height = facet.normal.dot(pose.inverse_transform_point(place.point_b)) - facet.offset;
                        facet.normal.dot(local) > 1.0 - 1e-9 && height.abs() < 1e-9 * (1.0 + facet.offset.abs())
                    })?;
                    pose.rotation * facet.normal
                }
                _ => return None,
            };
            // What lies a hair ahead counts: at the edge of a zone the ball is
            // in the next one.
            let ahead = place.point_b + HAIR * step.motions[0].velocity.normalize_or_zero();
            let ball = &self.bodies[pair.a as usize];
            let surface = self.surface(ball.material_at(ahead, self.now), ground.material_at(ahead, self.now));
            places.push(ahead);
            if !supports.iter().any(|known| known.normal.dot(normal) > 1.0 - 1e-9) {
                supports.push(Support { normal, surface });
            }
        }
        (!supports.is_empty()).then_some((supports, places))
    }

    /// When the foot of a ball leaves the face that it is on, or crosses into
    /// or out of a zone.
    fn until_ground_changes(&self, pair: u32, foot: &DVec3, course: &Course) -> f64 {
        let ground = &self.bodies[self.pairs[pair as usize].b as usize];
        let pose = ground.world_from_shape(self.now);
        let turn = pose.rotation.inverse();
        let (point, velocity, acceleration) =
            (pose.inverse_transform_point(*foot), turn * course.motion.velocity, turn * course.acceleration);
        let passes = |normal: DVec3, offset: f64| {
            let gap =
                Polynomial::plane_gap(offset - normal.dot(point), -normal.dot(velocity), -normal.dot(acceleration));
            gap.first_overlap().map_or(f64::INFINITY, |overlap| overlap.enter)
        };
        let mut first = f64::INFINITY;
        if let Touchable::Parts(parts) = &ground.touchable {
            // Fixed bodies have their principal frame in their shape's.
            for part in parts.iter() {
                let here = part.facets().iter().all(|facet| facet.normal.dot(point) <= facet.offset + 2.0 * HAIR);
                if !here {
                    continue;
                }
                let level = |normal: DVec3| {
                    normal.dot(velocity).abs() <= 1e-12 * velocity.length()
                        && normal.dot(acceleration).abs() <= 1e-12 * acceleration.length()
                };
                let sides = part.facets().iter().filter(|facet| !level(facet.normal));
                first = sides.map(|facet| passes(facet.normal, facet.offset)).fold(first, f64::min);
            }
        }
        for zone in &ground.zones {
            first = first.min(match zone.region {
                Region::Box { min, max } => {
                    let side = |axis: usize, at: f64| {
                        let normal = if point[axis] < at { DVec3::AXES[axis] } else { -DVec3::AXES[axis] };
                        if at.is_finite() { passes(normal, normal[axis] * at) } else { f64::INFINITY }
                    };
                    let both = |axis: usize| side(axis, min[axis]).min(side(axis, max[axis]));
                    (0..3).map(both).fold(f64::INFINITY, f64::min)
                }
                Region::Ball { center, radius } => {
                    let gap = Polynomial::sphere_gap(point - center, velocity, acceleration, radius);
                    if gap.apart() {
                        gap.first_overlap().map_or(f64::INFINITY, |overlap| overlap.enter)
                    } else {
                        gap.leave()
                    }
                }
            });
        }
        first
    }

    fn set_rolling(&mut self, index: u32, course: &Course) {
        if course.rests {
            self.put_to_rest(index);
        } else {
            let flight =
                Flight::ball(self.now, course.motion, course.acceleration, course.spin_rate, course.duration.min(1e3));
            let body = &mut self.bodies[index as usize];
            body.take_flight(flight);
            body.presence = Presence::Here;
            body.rolling = true;
            self.note_flight(index);
            self.record_flight(index);
            self.found_island(vec![index], self.now + course.duration);
        }
        self.renew_bound(index);
        self.predict_all(index);
    }
}

fn rolling(radius: f64, inertia: &Inertia) -> Rolling {
    Rolling { radius, share: inertia.moments.x / (inertia.mass * radius * radius) }
}
