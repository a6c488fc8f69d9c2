//! Distances of balls of different size with all that lies between them.
//!
//! The gap between two such solids is the least of `|D(s, t)| − r(s) − q(t)`,
//! where `D` joins a point of one axis to one of the other and the radii grow
//! evenly along the axes. The function is convex. Where it is level in both
//! directions, the unit vector along `D` has known products with both axes, so
//! that it is known itself; otherwise the least value is at an end of an axis.

use glam::DVec3;
use parry3d_f64::query::sweep_toi::{SimplexCache, ToiProxy, proxy_distance};

use crate::distance::overlapping;
use crate::{ConvexPart, Core, Facet, Gap, Pose};

/// An axis, and the radii at its ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    start: DVec3,
    along: DVec3,
    radius: f64,
    growth: f64,
}

/// A place on each of two axes, and the gap between the balls there.
#[derive(Clone, Copy)]
struct Pairing {
    s: f64,
    t: f64,
    gap: f64,
}

impl Axis {
    /// The axis of a ball, a capsule or two balls, in the world; `None` for
    /// other solids.
    pub(crate) fn of(part: &ConvexPart, pose: &Pose) -> Option<Self> {
        let (centers, radii) = match part.core() {
            Core::Points(points) if points.len() <= 2 => ([points[0], points[points.len() - 1]], [0.0; 2]),
            Core::Balls { centers, radii } => (*centers, *radii),
            _ => return None,
        };
        let start = pose.transform_point(centers[0]);
        Some(Self {
            start,
            along: pose.transform_point(centers[1]) - start,
            radius: radii[0] + part.radius(),
            growth: radii[1] - radii[0],
        })
    }

    fn ball(&self, share: f64) -> (DVec3, f64) {
        (self.start + share * self.along, self.radius + share * self.growth)
    }

    /// Where on the axis the ball is that comes nearest to another.
    fn nearest_to(&self, center: DVec3) -> f64 {
        let length_squared = self.along.length_squared();
        if length_squared == 0.0 {
            return 0.0;
        }
        let from = self.start - center;
        let foot = from.dot(self.along) / length_squared;
        let height_squared = (from - foot * self.along).length_squared();
        // The direction from the centre makes a known angle with the axis.
        let sine_squared = self.growth * self.growth / length_squared;
        let beyond = self.growth * (height_squared / (1.0 - sine_squared).max(f64::MIN_POSITIVE)).sqrt();
        (beyond / length_squared - foot).clamp(0.0, 1.0)
    }
}

fn paired(a: &Axis, b: &Axis, s: f64, t: f64) -> Pairing {
    let ((center_a, radius_a), (center_b, radius_b)) = (a.ball(s), b.ball(t));
    Pairing { s, t, gap: center_a.distance(center_b) - radius_a - radius_b }
}

/// Where the gap is level along both axes, if that is on both.
fn between(a: &Axis, b: &Axis) -> Option<Pairing> {
    let (u, v, w) = (a.along, b.along, b.start - a.start);
    let (uu, vv, uv) = (u.length_squared(), v.length_squared(), u.dot(v));
    let determinant = uu * vv - uv * uv;
    let across = u.cross(v);
    let height = w.dot(across);
    if determinant <= 1e-12 * uu * vv || height == 0.0 {
        return None;
    }
    let flat = ((-a.growth * vv - b.growth * uv) * u + (b.growth * uu + a.growth * uv) * v) / determinant;
    let rest = 1.0 - flat.length_squared();
    if rest <= 0.0 {
        return None;
    }
    let n = flat + (rest / determinant).sqrt().copysign(height) * across;
    let distance = height / n.dot(across);
    let left = w - distance * n;
    let (p, q) = (left.dot(u), left.dot(v));
    let (s, t) = ((p * vv - q * uv) / determinant, (p * uv - q * uu) / determinant);
    let on_axis = |share: f64| (0.0..=1.0).contains(&share);
    (on_axis(s) && on_axis(t)).then(|| paired(a, b, s, t))
}

/// The gap between two solids that are balls with all between them.
pub(crate) fn gap_of_axes(a: &Axis, b: &Axis) -> Gap {
    let ends = || {
        let of_a = [0.0, 1.0].map(|s| paired(a, b, s, b.nearest_to(a.ball(s).0)));
        let of_b = [0.0, 1.0].map(|t| paired(a, b, a.nearest_to(b.ball(t).0), t));
        let least = |best: Pairing, next: Pairing| if next.gap < best.gap { next } else { best };
        least(of_a.into_iter().fold(of_b[0], least), of_b[1])
    };
    let Pairing { s, t, gap } = between(a, b).unwrap_or_else(ends);
    let ((center_a, radius_a), (center_b, radius_b)) = (a.ball(s), b.ball(t));
    let Some(normal) = (center_b - center_a).try_normalize() else {
        return overlapping(center_a, center_b);
    };
    Gap { distance: gap, point_a: center_a + radius_a * normal, point_b: center_b - radius_b * normal, normal }
}

/// The gap between balls with all between them and the flat side of a solid that
/// they are farthest outside of, if the nearest ball is opposite to that side and
/// its centre outside of it.
pub(crate) fn gap_of_axis_to_sides(axis: &Axis, solid: &ConvexPart, pose: &Pose) -> Option<Gap> {
    let balls = [axis.ball(0.0), axis.ball(1.0)].map(|(center, radius)| (pose.inverse_transform_point(center), radius));
    let outside = |side: &Facet| {
        let [first, last] = balls.map(|(center, radius)| side.normal.dot(center) - radius);
        if last < first { (last - side.offset, 1) } else { (first - side.offset, 0) }
    };
    let (mut distance, mut nearest, mut best) = (f64::NEG_INFINITY, 0, solid.facets().first()?);
    for side in solid.facets() {
        let (next, ball) = outside(side);
        if next > distance {
            (distance, nearest, best) = (next, ball, side);
        }
    }
    let (center, radius) = balls[nearest];
    let opposite = center - (radius + distance) * best.normal;
    let others = || solid.facets().iter().filter(|other| *other != best);
    let is_opposite = others().all(|other| other.normal.dot(opposite) <= other.offset - solid.radius());
    (is_opposite && distance > -radius).then(|| Gap {
        distance,
        point_a: pose.transform_point(opposite + distance * best.normal),
        point_b: pose.transform_point(opposite),
        normal: pose.rotation * -best.normal,
    })
}

/// The gap between balls with all between them and the hull of some points,
/// which is rounded by `rounding`: a search for the ball that is nearest.
pub(crate) fn gap_to_points(axis: &Axis, points: &[DVec3], pose: &Pose, rounding: f64) -> Gap {
    let local = pose.inverse();
    let hull = ToiProxy::from_points(points, 0.0);
    let mut cache = SimplexCache::default();
    let mut look = |share: f64| {
        let (center, radius) = axis.ball(share);
        let place = [local.transform_point(center)];
        let place = ToiProxy::from_points(&place, 0.0);
        let found = proxy_distance(&Pose::IDENTITY.to_parry(), &place, &hull, false, &mut cache);
        let normal = pose.rotation * found.normal;
        let gap = Gap {
            distance: found.distance - radius - rounding,
            point_a: center + radius * normal,
            point_b: pose.transform_point(found.point_b) - rounding * normal,
            normal,
        };
        // How fast the gap grows along the axis.
        (gap, -normal.dot(axis.along) - axis.growth)
    };
    let (mut low, mut high) = (look(0.0), look(1.0));
    if low.1 >= 0.0 || low.0.normal == DVec3::ZERO {
        return low.0;
    }
    if high.1 <= 0.0 || high.0.normal == DVec3::ZERO {
        return high.0;
    }
    let (mut from, mut to) = (0.0, 1.0);
    for step in 0..MOST_STEPS {
        // By the slopes, and every third time by halves: they may be uneven.
        let share = if step % 3 == 2 { 0.5 } else { (low.1 / (low.1 - high.1)).clamp(0.01, 0.99) };
        let middle = from + share * (to - from);
        let found = look(middle);
        if found.0.normal == DVec3::ZERO {
            return found.0;
        }
        if found.1 < 0.0 {
            (from, low) = (middle, found);
        } else {
            (to, high) = (middle, found);
        }
        if found.1.abs() < 1e-9 * axis.along.length() || to - from < 1e-9 {
            return found.0;
        }
    }
    if low.0.distance < high.0.distance { low.0 } else { high.0 }
}

/// Enough to halve an axis to a billionth of itself.
const MOST_STEPS: u32 = 90;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Shape, Warmth, gap};

    fn balls(a: (DVec3, f64), b: (DVec3, f64)) -> ConvexPart {
        ConvexPart::between_balls(a, b)
    }

    /// The least gap between balls on two fine rows.
    fn searched(a: &Axis, b: &Axis) -> f64 {
        let mut least = f64::INFINITY;
        for i in 0..=400 {
            for j in 0..=400 {
                least = least.min(paired(a, b, f64::from(i) / 400.0, f64::from(j) / 400.0).gap);
            }
        }
        least
    }

    #[test]
    fn the_gap_is_the_least_of_all_balls() {
        let mut number = 7_u64;
        let mut next = || {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (number >> 40) as f64 / f64::from(1 << 23) - 1.0
        };
        for _ in 0..60 {
            let mut part = |offset: f64| {
                let ends = [(); 2].map(|()| (DVec3::new(next() + offset, next(), next()), 0.1 + 0.05 * next()));
                balls(ends[0], ends[1])
            };
            let (a, b) = (part(0.0), part(1.5));
            let axes = [&a, &b].map(|part| Axis::of(part, &Pose::IDENTITY).unwrap());
            let found = gap(&a, &Pose::IDENTITY, &b, &Pose::IDENTITY, &mut Warmth::default());
            let searched = searched(&axes[0], &axes[1]);
            assert!(found.distance <= searched + 1e-12 && found.distance > searched - 1e-4, "{found:?} {searched}");
            let between = found.point_b - found.point_a;
            assert!((between - found.distance * found.normal).length() < 1e-12);
        }
    }

    #[test]
    fn the_gap_to_a_box_is_the_least_of_all_balls() {
        let cube = Shape::cuboid(DVec3::new(1.0, 0.5, 0.7), 0.0).unwrap().convex_parts(&Pose::IDENTITY).remove(0);
        for turn in 0..24 {
            let turn = glam::DQuat::from_euler(glam::EulerRot::XYZ, f64::from(turn), 0.7 * f64::from(turn), 0.3);
            let far = turn * DVec3::new(1.3, 1.0, 1.2);
            let club = balls((far, 0.3), (far + turn * DVec3::new(0.3, -1.0, 0.2), 0.1));
            let axis = Axis::of(&club, &Pose::IDENTITY).unwrap();
            let found = gap(&club, &Pose::IDENTITY, &cube, &Pose::IDENTITY, &mut Warmth::default());
            let ball = |share: f64| {
                let (center, radius) = axis.ball(share);
                center.distance(center.clamp(-DVec3::new(1.0, 0.5, 0.7), DVec3::new(1.0, 0.5, 0.7))) - radius
            };
            let searched = (0..=10_000).map(|i| ball(f64::from(i) / 10_000.0)).fold(f64::INFINITY, f64::min);
            if searched > 0.0 {
                assert!((found.distance - searched).abs() < 1e-6, "{found:?} {searched}");
            } else {
                assert!(found.distance <= 1e-6, "{found:?} {searched}");
            }
        }
    }
}
