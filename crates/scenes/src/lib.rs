//! The scene file and the built-in scenes.

mod builtin;
mod drawn;
mod error;
mod scene;
mod simulate;

pub use builtin::{Builtin, Parameter, builtin, find, template};
pub use drawn::Drawn;
pub use error::{Place, SceneError, SceneErrors, Source};
pub use scene::{Scene, schema};
pub use simulate::{ContactNote, Progress, SimulateOptions, Simulation};
