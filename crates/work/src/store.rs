//! Where a job keeps what it has.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::remedy::Remedy;

/// Where a job keeps what it has: files by name, of which each is there whole or
/// not at all.
///
/// A name is one or several words with `/` between them, and never leaves the
/// store.
///
/// ```
/// use proscenium_work::{Memory, Store};
///
/// let store = Memory::default();
/// store.write("parts/1", b"first")?;
/// store.append("log", b"began;")?;
/// store.append("log", b"ended;")?;
/// assert_eq!(store.read("log")?.as_deref(), Some(&b"began;ended;"[..]));
/// assert_eq!(store.read("parts/2")?, None);
/// # Ok::<(), proscenium_work::StoreError>(())
/// ```
pub trait Store: Send + Sync {
    /// What is kept under a name; `None` if nothing is.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    fn read(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// Keeps bytes under a name, in place of what was there. Whatever happens
    /// meanwhile, either the old or the new is there, whole.
    ///
    /// # Errors
    /// When it cannot be written.
    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError>;

    /// Adds bytes to what is kept under a name. Who is killed meanwhile leaves
    /// the old and perhaps a part of the new.
    ///
    /// # Errors
    /// When it cannot be written.
    fn append(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError>;

    /// Forgets what is kept under a name, if anything is.
    ///
    /// # Errors
    /// When it is there and cannot be removed.
    fn remove(&self, name: &str) -> Result<(), StoreError>;
}

/// Why something could not be kept or found.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A name that leads out of the store, or to nothing.
    #[error("`{name}` cannot be the name of something that is kept")]
    Name {
        /// The name.
        name: String,
    },
    /// It is there and cannot be read.
    #[error("{name} cannot be read: {source}")]
    Read {
        /// Its name, with the folder.
        name: String,
        /// What the system says.
        source: io::Error,
    },
    /// It cannot be written.
    #[error("{name} cannot be written: {source}")]
    Write {
        /// Its name, with the folder.
        name: String,
        /// What the system says.
        source: io::Error,
    },
}

impl Remedy for StoreError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        Some(Cow::Borrowed(match self {
            Self::Name { .. } => "use words with `/` between them, none of which is `..`",
            Self::Read { .. } => "check the name and the permissions",
            Self::Write { .. } => "check the permissions and the space that is left, or write elsewhere",
        }))
    }
}

/// Refuses a name that leads out of the store, or to nothing.
pub(crate) fn check_name(name: &str) -> Result<(), StoreError> {
    let fits = |word: &str| !word.is_empty() && word != "." && word != ".." && !word.contains(['\\', '\0', ':']);
    if name.split('/').all(fits) { Ok(()) } else { Err(StoreError::Name { name: name.to_owned() }) }
}

/// A store that is gone with the process.
#[derive(Debug, Default)]
pub struct Memory(Mutex<BTreeMap<String, Vec<u8>>>);

impl Memory {
    fn files(&self) -> MutexGuard<'_, BTreeMap<String, Vec<u8>>> {
        // Every change is one call of the map, so that a panic elsewhere leaves it whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The names of all that is kept, in order.
    pub fn names(&self) -> Vec<String> {
        self.files().keys().cloned().collect()
    }
}

impl Store for Memory {
    fn read(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        check_name(name)?;
        Ok(self.files().get(name).cloned())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        check_name(name)?;
        self.files().insert(name.to_owned(), bytes.to_vec());
        Ok(())
    }

    fn append(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        check_name(name)?;
        self.files().entry(name.to_owned()).or_default().extend_from_slice(bytes);
        Ok(())
    }

    fn remove(&self, name: &str) -> Result<(), StoreError> {
        check_name(name)?;
        self.files().remove(name);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::Folder;

    #[test]
    fn a_folder_and_memory_keep_alike() {
        let place = tempfile::tempdir().unwrap();
        let (folder, memory) = (Folder::new(place.path()), Memory::default());
        for store in [&folder as &dyn Store, &memory] {
            assert_eq!(store.read("a/b").unwrap(), None);
            store.remove("a/b").unwrap();
            store.write("a/b", b"one").unwrap();
            store.write("a/b", b"two").unwrap();
            store.append("a/b", b"!").unwrap();
            store.append("log", b"1").unwrap();
            assert_eq!(store.read("a/b").unwrap().unwrap(), b"two!");
            assert_eq!(store.read("log").unwrap().unwrap(), b"1");
            store.remove("log").unwrap();
            assert_eq!(store.read("log").unwrap(), None);
        }
        assert_eq!(memory.names(), ["a/b"]);
    }

    #[test]
    fn names_never_leave_the_store() {
        let place = tempfile::tempdir().unwrap();
        let (folder, memory) = (Folder::new(place.path().join("inside")), Memory::default());
        for name in ["", "/", "..", "../a", "a/../b", "a//b", "/etc/passwd", "a/.", "C:\\a", "a\0"] {
            for store in [&folder as &dyn Store, &memory] {
                let refused = store.write(name, b"x").unwrap_err();
                assert!(refused.remedy().is_some() && matches!(refused, StoreError::Name { .. }), "{name}");
                assert!(store.read(name).is_err() && store.remove(name).is_err() && store.append(name, b"").is_err());
            }
        }
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
    }
}
