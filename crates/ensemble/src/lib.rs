//! Mesh-ensemble motion graphs: a cached simulation of many colliding parts
//! becomes an endless animation, in which each part splices from one moment of
//! the data to another at its own time, and no two pass through each other. After
//! James, Twigg, Cove and Wang 2007.
//!
//! | module | what it has |
//! |---|---|
//! | [`data`] | an [`Ensemble`]: groups of a mesh in a tree of attachments, and every vertex of every frame, under conditions such as wind levels |
//! | [`compressed`] | the same in local frames and a few coordinates for each group, by [`compress`] |
//! | [`simulate`], [`built_in`] | data that is made here: shells and lattices in the wind, flags and plants |
//! | [`import`], [`cache`], [`export`] | data of other programs, and motion for them |
//! | [`contact`] | the one test for interpenetration |
//! | [`transition`] | the solver of the paper's section 4: how every group gets from one moment to another |
//! | [`build`] | one build of a graph, which goes on where it was stopped: [`GraphBuild`] |
//! | [`graph`] | a [`MotionGraph`]: what can be walked for ever |
//! | [`player`] | a [`Player`]: a walk along it |
//! | [`smooth`] | how smooth a walk is beside the data |
//! | [`field`] | tens of thousands of players, of which only what is seen costs anything |
//!
//! It may know nothing of files, clocks, pictures and other simulators: a build keeps
//! what it has in a [`Store`](proscenium_work::Store), which may be memory, and all
//! else comes and goes as bytes.
//!
//! Deliberately absent: tests within one group (a leaf may fold onto itself as
//! it did in the data); hierarchies with loops; contact with what is not part
//! of the ensemble.

pub mod build;
pub mod built_in;
pub mod cache;
mod compress;
pub mod compressed;
pub mod contact;
pub mod data;
mod differences;
mod error;
pub mod export;
pub mod field;
mod file;
mod frame;
pub mod graph;
pub mod import;
mod look;
pub mod player;
mod shape_cache;
pub mod simulate;
pub mod smooth;
pub mod transition;

pub use build::GraphBuild;
pub use compress::compress;
pub use compressed::CompressedEnsemble;
pub use data::Ensemble;
pub use error::{BuildError, EnsembleError};
pub use glam;
pub use graph::MotionGraph;
pub use look::{add_groups, still};
pub use player::Player;
pub use proscenium_chance::{Seed, Stream};
