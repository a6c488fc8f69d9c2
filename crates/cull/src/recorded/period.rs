//! What of a recorded motion comes around, and after how long.

use proscenium_chance::Seed;
use proscenium_work::{Progress, Stopped};

use super::motion::RecordedMotion;

/// A motion that is off by no more than this share of its range (the root of the mean
/// square) after a time has come around. Chosen: what two rounds of a machine differ by.
const SAME: f64 = 0.02;

/// It must have been so far away in between.
const AWAY: f64 = 0.15;

/// Moments that are compared for each time. Chosen: the error of their mean is a
/// twentieth.
const MOMENTS: usize = 400;

/// A first look takes one of so many.
const FEWER: usize = 8;

/// A period must fit so often into the longest take, so that more than chance says so.
const ROUNDS: f64 = 2.2;

/// Times that are tried at most. Chosen: a period of so many samples is looked for.
const MOST_LAGS: u32 = 60_000;

/// The moments of the longest take that are compared.
struct Moments<'m> {
    motion: &'m RecordedMotion,
    start: f64,
    length: f64,
    parts: Vec<f64>,
}

impl Moments<'_> {
    /// By how much channels differ after some seconds, as a share of their ranges: the
    /// worst of the roots of the mean squares.
    fn off(&self, channels: &[usize], ranges: &[f64], seconds: f64) -> f64 {
        let mut sums = vec![0.0; channels.len()];
        for part in &self.parts {
            let place = self.start + part * (self.length - seconds);
            let (a, b) = (self.motion.at(place).values, self.motion.at(place + seconds).values);
            for (sum, &channel) in sums.iter_mut().zip(channels) {
                let off = self.motion.channels[channel].way(a[channel], b[channel]) / ranges[channel];
                *sum += off * off;
            }
        }
        sums.into_iter().fold(0.0_f64, |worst, sum| worst.max((sum / self.parts.len() as f64).sqrt()))
    }
}

/// After how long some channels come around together; `None` if they do not.
pub(super) fn period(
    motion: &RecordedMotion,
    channels: &[usize],
    ranges: &[f64],
    progress: &Progress,
) -> Result<Option<f64>, Stopped> {
    let Some(longest) = motion.takes.iter().max_by_key(|take| take.count) else {
        return Ok(None);
    };
    let mut stream = Seed(0).stream("moments");
    let parts: Vec<f64> = (0..MOMENTS).map(|index| (index as f64 + stream.uniform()) / MOMENTS as f64).collect();
    let length = f64::from(longest.count - 1) * motion.step;
    let few = parts.iter().step_by(FEWER).copied().collect();
    let rough = Moments { motion, start: motion.start(longest), length, parts: few };
    let moments = Moments { motion, start: motion.start(longest), length, parts };
    let lags = ((f64::from(longest.count) / ROUNDS) as u32).min(MOST_LAGS);
    let (mut before, mut last, mut has_left) = (0.0, 0.0, false);
    for lag in 1..=lags {
        progress.check()?;
        let now = rough.off(channels, ranges, f64::from(lag) * motion.step);
        has_left |= now > AWAY;
        if has_left && lag > 2 && last <= before && last <= now && last < 4.0 * SAME {
            let near = f64::from(lag - 1) * motion.step;
            let found = refined(&moments, channels, ranges, near);
            if moments.off(channels, ranges, found) < SAME {
                // What nearly comes around is farther off after many rounds.
                let most = (0.6 * length / found).floor().max(1.0);
                return Ok((moments.off(channels, ranges, most * found) < 1.5 * SAME).then_some(found));
            }
        }
        (before, last) = (last, now);
    }
    Ok(None)
}

/// The period near a time: over twice as many rounds it is known twice as well.
fn refined(moments: &Moments<'_>, channels: &[usize], ranges: &[f64], near: f64) -> f64 {
    let mut period = near;
    let mut rounds = 1.0;
    let mut width = moments.motion.step;
    loop {
        let (mut low, mut high) = (rounds * period - width, rounds * period + width);
        for _ in 0..40 {
            let (first, second) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if moments.off(channels, ranges, first) < moments.off(channels, ranges, second) {
                high = second;
            } else {
                low = first;
            }
        }
        period = 0.5 * (low + high) / rounds;
        if 2.0 * rounds * period > 0.6 * moments.length {
            return period;
        }
        rounds *= 2.0;
        width = 0.5 * moments.motion.step;
    }
}
