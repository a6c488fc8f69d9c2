//! Systems that come around: their period, and one turn of them as a table.

use proscenium_chance::{Seed, Stream};
use proscenium_work::{Halt, Progress, Stopped};
use serde::{Deserialize, Serialize};

use crate::error::CullError;
use crate::system::{State, System, Values, wrap};

use super::cells::Grid;

/// States nearer than this share of the range are the same. Chosen: below what a
/// viewer can tell, above what integrating for a period loses.
const SAME: f64 = 2e-3;

/// The paper's threshold of short and medium: a tenth of a period (Chenney 2000,
/// 5.2.1).
const SHORT: f64 = 0.1;

/// How many starts must agree. Chosen: half of them begin with what others may do
/// to the system, so that there are three of each.
const STARTS: u64 = 6;

/// Before a forced system locks it may be chaotic for many periods. Chosen: the
/// slow Tilt-A-Whirl of the tests locks before.
const SETTLED: f64 = 1200.0;

/// A forced system repeats after at most so many periods of its forcing, and each
/// start after at most half as many. Chosen: a longer table would cost more than
/// jumps.
const MOST_TURNS: u64 = 48;

/// After so many rounds a motion must still be where it was, to within this share of
/// [`SAME`]: what drifts by less is, after an hour of rounds of a second, a hundredth of its
/// range off.
const MANY_ROUNDS: u32 = 24;
const STILL: f64 = 0.05;

/// The table is refined from so many samples until it is this near, as a share of
/// the range, or has so many. Chosen: a tenth of what counts as the same.
const NEAR: f64 = 2e-4;
const FIRST_SAMPLES: u32 = 32;
const MOST_SAMPLES: u32 = 1024;

/// Rounds in which the time of return is cut to two thirds: from a hundredth of a
/// second down to rounding errors.
const CLOSEST_ROUNDS: u32 = 48;

/// A motion that comes around.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Periodic {
    pub period: f64,
    /// Whether the phase is that of a forcing, and so known from the time.
    pub forcing: Option<f64>,
    /// Whether states beside an orbit come to it: a limit cycle does that, a motion that
    /// keeps its energy does not.
    pub attracts: bool,
    pub orbits: Vec<Orbit>,
}

/// One turn: states at equal times. What goes around is stored without the
/// part that grows evenly, so that the table closes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Orbit {
    pub winding: Vec<f64>,
    /// Sample after sample, variable after variable.
    pub samples: Vec<f32>,
    pub count: u32,
    pub energy: Option<f64>,
}

/// A place on an orbit.
struct At {
    /// From 0 to 1.
    part: f64,
    /// The sample before it, and how far it is to the next, from 0 to 1.
    index: u32,
    u: f64,
}

impl Orbit {
    /// The state at a part (from 0 to 1) of the turn.
    pub(crate) fn state(&self, grid: &Grid, part: f64) -> State {
        let at = self.at(part);
        let mut state = State::default();
        for (variable, axis) in grid.axes.iter().enumerate() {
            state.values[variable] = axis.wrapped(self.value_and_rate(grid, &at, variable).0);
        }
        state
    }

    fn at(&self, part: f64) -> At {
        let count = self.count.max(1);
        let part = part - part.floor();
        let at = part * f64::from(count);
        let index = (at.floor() as u32).min(count - 1);
        At { part, index, u: at - f64::from(index) }
    }

    /// A variable, and how it changes in a whole turn at the rate it has here.
    fn value_and_rate(&self, grid: &Grid, at: &At, variable: usize) -> (f64, f64) {
        let (count, dimensions, u) = (self.count.max(1), grid.axes.len(), at.u);
        let sample =
            |offset: u32| f64::from(self.samples[((at.index + offset) % count) as usize * dimensions + variable]);
        // Catmull and Rom's cubic through the two samples before and after.
        let (a, b, c, d) = (sample(count - 1), sample(0), sample(1), sample(2));
        let (second, third) = (2.0 * a - 5.0 * b + 4.0 * c - d, 3.0 * (b - c) + d - a);
        let cubic = b + 0.5 * u * (c - a + u * (second + u * third));
        let rate = 0.5 * (c - a + u * (2.0 * second + 3.0 * u * third));
        let winding = self.winding[variable];
        (cubic + winding * at.part, rate * f64::from(count) + winding)
    }

    /// The part of the turn that is nearest to a state, and how far off it is.
    fn nearest(&self, grid: &Grid, state: &State) -> (f64, f64) {
        let off = |part: f64| difference(grid, &self.state(grid, part), state);
        let count = f64::from(self.count.max(1));
        let mut best = (0.0, f64::INFINITY);
        for index in 0..self.count.max(1) {
            let part = f64::from(index) / count;
            let distance = off(part);
            if distance < best.1 {
                best = (part, distance);
            }
        }
        // A least distance is known to half of the digits only; where its slope
        // changes sign, to all of them.
        let (mut low, mut high) = (best.0 - 1.0 / count, best.0 + 1.0 / count);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.slope(grid, middle, state) < 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        let part = 0.5 * (low + high);
        (part, off(part))
    }

    /// Half of what the squared distance to a state grows by along the turn.
    fn slope(&self, grid: &Grid, part: f64, state: &State) -> f64 {
        let at = self.at(part);
        let mut sum = 0.0;
        for (variable, axis) in grid.axes.iter().enumerate() {
            let (value, rate) = self.value_and_rate(grid, &at, variable);
            let range = axis.high - axis.low;
            let mut share = (value - state.values[variable]) / range;
            if axis.wraps {
                share -= (share + 0.5).floor();
            }
            sum += share * (rate / range);
        }
        sum
    }
}

/// How far two states are apart, as a share of the range.
pub(crate) fn difference(grid: &Grid, a: &State, b: &State) -> f64 {
    let mut worst = 0.0_f64;
    for (index, axis) in grid.axes.iter().enumerate() {
        let mut share = (a.values[index] - b.values[index]) / (axis.high - axis.low);
        if axis.wraps {
            share -= (share + 0.5).floor();
        }
        worst = worst.max(share.abs());
    }
    worst
}

impl Periodic {
    pub(crate) fn medium(&self) -> f64 {
        SHORT * self.period
    }

    /// Whether the tables have the sizes they should have.
    pub(crate) fn is_sound(&self, dimensions: usize) -> bool {
        let orbit = |orbit: &Orbit| {
            orbit.count > 0
                && orbit.winding.len() == dimensions
                && orbit.samples.len() == orbit.count as usize * dimensions
                && orbit.winding.iter().all(|winding| winding.is_finite())
                && orbit.samples.iter().all(|sample| sample.is_finite())
        };
        let times = self.period > 0.0 && self.period.is_finite() && self.forcing.is_none_or(|forcing| forcing > 0.0);
        times && !self.orbits.is_empty() && self.orbits.iter().all(orbit)
    }

    /// Where a state is on which orbit at a time; `None` if it is on none.
    pub(crate) fn locate(&self, grid: &Grid, state: &State, time: f64) -> Option<(usize, f64)> {
        let mut best = (0, 0.0, f64::INFINITY);
        for (index, orbit) in self.orbits.iter().enumerate() {
            let (part, off) = match self.forcing {
                None => orbit.nearest(grid, state),
                Some(forcing) => {
                    let turns = (self.period / forcing).round().max(1.0) as u32;
                    let part = |turn: u32| (time + f64::from(turn) * forcing) / self.period;
                    let each =
                        (0..turns).map(|turn| (part(turn), difference(grid, &orbit.state(grid, part(turn)), state)));
                    each.fold((0.0, f64::INFINITY), |best, next| if next.1 < best.1 { next } else { best })
                }
            };
            if off < best.2 {
                best = (index, part, off);
            }
        }
        (best.2 < self.near()).then_some((best.0, best.1))
    }

    /// A state that is nearer to an orbit than this is on it. States that come to the
    /// orbit are followed until they are there; of others a viewer's error is forgiven.
    pub(crate) fn near(&self) -> f64 {
        if self.attracts { 0.4 * SAME } else { 20.0 * SAME }
    }

    /// The state after some seconds; `None` if the system was not on an orbit.
    pub(crate) fn after(&self, system: &dyn System, grid: &Grid, state: &State, from: f64, to: f64) -> Option<State> {
        let (index, part) = self.locate(grid, state, from)?;
        let orbit = &self.orbits[index];
        let mut state = orbit.state(grid, part + (to - from) / self.period);
        if let Some(energy) = orbit.energy {
            system.restore(&mut state, energy);
        }
        Some(state)
    }

    /// Looks for a period that all starts share.
    pub(crate) fn find(
        system: &dyn System,
        grid: &Grid,
        seed: Seed,
        longest: f64,
        progress: &Progress,
    ) -> Result<Option<Self>, Halt<CullError>> {
        // A table goes around the corners of what jumps.
        if system.is_random() || !system.is_smooth() || grid.axes.is_empty() {
            return Ok(None);
        }
        let settle = match system.forcing_period() {
            Some(period) => SETTLED * period,
            None => {
                // What keeps its energy comes around at once, a limit cycle once it is there.
                let at_once = Self::after_settling(system, grid, seed, (0.0, longest), progress)?;
                if at_once.is_some() {
                    return Ok(at_once);
                }
                2.0 * longest
            }
        };
        Self::after_settling(system, grid, seed, (settle, longest), progress)
    }

    /// Looks for a period of states that have moved on for so long.
    fn after_settling(
        system: &dyn System,
        grid: &Grid,
        seed: Seed,
        (settle, longest): (f64, f64),
        progress: &Progress,
    ) -> Result<Option<Self>, Halt<CullError>> {
        let forcing = system.forcing_period();
        let mut starts = Vec::new();
        for start in 0..STARTS {
            let mut stream = seed.stream("period").at(start);
            let mut state = system.initial(&mut stream);
            if start % 2 == 1 {
                system.disturb(&mut state, &mut stream);
            }
            let settled = system.advance_far(&mut state, 0.0, settle, &mut stream, progress)?;
            settled.finished().ok_or(Stopped)?;
            wrap(system.variables(), &mut state);
            let period = match forcing {
                Some(forcing) => locked(system, grid, &state, (settle, forcing), &mut stream, progress)?,
                None => returning(system, grid, &state, longest, &mut stream, progress)?,
            };
            let Some(period) = period else {
                return Ok(None);
            };
            starts.push((state, period));
        }
        let Some(period) = common_period(&starts, forcing) else {
            return Ok(None);
        };
        let mut found = Periodic { period, forcing, attracts: settle > 0.0, orbits: Vec::new() };
        for (start, (state, _)) in starts.iter().enumerate() {
            if found.locate(grid, state, settle).is_some() {
                continue;
            }
            // Without a forcing a second orbit has a period of its own.
            if forcing.is_none() && start > 0 {
                return Ok(None);
            }
            let mut stream = seed.stream("orbit").at(start as u64);
            found.orbits.push(orbit(system, grid, state, (settle, period), &mut stream, progress)?);
        }
        Ok(Some(found))
    }
}

/// A period that all starts have: the same, or of a forced system the least
/// common multiple.
fn common_period(starts: &[(State, f64)], forcing: Option<f64>) -> Option<f64> {
    let (_, first) = *starts.first()?;
    let Some(forcing) = forcing else {
        return starts.iter().all(|(_, period)| (period / first - 1.0).abs() < 1e-3).then_some(first);
    };
    let mut turns = 1_u64;
    for (_, period) in starts {
        let own = (period / forcing).round().max(1.0) as u64;
        turns = (1..=own).map(|times| turns * times).find(|turns| turns.is_multiple_of(own))?;
    }
    (turns <= MOST_TURNS).then_some(turns as f64 * forcing)
}

/// A multiple of the forcing period after which the state is the same.
fn locked(
    system: &dyn System,
    grid: &Grid,
    start: &State,
    (from, forcing): (f64, f64),
    stream: &mut Stream,
    progress: &Progress,
) -> Result<Option<f64>, Halt<CullError>> {
    let mut state = *start;
    for turns in 1..=MOST_TURNS as u32 / 2 {
        progress.check()?;
        let time = from + f64::from(turns - 1) * forcing;
        system.advance(&mut state, time, time + forcing, stream)?;
        if difference(grid, &state, start) < SAME {
            // Once is chance; twice and it is a period.
            let mut again = state;
            let (after, end) = (time + forcing, time + forcing + f64::from(turns) * forcing);
            system.advance(&mut again, after, end, stream)?;
            let many = end + f64::from(MANY_ROUNDS * turns) * forcing;
            let mut often = again;
            system.advance_far(&mut often, end, many, stream, progress)?.finished().ok_or(Stopped)?;
            if difference(grid, &again, start) < SAME && difference(grid, &often, &again) < 0.5 * SAME {
                return Ok(Some(f64::from(turns) * forcing));
            }
        }
    }
    Ok(None)
}

/// Searches for return values: the first time after which the state is the
/// same again.
fn returning(
    system: &dyn System,
    grid: &Grid,
    start: &State,
    longest: f64,
    stream: &mut Stream,
    progress: &Progress,
) -> Result<Option<f64>, Halt<CullError>> {
    let step = (longest / 20_000.0).clamp(0.002, 0.02);
    let mut state = *start;
    let mut time = 0.0;
    let (mut before, mut last) = (0.0, 0.0);
    let mut has_left = false;
    while time < longest {
        progress.check()?;
        system.advance(&mut state, time, time + step, stream)?;
        wrap(system.variables(), &mut state);
        time += step;
        let now = difference(grid, &state, start);
        has_left |= now > 0.05;
        // A least distance lies between the last two steps.
        if has_left && last < 0.05 && last <= before && last <= now {
            let period = closest(system, grid, start, (time - 2.0 * step, time), stream, progress)?;
            let mut once = *start;
            follow(system, &mut once, (0.0, period), step, stream, progress)?;
            let mut thrice = once;
            follow(system, &mut thrice, (period, 3.0 * period), step, stream, progress)?;
            if difference(grid, &once, start) < SAME && difference(grid, &thrice, start) < 3.0 * SAME {
                // What nearly comes around is farther off with each round.
                let mut often = thrice;
                let after = f64::from(MANY_ROUNDS) * period;
                follow(system, &mut often, (3.0 * period, after), 4.0 * step, stream, progress)?;
                if difference(grid, &often, start) < STILL * SAME {
                    return Ok(Some(period));
                }
            }
        }
        (before, last) = (last, now);
    }
    Ok(None)
}

/// Moves a state on in small steps: over long ones an integrator loses a little
/// of an energy that should stay.
fn follow(
    system: &dyn System,
    state: &mut State,
    (from, to): (f64, f64),
    step: f64,
    stream: &mut Stream,
    progress: &Progress,
) -> Result<(), Halt<CullError>> {
    let count = ((to - from) / step).ceil().max(1.0) as u64;
    let at = |index: u64| from + (to - from) * index as f64 / count as f64;
    for index in 0..count {
        progress.check()?;
        system.advance(state, at(index), at(index + 1), stream)?;
        wrap(system.variables(), state);
    }
    Ok(())
}

/// The moment between two when the state is nearest to the start.
fn closest(
    system: &dyn System,
    grid: &Grid,
    start: &State,
    (mut low, mut high): (f64, f64),
    stream: &mut Stream,
    progress: &Progress,
) -> Result<f64, Halt<CullError>> {
    let mut base = *start;
    let from = low;
    follow(system, &mut base, (0.0, from), 0.5 * (high - low), stream, progress)?;
    for _ in 0..CLOSEST_ROUNDS {
        progress.check()?;
        let (first, second) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        let mut off = [0.0; 2];
        for (off, at) in off.iter_mut().zip([first, second]) {
            let mut state = base;
            system.advance(&mut state, from, at, stream)?;
            *off = difference(grid, &state, start);
        }
        if off[0] < off[1] {
            high = second;
        } else {
            low = first;
        }
    }
    Ok(0.5 * (low + high))
}

/// A table of one turn, refined until it is near enough between its samples.
fn orbit(
    system: &dyn System,
    grid: &Grid,
    start: &State,
    (from, period): (f64, f64),
    stream: &mut Stream,
    progress: &Progress,
) -> Result<Orbit, Halt<CullError>> {
    // For a forced system the table begins at phase 0 of its own period.
    let begin = (from / period).ceil() * period;
    let mut start = *start;
    system.advance(&mut start, from, begin, stream)?;
    let mut count = FIRST_SAMPLES;
    loop {
        // Twice as many as are kept: the others are for judging.
        let mut states: Vec<Values> = vec![start.values];
        let mut state = start;
        let step = period / f64::from(2 * count);
        for index in 0..2 * count {
            progress.check()?;
            let time = begin + f64::from(index) * step;
            system.advance(&mut state, time, time + step, stream)?;
            states.push(state.values);
        }
        let turns = |variable: usize| match grid.axes[variable].wraps {
            true => {
                let around = grid.axes[variable].high - grid.axes[variable].low;
                ((states[2 * count as usize][variable] - start.values[variable]) / around).round() * around
            }
            false => 0.0,
        };
        let winding: Vec<f64> = (0..grid.axes.len()).map(turns).collect();
        let mut samples = Vec::new();
        for index in 0..count {
            let part = f64::from(index) / f64::from(count);
            for (variable, winding) in winding.iter().enumerate() {
                samples.push((states[2 * index as usize][variable] - winding * part) as f32);
            }
        }
        let orbit = Orbit { winding, samples, count, energy: system.energy(&start, begin) };
        let worst = (0..count).fold(0.0_f64, |worst, index| {
            let part = (f64::from(index) + 0.5) / f64::from(count);
            let truth = State { values: states[2 * index as usize + 1], mode: 0 };
            worst.max(difference(grid, &orbit.state(grid, part), &truth))
        });
        if worst < NEAR || count >= MOST_SAMPLES {
            return Ok(orbit);
        }
        count *= 2;
    }
}
