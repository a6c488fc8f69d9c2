//! The API: every path, and what answers it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::body::Bytes;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{DefaultBodyLimit, FromRequest, Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::{Json, Router, middleware};
use proscenium_scenes::Seed;
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;
use tower_http::compression::CompressionLayer;
use tower_http::timeout::RequestBodyTimeoutLayer;

use crate::api::{
    BuiltinScene, FavouriteOrder, GalleryEntry, MeshReport, NetworkReport, ResumeOrder, RideReport, RunOrder,
    RunReport, SceneChoice, SceneTree, Spot, TakeBounds, TakeOrder, TakeReport,
};
use crate::collisions::{self, Models};
use crate::connections::Patience;
use crate::failure::Failure;
use crate::fairground::{self, Rides};
use crate::field::{Graphs, Model};
use crate::guard::{Guard, guard};
use crate::lab::{self, Lab, LabPlace};
use crate::modeler::{self, Modeler};
use crate::runs::Runs;
use crate::stream::{LARGEST_READ, hang_up};
use crate::studies::{self, Studies};
use crate::takes::{Shot, Take, Takes};
use crate::workspace::Workspace;
use crate::{assets, city, live, motion, name, scene};

/// Larger requests are not read, bytes.
const LARGEST_REQUEST: usize = 2 * 1024 * 1024;
/// Larger meshes are not read, bytes.
const LARGEST_MESH: usize = 32 * 1024 * 1024;
/// Larger road networks are not read, bytes.
const LARGEST_NETWORK: usize = 64 * 1024 * 1024;
/// So many flags hang on the first page.
const SHOWN_FLAGS: u32 = 3;
/// So many live worlds go on beside each other.
const MOST_LIVE: usize = 16;

/// What all requests share.
#[derive(Clone)]
pub struct Studio {
    workspace: Workspace,
    takes: Arc<Takes>,
    runs: Arc<Runs>,
    rides: Arc<Rides>,
    graphs: Arc<Graphs>,
    models: Arc<Models>,
    lab: Arc<Lab>,
    studies: Arc<Studies>,
    modeler: Arc<Modeler>,
    live: Arc<Semaphore>,
    patience: Patience,
    /// How often meshes were changed: what was simulated before is not theirs.
    meshes: Arc<AtomicU64>,
}

impl Studio {
    /// The studio of a workspace, with the lab beside it.
    pub fn new(workspace: Workspace) -> Self {
        let lab = LabPlace::usual(&workspace);
        Self::with_lab(workspace, lab)
    }

    /// The studio of a workspace, with a lab at another place.
    pub fn with_lab(workspace: Workspace, lab: LabPlace) -> Self {
        let lab = Arc::new(Lab::open(lab, &workspace));
        let runs = Arc::new(Runs::open(&workspace));
        let studies = Arc::new(Studies::new(&workspace));
        let modeler = Arc::new(Modeler::new(&workspace));
        let rides = Arc::new(Rides::new(&workspace));
        let graphs = Arc::new(Graphs::new(&workspace));
        Self {
            workspace,
            takes: Arc::default(),
            runs,
            rides,
            graphs,
            models: Arc::default(),
            lab,
            studies,
            modeler,
            live: Arc::new(Semaphore::new(MOST_LIVE)),
            patience: Patience::default(),
            meshes: Arc::default(),
        }
    }

    /// The same studio with another patience.
    #[must_use]
    pub fn with_patience(self, patience: Patience) -> Self {
        Self { patience, ..self }
    }

    /// The folder that it works in.
    pub(crate) fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The rides of the fairground.
    pub(crate) fn rides(&self) -> &Arc<Rides> {
        &self.rides
    }

    /// The motion graphs of the field.
    pub(crate) fn graphs(&self) -> &Arc<Graphs> {
        &self.graphs
    }

    /// What the box of collisions can be filled with.
    pub(crate) fn models(&self) -> &Arc<Models> {
        &self.models
    }

    /// The papers' experiments.
    pub(crate) fn lab(&self) -> &Arc<Lab> {
        &self.lab
    }

    /// The experiments with people.
    pub(crate) fn studies(&self) -> &Arc<Studies> {
        &self.studies
    }

    /// The rides that one builds.
    pub(crate) fn modeler(&self) -> &Arc<Modeler> {
        &self.modeler
    }

    /// Tells everything that is under way to stop.
    pub fn stop(&self) {
        self.runs.stop_all();
        self.rides.stop();
        self.graphs.stop();
        self.modeler.stop_all();
        self.lab.stop();
    }

    /// Everything that is served.
    pub fn router(&self, admits: Guard) -> Router {
        let api = Router::new()
            .route("/scenes", get(scenes))
            .route("/scenes/check", post(check))
            .route("/meshes", get(meshes))
            .route("/meshes/{name}", put(keep_mesh).delete(drop_mesh).layer(DefaultBodyLimit::max(LARGEST_MESH)))
            .route("/takes", post(order_take))
            .route("/takes/{id}", get(take).delete(stop_take))
            .route("/takes/{id}/clip.glb", get(clip))
            .route("/takes/{id}/bounds", get(bounds))
            .route("/takes/{id}/motion", get(stream))
            .route("/runs", get(runs).post(start_run))
            .route("/runs/{id}", get(run))
            .route("/runs/{id}/stop", post(stop_run))
            .route("/runs/{id}/resume", post(resume_run))
            .route("/runs/{id}/entries", get(entries))
            .route("/runs/{id}/entries/{index}", get(entry))
            .route("/runs/{id}/entries/{index}/clip.glb", get(entry_clip))
            .route("/runs/{id}/entries/{index}/favourite", put(favourite))
            .route("/live/{world}", get(live_stream))
            .route("/city/clip.glb", get(city_clip))
            .route("/collisions/clip.glb", get(collisions_clip))
            .route("/field/clip.glb", get(field_clip))
            .route("/meadow/clip.glb", get(meadow_clip))
            .route("/networks", get(networks))
            .route("/networks/{name}", put(keep_network).layer(DefaultBodyLimit::max(LARGEST_NETWORK)))
            .route("/rides", get(rides))
            .route("/rides/clip.glb", get(rides_clip))
            .route("/rides/{name}/learn", post(learn_ride))
            .route("/rides/{name}/report.html", get(ride_report))
            .merge(lab::routes())
            .merge(studies::routes())
            .merge(modeler::routes())
            .fallback(async || Failure::missing("there is no such request", "the book's page on the studio lists them"))
            .method_not_allowed_fallback(async || {
                let status = StatusCode::METHOD_NOT_ALLOWED;
                Failure::new(status, "this cannot be done here", "the book's page on the studio lists what can")
            })
            .layer(DefaultBodyLimit::max(LARGEST_REQUEST))
            .layer(RequestBodyTimeoutLayer::new(self.patience.body))
            .layer(CompressionLayer::new())
            .with_state(self.clone());
        Router::new().nest("/api", api).fallback(assets::serve).layer(middleware::from_fn_with_state(admits, guard))
    }
}

/// A request's body, read as JSON; what is wrong with it is told with its
/// place.
pub(crate) struct Body<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        let bytes = Bytes::from_request(request, state).await.map_err(|rejection| {
            Failure::new(rejection.status(), rejection.body_text(), "send at most 2 MB of JSON")
        })?;
        serde_json::from_slice(&bytes).map(Body).map_err(|error| {
            let mut failure = Failure::bad(error.to_string(), "send JSON as the book's page on the studio has it");
            failure.problem.place = Some(Spot {
                line: error.line() as u32,
                column: error.column() as u32,
                length: 0,
                label: "in the request".to_owned(),
            });
            failure
        })
    }
}

pub(crate) type Answer<T> = Result<Json<T>, Failure>;

async fn scenes() -> Json<Vec<BuiltinScene>> {
    Json(scene::builtin_scenes())
}

/// Work that takes the processor for a while, beside the server's own.
pub(crate) async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Failure::machine(&error)))
}

async fn check(State(studio): State<Studio>, Body(choice): Body<SceneChoice>) -> Answer<SceneTree> {
    beside(move || Ok(scene::tree(&scene::resolve(&choice, &studio.workspace)?))).await.map(Json)
}

async fn meshes(State(studio): State<Studio>) -> Answer<Vec<MeshReport>> {
    let list = beside(move || Ok(studio.workspace.mesh_list())).await?;
    Ok(Json(list.into_iter().map(|(name, bytes)| MeshReport { name, bytes: bytes as f64 }).collect()))
}

async fn keep_mesh(State(studio): State<Studio>, Path(name): Path<String>, request: Request) -> Answer<MeshReport> {
    studio.workspace.mesh(&name)?;
    let bytes = Bytes::from_request(request, &()).await.map_err(|rejection| {
        Failure::new(rejection.status(), rejection.body_text(), "send at most 32 MB, as a .glb or an .obj file")
    })?;
    beside(move || {
        proscenium_scenes::check_mesh(&name, &bytes)?;
        studio.workspace.keep_mesh(&name, &bytes)?;
        studio.meshes.fetch_add(1, Ordering::Relaxed);
        Ok(Json(MeshReport { name, bytes: bytes.len() as f64 }))
    })
    .await
}

async fn drop_mesh(State(studio): State<Studio>, Path(name): Path<String>) -> Answer<Vec<MeshReport>> {
    let path = studio.workspace.mesh(&name)?;
    let gone = Failure::missing("there is no mesh of this name", "GET /api/meshes lists them");
    beside(move || std::fs::remove_file(path).map_err(|_| gone)).await?;
    studio.meshes.fetch_add(1, Ordering::Relaxed);
    meshes(State(studio)).await
}

async fn order_take(State(studio): State<Studio>, Body(order): Body<TakeOrder>) -> Answer<TakeReport> {
    let meshes = if order.scene.toml.is_some() { studio.meshes.load(Ordering::Relaxed) } else { 0 };
    let id = name_of(&(&order, meshes))?;
    let workspace = studio.workspace.clone();
    let recipe = move || Ok(scene::resolve(&order.scene, &workspace)?.draw(Seed(u64::from(order.seed))));
    Ok(Json(studio.takes.order(&id, Box::new(recipe))?.report()))
}

/// The same order has the same name.
fn name_of(order: &(&TakeOrder, u64)) -> Result<String, Failure> {
    let bytes = serde_json::to_vec(order).map_err(|error| Failure::machine(&error))?;
    Ok(format!("{:016x}", name::hash(&bytes)))
}

async fn take(State(studio): State<Studio>, Path(id): Path<String>) -> Answer<TakeReport> {
    Ok(Json(studio.takes.find(&id)?.report()))
}

async fn stop_take(State(studio): State<Studio>, Path(id): Path<String>) -> Answer<TakeReport> {
    let take = studio.takes.find(&id)?;
    take.stop();
    Ok(Json(take.report()))
}

async fn clip(State(studio): State<Studio>, Path(id): Path<String>) -> Result<Response, Failure> {
    let shot = studio.takes.find(&id)?.shot().await?;
    Ok(glb(&shot, &shot.summary.name))
}

async fn bounds(State(studio): State<Studio>, Path(id): Path<String>) -> Answer<TakeBounds> {
    let shot = studio.takes.find(&id)?.shot().await?;
    beside(move || shot.bounds()).await.map(Json)
}

/// A clip as a file.
fn glb(shot: &Shot, name: &str) -> Response {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let name: String = name.chars().map(|letter| if plain(letter) { letter } else { '-' }).collect();
    let attachment = format!("attachment; filename=\"{name}.glb\"");
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("model/gltf-binary")),
        (header::CONTENT_DISPOSITION, HeaderValue::from_str(&attachment).unwrap_or(HeaderValue::from_static(""))),
    ];
    (headers, shot.glb.clone()).into_response()
}

/// A request for a stream, as axum reads it.
type Upgrade = Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>;

/// A stream whose messages are bounded.
fn bounded(upgrade: Upgrade) -> Result<WebSocketUpgrade, Failure> {
    let upgrade = upgrade.map_err(|rejection| {
        Failure::new(rejection.status(), rejection.body_text(), "open a WebSocket at this address")
    })?;
    Ok(upgrade.max_message_size(LARGEST_READ).max_frame_size(LARGEST_READ))
}

async fn stream(State(studio): State<Studio>, Path(id): Path<String>, upgrade: Upgrade) -> Result<Response, Failure> {
    let take = studio.takes.find(&id)?;
    let upgrade = bounded(upgrade)?;
    let shot = take.shot().await?;
    Ok(upgrade.on_upgrade(move |socket| motion::serve(socket, shot, studio.patience.stream)))
}

async fn live_stream(
    State(studio): State<Studio>,
    Path(world): Path<String>,
    upgrade: Upgrade,
) -> Result<Response, Failure> {
    let make = live::find(&world)?;
    let upgrade = bounded(upgrade)?;
    let patience = studio.patience.stream;
    let turn = studio.live.clone().try_acquire_owned();
    let made = match turn {
        Ok(turn) => beside(move || Ok((make(&studio)?, turn))).await,
        Err(_) => {
            let error = format!("{MOST_LIVE} live worlds are open, and no more go on beside each other");
            let help = "close a page that shows one, such as the city or the fairground, and try again";
            Err(Failure::new(StatusCode::TOO_MANY_REQUESTS, error, help))
        }
    };
    // A page cannot read why a stream is not opened: it is opened, and told.
    Ok(upgrade.on_upgrade(move |socket| async move {
        let left = match made {
            Ok((world, turn)) => {
                let left = live::serve(socket, world, patience).await;
                drop(turn);
                left
            }
            Err(failure) => Some((socket, failure.problem.into())),
        };
        // The world has ended by now, and another may be opened.
        if let Some((socket, farewell)) = left {
            hang_up(socket, farewell).await;
        }
    }))
}

async fn networks(State(studio): State<Studio>) -> Answer<Vec<NetworkReport>> {
    beside(move || Ok(city::list(&studio.workspace))).await.map(Json)
}

async fn keep_network(
    State(studio): State<Studio>,
    Path(name): Path<String>,
    request: Request,
) -> Answer<NetworkReport> {
    let bytes = Bytes::from_request(request, &()).await.map_err(|rejection| {
        Failure::new(rejection.status(), rejection.body_text(), "send at most 64 MB: a smaller extract")
    })?;
    beside(move || city::keep(&studio.workspace, &name, &bytes)).await.map(Json)
}

async fn rides(State(studio): State<Studio>) -> Json<Vec<RideReport>> {
    Json(studio.rides.all().iter().map(|ride| ride.report()).collect())
}

async fn learn_ride(State(studio): State<Studio>, Path(name): Path<String>) -> Answer<RideReport> {
    let ride = studio.rides.find(&name)?;
    studio.rides.learn_thoroughly(ride)?;
    Ok(Json(ride.report()))
}

async fn ride_report(State(studio): State<Studio>, Path(name): Path<String>) -> Result<Html<String>, Failure> {
    let page = beside(move || studio.rides.page(studio.rides.find(&name)?)).await;
    page.map(Html)
}

async fn rides_clip(State(studio): State<Studio>) -> Result<Response, Failure> {
    moving_picture(move || fairground::clip(&studio.rides)).await
}

async fn collisions_clip() -> Result<Response, Failure> {
    moving_picture(collisions::clip).await
}

async fn city_clip() -> Result<Response, Failure> {
    moving_picture(city::clip).await
}

async fn field_clip(State(studio): State<Studio>) -> Result<Response, Failure> {
    moving_picture(move || studio.graphs.clip(Model::Banner(SHOWN_FLAGS))).await
}

async fn meadow_clip(State(studio): State<Studio>) -> Result<Response, Failure> {
    moving_picture(move || studio.graphs.clip(Model::Iris(3))).await
}

/// An animation for the first page.
async fn moving_picture(make: impl FnOnce() -> Result<Vec<u8>, Failure> + Send + 'static) -> Result<Response, Failure> {
    let bytes = beside(make).await?;
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static("model/gltf-binary"))], bytes).into_response())
}

async fn runs(State(studio): State<Studio>) -> Answer<Vec<RunReport>> {
    beside(move || Ok(studio.runs.list())).await.map(Json)
}

async fn start_run(State(studio): State<Studio>, Body(order): Body<RunOrder>) -> Answer<RunReport> {
    // Runs are begun where the runtime is at hand.
    Ok(Json(studio.runs.start(order)?.report()))
}

async fn run(State(studio): State<Studio>, Path(id): Path<String>) -> Answer<RunReport> {
    Ok(Json(studio.runs.find(&id)?.report()))
}

async fn stop_run(State(studio): State<Studio>, Path(id): Path<String>) -> Answer<RunReport> {
    let run = studio.runs.find(&id)?;
    run.stop();
    Ok(Json(run.report()))
}

async fn resume_run(
    State(studio): State<Studio>,
    Path(id): Path<String>,
    Body(order): Body<ResumeOrder>,
) -> Answer<RunReport> {
    let run = studio.runs.find(&id)?;
    studio.runs.resume(&run, order.samples)?;
    Ok(Json(run.report()))
}

async fn entries(State(studio): State<Studio>, Path(id): Path<String>) -> Answer<Vec<GalleryEntry>> {
    let run = studio.runs.find(&id)?;
    beside(move || run.entries()).await.map(Json)
}

/// The simulation of an entry, begun if it is not kept.
fn entry_take(studio: &Studio, id: &str, index: &str) -> Result<Arc<Take>, Failure> {
    let run = studio.runs.find(id)?;
    let number: u32 = index.parse().map_err(|_| {
        let error = format!("\"{}\" is not the number of an entry", index.chars().take(40).collect::<String>());
        Failure::bad(error, "entries are numbered from 0 on; choose one of the gallery's pictures")
    })?;
    let workspace = studio.workspace.clone();
    studio.takes.order(&format!("{id}.{number}"), Box::new(move || run.drawn(number, &workspace)))
}

async fn entry(State(studio): State<Studio>, Path((id, index)): Path<(String, String)>) -> Answer<TakeReport> {
    Ok(Json(entry_take(&studio, &id, &index)?.report()))
}

async fn entry_clip(
    State(studio): State<Studio>,
    Path((id, index)): Path<(String, String)>,
) -> Result<Response, Failure> {
    let shot = entry_take(&studio, &id, &index)?.shot().await?;
    let stem = id.rsplit_once('-').map_or(id.as_str(), |(stem, _)| stem);
    let number = index.parse::<u32>().unwrap_or_default() + 1;
    Ok(glb(&shot, &format!("{stem}-{number:02}")))
}

async fn favourite(
    State(studio): State<Studio>,
    Path((id, index)): Path<(String, u32)>,
    Body(order): Body<FavouriteOrder>,
) -> Answer<RunReport> {
    let run = studio.runs.find(&id)?;
    run.set_favourite(index, order.favourite)?;
    Ok(Json(run.report()))
}
