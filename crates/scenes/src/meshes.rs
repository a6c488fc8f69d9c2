//! Meshes from files.

use std::collections::BTreeMap;
use std::io::BufReader;
use std::path::Path;

use glam::{DVec3, Vec3};
use proscenium_clip::{Clip, GlbImport};
use proscenium_geometry::TriangleMesh;

use crate::error::{MeshFileError, MeshFiles, SceneErrors};

/// Larger files are not read.
const LARGEST_FILE: u64 = 256 * 1024 * 1024;
/// Meshes with more triangles are not used.
const MOST_TRIANGLES: usize = 2_000_000;

/// Why a mesh cannot be used, and what to do.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MeshProblem {
    pub message: String,
    pub help: String,
}

impl MeshProblem {
    fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into() }
    }
}

/// Meshes that were read already, by their name in the scene.
#[derive(Debug, Default)]
pub(crate) struct Meshes {
    known: BTreeMap<String, Result<TriangleMesh, MeshProblem>>,
}

impl Meshes {
    /// The mesh in a file, read at most once.
    pub(crate) fn load(&mut self, files: &MeshFiles, name: &str) -> Result<TriangleMesh, MeshProblem> {
        self.known.entry(name.to_string()).or_insert_with(|| read(files, name)).clone()
    }
}

/// Reads a mesh as a scene would that names it; how many vertices and triangles
/// it has. `name` ends in `.glb` or `.obj`.
///
/// ```
/// let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
/// assert_eq!(proscenium_scenes::check_mesh("corner.obj", text)?, (4, 4));
/// assert!(proscenium_scenes::check_mesh("corner.glb", text).is_err());
/// # Ok::<(), proscenium_scenes::SceneErrors>(())
/// ```
///
/// # Errors
///
/// A file that is not what its name says, or too large, or not a mesh.
pub fn check_mesh(name: &str, bytes: &[u8]) -> Result<(usize, usize), SceneErrors> {
    let mesh = parser(name).and_then(|parse| made(name, bytes, parse));
    let mesh = mesh.map_err(|problem| SceneErrors::plain(problem.message, problem.help))?;
    Ok((mesh.vertices().len(), mesh.triangles().len()))
}

type Parser = fn(&[u8]) -> Result<Soup, MeshProblem>;

/// How a file of this name is read.
fn parser(name: &str) -> Result<Parser, MeshProblem> {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension.to_lowercase().as_str() {
        "glb" => Ok(from_glb),
        "obj" => Ok(from_obj),
        _ => {
            let message = format!("`{name}` is neither a .glb nor an .obj file");
            Err(MeshProblem::new(message, "export the mesh as .glb or .obj; other formats are not read"))
        }
    }
}

fn read(files: &MeshFiles, name: &str) -> Result<TriangleMesh, MeshProblem> {
    let shown = files.shown(name);
    let parse = parser(&shown)?;
    let bytes = files.read(name, LARGEST_FILE).map_err(|error| match error {
        MeshFileError::TooLarge => too_large(&shown),
        MeshFileError::Missing(why) => {
            MeshProblem::new(format!("cannot open `{shown}`: {why}"), "the name is relative to the scene file")
        }
        MeshFileError::Unreadable(why) => {
            MeshProblem::new(format!("cannot read `{shown}`: {why}"), "the name is relative to the scene file")
        }
    })?;
    made(&shown, &bytes, parse)
}

fn too_large(shown: &str) -> MeshProblem {
    MeshProblem::new(format!("`{shown}` is larger than 256 MB"), "simplify the mesh")
}

/// The mesh in the bytes of a file.
fn made(shown: &str, bytes: &[u8], parse: Parser) -> Result<TriangleMesh, MeshProblem> {
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(too_large(shown));
    }
    let (vertices, triangles) = parse(bytes)
        .map_err(|problem| MeshProblem { message: format!("`{shown}`: {}", problem.message), help: problem.help })?;
    if triangles.len() > MOST_TRIANGLES {
        let message = format!("`{shown}` has {} triangles", triangles.len());
        return Err(MeshProblem::new(message, format!("simplify it to at most {MOST_TRIANGLES}")));
    }
    TriangleMesh::new(vertices, &triangles)
        .map_err(|error| MeshProblem::new(format!("`{shown}`: {error}"), "repair the mesh and export it again"))
}

type Soup = (Vec<DVec3>, Vec<[u32; 3]>);

/// All meshes of a glTF file, where its nodes put them at the beginning.
fn from_glb(bytes: &[u8]) -> Result<Soup, MeshProblem> {
    let import = GlbImport::from_glb(bytes)
        .map_err(|error| MeshProblem::new(error.to_string(), "export it again as glTF binary (.glb)"))?;
    let clip: Clip = import.clip;
    let mut poses = Vec::new();
    clip.world_poses(0.0, &mut poses);
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (node, world_from_node) in clip.nodes.iter().zip(&poses) {
        let Some(mesh) = node.mesh.and_then(|index| clip.meshes.get(index)) else {
            continue;
        };
        let base = index_of(vertices.len())?;
        let place = |position: &[f32; 3]| world_from_node.as_dmat4().transform_point3(Vec3::from(*position).as_dvec3());
        vertices.extend(mesh.positions.iter().map(place));
        // The sum cannot overflow where the vertices still have an index.
        index_of(vertices.len())?;
        triangles.extend(mesh.triangles.iter().map(|triangle| triangle.map(|vertex| vertex + base)));
    }
    Ok((vertices, triangles))
}

fn from_obj(bytes: &[u8]) -> Result<Soup, MeshProblem> {
    let options = tobj::LoadOptions {
        triangulate: true,
        ignore_points: true,
        ignore_lines: true,
        ..tobj::LoadOptions::default()
    };
    // Materials are the scene's business.
    let without_materials = |_: &Path| Ok(Default::default());
    let (models, _) = tobj::load_obj_buf(&mut BufReader::new(bytes), &options, without_materials)
        .map_err(|error| MeshProblem::new(format!("this is not OBJ: {error}"), "export it again as .obj"))?;
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for model in &models {
        let base = index_of(vertices.len())?;
        let positions = model.mesh.positions.as_chunks::<3>().0;
        vertices.extend(positions.iter().map(|position| Vec3::from(*position).as_dvec3()));
        index_of(vertices.len())?;
        let corners = model.mesh.indices.as_chunks::<3>().0;
        triangles.extend(corners.iter().map(|triangle| triangle.map(|vertex| vertex.saturating_add(base))));
    }
    Ok((vertices, triangles))
}

fn index_of(count: usize) -> Result<u32, MeshProblem> {
    u32::try_from(count).map_err(|_| MeshProblem::new("too many vertices", "simplify the mesh"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn obj_faces_become_triangles() {
        let text = "# a quad and a line\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\nl 1 2\nusemtl wood\n";
        let (vertices, triangles) = from_obj(text.as_bytes()).unwrap();
        assert_eq!((vertices.len(), triangles.len()), (4, 2));
    }

    #[test]
    fn damaged_files_are_refused() {
        assert!(from_obj(b"v 0 0\nf 1 2 3").unwrap_err().message.contains("not OBJ"));
        assert!(from_obj(b"v 0 0 0\nf 1 2 3").is_err());
        assert!(from_obj(&[0xff; 100]).is_err());
        assert!(from_glb(b"glTF").is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_a_mesh_or_an_error(
            lines in proptest::collection::vec("(v|f|l|p|vn|vt|g|o|usemtl|mtllib|#)? ?[-0-9./a-z ]{0,16}", 0..12)
        ) {
            if let Ok((vertices, triangles)) = from_obj(lines.join("\n").as_bytes()) {
                // Whatever came out is checked before it is used.
                let _ = TriangleMesh::new(vertices, &triangles);
            }
        }
    }

    #[test]
    fn other_formats_are_named() {
        let mut meshes = Meshes::default();
        let nowhere = MeshFiles::Folder("nowhere".into());
        assert!(meshes.load(&nowhere, "ship.fbx").unwrap_err().message.contains("neither"));
        assert!(meshes.load(&nowhere, "ship.glb").unwrap_err().message.contains("cannot open"));
        let store = MeshFiles::Store(std::sync::Arc::new(proscenium_work::Memory::default()));
        assert!(meshes.load(&store, "boat.glb").unwrap_err().message.contains("cannot open `boat.glb`"));
    }
}
