//! What cars do that nobody sees.

mod moment;
mod place;
mod pools;
mod tracked;

pub(crate) use pools::{Pools, meet, poisson, visit_at};
pub(crate) use tracked::{Found, Tracked, Ways};
pub use tracked::{BoundSettings, TrackingWork};
