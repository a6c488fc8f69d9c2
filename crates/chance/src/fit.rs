//! Mixtures fitted to samples by expectation and maximisation.

use std::borrow::Cow;

use proscenium_work::Remedy;
use thiserror::Error;

use crate::{Density, DensityError, standard_normal};

/// How a mixture is fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitOptions {
    /// The fit ends after this many rounds at the latest.
    pub max_rounds: usize,
    /// The fit ends when a round raises the log-likelihood per sample by no more
    /// than this.
    pub tolerance: f64,
    /// The least scale of a component (a standard deviation or a mean excess), as
    /// a fraction of the scale of all samples. Without it the likelihood has no
    /// maximum: a component could shrink onto one sample.
    pub least_scale: f64,
}

impl Default for FitOptions {
    fn default() -> Self {
        FitOptions { max_rounds: 1000, tolerance: 1e-9, least_scale: 1e-3 }
    }
}

/// A mixture fitted to samples.
#[derive(Clone, Debug, PartialEq)]
pub struct MixtureFit {
    /// The mixture; its components rise in mean.
    pub density: Density,
    /// The log-likelihood of all samples before each round, and at the end. It
    /// never falls.
    pub log_likelihoods: Vec<f64>,
    /// Whether the tolerance was met before the rounds ran out.
    pub converged: bool,
}

impl MixtureFit {
    /// The log-likelihood of all samples under the fitted mixture.
    #[must_use]
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihoods.last().copied().unwrap_or(f64::NEG_INFINITY)
    }
}

/// Why a mixture cannot be fitted, and what would make it possible.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum FitError {
    /// No components were asked for.
    #[error("a mixture of no components was asked for")]
    NoComponents,
    /// There are fewer than two samples per component.
    #[error("{given} samples are too few for {components} components")]
    TooFewSamples {
        /// The number of samples.
        given: usize,
        /// The number of components.
        components: usize,
    },
    /// A sample is infinite or not a number.
    #[error("sample {index} is {value}")]
    NotFinite {
        /// Which sample, counted from zero.
        index: usize,
        /// What it was.
        value: f64,
    },
    /// A sample lies below the origin of the exponential densities.
    #[error("sample {index} is {value}, below the origin {origin}")]
    BelowOrigin {
        /// Which sample, counted from zero.
        index: usize,
        /// What it was.
        value: f64,
        /// The origin.
        origin: f64,
    },
    /// The samples do not differ.
    #[error("all samples are equal")]
    NoSpread,
    /// An option is out of range.
    #[error("{option} is {value}")]
    BadOption {
        /// The name of the option.
        option: &'static str,
        /// What it was.
        value: f64,
        /// What would be right.
        remedy: &'static str,
    },
    /// The fitted mixture is not a density.
    #[error(transparent)]
    Density(#[from] DensityError),
}

impl Remedy for FitError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        Some(Cow::Borrowed(match self {
            Self::NoComponents => "ask for at least one",
            Self::TooFewSamples { .. } => "give at least two per component",
            Self::NotFinite { .. } => "give finite numbers",
            Self::BelowOrigin { .. } => "lower the origin",
            Self::NoSpread => "use a constant",
            Self::BadOption { remedy, .. } => return Some(format!("give a finite number {remedy}").into()),
            Self::Density(error) => return error.remedy(),
        }))
    }
}

/// Fits a mixture of normal densities.
///
/// Deterministic: the samples in order are cut into equal parts, one for each
/// component to start from, and the result does not depend on their order but
/// for rounding.
///
/// ```
/// use proscenium_chance::{Density, FitOptions, Seed, fit_gaussian_mixture};
///
/// let truth = Density::mixture([
///     (Density::normal(-2.0, 0.5)?, 0.3),
///     (Density::normal(1.0, 0.8)?, 0.7),
/// ])?;
/// let mut stream = Seed(1).stream("samples");
/// let samples: Vec<f64> = (0..1000).map(|_| truth.sample(&mut stream)).collect();
/// let fit = fit_gaussian_mixture(&samples, 2, &FitOptions::default())?;
/// assert!((fit.density.mean() - truth.mean()).abs() < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fit_gaussian_mixture(samples: &[f64], components: usize, options: &FitOptions) -> Result<MixtureFit, FitError> {
    check(samples, components, options)?;
    let whole = Gaussian::of(samples);
    if whole.standard_deviation == 0.0 {
        return Err(FitError::NoSpread);
    }
    let least = options.least_scale * whole.standard_deviation;
    let start = parts(samples, components, |part| Gaussian::of(part).at_least(least));
    maximise(samples, start, least, options)
}

/// Fits a mixture of exponential densities with one origin.
///
/// Without an `origin` it is the least of the samples. Where the smallest
/// possible value is known, it is the better choice. Deterministic as
/// [`fit_gaussian_mixture`] is.
pub fn fit_exponential_mixture(
    samples: &[f64],
    components: usize,
    origin: Option<f64>,
    options: &FitOptions,
) -> Result<MixtureFit, FitError> {
    check(samples, components, options)?;
    let origin = match origin {
        Some(value) if !value.is_finite() => {
            return Err(FitError::BadOption { option: "the origin", value, remedy: "not above the samples" });
        }
        Some(origin) => origin,
        None => samples.iter().copied().fold(f64::INFINITY, f64::min),
    };
    if let Some(index) = samples.iter().position(|&sample| sample < origin) {
        return Err(FitError::BelowOrigin { index, value: samples[index], origin });
    }
    let of = |part: &[f64]| {
        let excess: f64 = part.iter().map(|sample| sample - origin).sum();
        ShiftedExponential { origin, mean_excess: excess / part.len() as f64 }
    };
    let whole = of(samples);
    if whole.mean_excess <= 0.0 {
        return Err(FitError::NoSpread);
    }
    let least = options.least_scale * whole.mean_excess;
    let start = parts(samples, components, |part| of(part).at_least(least));
    maximise(samples, start, least, options)
}

fn check(samples: &[f64], components: usize, options: &FitOptions) -> Result<(), FitError> {
    if components == 0 {
        return Err(FitError::NoComponents);
    }
    if samples.len() / 2 < components {
        return Err(FitError::TooFewSamples { given: samples.len(), components });
    }
    if let Some(index) = samples.iter().position(|sample| !sample.is_finite()) {
        return Err(FitError::NotFinite { index, value: samples[index] });
    }
    let (tolerance, least_scale) = (options.tolerance, options.least_scale);
    if !tolerance.is_finite() || tolerance < 0.0 {
        return Err(FitError::BadOption { option: "the tolerance", value: tolerance, remedy: "not below zero" });
    }
    if !least_scale.is_finite() || least_scale <= 0.0 || least_scale > 1.0 {
        let remedy = "above zero and at most one";
        return Err(FitError::BadOption { option: "the least scale", value: least_scale, remedy });
    }
    Ok(())
}

/// What a component must be able to do to be fitted.
trait Component: Copy {
    fn log_density(&self, x: f64) -> f64;
    /// The component that makes the weighted samples most likely.
    fn refitted(&self, samples: &[f64], weights: &[f64], total_weight: f64) -> Self;
    /// With its scale raised to `least`. As the likelihood falls on either side of
    /// the best scale, this is the best one allowed.
    fn at_least(self, least: f64) -> Self;
    fn mean(&self) -> f64;
    fn density(&self) -> Result<Density, DensityError>;
}

#[derive(Clone, Copy)]
struct Gaussian {
    mean: f64,
    standard_deviation: f64,
}

impl Gaussian {
    fn of(samples: &[f64]) -> Self {
        let ones = vec![1.0; samples.len()];
        Gaussian { mean: 0.0, standard_deviation: 0.0 }.refitted(samples, &ones, samples.len() as f64)
    }
}

impl Component for Gaussian {
    fn log_density(&self, x: f64) -> f64 {
        standard_normal::log_density((x - self.mean) / self.standard_deviation) - libm::log(self.standard_deviation)
    }

    fn refitted(&self, samples: &[f64], weights: &[f64], total_weight: f64) -> Self {
        let average = |function: &dyn Fn(f64) -> f64| {
            let sum: f64 = samples.iter().zip(weights).map(|(&sample, weight)| weight * function(sample)).sum();
            sum / total_weight
        };
        let mean = average(&|sample| sample);
        let variance = average(&|sample| (sample - mean) * (sample - mean));
        Gaussian { mean, standard_deviation: variance.sqrt() }
    }

    fn at_least(self, least: f64) -> Self {
        Gaussian { standard_deviation: self.standard_deviation.max(least), ..self }
    }

    fn mean(&self) -> f64 {
        self.mean
    }

    fn density(&self) -> Result<Density, DensityError> {
        Density::normal(self.mean, self.standard_deviation)
    }
}

#[derive(Clone, Copy)]
struct ShiftedExponential {
    origin: f64,
    mean_excess: f64,
}

impl Component for ShiftedExponential {
    fn log_density(&self, x: f64) -> f64 {
        -(x - self.origin) / self.mean_excess - libm::log(self.mean_excess)
    }

    fn refitted(&self, samples: &[f64], weights: &[f64], total_weight: f64) -> Self {
        let sum: f64 = samples.iter().zip(weights).map(|(sample, weight)| weight * (sample - self.origin)).sum();
        ShiftedExponential { mean_excess: sum / total_weight, ..*self }
    }

    fn at_least(self, least: f64) -> Self {
        ShiftedExponential { mean_excess: self.mean_excess.max(least), ..self }
    }

    fn mean(&self) -> f64 {
        self.origin + self.mean_excess
    }

    fn density(&self) -> Result<Density, DensityError> {
        Density::shifted_exponential(self.origin, 1.0 / self.mean_excess)
    }
}

/// One component for each of equal parts of the samples in order.
fn parts<C>(samples: &[f64], components: usize, fit: impl Fn(&[f64]) -> C) -> Vec<C> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let cut = |index: usize| index * sorted.len() / components;
    (0..components).map(|index| fit(&sorted[cut(index)..cut(index + 1)])).collect()
}

/// Rounds of expectation and maximisation until the likelihood settles.
fn maximise<C: Component>(
    samples: &[f64],
    start: Vec<C>,
    least: f64,
    options: &FitOptions,
) -> Result<MixtureFit, FitError> {
    let mut components = start;
    let mut shares = vec![1.0 / components.len() as f64; components.len()];
    let mut responsibilities = vec![vec![0.0; samples.len()]; components.len()];
    let mut log_likelihoods = vec![expect(samples, &components, &shares, &mut responsibilities)];
    let mut converged = false;
    for _ in 0..options.max_rounds {
        for ((component, share), weights) in components.iter_mut().zip(&mut shares).zip(&responsibilities) {
            let total: f64 = weights.iter().sum();
            *share = total / samples.len() as f64;
            // A component that no sample belongs to stays as it is, without a share.
            if total > 0.0 {
                *component = component.refitted(samples, weights, total).at_least(least);
            }
        }
        let before = log_likelihoods[log_likelihoods.len() - 1];
        let after = expect(samples, &components, &shares, &mut responsibilities);
        log_likelihoods.push(after);
        if after - before <= options.tolerance * samples.len() as f64 {
            converged = true;
            break;
        }
    }
    let mut order: Vec<usize> = (0..components.len()).collect();
    order.sort_by(|&first, &second| components[first].mean().total_cmp(&components[second].mean()));
    let densities = order
        .into_iter()
        .map(|index| Ok((components[index].density()?, shares[index])))
        .collect::<Result<Vec<_>, DensityError>>()?;
    Ok(MixtureFit { density: Density::mixture(densities)?, log_likelihoods, converged })
}

/// Sets the share that each component has in each sample; gives the log-likelihood.
fn expect<C: Component>(samples: &[f64], components: &[C], shares: &[f64], responsibilities: &mut [Vec<f64>]) -> f64 {
    let log_shares: Vec<f64> = shares.iter().map(|&share| libm::log(share)).collect();
    let mut log_likelihood = 0.0;
    let mut terms = vec![0.0; components.len()];
    for (index, &sample) in samples.iter().enumerate() {
        let mut largest = f64::NEG_INFINITY;
        for ((term, component), log_share) in terms.iter_mut().zip(components).zip(&log_shares) {
            *term = log_share + component.log_density(sample);
            largest = largest.max(*term);
        }
        for term in &mut terms {
            *term = libm::exp(*term - largest);
        }
        let sum: f64 = terms.iter().sum();
        for (term, responsibility) in terms.iter().zip(responsibilities.iter_mut()) {
            responsibility[index] = term / sum;
        }
        log_likelihood += largest + libm::log(sum);
    }
    log_likelihood
}
