//! Shapes, their mass, and the distances between them.
//!
//! Shapes are checked when they are made and cannot be wrong afterwards. The
//! queries are free functions and methods on plain data. parry does the
//! geometry (hulls, decomposition, closest points, bounding-volume trees) and
//! stays inside this crate.
//!
//! It may not know what moves shapes, where they come from, or what draws them.
//! Deliberately absent: motion, files, pictures, dimensions other than three and
//! other precisions. Metres, y up, `f64`.
//!
//! ```
//! use proscenium_geometry::{Pose, Shape, glam::DVec3, separation};
//!
//! let ball = Shape::sphere(0.5)?;
//! let cube = Shape::cuboid(DVec3::splat(0.5), 0.0)?;
//! let apart = Pose::from_translation(DVec3::new(2.0, 0.0, 0.0));
//! let distance = separation(&ball, &Pose::IDENTITY, &cube, &apart);
//! assert!((distance - 1.0).abs() < 1e-9);
//! # Ok::<(), proscenium_geometry::ShapeError>(())
//! ```

mod bounds;
mod check;
mod convex;
mod distance;
mod error;
mod field;
mod hull;
mod mass;
mod mesh;
mod pose;
mod shape;
mod symmetry;
mod taper;
mod tessellate;
mod touch;
mod turned;

pub use bounds::Bounds;
pub use check::separation;
pub use convex::{ConvexPart, Core, Facet};
pub use distance::{Feature, Gap, Warmth, gap, gap_to_plane};
pub use error::ShapeError;
pub use field::HeightField;
pub use glam;
pub use hull::Hull;
pub use mass::MassProperties;
pub use mesh::{Decomposition, TriangleMesh, nearest_of_triangle};
pub use pose::Pose;
pub use shape::{CompoundPart, Shape, ShapeKind};
pub use tessellate::Surface;
pub use touch::{TouchPoint, touch_points, touch_points_of_plane};
pub use turned::{Ring, TurnedSolid};
