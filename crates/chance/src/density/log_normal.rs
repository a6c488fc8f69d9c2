use super::error::{finite, positive};
use super::{DensityError, Family, Level, Support};
use crate::standard_normal;

/// A number whose natural logarithm is normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogNormal {
    log_mean: f64,
    log_standard_deviation: f64,
}

impl LogNormal {
    pub(super) fn new(log_mean: f64, log_standard_deviation: f64) -> Result<Self, DensityError> {
        let family = "log-normal";
        Ok(LogNormal {
            log_mean: finite(family, "mean of the logarithm", log_mean)?,
            log_standard_deviation: positive(family, "standard deviation of the logarithm", log_standard_deviation)?,
        })
    }

    /// The mean of the logarithm.
    #[must_use]
    pub fn log_mean(&self) -> f64 {
        self.log_mean
    }

    /// The standard deviation of the logarithm.
    #[must_use]
    pub fn log_standard_deviation(&self) -> f64 {
        self.log_standard_deviation
    }

    /// The standard normal number of a positive `x`.
    fn standardised(&self, x: f64) -> f64 {
        (libm::log(x) - self.log_mean) / self.log_standard_deviation
    }
}

impl Family for LogNormal {
    fn log_density(&self, x: f64) -> f64 {
        if x <= 0.0 || x.is_infinite() {
            return f64::NEG_INFINITY;
        }
        standard_normal::log_density(self.standardised(x)) - libm::log(self.log_standard_deviation) - libm::log(x)
    }

    fn cdf(&self, x: f64) -> f64 {
        if x <= 0.0 {
            return 0.0;
        }
        standard_normal::cdf(self.standardised(x))
    }

    fn survival(&self, x: f64) -> f64 {
        if x <= 0.0 {
            return 1.0;
        }
        standard_normal::survival(self.standardised(x))
    }

    fn quantile(&self, level: Level) -> f64 {
        libm::exp(self.log_mean + self.log_standard_deviation * level.standard_normal())
    }

    fn mean(&self) -> f64 {
        let log_variance = self.log_standard_deviation * self.log_standard_deviation;
        libm::exp(self.log_mean + 0.5 * log_variance)
    }

    fn variance(&self) -> f64 {
        let log_variance = self.log_standard_deviation * self.log_standard_deviation;
        libm::expm1(log_variance) * libm::exp(2.0 * self.log_mean + log_variance)
    }

    fn support(&self) -> Support {
        Support { low: 0.0, high: f64::INFINITY }
    }
}
