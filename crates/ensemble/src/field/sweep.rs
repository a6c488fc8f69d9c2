//! Where an ensemble ever is, in voxels.

use proscenium_work::{Completion, Finish as _, Halt, Progress, Stopped};

use super::detail::{Detail, DetailMap, reduce_with_map};
use crate::compressed::CompressedEnsemble;
use crate::contact::Extent;
use crate::error::EnsembleError;
use crate::graph::MotionGraph;

/// Columns are bits of one word.
pub(super) const TALLEST: usize = 64;

/// The most voxels that a swept volume is looked for in.
const MOST_VOXELS: f64 = 2e8;

/// All that an ensemble ever sweeps, as voxels that contain it: of the data,
/// of the transitions, and of what lies between two frames.
///
/// A voxel is in it if the box around a triangle in two frames that follow each
/// other touches it, so nothing is missed where vertices go straight from frame
/// to frame.
#[derive(Clone, Debug, PartialEq)]
pub struct SweptVolume {
    voxel: f64,
    /// The lowest corner, metres.
    low: [f64; 3],
    /// Voxels along x, y and z.
    size: [usize; 3],
    /// For each column along y, x fastest, which voxels are swept.
    columns: Vec<u64>,
}

impl SweptVolume {
    /// What the data sweeps.
    ///
    /// # Errors
    /// Voxels that are not positive, or so small that a column is more than 64
    /// of them.
    pub fn of_data(
        data: &CompressedEnsemble,
        voxel: f64,
        progress: &Progress,
    ) -> Result<Completion<Self>, EnsembleError> {
        let shown = DetailLevels { whole: data, details: Vec::new() };
        SweptVolume::of(data, voxel, &|visit| shown.each_frame_of_data(|_| true, progress, visit)).finish()
    }

    /// What a walk through a graph can sweep: the data of the levels that it can be in, and
    /// its transitions.
    ///
    /// # Errors
    /// As [`SweptVolume::of_data`].
    pub fn of_graph(graph: &MotionGraph, voxel: f64, progress: &Progress) -> Result<Completion<Self>, EnsembleError> {
        SweptVolume::of_kind(graph, &[], voxel, progress)
    }

    /// The same of a graph that is also shown in less detail, and of what lies between two
    /// details while one becomes the other. Few modes and merged vertices can be where the
    /// whole never is.
    ///
    /// # Errors
    /// As [`SweptVolume::of_data`], and what [`reduce`](super::reduce) refuses.
    pub fn of_kind(
        graph: &MotionGraph,
        details: &[Detail],
        voxel: f64,
        progress: &Progress,
    ) -> Result<Completion<Self>, EnsembleError> {
        let whole = graph.data();
        let reduced = details.iter().map(|detail| reduce_with_map(whole, detail.modes, detail.merge));
        let shown = DetailLevels { whole, details: reduced.collect::<Result<_, _>>()? };
        SweptVolume::of(whole, voxel, &|visit| shown.each_frame_of_walks(graph, progress, visit)).finish()
    }

    /// How high the volume that a walk through a graph can sweep is, metres: what the size of
    /// voxels is chosen by, since a column has at most 64.
    pub fn height_of_graph(graph: &MotionGraph, progress: &Progress) -> Completion<f64> {
        let shown = DetailLevels { whole: graph.data(), details: Vec::new() };
        match corners(graph.data(), &|visit| shown.each_frame_of_walks(graph, progress, visit)) {
            Ok((low, high)) => Completion::Finished(high[1] - low[1]),
            Err(Stopped) => Completion::Stopped,
        }
    }

    fn of(data: &CompressedEnsemble, voxel: f64, frames: &Frames) -> Result<Self, Halt<EnsembleError>> {
        crate::data::positive("the size of a voxel", voxel, "use metres above zero, such as 0.05")?;
        let (low, high) = corners(data, frames)?;
        let across = [0, 1, 2].map(|axis| high[axis] - low[axis]);
        let wanted = across.map(|length| libm::floor(length / voxel) + 1.0);
        if wanted[1] > TALLEST as f64 || wanted.iter().product::<f64>() > MOST_VOXELS {
            let what = format!("the voxel size, for something {:.2} m high,", across[1]);
            let remedy = "use voxels of at least a 64th of that";
            return Err(EnsembleError::Number { what, value: voxel, remedy }.into());
        }
        let size = wanted.map(|count| count as usize);
        let mut swept = SweptVolume { voxel, low, size, columns: vec![0; size[0] * size[2]] };
        let triangles: Vec<[u32; 3]> = (0..data.groups().len())
            .flat_map(|group| {
                let first = data.vertices_of(group).start as u32;
                data.groups()[group].triangles.iter().map(move |triangle| triangle.map(|vertex| first + vertex))
            })
            .collect();
        let mut before: Vec<Vec<[f32; 3]>> = Vec::new();
        frames(&mut |first, shown| {
            if first {
                before.clear();
            }
            for triangle in &triangles {
                let mut extent = Extent::NOTHING;
                for &vertex in triangle {
                    let places = shown.iter().chain(&before).filter_map(|places| places.get(vertex as usize));
                    places.for_each(|&position| extent.include(position));
                }
                swept.mark(&extent, 0.5 * data.thickness());
            }
            before.clear();
            before.extend_from_slice(shown);
        })?;
        Ok(swept)
    }

    fn mark(&mut self, extent: &Extent, margin: f64) {
        let cell =
            |axis: usize, x: f64| (((x - self.low[axis]) / self.voxel).max(0.0) as usize).min(self.size[axis] - 1);
        let from = [0, 1, 2].map(|axis| cell(axis, f64::from(extent.low[axis]) - margin));
        let to = [0, 1, 2].map(|axis| cell(axis, f64::from(extent.high[axis]) + margin));
        let bits = run(from[1], to[1] + 1);
        for z in from[2]..=to[2] {
            for x in from[0]..=to[0] {
                self.columns[z * self.size[0] + x] |= bits;
            }
        }
    }

    /// The edge of a voxel, metres.
    pub fn voxel(&self) -> f64 {
        self.voxel
    }

    /// Its lowest and highest corner, metres.
    pub fn bounds(&self) -> ([f64; 3], [f64; 3]) {
        (self.low, [0, 1, 2].map(|axis| self.low[axis] + self.voxel * self.size[axis] as f64))
    }

    /// How many voxels are swept.
    pub fn count(&self) -> usize {
        self.columns.iter().map(|column| column.count_ones() as usize).sum()
    }

    /// Whether a point lies in a voxel that is swept.
    pub fn contains(&self, point: [f64; 3]) -> bool {
        let at = [0, 1, 2].map(|axis| libm::floor((point[axis] - self.low[axis]) / self.voxel));
        let inside = (0..3).all(|axis| at[axis] >= 0.0 && at[axis] < self.size[axis] as f64);
        inside
            && self.columns[at[2] as usize * self.size[0] + at[0] as usize] & run(at[1] as usize, at[1] as usize + 1)
                != 0
    }

    /// The columns that hold something: their middle in x and z, metres, and
    /// their stretches from and to in y, metres.
    pub(super) fn stacks(&self) -> Vec<Stack> {
        let columns = self.columns.iter().enumerate().filter(|(_, bits)| **bits != 0);
        columns
            .map(|(at, &bits)| {
                let (x, z) = (at % self.size[0], at / self.size[0]);
                let middle = |axis: usize, index: usize| self.low[axis] + (index as f64 + 0.5) * self.voxel;
                let height = |index: usize| self.low[1] + index as f64 * self.voxel;
                let runs = runs(bits).into_iter().map(|(from, to)| (height(from), height(to))).collect();
                Stack { x: middle(0, x), z: middle(2, z), runs }
            })
            .collect()
    }
}

/// A column of voxels.
pub(super) struct Stack {
    pub x: f64,
    pub z: f64,
    pub runs: Vec<(f64, f64)>,
}

/// Takes whether a frame follows nothing, and where each vertex is: in the whole, and in each
/// detail the one that stands for it.
type Visit<'run> = dyn FnMut(bool, &[Vec<[f32; 3]>]) + 'run;
type Frames<'run> = dyn Fn(&mut Visit) -> Result<(), Stopped> + 'run;

/// The lowest and the highest corner of all that is shown, with its thickness.
fn corners(data: &CompressedEnsemble, frames: &Frames) -> Result<([f64; 3], [f64; 3]), Stopped> {
    let margin = 0.5 * data.thickness();
    let mut extent = Extent::NOTHING;
    frames(&mut |_, shown| shown.iter().flatten().for_each(|&position| extent.include(position)))?;
    Ok((extent.low.map(|x| f64::from(x) - margin), extent.high.map(|x| f64::from(x) + margin)))
}

/// An ensemble, and less of it.
struct DetailLevels<'data> {
    whole: &'data CompressedEnsemble,
    details: Vec<(CompressedEnsemble, DetailMap)>,
}

impl DetailLevels<'_> {
    /// Every frame that a walk through a graph can show: of the levels that it can be in, and of
    /// its transitions.
    fn each_frame_of_walks(&self, graph: &MotionGraph, progress: &Progress, visit: &mut Visit) -> Result<(), Stopped> {
        let levels: Vec<usize> = graph.levels().collect();
        self.each_frame_of_data(|level| levels.contains(&level), progress, visit)?;
        self.each_frame_of_transitions(graph, progress, visit)
    }

    /// Where all vertices are, in each detail.
    fn places(&self, place: impl Fn(&CompressedEnsemble, &mut Vec<[f32; 3]>), sets: &mut Vec<Vec<[f32; 3]>>) {
        sets.resize(1 + self.details.len(), Vec::new());
        place(self.whole, &mut sets[0]);
        let mut less = Vec::new();
        for ((data, map), set) in self.details.iter().zip(&mut sets[1..]) {
            place(data, &mut less);
            set.clear();
            set.extend(map.stands.iter().map(|&vertex| less[vertex as usize]));
        }
    }

    fn each_frame_of_data(
        &self,
        is_walked: impl Fn(usize) -> bool,
        progress: &Progress,
        visit: &mut Visit,
    ) -> Result<(), Stopped> {
        let counter = progress.counter("sweeping the data", self.whole.frame_count());
        let mut sets = Vec::new();
        for moment in self.whole.moments() {
            counter.count()?;
            if is_walked(self.whole.sequences()[moment.sequence as usize].condition) {
                self.places(|data, places| data.positions_at(moment, places), &mut sets);
                visit(moment.frame == 0, &sets);
            }
        }
        Ok(())
    }

    fn each_frame_of_transitions(
        &self,
        graph: &MotionGraph,
        progress: &Progress,
        visit: &mut Visit,
    ) -> Result<(), Stopped> {
        let counter = progress.counter("sweeping the transitions", graph.transitions().len());
        let mut sets = Vec::new();
        for transition in graph.transitions() {
            counter.count()?;
            let span = i64::from(transition.span);
            for frame in -span..=span {
                progress.check()?;
                self.places(|data, places| transition.place(data, frame as f64, places), &mut sets);
                visit(frame == -span, &sets);
            }
        }
        Ok(())
    }
}

/// Bits from one up to, and without, another.
pub(super) fn run(from: usize, to: usize) -> u64 {
    let below = |bit: usize| if bit >= TALLEST { u64::MAX } else { (1 << bit) - 1 };
    below(to) & !below(from)
}

/// The stretches of bits that are set.
fn runs(mut bits: u64) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    while bits != 0 {
        let from = bits.trailing_zeros() as usize;
        let to = from + (!(bits >> from)).trailing_zeros() as usize;
        runs.push((from, to.min(TALLEST)));
        bits &= !run(from, to);
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_bits_are_the_same() {
        for bits in [0, 1, 0b1011_0110, u64::MAX, 1 << 63, u64::MAX << 60, 0x8000_0000_0000_0001] {
            let back = runs(bits).into_iter().fold(0, |sum, (from, to)| sum | run(from, to));
            assert_eq!(back, bits, "{bits:b}");
        }
        assert_eq!(runs(0b1011_0110), [(1, 3), (4, 6), (7, 8)]);
    }
}
