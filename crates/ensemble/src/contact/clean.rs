//! Compressed data without the frames that interpenetrate.

use std::borrow::Cow;

use proscenium_work::{Completion, Finish as _, Halt, Progress};

use crate::compressed::CompressedEnsemble;
use crate::data::{CleanStretches, Moment, SequenceInfo, clean_stretches};
use crate::error::EnsembleError;

impl CompressedEnsemble {
    /// The same without frames in which groups interpenetrate, as
    /// [`Ensemble::cleaned`](crate::Ensemble::cleaned) has it, and cut where they pass through
    /// each other between two. Compressing moves
    /// vertices a little, so that frames which were barely clean may not be any more.
    ///
    /// # Errors
    /// As there.
    pub fn cleaned(self, progress: &Progress) -> Result<Completion<(Self, usize)>, EnsembleError> {
        clean(self, progress).finish()
    }
}

fn clean(data: CompressedEnsemble, progress: &Progress) -> Result<(CompressedEnsemble, usize), Halt<EnsembleError>> {
    let positions = |moment: Moment| {
        let mut positions = Vec::new();
        data.positions_at(moment, &mut positions);
        Cow::Owned(positions)
    };
    let between = |moment: Moment, share: f32| {
        let mut positions = Vec::new();
        data.positions_between(moment, moment.frame + 1, share, &mut positions);
        positions
    };
    let CleanStretches { stretches, dropped } = clean_stretches(&data, &positions, Some(&between), progress)?;
    if dropped == 0 && stretches.len() == data.sequences().len() {
        return Ok((data, 0));
    }
    let mut parts = data.to_parts();
    parts.sequences.clear();
    parts.shapes.iter_mut().for_each(|shape| shape.coordinates.clear());
    for stretch in stretches {
        let condition = data.sequences()[stretch[0].sequence as usize].condition;
        parts.sequences.push(SequenceInfo { condition, frames: stretch.len() });
        for (shape, whole) in parts.shapes.iter_mut().zip(data.shapes()) {
            let steps = stretch.iter().flat_map(|&moment| whole.steps_at(moment)).copied();
            shape.coordinates.push(steps.collect());
        }
    }
    Ok((CompressedEnsemble::new(parts)?, dropped))
}
