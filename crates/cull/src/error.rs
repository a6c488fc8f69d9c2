//! What can be wrong, and where.

use std::fmt;
use std::ops::Range;

use crate::system::MotionError;

/// A place in a model file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name of the file, as the user gave it.
    pub file: String,
    /// From the first byte to after the last byte in the text.
    pub span: Range<usize>,
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1, in characters.
    pub column: usize,
    /// The key whose value is wrong, such as `motion.phi`.
    pub key: String,
}

/// One thing that is wrong with a model file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelError {
    /// What is wrong.
    pub message: String,
    /// Where.
    pub place: Place,
    /// What was expected, or what would be right.
    pub help: Option<String>,
}

impl fmt::Display for ModelError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { file, line, column, key, .. } = &self.place;
        write!(formatter, "{file}:{line}:{column}: {}", self.message)?;
        if !key.is_empty() {
            write!(formatter, " (in {key})")?;
        }
        match &self.help {
            Some(help) => write!(formatter, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

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
        for (index, error) in self.errors.iter().enumerate() {
            if index > 0 {
                formatter.write_str("\n")?;
            }
            error.fmt(formatter)?;
        }
        Ok(())
    }
}

impl std::error::Error for ModelErrors {}

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
