//! The dynamic transformation modeler (Chenney, Ichnowski and Forsyth 1998;
//! Chenney 2000, 5.4): model files of the workspace, taken apart, run for a
//! preview, compiled beside the server, and exported.

mod looks;
mod preview;
mod routes;
mod tree;

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use proscenium_cull::builtin::{Builtin, MODELS};
use proscenium_cull::{CullError, Model};
use proscenium_work::{Folder, Remedy as _};

use crate::api::{ModelCheck, ModelKept, ModelListed, ModelOffer, ModelPreview, RideReport};
use crate::failure::Failure;
use crate::fairground::{AT_ONCE, Ride};
use crate::jobs::{Bench, lock};
use crate::workspace::Workspace;

pub use looks::fingerprint;
pub use routes::routes;

/// So many models are kept.
const MOST_MODELS: usize = 200;
/// So many previews are kept.
const PREVIEWS: usize = 8;

/// The models of a workspace.
pub struct Modeler {
    workspace: Workspace,
    /// Those that were compiled or are being compiled, by name.
    rides: Mutex<BTreeMap<String, Arc<Ride>>>,
    bench: Bench,
    previews: Mutex<VecDeque<(String, Arc<Vec<u8>>)>>,
    /// Held while a text is compared and replaced.
    keeping: Mutex<()>,
}

impl Modeler {
    /// The models of a workspace.
    pub fn new(workspace: &Workspace) -> Self {
        Self {
            workspace: workspace.clone(),
            rides: Mutex::default(),
            bench: Bench::new(AT_ONCE),
            previews: Mutex::default(),
            keeping: Mutex::default(),
        }
    }

    /// All of them, one's own first.
    pub fn list(&self) -> Vec<ModelListed> {
        let own = self.workspace.model_list().into_iter().map(|name| {
            let title = self.text(&name).map(|text| tree::check(&text).title).unwrap_or_default();
            ModelListed { name, title, own: true }
        });
        let own: Vec<ModelListed> = own.collect();
        let ours = MODELS.iter().filter(|model| !own.iter().any(|known| known.name == model.name));
        let ours = ours.map(|model| ModelListed {
            name: model.name.to_owned(),
            title: tree::check(model.text).title,
            own: false,
        });
        let ours: Vec<ModelListed> = ours.collect();
        own.into_iter().chain(ours).collect()
    }

    /// The text of one: that of the workspace, or else one that comes with the
    /// studio.
    ///
    /// # Errors
    ///
    /// One that is not there.
    pub fn text(&self, name: &str) -> Result<String, Failure> {
        let missing = || Failure::missing("there is no model of this name", "GET /api/models lists them");
        let path = self.workspace.model(name)?;
        let own = std::fs::read_to_string(path).ok();
        let ours = || Builtin::find(name).map(|model| model.text.to_owned());
        own.or_else(ours).ok_or_else(missing)
    }

    /// The text of one, with its version.
    ///
    /// # Errors
    ///
    /// One that is not there.
    pub fn kept(&self, name: &str) -> Result<ModelKept, Failure> {
        let toml = self.text(name)?;
        Ok(ModelKept { version: tree::version(&toml), toml })
    }

    /// Keeps the text of one, also with mistakes: nothing that was typed is lost.
    ///
    /// # Errors
    ///
    /// A name that no model can have, a text that replaces another than the one
    /// that is kept, too many of them, or a full disk.
    pub fn keep(&self, name: &str, ModelOffer { toml: text, replaces }: &ModelOffer) -> Result<ModelCheck, Failure> {
        let path = self.workspace.model(name)?;
        let _alone = lock(&self.keeping);
        if let Some(replaces) = replaces {
            let now = self.text(name).ok();
            if now.is_none_or(|now| tree::version(&now) != *replaces && now != *text) {
                let error = "this ride was changed elsewhere meanwhile, and nothing was written";
                let help = "take what is kept now (GET /api/models/NAME), or send yours without `replaces`";
                return Err(Failure::new(axum::http::StatusCode::CONFLICT, error, help));
            }
        }
        if !path.is_file() && self.workspace.model_list().len() >= MOST_MODELS {
            let help = "take some away: DELETE /api/models/NAME";
            return Err(Failure::bad(format!("there are {MOST_MODELS} models already"), help));
        }
        proscenium_work::write_file(&path, text.as_bytes()).map_err(|error| Failure::machine(&error))?;
        Ok(tree::check(text))
    }

    /// Takes one away; those that come with the studio are as they were then.
    ///
    /// # Errors
    ///
    /// One that is not in the workspace.
    pub fn take_away(&self, name: &str) -> Result<Vec<ModelListed>, Failure> {
        let path = self.workspace.model(name)?;
        let gone = Failure::missing("there is no model of your own of this name", "GET /api/models lists them");
        std::fs::remove_file(path).map_err(|_| gone)?;
        Ok(self.list())
    }

    /// Runs a text for a while.
    ///
    /// # Errors
    ///
    /// One with mistakes, or that does not stay finite.
    pub fn preview(&self, text: &str) -> Result<ModelPreview, Failure> {
        let model = self.parse(text)?;
        let id = format!("{:016x}", looks::fingerprint(&model));
        let (told, clip) = preview::run(id.clone(), &model)?;
        let mut previews = lock(&self.previews);
        previews.retain(|(known, _)| *known != id);
        previews.push_back((id, Arc::new(clip)));
        if previews.len() > PREVIEWS {
            previews.pop_front();
        }
        Ok(told)
    }

    /// The animation of a preview.
    ///
    /// # Errors
    ///
    /// One that is not kept any more.
    pub fn preview_clip(&self, id: &str) -> Result<Arc<Vec<u8>>, Failure> {
        let found = lock(&self.previews).iter().find(|(known, _)| known == id).map(|(_, clip)| Arc::clone(clip));
        found.ok_or_else(|| Failure::missing("this preview is not kept any more", "POST the model's text again"))
    }

    /// How far one is compiled, as it is kept now.
    ///
    /// # Errors
    ///
    /// One that is not there or has mistakes.
    pub fn compiled(&self, name: &str) -> Result<RideReport, Failure> {
        Ok(self.ride(name)?.report())
    }

    /// Compiles one, in a hurry or with all effort.
    ///
    /// # Errors
    ///
    /// One with mistakes, or that is being compiled.
    pub fn compile(&self, name: &str, thorough: bool) -> Result<RideReport, Failure> {
        let ride = self.ride(name)?;
        ride.begin(&self.bench, thorough, &self.folder())?;
        Ok(ride.report())
    }

    /// Breaks off what is being compiled of one.
    ///
    /// # Errors
    ///
    /// One that is not there.
    pub fn stop(&self, name: &str) -> Result<RideReport, Failure> {
        let ride = self.ride(name)?;
        ride.stop();
        Ok(ride.report())
    }

    /// Breaks off everything.
    pub fn stop_all(&self) {
        lock(&self.rides).values().for_each(|ride| ride.stop());
    }

    /// The page about a compiled one.
    ///
    /// # Errors
    ///
    /// One that is not compiled.
    pub fn report(&self, name: &str) -> Result<String, Failure> {
        self.ride(name)?.page(&self.folder())
    }

    /// A file made from one: its kind of content, and the bytes.
    ///
    /// # Errors
    ///
    /// A kind that is not there, or one that is not compiled yet.
    pub fn export(&self, name: &str, ending: &str) -> Result<(&'static str, Vec<u8>), Failure> {
        if ending == "toml" {
            return Ok(("application/toml", self.text(name)?.into_bytes()));
        }
        if ending == "glb" {
            let (_, clip) = preview::run(String::new(), &self.parse(&self.text(name)?)?)?;
            return Ok(("model/gltf-binary", clip));
        }
        let ride = self.ride(name)?;
        let help = "compile it first: POST /api/models/NAME/compile";
        let compiled =
            ride.compiled().ok_or_else(|| Failure::missing("this model is not compiled as it is now", help))?;
        match ending {
            "js" => Ok(("text/javascript; charset=utf-8", compiled.to_javascript().map_err(unwritten)?.into_bytes())),
            "html" => Ok(("text/html; charset=utf-8", compiled.to_page().map_err(unwritten)?.into_bytes())),
            "cull" => Ok(("application/octet-stream", compiled.to_bytes())),
            _ => Err(Failure::missing("models are not written like this", "ask for toml, glb, js, html or cull")),
        }
    }

    /// A model, with the meshes of the workspace that its parts name.
    fn parse(&self, text: &str) -> Result<Model, Failure> {
        let status = axum::http::StatusCode::UNPROCESSABLE_ENTITY;
        let model =
            Model::parse("the model", text).map_err(|errors| Failure { status, problem: tree::problem_of(&errors) })?;
        model.with_meshes(|file| looks::mesh(&self.workspace, file))
    }

    fn folder(&self) -> Folder {
        Folder::new(self.workspace.models())
    }

    /// The ride of a model as it is kept now. One whose text or meshes have changed is
    /// another, and the one before is let go.
    fn ride(&self, name: &str) -> Result<Arc<Ride>, Failure> {
        let model = self.parse(&self.text(name)?)?;
        let mut rides = lock(&self.rides);
        if let Some(known) = rides.get(name) {
            if looks::fingerprint(&known.model) == looks::fingerprint(&model) {
                return Ok(Arc::clone(known));
            }
            known.stop();
        }
        let ride = Arc::new(Ride::new(name, model));
        ride.recall(&self.folder());
        rides.insert(name.to_owned(), Arc::clone(&ride));
        Ok(ride)
    }
}

/// A module that cannot be written.
fn unwritten(error: CullError) -> Failure {
    let help = error.remedy().map(Cow::into_owned).unwrap_or_default();
    Failure::missing(error.to_string(), help)
}
