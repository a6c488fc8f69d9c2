//! Chenney 2000, chapter 6: a city of which only what is seen is simulated.

mod density;
mod direct;
mod efficiency;
mod ground;
mod judge;
mod maps;
mod peers;
mod quality;
mod routes;
mod scale;
mod size;
mod sumo;
mod watch;

pub(crate) use density::CityDensity;
pub(crate) use direct::CityDirect;
pub(crate) use maps::CityMaps;
pub(crate) use peers::CityPeers;
pub(crate) use quality::{CityEqual, CityQuality};
pub(crate) use scale::CityScale;
pub(crate) use size::CitySize;
