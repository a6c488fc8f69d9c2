//! What a run is on record with, whoever keeps it: what it follows from, and what
//! it found.

use serde::{Deserialize, Serialize};

use crate::exploration::Parent;
use crate::given::Condition;
use crate::model::Model;
use crate::sampler::{Sample, SamplerOptions};

/// What a run begins with, besides the world.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Nothing else.
    #[default]
    World,
    /// Part of an animation, which is the same in all that are drawn.
    Given(Box<Condition>),
    /// Some animations, between and around which others are looked for.
    Bred(Vec<Parent>),
}

/// What is directed, and how: all that a run follows from, besides the engine
/// itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The scene: its file's text, or whatever names it.
    pub scene: String,
    /// The version of the engine that simulates it.
    pub engine: String,
    /// The seed.
    pub seed: u64,
    /// How samples are drawn.
    pub options: SamplerOptions,
    /// What it begins with.
    pub origin: Origin,
    /// The wants, in words.
    pub wants: Vec<String>,
    /// The names of the variables.
    pub variables: Vec<String>,
    /// The names of the groups.
    pub groups: Vec<String>,
    /// The names of the quantities that traces follow.
    pub quantities: Vec<String>,
}

impl Run {
    /// The run of a model, with the names of its space.
    pub fn of<M: Model>(model: &M, scene: impl Into<String>, seed: u64, options: SamplerOptions) -> Self {
        let space = model.space();
        Self {
            scene: scene.into(),
            engine: env!("CARGO_PKG_VERSION").to_owned(),
            seed,
            options,
            origin: space.what_is_given().map_or(Origin::World, |given| Origin::Given(Box::new(given.clone()))),
            wants: Vec::new(),
            variables: space.variables().map(|variable| space.variable_name(variable).to_owned()).collect(),
            groups: space.groups().map(|group| space.group_name(group).to_owned()).collect(),
            quantities: model.quantities(),
        }
    }

    /// With some animations between and around which others are looked for, if there are any.
    #[must_use]
    pub fn bred_from(mut self, parents: &[Parent]) -> Self {
        if !parents.is_empty() {
            self.origin = Origin::Bred(parents.to_vec());
        }
        self
    }

    /// With what was wanted, in words.
    #[must_use]
    pub fn with_wants(mut self, wants: Vec<String>) -> Self {
        self.wants = wants;
        self
    }
}

/// A sample that satisfies all wants.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The sample.
    pub sample: Sample,
    /// Which wants it meets, in their order.
    pub wants_met: Vec<bool>,
}
