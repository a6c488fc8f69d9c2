//! The floor: clumps that are read from a plain cache of the same data.

use proscenium_ensemble::data::Moment;
use proscenium_ensemble::field::{Field, Placing};

/// Every vertex of every frame, by kind and detail.
pub(super) struct PlainCaches {
    kinds: Vec<Vec<Vec<Vec<[f32; 3]>>>>,
    /// The kind of each instance, and where it puts vertices.
    stands: Vec<(usize, Placing)>,
}

impl PlainCaches {
    pub fn new(field: &Field) -> Self {
        let of_detail = |data: &proscenium_ensemble::CompressedEnsemble| {
            let moments: Vec<Moment> = data.moments().collect();
            let frame = |&moment: &Moment| {
                let mut positions = Vec::new();
                data.positions_at(moment, &mut positions);
                positions
            };
            moments.iter().map(frame).collect()
        };
        let kinds = field.kinds().iter();
        Self {
            stands: field.instances().iter().map(|instance| (instance.kind, instance.placing())).collect(),
            kinds: kinds.map(|kind| (0..kind.detail_count()).map(|at| of_detail(kind.data(at))).collect()).collect(),
        }
    }

    /// Puts what was shown where it stands, each instance at a frame of its own.
    pub fn play(&self, shown: &[(u32, usize)], frame: u64) {
        let mut positions: Vec<[f32; 3]> = Vec::new();
        for &(number, detail) in shown {
            let (kind, placing) = &self.stands[number as usize];
            let frames = &self.kinds[*kind][detail];
            let start = u64::from(number).wrapping_mul(0x9e37_79b9) >> 7;
            let vertices = &frames[((start + frame) % frames.len() as u64) as usize];
            placing.place_all(vertices, &mut positions);
            std::hint::black_box(&positions);
        }
    }
}
