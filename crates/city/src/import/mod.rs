//! Road networks from elsewhere: OpenStreetMap, SUMO and OpenDRIVE.
//!
//! What cannot be represented is listed in a report, never silently dropped.

mod merge;
mod osm;
mod osm_pbf;
mod osm_xml;
mod packed;
mod raw;
mod rim;
mod sumo;
mod sumo_xml;
mod tidy;
pub(crate) mod xml;
mod xodr;
mod xodr_shape;
mod xodr_xml;

use std::borrow::Cow;
use std::fmt;

use proscenium_work::{Completion, Finish, Halt, Progress, Remedy};

use crate::map::{MapError, Plan};

/// A network that was read, and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedNetwork {
    /// The network: all of it can be reached from everywhere in it.
    pub plan: Plan,
    /// What was read, changed and left out.
    pub report: ImportReport,
}

/// What kind of file was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportFormat {
    /// OpenStreetMap, binary.
    OsmPbf,
    /// OpenStreetMap, XML.
    OsmXml,
    /// A network of SUMO.
    SumoNet,
    /// Roads of OpenDRIVE.
    OpenDrive,
}

impl fmt::Display for ImportFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            ImportFormat::OsmPbf => "OpenStreetMap PBF",
            ImportFormat::OsmXml => "OpenStreetMap XML",
            ImportFormat::SumoNet => "SUMO network",
            ImportFormat::OpenDrive => "OpenDRIVE file",
        })
    }
}

/// What an import read, changed and left out.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportReport {
    /// What kind of file it was.
    pub format: ImportFormat,
    /// What could not be represented as it was, in the order of first finding.
    pub notes: Vec<ImportNote>,
}

/// One kind of thing that could not be represented as it was.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportNote {
    /// What it is, and what became of it.
    pub what: String,
    /// How often.
    pub count: usize,
    /// Names of the first few.
    pub examples: Vec<String>,
}

/// What can be read.
const KNOWN: &str =
    "give a file of OpenStreetMap (.osm.pbf, .osm), SUMO (.net.xml) or OpenDRIVE (.xodr), or one of these packed (.gz)";
/// How many examples a note keeps.
const EXAMPLES: usize = 3;

impl ImportReport {
    fn new(format: ImportFormat) -> Self {
        Self { format, notes: Vec::new() }
    }

    /// Counts one thing more.
    fn note(&mut self, what: &str, example: impl fmt::Display) {
        let place = self.notes.iter().position(|note| note.what == what).unwrap_or_else(|| {
            self.notes.push(ImportNote { what: what.to_string(), count: 0, examples: Vec::new() });
            self.notes.len() - 1
        });
        let note = &mut self.notes[place];
        note.count += 1;
        if note.examples.len() < EXAMPLES {
            note.examples.push(example.to_string());
        }
    }
}

impl fmt::Display for ImportReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.format)?;
        for note in &self.notes {
            write!(formatter, "\n  {} × {}", note.count, note.what)?;
            let more = if note.count > note.examples.len() { ", …" } else { "" };
            write!(formatter, " ({}{more})", note.examples.join(", "))?;
        }
        Ok(())
    }
}

/// Why nothing could be imported.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ImportError {
    /// The bytes are of no known kind.
    #[error("this is neither OpenStreetMap (PBF or XML) nor a SUMO network nor OpenDRIVE: {what}")]
    Unknown {
        /// What it looks like.
        what: String,
        /// What would be right.
        remedy: &'static str,
    },
    /// The text is not what it should be.
    #[error("line {line}: {what}")]
    Xml {
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        what: String,
    },
    /// The binary file is damaged or cut short.
    #[error("the PBF file cannot be read: {what}")]
    Pbf {
        /// What is wrong with it.
        what: String,
    },
    /// The packed file is damaged, cut short, or too large.
    #[error("the packed file cannot be unpacked: {what}")]
    Packed {
        /// What is wrong with it.
        what: String,
    },
    /// There are no roads for cars from which one can return.
    #[error("the {format} has no roads on which cars could go on for ever: {read} were read")]
    NoRoads {
        /// The kind of file.
        format: ImportFormat,
        /// How many roads there were at first.
        read: usize,
    },
    /// The network cannot be built.
    #[error(transparent)]
    Map(#[from] MapError),
}

impl Remedy for ImportError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        Some(Cow::Borrowed(match self {
            Self::Unknown { remedy, .. } => remedy,
            Self::Xml { .. } => "mend that line, or download the file again",
            Self::Pbf { .. } | Self::Packed { .. } => "download it again",
            Self::NoRoads { .. } => "take a larger extract",
            Self::Map(error) => return error.remedy(),
        }))
    }
}

impl From<ImportError> for Halt<ImportError> {
    fn from(error: ImportError) -> Self {
        Self::Failed(error)
    }
}

/// Reads a network of any kind that is known: the kind is told from its first
/// bytes.
///
/// # Errors
/// When the bytes are of no known kind, damaged, or hold no roads.
pub fn read(bytes: &[u8]) -> Result<ImportedNetwork, ImportError> {
    read_watched(bytes, &Progress::none()).map(|imported| imported.finished().expect("nobody stops it"))
}

/// As [`read`], for those who watch or may want it to stop: an extract of a
/// country takes minutes.
///
/// # Errors
/// As [`read`].
pub fn read_watched(bytes: &[u8], progress: &Progress) -> Result<Completion<ImportedNetwork>, ImportError> {
    read_any(bytes, progress).finish()
}

fn read_any(bytes: &[u8], progress: &Progress) -> Result<ImportedNetwork, Halt<ImportError>> {
    let (reading, laying) = (progress.part(0.0, 0.7), progress.part(0.7, 1.0));
    if osm_pbf::is_pbf(bytes) {
        let mut report = ImportReport::new(ImportFormat::OsmPbf);
        let network = osm_pbf::read(bytes, &reading)?;
        return osm::plan(network, &mut report, &laying).map(|plan| ImportedNetwork { plan, report });
    }
    let unknown = |what: &str| ImportError::Unknown { what: what.to_string(), remedy: KNOWN };
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let unpacked = packed::unpack(bytes, &progress.part(0.0, 0.2))?;
        return read_any(&unpacked, &progress.part(0.2, 1.0));
    }
    for (first, packer) in [(&b"BZh"[..], "bzip2"), (&[0x28, 0xb5, 0x2f, 0xfd], "zstd"), (b"PK\x03\x04", "zip")] {
        if bytes.starts_with(first) {
            let what = format!("it is compressed ({packer})");
            return Err(ImportError::Unknown { what, remedy: "unpack it first, or pack it with gzip" }.into());
        }
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(unknown("it is binary").into());
    };
    match xml::root(text)?.as_deref() {
        Some("osm") => {
            let mut report = ImportReport::new(ImportFormat::OsmXml);
            let network = osm_xml::read(text, &reading)?;
            osm::plan(network, &mut report, &laying).map(|plan| ImportedNetwork { plan, report })
        }
        Some("net") => {
            let mut report = ImportReport::new(ImportFormat::SumoNet);
            let network = sumo_xml::read(text, &reading)?;
            sumo::plan(network, &mut report, &laying).map(|plan| ImportedNetwork { plan, report })
        }
        Some("OpenDRIVE") => {
            let mut report = ImportReport::new(ImportFormat::OpenDrive);
            let drive = xodr_xml::read(text, &reading)?;
            xodr::plan(&drive, &mut report, &laying).map(|plan| ImportedNetwork { plan, report })
        }
        Some(other) => Err(unknown(&format!("its first element is <{other}>")).into()),
        None => Err(unknown("it has no elements").into()),
    }
}
