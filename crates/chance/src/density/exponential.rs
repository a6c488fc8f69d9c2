use super::error::{finite, positive};
use super::{DensityError, Family, Level, Support};

/// Exponential above an origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exponential {
    origin: f64,
    rate: f64,
}

impl Exponential {
    pub(super) fn new(origin: f64, rate: f64) -> Result<Self, DensityError> {
        Ok(Exponential {
            origin: finite("exponential", "origin", origin)?,
            rate: positive("exponential", "rate", rate)?,
        })
    }

    /// The least value.
    #[must_use]
    pub fn origin(&self) -> f64 {
        self.origin
    }

    /// One divided by the mean excess over the origin.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// The excess over the origin, in mean excesses; not below zero.
    fn excess(&self, x: f64) -> f64 {
        ((x - self.origin) * self.rate).max(0.0)
    }
}

impl Family for Exponential {
    fn log_density(&self, x: f64) -> f64 {
        if x < self.origin {
            return f64::NEG_INFINITY;
        }
        libm::log(self.rate) - self.excess(x)
    }

    fn cdf(&self, x: f64) -> f64 {
        -libm::expm1(-self.excess(x))
    }

    fn survival(&self, x: f64) -> f64 {
        libm::exp(-self.excess(x))
    }

    fn quantile(&self, level: Level) -> f64 {
        self.origin - level.log_upper() / self.rate
    }

    fn mean(&self) -> f64 {
        self.origin + 1.0 / self.rate
    }

    fn variance(&self) -> f64 {
        1.0 / self.rate / self.rate
    }

    fn support(&self) -> Support {
        Support { low: self.origin, high: f64::INFINITY }
    }
}
