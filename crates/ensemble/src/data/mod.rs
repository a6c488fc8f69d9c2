//! The data of an ensemble: what moves, in what order it hangs together, and
//! where every vertex was in every frame.

mod check;
mod clean;
mod structure;

use std::ops::Deref;

use serde::{Deserialize, Serialize};

use crate::error::EnsembleError;

pub(crate) use check::{order_of_tree, positive};
pub(crate) use clean::{CleanStretches, clean_stretches};
pub(crate) use structure::StructureParts;
pub use structure::{SequenceInfo, Structure};

/// How a group hangs on another: its frame of reference follows three vertices
/// of the parent, wherever these are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// The index of the parent among the groups.
    pub parent: usize,
    /// Three vertices of the parent, by their numbers within it, that span a
    /// triangle at rest.
    pub anchor: [u32; 3],
}

/// A part of the mesh that moves at its own time: a leaf, a flag, a blade.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Unique within the ensemble.
    pub name: String,
    /// What it hangs on; nothing for a group that stands by itself.
    pub attachment: Option<Attachment>,
    /// Where its vertices are at rest, metres, in the world.
    pub rest: Vec<[f32; 3]>,
    /// Triangles, as numbers of its own vertices.
    pub triangles: Vec<[u32; 3]>,
}

/// What a sequence was made under: a wind level, or any other label.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// Unique within the ensemble.
    pub name: String,
    /// How strong it is, in any unit; the conditions are listed from the
    /// weakest to the strongest.
    pub intensity: f64,
}

/// A stretch of motion without a cut, under one condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// The index of its condition.
    pub condition: usize,
    /// Every frame: the positions of all vertices in the world, metres, the
    /// groups one after another.
    pub frames: Vec<Vec<[f32; 3]>>,
}

/// A frame of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Moment {
    /// The index of the sequence.
    pub sequence: u32,
    /// The frame within it.
    pub frame: u32,
}

/// What an ensemble is made from, before it is checked.
#[derive(Clone, Debug, PartialEq)]
pub struct EnsembleParts {
    /// What it is called.
    pub name: String,
    /// The groups, in any order.
    pub groups: Vec<Group>,
    /// The conditions, at least one, from the weakest to the strongest.
    pub conditions: Vec<Condition>,
    /// The sequences, at least one.
    pub sequences: Vec<Sequence>,
    /// Frames per second, the same everywhere.
    pub frames_per_second: f64,
    /// The thickness ε, metres: groups that come closer than this
    /// interpenetrate.
    pub thickness: f64,
}

/// A cached simulation, checked: the plain cache that everything starts from.
///
/// ```
/// use proscenium_ensemble::data::{Condition, Ensemble, EnsembleParts, Group, Sequence};
///
/// let leaf = Group {
///     name: "leaf".to_owned(),
///     attachment: None,
///     rest: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
///     triangles: vec![[0, 1, 2]],
/// };
/// let frames = (0..30).map(|n| leaf.rest.iter().map(|p| [p[0], p[1], 0.01 * n as f32]).collect()).collect();
/// let mut parts = EnsembleParts {
///     name: "one leaf".to_owned(),
///     groups: vec![leaf],
///     conditions: vec![Condition { name: "calm".to_owned(), intensity: 0.0 }],
///     sequences: vec![Sequence { condition: 0, frames }],
///     frames_per_second: 30.0,
///     thickness: 0.002,
/// };
/// let ensemble = Ensemble::new(parts.clone())?;
/// assert_eq!((ensemble.vertex_count(), ensemble.frame_count()), (3, 30));
///
/// parts.sequences[0].frames[7][1][2] = f32::NAN;
/// let error = Ensemble::new(parts).unwrap_err().to_string();
/// assert!(error.contains("vertex 1 of the group \"leaf\" is not finite in frame 7"), "{error}");
/// # Ok::<(), proscenium_ensemble::EnsembleError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Ensemble {
    structure: Structure,
    /// The frames of each sequence.
    motion: Vec<Vec<Vec<[f32; 3]>>>,
}

impl Deref for Ensemble {
    type Target = Structure;

    fn deref(&self) -> &Structure {
        &self.structure
    }
}

impl Ensemble {
    /// Checks the parts.
    ///
    /// # Errors
    /// Nothing to play, names that occur twice, numbers of vertices, groups or
    /// conditions that are not there, attachments in a loop, anchors without a
    /// plane, frames of another size, and numbers that are not finite.
    pub fn new(parts: EnsembleParts) -> Result<Self, EnsembleError> {
        let order = check::check(&parts)?;
        let EnsembleParts { name, groups, conditions, sequences, frames_per_second, thickness } = parts;
        let info = |sequence: Sequence| {
            (SequenceInfo { condition: sequence.condition, frames: sequence.frames.len() }, sequence.frames)
        };
        let (sequences, motion) = sequences.into_iter().map(info).unzip();
        let parts = StructureParts { name, groups, conditions, sequences, frames_per_second, thickness };
        Ok(Self { structure: Structure::new(parts, order), motion })
    }

    /// Where all vertices are at a moment, the groups one after another.
    pub fn positions_at(&self, moment: Moment) -> &[[f32; 3]] {
        &self.motion[moment.sequence as usize][moment.frame as usize]
    }

    /// Gives the parts back, to change them.
    pub fn into_parts(self) -> EnsembleParts {
        let StructureParts { name, groups, conditions, sequences, frames_per_second, thickness } =
            self.structure.into_parts();
        let sequences = sequences.into_iter().zip(self.motion);
        let sequences = sequences.map(|(info, frames)| Sequence { condition: info.condition, frames }).collect();
        EnsembleParts { name, groups, conditions, sequences, frames_per_second, thickness }
    }
}
