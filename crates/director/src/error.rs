use std::path::PathBuf;

use proscenium_direct::DirectError;
use proscenium_gallery::GalleryError;
use proscenium_scenes::SceneErrors;
use thiserror::Error;

/// Why a scene cannot be directed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DirectorError {
    /// The scene itself.
    #[error(transparent)]
    Scene(#[from] SceneErrors),
    /// Where samples are kept.
    #[error(transparent)]
    Gallery(#[from] GalleryError),
    /// How samples are drawn.
    #[error(transparent)]
    Direct(#[from] DirectError),
    /// A gallery of another run.
    #[error(
        "{} holds a run with {what}: continue it as it was begun, or choose another folder", path.display()
    )]
    OtherRun {
        /// Which file.
        path: PathBuf,
        /// What is other about it.
        what: &'static str,
    },
    /// A number of samples that asks for nothing.
    #[error("no samples are asked for: ask for one at least")]
    NoSamples,
}
