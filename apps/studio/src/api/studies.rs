//! What goes over the wire about experiments with people.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// An experiment with people.
#[derive(Clone, Debug, Serialize, TS)]
pub struct StudyReport {
    /// What it is called.
    pub name: String,
    /// What is varied.
    pub factors: Vec<StudyFactor>,
    /// How many conditions there are.
    pub conditions: u32,
    /// How many trials each person has.
    pub trials: u32,
    /// The highest rating; the lowest is 1.
    pub highest_rating: u32,
    /// Whether 1 is the best rating, and not the worst.
    pub low_is_good: bool,
    /// Whether it runs live, with the pointer as the gaze; otherwise clips are
    /// shown.
    pub live: bool,
    /// What people are shown before, to know what to look for.
    pub training: Vec<StudyExample>,
    /// How many people have taken part.
    pub people: u32,
    /// How many answers there are.
    pub answers: u32,
    /// Those who have not seen everything yet.
    pub unfinished: Vec<u32>,
}

/// What is varied in an experiment.
#[derive(Clone, Debug, Serialize, TS)]
pub struct StudyFactor {
    /// What is varied.
    pub name: String,
    /// The levels, in order.
    pub levels: Vec<String>,
}

/// An example for training.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
pub struct StudyExample {
    /// Which condition, from 1.
    pub condition: u32,
    /// Whether it is one at its best.
    pub good: bool,
}

/// Somebody who takes part.
#[derive(Clone, Debug, Serialize, TS)]
pub struct StudyPerson {
    /// Their number, from 1; nothing else is known about them.
    pub participant: u32,
    /// What they have still to see, in order.
    pub trials: Vec<StudyTrial>,
    /// How many trials they have in all.
    pub of: u32,
}

/// Something to be rated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
pub struct StudyTrial {
    /// Which of the person's trials, from 1.
    pub number: u32,
    /// Which condition, from 1.
    pub condition: u32,
}

/// Somebody wants to take part.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct StudyConsent {
    /// Whether they know what it is about and agree.
    pub consent: bool,
}

/// What somebody thinks of a trial.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct StudyAnswer {
    /// Which of the person's trials, from 1.
    pub number: u32,
    /// From 1 to the highest.
    pub rating: u32,
    /// How often something looked wrong.
    pub clicks: u32,
    /// How long the person thought about it, s.
    pub seconds: f64,
}

/// What somebody says in the end.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct StudyRemark {
    /// What they looked for.
    pub text: String,
}

/// What the answers to an experiment say.
#[derive(Clone, Debug, Serialize, TS)]
pub struct StudyAnalysis {
    /// How many there are.
    pub answers: u32,
    /// From how many people.
    pub participants: u32,
    /// Of whom so many rated every condition; the others are left out.
    pub complete: u32,
    /// What each factor does.
    pub factors: Vec<StudyEffect>,
    /// What two of them do together beyond that.
    pub interactions: Vec<StudyEffect>,
}

/// An effect, by an analysis of variance within people.
#[derive(Clone, Debug, Serialize, TS)]
pub struct StudyEffect {
    /// Of what.
    pub name: String,
    /// For each level its name, the mean rating, and its standard error over
    /// people; nothing for an interaction.
    pub means: Vec<(String, f64, f64)>,
    /// The ratio of mean squares; nothing with fewer than two people, or where
    /// they agree entirely.
    pub f: Option<f64>,
    /// Degrees of freedom of the effect and of its error.
    pub degrees: Option<[f64; 2]>,
    /// The chance of a ratio as large without an effect.
    pub p: Option<f64>,
}
