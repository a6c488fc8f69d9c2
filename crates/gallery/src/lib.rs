//! What the director found, in one crash-safe file.
//!
//! A [`Gallery`] is one SQLite file per run: what was directed and how
//! ([`Run`]), every sample that satisfies the wants ([`Entry`]), what each chain
//! did, and the state from which the run goes on. Samples and the state that
//! follows them are committed together, so that a run which is killed at any
//! moment loses nothing that was reported and continues as if it had not been
//! killed.
//!
//! A sample is its values: motion is simulated again when it is wanted.
//!
//! It only keeps: it may not know who runs a sampler, nor what an animation looks
//! like. Deliberately absent: motion, pictures and exports (they follow from the
//! values); several runs in one file; deleting (a gallery only grows); writing by
//! two runs at once, which is refused.

mod error;
mod file;
mod schema;

pub use error::GalleryError;
pub use file::Gallery;
pub use proscenium_direct::record::{Entry, Origin, Run};
