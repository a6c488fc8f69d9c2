//! Rigid bodies that move only when something happens to them.
//!
//! An asynchronous, event-driven simulator after Chenney 2000, chapter 3.
//! Every body flies on its own clock; a queue holds what will happen next; an
//! event touches only the bodies it names. Temporal bounds keep the number of
//! predictions small, and predictions are conservative, so that nothing
//! passes through anything at any speed.
//!
//! Bodies that touch slowly do not bounce for ever: they form islands, which
//! are stepped by a contact solver as events among the others, and come to
//! rest. A ball that slides or rolls on flat ground moves in closed form.
//!
//! How bodies move depends on how they started and on what they met, and on
//! nothing else: not on the bounds, nor on when something was predicted.
//!
//! Joints ([`JointDef`]) hold bodies to each other or to the world: balls, hinges and distances,
//! with limits. What hangs together is stepped together, by a method of fourth order while
//! nothing presses on it.
//!
//! A body can move as told ([`Drive`]): a paddle, or a conveyor, which nothing pushes.
//!
//! It may not know scenes, clips, files, random numbers or wall-clock time.
//! Deliberately absent: soft bodies, and all but uniform gravity. What
//! serves only comparisons with the paper (the synchronous algorithm, freezing)
//! is in `baselines`, behind the feature of that name.
//!
//! ```
//! use proscenium_rigid::{BodyDef, Material, World, geometry::{Pose, Shape}, glam::DVec3};
//!
//! let mut builder = World::builder().gravity(DVec3::new(0.0, -9.81, 0.0));
//! let rubber = builder.material(Material::new(1100.0, 0.8, 0.6));
//! builder.body(BodyDef::fixed("floor", Shape::half_space(DVec3::Y)?, rubber));
//! let ball = builder.body(
//!     BodyDef::moving("ball", Shape::sphere(0.1)?, rubber).at(Pose::from_translation(DVec3::Y)),
//! );
//! let mut world = builder.build()?;
//! world.advance(1.0)?;
//! assert!(world.pose(ball).unwrap().translation.y >= 0.1);
//! assert!(world.statistics().collisions >= 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod approach;
mod ball_on_triangles;
#[cfg(feature = "baselines")]
pub mod baselines;
mod body;
mod builder;
mod contact;
mod control;
mod drive;
mod error;
mod field;
pub mod intersections;
mod joint;
mod predict;
mod queue;
mod record;
mod roots;
mod simple_flight;
mod statistics;
mod surface;
mod take;
mod world;

pub use body::{BodyDef, BodyId, MaterialId};
pub use builder::WorldBuilder;
pub use contact::ContactRule;
pub use control::Control;
pub use drive::{Drive, DriveError, Stretch};
pub use error::{SimulationError, TakeError, WorldError};
pub use intersections::BoundsKind;
pub use joint::{JointDef, JointDefKind};
pub use proscenium_bodies::{Flight, Material, MaterialError, Motion, PairSurface, glam};
pub use proscenium_geometry as geometry;
pub use record::{Contact, Recording, Sample, Touch};
pub use statistics::Statistics;
pub use surface::{CollisionChange, Region, SurfaceSplines, Zone};
pub use take::{Reuse, Take};
pub use world::World;
