//! One system as a viewer meets it: buffered ahead of the viewer while it is in
//! view, untouched while it is not, and brought up to date when it comes back.

mod returns;

use std::collections::VecDeque;

use proscenium_chance::{Seed, Stream};
use serde::{Deserialize, Serialize};

use crate::compile::phases::Phase;
use crate::error::CullError;
use crate::learned::{Behaviour, LearnedBehaviour, Regime};
use crate::system::{MotionError, State, System, Values, wrap};

/// States are computed at most this many steps ahead of the viewer. Chosen: most of
/// a second, so that frames without time to spare are bridged.
const MOST_AHEAD: usize = 8;

/// A player as a saved world has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SavedPlayer {
    /// Where its random stream stands.
    position: u64,
    base: f64,
    last_seen: f64,
    entries: Vec<(State, Values, u64)>,
    counters: Counters,
}

/// Counts of what was done, for tests and for tuning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// What was counted since another was read.
    pub(crate) fn since(&self, before: &Counters) -> Counters {
        Counters {
            buffered: self.buffered - before.buffered,
            complete: self.complete - before.complete,
            approximate: self.approximate - before.approximate,
            sampled: self.sampled - before.sampled,
            out_of_range: self.out_of_range - before.out_of_range,
        }
    }

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

/// By the complete model, which gives back what rounding took of an energy, so that it is
/// kept for ever.
fn advance(
    system: &dyn System,
    state: &mut State,
    (from, to): (f64, f64),
    stream: &mut Stream,
) -> Result<(), MotionError> {
    let energy = system.energy(state, from);
    system.advance(state, from, to, stream)?;
    if let Some(energy) = energy {
        system.restore(state, energy);
    }
    Ok(())
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

    /// Whether there is room for a state ahead of the viewer.
    pub(crate) fn is_short(&self) -> bool {
        self.entries.len() < MOST_AHEAD
    }

    /// Whether the last state that is known is not where the system lives.
    fn is_outside(&self, learned: &LearnedBehaviour) -> bool {
        self.entries.back().is_some_and(|entry| learned.is_outside(&entry.state))
    }

    /// Up to where states are known.
    fn end(&self, learned: &LearnedBehaviour) -> f64 {
        self.base + (self.entries.len() as f64 - 1.0) * learned.buffer_step
    }

    /// Seconds of the complete model that it takes to see the system at a time, about:
    /// none if that is a frame's worth.
    pub(crate) fn return_seconds(&self, learned: &LearnedBehaviour, now: f64) -> f64 {
        let end = self.end(learned);
        if now <= end + learned.buffer_step {
            return 0.0;
        }
        match (learned.regime(now - self.last_seen), &learned.behaviour) {
            (_, Behaviour::Recorded(_) | Behaviour::ClosedForm) => 0.0,
            (Regime::Approximate, Behaviour::Periodic(_)) => 0.0,
            (Regime::Approximate, Behaviour::Forgetful(forgetful)) => {
                // Between phases from which, and to which, it jumps.
                let knows = |map: fn(&Phase) -> bool| forgetful.phases.iter().all(map);
                let between = |is_known: bool| if is_known { forgetful.part() } else { forgetful.step };
                let first = between(knows(|phase| phase.to_next.is_some()));
                let last = between(knows(|phase| phase.from_start.is_some()));
                let begin = if forgetful.is_forced { (end / first).ceil() * first } else { end };
                (begin.min(now) - end) + (now - begin).max(0.0) % last
            }
            (Regime::Sampled, Behaviour::Forgetful(_)) if self.is_outside(learned) => now - end,
            (Regime::Sampled, Behaviour::Forgetful(forgetful)) => {
                if forgetful.is_forced {
                    now.rem_euclid(forgetful.part())
                } else {
                    0.0
                }
            }
            _ => now - end,
        }
    }

    /// Does a part of what it takes to see the system at a time: so many seconds by the
    /// complete model, or all of it where that is bounded. Returns about how many seconds
    /// of the complete model that took.
    ///
    /// # Errors
    /// When the system explodes.
    pub(crate) fn approach(
        &mut self,
        system: &dyn System,
        learned: &LearnedBehaviour,
        now: f64,
        most: f64,
    ) -> Result<f64, CullError> {
        let wanted = self.return_seconds(learned, now);
        if wanted <= 0.0 {
            return Ok(0.0);
        }
        let regime = learned.regime(now - self.last_seen);
        let is_outside = regime == Regime::Sampled && self.is_outside(learned);
        if (regime == Regime::Complete || is_outside) && wanted > most {
            let end = self.end(learned);
            let mut state = self.entries.back().map_or(State::default(), |entry| entry.state);
            let to = end + most;
            if to > end {
                advance(system, &mut state, (end, to), &mut self.stream)?;
                self.restart(system, state, to);
                if is_outside {
                    // From here on it is known how soon it forgets.
                    self.last_seen = to;
                }
            }
            return Ok(most);
        }
        // It is not seen: what a viewer remembers is what was seen last.
        let last_seen = self.last_seen;
        self.see(system, learned, now)?;
        self.last_seen = last_seen;
        Ok(wanted)
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

    /// What is kept of it when a world is saved.
    pub(crate) fn to_saved(&self) -> SavedPlayer {
        let entry = |entry: &Entry| (entry.state, entry.rates, entry.position);
        SavedPlayer {
            position: self.stream.position(),
            base: self.base,
            last_seen: self.last_seen,
            entries: self.entries.iter().map(entry).collect(),
            counters: self.counters,
        }
    }

    /// As it was saved; `None` if a number is none.
    pub(crate) fn from_saved(saved: SavedPlayer, seed: Seed) -> Option<Self> {
        let mut stream = seed.stream("player");
        stream.seek(saved.position);
        let entries: VecDeque<Entry> =
            saved.entries.into_iter().map(|(state, rates, position)| Entry { state, rates, position }).collect();
        let is_finite = |entry: &Entry| entry.state.values.iter().chain(&entry.rates).all(|value| value.is_finite());
        let is_sound = saved.base.is_finite()
            && saved.last_seen.is_finite()
            && (1..=MOST_AHEAD + 1).contains(&entries.len())
            && entries.iter().all(is_finite);
        is_sound.then_some(Self {
            stream,
            base: saved.base,
            entries,
            last_seen: saved.last_seen,
            counters: saved.counters,
        })
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
        advance(system, &mut state, (from, to), &mut self.stream)?;
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
}
