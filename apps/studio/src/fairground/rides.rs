//! The rides: models that are learned beside the server, once, and kept.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use proscenium_cull::{Bounds, CompileSettings, CullError, Culled, Model, Progress, Seed};
use serde::{Deserialize, Serialize};

use crate::api::{RideLearned, RideLearning, RideReport};
use crate::failure::Failure;
use crate::jobs::lock;
use crate::workspace::Workspace;

/// The models, by the name of their file.
pub const MODELS: [(&str, &str); 8] = [
    ("roller-coaster", include_str!("../../../../models/roller-coaster.toml")),
    ("tilt-a-whirl", include_str!("../../../../models/tilt-a-whirl.toml")),
    ("octopus", include_str!("../../../../models/octopus.toml")),
    ("dive-bomber", include_str!("../../../../models/dive-bomber.toml")),
    ("ship", include_str!("../../../../models/ship.toml")),
    ("pendulum", include_str!("../../../../models/pendulum.toml")),
    ("pendulum-long", include_str!("../../../../models/pendulum-long.toml")),
    ("traffic-light", include_str!("../../../../models/traffic-light.toml")),
];

/// How long a ride is watched to find its bounds, s.
const WATCHED: f64 = 60.0;

/// All rides of the studio.
pub struct Rides {
    rides: Vec<Arc<Ride>>,
    folder: PathBuf,
    began: AtomicBool,
}

/// A ride.
pub struct Ride {
    /// The name of its file.
    pub name: String,
    /// The complete model.
    pub model: Arc<Model>,
    bounds: OnceLock<Bounds>,
    state: Mutex<State>,
    stop: AtomicBool,
}

#[derive(Default)]
struct State {
    learning: Option<RideLearning>,
    learned: Option<(Arc<Culled>, RideLearned)>,
    problem: Option<String>,
}

/// What is kept beside a compiled file.
#[derive(Serialize, Deserialize)]
struct Kept {
    format: u32,
    thorough: bool,
    seconds: f64,
    summary: Vec<(String, String)>,
    verdict: String,
}

impl Rides {
    /// The rides of a workspace; nothing is learned yet.
    pub fn new(workspace: &Workspace) -> Self {
        let ride = |(name, text): (&str, &str)| {
            let model = Model::parse(name, text).expect("the models that come with the studio are sound");
            Arc::new(Ride::new(name, model))
        };
        let rides = MODELS.into_iter().map(ride).collect();
        Self { rides, folder: workspace.rides(), began: AtomicBool::new(false) }
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
            let missing = rides.rides.iter().filter(|ride| ride.culled().is_none());
            missing.for_each(|ride| ride.work(false, &rides.folder));
        });
    }

    /// Learns a ride with all effort, beside the server.
    ///
    /// # Errors
    ///
    /// A ride that is being learned already.
    pub fn learn_thoroughly(self: &Arc<Self>, ride: &Arc<Ride>) -> Result<(), Failure> {
        ride.begin()?;
        let (rides, ride) = (Arc::clone(self), Arc::clone(ride));
        tokio::task::spawn_blocking(move || ride.work(true, &rides.folder));
        Ok(())
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
    pub fn report(&self, ride: &Ride) -> Result<String, Failure> {
        ride.report(&self.folder)
    }
}

impl Ride {
    /// A ride of which nothing is known.
    pub fn new(name: &str, model: Model) -> Self {
        Self {
            name: name.to_owned(),
            model: Arc::new(model),
            bounds: OnceLock::new(),
            state: Mutex::default(),
            stop: AtomicBool::new(false),
        }
    }

    /// Says that it is being learned from now on.
    ///
    /// # Errors
    ///
    /// A ride that is being learned already.
    pub fn begin(&self) -> Result<(), Failure> {
        let mut state = lock(&self.state);
        if state.learning.is_some() {
            let status = axum::http::StatusCode::CONFLICT;
            return Err(Failure::new(status, "the ride is being learned", "wait until that is done"));
        }
        state.learning = Some(RideLearning { doing: "beginning".to_owned(), done: 0.0 });
        state.problem = None;
        self.stop.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// Learns it, and keeps what comes out.
    pub fn work(&self, thorough: bool, folder: &Path) {
        let result = self.learn(thorough, folder);
        let mut state = lock(&self.state);
        state.learning = None;
        match result {
            Ok(learned) => state.learned = Some(learned),
            // What was told to stop is learned another time.
            Err(_) if self.stop.load(Ordering::Relaxed) => {}
            Err(error) => state.problem = Some(error.to_string()),
        }
    }

    /// Breaks off what is being learned of it.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// The page about it.
    ///
    /// # Errors
    ///
    /// If it is not learned yet.
    pub fn report(&self, folder: &Path) -> Result<String, Failure> {
        let page = std::fs::read_to_string(self.file(folder, "html"));
        page.map_err(|_| Failure::missing("this ride is not learned yet", "wait until it is, or have it learned"))
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
        let bounds = self.model.bounds(Seed(1), WATCHED).map_err(|error| Failure::machine(&error))?;
        Ok(*self.bounds.get_or_init(|| bounds))
    }

    /// What is known of it, once it is learned.
    pub fn culled(&self) -> Option<Arc<Culled>> {
        lock(&self.state).learned.as_ref().map(|(culled, _)| Arc::clone(culled))
    }

    /// How far it is learned.
    pub fn learning(&self) -> Option<RideLearning> {
        lock(&self.state).learning.clone()
    }

    /// What is told about it.
    pub fn told(&self) -> RideReport {
        let state = lock(&self.state);
        RideReport {
            name: self.name.to_owned(),
            title: self.model.name().to_owned(),
            variables: self.model.animated_variables() as u32,
            signals: self.model.signals().map(str::to_owned).collect(),
            learning: state.learning.clone(),
            learned: state.learned.as_ref().map(|(_, learned)| learned.clone()),
            problem: state.problem.clone(),
        }
    }

    /// A file about it; another text has another file.
    fn file(&self, folder: &Path, extension: &str) -> PathBuf {
        folder.join(format!(
            "{}-{:08x}.{extension}",
            self.name,
            crate::name::hash(self.model.source().as_bytes()) as u32
        ))
    }

    /// Takes what was kept, if it is all there.
    pub fn recall(&self, folder: &Path) {
        let kept = || {
            let bytes = std::fs::read(self.file(folder, "cull")).ok()?;
            let kept: Kept = serde_json::from_slice(&std::fs::read(self.file(folder, "json")).ok()?).ok()?;
            let culled = Culled::from_bytes(&bytes).ok()?;
            (kept.format == 1 && self.file(folder, "html").is_file()).then_some((culled, kept, bytes.len()))
        };
        if let Some((culled, kept, bytes)) = kept() {
            let learned = told(&culled, kept, bytes);
            lock(&self.state).learned = Some((Arc::new(culled), learned));
        }
    }

    fn learn(&self, thorough: bool, folder: &Path) -> Result<(Arc<Culled>, RideLearned), CullError> {
        let began = Instant::now();
        let model = Model::clone(&self.model);
        let settings = if thorough { model.settings().clone() } else { hurried(model.settings()) };
        let culled = Culled::compile(model, &settings, Seed(1), &mut |progress: Progress| {
            lock(&self.state).learning =
                Some(RideLearning { doing: progress.doing.to_owned(), done: progress.done.clamp(0.0, 1.0) });
            !self.stop.load(Ordering::Relaxed)
        })?;
        let seconds = began.elapsed().as_secs_f64();
        let bytes = culled.to_bytes()?;
        let kept = Kept { format: 1, thorough, seconds, summary: culled.summary(), verdict: culled.verdict() };
        let effort = if thorough { "all" } else { "little: learn it thoroughly in the studio for better jumps" };
        let rows = [("effort".to_owned(), effort.to_owned()), ("learned in".to_owned(), format!("{seconds:.1} s"))];
        let page = culled.report(&rows)?;
        // What cannot be kept is learned again at the next start.
        let _ = std::fs::write(self.file(folder, "html"), page);
        let _ = std::fs::write(self.file(folder, "json"), serde_json::to_vec(&kept).unwrap_or_default());
        let _ = std::fs::write(self.file(folder, "cull"), &bytes);
        let learned = told(&culled, kept, bytes.len());
        Ok((Arc::new(culled), learned))
    }
}

fn told(culled: &Culled, kept: Kept, bytes: usize) -> RideLearned {
    let learned = culled.learned();
    RideLearned {
        thorough: kept.thorough,
        seconds: kept.seconds,
        bytes: bytes as u32,
        period: learned.period(),
        medium: learned.medium(),
        long: learned.long(),
        verdict: kept.verdict,
        summary: kept.summary,
    }
}

/// So little effort that a ride takes a few seconds, with the author's wishes.
fn hurried(wishes: &CompileSettings) -> CompileSettings {
    let effort = CompileSettings {
        most_cells: 4,
        paths_per_cell: 400,
        paths: 24,
        examples: 6000,
        training_rounds: 1,
        kept_states: 1024,
        ..CompileSettings::default()
    };
    let longest = wishes.longest.unwrap_or(120.0).min(120.0);
    CompileSettings { longest: Some(longest), ..wishes.with_effort_of(&effort) }
}
