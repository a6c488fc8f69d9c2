//! When two animations are different, and by how much.

use glam::{DVec3, Vec3};
use proscenium_geometry::ShapeKind;

use super::{DirectedScene, Outcome};
use crate::want::radius;

/// What *different* means, to be printed with every count.
pub const DIFFERENT: &str =
    "two animations differ if a body's paths are more than its radius apart, or if it ends on another side";

/// So many times of an animation are compared.
const TIMES: usize = 120;
/// A body that takes part in only one of two animations counts as so many of
/// its radii.
const ABSENT: f64 = 10.0;
/// The cosine of the angle by which a body must lie otherwise to end on another side:
/// 45°, half-way between two faces of a die.
const OTHER_SIDE: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// What is compared of an animation: where every body is at 121 times, on which side
/// it ends, and its contacts.
#[derive(Clone, Debug, PartialEq)]
pub struct Sketch {
    contacts: Vec<(u32, u32)>,
    paths: Vec<Path>,
}

#[derive(Clone, Debug, PartialEq)]
struct Path {
    /// Half the longest edge of the box around the body, metres.
    radius: f64,
    /// `None` before the body enters, and after all was decided.
    places: Vec<Option<Vec3>>,
    /// What of the body is up at the end; `None` for balls, which have no sides, and
    /// for who does not take part.
    up: Option<Vec3>,
}

impl Path {
    /// How far two paths are apart, in radii.
    fn distance(&self, other: &Self) -> f64 {
        let pairs = self.places.iter().zip(&other.places).map(|pair| match pair {
            (Some(a), Some(b)) => f64::from(a.distance(*b)) / self.radius.min(other.radius),
            _ => 0.0,
        });
        let only_one = self.places.iter().any(Option::is_some) != other.places.iter().any(Option::is_some);
        pairs.fold(if only_one { ABSENT } else { 0.0 }, f64::max)
    }

    /// Whether they end on different sides.
    fn turns_otherwise(&self, other: &Self) -> bool {
        self.up.zip(other.up).is_some_and(|(a, b)| a.dot(b) < OTHER_SIDE)
    }
}

impl Sketch {
    pub(super) fn of(directed: &DirectedScene, outcome: &Outcome) -> Self {
        let ran = outcome.ran();
        let duration = directed.scene().duration();
        let contacts = ran.recording().contacts.iter().map(|contact| {
            let (a, b) = (contact.a.index() as u32, contact.b.index() as u32);
            (a.min(b), a.max(b))
        });
        let moving = ran.placed.iter().enumerate().filter(|(_, body)| !body.def.fixed);
        let paths = moving.map(|(index, body)| {
            let place = |step: usize| {
                let time = duration * step as f64 / TIMES as f64;
                let known = Some(time).filter(|time| *time <= ran.ended)?;
                ran.pose(index, known).map(|pose| pose.translation.as_vec3())
            };
            let has_sides = !matches!(body.def.shape.kind(), ShapeKind::Sphere { .. });
            let last = ran.pose(index, ran.ended).filter(|_| has_sides && !body.absent);
            let up = last.map(|pose| (pose.rotation.inverse() * DVec3::Y).as_vec3());
            Path { radius: radius(body), places: (0..=TIMES).map(place).collect(), up }
        });
        let mut contacts: Vec<(u32, u32)> = contacts.collect();
        contacts.sort_unstable();
        Self { contacts, paths: paths.collect() }
    }

    /// Whether two animations of one scene are different, as far as a viewer can
    /// tell: some body's paths are more than its radius apart at some time, or it
    /// ends on another side. Other contacts that lead to neither are not seen.
    pub fn differs(&self, other: &Sketch) -> bool {
        self.is_further(other, 1.0)
    }

    /// Whether some body's paths are more than so many of its radii apart at some
    /// time, or end on different sides.
    pub fn is_further(&self, other: &Sketch, radii: f64) -> bool {
        let mut pairs = self.paths.iter().zip(&other.paths);
        pairs.any(|(a, b)| a.turns_otherwise(b) || a.distance(b) > radii)
    }

    /// How many bodies can move.
    pub fn body_count(&self) -> usize {
        self.paths.len()
    }

    /// Where a body is, in its radii, at a share of the time from 0 to 1; `None`
    /// where that is not known.
    pub fn place(&self, body: usize, share: f64) -> Option<[f64; 3]> {
        let path = self.paths.get(body)?;
        let place = (*path.places.get((share * TIMES as f64) as usize)?)?;
        Some((place.as_dvec3() / path.radius).to_array())
    }

    /// How far apart the paths of a body get, in its radii, for the body for
    /// which that is most.
    pub fn apart(&self, other: &Sketch) -> f64 {
        self.paths.iter().zip(&other.paths).map(|(a, b)| a.distance(b)).fold(0.0, f64::max)
    }

    /// How many contacts only one of the two has.
    pub fn other_contacts(&self, other: &Sketch) -> usize {
        let (mut ours, mut theirs) = (self.contacts.as_slice(), other.contacts.as_slice());
        let mut common = 0;
        while let ([our, our_rest @ ..], [their, their_rest @ ..]) = (ours, theirs) {
            common += usize::from(our == their);
            if our <= their {
                ours = our_rest;
            }
            if their <= our {
                theirs = their_rest;
            }
        }
        self.contacts.len() + other.contacts.len() - 2 * common
    }

    /// How different two animations look: how far apart paths get, in radii,
    /// and less than one more for other contacts.
    pub fn distance(&self, other: &Sketch) -> f64 {
        let all = (self.contacts.len() + other.contacts.len()) as f64;
        self.apart(other) + self.other_contacts(other) as f64 / (1.0 + all)
    }
}
