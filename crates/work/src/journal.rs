//! Results one by one, as they are found.
//!
//! The file is an [`Artifact`] of what the job is (its key), followed by records:
//! four bytes of length, four of checksum, the content. Who is killed while writing
//! leaves a record that is not whole; it is dropped, and the job goes on before it.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::artifact::{Artifact, encode};
use crate::store::{Store, StoreError};

/// The results of a job, kept one by one, so that a job that was killed goes on
/// where it was.
///
/// ```
/// use proscenium_work::{Artifact, Journal, Memory};
///
/// const PRIMES: Artifact = Artifact::new("primes", "a list of primes", 1, "start again");
/// let store = Memory::default();
/// let (journal, known) = Journal::resume::<_, u32>(&store, "primes", PRIMES, &"below 10")?;
/// assert!(known.is_empty());
/// journal.add(&2_u32)?;
/// journal.add(&3_u32)?;
/// // The process dies; another goes on.
/// let (_, known) = Journal::resume::<_, u32>(&store, "primes", PRIMES, &"below 10")?;
/// assert_eq!(known, [2, 3]);
/// // Another job begins anew.
/// let (_, known) = Journal::resume::<_, u32>(&store, "primes", PRIMES, &"below 99")?;
/// assert!(known.is_empty());
/// # Ok::<(), proscenium_work::StoreError>(())
/// ```
pub struct Journal<'store> {
    store: &'store dyn Store,
    name: String,
}

impl<'store> Journal<'store> {
    /// Goes on with the journal of this name if it belongs to the same job, and
    /// begins it anew if not; what it holds.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn resume<K: Serialize + ?Sized, T: DeserializeOwned>(
        store: &'store dyn Store,
        name: &str,
        kind: Artifact,
        key: &K,
    ) -> Result<(Self, Vec<T>), StoreError> {
        let journal = Self { store, name: name.to_owned() };
        let begin = kind.seal(&key);
        let Some(file) = store.read(name)? else {
            store.write(name, &begin)?;
            return Ok((journal, Vec::new()));
        };
        let mut rest = file.strip_prefix(&begin[..]).unwrap_or_default();
        let known = std::iter::from_fn(|| next(&mut rest)).collect();
        if !file.starts_with(&begin) {
            store.write(name, &begin)?;
        } else if !rest.is_empty() {
            store.write(name, &file[..file.len() - rest.len()])?;
        }
        Ok((journal, known))
    }

    /// Keeps one more result.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn add(&self, result: &impl Serialize) -> Result<(), StoreError> {
        let body = encode(result);
        let length = u32::try_from(body.len()).expect("a result of a job has less than 4 GB");
        let record = [&length.to_le_bytes()[..], &crc32fast::hash(&body).to_le_bytes(), &body].concat();
        self.store.append(&self.name, &record)
    }
}

/// The next record, if it is there and whole.
fn next<T: DeserializeOwned>(rest: &mut &[u8]) -> Option<T> {
    let (length, after) = rest.split_first_chunk::<4>()?;
    let (checksum, after) = after.split_first_chunk::<4>()?;
    let (body, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let value = (crc32fast::hash(body) == u32::from_le_bytes(*checksum)).then(|| postcard::from_bytes(body).ok())??;
    *rest = after;
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Memory;

    const NOTES: Artifact = Artifact::new("notes", "notes", 1, "start again");

    #[test]
    fn whatever_is_cut_off_the_end_only_the_last_result_is_lost() {
        let store = Memory::default();
        let (journal, _) = Journal::resume::<_, String>(&store, "notes", NOTES, &7).unwrap();
        journal.add(&"first").unwrap();
        let whole = store.read("notes").unwrap().unwrap();
        journal.add(&"second").unwrap();
        let both = store.read("notes").unwrap().unwrap();
        for length in whole.len()..both.len() {
            store.write("notes", &both[..length]).unwrap();
            let (journal, known) = Journal::resume::<_, String>(&store, "notes", NOTES, &7).unwrap();
            assert_eq!(known, ["first"], "{length}");
            journal.add(&"third").unwrap();
            let (_, known) = Journal::resume::<_, String>(&store, "notes", NOTES, &7).unwrap();
            assert_eq!(known, ["first", "third"]);
        }
    }
}
