//! Files that are either whole or not there.

use std::fs;
use std::io::Write;
use std::path::Path;

use crate::PictureError;

/// Writes beside the target first, so that a reader never meets half a file
/// and a crash leaves the old one.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), PictureError> {
    let error = |source| PictureError::Write { path: path.to_path_buf(), source };
    let name = path.file_name().ok_or_else(|| error(std::io::ErrorKind::InvalidFilename.into()))?;
    let mut temporary_name = std::ffi::OsString::from(".");
    temporary_name.push(name);
    temporary_name.push(format!(".{}.part", std::process::id()));
    let temporary = path.with_file_name(temporary_name);
    let written = fs::File::create(&temporary)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&temporary, path));
    written.map_err(|source| {
        // The first error is the one to report, whether or not this works.
        let _ = fs::remove_file(&temporary);
        error(source)
    })
}
