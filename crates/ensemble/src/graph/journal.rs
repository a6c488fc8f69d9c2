//! The journal of a build: every task as soon as it is done, so that an
//! interrupted build goes on where it was.

use proscenium_chance::Seed;
use serde::{Deserialize, Serialize};

use super::{BuildSettings, Solved};
use crate::compressed::Compressed;
use crate::error::EnsembleError;

/// What a journal begins with; the number is the format's version.
const JOURNAL: &[u8] = b"proscenium ensemble journal 1\n";

/// What a journal belongs to: another seed, other settings or other data make
/// it useless.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Journal {
    seed: u64,
    settings: BuildSettings,
    /// The 64-bit FNV-1a hash of the data.
    data: u64,
}

impl Journal {
    /// The journal of a build.
    ///
    /// # Errors
    /// Never for an ensemble that can be written.
    pub fn new(data: &Compressed, settings: BuildSettings, seed: Seed) -> Result<Self, EnsembleError> {
        let hash = data
            .to_bytes()?
            .iter()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        Ok(Self { seed: seed.0, settings, data: hash })
    }

    /// What the file begins with.
    ///
    /// # Errors
    /// Never.
    pub fn begin(&self) -> Result<Vec<u8>, EnsembleError> {
        Ok([JOURNAL, &line(self)?].concat())
    }

    /// What is added for a task that is done.
    ///
    /// # Errors
    /// Never.
    pub fn line(solved: &Solved) -> Result<Vec<u8>, EnsembleError> {
        line(solved)
    }

    /// The tasks of a file, as far as they were written whole; `None` if it is
    /// no journal, or that of another build.
    pub fn read(&self, bytes: &[u8]) -> Option<Vec<Solved>> {
        let mut rest = bytes.strip_prefix(JOURNAL)?;
        let of: Journal = next(&mut rest)?;
        (of == *self).then(|| std::iter::from_fn(|| next(&mut rest)).collect())
    }
}

/// A value behind its length.
fn line<T: Serialize>(value: &T) -> Result<Vec<u8>, EnsembleError> {
    let body = postcard::to_stdvec(value)
        .map_err(|error| EnsembleError::File { what: error.to_string(), remedy: "this is a fault of the writer" })?;
    Ok([&(body.len() as u64).to_le_bytes()[..], &body].concat())
}

/// The next value, if it is there and whole.
fn next<T: for<'de> Deserialize<'de>>(rest: &mut &[u8]) -> Option<T> {
    let (length, after) = rest.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (body, after) = after.split_at_checked(length)?;
    *rest = after;
    postcard::from_bytes(body).ok()
}
