//! Mesh-ensemble motion graphs: a cached simulation of many colliding parts
//! becomes an endless animation, in which each part splices from one moment of
//! the data to another at its own time, and no two pass through each other.
//!
//! An [`Ensemble`] is the data: groups of a mesh in a tree of attachments, and
//! every vertex of every frame, under one or more labelled conditions such as
//! wind levels. [`compress`] puts it into local frames and a few coordinates
//! for each group ([`Compressed`]). Data of other programs comes in through
//! [`import`] and [`VertexCache`], and motion leaves through [`export`]. After
//! James, Twigg, Cove and Wang 2007.
//!
//! Deliberately absent: tests within one group (a leaf may fold onto itself as
//! it did in the data); hierarchies with loops; contact with what is not part
//! of the ensemble; drawing; clocks.

mod banner;
mod built_in;
mod cache;
mod compress;
mod compressed;
mod contact;
mod data;
mod differences;
mod error;
pub mod export;
pub mod field;
mod file;
mod frame;
mod graph;
pub mod import;
mod kept;
mod look;
mod plants;
mod player;
mod simulate;
mod transition;

pub use banner::Banner;
pub use built_in::{BUILT_IN, built_in};
pub use cache::{CacheError, CacheFormat, CacheTimes, VertexCache};
pub use compress::{compress, compress_with};
pub use compressed::{Compressed, CompressedGroup, CompressedParts, SequenceInfo};
pub use contact::{ContactTest, Triangle, triangle_distance};
pub use data::{Attachment, Condition, Ensemble, EnsembleParts, Group, Moment, Sequence};
pub use error::EnsembleError;
pub use frame::Frame;
pub use glam;
pub use graph::{
    BuildProgress, BuildSettings, Builder, GraphReport, Journal, Making, MotionGraph, Solved, Stationary, Task,
    choose_settings,
};
pub use look::still;
pub use plants::{Banana, Grass, Iris};
pub use player::Player;
pub use proscenium_chance::{Seed, Stream};
pub use simulate::{
    FrameOutcome, Generator, Part, Posture, RecordSettings, Recorded, SimulateSettings, Simulator, SoftModel, Stuff,
    Wind, WindField, record,
};
pub use transition::{
    Costs, Detours, Found, Outcome, Program, Rule, Satisfied, Shapes, Splice, Step, Tally, Trace, Transition,
    TransitionSettings, compute_transition, cost_matrices, satisfy,
};
