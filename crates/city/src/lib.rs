//! Roads, cars, guarantees and pools: a city that costs only what is seen of
//! it.
//!
//! A [`Plan`] is a road network as plain data, drawn, generated or imported; a
//! [`Map`] is what is driven on: junctions, roads, lanes, and the paths that
//! cars follow. After Chenney 2000, chapter 6 and appendix B.
//!
//! Deliberately absent: hills and bridges (roads lie in a plane), changing
//! lanes between junctions, pedestrians and parking.

mod city;
mod cubic;
mod culling;
mod display;
mod driving;
mod error;
mod file;
mod generate;
mod import;
mod learn;
pub mod map;
mod sight;
mod traffic;
mod wander;

pub use city::{City, CityWork, Detail, OwnCar, Settings, VisibleCar};
pub use cubic::PiecewiseCubic;
pub use culling::{BoundSettings, BoundSize, TrackingWork};
pub use display::{CityFilm, MapPicture, streets};
pub use driving::{FreeRun, Vehicle};
pub use error::CityError;
pub use generate::{Recipe, RecipeError};
pub use glam;
pub use import::{ImportError, ImportFormat, ImportNote, ImportReport, Imported, import};
pub use learn::{Excess, ExcessFit, Following, Learned, Study, StudySettings};
pub use map::{
    Connection, Control, ControlPlan, CurvePoint, Junction, JunctionId, JunctionPlan, Lane, LaneId, Light, Map,
    MapError, MapStatistics, Path, PathCurve, PathId, PhasePlan, Plan, Road, RoadId, RoadPlan, Side, SignalsPlan, Turn,
};
pub use proscenium_chance::Seed;
pub use sight::{
    Cone, Drive, DriveError, DriveFrame, EYE_HEIGHT, Eye, Opening, SightError, Standing, VisibleRoads, WALL_HEIGHT,
};
pub use traffic::{Gridlock, Pose};
pub use wander::{CarId, Wander};
