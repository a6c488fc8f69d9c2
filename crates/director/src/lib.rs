//! Directs a scene: finds animations that end as wanted, and keeps them.
//!
//! [`direct`] ties the sampler to a gallery. It starts a run or goes on with
//! one, commits what it finds as it finds it, says how far it is, can be told to
//! stop, and in the end chooses the animations that differ most. If there are
//! too few, it says what came [`Closest`] and which want stood in the way.
//!
//! The same order gives the same gallery, for any number of threads and however
//! often it was stopped.
//!
//! Deliberately absent: pictures, clips and terminals (an [`Animation`] has the
//! values from which a scene is simulated again); methods of sampling, which are
//! those of the sampler; and a default for how long is too long.

mod error;
mod order;
mod run;
mod watch;

pub use error::DirectorError;
pub use order::{Budget, Order};
pub use run::{Animation, Difference, Ended, Progress, Report, direct, gallery_scene, review};
pub use watch::Closest;
