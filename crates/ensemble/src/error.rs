//! What can be wrong with an ensemble, and where.

/// Why an ensemble could not be made, compressed, built or played.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EnsembleError {
    /// Something that must be there is not.
    #[error("{place} has no {what}: {remedy}")]
    Empty {
        /// The ensemble, a group, a sequence.
        place: String,
        /// What is missing.
        what: &'static str,
        /// What would be right.
        remedy: &'static str,
    },
    /// Two groups or conditions have one name.
    #[error("two {what}s are called \"{name}\": give each a name of its own")]
    SameName {
        /// A group or a condition.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A triangle or an anchor names a vertex that is not there.
    #[error("{place} refers to vertex {vertex}, but the group \"{group}\" has {count} (0 to {count} − 1)")]
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
    #[error("the attachments form a loop: {path}; attach one of these groups to none of the others")]
    Loop {
        /// The names along the loop.
        path: String,
    },
    /// Three anchor vertices that span no plane.
    #[error(
        "the anchor of the group \"{group}\" has its three vertices in a line at rest: choose three that span a triangle"
    )]
    FlatAnchor {
        /// The group.
        group: String,
    },
    /// A frame has another size than the mesh.
    #[error("frame {frame} of sequence {sequence} has {found} vertices, the mesh has {expected}: {remedy}")]
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
    #[error(
        "vertex {vertex} of the group \"{group}\" is not finite in frame {frame} of sequence {sequence}: simulate or export it again"
    )]
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
    #[error("{what} is {value}: {remedy}")]
    Number {
        /// Which number.
        what: String,
        /// What it is.
        value: f64,
        /// What would be right.
        remedy: &'static str,
    },
    /// A file cannot be used.
    #[error("{what}: {remedy}")]
    File {
        /// What is wrong with it.
        what: String,
        /// What would be right.
        remedy: &'static str,
    },
    /// Something was asked for by a name that is not there.
    #[error("there is no {what} \"{name}\": known are {known}")]
    Unknown {
        /// A condition, a group.
        what: &'static str,
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// The data interpenetrates.
    #[error(
        "{first} and {second} are closer than the thickness in frame {frame} of sequence {sequence}: clean the data, compress it with a smaller error, or use a smaller thickness"
    )]
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
    /// No transition was found.
    #[error(
        "no transition was found in {programs} programs; what stood in the way most often was {pair}: give it more data, a longer reach, or a tolerance"
    )]
    NoTransition {
        /// How many were tried.
        programs: u64,
        /// The pair of groups, or the rule.
        pair: String,
    },
    /// The sequences are too short for any transition.
    #[error("the sequences are too short for a transition: record longer ones, or use a shorter reach")]
    TooShort,
    /// Transitions that lead to no endless walk.
    #[error("none of the {found} transitions can be walked for ever: record longer sequences, or leave more often")]
    NoWalk {
        /// How many there were.
        found: usize,
    },
    /// A condition that the walk cannot reach.
    #[error("the condition \"{name}\" cannot be reached from here: {remedy}")]
    Unreachable {
        /// The condition.
        name: String,
        /// What would help.
        remedy: &'static str,
    },
    /// The caller wanted to stop.
    #[error("the work was stopped before it was done")]
    Stopped,
}
