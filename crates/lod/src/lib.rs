//! Collision handling that is never late, after Dingliana 2002.
//!
//! A [`SolidMesh`] becomes a [`VolumeModel`]: a tree of volumes that bound the
//! solid ever more closely. A [`World`] of such bodies handles the collisions of
//! a frame within a [`Budget`]: it starts from the roots of all trees, refines
//! first what people would notice ([`Schedule`]), and stops when the budget is
//! spent, with a contact and a response at whatever level was reached.
//! [`Figure`]s are articulated; [`Study`] asks people whether they notice.
//!
//! Deliberately absent: exact contact (the finest level is that of the trees;
//! [`ExactMesh`] is for measuring them); joints and forces other than uniform
//! gravity; sleeping; deforming solids; clocks (a timed budget brings its own)
//! and files (bytes come in and go out).
//!
//! ```
//! use std::sync::Arc;
//! use proscenium_bodies::{Material, Motion};
//! use proscenium_lod::{Budget, TreeSettings, VolumeModel, World, built_in, glam::DVec3};
//!
//! let settings = TreeSettings { depth: 3, ..TreeSettings::default() };
//! let jack = Arc::new(VolumeModel::build("jack", &built_in("jack", 600)?, settings, &mut |_| true)?);
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

mod contact;
mod error;
mod exact;
mod figure;
mod mesh;
mod record;
mod response;
mod scene;
mod study;
mod tree;
mod world;

pub use contact::{Contact, Contacting, PairModel, Primitive, Reduction, TABLE, Touch, pair_model};
pub use error::LodError;
pub use exact::{ExactMesh, FirstContact};
pub use figure::{Figure, Segment, SegmentContact, person};
pub use glam;
pub use mesh::{BUILT_IN, Repair, SolidMesh, built_in, read_mesh};
pub use record::Recorder;
pub use response::{Responded, learn_spins, respond};
pub use scene::{Crowd, SCENES};
pub use study::{Analysis, Condition, Effect, Factor, FactorResult, Study, Trial, between, interaction, within};
pub use tree::{DEEPEST, Kind, LevelMeasure, Node, TreeKind, TreeSettings, Volume, VolumeModel};
pub use world::{
    BodyId, Budget, CONTACT_TESTS, CollisionReport, FrameReport, Measure, PRIMITIVE_TESTS, Partner, ROOT_TESTS,
    Schedule, Settings, Thresholds, Viewer, Wall, World,
};
