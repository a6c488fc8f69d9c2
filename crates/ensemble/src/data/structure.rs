//! What an ensemble is, whichever way its motion is kept.

use serde::{Deserialize, Serialize};

use super::{Condition, Group, Moment};

/// A sequence without its vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SequenceInfo {
    /// The index of its condition.
    pub condition: usize,
    /// How many frames it has.
    pub frames: usize,
}

/// What an [`Ensemble`](super::Ensemble) and a
/// [`CompressedEnsemble`](crate::compressed::CompressedEnsemble) one have in common: groups in a tree,
/// conditions, and how long the sequences are. Both are this and their motion, and
/// give it by dereference.
#[derive(Clone, Debug, PartialEq)]
pub struct Structure {
    name: String,
    groups: Vec<Group>,
    conditions: Vec<Condition>,
    sequences: Vec<SequenceInfo>,
    frames_per_second: f64,
    thickness: f64,
    /// The first vertex of each group, and the number of all vertices last.
    first_vertex: Vec<usize>,
    /// The groups, parents before children.
    order: Vec<usize>,
}

/// The lists that a structure is made from.
pub(crate) struct StructureParts {
    pub name: String,
    pub groups: Vec<Group>,
    pub conditions: Vec<Condition>,
    pub sequences: Vec<SequenceInfo>,
    pub frames_per_second: f64,
    pub thickness: f64,
}

impl Structure {
    /// Of parts that are checked, with the groups in an order in which parents
    /// come before children.
    pub(crate) fn new(parts: StructureParts, order: Vec<usize>) -> Self {
        let StructureParts { name, groups, conditions, sequences, frames_per_second, thickness } = parts;
        let mut first_vertex = vec![0];
        for group in &groups {
            first_vertex.push(first_vertex[first_vertex.len() - 1] + group.rest.len());
        }
        Self { name, groups, conditions, sequences, frames_per_second, thickness, first_vertex, order }
    }

    pub(crate) fn into_parts(self) -> StructureParts {
        let Self { name, groups, conditions, sequences, frames_per_second, thickness, .. } = self;
        StructureParts { name, groups, conditions, sequences, frames_per_second, thickness }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The groups.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The conditions, from the weakest to the strongest.
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// The sequences.
    pub fn sequences(&self) -> &[SequenceInfo] {
        &self.sequences
    }

    /// Frames per second.
    pub fn frames_per_second(&self) -> f64 {
        self.frames_per_second
    }

    /// The thickness ε, metres.
    pub fn thickness(&self) -> f64 {
        self.thickness
    }

    /// The indices of the groups, parents before children.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Which vertices of a frame are those of a group.
    #[inline]
    pub fn vertices_of(&self, group: usize) -> std::ops::Range<usize> {
        self.first_vertex[group]..self.first_vertex[group + 1]
    }

    /// How many vertices a frame has.
    #[inline]
    pub fn vertex_count(&self) -> usize {
        self.first_vertex[self.first_vertex.len() - 1]
    }

    /// How many triangles the groups have.
    pub fn triangle_count(&self) -> usize {
        self.groups.iter().map(|group| group.triangles.len()).sum()
    }

    /// How many frames the sequences have.
    pub fn frame_count(&self) -> usize {
        self.sequences.iter().map(|sequence| sequence.frames).sum()
    }

    /// The size of all vertices of all frames as a plain cache, bytes.
    pub fn plain_bytes(&self) -> usize {
        self.frame_count() * self.vertex_count() * size_of::<[f32; 3]>()
    }

    /// Every frame of every sequence, in order.
    pub fn moments(&self) -> impl Iterator<Item = Moment> + use<'_> {
        (0u32..)
            .zip(&self.sequences)
            .flat_map(|(sequence, info)| (0..info.frames as u32).map(move |frame| Moment { sequence, frame }))
    }
}
