//! What was seen: named nodes in a hierarchy, meshes, materials and motion
//! tracks at irregular times, and the way in and out of glTF.
//!
//! A [`Clip`] is made by a simulator from [`Track`]s and [`Mesh`]es, and leaves
//! as `.glb` ([`Clip::write_glb`]) or JSON ([`Clip::to_json`]). Tracks are
//! sampled, and reduced to fewer keys within an error bound. Files from
//! elsewhere come in through [`GlbImport`], or, where their meshes bend, through
//! [`DeformingGlb`], which evaluates morph targets and skins to vertices.
//!
//! It may not know what made a clip, nor what becomes of it. Deliberately
//! absent: physics, cameras, and anything that draws; textures;
//! clips with skins or animated scales. Positions are metres, times are seconds, y is
//! up, as glTF has it. Tracks and meshes are `f32`, because memory decides
//! there; what is computed from them is computed in `f64`, and rounds alike on
//! every platform.

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
pub use glb::{DeformingGlb, DeformingPart, GlbAdditions, GlbImport, GlbWarning, Morph, MorphTarget};
