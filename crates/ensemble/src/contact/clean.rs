//! Compressed data without the frames that interpenetrate.

use proscenium_work::{Completion, Finish as _, Halt, Progress, parallel};

use super::ContactTest;
use crate::compressed::CompressedEnsemble;
use crate::data::{Moment, SequenceInfo};
use crate::error::EnsembleError;

impl CompressedEnsemble {
    /// The same without frames in which groups interpenetrate, cut there into
    /// sequences; and how many frames were dropped. Compressing moves vertices
    /// a little, so that frames which were barely clean may not be any more.
    ///
    /// # Errors
    /// When no frame is clean.
    pub fn cleaned(self, progress: &Progress) -> Result<Completion<(Self, usize)>, EnsembleError> {
        clean(self, progress).finish()
    }
}

fn clean(data: CompressedEnsemble, progress: &Progress) -> Result<(CompressedEnsemble, usize), Halt<EnsembleError>> {
    let test = ContactTest::new(data.groups(), data.thickness());
    let moments: Vec<Moment> = data.moments().collect();
    let counter = progress.counter("looking for interpenetration", moments.len());
    let clean = parallel::try_map(&moments, |&moment| {
        counter.count()?;
        let mut positions = Vec::new();
        data.positions_at(moment, &mut positions);
        Ok::<bool, Halt<EnsembleError>>(test.touching(&positions).is_empty())
    })?;
    let dropped = clean.iter().filter(|&&clean| !clean).count();
    if dropped == 0 {
        return Ok((data, 0));
    }
    let kept: Vec<Moment> = moments.into_iter().zip(clean).filter(|(_, clean)| *clean).map(|(at, _)| at).collect();
    let mut parts = data.to_parts();
    parts.sequences.clear();
    parts.shapes.iter_mut().for_each(|shape| shape.coordinates.clear());
    let follows = |a: &Moment, b: &Moment| a.sequence == b.sequence && a.frame + 1 == b.frame;
    for stretch in kept.chunk_by(follows) {
        let condition = data.sequences()[stretch[0].sequence as usize].condition;
        parts.sequences.push(SequenceInfo { condition, frames: stretch.len() });
        for (shape, whole) in parts.shapes.iter_mut().zip(data.shapes()) {
            let steps = stretch.iter().flat_map(|&moment| whole.steps_at(moment)).copied();
            shape.coordinates.push(steps.collect());
        }
    }
    if parts.sequences.is_empty() {
        let place = format!("the ensemble \"{}\"", data.name());
        return Err(EnsembleError::Empty { place, what: "clean frames", remedy: "use a smaller thickness" }.into());
    }
    Ok((CompressedEnsemble::new(parts)?, dropped))
}
