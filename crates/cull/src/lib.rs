//! Compiles a dynamical system into one that costs nothing out of view, and
//! runs it.
//!
//! An author writes the equations of a ride, a machine, a creature's idle
//! motion, in a file ([`Model`]) or in Rust ([`System`]). [`compile`](compile())
//! runs it once and learns how it behaves
//! ([`LearnedBehaviour`](learned::LearnedBehaviour)): its range, what is usual, how
//! long a viewer can remember, and how to jump ahead. A [`World`] then computes
//! only what is in view. A system that nobody sees does no work; when it comes back
//! into view, its state is one that the viewer cannot tell from the truth. After
//! Chenney, Ichnowski and Forsyth 1998 and Chenney 2000, chapter 5.
//!
//! | module | what is there |
//! |---|---|
//! | [`model`], [`geometry`] | models that come from files: equations, and what they look like |
//! | [`builtin`] | the models that come with the engine |
//! | [`recorded`] | motions that were recorded or baked, without equations |
//! | [`system`] | what can be culled, for systems written in Rust |
//! | [`learned`] | what the compiler found |
//! | [`player`], [`world`] | one system, and many, as viewers meet them |
//!
//! It may not know other simulators, scenes, files (a compiled model is bytes),
//! pictures (`show` draws what was found) or clocks. Deliberately absent: systems
//! that roam (their bounds must be known for all time); more than
//! [`MOST_VARIABLES`](system::MOST_VARIABLES) state variables; stiff systems, delays
//! and noise within the equations (chance enters at the start and when modes
//! change).

mod advance;
mod assembly;
pub mod builtin;
mod compile;
mod compiled;
mod drive;
mod driven;
mod emit;
mod error;
mod file;
pub mod geometry;
mod integrate;
pub mod learned;
pub mod model;
pub mod player;
pub mod recorded;
mod rest;
mod summary;
pub mod system;
mod tree;
pub mod world;

pub use assembly::{Assembly, CompiledAssembly, Member};
pub use compile::{CompileSettings, compile};
pub use compiled::CompiledModel;
pub use error::{CullError, ModelErrors};
pub use glam;
pub use learned::Regime;
pub use model::Model;
pub use player::Player;
pub use proscenium_chance::{Seed, Stream};
pub use system::{State, System};
pub use world::World;
