//! What goes over the wire about the city.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A road network that was uploaded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct NetworkReport {
    /// What it is called in addresses.
    pub name: String,
    /// What kind of file it was.
    pub format: String,
    /// How many roads it has.
    pub roads: u32,
    /// How long they are together, km.
    pub kilometres: f64,
    /// What could not be represented as it was: what became of it, how often,
    /// and the first few.
    pub notes: Vec<(String, u32, Vec<String>)>,
}

/// What the page should know of the city around the viewer (the facts of its
/// hello).
#[derive(Clone, Debug, Serialize, TS)]
pub struct CityFacts {
    /// What it is called.
    pub name: String,
    /// Roads near the viewer: number, lanes, and x and z of its points (m).
    pub roads: Vec<(u32, u32, Vec<f64>)>,
    /// A drive: x and z (m), and the direction, for every half second.
    pub route: Vec<[f64; 4]>,
    /// Where on the drive one begins: so many of its places are behind.
    pub start: u32,
    /// Whom the data is from.
    pub attribution: Option<String>,
}

/// How the city is doing (the statistics of its stream).
#[derive(Clone, Debug, Serialize, TS)]
pub struct CityStatistics {
    /// Seconds since it was opened.
    pub time: f64,
    /// Whether cars that nobody sees are left out.
    pub culling: bool,
    /// Whether cars that nobody saw lately are densities.
    pub pools: bool,
    /// How many cars there are.
    pub cars: u32,
    /// How many roads there are.
    pub roads: u32,
    /// Cars in view.
    pub in_view: u32,
    /// Cars that drive by the complete model, are tracked one by one, and are
    /// in pools.
    pub counts: [f64; 3],
    /// Frames since the last report: when, and how long the cars took, µs.
    pub costs: Vec<(f64, f64)>,
    /// What the complete model takes for a car, µs.
    pub complete: f64,
    /// The speedup times the share of cars in view; 1 is culling that costs
    /// nothing.
    pub efficiency: Option<f64>,
    /// Roads in view, and those on which the complete model runs.
    pub seen: Vec<u32>,
    /// Roads on which the complete model runs.
    pub active: Vec<u32>,
    /// For each of the roads near the viewer how many cars it may have that
    /// nobody sees.
    pub densities: Vec<f32>,
    /// Where cars in view are: x and z, m.
    pub places: Vec<[f64; 2]>,
    /// Where the other viewers are: x, z (m), and the direction.
    pub viewers: Vec<[f64; 4]>,
    /// Circles of cars that wait for each other.
    pub gridlocks: u32,
}

/// What the city can be told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum CityControl {
    /// Whether cars that nobody sees are left out.
    Culling(bool),
    /// Whether cars that nobody saw lately are densities.
    Pools(bool),
    /// How many cars there are, and a generated city grows with them; or as many as
    /// suit the length of the roads.
    Cars(Option<u32>),
    /// How many others look besides the page itself.
    Viewers(u32),
    /// An uploaded network, or none for a generated city.
    Network(Option<String>),
}
