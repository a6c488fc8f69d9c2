use super::error::{finite, normalised};
use super::{DensityError, Family, Level, Support};

/// One value, for certain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constant {
    value: f64,
}

impl Constant {
    pub(super) fn new(value: f64) -> Result<Self, DensityError> {
        Ok(Constant { value: finite("constant", "value", value)? })
    }

    /// The value.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.value
    }
}

impl Family for Constant {
    fn log_density(&self, x: f64) -> f64 {
        self.log_mass(x)
    }

    fn log_mass(&self, x: f64) -> f64 {
        if x == self.value { 0.0 } else { f64::NEG_INFINITY }
    }

    fn cdf(&self, x: f64) -> f64 {
        f64::from(u8::from(x >= self.value))
    }

    fn survival(&self, x: f64) -> f64 {
        1.0 - self.cdf(x)
    }

    fn quantile(&self, _level: Level) -> f64 {
        self.value
    }

    fn mean(&self) -> f64 {
        self.value
    }

    fn variance(&self) -> f64 {
        0.0
    }

    fn support(&self) -> Support {
        Support { low: self.value, high: self.value }
    }
}

/// One of finitely many values.
#[derive(Clone, Debug, PartialEq)]
pub struct Discrete {
    /// In rising order; never empty.
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry {
    value: f64,
    probability: f64,
    /// The probability of this value or a lower one.
    lower: f64,
    /// The probability of a higher value.
    upper: f64,
}

impl Discrete {
    pub(super) fn new(values_and_weights: impl IntoIterator<Item = (f64, f64)>) -> Result<Self, DensityError> {
        let mut pairs = normalised("discrete", values_and_weights)?;
        for &(value, _) in &pairs {
            finite("discrete", "value", value)?;
        }
        pairs.sort_by(|first, second| first.0.total_cmp(&second.0));
        let mut entries: Vec<Entry> = Vec::with_capacity(pairs.len());
        let mut lower: f64 = 0.0;
        for (value, probability) in pairs {
            lower = (lower + probability).min(1.0);
            match entries.last_mut() {
                Some(last) if last.value == value => {
                    last.probability += probability;
                    last.lower = lower;
                }
                _ => entries.push(Entry { value, probability, lower, upper: 0.0 }),
            }
        }
        let mut upper: f64 = 0.0;
        for entry in entries.iter_mut().rev() {
            entry.upper = upper;
            upper = (upper + entry.probability).min(1.0);
            // In the upper half the tail is the better known side.
            if entry.upper < 0.5 {
                entry.lower = 1.0 - entry.upper;
            }
        }
        Ok(Discrete { entries })
    }

    /// The values in rising order, each with its probability.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (f64, f64)> + '_ {
        self.entries.iter().map(|entry| (entry.value, entry.probability))
    }

    /// The last entry that is not above `x`.
    fn entry_up_to(&self, x: f64) -> Option<&Entry> {
        let above = self.entries.partition_point(|entry| entry.value <= x);
        self.entries.get(above.checked_sub(1)?)
    }

    fn expect(&self, function: impl Fn(f64) -> f64) -> f64 {
        self.entries.iter().map(|entry| entry.probability * function(entry.value)).sum()
    }
}

impl Family for Discrete {
    fn log_density(&self, x: f64) -> f64 {
        self.log_mass(x)
    }

    fn log_mass(&self, x: f64) -> f64 {
        match self.entry_up_to(x) {
            Some(entry) if entry.value == x => libm::log(entry.probability),
            _ => f64::NEG_INFINITY,
        }
    }

    fn cdf(&self, x: f64) -> f64 {
        self.entry_up_to(x).map_or(0.0, |entry| entry.lower)
    }

    fn survival(&self, x: f64) -> f64 {
        self.entry_up_to(x).map_or(1.0, |entry| entry.upper)
    }

    fn quantile(&self, level: Level) -> f64 {
        let lower = level.lower();
        let by_lower = |level: f64| self.entries.partition_point(|entry| entry.lower < level);
        let index = match level {
            Level::StandardNormal(z) if z > 0.0 => {
                // Not below the median, lest rounding make the two sides disagree.
                let upper = level.upper();
                let by_upper = self.entries.partition_point(|entry| entry.upper > upper);
                by_upper.max(by_lower(0.5))
            }
            _ => by_lower(lower),
        };
        self.entries[index.min(self.entries.len() - 1)].value
    }

    fn mean(&self) -> f64 {
        self.expect(|value| value)
    }

    fn variance(&self) -> f64 {
        let mean = self.mean();
        self.expect(|value| (value - mean) * (value - mean))
    }

    fn support(&self) -> Support {
        Support { low: self.entries[0].value, high: self.entries[self.entries.len() - 1].value }
    }
}
