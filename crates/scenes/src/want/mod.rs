//! What should happen, and how well it did.

mod bins;
mod describe;
mod exclusive;
mod judge;

use std::collections::BTreeSet;

use glam::{DQuat, DVec3};

pub(crate) use bins::Bins;
pub(crate) use describe::describe;
pub(crate) use exclusive::exclusive;
pub(crate) use judge::{Account, Evidence, Verdict, lies, radius};

/// A checked want.
#[derive(Clone, Debug)]
pub(crate) struct WantPlan {
    /// In words.
    pub name: String,
    /// How much a miss counts: the logarithm of the paper's λ.
    pub weight: f64,
    /// Whether the weight counts for distances too.
    pub counts: bool,
    /// How many parts must hold, at least and at most; `None` for all.
    pub count: Option<(usize, usize)>,
    pub parts: Vec<Part>,
}

impl WantPlan {
    /// Adds the places of the bodies that it is about.
    pub(crate) fn collect_bodies(&self, places: &mut BTreeSet<usize>) {
        for part in &self.parts {
            match part {
                Part::Statement(statement) => {
                    places.insert(statement.body);
                }
                Part::Want(want) => want.collect_bodies(places),
            }
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Part {
    Statement(Statement),
    Want(WantPlan),
}

/// What is said about one body.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    /// Its place in the world.
    pub body: usize,
    pub facts: Vec<Fact>,
}

#[derive(Clone, Debug)]
pub(crate) struct Fact {
    /// When; `None` for when the body has come to rest.
    pub at: Option<f64>,
    pub condition: Condition,
}

#[derive(Clone, Debug)]
pub(crate) enum Condition {
    /// A distance that should be small: Gaussian, and held up to its tolerance.
    Graded {
        measure: Measure,
        within: f64,
    },
    Inside {
        region: RegionWant,
        within: Option<f64>,
    },
    /// An axis of the shape points up, to within an angle.
    FaceUp {
        axis: DVec3,
        within: f64,
    },
    Upright(bool),
    Unmoved {
        wanted: bool,
        within: Option<f64>,
    },
    Hits {
        /// Any of these bodies.
        other: Vec<usize>,
        /// How often, at least and at most.
        times: (usize, usize),
        /// Only hits before the first on one of these count.
        before: Option<Vec<usize>>,
        /// When, and how precisely.
        at: Option<(f64, f64)>,
        /// When the scene ends.
        last: f64,
    },
}

#[derive(Clone, Debug)]
pub(crate) enum Measure {
    /// From a place; `level` leaves out the height.
    Place {
        place: DVec3,
        level: bool,
    },
    Turn(DQuat),
    Velocity(DVec3),
}

#[derive(Clone, Debug)]
pub(crate) enum RegionWant {
    Box {
        low: DVec3,
        high: DVec3,
    },
    Ball {
        centre: DVec3,
        radius: f64,
    },
    /// The box around any of some bodies, as they are at the start.
    Around(Vec<usize>),
}
