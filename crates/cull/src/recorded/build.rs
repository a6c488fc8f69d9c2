//! From a recording to a motion that goes on for ever: what of it comes around, what a
//! viewer takes for the same, and where takes are joined.

use proscenium_chance::Seed;
use proscenium_work::{Completion, Finish as _, Halt, Progress, Stopped, parallel};

use crate::compile::cells::usual_cells;
use crate::drive::fits;
use crate::error::CullError;

use super::motion::{Channel, RecordedMotion, Take};
use super::period::period;
use super::recording::{Recording, RecordingError};
use super::visits::{Visits, wanted};

/// The ends of a loop may differ by this share of the range, and their speeds by this
/// share of theirs. Chosen: what a viewer of a baked loop is used to.
const SAME_END: f64 = 0.02;
const SAME_SPEED: f64 = 0.25;

/// Two moments know nothing of each other once they differ by this share of what any two
/// differ by: an autocorrelation of 1/e.
const UNRELATED: f64 = 0.632;

/// Pairs of moments that are compared for it. Chosen.
const PAIRS: usize = 600;

/// Speeds are measured over this share of the time in which a motion changes. Chosen.
const OF_CHANGE: f64 = 0.125;

/// How long what two places differ by takes to fade, seconds, and as a share of the
/// shortest take. Chosen: as long as a step of a walk.
const FADE: f64 = 0.4;
const OF_TAKE: f64 = 0.05;

/// A take is left in its last quarter, at the best of so many places, and entered before
/// it, at one of the best so many.
const EXITS: u32 = 16;
const LAST: f64 = 0.25;
const ENTRIES: usize = 4;

/// Moments that are looked at to tell at which second of the drive a take begins, and
/// so many seconds of it are tried.
const ALIGNED: u32 = 48;
const SHIFTS: u32 = 256;

impl RecordedMotion {
    /// Finds out how a recording goes on.
    ///
    /// # Errors
    /// If too little of the motion was recorded.
    pub(crate) fn build(
        recording: &Recording,
        cells: Option<usize>,
        progress: &Progress,
    ) -> Result<Completion<Self>, CullError> {
        Self::built(recording, cells, progress).finish()
    }

    fn built(recording: &Recording, cells: Option<usize>, progress: &Progress) -> Result<Self, Halt<CullError>> {
        let mut motion = Self::unjoined(recording);
        let ranges = motion.ranges();
        let moving: Vec<usize> = (0..motion.width()).filter(|&channel| ranges[channel] > 0.0).collect();
        if recording.is_loop && motion.closes(&ranges) {
            motion.close();
            return Ok(motion);
        }
        progress.tell("looking for a period", 0.0)?;
        if let Some(period) = period(&motion, &moving, &ranges, progress)? {
            return Ok(motion.folded(period));
        }
        let driven = motion.find_drive(&moving, &ranges, progress)?;
        let counted: Vec<usize> = moving.into_iter().filter(|channel| !driven.contains(channel)).collect();
        let change = motion.change(&counted);
        motion.reach = ((OF_CHANGE * change / motion.step) as u32).max(1);
        motion.compare(&counted, &ranges, cells);
        let visits = Visits::new(&motion, change);
        progress.tell("looking for places that are alike", 0.2)?;
        if let Some(wanted) = wanted(&visits, progress)? {
            let why = "hardly any moment comes again as near as a viewer can tell";
            let error = RecordingError::TooShort { seconds: motion.seconds(), wanted, why };
            return Err(Halt::Failed(error.into()));
        }
        progress.tell("joining takes", 0.7)?;
        let joins = joins(&visits, progress)?;
        motion.join(joins);
        if motion.takes.is_empty() {
            let (seconds, why) = (recording.seconds(), "no take goes on in another");
            return Err(Halt::Failed(RecordingError::TooShort { seconds, wanted: 4.0 * seconds, why }.into()));
        }
        Ok(motion)
    }

    /// The samples, each take to its end.
    pub(crate) fn unjoined(recording: &Recording) -> Self {
        let width = recording.channels().len();
        let (mut takes, mut samples, mut before) = (Vec::new(), Vec::new(), 0.0);
        for take in &recording.takes {
            let (first, count) = ((samples.len() / width) as u32, (take.len() / width) as u32);
            for (index, value) in take.iter().enumerate() {
                let wrap = recording.channels()[index % width].wrap;
                samples.push(wrap.map_or(*value, |wrap| wrap.apply(*value)) as f32);
            }
            let start = f64::from(first) * recording.step;
            let length = f64::from(count - 1) * recording.step;
            takes.push(Take { first, count, exit: start + length, entries: vec![start], phase: 0.0, before });
            before += length;
        }
        let shortest = takes.iter().map(|take| f64::from(take.count - 1)).fold(f64::INFINITY, f64::min);
        Self {
            channels: recording.channels().iter().map(Channel::new).collect(),
            step: recording.step,
            takes,
            samples,
            is_loop: false,
            drive: None,
            alike: vec![None; width],
            reach: 1,
            fade: FADE.min(OF_TAKE * shortest * recording.step),
        }
    }

    /// How far each channel ranges; 0 if it stands still.
    pub(crate) fn ranges(&self) -> Vec<f64> {
        let of = |channel: usize| {
            let kind = &self.channels[channel];
            let base = self.sample(0, channel);
            let (mut low, mut high) = (0.0_f64, 0.0_f64);
            for take in &self.takes {
                // Followed from sample to sample, so that what goes around is seen to.
                let mut before = self.sample(take.first, channel);
                let mut at = kind.way(base, before);
                for index in take.first..take.first + take.count {
                    let now = self.sample(index, channel);
                    at += kind.way(before, now);
                    before = now;
                    (low, high) = (low.min(at), high.max(at));
                }
            }
            let range = kind.wrap.map_or(high - low, |(_, period)| (high - low).min(period));
            // Below what the samples are rounded to there is no motion.
            if range > 1e-6 * (1.0 + base.abs()) { range } else { 0.0 }
        };
        (0..self.width()).map(of).collect()
    }

    /// Whether the end of the only take is as its beginning.
    fn closes(&self, ranges: &[f64]) -> bool {
        let [take] = &self.takes[..] else {
            return false;
        };
        let (start, end) = (self.start(take), take.exit);
        let speed = |place: f64| self.at(place + 0.5 * self.step).rates;
        let mut fastest = [0.0_f64; crate::system::MOST_VARIABLES];
        for index in 0..take.count - 1 {
            let rates = speed(start + f64::from(index) * self.step);
            fastest.iter_mut().zip(rates).for_each(|(fastest, rate)| *fastest = fastest.max(rate.abs()));
        }
        let (first, last) = (self.at(start).values, self.at(end).values);
        let (leaving, arriving) = (speed(start), speed(end - self.step));
        (0..self.width()).filter(|&channel| ranges[channel] > 0.0).all(|channel| {
            let off = self.channels[channel].way(first[channel], last[channel]).abs();
            let turn = (leaving[channel] - arriving[channel]).abs();
            off <= SAME_END * ranges[channel] && turn <= 2.0 * SAME_SPEED * fastest[channel]
        })
    }

    /// Makes a loop of the only take: its last sample is its first.
    fn close(&mut self) {
        let (width, count) = (self.width(), self.takes[0].count - 1);
        for channel in 0..width {
            let off = self.channels[channel].way(self.sample(0, channel), self.sample(count, channel));
            for index in 0..count {
                let place = index as usize * width + channel;
                self.samples[place] -= (off * f64::from(index) / f64::from(count)) as f32;
            }
        }
        self.samples.truncate(count as usize * width);
        self.takes[0].count = count;
        self.takes[0].exit = f64::from(count) * self.step;
        self.is_loop = true;
    }

    /// A loop of the mean of all rounds of the longest take.
    fn folded(mut self, period: f64) -> Self {
        let longest = self.takes.iter().max_by_key(|take| take.count).unwrap_or(&self.takes[0]);
        let (start, length) = (self.start(longest), f64::from(longest.count - 1) * self.step);
        let rounds = ((length / period).floor() as u32).max(1);
        let count = ((period / self.step).round() as u32).max(4);
        let step = period / f64::from(count);
        let mut samples = Vec::with_capacity(count as usize * self.width());
        for index in 0..count {
            let at = |round: u32| self.at(start + f64::from(round) * period + f64::from(index) * step).values;
            let first = at(0);
            let mut sums = [0.0; crate::system::MOST_VARIABLES];
            for round in 0..rounds {
                let values = at(round);
                for (channel, kind) in self.channels.iter().enumerate() {
                    sums[channel] += kind.way(first[channel], values[channel]);
                }
            }
            samples
                .extend((0..self.width()).map(|channel| (first[channel] + sums[channel] / f64::from(rounds)) as f32));
        }
        self.samples = samples;
        self.step = step;
        self.takes = vec![Take { first: 0, count, exit: period, entries: vec![0.0], phase: 0.0, before: 0.0 }];
        self.is_loop = true;
        self
    }

    /// Finds the channels that come around by themselves, and their common period.
    fn find_drive(&mut self, moving: &[usize], ranges: &[f64], progress: &Progress) -> Result<Vec<usize>, Stopped> {
        if moving.len() < 2 {
            return Ok(Vec::new());
        }
        let mut found: Vec<(usize, f64)> = Vec::new();
        for &channel in moving {
            if let Some(own) = period(self, &[channel], ranges, progress)? {
                found.push((channel, own));
            }
        }
        let longest = found.iter().map(|(_, period)| *period).fold(0.0, f64::max);
        let common = (1..=8).map(|turns| f64::from(turns) * longest);
        let near = |whole: f64, period: f64| {
            fits(whole, period) || ((whole / period).round() * period / whole - 1.0).abs() < 1e-4
        };
        let fitting = common.into_iter().find(|whole| found.iter().all(|(_, period)| near(*whole, *period)));
        let (Some(drive), false) = (fitting, found.is_empty() || found.len() == moving.len()) else {
            return Ok(Vec::new());
        };
        let driven: Vec<usize> = found.into_iter().map(|(channel, _)| channel).collect();
        self.drive = Some(drive);
        self.align(&driven, ranges, drive);
        Ok(driven)
    }

    /// Tells at which second of the drive each take begins: that of the longest is 0.
    fn align(&mut self, driven: &[usize], ranges: &[f64], drive: f64) {
        let Some(longest) = self.takes.iter().max_by_key(|take| take.count).cloned() else {
            return;
        };
        for index in 0..self.takes.len() {
            let take = self.takes[index].clone();
            if take.first == longest.first {
                continue;
            }
            let length = f64::from(take.count - 1) * self.step;
            let off = |phase: f64| {
                (0..ALIGNED).fold(0.0, |sum, moment| {
                    let along = length.min(drive) * f64::from(moment) / f64::from(ALIGNED);
                    let here = self.at(self.start(&take) + along).values;
                    let there = self.at(self.start(&longest) + (phase + along).rem_euclid(drive)).values;
                    sum + driven.iter().fold(0.0, |sum, &channel| {
                        let off = self.channels[channel].way(there[channel], here[channel]) / ranges[channel];
                        sum + off * off
                    })
                })
            };
            let width = drive / f64::from(SHIFTS);
            let each = (0..SHIFTS).map(|shift| f64::from(shift) * width).map(|phase| (off(phase), phase));
            let (_, near) = each.fold((f64::INFINITY, 0.0), |best, next| if next.0 < best.0 { next } else { best });
            let (mut low, mut high) = (near - width, near + width);
            for _ in 0..40 {
                let (first, second) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                if off(first) < off(second) {
                    high = second;
                } else {
                    low = first;
                }
            }
            self.takes[index].phase = (0.5 * (low + high)).rem_euclid(drive);
        }
    }

    /// After how long two moments know nothing of each other, seconds.
    fn change(&self, counted: &[usize]) -> f64 {
        let Some(longest) = self.takes.iter().max_by_key(|take| take.count) else {
            return self.step;
        };
        let (start, length) = (self.start(longest), f64::from(longest.count - 1) * self.step);
        let mut stream = Seed(0).stream("pairs");
        let parts: Vec<(f64, f64)> = (0..PAIRS).map(|_| (stream.uniform(), stream.uniform())).collect();
        let square = |channel: usize, a: f64, b: f64| {
            let off = self.channels[channel].way(self.at(a).values[channel], self.at(b).values[channel]);
            off * off
        };
        let any = |channel: usize| {
            let each = parts.iter().map(|(a, b)| square(channel, start + a * length, start + b * length));
            each.sum::<f64>().max(f64::MIN_POSITIVE)
        };
        let usual: Vec<f64> = counted.iter().map(|&channel| any(channel)).collect();
        let mut lag = 1_u32;
        while f64::from(lag) * self.step < 0.25 * length {
            let seconds = f64::from(lag) * self.step;
            let off = counted.iter().zip(&usual).map(|(&channel, usual)| {
                let place = |a: f64| start + a * (length - seconds);
                parts.iter().map(|(a, _)| square(channel, place(*a), place(*a) + seconds)).sum::<f64>() / usual
            });
            if off.sum::<f64>() >= UNRELATED * counted.len() as f64 {
                return seconds;
            }
            // Ever coarser: nobody needs it to better than a twentieth.
            lag += 1 + lag / 20;
        }
        0.25 * length
    }

    /// Tells how far apart places may be that a viewer takes for the same.
    fn compare(&mut self, counted: &[usize], ranges: &[f64], cells: Option<usize>) {
        let cells = cells.unwrap_or(usual_cells(2 * counted.len())) as f64;
        let (mut low, mut high) =
            ([f64::INFINITY; crate::system::MOST_VARIABLES], [f64::NEG_INFINITY; crate::system::MOST_VARIABLES]);
        for take in &self.takes {
            for index in (0..take.count).step_by(self.reach as usize) {
                let rates = self.features(self.start(take) + f64::from(index) * self.step).rates;
                for channel in 0..self.width() {
                    low[channel] = low[channel].min(rates[channel]);
                    high[channel] = high[channel].max(rates[channel]);
                }
            }
        }
        for &channel in counted {
            let speed = (high[channel] - low[channel]).max(f64::MIN_POSITIVE);
            self.alike[channel] = Some((ranges[channel] / cells, speed / cells));
        }
    }

    /// Leaves each take where it was found to go on, and drops those that do not.
    fn join(&mut self, joins: Vec<Option<Join>>) {
        let all = self.takes.clone();
        let mut kept: Vec<(Take, Vec<f64>)> = Vec::new();
        for (take, join) in all.into_iter().zip(joins) {
            if let Some((exit, entries)) = join {
                kept.push((Take { exit, ..take }, entries));
            }
        }
        // Where nothing goes on nothing may lead, and so forth.
        loop {
            let holds = |place: f64| {
                kept.iter().any(|(take, _)| place >= self.start(take) && place < take.exit - 2.0 * self.step)
            };
            let next: Vec<(Take, Vec<f64>)> = kept
                .iter()
                .map(|(take, entries)| (take.clone(), entries.iter().copied().filter(|place| holds(*place)).collect()))
                .filter(|(_, entries): &(Take, Vec<f64>)| !entries.is_empty())
                .collect();
            let is_done = next.len() == kept.len();
            kept = next;
            if is_done {
                break;
            }
        }
        let mut before = 0.0;
        self.takes = Vec::with_capacity(kept.len());
        for (take, entries) in kept {
            let length = take.exit - f64::from(take.first) * self.step;
            self.takes.push(Take { entries, before, ..take });
            before += length;
        }
    }
}

/// Where a take is left, and where the motion goes on.
type Join = (f64, Vec<f64>);

/// For each take where it is left, and where the motion goes on.
fn joins(visits: &Visits<'_>, progress: &Progress) -> Result<Vec<Option<Join>>, Stopped> {
    let motion = visits.motion;
    parallel::try_map(&motion.takes, |take| {
        let (end, length) = (take.exit, take.exit - motion.start(take));
        let mut best: Option<(f64, f64, Vec<f64>)> = None;
        for index in 0..EXITS {
            progress.check()?;
            let exit = end - LAST * length * f64::from(index) / f64::from(EXITS);
            let mut near = visits.near(exit);
            near.retain(|(_, place)| {
                let other = motion.take(*place);
                let spare = LAST * (other.exit - motion.start(other)) + 4.0 * motion.fade + motion.step;
                *place + spare < other.exit
            });
            let Some(&(nearest, _)) = near.first() else {
                continue;
            };
            // A little nearer is not worth losing what was recorded.
            if best.as_ref().is_none_or(|(least, ..)| nearest < 0.7 * least && *least > 0.5) {
                let entries = near.iter().take(ENTRIES).filter(|(off, _)| *off <= (1.5 * nearest).max(1.0));
                best = Some((nearest, exit, entries.map(|(_, place)| *place).collect()));
            }
        }
        Ok(best.map(|(_, exit, entries)| (exit, entries)))
    })
}
