//! Two-stage prediction: bounding spheres while apart, then closest points.

use proscenium_bodies::glam::DVec3;
use proscenium_geometry::{Bounds, Gap, Pose, Warmth};

use crate::approach::{Effort, Meeting, Side, first_touch, gap_between};
use crate::body::{Body, Touchable};
use crate::field::{field_gap, first_touch_of_field};
use crate::roots::Polynomial;

/// What is expected of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Forecast {
    /// They do not meet on their present courses.
    Never,
    /// They may be close from this time on: look again then.
    Near(f64),
    /// They touch at this time, with these parts.
    Touch(f64, Spot),
}

impl Forecast {
    pub(crate) fn time(&self) -> f64 {
        match self {
            Self::Never => f64::INFINITY,
            Self::Near(time) | Self::Touch(time, _) => *time,
        }
    }
}

/// Which parts of two bodies touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spot {
    pub part_a: u32,
    pub part_b: u32,
}

/// Predicts when `a`, which is solid, meets `b`, from `now` on.
pub(crate) fn predict(
    a: &Body,
    b: &Body,
    now: f64,
    tolerance: f64,
    warmth: &mut Warmth,
    effort: &mut Effort,
) -> Forecast {
    match &b.touchable {
        Touchable::HalfSpace { normal } => predict_plane(a, b, *normal, now, tolerance, effort),
        Touchable::Triangles { .. } => predict_triangles(a, b, now, tolerance, effort),
        Touchable::Field(field) => {
            let meeting = first_touch_of_field(a, b, field, now, a.bound_expires, tolerance, effort);
            forecast(meeting, Spot::default())
        }
        Touchable::Ball { .. } | Touchable::Parts(_) => predict_solids(a, b, now, tolerance, warmth, effort),
    }
}

fn forecast(meeting: Meeting, spot: Spot) -> Forecast {
    match meeting {
        Meeting::At(time) => Forecast::Touch(time, spot),
        Meeting::LookAgain(time) => Forecast::Near(time),
        Meeting::NotBefore => Forecast::Never,
    }
}

fn predict_solids(a: &Body, b: &Body, now: f64, tolerance: f64, warmth: &mut Warmth, effort: &mut Effort) -> Forecast {
    let offset = b.flight.position(now) - a.flight.position(now);
    let velocity = b.flight.velocity(now) - a.flight.velocity(now);
    let acceleration = b.flight.acceleration() - a.flight.acceleration();
    if let (Touchable::Ball { radius: ra, .. }, Touchable::Ball { radius: rb, .. }) = (&a.touchable, &b.touchable) {
        return match Polynomial::sphere_gap(offset, velocity, acceleration, ra + rb).first_overlap() {
            Some(overlap) => Forecast::Touch(now + overlap.enter, Spot::default()),
            None => Forecast::Never,
        };
    }
    // Stage one: the bounding spheres, a tolerance wider than they need be.
    let spheres = Polynomial::sphere_gap(offset, velocity, acceleration, a.reach + b.reach + tolerance);
    let until = match stage_one(&spheres, now) {
        Ok(until) => until,
        Err(forecast) => return forecast,
    };
    // Stage two: the parts themselves, while the spheres overlap.
    let (parts_a, parts_b) = (a.touchable.parts(), b.touchable.parts());
    if let ([part_a], [part_b]) = (parts_a, parts_b) {
        let (side_a, side_b) =
            (Side::Part { part: part_a, flight: &a.flight }, Side::Part { part: part_b, flight: &b.flight });
        let meeting = first_touch(side_a, side_b, now, until, tolerance, warmth, effort);
        return after_overlap(forecast(meeting, Spot::default()), until, acceleration);
    }
    let mut first = Forecast::Never;
    for (i, part_a) in parts_a.iter().enumerate() {
        for (j, part_b) in parts_b.iter().enumerate() {
            let side_a = Side::Part { part: part_a, flight: &a.flight };
            let side_b = Side::Part { part: part_b, flight: &b.flight };
            let horizon = until.min(first.time());
            let mut cold = Warmth::default();
            let mut own = Effort::default();
            let meeting = first_touch(side_a, side_b, now, horizon, tolerance, &mut cold, &mut own);
            effort.add(&own);
            first = earlier(first, forecast(meeting, Spot { part_a: i as u32, part_b: j as u32 }));
        }
    }
    after_overlap(first, until, acceleration)
}

fn earlier(a: Forecast, b: Forecast) -> Forecast {
    if b.time() < a.time() { b } else { a }
}

/// How long the bounding spheres overlap from now on, or what to do if they
/// do not.
fn stage_one(spheres: &Polynomial, now: f64) -> Result<f64, Forecast> {
    // What lies closer than the resolution of time is now.
    let at_once = 1e-12 * (1.0 + now.abs());
    if !spheres.apart() {
        let leave = spheres.leave();
        if leave > at_once {
            return Ok(now + leave);
        }
    }
    match spheres.first_overlap() {
        None => Err(Forecast::Never),
        Some(overlap) if overlap.enter > at_once => Err(Forecast::Near(now + overlap.enter)),
        Some(overlap) => Ok(now + overlap.leave),
    }
}

/// Bodies that do not touch while their spheres overlap may meet later only
/// if their relative course is bent.
fn after_overlap(found: Forecast, until: f64, acceleration: DVec3) -> Forecast {
    if found == Forecast::Never && until < f64::INFINITY && acceleration != DVec3::ZERO {
        Forecast::Near(until)
    } else {
        found
    }
}

fn predict_plane(a: &Body, plane: &Body, normal: DVec3, now: f64, tolerance: f64, effort: &mut Effort) -> Forecast {
    let pose = plane.flight.pose(now);
    let (point, normal) = (pose.translation, pose.rotation * normal);
    let height = normal.dot(a.flight.position(now) - point);
    let speed = normal.dot(a.flight.velocity(now));
    let acceleration = normal.dot(a.flight.acceleration());
    if let Touchable::Ball { radius, .. } = &a.touchable {
        return match Polynomial::plane_gap(height - radius, speed, acceleration).first_overlap() {
            Some(overlap) => Forecast::Touch(now + overlap.enter, Spot::default()),
            None => Forecast::Never,
        };
    }
    let spheres = Polynomial::plane_gap(height - a.reach - tolerance, speed, acceleration);
    let until = match stage_one(&spheres, now) {
        Ok(until) => until,
        Err(forecast) => return forecast,
    };
    let mut first = Forecast::Never;
    for (i, part) in a.touchable.parts().iter().enumerate() {
        let side = Side::Part { part, flight: &a.flight };
        let mut own = Effort::default();
        let horizon = until.min(first.time());
        let against = Side::Plane { point, normal };
        let meeting = first_touch(side, against, now, horizon, tolerance, &mut Warmth::default(), &mut own);
        effort.add(&own);
        first = earlier(first, forecast(meeting, Spot { part_a: i as u32, part_b: 0 }));
    }
    after_overlap(first, until, acceleration * normal)
}

/// Against triangles the prediction covers the time of the body's bound, and
/// is renewed with it.
fn predict_triangles(a: &Body, b: &Body, now: f64, tolerance: f64, effort: &mut Effort) -> Forecast {
    let Touchable::Triangles { mesh, parts: triangles } = &b.touchable else {
        return Forecast::Never;
    };
    let local = bounds_in(&b.flight.pose(now), &a.bound);
    let mut first = Forecast::Never;
    for triangle in mesh.triangles_near(&local.grow(tolerance)) {
        for (i, part) in a.touchable.parts().iter().enumerate() {
            let side_a = Side::Part { part, flight: &a.flight };
            let side_b = Side::Part { part: &triangles[triangle as usize], flight: &b.flight };
            let mut own = Effort::default();
            let horizon = a.bound_expires.min(first.time());
            let meeting = first_touch(side_a, side_b, now, horizon, tolerance, &mut Warmth::default(), &mut own);
            effort.add(&own);
            first = earlier(first, forecast(meeting, Spot { part_a: i as u32, part_b: triangle }));
        }
    }
    first
}

/// A box in the frame of a pose that contains a box in the world.
fn bounds_in(pose: &Pose, bounds: &Bounds) -> Bounds {
    let corner = |k: usize| {
        let pick = |bit: usize, axis: usize| if k & bit == 0 { bounds.min[axis] } else { bounds.max[axis] };
        pose.inverse_transform_point(DVec3::new(pick(1, 0), pick(2, 1), pick(4, 2)))
    };
    Bounds::from_points((0..8).map(corner))
}

impl Effort {
    /// Adds the queries of a part of a prediction; the most iterations of any
    /// part count.
    fn add(&mut self, part: &Self) {
        self.iterations = self.iterations.max(part.iterations);
        self.distance_queries += part.distance_queries;
    }
}

/// The gap between two bodies where they are expected to touch.
pub(crate) fn gap_at(a: &Body, b: &Body, spot: Spot, time: f64, warmth: &mut Warmth) -> Gap {
    let (pose_a, pose_b) = (a.flight.pose(time), b.flight.pose(time));
    if let (Touchable::Ball { radius: ra, .. }, Touchable::Ball { radius: rb, .. }) = (&a.touchable, &b.touchable) {
        let between = pose_b.translation - pose_a.translation;
        let normal = between.normalize_or_zero();
        return Gap {
            distance: between.length() - ra - rb,
            point_a: pose_a.translation + *ra * normal,
            point_b: pose_b.translation - *rb * normal,
            normal,
        };
    }
    let part = &a.touchable.parts()[spot.part_a as usize];
    let side_a = Side::Part { part, flight: &a.flight };
    match &b.touchable {
        Touchable::Field(field) => field_gap(a, &pose_a, field, &pose_b),
        Touchable::HalfSpace { normal } => {
            let side_b = Side::Plane { point: pose_b.translation, normal: pose_b.rotation * *normal };
            gap_between(&side_a, &pose_a, &side_b, &pose_b, warmth)
        }
        _ => {
            let part_b = &b.touchable.parts()[spot.part_b as usize];
            let side_b = Side::Part { part: part_b, flight: &b.flight };
            gap_between(&side_a, &pose_a, &side_b, &pose_b, warmth)
        }
    }
}
