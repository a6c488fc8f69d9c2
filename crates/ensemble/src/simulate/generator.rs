//! An ensemble that is made rather than brought: a model, its winds, and the
//! stretches that are recorded of it.

use proscenium_chance::Seed;
use proscenium_work::{Completion, Finish as _, Halt, Progress, Stopped};
use serde::{Deserialize, Serialize};

use super::record::simulate;
use super::{PartMotion, Posture, RecordSettings, SimulateSettings, Simulator, SoftModel, Wind, WindField};
use crate::data::{Condition, Ensemble, EnsembleParts, Sequence, positive};
use crate::error::EnsembleError;
use crate::file::STRETCH;

/// The longest stretch that is recorded at once, seconds. Chosen: what lies before the first
/// arrival and after the last departure of a stretch is never walked, and with long ones that
/// is little even where transitions reach as far as the paper's; shorter ones would keep more
/// cores busy.
const LONGEST: f64 = 60.0;
/// Seconds that are simulated before any are kept. Chosen: by then what hangs has
/// swung in, and the wind is what moves it.
const SETTLE: f64 = 3.0;
/// Stretches between dropped frames that are shorter are left out too, seconds.
/// Chosen: transitions reach over an eighth of the shortest at most.
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
    /// A condition that is not there, a posture of another model, or a vertex that
    /// stops being finite.
    pub fn record(
        &self,
        part: &Part,
        begin: Option<&Posture>,
        seed: Seed,
        progress: &Progress,
    ) -> Result<Completion<PartMotion>, EnsembleError> {
        let counter = progress.counter("simulating", self.frames(part));
        self.record_part(part, begin, seed, progress, &|| counter.count()).finish()
    }

    /// The same; `count` is told of every frame.
    pub(crate) fn record_part(
        &self,
        part: &Part,
        begin: Option<&Posture>,
        seed: Seed,
        progress: &Progress,
        count: &dyn Fn() -> Result<(), Stopped>,
    ) -> Result<PartMotion, Halt<EnsembleError>> {
        let Some((_, wind)) = self.levels.get(part.level) else {
            let place = "a part".to_owned();
            let count = self.levels.len();
            return Err(EnsembleError::NoSuchPart { place, what: "condition", index: part.level, count }.into());
        };
        let seed = seed.child("level", part.level as u64).child("part", part.number as u64);
        let settings = self.recording(part);
        let mut simulator = Simulator::new(&self.model, settings.simulate, WindField::new(*wind, seed))?;
        if let Some(begin) = begin {
            simulator = simulator.from_posture(begin)?;
        }
        simulate(simulator, &settings, progress, count)
    }

    /// Gathers what was recorded, from the weakest condition to the strongest.
    ///
    /// # Errors
    /// As [`Ensemble::new`], for instance when nothing clean was recorded.
    pub fn gather(&self, mut recorded: Vec<(Part, PartMotion)>) -> Result<Ensemble, EnsembleError> {
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
    pub fn stretch_to_bytes(&self, part: Part, seed: Seed, recording: &PartMotion) -> Vec<u8> {
        STRETCH.seal(&(&self.name, part, seed.0, recording))
    }

    /// Reads such a file, also of release 0.1; `None` if it is of another
    /// ensemble, part or seed.
    ///
    /// # Errors
    /// When it is no such file, of another version, or damaged.
    pub fn stretch_from_bytes(
        &self,
        part: Part,
        seed: Seed,
        bytes: &[u8],
    ) -> Result<Option<PartMotion>, EnsembleError> {
        let (ensemble, of, from, recording): (String, Part, u64, PartMotion) = STRETCH.open(bytes)?;
        let Posture { places, velocities } = &recording.end;
        let mut sizes = recording.stretches.iter().flatten().map(Vec::len).chain([places.len(), velocities.len()]);
        let is_ours = (ensemble == self.name && of == part && from == seed.0)
            && sizes.all(|size| size == self.model.vertex_count());
        Ok(is_ours.then_some(recording))
    }
}
