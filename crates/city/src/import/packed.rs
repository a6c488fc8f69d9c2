//! Files that are packed with gzip.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use proscenium_work::{Halt, Progress};

use super::ImportError;

/// No file is larger than this when unpacked, bytes. Chosen: more than SUMO
/// writes for a country, and less than what brings a machine to its knees.
const MOST: usize = 4 << 30;
/// How much is unpacked between two questions whether to go on, bytes.
const PIECE: usize = 1 << 20;

/// What a file packed with gzip holds. One within another is unpacked by the
/// reader, which comes back for it.
pub(super) fn unpack(bytes: &[u8], progress: &Progress) -> Result<Vec<u8>, Halt<ImportError>> {
    let damaged = |what: String| Halt::Failed(ImportError::Packed { what });
    let mut reader = MultiGzDecoder::new(bytes);
    let mut unpacked = Vec::new();
    loop {
        progress.tell("unpacking", 0.0)?;
        let before = unpacked.len();
        let piece = Read::by_ref(&mut reader).take(PIECE as u64).read_to_end(&mut unpacked);
        piece.map_err(|error| damaged(error.to_string()))?;
        if unpacked.len() == before {
            break;
        }
        if unpacked.len() > MOST {
            return Err(damaged(format!("it is larger than {} GB", MOST >> 30)));
        }
    }
    // A file that holds itself, or nothing, would be unpacked for ever.
    if unpacked.starts_with(&[0x1f, 0x8b]) {
        return Err(damaged("it was packed twice".into()));
    }
    Ok(unpacked)
}
