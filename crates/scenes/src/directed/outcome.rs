//! What a directed simulation leaves.

use std::sync::{Arc, OnceLock};

use glam::{DQuat, DVec3};
use proscenium_geometry::{Pose, ShapeKind};
use proscenium_rigid::{BodyId, Recording, Take, WorldBuilder};

use crate::drawn::PlacedBody;
use crate::want::Finding;

/// How a body was still moving when the scene ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unrest {
    /// It is round, and rolled.
    Rolling,
    /// It fell, beside whatever there is to lie on.
    Falling,
    /// In any other way.
    Moving,
}

/// What falls faster than this has nothing under it, m/s: a tenth of a second of free fall.
const FALLS: f64 = -1.0;

impl Unrest {
    fn of(kind: &ShapeKind, velocity: DVec3) -> Self {
        match kind {
            _ if velocity.y < FALLS => Self::Falling,
            ShapeKind::Sphere { .. }
            | ShapeKind::Capsule { .. }
            | ShapeKind::Cylinder { .. }
            | ShapeKind::Turned(_) => Self::Rolling,
            _ => Self::Moving,
        }
    }

    /// What it did, as in "the ball was still …".
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Rolling => "rolling",
            Self::Falling => "falling",
            Self::Moving => "moving",
        }
    }

    /// What can be done about it.
    #[must_use]
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Rolling => "let it roll longer with `duration`, or give its material `rolling`",
            Self::Falling => "put something under it, or keep it from falling off",
            Self::Moving => "let it come to rest with a longer `duration`, or more friction",
        }
    }
}

/// What came of an animation: how well each want was met, and all that
/// happened.
#[derive(Clone, Debug)]
pub struct Outcome {
    inner: Arc<RunRecord>,
}

#[derive(Debug, Default)]
pub(super) struct RunRecord {
    pub scores: Vec<f64>,
    pub met: Vec<bool>,
    /// By which symmetric turn each body is shown; none if it is empty.
    pub turns: Vec<DQuat>,
    /// Why it cannot be, if it cannot.
    pub refusal: Option<String>,
    pub placed: Vec<PlacedBody>,
    pub ids: Vec<BodyId>,
    pub history: History,
    pub resting: Vec<bool>,
    /// Bodies that a want expects to rest and that did not, by their places.
    pub unrest: Vec<(usize, Unrest)>,
    /// Which bodies were seen to lie; none if nobody looked.
    pub fallen: Vec<bool>,
    /// What was found of what wants watch.
    pub findings: Vec<Finding>,
    /// Until when it is known what happened, s: the end of the scene, unless
    /// everything was decided before.
    pub ended: f64,
    /// The world as it was described, if later runs may re-use this one.
    pub builder: Option<WorldBuilder>,
    /// The run in blocks of time, recorded when a later one first asks for it.
    pub again: OnceLock<Option<Box<Take>>>,
}

/// What happened, in one of two forms.
#[derive(Debug)]
pub(super) enum History {
    Recorded(Recording),
    /// A run that the next one can re-use; recording when somebody asks.
    Taken {
        take: Box<Take>,
        recording: OnceLock<Recording>,
    },
}

impl Default for History {
    fn default() -> Self {
        Self::Recorded(Recording::default())
    }
}

impl RunRecord {
    pub(super) fn recording(&self) -> &Recording {
        match &self.history {
            History::Recorded(recording) => recording,
            History::Taken { take, recording } => recording.get_or_init(|| take.recording()),
        }
    }

    /// The pose of a body by its place, as it is shown.
    pub(super) fn pose(&self, place: usize, time: f64) -> Option<Pose> {
        let pose = self.recording().pose(self.ids[place], time)?;
        let turn = self.turns.get(place).copied();
        Some(turn.map_or(pose, |turn| Pose::new(pose.translation, pose.rotation * turn)))
    }

    /// How a body moves at the end, by its place.
    pub(super) fn unrest(&self, place: usize) -> Unrest {
        let motion = match &self.history {
            History::Taken { take, .. } => take.motion(self.ids[place]),
            History::Recorded(recording) => {
                recording.flights(self.ids[place]).last().map(|flight| flight.at(self.ended))
            }
        };
        Unrest::of(self.placed[place].def.shape.kind(), motion.map_or(DVec3::ZERO, |motion| motion.velocity))
    }

    /// The run for a later one to re-use, simulated once more if it was not
    /// kept; `None` if it cannot be.
    pub(super) fn reusable(&self, duration: f64, block: f64) -> Option<&Take> {
        let record = || Take::record(self.builder.clone()?, duration, block).ok().map(Box::new);
        self.take().or_else(|| self.again.get_or_init(record).as_deref())
    }

    /// The run itself, if it was kept.
    pub(super) fn take(&self) -> Option<&Take> {
        match &self.history {
            History::Recorded(_) => None,
            History::Taken { take, .. } => Some(take),
        }
    }
}

impl Outcome {
    pub(super) fn new(ran: RunRecord) -> Self {
        Self { inner: Arc::new(ran) }
    }

    pub(super) fn ran(&self) -> &RunRecord {
        &self.inner
    }

    /// Which wants are met, in their order.
    pub fn wants_met(&self) -> &[bool] {
        &self.inner.met
    }

    /// What each want scores: zero at best, −∞ at worst.
    pub fn scores(&self) -> &[f64] {
        &self.inner.scores
    }

    /// Until when it is known what happened, s: the end of the scene, unless all
    /// wants were decided before.
    pub fn ended(&self) -> f64 {
        self.inner.ended
    }

    /// Why this animation cannot be; `None` if it can.
    pub fn refusal(&self) -> Option<&str> {
        self.inner.refusal.as_deref()
    }

    /// Every flight and collision, as simulated: a die that one simulation shows in any of
    /// its turns is in the first. The body at a place of the scene's order has the same
    /// place in it.
    pub fn recording(&self) -> &Recording {
        self.inner.recording()
    }

    /// The pose of a body at a time, by its name; `None` if it is not there.
    pub fn pose(&self, body: &str, time: f64) -> Option<Pose> {
        let index = self.inner.placed.iter().position(|placed| placed.def.name == body)?;
        self.inner.pose(index, time)
    }

    /// Whether a body has come to rest, by its name.
    pub fn is_resting(&self, body: &str) -> bool {
        let index = self.inner.placed.iter().position(|placed| placed.def.name == body);
        index.and_then(|index| self.inner.resting.get(index).copied()).unwrap_or(false)
    }

    /// The bodies that should have come to rest and were still moving, by name.
    pub fn unrest(&self) -> impl Iterator<Item = (&str, Unrest)> {
        self.inner.unrest.iter().map(|(place, unrest)| (self.inner.placed[*place].def.name.as_str(), *unrest))
    }

    /// The names of the bodies that hit each other, and when, in order.
    pub fn contacts(&self) -> impl Iterator<Item = (f64, &str, &str)> {
        let name = |body: BodyId| self.inner.placed[body.index()].def.name.as_str();
        let contacts = self.inner.recording().contacts.iter();
        contacts.map(move |contact| (contact.time, name(contact.a), name(contact.b)))
    }
}
