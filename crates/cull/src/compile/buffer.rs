//! How far apart states that are computed ahead of a viewer may be.
//!
//! Between two of them a cubic is shown, by their values and rates. A wheel that turns once a
//! second is shown right with ten a second; a string that trembles twenty times a second is
//! not, and neither is a leap from one slow stretch to the next. So the cubic is held against
//! the motion, where the system lives and on its way there.

use proscenium_work::{Halt, Progress, parallel};

use crate::error::CullError;
use crate::system::{State, Values, wrap};

use super::Question;
use super::cells::Grid;

/// Each is followed over so many states computed ahead.
const AHEAD: usize = 8;

/// Under a forcing they begin at all its phases, but no later than this, seconds.
const LATEST_BEGIN: f64 = 60.0;

/// By so much of its range a variable may be shown beside where it is. Chosen: what counts
/// as the same when periods are looked for.
const BESIDE: f64 = 2e-3;

/// At most so often the time between states is halved: to a thousandth of a second from the
/// usual tenth. What is faster is shown no better by any film.
const MOST_HALVINGS: u32 = 7;

/// The time between states, of which the author's is the most.
pub(crate) fn buffer_step(
    question: &Question<'_>,
    grid: &Grid,
    states: &[State],
    progress: &Progress,
) -> Result<f64, Halt<CullError>> {
    let mut step = question.settings.buffer_step;
    if !question.system.is_smooth() || states.is_empty() {
        return Ok(step);
    }
    for _ in 0..MOST_HALVINGS {
        let worst = parallel::try_tasks(states.len(), |index| {
            progress.check()?;
            beside(question, grid, (states[index], index), step)
        })?;
        if worst.into_iter().fold(0.0, f64::max) <= BESIDE {
            break;
        }
        step *= 0.5;
    }
    Ok(step)
}

/// How far beside the motion the cubics are, in the middle between states.
fn beside(
    question: &Question<'_>,
    grid: &Grid,
    (mut state, index): (State, usize),
    step: f64,
) -> Result<f64, Halt<CullError>> {
    let Question { system, seed, .. } = *question;
    let mut stream = seed.stream("ahead").at(index as u64);
    let begin = system.forcing_period().map_or(0.0, |period| period.min(LATEST_BEGIN)) * stream.uniform();
    system.advance(&mut state, 0.0, begin, &mut stream)?;
    wrap(system.variables(), &mut state);
    let mut worst = 0.0_f64;
    let mut rates = system.rates(&state, begin);
    for ahead in 0..AHEAD {
        let at = |part: f64| begin + (ahead as f64 + part) * step;
        let (before, before_rates) = (state.values, rates);
        system.advance(&mut state, at(0.0), at(0.5), &mut stream)?;
        let middle = state.values;
        system.advance(&mut state, at(0.5), at(1.0), &mut stream)?;
        rates = system.rates(&state, at(1.0));
        worst = worst.max(off(grid, [&before, &middle, &state.values], [&before_rates, &rates], step));
    }
    Ok(worst)
}

/// By how much Hermite's cubic misses the middle, as a share of the range.
fn off(
    grid: &Grid,
    [before, middle, after]: [&Values; 3],
    [before_rates, after_rates]: [&Values; 2],
    step: f64,
) -> f64 {
    let each = grid.axes.iter().enumerate().map(|(index, axis)| {
        let rates = before_rates[index] - after_rates[index];
        let shown = 0.5 * (before[index] + after[index]) + 0.125 * step * rates;
        (shown - middle[index]).abs() / (axis.high - axis.low)
    });
    each.fold(0.0, f64::max)
}
