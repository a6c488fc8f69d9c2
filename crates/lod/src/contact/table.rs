//! One table of intersection tests and contact models, by the kinds of two
//! nodes (section 4.3).
//!
//! A volume is a core and a radius, so every test is a question about the
//! distance of two cores. Where that has a closed form it is used; otherwise
//! the distance is bounded from both sides until the question is answered.

use glam::DVec3;

use crate::tree::{Kind, Volume};

/// Where two nodes touch, for the response (section 3.2.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// The common point.
    pub point: DVec3,
    /// Unit vector from the first to the second.
    pub normal: DVec3,
    /// κ: 0 where they just touch, 1 where the smaller is swallowed.
    pub interpenetration: f64,
    /// How far they overlap along the normal, metres; negative where there is a
    /// gap between them.
    pub depth: f64,
}

/// How two kinds of nodes are tested and touch.
#[derive(Clone, Copy)]
pub struct PairModel {
    /// Whether the two share a point.
    pub meet: fn(&Volume, &Volume) -> bool,
    /// Where they touch, if they meet.
    pub touch: fn(&Volume, &Volume) -> Touch,
    /// What asking whether they meet costs, in tests of two spheres (decision 143).
    pub cost: u64,
}

/// The table, indexed by the kinds in the order of [`Kind::ALL`].
pub static TABLE: [[PairModel; 4]; 4] = {
    const POINT: PairModel = PairModel { meet: points_meet, touch: points_touch, cost: 1 };
    const ONE_POINT: PairModel = PairModel { meet: point_meets, touch: cores_touch, cost: 4 };
    const LINES: PairModel = PairModel { meet: lines_meet, touch: cores_touch, cost: 6 };
    const CORES: PairModel = PairModel { meet: cores_meet, touch: cores_touch, cost: 14 };
    const POINT_BOX: PairModel = PairModel { meet: point_meets, touch: swept_touch, cost: 4 };
    const CORE_BOX: PairModel = PairModel { meet: cores_meet, touch: swept_touch, cost: 18 };
    const BOXES: PairModel = PairModel { meet: boxes_meet, touch: swept_touch, cost: 16 };
    [
        [POINT, ONE_POINT, ONE_POINT, POINT_BOX],
        [ONE_POINT, LINES, CORES, CORE_BOX],
        [ONE_POINT, CORES, CORES, CORE_BOX],
        [POINT_BOX, CORE_BOX, CORE_BOX, BOXES],
    ]
};

/// The entry of the table for two volumes.
pub fn pair_model(a: Kind, b: Kind) -> &'static PairModel {
    &TABLE[a as usize][b as usize]
}

/// κ = (Rₐ + R_b − d) / (2 min(Rₐ, R_b)), from 0 to 1.
fn interpenetration(radius_a: f64, radius_b: f64, distance: f64) -> f64 {
    let least = radius_a.min(radius_b);
    if least <= 0.0 {
        return 1.0;
    }
    ((radius_a + radius_b - distance) / (2.0 * least)).clamp(0.0, 1.0)
}

/// The point between two places that divides their distance as the radii do
/// (equation 3.8), and the normal (3.7); `fallback` is the direction where the
/// places coincide.
fn between(from: DVec3, radius_a: f64, to: DVec3, radius_b: f64, fallback: DVec3) -> Touch {
    let distance = from.distance(to);
    let both = radius_a + radius_b;
    let share = if both > 0.0 { radius_a / both } else { 0.5 };
    Touch {
        point: from + share * (to - from),
        normal: (to - from).try_normalize().unwrap_or_else(|| fallback.normalize_or(DVec3::Y)),
        interpenetration: interpenetration(radius_a, radius_b, distance),
        depth: both - distance,
    }
}

fn points_meet(a: &Volume, b: &Volume) -> bool {
    let both = a.radius + b.radius;
    a.center.distance_squared(b.center) <= both * both
}

fn points_touch(a: &Volume, b: &Volume) -> Touch {
    between(a.center, a.radius, b.center, b.radius, DVec3::Y)
}

/// The contact model of a cube is that of the sphere around it (4.1.2), and that of
/// a box the same about what is left of it when a cube is taken from its middle: a
/// line or a rectangle, swept by that sphere.
fn swept_touch(a: &Volume, b: &Volume) -> Touch {
    cores_touch(&swept(a), &swept(b))
}

fn swept(volume: &Volume) -> Volume {
    /// Sides that differ by less are alike.
    const ALIKE: f64 = 1.0 + 1e-9;
    if volume.kind != Kind::Box {
        return *volume;
    }
    let half = volume.axes.map(DVec3::length);
    let least = half[0].min(half[1]).min(half[2]);
    let (mut axes, mut count) = ([DVec3::ZERO; 3], 0);
    for (axis, half) in volume.axes.into_iter().zip(half).filter(|(_, half)| *half > ALIKE * least) {
        axes[count] = (1.0 - least / half) * axis;
        count += 1;
    }
    let kind = [Kind::Sphere, Kind::Line, Kind::Rectangle][count.min(2)];
    Volume { kind, center: volume.center, axes, radius: volume.radius + least * 3.0_f64.sqrt() }
}

/// One of the two is a sphere.
fn point_meets(a: &Volume, b: &Volume) -> bool {
    let (point, other) = if a.kind == Kind::Sphere { (a, b) } else { (b, a) };
    other.core_distance(point.center) <= a.radius + b.radius
}

fn lines_meet(a: &Volume, b: &Volume) -> bool {
    let (p, q) = nearest_of_lines(a, b);
    p.distance(q) <= a.radius + b.radius
}

fn cores_touch(a: &Volume, b: &Volume) -> Touch {
    let (p, q) = nearest(a, b);
    between(p, a.radius, q, b.radius, b.center - a.center)
}

/// The nearest points of two cores.
fn nearest(a: &Volume, b: &Volume) -> (DVec3, DVec3) {
    match (a.kind, b.kind) {
        (Kind::Sphere, _) => (a.center, b.nearest_of_core(a.center)),
        (_, Kind::Sphere) => (a.nearest_of_core(b.center), b.center),
        (Kind::Line, Kind::Line) => nearest_of_lines(a, b),
        _ => nearest_of_cores(a, b, 0.0).0,
    }
}

/// Two boxes: first by the directions that can part them (Gottschalk and others
/// 1996), which most pairs that are apart are parted by.
fn boxes_meet(a: &Volume, b: &Volume) -> bool {
    let offset = b.center - a.center;
    let around = a.radius + b.radius;
    let parts = |direction: DVec3| {
        let half = |volume: &Volume| volume.core().iter().map(|axis| axis.dot(direction).abs()).sum::<f64>();
        let room = if around > 0.0 { around * direction.length() } else { 0.0 };
        offset.dot(direction).abs() > half(a) + half(b) + room
    };
    if a.axes.into_iter().chain(b.axes).any(parts) {
        return false;
    }
    if a.axes.iter().any(|own| b.axes.iter().any(|other| parts(own.cross(*other)))) {
        return false;
    }
    // Without anything around them, nothing else can part boxes.
    around <= 0.0 || cores_meet(a, b)
}

fn cores_meet(a: &Volume, b: &Volume) -> bool {
    nearest_of_cores(a, b, a.radius + b.radius).1
}

/// The nearest points of two line segments; where they run side by side, the
/// middle of the stretch that they share (table 4.1).
fn nearest_of_lines(a: &Volume, b: &Volume) -> (DVec3, DVec3) {
    let (u, v, w) = (a.axes[0], b.axes[0], b.center - a.center);
    let (uu, vv, uv) = (u.length_squared(), v.length_squared(), u.dot(v));
    if uu <= 0.0 || vv <= 0.0 {
        let q = b.nearest_of_core(a.center);
        return (a.nearest_of_core(q), q);
    }
    let determinant = uu * vv - uv * uv;
    let clamped = |s: f64| {
        let t = ((s * uv - v.dot(w)) / vv).clamp(-1.0, 1.0);
        let s = ((t * uv + u.dot(w)) / uu).clamp(-1.0, 1.0);
        (a.center + s * u, b.center + t * v)
    };
    if determinant > 1e-9 * uu * vv {
        let s = ((u.dot(w) * vv - v.dot(w) * uv) / determinant).clamp(-1.0, 1.0);
        return clamped(s);
    }
    // Parallel: the shared stretch, in units of the first's half length.
    let (middle, half) = (w.dot(u) / uu, (uv / uu).abs());
    let (from, to) = ((middle - half).max(-1.0), (middle + half).min(1.0));
    clamped(0.5 * (from + to).clamp(-2.0, 2.0))
}

/// The nearest points of two cores and whether they are within a distance:
/// coordinate after coordinate is set to its best value, which lowers the
/// distance; the extents along the line between the points bound it from
/// below. A question that is still open in the end is answered yes, so that no
/// contact is lost.
fn nearest_of_cores(a: &Volume, b: &Volume, within: f64) -> ((DVec3, DVec3), bool) {
    const ROUNDS: usize = 64;
    let (mut p, mut q) = (a.center, b.center);
    let (mut s, mut t) = ([0.0; 3], [0.0; 3]);
    for _ in 0..ROUNDS {
        for (share, axis) in s.iter_mut().zip(a.core()) {
            slide(&mut p, share, *axis, q);
        }
        for (share, axis) in t.iter_mut().zip(b.core()) {
            slide(&mut q, share, *axis, p);
        }
        let distance = p.distance(q);
        if distance <= within {
            return ((p, q), true);
        }
        let direction = (q - p) / distance;
        let extent = |volume: &Volume| volume.extent(direction) - volume.radius;
        let least = (b.center - a.center).dot(direction) - extent(a) - extent(b);
        if least > within || distance - least <= 1e-12 * (a.reach() + b.reach()) {
            return ((p, q), least <= within);
        }
    }
    ((p, q), true)
}

/// Moves a point along an axis of its core to where it is nearest to a target.
fn slide(point: &mut DVec3, share: &mut f64, axis: DVec3, target: DVec3) {
    let squared = axis.length_squared();
    if squared > 0.0 {
        let best = (*share + (target - *point).dot(axis) / squared).clamp(-1.0, 1.0);
        *point += (best - *share) * axis;
        *share = best;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proscenium_chance::{Seed, Stream};

    fn any_volume(stream: &mut Stream, kind: Kind) -> Volume {
        let turn = stream.rotation();
        let mut half = || 0.05 + stream.uniform();
        let axes = [half() * DVec3::X, half() * DVec3::Y, half() * DVec3::Z].map(|axis| turn * axis);
        let radius = if kind == Kind::Box { 0.0 } else { 0.3 * half() };
        let center = 2.0 * (DVec3::new(half(), half(), half()) - 0.5);
        let mut volume = Volume { kind, center, axes, radius };
        volume.axes[kind.axes()..].fill(DVec3::ZERO);
        volume
    }

    /// The distance of two cores by searching a fine grid of both, ever finer
    /// about the best place.
    fn searched(a: &Volume, b: &Volume) -> f64 {
        let (mut middle, mut half) = ([0.0; 3], 1.0);
        let mut best = f64::INFINITY;
        for _ in 0..24 {
            let mut found = middle;
            for k in 0..125 {
                let place: [f64; 3] = std::array::from_fn(|i| {
                    let step = f64::from((k / 5_i32.pow(i as u32)) % 5 - 2) / 2.0;
                    (middle[i] + half * step).clamp(-1.0, 1.0)
                });
                let point = a.center + a.core().iter().zip(place).map(|(axis, share)| share * *axis).sum::<DVec3>();
                let distance = b.core_distance(point);
                if distance < best {
                    (best, found) = (distance, place);
                }
            }
            middle = found;
            half *= 0.7;
        }
        best
    }

    #[test]
    fn every_pair_agrees_with_a_search() {
        let mut stream = Seed(9).stream("pairs");
        for a_kind in Kind::ALL {
            for b_kind in Kind::ALL {
                for _ in 0..60 {
                    let (a, b) = (any_volume(&mut stream, a_kind), any_volume(&mut stream, b_kind));
                    let gap = searched(&a, &b) - a.radius - b.radius;
                    let meet = (pair_model(a_kind, b_kind).meet)(&a, &b);
                    if gap.abs() > 1e-3 {
                        assert_eq!(meet, gap < 0.0, "{a_kind:?} {b_kind:?} {gap}");
                    }
                    assert_eq!(meet, (pair_model(b_kind, a_kind).meet)(&b, &a));
                }
            }
        }
    }

    #[test]
    fn touches_lie_between_and_turn_around() {
        let mut stream = Seed(10).stream("touches");
        for a_kind in Kind::ALL {
            for b_kind in Kind::ALL {
                for _ in 0..60 {
                    let (a, b) = (any_volume(&mut stream, a_kind), any_volume(&mut stream, b_kind));
                    let model = pair_model(a_kind, b_kind);
                    if !(model.meet)(&a, &b) {
                        continue;
                    }
                    let (one, other) = ((model.touch)(&a, &b), (pair_model(b_kind, a_kind).touch)(&b, &a));
                    assert!((one.normal.length() - 1.0).abs() < 1e-9);
                    assert!((0.0..=1.0).contains(&one.interpenetration));
                    assert!(one.point.distance(a.center) <= swept(&a).reach() + 1e-9);
                    // Cores that cross or lie side by side have many nearest points.
                    if a_kind == Kind::Sphere || b_kind == Kind::Sphere {
                        assert!(one.normal.distance(-other.normal) < 1e-6, "{a_kind:?} {b_kind:?}");
                        assert!(one.point.distance(other.point) < 1e-6);
                    }
                }
            }
        }
    }

    #[test]
    fn interpenetration_goes_from_nothing_to_all() {
        let at = |x: f64| points_touch(&Volume::sphere(DVec3::ZERO, 2.0), &Volume::sphere(x * DVec3::X, 1.0));
        assert_eq!(at(3.0).interpenetration, 0.0);
        assert_eq!(at(1.0).interpenetration, 1.0);
        assert_eq!(at(0.0).interpenetration, 1.0);
        assert_eq!(at(2.0).interpenetration, 0.5);
        // Equation 3.8: the point divides the distance as the radii do.
        assert_eq!(at(3.0).point, 2.0 * DVec3::X);
    }

    /// The sphere around a long box says next to nothing of where it touches.
    #[test]
    fn a_long_box_touches_where_it_is() {
        let beam = |height: f64| Volume::cuboid(height * DVec3::Y, [2.0 * DVec3::X, 0.1 * DVec3::Y, 0.1 * DVec3::Z]);
        let ball = Volume::sphere(DVec3::new(1.5, 0.5, 0.0), 0.41);
        let touch = (pair_model(Kind::Box, Kind::Sphere).touch)(&beam(0.0), &ball);
        assert!(touch.normal.distance(DVec3::Y) < 1e-9 && (touch.point.x - 1.5).abs() < 1e-9, "{touch:?}");
        let touch = (pair_model(Kind::Box, Kind::Box).touch)(&beam(0.0), &beam(0.19));
        assert!(touch.normal.distance(DVec3::Y) < 1e-9, "{touch:?}");
        // What it adds to the depth is what a cube's sphere does.
        assert!((touch.depth - (0.2 * 3.0_f64.sqrt() - 0.19)).abs() < 1e-9, "{touch:?}");
        let cube = |x: f64| Volume::cuboid(x * DVec3::X, [0.1 * DVec3::X, 0.1 * DVec3::Y, 0.1 * DVec3::Z]);
        let (boxes, balls) =
            ([cube(0.0), cube(0.15)], [0.0, 0.15].map(|x| Volume::sphere(x * DVec3::X, 0.03_f64.sqrt())));
        let depth = (pair_model(Kind::Box, Kind::Box).touch)(&boxes[0], &boxes[1]).depth;
        assert!((depth - points_touch(&balls[0], &balls[1]).depth).abs() < 1e-12, "cubes are as in the thesis");
    }

    #[test]
    fn parallel_lines_touch_in_the_middle_of_what_they_share() {
        let a = Volume::line(-DVec3::X, DVec3::X, 0.2);
        let b = Volume::line(DVec3::new(0.0, 0.3, 0.0), DVec3::new(4.0, 0.3, 0.0), 0.2);
        let touch = (pair_model(Kind::Line, Kind::Line).touch)(&a, &b);
        assert!(touch.point.distance(DVec3::new(0.5, 0.15, 0.0)) < 1e-12, "{touch:?}");
        assert_eq!(touch.normal, DVec3::Y);
    }
}
