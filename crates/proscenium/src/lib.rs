//! An engine for plausible animated worlds: all of it under one name.
//!
//! Each part is a crate of its own and appears here as a module. Most programs
//! start from the [`prelude`].
//!
//! | module | has |
//! |---|---|
//! | [`scenes`] | the scene file, and scenes that come with the engine |
//! | [`rigid`] | worlds of rigid bodies that move only when something happens to them |
//! | [`cull`] | dynamical systems that cost nothing out of view |
//! | [`city`] | road networks and the traffic on them, at the cost of what is seen |
//! | [`lod`] | collisions of many concave bodies, within a budget that holds |
//! | [`study`] | experiments with people about what they notice |
//! | [`direct`] | which plausible animations end as the author wants? |
//! | [`director`] | finds animations of a scene that end as wanted, and keeps them |
//! | [`gallery`] | what the director found, in one crash-safe file |
//! | [`ensemble`] | meshes of many parts that move for ever, from a few minutes of data |
//! | [`bodies`], [`geometry`] | what bodies and shapes are made of |
//! | [`chance`] | seeds, named random streams, densities |
//! | [`clip`] | what was seen: nodes, meshes, motion; glTF in and out |
//! | [`view`], [`picture`] | cameras; clips as pictures and animations; plots |
//! | [`work`] | progress and stop, file headers, stores, remedies |
//! | [`diagnostics`] | what is wrong with a text, where, and what was meant |
//!
//! Metres, seconds, kilograms, radians; y is up. A seed and a scene determine
//! every byte of a result, on any machine and for any number of threads.
//!
//! Deliberately absent: code. This crate only gives the parts one name; an
//! embedder who needs less depends on less.
//!
//! # A scene, simulated and written
//!
//! ```
//! use proscenium::prelude::*;
//!
//! let scene = proscenium::scenes::find("cradle", &[])?;
//! let run = scene.draw(Seed(1)).simulate(&SimulateOptions::default(), &Progress::none())?;
//! assert!(run.statistics.collisions > 0);
//!
//! // For Blender, three.js, Godot, Unity, Unreal …
//! let glb = run.clip.to_glb()?;
//! assert_eq!(&glb[..4], b"glTF");
//!
//! // And for the eye.
//! let look = Look::sized(160, 90);
//! let camera = frame_clip(&run.clip, look.aspect())?;
//! let picture = render(&run.clip, 0.5, &camera, &look, &Progress::none())?.finished().expect("nobody stops it");
//! assert_eq!(&picture.to_png()?[1..4], b"PNG");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A world from code
//!
//! ```
//! use proscenium::prelude::*;
//!
//! let mut builder = World::builder().gravity(DVec3::new(0.0, -9.81, 0.0));
//! let ivory = builder.material(Material::new(1850.0, 0.5, 0.25));
//! builder.body(BodyDef::fixed("table", Shape::half_space(DVec3::Y)?, ivory));
//! let die = builder.body(
//!     BodyDef::moving("die", Shape::cuboid(DVec3::splat(0.008), 0.001)?, ivory)
//!         .at(Pose::from_translation(0.3 * DVec3::Y))
//!         .with_spin(DVec3::new(9.0, 2.0, -4.0)),
//! );
//! let mut world = builder.build()?;
//! world.advance(0.5)?;
//! assert!(world.pose(die).is_some_and(|pose| pose.translation.y > 0.007));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use proscenium_bodies as bodies;
pub use proscenium_chance as chance;
pub use proscenium_city as city;
pub use proscenium_clip as clip;
pub use proscenium_cull as cull;
pub use proscenium_diagnostics as diagnostics;
pub use proscenium_direct as direct;
pub use proscenium_director as director;
pub use proscenium_ensemble as ensemble;
pub use proscenium_gallery as gallery;
pub use proscenium_geometry as geometry;
pub use proscenium_lod as lod;
pub use proscenium_picture as picture;
pub use proscenium_rigid as rigid;
pub use proscenium_scenes as scenes;
pub use proscenium_study as study;
pub use proscenium_view as view;
pub use proscenium_work as work;

/// The vectors, quaternions and matrices of every interface.
pub use glam;

/// What most programs need.
///
/// `Material` is the one of [`bodies`]: how a body bounces and
/// slides. How it looks is [`clip::Material`].
pub mod prelude {
    pub use glam::{DQuat, DVec3};
    pub use proscenium_chance::{Density, Seed};
    pub use proscenium_clip::Clip;
    pub use proscenium_geometry::{Pose, Shape};
    pub use proscenium_picture::{Look, Picture, frame_clip, render};
    pub use proscenium_rigid::{BodyDef, Material, World};
    pub use proscenium_scenes::{Scene, SimulateOptions, Simulation};
    pub use proscenium_view::Camera;
    pub use proscenium_work::{Completion, Progress, Remedy, Stop};
}
