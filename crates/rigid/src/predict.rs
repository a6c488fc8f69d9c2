//! Two-stage prediction: bounding spheres while apart, then closest points.
//!
//! A prediction depends on the flights of the two bodies and on nothing else:
//! not on when it is made, nor on their bounds. It starts where the younger
//! flight does and goes on in the same steps, whether they are taken at once
//! or one after the other as time passes.

use proscenium_bodies::glam::DVec3;
use proscenium_geometry::{Bounds, ConvexPart, Gap, Pose, Warmth, gap};

use crate::approach::{Effort, Meeting, Search, Side, crossing, first_touch, first_touch_from};
use crate::ball_on_triangles::first_touch_of_ball;
use crate::body::{Body, Touchable};
use crate::field::first_touch_of_field;
use crate::roots::Polynomial;

/// Parts are far apart if their spheres are, by this share of the smaller; chosen:
/// only speed depends on it.
const FAR: f64 = 0.1;

/// Of no more parts than this each is looked at by itself; chosen, as above.
const FEW: usize = 4;

/// What is expected of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Forecast {
    /// They do not meet on their present courses.
    Never,
    /// They may be close from this time on: look again then.
    Near(f64),
    /// They touch at this time, and this is the gap then.
    Touch(f64, Gap),
}

impl Forecast {
    pub(crate) fn time(&self) -> f64 {
        match self {
            Self::Never => f64::INFINITY,
            Self::Near(time) | Self::Touch(time, _) => *time,
        }
    }
}

/// Predicts when `a`, which is solid, meets `b`, within the search's limits.
pub(crate) fn predict(a: &Body, b: &Body, search: Search, warmth: &mut Warmth, effort: &mut Effort) -> Forecast {
    match &b.touchable {
        Touchable::HalfSpace { normal } => predict_plane(a, b, *normal, search, effort),
        Touchable::Triangles { .. } => predict_triangles(a, b, search, effort),
        Touchable::Field(field) => forecast(first_touch_of_field(a, b, field, search, effort)),
        Touchable::Ball { .. } | Touchable::Parts(_) => predict_solids(a, b, search, warmth, effort),
    }
}

fn forecast(meeting: Meeting) -> Forecast {
    match meeting {
        Meeting::At(time, gap) => Forecast::Touch(time, gap),
        Meeting::LookAgain(time) => Forecast::Near(time),
        Meeting::NotBefore => Forecast::Never,
    }
}

fn predict_solids(a: &Body, b: &Body, search: Search, warmth: &mut Warmth, effort: &mut Effort) -> Forecast {
    let (now, tolerance) = (search.from, search.tolerance);
    let offset = b.flight.position(now) - a.flight.position(now);
    let velocity = b.flight.velocity(now) - a.flight.velocity(now);
    let acceleration = b.flight.acceleration() - a.flight.acceleration();
    if let (Touchable::Ball { radius: ra, .. }, Touchable::Ball { radius: rb, .. }) = (&a.touchable, &b.touchable) {
        return match Polynomial::sphere_gap(offset, velocity, acceleration, ra + rb).first_overlap() {
            Some(overlap) => Forecast::Touch(now + overlap.enter, gap_of_balls(a, b, *ra, *rb, now + overlap.enter)),
            None => Forecast::Never,
        };
    }
    // Stage one: the bounding spheres, a tolerance wider than they need be.
    let reach = a.reach + b.reach + tolerance;
    let spheres = Polynomial::sphere_gap(offset, velocity, acceleration, reach);
    let until = if !spheres.apart() && acceleration != DVec3::ZERO {
        now + parted(offset, velocity, acceleration, reach)
    } else {
        match stage_one(&spheres, now) {
            Ok(until) => until,
            Err(forecast) => {
                effort.note_gap(offset.length() - a.reach - b.reach);
                return forecast;
            }
        }
    };
    // Stage two: the parts themselves, while the spheres overlap.
    let (parts_a, parts_b) = (a.touchable.parts(), b.touchable.parts());
    if let ([part_a], [part_b]) = (parts_a, parts_b) {
        let (side_a, side_b) =
            (Side::Part { part: part_a, flight: &a.flight }, Side::Part { part: part_b, flight: &b.flight });
        let meeting = first_touch(side_a, side_b, search.within(until), warmth, effort);
        return after_overlap(forecast(meeting), until, acceleration);
    }
    after_overlap(predict_parts(a, b, search.within(until), effort), until, acceleration)
}

/// The first meeting of any two parts.
fn predict_parts(a: &Body, b: &Body, search: Search, effort: &mut Effort) -> Forecast {
    let (now_a, now_b) = (a.pose_to_touch(search.from), b.pose_to_touch(search.from));
    // Parts that were this close where their flights began are in contact.
    let contact = search.beyond.or(search.held.then_some(search.tolerance)).map(|margin| {
        let began = a.flight.start().max(b.flight.start());
        (margin, a.pose_to_touch(began), b.pose_to_touch(began))
    });
    let is_new = search.from == a.flight.start().max(b.flight.start());
    let gap_then = |part_a: &ConvexPart, part_b: &ConvexPart| {
        let (margin, then_a, then_b) = contact.as_ref()?;
        let is_near = part_a.least_gap(then_a, part_b, then_b) <= *margin;
        is_near.then(|| (*margin, gap(part_a, then_a, part_b, then_b, &mut Warmth::default())))
    };
    let pace = Pace::new(a, b, search.from);
    let near_a = parts_near([a, b], [&now_a, &now_b], &pace, &search, effort);
    let near_b = parts_near([b, a], [&now_b, &now_a], &pace.flipped(), &search, effort);
    let mut first = Forecast::Never;
    for (part_a, center_a) in &near_a {
        for (part_b, center_b) in &near_b {
            let horizon = search.until.min(first.time());
            let between = *center_b - *center_a;
            let mut room = between.length() - part_a.reach() - part_b.reach() - search.tolerance;
            // Spheres turn about their own centres to no effect.
            let levers = [part_a.center().length(), part_b.center().length()];
            let spheres_until = search.from + pace.time_to_cross_along(between, room, levers);
            let mut apart_until = spheres_until;
            if apart_until < horizon {
                room = part_a.least_gap(&now_a, part_b, &now_b) - search.tolerance;
                apart_until = spheres_until.max(search.from + pace.time_to_cross(room, [part_a, part_b]));
            }
            if apart_until >= horizon {
                effort.note_gap(room);
                continue;
            }
            let then = gap_then(part_a, part_b);
            if then.is_some_and(|(margin, gap)| gap.distance <= margin) {
                continue;
            }
            let mut own = Effort::default();
            let meeting = if room > FAR * part_a.reach().min(part_b.reach()) {
                own.note_gap(room);
                Meeting::LookAgain(apart_until)
            } else {
                let side_a = Side::Part { part: part_a, flight: &a.flight };
                let side_b = Side::Part { part: part_b, flight: &b.flight };
                // Where the flights begin now, the gap then is that of now.
                let known = then.filter(|_| is_new).map(|(_, gap)| gap);
                first_touch_from(known, side_a, side_b, search.within(horizon), &mut Warmth::default(), &mut own)
            };
            effort.add(&own);
            first = earlier(first, forecast(meeting));
        }
    }
    first
}

/// The parts of the first body that may meet the second before the search
/// ends, with their centres. Of many parts most are told apart by the box around
/// the whole of the other.
fn parts_near<'a>(
    [own, other]: [&'a Body; 2],
    [now, there]: [&Pose; 2],
    pace: &Pace,
    search: &Search,
    effort: &mut Effort,
) -> Vec<(&'a ConvexPart, DVec3)> {
    let parts = own.touchable.parts();
    let mut near = Vec::with_capacity(parts.len());
    for part in parts {
        let center = now.transform_point(part.center());
        if parts.len() > FEW {
            let place = there.inverse_transform_point(center);
            let outside = place - place.clamp(other.around.min, other.around.max);
            let room = outside.length() - part.reach() - search.tolerance;
            // From the part towards the box.
            let towards = there.rotation * -outside;
            if search.from + pace.time_to_cross_along(towards, room, [part.center().length(), other.reach])
                >= search.until
            {
                effort.note_gap(room);
                continue;
            }
        }
        near.push((part, center));
    }
    near
}

/// How fast points of two bodies can approach each other.
struct Pace {
    /// Of the second against the first.
    velocity: DVec3,
    spins: [f64; 2],
    acceleration: DVec3,
}

impl Pace {
    fn new(a: &Body, b: &Body, time: f64) -> Self {
        let velocity = b.flight.velocity(time) - a.flight.velocity(time);
        let acceleration = b.flight.acceleration() - a.flight.acceleration();
        let spins = [a, b].map(|body| body.flight.max_spin());
        Self { velocity, spins, acceleration }
    }

    /// The same with the bodies in the other order.
    fn flipped(&self) -> Self {
        let [first, second] = self.spins;
        Self { velocity: -self.velocity, spins: [second, first], acceleration: -self.acceleration }
    }

    /// No gap of this width between two parts closes sooner.
    fn time_to_cross(&self, width: f64, parts: [&ConvexPart; 2]) -> f64 {
        self.time_to_cross_by(width, parts.map(|part| part.center().length() + part.reach()))
    }

    /// No gap of this width closes sooner between what reaches so far from the
    /// centres of mass.
    fn time_to_cross_by(&self, width: f64, reaches: [f64; 2]) -> f64 {
        if width <= 0.0 {
            return 0.0;
        }
        let [turning, other_turning] = [0, 1].map(|at| self.spins[at] * reaches[at]);
        crossing(width, -self.velocity.length() - turning - other_turning, -self.acceleration.length())
    }

    /// No gap of this width closes sooner between what lies on either side of a
    /// plane across a direction from the first body to the second, if turning
    /// moves nothing of the two faster than what is so far from the centres of
    /// mass.
    fn time_to_cross_along(&self, direction: DVec3, width: f64, levers: [f64; 2]) -> f64 {
        let length = direction.length();
        if width <= 0.0 || length == 0.0 {
            return 0.0;
        }
        let turning = self.spins[0] * levers[0] + self.spins[1] * levers[1];
        let along = |vector: DVec3| vector.dot(direction) / length;
        crossing(width, along(self.velocity) - turning, along(self.acceleration))
    }
}

fn earlier(a: Forecast, b: Forecast) -> Forecast {
    if b.time() < a.time() { b } else { a }
}

/// What lies closer than the resolution of time is now.
pub(crate) fn at_once(now: f64) -> f64 {
    1e-12 * (1.0 + now.abs())
}

/// Spheres that overlap on a course that is bent are apart after this time: the
/// bend has carried them farther than everything else can bring them together.
/// When exactly they part is the root of a polynomial of fourth degree, and not
/// worth its price.
fn parted(offset: DVec3, velocity: DVec3, acceleration: DVec3, reach: f64) -> f64 {
    let (speed, bend) = (velocity.length(), acceleration.length());
    (speed + (speed * speed + 2.0 * bend * (reach + offset.length())).sqrt()) / bend
}

/// How long the bounding spheres overlap from now on, or what to do if they
/// do not.
fn stage_one(spheres: &Polynomial, now: f64) -> Result<f64, Forecast> {
    let at_once = at_once(now);
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

fn predict_plane(a: &Body, plane: &Body, normal: DVec3, search: Search, effort: &mut Effort) -> Forecast {
    let (now, tolerance) = (search.from, search.tolerance);
    let pose = plane.flight.pose(now);
    let (point, normal) = (pose.translation, pose.rotation * normal);
    let height = normal.dot(a.flight.position(now) - point);
    let speed = normal.dot(a.flight.velocity(now));
    let acceleration = normal.dot(a.flight.acceleration());
    if let Touchable::Ball { radius, .. } = &a.touchable {
        return match Polynomial::plane_gap(height - radius, speed, acceleration).first_overlap() {
            Some(overlap) => {
                let time = now + overlap.enter;
                let lowest = a.flight.position(time) - *radius * normal;
                let distance = normal.dot(lowest - point);
                let gap = Gap { distance, point_a: lowest, point_b: lowest - distance * normal, normal: -normal };
                Forecast::Touch(time, gap)
            }
            None => Forecast::Never,
        };
    }
    let spheres = Polynomial::plane_gap(height - a.reach - tolerance, speed, acceleration);
    let until = match stage_one(&spheres, now) {
        Ok(until) => until,
        Err(forecast) => {
            effort.note_gap(height - a.reach);
            return forecast;
        }
    };
    let mut first = Forecast::Never;
    let (pace, now_a) = (Pace::new(a, plane, now), a.flight.pose(now));
    for part in a.touchable.parts() {
        let side = Side::Part { part, flight: &a.flight };
        let mut own = Effort::default();
        let horizon = until.min(first.time());
        let room = normal.dot(now_a.transform_point(part.center()) - point) - part.reach() - tolerance;
        let apart_until = now + pace.time_to_cross(room, [part, part]);
        if apart_until >= horizon {
            effort.note_gap(room);
            continue;
        }
        let against = Side::Plane { point, normal };
        let meeting = first_touch(side, against, search.within(horizon), &mut Warmth::default(), &mut own);
        effort.add(&own);
        first = earlier(first, forecast(meeting));
    }
    after_overlap(first, until, acceleration * normal)
}

/// Against triangles a prediction covers the time in which the body crosses
/// its own radius, and goes on from there.
fn predict_triangles(a: &Body, b: &Body, search: Search, effort: &mut Effort) -> Forecast {
    let Touchable::Triangles { mesh, .. } = &b.touchable else {
        return Forecast::Never;
    };
    let until = search.from + a.time_to_cross(search.from);
    let world_from_mesh = b.flight.pose(search.from);
    let local = bounds_in(&world_from_mesh, &a.temporal_bound(search.from, until));
    let near = mesh.triangles_near(&local.grow(search.tolerance));
    let mut first = Forecast::Never;
    if let Touchable::Ball { radius, .. } = &a.touchable {
        for triangle in near {
            let corners = mesh.corners(triangle).map(|corner| world_from_mesh.transform_point(corner));
            let mut own = Effort::default();
            let horizon = until.min(first.time());
            let meeting = first_touch_of_ball(&a.flight, *radius, corners, search.within(horizon), &mut own);
            effort.add(&own);
            first = earlier(first, forecast(meeting));
        }
        return if first == Forecast::Never { Forecast::Near(until) } else { first };
    }
    let triangles = b.touchable.parts();
    for triangle in near {
        for part in a.touchable.parts() {
            let side_a = Side::Part { part, flight: &a.flight };
            let side_b = Side::Part { part: &triangles[triangle as usize], flight: &b.flight };
            let mut own = Effort::default();
            let horizon = until.min(first.time());
            let meeting = first_touch(side_a, side_b, search.within(horizon), &mut Warmth::default(), &mut own);
            effort.add(&own);
            first = earlier(first, forecast(meeting));
        }
    }
    if first == Forecast::Never { Forecast::Near(until) } else { first }
}

/// A box in the frame of a pose that contains a box in the world.
pub(crate) fn bounds_in(pose: &Pose, bounds: &Bounds) -> Bounds {
    let corner = |k: usize| {
        let pick = |bit: usize, axis: usize| if k & bit == 0 { bounds.min[axis] } else { bounds.max[axis] };
        pose.inverse_transform_point(DVec3::new(pick(1, 0), pick(2, 1), pick(4, 2)))
    };
    Bounds::from_points((0..8).map(corner))
}

impl Search {
    /// The same search, ending no later than at a time.
    fn within(self, until: f64) -> Self {
        Self { until: until.min(self.until), ..self }
    }
}

impl Effort {
    /// Adds the queries of a part of a prediction; the most iterations of any
    /// part count.
    fn add(&mut self, part: &Self) {
        self.iterations = self.iterations.max(part.iterations);
        self.distance_queries += part.distance_queries;
        if let Some(gap) = part.nearest {
            self.note_gap(gap);
        }
    }
}

/// The gap between two balls.
fn gap_of_balls(a: &Body, b: &Body, radius_a: f64, radius_b: f64, time: f64) -> Gap {
    let (centre_a, centre_b) = (a.flight.position(time), b.flight.position(time));
    let between = centre_b - centre_a;
    let normal = between.normalize_or_zero();
    Gap {
        distance: between.length() - radius_a - radius_b,
        point_a: centre_a + radius_a * normal,
        point_b: centre_b - radius_b * normal,
        normal,
    }
}
