//! What cars do that nobody sees.

mod bound_size;
mod divide;
mod moment;
mod place;
mod pools;
mod tracked;

pub use bound_size::BoundSize;
pub(crate) use pools::{Look, Pools, course_at, meet, poisson};
pub use tracked::{BoundSettings, TrackingWork};
pub(crate) use tracked::{TrackedCars, Ways, Whereabouts};
