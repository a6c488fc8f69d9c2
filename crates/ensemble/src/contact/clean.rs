//! Compressed data without the frames that interpenetrate.

use rayon::prelude::*;

use super::ContactTest;
use crate::compressed::{Compressed, SequenceInfo};
use crate::data::Moment;
use crate::error::EnsembleError;

impl Compressed {
    /// The same without frames in which groups interpenetrate, cut there into
    /// sequences; and how many frames were dropped. Compressing moves vertices
    /// a little, so that frames which were barely clean may not be any more.
    ///
    /// # Errors
    /// When no frame is clean.
    pub fn cleaned(self) -> Result<(Self, usize), EnsembleError> {
        let test = ContactTest::new(self.groups(), self.thickness());
        let moments: Vec<Moment> = self.moments().collect();
        let is_clean = |&moment: &Moment| {
            let mut positions = Vec::new();
            self.positions_at(moment, &mut positions);
            test.touching(&positions).is_empty()
        };
        let clean: Vec<bool> = moments.par_iter().map(is_clean).collect();
        let dropped = clean.iter().filter(|&&clean| !clean).count();
        if dropped == 0 {
            return Ok((self, 0));
        }
        let kept: Vec<Moment> = moments.into_iter().zip(clean).filter(|(_, clean)| *clean).map(|(at, _)| at).collect();
        let mut parts = self.parts().clone();
        parts.sequences.clear();
        parts.shapes.iter_mut().for_each(|shape| shape.coordinates.clear());
        let follows = |a: &Moment, b: &Moment| a.sequence == b.sequence && a.frame + 1 == b.frame;
        for stretch in kept.chunk_by(follows) {
            let condition = self.sequences()[stretch[0].sequence as usize].condition;
            parts.sequences.push(SequenceInfo { condition, frames: stretch.len() });
            for (shape, whole) in parts.shapes.iter_mut().zip(self.shapes()) {
                let steps = stretch.iter().flat_map(|&moment| whole.steps_at(moment)).copied();
                shape.coordinates.push(steps.collect());
            }
        }
        if parts.sequences.is_empty() {
            let place = format!("the ensemble \"{}\"", self.name());
            return Err(EnsembleError::Empty { place, what: "clean frames", remedy: "use a smaller thickness" });
        }
        Ok((Self::new(parts)?, dropped))
    }
}
