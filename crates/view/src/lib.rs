//! What a viewer can see: cameras and their frusta.
//!
//! Deliberately absent: anything that draws, and any knowledge of what is
//! looked at. y is up, metres, radians; a camera looks along its own −z.

mod camera;

pub use camera::{Camera, Projection};
pub use glam;
