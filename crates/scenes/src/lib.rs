//! The scene file and the built-in scenes.
//!
//! A scene file (TOML, `format = 1`) describes bodies, materials and what of
//! them is uncertain. [`Scene::read`] checks it once; what is wrong comes back
//! all together, each with its place and a remedy. [`Scene::draw`] draws the
//! uncertain values from a seed, and [`DrawnScene::simulate`] turns them into a
//! clip. [`builtin`] lists the scenes that tests, benchmarks, examples and
//! demonstrations share; each can be printed as a file to start from.
//! [`DirectedScene`] is a scene with wants, as what the sampler samples.
//!
//! It may know every simulator, and neither pictures nor where anything is kept:
//! a scene is opened by its path in [`Scene::read`] alone, and one in memory has
//! its meshes in a store ([`Source::with_store`]). Deliberately absent: templates in scene
//! files (`repeat` makes many of a thing, and a program can write TOML); pictures and
//! terminals; storage of what was found; and any way to make a scene that was
//! not checked.
//!
//! ```
//! use proscenium_chance::Seed;
//! use proscenium_scenes::{SimulateOptions, find};
//! use proscenium_work::Progress;
//!
//! let scene = find("spin", &[("duration", 2.0)])?;
//! let simulation = scene.draw(Seed(1)).simulate(&SimulateOptions::default(), &Progress::none())?;
//! let handle = simulation.clip.node("handle").expect("the scene has a body of this name");
//! assert!(simulation.clip.nodes[handle.0 as usize].track.is_some());
//! # Ok::<(), proscenium_scenes::SceneErrors>(())
//! ```

mod bounds;
mod builtin;
mod check;
mod colour;
pub mod dice;
mod directed;
mod drawn;
mod error;
mod file;
mod joints;
mod look;
mod marks;
mod meshes;
mod motion;
mod moves;
mod overlap;
mod plan;
mod report;
mod scene;
mod simulate;
mod want;

pub use bounds::{BoundNote, BoundNotes};
pub use builtin::{Builtin, Parameter, Text, builtin, find, template};
pub use directed::{DIFFERENT, DirectedScene, FoundAnimation, Outcome, Sketch, Unrest};
pub use drawn::DrawnScene;
pub use error::{MeshFiles, Place, SceneError, SceneErrors, Source};
pub use meshes::check_mesh;
pub use proscenium_chance::{Density, Seed};
pub use scene::{Scene, schema};
pub use simulate::{ContactNote, SimulateOptions, Simulation};
