//! Jacobi's elliptic functions and the integrals that go with them.

use std::f64::consts::{FRAC_PI_2, PI};

/// The largest parameter that is told apart from 1.
const LARGEST_PARAMETER: f64 = 1.0 - 1e-15;
const LEVELS: usize = 10;

/// sn, cn and dn for one parameter `m`, with the arithmetic–geometric means
/// that they need kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Jacobi {
    m: f64,
    /// Ratios c/a of the descent, and how many of them matter.
    ratios: [f64; LEVELS],
    levels: usize,
    /// 2^levels · a_last: what turns the argument into the last amplitude.
    factor: f64,
    quarter_period: f64,
}

impl Jacobi {
    /// For a parameter (the squared modulus) in `[0, 1]`.
    pub(crate) fn new(m: f64) -> Self {
        let m = m.clamp(0.0, LARGEST_PARAMETER);
        let (mut a, mut b) = (1.0, (1.0 - m).sqrt());
        let mut ratios = [0.0; LEVELS];
        let mut levels = 0;
        let mut factor = 1.0;
        while levels < LEVELS {
            let c = 0.5 * (a - b);
            (a, b) = (0.5 * (a + b), (a * b).sqrt());
            ratios[levels] = c / a;
            levels += 1;
            factor *= 2.0;
            if c <= 1e-17 * a {
                break;
            }
        }
        Self { m, ratios, levels, factor: factor * a, quarter_period: FRAC_PI_2 / a }
    }

    /// K(m): a quarter of the period of sn and cn.
    pub(crate) fn quarter_period(&self) -> f64 {
        self.quarter_period
    }

    /// (sn, cn, dn) of `u`.
    pub(crate) fn functions(&self, u: f64) -> (f64, f64, f64) {
        // Whole periods are taken off first, so that the amplitude stays small.
        let period = 4.0 * self.quarter_period;
        let u = u - period * (u / period).round();
        let mut phase = self.factor * u;
        for ratio in self.ratios[..self.levels].iter().rev() {
            phase = 0.5 * (phase + libm::asin((ratio * libm::sin(phase)).clamp(-1.0, 1.0)));
        }
        let (sn, cn) = (libm::sin(phase), libm::cos(phase));
        (sn, cn, (1.0 - self.m * sn * sn).sqrt())
    }

    /// F(φ|m): the argument at which the amplitude is φ.
    pub(crate) fn argument(&self, amplitude: f64) -> f64 {
        let half_turns = (amplitude / PI).round();
        let rest = amplitude - PI * half_turns;
        let (s, c) = (libm::sin(rest), libm::cos(rest));
        2.0 * self.quarter_period * half_turns + s * carlson(c * c, 1.0 - self.m * s * s, 1.0)
    }
}

/// Carlson's symmetric integral of the first kind, by duplication.
fn carlson(mut x: f64, mut y: f64, mut z: f64) -> f64 {
    for _ in 0..100 {
        let mean = (x + y + z) / 3.0;
        let (dx, dy, dz) = (1.0 - x / mean, 1.0 - y / mean, 1.0 - z / mean);
        if dx.abs().max(dy.abs()).max(dz.abs()) < 1e-3 {
            let (e2, e3) = (dx * dy - dz * dz, dx * dy * dz);
            // The series is good to sixth order in the differences.
            return (1.0 - e2 / 10.0 + e3 / 14.0 + e2 * e2 / 24.0 - 3.0 * e2 * e3 / 44.0) / mean.sqrt();
        }
        let (rx, ry, rz) = (x.sqrt(), y.sqrt(), z.sqrt());
        let lambda = rx * ry + ry * rz + rz * rx;
        (x, y, z) = (0.25 * (x + lambda), 0.25 * (y + lambda), 0.25 * (z + lambda));
    }
    1.0 / ((x + y + z) / 3.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F by Simpson's rule, to check the rest with.
    fn integral_by_hand(amplitude: f64, m: f64) -> f64 {
        let n = 20_000;
        let f = |t: f64| 1.0 / (1.0 - m * libm::sin(t) * libm::sin(t)).sqrt();
        let h = amplitude / f64::from(n);
        let sum: f64 = (0..=n)
            .map(|i| {
                f(h * f64::from(i))
                    * if i == 0 || i == n {
                        1.0
                    } else if i % 2 == 1 {
                        4.0
                    } else {
                        2.0
                    }
            })
            .sum();
        sum * h / 3.0
    }

    #[test]
    fn functions_invert_the_integral() {
        for m in [0.0, 0.1, 0.5, 0.9, 0.999, 0.999_999] {
            let jacobi = Jacobi::new(m);
            for k in 1..12 {
                let amplitude = 0.125 * f64::from(k);
                let u = integral_by_hand(amplitude, m);
                let (sn, cn, _) = jacobi.functions(u);
                assert!((jacobi.argument(amplitude) - u).abs() < 1e-9 * (1.0 + u), "F at {amplitude}, {m}");
                assert!((sn - libm::sin(amplitude)).abs() < 1e-9 && (cn - libm::cos(amplitude)).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn the_quarter_period_is_the_complete_integral() {
        // K(0.5) and K(0.99) from tables.
        assert!((Jacobi::new(0.5).quarter_period() - 1.854_074_677_301_372).abs() < 1e-14);
        assert!((Jacobi::new(0.99).quarter_period() - 3.695_637_362_989_875).abs() < 1e-13);
    }
}
