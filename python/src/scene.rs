//! Scenes, and one simulation of them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyArray2};
use proscenium_chance::Seed;
use proscenium_scenes::{self as scenes, ContactNote, DrawnScene, SimulateOptions, Source};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::clip::Clip;
use crate::errors::Raised as _;
use crate::work::work;

/// Bodies, materials, what of them is uncertain, and what is wanted.
#[pyclass(frozen, module = "proscenium")]
pub struct Scene {
    pub scene: scenes::Scene,
}

#[pymethods]
impl Scene {
    /// A scene that comes with the engine, with its parameters by name.
    #[staticmethod]
    #[pyo3(signature = (name, **parameters))]
    fn built_in(py: Python<'_>, name: &str, parameters: Option<BTreeMap<String, f64>>) -> PyResult<Self> {
        let parameters = parameters.unwrap_or_default();
        let settings: Vec<(&str, f64)> = parameters.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let (plain, text) = name.split_once('=').map_or((name, None), |(plain, text)| (plain, Some(text)));
        let Some(found) = scenes::builtin().iter().find(|builtin| builtin.name == plain) else {
            let names: Vec<&str> = scenes::builtin().iter().map(|builtin| builtin.name).collect();
            let remedy = format!("the scenes are {}; `Scene.load` reads a file", names.join(", "));
            return Err(crate::errors::of(py, &format!("there is no built-in scene \"{plain}\""), Some(&remedy)));
        };
        let scene = match text {
            Some(text) => found.scene_of(text, &settings),
            None => found.scene(&settings),
        };
        Ok(Self { scene: scene.raised(py)? })
    }

    /// The names of the scenes that come with the engine.
    #[staticmethod]
    fn names() -> Vec<&'static str> {
        scenes::builtin().iter().map(|builtin| builtin.name).collect()
    }

    /// Reads a scene file; its meshes are sought beside it.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Ok(Self { scene: scenes::Scene::read(&path).raised(py)? })
    }

    /// A scene from the text of a scene file.
    #[staticmethod]
    #[pyo3(signature = (text, name = "scene.toml"))]
    fn from_toml(py: Python<'_>, text: &str, name: &str) -> PyResult<Self> {
        Ok(Self { scene: scenes::Scene::parse(text, &Source::inline(name, text)).raised(py)? })
    }

    /// The scene as a file that reads as the same scene.
    fn to_toml(&self) -> String {
        self.scene.to_toml()
    }

    /// The same scene with more wants, in words.
    fn with_wants(&self, py: Python<'_>, want: &str) -> PyResult<Self> {
        Ok(Self { scene: self.scene.with_wants(want).raised(py)? })
    }

    /// The same scene without any wants.
    fn without_wants(&self, py: Python<'_>) -> PyResult<Self> {
        Ok(Self { scene: self.scene.without_wants().raised(py)? })
    }

    /// The same scene with a variable that is certain.
    fn with_variable(&self, py: Python<'_>, name: &str, value: f64) -> PyResult<Self> {
        Ok(Self { scene: self.scene.with_variable(name, value).raised(py)? })
    }

    #[getter]
    fn name(&self) -> &str {
        self.scene.name()
    }

    #[getter]
    fn duration(&self) -> f64 {
        self.scene.duration()
    }

    #[getter]
    fn wants(&self) -> Vec<String> {
        self.scene.wants().map(str::to_owned).collect()
    }

    #[getter]
    fn variables(&self) -> Vec<String> {
        self.scene.variables().map(|(name, _)| name.to_owned()).collect()
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.scene.warnings().to_vec()
    }

    fn __repr__(&self) -> String {
        let bodies = self.scene.body_count();
        format!("<proscenium.Scene {:?}: {bodies} bodies, {} s>", self.scene.name(), self.scene.duration())
    }
}

/// One run of a scene.
#[pyclass(frozen, module = "proscenium")]
pub struct Simulation {
    clip: Arc<proscenium_clip::Clip>,
    values: BTreeMap<String, f64>,
    contacts: Vec<ContactNote>,
    events: u64,
    collisions: u64,
    state_hash: u64,
}

impl Simulation {
    fn new(drawn: &DrawnScene, simulation: scenes::Simulation) -> Self {
        Self {
            clip: Arc::new(simulation.clip),
            values: drawn.values().clone(),
            contacts: simulation.contacts,
            events: simulation.statistics.events,
            collisions: simulation.statistics.collisions,
            state_hash: simulation.state_hash,
        }
    }
}

#[pymethods]
impl Simulation {
    /// What was seen.
    #[getter]
    fn clip(&self) -> Clip {
        Clip { clip: self.clip.clone() }
    }

    /// Where a body was: x, y, z and its turn as a quaternion x, y, z, w, a row per
    /// moment; `fps` moments in a second, or those of `times`.
    #[pyo3(signature = (body, *, fps = 60.0, times = None))]
    fn poses<'py>(
        &self,
        py: Python<'py>,
        body: &str,
        fps: f64,
        times: Option<Vec<f64>>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        self.clip().poses(py, body, fps, times)
    }

    /// What was uncertain, as it was drawn.
    #[getter]
    fn values(&self) -> BTreeMap<String, f64> {
        self.values.clone()
    }

    /// The collisions in order: `time`, `point`, `speed` (m/s) and `impulse` (N s) as
    /// arrays, `a` and `b` as lists of names.
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let numbers = |of: fn(&ContactNote) -> f64| -> Bound<'py, PyArray1<f64>> {
            self.contacts.iter().map(of).collect::<Vec<f64>>().into_pyarray(py)
        };
        let table = PyDict::new(py);
        table.set_item("time", numbers(|contact| contact.time))?;
        table.set_item("a", PyList::new(py, self.contacts.iter().map(|contact| &*contact.a))?)?;
        table.set_item("b", PyList::new(py, self.contacts.iter().map(|contact| &*contact.b))?)?;
        let points: Vec<f64> = self.contacts.iter().flat_map(|contact| contact.point.to_array()).collect();
        table.set_item("point", crate::clip::rows(py, points, 3)?)?;
        table.set_item("speed", numbers(|contact| contact.speed))?;
        table.set_item("impulse", numbers(|contact| contact.impulse))?;
        Ok(table)
    }

    #[getter]
    fn events(&self) -> u64 {
        self.events
    }

    #[getter]
    fn collisions(&self) -> u64 {
        self.collisions
    }

    /// Depends on every bit of the state at the end, as the command prints it.
    #[getter]
    fn state_hash(&self) -> String {
        format!("{:016x}", self.state_hash)
    }

    fn __repr__(&self) -> String {
        format!("<proscenium.Simulation: {} s, {} collisions>", self.clip.duration_secs, self.collisions)
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        self.clip()._repr_html_(py)
    }
}

/// Runs a scene once.
#[pyfunction]
#[pyo3(signature = (scene, *, seed = 1, duration = None))]
pub fn simulate(py: Python<'_>, scene: &Scene, seed: u64, duration: Option<f64>) -> PyResult<Simulation> {
    let drawn = scene.scene.draw(Seed(seed));
    let options = SimulateOptions { duration, ..SimulateOptions::default() };
    let simulation = work(py, |progress| drawn.simulate(&options, progress))?.raised(py)?;
    Ok(Simulation::new(&drawn, simulation))
}
