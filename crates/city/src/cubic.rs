//! Piecewise cubic functions, fitted by least squares.

/// A function of one variable in pieces that are cubics.
#[derive(Clone, Debug, PartialEq)]
pub struct PiecewiseCubic {
    breaks: Vec<f64>,
    /// Coefficients of the powers of the place within the piece, from 0 to 1.
    pieces: Vec<[f64; 4]>,
}

impl PiecewiseCubic {
    /// Fits samples (x, y) on the pieces between `breaks`, which increase. A
    /// piece with fewer than four samples is a constant.
    pub fn fit(samples: &[(f64, f64)], breaks: &[f64]) -> Self {
        let pieces = breaks
            .windows(2)
            .map(|ends| {
                let (low, high) = (ends[0], ends[1]);
                let inside: Vec<(f64, f64)> = samples
                    .iter()
                    .filter(|(x, _)| (low..=high).contains(x))
                    .map(|(x, y)| ((x - low) / (high - low).max(f64::MIN_POSITIVE), *y))
                    .collect();
                cubic(&inside)
            })
            .collect();
        Self { breaks: breaks.to_vec(), pieces }
    }

    /// The value at a place, which is clamped to where the function is defined.
    pub fn at(&self, x: f64) -> f64 {
        let Some(last) = self.pieces.len().checked_sub(1) else {
            return 0.0;
        };
        let piece = self.breaks.partition_point(|edge| *edge <= x).saturating_sub(1).min(last);
        let (low, high) = (self.breaks[piece], self.breaks[piece + 1]);
        let place = ((x - low) / (high - low).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let [a, b, c, d] = self.pieces[piece];
        a + place * (b + place * (c + place * d))
    }
}

/// The cubic that is nearest to the samples, by the normal equations in the
/// Legendre polynomials of [0, 1], in which they are nearly diagonal.
fn cubic(samples: &[(f64, f64)]) -> [f64; 4] {
    if samples.len() < 4 {
        let mean = samples.iter().map(|sample| sample.1).sum::<f64>() / samples.len().max(1) as f64;
        return [mean, 0.0, 0.0, 0.0];
    }
    let basis =
        |x: f64| [1.0, 2.0 * x - 1.0, 6.0 * x * x - 6.0 * x + 1.0, 20.0 * x * x * x - 30.0 * x * x + 12.0 * x - 1.0];
    let mut rows = [[0.0; 5]; 4];
    for &(x, y) in samples {
        let values = basis(x);
        for (row, own) in rows.iter_mut().zip(values) {
            for (cell, other) in row.iter_mut().zip(values) {
                *cell += own * other;
            }
            row[4] += own * y;
        }
    }
    let [p, q, r, s] = solve(rows);
    [p - q + r - s, 2.0 * q - 6.0 * r + 12.0 * s, 6.0 * r - 30.0 * s, 20.0 * s]
}

/// Gaussian elimination with pivots; a variable that nothing determines is zero.
fn solve(mut rows: [[f64; 5]; 4]) -> [f64; 4] {
    for column in 0..4 {
        let pivot =
            (column..4).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs())).unwrap_or(column);
        rows.swap(column, pivot);
        if rows[column][column].abs() < 1e-12 {
            continue;
        }
        let own = rows[column];
        for (index, row) in rows.iter_mut().enumerate() {
            if index != column {
                let share = row[column] / own[column];
                for (cell, other) in row.iter_mut().zip(own) {
                    *cell -= share * other;
                }
            }
        }
    }
    std::array::from_fn(|row| if rows[row][row].abs() < 1e-12 { 0.0 } else { rows[row][4] / rows[row][row] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubics_are_found_exactly_and_others_nearly() {
        let cubic = |x: f64| x * x * x - x;
        let samples: Vec<(f64, f64)> = (0..=200).map(|i| f64::from(i) * 0.01).map(|x| (x, cubic(x))).collect();
        let fitted = PiecewiseCubic::fit(&samples, &[0.0, 1.0, 2.0]);
        assert!((fitted.at(1.3) - cubic(1.3)).abs() < 1e-9);
        let samples: Vec<(f64, f64)> = (0..=400).map(|i| f64::from(i) * 0.01).map(|x| (x, libm::sin(x))).collect();
        let fitted = PiecewiseCubic::fit(&samples, &[0.0, 1.0, 2.0, 3.0, 4.0]);
        for (x, y) in &samples {
            assert!((fitted.at(*x) - y).abs() < 1e-3);
        }
        assert_eq!(fitted.at(-5.0), fitted.at(0.0));
        assert_eq!(fitted.at(9.0), fitted.at(4.0));
    }

    #[test]
    fn few_samples_and_none_are_constants() {
        assert_eq!(PiecewiseCubic::fit(&[(0.5, 2.0)], &[0.0, 1.0]).at(0.2), 2.0);
        assert_eq!(PiecewiseCubic::fit(&[], &[0.0, 1.0]).at(0.2), 0.0);
        assert_eq!(PiecewiseCubic::fit(&[], &[]).at(0.2), 0.0);
    }
}
