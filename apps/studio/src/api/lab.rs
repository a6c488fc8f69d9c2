//! What goes over the wire about the lab.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{Problem, RunState};

/// The lab: its experiments, and what was found so far.
#[derive(Clone, Debug, Serialize, TS)]
pub struct LabReport {
    /// The experiments, by name.
    pub experiments: Vec<LabExperiment>,
    /// Why none can be run here, if so.
    pub problem: Option<Problem>,
}

/// An experiment.
#[derive(Clone, Debug, Serialize, TS)]
pub struct LabExperiment {
    /// What it is called.
    pub name: String,
    /// Which table or figure of which paper.
    pub reproduces: String,
    /// What it shows, in a sentence.
    pub summary: String,
    /// The columns that matter most; the results have more.
    pub columns: Vec<String>,
    /// What was found last.
    pub last: Option<LabLast>,
    /// The run that was ordered last.
    pub job: Option<LabJob>,
}

/// What a run of an experiment left.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct LabLast {
    /// What its random numbers followed from.
    pub seed: f64,
    /// Whether rows were left out or made smaller.
    pub quick: bool,
    /// How many rows there are.
    pub rows: u32,
    /// When it was written, seconds since 1970.
    pub written: f64,
    /// The names of its pictures.
    pub pictures: Vec<String>,
}

/// How an experiment should be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct LabOrder {
    /// With fewer or smaller rows, in less than a minute.
    pub quick: bool,
    /// What all random numbers follow from.
    pub seed: u32,
}

/// How far a run of an experiment is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct LabJob {
    /// What was ordered.
    pub order: LabOrder,
    /// What it does; one that was stopped has written what it had.
    pub state: RunState,
    /// How much is done, if that is known.
    pub share: Option<f64>,
    /// What is being done.
    pub doing: String,
    /// When it was ordered, seconds since 1970.
    pub ordered: f64,
    /// How long it has worked, s.
    pub seconds: f64,
    /// What it said; only where one job is asked for.
    pub log: Vec<String>,
    /// Why it failed.
    pub problem: Option<Problem>,
}

/// The file that a run leaves, as it is.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct LabResults {
    /// Which experiment.
    pub experiment: String,
    /// Which table or figure of which paper.
    pub reproduces: String,
    /// What its random numbers followed from.
    #[ts(type = "number")]
    pub seed: u64,
    /// Whether rows were left out or made smaller.
    pub quick: bool,
    /// What was varied and what was measured; figures of a paper begin with
    /// `paper_`.
    #[ts(type = "Record<string, unknown>[]")]
    pub rows: Vec<serde_json::Value>,
    /// What the rows mean, and what follows from them.
    pub notes: Vec<String>,
}
