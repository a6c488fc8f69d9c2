//! What cars do that nobody sees.

mod bound_size;
mod counts;
mod divide;
mod file;
mod moment;
mod place;
mod pools;
mod tracked;

pub use bound_size::BoundSize;
pub(crate) use counts::poisson;
pub(crate) use file::{PoolsFile, TrackedFile};
pub(crate) use moment::Moment;
pub(crate) use pools::{Look, Pools, course_at, meet};
pub use tracked::{BoundSettings, TrackingWork};
pub(crate) use tracked::{TrackedCars, Ways, Whereabouts};
