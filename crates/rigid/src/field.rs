//! Bodies against a smooth height field.
//!
//! A body touches the field with places on its surface: its corners, and
//! points between them no farther apart than a third of the field's spacing
//! (for a ball, its centre and radius). Between those places the surface can
//! rise into a face by at most half the bend of the field times the square of
//! half their distance, a ninth of what a grid cell itself bends by.

use proscenium_bodies::glam::DVec3;
use proscenium_geometry::{ConvexPart, Gap, HeightField, Pose, TouchPoint};

use crate::approach::{Effort, Meeting, Search, crossing};
use crate::body::{Body, Touchable};

/// Steps of one prediction before it pauses, and goes on when its time has come;
/// chosen.
const MOST_ITERATIONS: u32 = 40;

/// How far apart feelers are, as a share of the field's spacing; chosen: what lies
/// between two of them is a ninth of a cell.
const FEELING: f64 = 1.0 / 3.0;

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
        part.surface_points(FEELING * spacing)
            .into_iter()
            .map(move |local| Feeler { local, radius })
            .collect::<Vec<_>>()
    };
    solid.parts().iter().flat_map(spread).collect()
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
    let world_from_field = ground.flight.pose(from);
    let mut time = from + until_near(body, field, &world_from_field, from);
    let mut target = tolerance;
    for iteration in 0..MOST_ITERATIONS {
        if time >= until {
            return Meeting::NotBefore;
        }
        effort.iterations += 1;
        effort.distance_queries += 1;
        let above = BodyAboveField::new(body, field, &world_from_field, time);
        let found = above.nearest();
        if iteration == 0 && found.distance <= tolerance {
            if search.apart_only {
                return Meeting::NotBefore;
            }
            let velocity = above.velocity + above.spin.cross(found.point_a - above.pose.translation);
            if velocity.dot(found.normal) > 0.0 {
                return Meeting::At(time, found);
            }
            target = found.distance - 0.25 * tolerance;
        } else if found.distance <= target {
            return Meeting::At(time, found);
        }
        let step = above.safe_step(0.5 * (target + target.min(0.0)), until - time);
        if step >= until - time {
            return Meeting::NotBefore;
        }
        let speed = above.velocity.length() + body.flight.max_spin() * body.reach;
        let least = (0.25 * tolerance / speed.max(1e-3)).max(4.0 * f64::EPSILON * time.abs());
        time += step.max(least);
    }
    Meeting::LookAgain(time)
}

/// How long the sphere around a body stays above everything that the field has.
fn until_near(body: &Body, field: &HeightField, world_from_field: &Pose, from: f64) -> f64 {
    let up = world_from_field.rotation * DVec3::Y;
    let (_, highest) = field.height_range();
    let height = up.dot(body.flight.position(from) - world_from_field.translation) - body.reach - highest;
    if height <= 0.0 {
        return 0.0;
    }
    crossing(height, up.dot(body.flight.velocity(from)), up.dot(body.flight.acceleration()))
}

/// A body over a field at one time.
struct BodyAboveField<'a> {
    field: &'a HeightField,
    world_from_field: &'a Pose,
    pose: Pose,
    velocity: DVec3,
    spin: DVec3,
    /// How much less the distance from the surface can be than the height
    /// above it.
    flattening: f64,
    /// The feelers, the lowest first.
    over: Vec<FeelerAboveField>,
}

/// A feeler over a field.
struct FeelerAboveField {
    radius: f64,
    /// In the field's frame.
    place: DVec3,
    velocity: DVec3,
    /// It is never accelerated by more than this.
    acceleration: f64,
    /// BodyAboveField the surface straight below, and how fast that changes.
    height: f64,
    rise: f64,
    /// No feeler's gap is less than this.
    least: f64,
}

impl<'a> BodyAboveField<'a> {
    fn new(body: &Body, field: &'a HeightField, world_from_field: &'a Pose, time: f64) -> Self {
        let pose = body.flight.pose(time);
        let (velocity, spin) = (body.flight.velocity(time), body.flight.spin(time, pose.rotation));
        let field_from_world = world_from_field.inverse();
        let fall = body.flight.acceleration().length();
        let flattening = 1.0 / (1.0 + field.max_slope() * field.max_slope()).sqrt();
        let over = |feeler: &Feeler| {
            let arm = pose.rotation * feeler.local;
            let place = field_from_world.transform_point(pose.translation + arm);
            let velocity = field_from_world.rotation * (velocity + spin.cross(arm));
            let (ground, slope) = field.slope(place.x, place.z);
            let height = place.y - ground;
            FeelerAboveField {
                radius: feeler.radius,
                place,
                velocity,
                acceleration: fall + body.flight.max_turning() * arm.length(),
                height,
                rise: velocity.y - slope.x * velocity.x - slope.y * velocity.z,
                least: if height > 0.0 { height * flattening - feeler.radius } else { f64::NEG_INFINITY },
            }
        };
        let mut over: Vec<FeelerAboveField> = body.feelers.iter().map(over).collect();
        over.sort_by(|p, q| p.least.total_cmp(&q.least));
        Self { field, world_from_field, pose, velocity, spin, flattening, over }
    }

    /// The nearest feeler: its gap to the surface, in the world.
    fn nearest(&self) -> Gap {
        let mut best = (f64::INFINITY, DVec3::ZERO, DVec3::Y);
        for over in &self.over {
            if over.least >= best.0 {
                break;
            }
            let (distance, foot, normal) = self.field.distance(over.place);
            if distance - over.radius < best.0 {
                best = (distance - over.radius, foot, normal);
            }
        }
        let (distance, foot, normal) = best;
        let point_b = self.world_from_field.transform_point(foot);
        let up = self.world_from_field.rotation * normal;
        Gap { distance, point_a: point_b + distance * up, point_b, normal: -up }
    }

    /// A step, at most `longest`, during which no feeler can come closer than
    /// `aim`. Its height above the surface bounds most of them; the distance
    /// itself is asked for only where that is not enough.
    fn safe_step(&self, aim: f64, longest: f64) -> f64 {
        // Bounds on speed hold for at most a second.
        let mut step = longest.min(1.0);
        for over in &self.over {
            let fastest = over.velocity.length() + over.acceleration * step;
            let by_height = self.by_height(over, aim, fastest);
            if by_height < step {
                step = step.min(by_height.max(self.by_distance(over, aim, fastest)));
            }
        }
        step
    }

    /// How long a feeler stays above `aim` by its height: the rate of the height
    /// changes with the feeler's acceleration and with the bend of the surface.
    fn by_height(&self, over: &FeelerAboveField, aim: f64, fastest: f64) -> f64 {
        let slope = self.field.max_slope();
        let excess = over.height - (over.radius + aim) / self.flattening;
        if excess <= 0.0 {
            return 0.0;
        }
        let bend = over.acceleration * (1.0 + slope * slope).sqrt() + self.field.max_bend() * fastest * fastest;
        crossing(excess, over.rise, -bend)
    }

    /// The same by its distance: the speed along the normal at its foot, and how
    /// fast that can change, wherever the distance is smooth.
    fn by_distance(&self, over: &FeelerAboveField, aim: f64, fastest: f64) -> f64 {
        let (distance, _, normal) = self.field.distance(over.place);
        let excess = (distance - over.radius - aim).max(0.0);
        let by_speed = excess / fastest.max(f64::MIN_POSITIVE);
        if self.field.max_bend() * distance.abs().max(over.radius) >= 0.5 {
            return by_speed;
        }
        let bend = over.acceleration + 2.0 * self.field.max_bend() * fastest * fastest;
        let closing = over.velocity.dot(normal);
        let root = (closing * closing + 2.0 * bend * excess).sqrt();
        let quadratic = if closing >= 0.0 {
            (closing + root) / bend.max(f64::MIN_POSITIVE)
        } else {
            2.0 * excess / (root - closing)
        };
        quadratic.max(by_speed)
    }
}
