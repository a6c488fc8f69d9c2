//! All the places where two bodies touch.

use proscenium_bodies::glam::DVec3;
use proscenium_geometry::{Bounds, ConvexPart, Pose, TouchPoint, Warmth, gap, touch_points, touch_points_of_plane};

use super::PersistentContact;
use crate::ball_on_triangles::touches_of_ball;
use crate::body::{Body, Touchable};
use crate::field::field_touches;
use crate::predict::bounds_in;

/// More places than this per pair add nothing to its stability: the corners of a
/// face on a face are eight at most where two boxes lie askew.
pub(crate) const MOST_PLACES: usize = 8;

/// The places where a solid is closer than `margin` to another body, with the
/// normal from the first to the second. If there are very many, those that
/// bore a load before come first.
pub(crate) fn touches(a: &Body, b: &Body, time: f64, margin: f64, held: Option<&PersistentContact>) -> Vec<TouchPoint> {
    let mut places = every_touch(a, b, time, margin);
    thin_out(&mut places, held);
    places
}

/// The same, however many there are.
pub(crate) fn every_touch(a: &Body, b: &Body, time: f64, margin: f64) -> Vec<TouchPoint> {
    let mut places = Vec::with_capacity(MOST_PLACES);
    let found = &mut places;
    let (pose_a, pose_b) = (a.pose_to_touch(time), b.pose_to_touch(time));
    match &b.touchable {
        Touchable::HalfSpace { normal } => {
            let normal = pose_b.rotation * *normal;
            for (index, part) in (0_u64..).zip(a.touchable.parts()) {
                let begin = found.len();
                touch_points_of_plane(part, &pose_a, pose_b.translation, normal, margin, found);
                tag(&mut found[begin..], index);
            }
        }
        Touchable::Ball { .. } | Touchable::Parts(_) => {
            let near_b = parts_near([b, a], [&pose_b, &pose_a], margin);
            for (i, part_a, center_a) in parts_near([a, b], [&pose_a, &pose_b], margin) {
                for (j, part_b, center_b) in near_b.iter().copied() {
                    if center_a.distance(center_b) - part_a.reach() - part_b.reach() > margin {
                        continue;
                    }
                    if part_a.least_gap(&pose_a, part_b, &pose_b) <= margin {
                        let begin = found.len();
                        touch_points(part_a, &pose_a, part_b, &pose_b, margin, found);
                        tag(&mut found[begin..], i << 16 | j);
                    }
                }
            }
        }
        Touchable::Triangles { mesh, .. } => {
            let bounds = Bounds { min: pose_a.translation, max: pose_a.translation }.grow(a.reach + margin);
            let near = mesh.triangles_near(&bounds_in(&pose_b, &bounds));
            if let Touchable::Ball { radius, .. } = &a.touchable {
                touches_of_ball(pose_a.translation, *radius, mesh, &pose_b, &near, margin, found);
                return places;
            }
            let parts = b.touchable.parts();
            for triangle in near {
                let corners = mesh.corners(triangle).map(|corner| pose_b.transform_point(corner));
                for (i, part) in (0_u64..).zip(a.touchable.parts()) {
                    let begin = found.len();
                    triangle_touches(part, &pose_a, &parts[triangle as usize], &pose_b, corners, margin, found);
                    tag(&mut found[begin..], i << 32 | u64::from(triangle));
                }
            }
        }
        Touchable::Field(field) => field_touches(&a.feelers, &pose_a, field, &pose_b, margin, found),
    }
    if a.touchable.is_turned() || b.touchable.is_turned() {
        without_twins(found);
    }
    places
}

/// The parts of a body that are closer than `margin` to the box around another,
/// with their numbers and centres.
fn parts_near<'a>(
    [own, other]: [&'a Body; 2],
    [pose, there]: [&Pose; 2],
    margin: f64,
) -> Vec<(u64, &'a ConvexPart, DVec3)> {
    let parts = own.touchable.parts();
    let mut near = Vec::with_capacity(parts.len());
    for (index, part) in (0..).zip(parts) {
        let center = pose.transform_point(part.center());
        let place = there.inverse_transform_point(center);
        let outside = place.distance(place.clamp(other.around.min, other.around.max));
        if parts.len() == 1 || outside - part.reach() <= margin {
            near.push((index, part, center));
        }
    }
    near
}

/// Parts that share a ball touch with it once.
fn without_twins(places: &mut Vec<TouchPoint>) {
    let mut kept = 0;
    for index in 0..places.len() {
        let place = places[index];
        if !places[..kept].iter().any(|other| other.point_a == place.point_a && other.point_b == place.point_b) {
            places[kept] = place;
            kept += 1;
        }
    }
    places.truncate(kept);
}

/// Marks places with the parts that they belong to.
fn tag(places: &mut [TouchPoint], parts: u64) {
    for place in places {
        place.feature ^= parts.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// A triangle of a mesh is touched from the side that the body is on: a part
/// of a larger floor, whose edges must not catch what slides over them.
fn triangle_touches(
    part: &ConvexPart,
    pose: &Pose,
    triangle: &ConvexPart,
    mesh_pose: &Pose,
    corners: [DVec3; 3],
    margin: f64,
    found: &mut Vec<TouchPoint>,
) {
    let [a, b, c] = corners;
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let side = (pose.transform_point(part.center()) - a).dot(normal);
    let normal = if side < 0.0 { -normal } else { normal };
    let begin = found.len();
    touch_points_of_plane(part, pose, a, normal, margin, found);
    let mut kept = begin;
    for index in begin..found.len() {
        if inside(corners, normal, found[index].point_b) && found[index].gap > -part.reach() {
            found.swap(kept, index);
            kept += 1;
        }
    }
    found.truncate(kept);
    if kept == begin {
        // An edge of the mesh against an edge of the solid.
        let nearest = gap(part, pose, triangle, mesh_pose, &mut Warmth::default());
        if nearest.distance < 0.1 * margin && nearest.normal != DVec3::ZERO {
            let proscenium_geometry::Gap { distance, point_a, point_b, normal } = nearest;
            found.push(TouchPoint { point_a, point_b, normal, gap: distance, feature: u64::MAX });
        }
    }
}

/// Whether a point of a triangle's plane lies in the triangle.
fn inside(corners: [DVec3; 3], normal: DVec3, point: DVec3) -> bool {
    let [a, b, c] = corners;
    let left_of = |p: DVec3, q: DVec3, r: DVec3| {
        let edge = (q - p).cross(normal);
        // The third corner says which side is inside.
        edge.dot(point - p) * edge.dot(r - p) >= -1e-12 * edge.length_squared() * (r - p).length_squared()
    };
    left_of(a, b, c) && left_of(b, c, a) && left_of(c, a, b)
}

/// Keeps the deepest place, those that bore a load before, and then those
/// farthest from the ones already kept.
fn thin_out(places: &mut Vec<TouchPoint>, held: Option<&PersistentContact>) {
    if places.len() <= MOST_PLACES {
        return;
    }
    let least = (0..places.len()).min_by(|i, j| places[*i].gap.total_cmp(&places[*j].gap)).unwrap_or(0);
    places.swap(0, least);
    let bore = |place: &TouchPoint| held.is_some_and(|held| held.impulse(place.feature) != DVec3::ZERO);
    places[1..].sort_by_key(|place| !bore(place));
    let loaded = places[1..].iter().take_while(|place| bore(place)).count();
    for kept in (1 + loaded).min(MOST_PLACES)..MOST_PLACES {
        let distance = |p: &TouchPoint| {
            places[..kept].iter().map(|q| p.point_a.distance_squared(q.point_a)).fold(f64::INFINITY, f64::min)
        };
        let distances: Vec<f64> = places[kept..].iter().map(distance).collect();
        let farthest = (0..distances.len()).max_by(|i, j| distances[*i].total_cmp(&distances[*j]));
        if let Some(farthest) = farthest {
            places.swap(kept, kept + farthest);
        }
    }
    places.truncate(MOST_PLACES);
}
