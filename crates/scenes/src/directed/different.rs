//! When two animations are different, and by how much.

use std::collections::BTreeMap;

use glam::Vec3;

use super::{Directed, Outcome};
use crate::want::radius;

/// What *different* means, to be printed with every count.
pub const DIFFERENT: &str =
    "two animations differ if their sequences of contacts do, or if a body's paths are more than its radius apart";

/// So many times of an animation are compared.
const TIMES: usize = 120;
/// A body that takes part in only one of two animations counts as so many of
/// its radii.
const ABSENT: f64 = 10.0;

/// What is compared of an animation: its contacts in order, and where every
/// body is at 121 times.
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
}

impl Sketch {
    pub(super) fn of(directed: &Directed, outcome: &Outcome) -> Self {
        let ran = outcome.ran();
        let duration = directed.scene().duration();
        let contacts = ran.recording().contacts.iter().map(|contact| {
            let (a, b) = (contact.a.index() as u32, contact.b.index() as u32);
            (a.min(b), a.max(b))
        });
        let moving = ran.placed.iter().zip(&ran.ids).filter(|(body, _)| !body.def.fixed);
        let paths = moving.map(|(body, id)| {
            let place = |step: usize| {
                let time = duration * step as f64 / TIMES as f64;
                let known = Some(time).filter(|time| *time <= ran.ended)?;
                ran.recording().pose(*id, known).map(|pose| pose.translation.as_vec3())
            };
            Path { radius: radius(body), places: (0..=TIMES).map(place).collect() }
        });
        Self { contacts: contacts.collect(), paths: paths.collect() }
    }

    /// Whether two animations of one scene are different: their sequences of
    /// contacts differ, or some body's paths are more than its radius apart at
    /// some time.
    pub fn differs(&self, other: &Sketch) -> bool {
        self.contacts != other.contacts || self.apart(other) > 1.0
    }

    /// How far apart the paths of a body get, in its radii, for the body for
    /// which that is most.
    pub fn apart(&self, other: &Sketch) -> f64 {
        self.paths.iter().zip(&other.paths).map(|(a, b)| a.distance(b)).fold(0.0, f64::max)
    }

    /// How many contacts only one of the two has.
    pub fn other_contacts(&self, other: &Sketch) -> usize {
        let mut counts: BTreeMap<(u32, u32), isize> = BTreeMap::new();
        self.contacts.iter().for_each(|pair| *counts.entry(*pair).or_default() += 1);
        other.contacts.iter().for_each(|pair| *counts.entry(*pair).or_default() -= 1);
        counts.values().map(|count| count.unsigned_abs()).sum()
    }

    /// How different two animations look: how far apart paths get, in radii,
    /// and less than one more for other contacts.
    pub fn distance(&self, other: &Sketch) -> f64 {
        let all = (self.contacts.len() + other.contacts.len()) as f64;
        self.apart(other) + self.other_contacts(other) as f64 / (1.0 + all)
    }
}
