//! The rides: models that are learned beside the server, once, and kept.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use proscenium_cull::builtin::MODELS;
use proscenium_cull::geometry::Bounds;
use proscenium_cull::{CompiledModel, Model, Seed};
use proscenium_show::cull::report;
use proscenium_work::{Completion, Folder, Progress, Remedy as _, Store as _};
use serde::{Deserialize, Serialize};

use crate::api::{RideLearned, RideLearning, RideReport};
use crate::failure::Failure;
use crate::jobs::{Bench, Job, State, lock};
use crate::workspace::Workspace;

/// How long a ride is watched to find its bounds, s.
const BOUNDS_SECONDS: f64 = 60.0;
/// Rides that are learned at once: each uses all processors most of the time.
pub const AT_ONCE: usize = 2;

/// All rides of the studio.
pub struct Rides {
    rides: Vec<Arc<Ride>>,
    folder: Folder,
    bench: Bench,
    began: AtomicBool,
}

/// A ride.
pub struct Ride {
    /// The name of its file.
    pub name: String,
    /// The complete model.
    pub model: Arc<Model>,
    bounds: OnceLock<Bounds>,
    learning: Arc<Job<()>>,
    /// What is known of it; learning it anew replaces that.
    learned: Mutex<Option<(Arc<CompiledModel>, RideLearned)>>,
}

/// What is kept beside a compiled file.
#[derive(Serialize, Deserialize)]
struct RideRecord {
    format: u32,
    thorough: bool,
    seconds: f64,
    summary: Vec<(String, String)>,
    verdict: String,
}

impl Rides {
    /// The rides of a workspace; nothing is learned yet.
    pub fn new(workspace: &Workspace) -> Self {
        let rides = MODELS.iter().map(|builtin| {
            let model = builtin.model().expect("the models that come with the engine are sound");
            Arc::new(Ride::new(builtin.name, model))
        });
        let folder = Folder::new(workspace.rides());
        Self { rides: rides.collect(), folder, bench: Bench::new(AT_ONCE), began: AtomicBool::new(false) }
    }

    /// All of them.
    pub fn all(&self) -> &[Arc<Ride>] {
        &self.rides
    }

    /// A ride by its name.
    ///
    /// # Errors
    ///
    /// One that is not there.
    pub fn find(&self, name: &str) -> Result<&Arc<Ride>, Failure> {
        let found = self.rides.iter().find(|ride| ride.name == name);
        found.ok_or_else(|| Failure::missing("there is no ride of this name", "GET /api/rides lists them"))
    }

    /// Learns all rides beside the server, those that are kept at once; does
    /// nothing if that was begun before.
    pub fn begin(self: &Arc<Self>) {
        if self.began.swap(true, Ordering::Relaxed) {
            return;
        }
        let rides = Arc::clone(self);
        tokio::task::spawn_blocking(move || {
            rides.rides.iter().for_each(|ride| ride.recall(&rides.folder));
            for ride in rides.rides.iter().filter(|ride| ride.compiled().is_none()) {
                // One that somebody has ordered meanwhile is under way.
                let _ = ride.begin(&rides.bench, false, &rides.folder);
            }
        });
    }

    /// Learns a ride with all effort, beside the server.
    ///
    /// # Errors
    ///
    /// A ride that is being learned already.
    pub fn learn_thoroughly(&self, ride: &Arc<Ride>) -> Result<(), Failure> {
        ride.begin(&self.bench, true, &self.folder)
    }

    /// Breaks off what is being learned.
    pub fn stop(&self) {
        self.rides.iter().for_each(|ride| ride.stop());
    }

    /// The page about a ride.
    ///
    /// # Errors
    ///
    /// One that is not learned yet.
    pub fn page(&self, ride: &Ride) -> Result<String, Failure> {
        ride.page(&self.folder)
    }
}

impl Ride {
    /// A ride of which nothing is known.
    pub fn new(name: &str, model: Model) -> Self {
        Self {
            name: name.to_owned(),
            model: Arc::new(model),
            bounds: OnceLock::new(),
            learning: Arc::default(),
            learned: Mutex::default(),
        }
    }

    /// Learns it beside the server, and keeps what comes out.
    ///
    /// # Errors
    ///
    /// A ride that is being learned already.
    pub fn begin(self: &Arc<Self>, bench: &Bench, thorough: bool, folder: &Folder) -> Result<(), Failure> {
        let (ride, folder) = (Arc::clone(self), folder.clone());
        if bench.begin(&self.learning, move |progress| ride.learn(thorough, &folder, progress)) {
            return Ok(());
        }
        let status = axum::http::StatusCode::CONFLICT;
        Err(Failure::new(status, "the ride is being learned", "wait until that is done"))
    }

    /// Breaks off what is being learned of it.
    pub fn stop(&self) {
        self.learning.stop();
    }

    /// The page about it.
    ///
    /// # Errors
    ///
    /// If it is not learned yet.
    pub fn page(&self, folder: &Folder) -> Result<String, Failure> {
        let page = folder.read(&self.file("html")).ok().flatten().and_then(|page| String::from_utf8(page).ok());
        page.ok_or_else(|| Failure::missing("this ride is not learned yet", "wait until it is, or have it learned"))
    }

    /// The box that it stays in, found by watching it for a while.
    ///
    /// # Errors
    ///
    /// A model that does not stay finite.
    pub fn bounds(&self) -> Result<Bounds, Failure> {
        if let Some(bounds) = self.bounds.get() {
            return Ok(*bounds);
        }
        let bounds = self.model.bounds(Seed(1), BOUNDS_SECONDS, &Progress::none());
        let bounds = bounds.map_err(|error| Failure::machine(&error))?.finished().expect("nobody stops it");
        Ok(*self.bounds.get_or_init(|| bounds))
    }

    /// What is known of it, once it is learned.
    pub fn compiled(&self) -> Option<Arc<CompiledModel>> {
        lock(&self.learned).as_ref().map(|(compiled, _)| Arc::clone(compiled))
    }

    /// How far it is learned.
    pub fn learning(&self) -> Option<RideLearning> {
        match self.learning.state() {
            State::Waiting => Some(RideLearning { doing: "waits to be learned".to_owned(), done: 0.0 }),
            State::Working { doing, done } => {
                Some(RideLearning { doing: if doing.is_empty() { "beginning".to_owned() } else { doing }, done })
            }
            _ => None,
        }
    }

    /// What is told about it.
    pub fn report(&self) -> RideReport {
        let problem = match self.learning.state() {
            State::Failed(problem) => Some(format!("{}: {}", problem.error, problem.help)),
            _ => None,
        };
        RideReport {
            name: self.name.clone(),
            title: self.model.name().to_owned(),
            variables: self.model.animated_variables() as u32,
            signals: self.model.signals().map(str::to_owned).collect(),
            learning: self.learning(),
            learned: lock(&self.learned).as_ref().map(|(_, learned)| learned.clone()),
            problem,
        }
    }

    /// The name of a file about it; another text, or another mesh, has another file.
    fn file(&self, extension: &str) -> String {
        format!("{}-{:08x}.{extension}", self.name, crate::modeler::fingerprint(&self.model) as u32)
    }

    /// Takes what was kept, if it is all there.
    pub fn recall(&self, folder: &Folder) {
        let read = |extension: &str| folder.read(&self.file(extension)).ok().flatten();
        let kept = || {
            let bytes = read("cull")?;
            let record: RideRecord = serde_json::from_slice(&read("json")?).ok()?;
            let compiled = CompiledModel::from_bytes(&bytes).ok()?;
            (record.format == 1 && read("html").is_some()).then_some((compiled, record, bytes.len()))
        };
        if let Some((compiled, record, bytes)) = kept() {
            let learned = record.about(&compiled, bytes);
            *lock(&self.learned) = Some((Arc::new(compiled), learned));
        }
    }

    fn learn(&self, thorough: bool, folder: &Folder, progress: &Progress) -> Result<Completion<()>, Failure> {
        let began = Instant::now();
        let model = Model::clone(&self.model);
        let settings = if thorough { model.settings().clone() } else { model.settings().hurried() };
        let compiled = CompiledModel::compile(model, &settings, Seed(1), progress)
            .map_err(|error| Failure::bad(error.to_string(), error.remedy().unwrap_or_default()))?;
        let Completion::Finished(compiled) = compiled else {
            return Ok(Completion::Stopped);
        };
        let seconds = began.elapsed().as_secs_f64();
        let bytes = compiled.to_bytes();
        let record =
            RideRecord { format: 1, thorough, seconds, summary: compiled.summary(), verdict: compiled.verdict() };
        let effort = if thorough { "all" } else { "little: learn it thoroughly in the studio for better jumps" };
        let rows = [("effort".to_owned(), effort.to_owned()), ("learned in".to_owned(), format!("{seconds:.1} s"))];
        let page = report(&compiled, &rows).map_err(|error| Failure::machine(&error))?;
        let json = serde_json::to_vec(&record).unwrap_or_default();
        for (extension, content) in [("html", page.as_bytes()), ("json", &json), ("cull", &bytes)] {
            // What cannot be kept is learned again at the next start.
            let _ = folder.write(&self.file(extension), content);
        }
        let learned = record.about(&compiled, bytes.len());
        *lock(&self.learned) = Some((Arc::new(compiled), learned));
        Ok(Completion::Finished(()))
    }
}

impl RideRecord {
    /// With what the compiled file says, of so many bytes.
    fn about(self, compiled: &CompiledModel, bytes: usize) -> RideLearned {
        let learned = compiled.learned();
        RideLearned {
            thorough: self.thorough,
            seconds: self.seconds,
            bytes: bytes as u32,
            period: learned.period(),
            medium: learned.medium(),
            long: learned.long(),
            verdict: self.verdict,
            summary: self.summary,
        }
    }
}
