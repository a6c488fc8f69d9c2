//! How much longer than possible a car takes: one distribution for all paths
//! of a kind.

use proscenium_chance::{Density, FitOptions, Stream, fit_exponential_mixture, fit_gaussian_mixture};
use serde::{Deserialize, Serialize};

/// Pieces of a table of quantiles. Chosen: a table takes half a kilobyte.
const PIECES: usize = 128;

/// What is fitted to the times that were measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExcessFit {
    /// One exponential, as in the paper (B.3.3); to be compared with.
    ExponentialBaseline,
    /// A mixture of exponentials by expectation and maximisation, as in the
    /// paper's later implementation; to be compared with.
    ExponentialMixtureBaseline,
    /// A share of cars that nothing holds up, and a mixture of normal densities
    /// for what the others wait: a queue serves one car after the other, so
    /// that waiting has modes, which no mixture of exponentials has.
    WaitingMixture,
}

/// The distribution of the time that a car takes beyond the least possible, in
/// a form that is drawn from in some nanoseconds: tables of quantiles.
///
/// The second table is that of the moment's passer-by: of a car that is met on
/// a path the whole time is length-biased, ∝ t f(t).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Excess {
    quantiles: Vec<f32>,
    biased: Vec<f32>,
    mean: f64,
    deviation: f64,
}

impl Excess {
    /// No excess at all.
    pub fn none() -> Self {
        Self { quantiles: vec![0.0; PIECES + 1], biased: vec![0.0; PIECES + 1], mean: 0.0, deviation: 0.0 }
    }

    /// Fits measured excesses, seconds. What is not finite or below zero by
    /// rounding counts as zero.
    pub fn fit(samples: &[f64], kind: ExcessFit) -> Self {
        let clean: Vec<f64> =
            samples.iter().map(|&sample| if sample.is_finite() { sample.max(0.0) } else { 0.0 }).collect();
        let mean = clean.iter().sum::<f64>() / clean.len().max(1) as f64;
        if clean.len() < 8 || mean < 1e-3 {
            return if clean.is_empty() { Self::none() } else { Self::of_levels(|level| empirical(&clean, level)) };
        }
        let density = match kind {
            ExcessFit::ExponentialBaseline => Density::shifted_exponential(0.0, 1.0 / mean).ok(),
            ExcessFit::ExponentialMixtureBaseline => exponentials(&clean),
            ExcessFit::WaitingMixture => waiting(&clean),
        };
        match density {
            Some(density) => Self::of_levels(|level| density.quantile(level).max(0.0)),
            None => Self::of_levels(|level| empirical(&clean, level)),
        }
    }

    /// The table of some values, each as likely as any other.
    pub(crate) fn of_samples(samples: &[f64]) -> Self {
        let mut sorted: Vec<f64> = samples.iter().map(|sample| sample.max(0.0)).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let Some(last) = sorted.len().checked_sub(1) else {
            return Self::none();
        };
        Self::of_levels(|level| sorted[((level * sorted.len() as f64) as usize).min(last)])
    }

    /// A table of a quantile function.
    fn of_levels(mut quantile: impl FnMut(f64) -> f64) -> Self {
        // The level of the last knot leaves half a piece of its kind beyond it.
        let level = |knot: usize| (knot as f64 / PIECES as f64).min(1.0 - 0.25 / PIECES as f64);
        let mut highest = 0.0_f64;
        let knots = (0..=PIECES).map(|knot| {
            highest = highest.max(quantile(level(knot).max(1e-9)));
            highest
        });
        Self::of_knots(knots.collect())
    }

    /// A table of quantiles at evenly spaced levels.
    fn of_knots(quantiles: Vec<f64>) -> Self {
        let pairs = || quantiles.windows(2).map(|pair| (pair[0], pair[1]));
        let mean = pairs().map(|(a, b)| 0.5 * (a + b)).sum::<f64>() / PIECES as f64;
        let square = pairs().map(|(a, b)| (a * a + a * b + b * b) / 3.0).sum::<f64>() / PIECES as f64;
        Self {
            biased: biased(&quantiles, mean),
            quantiles: quantiles.iter().map(|value| *value as f32).collect(),
            mean,
            deviation: (square - mean * mean).max(0.0).sqrt(),
        }
    }

    /// Part of the way to another one: each quantile goes so far.
    pub(crate) fn towards(&self, other: &Self, share: f64) -> Self {
        let between = |low: f32, high: f32| f64::from(low) + share * f64::from(high - low);
        let mut pairs = self.quantiles.iter().zip(&other.quantiles).map(|(low, high)| between(*low, *high));
        Self::of_knots((0..=PIECES).map(|_| pairs.next().unwrap_or(0.0)).collect())
    }

    /// Whether its tables have the right size and finite numbers.
    pub(crate) fn is_whole(&self) -> bool {
        let is_table = |table: &[f32]| table.len() == PIECES + 1 && table.iter().all(|knot| knot.is_finite());
        is_table(&self.quantiles) && is_table(&self.biased) && self.mean.is_finite()
    }

    /// The pieces of the table: between these two, seconds, lies the same share of cars.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.quantiles.windows(2).map(|pair| (f64::from(pair[0]), f64::from(pair[1])))
    }

    /// The mean, seconds.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The standard deviation, seconds.
    pub fn deviation(&self) -> f64 {
        self.deviation
    }

    /// The excess that this share of cars stays below, seconds.
    #[inline]
    pub fn quantile(&self, level: f64) -> f64 {
        read(&self.quantiles, level)
    }

    /// The share of cars that stay below an excess.
    pub fn share_below(&self, excess: f64) -> f64 {
        let excess = excess as f32;
        let after = self.quantiles.partition_point(|knot| *knot < excess);
        if after == 0 {
            return 0.0;
        }
        let Some(&high) = self.quantiles.get(after) else {
            return 1.0;
        };
        let low = self.quantiles[after - 1];
        (after as f64 - 1.0 + f64::from((excess - low) / (high - low))) / PIECES as f64
    }

    /// The excess of a car on its way.
    #[inline]
    pub fn draw(&self, stream: &mut Stream) -> f64 {
        self.quantile(stream.uniform())
    }

    /// The excess of a car that is known to have at least this much.
    pub fn draw_beyond(&self, least: f64, stream: &mut Stream) -> f64 {
        let uniform = stream.uniform();
        if least <= 0.0 {
            return self.quantile(uniform);
        }
        let below = self.share_below(least);
        if below < 1.0 {
            return self.quantile(below + (1.0 - below) * uniform).max(least);
        }
        // Beyond the table: as long again as those that wait longest.
        let tail = self.quantile(1.0) - self.quantile(0.9);
        least - tail.max(1.0) * libm::log(uniform)
    }

    /// The excess of a car that is met on a path whose least time is known:
    /// length-biased.
    pub fn draw_met(&self, least_time: f64, stream: &mut Stream) -> f64 {
        let which = stream.uniform() * (least_time + self.mean);
        let uniform = stream.uniform();
        if which < least_time { self.quantile(uniform) } else { read(&self.biased, uniform) }
    }
}

#[inline]
fn read(knots: &[f32], level: f64) -> f64 {
    let place = level * PIECES as f64;
    let piece = (place as usize).min(PIECES - 1);
    let (low, high) = (f64::from(knots[piece]), f64::from(knots[piece + 1]));
    low + (high - low) * (place - piece as f64)
}

/// The quantiles of the density that is proportional to the value times the
/// density of these quantiles.
fn biased(quantiles: &[f64], mean: f64) -> Vec<f32> {
    if mean <= 0.0 {
        return vec![0.0; PIECES + 1];
    }
    // The biased distribution function at each knot.
    let mut sums = vec![0.0];
    for pair in quantiles.windows(2) {
        sums.push(sums[sums.len() - 1] + 0.5 * (pair[0] + pair[1]));
    }
    let total = sums[PIECES];
    (0..=PIECES)
        .map(|knot| {
            let wanted = total * knot as f64 / PIECES as f64;
            let after = sums.partition_point(|sum| *sum < wanted).clamp(1, PIECES);
            let (low, high) = (sums[after - 1], sums[after]);
            let share = if high > low { (wanted - low) / (high - low) } else { 0.0 };
            (quantiles[after - 1] + share * (quantiles[after] - quantiles[after - 1])) as f32
        })
        .collect()
}

/// The quantile of samples themselves.
fn empirical(samples: &[f64], level: f64) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted[((level * sorted.len() as f64) as usize).min(sorted.len() - 1)]
}

fn exponentials(samples: &[f64]) -> Option<Density> {
    let options = FitOptions { max_rounds: 200, tolerance: 1e-6, ..FitOptions::default() };
    fit_exponential_mixture(samples, 3.min(samples.len() / 8).max(1), Some(0.0), &options).ok().map(|fit| fit.density)
}

/// Free cars share one short component; the others have normal ones.
fn waiting(samples: &[f64]) -> Option<Density> {
    /// A car that waited less was not held up, but for the length of a step.
    const FREE: f64 = 0.35;
    let (free, held): (Vec<f64>, Vec<f64>) = samples.iter().partition(|sample| **sample < FREE);
    let mut parts = Vec::new();
    if !free.is_empty() {
        let mean = free.iter().sum::<f64>() / free.len() as f64;
        let square = free.iter().map(|time| (time - mean) * (time - mean)).sum::<f64>() / free.len() as f64;
        let deviation = square.sqrt().max(1e-3);
        parts.push((Density::truncated_normal(mean, deviation, 0.0, FREE).ok()?, free.len() as f64));
    }
    if !held.is_empty() {
        let options = FitOptions { max_rounds: 200, tolerance: 1e-5, least_scale: 0.02 };
        let components = 6.min(held.len() / 30).max(1);
        let fitted = match fit_gaussian_mixture(&held, components, &options) {
            Ok(fit) => fit.density,
            Err(_) => Density::constant(held[0]).ok()?,
        };
        parts.push((fitted, held.len() as f64));
    }
    Density::mixture(parts).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proscenium_chance::Seed;
    use proscenium_chance::statistics::{kolmogorov_smirnov_two_samples, quantile};

    fn waits(count: usize) -> Vec<f64> {
        // Free in 40 of 100; the others wait for one, two or three cars, each
        // of which takes some four seconds.
        let mut stream = Seed(5).stream("waits");
        (0..count)
            .map(|_| {
                if stream.uniform() < 0.4 {
                    return 0.1 * stream.uniform();
                }
                let cars = 1 + stream.below(3);
                (4.0 * (cars as f64 - stream.uniform()) + 0.5 * stream.normal()).max(0.4)
            })
            .collect()
    }

    #[test]
    fn the_mixture_has_the_spread_where_an_exponential_has_not() {
        let samples = waits(4000);
        let mut stream = Seed(6).stream("draws");
        let mut distance = |kind| {
            let fit = Excess::fit(&samples, kind);
            let drawn: Vec<f64> = (0..4000).map(|_| fit.draw(&mut stream)).collect();
            kolmogorov_smirnov_two_samples(&samples, &drawn).unwrap().statistic
        };
        let (one, more) = (distance(ExcessFit::ExponentialBaseline), distance(ExcessFit::WaitingMixture));
        // A fit by the truth itself would be below 0.03 in 95 of 100 cases.
        assert!(more < 0.06 && one > 0.25, "{more} {one}");
        let fit = Excess::fit(&samples, ExcessFit::WaitingMixture);
        let mean = samples.iter().sum::<f64>() / 4000.0;
        let square = samples.iter().map(|sample| sample * sample).sum::<f64>() / 4000.0;
        assert!((fit.mean() / mean - 1.0).abs() < 0.03, "{} {mean}", fit.mean());
        let deviation = (square - mean * mean).sqrt();
        assert!((fit.deviation() / deviation - 1.0).abs() < 0.05, "{} {deviation}", fit.deviation());
        for level in [0.5, 0.75, 0.9, 0.97] {
            let expected = quantile(&samples, level).unwrap();
            assert!((fit.quantile(level) - expected).abs() < 0.5, "{level}: {} {expected}", fit.quantile(level));
        }
    }

    #[test]
    fn a_car_that_is_met_has_a_length_biased_time() {
        let samples = waits(4000);
        let fit = Excess::fit(&samples, ExcessFit::WaitingMixture);
        let least = 9.0;
        let mut stream = Seed(7).stream("met");
        let count = 20_000;
        let drawn = (0..count).map(|_| least + fit.draw_met(least, &mut stream)).sum::<f64>() / f64::from(count);
        let (mean, deviation) = (least + fit.mean(), fit.deviation());
        // E[t²] / E[t]; the error of the mean of 20 000 draws is 0.03.
        let expected = mean + deviation * deviation / mean;
        assert!((drawn - expected).abs() < 0.12, "{drawn} is not {expected}");
    }

    #[test]
    fn what_is_known_already_is_kept() {
        let fit = Excess::fit(&waits(1000), ExcessFit::WaitingMixture);
        let mut stream = Seed(8).stream("beyond");
        for least in [0.0, 0.2, 3.0, 11.0, 500.0] {
            for _ in 0..200 {
                assert!(fit.draw_beyond(least, &mut stream) >= least);
            }
        }
        for level in [0.1, 0.55, 0.8] {
            let there = fit.quantile(level);
            assert!((fit.quantile(fit.share_below(there)) - there).abs() < 1e-3);
        }
        assert_eq!(Excess::fit(&[], ExcessFit::ExponentialBaseline), Excess::none());
        assert_eq!(Excess::none().draw_met(3.0, &mut stream), 0.0);
    }
}
