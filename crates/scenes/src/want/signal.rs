//! Numbers that say how far something is from what is wanted: the smaller the better.

use glam::DVec3;
use proscenium_geometry::{Bounds, Pose, separation};
use proscenium_rigid::Motion;
use proscenium_view::Camera;

use super::RegionWant;
use super::judge::{angle, radius, tilt};
use crate::drawn::PlacedBody;

/// What is behind a camera, or enters no picture, is so many pictures beside it.
const BEHIND: f64 = 2.0;
/// How far a body is lifted to tell from which side it touches another, in its radii.
const LIFT: f64 = 1e-3;
/// What lies on something is carried by it: the gap grows at least by this share of what
/// it is lifted by, as on ground that slopes by 60°.
const CARRIED: f64 = 0.5;

/// A number about a body at a time, and about others then.
#[derive(Clone, Debug)]
pub(crate) enum Signal {
    /// How far it is from a place, metres; `level` leaves out the height.
    Place { place: DVec3, level: bool },
    /// How far it is from the nearest of others, metres.
    Distance(Vec<usize>),
    /// The gap to the nearest of others, in radii of the body.
    Gap(Vec<usize>),
    /// How far it is from lying on one of others, in radii of the body.
    On(Vec<usize>),
    /// By what angle an axis of it misses the nearest of others.
    Facing { others: Vec<usize>, axis: DVec3 },
    /// How far it is outside of a region, metres.
    Outside(RegionWant),
    /// How far it leans, radians.
    Lean,
    /// How far it is from having leant by as much as one that lies, radians.
    Standing,
    /// How far it is from where it was at the start, metres.
    Moved,
    /// By how much it is slower or faster, m/s, or turns slower or faster, rad/s, than
    /// it should.
    Speed { spin: bool, range: (f64, f64) },
    /// How far it is out of a part of a picture, in shares of its width or height.
    OffScreen { camera: Box<Camera>, part: [f64; 4] },
}

/// Where bodies are at a time, and how they move; nothing of one that is not there.
pub(crate) type Look<'a> = dyn Fn(usize) -> Option<(Pose, Motion)> + 'a;

impl Signal {
    /// The other bodies that it is about.
    pub(crate) fn others(&self) -> &[usize] {
        match self {
            Self::Distance(others) | Self::Gap(others) | Self::On(others) | Self::Facing { others, .. } => others,
            _ => &[],
        }
    }

    /// Whether it tells the turns of a body apart that look alike.
    pub(crate) fn asks_for_turn(&self) -> bool {
        matches!(self, Self::Facing { .. })
    }

    /// The number for a body; infinite if it, or whatever it is about, is not there.
    pub(crate) fn of(&self, body: usize, placed: &[PlacedBody], look: &Look<'_>) -> f64 {
        let Some((pose, motion)) = look(body).filter(|_| !placed[body].absent) else {
            return f64::INFINITY;
        };
        let there = |other: &usize| {
            let is_there = *other != body && !placed[*other].absent;
            look(*other).filter(|_| is_there).map(|(pose, _)| pose)
        };
        let shape = |body: usize| &placed[body].def.shape;
        let least = |others: &[usize], of: &dyn Fn(usize, &Pose) -> f64| {
            let all = others.iter().filter_map(|other| there(other).map(|pose| of(*other, &pose)));
            all.fold(f64::INFINITY, f64::min)
        };
        match self {
            Self::Place { place, level } => {
                let off = pose.translation - *place;
                if *level { off.with_y(0.0).length() } else { off.length() }
            }
            Self::Distance(others) => least(others, &|_, other| pose.translation.distance(other.translation)),
            Self::Gap(others) => {
                let size = radius(&placed[body]);
                least(others, &|k, other| separation(shape(body), &pose, shape(k), other) / size)
            }
            Self::On(others) => {
                let size = radius(&placed[body]);
                let lifted = Pose::new(pose.translation + LIFT * size * DVec3::Y, pose.rotation);
                least(others, &|k, other| {
                    let gap = separation(shape(body), &pose, shape(k), other);
                    let carried = (separation(shape(body), &lifted, shape(k), other) - gap) / (LIFT * size);
                    gap.max(0.0) / size + (CARRIED - carried).max(0.0)
                })
            }
            Self::Facing { others, axis } => {
                let ahead = pose.rotation * *axis;
                least(others, &|_, other| {
                    let towards = other.translation - pose.translation;
                    if towards == DVec3::ZERO { 0.0 } else { angle(ahead, towards) }
                })
            }
            Self::Outside(region) => region.miss(pose.translation, placed),
            Self::Lean => tilt(&placed[body].def.pose, &pose),
            Self::Standing => super::judge::LIES - tilt(&placed[body].def.pose, &pose),
            Self::Moved => pose.translation.distance(placed[body].def.pose.translation),
            Self::Speed { spin, range: (least, most) } => {
                let speed = if *spin { motion.spin.length() } else { motion.velocity.length() };
                (least - speed).max(speed - most)
            }
            Self::OffScreen { camera, part } => off_screen(camera, part, &placed[body], &pose),
        }
    }
}

/// How far a body is out of a part of a picture: left, top, right and bottom, as shares.
fn off_screen(camera: &Camera, part: &[f64; 4], body: &PlacedBody, pose: &Pose) -> f64 {
    let [left, top, right, bottom] = *part;
    let outside = |point: DVec3| match camera.project(point) {
        Some(at) => (left - at.x).max(at.x - right).max(top - at.y).max(at.y - bottom),
        None => BEHIND,
    };
    extremes(camera, body, pose).into_iter().map(outside).fold(f64::NEG_INFINITY, f64::max).min(BEHIND)
}

/// Points around a body, as a camera sees it: the corners of the box around it, or for a
/// ball its rim.
fn extremes(camera: &Camera, body: &PlacedBody, pose: &Pose) -> Vec<DVec3> {
    if let proscenium_geometry::ShapeKind::Sphere { radius } = body.def.shape.kind() {
        let (axes, centre) = (camera.axes(), pose.translation);
        return [axes.x_axis, axes.y_axis]
            .iter()
            .flat_map(|axis| [centre + *radius * *axis, centre - *radius * *axis])
            .collect();
    }
    let Bounds { min, max } = body.def.shape.bounds(pose);
    let corner = |k: usize| {
        let pick = |bit: usize, low: f64, high: f64| if k & bit == 0 { low } else { high };
        DVec3::new(pick(1, min.x, max.x), pick(2, min.y, max.y), pick(4, min.z, max.z))
    };
    (0..8).map(corner).collect()
}

/// Near enough to touch: so many of its radii.
pub(crate) const TOUCHES: f64 = 0.02;

/// How far a body is from others, by the box around each and the ball around the body:
/// quick, and never more than the gap.
pub(crate) fn apart(body: usize, others: &[usize], placed: &[PlacedBody], look: &Look<'_>) -> f64 {
    let Some((pose, _)) = look(body).filter(|_| !placed[body].absent) else {
        return f64::INFINITY;
    };
    let size = radius(&placed[body]);
    let gap = |other: &usize| {
        let (there, _) = look(*other).filter(|_| !placed[*other].absent)?;
        let bounds = placed[*other].def.shape.bounds(&Pose::IDENTITY);
        let place = there.inverse_transform_point(pose.translation);
        Some((place.distance(place.clamp(bounds.min, bounds.max)) - size).max(0.0))
    };
    others.iter().filter_map(gap).fold(f64::INFINITY, f64::min)
}
