//! How fast a car goes behind another.

use serde::{Deserialize, Serialize};

/// Cells of gaps between bumpers. Chosen, as those below: up to 30 m, and up to
/// 16 m/s, above the limits in town.
const GAPS: usize = 10;
/// Cells of the leader's speed.
const SPEEDS: usize = 8;
/// Size of a cell of gaps, metres.
const GAP: f64 = 3.0;
/// Size of a cell of speeds, m/s.
const SPEED: f64 = 2.0;

/// The mean speed of a car by the gap to the one ahead and that one's speed
/// (what Chenney 2000, B.3.4, wishes for).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Following {
    sums: Vec<f32>,
    counts: Vec<f32>,
}

impl Default for Following {
    fn default() -> Self {
        Self { sums: vec![0.0; GAPS * SPEEDS], counts: vec![0.0; GAPS * SPEEDS] }
    }
}

impl Following {
    pub(crate) fn is_whole(&self) -> bool {
        self.sums.len() == GAPS * SPEEDS && self.counts.len() == GAPS * SPEEDS
    }

    fn cell(gap: f64, leader: f64) -> Option<usize> {
        let (gap, speed) = ((gap / GAP) as usize, (leader / SPEED) as usize);
        (gap < GAPS).then(|| gap * SPEEDS + speed.min(SPEEDS - 1))
    }

    /// Counts a car with this speed behind a leader.
    pub(crate) fn count(&mut self, gap: f64, leader: f64, speed: f64) {
        if let Some(cell) = Self::cell(gap, leader) {
            self.sums[cell] += speed as f32;
            self.counts[cell] += 1.0;
        }
    }

    /// Adds what another one counted.
    pub(crate) fn add(&mut self, other: &Self) {
        for (sum, more) in self.sums.iter_mut().chain(&mut self.counts).zip(other.sums.iter().chain(&other.counts)) {
            *sum += more;
        }
    }

    /// The usual speed behind a leader; `None` where the leader is too far or
    /// nothing was measured.
    pub fn speed(&self, gap: f64, leader: f64) -> Option<f64> {
        let cell = Self::cell(gap, leader)?;
        (self.counts[cell] >= 10.0).then(|| f64::from(self.sums[cell] / self.counts[cell]))
    }
}
