//! Whether chains agree, and what their draws are worth: rank-normalised split
//! R-hat and effective sample sizes (Vehtari, Gelman, Simpson, Carpenter,
//! Bürkner 2021).

mod autocovariance;

use proscenium_chance::standard_normal;

use crate::error::DirectError;

/// What a diagnostic says about one quantity.
///
/// ```
/// use proscenium_chance::Seed;
/// use proscenium_direct::diagnostics::diagnose;
///
/// let mut stream = Seed(1).stream("draws");
/// let mut chain = || (0..500).map(|_| stream.normal()).collect::<Vec<f64>>();
/// let diagnosis = diagnose(&[chain(), chain(), chain(), chain()])?.ok_or("too few draws")?;
/// assert!(diagnosis.r_hat < 1.01);
/// assert!(diagnosis.bulk_effective_size > 1000.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Diagnosis {
    /// Rank-normalised split R-hat: below 1.01 the chains agree.
    pub r_hat: f64,
    /// As many independent draws would tell as much about the middle.
    pub bulk_effective_size: f64,
    /// As many independent draws would tell as much about the 5 % and the 95 %
    /// quantile, whichever is known worse.
    pub tail_effective_size: f64,
}

/// Diagnoses one quantity from its draws in one chain or more, of equal length.
///
/// `None` where nothing can be said: fewer than four draws in a chain, or a draw
/// that is not finite. Draws that are all equal have an R-hat that is not a
/// number.
pub fn diagnose(chains: &[Vec<f64>]) -> Result<Option<Diagnosis>, DirectError> {
    let expected = chains.first().map_or(0, Vec::len);
    for (chain, draws) in chains.iter().enumerate() {
        if draws.len() != expected {
            return Err(DirectError::UnequalChains { chain, found: draws.len(), expected });
        }
    }
    if expected < 4 || chains.iter().flatten().any(|draw| !draw.is_finite()) {
        return Ok(None);
    }
    let halves = split(chains);
    let ranked = rank_normalised(&halves);
    let middle = median(&halves);
    let folded: Vec<Vec<f64>> =
        halves.iter().map(|draws| draws.iter().map(|draw| (draw - middle).abs()).collect()).collect();
    let tails = [0.05, 0.95].map(|level| {
        let bound = quantile(chains, level);
        let below = |draw: &f64| f64::from(u8::from(*draw <= bound));
        autocovariance::effective_size(&map(&halves, below))
    });
    Ok(Some(Diagnosis {
        r_hat: r_hat(&ranked).max(r_hat(&rank_normalised(&folded))),
        bulk_effective_size: autocovariance::effective_size(&ranked),
        tail_effective_size: tails[0].min(tails[1]),
    }))
}

fn map(chains: &[Vec<f64>], change: impl Fn(&f64) -> f64) -> Vec<Vec<f64>> {
    chains.iter().map(|draws| draws.iter().map(&change).collect()).collect()
}

/// Each chain as its two halves; of an odd number of draws the middle one is
/// left out.
fn split(chains: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let half = chains.first().map_or(0, Vec::len) / 2;
    let first = chains.iter().map(|draws| draws[..half].to_vec());
    let second = chains.iter().map(|draws| draws[draws.len() - half..].to_vec());
    first.chain(second).collect()
}

/// Replaces each draw by the standard normal number at its rank among all
/// (Blom's offset), equal draws by that at their average rank.
fn rank_normalised(chains: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let all: Vec<f64> = chains.iter().flatten().copied().collect();
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|a, b| all[*a].total_cmp(&all[*b]));
    let mut normal = vec![0.0; all.len()];
    let mut first = 0;
    while first < order.len() {
        let value = all[order[first]];
        let equal = order[first..].iter().take_while(|index| all[**index] == value).count();
        // Ranks count from 1.
        let rank = first as f64 + 0.5 * (equal as f64 + 1.0);
        let z = standard_normal::quantile((rank - 0.375) / (all.len() as f64 + 0.25));
        for index in &order[first..first + equal] {
            normal[*index] = z;
        }
        first += equal;
    }
    let length = chains.first().map_or(1, Vec::len).max(1);
    normal.chunks(length).map(<[f64]>::to_vec).collect()
}

fn sorted(chains: &[Vec<f64>]) -> Vec<f64> {
    let mut all: Vec<f64> = chains.iter().flatten().copied().collect();
    all.sort_by(f64::total_cmp);
    all
}

fn median(chains: &[Vec<f64>]) -> f64 {
    let all = sorted(chains);
    0.5 * (all[(all.len() - 1) / 2] + all[all.len() / 2])
}

/// Linear between the draws in order (Hyndman and Fan's type 7).
fn quantile(chains: &[Vec<f64>], level: f64) -> f64 {
    let all = sorted(chains);
    let place = level * (all.len() - 1) as f64;
    let below = (place as usize).min(all.len() - 1);
    let above = (below + 1).min(all.len() - 1);
    all[below] + (place - below as f64) * (all[above] - all[below])
}

fn mean(draws: &[f64]) -> f64 {
    draws.iter().sum::<f64>() / draws.len() as f64
}

fn variance(draws: &[f64]) -> f64 {
    let mean = mean(draws);
    draws.iter().map(|draw| (draw - mean) * (draw - mean)).sum::<f64>() / (draws.len() as f64 - 1.0)
}

/// How much larger the spread of all draws is than that within chains.
fn r_hat(chains: &[Vec<f64>]) -> f64 {
    let length = chains.first().map_or(0, Vec::len) as f64;
    let means: Vec<f64> = chains.iter().map(|draws| mean(draws)).collect();
    let within = chains.iter().map(|draws| variance(draws)).sum::<f64>() / chains.len() as f64;
    let between = variance(&means);
    (between / within + (length - 1.0) / length).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws that anyone can repeat: a linear congruential generator, made
    /// autocorrelated, with some equal draws.
    fn chains(count: usize, draws: usize, memory: f64, shift: f64) -> Vec<Vec<f64>> {
        let mut state: u64 = 12_345;
        let mut next = || {
            state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
            state as f64 / 2_147_483_648.0 - 0.5
        };
        (0..count)
            .map(|chain| {
                let mut x = 0.0;
                let walk = (0..draws).map(|_| {
                    x = memory * x + next();
                    ((x + shift * chain as f64) * 50.0).round() / 50.0
                });
                walk.collect()
            })
            .collect()
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0), "{found}, not {expected}");
    }

    /// The expected numbers are ArviZ 0.23's, from the same draws.
    #[test]
    fn diagnoses_agree_with_arviz() {
        for (case, r_hat, bulk, tail) in ARVIZ {
            let (count, draws, memory, shift) = case;
            let diagnosis = diagnose(&chains(count, draws, memory, shift)).unwrap().unwrap();
            close(diagnosis.r_hat, r_hat);
            close(diagnosis.bulk_effective_size, bulk);
            close(diagnosis.tail_effective_size, tail);
        }
    }

    /// How the draws are made; R-hat, bulk and tail effective size.
    type Case = ((usize, usize, f64, f64), f64, f64, f64);

    const ARVIZ: [Case; 4] = [
        ((4, 200, 0.0, 0.0), 0.9973733520853304, 887.091763078951, 715.9362453888936),
        ((2, 501, 0.9, 0.0), 1.0217229998801765, 84.98447814210031, 141.9591047935016),
        ((3, 120, 0.5, 0.4), 1.4481595920578232, 6.523719041532765, 27.807916440744428),
        ((2, 400, -0.4, 0.0), 0.9980752378092148, 2322.471989593555, 759.7133709955864),
    ];

    #[test]
    fn what_cannot_be_diagnosed_is_not() {
        assert_eq!(diagnose(&[]), Ok(None));
        assert_eq!(diagnose(&[vec![1.0, 2.0, 3.0]]), Ok(None));
        assert_eq!(diagnose(&[vec![1.0, 2.0, f64::NAN, 4.0]]), Ok(None));
        assert!(matches!(
            diagnose(&[vec![0.0; 5], vec![0.0; 4]]),
            Err(DirectError::UnequalChains { chain: 1, found: 4, expected: 5 })
        ));
        let constant = diagnose(&[vec![2.0; 10]]).unwrap().unwrap();
        assert!(constant.r_hat.is_nan());
        assert_eq!(constant.bulk_effective_size, 10.0);
    }
}
