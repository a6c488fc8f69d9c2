//! Models as files.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use proscenium_bodies::Inertia;
use proscenium_geometry::Pose;
use proscenium_work::Artifact;
use serde::{Deserialize, Serialize};

use super::{DEEPEST, Node, TreeKind, TreeSettings, VolumeModel};
use crate::LodError;
use crate::mesh::SolidMesh;

/// What a file begins with in release 0.1.
const FIRST_RELEASE: &[u8] = b"proscenium lod 1\n";

const FILE: Artifact =
    Artifact::new("lod", "a volume model", 2, "build the tree again: proscenium lod tree MESH --save NAME.lod")
        .reading_first_release(FIRST_RELEASE);

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
    /// use proscenium_lod::{TreeSettings, VolumeModel, mesh::built_in};
    /// use proscenium_work::Progress;
    ///
    /// let settings = TreeSettings { depth: 3, ..TreeSettings::default() };
    /// let model = VolumeModel::build("jack", &built_in("jack", 500)?, settings, &Progress::none())?;
    /// let model = model.finished().expect("nobody stops it");
    /// let bytes = model.to_bytes();
    /// assert_eq!(VolumeModel::from_bytes(&bytes)?.nodes(), model.nodes());
    /// # Ok::<(), proscenium_lod::LodError>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        FILE.seal(&ModelFile {
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
        })
    }

    /// Reads a model.
    ///
    /// # Errors
    /// When it is no such file, of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LodError> {
        let file: ModelFile = FILE.open(bytes)?;
        if !file.is_sound() {
            return Err(FILE.damaged("its numbers are no solid with a tree").into());
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
    use crate::mesh::built_in;
    use proscenium_work::{ArtifactError, Progress, Remedy as _};

    fn model() -> VolumeModel {
        let settings = TreeSettings { kind: TreeKind::Mixed, depth: 2 };
        let mesh = built_in("bowl", 300).unwrap();
        VolumeModel::build("bowl", &mesh, settings, &Progress::none()).unwrap().finished().unwrap()
    }

    /// The file as release 0.1 wrote it: another head, the same content.
    fn first_release(file: &[u8]) -> Vec<u8> {
        let head = file.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        [FIRST_RELEASE, &file[head..]].concat()
    }

    #[test]
    fn a_file_of_the_first_release_is_read() {
        let model = model();
        let read = VolumeModel::from_bytes(&first_release(&model.to_bytes())).unwrap();
        assert_eq!(read.nodes(), model.nodes());
        assert_eq!((read.name(), read.mesh(), read.spins()), (model.name(), model.mesh(), model.spins()));
        assert_eq!(read.to_bytes(), model.to_bytes());
    }

    #[test]
    fn a_damaged_file_is_refused_and_never_panics() {
        let bytes = model().to_bytes();
        let foreign = VolumeModel::from_bytes(b"something else").unwrap_err();
        assert!(foreign.explain().contains("build the tree again"), "{foreign}");
        let newer = [b"proscenium lod 9 ", &bytes[b"proscenium lod 2 ".len()..]].concat();
        let refused = VolumeModel::from_bytes(&newer).unwrap_err();
        assert!(matches!(refused, LodError::File(ArtifactError::Newer { found: 9, .. })), "{refused}");
        assert!(refused.remedy().is_some());
        for cut in (0..bytes.len()).step_by(101) {
            assert!(VolumeModel::from_bytes(&bytes[..cut]).is_err());
        }
        let behind = VolumeModel::from_bytes(&[&bytes[..], b"more"].concat()).unwrap_err();
        assert!(matches!(behind, LodError::File(ArtifactError::Trailing { extra: 4, .. })), "{behind}");
        for place in (0..bytes.len()).step_by(97) {
            let mut damaged = bytes.clone();
            damaged[place] ^= 0x55;
            assert!(VolumeModel::from_bytes(&damaged).is_err(), "{place}");
        }
    }

    /// Files of the first release have no checksum: a changed coordinate is still
    /// a model; anything else is refused.
    #[test]
    fn a_damaged_file_of_the_first_release_never_panics() {
        let bytes = first_release(&model().to_bytes());
        for cut in (0..bytes.len()).step_by(101) {
            assert!(VolumeModel::from_bytes(&bytes[..cut]).is_err());
        }
        for place in (FIRST_RELEASE.len()..bytes.len()).step_by(97) {
            let mut damaged = bytes.clone();
            damaged[place] ^= 0x55;
            if let Ok(model) = VolumeModel::from_bytes(&damaged) {
                assert!(!model.nodes().is_empty());
            }
        }
    }
}
