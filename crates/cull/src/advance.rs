//! How a model moves on: steps of the integrator, cut where modes change.

use proscenium_chance::Stream;
use proscenium_work::{Completion, Progress};

use crate::integrate::{self, FIRST_STEP, LARGEST_VALUE, ROUGH_TOLERANCE, SMALLEST_STEP};
use crate::model::{Model, Scratch, Switch};
use crate::rest::LONGEST_RESTING_STEP;
use crate::system::{MotionError, State, Values};

/// So many changes of mode at one moment are taken for an endless loop. Chosen:
/// more than any model has modes that only pass on.
const MOST_SWITCHES: usize = 50;

/// Within this time changes of mode happen at one moment, seconds. Chosen: far above what
/// finding the moment of a condition leaves between two, far below what anybody sees.
const ONE_MOMENT: f64 = 1e-6;

/// Where within a step it is asked whether something happens that is over at its end. Chosen:
/// a swing takes some eight steps, so that what holds for a thirtieth of it is seen.
const LOOKS_WITHIN: [f64; 3] = [0.25, 0.5, 0.75];

/// After so many steps it is asked how long they are on the average, and whether that is
/// too short to wait for, seconds. Chosen: a second then takes longer than a frame, and an
/// hour out of view a minute.
const STEPS_BEFORE_ASKING: u32 = 20_000;
const TOO_SHORT: f64 = 5e-5;

/// How long steps are.
struct Pace {
    steps: u32,
    since: f64,
}

impl Pace {
    /// Counts a step; how long they are on the average, if that is too short to wait for.
    fn too_short(&mut self, time: f64) -> Option<f64> {
        self.steps += 1;
        if self.steps < STEPS_BEFORE_ASKING {
            return None;
        }
        let step = (time - self.since) / f64::from(self.steps);
        if step < TOO_SHORT {
            return Some(step);
        }
        (self.steps, self.since) = (0, time);
        None
    }
}

impl Model {
    /// Moves a state on, with what outside says.
    ///
    /// # Errors
    /// When the state does not stay finite.
    pub fn advance_with(
        &self,
        state: &mut State,
        from: f64,
        to: f64,
        outside: &[f64],
        stream: &mut Stream,
    ) -> Result<(), MotionError> {
        let progress = &Progress::none();
        self.integrate(state, (from, to), outside, self.tolerance(), stream, progress).map(|_| ())
    }

    /// As [`advance_with`](Model::advance_with), less accurate.
    pub(crate) fn spread_with(
        &self,
        state: &mut State,
        from: f64,
        to: f64,
        outside: &[f64],
        stream: &mut Stream,
    ) -> Result<(), MotionError> {
        let progress = &Progress::none();
        self.integrate(state, (from, to), outside, ROUGH_TOLERANCE, stream, progress).map(|_| ())
    }

    pub(crate) fn integrate(
        &self,
        state: &mut State,
        (from, to): (f64, f64),
        outside: &[f64],
        tolerance: f64,
        stream: &mut Stream,
        progress: &Progress,
    ) -> Result<Completion<()>, MotionError> {
        if let Some(recorded) = &self.recorded {
            recorded.play(state, to - from, stream);
            return Ok(Completion::Finished(()));
        }
        let mut scratch = Scratch::within(tolerance);
        self.integrate_in(&mut scratch, state, (from, to), outside, stream, progress)
    }

    pub(crate) fn integrate_in(
        &self,
        scratch: &mut Scratch,
        state: &mut State,
        (from, to): (f64, f64),
        outside: &[f64],
        stream: &mut Stream,
        progress: &Progress,
    ) -> Result<Completion<()>, MotionError> {
        self.prepare(scratch, outside);
        let mut time = from;
        let mut h = FIRST_STEP;
        let mut pace = Pace { steps: 0, since: from };
        let mut resting = self.switch(state, time, scratch, stream)?;
        let mut rates = Values::default();
        self.motion(scratch, state.mode, time, &state.values, &mut rates);
        while time < to {
            if progress.is_stopped() {
                return Ok(Completion::Stopped);
            }
            if let Some(switch) = resting {
                if self.rests_for_ever(switch) {
                    break;
                }
                // What is not pressed any more is let go.
                if !self.fires(switch, state.mode, time, &state.values, scratch) {
                    (resting, scratch.held) = (None, 0);
                    self.motion(scratch, state.mode, time, &state.values, &mut rates);
                }
            }
            if let Some(step) = pace.too_short(time) {
                return Err(MotionError::Jagged { system: self.name.clone(), time: pace.since, step });
            }
            let most = if resting.is_some() { LONGEST_RESTING_STEP } else { f64::INFINITY };
            let longest = self.longest_step.min(most);
            // A remainder that rounding left is not worth a step of its own.
            let is_last = to - time <= h.min(longest) * (1.0 + 1e-9);
            let tried = if is_last { to - time } else { h.min(longest) };
            let step = self.step(state, time, &rates, tried, scratch);
            if step.error > 1.0 {
                h = tried * integrate::growth(step.error).min(0.9);
                if h < SMALLEST_STEP * (1.0 + time.abs()) {
                    return Err(self.explosive(&step.values, time));
                }
                continue;
            }
            let step_end = if is_last { to } else { time + tried };
            let until = if self.happens(state.mode, step_end, &step.values, resting, scratch) {
                Some(tried)
            } else {
                self.happens_within(state, (time, tried), (&rates, &step), resting, scratch)
            };
            if let Some(until) = until {
                time = self.locate(state, time, until, &rates, resting, scratch).min(to);
                scratch.held = 0;
                resting = self.switch(state, time, scratch, stream)?;
                self.motion(scratch, state.mode, time, &state.values, &mut rates);
            } else {
                state.values = step.values;
                rates = step.rates;
                time = step_end;
            }
            if state.values[..self.variables.len()].iter().any(|value| value.is_nan() || value.abs() > LARGEST_VALUE) {
                return Err(self.explosive(&state.values, time));
            }
            h = tried * integrate::growth(step.error);
        }
        Ok(Completion::Finished(()))
    }

    fn step(&self, state: &State, time: f64, rates: &Values, h: f64, scratch: &mut Scratch) -> integrate::Step {
        let step = integrate::Start { time, values: &state.values, rates, h, tolerance: scratch.tolerance };
        step.take(self.variables.len(), |time, values, rates| self.motion(scratch, state.mode, time, values, rates))
    }

    fn explosive(&self, values: &Values, time: f64) -> MotionError {
        let size = |index: usize| if values[index].is_finite() { values[index].abs() } else { f64::INFINITY };
        let worst = (0..self.variables.len()).max_by(|&a, &b| size(a).total_cmp(&size(b)));
        let variable = worst.map_or_else(String::new, |index| self.variables[index].name.clone());
        MotionError::Explosive { system: self.name.clone(), variable, time }
    }

    /// Whether a change of mode happens, other than the one that rests.
    fn happens(&self, mode: u8, time: f64, values: &Values, resting: Option<&Switch>, scratch: &mut Scratch) -> bool {
        let leaving = self.switches.iter().filter(|switch| switch.from == mode);
        let mut awake = leaving.filter(|switch| !resting.is_some_and(|resting| std::ptr::eq(resting, *switch)));
        awake.any(|switch| self.fires(switch, mode, time, values, scratch))
    }

    /// Until when in a step something happens that is over at its end, if anything does: looked
    /// for on the cubic through its ends, and asked of a shorter step.
    fn happens_within(
        &self,
        state: &State,
        (time, h): (f64, f64),
        (rates, step): (&Values, &integrate::Step),
        resting: Option<&Switch>,
        scratch: &mut Scratch,
    ) -> Option<f64> {
        if !self.switches.iter().any(|switch| switch.from == state.mode) {
            return None;
        }
        LOOKS_WITHIN.into_iter().find_map(|part| {
            let mut there = state.values;
            for (variable, value) in there.iter_mut().enumerate().take(self.variables.len()) {
                let (a, b) = (*value, step.values[variable]);
                let (va, vb) = (rates[variable] * h, step.rates[variable] * h);
                *value = a + part * (va + part * (3.0 * (b - a) - 2.0 * va - vb + part * (2.0 * (a - b) + va + vb)));
            }
            if !self.happens(state.mode, time + part * h, &there, resting, scratch) {
                return None;
            }
            let shorter = self.step(state, time, rates, part * h, scratch);
            self.happens(state.mode, time + part * h, &shorter.values, resting, scratch).then_some(part * h)
        })
    }

    /// Finds the moment within a step when a condition comes true, moves the
    /// state there, and returns the moment.
    fn locate(
        &self,
        state: &mut State,
        time: f64,
        h: f64,
        rates: &Values,
        resting: Option<&Switch>,
        scratch: &mut Scratch,
    ) -> f64 {
        let (mut before, mut after) = (0.0, h);
        for _ in 0..40 {
            let middle = 0.5 * (before + after);
            let step = self.step(state, time, rates, middle, scratch);
            if self.happens(state.mode, time + middle, &step.values, resting, scratch) {
                after = middle;
            } else {
                before = middle;
            }
        }
        state.values = self.step(state, time, rates, after, scratch).values;
        time + after
    }

    /// Changes mode for as long as conditions hold; returns the switch that the
    /// state rests on.
    fn switch(
        &self,
        state: &mut State,
        time: f64,
        scratch: &mut Scratch,
        stream: &mut Stream,
    ) -> Result<Option<&Switch>, MotionError> {
        let mut last: Option<&Switch> = None;
        if time - scratch.moment > ONE_MOMENT {
            (scratch.moment, scratch.changes) = (time, 0);
        }
        while scratch.changes < MOST_SWITCHES {
            // What leads from a mode to itself happens once at a moment.
            let is_next = |switch: &&Switch| {
                switch.from == state.mode
                    && !last.is_some_and(|last| last.held.is_some() && std::ptr::eq(last, *switch))
            };
            let mut leaving = self.switches.iter().filter(is_next);
            let Some(switch) = leaving.find(|switch| self.fires(switch, state.mode, time, &state.values, scratch))
            else {
                return Ok(None);
            };
            scratch.changes += 1;
            self.place(scratch, state.mode, time, &state.values);
            self.reset(state, &switch.resets, scratch, stream);
            state.mode = switch.to;
            if self.settle(switch, state, time, scratch, stream)? {
                scratch.held = switch.held.unwrap_or(0);
                return Ok(Some(switch));
            }
            last = Some(switch);
        }
        let mode = self.modes.get(usize::from(state.mode)).cloned().unwrap_or_default();
        Err(MotionError::Chatter { system: self.name.clone(), mode, time })
    }
}
