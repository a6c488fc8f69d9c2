//! Compiles a dynamical system into one that costs nothing out of view, and
//! runs it.
//!
//! An author writes the equations of a ride, a machine, a creature's idle
//! motion, in a file ([`Model`]) or in Rust ([`System`]). [`compile`](compile())
//! runs it once and learns how it behaves ([`Learned`]): its range, what is
//! usual, how long a viewer can remember, and how to jump ahead. A [`World`]
//! then computes only what is in view. A system that nobody sees does no work;
//! when it comes back into view, its state is one that the viewer cannot tell
//! from the truth. After Chenney, Ichnowski and Forsyth 1998 and Chenney 2000,
//! chapter 5.
//!
//! Deliberately absent: systems that roam (their bounds must be known for all
//! time); more than [`MOST_VARIABLES`] state variables; stiff systems, delays
//! and noise within the equations (chance enters at the start and when modes
//! change); drawing (outputs and poses are handed out); clocks and files.

mod compile;
mod culled;
mod curve;
mod emit;
mod error;
mod expression;
mod file;
mod geometry;
mod integrate;
mod learned;
mod model;
mod player;
mod report;
mod system;
mod told;
mod tree;
mod world;

pub use compile::{CompileSettings, Progress, compile};
pub use culled::Culled;
pub use error::{CullError, ModelError, ModelErrors, Place};
pub use geometry::{Bounds, Part, Solid};
pub use glam;
pub use learned::{Candidate, Findings, Learned, Regime};
pub use model::{Model, Output};
pub use player::{Counters, Player};
pub use proscenium_chance::{Seed, Stream};
pub use system::{MOST_VARIABLES, MotionError, State, System, Values, Variable, Wrap};
pub use told::Told;
pub use world::{FrameWork, Seen, SystemId, World};
