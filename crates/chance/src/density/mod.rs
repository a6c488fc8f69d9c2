//! Densities that sample and score.

mod discrete;
mod error;
mod exponential;
mod level;
mod log_normal;
mod mixture;
mod normal;
mod truncated_normal;
mod uniform;

pub use discrete::{Constant, Discrete};
pub use error::DensityError;
pub use exponential::Exponential;
pub use log_normal::LogNormal;
pub use mixture::Mixture;
pub use normal::Normal;
pub use truncated_normal::TruncatedNormal;
pub use uniform::Uniform;

use crate::Stream;
use level::Level;

/// The distribution of one uncertain number.
///
/// Every density is proper: the constructors refuse what cannot be normalised or
/// has no finite mean and variance. A density samples, by its quantile function
/// and from exactly two words of a stream whatever its family; and it scores, by
/// a normalised logarithm.
///
/// Values with a probability of their own (constants, discrete values, also
/// within a mixture) score that probability, all others their density; a value
/// with a probability of its own is infinitely more likely than its neighbours.
///
/// Where a value is not a number, scores are −∞ and everything else is not a
/// number either.
///
/// ```
/// use proscenium_chance::{Density, Seed};
/// use proscenium_work::Remedy as _;
///
/// let speed = Density::truncated_normal(7.0, 1.0, 0.0, f64::INFINITY)?;
/// let mut stream = Seed(1).stream("release speed");
/// let drawn = speed.sample(&mut stream);
/// assert!(drawn > 0.0 && speed.log_density(drawn) > -20.0);
/// assert_eq!(speed.log_density(-0.1), f64::NEG_INFINITY);
///
/// let refused = Density::normal(7.0, 0.0).unwrap_err();
/// assert_eq!(
///     refused.explain(),
///     "the standard deviation of a normal density is 0: give a number above zero, \
///      or use a constant for a value that is certain"
/// );
/// # Ok::<(), proscenium_chance::DensityError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Density {
    /// One value, for certain.
    Constant(Constant),
    /// Equally dense between two ends.
    Uniform(Uniform),
    /// Normal (Gaussian).
    Normal(Normal),
    /// A normal restricted to an interval.
    TruncatedNormal(TruncatedNormal),
    /// Exponential above an origin.
    Exponential(Exponential),
    /// A number whose logarithm is normal.
    LogNormal(LogNormal),
    /// One of finitely many values.
    Discrete(Discrete),
    /// One of several densities, chosen by weight.
    Mixture(Mixture),
}

/// The smallest closed interval outside which a density is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Support {
    /// The lower end, possibly −∞.
    pub low: f64,
    /// The upper end, possibly +∞.
    pub high: f64,
}

impl Support {
    /// Whether `x` lies in the interval, ends included.
    #[must_use]
    pub fn contains(self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }
}

/// What each family provides. Arguments are never NaN.
trait Family {
    fn log_density(&self, x: f64) -> f64;
    /// The logarithm of the probability of exactly `x`.
    fn log_mass(&self, _x: f64) -> f64 {
        f64::NEG_INFINITY
    }
    /// The probability of a value up to and including `x`.
    fn cdf(&self, x: f64) -> f64;
    /// The probability of a value above `x`, accurate where it is small.
    fn survival(&self, x: f64) -> f64;
    /// The least value whose `cdf` reaches the level.
    fn quantile(&self, level: Level) -> f64;
    fn mean(&self) -> f64;
    fn variance(&self) -> f64;
    fn support(&self) -> Support;
}

impl Density {
    /// The value `value`, for certain.
    pub fn constant(value: f64) -> Result<Density, DensityError> {
        Ok(Density::Constant(Constant::new(value)?))
    }

    /// Equally dense between `low` and `high`.
    pub fn uniform(low: f64, high: f64) -> Result<Density, DensityError> {
        Density::Uniform(Uniform::new(low, high)?).with_moments("uniform")
    }

    /// Normal with the given mean and standard deviation.
    pub fn normal(mean: f64, standard_deviation: f64) -> Result<Density, DensityError> {
        Density::Normal(Normal::new(mean, standard_deviation)?).with_moments("normal")
    }

    /// The normal density restricted to the interval from `low` to `high`, either
    /// of which may be infinite. Accurate however far the interval lies in a
    /// tail, up to a million standard deviations.
    pub fn truncated_normal(mean: f64, standard_deviation: f64, low: f64, high: f64) -> Result<Density, DensityError> {
        let family = TruncatedNormal::new(mean, standard_deviation, low, high)?;
        Density::TruncatedNormal(family).with_moments("truncated normal")
    }

    /// Exponential from zero upwards with the given rate, which is 1 / mean.
    pub fn exponential(rate: f64) -> Result<Density, DensityError> {
        Density::shifted_exponential(0.0, rate)
    }

    /// Exponential from `origin` upwards with the given rate: the excess over
    /// `origin` has the mean 1 / `rate`.
    pub fn shifted_exponential(origin: f64, rate: f64) -> Result<Density, DensityError> {
        Density::Exponential(Exponential::new(origin, rate)?).with_moments("exponential")
    }

    /// A number whose natural logarithm is normal with the given mean and
    /// standard deviation.
    pub fn log_normal(log_mean: f64, log_standard_deviation: f64) -> Result<Density, DensityError> {
        let family = LogNormal::new(log_mean, log_standard_deviation)?;
        Density::LogNormal(family).with_moments("log-normal")
    }

    /// One of the values, with chances proportional to the weights: pairs of
    /// value and weight. Equal values are put together; weights of zero drop out.
    ///
    /// ```
    /// use proscenium_chance::Density;
    ///
    /// let die = Density::discrete((1..=6).map(|face| (f64::from(face), 1.0)))?;
    /// assert_eq!(die.quantile(0.5), 3.0);
    /// assert!((die.mean() - 3.5).abs() < 1e-15);
    /// # Ok::<(), proscenium_chance::DensityError>(())
    /// ```
    pub fn discrete(values_and_weights: impl IntoIterator<Item = (f64, f64)>) -> Result<Density, DensityError> {
        Density::Discrete(Discrete::new(values_and_weights)?).with_moments("discrete")
    }

    /// One of the densities, with chances proportional to the weights: pairs of
    /// density and weight. Weights of zero drop out; a mixture within the
    /// mixture is replaced by its components.
    ///
    /// ```
    /// use proscenium_chance::Density;
    ///
    /// let wait = Density::mixture([
    ///     (Density::constant(0.0)?, 0.7),
    ///     (Density::exponential(0.2)?, 0.3),
    /// ])?;
    /// assert_eq!(wait.quantile(0.6), 0.0);
    /// assert!((wait.mean() - 1.5).abs() < 1e-15);
    /// # Ok::<(), proscenium_chance::DensityError>(())
    /// ```
    pub fn mixture(densities_and_weights: impl IntoIterator<Item = (Density, f64)>) -> Result<Density, DensityError> {
        Density::Mixture(Mixture::new(densities_and_weights)?).with_moments("mixture")
    }

    /// Refuses what the families accept but whose moments overflow.
    fn with_moments(self, family: &'static str) -> Result<Density, DensityError> {
        if self.mean().is_finite() && self.variance().is_finite() {
            Ok(self)
        } else {
            Err(DensityError::TooWide { family })
        }
    }

    fn family(&self) -> &dyn Family {
        match self {
            Density::Constant(family) => family,
            Density::Uniform(family) => family,
            Density::Normal(family) => family,
            Density::TruncatedNormal(family) => family,
            Density::Exponential(family) => family,
            Density::LogNormal(family) => family,
            Density::Discrete(family) => family,
            Density::Mixture(family) => family,
        }
    }

    /// Draws a value: the [`quantile`](Density::quantile) of a uniform number.
    /// Takes two words.
    pub fn sample(&self, stream: &mut Stream) -> f64 {
        self.quantile(stream.uniform())
    }

    /// The logarithm of the density at `x`, −∞ outside the support.
    #[must_use]
    pub fn log_density(&self, x: f64) -> f64 {
        if x.is_nan() {
            return f64::NEG_INFINITY;
        }
        self.family().log_density(x)
    }

    /// The probability of a value up to and including `x`.
    #[must_use]
    pub fn cdf(&self, x: f64) -> f64 {
        if x.is_nan() {
            return x;
        }
        self.family().cdf(x)
    }

    /// The probability of a value above `x`: 1 − `cdf(x)`, without the rounding
    /// of that difference where it is small.
    #[must_use]
    pub fn survival(&self, x: f64) -> f64 {
        if x.is_nan() {
            return x;
        }
        self.family().survival(x)
    }

    /// The least value whose [`cdf`](Density::cdf) reaches `probability`; an end
    /// of the support for probabilities not between 0 and 1.
    #[must_use]
    pub fn quantile(&self, probability: f64) -> f64 {
        if probability.is_nan() {
            probability
        } else if probability <= 0.0 {
            self.support().low
        } else if probability >= 1.0 {
            self.support().high
        } else {
            self.family().quantile(Level::Probability(probability))
        }
    }

    /// The value that takes the place which `z` has among standard normal
    /// numbers: the quantile of Φ(z), accurate in both tails.
    ///
    /// It does not fall as `z` rises (but for the last digit). A standard normal `z` becomes a value with
    /// this density, so that many unlike variables can be moved as one Gaussian
    /// vector. Other than for normal and log-normal densities, `z` is taken to
    /// be at most 37.5 in size (a probability of 5e-308).
    #[must_use]
    pub fn from_standard_normal(&self, z: f64) -> f64 {
        if z.is_nan() {
            return z;
        }
        self.family().quantile(Level::StandardNormal(z))
    }

    /// The standard normal number that takes the place of `x`: the inverse of
    /// [`from_standard_normal`](Density::from_standard_normal) where that is
    /// continuous, accurate in both tails.
    ///
    /// Infinite at and beyond the ends of the support. A value with a
    /// probability of its own has a range of places; this is the upper end.
    ///
    /// ```
    /// use proscenium_chance::Density;
    ///
    /// let angle = Density::uniform(-0.3, 0.3)?;
    /// assert!(angle.to_standard_normal(0.0).abs() < 1e-15);
    /// assert!((angle.from_standard_normal(angle.to_standard_normal(0.2)) - 0.2).abs() < 1e-15);
    /// assert_eq!(angle.to_standard_normal(0.3), f64::INFINITY);
    /// # Ok::<(), proscenium_chance::DensityError>(())
    /// ```
    #[must_use]
    pub fn to_standard_normal(&self, x: f64) -> f64 {
        match self {
            // Exact where probabilities would underflow.
            Density::Normal(normal) => return (x - normal.mean()) / normal.standard_deviation(),
            Density::LogNormal(log_normal) if x > 0.0 => {
                return (libm::log(x) - log_normal.log_mean()) / log_normal.log_standard_deviation();
            }
            _ => {}
        }
        let (below, above) = (self.cdf(x), self.survival(x));
        if below.is_nan() {
            below
        } else if below <= 0.0 {
            f64::NEG_INFINITY
        } else if above <= 0.0 {
            f64::INFINITY
        } else if below < 0.5 {
            crate::standard_normal::quantile(below)
        } else {
            -crate::standard_normal::quantile(above)
        }
    }

    /// The expected value.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.family().mean()
    }

    /// The expected squared distance from the mean.
    #[must_use]
    pub fn variance(&self) -> f64 {
        self.family().variance()
    }

    /// The interval that holds every value.
    #[must_use]
    pub fn support(&self) -> Support {
        self.family().support()
    }
}
