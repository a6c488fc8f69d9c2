//! Wishes: what an author wants to be seen in a city of which nothing out of view is
//! decided yet (Chenney 2000, 7.1).
//!
//! A car that nobody sees has a way ahead of it that is not drawn yet, or that nobody can
//! know. The chance that it makes a wish come true is a backward sum over ways and time
//! ([`chances`]); a car is drawn in proportion to it, and then its turns and waits given
//! that it succeeds (a Doob transform), so that what happens is what would have happened
//! in the drives in which the wish came true by itself.

pub(crate) mod chances;
#[cfg(test)]
mod exact;
pub(crate) mod goals;
mod parse;
mod report;
pub(crate) mod viewer;
pub(crate) mod watch;
mod wish;

use serde::{Deserialize, Serialize};

use crate::map::PathId;
use crate::traffic::DriverError;

pub use report::{Recruit, WishId, WishReport, WishState};
pub use wish::{Hand, Wish, WishError};

/// What a car does for a wish: which ways it takes, how long, and what its driver does
/// wrong at the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Script {
    /// How many paths the car had taken when the script was written.
    pub(crate) visit: u32,
    /// The paths that it takes after the one that it was on.
    pub(crate) ways: Vec<PathId>,
    /// How long it is on each of them out of view, seconds; the last is open.
    pub(crate) seconds: Vec<f64>,
    /// What it does wrong at the start of the last.
    pub(crate) error: Option<DriverError>,
}

impl Script {
    /// The path after the one that is the car's so manieth.
    pub(crate) fn next_at(&self, visit: u32) -> Option<PathId> {
        self.ways.get(visit.checked_sub(self.visit)? as usize).copied()
    }

    /// How long the car is on the path that is its so manieth.
    pub(crate) fn seconds_at(&self, visit: u32) -> Option<f64> {
        self.seconds.get(visit.checked_sub(self.visit + 1)? as usize).copied()
    }

    /// What the driver does wrong at the end of the path that is its so manieth.
    pub(crate) fn error_at(&self, visit: u32) -> Option<DriverError> {
        let last = self.visit + self.ways.len().checked_sub(1)? as u32;
        self.error.filter(|_| visit == last)
    }
}
