//! Clips as JSON, for scripts.

use serde::Serialize;

use crate::{Clip, ClipError, Material, Mesh, Node, Track};

/// The version of the format that [`Clip::to_json`] writes.
const FORMAT: u32 = 1;

impl Clip {
    /// The clip as JSON, for scripts that would rather not read glTF.
    ///
    /// Format 1 is one object: `format` (1), `name`, `duration_secs`, and the
    /// lists `nodes`, `meshes` and `materials`.
    ///
    /// - A node has `name`, `parent` and `mesh` (indices or null), `position`
    ///   and `orientation` at rest, `scale`, and `track` (null if it does not
    ///   move), which has the equally long lists `times`, `positions` and
    ///   `orientations`. All are relative to the parent; orientations are
    ///   quaternions `[x, y, z, w]`.
    /// - A mesh has `name`, `positions`, `normals`, `triangles` and `material`
    ///   (an index or null).
    /// - A material has `name`, `base_color` (linear red, green, blue and
    ///   opacity), `roughness` and `metallic`.
    ///
    /// Units are metres and seconds, y is up. Later formats have another number;
    /// a script should check it.
    ///
    /// # Errors
    ///
    /// Whatever [`Clip::validate`] refuses.
    ///
    /// ```
    /// use proscenium_clip::{Clip, Node};
    ///
    /// let mut clip = Clip::new("empty stage");
    /// clip.add_node(Node::new("stage"));
    /// assert!(clip.to_json()?.starts_with(r#"{"format":1,"name":"empty stage","#));
    /// # Ok::<(), proscenium_clip::ClipError>(())
    /// ```
    pub fn to_json(&self) -> Result<String, ClipError> {
        self.validate()?;
        let file = ClipFile {
            format: FORMAT,
            name: &self.name,
            duration_secs: self.duration_secs,
            nodes: self.nodes.iter().map(NodeFile::new).collect(),
            meshes: self.meshes.iter().map(MeshFile::new).collect(),
            materials: self.materials.iter().map(MaterialFile::new).collect(),
        };
        serde_json::to_string(&file).map_err(|error| ClipError::malformed("the JSON of the clip", error.to_string()))
    }
}

#[derive(Serialize)]
struct ClipFile<'a> {
    format: u32,
    name: &'a str,
    duration_secs: f32,
    nodes: Vec<NodeFile<'a>>,
    meshes: Vec<MeshFile<'a>>,
    materials: Vec<MaterialFile<'a>>,
}

#[derive(Serialize)]
struct NodeFile<'a> {
    name: &'a str,
    parent: Option<u32>,
    mesh: Option<usize>,
    position: [f32; 3],
    orientation: [f32; 4],
    scale: [f32; 3],
    track: Option<TrackFile>,
}

impl<'a> NodeFile<'a> {
    fn new(node: &'a Node) -> Self {
        NodeFile {
            name: &node.name,
            parent: node.parent.map(|parent| parent.0),
            mesh: node.mesh,
            position: node.rest.position.to_array(),
            orientation: node.rest.orientation.to_array(),
            scale: node.scale.to_array(),
            track: node.track.as_ref().map(TrackFile::new),
        }
    }
}

#[derive(Serialize)]
struct TrackFile {
    times: Vec<f32>,
    positions: Vec<[f32; 3]>,
    orientations: Vec<[f32; 4]>,
}

impl TrackFile {
    fn new(track: &Track) -> Self {
        TrackFile {
            times: track.keys.iter().map(|key| key.time).collect(),
            positions: track.keys.iter().map(|key| key.position.to_array()).collect(),
            orientations: track.keys.iter().map(|key| key.orientation.to_array()).collect(),
        }
    }
}

#[derive(Serialize)]
struct MeshFile<'a> {
    name: &'a str,
    positions: &'a [[f32; 3]],
    normals: &'a [[f32; 3]],
    triangles: &'a [[u32; 3]],
    material: Option<usize>,
}

impl<'a> MeshFile<'a> {
    fn new(mesh: &'a Mesh) -> Self {
        MeshFile {
            name: &mesh.name,
            positions: &mesh.positions,
            normals: &mesh.normals,
            triangles: &mesh.triangles,
            material: mesh.material,
        }
    }
}

#[derive(Serialize)]
struct MaterialFile<'a> {
    name: &'a str,
    base_color: [f32; 4],
    roughness: f32,
    metallic: f32,
}

impl<'a> MaterialFile<'a> {
    fn new(material: &'a Material) -> Self {
        MaterialFile {
            name: &material.name,
            base_color: material.base_color,
            roughness: material.roughness,
            metallic: material.metallic,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Key, shapes};
    use glam::{Quat, Vec3};

    #[test]
    fn a_script_finds_what_the_format_promises() {
        let mut clip = Clip::new("hop");
        let red = clip.add_material(Material::new("red", [1.0, 0.0, 0.0]));
        let mesh = clip.add_mesh(shapes::cuboid(Vec3::ONE, 0.0).unwrap().with_material(red));
        let root = clip.add_node(Node::new("root"));
        let keys = vec![Key::IDENTITY, Key::new(0.5, Vec3::Y, Quat::IDENTITY)];
        clip.add_node(Node::new("cube").with_parent(root).with_mesh(mesh).with_track(Track { keys }));
        let json: serde_json::Value = serde_json::from_str(&clip.to_json().unwrap()).unwrap();
        assert_eq!(json["format"], 1);
        assert_eq!(json["duration_secs"], 0.5);
        assert_eq!(json["nodes"][0]["parent"], serde_json::Value::Null);
        assert_eq!(json["nodes"][1]["parent"], 0);
        assert_eq!(json["nodes"][1]["track"]["times"], serde_json::json!([0.0, 0.5]));
        assert_eq!(json["nodes"][1]["track"]["positions"][1], serde_json::json!([0.0, 1.0, 0.0]));
        assert_eq!(json["nodes"][1]["track"]["orientations"][1], serde_json::json!([0.0, 0.0, 0.0, 1.0]));
        assert_eq!(json["meshes"][0]["triangles"].as_array().unwrap().len(), 12);
        assert_eq!(json["materials"][0]["base_color"], serde_json::json!([1.0, 0.0, 0.0, 1.0]));
    }

    #[test]
    fn numbers_that_json_cannot_hold_are_refused() {
        let clip = Clip { duration_secs: f32::NAN, ..Clip::new("odd") };
        assert!(clip.to_json().is_err());
    }
}
