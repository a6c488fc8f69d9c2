//! The floor: clumps that are read from a plain cache of the same data.

use proscenium_ensemble::Moment;
use proscenium_ensemble::field::{Field, Instance};

/// Frames of each kind and detail that are kept: more than any cache of a
/// processor holds.
const KEPT: usize = 240;

/// Every vertex of many frames, by kind and detail.
pub(super) struct PlainCaches {
    kinds: Vec<Vec<Vec<Vec<[f32; 3]>>>>,
}

impl PlainCaches {
    pub fn new(field: &Field) -> Self {
        let of_detail = |data: &proscenium_ensemble::Compressed| {
            let moments: Vec<Moment> = data.moments().take(KEPT).collect();
            let frame = |&moment: &Moment| {
                let mut positions = Vec::new();
                data.positions_at(moment, &mut positions);
                positions
            };
            moments.iter().map(frame).collect()
        };
        let kinds = field.kinds().iter();
        Self {
            kinds: kinds.map(|kind| (0..kind.detail_count()).map(|at| of_detail(kind.data(at))).collect()).collect(),
        }
    }

    /// Puts what was shown where it stands, each instance at a frame of its own.
    pub fn play(&self, instances: &[Instance], shown: &[(u32, usize)], frame: u64) {
        let mut positions: Vec<[f32; 3]> = Vec::new();
        for &(number, detail) in shown {
            let instance = &instances[number as usize];
            let frames = &self.kinds[instance.kind][detail];
            let start = u64::from(number).wrapping_mul(0x9e37_79b9) >> 7;
            let vertices = &frames[((start + frame) % frames.len() as u64) as usize];
            positions.clear();
            instance.place_all(vertices, &mut positions);
            std::hint::black_box(&positions);
        }
    }
}
