//! Returns into view: the state after a time that nobody looked.

use crate::compile::cells::Grid;
use crate::compile::periodic::Periodic;
use crate::error::CullError;
use crate::learned::{Behaviour, Forgetful, Jump, LearnedBehaviour, Regime};
use crate::system::{MotionError, State, System, wrap};

use super::{Player, advance};

/// A system that never forgets is followed through at most so many jumps; whole rounds
/// before are left out. Chosen so that no return takes longer than some milliseconds.
const MOST_JUMPS: u64 = 4096;

/// After so many periods beside an orbit that attracts, a system is no longer asked
/// whether it is there. Chosen: twice as long as any of the textbooks needs.
const MOST_PERIODS: u32 = 64;

impl Player {
    /// The state after a time out of view.
    pub(super) fn recover(
        &mut self,
        system: &dyn System,
        learned: &LearnedBehaviour,
        mut state: State,
        mut from: f64,
        to: f64,
        mut regime: Regime,
    ) -> Result<State, CullError> {
        wrap(system.variables(), &mut state);
        let count = match regime {
            Regime::Complete => &mut self.counters.complete,
            Regime::Approximate => &mut self.counters.approximate,
            Regime::Sampled => &mut self.counters.sampled,
        };
        *count += 1;
        if regime != Regime::Complete && learned.is_elsewhere(system, &state, from) {
            advance(system, &mut state, (from, to), &mut self.stream)?;
            return Ok(state);
        }
        if regime == Regime::Sampled && learned.is_outside(&state) {
            from = self.come_inside(system, learned, &mut state, (from, to))?;
            if from >= to {
                return Ok(state);
            }
            regime = learned.regime(to - from);
        }
        match (regime, &learned.behaviour) {
            (Regime::Approximate | Regime::Sampled, Behaviour::Recorded(_)) => {
                if let Some(after) = system.recall(&state, to - from, regime, &mut self.stream) {
                    return Ok(after);
                }
                advance(system, &mut state, (from, to), &mut self.stream)?;
            }
            (Regime::Approximate, Behaviour::Periodic(periodic)) => {
                return self.around(system, &learned.grid, periodic, state, (from, to));
            }
            (Regime::Approximate, Behaviour::Forgetful(forgetful)) => {
                return self.jump(system, &learned.grid, forgetful, state, from, to);
            }
            (Regime::Sampled, Behaviour::Forgetful(forgetful)) => {
                let (step, part) = (forgetful.step, forgetful.part());
                let mut begin = if forgetful.is_forced { (to / step).floor() * step } else { to };
                let place = (((to - begin) / part).floor() as usize).min(forgetful.phases.len());
                let states = match place.checked_sub(1).and_then(|index| forgetful.phases.get(index)) {
                    Some(phase) => &phase.states,
                    None => &forgetful.distribution.states,
                };
                begin += place as f64 * part;
                match forgetful.distribution.sample_of(states, &learned.grid, &mut self.stream) {
                    Some(sample) => state = sample,
                    None => self.counters.out_of_range += 1,
                }
                if let Some(energy) = forgetful.energy {
                    system.restore(&mut state, energy);
                }
                system.spread(&mut state, begin, to, &mut self.stream)?;
            }
            _ => {
                let memory = learned.memory();
                advance(system, &mut state, (from.max(to - memory), to), &mut self.stream)?;
            }
        }
        Ok(state)
    }

    /// By the complete model until the system is where it lives; returns when. How soon it
    /// forgets is known from there on only: somebody may have put it anywhere.
    fn come_inside(
        &mut self,
        system: &dyn System,
        learned: &LearnedBehaviour,
        state: &mut State,
        (from, to): (f64, f64),
    ) -> Result<f64, CullError> {
        let mut begin = from;
        while begin < to && learned.is_outside(state) {
            self.counters.out_of_range += 1;
            let next = (begin + learned.step()).min(to);
            advance(system, state, (begin, next), &mut self.stream)?;
            wrap(system.variables(), state);
            begin = next;
        }
        Ok(begin)
    }

    /// By the complete model until the system is on an orbit, and then by its table.
    fn around(
        &mut self,
        system: &dyn System,
        grid: &Grid,
        periodic: &Periodic,
        mut state: State,
        (from, to): (f64, f64),
    ) -> Result<State, CullError> {
        let mut begin = from;
        let mut rounds = 0;
        loop {
            if let Some(after) = periodic.after(system, grid, &state, begin, to) {
                return Ok(after);
            }
            self.counters.out_of_range += u64::from(rounds == 0);
            if !periodic.attracts || rounds == MOST_PERIODS {
                break;
            }
            let next = (begin + periodic.period).min(to);
            advance(system, &mut state, (begin, next), &mut self.stream)?;
            wrap(system.variables(), &mut state);
            if next >= to {
                return Ok(state);
            }
            begin = next;
            rounds += 1;
        }
        advance(system, &mut state, (begin, to), &mut self.stream)?;
        Ok(state)
    }

    /// To where jumps may begin, by jumps as far as they go, on to the last phase before
    /// the time, and by the complete model to the exact time. Nobody sees the way, so that
    /// only the distribution matters.
    fn jump(
        &mut self,
        system: &dyn System,
        grid: &Grid,
        forgetful: &Forgetful,
        state: State,
        from: f64,
        to: f64,
    ) -> Result<State, CullError> {
        let step = forgetful.step;
        let (mut state, mut begin) = self.reach_start(system, grid, forgetful, state, (from, to))?;
        let mut steps = ((to - begin) / step).floor().max(0.0) as u64;
        let longest = forgetful.jumps.first().map_or(1, |jump| u64::from(jump.steps.max(1)));
        let most = MOST_JUMPS * longest;
        if steps > most {
            begin += (steps - most) as f64 * step;
            steps = most;
        }
        for jump in &forgetful.jumps {
            let length = u64::from(jump.steps.max(1));
            while steps >= length {
                state = self.leap(system, grid, jump, state, begin, step)?;
                begin += length as f64 * step;
                steps -= length;
            }
        }
        // A jump over a part of the period.
        let part = forgetful.part();
        let place = (((to - begin) / part).floor().max(0.0) as usize).min(forgetful.phases.len());
        let phase = place.checked_sub(1).and_then(|index| forgetful.phases[index].from_start.as_ref());
        if let Some(after) = phase.and_then(|map| map.apply(grid, &state, &mut self.stream)) {
            state = after;
            begin += place as f64 * part;
        }
        if let Some(energy) = forgetful.energy {
            system.restore(&mut state, energy);
        }
        system.spread(&mut state, begin, to, &mut self.stream)?;
        Ok(state)
    }

    /// To where jumps may begin, and when that is: by the complete model to the next phase
    /// at which something was learned, and from there by a jump over the rest of the period.
    fn reach_start(
        &mut self,
        system: &dyn System,
        grid: &Grid,
        forgetful: &Forgetful,
        mut state: State,
        (from, to): (f64, f64),
    ) -> Result<(State, f64), MotionError> {
        let (step, part) = (forgetful.step, forgetful.part());
        let begin = if forgetful.is_forced { (from / step).ceil() * step } else { from };
        let mut left = (((begin - from) / part).floor() as usize).min(forgetful.phases.len());
        if begin > to {
            left = 0;
        }
        let at = (begin - left as f64 * part).min(to);
        system.spread(&mut state, from, at, &mut self.stream)?;
        wrap(system.variables(), &mut state);
        if left > 0 {
            let phase = &forgetful.phases[forgetful.phases.len() - left];
            let known = phase.to_next.as_ref().and_then(|map| map.apply(grid, &state, &mut self.stream));
            match known {
                Some(after) => state = after,
                None => {
                    system.spread(&mut state, at, begin, &mut self.stream)?;
                    wrap(system.variables(), &mut state);
                }
            }
        }
        Ok((state, begin.min(to)))
    }

    /// One jump; by the complete model where nothing was learned.
    fn leap(
        &mut self,
        system: &dyn System,
        grid: &Grid,
        jump: &Jump,
        mut state: State,
        begin: f64,
        step: f64,
    ) -> Result<State, MotionError> {
        if let Some(after) = jump.map.apply(grid, &state, &mut self.stream) {
            return Ok(after);
        }
        self.counters.out_of_range += 1;
        system.spread(&mut state, begin, begin + f64::from(jump.steps) * step, &mut self.stream)?;
        wrap(system.variables(), &mut state);
        Ok(state)
    }
}
