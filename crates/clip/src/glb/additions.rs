//! What a `.glb` file can hold beyond a clip.

use std::collections::BTreeMap;

use crate::validate::{finite, in_range};
use crate::{Clip, ClipError, NodeId};

/// What to write into a file beside a clip; see [`Clip::to_glb_with`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GlbAdditions {
    /// Meshes that bend.
    pub morphs: Vec<Morph>,
    /// A second set of texture coordinates (`TEXCOORD_1`) by index of the mesh,
    /// one for each vertex.
    pub texture_coordinates: BTreeMap<usize, Vec<[f32; 2]>>,
}

/// How the mesh of a node bends: shapes that are added to it, and how much of
/// each there is over time, linear between keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Morph {
    /// The node; no other node may use its mesh.
    pub node: NodeId,
    /// The shapes.
    pub targets: Vec<MorphTarget>,
    /// Seconds, strictly increasing.
    pub times: Vec<f32>,
    /// For each time, the weight of each target.
    pub weights: Vec<f32>,
}

/// A shape that a mesh can take.
#[derive(Clone, Debug, PartialEq)]
pub struct MorphTarget {
    /// The name, for the reader of the exported file.
    pub name: String,
    /// How far each vertex moves when the weight is one.
    pub offsets: Vec<[f32; 3]>,
}

impl GlbAdditions {
    /// Checks that the additions fit the clip, which has been validated.
    pub(super) fn validate(&self, clip: &Clip) -> Result<(), ClipError> {
        let mut bent = BTreeMap::new();
        for (index, morph) in self.morphs.iter().enumerate() {
            let place = format!("morph {index}");
            in_range(|| format!("the node of {place}"), u64::from(morph.node.0), clip.nodes.len())?;
            let node = &clip.nodes[morph.node.0 as usize];
            let Some(mesh) = node.mesh else {
                return Err(ClipError::Empty {
                    place: format!("node {:?}", node.name),
                    remedy: "give it a mesh to bend",
                });
            };
            let users = clip.nodes.iter().filter(|node| node.mesh == Some(mesh)).count();
            if users > 1 || bent.insert(mesh, index).is_some() {
                let name = clip.meshes[mesh].name.clone();
                return Err(ClipError::MeshShared { node: node.name.clone(), mesh: name });
            }
            morph.validate(&place, clip.meshes[mesh].positions.len())?;
        }
        for (&mesh, coordinates) in &self.texture_coordinates {
            in_range(|| "a mesh with texture coordinates".to_owned(), mesh as u64, clip.meshes.len())?;
            let (place, count) = (format!("the texture coordinates of mesh {mesh}"), clip.meshes[mesh].positions.len());
            same_count(&place, coordinates.len(), count)?;
            finite(&place, coordinates.as_flattened())?;
        }
        Ok(())
    }
}

impl Morph {
    fn validate(&self, place: &str, vertices: usize) -> Result<(), ClipError> {
        if self.targets.is_empty() || self.times.is_empty() {
            return Err(ClipError::Empty { place: place.to_owned(), remedy: "give it targets and times" });
        }
        for (index, target) in self.targets.iter().enumerate() {
            let place = format!("target {index} of {place}");
            same_count(&place, target.offsets.len(), vertices)?;
            finite(&place, target.offsets.as_flattened())?;
        }
        same_count(&format!("the weights of {place}"), self.weights.len(), self.times.len() * self.targets.len())?;
        finite(&format!("a weight of {place}"), &self.weights)?;
        finite(&format!("a time of {place}"), &self.times)?;
        let place = format!("a key of {place}");
        let mut previous = -f32::MIN_POSITIVE;
        for &time in &self.times {
            if time <= previous {
                let (time, previous) = (f64::from(time), f64::from(previous));
                return Err(ClipError::TimesNotIncreasing { place, time, previous });
            }
            previous = time;
        }
        Ok(())
    }
}

fn same_count(place: &str, found: usize, expected: usize) -> Result<(), ClipError> {
    match found == expected {
        true => Ok(()),
        false => Err(ClipError::Count { place: place.to_owned(), found, expected }),
    }
}
