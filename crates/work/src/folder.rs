//! A store in a folder, and the one way to write a file.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use crate::store::{Store, StoreError, check_name};

/// Writes a file that appears whole or not at all, whatever happens meanwhile:
/// under a name of its own beside the place, on the disk before it is renamed.
///
/// # Errors
/// When it cannot be written there; what was there before is as it was.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (unfinished, mut file) = make_beside(path, File::create_new)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    drop(file);
    written.and_then(|()| fs::rename(&unfinished, path)).inspect_err(|_| {
        // The first error is the one to report, whether or not this works.
        let _ = fs::remove_file(&unfinished);
    })
}

/// Writes a file that must not exist yet.
///
/// # Errors
/// When there is one ([`io::ErrorKind::AlreadyExists`]), or it cannot be written there.
pub fn write_new_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Writes a folder of files, with the folders that their names ask for. It must not
/// exist yet, and appears whole or not at all.
///
/// # Errors
/// When there is something in its place ([`io::ErrorKind::AlreadyExists`]), or it cannot
/// be written there.
pub fn write_new_folder<'a>(path: &Path, files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> io::Result<()> {
    if path.exists() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let (unfinished, ()) = make_beside(path, fs::create_dir)?;
    let write_all = || {
        for (name, bytes) in files {
            let file = unfinished.join(name);
            fs::create_dir_all(file.parent().unwrap_or(&unfinished))?;
            write_new_file(&file, bytes)?;
        }
        fs::rename(&unfinished, path)
    };
    write_all().inspect_err(|_| {
        // The first error is the one to report, whether or not this works.
        let _ = fs::remove_dir_all(&unfinished);
    })
}

/// Whether a file could be written there, before hours are spent on what it should hold.
///
/// # Errors
/// Why not.
pub fn check_writable(path: &Path) -> io::Result<()> {
    let (unfinished, _) = make_beside(path, File::create_new)?;
    fs::remove_file(unfinished)
}

/// The content of a file of at most so many bytes: one that is larger is not read
/// into memory.
///
/// # Errors
/// When it cannot be read, or is larger ([`io::ErrorKind::FileTooLarge`]).
pub fn read_file(path: &Path, at_most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(at_most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > at_most { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}

/// A new file or folder in the same folder, since renaming cannot cross file systems. What
/// others are writing, or left when they were killed, is not touched.
fn make_beside<T>(path: &Path, make: impl Fn(PathBuf) -> io::Result<T>) -> io::Result<(PathBuf, T)> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    for number in 0_u32.. {
        let mut unfinished = OsString::from(".");
        unfinished.push(name);
        unfinished.push(format!(".{number}.part"));
        let unfinished = path.with_file_name(unfinished);
        match make(unfinished.clone()) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(made) => return Ok((unfinished, made)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// A store in a folder, which is made when something is kept in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder(PathBuf);

impl Folder {
    /// The store in a folder.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    fn place(&self, name: &str) -> Result<PathBuf, StoreError> {
        check_name(name)?;
        Ok(name.split('/').fold(self.0.clone(), |path, word| path.join(word)))
    }

    fn write_with(&self, name: &str, write: impl FnOnce(&Path) -> io::Result<()>) -> Result<(), StoreError> {
        let path = self.place(name)?;
        let made = fs::create_dir_all(path.parent().unwrap_or(&self.0));
        made.and_then(|()| write(&path))
            .map_err(|source| StoreError::Write { name: path.display().to_string(), source })
    }
}

impl Store for Folder {
    fn read(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.place(name)?;
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(StoreError::Read { name: path.display().to_string(), source }),
        }
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.write_with(name, |path| write_file(path, bytes))
    }

    fn append(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.write_with(name, |path| OpenOptions::new().create(true).append(true).open(path)?.write_all(bytes))
    }

    fn remove(&self, name: &str) -> Result<(), StoreError> {
        let path = self.place(name)?;
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(StoreError::Write { name: path.display().to_string(), source })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_by_somebody_who_was_killed_is_in_nobodys_way() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("graph.memg");
        fs::write(place.path().join(".graph.memg.0.part"), b"half").unwrap();
        write_file(&path, b"whole").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_folder_appears_whole_or_not_at_all() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("trace.zarr");
        check_writable(&path).unwrap();
        let files = [("zarr.json", &b"{}"[..]), ("x/c/0", b"1")];
        write_new_folder(&path, files).unwrap();
        assert_eq!(fs::read(path.join("x/c/0")).unwrap(), b"1");
        let again = write_new_folder(&path, files).unwrap_err();
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(write_new_file(&path, b"").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        let twice = [("a", &b"1"[..]), ("a", b"2")];
        assert!(write_new_folder(&place.path().join("other"), twice).is_err());
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "nothing unfinished is left");
    }

    #[test]
    fn a_file_that_is_too_large_is_not_read() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("five");
        write_file(&path, b"12345").unwrap();
        assert_eq!(read_file(&path, 5).unwrap(), b"12345");
        assert_eq!(read_file(&path, 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read_file(&place.path().join("none"), 4).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_write_that_fails_leaves_what_was_there() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("taken");
        fs::create_dir_all(path.join("by a folder")).unwrap();
        assert!(write_file(&path, b"x").is_err());
        assert!(write_file(&place.path().join("no/such/folder"), b"x").is_err());
        assert!(write_file(Path::new("/"), b"x").is_err());
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "nothing unfinished is left");
    }
}
