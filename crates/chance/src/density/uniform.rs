use super::error::finite;
use super::{DensityError, Family, Level, Support};

/// Equally dense between two ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uniform {
    low: f64,
    high: f64,
}

impl Uniform {
    pub(super) fn new(low: f64, high: f64) -> Result<Self, DensityError> {
        let family = "uniform";
        finite(family, "lower end", low)?;
        finite(family, "upper end", high)?;
        if low >= high {
            return Err(DensityError::EmptyInterval { family, low, high });
        }
        Ok(Uniform { low, high })
    }

    /// The lower end.
    #[must_use]
    pub fn low(&self) -> f64 {
        self.low
    }

    /// The upper end.
    #[must_use]
    pub fn high(&self) -> f64 {
        self.high
    }

    fn width(&self) -> f64 {
        self.high - self.low
    }
}

impl Family for Uniform {
    fn log_density(&self, x: f64) -> f64 {
        if self.support().contains(x) { -libm::log(self.width()) } else { f64::NEG_INFINITY }
    }

    fn cdf(&self, x: f64) -> f64 {
        ((x - self.low) / self.width()).clamp(0.0, 1.0)
    }

    fn survival(&self, x: f64) -> f64 {
        ((self.high - x) / self.width()).clamp(0.0, 1.0)
    }

    fn quantile(&self, level: Level) -> f64 {
        // From the nearer end, so that neither end is lost to rounding.
        let lower = level.lower();
        if lower <= 0.5 { self.low + self.width() * lower } else { self.high - self.width() * level.upper() }
    }

    fn mean(&self) -> f64 {
        0.5 * self.low + 0.5 * self.high
    }

    fn variance(&self) -> f64 {
        self.width() * self.width() / 12.0
    }

    fn support(&self) -> Support {
        Support { low: self.low, high: self.high }
    }
}
