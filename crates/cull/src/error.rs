//! What can be wrong, and where.

use std::borrow::Cow;
use std::fmt;

pub use proscenium_diagnostics::{Mistake as ModelError, Place};
use proscenium_work::{ArtifactError, Halt, Remedy};

use crate::recorded::RecordingError;
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
    #[error("{system} has {count} state variables, and at most {most} can be culled")]
    TooManyVariables {
        /// The system.
        system: String,
        /// How many it has.
        count: usize,
        /// How many it may have.
        most: usize,
    },
    /// The energy that an author gave changes.
    #[error("the energy of {system} is not kept: it goes from {from:.4} to {to:.4} within {seconds:.0} s")]
    NotKept {
        /// The system.
        system: String,
        /// The energy at first.
        from: f64,
        /// The energy later on.
        to: f64,
        /// How much later, seconds.
        seconds: f64,
    },
    /// A part looks like a mesh that was not loaded, or that is none.
    #[error("the part {part} has no mesh: {file}")]
    Mesh {
        /// The part.
        part: String,
        /// The file that it names.
        file: String,
    },
    /// A compiled file cannot be used.
    #[error(transparent)]
    File(#[from] ArtifactError),
    /// The model inside a compiled file cannot be used.
    #[error("the model inside is wrong: {0}")]
    Model(#[from] ModelErrors),
    /// A recording cannot be used.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// What is asked for is made of equations, and the motion was recorded.
    #[error("{model} is a recorded motion, and a module is made of equations")]
    NoEquations {
        /// The model.
        model: String,
    },
    /// A number from outside is not finite, or not in its range.
    #[error("{what} is {value}")]
    Number {
        /// Which number.
        what: &'static str,
        /// What it is.
        value: f64,
        /// What would be right.
        remedy: &'static str,
    },
    /// Something was asked for by a name or number that is not there.
    #[error("there is no {what} \"{name}\"")]
    Unknown {
        /// A system, an output, an input, a signal.
        what: &'static str,
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
}

impl Remedy for CullError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Motion(error) => error.remedy(),
            Self::TooManyVariables { .. } => Some("split it into systems that do not depend on each other".into()),
            Self::NotKept { .. } => Some(
                "leave [energy] out, or mend its value: nothing that moves the system may add to it or take from it"
                    .into(),
            ),
            Self::Mesh { .. } => Some("load it with Model::with_meshes: a binary glTF file with triangles".into()),
            Self::File(error) => error.remedy(),
            Self::Model(errors) => errors.remedy(),
            Self::Recording(error) => error.remedy(),
            Self::NoEquations { .. } => Some("run the compiled file with the library".into()),
            Self::Number { remedy, .. } => Some(Cow::Borrowed(remedy)),
            Self::Unknown { known, .. } => Some(format!("known are {known}").into()),
        }
    }
}

impl From<CullError> for Halt<CullError> {
    fn from(error: CullError) -> Self {
        Self::Failed(error)
    }
}

impl From<MotionError> for Halt<CullError> {
    fn from(error: MotionError) -> Self {
        Self::Failed(error.into())
    }
}
