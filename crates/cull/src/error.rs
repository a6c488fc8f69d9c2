//! What can be wrong, and where.

use std::borrow::Cow;
use std::fmt;

pub use proscenium_diagnostics::{Mistake as ModelError, Place};
use proscenium_work::Remedy;

use crate::system::MotionError;

/// Everything that is wrong with a model file: at least one error, in the
/// order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelErrors {
    /// The errors.
    pub errors: Vec<ModelError>,
    /// The text that the places refer to.
    pub text: String,
}

impl fmt::Display for ModelErrors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.errors.iter().map(ToString::to_string).collect();
        formatter.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for ModelErrors {}

impl Remedy for ModelErrors {
    /// That of the first error.
    fn remedy(&self) -> Option<Cow<'_, str>> {
        self.errors.first()?.remedy()
    }

    /// Each error with its own help.
    fn explain(&self) -> String {
        let lines: Vec<String> = self.errors.iter().map(Remedy::explain).collect();
        lines.join("\n")
    }
}

/// Why a system could not be compiled, read or run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CullError {
    /// The system itself does not work.
    #[error(transparent)]
    Motion(#[from] MotionError),
    /// A system has more variables than can be learned.
    #[error(
        "{system} has {count} state variables: at most {most} can be culled; split it into systems that do not depend on each other"
    )]
    TooManyVariables {
        /// The system.
        system: String,
        /// How many it has.
        count: usize,
        /// How many it may have.
        most: usize,
    },
    /// The caller wanted to stop.
    #[error("the work was stopped before it was done")]
    Stopped,
    /// A compiled file cannot be used.
    #[error("{what}: compile the model again with this version")]
    File {
        /// What is wrong with it.
        what: String,
    },
    /// The model inside a compiled file cannot be used.
    #[error("the model inside is wrong: {0}")]
    Model(#[from] ModelErrors),
    /// A number from outside is not finite, or not in its range.
    #[error("{what} is {value}: {remedy}")]
    Number {
        /// Which number.
        what: &'static str,
        /// What it is.
        value: f64,
        /// What would be right.
        remedy: &'static str,
    },
    /// Something was asked for by a name or number that is not there.
    #[error("there is no {what} \"{name}\": known are {known}")]
    Unknown {
        /// A system, an output, an input, a signal.
        what: &'static str,
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// The report cannot be drawn.
    #[error("the report cannot be drawn: {0}")]
    Report(String),
}
