//! Files that come out: what they are by their ending, and how they appear.

use std::io;
use std::path::{Path, PathBuf};

use proscenium_work::{check_writable, write_file, write_new_file, write_new_folder};
use serde::Serialize;

use crate::failure::Failure;
use crate::render::Rendered;

/// What a file is to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An animation for other programs, binary glTF.
    Glb,
    /// A picture.
    Png,
    /// A moving picture.
    Gif,
    /// An animation for scripts.
    Json,
}

/// A file to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    pub path: PathBuf,
    pub kind: Kind,
}

impl Output {
    /// Understands a name by its ending.
    pub fn parse(text: &str) -> Result<Self, String> {
        let path = PathBuf::from(text);
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        let kind = match ending.as_deref() {
            Some("glb") => Kind::Glb,
            Some("png") => Kind::Png,
            Some("gif") => Kind::Gif,
            Some("json") => Kind::Json,
            Some("gltf") => return Err("text glTF is not written: use .glb, the same in one file".to_owned()),
            Some(other) => return Err(format!("nothing ends in .{other}: use .glb, .png, .gif or .json")),
            None => return Err("the name must end in .glb, .png, .gif or .json, which says what to write".to_owned()),
        };
        Ok(Self { path, kind })
    }
}

/// Where traces go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceOutput {
    /// ArviZ's JSON, one file.
    Json(PathBuf),
    /// A Zarr store, a folder.
    Zarr(PathBuf),
}

impl TraceOutput {
    /// Understands a name by its ending.
    pub fn parse(text: &str) -> Result<Self, String> {
        let path = PathBuf::from(text);
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("json") => Ok(Self::Json(path)),
            Some("zarr") => Ok(Self::Zarr(path)),
            _ => Err("the name must end in .json or .zarr, which says what to write".to_owned()),
        }
    }
}

/// Finds out whether files can be written, before hours are spent on what
/// they should hold.
pub fn check(outputs: &[Output]) -> Result<(), Failure> {
    for (index, output) in outputs.iter().enumerate() {
        if outputs[..index].iter().any(|earlier| earlier.path == output.path) {
            return Err(Failure::Twice { path: output.path.clone() });
        }
        check_path(&output.path)?;
        check_writable(&output.path).map_err(|source| Failure::Write { path: output.path.clone(), source })?;
    }
    Ok(())
}

/// Writes a file that appears whole or not at all.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    check_path(path)?;
    write_file(path, bytes).map_err(|source| Failure::Write { path: path.to_owned(), source })
}

/// A file that was written, as scripts are told.
#[derive(Serialize)]
pub struct WrittenFile {
    pub path: String,
    pub bytes: usize,
    pub what: String,
}

impl WrittenFile {
    /// Writes what a file should hold.
    pub fn write(output: &Output, rendered: Rendered) -> Result<Self, Failure> {
        write(&output.path, &rendered.bytes)?;
        Ok(Self { path: output.path.display().to_string(), bytes: rendered.bytes.len(), what: rendered.what })
    }
}

/// Writes a file that must not exist yet.
pub fn write_once(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    check_path(path)?;
    write_new_file(path, bytes).map_err(|source| not_written(path, source))
}

/// Writes a folder of files that must not exist yet; it appears whole or not at all.
pub fn write_folder<'a>(path: &Path, files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Result<(), Failure> {
    if path.exists() {
        return Err(Failure::Exists { path: path.to_owned() });
    }
    check_path(path)?;
    write_new_folder(path, files).map_err(|source| not_written(path, source))
}

fn not_written(path: &Path, source: io::Error) -> Failure {
    match source.kind() {
        io::ErrorKind::AlreadyExists => Failure::Exists { path: path.to_owned() },
        _ => Failure::Write { path: path.to_owned(), source },
    }
}

fn check_path(path: &Path) -> Result<(), Failure> {
    if path.is_dir() {
        return Err(Failure::IsFolder { path: path.to_owned() });
    }
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            Err(Failure::NoFolder { folder: folder.to_owned() })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_known_by_their_ending() {
        assert_eq!(TraceOutput::parse("a.json"), Ok(TraceOutput::Json("a.json".into())));
        assert_eq!(TraceOutput::parse("b/c.zarr"), Ok(TraceOutput::Zarr("b/c.zarr".into())));
        assert!(TraceOutput::parse("d.csv").is_err() && TraceOutput::parse("zarr").is_err());
    }

    #[test]
    fn the_ending_says_what_it_is() {
        for (name, kind) in
            [("a.glb", Kind::Glb), ("b/c.PNG", Kind::Png), ("x.y.gif", Kind::Gif), ("n.json", Kind::Json)]
        {
            assert_eq!(Output::parse(name), Ok(Output { path: name.into(), kind }));
        }
        for wrong in ["", "a", ".glb", "a.mp4", "a.glb/", "a.gltf", "a."] {
            // A trailing slash is not part of the name for the standard library;
            // the folder it names is refused when the path is checked.
            assert!(Output::parse(wrong).is_err() || wrong == "a.glb/", "{wrong}");
        }
    }
}
