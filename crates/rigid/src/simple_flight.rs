//! What the simplest predictions need of a body, and nothing else.

use proscenium_bodies::glam::DVec3;
use proscenium_geometry::Gap;

use crate::body::{Body, Touchable};
use crate::predict::at_once;
use crate::roots::Polynomial;

/// The course of a body, compact: in a crowd most of the time goes to
/// predictions that find nothing, and they should not wait for memory.
///
/// Balls that fly, and planes, are predicted from this alone, and of other
/// solids that fly, when their bounding spheres meet.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct SimpleFlight {
    /// At the start; for a plane, a point of it.
    position: DVec3,
    /// At the start; for a plane, its normal.
    velocity: DVec3,
    start: f64,
    /// Of a ball; for other solids that fly, minus that of the bounding sphere;
    /// or one of the two constants below.
    radius: f64,
}

const PLANE: f64 = f64::INFINITY;
const OTHER: f64 = f64::NEG_INFINITY;

impl SimpleFlight {
    /// The course of a body as it is now, in a world with this gravity.
    pub(crate) fn of(body: &Body, gravity: DVec3) -> Self {
        let (flight, start) = (&body.flight, body.flight.start());
        let flies = flight.acceleration() == gravity && !body.rolls() && body.island.is_none();
        let (position, velocity) = (flight.initial().position, flight.initial().velocity);
        match &body.touchable {
            Touchable::Ball { radius, .. } if flies => Self { position, velocity, start, radius: *radius },
            Touchable::HalfSpace { normal } => {
                Self { position, velocity: flight.pose(start).rotation * *normal, start, radius: PLANE }
            }
            Touchable::Parts(_) if flies => Self { position, velocity, start, radius: -body.reach },
            _ => Self { position, velocity, start, radius: OTHER },
        }
    }

    pub(crate) fn is_ball(&self) -> bool {
        self.radius > 0.0 && self.radius < PLANE
    }

    /// Whether the first touch of this and another follows from the two.
    pub(crate) fn tells_touch(&self, other: &Self) -> bool {
        self.is_ball() && (other.is_ball() || other.radius == PLANE)
    }

    /// Whether it is a solid that flies.
    fn flies(&self) -> bool {
        self.radius.is_finite()
    }

    /// The same course of a solid, from another start.
    #[inline]
    pub(crate) fn from(&self, start: f64, gravity: DVec3) -> Self {
        let dt = start - self.start;
        Self {
            position: self.position + dt * (self.velocity + 0.5 * dt * gravity),
            velocity: self.velocity + dt * gravity,
            start,
            radius: self.radius,
        }
    }

    /// When a ball first touches another ball or a plane on these courses, or
    /// infinity; `None` if that cannot be told from the courses. The result
    /// has the same bits as that of the general prediction.
    #[inline]
    pub(crate) fn first_touch(&self, other: &Self, gravity: DVec3) -> Option<f64> {
        let began = self.start.max(other.start);
        if other.is_ball() {
            let (own, other) = (self.from(began, gravity), other.from(began, gravity));
            let (p, v, r) = (other.position - own.position, other.velocity - own.velocity, own.radius + other.radius);
            let (half, a) = (p.dot(v), v.length_squared());
            if a == 0.0 {
                return None;
            }
            let c = p.length_squared() - r * r;
            let discriminant = half * half - a * c;
            if discriminant <= 0.0 || half >= 0.0 {
                return Some(f64::INFINITY);
            }
            return Some(began + (c / (discriminant.sqrt() - half)).max(0.0));
        }
        if other.radius == PLANE {
            let own = self.from(began, gravity);
            let normal = other.velocity;
            let height = normal.dot(own.position - other.position);
            let gap = Polynomial::plane_gap(height - own.radius, normal.dot(own.velocity), normal.dot(gravity));
            return Some(gap.first_overlap().map_or(f64::INFINITY, |overlap| began + overlap.enter));
        }
        None
    }

    /// When the bounding sphere of a solid, a tolerance wider, first meets that
    /// of another or a plane on these courses, or infinity; `None` if that
    /// cannot be told from the courses, or if they have met when the younger
    /// course begins. The result has the same bits as that of the general
    /// prediction.
    #[inline]
    pub(crate) fn first_near(&self, other: &Self, tolerance: f64, gravity: DVec3) -> Option<f64> {
        if !self.flies() || !(other.flies() || other.radius == PLANE) {
            return None;
        }
        let began = self.start.max(other.start);
        let (own, reach) = (self.from(began, gravity), self.radius.abs());
        let spheres = if other.radius == PLANE {
            let normal = other.velocity;
            let height = normal.dot(own.position - other.position);
            Polynomial::plane_gap(height - reach - tolerance, normal.dot(own.velocity), normal.dot(gravity))
        } else {
            let other = other.from(began, gravity);
            let (p, v) = (other.position - own.position, other.velocity - own.velocity);
            Polynomial::sphere_gap(p, v, DVec3::ZERO, reach + other.radius.abs() + tolerance)
        };
        if !spheres.apart() {
            return None;
        }
        let enter = spheres.first_overlap().map_or(f64::INFINITY, |overlap| overlap.enter);
        (enter > at_once(began)).then_some(began + enter)
    }

    /// The gap between a ball and another ball or a plane at a time; `None` if
    /// that cannot be told from the courses.
    pub(crate) fn gap(&self, other: &Self, time: f64, gravity: DVec3) -> Option<Gap> {
        if !self.tells_touch(other) {
            return None;
        }
        let centre = self.from(time, gravity).position;
        if other.is_ball() {
            let far_centre = other.from(time, gravity).position;
            let between = far_centre - centre;
            let normal = between.normalize_or_zero();
            return Some(Gap {
                distance: between.length() - self.radius - other.radius,
                point_a: centre + self.radius * normal,
                point_b: far_centre - other.radius * normal,
                normal,
            });
        }
        let normal = other.velocity;
        let lowest = centre - self.radius * normal;
        let distance = normal.dot(lowest - other.position);
        Some(Gap { distance, point_a: lowest, point_b: lowest - distance * normal, normal: -normal })
    }
}

/// When a point that moves on a parabola first leaves a box that it is in.
pub(crate) fn leaves(position: DVec3, velocity: DVec3, acceleration: DVec3, low: DVec3, high: DVec3) -> f64 {
    let mut first = f64::INFINITY;
    for axis in 0..3 {
        let (p, v, a) = (position[axis], velocity[axis], acceleration[axis]);
        if a == 0.0 {
            if v != 0.0 {
                let wall = if v > 0.0 { high[axis] } else { low[axis] };
                first = first.min((wall - p) / v);
            }
            continue;
        }
        for gap in [Polynomial::plane_gap(high[axis] - p, -v, -a), Polynomial::plane_gap(p - low[axis], v, a)] {
            first = gap.first_overlap().map_or(first, |overlap| first.min(overlap.enter));
        }
    }
    first.max(0.0)
}
