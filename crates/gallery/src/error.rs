use std::path::PathBuf;

use proscenium_direct::DirectError;
use thiserror::Error;

/// Why a gallery cannot be written or read, and what to do.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GalleryError {
    /// A file is there already.
    #[error("{} holds a run already: continue it, or choose another place", path.display())]
    Exists {
        /// Which file.
        path: PathBuf,
    },
    /// No file.
    #[error("there is no gallery at {}: start a run first", path.display())]
    Missing {
        /// Which file.
        path: PathBuf,
    },
    /// A file of another kind.
    #[error("{} is not a gallery: choose a file that a run has written", path.display())]
    NotGallery {
        /// Which file.
        path: PathBuf,
    },
    /// A run that was stopped before its file was complete.
    #[error("{} is empty: the run was stopped before it began; start it again at the same place", path.display())]
    Empty {
        /// Which file.
        path: PathBuf,
    },
    /// A file of a newer version.
    #[error("{} has format {found}, and formats up to {known} are known: read it with a newer version", path.display())]
    Newer {
        /// Which file.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest that is known.
        known: i64,
    },
    /// The same iteration twice.
    #[error("{} already has iteration {iteration} of chain {chain}: another run is writing to it; let one of them end", path.display())]
    Concurrent {
        /// Which file.
        path: PathBuf,
        /// Which chain.
        chain: u64,
        /// Which iteration.
        iteration: u64,
    },
    /// SQLite cannot do what was asked.
    #[error("cannot {action} {}: {error}", path.display())]
    Database {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What SQLite says.
        error: rusqlite::Error,
    },
    /// A value that cannot be what was written.
    #[error("{} is damaged: {what} cannot be read ({message}); restore it from a copy", path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        what: &'static str,
        /// What the reader says.
        message: String,
    },
    /// A value that cannot be written.
    #[error("{what} cannot be written: {message}")]
    NotWritable {
        /// What.
        what: &'static str,
        /// Why not.
        message: String,
    },
    /// The run itself cannot go on.
    #[error(transparent)]
    Direct(#[from] DirectError),
}
