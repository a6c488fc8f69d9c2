//! The normal distribution with mean 0 and standard deviation 1, accurate far
//! into both tails.
//!
//! Everything here uses `libm` and the four operations only, so that values are
//! the same on every platform.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, SQRT_2};

/// 1/√2 is `FRAC_1_SQRT_2` plus this.
const FRAC_1_SQRT_2_REST: f64 = -4.833_646_656_726_457e-17;

/// ln √(2π).
pub(crate) const LN_SQRT_TAU: f64 = 0.918_938_533_204_672_7;

/// √(2π).
pub(crate) const SQRT_TAU: f64 = 2.506_628_274_631_000_5;

/// From here on the Mills ratio comes from its continued fraction.
const FRACTION_START: f64 = 5.0;

/// The logarithm of the density.
#[must_use]
pub fn log_density(z: f64) -> f64 {
    -0.5 * z * z - LN_SQRT_TAU
}

/// The probability of a value up to `z`, with a relative error below 1e-15 down
/// to the smallest normal number (`z` about −37.5).
#[must_use]
pub fn cdf(z: f64) -> f64 {
    survival(-z)
}

/// The probability of a value above `z`, as accurate as [`cdf`].
///
/// ```
/// use proscenium_chance::standard_normal::{cdf, survival};
///
/// assert_eq!(1.0 - cdf(9.0), 0.0);
/// assert!((survival(9.0) / 1.128_588_405_953_840_6e-19 - 1.0).abs() < 1e-15);
/// ```
#[must_use]
pub fn survival(z: f64) -> f64 {
    let scaled = z * FRAC_1_SQRT_2;
    let complement = libm::erfc(scaled);
    if z.is_infinite() || complement == 0.0 {
        return 0.5 * complement;
    }
    // What rounding took from z/√2 matters in the tail, where the relative
    // slope of erfc is large: a first-order correction returns it.
    let rest = libm::fma(z, FRAC_1_SQRT_2, -scaled) + z * FRAC_1_SQRT_2_REST;
    0.5 * (complement - FRAC_2_SQRT_PI * libm::exp(-scaled * scaled) * rest)
}

/// The logarithm of [`survival`], finite for every finite `z` whose square is.
#[must_use]
pub fn log_survival(z: f64) -> f64 {
    if z < 0.0 {
        libm::log1p(-survival(-z))
    } else if z < FRACTION_START {
        libm::log(survival(z))
    } else {
        log_density(z) + libm::log(mills(z))
    }
}

/// The logarithm of [`cdf`].
#[must_use]
pub fn log_cdf(z: f64) -> f64 {
    log_survival(-z)
}

/// The value that has the probability `probability` below it: the inverse of [`cdf`].
///
/// Wichura's algorithm AS 241 (PPND16), with a relative error below 1e-15. The
/// ends are −∞ at 0 and +∞ at 1; what is not in between gives NaN.
#[must_use]
pub fn quantile(probability: f64) -> f64 {
    let from_median = probability - 0.5;
    if from_median.abs() <= 0.425 {
        let r = 0.180_625 - from_median * from_median;
        return from_median * polynomial(&CENTRE_NUMERATOR, r) / polynomial(&CENTRE_DENOMINATOR, r);
    }
    if probability < 0.5 {
        -upper_quantile(libm::log(probability))
    } else {
        upper_quantile(libm::log(1.0 - probability))
    }
}

/// The value above which the probability is `exp(log_tail)`: the inverse of
/// [`log_survival`] for tails of at most 0.075, and usable up to one half.
///
/// Defined for tails far below the smallest floating-point number.
#[must_use]
pub fn quantile_of_log_survival(log_tail: f64) -> f64 {
    let tail = libm::exp(log_tail);
    if tail > 0.075 {
        return -quantile(tail);
    }
    upper_quantile(log_tail)
}

/// The positive half of AS 241 outside the centre, continued by Newton's method
/// where its rational functions end.
fn upper_quantile(log_tail: f64) -> f64 {
    let r = (-log_tail).sqrt();
    if r <= 5.0 {
        polynomial(&MIDDLE_NUMERATOR, r - 1.6) / polynomial(&MIDDLE_DENOMINATOR, r - 1.6)
    } else if r <= 26.0 {
        polynomial(&TAIL_NUMERATOR, r - 5.0) / polynomial(&TAIL_DENOMINATOR, r - 5.0)
    } else if r.is_infinite() {
        r
    } else {
        // log_survival is nearly quadratic here; four steps leave rounding only.
        let mut z = SQRT_2 * r;
        for _ in 0..4 {
            z += (log_survival(z) - log_tail) * mills(z);
        }
        z
    }
}

/// The Mills ratio, survival divided by density, for `z` ≥ 0.
pub(crate) fn mills(z: f64) -> f64 {
    if z < FRACTION_START {
        return survival(z) * libm::exp(0.5 * z * z) * SQRT_TAU;
    }
    if z > 1e8 {
        return 1.0 / z;
    }
    // Laplace's continued fraction 1/(z + 1/(z + 2/(z + 3/(z + …)))), from its
    // far end. The number of terms is what full precision needs at z = 5.
    let mut denominator = z;
    for term in (1..=40).rev() {
        denominator = z + f64::from(term) / denominator;
    }
    1.0 / denominator
}

/// Evaluates by Horner's rule; the highest power comes first.
fn polynomial(coefficients: &[f64; 8], x: f64) -> f64 {
    coefficients.iter().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

// The constants of AS 241, the highest power first.
const CENTRE_NUMERATOR: [f64; 8] = [
    2509.0809287301227,
    33430.57558358813,
    67265.7709270087,
    45921.95393154987,
    13731.69376550946,
    1971.5909503065513,
    133.14166789178438,
    3.3871328727963665,
];
const CENTRE_DENOMINATOR: [f64; 8] = [
    5226.495278852854,
    28729.085735721943,
    39307.89580009271,
    21213.794301586597,
    5394.196021424751,
    687.1870074920579,
    42.31333070160091,
    1.0,
];
const MIDDLE_NUMERATOR: [f64; 8] = [
    0.0007745450142783414,
    0.022723844989269184,
    0.2417807251774506,
    1.2704582524523684,
    3.6478483247632045,
    5.769497221460691,
    4.630337846156546,
    1.4234371107496835,
];
const MIDDLE_DENOMINATOR: [f64; 8] = [
    1.0507500716444169e-09,
    0.0005475938084995345,
    0.015198666563616457,
    0.14810397642748008,
    0.6897673349851,
    1.6763848301838038,
    2.053191626637759,
    1.0,
];
const TAIL_NUMERATOR: [f64; 8] = [
    2.0103343992922881e-07,
    2.7115555687434876e-05,
    0.0012426609473880784,
    0.026532189526576124,
    0.29656057182850487,
    1.7848265399172913,
    5.463784911164114,
    6.657904643501103,
];
const TAIL_DENOMINATOR: [f64; 8] = [
    2.0442631033899397e-15,
    1.421511758316446e-07,
    1.8463183175100548e-05,
    0.0007868691311456133,
    0.014875361290850615,
    0.1369298809227358,
    0.599832206555888,
    1.0,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// z, the survival function and its logarithm, computed with 60 digits.
    const SURVIVAL: [(f64, f64, f64); 12] = [
        (-9.3, 1.0, -7.022284240441625e-21),
        (-1.25, 0.8943502263331448, -0.11165782847292517),
        (-0.1, 0.539827837277029, -0.6165050101150263),
        (0.7, 0.24196365222307303, -1.4189677615315315),
        (1.9, 0.028716559816001807, -3.5502813255421346),
        (3.3, 0.0004834241423837775, -7.634616148071127),
        (4.99, 3.0189646252084845e-07, -15.01318171768932),
        (5.01, 2.7215017728558194e-07, -15.116911800640429),
        (8.2, 1.2019351542735859e-16, -36.65742860143866),
        (17.3, 2.3519444588092324e-67, -153.41795881529535),
        (33.7, 2.890337256050584e-249, -572.2823149626063),
        (60.1, 0.0, -1811.020225037548),
    ];

    /// A probability and its quantile, computed with 60 digits.
    const QUANTILE: [(f64, f64); 12] = [
        (1e-300, -37.0470962993612),
        (3.3e-100, -21.217380539111744),
        (1e-20, -9.262340089798407),
        (1.1102230246251565e-16, -8.209536151601387),
        (1.7e-07, -5.099806993280369),
        (0.0013, -3.0114537584997843),
        (0.0749, -1.4402382675279637),
        (0.0751, -1.43882539275254),
        (0.31, -0.4958503473474533),
        (0.499999, -2.5066282745665593e-06),
        (0.77, 0.7388468491852137),
        (0.99999, 4.264890793923841),
    ];

    #[test]
    fn the_distribution_function_matches_reference_values() {
        for (z, tail, log_tail) in SURVIVAL {
            let relative = (survival(z) / tail - 1.0).abs();
            assert!(tail < 1e-307 || relative < 1e-15, "{z}: {relative:e}");
            let relative = (log_survival(z) / log_tail - 1.0).abs();
            assert!(relative < 1e-15, "log at {z}: {relative:e}");
        }
        assert_eq!(survival(0.0), 0.5);
        assert_eq!((survival(f64::INFINITY), survival(f64::NEG_INFINITY)), (0.0, 1.0));
        assert!(survival(f64::NAN).is_nan());
    }

    #[test]
    fn the_quantile_matches_reference_values() {
        for (probability, z) in QUANTILE {
            let relative = (quantile(probability) / z - 1.0).abs();
            assert!(relative < 1e-15, "{probability}: {relative:e}");
        }
        assert_eq!(quantile(0.5), 0.0);
        assert_eq!(quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(quantile(1.0), f64::INFINITY);
        assert!(quantile(-0.1).is_nan() && quantile(1.1).is_nan() && quantile(f64::NAN).is_nan());
    }

    #[test]
    fn the_quantile_inverts_the_tail_at_any_depth() {
        for step in 1..4000 {
            let z = 0.01 * f64::from(step) * f64::from(step).sqrt();
            let back = quantile_of_log_survival(log_survival(z));
            assert!((back / z - 1.0).abs() < 2e-15 * (1.0 + 1.0 / z), "{z}: {back}");
        }
        let back = quantile_of_log_survival(log_survival(1e6));
        assert!((back / 1e6 - 1.0).abs() < 1e-15);
    }
}
