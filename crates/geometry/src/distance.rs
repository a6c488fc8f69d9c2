//! The gap between convex solids, warm from one query to the next.

use glam::DVec3;
use parry3d_f64::query::sweep_toi::{SimplexCache, ToiProxy, proxy_distance};
use parry3d_f64::query::{ClosestPoints, closest_points};

use crate::{ConvexPart, Core, Pose};

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
    /// Unit vector from the first to the second; zero if the cores overlap.
    pub normal: DVec3,
}

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
    let (Core::Points(points_a), Core::Points(points_b)) = (a.core(), b.core()) else {
        return gap_by_support(a, pose_a, b, pose_b);
    };
    let a_from_b = pose_a.inverse() * *pose_b;
    let found = proxy_distance(
        &a_from_b.to_parry(),
        &ToiProxy::from_points(points_a, 0.0),
        &ToiProxy::from_points(points_b, 0.0),
        false,
        &mut warmth.0,
    );
    let normal = pose_a.rotation * found.normal;
    Gap {
        distance: found.distance - a.radius() - b.radius(),
        point_a: pose_a.transform_point(found.point_a) + a.radius() * normal,
        point_b: pose_a.transform_point(found.point_b) - b.radius() * normal,
        normal,
    }
}

/// The slower way, for cores that are not point sets.
fn gap_by_support(a: &ConvexPart, pose_a: &Pose, b: &ConvexPart, pose_b: &Pose) -> Gap {
    let (solid_a, a_from_solid) = a.solid();
    let (solid_b, b_from_solid) = b.solid();
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
        _ => {
            let middle = 0.5 * (pose_a.transform_point(a.center()) + pose_b.transform_point(b.center()));
            Gap { distance: 0.0, point_a: middle, point_b: middle, normal: DVec3::ZERO }
        }
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
