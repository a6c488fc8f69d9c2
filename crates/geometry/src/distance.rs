//! The gap between convex solids, warm from one query to the next.

use glam::DVec3;
use parry3d_f64::query::details::closest_points_support_map_support_map as closest_points_of_support;
use parry3d_f64::query::sweep_toi::{SimplexCache, ToiProxy, proxy_distance};
use parry3d_f64::query::{ClosestPoints, closest_points};
use parry3d_f64::shape::SupportMap;

use crate::taper::{Axis, gap_of_axes, gap_of_axis_to_sides, gap_to_points};
use crate::{ConvexPart, Core, Facet, Pose};

/// The space between two solids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// Between the surfaces; negative where the roundings overlap, and at
    /// most minus both roundings where the cores do.
    pub distance: f64,
    /// The nearest point of the first solid, in the world.
    pub point_a: DVec3,
    /// The nearest point of the second solid, in the world.
    pub point_b: DVec3,
    /// Unit vector from the first to the second; zero if the cores overlap by more than
    /// rounding.
    pub normal: DVec3,
}

impl Gap {
    /// The same gap, with the solids in the other order.
    fn flipped(self) -> Self {
        Self { point_a: self.point_b, point_b: self.point_a, normal: -self.normal, ..self }
    }
}

/// Cores that are no deeper in each other than this share of the smaller's extent touch: what
/// rounding leaves of a body that was put down exactly.
const TOUCHING: f64 = 1e-9;

/// With so many corners on one side and a box on the other, its sides are tried
/// before anything else.
const MANY_CORNERS: usize = 16;
const SIDES_OF_A_BOX: usize = 6;

/// What one query leaves for the next on the same pair: the simplex that was
/// nearest. A stale one costs time, never the answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Warmth(SimplexCache);

/// What of a solid is nearest to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// A corner, or a place on a curved surface.
    Vertex,
    /// The edge between two of its core's points.
    Edge(u32, u32),
    /// A face.
    Face,
}

impl Warmth {
    /// The features that were nearest in the last query.
    pub fn features(&self) -> (Feature, Feature) {
        let count = usize::from(self.0.count).min(3);
        (feature(&self.0.index_a[..count]), feature(&self.0.index_b[..count]))
    }
}

/// The feature that up to three corners span.
fn feature(corners: &[u32]) -> Feature {
    let Some(first) = corners.first() else {
        return Feature::Vertex;
    };
    let Some(second) = corners.iter().find(|c| *c != first) else {
        return Feature::Vertex;
    };
    if corners.iter().any(|c| c != first && c != second) { Feature::Face } else { Feature::Edge(*first, *second) }
}

/// The gap between two convex solids.
///
/// ```
/// use proscenium_geometry::{Pose, Shape, Warmth, gap, glam::DVec3};
///
/// let part = |shape: Shape| shape.convex_parts(&Pose::IDENTITY).remove(0);
/// let ball = part(Shape::sphere(1.0)?);
/// let cube = part(Shape::cuboid(DVec3::ONE, 0.0)?);
/// let above = Pose::from_translation(DVec3::new(0.0, 3.0, 0.0));
/// let found = gap(&cube, &Pose::IDENTITY, &ball, &above, &mut Warmth::default());
/// assert!((found.distance - 1.0).abs() < 1e-12);
/// assert!(found.normal.distance(DVec3::Y) < 1e-12);
/// # Ok::<(), proscenium_geometry::ShapeError>(())
/// ```
pub fn gap(a: &ConvexPart, pose_a: &Pose, b: &ConvexPart, pose_b: &Pose, warmth: &mut Warmth) -> Gap {
    let (points_a, points_b) = match (a.core(), b.core()) {
        (Core::Points(points_a), Core::Points(points_b)) => (points_a, points_b),
        (Core::Balls { .. }, _) => return gap_of_balls(a, pose_a, b, pose_b),
        (_, Core::Balls { .. }) => return gap_of_balls(b, pose_b, a, pose_a).flipped(),
        _ => return gap_by_support(a, pose_a, b, pose_b),
    };
    if let Some(gap) = gap_to_box(a, pose_a, b, pose_b) {
        *warmth = Warmth::default();
        return gap;
    }
    let a_from_b = pose_a.inverse() * *pose_b;
    let found = proxy_distance(
        &a_from_b.to_parry(),
        &ToiProxy::from_points(points_a, 0.0),
        &ToiProxy::from_points(points_b, 0.0),
        false,
        &mut warmth.0,
    );
    if found.normal == DVec3::ZERO
        && let Some(touching) = gap_of_sides(a, pose_a, b, pose_b)
    {
        return touching;
    }
    let normal = pose_a.rotation * found.normal;
    Gap {
        distance: found.distance - a.radius() - b.radius(),
        point_a: pose_a.transform_point(found.point_a) + a.radius() * normal,
        point_b: pose_a.transform_point(found.point_b) - b.radius() * normal,
        normal,
    }
}

/// The gap between two balls with all between them and another solid.
fn gap_of_balls(a: &ConvexPart, pose_a: &Pose, b: &ConvexPart, pose_b: &Pose) -> Gap {
    let Some(axis) = Axis::of(a, pose_a) else {
        return gap_by_support(a, pose_a, b, pose_b);
    };
    if let Some(other) = Axis::of(b, pose_b) {
        return gap_of_axes(&axis, &other);
    }
    if let Some(gap) = gap_of_axis_to_sides(&axis, b, pose_b) {
        return gap;
    }
    match b.core() {
        Core::Points(points) => gap_to_points(&axis, points, pose_b, b.radius()),
        _ => gap_to_support(a, pose_a, b, pose_b),
    }
}

/// The gap between a solid with many corners and a box, in either order, if its
/// nearest corner is opposite to a side.
pub(crate) fn gap_to_box(a: &ConvexPart, pose_a: &Pose, b: &ConvexPart, pose_b: &Pose) -> Option<Gap> {
    let has_many = |part: &ConvexPart| matches!(part.core(), Core::Points(points) if points.len() >= MANY_CORNERS);
    let is_box = |part: &ConvexPart| part.facets().len() == SIDES_OF_A_BOX;
    if has_many(a) && is_box(b) {
        gap_to_sides(a, pose_a, b, pose_b)
    } else if has_many(b) && is_box(a) {
        gap_to_sides(b, pose_b, a, pose_a).map(Gap::flipped)
    } else {
        None
    }
}

/// The gap between two solids whose cores touch, of which closest points say nothing: by a side of
/// either that all of the other is outside of.
fn gap_of_sides(a: &ConvexPart, pose_a: &Pose, b: &ConvexPart, pose_b: &Pose) -> Option<Gap> {
    gap_to_sides(a, pose_a, b, pose_b).or_else(|| gap_to_sides(b, pose_b, a, pose_a).map(Gap::flipped))
}

/// The gap between a solid and the side of another that it is farthest
/// outside of, if its nearest point is opposite to that side.
fn gap_to_sides(a: &ConvexPart, pose_a: &Pose, b: &ConvexPart, pose_b: &Pose) -> Option<Gap> {
    let b_from_a = pose_b.inverse() * *pose_a;
    let to_a = b_from_a.rotation.inverse();
    let outside = |side: &Facet| {
        let nearest = b_from_a.transform_point(a.support(to_a * -side.normal)) - a.radius() * side.normal;
        (nearest.dot(side.normal) - side.offset, nearest)
    };
    let (mut distance, mut nearest, mut best) = (f64::NEG_INFINITY, DVec3::ZERO, b.facets().first()?);
    for side in b.facets() {
        let (next, place) = outside(side);
        if next > distance {
            (distance, nearest, best) = (next, place, side);
        }
    }
    let opposite = nearest - distance * best.normal;
    let others = || b.facets().iter().filter(|other| *other != best);
    let is_opposite = others().all(|other| other.normal.dot(opposite) <= other.offset - b.radius());
    (is_opposite && distance > -a.radius() - TOUCHING * a.reach().min(b.reach())).then(|| Gap {
        distance,
        point_a: pose_b.transform_point(nearest),
        point_b: pose_b.transform_point(opposite),
        normal: pose_b.rotation * -best.normal,
    })
}

/// A core as parry asks for it.
struct SupportOf<'a>(&'a ConvexPart);

impl SupportMap for SupportOf<'_> {
    fn local_support_point(&self, direction: DVec3) -> DVec3 {
        self.0.support(direction)
    }
}

/// The gap to a cylinder.
fn gap_to_support(a: &ConvexPart, pose_a: &Pose, b: &ConvexPart, pose_b: &Pose) -> Gap {
    let a_from_b = pose_a.inverse() * *pose_b;
    let middles = (pose_a.transform_point(a.center()), pose_b.transform_point(b.center()));
    let found = closest_points_of_support(&a_from_b.to_parry(), &SupportOf(a), &SupportOf(b), f64::MAX);
    let ClosestPoints::WithinMargin(point_a, point_b) = found else {
        return overlapping(middles.0, middles.1);
    };
    let (point_a, point_b) = (pose_a.transform_point(point_a), pose_b.transform_point(point_b));
    match (point_b - point_a).try_normalize() {
        Some(normal) => {
            let (point_a, point_b) = (point_a + a.radius() * normal, point_b - b.radius() * normal);
            Gap { distance: (point_b - point_a).dot(normal), point_a, point_b, normal }
        }
        None => overlapping(middles.0, middles.1),
    }
}

/// Of cores that overlap nothing more is known.
pub(crate) fn overlapping(a: DVec3, b: DVec3) -> Gap {
    let middle = 0.5 * (a + b);
    Gap { distance: 0.0, point_a: middle, point_b: middle, normal: DVec3::ZERO }
}

/// The slower way, for cores that are not point sets.
fn gap_by_support(a: &ConvexPart, pose_a: &Pose, b: &ConvexPart, pose_b: &Pose) -> Gap {
    let (Some((solid_a, a_from_solid)), Some((solid_b, b_from_solid))) = (a.solid(), b.solid()) else {
        return overlapping(pose_a.transform_point(a.center()), pose_b.transform_point(b.center()));
    };
    let world_a = (*pose_a * a_from_solid).to_parry();
    let world_b = (*pose_b * b_from_solid).to_parry();
    match closest_points(&world_a, solid_a.as_ref(), &world_b, solid_b.as_ref(), f64::MAX) {
        Ok(ClosestPoints::WithinMargin(point_a, point_b)) => {
            // Between curved solids the points found are not quite the nearest;
            // the gap between the supporting planes is never too large.
            let normal = (point_b - point_a).normalize_or_zero();
            let extent = |part: &ConvexPart, pose: &Pose, direction: DVec3| {
                let local = pose.rotation.inverse() * direction;
                pose.transform_point(part.support(local)).dot(direction) + part.radius()
            };
            let distance = -extent(a, pose_a, normal) - extent(b, pose_b, -normal);
            Gap { distance, point_a, point_b, normal }
        }
        _ => overlapping(pose_a.transform_point(a.center()), pose_b.transform_point(b.center())),
    }
}

/// The gap between a convex solid and the half-space behind a plane; negative
/// by the depth where they overlap. The normal points from the solid into the
/// half-space.
pub fn gap_to_plane(part: &ConvexPart, pose: &Pose, plane_point: DVec3, plane_normal: DVec3) -> Gap {
    let local = pose.rotation.inverse() * -plane_normal;
    let deepest = pose.transform_point(part.support(local)) - part.radius() * plane_normal;
    let distance = (deepest - plane_point).dot(plane_normal);
    Gap { distance, point_a: deepest, point_b: deepest - distance * plane_normal, normal: -plane_normal }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hull, Shape};
    use glam::{DQuat, EulerRot};

    /// A drum of sixteen sides, which has as many corners as are tried by the
    /// sides of a box.
    fn drum() -> ConvexPart {
        let corner = |k: u32| {
            let (z, x) = libm::sincos(f64::from(k % 16) * std::f64::consts::FRAC_PI_8);
            DVec3::new(0.3 * x, if k < 16 { -0.1 } else { 0.1 }, 0.3 * z)
        };
        let corners: Vec<DVec3> = (0..32).map(corner).collect();
        Shape::hull(Hull::new(&corners).unwrap()).convex_parts(&Pose::IDENTITY).remove(0)
    }

    #[test]
    fn the_sides_of_a_box_tell_the_gap_that_the_general_way_finds() {
        let (drum, size) = (drum(), DVec3::new(1.0, 0.5, 0.7));
        let cube = Shape::cuboid(size, 0.0).unwrap().convex_parts(&Pose::IDENTITY).remove(0);
        let mut told = 0;
        for step in 0..200_u32 {
            let t = f64::from(step);
            let turn = DQuat::from_euler(EulerRot::XYZ, t, 0.7 * t, 0.3 * t);
            let pose = Pose::new(DQuat::from_euler(EulerRot::XYZ, 0.31 * t, 1.3 * t, 0.0) * (1.2 * size), turn);
            let Some(found) = gap_to_box(&drum, &pose, &cube, &Pose::IDENTITY) else {
                continue;
            };
            told += 1;
            let general = gap_by_support(&drum, &pose, &cube, &Pose::IDENTITY);
            assert!((found.distance - general.distance).abs() < 1e-9, "{found:?} {general:?}");
            assert!(found.normal.distance(general.normal) < 1e-6, "{found:?} {general:?}");
            assert_eq!(gap_to_box(&cube, &Pose::IDENTITY, &drum, &pose), Some(found.flipped()));
        }
        assert!(told > 20, "{told} of 200");
    }

    /// What stands on something with no gap at all has a normal: without one, a blow was handed
    /// on along the line between the middles, which on a long lane is level.
    #[test]
    fn solids_that_touch_exactly_have_a_normal() {
        let long = Shape::cuboid(DVec3::new(9.0, 0.05, 0.5), 0.0).unwrap().convex_parts(&Pose::IDENTITY).remove(0);
        let cube = Shape::cuboid(DVec3::splat(0.1), 0.0).unwrap().convex_parts(&Pose::IDENTITY).remove(0);
        let prism: Vec<DVec3> = (0..32)
            .map(|k| {
                let (sin, cos) = libm::sincos(std::f64::consts::TAU * f64::from(k % 16) / 16.0);
                DVec3::new(0.1 * cos, if k < 16 { -0.1 } else { 0.1 }, 0.1 * sin)
            })
            .collect();
        let prism = Shape::hull(crate::Hull::new(&prism).unwrap()).convex_parts(&Pose::IDENTITY).remove(0);
        for part in [&cube, &prism] {
            for (above, turn) in [(0.0, 0.0), (0.0, 0.4), (-1e-16, 0.0), (1e-16, 0.9)] {
                let pose = Pose::new(DVec3::new(7.0, 0.15 + above, 0.2), DQuat::from_rotation_y(turn));
                let found = gap(part, &pose, &long, &Pose::IDENTITY, &mut Warmth::default());
                assert!(found.distance.abs() < 1e-12 && found.normal.distance(-DVec3::Y) < 1e-9, "{found:?}");
                let other = gap(&long, &Pose::IDENTITY, part, &pose, &mut Warmth::default());
                assert!(other.distance.abs() < 1e-12 && other.normal.distance(DVec3::Y) < 1e-9, "{other:?}");
            }
            // What is deep in each other has none.
            let deep = Pose::from_translation(DVec3::new(7.0, 0.1, 0.2));
            assert_eq!(gap(part, &deep, &long, &Pose::IDENTITY, &mut Warmth::default()).normal, DVec3::ZERO);
        }
    }
}
