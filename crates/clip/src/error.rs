//! What can be wrong with a clip, a shape or a file.

use std::borrow::Cow;
use std::path::PathBuf;

use proscenium_work::Remedy;

/// What is wrong, where, and what would be right.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClipError {
    /// A node stands before its parent, or is its own parent.
    #[error("node {node:?} has parent {parent}, which is not an earlier node")]
    ParentNotEarlier {
        /// The name of the node.
        node: String,
        /// The index that it gives as its parent.
        parent: u32,
    },
    /// Two nodes share a name, so that neither can be found by it.
    #[error("two nodes are named {name:?}")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A number is infinite or not a number.
    #[error("{place} is {value}")]
    NotFinite {
        /// Where the number stands.
        place: String,
        /// The number.
        value: f64,
    },
    /// A quaternion or a normal is not of length one.
    #[error("{place} has length {length}")]
    NotUnit {
        /// Where the quaternion or normal stands.
        place: String,
        /// Its length.
        length: f32,
    },
    /// Times do not increase from key to key.
    #[error("{place} is at {time} s, not after the one before it at {previous} s")]
    TimesNotIncreasing {
        /// The key.
        place: String,
        /// Its time.
        time: f64,
        /// The time of the key before.
        previous: f64,
    },
    /// A number lies outside of what it may be.
    #[error("{place} is {value}")]
    OutOfBounds {
        /// Where the number stands.
        place: String,
        /// The number.
        value: f64,
        /// What it may be.
        allowed: String,
    },
    /// An index refers to something that is not there.
    #[error("{place} is {index}, but there are only {count}")]
    NoSuchIndex {
        /// Where the index stands.
        place: String,
        /// The index.
        index: u64,
        /// How many there are.
        count: usize,
    },
    /// A mesh has another number of normals than of positions.
    #[error("mesh {mesh:?} has {normals} normals for {positions} positions")]
    NormalCount {
        /// The name of the mesh.
        mesh: String,
        /// How many normals it has.
        normals: usize,
        /// How many positions it has.
        positions: usize,
    },
    /// A list has another number of items than what it belongs to.
    #[error("{place} has {found} items")]
    Count {
        /// The list.
        place: String,
        /// How many items it has.
        found: usize,
        /// How many it needs.
        expected: usize,
    },
    /// A mesh that bends is used by several nodes.
    #[error("node {node:?} bends mesh {mesh:?}, which is used elsewhere too")]
    MeshShared {
        /// The name of the node.
        node: String,
        /// The name of the mesh.
        mesh: String,
    },
    /// Something that needs content has none.
    #[error("{place} is empty")]
    Empty {
        /// What is empty.
        place: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A clip does not fit into the file format.
    #[error("the clip is too large for a .glb file ({what})")]
    TooLarge {
        /// Which limit it passes.
        what: String,
    },
    /// A `.glb` file is damaged, or breaks the rules of glTF.
    #[error("not a valid .glb file: {place}: {problem}")]
    Malformed {
        /// The part of the file, such as `accessors[3]`.
        place: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A `.glb` file uses a part of glTF that cannot be read here.
    #[error("{place}: {feature} is not supported")]
    Unsupported {
        /// The part of the file.
        place: String,
        /// What it uses.
        feature: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A file has no animation that is called so.
    #[error("there is no animation {name:?}")]
    NoAnimation {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// A file was written by a later version of this library.
    #[error("the file has format {found}, and this version reads up to format {supported}")]
    NewerFormat {
        /// The format of the file.
        found: u64,
        /// The latest format that can be read.
        supported: u64,
    },
    /// A file cannot be opened, read or written.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The content of a file is wrong.
    #[error("{}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        source: Box<ClipError>,
    },
}

impl ClipError {
    /// A [`ClipError::Malformed`] at a place in the file.
    pub(crate) fn malformed(place: impl Into<String>, problem: impl Into<String>) -> Self {
        ClipError::Malformed { place: place.into(), problem: problem.into() }
    }
}

impl Remedy for ClipError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        Some(match self {
            Self::ParentNotEarlier { .. } => "add parents before their children".into(),
            Self::DuplicateName { .. } => "give each node its own name".into(),
            Self::NotFinite { .. } => "it must be a finite number".into(),
            Self::NotUnit { .. } => "it must be of unit length, so normalise it".into(),
            Self::TimesNotIncreasing { .. } => "sort by time and drop repeats".into(),
            Self::OutOfBounds { allowed, .. } => format!("it must be {allowed}").into(),
            Self::NoSuchIndex { count, .. } => format!("use an index below {count}").into(),
            Self::NormalCount { .. } => "give one normal per position".into(),
            Self::Count { expected, .. } => format!("it needs {expected}").into(),
            Self::MeshShared { .. } => "give the node a mesh of its own".into(),
            Self::TooLarge { .. } => "split it, or reduce its tracks".into(),
            Self::Malformed { .. } => "export it again from the program that made it".into(),
            Self::Empty { remedy, .. } | Self::Unsupported { remedy, .. } => (*remedy).into(),
            Self::NoAnimation { known, .. } => match known.is_empty() {
                true => "the file has none that has a name: leave the name out for the first".into(),
                false => format!("those of the file are {known}").into(),
            },
            Self::NewerFormat { .. } => "update proscenium".into(),
            Self::Io { .. } => "check the name and the permissions".into(),
            Self::File { source, .. } => return source.remedy(),
        })
    }
}
