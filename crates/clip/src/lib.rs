//! What was seen: named nodes in a hierarchy, meshes, materials and motion
//! tracks at irregular times, and the way in and out of glTF.
//!
//! Deliberately absent: physics, cameras, and anything that draws. Positions
//! are metres, times are seconds, y is up, as glTF has it. Tracks and meshes
//! are `f32`, because memory decides there.

mod clip;
mod error;
mod glb;
mod json;
mod mesh;
mod reduce;
pub mod shapes;
mod track;
mod validate;

pub use clip::{Clip, Key, Material, Mesh, Node, NodeId, Track};
pub use error::ClipError;
pub use glam;
pub use glb::{GlbImport, GlbWarning};
