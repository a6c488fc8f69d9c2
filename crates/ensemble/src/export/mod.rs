//! Motion for other programs: glTF with morph targets, vertex caches, USD with
//! time-sampled points, and vertex-animation textures.
//!
//! What leaves is a [`Take`]: the coordinates of every group in every frame,
//! be it a sequence of the data or a walk through a graph. Everything is
//! returned as bytes; names of files are the caller's business.

mod glb;
mod players;
mod usd;
mod usdc;
mod vat;

use glam::DVec3;
use proscenium_work::{Completion, Finish as _, Halt, Progress, Stopped};

use crate::cache::{CacheError, CacheTimes, VertexCache};
use crate::compressed::CompressedEnsemble;
use crate::data::Moment;
use crate::frame::wide;
use crate::graph::{Cycle, MotionGraph};

pub use glb::{GlbTake, to_glb};
pub use players::{PLAYER_MODULE, PlayerTextures, detail_triangles, to_player, to_player_page, to_player_textures};
pub use usd::to_usda;
pub use usdc::to_usdc;
pub use vat::{TexturePrecision, VertexTexture, to_vertex_texture};

/// A stretch of motion of a compressed ensemble.
///
/// ```
/// # use proscenium_ensemble::data::{Condition, Ensemble, EnsembleParts, Group, Sequence};
/// # let leaf = Group {
/// #     name: "leaf".to_owned(),
/// #     attachment: None,
/// #     rest: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
/// #     triangles: vec![[0, 1, 2]],
/// # };
/// # let frames = (0..30).map(|n| leaf.rest.iter().map(|p| [p[0], p[1], 0.01 * n as f32]).collect()).collect();
/// # let ensemble = Ensemble::new(EnsembleParts {
/// #     name: "one leaf".to_owned(),
/// #     groups: vec![leaf],
/// #     conditions: vec![Condition { name: "calm".to_owned(), intensity: 0.0 }],
/// #     sequences: vec![Sequence { condition: 0, frames }],
/// #     frames_per_second: 30.0,
/// #     thickness: 0.002,
/// # })?;
/// use proscenium_ensemble::compress;
/// use proscenium_ensemble::export::{Take, base_obj, to_pc2};
/// use proscenium_work::Progress;
///
/// let compressed = compress(&ensemble, 1e-4, &Progress::none())?.finished().expect("nobody stops it");
/// let take = Take::of_sequence(&compressed, 0);
/// let mesh = base_obj(&compressed);
/// let cache = to_pc2(&take, &Progress::none())?.finished().expect("nobody stops it");
/// assert!(mesh.contains("g leaf"));
/// assert_eq!(cache.len(), 32 + 30 * 3 * 12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Take<'data> {
    compressed: &'data CompressedEnsemble,
    /// What it is called.
    pub name: String,
    /// For each frame, the coordinates of each group.
    states: Vec<Vec<Vec<f32>>>,
    /// Whether the first frame follows the last.
    loops: bool,
}

impl<'data> Take<'data> {
    /// A sequence of the data; empty if there is no such sequence.
    pub fn of_sequence(compressed: &'data CompressedEnsemble, sequence: usize) -> Self {
        let frames = compressed.sequences().get(sequence).map_or(0, |info| info.frames as u32);
        let condition = compressed.sequences().get(sequence).map(|info| &compressed.conditions()[info.condition].name);
        let name = condition.cloned().unwrap_or_default();
        let state = |frame: u32| {
            let moment = Moment { sequence: sequence as u32, frame };
            let coordinates = compressed.shapes().iter().map(|shape| {
                let mut coordinates = Vec::new();
                shape.coordinates_at(moment, &mut coordinates);
                coordinates
            });
            coordinates.collect()
        };
        Take { compressed, name, states: (0..frames).map(state).collect(), loops: false }
    }

    /// Any motion: for each frame the coordinates of each group, as many as it
    /// has modes. Frames of another size are left out.
    pub fn of_states(
        compressed: &'data CompressedEnsemble,
        name: impl Into<String>,
        states: Vec<Vec<Vec<f32>>>,
    ) -> Self {
        let ranks: Vec<usize> = compressed.shapes().iter().map(|shape| shape.rank()).collect();
        let fits = |state: &Vec<Vec<f32>>| state.iter().map(Vec::len).eq(ranks.iter().copied());
        Take { compressed, name: name.into(), states: states.into_iter().filter(fits).collect(), loops: false }
    }

    /// A cycle of a graph, once round: the frame after the last is the first.
    pub fn of_cycle(graph: &'data MotionGraph, cycle: &Cycle, name: impl Into<String>) -> Self {
        let states = (0..u64::from(cycle.frames())).map(|frame| cycle.coordinates(graph, frame)).collect();
        Take { loops: true, ..Take::of_states(graph.data(), name, states) }
    }

    /// The same motion of less of the ensemble, as [`reduce`](crate::field::reduce) makes it:
    /// of each group the modes that are left.
    pub fn of_less<'less>(&self, less: &'less CompressedEnsemble) -> Take<'less> {
        let first = |state: &Vec<Vec<f32>>| {
            let groups = state.iter().zip(less.shapes());
            groups.map(|(all, shape)| all[..shape.rank().min(all.len())].to_vec()).collect()
        };
        let states = self.states.iter().map(first).collect();
        Take { loops: self.loops, ..Take::of_states(less, self.name.clone(), states) }
    }

    /// Whether the first frame follows the last.
    pub fn loops(&self) -> bool {
        self.loops
    }

    /// With the first frame once more at the end, if it loops: for formats whose last key is
    /// where an animation ends.
    fn closed(&self) -> Self {
        let mut closed = self.clone();
        closed.states.extend(self.states.first().filter(|_| self.loops).cloned());
        closed
    }

    /// What it is a motion of.
    pub fn data(&self) -> &'data CompressedEnsemble {
        self.compressed
    }

    /// How many frames it has.
    pub fn frame_count(&self) -> usize {
        self.states.len()
    }

    /// Every other frame, every third, and so on, to make files smaller.
    pub fn thinned(mut self, every: usize) -> Self {
        self.states = self.states.into_iter().step_by(every.max(1)).collect();
        self
    }

    /// At most that many frames; what is cut does not loop any more.
    pub fn shortened(mut self, frames: usize) -> Self {
        self.loops &= frames >= self.states.len();
        self.states.truncate(frames);
        self
    }

    /// The positions of all vertices in every frame.
    pub fn frames(&self) -> impl Iterator<Item = Vec<[f32; 3]>> {
        self.states.iter().map(|state| {
            let mut positions = Vec::new();
            self.compressed.place(state, &mut positions);
            positions
        })
    }

    /// The same, all of them.
    fn all_frames(&self, progress: &Progress) -> Result<Vec<Vec<[f32; 3]>>, Stopped> {
        let counter = progress.counter("placing vertices", self.frame_count());
        self.frames().map(|positions| counter.count().map(|()| positions)).collect()
    }
}

/// The mesh at rest as an OBJ file, in the order of vertices that
/// [`to_pc2`] and [`to_mdd`] have. The groups are one object, so that one cache
/// moves all of them.
pub fn base_obj(compressed: &CompressedEnsemble) -> String {
    use std::fmt::Write as _;
    let mut text = format!("# proscenium, format 1\no {}\n", compressed.name());
    // Writing to a string cannot fail.
    for [x, y, z] in compressed.groups().iter().flat_map(|group| &group.rest) {
        let _ = writeln!(text, "v {x} {y} {z}");
    }
    for (group, data) in compressed.groups().iter().enumerate() {
        let first = compressed.vertices_of(group).start as u32 + 1;
        let _ = writeln!(text, "g {}", data.name);
        for [a, b, c] in &data.triangles {
            let _ = writeln!(text, "f {} {} {}", first + a, first + b, first + c);
        }
    }
    text
}

/// A take as a PC2 vertex cache for the mesh of [`base_obj`], starting at
/// frame 1, one sample for each frame.
///
/// # Errors
/// More than the format can count.
pub fn to_pc2(take: &Take, progress: &Progress) -> Result<Completion<Vec<u8>>, CacheError> {
    cache(take, 1.0, progress).and_then(|cache| cache.to_pc2().map_err(Halt::Failed)).finish()
}

/// A take as an MDD vertex cache for the mesh of [`base_obj`], starting at zero.
///
/// # Errors
/// More than the format can count.
pub fn to_mdd(take: &Take, progress: &Progress) -> Result<Completion<Vec<u8>>, CacheError> {
    let rate = take.compressed.frames_per_second();
    cache(take, 0.0, progress).and_then(|cache| cache.to_mdd(rate).map_err(Halt::Failed)).finish()
}

fn cache(take: &Take, start: f32, progress: &Progress) -> Result<VertexCache, Halt<CacheError>> {
    Ok(VertexCache { frames: take.all_frames(progress)?, times: CacheTimes::Frames { start, step: 1.0 } })
}

/// The unit normals of vertices: the mean of those of their triangles, weighted
/// by area. A vertex without area points up.
fn normals(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<[f32; 3]> {
    let mut sums = vec![DVec3::ZERO; positions.len()];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|corner| wide(positions[corner as usize]));
        let across = (b - a).cross(c - a);
        triangle.iter().for_each(|&corner| sums[corner as usize] += across);
    }
    sums.into_iter().map(|sum| crate::frame::narrow(sum.normalize_or(DVec3::Y))).collect()
}
