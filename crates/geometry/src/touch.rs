//! Where two solids rest on each other: all the places, not only the nearest.

use glam::DVec3;
use parry3d_f64::query::details::{contact_manifold_halfspace_pfm_shapes, contact_manifold_pfm_pfm_shapes};
use parry3d_f64::query::{ContactManifold, TrackedContact};
use parry3d_f64::shape::SharedShape;

use crate::distance::gap_to_box;
use crate::{ConvexPart, Core, Gap, Pose, Warmth, gap};

/// A place where two solids touch, or nearly do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TouchPoint {
    /// On the first solid, in the world.
    pub point_a: DVec3,
    /// On the second solid, in the world.
    pub point_b: DVec3,
    /// Unit vector from the first to the second.
    pub normal: DVec3,
    /// Between the two along the normal; negative where they overlap.
    pub gap: f64,
    /// Which corners, edges and faces meet: the same from one moment to the
    /// next while the same ones do.
    pub feature: u64,
}

/// The cosine of the angle within which a flat side faces a solid.
const FACING: f64 = 1.0 - 1e-9;

type Manifold = ContactManifold<(), ()>;

/// Adds the places where two convex solids are closer than `margin`.
///
/// ```
/// use proscenium_geometry::{Pose, Shape, glam::DVec3, touch_points};
///
/// let part = Shape::cuboid(DVec3::ONE, 0.0)?.convex_parts(&Pose::IDENTITY).remove(0);
/// let above = Pose::from_translation(DVec3::new(0.5, 2.001, 0.0));
/// let mut found = Vec::new();
/// touch_points(&part, &Pose::IDENTITY, &part, &above, 0.01, &mut found);
/// assert!(found.len() >= 4);
/// assert!(found.iter().all(|p| (p.gap - 0.001).abs() < 1e-9 && p.normal.distance(DVec3::Y) < 1e-9));
/// # Ok::<(), proscenium_geometry::ShapeError>(())
/// ```
pub fn touch_points(
    a: &ConvexPart,
    pose_a: &Pose,
    b: &ConvexPart,
    pose_b: &Pose,
    margin: f64,
    found: &mut Vec<TouchPoint>,
) {
    if a.is_ball() || b.is_ball() {
        let nearest = gap(a, pose_a, b, pose_b, &mut Warmth::default());
        if nearest.distance < margin && nearest.normal != DVec3::ZERO {
            let Gap { distance, point_a, point_b, normal } = nearest;
            found.push(TouchPoint { point_a, point_b, normal, gap: distance, feature: 0 });
        }
        return;
    }
    let (Some((solid_a, a_from_solid)), Some((solid_b, b_from_solid))) = (a.solid(), b.solid()) else {
        let nearest = gap(a, pose_a, b, pose_b, &mut Warmth::default());
        touch_points_of_nearest(a, pose_a, b, pose_b, &nearest, margin, found);
        return;
    };
    if let Some(nearest) = gap_to_box(a, pose_a, b, pose_b) {
        touch_points_of_nearest(a, pose_a, b, pose_b, &nearest, margin, found);
        return;
    }
    let (world_a, world_b) = (*pose_a * a_from_solid, *pose_b * b_from_solid);
    let between = (world_a.inverse() * world_b).to_parry();
    let mut manifold = Manifold::new();
    contact_manifold_pfm_pfm_shapes(&between, solid_a.as_ref(), solid_b.as_ref(), None, None, margin, &mut manifold);
    let normal = world_a.rotation * manifold.local_n1;
    found.extend(manifold.points.iter().filter(|point| point.dist < margin).map(|point| TouchPoint {
        point_a: world_a.transform_point(point.local_p1),
        point_b: world_b.transform_point(point.local_p2),
        normal,
        gap: point.dist,
        feature: feature(point),
    }));
}

/// Adds the places where a convex solid is closer than `margin` to the
/// half-space behind a plane. The normal points into the half-space.
pub fn touch_points_of_plane(
    part: &ConvexPart,
    pose: &Pose,
    plane_point: DVec3,
    plane_normal: DVec3,
    margin: f64,
    found: &mut Vec<TouchPoint>,
) {
    let mut touch = |point_a: DVec3, feature: u64| {
        let gap = (point_a - plane_point).dot(plane_normal);
        if gap < margin {
            let point_b = point_a - gap * plane_normal;
            found.push(TouchPoint { point_a, point_b, normal: -plane_normal, gap, feature });
        }
    };
    match part.core() {
        Core::Points(points) => {
            for (index, point) in points.iter().enumerate() {
                touch(pose.transform_point(*point) - part.radius() * plane_normal, index as u64);
            }
        }
        Core::Balls { centers, radii } => {
            for (index, (center, radius)) in (0_u64..).zip(centers.iter().zip(radii)) {
                touch(pose.transform_point(*center) - (part.radius() + radius) * plane_normal, index);
            }
        }
        Core::Cylinder { .. } => {
            let Some((solid, part_from_solid)) = part.solid() else {
                return;
            };
            let world_from_solid = *pose * part_from_solid;
            let plane = SharedShape::halfspace(plane_normal);
            let between = (Pose::from_translation(plane_point).inverse() * world_from_solid).to_parry();
            let mut manifold = Manifold::new();
            contact_manifold_halfspace_pfm_shapes(&between, plane.as_ref(), solid.as_ref(), margin, &mut manifold);
            let flipped = manifold.local_n1.dot(plane_normal) < 0.0;
            for point in &manifold.points {
                let local = if flipped { point.local_p1 } else { point.local_p2 };
                touch(world_from_solid.transform_point(local), feature(point));
            }
        }
    }
}

/// Two balls with all between them touch a flat side with both, corners with
/// all that are near; everything else is touched in one place.
fn touch_points_of_nearest(
    a: &ConvexPart,
    pose_a: &Pose,
    b: &ConvexPart,
    pose_b: &Pose,
    nearest: &Gap,
    margin: f64,
    found: &mut Vec<TouchPoint>,
) {
    if nearest.distance >= margin || nearest.normal == DVec3::ZERO {
        return;
    }
    let begin = found.len();
    let has_sides = |part: &ConvexPart| !part.facets().is_empty();
    if matches!(a.core(), Core::Balls { .. }) || (has_sides(b) && b.facets().len() < a.facets().len()) {
        touch_points_of_side(a, pose_a, b, pose_b, nearest.normal, margin, found);
    } else {
        touch_points_of_side(b, pose_b, a, pose_a, -nearest.normal, margin, found);
        for touch in &mut found[begin..] {
            *touch = TouchPoint { point_a: touch.point_b, point_b: touch.point_a, normal: -touch.normal, ..*touch };
        }
    }
    if found.len() == begin {
        let Gap { distance, point_a, point_b, normal } = *nearest;
        found.push(TouchPoint { point_a, point_b, normal, gap: distance, feature: 0 });
    }
}

/// Adds the places where a solid touches the flat side of another that faces
/// it, if there is one.
fn touch_points_of_side(
    part: &ConvexPart,
    pose: &Pose,
    other: &ConvexPart,
    other_pose: &Pose,
    normal: DVec3,
    margin: f64,
    found: &mut Vec<TouchPoint>,
) {
    let facing = other_pose.rotation.inverse() * -normal;
    let Some(side) = other.facets().iter().find(|facet| facet.normal.dot(facing) > FACING) else {
        return;
    };
    let plane_point = other_pose.transform_point(side.offset * side.normal);
    let begin = found.len();
    touch_points_of_plane(part, pose, plane_point, other_pose.rotation * side.normal, margin, found);
    let to_other = other_pose.inverse();
    let mut kept = begin;
    for index in begin..found.len() {
        let place = to_other.transform_point(found[index].point_b);
        if other.facets().iter().all(|facet| facet.normal.dot(place) <= facet.offset + 1e-9) {
            found.swap(kept, index);
            kept += 1;
        }
    }
    found.truncate(kept);
}

fn feature(point: &TrackedContact<()>) -> u64 {
    u64::from(point.fid1.0) << 32 | u64::from(point.fid2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;

    fn part(shape: Shape) -> ConvexPart {
        shape.convex_parts(&Pose::IDENTITY).remove(0)
    }

    #[test]
    fn a_box_stands_on_four_corners() {
        let cube = part(Shape::cuboid(DVec3::ONE, 0.0).unwrap());
        let pose = Pose::from_translation(DVec3::new(3.0, 1.0005, 2.0));
        let mut found = Vec::new();
        touch_points_of_plane(&cube, &pose, DVec3::ZERO, DVec3::Y, 1e-3, &mut found);
        assert_eq!(found.len(), 4);
        assert!(found.iter().all(|p| (p.gap - 0.0005).abs() < 1e-12 && p.normal == -DVec3::Y));
    }

    #[test]
    fn a_cylinder_stands_on_its_rim_and_lies_on_two_points() {
        let drum = part(Shape::cylinder(1.0, 0.5).unwrap());
        let mut found = Vec::new();
        let standing = Pose::from_translation(DVec3::new(0.0, 1.0, 0.0));
        touch_points_of_plane(&drum, &standing, DVec3::ZERO, DVec3::Y, 1e-3, &mut found);
        assert!(found.len() >= 3, "{found:?}");
        found.clear();
        let quarter = glam::DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
        let lying = Pose::new(DVec3::new(0.0, 0.5, 0.0), quarter);
        touch_points_of_plane(&drum, &lying, DVec3::ZERO, DVec3::Y, 1e-3, &mut found);
        assert!(found.len() >= 2, "{found:?}");
        assert!(found.iter().all(|p| p.gap.abs() < 1e-9), "{found:?}");
    }

    #[test]
    fn overlapping_solids_have_negative_gaps() {
        let cube = part(Shape::cuboid(DVec3::ONE, 0.0).unwrap());
        let above = Pose::from_translation(DVec3::new(0.2, 1.99, 0.1));
        let mut found = Vec::new();
        touch_points(&cube, &Pose::IDENTITY, &cube, &above, 1e-3, &mut found);
        assert!(!found.is_empty());
        assert!(found.iter().all(|p| (p.gap + 0.01).abs() < 1e-9 && p.normal.distance(DVec3::Y) < 1e-9), "{found:?}");
    }

    #[test]
    fn a_ball_touches_in_one_point() {
        let cube = part(Shape::cuboid(DVec3::ONE, 0.0).unwrap());
        let ball = part(Shape::sphere(0.5).unwrap());
        let above = Pose::from_translation(DVec3::new(0.2, 1.5001, 0.1));
        let mut found = Vec::new();
        touch_points(&ball, &above, &cube, &Pose::IDENTITY, 1e-3, &mut found);
        assert_eq!(found.len(), 1);
        assert!((found[0].gap - 1e-4).abs() < 1e-12 && found[0].normal.distance(-DVec3::Y) < 1e-12);
    }
}
