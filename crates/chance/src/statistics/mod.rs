//! Moments, quantiles, and tests of what samples say about distributions and about
//! the effects of [factors](variance).

mod chi_squared;
mod family;
mod kolmogorov_smirnov;
mod moments;
mod quantiles;
mod students_t;
pub mod variance;

pub use chi_squared::{ChiSquared, chi_squared_fit, chi_squared_homogeneity};
pub use family::holm;
pub use kolmogorov_smirnov::{KolmogorovSmirnov, kolmogorov_smirnov, kolmogorov_smirnov_two_samples};
pub use moments::Moments;
pub use quantiles::{quantile, quantiles};
pub use students_t::students_t;

use std::borrow::Cow;

use proscenium_work::Remedy;
use thiserror::Error;

/// Why a statistic cannot be computed, and what would make it possible.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum StatisticsError {
    /// There are no samples.
    #[error("there are no samples")]
    NoSamples,
    /// A sample is infinite or not a number.
    #[error("sample {index} is {value}")]
    NotFinite {
        /// Which sample, counted from zero.
        index: usize,
        /// What it was.
        value: f64,
    },
    /// A probability is not between 0 and 1.
    #[error("probability {index} is {value}")]
    NotProbability {
        /// Which probability, counted from zero.
        index: usize,
        /// What it was.
        value: f64,
    },
    /// A distribution function left the interval from 0 to 1.
    #[error("the distribution function is {value} at {at}")]
    NotDistribution {
        /// The argument.
        at: f64,
        /// The function's value.
        value: f64,
    },
    /// Two lists that belong together differ in length.
    #[error("there are {first} bins on one side and {second} on the other")]
    DifferentBins {
        /// The length of the first list.
        first: usize,
        /// The length of the second list.
        second: usize,
    },
    /// A bin can never be filled.
    #[error("bin {index} has no probability")]
    ImpossibleBin {
        /// Which bin, counted from zero.
        index: usize,
    },
    /// The probabilities of all bins are not a distribution.
    #[error("the probabilities of the bins sum to {sum}")]
    NotNormalised {
        /// What they sum to.
        sum: f64,
    },
    /// Too few bins for a test.
    #[error("{bins} bins with anything in them, {fitted} fitted parameters")]
    TooFewBins {
        /// The number of bins.
        bins: usize,
        /// The number of parameters that were fitted to the same counts.
        fitted: usize,
    },
}

impl Remedy for StatisticsError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        Some(Cow::Borrowed(match self {
            Self::NoSamples => "give at least one",
            Self::NotFinite { .. } => "give finite numbers",
            Self::NotProbability { .. } => "give numbers from 0 to 1",
            Self::NotDistribution { .. } => "give a function whose values are from 0 to 1",
            Self::DifferentBins { .. } => "give equally many",
            Self::ImpossibleBin { .. } => "merge it with a neighbour",
            Self::NotNormalised { .. } => "give probabilities that sum to 1",
            Self::TooFewBins { fitted, .. } => return Some(format!("give at least {} bins", fitted + 2).into()),
        }))
    }
}

/// Refuses samples that are missing or not finite.
fn check_samples(samples: &[f64]) -> Result<(), StatisticsError> {
    if samples.is_empty() {
        return Err(StatisticsError::NoSamples);
    }
    match samples.iter().position(|sample| !sample.is_finite()) {
        Some(index) => Err(StatisticsError::NotFinite { index, value: samples[index] }),
        None => Ok(()),
    }
}

/// Refuses numbers that are not probabilities.
fn check_probabilities(probabilities: &[f64]) -> Result<(), StatisticsError> {
    match probabilities.iter().position(|value| !(0.0..=1.0).contains(value)) {
        Some(index) => Err(StatisticsError::NotProbability { index, value: probabilities[index] }),
        None => Ok(()),
    }
}

/// The samples in rising order.
fn sorted(samples: &[f64]) -> Result<Vec<f64>, StatisticsError> {
    check_samples(samples)?;
    // Adding zero turns −0 into 0, so that the order agrees with equality.
    let mut sorted: Vec<f64> = samples.iter().map(|sample| sample + 0.0).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    Ok(sorted)
}
