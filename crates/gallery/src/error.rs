use std::borrow::Cow;
use std::path::PathBuf;

use proscenium_work::Remedy;
use thiserror::Error;

/// Why a gallery cannot be written or read, and what to do.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GalleryError {
    /// A file is there already.
    #[error("{} holds a run already", path.display())]
    Exists {
        /// Which file.
        path: PathBuf,
    },
    /// No file.
    #[error("there is no gallery at {}", path.display())]
    Missing {
        /// Which file.
        path: PathBuf,
    },
    /// A file of another kind.
    #[error("{} is not a gallery", path.display())]
    NotGallery {
        /// Which file.
        path: PathBuf,
    },
    /// A run that was stopped before its file was complete.
    #[error("{} is empty: the run was stopped before it began", path.display())]
    Empty {
        /// Which file.
        path: PathBuf,
    },
    /// A file of a newer version.
    #[error("{} has format {found}, and formats up to {known} are known", path.display())]
    Newer {
        /// Which file.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest that is known.
        known: i64,
    },
    /// A run of an older version.
    #[error("{} holds a run of version 0.1, which cannot be continued by this one", path.display())]
    Older {
        /// Which file.
        path: PathBuf,
    },
    /// The same iteration twice.
    #[error("{} already has iteration {iteration} of chain {chain}: another run is writing to it", path.display())]
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
    #[error("{} is damaged: {what} cannot be read ({message})", path.display())]
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
}

impl Remedy for GalleryError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        Some(Cow::Borrowed(match self {
            Self::Exists { .. } => "continue it, or choose another place",
            Self::Missing { .. } => "start a run first",
            Self::NotGallery { .. } => "choose a file that a run has written",
            Self::Empty { .. } => "start it again at the same place",
            Self::Newer { .. } => "read it with a newer version",
            Self::Older { .. } => {
                "look at what it found and export from it as before; to find more, begin at another place"
            }
            Self::Concurrent { .. } => "let one of them end",
            Self::Database { .. } => "check the permissions and the space that is left",
            Self::Damaged { .. } => "restore it from a copy",
            Self::NotWritable { .. } => return None,
        }))
    }
}
