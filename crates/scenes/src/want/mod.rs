//! What should happen, and how well it did.

mod bins;
mod describe;
mod event;
mod exclusive;
mod grade;
mod judge;
mod signal;
mod watch;

use std::collections::BTreeSet;

use glam::{DQuat, DVec3};

pub(crate) use bins::Bins;
pub(crate) use describe::describe;
pub(crate) use event::{Event, Order, Step};
pub(crate) use exclusive::exclusive;
pub(crate) use grade::Grade;
pub(crate) use judge::{Account, Evidence, FALLEN, LIES, Verdict, lies, radius};
pub(crate) use signal::{Signal, TOUCHES};
pub(crate) use watch::{Finding, Gate, Opening, Scenery, Subject, Watch, look};

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
                Part::Want(want) | Part::Not(want) => want.collect_bodies(places),
                Part::Then(order) => places.extend(order.steps.iter().flat_map(|step| &step.bodies)),
            }
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Part {
    Statement(Statement),
    Want(WantPlan),
    /// What should not be.
    Not(WantPlan),
    /// What should happen one after the other.
    Then(Order),
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
    Hits(HitsPlan),
    /// A number that should be small, at rest or at a time.
    Measured {
        signal: Signal,
        grade: Grade,
    },
    /// A number that is watched, by its place among those that are: it should be small at
    /// some time, or always.
    Watched {
        watch: usize,
        always: bool,
        grade: Grade,
        /// Whether it tells turns apart that look alike.
        turned: bool,
        /// Until when it is watched, s.
        until: f64,
    },
    /// A moment that is watched, by its place among those that are.
    Happens {
        watch: usize,
        /// How often, at least and at most.
        times: (usize, usize),
        /// So far from happening is half a miss.
        scale: f64,
        /// Until when it is watched, s.
        until: f64,
    },
}

/// What should be hit.
#[derive(Clone, Debug)]
pub(crate) struct HitsPlan {
    /// Any of these bodies.
    pub other: Vec<usize>,
    /// How often, at least and at most.
    pub times: (usize, usize),
    /// Only hits before the first on one of these count.
    pub before: Option<Vec<usize>>,
    /// When, and how precisely.
    pub at: Option<(f64, f64)>,
    /// Only harder hits count, N s.
    pub harder: Option<f64>,
    /// Only hits from then until then count, s.
    pub window: (f64, f64),
    /// When the scene ends.
    pub last: f64,
}

impl Condition {
    /// Whether it is about how a body lies when it has come to rest, unless a time is given.
    pub(crate) fn is_about_rest(&self) -> bool {
        !matches!(self, Self::Hits(_) | Self::Watched { .. } | Self::Happens { .. })
    }

    /// Whether something can be known of it before the end.
    fn is_told_early(&self) -> bool {
        !self.is_about_rest() || matches!(self, Self::Upright(_) | Self::Unmoved { .. })
    }

    /// Whether it asks how a body is turned, in a way that tells turns apart that look
    /// alike, and that is not judged for each of them.
    pub(crate) fn fixes_turn(&self) -> bool {
        match self {
            Self::Measured { signal, .. } => signal.asks_for_turn(),
            Self::Watched { turned, .. } => *turned,
            _ => false,
        }
    }
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
