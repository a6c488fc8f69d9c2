//! Ensembles: meshes of many parts that move for ever.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use numpy::PyArray2;
use proscenium_ensemble::build::Round;
use proscenium_ensemble::built_in::{BUILT_IN, Banner, built_in};
use proscenium_ensemble::simulate::Generator;
use proscenium_ensemble::{GraphBuild, MotionGraph, Player, Seed};
use proscenium_work::{Artifact, Completion, Folder, Memory, Store as _, read_file, write_file};
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::clip::rows;
use crate::errors::{Raised as _, of};
use crate::work::work;

/// Larger files are no graphs, bytes.
const LARGEST_FILE: u64 = 4 << 30;

/// A motion graph: what can be walked for ever.
#[pyclass(frozen, module = "proscenium")]
pub struct Ensemble {
    graph: Arc<MotionGraph>,
}

#[pymethods]
impl Ensemble {
    /// Builds an ensemble that comes with the engine, from `seconds` of each strength of the
    /// wind; of a banner it may be said how many flags it has. With a folder what is done is kept there, and the same call goes on where it was
    /// stopped.
    #[staticmethod]
    #[pyo3(signature = (name, *, seconds = 20.0, seed = 1, flags = None, folder = None))]
    fn build(
        py: Python<'_>,
        name: &str,
        seconds: f64,
        seed: u64,
        flags: Option<u32>,
        folder: Option<PathBuf>,
    ) -> PyResult<Self> {
        let generator = generator(py, name, flags, seed)?;
        if let Some(folder) = &folder {
            std::fs::create_dir_all(folder)
                .map_err(|error| PyOSError::new_err(format!("cannot make `{}`: {error}", folder.display())))?;
        }
        let made = work(py, |progress| match folder {
            Some(folder) => GraphBuild::new(&Folder::new(folder), Seed(seed)).make(&generator, seconds, progress),
            None => GraphBuild::new(&Memory::default(), Seed(seed)).make(&generator, seconds, progress),
        })?;
        match made.raised(py)? {
            Completion::Finished(graph) => Ok(Self { graph: Arc::new(graph) }),
            Completion::Stopped => Err(PyKeyboardInterrupt::new_err(())),
        }
    }

    /// The round of a build that can be done apart now, by others: what is read from the folder for it,
    /// by name, and its `parts`; `None` if there is nothing more to do but `gather`.
    #[staticmethod]
    #[pyo3(signature = (name, folder, *, seconds = 20.0, seed = 1, flags = None))]
    fn round(
        py: Python<'_>,
        name: &str,
        folder: PathBuf,
        seconds: f64,
        seed: u64,
        flags: Option<u32>,
    ) -> PyResult<Option<BuildRound>> {
        let generator = generator(py, name, flags, seed)?;
        let store = Folder::new(folder);
        let build = GraphBuild::new(&store, Seed(seed));
        let round = work(py, |progress| build.round(&generator, seconds, progress))?.raised(py)?;
        let round = round.finished().ok_or_else(|| PyKeyboardInterrupt::new_err(()))?;
        Ok(round.map(|round| BuildRound { round, name: name.to_owned(), seconds, seed, flags }))
    }

    /// The graph of a build in a folder that has no more rounds.
    #[staticmethod]
    #[pyo3(signature = (folder, *, seed = 1))]
    fn gather(py: Python<'_>, folder: PathBuf, seed: u64) -> PyResult<Self> {
        let store = Folder::new(folder);
        let made = work(py, |progress| GraphBuild::new(&store, Seed(seed)).gather(progress))?;
        match made.raised(py)? {
            Completion::Finished(graph) => Ok(Self { graph: Arc::new(graph) }),
            Completion::Stopped => Err(PyKeyboardInterrupt::new_err(())),
        }
    }

    /// The names of the ensembles that can be built without data.
    #[staticmethod]
    fn names() -> Vec<&'static str> {
        BUILT_IN.to_vec()
    }

    /// Reads a graph that `save` or the command has written (`graph.memg`).
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let bytes = read_file(&path, LARGEST_FILE)
            .map_err(|error| PyOSError::new_err(format!("cannot read `{}`: {error}", path.display())))?;
        Ok(Self { graph: Arc::new(MotionGraph::from_bytes(&bytes).raised(py)?) })
    }

    /// Writes the graph, for `load`, the command and games.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        write_file(&path, &self.graph.to_bytes())
            .map_err(|error| PyOSError::new_err(format!("cannot write `{}`: {error}", path.display())))
    }

    #[getter]
    fn name(&self) -> &str {
        self.graph.data().name()
    }

    /// The parts that move at their own time.
    #[getter]
    fn groups(&self) -> Vec<&str> {
        self.graph.data().groups().iter().map(|group| group.name.as_str()).collect()
    }

    /// The strengths of the wind that can be walked, from the weakest.
    #[getter]
    fn levels(&self) -> Vec<&str> {
        self.graph.levels().map(|level| self.graph.data().conditions()[level].name.as_str()).collect()
    }

    /// Frames of the data in a second.
    #[getter]
    fn fps(&self) -> f64 {
        self.graph.data().frames_per_second()
    }

    /// How many transitions there are between moments of the data.
    #[getter]
    fn transitions(&self) -> usize {
        self.graph.transitions().len()
    }

    /// How much of the data can be walked, as a share.
    #[getter]
    fn walkable_share(&self) -> f64 {
        self.graph.report().walkable_share()
    }

    /// Three vertices a row, counted through all groups.
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let mut first = 0;
        let mut corners = Vec::new();
        for group in self.graph.data().groups() {
            corners.extend(group.triangles.iter().flatten().map(|corner| corner + first));
            first += group.rest.len() as u32;
        }
        rows(py, corners, 3)
    }

    /// A walk through it, in the weakest wind at first.
    #[pyo3(signature = (*, seed = 1))]
    fn walk(&self, py: Python<'_>, seed: u64) -> PyResult<Walk> {
        Ok(Walk { player: Player::new(&self.graph, Seed(seed)).raised(py)? })
    }

    fn __repr__(&self) -> String {
        let (groups, transitions) = (self.graph.data().groups().len(), self.graph.transitions().len());
        format!("<proscenium.Ensemble {:?}: {groups} groups, {transitions} transitions>", self.name())
    }
}

/// What makes the data of an ensemble that comes with the engine.
fn generator(py: Python<'_>, name: &str, flags: Option<u32>, seed: u64) -> PyResult<Generator> {
    let generator = match (name, flags) {
        ("banner", Some(flags @ 1..=100)) => Some(Banner { flags, ..Banner::default() }.generator()),
        (_, Some(_)) => return Err(of(py, "only a banner has flags", Some("give flags=1 to 100 of a banner"))),
        (name, None) => built_in(name, Seed(seed)),
    };
    generator.ok_or_else(|| {
        let remedy = format!("the ensembles are: {}", BUILT_IN.join(", "));
        of(py, &format!("there is no ensemble \"{name}\""), Some(&remedy))
    })
}

/// A round of a build: parts that know nothing of each other.
#[pyclass(frozen, module = "proscenium")]
pub struct BuildRound {
    round: Round,
    name: String,
    seconds: f64,
    seed: u64,
    flags: Option<u32>,
}

#[pymethods]
impl BuildRound {
    /// How many parts there are; they are called by numbers from 0.
    #[getter]
    fn parts(&self) -> usize {
        self.round.parts
    }

    /// The files of the folder that a part reads.
    #[getter]
    fn needs(&self) -> Vec<String> {
        self.round.needs.clone()
    }

    /// Does a part, from the content of those files.
    fn part<'py>(
        &self,
        py: Python<'py>,
        number: usize,
        files: BTreeMap<String, Vec<u8>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let generator = generator(py, &self.name, self.flags, self.seed)?;
        let store = Memory::default();
        for (name, content) in &files {
            store.write(name, content).raised(py)?;
        }
        let build = GraphBuild::new(&store, Seed(self.seed));
        let made =
            work(py, |progress| build.part(&generator, self.seconds, &self.round, number, progress))?.raised(py)?;
        let made = made.finished().ok_or_else(|| PyKeyboardInterrupt::new_err(()))?;
        Ok(PyBytes::new(py, &made))
    }

    /// Takes what parts came to into the folder, each with its number.
    fn take(&self, py: Python<'_>, folder: PathBuf, made: Vec<(usize, Vec<u8>)>) -> PyResult<()> {
        let generator = generator(py, &self.name, self.flags, self.seed)?;
        let store = Folder::new(folder);
        let build = GraphBuild::new(&store, Seed(self.seed));
        work(py, |_| build.take(&generator, self.seconds, &self.round, &made))?.raised(py)
    }

    /// A round that was sent as bytes.
    #[new]
    fn new(py: Python<'_>, content: &[u8]) -> PyResult<Self> {
        let (name, seconds, seed, flags, round): (String, f64, u64, Option<u32>, Round) =
            ROUND.open(content).raised(py)?;
        Ok(Self { round, name, seconds, seed, flags })
    }

    fn __reduce__(&self, py: Python<'_>) -> (Py<PyAny>, (Py<PyBytes>,)) {
        (py.get_type::<Self>().into_any().unbind(), (self.to_bytes(py).unbind(),))
    }

    /// The round as bytes, to be sent to those who work.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &ROUND.seal(&(&self.name, self.seconds, self.seed, self.flags, &self.round)))
    }
}

/// How a round is sent to those who work.
const ROUND: Artifact = Artifact::new("round", "a round of a build", 1, "ask for it again");

/// A walk through an ensemble.
#[pyclass(module = "proscenium")]
pub struct Walk {
    player: Player,
}

#[pymethods]
impl Walk {
    /// Where all vertices are at a time, seconds, which only goes forward: x, y, z a row.
    fn vertices<'py>(&mut self, py: Python<'py>, now: f64) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let mut positions = Vec::new();
        py.detach(|| -> Result<(), proscenium_ensemble::EnsembleError> {
            self.player.see_at(now)?;
            let frames = now * self.player.graph().data().frames_per_second();
            self.player.positions_between((frames - frames.floor()) as f32, &mut positions);
            Ok(())
        })
        .raised(py)?;
        rows(py, positions.into_flattened(), 3)
    }

    /// Walks towards another strength of the wind; how long that takes at most, seconds.
    fn want(&mut self, py: Python<'_>, level: &str) -> PyResult<f64> {
        let graph = Arc::clone(self.player.graph());
        let frames = graph.level(level).and_then(|level| self.player.want(level)).raised(py)?;
        Ok(frames as f64 / graph.data().frames_per_second())
    }

    /// The strength of the wind that is played.
    #[getter]
    fn level(&self) -> String {
        self.player.graph().data().conditions()[self.player.level()].name.clone()
    }

    fn __repr__(&self) -> String {
        format!("<proscenium.Walk at frame {} in {:?}>", self.player.now(), self.level())
    }
}
