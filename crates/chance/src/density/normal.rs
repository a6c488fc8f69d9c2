use super::error::{finite, positive};
use super::{DensityError, Family, Level, Support};
use crate::standard_normal;

/// Normal (Gaussian).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Normal {
    mean: f64,
    standard_deviation: f64,
}

impl Normal {
    pub(super) fn new(mean: f64, standard_deviation: f64) -> Result<Self, DensityError> {
        Ok(Normal {
            mean: finite("normal", "mean", mean)?,
            standard_deviation: positive("normal", "standard deviation", standard_deviation)?,
        })
    }

    /// The mean.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The standard deviation.
    #[must_use]
    pub fn standard_deviation(&self) -> f64 {
        self.standard_deviation
    }

    fn standardised(&self, x: f64) -> f64 {
        (x - self.mean) / self.standard_deviation
    }
}

impl Family for Normal {
    fn log_density(&self, x: f64) -> f64 {
        standard_normal::log_density(self.standardised(x)) - libm::log(self.standard_deviation)
    }

    fn cdf(&self, x: f64) -> f64 {
        standard_normal::cdf(self.standardised(x))
    }

    fn survival(&self, x: f64) -> f64 {
        standard_normal::survival(self.standardised(x))
    }

    fn quantile(&self, level: Level) -> f64 {
        self.mean + self.standard_deviation * level.standard_normal()
    }

    fn mean(&self) -> f64 {
        self.mean
    }

    fn variance(&self) -> f64 {
        self.standard_deviation * self.standard_deviation
    }

    fn support(&self) -> Support {
        Support { low: f64::NEG_INFINITY, high: f64::INFINITY }
    }
}
