//! An ensemble that is made rather than brought: a model, its winds, and the
//! stretches that are recorded of it.

use std::sync::atomic::{AtomicUsize, Ordering};

use proscenium_chance::Seed;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Posture, RecordSettings, Recorded, SimulateSettings, SoftModel, Wind, WindField, record};
use crate::data::{Condition, Ensemble, EnsembleParts, Sequence, positive};
use crate::error::EnsembleError;
use crate::file;

/// What a recorded stretch begins with; the number is the format's version.
const STRETCH: &str = "proscenium stretch 2\n";
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
    ensemble: String,
    part: Part,
    seed: u64,
    recorded: Recorded,
}

impl Generator {
    /// The stretches that make up so many seconds of each condition, the first
    /// of the strongest before all others.
    ///
    /// # Errors
    /// Seconds that are not positive.
    pub fn parts(&self, seconds: f64) -> Result<Vec<Part>, EnsembleError> {
        positive("the length of the data", seconds, "use seconds of each condition, such as 20")?;
        let count = (seconds / LONGEST).ceil().min(1e4);
        let part = |level: usize, number: usize| Part { level, number, seconds: seconds / count };
        Ok((0..self.levels.len())
            .rev()
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

    /// Simulates one part, from rest or from a posture on. The same part,
    /// posture and seed give the same frames.
    ///
    /// # Errors
    /// As [`record`].
    pub fn record(
        &self,
        part: &Part,
        begin: Option<&Posture>,
        seed: Seed,
        progress: &mut dyn FnMut() -> bool,
    ) -> Result<Recorded, EnsembleError> {
        let Some((_, wind)) = self.levels.get(part.level) else {
            let place = "a part".to_owned();
            let count = self.levels.len();
            return Err(EnsembleError::NoSuchPart { place, what: "condition", index: part.level, count });
        };
        let seed = seed.child("level", part.level as u64).child("part", part.number as u64);
        record(&self.model, &self.recording(part), begin, WindField::new(*wind, seed), progress)
    }

    /// Has all parts of so many seconds recorded by `record`, on all cores: the
    /// first of the strongest wind from rest, then all others from where that
    /// ended.
    ///
    /// A wind brushes blades past stems, and when it falls they stay on the side
    /// where they are. Were every stretch simulated from rest, a weak wind would
    /// leave them where they grew, and no way would lead there from a strong one.
    ///
    /// # Errors
    /// Those of `record`, and seconds that are not positive.
    pub fn each_part<Error: From<EnsembleError> + Send>(
        &self,
        seconds: f64,
        record: impl Fn(Part, Option<&Posture>) -> Result<Recorded, Error> + Sync,
    ) -> Result<Vec<(Part, Recorded)>, Error> {
        let mut parts = self.parts(seconds)?.into_iter();
        let Some(opening) = parts.next() else {
            return Ok(Vec::new());
        };
        let first = record(opening, None)?;
        let others = parts.collect::<Vec<_>>().into_par_iter().with_max_len(1);
        let others: Result<Vec<_>, Error> = others.map(|part| Ok((part, record(part, Some(&first.end))?))).collect();
        Ok([(opening, first)].into_iter().chain(others?).collect())
    }

    /// Simulates all parts of so many seconds, as [`Self::each_part`] does.
    /// `progress` is told how many frames are done, of how many, from any
    /// thread, and stops the work by returning false.
    ///
    /// # Errors
    /// As [`record`].
    pub fn record_all(
        &self,
        seconds: f64,
        seed: Seed,
        progress: &(dyn Fn(usize, usize) -> bool + Sync),
    ) -> Result<Vec<(Part, Recorded)>, EnsembleError> {
        let frames: usize = self.parts(seconds)?.iter().map(|part| self.frames(part)).sum();
        let done = AtomicUsize::new(0);
        let next = || progress(done.fetch_add(1, Ordering::Relaxed) + 1, frames);
        self.each_part(seconds, |part, begin| self.record(&part, begin, seed, &mut || next()))
    }

    /// Gathers what was recorded, from the weakest condition to the strongest.
    ///
    /// # Errors
    /// As [`Ensemble::new`], for instance when nothing clean was recorded.
    pub fn gather(&self, mut recorded: Vec<(Part, Recorded)>) -> Result<Ensemble, EnsembleError> {
        recorded.sort_by_key(|(part, _)| (part.level, part.number));
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

    /// A recorded part as a file, with the seed that it came from.
    ///
    /// # Errors
    /// Never for what [`record`] made.
    pub fn stretch_to_bytes(&self, part: Part, seed: Seed, recorded: &Recorded) -> Result<Vec<u8>, EnsembleError> {
        let (ensemble, recorded) = (self.name.clone(), recorded.clone());
        file::write(STRETCH, &RecordedFile { ensemble, part, seed: seed.0, recorded })
    }

    /// Reads such a file; `None` if it is of another ensemble, part or seed.
    ///
    /// # Errors
    /// When it is no such file, of another version, or damaged.
    pub fn stretch_from_bytes(&self, part: Part, seed: Seed, bytes: &[u8]) -> Result<Option<Recorded>, EnsembleError> {
        let read: RecordedFile = file::read(STRETCH, "a recorded stretch", bytes)?;
        let Posture { places, velocities } = &read.recorded.end;
        let mut sizes = read.recorded.stretches.iter().flatten().map(Vec::len).chain([places.len(), velocities.len()]);
        let is_ours = (read.ensemble == self.name && read.part == part && read.seed == seed.0)
            && sizes.all(|size| size == self.model.vertex_count());
        Ok(is_ours.then_some(read.recorded))
    }
}
