//! What goes over the wire about the field.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What the page should know of the field (the facts of its hello).
#[derive(Clone, Debug, Serialize, TS)]
pub struct FieldFacts {
    /// What it is called.
    pub name: String,
    /// How many flags hang on the rope.
    pub flags: u32,
    /// Winds, from the weakest: name, and speed, m/s.
    pub levels: Vec<(String, f64)>,
    /// Frames of the data in a second.
    pub rate: f64,
    /// The sequences of the data: the wind, and how many frames.
    pub sequences: Vec<(u32, u32)>,
    /// The transitions: sequence and frame where the middle is, before and after.
    pub transitions: Vec<[u32; 4]>,
    /// How large the graph is, bytes; 0 while it is made.
    pub bytes: f64,
}

/// How the field is doing (the statistics of its stream).
#[derive(Clone, Debug, Serialize, TS)]
pub struct FieldStatistics {
    /// Seconds since it opened.
    pub time: f64,
    /// What is done before anything moves.
    pub making: Option<FieldMaking>,
    /// Why nothing will move.
    pub problem: Option<String>,
    /// The wind that the walk is in, and the one that is wanted.
    pub level: u32,
    /// See `level`.
    pub wanted: u32,
    /// In how many seconds it is there.
    pub arrives: f64,
    /// Where in the data the walk is: sequence and frame.
    pub moment: [u32; 2],
    /// Which transition it goes through, and the share that is behind it.
    pub transition: Option<(u32, f64)>,
    /// How many groups are blending now.
    pub blending: u32,
    /// Transitions taken so far.
    pub taken: u32,
    /// Frames since the last report: when, and how long the motion took, µs.
    pub costs: Vec<(f64, f64)>,
}

/// A graph that is being made.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct FieldMaking {
    /// In words.
    pub doing: String,
    /// The share of this that is done, from 0 to 1.
    pub done: f64,
}

/// What the field can be told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FieldControl {
    /// How strongly the wind blows, from 0 to 1.
    Wind(f64),
    /// How many flags there are.
    Flags(u32),
}

/// What the page should know of the meadow (the facts of its hello).
#[derive(Clone, Debug, Serialize, TS)]
pub struct MeadowFacts {
    /// How many clumps there are; 0 while they grow.
    pub clumps: u32,
    /// How long each side of the meadow is, m.
    pub side: f64,
    /// Winds, from the weakest: name, and speed, m/s.
    pub levels: Vec<(String, f64)>,
    /// Their colours, as #rrggbb.
    pub colours: Vec<String>,
    /// In how many squares along each side the wind is told.
    pub squares: u32,
    /// How large the graphs are, bytes; 0 while they are made.
    pub bytes: f64,
}

/// How the meadow is doing (the statistics of its stream).
#[derive(Clone, Debug, Serialize, TS)]
pub struct MeadowStatistics {
    /// Seconds since it opened.
    pub time: f64,
    /// What is done before anything moves.
    pub making: Option<FieldMaking>,
    /// Why nothing will grow.
    pub problem: Option<String>,
    /// How many clumps are in view.
    pub in_view: u32,
    /// How many vertices these have, as they are shown.
    pub vertices: u32,
    /// How many clumps were tested for being in view.
    pub tested: u32,
    /// How many of those in view go by each wind.
    pub by_level: Vec<u32>,
    /// How many of those in view are in each detail; the first is all of it.
    pub by_detail: Vec<u32>,
    /// The wind in each square of the meadow, along x first.
    pub wind: Vec<u32>,
    /// The clump that was asked for, while it is in view.
    pub clump: Option<MeadowClump>,
    /// Frames since the last report: when, and how long the motion took, µs.
    pub costs: Vec<(f64, f64)>,
}

/// What there is to say of a clump.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct MeadowClump {
    /// Its number, from 0.
    pub number: u32,
    /// What grows there.
    pub name: String,
    /// Which of the kinds it is, from 0, and how many there are.
    pub kind: u32,
    /// See `kind`.
    pub kinds: u32,
    /// How large it is; one is as its kind was simulated.
    pub size: f64,
    /// How far away it is, m.
    pub distance: f64,
    /// How many blades, leaves, petals and stems it has.
    pub parts: u32,
    /// The wind that it goes by, and the one that blows where it stands.
    pub level: u32,
    /// See `level`.
    pub wind: u32,
    /// Which detail it is shown in, from 0, and how many there are.
    pub detail: u32,
    /// See `detail`.
    pub details: u32,
    /// Its vertices: those that are shown, and all.
    pub vertices: [u32; 2],
    /// Its modes: those that are used, and all.
    pub modes: [u32; 2],
}

/// What the meadow can be told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum MeadowControl {
    /// How strongly the wind blows, from 0 to 1.
    Wind(f64),
    /// How many clumps there are.
    Clumps(u32),
    /// Which clump is told of, if any.
    Explain(Option<u32>),
    /// Whether clumps have the colour of the wind that they go by.
    ShowWind(bool),
}
