//! What can be wrong with an ensemble, and where.

use std::borrow::Cow;

use proscenium_work::{ArtifactError, Halt, Remedy, StoreError};

/// Why an ensemble could not be made, compressed, built or played.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EnsembleError {
    /// Something that must be there is not.
    #[error("{place} has no {what}")]
    Empty {
        /// The ensemble, a group, a sequence.
        place: String,
        /// What is missing.
        what: &'static str,
        /// What would be right.
        remedy: &'static str,
    },
    /// Two groups or conditions have one name.
    #[error("two {what}s are called \"{name}\"")]
    SameName {
        /// A group or a condition.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A triangle or an anchor names a vertex that is not there.
    #[error("{place} refers to vertex {vertex}, but the group \"{group}\" has {count}")]
    NoSuchVertex {
        /// Which triangle or anchor.
        place: String,
        /// The number.
        vertex: u32,
        /// Whose vertices are counted.
        group: String,
        /// How many there are.
        count: usize,
    },
    /// An attachment or a sequence names something that is not there.
    #[error("{place} refers to {what} {index}, but there are {count}")]
    NoSuchPart {
        /// The group or the sequence.
        place: String,
        /// A group or a condition.
        what: &'static str,
        /// The number.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// The tree of attachments is no tree.
    #[error("the attachments form a loop: {path}")]
    Loop {
        /// The names along the loop.
        path: String,
    },
    /// Three anchor vertices that span no plane.
    #[error("the anchor of the group \"{group}\" has its three vertices in a line at rest")]
    FlatAnchor {
        /// The group.
        group: String,
    },
    /// A frame has another size than the mesh.
    #[error("frame {frame} of sequence {sequence} has {found} vertices, the mesh has {expected}")]
    FrameSize {
        /// Which sequence.
        sequence: usize,
        /// Which frame of it.
        frame: usize,
        /// How many vertices it has.
        found: usize,
        /// How many the mesh has.
        expected: usize,
        /// What would be right.
        remedy: &'static str,
    },
    /// A vertex is not a number.
    #[error("vertex {vertex} of the group \"{group}\" is not finite in frame {frame} of sequence {sequence}")]
    NotFinite {
        /// The group.
        group: String,
        /// The vertex within the group.
        vertex: usize,
        /// Which sequence.
        sequence: usize,
        /// Which frame of it.
        frame: usize,
    },
    /// A number from outside is not finite, or not in its range.
    #[error("{what} is {value}")]
    Number {
        /// Which number.
        what: String,
        /// What it is.
        value: f64,
        /// What would be right.
        remedy: &'static str,
    },
    /// A file cannot be used.
    #[error(transparent)]
    File(#[from] ArtifactError),
    /// A camera that sees nothing.
    #[error("a view cannot be used: {reason}")]
    View {
        /// What is wrong with it.
        reason: String,
    },
    /// A take is more than a file can hold.
    #[error("the {format} cannot be written: {reason}")]
    Unwritable {
        /// What should have become of it.
        format: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// Something was asked for by a name that is not there.
    #[error("there is no {what} \"{name}\"")]
    Unknown {
        /// A condition, a group.
        what: &'static str,
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// The data interpenetrates.
    #[error("{first} and {second} are closer than the thickness in frame {frame} of sequence {sequence}")]
    Dirty {
        /// One group.
        first: String,
        /// The other.
        second: String,
        /// Which sequence.
        sequence: u32,
        /// Which frame of it.
        frame: u32,
    },
    /// No frame of the data is clean.
    #[error("{}", nothing_clean(*thickness, *least))]
    NothingClean {
        /// The thickness that was asked for, metres.
        thickness: f64,
        /// The least distance between groups that do not hang together, metres.
        least: f64,
    },
    /// Clean frames are there, but too few in a row.
    #[error(
        "between frames that interpenetrate there are never more than {longest} clean ones, and a transition needs \
         {shortest}"
    )]
    ShortStretches {
        /// The longest stretch, frames.
        longest: usize,
        /// How many there should be at least.
        shortest: usize,
    },
    /// No transition was found.
    #[error("no transition was found in {programs} programs; what stood in the way most often was {pair}")]
    NoTransition {
        /// How many were tried.
        programs: u64,
        /// The pair of groups, or the rule.
        pair: String,
    },
    /// The sequences are too short for any transition.
    #[error("the sequences are too short for a transition")]
    TooShort,
    /// Transitions that lead to no endless walk.
    #[error("none of the {found} transitions can be walked for ever")]
    NoWalk {
        /// How many there were.
        found: usize,
    },
    /// A condition that the walk cannot reach.
    #[error("the condition \"{name}\" cannot be reached from here")]
    Unreachable {
        /// The condition.
        name: String,
        /// What would help.
        remedy: &'static str,
    },
}

fn nothing_clean(thickness: f64, least: f64) -> String {
    let distance = match least > 0.0 {
        true => format!("the least distance is {least:.2e} m"),
        false => "groups pass through each other".to_owned(),
    };
    format!("all frames interpenetrate at this thickness, {thickness} m; {distance}")
}

impl Remedy for EnsembleError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        Some(Cow::Borrowed(match self {
            Self::Empty { remedy, .. }
            | Self::FrameSize { remedy, .. }
            | Self::Number { remedy, .. }
            | Self::Unreachable { remedy, .. } => remedy,
            Self::SameName { .. } => "give each a name of its own",
            Self::NoSuchVertex { count, .. } => {
                return Some(format!("use a number from 0 to {}", count.saturating_sub(1)).into());
            }
            Self::NoSuchPart { what, count, .. } => {
                return Some(format!("use one of the {count} {what}s, which are counted from 0").into());
            }
            Self::Loop { .. } => "attach one of these groups to none of the others",
            Self::FlatAnchor { .. } => "choose three that span a triangle",
            Self::NotFinite { .. } => "simulate or export it again",
            Self::File(error) => return error.remedy(),
            Self::View { .. } => "give a valid camera",
            Self::Unwritable { .. } => "export fewer frames",
            Self::Unknown { known, .. } => return Some(format!("choose one that is known: {known}").into()),
            Self::Dirty { .. } => "clean the data, compress it with a smaller error, or use a smaller thickness",
            Self::NothingClean { least, .. } if *least > 0.0 => {
                // Rounded down: three digits may be half a percent too much.
                return Some(format!("use a thickness of at most {:.2e} m", 0.99 * least).into());
            }
            Self::NothingClean { .. } => "simulate it again with collisions between all parts",
            Self::ShortStretches { .. } => "use a smaller thickness, or simulate it again with collisions",
            Self::NoTransition { .. } => "give it more data, longer blends, a longer reach, or a tolerance",
            Self::TooShort => "record longer ones, or use a shorter reach",
            Self::NoWalk { .. } => "record longer sequences, or leave more often",
        }))
    }
}

impl From<EnsembleError> for Halt<EnsembleError> {
    fn from(error: EnsembleError) -> Self {
        Self::Failed(error)
    }
}

/// Why a build came to nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The data, or what is made of it, is not right.
    #[error(transparent)]
    Ensemble(#[from] EnsembleError),
    /// What is done cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Remedy for BuildError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Ensemble(error) => error.remedy(),
            Self::Store(error) => error.remedy(),
        }
    }
}

impl From<BuildError> for Halt<BuildError> {
    fn from(error: BuildError) -> Self {
        Self::Failed(error)
    }
}

impl From<EnsembleError> for Halt<BuildError> {
    fn from(error: EnsembleError) -> Self {
        Self::Failed(error.into())
    }
}
