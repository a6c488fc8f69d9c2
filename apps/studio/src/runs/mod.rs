//! Runs of the director: long work that goes on beside the server, outlives a
//! closed tab, and is found again after a restart.

mod keep;
mod work;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use proscenium_direct::{Parent, Point};
use proscenium_director::{DirectorError, directed_as_recorded};
use proscenium_gallery::{Entry, Gallery, GalleryError, Origin};
use proscenium_scenes::{DIFFERENT, DirectedScene, DrawnScene, FoundAnimation, Scene};
use proscenium_work::Progress;

use crate::api::{GalleryEntry, RunBreed, RunOrder, RunPick, RunReport, RunState, SceneChoice, TracePoint};
use crate::failure::Failure;
use crate::jobs::{Bench, Job, State, lock};
use crate::scene::resolve;
use crate::workspace::Workspace;

/// So many runs work beside each other.
const AT_ONCE: usize = 2;
/// So many animations may be ordered.
const MOST_SAMPLES: u32 = 1000;
/// How far what may move a little moves, in standard deviations; as the command has it.
const REACH: f64 = 0.25;
/// So many runs are listed.
const MOST_RUNS: usize = 200;

/// All runs of the workspace.
pub struct Runs {
    workspace: Workspace,
    known: Mutex<BTreeMap<String, Arc<Run>>>,
    bench: Bench,
}

/// One run.
pub struct Run {
    id: String,
    folder: PathBuf,
    job: Arc<Job<()>>,
    status: Mutex<Status>,
}

/// What is known of a run beside how far its job is.
struct Status {
    order: RunOrder,
    /// Whether it has found all that was ordered.
    is_finished: bool,
    wants: Vec<String>,
    method: Option<String>,
    simulations: u64,
    rate: f64,
    found: u32,
    different: u32,
    settling: Option<String>,
    nearest: Option<[u32; 2]>,
    done: f64,
    moves: Vec<(String, f64)>,
    trace: VecDeque<TracePoint>,
    /// Of each entry, the first one that it is like.
    groups: Vec<u32>,
    /// The entries that were picked; one may come twice.
    picked: Vec<u32>,
    favourites: BTreeSet<u32>,
}

impl Status {
    fn new(order: RunOrder) -> Self {
        Self {
            order,
            is_finished: false,
            wants: Vec::new(),
            method: None,
            simulations: 0,
            rate: 0.0,
            found: 0,
            different: 0,
            settling: None,
            nearest: None,
            done: 0.0,
            moves: Vec::new(),
            trace: VecDeque::new(),
            groups: Vec::new(),
            picked: Vec::new(),
            favourites: BTreeSet::new(),
        }
    }
}

impl Runs {
    /// The runs of a workspace; those that were under way have stopped.
    pub fn open(workspace: &Workspace) -> Self {
        let found = workspace.runs().into_iter().filter_map(|id| {
            let folder = workspace.run(&id).ok()?;
            let status = keep::read(&folder)?;
            Some((id.clone(), Arc::new(Run { id, folder, job: Arc::default(), status: Mutex::new(status) })))
        });
        Self { workspace: workspace.clone(), known: Mutex::new(found.collect()), bench: Bench::new(AT_ONCE) }
    }

    /// A run by its name.
    ///
    /// # Errors
    ///
    /// One that is not there.
    pub fn find(&self, id: &str) -> Result<Arc<Run>, Failure> {
        lock(&self.known).get(id).cloned().ok_or_else(|| {
            let help = "the first page lists the runs of this workspace";
            Failure::missing(format!("there is no run “{}”", id.chars().take(60).collect::<String>()), help)
        })
    }

    /// All runs, the latest first.
    pub fn list(&self) -> Vec<RunReport> {
        let known = lock(&self.known).clone();
        let names = self.workspace.runs();
        let begun = known.values().filter(|run| !names.contains(&run.id));
        let listed = names.iter().filter_map(|name| known.get(name));
        begun.chain(listed).take(MOST_RUNS).map(|run| RunReport { trace: Vec::new(), ..run.report() }).collect()
    }

    /// Begins a run.
    ///
    /// # Errors
    ///
    /// A scene that cannot be directed, or a folder that cannot be written.
    pub fn start(&self, order: RunOrder) -> Result<Arc<Run>, Failure> {
        check_samples(order.samples)?;
        let scene = resolve(&order.scene, &self.workspace)?;
        let directed = self.directed(&scene, &order)?;
        let parents = self.parents(&order)?;
        let id = self.workspace.new_run(&title(&order.scene, &scene)).map_err(|error| Failure::machine(&error))?;
        let folder = self.workspace.run(&id)?;
        keep::write_order(&folder, &order).map_err(|error| Failure::machine(&error))?;
        let mut status = Status::new(order);
        status.wants = scene.wants().map(str::to_owned).collect();
        let run = Arc::new(Run { id: id.clone(), folder, job: Arc::default(), status: Mutex::new(status) });
        lock(&self.known).insert(id, run.clone());
        self.work(&run, directed, parents);
        Ok(run)
    }

    /// Goes on with a run that has stopped, or finds more.
    ///
    /// # Errors
    ///
    /// A run that is under way, or whose scene cannot be read any more.
    pub fn resume(&self, run: &Arc<Run>, samples: u32) -> Result<(), Failure> {
        check_samples(samples)?;
        let mut status = lock(&run.status);
        if run.job.is_under_way() {
            let status = axum::http::StatusCode::CONFLICT;
            return Err(Failure::new(status, "the run is under way", "stop it first"));
        }
        let scene = resolve(&status.order.scene, &self.workspace)?;
        let (directed, parents) = match run.recorded(&scene)? {
            Some(recorded) => recorded,
            None => (self.directed(&scene, &status.order)?, self.parents(&status.order)?),
        };
        status.order.samples = samples;
        keep::write_order(&run.folder, &status.order).map_err(|error| Failure::machine(&error))?;
        drop(status);
        self.work(run, directed, parents);
        Ok(())
    }

    /// What a run samples: the scene, of which a stretch may be given.
    fn directed(&self, scene: &Scene, order: &RunOrder) -> Result<DirectedScene, Failure> {
        let directed = DirectedScene::new(scene)?;
        if let Some(like) = &order.like {
            let found = self.find(&like.run)?.found(like.entry, &self.workspace)?;
            let little = if like.hold.is_empty() { vec!["*".to_owned()] } else { Vec::new() };
            return Ok(directed.like(&found, &like.hold, &little, REACH)?);
        }
        let Some(keep) = &order.keep else { return Ok(directed) };
        let found = self.find(&keep.run)?.found(keep.entry, &self.workspace)?;
        let kept = directed.keeping(&found, keep.until, &Progress::none())?;
        kept.finished().ok_or_else(|| Failure::machine(&"nobody stops it"))
    }

    /// Animations that others are sought between and around, if the order has any.
    fn parents(&self, order: &RunOrder) -> Result<Vec<Parent>, Failure> {
        let Some(RunBreed { run, entries }) = &order.breed else { return Ok(Vec::new()) };
        if order.pick == Some(RunPick::Likely) {
            return Err(DirectorError::NotFair.into());
        }
        if entries.len() < 2 {
            return Err(Failure::bad("one animation has nothing between it", "choose two or three of the wall"));
        }
        let found = self.find(run)?.stored()?;
        let parent = |index: &u32| {
            let entry = found.get(*index as usize).ok_or_else(|| no_entry(*index, found.len()))?;
            Ok(Parent { point: entry.sample.point.clone(), log_score: entry.sample.log_score })
        };
        entries.iter().map(parent).collect()
    }

    /// Tells all runs to stop.
    pub fn stop_all(&self) {
        lock(&self.known).values().for_each(|run| run.stop());
    }

    fn work(&self, run: &Arc<Run>, directed: DirectedScene, parents: Vec<Parent>) {
        let ours = run.clone();
        self.bench.begin(&run.job, move |progress| ours.work(&directed, &parents, progress));
    }
}

impl Run {
    /// How far it is.
    pub fn report(&self) -> RunReport {
        let status = lock(&self.status);
        let (state, problem) = match self.job.state() {
            State::Waiting => (RunState::Waiting, None),
            State::Working { .. } => (RunState::Running, None),
            State::Failed(problem) => (RunState::Failed, Some(problem)),
            _ if status.is_finished => (RunState::Finished, None),
            _ => (RunState::Stopped, None),
        };
        let scene = &status.order.scene;
        let name = scene.builtin.clone().unwrap_or_else(|| self.id.clone());
        RunReport {
            id: self.id.clone(),
            title: scene.text.as_ref().map_or_else(|| name.clone(), |text| format!("{name} {text}")),
            order: status.order.clone(),
            state,
            problem,
            wants: status.wants.clone(),
            method: status.method.clone(),
            simulations: status.simulations as f64,
            rate: status.rate,
            found: status.found,
            different: status.different,
            different_means: DIFFERENT.to_owned(),
            settling: status.settling.clone(),
            nearest: status.nearest,
            done: status.done,
            moves: status.moves.clone(),
            trace: status.trace.iter().copied().collect(),
        }
    }

    /// Ends it where it is; what it found is kept.
    pub fn stop(&self) {
        self.job.stop();
    }

    /// What it found.
    ///
    /// # Errors
    ///
    /// A gallery that cannot be read.
    pub fn entries(&self) -> Result<Vec<GalleryEntry>, Failure> {
        let entries = self.stored()?;
        let status = lock(&self.status);
        let told = entries.iter().enumerate().map(|(index, entry)| GalleryEntry {
            index: index as u32,
            chain: entry.sample.chain as u32,
            iteration: entry.sample.iteration as f64,
            log_score: entry.sample.log_score,
            warm_up: entry.sample.phase == 0,
            group: status.groups.get(index).copied().unwrap_or(index as u32),
            picked: status.picked.iter().filter(|picked| **picked as usize == index).count() as u32,
            favourite: status.favourites.contains(&(index as u32)),
        });
        Ok(told.collect())
    }

    /// Keeps an entry as a favourite, or does not.
    ///
    /// # Errors
    ///
    /// An entry that is not there, or a folder that cannot be written.
    pub fn set_favourite(&self, index: u32, favourite: bool) -> Result<(), Failure> {
        let mut status = lock(&self.status);
        if index >= status.found {
            return Err(no_entry(index, status.found as usize));
        }
        if favourite {
            status.favourites.insert(index);
        } else {
            status.favourites.remove(&index);
        }
        keep::write_marks(&self.folder, &status).map_err(|error| Failure::machine(&error))
    }

    /// An entry as a scene whose values are drawn.
    ///
    /// # Errors
    ///
    /// An entry that is not there, or a gallery that cannot be read.
    pub fn drawn(&self, index: u32, workspace: &Workspace) -> Result<DrawnScene, Failure> {
        let (directed, point) = self.entry(index, workspace)?;
        directed.drawn(&point).map_err(|error| Failure::machine(&error))
    }

    /// An entry, simulated again, for a stretch of it to be kept.
    fn found(&self, index: u32, workspace: &Workspace) -> Result<FoundAnimation, Failure> {
        let (directed, point) = self.entry(index, workspace)?;
        let found = directed.found(&point, &Progress::none()).map_err(DirectorError::from)?;
        found.finished().ok_or_else(|| Failure::machine(&"nobody stops it"))
    }

    fn entry(&self, index: u32, workspace: &Workspace) -> Result<(DirectedScene, Point), Failure> {
        let choice = lock(&self.status).order.scene.clone();
        let entries = self.stored()?;
        let entry = entries.get(index as usize).ok_or_else(|| no_entry(index, entries.len()))?;
        let recorded = self.recorded(&resolve(&choice, workspace)?)?;
        let (directed, _) = recorded.ok_or_else(|| no_entry(index, entries.len()))?;
        Ok((directed, entry.sample.point.clone()))
    }

    /// What it samples, and what it breeds, as it was begun; `None` if it was not.
    fn recorded(&self, scene: &Scene) -> Result<Option<(DirectedScene, Vec<Parent>)>, Failure> {
        match Gallery::open(self.folder.join(keep::GALLERY)) {
            Err(GalleryError::Missing { .. } | GalleryError::Empty { .. }) => Ok(None),
            opened => {
                let run = opened?.run()?;
                let directed = directed_as_recorded(scene, &run)?;
                let parents = if let Origin::Bred(parents) = run.origin { parents } else { Vec::new() };
                Ok(Some((directed, parents)))
            }
        }
    }

    fn stored(&self) -> Result<Vec<Entry>, Failure> {
        match Gallery::open(self.folder.join(keep::GALLERY)) {
            // The run has not begun, or is just about to.
            Err(GalleryError::Missing { .. } | GalleryError::Empty { .. }) => Ok(Vec::new()),
            opened => Ok(opened?.entries()?),
        }
    }
}

/// What a run is called: the scene, and the text that it is made from.
fn title(choice: &SceneChoice, scene: &Scene) -> String {
    choice.text.as_ref().map_or_else(|| scene.name().to_owned(), |text| format!("{}-{text}", scene.name()))
}

/// Pages count animations from 1, addresses from 0.
fn no_entry(index: u32, found: usize) -> Failure {
    let there_are = match found {
        0 => "nothing is found yet".to_owned(),
        1 => "only one is found".to_owned(),
        found => format!("{found} are found, numbered from 0 in addresses"),
    };
    let error = format!("this run has no animation {}: {there_are}", u64::from(index) + 1);
    Failure::missing(error, "choose one of the gallery's pictures")
}

fn check_samples(samples: u32) -> Result<(), Failure> {
    if (1..=MOST_SAMPLES).contains(&samples) {
        return Ok(());
    }
    Err(Failure::bad(format!("{samples} animations cannot be ordered"), format!("order from 1 to {MOST_SAMPLES}")))
}
