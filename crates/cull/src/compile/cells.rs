//! State space cut into cells.

use serde::{Deserialize, Serialize};

use crate::system::{State, System, Values, Variable};

/// How one variable is cut.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Axis {
    pub low: f64,
    pub high: f64,
    /// Whether the two ends are the same place.
    pub wraps: bool,
    pub cells: u16,
}

/// A variable whose range is less than this, absolute and as a share of its size, stands still.
const STILL: f64 = 3e-6;

impl Axis {
    pub(crate) fn width(&self) -> f64 {
        (self.high - self.low) / f64::from(self.cells)
    }

    /// How much of it a viewer cannot tell: of what stands still, nothing.
    pub(crate) fn unsure(&self) -> f64 {
        if self.is_still() { 0.0 } else { self.width() }
    }

    fn is_still(&self) -> bool {
        self.high - self.low <= STILL * (1.0 + self.low.abs())
    }

    /// The value brought into the range, if it goes around.
    pub(crate) fn wrapped(&self, value: f64) -> f64 {
        if !self.wraps {
            return value;
        }
        let (above, period) = (value - self.low, self.high - self.low);
        self.low + (above - period * (above / period).floor())
    }

    /// The cell of a value; `None` outside of the range.
    pub(crate) fn cell(&self, value: f64) -> Option<usize> {
        let at = ((self.wrapped(value) - self.low) / self.width()).floor();
        let last = f64::from(self.cells) - 1.0;
        // Rounding may put a value that goes around on the upper end.
        let at = if self.wraps { at.min(last) } else { at };
        (at >= 0.0 && at <= last).then_some(at as usize)
    }

    /// A value of the range as 16 bits.
    pub(crate) fn coded(&self, value: f64) -> u16 {
        let part = (self.wrapped(value) - self.low) / (self.high - self.low);
        (part.clamp(0.0, 1.0) * 65535.0).round() as u16
    }

    pub(crate) fn decoded(&self, code: u16) -> f64 {
        self.low + (self.high - self.low) * (f64::from(code) / 65535.0)
    }
}

/// Into how many cells each of so many variables is cut if nobody says otherwise.
pub(crate) fn usual_cells(dimensions: usize) -> usize {
    match dimensions {
        0 | 1 => 60,
        2 => 30,
        3 => 12,
        4 => 8,
        _ => 4,
    }
}

/// Cells of equal size over the range of a system, for each of its modes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Grid {
    pub axes: Vec<Axis>,
    pub modes: u8,
}

impl Grid {
    /// Cuts ranges into cells: as fine as a viewer can tell, or so many per side.
    pub(crate) fn new(system: &dyn System, ranges: &[(f64, f64)], cells: Option<usize>) -> Self {
        let dimensions = ranges.len();
        let usual = usual_cells(dimensions);
        let most = [1, 200, 100, 40, 16, 8, 6, 5, 4][dimensions.min(8)];
        let axis = |(variable, &(low, high)): (&Variable, &(f64, f64))| {
            let fine = variable.uncertainty.map(|size| ((high - low) / size).ceil() as usize);
            let count = fine.or(cells).unwrap_or(usual).clamp(2, most);
            let axis = Axis { low, high, wraps: variable.wrap.is_some(), cells: count as u16 };
            if axis.is_still() { Axis { cells: 1, ..axis } } else { axis }
        };
        let axes = system.variables().iter().zip(ranges).map(axis).collect();
        Self { axes, modes: system.mode_count() }
    }

    /// The same range in an odd number of cells each way.
    pub(crate) fn odd(mut self) -> Self {
        for axis in self.axes.iter_mut().filter(|axis| axis.cells.is_multiple_of(2)) {
            axis.cells = (axis.cells - 1).max(3);
        }
        self
    }

    /// How many cells there are.
    pub(crate) fn len(&self) -> usize {
        self.per_mode() * usize::from(self.modes)
    }

    pub(crate) fn per_mode(&self) -> usize {
        self.axes.iter().map(|axis| usize::from(axis.cells)).product()
    }

    /// The same range in finer cells.
    pub(crate) fn finer(&self, times: u16) -> Self {
        let finer = |axis: &Axis| Axis { cells: axis.cells.saturating_mul(times), ..*axis };
        Self { axes: self.axes.iter().map(finer).collect(), modes: self.modes }
    }

    /// The cell of a state; `None` outside of the range.
    pub(crate) fn cell(&self, state: &State) -> Option<usize> {
        self.cell_of(state, self.axes.iter().map(|axis| axis.cells))
    }

    /// The cell of a state if each variable were cut into so many.
    pub(crate) fn cell_of(&self, state: &State, cells: impl Iterator<Item = u16>) -> Option<usize> {
        let mut index = usize::from(state.mode);
        if state.mode >= self.modes {
            return None;
        }
        for ((axis, value), cells) in self.axes.iter().zip(state.values).zip(cells) {
            index = index * usize::from(cells) + Axis { cells, ..*axis }.cell(value)?;
        }
        Some(index)
    }

    /// The corner of a cell with the least values, and its mode.
    pub(crate) fn corner(&self, cell: usize) -> (Values, u8) {
        let mut rest = cell;
        let mut values = Values::default();
        for (axis, value) in self.axes.iter().zip(&mut values).rev() {
            let count = usize::from(axis.cells);
            *value = axis.low + axis.width() * (rest % count) as f64;
            rest /= count;
        }
        (values, rest as u8)
    }

    /// The place in a cell given by a number from 0 to 1 for each variable.
    pub(crate) fn point(&self, cell: usize, mut part: impl FnMut() -> f64) -> State {
        let (mut values, mode) = self.corner(cell);
        for (axis, value) in self.axes.iter().zip(&mut values) {
            *value += axis.width() * part();
        }
        State { values, mode }
    }

    /// How many states are in each cell, as shares of all; states outside of
    /// the range count as a share of none.
    pub(crate) fn shares<'s>(&self, states: impl Iterator<Item = &'s State>) -> Vec<f64> {
        let mut counts = vec![0.0; self.len()];
        let mut all = 0.0_f64;
        for state in states {
            all += 1.0;
            if let Some(cell) = self.cell(state) {
                counts[cell] += 1.0;
            }
        }
        for count in &mut counts {
            *count /= all.max(1.0);
        }
        counts
    }

    /// A state as 16 bits per variable.
    pub(crate) fn coded(&self, state: &State) -> Vec<u16> {
        self.axes.iter().zip(state.values).map(|(axis, value)| axis.coded(value)).collect()
    }

    pub(crate) fn decoded(&self, codes: &[u16], mode: u8) -> State {
        let mut state = State { mode, ..State::default() };
        for ((axis, value), code) in self.axes.iter().zip(&mut state.values).zip(codes) {
            *value = axis.decoded(*code);
        }
        state
    }
}

/// The L1 distance of two distributions on the same cells.
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum()
}

/// A cell whose share is less than this weighs no more than one that has it. Chosen: so
/// rare a cell is seen once in the whole of a sample.
const LEAST_SHARE: f64 = 1e-4;

/// How far a sample is from a distribution that is itself known from a sample: without
/// bias, so that it does not depend on how large either is.
///
/// It is Pearson's: the squared differences of the shares, each over the share, less what
/// chance makes of them; `variances` are those of the distribution's own shares.
pub(crate) fn squared_distance(sample: &[f64], count: usize, shares: &[f64], variances: &[f64]) -> f64 {
    let least = 1.0 / (count.max(2) - 1) as f64;
    let inside: f64 = sample.iter().sum();
    let each = sample.iter().zip(shares).zip(variances).map(|((sample, share), variance)| {
        let by_chance = sample * (1.0 - sample) * least + variance;
        ((sample - share) * (sample - share) - by_chance) / share.max(LEAST_SHARE)
    });
    // What has left the range is told at once.
    each.sum::<f64>() + 4.0 * (1.0 - inside)
}

/// The standard deviation of the squared distance of a sample of the distribution itself.
pub(crate) fn distance_by_chance(count: usize, shares: &[f64], variances: &[f64]) -> f64 {
    let each = shares.iter().zip(variances).map(|(share, variance)| {
        let variance = share * (1.0 - share) / count.max(1) as f64 + variance;
        (variance / share.max(LEAST_SHARE)) * (variance / share.max(LEAST_SHARE))
    });
    (2.0 * each.sum::<f64>()).sqrt()
}

/// The L1 distance that a squared distance amounts to, if relative differences are
/// spread normally: their mean size is √(2/π) of their deviation.
pub(crate) fn as_distance(squared: f64) -> f64 {
    (squared.max(0.0) * 2.0 / std::f64::consts::PI).sqrt().min(2.0)
}

/// The squared distance that amounts to an L1 distance.
pub(crate) fn as_squared(distance: f64) -> f64 {
    distance * distance * std::f64::consts::PI / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        let angle = Axis { low: -1.0, high: 1.0, wraps: true, cells: 4 };
        let line = Axis { low: 0.0, high: 3.0, wraps: false, cells: 3 };
        Grid { axes: vec![angle, line], modes: 2 }
    }

    #[test]
    fn cells_hold_their_points() {
        for cell in 0..grid().len() {
            for part in [0.001, 0.5, 0.999] {
                assert_eq!(grid().cell(&grid().point(cell, || part)), Some(cell));
            }
        }
    }

    /// Samples of 500 and of 8000 states of another distribution are equally far off, and
    /// samples of the distribution itself are not: twenty of each, so that the error of
    /// the mean is below a hundredth of a squared distance.
    #[test]
    fn the_distance_does_not_depend_on_how_large_a_sample_is() {
        let axis = Axis { low: 0.0, high: 1.0, wraps: false, cells: 50 };
        let grid = Grid { axes: vec![axis], modes: 1 };
        let mut stream = proscenium_chance::Seed(1).stream("distance");
        // Density 1 + 0.3 (2 x − 1), drawn by rejection.
        let mut draw = |slope: f64| loop {
            let x = stream.uniform();
            if 2.0 * stream.uniform() < 1.0 + slope * (2.0 * x - 1.0) {
                return State::new(&[x]);
            }
        };
        let even = vec![0.02; 50];
        let nothing = vec![0.0; 50];
        let mut mean = |slope: f64, count: usize| {
            let each = (0..20).map(|_| {
                let states: Vec<State> = (0..count).map(|_| draw(slope)).collect();
                squared_distance(&grid.shares(states.iter()), count, &even, &nothing)
            });
            each.sum::<f64>() / 20.0
        };
        // The squared relative difference is 0.3² / 3 on the average.
        for count in [500, 8000] {
            assert!((mean(0.3, count) - 0.03).abs() < 0.012, "{}", mean(0.3, count));
            assert!(mean(0.0, count).abs() < 0.012, "{}", mean(0.0, count));
        }
    }

    #[test]
    fn what_goes_around_is_never_outside() {
        assert_eq!(grid().cell(&State::new(&[5.1, 0.5])), grid().cell(&State::new(&[-0.9, 0.5])));
        assert_eq!(grid().cell(&State::new(&[0.0, 3.5])), None);
        assert_eq!(grid().cell(&State::new(&[0.0, f64::NAN])), None);
    }

    #[test]
    fn codes_keep_values_to_sixteen_bits() {
        let state = State { mode: 1, ..State::new(&[0.123, 2.5]) };
        let back = grid().decoded(&grid().coded(&state), 1);
        assert!((back.values[0] - 0.123).abs() < 2.0 / 65535.0 && (back.values[1] - 2.5).abs() < 3.0 / 65535.0);
    }
}
