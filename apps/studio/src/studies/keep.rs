//! Files that grow by whole lines, so that no answer is ever lost or halved.

use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Adds a line, after the head if the file is new. A line that was cut off by a
/// crash before is taken away. What is written is on the disk.
pub(super) fn append(path: &Path, head: &str, line: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    file.set_len(whole as u64)?;
    file.seek(SeekFrom::Start(whole as u64))?;
    let head = if whole == 0 && !head.is_empty() { format!("{head}\n") } else { String::new() };
    file.write_all(format!("{head}{line}\n").as_bytes())?;
    file.sync_data()
}

/// The whole lines of a file; nothing if it is not there.
pub(super) fn read(path: &Path) -> Option<String> {
    let mut text = std::fs::read_to_string(path).ok()?;
    text.truncate(text.rfind('\n').map_or(0, |at| at + 1));
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_cut_off_is_taken_away() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deeper").join("answers.csv");
        assert_eq!(read(&path), None);
        append(&path, "a,b", "1,2").unwrap();
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"3,").unwrap();
        assert_eq!(read(&path).unwrap(), "a,b\n1,2\n");
        append(&path, "a,b", "5,6").unwrap();
        assert_eq!(read(&path).unwrap(), "a,b\n1,2\n5,6\n");
    }
}
