//! The stationary distribution: where a system is found when nothing is known
//! of it, at a phase of its forcing.

use proscenium_chance::Stream;
use proscenium_work::{Progress, Stopped};
use serde::{Deserialize, Serialize};

use crate::system::State;

use super::cells::Grid;

/// Neighbours whose densities differ by less than this share are merged. Chosen:
/// the error of a count of sixteen states.
const SIMILAR: f64 = 0.25;

/// Leaves rarer than this are left out. Chosen: the
/// compiler sees at most some 100 000 states, so that this is one of them.
const RARE: f64 = 1e-5;

/// A distribution over states: boxes of cells with their probabilities, and
/// for each box states that were seen in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Distribution {
    /// The boxes, in the order of the tree.
    pub leaves: Vec<Leaf>,
    /// For each seen state a code per variable, box by box.
    pub states: Vec<u16>,
}

/// A box of cells of nearly equal density.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Leaf {
    pub low: Vec<u16>,
    /// After the last cell, each way.
    pub high: Vec<u16>,
    pub mode: u8,
    /// The probability of this box and of all before it.
    pub cumulative: f64,
    /// How many states were kept of it.
    pub count: u32,
    /// The place of the first.
    pub first: u32,
}

impl Distribution {
    /// Builds the probability tree over cells, and keeps some states.
    pub(crate) fn build(
        grid: &Grid,
        shares: &[f64],
        seen: &[State],
        kept: usize,
        progress: &Progress,
    ) -> Result<Self, Stopped> {
        let mut leaves = Vec::new();
        for mode in 0..grid.modes {
            let whole =
                Region { low: vec![0; grid.axes.len()], high: grid.axes.iter().map(|axis| axis.cells).collect(), mode };
            leaves.extend(whole.split(grid, shares, progress)?);
        }
        leaves.retain(|(_, share)| *share > RARE);
        let total: f64 = leaves.iter().map(|(_, share)| share).sum();
        let mut members: Vec<Vec<&State>> = vec![Vec::new(); leaves.len()];
        let mut owner = vec![usize::MAX; grid.len()];
        for (index, (region, _)) in leaves.iter().enumerate() {
            progress.check()?;
            region.each_cell(grid, &mut |cell| owner[cell] = index);
        }
        for state in seen {
            if let Some(leaf) = grid.cell(state).and_then(|cell| members.get_mut(owner[cell])) {
                leaf.push(state);
            }
        }
        let mut distribution = Distribution { leaves: Vec::new(), states: Vec::new() };
        let mut cumulative = 0.0;
        for ((region, share), members) in leaves.into_iter().zip(members) {
            let wanted = ((share / total * kept as f64).round() as usize).clamp(1, members.len().max(1));
            if members.is_empty() {
                continue;
            }
            cumulative += share / total;
            let first = (distribution.states.len() / grid.axes.len().max(1)) as u32;
            for index in 0..wanted {
                distribution.states.extend(grid.coded(members[index * members.len() / wanted]));
            }
            let Region { low, high, mode } = region;
            distribution.leaves.push(Leaf { low, high, mode, cumulative, count: wanted as u32, first });
        }
        Ok(distribution)
    }

    /// Draws a state: a box by its probability, then one of the states that
    /// were seen in it. Takes four words.
    pub(crate) fn sample(&self, grid: &Grid, stream: &mut Stream) -> Option<State> {
        self.sample_of(&self.states, grid, stream)
    }

    /// As [`sample`](Self::sample), of the same states as they are at another phase.
    pub(crate) fn sample_of(&self, states: &[u16], grid: &Grid, stream: &mut Stream) -> Option<State> {
        let (which, within) = (stream.uniform(), stream.uniform());
        let last = self.leaves.last()?;
        let wanted = which * last.cumulative;
        let leaf = self.leaves.get(self.leaves.partition_point(|leaf| leaf.cumulative < wanted))?;
        let chosen = (within * f64::from(leaf.count)) as u32;
        let start = (leaf.first + chosen.min(leaf.count - 1)) as usize * grid.axes.len();
        let codes = states.get(start..start + grid.axes.len())?;
        Some(grid.decoded(codes, leaf.mode))
    }
}

/// A box of cells.
struct Region {
    low: Vec<u16>,
    high: Vec<u16>,
    mode: u8,
}

impl Region {
    fn each_cell(&self, grid: &Grid, visit: &mut impl FnMut(usize)) {
        let mut at = self.low.clone();
        loop {
            let axes = grid.axes.iter().zip(&at);
            visit(axes.fold(usize::from(self.mode), |index, (axis, &place)| {
                index * usize::from(axis.cells) + usize::from(place)
            }));
            // Count upwards through the box, the last variable fastest.
            let Some(next) = (0..at.len()).rev().find(|&way| at[way] + 1 < self.high[way]) else {
                return;
            };
            at[next] += 1;
            at[next + 1..].copy_from_slice(&self.low[next + 1..]);
        }
    }

    /// The leaves of this box with their probabilities.
    fn split(self, grid: &Grid, shares: &[f64], progress: &Progress) -> Result<Vec<(Region, f64)>, Stopped> {
        progress.check()?;
        let (mut least, mut most, mut sum) = (f64::INFINITY, 0.0_f64, 0.0);
        self.each_cell(grid, &mut |cell| {
            least = least.min(shares[cell]);
            most = most.max(shares[cell]);
            sum += shares[cell];
        });
        let longest = (0..self.low.len()).max_by_key(|&way| self.high[way] - self.low[way]);
        let Some(way) = longest.filter(|&way| self.high[way] - self.low[way] > 1) else {
            return Ok(vec![(self, sum)]);
        };
        // Neighbours of similar density are one box.
        if most - least <= SIMILAR * most {
            return Ok(vec![(self, sum)]);
        }
        let middle = (self.low[way] + self.high[way]) / 2;
        let mut lower_high = self.high.clone();
        lower_high[way] = middle;
        let mut upper_low = self.low.clone();
        upper_low[way] = middle;
        let lower = Region { low: self.low, high: lower_high, mode: self.mode };
        let upper = Region { low: upper_low, high: self.high, mode: self.mode };
        let mut leaves = lower.split(grid, shares, progress)?;
        leaves.extend(upper.split(grid, shares, progress)?);
        Ok(leaves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::cells::Axis;
    use proscenium_chance::Seed;

    #[test]
    fn samples_are_distributed_as_the_cells_are() {
        let axis = |cells| Axis { low: 0.0, high: 1.0, wraps: false, cells };
        let grid = Grid { axes: vec![axis(8), axis(8)], modes: 1 };
        let mut stream = Seed(1).stream("states");
        let seen: Vec<State> = (0..20_000)
            .map(|_| {
                let x = stream.uniform();
                State::new(&[x * x, stream.uniform()])
            })
            .collect();
        let shares = grid.shares(seen.iter());
        let distribution = Distribution::build(&grid, &shares, &seen, 4000, &Progress::none()).unwrap();
        assert!(distribution.leaves.len() < 64, "neighbours are merged: {}", distribution.leaves.len());
        let drawn: Vec<State> = (0..20_000).filter_map(|_| distribution.sample(&grid, &mut stream)).collect();
        let difference = super::super::cells::distance(&grid.shares(drawn.iter()), &shares);
        assert!(difference < 0.12, "{difference}");
    }

    #[test]
    fn a_uniform_distribution_is_one_box() {
        let grid = Grid { axes: vec![Axis { low: 0.0, high: 1.0, wraps: false, cells: 16 }], modes: 1 };
        let seen: Vec<State> = (0..16).map(|i| State::new(&[(f64::from(i) + 0.5) / 16.0])).collect();
        let distribution = Distribution::build(&grid, &grid.shares(seen.iter()), &seen, 16, &Progress::none()).unwrap();
        assert_eq!(distribution.leaves.len(), 1);
        assert_eq!(distribution.leaves[0].count, 16);
    }
}
