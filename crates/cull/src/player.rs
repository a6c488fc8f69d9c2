//! One system as a viewer meets it: buffered ahead of the viewer while it is in
//! view, untouched while it is not, and brought up to date when it comes back.

use std::collections::VecDeque;

use proscenium_chance::{Seed, Stream};

use crate::compile::cells::Grid;
use crate::error::CullError;
use crate::learned::{Behaviour, Forgetful, Jump, LearnedBehaviour, Regime};
use crate::system::{MotionError, State, System, Values, wrap};

/// States are computed at most this many steps ahead of the viewer. Chosen: most of
/// a second, so that frames without time to spare are bridged.
const MOST_AHEAD: usize = 8;

/// A system that never forgets is followed through at most so many jumps, and
/// one that left its orbit through so many periods; whole rounds before are
/// left out. Chosen so that no return takes longer than some milliseconds.
const MOST_JUMPS: u64 = 4096;
const MOST_PERIODS: f64 = 64.0;

/// A system that is driven otherwise than it was learned is followed for at
/// least this long, seconds. Chosen.
const LEAST_FOLLOWED: f64 = 60.0;

/// Counts of what was done, for tests and for tuning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// States that the complete model computed for the buffer.
    pub buffered: u64,
    /// Returns into view by the complete model.
    pub complete: u64,
    /// Returns into view by approximations.
    pub approximate: u64,
    /// Returns into view by a sample.
    pub sampled: u64,
    /// Jumps that the complete model had to take, because the state was where
    /// nothing had been learned.
    pub out_of_range: u64,
}

impl Counters {
    /// Adds what another counted.
    pub fn add(&mut self, other: &Counters) {
        self.buffered += other.buffered;
        self.complete += other.complete;
        self.approximate += other.approximate;
        self.sampled += other.sampled;
        self.out_of_range += other.out_of_range;
    }
}

/// A state in the buffer.
#[derive(Clone, Copy, Debug)]
struct Entry {
    state: State,
    rates: Values,
    /// Where the random stream stood.
    position: u64,
}

/// A system as a viewer meets it.
///
/// ```
/// use proscenium_cull::{CompileSettings, Model, Player, Regime, Seed, compile};
/// use proscenium_work::Progress;
///
/// let model = Model::parse("door.toml", r#"
///     format = 1
///     [state]
///     angle = { initial = 1.0 }
///     [motion]
///     angle = "-0.5 angle"
/// "#)?;
/// let learned = compile(&model, &CompileSettings::quick(), Seed(1), &Progress::none())?;
/// let learned = learned.finished().expect("nobody stops it");
/// let mut player = Player::new(&model, Seed(1), 0.0);
/// let (seen, _) = player.see(&model, &learned, 1.0)?;
/// assert!((seen.values[0] - (-0.5_f64).exp()).abs() < 1e-4);
///
/// // Nobody looks for an hour, and nothing is computed.
/// let (seen, regime) = player.see(&model, &learned, 3600.0)?;
/// assert_eq!(regime, Regime::Sampled);
/// assert!(seen.values[0].abs() < 0.1, "the door has closed");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Player {
    stream: Stream,
    /// The time of the first entry.
    base: f64,
    entries: VecDeque<Entry>,
    last_seen: f64,
    counters: Counters,
}

impl Player {
    /// A system that starts in an initial state at a time, and is seen then.
    pub fn new(system: &dyn System, seed: Seed, time: f64) -> Self {
        let mut stream = seed.stream("player");
        let state = system.initial(&mut stream);
        let mut player =
            Self { stream, base: time, entries: VecDeque::new(), last_seen: time, counters: Counters::default() };
        player.restart(system, state, time);
        player
    }

    /// What was done so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// When it was last seen.
    pub fn last_seen(&self) -> f64 {
        self.last_seen
    }

    /// The state at a time at which a viewer sees the system, and how it was
    /// come by. Time may not go backwards.
    ///
    /// # Errors
    /// When the time is not finite or lies in the past, or the system explodes.
    pub fn see(
        &mut self,
        system: &dyn System,
        learned: &LearnedBehaviour,
        now: f64,
    ) -> Result<(State, Regime), CullError> {
        if !now.is_finite() || now < self.last_seen {
            let remedy = "give times in order, none before the last";
            return Err(CullError::Number { what: "the time", value: now, remedy });
        }
        let regime = self.reach(system, learned, now)?;
        self.last_seen = now;
        Ok((self.interpolated(system, learned, now)?, regime))
    }

    /// Computes states ahead of the viewer, at most so many; returns how many.
    ///
    /// # Errors
    /// When the system explodes.
    pub fn look_ahead(
        &mut self,
        system: &dyn System,
        learned: &LearnedBehaviour,
        most: usize,
    ) -> Result<usize, CullError> {
        let mut done = 0;
        while done < most && self.entries.len() < MOST_AHEAD {
            self.extend(system, learned.buffer_step)?;
            done += 1;
        }
        Ok(done)
    }

    /// Changes the state at a time, in view or not: what was computed ahead is
    /// void, and whoever changed it knows the system from then on.
    ///
    /// # Errors
    /// As [`see`](Player::see).
    pub fn interact(
        &mut self,
        system: &dyn System,
        learned: &LearnedBehaviour,
        now: f64,
        change: impl FnOnce(&mut State, &mut Stream),
    ) -> Result<(), CullError> {
        self.change((system, system), learned, now, change)
    }

    /// Tells the system something that changes how it moves from a time on, in
    /// view or not: `before` is the system until then, `after` from then on.
    ///
    /// # Errors
    /// As [`see`](Player::see).
    pub fn tell(
        &mut self,
        before: &dyn System,
        after: &dyn System,
        learned: &LearnedBehaviour,
        now: f64,
    ) -> Result<(), CullError> {
        self.change((before, after), learned, now, |_, _| {})
    }

    fn change(
        &mut self,
        (before, after): (&dyn System, &dyn System),
        learned: &LearnedBehaviour,
        now: f64,
        change: impl FnOnce(&mut State, &mut Stream),
    ) -> Result<(), CullError> {
        if !now.is_finite() || now < self.base {
            let remedy = "give times in order, none before the last";
            return Err(CullError::Number { what: "the time", value: now, remedy });
        }
        self.reach(before, learned, now)?;
        let mut state = self.interpolated(before, learned, now)?;
        change(&mut state, &mut self.stream);
        if let Some(index) = state.values.iter().position(|value| !value.is_finite()) {
            let remedy = "set finite values only";
            return Err(CullError::Number { what: "a state variable", value: state.values[index], remedy });
        }
        self.last_seen = now;
        self.restart(after, state, now);
        Ok(())
    }

    /// Makes the buffer reach from before to after a time.
    fn reach(&mut self, system: &dyn System, learned: &LearnedBehaviour, now: f64) -> Result<Regime, CullError> {
        let step = learned.buffer_step;
        let end = self.base + (self.entries.len() as f64 - 1.0) * step;
        let mut regime = Regime::Complete;
        if now > end {
            if system.is_as_learned() {
                regime = learned.regime(now - self.last_seen);
            }
            // A frame's worth is no gap: go on from where the buffer ends.
            if regime == Regime::Complete && now <= end + step {
                self.extend(system, step)?;
            } else {
                let last = self.entries.back().map_or(State::default(), |entry| entry.state);
                let state = self.recover(system, learned, last, end, now, regime)?;
                self.restart(system, state, now);
            }
        }
        // What lies before the time is not needed any more.
        while self.entries.len() > 2 && self.base + step <= now {
            self.entries.pop_front();
            self.base += step;
        }
        if self.entries.len() < 2 {
            self.extend(system, step)?;
        }
        Ok(regime)
    }

    fn restart(&mut self, system: &dyn System, mut state: State, time: f64) {
        wrap(system.variables(), &mut state);
        let rates = system.rates(&state, time);
        self.entries.clear();
        self.entries.push_back(Entry { state, rates, position: self.stream.position() });
        self.base = time;
    }

    /// Adds one state to the buffer.
    fn extend(&mut self, system: &dyn System, step: f64) -> Result<(), CullError> {
        let Some(last) = self.entries.back() else {
            return Ok(());
        };
        let from = self.base + (self.entries.len() as f64 - 1.0) * step;
        let to = self.base + self.entries.len() as f64 * step;
        let mut state = last.state;
        system.advance(&mut state, from, to, &mut self.stream)?;
        let rates = system.rates(&state, to);
        self.entries.push_back(Entry { state, rates, position: self.stream.position() });
        self.counters.buffered += 1;
        Ok(())
    }

    /// The state between two of the buffer: by Hermite's cubic, or, where modes
    /// may have changed in between, by the complete model.
    fn interpolated(&self, system: &dyn System, learned: &LearnedBehaviour, now: f64) -> Result<State, CullError> {
        let step = learned.buffer_step;
        let index = (((now - self.base) / step).floor().max(0.0) as usize).min(self.entries.len().saturating_sub(2));
        let (Some(before), Some(after)) = (self.entries.get(index), self.entries.get(index + 1)) else {
            return Ok(self.entries.front().map_or(State::default(), |entry| entry.state));
        };
        let start = self.base + index as f64 * step;
        let mut state = before.state;
        if !system.is_smooth() {
            let mut stream = self.stream.clone();
            stream.seek(before.position);
            system.advance(&mut state, start, now.max(start), &mut stream)?;
        } else {
            let u = ((now - start) / step).clamp(0.0, 1.0);
            for (variable, value) in state.values.iter_mut().enumerate().take(system.variables().len()) {
                let (a, b) = (before.state.values[variable], after.state.values[variable]);
                let (va, vb) = (before.rates[variable] * step, after.rates[variable] * step);
                *value = a + u * (va + u * (3.0 * (b - a) - 2.0 * va - vb + u * (2.0 * (a - b) + va + vb)));
            }
        }
        wrap(system.variables(), &mut state);
        Ok(state)
    }

    /// The state after a time out of view.
    fn recover(
        &mut self,
        system: &dyn System,
        learned: &LearnedBehaviour,
        mut state: State,
        from: f64,
        to: f64,
        regime: Regime,
    ) -> Result<State, CullError> {
        wrap(system.variables(), &mut state);
        let count = match regime {
            Regime::Complete => &mut self.counters.complete,
            Regime::Approximate => &mut self.counters.approximate,
            Regime::Sampled => &mut self.counters.sampled,
        };
        *count += 1;
        match (regime, &learned.behaviour) {
            (Regime::Approximate, Behaviour::Periodic(periodic)) => {
                if let Some(after) = periodic.after(system, &learned.grid, &state, from, to) {
                    return Ok(after);
                }
                // Off its orbit: only the last part of the way is followed.
                self.counters.out_of_range += 1;
                let rounds = ((to - from) / periodic.period - MOST_PERIODS).floor().max(0.0);
                system.advance(&mut state, from + rounds * periodic.period, to, &mut self.stream)?;
            }
            (Regime::Approximate, Behaviour::Forgetful(forgetful)) => {
                return self.jump(system, &learned.grid, forgetful, state, from, to);
            }
            (Regime::Sampled, Behaviour::Forgetful(forgetful)) => {
                let step = forgetful.step;
                let begin = if forgetful.is_forced { (to / step).floor() * step } else { to };
                match forgetful.distribution.sample(&learned.grid, &mut self.stream) {
                    Some(sample) => state = sample,
                    None => self.counters.out_of_range += 1,
                }
                system.spread(&mut state, begin, to, &mut self.stream)?;
            }
            _ => {
                // How soon a system forgets that is driven otherwise than it was
                // learned is not known; surely it has after several times as long.
                let memory = learned.long().unwrap_or(f64::INFINITY).max(learned.medium().unwrap_or(0.0));
                let memory = LEAST_FOLLOWED.max(4.0 * memory);
                system.advance(&mut state, from.max(to - memory), to, &mut self.stream)?;
            }
        }
        Ok(state)
    }

    /// By the complete model to where jumps may begin, by jumps as far as they
    /// go, and by the complete model to the exact time. Nobody sees the way, so
    /// that only the distribution matters.
    fn jump(
        &mut self,
        system: &dyn System,
        grid: &Grid,
        forgetful: &Forgetful,
        mut state: State,
        from: f64,
        to: f64,
    ) -> Result<State, CullError> {
        let step = forgetful.step;
        let mut begin = if forgetful.is_forced { (from / step).ceil() * step } else { from };
        begin = begin.min(to);
        system.spread(&mut state, from, begin, &mut self.stream)?;
        wrap(system.variables(), &mut state);
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
        system.spread(&mut state, begin, to, &mut self.stream)?;
        Ok(state)
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
