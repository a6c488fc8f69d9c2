//! Rides: dynamical systems that cost nothing out of view.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::PyArray2;
use proscenium_cull::builtin::Builtin;
use proscenium_cull::glam::DVec3;
use proscenium_cull::world::SystemId;
use proscenium_cull::{CompileSettings, CompiledModel, Model, Seed, World};
use proscenium_view::{Camera, Frustum};
use proscenium_work::{Completion, read_file, write_file};
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::clip::rows;
use crate::errors::{Raised as _, of};
use crate::work::work;

/// Larger files are no models, bytes.
const LARGEST_FILE: u64 = 256 << 20;

/// A compiled system.
#[pyclass(frozen, module = "proscenium")]
pub struct Ride {
    compiled: Arc<CompiledModel>,
}

#[pymethods]
impl Ride {
    /// Compiles a model: the name of one that comes with the engine, or the path of a model
    /// file. `quick` learns less, in seconds.
    #[staticmethod]
    #[pyo3(signature = (model, *, seed = 1, quick = false))]
    fn compile(py: Python<'_>, model: PathBuf, seed: u64, quick: bool) -> PyResult<Self> {
        let name = model.to_string_lossy();
        let model = match Builtin::find(&name) {
            Some(builtin) => builtin.model().raised(py)?,
            None => {
                let text = read(&model)?;
                let text = String::from_utf8(text).map_err(|_| {
                    of(py, &format!("`{name}` is not a text"), Some("give a model file, as in models/"))
                })?;
                Model::parse(&name, &text).raised(py)?
            }
        };
        let effort = if quick { CompileSettings::quick() } else { model.settings().clone() };
        let settings = model.settings().with_effort_of(&effort);
        match work(py, |progress| CompiledModel::compile(model, &settings, Seed(seed), progress))?.raised(py)? {
            Completion::Finished(compiled) => Ok(Self { compiled: Arc::new(compiled) }),
            Completion::Stopped => Err(PyKeyboardInterrupt::new_err(())),
        }
    }

    /// Reads a `.cull` that `save` or the command has written.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Ok(Self { compiled: Arc::new(CompiledModel::from_bytes(&read(&path)?).raised(py)?) })
    }

    /// Writes the compiled system, for `load` and for games.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        write_file(&path, &self.compiled.to_bytes())
            .map_err(|error| PyOSError::new_err(format!("cannot write `{}`: {error}", path.display())))
    }

    #[getter]
    fn name(&self) -> &str {
        self.compiled.model().name()
    }

    /// What was found, in a line: how it is culled, or why it is not.
    #[getter]
    fn verdict(&self) -> String {
        self.compiled.verdict()
    }

    /// What is seen of it, by name; the columns of what a fairground returns.
    #[getter]
    fn outputs(&self) -> Vec<&str> {
        self.compiled.model().outputs().iter().map(|output| output.name.as_str()).collect()
    }

    fn __repr__(&self) -> String {
        format!("<proscenium.Ride {:?}: {}>", self.name(), self.verdict())
    }
}

/// Many rides, of which those in view are computed.
#[pyclass(module = "proscenium")]
pub struct Fairground {
    world: World,
}

#[pymethods]
impl Fairground {
    #[new]
    #[pyo3(signature = (*, seed = 1))]
    fn new(seed: u64) -> Self {
        Self { world: World::new(Seed(seed)) }
    }

    /// Places a ride; its number.
    fn add(&mut self, py: Python<'_>, ride: &Ride, position: [f64; 3]) -> PyResult<u32> {
        Ok(self.world.add(&ride.compiled, DVec3::from(position)).raised(py)?.0)
    }

    /// Takes a ride away.
    fn remove(&mut self, py: Python<'_>, number: u32) -> PyResult<()> {
        self.world.remove(SystemId(number)).raised(py)
    }

    /// The rides that a camera at `eye` sees at a time, seconds, which only goes forward:
    /// from its number to its outputs, a row per copy; a copy that is not in view has none
    /// (NaN).
    #[pyo3(signature = (now, eye, target, *, fov = 0.8, aspect = 1.5, far = 200.0))]
    #[allow(clippy::too_many_arguments, reason = "they are keywords where they are given")]
    fn advance<'py>(
        &mut self,
        py: Python<'py>,
        now: f64,
        eye: [f64; 3],
        target: [f64; 3],
        fov: f64,
        aspect: f64,
        far: f64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let mut camera = Camera::look_at(DVec3::from(eye), DVec3::from(target), fov, aspect).raised(py)?;
        camera.far = far;
        let frustum = Frustum::of(&camera).raised(py)?;
        py.detach(|| self.world.advance(now, &[frustum]).map(|_| ())).raised(py)?;
        let seen = PyDict::new(py);
        for system in self.world.visible() {
            let columns = system.copies.iter().map(|(_, outputs)| outputs.len()).max().unwrap_or(0).max(1);
            // What is not in view has no outputs.
            let row =
                |outputs: &Vec<f64>| (0..columns).map(|at| outputs.get(at).copied().unwrap_or(f64::NAN)).collect();
            let numbers = system.copies.iter().flat_map(|(_, outputs)| -> Vec<f64> { row(outputs) }).collect();
            let outputs: Bound<'py, PyArray2<f64>> = rows(py, numbers, columns)?;
            seen.set_item(system.system.0, outputs)?;
        }
        Ok(seen)
    }

    fn __len__(&self) -> usize {
        self.world.len()
    }
}

fn read(path: &std::path::Path) -> PyResult<Vec<u8>> {
    read_file(path, LARGEST_FILE)
        .map_err(|error| PyOSError::new_err(format!("cannot read `{}`: {error}", path.display())))
}
