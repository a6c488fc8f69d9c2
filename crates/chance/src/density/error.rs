use std::borrow::Cow;

use proscenium_work::Remedy;
use thiserror::Error;

/// Why a density cannot exist, and what would make it possible.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum DensityError {
    /// A parameter is infinite or not a number.
    #[error("the {parameter} of {} {family} density is {value}", article(family))]
    NotFinite {
        /// The family of densities.
        family: &'static str,
        /// The offending parameter.
        parameter: &'static str,
        /// What it was.
        value: f64,
    },
    /// A scale is zero or negative.
    #[error("the {parameter} of {} {family} density is {value}", article(family))]
    NotPositive {
        /// The family of densities.
        family: &'static str,
        /// The offending parameter.
        parameter: &'static str,
        /// What it was.
        value: f64,
    },
    /// The ends of an interval do not enclose anything.
    #[error("{} {family} density from {low} to {high} is empty", article(family))]
    EmptyInterval {
        /// The family of densities.
        family: &'static str,
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// A truncation interval lies where the normal density cannot be resolved.
    #[error(
        "a truncated normal density from {low} to {high} lies more than a million standard \
         deviations from its mean"
    )]
    TooFar {
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// The mean or the variance overflows.
    #[error(
        "the mean or the variance of {} {family} density is too large for a floating-point number",
        article(family)
    )]
    TooWide {
        /// The family of densities.
        family: &'static str,
    },
    /// A weight is negative, infinite or not a number.
    #[error("weight {index} of {} {family} density is {weight}", article(family))]
    BadWeight {
        /// The family of densities.
        family: &'static str,
        /// Which weight, counted from zero.
        index: usize,
        /// What it was.
        weight: f64,
    },
    /// No weight is positive, or their sum overflows.
    #[error("the weights of {} {family} density sum to {sum}", article(family))]
    BadWeightSum {
        /// The family of densities.
        family: &'static str,
        /// The sum of the weights.
        sum: f64,
    },
}

impl Remedy for DensityError {
    fn remedy(&self) -> Option<Cow<'_, str>> {
        Some(Cow::Borrowed(match self {
            Self::NotFinite { .. } => "give a finite number",
            Self::NotPositive { .. } => "give a number above zero, or use a constant for a value that is certain",
            Self::EmptyInterval { .. } => {
                "give a lower end below the upper end, or use a constant for a value that is certain"
            }
            Self::TooFar { .. } => "move the interval closer, or widen the density",
            Self::TooWide { .. } => "choose smaller parameters",
            Self::BadWeight { .. } => "give a finite number, not negative",
            Self::BadWeightSum { .. } => "give at least one positive weight, and weights whose sum is finite",
        }))
    }
}

/// Passes a finite parameter.
pub(super) fn finite(family: &'static str, parameter: &'static str, value: f64) -> Result<f64, DensityError> {
    if value.is_finite() { Ok(value) } else { Err(DensityError::NotFinite { family, parameter, value }) }
}

/// Passes a finite parameter above zero.
pub(super) fn positive(family: &'static str, parameter: &'static str, value: f64) -> Result<f64, DensityError> {
    if finite(family, parameter, value)? > 0.0 {
        Ok(value)
    } else {
        Err(DensityError::NotPositive { family, parameter, value })
    }
}

/// Pairs of item and probability, from pairs of item and weight.
pub(super) fn normalised<T>(
    family: &'static str,
    items_and_weights: impl IntoIterator<Item = (T, f64)>,
) -> Result<Vec<(T, f64)>, DensityError> {
    let mut items = Vec::new();
    let mut sum = 0.0;
    for (index, (item, weight)) in items_and_weights.into_iter().enumerate() {
        if !weight.is_finite() || weight < 0.0 {
            return Err(DensityError::BadWeight { family, index, weight });
        }
        sum += weight;
        items.push((item, weight));
    }
    if !sum.is_finite() || sum <= 0.0 {
        return Err(DensityError::BadWeightSum { family, sum });
    }
    for (_, weight) in &mut items {
        *weight /= sum;
    }
    items.retain(|&(_, weight)| weight > 0.0);
    Ok(items)
}

/// The article that goes with a family's name.
fn article(family: &str) -> &'static str {
    if family.starts_with('e') { "an" } else { "a" }
}
