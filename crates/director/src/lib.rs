//! Directs a scene: finds animations that end as wanted, and keeps them.
//!
//! [`direct`] asks the sampler to advance, and hands over what it gave to an
//! [`Archive`], together with the state that follows: a gallery on disk
//! (with the feature `gallery`, which is on by default), or memory. It starts a
//! run or goes on with one, says how far it is, can be stopped, and in the end
//! picks: those that differ most, or a fair draw ([`Pick`]). If there are too few, it says what
//! came [`Closest`] and which want stood in the way.
//!
//! The same order gives the same archive, for any number of threads and however
//! often it was stopped.
//!
//! It may know neither pictures nor terminals: an [`Animation`] has the values
//! from which a scene is simulated again. Deliberately absent: methods of
//! sampling, which are those of the sampler; and a default for how long is too
//! long.

mod archive;
mod collection;
mod course;
mod error;
#[cfg(feature = "gallery")]
mod galleries;
mod neighbours;
mod observations;
mod order;
mod run;

pub use archive::{Archive, MemoryArchive};
pub use collection::{Animation, Difference};
pub use error::DirectorError;
#[cfg(feature = "gallery")]
pub use galleries::{direct_to_gallery, directed_as_recorded, gallery_scene, judge_again, open_gallery};
pub use observations::{Closest, Restless};
pub use order::{Budget, Order, Pick};
pub use run::{Ending, Review, RunReport, RunStatus, direct, review};
