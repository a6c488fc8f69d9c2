//! From a file to a clip.

use crate::{Clip, ClipError};

use super::accessor::Source;
use super::schema::{Animation, Document, Extras, Scene};
use super::{FORMAT, animation, container, geometry, hierarchy};

/// Extensions that a file may require without harm, because they only concern
/// what is left out anyway, or what `accessor` reads without being told.
const HARMLESS_EXTENSIONS: [&str; 6] = [
    "EXT_texture_webp",
    "KHR_lights_punctual",
    "KHR_materials_unlit",
    "KHR_mesh_quantization",
    "KHR_texture_basisu",
    "KHR_texture_transform",
];

/// A clip from a file, and what the file holds that a clip cannot.
#[derive(Clone, Debug, PartialEq)]
pub struct GlbImport {
    /// What could be read.
    pub clip: Clip,
    /// What was left out.
    pub warnings: Vec<GlbWarning>,
}

/// Something in a file that was left out of the clip.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GlbWarning {
    /// An animation of something else than position and orientation.
    #[error("node {node:?}: its animated {path} is left out, because only position and orientation can move")]
    Channel {
        /// The name of the node.
        node: String,
        /// What is animated: `scale`, `weights`, or `other` for extensions.
        path: String,
    },
    /// A second or later animation.
    #[error("animation {name:?} is left out, because only the first one is read")]
    Animation {
        /// Its name.
        name: String,
    },
    /// Points, lines, or nothing.
    #[error("mesh {mesh:?}: primitive {primitive} is left out, because it has no triangles")]
    NoTriangles {
        /// The name of the mesh.
        mesh: String,
        /// The index of the primitive.
        primitive: usize,
    },
    /// A picture on a surface.
    #[error("material {material:?}: its texture is left out; its colour factor remains")]
    Texture {
        /// The name of the material.
        material: String,
    },
    /// A mesh that bends with bones.
    #[error("node {node:?}: its skin is left out; the mesh does not bend")]
    Skin {
        /// The name of the node.
        node: String,
    },
    /// A matrix that skews.
    #[error("node {node:?}: the shear of its matrix is left out")]
    Shear {
        /// The name of the node.
        node: String,
    },
    /// Nodes that the default scene does not show.
    #[error("{nodes} nodes are left out, because they are not in the default scene")]
    OutsideScene {
        /// How many.
        nodes: usize,
    },
}

/// Reads a file, with the animation of a name, or the first.
pub(super) fn read(file: &[u8], wanted: Option<&str>) -> Result<GlbImport, ClipError> {
    let (json, binary) = container::split(file)?;
    let document: Document =
        serde_json::from_slice(json).map_err(|error| ClipError::malformed("the JSON chunk", error.to_string()))?;
    check_version(&document)?;
    let extras = extras(&document)?;
    let mut source = Source::new(&document, binary, file.len());
    let mut warnings = Vec::new();
    let materials = geometry::materials(&document, &mut warnings);
    let geometry::Meshes { meshes, of_file } = geometry::meshes(&mut source, &mut warnings)?;
    let hierarchy::Hierarchy { mut nodes, of_file } = hierarchy::hierarchy(&document, &of_file, &mut warnings)?;
    let chosen = chosen(&document, wanted)?;
    if let Some(animation) = chosen {
        animation::animate(&mut source, animation, &mut nodes, &of_file, &mut warnings)?;
    }
    if wanted.is_none() {
        let name = |name: &Option<String>| name.clone().unwrap_or_default();
        let others = document.animations.iter().skip(1);
        warnings.extend(others.map(|other| GlbWarning::Animation { name: name(&other.name) }));
    }
    let mut clip = Clip { name: clip_name(&document, chosen)?, duration_secs: 0.0, nodes, meshes, materials };
    if let Some(extras) = &extras
        && let Some(held) = extras.held_node
    {
        drop_hold(&mut clip, of_file.get(held).copied().flatten(), extras.duration_secs);
    }
    let last_key = clip.nodes.iter().filter_map(|node| node.track.as_ref()).map(|track| track.end_secs());
    let stated = extras.map_or(0.0, |extras| extras.duration_secs);
    clip.duration_secs = last_key.fold(stated, f32::max);
    clip.validate()?;
    Ok(GlbImport { clip, warnings })
}

pub(super) fn check_version(document: &Document) -> Result<(), ClipError> {
    let asset = &document.asset;
    let needed = asset.min_version.as_ref().unwrap_or(&asset.version);
    let readable = if asset.min_version.is_some() { needed == "2.0" } else { needed.starts_with("2.") };
    if !readable {
        return Err(ClipError::Unsupported {
            place: "asset".to_string(),
            feature: format!("glTF {needed:?}"),
            remedy: "convert the file to glTF 2.0",
        });
    }
    let harmful = |extension: &&String| !HARMLESS_EXTENSIONS.contains(&extension.as_str());
    match document.extensions_required.iter().find(harmful) {
        Some(extension) => Err(ClipError::Unsupported {
            place: "extensionsRequired".to_string(),
            feature: extension.clone(),
            remedy: "export without compression and extensions",
        }),
        None => Ok(()),
    }
}

/// What we have added to the file, if it is ours.
fn extras(document: &Document) -> Result<Option<Extras>, ClipError> {
    let Some(ours) = document.asset.extras.as_ref().and_then(|extras| extras.get("proscenium")) else {
        return Ok(None);
    };
    let place = "asset.extras.proscenium";
    // Before the rest, which another format may have in another way.
    let format = ours.get("format").and_then(serde_json::Value::as_u64);
    match format {
        Some(found) if found > FORMAT => return Err(ClipError::NewerFormat { found, supported: FORMAT }),
        Some(_) => {}
        None => return Err(ClipError::malformed(place, "it has no format")),
    }
    let extras = serde::Deserialize::deserialize(ours)
        .map_err(|error: serde_json::Error| ClipError::malformed(place, error.to_string()));
    let extras: Extras = extras?;
    if !extras.duration_secs.is_finite() || extras.duration_secs < 0.0 {
        return Err(ClipError::malformed(place, "duration_secs is negative or not finite"));
    }
    Ok(Some(extras))
}

/// The scene that a player shows first, if there is one.
pub(super) fn default_scene(document: &Document) -> Result<Option<&Scene>, ClipError> {
    match document.scene {
        Some(scene) => match document.scenes.get(scene) {
            Some(scene) => Ok(Some(scene)),
            None => Err(ClipError::malformed("scene", format!("there is no scene {scene}"))),
        },
        None => Ok(document.scenes.first()),
    }
}

/// The animation of a name, or the first if none is asked for.
fn chosen<'d>(document: &'d Document, wanted: Option<&str>) -> Result<Option<&'d Animation>, ClipError> {
    let Some(name) = wanted else {
        return Ok(document.animations.first());
    };
    let found = document.animations.iter().find(|animation| animation.name.as_deref() == Some(name));
    let names = || document.animations.iter().filter_map(|animation| animation.name.clone());
    let missing = || ClipError::NoAnimation { name: name.to_owned(), known: names().collect::<Vec<_>>().join(", ") };
    found.map(Some).ok_or_else(missing)
}

/// The name of the animation, or else of the scene.
fn clip_name(document: &Document, animation: Option<&Animation>) -> Result<String, ClipError> {
    let animation = animation.and_then(|animation| animation.name.as_ref());
    let scene = default_scene(document)?.and_then(|scene| scene.name.as_ref());
    Ok(animation.or(scene).cloned().unwrap_or_default())
}

/// Takes away the key that the writer has added to mark the end of the clip.
fn drop_hold(clip: &mut Clip, node: Option<crate::NodeId>, end_secs: f32) {
    let node = node.and_then(|id| clip.nodes.get_mut(id.0 as usize));
    if let Some(track) = node.and_then(|node| node.track.as_mut())
        && track.keys.len() > 1
        && track.end_secs() == end_secs
    {
        track.keys.pop();
    }
}
