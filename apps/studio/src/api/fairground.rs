//! What goes over the wire about the fairground.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A ride, and how far it is learned.
#[derive(Clone, Debug, Serialize, TS)]
pub struct RideReport {
    /// What it is called in addresses.
    pub name: String,
    /// What it is called by people.
    pub title: String,
    /// How many variables of it move.
    pub variables: u32,
    /// What it can be told.
    pub signals: Vec<String>,
    /// Whether it is being learned: what is done, and the share that is.
    pub learning: Option<RideLearning>,
    /// What was learned.
    pub learned: Option<RideLearned>,
    /// Why it could not be learned.
    pub problem: Option<String>,
}

/// A ride that is being learned.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct RideLearning {
    /// In words.
    pub doing: String,
    /// From 0 to 1.
    pub done: f64,
}

/// What was learned of a ride.
#[derive(Clone, Debug, Serialize, TS)]
pub struct RideLearned {
    /// Whether it was learned with all effort.
    pub thorough: bool,
    /// How long it took, s.
    pub seconds: f64,
    /// The size of the compiled file, bytes.
    pub bytes: u32,
    /// After how long it comes around, s.
    pub period: Option<f64>,
    /// From how long out of view on jumps are used, s.
    pub medium: Option<f64>,
    /// From how long out of view on nothing is remembered, s.
    pub long: Option<f64>,
    /// What a viewer could notice.
    pub verdict: String,
    /// What was found, as rows.
    pub summary: Vec<(String, String)>,
}

/// What the page should know of the fairground (the facts of its hello).
#[derive(Clone, Debug, Serialize, TS)]
pub struct FairgroundFacts {
    /// The kinds of rides, by name.
    pub kinds: Vec<String>,
    /// Every ride: kind, x and z of its middle (m), and its radius (m).
    pub rides: Vec<(u32, f64, f64, f64)>,
    /// A walk around a block: its corners, x and z (m).
    pub stroll: Vec<[f64; 2]>,
}

/// How the fairground is doing (the statistics of its stream).
#[derive(Clone, Debug, Serialize, TS)]
pub struct FairgroundStatistics {
    /// Seconds since it opened.
    pub time: f64,
    /// Whether what is not seen is left out.
    pub culling: bool,
    /// How many rides there are.
    pub rides: u32,
    /// How many are in view.
    pub in_view: u32,
    /// How many of them are of kinds that are learned.
    pub learned: u32,
    /// Frames since the last report: when, and how long the motion took, µs.
    pub costs: Vec<(f64, f64)>,
    /// States that the complete model computed in the last frame.
    pub computed: f64,
    /// Returns into view so far: by the complete model, by jumps, by a sample.
    pub returns: [f64; 3],
    /// Rides in view, and how they came back: 0 by the complete model, 1 by
    /// jumps, 2 by a sample, 3 always computed.
    pub seen: Vec<(u32, u8)>,
    /// Kinds that are being learned.
    pub learning: Vec<(String, RideLearning)>,
}

/// What the fairground can be told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FairgroundControl {
    /// Whether what is not seen is left out.
    Culling(bool),
    /// How many rides there are.
    Rides(u32),
    /// Whether the ground under a ride has the colour of how it came back into view.
    Marks(bool),
    /// Tells a ride something, seen or not.
    Signal {
        /// Which one.
        ride: u32,
        /// What.
        name: String,
    },
}
