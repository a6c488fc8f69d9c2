//! From triangles and light to colours.
//!
//! A ray tracer over a bounding-volume hierarchy. Every random-looking choice
//! is a fixed pattern of the pixel's place, so that a picture is the same for
//! any number of threads, and what stands still in an animation stands still
//! in every pixel.

mod bvh;
mod filter;
mod frame;
mod light;
mod shade;
mod tone;

pub(crate) use bvh::{Bvh, Hit, Triangle};
pub(crate) use frame::draw;
pub(crate) use light::towards_lamp;
