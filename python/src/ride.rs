//! Rides: dynamical systems that cost nothing out of view.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{IntoPyArray as _, PyArray2, PyArray3, PyArrayMethods as _};
use proscenium_cull::builtin::Builtin;
use proscenium_cull::glam::{DQuat, DVec3};
use proscenium_cull::world::SystemId;
use proscenium_cull::{CompileSettings, CompiledModel, CullError, Model, Seed, World};
use proscenium_view::{Camera, Frustum};
use proscenium_work::{Completion, Progress, read_file, write_file};
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
        let compiled = work(py, |progress| CompiledModel::compile(model, &settings, Seed(seed), progress))?;
        Ok(Self { compiled: Arc::new(ended(compiled.raised(py)?)?) })
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

    /// The signals that it knows.
    #[getter]
    fn signals(&self) -> Vec<&str> {
        self.compiled.model().signals().collect()
    }

    /// Plays it in full view: its outputs, `fps` times in a second, as an array of frames, copies
    /// and outputs.
    #[pyo3(signature = (seconds = 10.0, *, fps = 30.0, seed = 1))]
    fn play<'py>(&self, py: Python<'py>, seconds: f64, fps: f64, seed: u64) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let frames = moments(py, seconds, fps)?;
        let (copies, outputs) = (self.compiled.model().copies().len(), self.compiled.model().outputs().len());
        let views = [self.view_of_all(py)?];
        let played = work(py, |progress| played(&self.compiled, frames, fps, Seed(seed), &views, progress))?;
        let numbers = ended(played.raised(py)?)?;
        numbers.into_pyarray(py).reshape([frames, copies, outputs])
    }

    fn __repr__(&self) -> String {
        format!("<proscenium.Ride {:?}: {}>", self.name(), self.verdict())
    }
}

impl Ride {
    /// What a camera sees that has all of it in view.
    fn view_of_all(&self, py: Python<'_>) -> PyResult<Frustum> {
        let bounds = self.compiled.bounds();
        let (middle, size) = (0.5 * (bounds.min + bounds.max), (bounds.max - bounds.min).length().max(1.0));
        let mut camera = Camera::look_at(middle + 3.0 * size * DVec3::Z, middle, 0.8, 1.0).raised(py)?;
        camera.far = 10.0 * size;
        Frustum::of(&camera).raised(py)
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

    /// Places a ride, turned about the vertical, radians; its number.
    #[pyo3(signature = (ride, position, *, turn = 0.0))]
    fn add(&mut self, py: Python<'_>, ride: &Ride, position: [f64; 3], turn: f64) -> PyResult<u32> {
        let position = DVec3::from(position);
        let id = self.world.add(&ride.compiled, position).raised(py)?;
        if let Err(error) = self.world.place(id, position, DQuat::from_rotation_y(turn)) {
            self.world.remove(id).raised(py)?;
            return Err(crate::errors::raise(py, &error));
        }
        Ok(id.0)
    }

    /// Gives a ride a signal of its model, in view or not.
    fn signal(&mut self, py: Python<'_>, number: u32, signal: &str) -> PyResult<()> {
        self.world.signal(SystemId(number), signal).raised(py)
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

/// More than this is a mistake.
const MOST_FRAMES: f64 = 1e7;

/// How many frames there are in so many seconds, the first at 0.
fn moments(py: Python<'_>, seconds: f64, fps: f64) -> PyResult<usize> {
    let frames = (seconds * fps).floor();
    if !(seconds >= 0.0 && fps > 0.0 && frames <= MOST_FRAMES) {
        let what = format!("{seconds} s with {fps} frames in a second cannot be played");
        return Err(of(py, &what, Some("give seconds from 0, `fps` above 0, and at most ten million frames")));
    }
    Ok(frames as usize + 1)
}

/// The outputs of a ride that is always seen, frame after frame and copy after copy.
fn played(
    compiled: &Arc<CompiledModel>,
    frames: usize,
    fps: f64,
    seed: Seed,
    views: &[Frustum],
    progress: &Progress,
) -> Result<Completion<Vec<f64>>, CullError> {
    let mut world = World::new(seed);
    world.add(compiled, DVec3::ZERO)?;
    let counter = progress.counter("playing", frames);
    let mut numbers = Vec::new();
    for frame in 0..frames {
        if counter.count().is_err() {
            return Ok(Completion::Stopped);
        }
        world.advance(frame as f64 / fps, views)?;
        let copies = world.visible().iter().flat_map(|system| &system.copies);
        copies.for_each(|(_, outputs)| numbers.extend(outputs));
    }
    Ok(Completion::Finished(numbers))
}

/// What came of work that ends early only if somebody has pressed Ctrl-C.
fn ended<T>(completion: Completion<T>) -> PyResult<T> {
    completion.finished().ok_or_else(|| PyKeyboardInterrupt::new_err(()))
}

fn read(path: &std::path::Path) -> PyResult<Vec<u8>> {
    read_file(path, LARGEST_FILE)
        .map_err(|error| PyOSError::new_err(format!("cannot read `{}`: {error}", path.display())))
}
