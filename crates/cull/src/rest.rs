//! What bounces comes to rest.
//!
//! A ball on a floor bounces ever sooner: infinitely often before a moment that it
//! never passes. A switch from a mode to itself is therefore taken to be *pressed* only
//! while the motion drives its condition further up, and once the next bounce would come
//! sooner than anybody can see, its reset is repeated to where it changes nothing any more
//! and the variables of the condition are held there. They are let go when the motion no
//! longer presses (a floor that is pulled away from under the ball). What would come to rest
//! on something that moves is told: held, it would stop with what carries it.

use proscenium_chance::Stream;

use crate::integrate;
use crate::model::{FIRST_VARIABLE, Model, ResetValue, Scratch, Switch};
use crate::system::{MotionError, State, Values};

/// A bounce that comes sooner than this after the last is not seen, seconds. Chosen:
/// a ball with so short a flight rises by a thousandth of a millimetre.
const SOONEST_BOUNCE: f64 = 1e-3;

/// What bounces touches when its condition is all but true: `speed < 0` is not for what
/// stands still. Chosen: above the least number, by which conditions tell more from equal.
const TOUCHES: f64 = -1e-300;

/// Over this time it is asked whether the motion presses, seconds. Chosen: a
/// thousandth of the above.
const PRESSED_FOR: f64 = 1e-6;

/// While something rests, steps are no longer than this, so that it is let go in time,
/// seconds. Chosen: about a frame.
pub(crate) const LONGEST_RESTING_STEP: f64 = 0.02;

/// Repetitions of a reset at most, and the change that is none. Chosen: a ball that
/// keeps nine tenths of its speed is still after 260.
const MOST_RESETS: usize = 400;
const NO_CHANGE: f64 = 1e-12;

/// What changes by less than this in a second stands still.
const STILL: f64 = 1e-6;

impl Switch {
    /// The variables that are held while this switch rests, as bits; `None` if it
    /// leads elsewhere, or sets nothing, or chance decides.
    pub(crate) fn held(&self) -> Option<u8> {
        let is_certain = self.resets.iter().all(|reset| matches!(reset.value, ResetValue::Expression(_)));
        if self.from != self.to || self.resets.is_empty() || !is_certain {
            return None;
        }
        let set = self.resets.iter().fold(0, |held, reset| held | 1_u8 << reset.variable);
        let variables = 0..crate::system::MOST_VARIABLES as u16;
        let read = variables.filter(|variable| self.when.reads(|input| input == FIRST_VARIABLE + variable));
        Some(read.fold(set, |held, variable| held | 1_u8 << variable))
    }
}

impl Model {
    /// Whether nothing can happen any more once this switch rests.
    pub(crate) fn rests_for_ever(&self, switch: &Switch) -> bool {
        let all = ((1_u16 << self.variables.len()) - 1) as u8;
        let others = self.switches.iter().filter(|other| other.from == switch.from).count();
        switch.held == Some(all) && others == 1 && self.forcing_period.is_none() && !self.is_endless
    }

    /// Whether a switch happens in a state.
    pub(crate) fn fires(&self, switch: &Switch, mode: u8, time: f64, values: &Values, scratch: &mut Scratch) -> bool {
        let now = self.condition(switch, mode, time, values, scratch);
        // What is just true may be about to be false: two modes meet at one value.
        if switch.held.is_none() && now != 0.0 {
            return now > 0.0;
        }
        if now.is_nan() || now < TOUCHES {
            return false;
        }
        let held = std::mem::take(&mut scratch.held);
        let mut rates = Values::default();
        let mut soon = *values;
        // Two steps: in the first a force changes speeds only.
        for _ in 0..2 {
            self.motion(scratch, mode, time, &soon, &mut rates);
            for (value, rate) in soon.iter_mut().zip(rates) {
                *value += PRESSED_FOR * rate;
            }
        }
        scratch.held = held;
        self.condition(switch, mode, time, &soon, scratch) >= now
    }

    fn condition(&self, switch: &Switch, mode: u8, time: f64, values: &Values, scratch: &mut Scratch) -> f64 {
        self.place(scratch, mode, time, values);
        let Scratch { inputs, slots, .. } = scratch;
        switch.when.value(inputs, &self.curves, slots)
    }

    /// After a reset: if the next one would come too soon to be seen, puts the state
    /// to rest, and says so.
    pub(crate) fn settle(
        &self,
        switch: &Switch,
        state: &mut State,
        time: f64,
        scratch: &mut Scratch,
        stream: &mut Stream,
    ) -> Result<bool, MotionError> {
        if switch.held.is_none() {
            return Ok(false);
        }
        let mut rates = Values::default();
        self.motion(scratch, state.mode, time, &state.values, &mut rates);
        let start = integrate::Start {
            time,
            values: &state.values,
            rates: &rates,
            h: SOONEST_BOUNCE,
            tolerance: scratch.tolerance,
        };
        let mode = state.mode;
        let soon =
            start.take(self.variables.len(), |time, values, rates| self.motion(scratch, mode, time, values, rates));
        let again = self.condition(switch, mode, time + SOONEST_BOUNCE, &soon.values, scratch);
        if again.is_nan() || again < TOUCHES {
            return Ok(false);
        }
        let mut now = *state;
        for _ in 0..MOST_RESETS {
            let mut next = now;
            self.place(scratch, mode, time, &now.values);
            self.reset(&mut next, &switch.resets, scratch, stream);
            let is_still =
                now.values.iter().zip(next.values).all(|(a, b)| (a - b).abs() <= NO_CHANGE * (1.0 + a.abs()));
            if is_still {
                for rest in [now, next] {
                    if self.condition(switch, mode, time, &rest.values, scratch) >= TOUCHES {
                        if self.is_carried(switch, &rest, time, scratch) {
                            return Err(MotionError::Carried { system: self.name.clone(), time });
                        }
                        *state = rest;
                        return Ok(true);
                    }
                }
                return Ok(false);
            }
            now = next;
        }
        Ok(false)
    }

    /// Whether what it rests on moves: the condition changes by itself, or a variable that
    /// it reads and that no reset sets. To hold such a variable would stop what carries it.
    fn is_carried(&self, switch: &Switch, rest: &State, time: f64, scratch: &mut Scratch) -> bool {
        let now = self.condition(switch, rest.mode, time, &rest.values, scratch);
        let soon = self.condition(switch, rest.mode, time + SOONEST_BOUNCE, &rest.values, scratch);
        let mut rates = Values::default();
        self.motion(scratch, rest.mode, time, &rest.values, &mut rates);
        let is_read =
            |variable: usize| switch.when.reads(|input| usize::from(input) == usize::from(FIRST_VARIABLE) + variable);
        let is_set = |variable: usize| switch.resets.iter().any(|reset| reset.variable == variable);
        let moves = |variable: usize| rates[variable].abs() > STILL * (1.0 + rest.values[variable].abs());
        (soon - now).abs() > STILL * SOONEST_BOUNCE
            || (0..self.variables.len()).any(|variable| is_read(variable) && !is_set(variable) && moves(variable))
    }
}
