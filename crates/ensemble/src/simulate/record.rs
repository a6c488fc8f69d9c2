//! A simulated stretch of motion, cleaned: frames that interpenetrate are left
//! out, and the motion is cut there.

use proscenium_work::{Completion, Finish as _, Halt, Progress, Stopped};

use crate::error::EnsembleError;

use super::{Posture, SimulateSettings, Simulator, SoftModel, WindField};

/// What is recorded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordSettings {
    /// How the model is simulated.
    pub simulate: SimulateSettings,
    /// Frames that are simulated before any is kept.
    pub settle: usize,
    /// Frames that are recorded.
    pub frames: usize,
    /// Stretches that are shorter than this many frames are dropped too.
    pub shortest: usize,
}

/// What was recorded, and what became of the rest.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PartMotion {
    /// Stretches of clean frames.
    pub stretches: Vec<Vec<Vec<[f32; 3]>>>,
    /// Frames that were simulated again with smaller steps.
    pub retried: usize,
    /// Frames that still interpenetrated, with the pairs of groups that did.
    pub dropped: Vec<(usize, Vec<(usize, usize)>)>,
    /// Clean frames in stretches that were too short.
    pub short: usize,
    /// How it was after the last frame, kept or not.
    pub end: Posture,
}

impl PartMotion {
    /// How many frames were kept.
    pub fn frame_count(&self) -> usize {
        self.stretches.iter().map(Vec::len).sum()
    }
}

/// Simulates and records, from rest or from a posture on.
///
/// # Errors
/// Wrong settings, a posture of another model, or a vertex that stops being finite.
pub fn record(
    model: &SoftModel,
    settings: &RecordSettings,
    begin: Option<&Posture>,
    wind: WindField,
    progress: &Progress,
) -> Result<Completion<PartMotion>, EnsembleError> {
    let count = settings.settle + settings.frames;
    let mut simulator = Simulator::new(model, settings.simulate, wind)?;
    if let Some(begin) = begin {
        simulator = simulator.from_posture(begin)?;
    }
    let counter = progress.counter("simulating", count);
    simulate(simulator, settings, progress, &|| counter.count()).finish()
}

/// Simulates frame by frame; `count` is told of every one.
pub(super) fn simulate(
    mut simulator: Simulator,
    settings: &RecordSettings,
    progress: &Progress,
    count: &dyn Fn() -> Result<(), Stopped>,
) -> Result<PartMotion, Halt<EnsembleError>> {
    let mut recording = PartMotion::default();
    let mut stretch = Vec::new();
    for frame in 0..settings.settle + settings.frames {
        let outcome = simulator.advance_unless_stopped(progress)?;
        count()?;
        let Some(frame) = frame.checked_sub(settings.settle) else {
            continue;
        };
        recording.retried += usize::from(outcome.retries > 0);
        if outcome.touching.is_empty() {
            stretch.push(simulator.positions());
        } else {
            recording.dropped.push((frame, outcome.touching));
            recording.keep(std::mem::take(&mut stretch), settings.shortest);
        }
    }
    recording.keep(stretch, settings.shortest);
    recording.end = simulator.posture().clone();
    Ok(recording)
}

impl PartMotion {
    fn keep(&mut self, stretch: Vec<Vec<[f32; 3]>>, shortest: usize) {
        if stretch.len() >= shortest.max(1) {
            self.stretches.push(stretch);
        } else {
            self.short += stretch.len();
        }
    }
}
