//! The data of a clip.

use glam::{Quat, Vec3};

/// The index of a node in [`Clip::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// An animation: what there is to see, and how it moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clip {
    /// The name of the animation.
    pub name: String,
    /// Its length in seconds; tracks may end earlier, and hold their last key.
    pub duration_secs: f32,
    /// Nodes, parents before children.
    pub nodes: Vec<Node>,
    /// Meshes, referred to by nodes.
    pub meshes: Vec<Mesh>,
    /// Materials, referred to by meshes.
    pub materials: Vec<Material>,
}

/// A named place in the hierarchy, with an optional mesh and motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Unique within the clip.
    pub name: String,
    /// The node that this one moves with; always an earlier node.
    pub parent: Option<NodeId>,
    /// Where it is, relative to its parent, when it has no track.
    pub rest: Key,
    /// The size of the mesh along each axis; not animated.
    pub scale: Vec3,
    /// Index into [`Clip::meshes`].
    pub mesh: Option<usize>,
    /// How it moves, relative to its parent.
    pub track: Option<Track>,
}

/// A place at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// Seconds from the start of the clip.
    pub time: f32,
    /// Metres.
    pub position: Vec3,
    /// A unit quaternion.
    pub orientation: Quat,
}

/// A motion: keys at strictly increasing, irregular times, straight in
/// position and along the shorter arc in orientation between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    /// At least one key.
    pub keys: Vec<Key>,
}

/// Triangles with one material.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// The name, for the reader of the exported file.
    pub name: String,
    /// Metres.
    pub positions: Vec<[f32; 3]>,
    /// One unit normal per position.
    pub normals: Vec<[f32; 3]>,
    /// Indices into `positions`, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Index into [`Clip::materials`].
    pub material: Option<usize>,
}

/// How a surface looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// The name, for the reader of the exported file.
    pub name: String,
    /// Linear red, green, blue and opacity, each in `[0, 1]`.
    pub base_color: [f32; 4],
    /// 0 (mirror) to 1 (chalk).
    pub roughness: f32,
    /// 0 (stone) or 1 (metal).
    pub metallic: f32,
}
