//! Interpenetration: two groups that come closer than the thickness allows.

mod boxes;
mod clean;
mod test;
mod triangles;

pub(crate) use boxes::{BoxTree, Extent, FittedTree, Skip};
pub use test::ContactTest;
pub(crate) use test::{Shape, near_extents};
pub use triangles::{Triangle, distance as triangle_distance};
pub(crate) use triangles::{closer_than, nearest_of_segments, nearest_of_triangle};
