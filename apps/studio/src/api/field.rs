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
pub struct FieldTold {
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
