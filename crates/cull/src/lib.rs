//! Compiles a dynamical system into one that costs nothing out of view.
mod compile;
mod curve;
mod error;
mod expression;
mod file;
mod geometry;
mod integrate;
mod learned;
mod model;
mod nearest;
mod system;

pub use compile::{CompileSettings, Progress, compile};
pub use error::{CullError, ModelError, ModelErrors, Place};
pub use geometry::{Bounds, Part, Solid};
pub use glam;
pub use learned::{Candidate, Findings, Learned, Regime};
pub use model::{Model, Output};
pub use proscenium_chance::{Seed, Stream};
pub use system::{MOST_VARIABLES, MotionError, State, System, Values, Variable, Wrap};
