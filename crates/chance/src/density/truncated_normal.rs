use super::error::{finite, positive};
use super::{DensityError, Family, Level, Support};
use crate::quadrature::{integrate, integrate_panels};
use crate::standard_normal;

/// Farther out, the decay of the density is not resolved by the spacing of
/// floating-point numbers.
const FARTHEST: f64 = 1e6;

/// Where the logarithm of the density has fallen by this much, nothing is left
/// of a moment.
const NEGLIGIBLE: f64 = 45.0;

/// A normal density restricted to an interval.
///
/// Inside, the density is seen from the end of the interval that is *nearer* to
/// the mean, with the axis mirrored where that is the upper end, and all masses
/// are relative to the density at its highest point, the *anchor* (that end, or
/// the mean where the interval holds it). So nothing underflows in the tails.
/// Distances from the ends are taken before they are standardised, so nothing
/// cancels in narrow intervals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TruncatedNormal {
    mean: f64,
    standard_deviation: f64,
    low: f64,
    high: f64,
    mirrored: bool,
    /// The ends as standard normal numbers, |near| ≤ |far| and near ≤ far.
    near: f64,
    far: f64,
    /// The mass of the interval, relative to the density at the anchor.
    mass: f64,
}

impl TruncatedNormal {
    pub(super) fn new(mean: f64, standard_deviation: f64, low: f64, high: f64) -> Result<Self, DensityError> {
        let family = "truncated normal";
        finite(family, "mean", mean)?;
        positive(family, "standard deviation", standard_deviation)?;
        if low.is_nan() || high.is_nan() || low >= high {
            return Err(DensityError::EmptyInterval { family, low, high });
        }
        let lower = (low - mean) / standard_deviation;
        let upper = (high - mean) / standard_deviation;
        // With two infinite ends the sum is NaN, and either view will do.
        let mirrored = lower + upper < 0.0;
        let (near, far) = if mirrored { (-upper, -lower) } else { (lower, upper) };
        // NaN arises where the difference of two huge numbers overflows.
        if near.is_nan() || far.is_nan() || near > FARTHEST {
            return Err(DensityError::TooFar { low, high });
        }
        let mut density = TruncatedNormal { mean, standard_deviation, low, high, mirrored, near, far, mass: 1.0 };
        let width = (high - low) / standard_deviation;
        density.mass = density.relative_mass(near, far, width, density.offset_of_near());
        Ok(density)
    }

    /// The mean before truncation.
    #[must_use]
    pub fn untruncated_mean(&self) -> f64 {
        self.mean
    }

    /// The standard deviation before truncation.
    #[must_use]
    pub fn untruncated_standard_deviation(&self) -> f64 {
        self.standard_deviation
    }

    fn anchor(&self) -> f64 {
        self.near.max(0.0)
    }

    fn offset_of_near(&self) -> f64 {
        self.near.min(0.0)
    }

    /// The standardised distance of `x` from the anchor, towards the far end.
    fn offset(&self, x: f64) -> f64 {
        if self.near > 0.0 {
            self.distance_to_near(x)
        } else if self.mirrored {
            (self.mean - x) / self.standard_deviation
        } else {
            (x - self.mean) / self.standard_deviation
        }
    }

    /// The value at an offset from the anchor.
    fn value_at(&self, offset: f64) -> f64 {
        let start = match (self.near > 0.0, self.mirrored) {
            (false, _) => self.mean,
            (true, false) => self.low,
            (true, true) => self.high,
        };
        self.towards_far(start, offset)
    }

    /// `x` moved by a standardised distance towards the far end, within the interval.
    fn towards_far(&self, x: f64, distance: f64) -> f64 {
        let step = self.standard_deviation * distance;
        let moved = if self.mirrored { x - step } else { x + step };
        moved.clamp(self.low, self.high)
    }

    fn distance_to_near(&self, x: f64) -> f64 {
        let distance = if self.mirrored { self.high - x } else { x - self.low };
        distance / self.standard_deviation
    }

    fn distance_to_far(&self, x: f64) -> f64 {
        let distance = if self.mirrored { x - self.low } else { self.high - x };
        distance / self.standard_deviation
    }

    /// The logarithm of the density at an offset, relative to the anchor's.
    fn log_relative_density(&self, offset: f64) -> f64 {
        -0.5 * offset * (2.0 * self.anchor() + offset)
    }

    /// The relative mass between two standard normal numbers, given their
    /// distance and the offset of the first.
    fn relative_mass(&self, left: f64, right: f64, width: f64, left_offset: f64) -> f64 {
        if left >= 0.0 {
            libm::exp(self.log_relative_density(left_offset)) * mass_beyond(left, width)
        } else if right <= 0.0 {
            libm::exp(self.log_relative_density(right)) * mass_beyond(-right, width)
        } else {
            mass_beyond(0.0, -left) + mass_beyond(0.0, right)
        }
    }

    fn mass_from_near(&self, x: f64) -> f64 {
        let z = self.anchor() + self.offset(x);
        self.relative_mass(self.near, z, self.distance_to_near(x), self.offset_of_near())
    }

    fn mass_to_far(&self, x: f64) -> f64 {
        let offset = self.offset(x);
        self.relative_mass(self.anchor() + offset, self.far, self.distance_to_far(x), offset)
    }

    /// The part of the mass between the low end and `x`, or between `x` and the
    /// high end.
    fn fraction(&self, x: f64, of_low_side: bool) -> f64 {
        if x <= self.low || x >= self.high {
            return f64::from(u8::from((x >= self.high) == of_low_side));
        }
        let mass = if of_low_side == self.mirrored { self.mass_to_far(x) } else { self.mass_from_near(x) };
        (mass / self.mass).min(1.0)
    }

    /// The offset at which the fractions `near_side` and `far_side` of the mass
    /// lie on either side, good to a few digits at least.
    fn approximate_offset(&self, near_side: f64, far_side: f64) -> f64 {
        // A tail probability of the value is the mean of those of the ends.
        if self.near > 0.0 {
            let far_ratio = 1.0 - self.mass / standard_normal::mills(self.near);
            let log_tail =
                standard_normal::log_survival(self.near) + libm::log(far_side + near_side * far_ratio.max(0.0));
            return standard_normal::quantile_of_log_survival(log_tail) - self.near;
        }
        let mixed = |near: f64, far: f64| far_side * near + near_side * far;
        let below = mixed(standard_normal::cdf(self.near), standard_normal::cdf(self.far));
        let above = mixed(standard_normal::survival(self.near), standard_normal::survival(self.far));
        if below < above { standard_normal::quantile(below) } else { -standard_normal::quantile(above) }
    }

    /// The mean and the variance of the offset. By quadrature: the closed forms
    /// subtract nearly equal numbers in tails and in narrow intervals.
    fn offset_moments(&self) -> (f64, f64) {
        let anchor = self.anchor();
        let reach = 2.0 * NEGLIGIBLE / ((anchor * anchor + 2.0 * NEGLIGIBLE).sqrt() + anchor);
        let low = self.offset_of_near().max(-reach);
        let high = if self.near > 0.0 {
            ((self.high - self.low) / self.standard_deviation).min(reach)
        } else {
            self.far.min(reach)
        };
        let expect = |function: &dyn Fn(f64) -> f64| {
            integrate_panels(low, high, 16, |offset| function(offset) * libm::exp(self.log_relative_density(offset)))
                / self.mass
        };
        let mean = expect(&|offset| offset);
        (mean, expect(&|offset| (offset - mean) * (offset - mean)))
    }
}

/// The integral of exp(−start·t − t²/2) for t from 0 to `width`: the normal mass
/// beyond `start` ≥ 0, relative to the density there.
fn mass_beyond(start: f64, width: f64) -> f64 {
    let fall = width * (start + 0.5 * width);
    if fall <= 1.0 {
        // The difference below would cancel; the integrand is nearly flat.
        integrate(0.0, width, |t| libm::exp(-t * (start + 0.5 * t)))
    } else if fall.is_finite() {
        standard_normal::mills(start) - standard_normal::mills(start + width) * libm::exp(-fall)
    } else {
        standard_normal::mills(start)
    }
}

impl Family for TruncatedNormal {
    fn log_density(&self, x: f64) -> f64 {
        if !self.support().contains(x) {
            return f64::NEG_INFINITY;
        }
        self.log_relative_density(self.offset(x)) - libm::log(self.mass) - libm::log(self.standard_deviation)
    }

    fn cdf(&self, x: f64) -> f64 {
        self.fraction(x, true)
    }

    fn survival(&self, x: f64) -> f64 {
        self.fraction(x, false)
    }

    fn quantile(&self, level: Level) -> f64 {
        let (near_side, far_side) =
            if self.mirrored { (level.upper(), level.lower()) } else { (level.lower(), level.upper()) };
        let mut x = self.value_at(self.approximate_offset(near_side, far_side));
        // Halley's method on the smaller of the two masses.
        for _ in 0..3 {
            let excess = if near_side <= far_side {
                self.mass_from_near(x) - near_side * self.mass
            } else {
                far_side * self.mass - self.mass_to_far(x)
            };
            let offset = self.offset(x);
            let newton = excess / libm::exp(self.log_relative_density(offset));
            let step = newton / (1.0 + 0.5 * newton * (self.anchor() + offset));
            // Where the density underflows the approximation is left as it is.
            if !step.is_finite() {
                break;
            }
            x = self.towards_far(x, -step);
        }
        x
    }

    fn mean(&self) -> f64 {
        self.value_at(self.offset_moments().0)
    }

    fn variance(&self) -> f64 {
        self.offset_moments().1 * self.standard_deviation * self.standard_deviation
    }

    fn support(&self) -> Support {
        Support { low: self.low, high: self.high }
    }
}
