//! What can be wrong with a world, and what can go wrong in one.

use std::borrow::Cow;

use proscenium_bodies::MaterialError;
use proscenium_geometry::ShapeError;
use proscenium_work::{Halt, Remedy};

/// Why a world cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// A setting of the world is not a useful number.
    #[error("{what} must be {rule}, but is {value}")]
    Setting {
        /// Which setting.
        what: &'static str,
        /// What it must be.
        rule: &'static str,
        /// What was given.
        value: f64,
    },
    /// A body's material is not possible.
    #[error("body \"{body}\": {error}")]
    Material {
        /// The body's name.
        body: String,
        /// What is wrong.
        error: MaterialError,
    },
    /// A pair of materials meets in an impossible way.
    #[error("a pair of materials: {0}")]
    Pair(MaterialError),
    /// A body names a material that was not added.
    #[error("body \"{body}\" names a material that is not part of this world")]
    UnknownMaterial {
        /// The body's name.
        body: String,
    },
    /// A body's shape has no usable mass.
    #[error("body \"{body}\": {error}")]
    Mass {
        /// The body's name.
        body: String,
        /// What is wrong.
        error: ShapeError,
    },
    /// A moving body has a shape without volume.
    #[error("body \"{body}\" cannot move: a {shape} has no finite volume")]
    CannotMove {
        /// The body's name.
        body: String,
        /// The kind of shape.
        shape: &'static str,
    },
    /// A position, velocity, spin or time is not finite.
    #[error("body \"{body}\": {what} is not a finite number")]
    NotFinite {
        /// The body's name.
        body: String,
        /// Which number.
        what: &'static str,
    },
    /// A body starts at rest, and moves.
    #[error("body \"{body}\" starts at rest, but has a velocity or a spin")]
    MovesAtRest {
        /// The body's name.
        body: String,
    },
    /// A body moves as told, and is fixed or at rest.
    #[error("body \"{body}\" moves as told, but is fixed or starts at rest")]
    DrivenAtRest {
        /// The body's name.
        body: String,
    },
    /// Friction or restitution by splines where they cannot be.
    #[error("body \"{body}\" cannot have such splines of friction or restitution")]
    Splines {
        /// The body's name.
        body: String,
    },
    /// Two bodies start inside each other.
    #[error("bodies \"{a}\" and \"{b}\" overlap by {depth:.3e} m at the start")]
    Overlap {
        /// One of them.
        a: String,
        /// The other.
        b: String,
        /// How deep, metres.
        depth: f64,
    },
    /// A joint that cannot be.
    #[error("joint \"{joint}\": {what}")]
    Joint {
        /// The joint's name.
        joint: String,
        /// What is wrong.
        what: &'static str,
    },
    /// More bodies than an index can name.
    #[error("a world holds at most {most} bodies")]
    TooManyBodies {
        /// The limit.
        most: usize,
    },
}

/// Why a simulation stopped.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// The time to advance to is in the past or not a number.
    #[error("cannot advance to {asked} s: the world is at {now} s")]
    TimeRunsBackwards {
        /// Where the world is.
        now: f64,
        /// What was asked.
        asked: f64,
    },
    /// A number left the range of numbers.
    #[error("the motion of body \"{body}\" is no longer a finite number at {time} s")]
    NotFinite {
        /// The body's name.
        body: String,
        /// When.
        time: f64,
    },
    /// A body that enters later enters inside another.
    #[error("body \"{body}\" enters at {time} s inside body \"{other}\" (by {depth:.3e} m)")]
    EntersInside {
        /// The body that enters.
        body: String,
        /// The body in its place.
        other: String,
        /// When.
        time: f64,
        /// How deep, metres.
        depth: f64,
    },
    /// Collisions follow each other so fast that time stands still.
    #[error("body \"{body}\" took part in {count} events within {span:.1e} s at {time} s: it is wedged")]
    Wedged {
        /// The body's name.
        body: String,
        /// How many events.
        count: u32,
        /// Within how long, seconds.
        span: f64,
        /// When.
        time: f64,
    },
    /// A control event names a body that is not there.
    #[error("a control event at {time} s names body {index}, which is not part of this world")]
    NoSuchBody {
        /// The index of the body.
        index: u32,
        /// When.
        time: f64,
    },
    /// A control event for a time before what is remembered.
    #[error("a control event for {time} s comes too late: the world is at {now} s and remembers back to {reaches} s")]
    TooLate {
        /// How far back it remembers.
        reaches: f64,
        /// Where the world is.
        now: f64,
        /// When the event should have happened.
        time: f64,
    },
    /// A body that should have been added in the past.
    #[error("a body cannot be added at {time} s, which has passed: the world is at {now} s")]
    LateAddition {
        /// Where the world is.
        now: f64,
        /// When it should have been added.
        time: f64,
    },
    /// A control event that lies in the past or is not finite.
    #[error("a control event must be finite and not before {now} s, but is for {time} s")]
    BadControl {
        /// Where the world is.
        now: f64,
        /// When the event should happen.
        time: f64,
    },
    /// A body that was to be added cannot be.
    #[error("a body cannot be added at {time} s: {error}")]
    CannotAdd {
        /// When.
        time: f64,
        /// Why.
        error: Box<WorldError>,
    },
}

/// A take that cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TakeError {
    /// Blocks of no length.
    #[error("a block of a take must last for a positive time, but is {seconds} s")]
    Block {
        /// What was asked.
        seconds: f64,
    },
    /// The world cannot be.
    #[error(transparent)]
    World(#[from] WorldError),
    /// Something went wrong on the way.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
}

impl From<SimulationError> for Halt<SimulationError> {
    fn from(error: SimulationError) -> Self {
        Self::Failed(error)
    }
}

impl From<TakeError> for Halt<TakeError> {
    fn from(error: TakeError) -> Self {
        Self::Failed(error)
    }
}

impl Remedy for WorldError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::CannotMove { .. } => Some("mark it as fixed".into()),
            Self::MovesAtRest { .. } | Self::DrivenAtRest { .. } => Some("drop the one or the other".into()),
            Self::Splines { .. } => {
                Some("give them to a height field; friction is zero or more, restitution from 0 to 1".into())
            }
            Self::Overlap { .. } => Some("move them apart".into()),
            Self::Material { error, .. } | Self::Pair(error) => error.remedy(),
            Self::Mass { error, .. } => error.remedy(),
            // What is wrong says what would be right.
            Self::Setting { .. }
            | Self::UnknownMaterial { .. }
            | Self::NotFinite { .. }
            | Self::Joint { .. }
            | Self::TooManyBodies { .. } => None,
        }
    }
}

impl Remedy for SimulationError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Wedged { .. } => Some("give it room, more restitution, or let slow bodies rest".into()),
            Self::CannotAdd { error, .. } => error.remedy(),
            // What is wrong says what would be right.
            Self::TimeRunsBackwards { .. }
            | Self::NotFinite { .. }
            | Self::EntersInside { .. }
            | Self::NoSuchBody { .. }
            | Self::TooLate { .. }
            | Self::LateAddition { .. }
            | Self::BadControl { .. } => None,
        }
    }
}

impl Remedy for TakeError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Block { .. } => None,
            Self::World(error) => error.remedy(),
            Self::Simulation(error) => error.remedy(),
        }
    }
}
