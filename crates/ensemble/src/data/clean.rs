//! Data without the frames that interpenetrate.

use rayon::prelude::*;

use super::{Ensemble, Sequence};
use crate::contact::ContactTest;
use crate::error::EnsembleError;

impl Ensemble {
    /// The same ensemble without frames in which groups interpenetrate, cut
    /// there into sequences; and how many frames were dropped.
    ///
    /// # Errors
    /// When no frame is clean.
    pub fn cleaned(self) -> Result<(Self, usize), EnsembleError> {
        let test = ContactTest::new(self.groups(), self.thickness());
        let mut parts = self.into_parts();
        let mut dropped = 0;
        let mut sequences = Vec::new();
        for sequence in std::mem::take(&mut parts.sequences) {
            let clean: Vec<bool> =
                sequence.frames.par_iter().map(|positions| test.touching(positions).is_empty()).collect();
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
        Ok((Self::new(parts)?, dropped))
    }
}
