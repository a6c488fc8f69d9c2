use super::error::normalised;
use super::{Density, DensityError, Family, Level, Support};

/// How many Newton steps a quantile takes before it is closed in by bisection.
const NEWTON_STEPS: usize = 16;

/// One of several densities, chosen by weight.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    /// Never empty, never themselves mixtures; the weights sum to one.
    components: Vec<(Density, f64)>,
}

impl Mixture {
    pub(super) fn new(densities_and_weights: impl IntoIterator<Item = (Density, f64)>) -> Result<Self, DensityError> {
        let mut components = Vec::new();
        for (density, weight) in normalised("mixture", densities_and_weights)? {
            match density {
                Density::Mixture(inner) => components.extend(
                    inner.components.into_iter().map(|(density, inner_weight)| (density, weight * inner_weight)),
                ),
                density => components.push((density, weight)),
            }
        }
        Ok(Mixture { components })
    }

    /// The densities, each with its weight; the weights sum to one.
    pub fn components(&self) -> impl ExactSizeIterator<Item = (&Density, f64)> {
        self.components.iter().map(|(density, weight)| (density, *weight))
    }

    fn expect(&self, function: impl Fn(&Density) -> f64) -> f64 {
        self.components.iter().map(|(density, weight)| weight * function(density)).sum()
    }

    /// The logarithm of the weighted sum of what `function` gives the logarithms of.
    fn log_expect(&self, function: impl Fn(&Density) -> f64) -> f64 {
        let term = |(density, weight): &(Density, f64)| libm::log(*weight) + function(density);
        let largest = self.components.iter().map(term).fold(f64::NEG_INFINITY, f64::max);
        if largest == f64::NEG_INFINITY {
            return largest;
        }
        let sum: f64 = self.components.iter().map(|component| libm::exp(term(component) - largest)).sum();
        largest + libm::log(sum)
    }

    /// How far beyond the level `x` is, as the logarithm of the ratio of the
    /// smaller tails, and that tail. Not negative where the level is reached.
    fn excess(&self, level: Level, x: f64) -> (f64, f64) {
        let (lower, upper) = (level.lower(), level.upper());
        if lower <= upper {
            let tail = self.cdf(x);
            (libm::log(tail / lower), tail)
        } else {
            let tail = self.survival(x);
            (libm::log(upper / tail), tail)
        }
    }
}

impl Family for Mixture {
    fn log_density(&self, x: f64) -> f64 {
        let mass = self.log_mass(x);
        if mass > f64::NEG_INFINITY {
            return mass;
        }
        self.log_expect(|density| density.log_density(x))
    }

    fn log_mass(&self, x: f64) -> f64 {
        self.log_expect(|density| density.family().log_mass(x))
    }

    fn cdf(&self, x: f64) -> f64 {
        self.expect(|density| density.cdf(x)).min(1.0)
    }

    fn survival(&self, x: f64) -> f64 {
        self.expect(|density| density.survival(x)).min(1.0)
    }

    fn quantile(&self, level: Level) -> f64 {
        // The mixture's quantile lies between the least and the largest of its
        // components' ones.
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (density, _) in &self.components {
            let quantile = density.family().quantile(level);
            low = low.min(quantile);
            high = high.max(quantile);
        }
        if low >= high || self.excess(level, low).0 >= 0.0 {
            return low;
        }
        // Newton's method on the logarithm of the tail narrows the interval.
        let mut x = 0.5 * low + 0.5 * high;
        for _ in 0..NEWTON_STEPS {
            let (excess, tail) = self.excess(level, x);
            if excess >= 0.0 {
                high = x;
            } else {
                low = x;
            }
            let step = excess * tail / libm::exp(self.log_density(x));
            let next = x - step;
            let settled = step.abs() <= 4.0 * f64::EPSILON * x.abs();
            if settled {
                let margin = 8.0 * f64::EPSILON * x.abs();
                for probe in [x - margin, x + margin] {
                    if low < probe && probe < high {
                        if self.excess(level, probe).0 >= 0.0 {
                            high = probe;
                        } else {
                            low = probe;
                        }
                    }
                }
                break;
            }
            x = if low < next && next < high { next } else { 0.5 * low + 0.5 * high };
        }
        // Bisection over the floating-point numbers in between ends at the least
        // one that reaches the level, also where a jump or a gap is there.
        let (mut low, mut high) = (rank(low), rank(high));
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.excess(level, number(middle)).0 >= 0.0 {
                high = middle;
            } else {
                low = middle;
            }
        }
        number(high)
    }

    fn mean(&self) -> f64 {
        self.expect(Density::mean)
    }

    fn variance(&self) -> f64 {
        let mean = self.mean();
        self.expect(|density| {
            let offset = density.mean() - mean;
            density.variance() + offset * offset
        })
    }

    fn support(&self) -> Support {
        let supports = || self.components.iter().map(|(density, _)| density.support());
        Support {
            low: supports().map(|support| support.low).fold(f64::INFINITY, f64::min),
            high: supports().map(|support| support.high).fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// The place of a number among all floating-point numbers.
fn rank(number: f64) -> i128 {
    let bits = number.to_bits();
    let magnitude = i128::from(bits & !(1 << 63));
    if bits >> 63 == 0 { magnitude } else { -magnitude }
}

/// The number at a place; the inverse of [`rank`].
fn number(rank: i128) -> f64 {
    let magnitude = f64::from_bits(rank.unsigned_abs() as u64);
    if rank < 0 { -magnitude } else { magnitude }
}
