//! Closed curves through space.

/// A closed uniform cubic B-spline. Its parameter runs from 0 to the number of
/// control points and around again.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What expressions call it.
    pub name: String,
    /// The control points, in order.
    pub points: Vec<[f64; 3]>,
}

impl Curve {
    /// The curve, or its first or second derivative, at a parameter.
    pub fn at(&self, derivative: u8, parameter: f64) -> [f64; 3] {
        let count = self.points.len();
        if count == 0 || !parameter.is_finite() {
            return [0.0; 3];
        }
        let around = parameter - count as f64 * (parameter / count as f64).floor();
        let start = (around.floor() as usize).min(count - 1);
        let weights = weights(around - start as f64, derivative);
        let mut sum = [0.0; 3];
        let mut place = start;
        for weight in weights {
            for (sum, coordinate) in sum.iter_mut().zip(self.points[place]) {
                *sum += weight * coordinate;
            }
            place = if place + 1 == count { 0 } else { place + 1 };
        }
        sum
    }
}

/// The weights of four neighbouring control points, or their derivatives.
fn weights(u: f64, derivative: u8) -> [f64; 4] {
    let v = 1.0 - u;
    match derivative {
        0 => [
            v * v * v / 6.0,
            (3.0 * u * u * u - 6.0 * u * u + 4.0) / 6.0,
            (-3.0 * u * u * u + 3.0 * u * u + 3.0 * u + 1.0) / 6.0,
            u * u * u / 6.0,
        ],
        1 => [-0.5 * v * v, 1.5 * u * u - 2.0 * u, -1.5 * u * u + u + 0.5, 0.5 * u * u],
        _ => [v, 3.0 * u - 2.0, 1.0 - 3.0 * u, u],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring() -> Curve {
        let points = vec![[1.0, 0.0, 0.0], [0.0, 2.0, 1.0], [-1.0, 0.0, 0.5], [0.0, -2.0, 0.0], [3.0, 1.0, 1.0]];
        Curve { name: "ring".to_owned(), points }
    }

    #[test]
    fn the_curve_is_closed() {
        for at in [-0.3, 0.0, 1.7, 4.999] {
            for derivative in 0..3 {
                let here = ring().at(derivative, at)[1];
                assert!((here - ring().at(derivative, at + 5.0)[1]).abs() < 1e-12);
            }
        }
    }

    /// Differences are another way to the derivatives.
    #[test]
    fn derivatives_agree_with_differences() {
        let step = 1e-5;
        for index in 0..50 {
            let at = f64::from(index) * 0.113;
            for component in 0..3_usize {
                for derivative in 0..2 {
                    let low = ring().at(derivative, at - step)[component];
                    let high = ring().at(derivative, at + step)[component];
                    let exact = ring().at(derivative + 1, at)[component];
                    assert!(((high - low) / (2.0 * step) - exact).abs() < 1e-4, "{at} {component} {derivative}");
                }
            }
        }
    }
}
