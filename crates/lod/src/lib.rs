//! Collision handling that is never late, after Dingliana 2002.
//!
//! A [`SolidMesh`] becomes a [`VolumeModel`]: a tree of volumes that bound the
//! solid ever more closely. A [`World`] of such bodies handles the collisions of
//! a frame within a [`Budget`]: it starts from the roots of all trees, refines
//! first what people would notice ([`world::Schedule`]), and stops when the
//! budget is spent, with a contact and a response at whatever level was reached.
//!
//! | module | what is in it |
//! |---|---|
//! | [`mesh`] | closed meshes: from files, built in, and mended |
//! | [`tree`] | volume models: nodes, levels, how well they fit |
//! | [`contact`] | nodes that meet, and what of it the response is given |
//! | [`response`] | from contacts to new velocities |
//! | [`world`] | bodies and walls, viewers, budgets and schedules |
//! | [`scene`] | crowds of built-in bodies in a box |
//! | [`record`] | from frames to a clip |
//! | [`figure`] | articulated figures |
//! | [`exact`] | the first contact of two meshes, to measure levels against |
//!
//! It may not know other simulators, scenes, people who are asked what they
//! notice, pictures, files (bytes come in and go out) or clocks (a timed budget
//! brings its own). Deliberately absent: exact contact (the finest level is that
//! of the trees); motors and forces other than uniform gravity; deforming solids.
//!
//! ```
//! use std::sync::Arc;
//! use proscenium_bodies::{Material, Motion};
//! use proscenium_lod::{Budget, TreeSettings, VolumeModel, World, glam::DVec3, mesh::built_in};
//! use proscenium_work::Progress;
//!
//! let settings = TreeSettings { depth: 3, ..TreeSettings::default() };
//! let jack = VolumeModel::build("jack", &built_in("jack", 600)?, settings, &Progress::none())?;
//! let jack = Arc::new(jack.finished().expect("nobody stops it"));
//! let mut world = World::new();
//! world.add_box(DVec3::splat(2.0))?;
//! let thrown = Motion { velocity: DVec3::new(3.0, 0.0, 1.0), ..Motion::AT_REST };
//! let body = world.add(&jack, thrown, Material::new(700.0, 0.5, 0.3))?;
//! for frame in 1..=120 {
//!     world.advance(f64::from(frame) / 60.0, &[], Budget::Tests(10_000))?;
//! }
//! assert!(world.motion(body)?.position.abs().max_element() < 2.0);
//! # Ok::<(), proscenium_lod::LodError>(())
//! ```

pub mod contact;
mod error;
pub mod exact;
pub mod figure;
pub mod mesh;
pub mod record;
pub mod response;
pub mod scene;
pub mod tree;
pub mod world;

pub use error::LodError;
pub use glam;
pub use mesh::SolidMesh;
pub use record::Recorder;
pub use scene::Crowd;
pub use tree::{TreeKind, TreeSettings, VolumeModel};
pub use world::{BodyId, Budget, FrameReport, Settings, Viewer, World};
