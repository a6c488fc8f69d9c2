//! PartMotion the data of a build, part by part.

use std::sync::atomic::{AtomicUsize, Ordering};

use proscenium_chance::Seed;
use proscenium_work::{Halt, Progress, Store, parallel};

use crate::error::BuildError;
use crate::simulate::{Generator, Part, PartMotion, Posture};

/// Has all parts of so many seconds recorded, on all cores: the first of the
/// strongest wind from rest, then all others from where that ended. What is in the
/// store is taken from there, and what is not is kept there.
///
/// A wind brushes blades past stems, and when it falls they stay on the side
/// where they are. Were every stretch simulated from rest, a weak wind would
/// leave them where they grew, and no way would lead there from a strong one.
pub(super) fn record_all(
    generator: &Generator,
    seconds: f64,
    seed: Seed,
    store: &dyn Store,
    progress: &Progress,
) -> Result<Vec<(Part, PartMotion)>, Halt<BuildError>> {
    let parts = generator.parts(seconds)?;
    let Some((&opening, others)) = parts.split_first() else {
        return Ok(Vec::new());
    };
    let recorder = Recorder {
        generator,
        seed,
        store,
        progress,
        done: AtomicUsize::new(0),
        frames: parts.iter().map(|part| generator.frames(part)).sum(),
    };
    let first = recorder.part(opening, None)?;
    let rest = parallel::try_tasks(others.len(), |index| {
        recorder.part(others[index], Some(&first.end)).map(|recording| (others[index], recording))
    })?;
    Ok([(opening, first)].into_iter().chain(rest).collect())
}

/// Has one part recorded, for somebody else; one that follows the opening needs that in the store.
pub(super) fn record_one(
    generator: &Generator,
    parts: &[Part],
    part: Part,
    seed: Seed,
    store: &dyn Store,
    progress: &Progress,
) -> Result<Vec<u8>, Halt<BuildError>> {
    let frames = generator.frames(&part);
    let recorder = Recorder { generator, seed, store, progress, done: AtomicUsize::new(0), frames };
    let opening = parts.first().copied().filter(|opening| *opening != part);
    let first = opening.map(|opening| recorder.part(opening, None)).transpose()?;
    let recording = recorder.part(part, first.as_ref().map(|first| &first.end))?;
    Ok(generator.stretch_to_bytes(part, seed, &recording))
}

struct Recorder<'run> {
    generator: &'run Generator,
    seed: Seed,
    store: &'run dyn Store,
    progress: &'run Progress,
    /// Frames that are done, of all parts.
    done: AtomicUsize,
    frames: usize,
}

impl Recorder<'_> {
    fn part(&self, part: Part, begin: Option<&Posture>) -> Result<PartMotion, Halt<BuildError>> {
        let name = name_of(&part);
        let file = self.store.read(&name).map_err(BuildError::from)?;
        // What cannot be read is simulated again.
        let known = file.and_then(|file| self.generator.stretch_from_bytes(part, self.seed, &file).ok()?);
        if let Some(known) = known {
            self.count(self.generator.frames(&part))?;
            return Ok(known);
        }
        let recording =
            self.generator.record_part(&part, begin, self.seed, self.progress, &|| self.count(1)).map_err(|halt| {
                match halt {
                    Halt::Stopped => Halt::Stopped,
                    Halt::Failed(error) => Halt::Failed(BuildError::from(error)),
                }
            })?;
        let file = self.generator.stretch_to_bytes(part, self.seed, &recording);
        self.store.write(&name, &file).map_err(BuildError::from)?;
        Ok(recording)
    }

    fn count(&self, frames: usize) -> Result<(), proscenium_work::Stopped> {
        let done = frames + self.done.fetch_add(frames, Ordering::Relaxed);
        self.progress.tell("simulating", done as f64 / self.frames.max(1) as f64)
    }
}

/// What a part is called in a store.
pub(super) fn name_of(part: &Part) -> String {
    format!("stretch-{}-{}.part", part.level, part.number)
}
