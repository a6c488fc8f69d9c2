//! Sampling over animations: which of the plausible ones end as the author
//! wants?
//!
//! - A [`Space`] names what is uncertain in a world, with its densities; groups
//!   of variables can take part or not.
//! - A [`Model`] turns values into an outcome and a score.
//! - A [`Mix`] of [`Move`]s changes one animation into another.
//! - A [`Sampler`] draws: by [`Rejection`] where success is likely, by
//!   [`Tempering`] where it is not, or as it is told: as the paper's [`Chain`]
//!   (Chenney 2000, Algorithm 2.1) or by a [`Population`]. It says in one line
//!   which method runs and why.
//! - [`Traces`] keep what happened; [`diagnostics`] say what it is worth, and
//!   ArviZ reads them.
//! - [`most_different`] picks those of many animations that differ most.
//!
//! The same seed gives the same samples for any number of threads, and a run
//! that was stopped goes on as if it had not been: every random number comes
//! from a stream keyed by the seed, the chain and the iteration, and the state of
//! a run is a plain value that serde can write.
//!
//! Deliberately absent: physics, and storage (a state and its samples are handed
//! out); gradients, which a simulation with collisions does not have; moves that
//! adapt to the past of their chain, since such a chain does not forget it; a
//! clock, since a run that depends on one cannot be repeated.

mod chain;
pub mod diagnostics;
mod different;
mod error;
mod export;
mod model;
mod moves;
mod population;
mod rejection;
mod sampler;
mod space;
mod step;
mod tempering;
mod trace;

pub use chain::{Chain, ChainState};
pub use different::{Selection, most_different};
pub use error::DirectError;
pub use model::{Halt, Model, Previous, Request, Simulated};
pub use moves::{
    Choose, CrankNicolson, Edges, FlipOne, FromPrior, Mix, Move, Offset, OneMoreOrLess, PaperRatio, Proposal, Scope,
    Switch, Together, Walk, ball_mix, spelling_mix,
};
pub use population::{Population, PopulationOptions, PopulationState};
pub use rejection::{Rejection, RejectionState};
pub use sampler::{Batch, Choice, Draw, Found, Method, Sample, Sampler, SamplerOptions, SamplerState};
pub use space::{GroupId, Point, Space, Values, VariableId};
pub use step::{Effort, MoveCount};
pub use tempering::{Round, Tempering, TemperingOptions, TemperingState};
pub use trace::Traces;
