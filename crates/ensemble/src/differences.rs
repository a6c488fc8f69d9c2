//! The shapes of a group as a file has them: coordinates as differences from
//! the frame before, which are small numbers, and small numbers take few bytes.

use serde::{Deserialize, Serialize};

use crate::compressed::CompressedGroup;

/// A [`CompressedGroup`] with differences in place of coordinates.
#[derive(Serialize, Deserialize)]
pub(crate) struct GroupFile {
    middle: Vec<f32>,
    basis: Vec<Vec<f32>>,
    steps: Vec<f32>,
    differences: Vec<Vec<i16>>,
}

// Counting round and round, any difference of two numbers of 16 bits fits in
// 16 bits again.

impl From<CompressedGroup> for GroupFile {
    fn from(group: CompressedGroup) -> Self {
        let rank = group.rank();
        let mut differences = group.coordinates;
        for steps in &mut differences {
            for at in (rank..steps.len()).rev() {
                steps[at] = steps[at].wrapping_sub(steps[at - rank]);
            }
        }
        GroupFile { middle: group.middle, basis: group.basis, steps: group.steps, differences }
    }
}

impl From<GroupFile> for CompressedGroup {
    fn from(file: GroupFile) -> Self {
        let rank = file.basis.len();
        let mut coordinates = file.differences;
        for steps in &mut coordinates {
            for at in rank..steps.len() {
                steps[at] = steps[at].wrapping_add(steps[at - rank]);
            }
        }
        CompressedGroup { middle: file.middle, basis: file.basis, steps: file.steps, coordinates }
    }
}
