//! What goes over the wire about rides that one builds.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Problem;

/// A model file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct ModelListed {
    /// What it is called in addresses.
    pub name: String,
    /// What it is called by people.
    pub title: String,
    /// Whether it is in the workspace, and not one that comes with the studio.
    pub own: bool,
}

/// The text of a model file.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ModelText {
    /// As it stands in the file.
    pub toml: String,
}

/// A model file that is kept.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ModelKept {
    /// As it stands in the file.
    pub toml: String,
    /// Which text it is; another one has another version.
    pub version: String,
}

/// A model file to be kept.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ModelOffer {
    /// As it should stand in the file.
    pub toml: String,
    /// The version that was edited: if another one is kept by now, nothing is
    /// written. Without it the text is kept whatever it replaces.
    #[serde(default)]
    pub replaces: Option<String>,
}

/// A model file taken apart.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ModelCheck {
    /// Which text it is.
    pub version: String,
    /// What it is called by people.
    pub title: String,
    /// The text without its parts: parameters, state, motion and outputs.
    pub equations: String,
    /// The parts, parents first.
    pub parts: Vec<ModelPart>,
    /// What a field can be bound to: what moves.
    pub outputs: Vec<String>,
    /// What a field can be bound to besides: what stays.
    pub parameters: Vec<String>,
    /// How many copies of it there are.
    pub copies: u32,
    /// What is wrong with it; places are those of the text that was sent.
    pub problem: Option<Problem>,
}

/// A part of a model: how it hangs on another, and what is seen of it. Fields
/// are as they are written: a number, or an expression of outputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct ModelPart {
    /// What it is called.
    pub name: String,
    /// What it hangs on.
    pub parent: Option<String>,
    /// Whether every copy has one.
    pub each: bool,
    /// Where it is moved, m.
    pub shift: Option<[String; 3]>,
    /// What it turns about.
    pub axis: Option<[String; 3]>,
    /// How far it is turned, radians.
    pub angle: Option<String>,
    /// What is seen of it.
    pub solid: Option<PartSolid>,
    /// As #rrggbb.
    pub colour: Option<String>,
}

/// What is seen of a part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PartSolid {
    /// Half the sides of a box, m.
    Box([f64; 3]),
    /// The radius of a ball, m.
    Ball(f64),
    /// A mesh of the workspace (`.glb`).
    Mesh(String),
}

/// A model that was run for a while.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ModelPreview {
    /// What its animation is called.
    pub id: String,
    /// How long it is, s.
    pub seconds: f64,
    /// How many values of each output there are in a second.
    pub rate: f64,
    /// The outputs of the first copy over time.
    pub outputs: Vec<(String, Vec<f64>)>,
    /// The box that everything stays in: its least and greatest coordinates, m.
    pub bounds: [[f64; 3]; 2],
}

/// How a model should be compiled.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ModelOrder {
    /// With all effort, and not in a hurry.
    pub thorough: bool,
}
