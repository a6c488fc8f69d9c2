//! One header for every binary file.
//!
//! A file begins with a line that can be read:
//!
//! ```text
//! proscenium cull 3 48211 9a3f21c0
//!            │    │ │     └ checksum of the content (CRC-32, as in PNG and gzip)
//!            │    │ └ bytes of content behind the line
//!            │    └ version of this kind of file
//!            └ what it is
//! ```
//!
//! The content is postcard's encoding of a plain value.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::remedy::Remedy;

/// What all our files begin with.
const FAMILY: &[u8] = b"proscenium ";
/// No header is longer.
const LONGEST_HEADER: usize = 100;

/// A kind of file.
///
/// ```
/// use proscenium_work::{Artifact, Remedy};
///
/// const MELODY: Artifact = Artifact::new("melody", "a melody", 2, "record it again");
///
/// let file = MELODY.seal(&vec![60_u8, 64, 67]);
/// assert!(file.starts_with(b"proscenium melody 2 4 "));
/// assert_eq!(MELODY.open::<Vec<u8>>(&file)?, [60, 64, 67]);
///
/// let cut = MELODY.open::<Vec<u8>>(&file[..file.len() - 1]).unwrap_err();
/// assert_eq!(cut.to_string(), "a melody was cut short: 3 bytes of 4 are there");
/// assert_eq!(cut.remedy().as_deref(), Some("record it again"));
/// # Ok::<(), proscenium_work::ArtifactError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Artifact {
    kind: &'static str,
    name: &'static str,
    version: u32,
    remake: &'static str,
    first_release: Option<&'static [u8]>,
}

/// Why a file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArtifactError {
    /// It is something else.
    #[error("this is not {name}{}", found.as_ref().map(|found| format!(", but a file of the kind `{found}`")).unwrap_or_default())]
    Foreign {
        /// What was expected.
        name: &'static str,
        /// What it says it is, if it is one of ours.
        found: Option<String>,
        /// How to get one.
        remake: &'static str,
    },
    /// A newer program wrote it.
    #[error("{name} of version {found} is newer than this program, which knows version {known}")]
    Newer {
        /// What it is.
        name: &'static str,
        /// Its version.
        found: u32,
        /// The version that is known.
        known: u32,
    },
    /// An older program wrote it, in a way that is not read any more.
    #[error("{name} has version {found}, and this program reads version {known}")]
    Older {
        /// What it is.
        name: &'static str,
        /// Its version.
        found: u32,
        /// The version that is known.
        known: u32,
        /// How to get one.
        remake: &'static str,
    },
    /// Its end is missing.
    #[error("{name} was cut short: {found} bytes of {expected} are there")]
    Truncated {
        /// What it is.
        name: &'static str,
        /// Bytes of content that it should have.
        expected: u64,
        /// Bytes that it has.
        found: u64,
        /// How to get one.
        remake: &'static str,
    },
    /// Something follows its end.
    #[error("{extra} bytes follow the end of {name}")]
    Trailing {
        /// What it is.
        name: &'static str,
        /// Bytes behind its end.
        extra: u64,
        /// How to get one.
        remake: &'static str,
    },
    /// It is not what was written.
    #[error("{name} is damaged: {what}")]
    Damaged {
        /// What it is.
        name: &'static str,
        /// How it shows.
        what: String,
        /// How to get one.
        remake: &'static str,
    },
}

impl Remedy for ArtifactError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        Some(Cow::Borrowed(match self {
            Self::Newer { .. } => "update this program, or make the file again with this one",
            Self::Foreign { remake, .. }
            | Self::Older { remake, .. }
            | Self::Truncated { remake, .. }
            | Self::Trailing { remake, .. }
            | Self::Damaged { remake, .. } => remake,
        }))
    }
}

impl Artifact {
    /// A kind of file: the word in its header, what it is to a user ("a compiled
    /// model"), the version that is written and read, and what to do to get one.
    pub const fn new(kind: &'static str, name: &'static str, version: u32, remake: &'static str) -> Self {
        Self { kind, name, version, remake, first_release: None }
    }

    /// Also reads files of release 0.1, which begin with these bytes and have
    /// the same content right behind them.
    #[must_use]
    pub const fn reading_first_release(mut self, prefix: &'static [u8]) -> Self {
        self.first_release = Some(prefix);
        self
    }

    /// The file with this content.
    pub fn seal(&self, content: &impl Serialize) -> Vec<u8> {
        self.seal_bytes(&encode(content))
    }

    /// The content of a file.
    ///
    /// # Errors
    /// When it is no such file, of another version, or damaged.
    pub fn open<'bytes, T: Deserialize<'bytes>>(&self, bytes: &'bytes [u8]) -> Result<T, ArtifactError> {
        let content = self.open_bytes(bytes)?;
        let (value, rest) = postcard::take_from_bytes::<T>(content).map_err(|error| self.damaged(error.to_string()))?;
        match rest.len() as u64 {
            0 => Ok(value),
            extra => Err(ArtifactError::Trailing { name: self.name, extra, remake: self.remake }),
        }
    }

    /// The file was right as such, but what it holds makes no sense.
    pub fn damaged(&self, what: impl Into<String>) -> ArtifactError {
        ArtifactError::Damaged { name: self.name, what: what.into(), remake: self.remake }
    }

    fn seal_bytes(&self, content: &[u8]) -> Vec<u8> {
        let (kind, version, length) = (self.kind, self.version, content.len());
        let header = format!("proscenium {kind} {version} {length} {:08x}\n", crc32fast::hash(content));
        [header.as_bytes(), content].concat()
    }

    /// The bytes behind the header, checked.
    fn open_bytes<'bytes>(&self, bytes: &'bytes [u8]) -> Result<&'bytes [u8], ArtifactError> {
        if let Some(content) = self.first_release.and_then(|prefix| bytes.strip_prefix(prefix)) {
            return Ok(content);
        }
        let (header, content) = self.header(bytes)?;
        let (expected, found) = (header.length, content.len() as u64);
        if found < expected {
            return Err(ArtifactError::Truncated { name: self.name, expected, found, remake: self.remake });
        }
        if found > expected {
            return Err(ArtifactError::Trailing { name: self.name, extra: found - expected, remake: self.remake });
        }
        match crc32fast::hash(content) == header.checksum {
            true => Ok(content),
            false => Err(self.damaged("its checksum is wrong")),
        }
    }

    /// Splits a file of this kind and version behind its header; `content` may go
    /// on behind what the header speaks of.
    fn header<'bytes>(&self, bytes: &'bytes [u8]) -> Result<(Header, &'bytes [u8]), ArtifactError> {
        let foreign = |found| ArtifactError::Foreign { name: self.name, found, remake: self.remake };
        let rest = bytes.strip_prefix(FAMILY).ok_or_else(|| foreign(None))?;
        let end = rest.iter().take(LONGEST_HEADER).position(|byte| *byte == b'\n');
        let end = end.ok_or_else(|| foreign(None))?;
        let line = str::from_utf8(&rest[..end]).map_err(|_| foreign(None))?;
        let mut words = line.split(' ');
        let mut word = || words.next().unwrap_or_default();
        let kind = word();
        if kind != self.kind {
            return Err(foreign(Some(kind.to_owned())));
        }
        let found: u32 = word().parse().map_err(|_| self.damaged("its header is not one"))?;
        let (name, known, remake) = (self.name, self.version, self.remake);
        if found > known {
            return Err(ArtifactError::Newer { name, found, known });
        }
        if found < known {
            return Err(ArtifactError::Older { name, found, known, remake });
        }
        let length = word().parse().map_err(|_| self.damaged("its header is not one"))?;
        let checksum = u32::from_str_radix(word(), 16).map_err(|_| self.damaged("its header is not one"))?;
        Ok((Header { length, checksum }, &rest[end + 1..]))
    }
}

/// What a header says of the content.
struct Header {
    length: u64,
    checksum: u32,
}

pub(crate) fn encode(content: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(content).expect("files hold plain data, and memory is all that it needs")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MELODY: Artifact = Artifact::new("melody", "a melody", 2, "record it again");

    fn refused(bytes: &[u8]) -> ArtifactError {
        MELODY.open::<Vec<u16>>(bytes).unwrap_err()
    }

    #[test]
    fn each_way_to_be_wrong_has_its_own_words_and_remedy() {
        let file = MELODY.seal(&vec![1_u16, 2, 300]);
        let newer = Artifact::new("melody", "a melody", 9, "").seal(&vec![1_u16]);
        let older = Artifact::new("melody", "a melody", 1, "").seal(&vec![1_u16]);
        let other = Artifact::new("song", "a song", 2, "").seal(&vec![1_u16]);
        let mut damaged = file.clone();
        *damaged.last_mut().unwrap() ^= 4;
        let longer = [&file[..], b"xyz"].concat();
        let wrong_inside = MELODY.seal(&(5_u16, 1_u16));
        for (bytes, words, remedy) in [
            (&b""[..], "this is not a melody", "record it again"),
            (b"RIFF....", "this is not a melody", "record it again"),
            (b"proscenium melody", "this is not a melody", "record it again"),
            (b"proscenium melody x 3 4\n", "a melody is damaged: its header is not one", "record it again"),
            (&file[..file.len() - 2], "a melody was cut short: 3 bytes of 5 are there", "record it again"),
            (&longer, "3 bytes follow the end of a melody", "record it again"),
            (&damaged, "a melody is damaged: its checksum is wrong", "record it again"),
            (&newer, "a melody of version 9 is newer than this program, which knows version 2", "update this program"),
            (&older, "a melody has version 1, and this program reads version 2", "record it again"),
            (&other, "this is not a melody, but a file of the kind `song`", "record it again"),
        ] {
            let error = refused(bytes);
            assert_eq!(error.to_string(), words);
            assert!(error.remedy().unwrap().starts_with(remedy), "{error}");
        }
        assert!(matches!(refused(&wrong_inside), ArtifactError::Damaged { .. }));
    }

    #[test]
    fn files_of_the_first_release_are_read() {
        let melody = MELODY.reading_first_release(b"MELODY\x01");
        let old = [b"MELODY\x01", &encode(&vec![7_u16])[..]].concat();
        assert_eq!(melody.open::<Vec<u16>>(&old), Ok(vec![7]));
        assert!(melody.open::<Vec<u16>>(&old[..old.len() - 1]).is_err());
        assert!(melody.open::<Vec<u16>>(&[&old[..], b"!"].concat()).is_err());
    }

    proptest! {
        #[test]
        fn what_is_sealed_is_opened_and_no_changed_bit_is_accepted(
            content in proptest::collection::vec(any::<u16>(), 0..40),
            place in any::<prop::sample::Index>(),
            bit in 0_u32..8,
        ) {
            let file = MELODY.seal(&content);
            prop_assert_eq!(MELODY.open::<Vec<u16>>(&file), Ok(content.clone()));
            let mut changed = file.clone();
            changed[place.index(file.len())] ^= 1 << bit;
            // The case of a hexadecimal digit does not matter.
            prop_assert!(MELODY.open::<Vec<u16>>(&changed).is_err() || changed.eq_ignore_ascii_case(&file));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = MELODY.open::<Vec<u16>>(&bytes);
            let _ = MELODY.open::<Vec<u16>>(&[b"proscenium melody ", &bytes[..]].concat());
        }
    }
}
