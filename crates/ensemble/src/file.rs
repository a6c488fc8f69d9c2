//! The kinds of files that a build keeps. What data and stretches hold is as in release
//! 0.1, whose headers are read too; graphs are newer.

use proscenium_work::Artifact;

/// A compressed ensemble.
pub(crate) const COMPRESSED: Artifact = Artifact::new(
    "ensemble",
    "a compressed ensemble",
    2,
    "compress the data again: proscenium ensemble import, or ensemble build",
)
.reading_first_release(b"proscenium ensemble 1\n");

/// A motion graph. Before version 3 its transitions were tested with blends along straight
/// lines, and played as they are now, groups could interpenetrate.
pub(crate) const GRAPH: Artifact =
    Artifact::new("motion-graph", "a motion graph", 3, "build it again: proscenium ensemble build");
/// How graphs of release 0.1 begin.
pub(crate) const FIRST_GRAPH: &[u8] = b"proscenium motion graph 1\n";

/// A part that was recorded.
pub(crate) const STRETCH: Artifact =
    Artifact::new("stretch", "a recorded stretch", 3, "simulate it again: proscenium ensemble build")
        .reading_first_release(b"proscenium stretch 2\n");

/// The tasks of a build that are done.
pub(crate) const JOURNAL: Artifact =
    Artifact::new("transitions", "a journal of transitions", 3, "begin it again: proscenium ensemble build");
