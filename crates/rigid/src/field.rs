//! Bodies against a smooth height field.
//!
//! A body touches the field with places on its surface: its corners, and
//! points between them no farther apart than a quarter of the field's spacing
//! (for a ball, its centre and radius). Between those places the surface can
//! rise into a face by at most the bend of the field times the square of half
//! their distance, an eighth of what a grid cell itself bends by.

use proscenium_bodies::glam::DVec3;
use proscenium_geometry::{ConvexPart, Gap, HeightField, Pose, TouchPoint};

use crate::approach::{Effort, Meeting, Search};
use crate::body::{Body, Touchable};

/// Steps of one prediction before it pauses.
const MOST_ITERATIONS: u32 = 40;

/// A place on a body that can touch, and how far the body extends beyond it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Feeler {
    local: DVec3,
    radius: f64,
}

/// The feelers of a solid for fields of at least this spacing.
pub(crate) fn feelers(solid: &Touchable, spacing: f64) -> Vec<Feeler> {
    if let Touchable::Ball { radius, .. } = solid {
        return vec![Feeler { local: DVec3::ZERO, radius: *radius }];
    }
    let spread = |part: &ConvexPart| {
        let radius = part.radius();
        part.surface_points(0.25 * spacing).into_iter().map(move |local| Feeler { local, radius }).collect::<Vec<_>>()
    };
    solid.parts().iter().flat_map(spread).collect()
}

/// The nearest feeler: its gap to the surface, in the world.
fn nearest(feelers: &[Feeler], pose: &Pose, field: &HeightField, world_from_field: &Pose) -> Gap {
    let field_from_body = world_from_field.inverse() * *pose;
    let flattening = 1.0 / (1.0 + field.max_slope() * field.max_slope()).sqrt();
    let mut best = (f64::INFINITY, DVec3::ZERO, DVec3::Y);
    for feeler in feelers {
        let p = field_from_body.transform_point(feeler.local);
        // The height above the surface bounds the distance from it.
        let above = p.y - field.height(p.x, p.z);
        if above > 0.0 && above * flattening - feeler.radius >= best.0 {
            continue;
        }
        let (distance, foot, normal) = field.distance(p);
        if distance - feeler.radius < best.0 {
            best = (distance - feeler.radius, foot, normal);
        }
    }
    let (distance, foot, normal) = best;
    let point_b = world_from_field.transform_point(foot);
    let up = world_from_field.rotation * normal;
    Gap { distance, point_a: point_b + distance * up, point_b, normal: -up }
}

/// Adds the places where feelers are closer than `margin` to a field.
pub(crate) fn field_touches(
    feelers: &[Feeler],
    pose: &Pose,
    field: &HeightField,
    world_from_field: &Pose,
    margin: f64,
    found: &mut Vec<TouchPoint>,
) {
    let field_from_body = world_from_field.inverse() * *pose;
    let flattening = 1.0 / (1.0 + field.max_slope() * field.max_slope()).sqrt();
    for (index, feeler) in (0_u64..).zip(feelers) {
        let p = field_from_body.transform_point(feeler.local);
        if (p.y - field.height(p.x, p.z)) * flattening - feeler.radius >= margin {
            continue;
        }
        let (distance, foot, normal) = field.distance(p);
        let gap = distance - feeler.radius;
        if gap < margin {
            let point_b = world_from_field.transform_point(foot);
            let up = world_from_field.rotation * normal;
            found.push(TouchPoint { point_a: point_b + gap * up, point_b, normal: -up, gap, feature: index });
        }
    }
}

/// The first touch of a body and a field in `[from, until]`.
pub(crate) fn first_touch_of_field(
    body: &Body,
    ground: &Body,
    field: &HeightField,
    search: Search,
    effort: &mut Effort,
) -> Meeting {
    let Search { from, until, tolerance, .. } = search;
    let feelers = &body.feelers;
    let world_from_field = ground.flight.pose(from);
    let mut target = tolerance;
    let mut time = from;
    for iteration in 0..MOST_ITERATIONS {
        effort.iterations += 1;
        effort.distance_queries += 1;
        let pose = body.flight.pose(time);
        let spin = body.flight.spin(time, pose.rotation);
        let found = nearest(feelers, &pose, field, &world_from_field);
        if iteration == 0 && found.distance <= tolerance {
            if search.apart_only {
                return Meeting::NotBefore;
            }
            let velocity = body.flight.velocity(time) + spin.cross(found.point_a - pose.translation);
            if velocity.dot(found.normal) > 0.0 {
                return Meeting::At(time, found);
            }
            target = found.distance - 0.25 * tolerance;
        } else if found.distance <= target {
            return Meeting::At(time, found);
        }
        let step = safe_step(
            feelers,
            body,
            &pose,
            spin,
            field,
            &world_from_field,
            time,
            0.5 * (target + target.min(0.0)),
            until - time,
        );
        if step >= until - time {
            return Meeting::NotBefore;
        }
        let speed = body.flight.velocity(time).length() + body.flight.max_spin() * body.reach;
        let least = (0.25 * tolerance / speed.max(1e-3)).max(4.0 * f64::EPSILON * time.abs());
        time += step.max(least);
        if time >= until {
            return Meeting::NotBefore;
        }
    }
    Meeting::LookAgain(time)
}

/// A step during which no feeler can come closer than `aim`: each is bounded
/// by its own speed along the normal at its foot, and by how fast that can
/// change (its acceleration, and the bend of the surface under it).
#[expect(clippy::too_many_arguments, reason = "one call site, which has all of these at hand")]
fn safe_step(
    feelers: &[Feeler],
    body: &Body,
    pose: &Pose,
    spin: DVec3,
    field: &HeightField,
    world_from_field: &Pose,
    time: f64,
    aim: f64,
    longest: f64,
) -> f64 {
    let field_from_world = world_from_field.inverse();
    let velocity = body.flight.velocity(time);
    let fall = body.flight.acceleration().length();
    let mut step = longest;
    for feeler in feelers {
        let arm = pose.rotation * feeler.local;
        let p = field_from_world.transform_point(pose.translation + arm);
        let local_velocity = field_from_world.rotation * (velocity + spin.cross(arm));
        let acceleration = fall + body.flight.max_turning() * arm.length();
        let (distance, _, normal) = field.distance(p);
        let excess = (distance - feeler.radius - aim).max(0.0);
        // Over the step the speed is at most `fastest`; the normal turns by
        // at most the bend times the way, wherever the distance is smooth.
        let fastest = local_velocity.length() + acceleration * step.min(1.0);
        let smooth = field.max_bend() * distance.abs().max(feeler.radius) < 0.5;
        let by_speed = excess / fastest.max(f64::MIN_POSITIVE);
        let own = if smooth {
            let bend = acceleration + 2.0 * field.max_bend() * fastest * fastest;
            let closing = local_velocity.dot(normal);
            let root = (closing * closing + 2.0 * bend * excess).sqrt();
            let quadratic = if closing >= 0.0 {
                (closing + root) / bend.max(f64::MIN_POSITIVE)
            } else {
                2.0 * excess / (root - closing)
            };
            quadratic.max(by_speed)
        } else {
            by_speed
        };
        // Bounds on speed hold for at most a second.
        step = step.min(own.min(1.0));
    }
    step
}
