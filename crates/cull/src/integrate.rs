//! The embedded Runge–Kutta pair of Dormand and Prince, 5(4), with steps chosen
//! by its own estimate of the error. Written by hand because the modules that
//! are generated must take the very same steps
//! (`docs/decisions/0019-own-dormand-prince.md`).
//!
//! The coefficients `A`, `C` and `E` are those of Dormand and Prince 1980, as
//! Hairer, Nørsett and Wanner 1993 print them (table 5.2 of chapter II); the last
//! stage is the first of the next step.

use crate::system::{MOST_VARIABLES, Values};

/// Error allowed per step, absolute and relative to the size of a variable. Chosen:
/// far below what can be seen, where another digit costs half as much again.
pub(crate) const TOLERANCE: f64 = 1e-6;

/// For motions that keep their energy: nothing brings them back to where they
/// should be. Chosen: the roller coaster keeps its energy to 1e-4 over 200 s, which
/// a test checks.
pub(crate) const FINE_TOLERANCE: f64 = 1e-9;

/// For clouds of paths, of which only the distribution matters. Chosen: their cells
/// are a hundred times as large.
pub(crate) const ROUGH_TOLERANCE: f64 = 1e-4;

/// The first step that is tried, seconds. Chosen: one that is too long costs one
/// step that is thrown away.
pub(crate) const FIRST_STEP: f64 = 0.1;

/// Steps smaller than this mean that something explodes, seconds. Chosen, as is the
/// largest value.
pub(crate) const SMALLEST_STEP: f64 = 1e-10;

/// Values larger than this have exploded.
pub(crate) const LARGEST_VALUE: f64 = 1e9;

pub(crate) const C: [f64; 7] = [0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];

pub(crate) const A: [[f64; 6]; 7] = [
    [0.0; 6],
    [0.2, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];

/// The difference of the two orders.
pub(crate) const E: [f64; 7] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0];

/// One step: the state after it, its rates there, and the estimated error in
/// units of what is allowed.
pub(crate) struct Step {
    pub values: Values,
    pub rates: Values,
    pub error: f64,
}

/// From where a step is taken, and how.
pub(crate) struct Start<'v> {
    pub time: f64,
    pub values: &'v Values,
    pub rates: &'v Values,
    /// How long it is, seconds.
    pub h: f64,
    pub tolerance: f64,
}

impl Start<'_> {
    /// Takes the step with so many variables.
    #[inline]
    pub(crate) fn take(&self, count: usize, motion: impl FnMut(f64, &Values, &mut Values)) -> Step {
        // Loops of known length are much faster.
        match count {
            0 | 1 => self.take_with::<1>(motion),
            2 => self.take_with::<2>(motion),
            3 | 4 => self.take_with::<4>(motion),
            _ => self.take_with::<MOST_VARIABLES>(motion),
        }
    }

    fn take_with<const N: usize>(&self, mut motion: impl FnMut(f64, &Values, &mut Values)) -> Step {
        let Start { time, values, rates, h, tolerance } = *self;
        let mut stages = [[0.0; N]; 7];
        stages[0].copy_from_slice(&rates[..N]);
        let mut next = *values;
        let mut found = Values::default();
        for stage in 1..7 {
            for variable in 0..N {
                let mut sum = 0.0;
                for earlier in 0..stage {
                    sum += A[stage][earlier] * stages[earlier][variable];
                }
                next[variable] = values[variable] + h * sum;
            }
            motion(time + C[stage] * h, &next, &mut found);
            stages[stage].copy_from_slice(&found[..N]);
        }
        // The last stage stands at the end of the step: `next` is the result.
        let mut worst = 0.0_f64;
        for variable in 0..N {
            let mut difference = 0.0;
            for stage in 0..7 {
                difference += E[stage] * stages[stage][variable];
            }
            let size = values[variable].abs().max(next[variable].abs());
            let error = (h * difference).abs() / (tolerance + tolerance * size);
            // What is not a number counts as the largest error.
            worst = if error.is_nan() { f64::INFINITY } else { worst.max(error) };
        }
        Step { values: next, rates: found, error: worst }
    }
}

/// By how much to change the step after this error. The theory has the power
/// −1/5; −3/16 is near, and made of square roots, which every language rounds
/// alike. The safety factor 0.9 and the limits 0.2 and 5 are those that Hairer,
/// Nørsett and Wanner 1993, II.4, recommend.
#[inline]
pub(crate) fn growth(error: f64) -> f64 {
    if error <= 1e-8 {
        return 5.0;
    }
    let eighth = error.sqrt().sqrt().sqrt();
    (0.9 / (eighth * eighth.sqrt())).clamp(0.2, 5.0)
}
