//! Conservative advancement: the first time at which two convex solids touch.
//!
//! At each step the closest points give a direction `n`. The gap along any
//! direction is a lower bound on the gap, also along one that turns at a
//! constant rate `W` with the features that are nearest: with a face, with an
//! edge, or so as to stay across two edges. A point `r` of a body that spins
//! with `w` has the extent
//!
//! ```text
//! n(τ)·r(τ) = r·(D0 + τ D1 + ½ τ² D2) + O(J τ³)
//! D0 = n,  D1 = W×n + n×w,  D2 = W×(W×n) + 2(W×n)×w + n×w' + (n×w)×w
//! ```
//!
//! along it, with the same three vectors for all points of the body and a
//! bound `J` on the third derivative. On `[0, T]` the polynomial of directions
//! lies in the hull of its three control points, so the supports in those
//! three directions bound the extents of all points at all times, and the gap
//! is at least a quadratic with known coefficients. Its first root is safe to
//! advance to. The bound is exact to second order for the nearest features,
//! so a few steps reach a contact from afar.

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
    /// They touch at this time, and this is the gap then.
    At(f64, Gap),
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
    /// The gap where the prediction started, or less, if it was asked for.
    pub nearest: Option<f64>,
}

impl Effort {
    /// Notes a gap between parts where the prediction started.
    pub(crate) fn note_gap(&mut self, gap: f64) {
        self.nearest = Some(self.nearest.map_or(gap, |nearest| nearest.min(gap)));
    }
}

/// What to search for a touch, and how hard.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search {
    pub from: f64,
    pub until: f64,
    /// A gap of at most this is a touch.
    pub tolerance: f64,
    /// Steps before the search pauses at the time it has reached.
    pub patience: u32,
    /// For bodies in contact: parts that were closer than this at the start
    /// of their flights are the contact, and only the others are looked at.
    pub beyond: Option<f64>,
    /// Whether the bodies are in contact, and a step keeps the places apart at
    /// which they touched where their flights began.
    pub held: bool,
    /// Whether those that touch at the start are of no interest.
    pub apart_only: bool,
}

/// Finds the first touch of two solids.
pub(crate) fn first_touch(
    a: Side<'_>,
    b: Side<'_>,
    search: Search,
    warmth: &mut Warmth,
    effort: &mut Effort,
) -> Meeting {
    first_touch_from(None, a, b, search, warmth, effort)
}

/// Finds the first touch of two solids whose gap at the start may be known.
pub(crate) fn first_touch_from(
    known: Option<Gap>,
    a: Side<'_>,
    b: Side<'_>,
    search: Search,
    warmth: &mut Warmth,
    effort: &mut Effort,
) -> Meeting {
    let Search { from, until, tolerance, patience, .. } = search;
    let mut target = tolerance;
    let mut time = from;
    for iteration in 0..patience {
        effort.iterations += 1;
        let (pose_a, pose_b) = (a.pose(time), b.pose(time));
        let found = known.filter(|_| iteration == 0).unwrap_or_else(|| {
            effort.distance_queries += 1;
            gap_between(&a, &pose_a, &b, &pose_b, warmth)
        });
        if iteration == 0 {
            effort.note_gap(found.distance);
        }
        if iteration == 0 && found.distance <= tolerance {
            if search.apart_only {
                return Meeting::NotBefore;
            }
            // Touching already: a collision, unless the two are parting. Then
            // the gap must halve before it counts as another one.
            if found.normal == DVec3::ZERO || closing(&a, &pose_a, &b, &pose_b, time, &found) {
                return Meeting::At(time, found);
            }
            if found.distance <= 1e-3 * tolerance {
                return Meeting::LookAgain(time + smallest_step(&a, &b, time, tolerance));
            }
            target = 0.5 * found.distance;
        } else if found.distance <= target {
            return Meeting::At(time, found);
        }
        // What cannot cross the gap in the time that is left needs no closer look.
        let left = until - time;
        if found.distance - target > left * (a.fastest_within(time, left) + b.fastest_within(time, left)) {
            return Meeting::NotBefore;
        }
        let view = Pairing::new(&a, pose_a, &b, pose_b, time, found.normal);
        let step = view.safe_step(&found, warmth, 0.5 * target, until - time);
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
fn gap_between(a: &Side<'_>, pose_a: &Pose, b: &Side<'_>, pose_b: &Pose, warmth: &mut Warmth) -> Gap {
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
            // How a ball is turned makes no difference.
            Self::Part { part, flight } if part.is_ball() && part.center() == DVec3::ZERO => {
                Pose::from_translation(flight.position(time))
            }
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

    fn spin(&self, time: f64, orientation: DQuat) -> DVec3 {
        match self {
            Self::Part { flight, .. } => flight.spin(time, orientation),
            Self::Plane { .. } => DVec3::ZERO,
        }
    }

    fn velocity_at(&self, pose: &Pose, time: f64, point: DVec3) -> DVec3 {
        self.velocity(time) + self.spin(time, pose.rotation).cross(point - pose.translation)
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

    /// No point of the side moves faster than this within a span from now.
    fn fastest_within(&self, time: f64, span: f64) -> f64 {
        self.fastest(time) + self.acceleration().length() * span
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

    /// The spin never exceeds this.
    fn max_spin(&self) -> f64 {
        match self {
            Self::Part { flight, .. } => flight.max_spin(),
            Self::Plane { .. } => 0.0,
        }
    }

    /// How uneven the moments of the body are.
    fn unevenness(&self) -> f64 {
        match self {
            Self::Part { flight, .. } => flight.unevenness(),
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
            spin_a: a.spin(time, pose_a.rotation),
            spin_b: b.spin(time, pose_b.rotation),
            offset: pose_b.translation - pose_a.translation,
            velocity: b.velocity(time) - a.velocity(time),
            acceleration: b.acceleration() - a.acceleration(),
            pose_a,
            pose_b,
            n,
        }
    }

    /// The rate at which the direction should turn with the features that are
    /// nearest: with a face or an edge of one side, or across two edges.
    fn turning(&self, warmth: &Warmth) -> DVec3 {
        let (Side::Part { part: part_a, .. }, Side::Part { part: part_b, .. }) = (&self.a, &self.b) else {
            return DVec3::ZERO;
        };
        match warmth.features() {
            (Feature::Vertex, Feature::Vertex) => DVec3::ZERO,
            (Feature::Edge(i, j), Feature::Edge(k, l)) => {
                let edge_a = self.pose_a.rotation * edge(part_a, i, j);
                let edge_b = self.pose_b.rotation * edge(part_b, k, l);
                let (with_a, with_b) = (self.spin_a.cross(self.n), self.spin_b.cross(self.n));
                match across_edges(edge_a, edge_b, with_a, with_b) {
                    Some(rate) => self.n.cross(rate),
                    None => self.spin_b,
                }
            }
            (_, Feature::Face) | (Feature::Vertex, Feature::Edge(..)) => self.spin_b,
            (Feature::Face, _) | (Feature::Edge(..), Feature::Vertex) => self.spin_a,
        }
    }

    /// A step, at most `longest`, over which the gap stays at or above `aim`.
    fn safe_step(&self, found: &Gap, warmth: &Warmth, aim: f64, longest: f64) -> f64 {
        let excess = found.distance - aim;
        if excess <= 0.0 {
            return 0.0;
        }
        let bound = GapBound::new(self, self.turning(warmth), found);
        // Until when the nearest points alone would keep the gap open.
        let (speed, bend) = bound.rates(found, &self.pose_a, &self.pose_b);
        let expected = crossing(excess, speed, bend);
        // Beyond this the third derivative alone could close the gap.
        let trusted = libm::cbrt(12.0 * (excess + 1e-2 * bound.size) / bound.third_within(0.0).max(f64::MIN_POSITIVE));
        let mut span = longest.min(1.1 * expected).min(trusted);
        // Over a shorter span the supports bound more tightly: the longest
        // step is sought from the longest span down.
        let mut step = 0.0_f64;
        while step < 0.7 * span {
            step = step.max(bound.clear_within(found.distance, aim, span));
            span *= 0.3;
        }
        step
    }
}

fn edge(part: &ConvexPart, i: u32, j: u32) -> DVec3 {
    match part.core() {
        Core::Points(points) => points[j as usize] - points[i as usize],
        Core::Cylinder { .. } | Core::Balls { .. } => DVec3::ZERO,
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

/// One side as the gap bound sees it: in which direction its points are far,
/// as a polynomial in time.
struct Directions<'a> {
    part: Option<&'a ConvexPart>,
    to_local: DQuat,
    d: [DVec3; 3],
    /// The farthest extent now.
    extent: f64,
}

impl<'a> Directions<'a> {
    fn new(side: &Side<'a>, pose: &Pose, n: [DVec3; 3], spin: DVec3, farthest: DVec3) -> Self {
        let (part, spin_change) = match side {
            Side::Part { part, flight } => (Some(*part), flight.spin_change(pose.rotation)),
            Side::Plane { .. } => (None, DVec3::ZERO),
        };
        let across = n[0].cross(spin);
        let first = n[1] + across;
        let second = n[2] + 2.0 * n[1].cross(spin) + n[0].cross(spin_change) + across.cross(spin);
        let extent = n[0].dot(farthest - pose.translation);
        Self { part, to_local: pose.rotation.inverse(), d: [n[0], first, second], extent }
    }

    /// The farthest extents in the directions of the last two control points
    /// of `[0, span]`; the first is known.
    fn extents(&self, span: f64) -> [f64; 2] {
        let Some(part) = self.part else {
            return [0.0; 2];
        };
        let [d0, d1, d2] = self.d;
        if d1 == DVec3::ZERO && d2 == DVec3::ZERO {
            // The direction turns with this very body.
            return [self.extent; 2];
        }
        let middle = d0 + 0.5 * span * d1;
        let last = middle + 0.5 * span * (d1 + span * d2);
        [middle, last].map(|direction| part.extent(self.to_local * direction))
    }

    /// First and second rate of the extent of one point, given from the
    /// centre of mass.
    fn rates(&self, arm: DVec3) -> (f64, f64) {
        if self.part.is_none() { (0.0, 0.0) } else { (arm.dot(self.d[1]), arm.dot(self.d[2])) }
    }
}

/// A lower bound on the gap along a turning direction.
struct GapBound<'a> {
    a: Directions<'a>,
    /// Along the opposite direction.
    b: Directions<'a>,
    /// Between the centres along the direction, and its first two rates.
    centres: [f64; 3],
    /// No third derivative of an extent is larger.
    third: f64,
    /// What the third derivative between the centres is made of: how fast the
    /// direction turns, how far and fast the centres are apart, and how fast
    /// that changes.
    rate: f64,
    offset: f64,
    speed: f64,
    fall: f64,
    /// The size of what approaches.
    size: f64,
}

impl<'a> GapBound<'a> {
    fn new(view: &Pairing<'a>, turning: DVec3, found: &Gap) -> Self {
        let n = [view.n, turning.cross(view.n), turning.cross(turning.cross(view.n))];
        let opposite = n.map(|v| -v);
        let (rate, fall) = (turning.length(), view.acceleration.length());
        let third = |side: &Side<'_>, spin: DVec3| {
            let (w, k) = (side.max_spin(), side.unevenness());
            if k == 0.0 && spin == turning {
                // The direction turns with this very body.
                return 0.0;
            }
            let own = w * w * w * (1.0 + 4.0 * k + 2.0 * k * k);
            side.core_reach() * (own + 3.0 * rate * (w * w * (1.0 + k) + rate * w) + rate * rate * rate)
        };
        let size = view.a.core_reach() + view.a.radius() + view.b.core_reach() + view.b.radius();
        Self {
            a: Directions::new(&view.a, &view.pose_a, n, view.spin_a, found.point_a),
            b: Directions::new(&view.b, &view.pose_b, opposite, view.spin_b, found.point_b),
            centres: [
                n[0].dot(view.offset),
                n[1].dot(view.offset) + n[0].dot(view.velocity),
                n[2].dot(view.offset) + 2.0 * n[1].dot(view.velocity) + n[0].dot(view.acceleration),
            ],
            third: third(&view.a, view.spin_a) + third(&view.b, view.spin_b),
            rate,
            offset: view.offset.length(),
            speed: view.velocity.length(),
            fall,
            size,
        }
    }

    /// No third derivative of the gap within `[0, span]` is larger.
    fn third_within(&self, span: f64) -> f64 {
        let Self { rate, offset, speed, fall, .. } = *self;
        let farthest = offset + span * (speed + 0.5 * fall * span);
        let fastest = speed + fall * span;
        self.third + rate * (rate * (rate * farthest + 3.0 * fastest) + 3.0 * fall)
    }

    /// First and second rate of the gap between the nearest points.
    fn rates(&self, found: &Gap, pose_a: &Pose, pose_b: &Pose) -> (f64, f64) {
        let (a1, a2) = self.a.rates(found.point_a - pose_a.translation);
        let (b1, b2) = self.b.rates(found.point_b - pose_b.translation);
        (self.centres[1] - a1 - b1, self.centres[2] - a2 - b2)
    }

    /// How long within `[0, span]` the gap, now `distance`, stays at or above
    /// `aim` for certain.
    fn clear_within(&self, distance: f64, aim: f64, span: f64) -> f64 {
        if span == f64::INFINITY {
            return span;
        }
        let [c0, c1, c2] = self.centres;
        let (of_a, of_b) = (self.a.extents(span), self.b.extents(span));
        // Control values of the quadratic lower bound; the third derivative
        // is charged to the last, since s³ ≤ s² on [0, 1].
        let first = distance - aim;
        let middle = c0 + 0.5 * span * c1 - of_a[0] - of_b[0] - aim;
        let last = c0 + span * (c1 + 0.5 * span * c2)
            - of_a[1]
            - of_b[1]
            - aim
            - self.third_within(span) * span * span * span / 6.0;
        if middle >= 0.0 && last >= 0.0 {
            return span;
        }
        // The first root of (1−s)² first + 2s(1−s) middle + s² last.
        let (a, half_b) = (first - 2.0 * middle + last, middle - first);
        let discriminant = half_b * half_b - a * first;
        if discriminant < 0.0 {
            return span;
        }
        let root = discriminant.sqrt();
        let s = if half_b <= 0.0 { first / (root - half_b) } else { -(half_b + root) / a };
        if s > 0.0 && s < 1.0 { s * span } else { span }
    }
}

/// The first positive root of `c + b t + a t²/2` for c > 0.
pub(crate) fn crossing(c: f64, b: f64, a: f64) -> f64 {
    let discriminant = b * b - 2.0 * a * c;
    if discriminant < 0.0 {
        return f64::INFINITY;
    }
    let root = discriminant.sqrt();
    let time = if b < 0.0 { 2.0 * c / (root - b) } else { -(b + root) / a };
    if time > 0.0 { time } else { f64::INFINITY }
}
