//! Conservative advancement: the first time at which two convex solids touch.
//!
//! At each step the closest points give a direction `n`. Along it, a lower
//! bound on the gap for all later times follows from the motion: the centres
//! move on known parabolas; a point `r` of a body that turns with `w` moves
//! along `n` by `r·(n×w)` per second now, and the rate changes by at most
//! `M = max(|w|²+|dw/dt|)·|r|`. The farthest point in the tilted direction
//! `n + τ(n×w)` therefore bounds all points of the body at once, and
//!
//! ```text
//! F(τ) = n·Δ(τ) − support_a(n + τ n×w_a) − support_b(−n − τ n×w_b) − ½ M τ²
//! ```
//!
//! is a concave lower bound on the gap. Its first root is safe to advance to,
//! and near a contact the steps converge quadratically, spinning or not.

use proscenium_bodies::Flight;
use proscenium_bodies::glam::{DQuat, DVec3};
use proscenium_geometry::{ConvexPart, Gap, Pose, Warmth, gap, gap_to_plane};

/// One of the two that approach each other.
#[derive(Clone, Copy)]
pub(crate) enum Side<'a> {
    /// A convex part of a body.
    Part { part: &'a ConvexPart, flight: &'a Flight },
    /// The half-space behind a fixed plane.
    Plane { point: DVec3, normal: DVec3 },
}

/// What a prediction between two solids found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Meeting {
    /// They touch at this time.
    At(f64),
    /// They do not touch before the horizon.
    NotBefore,
    /// They do not touch before this time; look again then.
    LookAgain(f64),
}

/// What it cost.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    pub iterations: u32,
    pub distance_queries: u64,
}

/// Steps of one prediction before it pauses until the time it has reached.
const MOST_ITERATIONS: u32 = 40;

/// Finds the first touch of two solids in `[from, until]`. A gap of at most
/// `tolerance` is a touch.
pub(crate) fn first_touch(
    a: Side<'_>,
    b: Side<'_>,
    from: f64,
    until: f64,
    tolerance: f64,
    warmth: &mut Warmth,
    effort: &mut Effort,
) -> Meeting {
    let mut target = tolerance;
    let mut time = from;
    for iteration in 0..MOST_ITERATIONS {
        effort.iterations += 1;
        effort.distance_queries += 1;
        let (pose_a, pose_b) = (a.pose(time), b.pose(time));
        let found = gap_between(&a, &pose_a, &b, &pose_b, warmth);
        if iteration == 0 && found.distance <= tolerance {
            // Touching already: a collision, unless the two are parting. Then
            // the gap must halve before it counts as another one.
            if found.normal == DVec3::ZERO || closing(&a, &pose_a, &b, &pose_b, time, &found) {
                return Meeting::At(time);
            }
            if found.distance <= 1e-3 * tolerance {
                return Meeting::LookAgain(time + smallest_step(&a, &b, time, tolerance));
            }
            target = 0.5 * found.distance;
        } else if found.distance <= target {
            return Meeting::At(time);
        }
        let bound = GapBound::new(&a, &pose_a, &b, &pose_b, time, found.normal);
        let step = bound.safe_step(0.5 * target, until - time);
        if step >= until - time {
            return Meeting::NotBefore;
        }
        let next = time + step.max(0.0);
        if next <= time {
            // The step is below the resolution of time.
            return Meeting::LookAgain(time + smallest_step(&a, &b, time, tolerance));
        }
        time = next;
    }
    Meeting::LookAgain(time)
}

/// A step in which the gap changes by no more than half the tolerance.
fn smallest_step(a: &Side<'_>, b: &Side<'_>, time: f64, tolerance: f64) -> f64 {
    let speed = a.fastest(time) + b.fastest(time);
    (0.5 * tolerance / speed.max(1e-3)).max(4.0 * f64::EPSILON * time.abs())
}

/// The gap between two sides at one time.
pub(crate) fn gap_between(a: &Side<'_>, pose_a: &Pose, b: &Side<'_>, pose_b: &Pose, warmth: &mut Warmth) -> Gap {
    match (a, b) {
        (Side::Part { part: pa, .. }, Side::Part { part: pb, .. }) => gap(pa, pose_a, pb, pose_b, warmth),
        (Side::Part { part, .. }, Side::Plane { point, normal }) => gap_to_plane(part, pose_a, *point, *normal),
        (Side::Plane { .. }, _) => unreachable!("a plane is always the second side"),
    }
}

/// Whether the closest points move towards each other.
fn closing(a: &Side<'_>, pose_a: &Pose, b: &Side<'_>, pose_b: &Pose, time: f64, found: &Gap) -> bool {
    let va = a.velocity_at(pose_a, time, found.point_a);
    let vb = b.velocity_at(pose_b, time, found.point_b);
    (vb - va).dot(found.normal) < 0.0
}

impl Side<'_> {
    pub(crate) fn pose(&self, time: f64) -> Pose {
        match self {
            Self::Part { flight, .. } => flight.pose(time),
            Self::Plane { point, .. } => Pose::from_translation(*point),
        }
    }

    fn velocity(&self, time: f64) -> DVec3 {
        match self {
            Self::Part { flight, .. } => flight.velocity(time),
            Self::Plane { .. } => DVec3::ZERO,
        }
    }

    fn acceleration(&self) -> DVec3 {
        match self {
            Self::Part { flight, .. } => flight.acceleration(),
            Self::Plane { .. } => DVec3::ZERO,
        }
    }

    fn spin(&self, orientation: DQuat) -> DVec3 {
        match self {
            Self::Part { flight, .. } => flight.spin(orientation),
            Self::Plane { .. } => DVec3::ZERO,
        }
    }

    fn velocity_at(&self, pose: &Pose, time: f64, point: DVec3) -> DVec3 {
        self.velocity(time) + self.spin(pose.rotation).cross(point - pose.translation)
    }

    /// No point of the side moves faster than this now.
    fn fastest(&self, time: f64) -> f64 {
        match self {
            Self::Part { part, flight } => {
                flight.velocity(time).length() + flight.max_spin() * (part.center().length() + part.reach())
            }
            Self::Plane { .. } => 0.0,
        }
    }
}

/// One side as the gap bound sees it: the direction to look for its farthest
/// point in, in its own frame, and how that direction tilts.
struct Tilt<'a> {
    part: Option<&'a ConvexPart>,
    direction: DVec3,
    turning: DVec3,
}

impl<'a> Tilt<'a> {
    fn new(side: &Side<'a>, pose: &Pose, direction: DVec3) -> Self {
        let Side::Part { part, .. } = side else {
            return Self { part: None, direction, turning: DVec3::ZERO };
        };
        let to_local = pose.rotation.inverse();
        let turning = direction.cross(side.spin(pose.rotation));
        Self { part: Some(*part), direction: to_local * direction, turning: to_local * turning }
    }

    /// The farthest extent after `step`, and its rate of change.
    #[inline]
    fn extent(&self, step: f64) -> (f64, f64) {
        let Some(part) = self.part else {
            return (0.0, 0.0);
        };
        let tilted = self.direction + step * self.turning;
        let point = part.support(tilted);
        (point.dot(tilted) + part.radius(), point.dot(self.turning))
    }
}

/// The concave lower bound `F`.
struct GapBound<'a> {
    a: Tilt<'a>,
    b: Tilt<'a>,
    distance: f64,
    speed: f64,
    /// Second derivative; never positive, so that the bound stays concave.
    bend: f64,
}

impl<'a> GapBound<'a> {
    fn new(a: &Side<'a>, pose_a: &Pose, b: &Side<'a>, pose_b: &Pose, time: f64, n: DVec3) -> Self {
        let turning = |side: &Side<'_>| match side {
            Side::Part { part, flight } => {
                flight.max_turning() * (part.center().length() + part.reach() - part.radius())
            }
            Side::Plane { .. } => 0.0,
        };
        let acceleration = n.dot(b.acceleration() - a.acceleration());
        Self {
            a: Tilt::new(a, pose_a, n),
            b: Tilt::new(b, pose_b, -n),
            distance: n.dot(pose_b.translation - pose_a.translation),
            speed: n.dot(b.velocity(time) - a.velocity(time)),
            bend: (acceleration - turning(a) - turning(b)).min(0.0),
        }
    }

    /// The bound and its slope after `step`.
    fn at(&self, step: f64) -> (f64, f64) {
        let (extent_a, rate_a) = self.a.extent(step);
        let (extent_b, rate_b) = self.b.extent(step);
        let value = self.distance + step * (self.speed + 0.5 * self.bend * step) - extent_a - extent_b;
        (value, self.speed + self.bend * step - rate_a - rate_b)
    }

    /// A step, at most `longest`, over which the bound stays at or above `aim`.
    fn safe_step(&self, aim: f64, longest: f64) -> f64 {
        let (start, slope) = self.at(0.0);
        let excess = start - aim;
        if excess <= 0.0 {
            return 0.0;
        }
        // Where the bound would cross if its extents kept their rates: the
        // extents are convex, so the true crossing is not later.
        let mut far = crossing(excess, slope, self.bend).min(longest);
        if far == f64::INFINITY {
            return longest;
        }
        let (mut value, mut slope) = self.at(far);
        for _ in 0..3 {
            if value >= aim {
                return far;
            }
            // Newton from the right stays right of the root of a concave function.
            let next = far - (value - aim) / slope;
            if !(slope < 0.0 && next > 0.0 && next < 0.999 * far) {
                break;
            }
            far = next;
            (value, slope) = self.at(far);
        }
        // The chord of a concave function lies below it.
        if value >= aim { far } else { far * excess / (excess + aim - value) }
    }
}

/// The first positive root of `c + b t + a t²/2` for c > 0 and a ≤ 0.
fn crossing(c: f64, b: f64, a: f64) -> f64 {
    if a == 0.0 {
        return if b < 0.0 { -c / b } else { f64::INFINITY };
    }
    let root = (b * b - 2.0 * a * c).sqrt();
    if b >= 0.0 { (b + root) / -a } else { 2.0 * c / (root - b) }
}
