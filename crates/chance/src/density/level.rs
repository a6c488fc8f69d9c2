//! A place within a distribution, known from both sides.

use crate::standard_normal;

/// Beyond this, the probabilities of a standard normal number underflow.
const FARTHEST: f64 = 37.5;

/// A cumulative probability, given in the form that was at hand, so that neither
/// tail is lost to rounding.
#[derive(Clone, Copy)]
pub(super) enum Level {
    /// A probability between 0 and 1.
    Probability(f64),
    /// The cumulative probability of this standard normal number.
    StandardNormal(f64),
}

impl Level {
    /// This level, or the farthest whose probabilities are known.
    pub(super) fn within_reach(self) -> Self {
        match self {
            Level::StandardNormal(z) => Level::StandardNormal(z.clamp(-FARTHEST, FARTHEST)),
            Level::Probability(_) => self,
        }
    }

    /// The probability below.
    pub(super) fn lower(self) -> f64 {
        match self {
            Level::Probability(probability) => probability,
            Level::StandardNormal(z) => standard_normal::cdf(z.clamp(-FARTHEST, FARTHEST)),
        }
    }

    /// The probability above.
    pub(super) fn upper(self) -> f64 {
        match self {
            Level::Probability(probability) => 1.0 - probability,
            Level::StandardNormal(z) => standard_normal::survival(z.clamp(-FARTHEST, FARTHEST)),
        }
    }

    /// The logarithm of the probability above.
    pub(super) fn log_upper(self) -> f64 {
        match self {
            Level::Probability(probability) => libm::log1p(-probability),
            Level::StandardNormal(z) => standard_normal::log_survival(z.clamp(-FARTHEST, FARTHEST)),
        }
    }

    /// The standard normal number at this level.
    pub(super) fn standard_normal(self) -> f64 {
        match self {
            Level::Probability(probability) => standard_normal::quantile(probability),
            Level::StandardNormal(z) => z,
        }
    }
}
