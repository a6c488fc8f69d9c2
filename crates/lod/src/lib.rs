//! Collision handling that is never late (Dingliana 2002).

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
    BodyId, Budget, CONTACT_TESTS, CollisionReport, FrameReport, Measure, PRIMITIVE_TESTS, Partner, Schedule, Settings,
    Thresholds, Viewer, Wall, World,
};
