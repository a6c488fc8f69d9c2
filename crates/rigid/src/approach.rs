//! Conservative advancement: the first time at which two convex solids touch.
//!
//! At each step the closest points give a direction `n`. The gap along any
//! direction is a lower bound on the gap, also along one that turns with the
//! touching features: with the face that is nearest, or across both edges.
//! Let it turn at the rate `n'`. A point `r` of a body that spins with `w`
//! moves along it by `r·(n' + n×w)` per second now, and that rate changes by
//! at most `M`. The farthest point in the tilted direction `n + τ(n' + n×w)`
//! therefore bounds all points of the body at once, and
//!
//! ```text
//! F(τ) = (n + τ n')·Δ(τ) − support_a(n + τ(n' + n×w_a)) − support_b(−n − τ(n' + n×w_b)) − ½ M τ²
//! ```
//!
//! is a concave lower bound on the gap. Its first root is safe to advance to.
//! Because the direction turns with the features, the bound is exact to first
//! order near a contact, and the steps converge quadratically.

use proscenium_bodies::Flight;
use proscenium_bodies::glam::{DQuat, DVec3};
use proscenium_geometry::{ConvexPart, Core, Feature, Gap, Pose, Warmth, gap, gap_to_plane};

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
        let view = Pairing::new(&a, pose_a, &b, pose_b, time, found.normal);
        let longest = until - time;
        let mut step = view.bound(DVec3::ZERO).safe_step(0.5 * target, longest);
        let turning = view.turning(warmth);
        if step < longest && turning != DVec3::ZERO {
            step = step.max(view.bound(turning).safe_step(0.5 * target, longest));
        }
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
            Self::Part { flight, .. } => {
                flight.velocity(time).length() + flight.max_spin() * (self.core_reach() + self.radius())
            }
            Self::Plane { .. } => 0.0,
        }
    }

    /// From the centre of mass to the farthest point of the core.
    fn core_reach(&self) -> f64 {
        match self {
            Self::Part { part, .. } => part.center().length() + part.reach() - part.radius(),
            Self::Plane { .. } => 0.0,
        }
    }

    fn radius(&self) -> f64 {
        match self {
            Self::Part { part, .. } => part.radius(),
            Self::Plane { .. } => 0.0,
        }
    }

    fn max_spin(&self) -> f64 {
        match self {
            Self::Part { flight, .. } => flight.max_spin(),
            Self::Plane { .. } => 0.0,
        }
    }

    fn max_turning(&self) -> f64 {
        match self {
            Self::Part { flight, .. } => flight.max_turning(),
            Self::Plane { .. } => 0.0,
        }
    }
}

/// Both sides at one time, seen along one direction.
struct Pairing<'a> {
    a: Side<'a>,
    b: Side<'a>,
    pose_a: Pose,
    pose_b: Pose,
    spin_a: DVec3,
    spin_b: DVec3,
    /// Between the centres, and how it changes.
    offset: DVec3,
    velocity: DVec3,
    acceleration: DVec3,
    n: DVec3,
}

impl<'a> Pairing<'a> {
    fn new(a: &Side<'a>, pose_a: Pose, b: &Side<'a>, pose_b: Pose, time: f64, n: DVec3) -> Self {
        Self {
            a: *a,
            b: *b,
            spin_a: a.spin(pose_a.rotation),
            spin_b: b.spin(pose_b.rotation),
            offset: pose_b.translation - pose_a.translation,
            velocity: b.velocity(time) - a.velocity(time),
            acceleration: b.acceleration() - a.acceleration(),
            pose_a,
            pose_b,
            n,
        }
    }

    /// How the direction turns with the features that are nearest: with a
    /// face or an edge of one side, or so as to stay across two edges.
    fn turning(&self, warmth: &Warmth) -> DVec3 {
        let (Side::Part { part: part_a, .. }, Side::Part { part: part_b, .. }) = (&self.a, &self.b) else {
            return DVec3::ZERO;
        };
        let (with_a, with_b) = (self.spin_a.cross(self.n), self.spin_b.cross(self.n));
        match warmth.features() {
            (Feature::Vertex, Feature::Vertex) => DVec3::ZERO,
            (Feature::Edge(i, j), Feature::Edge(k, l)) => {
                let edge_a = self.pose_a.rotation * edge(part_a, i, j);
                let edge_b = self.pose_b.rotation * edge(part_b, k, l);
                across_edges(edge_a, edge_b, with_a, with_b).unwrap_or(with_b)
            }
            (_, Feature::Face) | (Feature::Vertex, Feature::Edge(..)) => with_b,
            (Feature::Face, _) | (Feature::Edge(..), Feature::Vertex) => with_a,
        }
    }

    /// The lower bound on the gap along a direction that turns at this rate.
    fn bound(&self, turning: DVec3) -> GapBound<'a> {
        let rate = turning.length();
        let (reach_a, reach_b) = (self.a.core_reach(), self.b.core_reach());
        // How fast the speed of any two points along the direction changes.
        let of_points = self.a.max_turning() * reach_a + self.b.max_turning() * reach_b;
        let bend = if rate == 0.0 {
            self.n.dot(self.acceleration) - of_points
        } else {
            // While the bounding spheres overlap no two points are farther
            // apart than both diameters.
            let apart = 2.0 * (reach_a + self.a.radius() + reach_b + self.b.radius());
            let speed = self.velocity.length() + self.a.max_spin() * reach_a + self.b.max_spin() * reach_b;
            -(self.acceleration.length() + of_points + rate * (2.0 * speed + rate * apart))
        };
        GapBound {
            a: Tilt::new(&self.a, &self.pose_a, self.n, turning + self.n.cross(self.spin_a)),
            b: Tilt::new(&self.b, &self.pose_b, -self.n, -turning - self.n.cross(self.spin_b)),
            distance: self.n.dot(self.offset),
            speed: self.n.dot(self.velocity) + turning.dot(self.offset),
            bend: bend.min(0.0),
        }
    }
}

fn edge(part: &ConvexPart, i: u32, j: u32) -> DVec3 {
    match part.core() {
        Core::Points(points) => points[j as usize] - points[i as usize],
        Core::Cylinder { .. } => DVec3::ZERO,
    }
}

/// The rate of a direction that stays across two edges, each of which alone
/// would turn it at the given rate; `None` if the edges are nearly parallel.
fn across_edges(edge_a: DVec3, edge_b: DVec3, with_a: DVec3, with_b: DVec3) -> Option<DVec3> {
    let (aa, bb, ab) = (edge_a.length_squared(), edge_b.length_squared(), edge_a.dot(edge_b));
    let determinant = aa * bb - ab * ab;
    if determinant <= 1e-4 * aa * bb {
        return None;
    }
    let (p, q) = (with_a.dot(edge_a), with_b.dot(edge_b));
    Some(((bb * p - ab * q) * edge_a + (aa * q - ab * p) * edge_b) / determinant)
}

/// One side as the gap bound sees it: the direction to look for its farthest
/// point in, in its own frame, and how that direction tilts.
struct Tilt<'a> {
    part: Option<&'a ConvexPart>,
    direction: DVec3,
    tilting: DVec3,
}

impl<'a> Tilt<'a> {
    fn new(side: &Side<'a>, pose: &Pose, direction: DVec3, tilting: DVec3) -> Self {
        let Side::Part { part, .. } = side else {
            return Self { part: None, direction, tilting };
        };
        let to_local = pose.rotation.inverse();
        Self { part: Some(*part), direction: to_local * direction, tilting: to_local * tilting }
    }

    /// The farthest extent after `step`, and its rate of change.
    #[inline]
    fn extent(&self, step: f64) -> (f64, f64) {
        let Some(part) = self.part else {
            return (0.0, 0.0);
        };
        let tilted = self.direction + step * self.tilting;
        let point = part.support(tilted);
        (point.dot(tilted) + part.radius(), point.dot(self.tilting))
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

impl GapBound<'_> {
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
