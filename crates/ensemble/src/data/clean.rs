//! Data without the frames that interpenetrate.

use proscenium_work::{Completion, Finish as _, Halt, Progress, parallel};

use super::{Ensemble, Sequence};
use crate::contact::ContactTest;
use crate::error::EnsembleError;

impl Ensemble {
    /// The same ensemble without frames in which groups interpenetrate, cut
    /// there into sequences; and how many frames were dropped.
    ///
    /// # Errors
    /// When no frame is clean.
    pub fn cleaned(self, progress: &Progress) -> Result<Completion<(Self, usize)>, EnsembleError> {
        clean(self, progress).finish()
    }
}

fn clean(ensemble: Ensemble, progress: &Progress) -> Result<(Ensemble, usize), Halt<EnsembleError>> {
    let test = ContactTest::new(ensemble.groups(), ensemble.thickness());
    let counter = progress.counter("looking for interpenetration", ensemble.frame_count());
    let mut parts = ensemble.into_parts();
    let mut dropped = 0;
    let mut sequences = Vec::new();
    for sequence in std::mem::take(&mut parts.sequences) {
        let clean = parallel::try_map(&sequence.frames, |positions| {
            counter.count()?;
            Ok::<bool, Halt<EnsembleError>>(test.touching(positions).is_empty())
        })?;
        let mut frames = Vec::new();
        for (positions, is_clean) in sequence.frames.into_iter().zip(clean) {
            if is_clean {
                frames.push(positions);
                continue;
            }
            dropped += 1;
            if !frames.is_empty() {
                let frames = std::mem::take(&mut frames);
                sequences.push(Sequence { condition: sequence.condition, frames });
            }
        }
        if !frames.is_empty() {
            sequences.push(Sequence { condition: sequence.condition, frames });
        }
    }
    parts.sequences = sequences;
    Ok((Ensemble::new(parts)?, dropped))
}
