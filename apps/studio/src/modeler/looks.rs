//! What parts look like that are meshes of the workspace.

use proscenium_clip::GlbImport;
use proscenium_cull::Model;
use proscenium_cull::geometry::PartMesh;
use proscenium_show::cull::part_mesh;
use proscenium_work::Remedy as _;

use crate::failure::Failure;
use crate::workspace::Workspace;

/// Reads a mesh that a part names.
///
/// # Errors
///
/// One that is not in the workspace, or that is no binary glTF file with triangles.
pub(super) fn mesh(workspace: &Workspace, file: &str) -> Result<PartMesh, Failure> {
    let help = "give a binary glTF file (.glb) with triangles: choose the part, and Open .glb";
    if !file.ends_with(".glb") {
        return Err(Failure::bad(format!("{file} is no binary glTF file"), help));
    }
    let path = workspace.mesh(file)?;
    if !path.is_file() {
        return Err(Failure::missing(format!("there is no mesh {file} in the workspace"), help));
    }
    let import = GlbImport::read_glb(&path).map_err(|error| {
        let remedy = error.remedy().unwrap_or(help.into()).into_owned();
        Failure::bad(format!("{file}: {error}"), remedy)
    })?;
    part_mesh(&import.clip).ok_or_else(|| Failure::bad(format!("{file} has no triangles"), help))
}

/// Which model it is, with what its parts look like: its text names meshes only.
pub fn fingerprint(model: &Model) -> u64 {
    let mut bytes = model.source().as_bytes().to_vec();
    for mesh in model.parts().iter().filter_map(|part| part.mesh.as_ref()) {
        bytes.extend(mesh.positions().iter().flatten().flat_map(|number| number.to_le_bytes()));
        bytes.extend(mesh.triangles().iter().flatten().flat_map(|corner| corner.to_le_bytes()));
    }
    crate::name::hash(&bytes)
}
