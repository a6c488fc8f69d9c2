//! Files: eight bytes that say what it is, a version, and the content.

use serde::{Deserialize, Serialize};

/// What a file starts with.
pub(crate) struct Header {
    /// The first bytes.
    pub(crate) magic: &'static [u8; 8],
    /// The version that is written and read.
    pub(crate) version: u32,
}

impl Header {
    /// A file with this content.
    pub(crate) fn write(&self, content: &impl Serialize) -> Vec<u8> {
        let mut bytes = self.magic.to_vec();
        bytes.extend_from_slice(&self.version.to_le_bytes());
        postcard::to_extend(content, bytes).expect("the content is plain data, and memory is all it needs")
    }

    /// The content of a file, or what is wrong with it.
    pub(crate) fn read<'bytes, T: Deserialize<'bytes>>(&self, bytes: &'bytes [u8]) -> Result<T, String> {
        let (magic, rest) = bytes.split_first_chunk::<8>().ok_or("it is too short")?;
        let (version, rest) = rest
            .split_first_chunk::<4>()
            .filter(|_| magic == self.magic)
            .ok_or("its first bytes are not those of one")?;
        let (version, known) = (u32::from_le_bytes(*version), self.version);
        if version != known {
            return Err(format!("it has version {version}, and this program reads version {known}"));
        }
        let (content, rest) = postcard::take_from_bytes::<T>(rest).map_err(|error| error.to_string())?;
        if rest.is_empty() { Ok(content) } else { Err(format!("{} bytes follow its end", rest.len())) }
    }
}
