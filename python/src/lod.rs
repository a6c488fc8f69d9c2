//! Collisions within a budget: solids, and worlds of them.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::PyArray2;
use proscenium_bodies::{Material, Motion};
use proscenium_chance::Seed;
use proscenium_lod::glam::{DQuat, DVec3};
use proscenium_lod::mesh::{built_in, read_mesh};
use proscenium_lod::world::Schedule;
use proscenium_lod::{BodyId, Budget, Settings, TreeSettings, Viewer, VolumeModel, World};
use proscenium_view::Camera;
use proscenium_work::{Completion, read_file};
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::clip::rows;
use crate::errors::Raised as _;
use crate::work::work;

/// Larger files are no meshes, bytes.
const LARGEST_FILE: u64 = 1 << 30;

/// A solid, bounded by a tree of volumes.
#[pyclass(frozen, module = "proscenium")]
pub struct Solid {
    model: Arc<VolumeModel>,
}

#[pymethods]
impl Solid {
    /// A solid that comes with the engine: bowl, jack, knot, l-shape, torus or vase, about
    /// 0.2 m large.
    #[staticmethod]
    #[pyo3(signature = (name, *, triangles = 600, depth = 4))]
    fn built_in(py: Python<'_>, name: &str, triangles: usize, depth: u32) -> PyResult<Self> {
        let mesh = built_in(name, triangles).raised(py)?;
        Self::of(py, name, mesh, depth)
    }

    /// A solid from a mesh: Wavefront OBJ or binary glTF. What is not closed is mended. With
    /// `size` it is made so large, metres.
    #[staticmethod]
    #[pyo3(signature = (path, *, depth = 4, size = None))]
    fn load(py: Python<'_>, path: PathBuf, depth: u32, size: Option<f64>) -> PyResult<Self> {
        let bytes = read_file(&path, LARGEST_FILE)
            .map_err(|error| PyOSError::new_err(format!("cannot read `{}`: {error}", path.display())))?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let read = work(py, |progress| read_mesh(&name, &bytes, progress))?.raised(py)?;
        let (mesh, _) = read.finished().ok_or_else(|| PyKeyboardInterrupt::new_err(()))?;
        let mesh = match size {
            Some(size) => mesh.sized(size).raised(py)?.0,
            None => mesh,
        };
        Self::of(py, &name, mesh, depth)
    }

    #[getter]
    fn name(&self) -> &str {
        self.model.name()
    }

    /// The radius of the ball around it, metres.
    #[getter]
    fn radius(&self) -> f64 {
        self.model.radius()
    }

    /// How many volumes the tree has.
    #[getter]
    fn nodes(&self) -> usize {
        self.model.nodes().len()
    }

    fn __repr__(&self) -> String {
        format!("<proscenium.lod.Solid {:?}: {} volumes>", self.model.name(), self.model.nodes().len())
    }
}

impl Solid {
    fn of(py: Python<'_>, name: &str, mesh: proscenium_lod::SolidMesh, depth: u32) -> PyResult<Self> {
        let settings = TreeSettings { depth, ..TreeSettings::default() };
        match work(py, |progress| VolumeModel::build(name, &mesh, settings, progress))?.raised(py)? {
            Completion::Finished(model) => Ok(Self { model: Arc::new(model) }),
            Completion::Stopped => Err(PyKeyboardInterrupt::new_err(())),
        }
    }
}

/// Solids whose collisions are handled within a budget.
#[pyclass(module = "proscenium")]
pub struct LodWorld {
    world: World,
}

#[pymethods]
impl LodWorld {
    /// A world without bodies. `schedule` says what is refined first: `round-robin`,
    /// `distance`, `perceptual` and others.
    #[new]
    #[pyo3(signature = (*, seed = 1, schedule = None))]
    fn new(py: Python<'_>, seed: u64, schedule: Option<&str>) -> PyResult<Self> {
        let mut world = World::with(Settings::default(), Seed(seed)).raised(py)?;
        if let Some(name) = schedule {
            world.set_schedule(Schedule::find(name).raised(py)?).raised(py)?;
        }
        Ok(Self { world })
    }

    /// Puts a solid into the world; its number.
    #[pyo3(signature = (
        solid, position, *, orientation = [0.0, 0.0, 0.0, 1.0], velocity = [0.0; 3], spin = [0.0; 3],
        density = 700.0, restitution = 0.5, friction = 0.3, fixed = false
    ))]
    #[allow(clippy::too_many_arguments, reason = "they are keywords where they are given")]
    fn add(
        &mut self,
        py: Python<'_>,
        solid: &Solid,
        position: [f64; 3],
        orientation: [f64; 4],
        velocity: [f64; 3],
        spin: [f64; 3],
        density: f64,
        restitution: f64,
        friction: f64,
        fixed: bool,
    ) -> PyResult<u32> {
        let material = Material::new(density, restitution, friction);
        let motion = Motion {
            position: DVec3::from(position),
            orientation: DQuat::from_array(orientation),
            velocity: DVec3::from(velocity),
            spin: DVec3::from(spin),
        };
        let added = match fixed {
            true => self.world.add_fixed(&solid.model, motion, material),
            false => self.world.add(&solid.model, motion, material),
        };
        Ok(added.raised(py)?.0)
    }

    /// Adds a wall through a place; bodies stay on the side of its normal.
    #[pyo3(signature = (normal = [0.0, 1.0, 0.0], through = [0.0; 3]))]
    fn add_wall(&mut self, py: Python<'_>, normal: [f64; 3], through: [f64; 3]) -> PyResult<()> {
        self.world.add_wall(DVec3::from(normal), DVec3::from(through)).raised(py)
    }

    /// Adds six walls: a box around the origin with these half sides, metres.
    fn add_box(&mut self, py: Python<'_>, half: [f64; 3]) -> PyResult<()> {
        self.world.add_box(DVec3::from(half)).raised(py)
    }

    /// Handles the collisions of a frame, and moves all bodies to a later time, seconds;
    /// what it did. `tests` is what the frame may cost, in tests of volumes; without it all is
    /// done. What somebody at `eye` who looks at `target` would notice is refined first.
    #[pyo3(signature = (now, *, tests = None, eye = None, target = [0.0; 3], fov = 0.8))]
    fn advance<'py>(
        &mut self,
        py: Python<'py>,
        now: f64,
        tests: Option<u64>,
        eye: Option<[f64; 3]>,
        target: [f64; 3],
        fov: f64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let camera = eye.map(|eye| Camera::look_at(DVec3::from(eye), DVec3::from(target), fov, 1.5)).transpose();
        let viewers: Vec<Viewer> = camera.raised(py)?.map(Viewer::new).into_iter().collect();
        let advance = || self.world.advance(now, &viewers, tests.map_or(Budget::Unlimited, Budget::Tests));
        let report = py.detach(advance).raised(py)?;
        let told = PyDict::new(py);
        told.set_item("collisions", report.collisions)?;
        told.set_item("contacts", report.contacts)?;
        told.set_item("tests", report.tests)?;
        told.set_item("spent", report.spent)?;
        told.set_item("mean_level", report.mean_level)?;
        told.set_item("uncovered", report.uncovered)?;
        told.set_item("asleep", report.asleep)?;
        Ok(told)
    }

    /// Where all bodies are: x, y, z of the centre of mass, and a quaternion x, y, z, w, a row
    /// each.
    fn poses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let numbers = self.motions(py)?.into_iter().flat_map(|motion| {
            let (place, turn) = (motion.position.to_array(), motion.orientation.to_array());
            place.into_iter().chain(turn)
        });
        rows(py, numbers.collect(), 7)
    }

    /// How fast all bodies move and turn: velocity (m/s) and spin (rad/s), a row each.
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let both = |motion: Motion| motion.velocity.to_array().into_iter().chain(motion.spin.to_array());
        rows(py, self.motions(py)?.into_iter().flat_map(both).collect(), 6)
    }

    fn __len__(&self) -> usize {
        self.world.len()
    }

    fn __repr__(&self) -> String {
        format!("<proscenium.lod.World: {} bodies at {:.3} s>", self.world.len(), self.world.now())
    }
}

impl LodWorld {
    fn motions(&self, py: Python<'_>) -> PyResult<Vec<Motion>> {
        (0..self.world.len() as u32).map(|body| self.world.motion(BodyId(body)).copied().raised(py)).collect()
    }
}
