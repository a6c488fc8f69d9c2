//! The curve of a path: where a car is, and how it turns.

use glam::DVec2;

use super::Map;
use super::ids::PathId;

/// Nodes and weights of the Gauss-Legendre rule with five points on [0, 1].
const GAUSS: [(f64, f64); 5] = [
    (0.046_910_077_030_668_02, 0.118_463_442_528_094_54),
    (0.230_765_344_947_158_45, 0.239_314_335_249_683_24),
    (0.5, 0.284_444_444_444_444_44),
    (0.769_234_655_052_841_5, 0.239_314_335_249_683_24),
    (0.953_089_922_969_331_9, 0.118_463_442_528_094_54),
];

/// A cubic hermite curve: the way through a junction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hermite {
    /// Coefficients of the powers of u.
    powers: [DVec2; 4],
}

impl Hermite {
    /// The curve between two points that leaves and arrives in these
    /// directions (unit vectors). The tangents are as long as those of the
    /// circle that would turn as far, so that cars turn evenly.
    pub(crate) fn between(start: DVec2, leave: DVec2, end: DVec2, arrive: DVec2) -> Self {
        let half = libm::sqrt(0.5 * (1.0 + leave.dot(arrive).clamp(-1.0, 1.0)));
        let quarter_squared = 0.5 * (1.0 + half);
        let size = start.distance(end) / quarter_squared;
        let (leave, arrive) = (leave * size, arrive * size);
        let step = end - start;
        Self { powers: [start, leave, 3.0 * step - 2.0 * leave - arrive, leave + arrive - 2.0 * step] }
    }

    #[inline]
    pub(crate) fn position(&self, u: f64) -> DVec2 {
        let [a, b, c, d] = self.powers;
        a + u * (b + u * (c + u * d))
    }

    #[inline]
    pub(crate) fn velocity(&self, u: f64) -> DVec2 {
        let [_, b, c, d] = self.powers;
        b + u * (2.0 * c + u * (3.0 * d))
    }

    #[inline]
    fn curvature(&self, u: f64) -> f64 {
        let [_, _, c, d] = self.powers;
        let (first, second) = (self.velocity(u), 2.0 * c + 6.0 * u * d);
        let speed = first.length();
        if speed > 0.0 { first.perp_dot(second) / (speed * speed * speed) } else { 0.0 }
    }

    /// Arc length from the start up to u: the rule on each half.
    pub(crate) fn length_to(&self, u: f64) -> f64 {
        let piece = |from: f64, size: f64| -> f64 {
            size * GAUSS.iter().map(|(node, weight)| weight * self.velocity(from + node * size).length()).sum::<f64>()
        };
        piece(0.0, 0.5 * u) + piece(0.5 * u, 0.5 * u)
    }
}

/// A place on a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// Where it is, plan coordinates, metres.
    pub position: DVec2,
    /// Unit vector of the way the path goes.
    pub tangent: DVec2,
    /// How fast it turns, 1/m; positive to the right.
    pub curvature: f64,
    /// Metres per unit of u: how far a small step of u goes.
    pub scale: f64,
}

/// The curve of a path, ready to be evaluated. It borrows the map and is made
/// in some hundred nanoseconds; keep it while a car is on the path.
///
/// `u ∈ [0, 1]` is the parameter of the hermite curve through the junction,
/// and `u ∈ [1, 2]` the distance down the lane over its length. *Distance* is
/// arc length from the start of the path, metres.
#[derive(Clone, Copy, Debug)]
pub struct PathCurve<'map> {
    crossing: Hermite,
    crossing_length: f64,
    lane_length: f64,
    points: &'map [DVec2],
    stations: &'map [f64],
}

impl<'map> PathCurve<'map> {
    /// Arc length of the part through the junction, metres.
    #[inline]
    pub fn crossing_length(&self) -> f64 {
        self.crossing_length
    }

    /// Length of the lane, metres.
    #[inline]
    pub fn lane_length(&self) -> f64 {
        self.lane_length
    }

    /// From stop line to stop line, metres.
    #[inline]
    pub fn length(&self) -> f64 {
        self.crossing_length + self.lane_length
    }

    /// The place at u, which is clamped to [0, 2].
    pub fn at(&self, u: f64) -> CurvePoint {
        if u < 1.0 {
            let u = u.max(0.0);
            let velocity = self.crossing.velocity(u);
            let scale = velocity.length();
            return CurvePoint {
                position: self.crossing.position(u),
                tangent: velocity / scale,
                curvature: self.crossing.curvature(u),
                scale,
            };
        }
        let (position, tangent) = self.on_lane((u.min(2.0) - 1.0) * self.lane_length);
        CurvePoint { position, tangent, curvature: 0.0, scale: self.lane_length }
    }

    /// Only the position at u.
    pub fn position(&self, u: f64) -> DVec2 {
        if u < 1.0 { self.crossing.position(u.max(0.0)) } else { self.on_lane((u.min(2.0) - 1.0) * self.lane_length).0 }
    }

    /// The place on the lane at a distance from its start.
    fn on_lane(&self, distance: f64) -> (DVec2, DVec2) {
        // Most lanes are straight.
        let segment = if self.points.len() == 2 {
            0
        } else {
            self.stations.partition_point(|station| *station <= distance).clamp(1, self.points.len() - 1) - 1
        };
        let (start, end) = (self.points[segment], self.points[segment + 1]);
        let tangent = (end - start) / (self.stations[segment + 1] - self.stations[segment]);
        (start + tangent * (distance - self.stations[segment]), tangent)
    }

    /// Distance from the start of the path at u.
    pub fn distance(&self, u: f64) -> f64 {
        if u < 1.0 {
            // The stored length is rounded; nothing in the junction lies beyond it.
            self.crossing.length_to(u.max(0.0)).min(self.crossing_length)
        } else {
            self.crossing_length + (u.min(2.0) - 1.0) * self.lane_length
        }
    }

    /// The value of u at a distance from the start of the path, clamped to [0, 2].
    pub fn parameter(&self, distance: f64) -> f64 {
        if distance >= self.crossing_length {
            return (1.0 + (distance - self.crossing_length) / self.lane_length).min(2.0);
        }
        if distance <= 0.0 {
            return 0.0;
        }
        // Newton's method: the length is smooth and increasing, and nearly straight.
        let mut u = distance / self.crossing_length;
        for _ in 0..8 {
            let step = (self.crossing.length_to(u) - distance) / self.crossing.velocity(u).length();
            u = (u - step).clamp(0.0, 1.0);
            if step.abs() < 1e-12 {
                break;
            }
        }
        u
    }
}

impl Map {
    /// The curve of a path.
    pub fn curve(&self, path: PathId) -> PathCurve<'_> {
        let path = self.path(path);
        PathCurve {
            crossing: self.crossing(path.from, path.to),
            crossing_length: f64::from(path.crossing),
            lane_length: self.lane(path.to).length,
            points: self.lane_points(path.to),
            stations: self.lane_stations(path.to),
        }
    }

    /// The curve from the end of one lane to the start of another.
    pub(crate) fn crossing(&self, from: super::LaneId, to: super::LaneId) -> Hermite {
        let (before, after) = (self.lane_points(from), self.lane_points(to));
        let last = before.len() - 1;
        let leave = (before[last] - before[last - 1]).normalize_or(DVec2::X);
        let arrive = (after[1] - after[0]).normalize_or(leave);
        Hermite::between(before[last], leave, after[0], arrive)
    }
}
