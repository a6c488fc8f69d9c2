//! The two chunks of a `.glb` file: JSON and binary.

use crate::ClipError;

const MAGIC: [u8; 4] = *b"glTF";
const VERSION: u32 = 2;
const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;
const JSON: [u8; 4] = *b"JSON";
const BINARY: [u8; 4] = *b"BIN\0";

/// Joins the chunks to a file.
pub(super) fn join(json: &[u8], binary: &[u8]) -> Result<Vec<u8>, ClipError> {
    let padded = |bytes: &[u8]| bytes.len().next_multiple_of(4);
    let binary_size = if binary.is_empty() { 0 } else { CHUNK_HEADER + padded(binary) };
    let size = HEADER + CHUNK_HEADER + padded(json) + binary_size;
    let length =
        u32::try_from(size).map_err(|_| ClipError::TooLarge { what: format!("{size} bytes of at most 4 GiB") })?;
    let mut file = Vec::with_capacity(size);
    file.extend(MAGIC);
    file.extend(VERSION.to_le_bytes());
    file.extend(length.to_le_bytes());
    let mut chunk = |kind: [u8; 4], bytes: &[u8], padding: u8| {
        // Every chunk is shorter than the file, whose length fits.
        file.extend((padded(bytes) as u32).to_le_bytes());
        file.extend(kind);
        file.extend(bytes);
        file.resize(file.len().next_multiple_of(4), padding);
    };
    chunk(JSON, json, b' ');
    if !binary.is_empty() {
        chunk(BINARY, binary, 0);
    }
    Ok(file)
}

/// Splits a file into its JSON and its binary chunk, which may be empty.
pub(super) fn split(file: &[u8]) -> Result<(&[u8], &[u8]), ClipError> {
    let header = |problem: &str| ClipError::malformed("the header", problem);
    if !file.starts_with(&MAGIC) {
        return Err(match file.trim_ascii_start().first() {
            Some(b'{') => ClipError::Unsupported {
                place: "the header".to_string(),
                feature: "the text of a .gltf file, which this looks like,".to_string(),
                remedy: "save it as .glb, which is one file with all in it",
            },
            _ => header("it does not begin with \"glTF\""),
        });
    }
    let version = word(file, 4).ok_or_else(|| header("it is cut short"))?;
    let length = word(file, 8).ok_or_else(|| header("it is cut short"))? as usize;
    if version != VERSION {
        return Err(ClipError::Unsupported {
            place: "the header".to_string(),
            feature: format!("glTF {version}"),
            remedy: "convert the file to glTF 2.0",
        });
    }
    let mut rest = file.get(HEADER..length).ok_or_else(|| {
        header(&format!("it promises {length} bytes, and the file has {}: it is damaged or cut short", file.len()))
    })?;
    let mut json = None;
    let mut binary: &[u8] = &[];
    for index in 0.. {
        if rest.is_empty() {
            break;
        }
        let (kind, bytes, after) = chunk(rest).ok_or_else(|| {
            ClipError::malformed(format!("chunk {index}"), "it is longer than the file: it is damaged or cut short")
        })?;
        match (index, kind) {
            (0, JSON) => json = Some(bytes),
            (0, _) => return Err(ClipError::malformed("chunk 0", "it is not JSON")),
            (1, BINARY) => binary = bytes,
            // Readers ignore the chunks of extensions.
            _ => {}
        }
        rest = after;
    }
    let json = json.ok_or_else(|| ClipError::malformed("chunk 0", "it is missing"))?;
    Ok((json, binary))
}

fn chunk(rest: &[u8]) -> Option<([u8; 4], &[u8], &[u8])> {
    let length = word(rest, 0)? as usize;
    let kind = rest.get(4..8)?.try_into().ok()?;
    let (bytes, after) = rest.get(CHUNK_HEADER..)?.split_at_checked(length)?;
    Some((kind, bytes, after))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let word = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes(*word))
}
