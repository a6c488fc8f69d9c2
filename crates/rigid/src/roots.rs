//! When two spheres on parabolas, or a sphere and a plane, meet and part.

use proscenium_geometry::glam::DVec3;

/// A polynomial of degree at most four, lowest coefficient first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Polynomial([f64; 5]);

/// An interval from now on during which two spheres overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Overlap {
    pub enter: f64,
    pub leave: f64,
}

impl Polynomial {
    /// `|p + v t + a t²/2|² − r²`.
    pub(crate) fn sphere_gap(p: DVec3, v: DVec3, a: DVec3, r: f64) -> Self {
        let h = 0.5 * a;
        Self([
            p.length_squared() - r * r,
            2.0 * p.dot(v),
            v.length_squared() + 2.0 * p.dot(h),
            2.0 * v.dot(h),
            h.length_squared(),
        ])
    }

    /// `s + v t + a t²/2`.
    pub(crate) fn plane_gap(s: f64, v: f64, a: f64) -> Self {
        Self([s, v, 0.5 * a, 0.0, 0.0])
    }

    fn value(&self, t: f64) -> f64 {
        self.0.iter().rev().fold(0.0, |sum, c| sum * t + c)
    }

    fn slope(&self, t: f64) -> f64 {
        self.derivative().value(t)
    }

    fn derivative(&self) -> Self {
        let c = self.0;
        Self([c[1], 2.0 * c[2], 3.0 * c[3], 4.0 * c[4], 0.0])
    }

    fn degree(&self) -> usize {
        (1..5).rev().find(|k| self.0[*k] != 0.0).unwrap_or(0)
    }

    /// The first interval from zero on in which the value is negative, or is
    /// zero and falling. A value that is slightly negative but rising at the
    /// start counts as outside: the two have just met, and part.
    pub(crate) fn first_overlap(&self) -> Option<Overlap> {
        if self.degree() <= 2 { self.quadratic_overlap() } else { self.quartic_overlap() }
    }

    fn quadratic_overlap(&self) -> Option<Overlap> {
        let [c, b, a, ..] = self.0;
        if a == 0.0 {
            // Linear: below zero now, or falling to it.
            return match (c <= 0.0, b < 0.0) {
                (_, true) => Some(Overlap { enter: (-c / b).max(0.0), leave: f64::INFINITY }),
                (true, false) if c < 0.0 && b == 0.0 => Some(Overlap { enter: 0.0, leave: f64::INFINITY }),
                _ => None,
            };
        }
        let half = 0.5 * b;
        let discriminant = half * half - a * c;
        if a > 0.0 {
            // Negative between the roots.
            if discriminant <= 0.0 || half >= 0.0 {
                return None;
            }
            let q = -half + discriminant.sqrt();
            return Some(Overlap { enter: (c / q).max(0.0), leave: q / a });
        }
        // Opens downwards: negative before the first root and after the last.
        let root = discriminant.max(0.0).sqrt();
        let last = if half >= 0.0 { (-half - root) / a } else { c / (-half + root) };
        Some(Overlap { enter: last.max(0.0), leave: f64::INFINITY })
    }

    fn quartic_overlap(&self) -> Option<Overlap> {
        let roots = self.roots_from_zero();
        if self.0[0] <= 0.0 && self.slope(0.0) < 0.0 {
            let leave = self.crossings(&roots, true).next().unwrap_or(f64::INFINITY);
            return Some(Overlap { enter: 0.0, leave });
        }
        let enter = self.crossings(&roots, false).next()?;
        let leave = self.crossings(&roots, true).find(|t| *t > enter).unwrap_or(f64::INFINITY);
        Some(Overlap { enter, leave })
    }

    /// When the value, not positive now, first rises above zero.
    pub(crate) fn leave(&self) -> f64 {
        if self.degree() > 2 {
            let roots = self.roots_from_zero();
            return self.crossings(&roots, true).next().unwrap_or(f64::INFINITY);
        }
        let [c, b, a, ..] = self.0;
        let half = 0.5 * b;
        let root = (half * half - a * c).max(0.0).sqrt();
        // The root at which the slope is positive: (−b/2 + root) / a.
        let time = match (a > 0.0, half > 0.0) {
            (_, true) => -c / (half + root),
            (true, false) => (root - half) / a,
            (false, false) => f64::INFINITY,
        };
        if time.is_nan() { f64::INFINITY } else { time.max(0.0) }
    }

    /// Whether the value is positive now.
    pub(crate) fn apart(&self) -> bool {
        self.0[0] > 0.0
    }

    /// Roots where the value rises through zero, or falls.
    fn crossings<'a>(&'a self, roots: &'a [f64], rising: bool) -> impl Iterator<Item = f64> + 'a {
        roots.iter().copied().filter(move |t| {
            let slope = self.slope(*t);
            if rising { slope > 0.0 } else { slope < 0.0 }
        })
    }

    /// All real roots at or after zero, ascending: between two neighbouring
    /// extrema a polynomial is monotonic, and its extrema are the roots of
    /// its derivative.
    fn roots_from_zero(&self) -> Vec<f64> {
        let degree = self.degree();
        if degree == 0 {
            return Vec::new();
        }
        if degree == 1 {
            let root = -self.0[0] / self.0[1];
            return if root >= 0.0 { vec![root] } else { Vec::new() };
        }
        let lead = self.0[degree];
        let bound = 1.0 + self.0[..degree].iter().map(|c| (c / lead).abs()).fold(0.0, f64::max);
        let mut stops = vec![0.0];
        stops.extend(self.derivative().roots_from_zero().into_iter().filter(|t| *t < bound));
        stops.push(bound);
        let mut roots = Vec::new();
        for ends in stops.windows(2) {
            if let Some(root) = self.bisect(ends[0], ends[1])
                && roots.last() != Some(&root)
            {
                roots.push(root);
            }
        }
        roots
    }

    /// The root between two places, if the value changes sign there.
    fn bisect(&self, mut low: f64, mut high: f64) -> Option<f64> {
        let (at_low, at_high) = (self.value(low), self.value(high));
        if at_low == 0.0 {
            return Some(low);
        }
        if (at_low < 0.0) == (at_high < 0.0) {
            return None;
        }
        for _ in 0..200 {
            // Newton from the middle where it stays inside, else bisection.
            let middle = 0.5 * (low + high);
            let newton = middle - self.value(middle) / self.slope(middle);
            let next = if newton > low && newton < high { newton } else { middle };
            for t in [next, middle] {
                if t <= low || t >= high {
                    continue;
                }
                if (self.value(t) < 0.0) == (at_low < 0.0) { low = t } else { high = t }
            }
            if high - low <= 2.0 * f64::EPSILON * high {
                break;
            }
        }
        // The earlier end: a prediction must not be late.
        Some(low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The first time the value is not positive, by small steps.
    fn by_steps(f: &Polynomial, until: f64) -> Option<f64> {
        (0..40_000).map(|k| until * f64::from(k) / 40_000.0).find(|t| f.value(*t) <= 0.0)
    }

    proptest! {
        #[test]
        fn spheres_meet_when_small_steps_say_so(
            p in prop::array::uniform3(-3.0..3.0_f64), v in prop::array::uniform3(-3.0..3.0_f64),
            fall in prop_oneof![Just(0.0), 0.5..10.0_f64], r in 0.1..1.0_f64,
        ) {
            let p = DVec3::from_array(p);
            prop_assume!(p.length() > r + 1e-3);
            let f = Polynomial::sphere_gap(p, DVec3::from_array(v), DVec3::new(0.0, -fall, 0.0), r);
            let found = f.first_overlap().map(|o| o.enter).filter(|t| *t < 4.0);
            match (found, by_steps(&f, 4.0)) {
                (Some(a), Some(b)) => prop_assert!((a - b).abs() < 2e-4, "{} against {}", a, b),
                (Some(a), None) => prop_assert!(f.value(a).abs() < 1e-3, "only {} at {}", f.value(a), a),
                (None, Some(b)) => prop_assert!(false, "missed the meeting at {}", b),
                (None, None) => {}
            }
        }
    }

    #[test]
    fn a_bounce_is_not_found_again_at_once() {
        // On the plane, leaving at 2 m/s under 10 m/s²: back after 0.4 s.
        let overlap = Polynomial::plane_gap(0.0, 2.0, -10.0).first_overlap().unwrap();
        assert!((overlap.enter - 0.4).abs() < 1e-15);
        let overlap = Polynomial::plane_gap(-1e-17, 2.0, -10.0).first_overlap().unwrap();
        assert!((overlap.enter - 0.4).abs() < 1e-15);
        // Touching and parting spheres do not meet again.
        let touching = Polynomial::sphere_gap(DVec3::X, 0.5 * DVec3::X, DVec3::ZERO, 1.0);
        assert_eq!(touching.first_overlap(), None);
    }
}
