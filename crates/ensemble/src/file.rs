//! Files: a header with a version, and what follows.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::compressed::{Compressed, CompressedParts};
use crate::error::EnsembleError;

/// What a compressed ensemble begins with; the number is the format's version.
const COMPRESSED: &str = "proscenium ensemble 1\n";

/// The bytes of a value behind a header.
pub(crate) fn write<T: Serialize>(header: &str, value: &T) -> Result<Vec<u8>, EnsembleError> {
    let body = postcard::to_stdvec(value)
        .map_err(|error| EnsembleError::File { what: error.to_string(), remedy: "this is a fault of the writer" })?;
    Ok([header.as_bytes(), &body].concat())
}

/// The value behind a header, the last word of which is the version.
pub(crate) fn read<T: DeserializeOwned>(header: &str, what: &str, bytes: &[u8]) -> Result<T, EnsembleError> {
    let wrong = |what: String, remedy| Err(EnsembleError::File { what, remedy });
    let Some(body) = bytes.strip_prefix(header.as_bytes()) else {
        let family = header.trim_end().trim_end_matches(|last: char| last.is_ascii_digit());
        return match bytes.starts_with(family.as_bytes()) {
            true => wrong(format!("{what} is of another version"), "build it again with this version"),
            false => wrong(format!("this is not {what}"), "give the file that the build wrote"),
        };
    };
    postcard::from_bytes(body).or_else(|_| wrong(format!("{what} is damaged or cut short"), "build it again"))
}

impl Compressed {
    /// The ensemble as a file.
    ///
    /// # Errors
    /// Never for an ensemble that [`Compressed::new`] made.
    pub fn to_bytes(&self) -> Result<Vec<u8>, EnsembleError> {
        write(COMPRESSED, self.parts())
    }

    /// Reads such a file.
    ///
    /// # Errors
    /// When it is no such file, of another version, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, EnsembleError> {
        let parts: CompressedParts = read(COMPRESSED, "a compressed ensemble", bytes)?;
        Self::new(parts)
    }
}
