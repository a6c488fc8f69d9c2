//! What a viewer can see: cameras, their frusta, paths that viewers take, and
//! the camera that frames given things by itself.
//!
//! It may not know what is looked at, nor what draws it. Deliberately absent:
//! pictures, scenes, and any shape but points, spheres and boxes. y is up, metres, radians;
//! a camera looks along its own −z. Transforms are named `to_from_from`:
//! `clip_from_view` takes view coordinates to clip coordinates.
//!
//! ```
//! use proscenium_view::{Camera, Frustum, glam::DVec3};
//!
//! let camera = Camera::look_at(DVec3::new(0.0, 1.0, 5.0), DVec3::Y, 0.8, 16.0 / 9.0)?;
//! let middle = camera.project(DVec3::Y).expect("it lies in front");
//! assert!((middle.x - 0.5).abs() < 1e-12 && (middle.y - 0.5).abs() < 1e-12);
//!
//! let frustum = Frustum::of(&camera)?;
//! assert!(frustum.intersects_sphere(DVec3::ZERO, 0.5));
//! assert!(!frustum.contains_point(DVec3::new(0.0, 1.0, 6.0)), "behind the eye");
//! # Ok::<(), proscenium_view::ViewError>(())
//! ```

mod camera;
mod error;
mod framing;
mod frustum;
mod path;

pub use camera::{Camera, Projection, Ray, ScreenPoint};
pub use error::ViewError;
pub use framing::Framing;
pub use frustum::{Frustum, Plane};
pub use glam;
pub use path::{CameraKey, ViewerPath};
