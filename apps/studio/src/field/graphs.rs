//! What hangs and grows in the field: motion graphs that are made beside the
//! server, once, and kept.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

use proscenium_ensemble::build::{BuildError, GRAPH, GraphBuild};
use proscenium_ensemble::built_in::{Banner, Grass, Iris};
use proscenium_ensemble::export::{Take, to_glb};
use proscenium_ensemble::simulate::{Generator, Part};
use proscenium_ensemble::{EnsembleError, MotionGraph, Seed, compress};
use proscenium_work::{Completion, Folder, Progress, Remedy, Stop, Store as _};

use crate::failure::Failure;
use crate::jobs::{Bench, State, lock};
use crate::workspace::Workspace;

use super::planting::{KINDS, Planting, Soil};
use super::spare::Spare;

/// How much is simulated of each wind, s.
const SECONDS: f64 = 12.0;
/// How far a vertex of a banner may be from where it was, m.
const ERROR: f64 = 0.002;
/// Blades of a clump, and parts of one with an iris: fewer than in the lab, since
/// they grow on the first visit.
const BLADES: u32 = 24;
const IRIS_PARTS: usize = 30;

/// How long the pictures of the first page are, s, and how many modes they have.
const SHOWN: f64 = 4.0;
const MODES: usize = 12;

/// Something that has a motion graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Model {
    /// The banner with so many flags.
    Banner(u32),
    /// One of the clumps of grass.
    Grass(u32),
    /// One of the clumps with an iris in grass.
    Iris(u32),
}

impl Model {
    /// How it is simulated.
    pub fn generator(self) -> Generator {
        let seed = |number: u32| Seed(1).child("clump", u64::from(number));
        match self {
            Model::Banner(flags) => Generator { error: ERROR, ..Banner { flags, ..Banner::default() }.generator() },
            Model::Grass(number) => Grass { blades: BLADES, ..Grass::clump(seed(number)) }.generator("grass", 3),
            Model::Iris(number) => {
                Iris { irises: 1, groups: IRIS_PARTS, ..Iris::clump(seed(number)) }.generator("iris", 3)
            }
        }
    }

    /// What its folder is called.
    fn name(self) -> String {
        match self {
            Model::Banner(flags) => format!("banner-{flags}"),
            Model::Grass(number) => format!("grass-{number}"),
            Model::Iris(number) => format!("iris-{number}"),
        }
    }
}

/// A motion graph that is kept in the workspace.
pub struct StoredGraph {
    /// The graph.
    pub graph: Arc<MotionGraph>,
    /// How large its file is.
    pub bytes: usize,
}

/// The motion graphs of the studio, and the meadows that were planted.
pub struct Graphs {
    folder: PathBuf,
    graphs: Mutex<Spare<Model, StoredGraph>>,
    meadows: Mutex<Spare<u32, Planting>>,
    /// What all meadows are planted with.
    soil: Arc<OnceLock<Soil>>,
    clips: Mutex<BTreeMap<Model, Vec<u8>>>,
    /// Graphs are made here, one after the other, on all cores.
    bench: Bench,
    /// What takes a moment is done here: reading what is kept, and planting.
    desk: Bench,
    stop: Stop,
}

impl Graphs {
    /// The graphs of a workspace; nothing is made yet.
    pub fn new(workspace: &Workspace) -> Self {
        Self {
            folder: workspace.ensembles(),
            graphs: Mutex::default(),
            meadows: Mutex::default(),
            soil: Arc::default(),
            clips: Mutex::default(),
            bench: Bench::new(1),
            desk: Bench::new(4),
            stop: Stop::new(),
        }
    }

    /// How far the graph of a model is; it is begun if nobody asked for it
    /// before.
    pub fn look(&self, model: Model) -> State<StoredGraph> {
        let job = lock(&self.graphs).job(model, |stored| Arc::strong_count(&stored.graph) > 1);
        if matches!(job.state(), State::Idle) {
            let shelf = Shelf { folder: Folder::new(&self.folder), model };
            let bench = if shelf.is_kept() { &self.desk } else { &self.bench };
            bench.begin(&job, move |progress| shelf.recall_or_make(progress));
        }
        job.state()
    }

    /// How far the meadow with so many clumps is; the clumps grow first, one
    /// after the other.
    pub fn meadow(&self, clumps: u32) -> State<Planting> {
        // A state holds what was made, and so does its job.
        let job = lock(&self.meadows).job(clumps, |planted| Arc::strong_count(planted) > 2);
        if !matches!(job.state(), State::Idle) {
            return job.state();
        }
        let mut grown = Vec::new();
        let mut bytes = 0;
        for (number, &(model, share)) in (1..).zip(&KINDS) {
            let doing = |doing: &str| format!("clump {number} of {}, {doing}", KINDS.len());
            match self.look(model) {
                State::Ready(stored) => {
                    bytes += stored.bytes;
                    grown.push((Arc::clone(&stored.graph), share));
                }
                State::Idle | State::Waiting => {
                    return State::Working { doing: doing("waiting for its turn"), done: 0.0 };
                }
                State::Working { doing: now, done } => return State::Working { doing: doing(&now), done },
                State::Stopped => return State::Stopped,
                State::Failed(problem) => return State::Failed(problem),
            }
        }
        let soil = Arc::clone(&self.soil);
        self.desk.begin(&job, move |progress| {
            plant(&soil, &grown, clumps, bytes, progress).map_err(|error| failure(&error))
        });
        job.state()
    }

    /// A model in a breeze, as a short animation for the first page.
    ///
    /// # Errors
    ///
    /// A model that cannot be simulated.
    pub fn clip(&self, model: Model) -> Result<Vec<u8>, Failure> {
        if let Some(bytes) = lock(&self.clips).get(&model) {
            return Ok(bytes.clone());
        }
        let Completion::Finished(bytes) = breeze(model, &Progress::new(&self.stop))? else {
            return Err(Failure::missing("the studio is being closed", "start it again"));
        };
        Ok(lock(&self.clips).entry(model).or_insert(bytes).clone())
    }

    /// Breaks off what is being made; what is done is kept.
    pub fn stop(&self) {
        self.stop.press();
        lock(&self.graphs).all().for_each(|job| job.stop());
        lock(&self.meadows).all().for_each(|job| job.stop());
    }
}

/// Plants a meadow; the soil is the same for all of them, and so are the shapes that
/// are made of its clumps.
fn plant(
    soil: &OnceLock<Soil>,
    grown: &[(Arc<MotionGraph>, f64)],
    clumps: u32,
    bytes: usize,
    progress: &Progress,
) -> Result<Completion<Planting>, EnsembleError> {
    let soil = match soil.get() {
        Some(soil) => soil,
        None => match Soil::new(grown, &progress.part(0.0, 0.5))? {
            Completion::Finished(made) => soil.get_or_init(|| made),
            Completion::Stopped => return Ok(Completion::Stopped),
        },
    };
    Planting::new(soil, clumps, bytes, &progress.part(0.5, 1.0))
}

/// Where the graph of a model is kept: in a folder of its own, or as a single file,
/// as release 0.1 kept it.
struct Shelf {
    folder: Folder,
    model: Model,
}

impl Shelf {
    fn names(&self) -> [String; 2] {
        let name = self.model.name();
        [format!("{name}.memg"), format!("{name}/{GRAPH}")]
    }

    fn is_kept(&self) -> bool {
        self.names().iter().any(|name| self.folder.path().join(name).is_file())
    }

    fn recall_or_make(&self, progress: &Progress) -> Result<Completion<StoredGraph>, Failure> {
        match self.recall() {
            Some(stored) => Ok(Completion::Finished(stored)),
            None => self.make(progress).map_err(|error| failure(&error)),
        }
    }

    /// Takes what was kept, if it can be read.
    fn recall(&self) -> Option<StoredGraph> {
        self.names().iter().find_map(|name| {
            let bytes = self.folder.read(name).ok()??;
            let graph = MotionGraph::from_bytes(&bytes).ok()?;
            Some(StoredGraph { graph: Arc::new(graph), bytes: bytes.len() })
        })
    }

    /// Goes on with what an earlier visit began, or begins.
    fn make(&self, progress: &Progress) -> Result<Completion<StoredGraph>, BuildError> {
        let folder = Folder::new(self.folder.path().join(self.model.name()));
        let build = GraphBuild::new(&folder, Seed(1));
        let generator = self.model.generator();
        let Completion::Finished(graph) = build.make(&generator, SECONDS, progress)? else {
            return Ok(Completion::Stopped);
        };
        build.clear(&generator, SECONDS)?;
        let bytes = graph.to_bytes().len();
        Ok(Completion::Finished(StoredGraph { graph: Arc::new(graph), bytes }))
    }
}

/// What is wrong, and what to do.
fn failure(error: &dyn Remedy) -> Failure {
    let help = error.remedy().unwrap_or_default();
    Failure::new(axum::http::StatusCode::INTERNAL_SERVER_ERROR, error.to_string(), help)
}

/// An animation of the first page.
fn breeze(model: Model, progress: &Progress) -> Result<Completion<Vec<u8>>, Failure> {
    let generator = model.generator();
    let part = Part { level: 1, number: 0, seconds: SHOWN };
    let wrong = |error: EnsembleError| failure(&error);
    let recording = generator.record(&part, None, Seed(1), progress).map_err(wrong)?;
    let Completion::Finished(recording) = recording else { return Ok(Completion::Stopped) };
    let ensemble = generator.gather(vec![(part, recording)]).map_err(wrong)?;
    let data = compress(&ensemble, 10.0 * generator.error, progress).map_err(wrong)?;
    let Completion::Finished(data) = data else { return Ok(Completion::Stopped) };
    let glb = to_glb(&Take::of_sequence(&data, 0), MODES, progress).map_err(|error| Failure::machine(&error))?;
    Ok(glb.map(|glb| glb.bytes))
}
