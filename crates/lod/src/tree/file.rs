//! Models as files.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use proscenium_bodies::Inertia;
use proscenium_geometry::Pose;
use serde::{Deserialize, Serialize};

use super::{DEEPEST, Node, TreeKind, TreeSettings, VolumeModel};
use crate::LodError;
use crate::mesh::SolidMesh;

/// What a file begins with; the number is the version of the format.
const HEADER: &[u8] = b"proscenium lod 1\n";

#[derive(Serialize, Deserialize)]
struct ModelFile {
    name: String,
    kind: TreeKind,
    depth: u32,
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    translation: DVec3,
    rotation: DQuat,
    mass: f64,
    moments: DVec3,
    nodes: Vec<Node>,
    groups: u32,
    spins: Vec<f64>,
}

impl VolumeModel {
    /// The model as the bytes of a file.
    ///
    /// ```
    /// use proscenium_lod::{TreeSettings, VolumeModel, built_in};
    ///
    /// let settings = TreeSettings { depth: 3, ..TreeSettings::default() };
    /// let model = VolumeModel::build("jack", &built_in("jack", 500)?, settings, &mut |_| true)?;
    /// let bytes = model.to_bytes()?;
    /// assert_eq!(VolumeModel::from_bytes(&bytes)?.nodes(), model.nodes());
    /// # Ok::<(), proscenium_lod::LodError>(())
    /// ```
    ///
    /// # Errors
    /// Never for a model that was built.
    pub fn to_bytes(&self) -> Result<Vec<u8>, LodError> {
        let file = ModelFile {
            name: self.name.clone(),
            kind: self.settings.kind,
            depth: self.settings.depth,
            vertices: self.mesh.vertices.clone(),
            triangles: self.mesh.triangles.clone(),
            translation: self.mesh_from_model.translation,
            rotation: self.mesh_from_model.rotation,
            mass: self.inertia.mass,
            moments: self.inertia.moments,
            nodes: self.nodes.clone(),
            groups: self.groups,
            spins: self.spins.to_vec(),
        };
        let body = postcard::to_stdvec(&file).map_err(|_| LodError::Saved { what: "the model cannot be saved" })?;
        Ok([HEADER, &body].concat())
    }

    /// Reads a model.
    ///
    /// # Errors
    /// When it is no such file, of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LodError> {
        let Some(body) = bytes.strip_prefix(HEADER) else {
            let is_ours = bytes.starts_with(b"proscenium lod ");
            let what = if is_ours { "the file is of another version" } else { "this is not a volume model" };
            return Err(LodError::Saved { what });
        };
        let damaged = LodError::Saved { what: "the file is damaged" };
        let file: ModelFile = postcard::from_bytes(body).map_err(|_| damaged.clone())?;
        if !file.is_sound() {
            return Err(damaged);
        }
        let settings = TreeSettings { kind: file.kind, depth: file.depth };
        let mesh = SolidMesh { vertices: file.vertices, triangles: file.triangles };
        let pose = Pose::new(file.translation, file.rotation);
        let inertia = Inertia { mass: file.mass, moments: file.moments };
        let mut model = Self::assembled(file.name, settings, mesh, pose, inertia, file.nodes);
        model.groups = file.groups;
        model.spins = Arc::from(file.spins);
        Ok(model)
    }
}

impl ModelFile {
    /// Whether everything is there that others rely on.
    fn is_sound(&self) -> bool {
        let vertices = self.vertices.len();
        let mesh = vertices > 0
            && self.vertices.iter().all(|vertex| vertex.is_finite())
            && self.triangles.iter().flatten().all(|vertex| (*vertex as usize) < vertices);
        let pose = Pose::new(self.translation, self.rotation).is_valid();
        let mass = self.mass > 0.0 && self.mass.is_finite() && self.moments.is_finite();
        let spins = self.spins.iter().all(|spin| spin.is_finite());
        mesh && pose && mass && self.moments.min_element() > 0.0 && spins && self.depth <= DEEPEST && self.is_tree()
    }

    /// Whether the nodes are a tree: children follow their parents, and each
    /// inner node has a block of its own.
    fn is_tree(&self) -> bool {
        let (mut next_child, mut next_block) = (1, 0);
        for node in &self.nodes {
            let volume = &node.volume;
            let sound = volume.center.is_finite()
                && volume.axes.iter().all(|axis| axis.is_finite())
                && volume.radius.is_finite()
                && node.occupancy.is_finite()
                && node.normal.is_finite()
                && node.level <= DEEPEST
                && node.children <= 8;
            if !sound {
                return false;
            }
            if node.children > 0 {
                if node.first_child != next_child || node.block != next_block {
                    return false;
                }
                next_child += u32::from(node.children);
                next_block += 1;
            }
        }
        let levels = |node: &Node| {
            let children = self.nodes.get(node.children());
            node.is_leaf() || children.is_some_and(|all| all.iter().all(|child| child.level == node.level + 1))
        };
        next_child as usize == self.nodes.len() && self.nodes[0].level == 0 && self.nodes.iter().all(levels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::built_in;

    #[test]
    fn a_damaged_file_is_refused_and_never_panics() {
        let settings = TreeSettings { kind: TreeKind::Mixed, depth: 2 };
        let model = VolumeModel::build("bowl", &built_in("bowl", 300).unwrap(), settings, &mut |_| true).unwrap();
        let bytes = model.to_bytes().unwrap();
        assert!(VolumeModel::from_bytes(b"something else").is_err());
        let newer = [b"proscenium lod 9\n", &bytes[HEADER.len()..]].concat();
        let message = VolumeModel::from_bytes(&newer).unwrap_err().to_string();
        assert!(message.contains("another version") && message.contains("build the tree again"), "{message}");
        for cut in (0..bytes.len()).step_by(101) {
            assert!(VolumeModel::from_bytes(&bytes[..cut]).is_err());
        }
        for place in (HEADER.len()..bytes.len()).step_by(97) {
            let mut damaged = bytes.clone();
            damaged[place] ^= 0x55;
            // A changed coordinate is still a model; anything else is refused.
            if let Ok(model) = VolumeModel::from_bytes(&damaged) {
                assert!(!model.nodes().is_empty());
            }
        }
    }
}
