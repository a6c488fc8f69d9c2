//! What a directed simulation leaves.

use std::sync::{Arc, OnceLock};

use proscenium_geometry::Pose;
use proscenium_rigid::{BodyId, Recording, Take, WorldBuilder};

use crate::drawn::PlacedBody;

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
    /// Why it cannot be, if it cannot.
    pub refusal: Option<String>,
    pub placed: Vec<PlacedBody>,
    pub ids: Vec<BodyId>,
    pub history: History,
    pub resting: Vec<bool>,
    /// Which bodies were seen to lie; none if nobody looked.
    pub fallen: Vec<bool>,
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

    /// Every flight and collision. The body at a place of the scene's order has
    /// the same place in it.
    pub fn recording(&self) -> &Recording {
        self.inner.recording()
    }

    /// The pose of a body at a time, by its name; `None` if it is not there.
    pub fn pose(&self, body: &str, time: f64) -> Option<Pose> {
        let index = self.inner.placed.iter().position(|placed| placed.def.name == body)?;
        self.inner.recording().pose(self.inner.ids[index], time)
    }

    /// Whether a body has come to rest, by its name.
    pub fn is_resting(&self, body: &str) -> bool {
        let index = self.inner.placed.iter().position(|placed| placed.def.name == body);
        index.and_then(|index| self.inner.resting.get(index).copied()).unwrap_or(false)
    }

    /// The names of the bodies that hit each other, and when, in order.
    pub fn contacts(&self) -> impl Iterator<Item = (f64, &str, &str)> {
        let name = |body: BodyId| self.inner.placed[body.index()].def.name.as_str();
        let contacts = self.inner.recording().contacts.iter();
        contacts.map(move |contact| (contact.time, name(contact.a), name(contact.b)))
    }
}
