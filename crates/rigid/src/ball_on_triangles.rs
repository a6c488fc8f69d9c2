//! A ball against triangles: the nearest point is known in closed form, and the
//! plane across it moves towards the ball on a parabola.
//!
//! A triangle lies behind the plane through its point nearest to the ball, so
//! the time at which the ball reaches that plane is safe to advance to. Against
//! a face one step arrives; against an edge or a corner a few do.

use proscenium_bodies::Flight;
use proscenium_geometry::glam::DVec3;
use proscenium_geometry::{Gap, Pose, TouchPoint, TriangleMesh, nearest_of_triangle};

use crate::approach::{Effort, Meeting, Search, crossing};

/// Steps of one search before it pauses, and goes on when its time has come; chosen.
const MOST_STEPS: u32 = 30;
/// A place on an edge counts in a contact only within this share of the margin;
/// chosen, so that edges between flat triangles do not hold a ball.
const EDGE_MARGIN: f64 = 0.1;
/// Directions closer than this (as a cosine; 8 degrees) are those of one place;
/// chosen.
const SAME_DIRECTION: f64 = 0.99;

/// The first touch of a ball with a triangle that does not move.
pub(crate) fn first_touch_of_ball(
    flight: &Flight,
    radius: f64,
    corners: [DVec3; 3],
    search: Search,
    effort: &mut Effort,
) -> Meeting {
    let Search { from, until, tolerance, .. } = search;
    let (mut time, mut target) = (from, tolerance);
    for step in 0..MOST_STEPS {
        effort.iterations += 1;
        effort.distance_queries += 1;
        let found = gap_to_triangle(flight.position(time), radius, corners);
        let velocity = flight.velocity(time);
        let closing = velocity.dot(found.normal);
        if step == 0 {
            effort.note_gap(found.distance);
        }
        let pause = || (0.5 * tolerance / velocity.length().max(1e-3)).max(4.0 * f64::EPSILON * time.abs());
        if step == 0 && found.distance <= tolerance {
            if search.apart_only {
                return Meeting::NotBefore;
            }
            // Touching already: a collision, unless the two are parting. Then
            // the gap must halve before it counts as another one.
            if found.normal == DVec3::ZERO || closing > 0.0 {
                return Meeting::At(time, found);
            }
            if found.distance <= 1e-3 * tolerance {
                return Meeting::LookAgain(time + pause());
            }
            target = 0.5 * found.distance;
        } else if found.distance <= target {
            return Meeting::At(time, found);
        }
        let fall = flight.acceleration().dot(found.normal);
        let way = crossing(found.distance - 0.5 * target, -closing, -fall);
        if way >= until - time {
            return Meeting::NotBefore;
        }
        if time + way <= time {
            // The step is below the resolution of time.
            return Meeting::LookAgain(time + pause());
        }
        time += way;
    }
    Meeting::LookAgain(time)
}

/// The gap between a ball and a triangle, with the normal towards the triangle.
fn gap_to_triangle(centre: DVec3, radius: f64, corners: [DVec3; 3]) -> Gap {
    let point_b = nearest_of_triangle(centre, corners);
    let between = point_b - centre;
    let normal = between.normalize_or_zero();
    Gap { distance: between.length() - radius, point_a: centre + radius * normal, point_b, normal }
}

/// Adds the places where a ball is closer than `margin` to some triangles of a
/// mesh: those on faces, and those on edges and corners that are nearer. An edge
/// between two triangles of a floor must not catch what rolls over it.
pub(crate) fn touches_of_ball(
    centre: DVec3,
    radius: f64,
    mesh: &TriangleMesh,
    world_from_mesh: &Pose,
    near: &[u32],
    margin: f64,
    found: &mut Vec<TouchPoint>,
) {
    let begin = found.len();
    let mut on_edges = Vec::new();
    for &triangle in near {
        let corners = mesh.corners(triangle).map(|corner| world_from_mesh.transform_point(corner));
        let Gap { distance, point_a, point_b, normal } = gap_to_triangle(centre, radius, corners);
        if distance >= margin || normal == DVec3::ZERO {
            continue;
        }
        let place = TouchPoint { point_a, point_b, normal, gap: distance, feature: u64::from(triangle) };
        let [a, b, c] = corners;
        let across = (b - a).cross(c - a).normalize_or_zero();
        if across.dot(normal).abs() > 1.0 - 1e-9 {
            found.push(place);
        } else if distance < EDGE_MARGIN * margin {
            on_edges.push(place);
        }
    }
    for place in on_edges {
        let same = |known: &TouchPoint| known.gap <= place.gap && known.normal.dot(place.normal) > SAME_DIRECTION;
        if !found[begin..].iter().any(same) {
            found.push(place);
        }
    }
}
