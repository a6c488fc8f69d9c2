//! The files of a run.

use std::path::{Path, PathBuf};

use crate::error::LabError;
use crate::experiment::FinishedRun;

/// Writes `NAME.json` and the pictures into a folder, which is made if it is
/// not there, and returns the paths.
pub fn write_finished(finished: &FinishedRun, folder: &Path) -> Result<Vec<PathBuf>, LabError> {
    std::fs::create_dir_all(folder).map_err(LabError::file("make the folder", folder))?;
    let name = &finished.results.experiment;
    let mut text = serde_json::to_string_pretty(&finished.results)?;
    text.push('\n');
    let mut written = vec![folder.join(format!("{name}.json"))];
    write(&written[0], &text)?;
    for figure in &finished.figures {
        let path = folder.join(format!("{name}-{}.svg", figure.suffix));
        write(&path, &figure.svg)?;
        written.push(path);
    }
    Ok(written)
}

/// Writes a file so that a reader sees the old one or the new one whole.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), LabError> {
    proscenium_work::write_file(path, text.as_bytes()).map_err(LabError::file("write", path))
}

/// The pictures of an experiment in a folder, by name: `NAME.svg` and
/// `NAME-….svg`, unless they belong to another experiment with a longer name.
pub(crate) fn pictures_of(name: &str, others: &[&str], folder: &Path) -> Result<Vec<PathBuf>, LabError> {
    let belongs =
        |stem: &str, owner: &str| stem.strip_prefix(owner).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
    let mut found = Vec::new();
    for path in list(folder, "svg")? {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let elsewhere = others.iter().any(|other| other.len() > name.len() && belongs(stem, other));
        if belongs(stem, name) && !elsewhere {
            found.push(path);
        }
    }
    Ok(found)
}

/// The files of a folder with this ending, sorted.
pub(crate) fn list(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, LabError> {
    let read = LabError::file("read the folder", folder);
    let entries: Result<Vec<_>, _> = std::fs::read_dir(folder).and_then(Iterator::collect);
    let paths = entries.map_err(read)?.into_iter().map(|entry: std::fs::DirEntry| entry.path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|e| e == ending)).collect();
    paths.sort();
    Ok(paths)
}
