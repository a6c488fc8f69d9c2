//! A recorded motion as a system: where it is in the recording, and how it goes on.
//!
//! The state is a *place*, in seconds along all takes one after another. Playing moves
//! the place. Where a take ends the motion goes on in another that is alike there; what
//! the two differ by fades within a moment, so that neither a value nor a speed jumps.
//! Out of view the place is moved to one that was alike, or, once everything is
//! forgotten, to any.

use proscenium_chance::Stream;
use serde::{Deserialize, Serialize};

use crate::system::{MOST_VARIABLES, State, Values, Variable, Wrap};

/// The variables of the state: the place, the place that was left at the last seam, and
/// the seconds since.
pub(crate) const PLACE: usize = 0;
pub(crate) const LEFT: usize = 1;
pub(crate) const SINCE: usize = 2;

/// What the variables of the state are called.
pub(crate) const HIDDEN: [&str; 3] = ["place", "left", "since"];

/// After so many places nobody looks any further for one that is alike; the motion is
/// played on instead, which is as right. Chosen: some microseconds.
const MOST_PROBES: u32 = 512;

/// No return passes more seams than this; what lies before is left out.
const MOST_SEAMS: u32 = 4096;

/// A recorded motion: samples, and how they hang together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RecordedMotion {
    pub channels: Vec<Channel>,
    /// Between samples, seconds.
    pub step: f64,
    pub takes: Vec<Take>,
    /// Sample after sample, channel after channel.
    pub samples: Vec<f32>,
    /// Whether there is one take, which is a turn of a motion that comes around.
    pub is_loop: bool,
    /// After how long some channels come around by themselves, seconds.
    pub drive: Option<f64>,
    /// How far apart values, and speeds, may be that a viewer takes for the same; `None`
    /// for channels that do not count: they stand still, or are given by the drive.
    pub alike: Vec<Option<(f64, f64)>>,
    /// Over how many samples either way speeds are measured when places are compared.
    pub reach: u32,
    /// How long what two places differ by takes to fade, seconds.
    pub fade: f64,
}

/// A channel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Channel {
    pub name: String,
    /// Where its values begin, and after how much they come again.
    pub wrap: Option<(f64, f64)>,
}

impl Channel {
    pub(crate) fn new(variable: &Variable) -> Self {
        Self { name: variable.name.clone(), wrap: variable.wrap.map(|wrap| (wrap.low, wrap.period)) }
    }

    fn wrap(&self) -> Option<Wrap> {
        self.wrap.map(|(low, period)| Wrap { low, period })
    }

    pub(crate) fn variable(&self) -> Variable {
        Variable { wrap: self.wrap(), ..Variable::line(self.name.clone()) }
    }

    /// The way from one value to another, the shorter one around.
    pub(crate) fn way(&self, from: f64, to: f64) -> f64 {
        self.wrap().map_or(to - from, |wrap| wrap.difference(to - from))
    }
}

/// Samples without a gap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Take {
    /// The number of its first sample.
    pub first: u32,
    pub count: u32,
    /// Where it is left: a place of its own, and places where the motion goes on.
    pub exit: f64,
    pub entries: Vec<f64>,
    /// At which second of the drive it begins.
    pub phase: f64,
    /// How many seconds of all takes before it are played.
    pub before: f64,
}

/// Values and speeds at a place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub values: Values,
    pub rates: Values,
}

impl RecordedMotion {
    pub(crate) fn width(&self) -> usize {
        self.channels.len()
    }

    /// The variables of the state.
    pub(crate) fn hidden() -> Vec<Variable> {
        HIDDEN.map(Variable::line).to_vec()
    }

    /// How long a take can be played, from its first sample on, seconds.
    pub(crate) fn start(&self, take: &Take) -> f64 {
        f64::from(take.first) * self.step
    }

    /// How long the recording is, seconds.
    pub(crate) fn seconds(&self) -> f64 {
        let samples = if self.is_loop { 0 } else { 1 };
        self.takes.iter().map(|take| f64::from(take.count - samples)).sum::<f64>() * self.step
    }

    /// After how long a loop comes around, seconds.
    pub(crate) fn period(&self) -> Option<f64> {
        self.is_loop.then(|| self.seconds())
    }

    /// The take that a place is in.
    pub(crate) fn take(&self, place: f64) -> &Take {
        let after = self.takes.partition_point(|take| self.start(take) <= place);
        &self.takes[after.saturating_sub(1)]
    }

    pub(crate) fn sample(&self, index: u32, channel: usize) -> f64 {
        f64::from(self.samples[index as usize * self.width() + channel])
    }

    /// Values and speeds at a place, by Catmull and Rom's cubic through the samples.
    pub(crate) fn at(&self, place: f64) -> Moment {
        let take = self.take(place);
        let along = ((place - self.start(take)) / self.step).max(0.0);
        let last = if self.is_loop { take.count } else { take.count - 1 };
        let along = if self.is_loop { along % f64::from(take.count) } else { along.min(f64::from(last)) };
        let index = (along.floor() as i64).min(i64::from(last) - 1);
        let u = along - index as f64;
        let number = |offset: i64| {
            let at = index + offset;
            let within = match self.is_loop {
                true => at.rem_euclid(i64::from(take.count)),
                false => at.clamp(0, i64::from(take.count) - 1),
            };
            take.first + within as u32
        };
        let numbers = [number(-1), number(0), number(1), number(2)];
        let mut moment = Moment { values: Values::default(), rates: Values::default() };
        for (channel, kind) in self.channels.iter().enumerate() {
            let base = self.sample(numbers[1], channel);
            let [a, c, d] = [numbers[0], numbers[2], numbers[3]].map(|at| kind.way(base, self.sample(at, channel)));
            let (second, third) = (2.0 * a + 4.0 * c - d, -3.0 * c + d - a);
            let value = base + 0.5 * u * (c - a + u * (second + u * third));
            moment.values[channel] = kind.wrap().map_or(value, |wrap| wrap.apply(value));
            moment.rates[channel] = 0.5 * (c - a + u * (2.0 * second + 3.0 * u * third)) / self.step;
        }
        moment
    }

    /// What is shown in a state: the place, and what is left of the seam before it.
    pub(crate) fn shown(&self, state: &State) -> Values {
        let (place, left, since) = (state.values[PLACE], state.values[LEFT], state.values[SINCE]);
        let now = self.at(place);
        let fade = self.fade;
        if left < 0.0 || !(0.0..fade).contains(&since) {
            return now.values;
        }
        let (before, after) = (self.at(left), self.at((place - since).max(0.0)));
        let mut values = now.values;
        let u = since / fade;
        // Hermite's cubic from the difference of values and of speeds to none of either.
        let (of_value, of_speed) = (1.0 + u * u * (2.0 * u - 3.0), u * (1.0 - u) * (1.0 - u));
        for (channel, kind) in self.channels.iter().enumerate() {
            let off = kind.way(after.values[channel], before.values[channel]);
            let speed = before.rates[channel] - after.rates[channel];
            let value = values[channel] + of_value * off + of_speed * fade * speed;
            values[channel] = kind.wrap().map_or(value, |wrap| wrap.apply(value));
        }
        values
    }

    /// A state at a place, without a seam behind it.
    pub(crate) fn state(place: f64) -> State {
        State::new(&[place, -1.0, 0.0])
    }

    /// Any state.
    pub(crate) fn initial(&self, stream: &mut Stream) -> State {
        let phase = self.drive.map_or(0.0, |drive| drive * stream.uniform());
        Self::state(self.any_place(phase, stream))
    }

    /// Plays on for some seconds. Takes four words at each seam.
    pub(crate) fn play(&self, state: &mut State, seconds: f64, stream: &mut Stream) {
        state.values[SINCE] = (state.values[SINCE] + seconds).min(1e9);
        let mut place = state.values[PLACE] + seconds;
        if self.is_loop {
            let period = self.seconds();
            state.values[PLACE] = place - period * (place / period).floor();
            return;
        }
        let mut take = self.take(state.values[PLACE]);
        let mut seams = 0;
        while place > take.exit {
            let over = place - take.exit;
            let entry = *stream.pick(&take.entries).unwrap_or(&self.start(take));
            (state.values[LEFT], state.values[SINCE]) = (take.exit, over);
            seams += 1;
            take = self.take(entry);
            // Nobody waits for a motion that was left alone for years.
            place = if seams < MOST_SEAMS { entry + over } else { (entry + over).min(take.exit) };
        }
        state.values[PLACE] = place;
    }

    /// The second of the drive at a place; 0 without one.
    fn phase(&self, place: f64) -> f64 {
        let Some(drive) = self.drive else {
            return 0.0;
        };
        let take = self.take(place);
        (take.phase + place - self.start(take)).rem_euclid(drive)
    }

    /// Any place at this second of the drive, each as probable as another. Takes four
    /// words.
    pub(crate) fn any_place(&self, phase: f64, stream: &mut Stream) -> f64 {
        let length = |take: &Take| take.exit - self.start(take);
        let last = &self.takes[self.takes.len() - 1];
        let (which, within) = ((last.before + length(last)) * stream.uniform(), stream.uniform());
        let after = self.takes.partition_point(|take| take.before <= which);
        let take = &self.takes[after.saturating_sub(1)];
        let (start, length) = (self.start(take), length(take));
        let Some(drive) = self.drive else {
            return start + within * length;
        };
        let first = (phase - take.phase).rem_euclid(drive);
        let rounds = ((length - first) / drive).floor() + 1.0;
        if rounds < 1.0 { start + within * length } else { start + first + (within * rounds).floor() * drive }
    }

    /// How far apart two moments are: 1 is what a viewer can just not tell.
    pub(crate) fn features_apart(&self, a: &Moment, b: &Moment) -> f64 {
        let mut worst = 0.0_f64;
        for (channel, (kind, alike)) in self.channels.iter().zip(&self.alike).enumerate() {
            let Some((value, rate)) = alike else {
                continue;
            };
            worst = worst.max(kind.way(a.values[channel], b.values[channel]).abs() / value);
            worst = worst.max((a.rates[channel] - b.rates[channel]).abs() / rate);
        }
        worst
    }

    /// What places are compared by: values, and speeds over a little while, which noise
    /// does less to.
    pub(crate) fn features(&self, place: f64) -> Moment {
        let mut moment = self.at(place);
        let take = self.take(place);
        let (start, end) = (self.start(take), self.start(take) + f64::from(take.count - 1) * self.step);
        let reach = f64::from(self.reach) * self.step;
        let (early, late) = match self.is_loop {
            true => (place - reach, place + reach),
            false => ((place - reach).max(start), (place + reach).min(end)),
        };
        let early = if self.is_loop { early.rem_euclid(self.seconds()) } else { early };
        let (before, after) = (self.at(early).values, self.at(late).values);
        let seconds = if self.is_loop { 2.0 * reach } else { late - early };
        for (channel, kind) in self.channels.iter().enumerate() {
            moment.rates[channel] = kind.way(before[channel], after[channel]) / seconds;
        }
        moment
    }

    /// Where the motion is after a time out of view: from another place that a viewer
    /// takes for this one, or, where none is found, played on.
    pub(crate) fn jump(&self, state: &State, seconds: f64, stream: &mut Stream) -> State {
        let (place, mut after) = (state.values[PLACE], *state);
        if !self.is_loop {
            let here = self.features(place);
            let phase = self.phase(place);
            for _ in 0..MOST_PROBES {
                let other = self.any_place(phase, stream);
                let is_long_enough = other + seconds <= self.take(other).exit;
                if is_long_enough && self.features_apart(&here, &self.features(other)) <= 1.0 {
                    return Self::state(other + seconds);
                }
            }
        }
        self.play(&mut after, seconds, stream);
        after
    }

    /// Where the motion is once everything is forgotten but the drive.
    pub(crate) fn draw(&self, state: &State, seconds: f64, stream: &mut Stream) -> State {
        let phase = self.drive.map_or(0.0, |drive| (self.phase(state.values[PLACE]) + seconds).rem_euclid(drive));
        Self::state(self.any_place(phase, stream))
    }

    /// Whether tables have the sizes that others rely on.
    pub(crate) fn is_sound(&self) -> bool {
        let width = self.width();
        let mut next = 0_u64;
        let mut take_is_sound = |take: &Take| {
            let follows = u64::from(take.first) >= next;
            next = u64::from(take.first) + u64::from(take.count);
            let end = self.start(take) + f64::from(take.count) * self.step;
            let inside = |place: &f64| *place >= 0.0 && *place < self.samples.len() as f64 * self.step;
            follows && take.count >= 2
                && take.exit > self.start(take) && take.exit <= end
                && take.phase.is_finite()
                && take.before >= 0.0 && take.before.is_finite()
                && (self.is_loop || !take.entries.is_empty())
                && take.entries.iter().all(inside)
                // What goes on must not end at once, or a seam would follow a seam for ever.
                && take.entries.iter().all(|entry| self.take(*entry).exit - entry > self.step)
        };
        (1..=MOST_VARIABLES).contains(&width)
            && self.step > 0.0
            && self.step.is_finite()
            && self.alike.len() == width
            && self.reach >= 1
            && self.fade > 0.0
            && self.fade.is_finite()
            && self.alike.iter().flatten().all(|(value, rate)| *value > 0.0 && *rate > 0.0)
            && self.drive.is_none_or(|drive| drive > 0.0 && drive.is_finite())
            && self.channels.iter().all(|channel| {
                channel.wrap.is_none_or(|(low, period)| low.is_finite() && period > 0.0 && period.is_finite())
            })
            && !self.takes.is_empty()
            && (!self.is_loop || self.takes.len() == 1)
            && self.takes.is_sorted_by_key(|take| take.first)
            && self.takes.is_sorted_by(|a, b| a.before <= b.before)
            && self.takes.iter().all(&mut take_is_sound)
            && next * width as u64 <= self.samples.len() as u64
            && self.samples.iter().all(|sample| sample.is_finite())
    }
}
