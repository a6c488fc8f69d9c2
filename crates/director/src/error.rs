use std::borrow::Cow;

use proscenium_direct::DirectError;
#[cfg(feature = "gallery")]
use proscenium_gallery::GalleryError;
use proscenium_scenes::SceneErrors;
use proscenium_work::{Halt, Remedy};
use thiserror::Error;

/// Why a scene cannot be directed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DirectorError {
    /// The scene itself.
    #[error(transparent)]
    Scene(#[from] SceneErrors),
    /// Where samples are kept.
    #[cfg(feature = "gallery")]
    #[error(transparent)]
    Gallery(#[from] GalleryError),
    /// How samples are drawn.
    #[error(transparent)]
    Direct(#[from] DirectError),
    /// An archive of another run.
    #[error("{archive} holds a run with {what}")]
    OtherRun {
        /// Which archive.
        archive: String,
        /// What is other about it.
        what: &'static str,
    },
    /// A number of samples that asks for nothing.
    #[error("no samples are asked for")]
    NoSamples,
    /// A fair draw of what only a search finds.
    #[error("what is bred from other animations is found by a search, and is no fair draw")]
    NotFair,
}

impl Remedy for DirectorError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Scene(errors) => errors.remedy(),
            #[cfg(feature = "gallery")]
            Self::Gallery(error) => error.remedy(),
            Self::Direct(error) => error.remedy(),
            Self::OtherRun { .. } => Some("continue it as it was begun, or choose another folder".into()),
            Self::NoSamples => Some("ask for one at least".into()),
            Self::NotFair => Some("ask for different ones, or for a fair draw where some of one is held".into()),
        }
    }

    fn explain(&self) -> String {
        match self {
            // Each mistake of a scene is told with its own remedy.
            Self::Scene(errors) => errors.explain(),
            _ => self.remedy().map_or_else(|| self.to_string(), |remedy| format!("{self}: {remedy}")),
        }
    }
}

impl From<DirectorError> for Halt<DirectorError> {
    fn from(error: DirectorError) -> Self {
        Self::Failed(error)
    }
}
