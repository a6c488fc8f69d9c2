//! Sampling over animations: which of the plausible ones end as the author
//! wants?
//!
//! - A [`Space`] names what is uncertain in a world, with its densities; groups
//!   of variables can take part or not.
//! - A [`Model`] turns values into an outcome and a score.
//! - A [`Mix`] of [`Move`]s changes one animation into another.
//! - A [`Sampler`] draws: by [`rejection`] where success is likely, by
//!   [`tempering`] where it is not, or as it is asked to: as a
//!   [`chain`] (Chenney 2000, Algorithm 2.1) or by a [`population`]. It says in
//!   one line which method runs and why.
//! - Part of an animation can be [`Condition`]: then the rest is drawn on that condition.
//! - [`Traces`] keep what happened; [`diagnostics`] say what it is worth, and
//!   ArviZ reads them. A [`record`] has what a run follows from.
//! - [`most_different`] picks those of many animations that differ most.
//!
//! The same seed gives the same samples for any number of threads, and a run
//! that was stopped goes on as if it had not been: every random number comes
//! from a stream keyed by the seed, the chain and the iteration, and the state of
//! a run is a plain value that serde can write.
//!
//! It may not know what it samples, nor where samples are kept. Deliberately
//! absent: physics, and storage (a state and its samples are handed
//! out); gradients, which a simulation with collisions does not have; moves that
//! adapt to the past of their chain, since such a chain does not forget it; a
//! clock, since a run that depends on one cannot be repeated.

pub mod chain;
mod climb;
pub mod diagnostics;
mod different;
mod error;
mod exploration;
mod export;
mod given;
mod model;
pub mod moves;
pub mod population;
pub mod record;
pub mod rejection;
mod sampler;
mod settling;
mod space;
mod step;
pub mod tempering;
mod trace;
mod walkers;

pub use different::{Selection, most_different};
pub use error::DirectError;
pub use exploration::{ExplorationState, Parent};
pub use given::{Condition, Freedom};
pub use model::{Abandon, Evaluation, Model, Previous, Request};
pub use moves::{Mix, Move, Moves, Proposal};
pub use sampler::{Batch, Choice, Draw, Method, Sample, Sampler, SamplerOptions, SamplerState, Success};
pub use settling::Settling;
pub use space::{GroupId, Point, Space, Values, VariableId};
pub use step::{Effort, MoveCount};
pub use trace::Traces;
