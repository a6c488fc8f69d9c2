//! The engine as Python sees it: scenes, directed runs, clips, cities, rides, ensembles
//! and collisions within a budget, with their numbers as numpy arrays.
//!
//! Every long call gives up the interpreter's lock while it works and answers Ctrl-C
//! (`work`); every error is the same sentence with the same remedy as elsewhere
//! (`errors`). The same scene and seed give the same bytes as the command.
//!
//! It may know every library, and no other application. Deliberately absent: anything
//! that computes. What Python needs and no library has belongs in a library.

mod city;
mod clip;
mod direct;
mod ensemble;
mod errors;
mod lod;
mod ride;
mod scene;
mod work;

#[pyo3::pymodule(name = "_engine")]
mod engine {
    #[pymodule_export]
    use crate::city::{City, Eye};
    #[pymodule_export]
    use crate::clip::Clip;
    #[pymodule_export]
    use crate::direct::{Run, Sample, direct};
    #[pymodule_export]
    use crate::ensemble::{BuildRound, Ensemble, Walk};
    #[pymodule_export]
    use crate::lod::{LodWorld, Solid};
    #[pymodule_export]
    use crate::ride::{Fairground, Ride};
    #[pymodule_export]
    use crate::scene::{Scene, Simulation, simulate};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
