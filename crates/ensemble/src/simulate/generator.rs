//! An ensemble that is made rather than brought: a model, its winds, and the
//! stretches that are recorded of it.

use std::sync::atomic::{AtomicUsize, Ordering};

use proscenium_chance::Seed;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{RecordSettings, Recorded, SimulateSettings, SoftModel, Wind, WindField, record};
use crate::data::{Condition, Ensemble, EnsembleParts, Sequence, positive};
use crate::error::EnsembleError;
use crate::file;

/// What a recorded stretch begins with; the number is the format's version.
const STRETCH: &str = "proscenium stretch 1\n";
/// The longest stretch that is recorded at once, seconds: all cores have some.
const LONGEST: f64 = 20.0;
/// Seconds that are simulated before any are kept.
const SETTLE: f64 = 3.0;
/// Stretches between dropped frames that are shorter are of no use, seconds.
const SHORTEST: f64 = 5.0;

/// A model and the conditions that it is simulated under.
#[derive(Clone, Debug)]
pub struct Generator {
    /// What the ensemble is called.
    pub name: String,
    /// What is simulated.
    pub model: SoftModel,
    /// The conditions, from the weakest to the strongest, with their winds.
    pub levels: Vec<(Condition, Wind)>,
    /// How it is simulated.
    pub settings: SimulateSettings,
    /// How far a vertex may be from where it was, when it is compressed, metres.
    pub error: f64,
}

/// A stretch that is recorded by itself.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// The condition.
    pub level: usize,
    /// Which of its stretches.
    pub number: usize,
    /// How long, seconds.
    pub seconds: f64,
}

#[derive(Serialize, Deserialize)]
struct RecordedFile {
    part: Part,
    seed: u64,
    recorded: Recorded,
}

impl Generator {
    /// The stretches that make up so many seconds of each condition.
    ///
    /// # Errors
    /// Seconds that are not positive.
    pub fn parts(&self, seconds: f64) -> Result<Vec<Part>, EnsembleError> {
        positive("the length of the data", seconds, "use seconds of each condition, such as 20")?;
        let count = (seconds / LONGEST).ceil().min(1e4);
        let part = |level: usize, number: usize| Part { level, number, seconds: seconds / count };
        Ok((0..self.levels.len())
            .flat_map(|level| (0..count as usize).map(move |number| part(level, number)))
            .collect())
    }

    /// How many frames a part takes to simulate.
    pub fn frames(&self, part: &Part) -> usize {
        let settings = self.recording(part);
        settings.settle + settings.frames
    }

    fn recording(&self, part: &Part) -> RecordSettings {
        let frames = |seconds: f64| (seconds * self.settings.frames_per_second).max(0.0) as usize;
        let frames_in_all = frames(part.seconds).max(1);
        RecordSettings {
            simulate: self.settings,
            settle: frames(SETTLE),
            frames: frames_in_all,
            shortest: frames(SHORTEST).min(frames_in_all),
        }
    }

    /// Simulates one part. The same part and seed give the same frames.
    ///
    /// # Errors
    /// As [`record`].
    pub fn record(
        &self,
        part: &Part,
        seed: Seed,
        progress: &mut dyn FnMut() -> bool,
    ) -> Result<Recorded, EnsembleError> {
        let Some((_, wind)) = self.levels.get(part.level) else {
            let place = "a part".to_owned();
            let count = self.levels.len();
            return Err(EnsembleError::NoSuchPart { place, what: "condition", index: part.level, count });
        };
        let seed = seed.child("level", part.level as u64).child("part", part.number as u64);
        record(&self.model, &self.recording(part), WindField::new(*wind, seed), progress)
    }

    /// Simulates all parts of so many seconds, on all cores. `progress` is told
    /// how many frames are done, of how many, from any thread, and stops the
    /// work by returning false.
    ///
    /// # Errors
    /// As [`record`].
    pub fn record_all(
        &self,
        seconds: f64,
        seed: Seed,
        progress: &(dyn Fn(usize, usize) -> bool + Sync),
    ) -> Result<Vec<(Part, Recorded)>, EnsembleError> {
        let parts = self.parts(seconds)?;
        let frames: usize = parts.iter().map(|part| self.frames(part)).sum();
        let done = AtomicUsize::new(0);
        let next = || progress(done.fetch_add(1, Ordering::Relaxed) + 1, frames);
        let parts = parts.into_par_iter().with_max_len(1);
        parts.map(|part| Ok((part, self.record(&part, seed, &mut || next())?))).collect()
    }

    /// Gathers what was recorded.
    ///
    /// # Errors
    /// As [`Ensemble::new`], for instance when nothing clean was recorded.
    pub fn gather(&self, recorded: Vec<(Part, Recorded)>) -> Result<Ensemble, EnsembleError> {
        let sequences = recorded.into_iter().flat_map(|(part, recorded)| {
            recorded.stretches.into_iter().map(move |frames| Sequence { condition: part.level, frames })
        });
        Ensemble::new(EnsembleParts {
            name: self.name.clone(),
            groups: self.model.groups().to_vec(),
            conditions: self.levels.iter().map(|(condition, _)| condition.clone()).collect(),
            sequences: sequences.collect(),
            frames_per_second: self.settings.frames_per_second,
            thickness: self.settings.thickness,
        })
    }
}

impl Recorded {
    /// A recorded part as a file, with the seed that it came from.
    ///
    /// # Errors
    /// Never for what [`record`] made.
    pub fn to_bytes(&self, part: Part, seed: Seed) -> Result<Vec<u8>, EnsembleError> {
        file::write(STRETCH, &RecordedFile { part, seed: seed.0, recorded: self.clone() })
    }

    /// Reads such a file; `None` if it is of another part or seed.
    ///
    /// # Errors
    /// When it is no such file, of another version, or damaged.
    pub fn from_bytes(bytes: &[u8], part: Part, seed: Seed) -> Result<Option<Self>, EnsembleError> {
        let read: RecordedFile = file::read(STRETCH, "a recorded stretch", bytes)?;
        Ok((read.part == part && read.seed == seed.0).then_some(read.recorded))
    }
}
