//! Which temporal bounds intersect.

mod grid;
mod lists;
#[cfg(test)]
mod tests;

use proscenium_geometry::Bounds;

pub use grid::HashGrid;
pub(crate) use grid::{cell_width, level_above};
pub use lists::SortedLists;

/// Changes that an update brought, each pair with the smaller index first.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Pairs that intersect now and did not before.
    pub started: Vec<(u32, u32)>,
    /// Pairs that intersected before and do not now.
    pub ended: Vec<(u32, u32)>,
}

impl Changes {
    /// Forgets all changes, keeping the memory.
    pub fn clear(&mut self) {
        self.started.clear();
        self.ended.clear();
    }
}

/// A structure that knows which of many boxes intersect, as one after the
/// other changes.
pub trait IntersectingBounds {
    /// Adds many boxes at once, each under an index that is not in use.
    fn insert_all(&mut self, bounds: &[(u32, Bounds)], changes: &mut Changes);
    /// Adds a box under an index that is not in use.
    fn insert(&mut self, index: u32, bounds: &Bounds, changes: &mut Changes);
    /// Changes a box.
    fn update(&mut self, index: u32, bounds: &Bounds, changes: &mut Changes);
    /// Removes a box.
    fn remove(&mut self, index: u32, changes: &mut Changes);
    /// Changes all boxes at once; `bounds` yields each index that is in use.
    fn update_all(&mut self, bounds: &mut dyn Iterator<Item = (u32, Bounds)>, changes: &mut Changes);
    /// How many elementary comparisons all calls have made.
    fn comparisons(&self) -> u64;
}

/// Which structure a world keeps its temporal bounds in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoundsKind {
    /// The sorted lists where bodies are few, and the grid from some hundreds
    /// on, where it is the faster one for bodies of every shape.
    #[default]
    Automatic,
    /// A [`HashGrid`]. A body keeps its bound until it leaves it, and the
    /// bound is as roomy as its neighbourhood is empty.
    Grid,
    /// [`SortedLists`], and bounds that cover twice the time since the body's
    /// last event, as in Chenney 2000. The synchronous algorithm always uses
    /// the lists.
    SortedLists,
}

/// From so many bodies on the grid is chosen: measured (decision 13).
const MANY_BODIES: usize = 256;

impl BoundsKind {
    /// The structure for so many bodies: not automatic any more.
    pub(crate) fn choose(self, bodies: usize) -> Self {
        match self {
            Self::Automatic if bodies >= MANY_BODIES => Self::Grid,
            Self::Automatic => Self::SortedLists,
            chosen => chosen,
        }
    }
}

/// The structure of one world.
#[derive(Clone, Debug)]
pub(crate) enum Intersections {
    Grid(HashGrid),
    Lists(SortedLists),
}

impl Intersections {
    pub(crate) fn new(kind: BoundsKind, bodies: usize) -> Self {
        if kind.choose(bodies) == BoundsKind::Grid {
            Self::Grid(HashGrid::new())
        } else {
            Self::Lists(SortedLists::new())
        }
    }

    /// An empty structure of the same kind.
    pub(crate) fn fresh(&self) -> Self {
        match self {
            Self::Grid(_) => Self::Grid(HashGrid::new()),
            Self::Lists(_) => Self::Lists(SortedLists::new()),
        }
    }

    pub(crate) fn is_grid(&self) -> bool {
        matches!(self, Self::Grid(_))
    }

    pub(crate) fn structure(&mut self) -> &mut dyn IntersectingBounds {
        match self {
            Self::Grid(grid) => grid,
            Self::Lists(lists) => lists,
        }
    }

    pub(crate) fn comparisons(&self) -> u64 {
        match self {
            Self::Grid(grid) => grid.comparisons(),
            Self::Lists(lists) => lists.comparisons(),
        }
    }
}

fn ordered(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}
