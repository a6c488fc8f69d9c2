//! What the box is filled with: trees for the collisions, and meshes with fewer
//! triangles for the eye.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use proscenium_lod::glam::DVec3;
use proscenium_lod::mesh::{built_in, read_mesh};
use proscenium_lod::scene::figure_of;
use proscenium_lod::{Crowd, LodError, SolidMesh, TreeSettings, VolumeModel};
use proscenium_work::{Progress, Remedy as _};

use crate::api::LiveSolid;
use crate::failure::Failure;
use crate::workspace::Workspace;

/// A built-in mesh is drawn with about so many triangles.
const DRAWN: usize = 900;
/// The radius of a body from an uploaded mesh, m.
const RADIUS: f64 = 0.5;
/// Larger meshes are not sent to a page, triangles.
const MOST_DRAWN: usize = 100_000;

/// A body's model and what is drawn of it.
#[derive(Clone)]
pub struct Filling {
    /// For the collisions.
    pub model: Arc<VolumeModel>,
    /// For the eye, in the model's frame.
    pub drawn: LiveSolid,
    /// What was wrong with the mesh and is mended.
    pub mended: Option<String>,
}

/// The built-in models, made when they are first asked for.
#[derive(Default)]
pub struct Models {
    made: Mutex<BTreeMap<String, Vec<Filling>>>,
}

impl Models {
    /// The models of a built-in scene.
    ///
    /// # Errors
    ///
    /// A scene that is not there.
    pub fn scene(&self, name: &str) -> Result<Vec<Filling>, LodError> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = made.get(name) {
            return Ok(known.clone());
        }
        let of = |model: Arc<VolumeModel>| {
            // A segment of a figure is drawn as it is.
            if figure_of(name).is_some() {
                return Ok(Filling { drawn: solid(model.mesh(), |vertex| vertex), model, mended: None });
            }
            let mesh = built_in(model.name(), DRAWN)?.scaled(RADIUS)?;
            Ok(Filling { drawn: drawn(&mesh, &model), model, mended: None })
        };
        let models = Crowd::default().models(name, &Progress::none())?.finished().expect("nobody stops it");
        let fillings: Vec<Filling> = models.into_iter().map(of).collect::<Result<_, LodError>>()?;
        made.insert(name.to_owned(), fillings.clone());
        Ok(fillings)
    }
}

/// The model of a mesh that was uploaded, made as large as the others.
///
/// # Errors
///
/// A mesh that is not there, or is no solid.
pub fn uploaded(workspace: &Workspace, name: &str) -> Result<Filling, Failure> {
    let path = workspace.mesh(name)?;
    let bytes = std::fs::read(path)
        .map_err(|_| Failure::missing("there is no mesh of this name", "upload it: drop the file on the page"))?;
    let help = "a mesh must enclose a volume: close it in the program that made it, and upload it again";
    let refused =
        |error: LodError| Failure::bad(format!("{name}: {error}"), error.remedy().unwrap_or(Cow::Borrowed(help)));
    let read = read_mesh(name, &bytes, &Progress::none()).map_err(refused)?;
    let (mesh, repair) = read.finished().expect("nobody stops it");
    if mesh.triangles().len() > MOST_DRAWN {
        let help = "take a mesh with fewer triangles here; the command line (proscenium lod --mesh) has no such limit";
        return Err(Failure::bad(format!("{name} has more than {MOST_DRAWN} triangles"), help));
    }
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let rough = TreeSettings { depth: 0, ..TreeSettings::default() };
    let build = |mesh: &SolidMesh, settings| {
        let built = VolumeModel::build(stem, mesh, settings, &Progress::none())?;
        Ok(built.finished().expect("nobody stops it"))
    };
    let size = build(&mesh, rough).map_err(refused)?.radius();
    let mesh = mesh.scaled(RADIUS / size).map_err(refused)?;
    let model = Arc::new(build(&mesh, TreeSettings::default()).map_err(refused)?);
    let mended = (!repair.is_clean()).then(|| repair.to_string());
    Ok(Filling { drawn: drawn(&mesh, &model), model, mended })
}

/// A mesh in the frame of a model of the same solid.
fn drawn(mesh: &SolidMesh, model: &VolumeModel) -> LiveSolid {
    let model_from_mesh = model.mesh_from_model().inverse();
    solid(mesh, |vertex| model_from_mesh.transform_point(vertex))
}

/// A mesh in another frame.
fn solid(mesh: &SolidMesh, in_frame: impl Fn(DVec3) -> DVec3) -> LiveSolid {
    let place = |vertex| in_frame(vertex).as_vec3().to_array();
    LiveSolid::Mesh {
        positions: mesh.vertices().iter().flat_map(|vertex| place(*vertex)).collect(),
        indices: mesh.triangles().iter().flatten().copied().collect(),
    }
}
