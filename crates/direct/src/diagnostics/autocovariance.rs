//! Effective sample sizes from autocovariances.

use super::{mean, variance};

/// The effective sample size of some chains of equal length, with Geyer's
/// initial monotone sequence over all chains.
pub(super) fn effective_size(chains: &[Vec<f64>]) -> f64 {
    let length = chains.first().map_or(0, Vec::len);
    let whole = (chains.len() * length) as f64;
    let (low, high) = chains
        .iter()
        .flatten()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), draw| (low.min(*draw), high.max(*draw)));
    if high - low < 1e-15 || length < 2 {
        return whole;
    }
    let correlations = monotone(Correlations::new(chains));
    let time: f64 = correlations.iter().sum::<f64>();
    whole / time.max(1.0 / libm::log10(whole))
}

/// Autocorrelations of all chains together, computed as they are asked for.
struct Correlations<'a> {
    chains: &'a [Vec<f64>],
    means: Vec<f64>,
    length: usize,
    within: f64,
    pooled: f64,
}

impl<'a> Correlations<'a> {
    fn new(chains: &'a [Vec<f64>]) -> Self {
        let length = chains[0].len();
        let draws = length as f64;
        let means: Vec<f64> = chains.iter().map(|draws| mean(draws)).collect();
        let mut correlations = Self { chains, means, length, within: 0.0, pooled: 0.0 };
        correlations.within = correlations.autocovariance(0) * draws / (draws - 1.0);
        correlations.pooled = correlations.autocovariance(0);
        if chains.len() > 1 {
            correlations.pooled += variance(&correlations.means);
        }
        correlations
    }

    /// The mean over the chains.
    fn autocovariance(&self, lag: usize) -> f64 {
        let each = self.chains.iter().zip(&self.means).map(|(draws, mean)| {
            let pairs = draws.iter().zip(&draws[lag.min(self.length)..]);
            pairs.map(|(early, late)| (early - mean) * (late - mean)).sum::<f64>() / self.length as f64
        });
        each.sum::<f64>() / self.chains.len() as f64
    }

    fn at(&self, lag: usize) -> f64 {
        1.0 - (self.within - self.autocovariance(lag)) / self.pooled
    }
}

/// Terms whose sum is the integrated autocorrelation time: pairs of neighbours
/// as long as they are positive, made not to rise.
fn monotone(correlations: Correlations<'_>) -> Vec<f64> {
    let mut rho = vec![1.0, correlations.at(1)];
    let (mut even, mut odd) = (rho[0], rho[1]);
    let mut lag = 1;
    while lag + 3 < correlations.length && even + odd > 0.0 {
        even = correlations.at(lag + 1);
        odd = correlations.at(lag + 2);
        if even + odd >= 0.0 {
            rho.extend([even, odd]);
        }
        lag += 2;
    }
    // The last pair is left out, but for its first half.
    let last = lag.saturating_sub(2);
    rho.truncate(last + 1);
    let improved = if even > 0.0 { even } else { 0.0 };
    let mut index = 1;
    while index + 2 <= last {
        if rho[index + 1] + rho[index + 2] > rho[index - 1] + rho[index] {
            let both = 0.5 * (rho[index - 1] + rho[index]);
            rho[index + 1] = both;
            rho[index + 2] = both;
        }
        index += 2;
    }
    let mut terms: Vec<f64> = rho.iter().map(|correlation| 2.0 * correlation).collect();
    terms.extend([improved, -1.0]);
    terms
}
