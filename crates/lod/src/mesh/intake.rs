//! Meshes from files.

use glam::Vec3;
use proscenium_clip::GlbImport;
use proscenium_work::{Completion, Finish as _, Halt, Progress};

use super::repair::{Repair, repair};
use super::{SolidMesh, Soup};
use crate::LodError;

/// Reads a mesh from the bytes of a file, `.glb` or `.obj` by its name: all its
/// parts together, where the file puts them at the beginning.
///
/// ```
/// use proscenium_lod::mesh::read_mesh;
/// use proscenium_work::Progress;
///
/// let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
/// let read = read_mesh("corner.obj", text, &Progress::none())?;
/// let (mesh, report) = read.finished().expect("nobody stops it");
/// assert_eq!(mesh.triangles().len(), 4);
/// assert!(report.is_clean());
/// # Ok::<(), proscenium_lod::LodError>(())
/// ```
///
/// # Errors
/// When the file is of another kind or damaged, and as [`SolidMesh::new`].
pub fn read_mesh(name: &str, bytes: &[u8], progress: &Progress) -> Result<Completion<(SolidMesh, Repair)>, LodError> {
    read(name, bytes, progress).finish()
}

fn read(name: &str, bytes: &[u8], progress: &Progress) -> Result<(SolidMesh, Repair), Halt<LodError>> {
    progress.tell("reading the mesh", 0.0)?;
    let failed = |reason: String| LodError::Unreadable { name: name.to_owned(), reason };
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_lowercase());
    let (vertices, triangles) = match ending.as_deref() {
        Some("glb") => from_glb(bytes).map_err(failed)?,
        Some("obj") => from_obj(bytes).map_err(failed)?,
        _ => return Err(LodError::NotAMesh { name: name.to_owned() }.into()),
    };
    repair(vertices, &triangles, &progress.part(0.5, 1.0))
}

fn from_glb(bytes: &[u8]) -> Result<Soup, String> {
    let clip = GlbImport::from_glb(bytes).map_err(|error| error.to_string())?.clip;
    let mut poses = Vec::new();
    clip.world_poses(0.0, &mut poses);
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (node, world_from_node) in clip.nodes.iter().zip(&poses) {
        let Some(mesh) = node.mesh.and_then(|index| clip.meshes.get(index)) else {
            continue;
        };
        let base = first_index(vertices.len() + mesh.positions.len(), vertices.len())?;
        let world_from_node = world_from_node.as_dmat4();
        vertices.extend(mesh.positions.iter().map(|position| {
            let place = Vec3::from(*position).as_dvec3();
            world_from_node.transform_point3(place)
        }));
        triangles.extend(mesh.triangles.iter().map(|triangle| triangle.map(|vertex| vertex + base)));
    }
    Ok((vertices, triangles))
}

fn from_obj(bytes: &[u8]) -> Result<Soup, String> {
    let options =
        tobj::LoadOptions { triangulate: true, ignore_points: true, ignore_lines: true, ..Default::default() };
    let mut text = bytes;
    let (models, _) = tobj::load_obj_buf(&mut text, &options, |_| Ok(Default::default()))
        .map_err(|error| format!("this is not OBJ: {error}"))?;
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for model in &models {
        let positions = model.mesh.positions.as_chunks::<3>().0;
        let base = first_index(vertices.len() + positions.len(), vertices.len())?;
        vertices.extend(positions.iter().map(|position| Vec3::from(*position).as_dvec3()));
        let corners = model.mesh.indices.as_chunks::<3>().0;
        triangles.extend(corners.iter().map(|triangle| triangle.map(|vertex| vertex.saturating_add(base))));
    }
    Ok((vertices, triangles))
}

/// The index of the first new vertex, if all of them have one.
fn first_index(count: usize, first: usize) -> Result<u32, String> {
    u32::try_from(count).map_err(|_| "it has too many vertices".to_owned())?;
    Ok(first as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proscenium_clip::{Clip, Node, shapes};
    use proscenium_work::Remedy as _;

    #[test]
    fn a_glb_file_is_read_where_its_nodes_stand() {
        let mut clip = Clip::new("balls");
        let ball = clip.add_mesh(shapes::ico_sphere(0.5, 2).unwrap());
        clip.add_node(Node::new("one").with_mesh(ball));
        clip.add_node(Node::new("two").with_mesh(ball).with_rest(5.0 * Vec3::X, Default::default()));
        let read = read_mesh("balls.GLB", &clip.to_glb().unwrap(), &Progress::none()).unwrap();
        let (mesh, report) = read.finished().unwrap();
        assert_eq!(report.parts, 2);
        assert!((mesh.bounds().1.x - 5.5).abs() < 1e-6);
    }

    #[test]
    fn what_is_no_mesh_is_refused_by_name() {
        for (name, bytes) in
            [("a.stl", &b"solid"[..]), ("a.obj", &[0xff; 50]), ("a.glb", b"glTF"), ("a.obj", b"v 0 0 0\n"), ("a", b"")]
        {
            assert!(read_mesh(name, bytes, &Progress::none()).is_err(), "{name}");
        }
        let message = read_mesh("cup.stl", b"", &Progress::none()).unwrap_err().explain();
        assert!(message.contains("cup.stl") && message.contains(".obj"), "{message}");
    }
}
