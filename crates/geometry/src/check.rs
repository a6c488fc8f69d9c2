//! Distances by another route than the simulator's, to check it with.

use parry3d_f64::math::Vector;
use parry3d_f64::query;
use parry3d_f64::shape::{Shape as ParryShape, SharedShape};

use crate::shape::ShapeKind;
use crate::{Pose, Shape};

/// The signed distance between two placed shapes: negative by the depth of
/// the deepest overlap.
///
/// Each pair of convex parts is asked of parry's generic queries from a cold
/// start, with none of the simulator's shortcuts. A height field takes part
/// as a fine mesh, a turned solid as polyhedra.
pub fn separation(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> f64 {
    let mut least = f64::INFINITY;
    for (solid_a, local_a) in solids(a) {
        for (solid_b, local_b) in solids(b) {
            let world_a = (*pose_a * local_a).to_parry();
            let world_b = (*pose_b * local_b).to_parry();
            least = least.min(signed_distance(&world_a, solid_a.as_ref(), &world_b, solid_b.as_ref()));
        }
    }
    least
}

fn signed_distance(
    pose_a: &parry3d_f64::math::Pose,
    a: &dyn ParryShape,
    pose_b: &parry3d_f64::math::Pose,
    b: &dyn ParryShape,
) -> f64 {
    if let Some(depth) = over_plane(pose_a, a, pose_b, b).or_else(|| over_plane(pose_b, b, pose_a, a)) {
        return depth;
    }
    match query::distance(pose_a, a, pose_b, b) {
        Ok(found) if found.distance > 0.0 => found.distance,
        _ => match query::contact(pose_a, a, pose_b, b, 0.0) {
            Ok(Some(contact)) => contact.dist,
            _ => 0.0,
        },
    }
}

/// The signed height of a convex solid over a half-space, by its own support
/// map; `None` if the two are something else.
fn over_plane(
    pose: &parry3d_f64::math::Pose,
    solid: &dyn ParryShape,
    plane_pose: &parry3d_f64::math::Pose,
    plane: &dyn ParryShape,
) -> Option<f64> {
    let normal = plane_pose.rotation * plane.as_halfspace()?.normal;
    let lowest = solid.as_support_map()?.support_point(pose, -normal);
    Some((lowest - plane_pose.translation).dot(normal))
}

/// The shape as parry's solids, each with its place.
fn solids(shape: &Shape) -> Vec<(SharedShape, Pose)> {
    match shape.kind() {
        ShapeKind::Compound(parts) => parts
            .iter()
            .flat_map(|part| solids(&part.shape).into_iter().map(|(solid, local)| (solid, part.pose * local)))
            .collect(),
        ShapeKind::Turned(turned) => turned.pieces().map(|piece| (piece, Pose::IDENTITY)).collect(),
        ShapeKind::HalfSpace { normal } => vec![(SharedShape::halfspace(*normal), Pose::IDENTITY)],
        ShapeKind::Mesh(mesh) => triangle_solid(mesh.vertices().to_vec(), mesh.triangles().to_vec()),
        ShapeKind::HeightField(_) => {
            let surface = shape.surface(0.01);
            triangle_solid(surface.positions, surface.triangles)
        }
        _ => convex_solid(shape).map(|solid| (solid, Pose::IDENTITY)).into_iter().collect(),
    }
}

fn triangle_solid(vertices: Vec<Vector>, triangles: Vec<[u32; 3]>) -> Vec<(SharedShape, Pose)> {
    SharedShape::trimesh(vertices, triangles).map(|solid| (solid, Pose::IDENTITY)).into_iter().collect()
}

/// parry's own solid for a convex shape.
pub(crate) fn convex_solid(shape: &Shape) -> Option<SharedShape> {
    match shape.kind() {
        ShapeKind::Sphere { radius } => Some(SharedShape::ball(*radius)),
        ShapeKind::Box { half_extents: h, rounding } if *rounding == 0.0 => Some(SharedShape::cuboid(h.x, h.y, h.z)),
        ShapeKind::Box { half_extents, rounding } => {
            let inner = *half_extents - *rounding;
            Some(SharedShape::round_cuboid(inner.x, inner.y, inner.z, *rounding))
        }
        ShapeKind::Capsule { half_height, radius } => Some(SharedShape::capsule_y(*half_height, *radius)),
        ShapeKind::Cylinder { half_height, radius } => Some(SharedShape::cylinder(*half_height, *radius)),
        ShapeKind::Hull(hull) => hull.solid(),
        _ => None,
    }
}
