//! What can be wrong with a study, and what to do about it.

use std::borrow::Cow;

use proscenium_clip::ClipError;
use proscenium_lod::LodError;
use proscenium_work::{Halt, Remedy};

/// Why a study cannot be shown or analysed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// A name that no study has.
    #[error("there is no built-in study \"{name}\"")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// An experiment that has no clips.
    #[error("the study `{study}` follows where people look, so that it has no clips")]
    RunsLive {
        /// Which one.
        study: &'static str,
    },
    /// Answers that cannot be used.
    #[error("line {line} of the answers: {reason}")]
    Answers {
        /// Which line, from 1.
        line: usize,
        /// What is wrong there.
        reason: String,
    },
    /// The collision of a stimulus cannot be simulated.
    #[error(transparent)]
    Lod(#[from] LodError),
    /// A clip that could not be made.
    #[error("the clip cannot be made: {0}")]
    Clip(#[from] ClipError),
}

impl From<StudyError> for Halt<StudyError> {
    fn from(error: StudyError) -> Self {
        Self::Failed(error)
    }
}

impl Remedy for StudyError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Unknown { known, .. } => Some(format!("known are {known}").into()),
            Self::RunsLive { .. } => Some("it runs in the studio, on the page Collisions".into()),
            Self::Lod(error) => error.remedy(),
            // The reason says what would be right.
            Self::Answers { .. } => None,
            Self::Clip(error) => error.remedy(),
        }
    }
}
