//! What hangs and grows in the field: motion graphs that are made beside the
//! server, once, and kept.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use proscenium_ensemble::export::{Take, to_glb};
use proscenium_ensemble::{Banner, Generator, Grass, Iris, Making, MotionGraph, Part, Seed, compress};

use crate::api::FieldMaking;
use crate::failure::Failure;
use crate::jobs::lock;
use crate::workspace::Workspace;

use super::planted::{KINDS, Planted};

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

    fn file_name(self) -> String {
        match self {
            Model::Banner(flags) => format!("banner-{flags}.memg"),
            Model::Grass(number) => format!("grass-{number}.memg"),
            Model::Iris(number) => format!("iris-{number}.memg"),
        }
    }
}

/// The motion graphs of the studio, and the meadows that were planted.
pub struct Graphs {
    folder: PathBuf,
    known: Mutex<BTreeMap<Model, State<MotionGraph>>>,
    meadows: Mutex<BTreeMap<u32, State<Planted>>>,
    clips: Mutex<BTreeMap<Model, Vec<u8>>>,
    /// Who has it makes a graph, on all cores.
    turn: Mutex<()>,
    stop: AtomicBool,
}

/// How far something is.
#[derive(Debug)]
pub enum State<Made> {
    /// It is being made.
    Making(FieldMaking),
    /// It is there, and so many bytes large.
    Ready(Arc<Made>, usize),
    /// It could not be made.
    Failed(String),
}

impl<Made> Clone for State<Made> {
    fn clone(&self) -> Self {
        match self {
            State::Making(making) => State::Making(making.clone()),
            State::Ready(made, bytes) => State::Ready(Arc::clone(made), *bytes),
            State::Failed(problem) => State::Failed(problem.clone()),
        }
    }
}

impl<Made> State<Made> {
    /// Nothing is done of it.
    fn begun(doing: &str) -> Self {
        State::Making(FieldMaking { doing: doing.to_owned(), done: 0.0 })
    }
}

impl Graphs {
    /// The graphs of a workspace; nothing is made yet.
    pub fn new(workspace: &Workspace) -> Self {
        Self {
            folder: workspace.ensembles(),
            known: Mutex::default(),
            meadows: Mutex::default(),
            clips: Mutex::default(),
            turn: Mutex::default(),
            stop: AtomicBool::new(false),
        }
    }

    /// How far the graph of a model is; it is begun if nobody asked for it
    /// before.
    pub fn look(self: &Arc<Self>, model: Model) -> State<MotionGraph> {
        let mut known = lock(&self.known);
        if let Some(state) = known.get(&model) {
            return state.clone();
        }
        let state = State::begun("waiting for its turn");
        known.insert(model, state.clone());
        let graphs = Arc::clone(self);
        std::thread::spawn(move || {
            let state = graphs.recall(model).unwrap_or_else(|| graphs.make_anew(model));
            lock(&graphs.known).insert(model, state);
        });
        state
    }

    /// How far the meadow with so many clumps is; the clumps grow first, one
    /// after the other.
    pub fn meadow(self: &Arc<Self>, clumps: u32) -> State<Planted> {
        if let Some(state) = lock(&self.meadows).get(&clumps) {
            return state.clone();
        }
        let mut grown = Vec::new();
        let mut bytes = 0;
        for (number, &(model, share)) in (1..).zip(&KINDS) {
            match self.look(model) {
                State::Ready(graph, size) => {
                    bytes += size;
                    grown.push((graph, share));
                }
                State::Making(FieldMaking { doing, done }) => {
                    let doing = format!("clump {number} of {}, {doing}", KINDS.len());
                    return State::Making(FieldMaking { doing, done });
                }
                State::Failed(problem) => return State::Failed(problem),
            }
        }
        let state = State::begun("planting");
        lock(&self.meadows).insert(clumps, state.clone());
        let graphs = Arc::clone(self);
        std::thread::spawn(move || {
            let state = match Planted::new(&grown, clumps) {
                Ok(planted) => State::Ready(Arc::new(planted), bytes),
                Err(error) => State::Failed(error.to_string()),
            };
            lock(&graphs.meadows).insert(clumps, state);
        });
        state
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
        let bytes = breeze(model).map_err(|error| Failure::machine(&error))?;
        Ok(lock(&self.clips).entry(model).or_insert(bytes).clone())
    }

    /// Breaks off what is being made.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    fn file(&self, model: Model) -> PathBuf {
        self.folder.join(model.file_name())
    }

    /// Takes what was kept, if it can be read.
    fn recall(&self, model: Model) -> Option<State<MotionGraph>> {
        let bytes = std::fs::read(self.file(model)).ok()?;
        let graph = MotionGraph::from_bytes(&bytes).ok()?;
        Some(State::Ready(Arc::new(graph), bytes.len()))
    }

    fn make_anew(&self, model: Model) -> State<MotionGraph> {
        let tell = |making: Making| {
            let making = FieldMaking { doing: making.doing.to_owned(), done: making.done };
            lock(&self.known).insert(model, State::Making(making));
            !self.stop.load(Ordering::Relaxed)
        };
        let _turn = lock(&self.turn);
        let generator = model.generator();
        let made = MotionGraph::make(&generator, SECONDS, generator.error, Seed(1), &tell);
        match made.and_then(|graph| Ok((graph.to_bytes()?, graph))) {
            Ok((bytes, graph)) => {
                // What cannot be kept is made again at the next start.
                let part = self.file(model).with_extension("part");
                let _ = std::fs::write(&part, &bytes).and_then(|()| std::fs::rename(&part, self.file(model)));
                State::Ready(Arc::new(graph), bytes.len())
            }
            Err(error) => State::Failed(error.to_string()),
        }
    }
}

/// An animation of the first page.
fn breeze(model: Model) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let generator = model.generator();
    let part = Part { level: 1, number: 0, seconds: SHOWN };
    let recorded = generator.record(&part, None, Seed(1), &mut || true)?;
    let data = compress(&generator.gather(vec![(part, recorded)])?, 10.0 * generator.error)?;
    Ok(to_glb(&Take::of_sequence(&data, 0), MODES)?.bytes)
}
