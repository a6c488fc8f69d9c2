use std::f64::consts::PI;

use super::{StatisticsError, sorted};

/// Two-sample p-values are exact up to this product of the sample sizes.
const EXACT_PRODUCT: usize = 1_000_000;

/// One-sample p-values are exact up to this many samples.
const EXACT_COUNT: usize = 400;

/// The outcome of a Kolmogorov–Smirnov test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KolmogorovSmirnov {
    /// The greatest distance between the two distribution functions.
    pub statistic: f64,
    /// The chance of a distance at least this large if the distributions are equal.
    pub p_value: f64,
    /// Whether the p-value is exact rather than that of large samples.
    pub exact: bool,
}

/// Tests whether samples follow a continuous distribution, given by its
/// distribution function.
///
/// The p-value is exact up to 400 samples (Marsaglia, Tsang, Wang 2003) and in
/// the far tail, and the limit with Vrbik's correction (2018) for more (an
/// absolute error below 1e-4). With a distribution that has jumps it is too
/// large, never too small.
///
/// ```
/// use proscenium_chance::{Density, Seed, statistics::kolmogorov_smirnov};
///
/// let density = Density::log_normal(0.0, 1.0)?;
/// let mut stream = Seed(1).stream("samples");
/// let samples: Vec<f64> = (0..200).map(|_| density.sample(&mut stream)).collect();
/// assert!(kolmogorov_smirnov(&samples, |x| density.cdf(x))?.p_value > 0.001);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn kolmogorov_smirnov(samples: &[f64], cdf: impl Fn(f64) -> f64) -> Result<KolmogorovSmirnov, StatisticsError> {
    let sorted = sorted(samples)?;
    let count = sorted.len() as f64;
    let mut statistic: f64 = 0.0;
    for (index, &at) in sorted.iter().enumerate() {
        let value = cdf(at);
        if !(0.0..=1.0).contains(&value) {
            return Err(StatisticsError::NotDistribution { at, value });
        }
        let (before, after) = (index as f64 / count, (index + 1) as f64 / count);
        statistic = statistic.max(value - before).max(after - value);
    }
    let (p_value, exact) = one_sample_p_value(sorted.len(), statistic);
    Ok(KolmogorovSmirnov { statistic, p_value, exact })
}

/// Tests whether two sets of samples have one distribution.
///
/// The p-value is exact, given the samples and also where values are equal, up to
/// a product of the sizes of 1 000 000 (Hodges 1957, Schröer and Trenkler 1995);
/// beyond that it is the limit for large samples, which is too large where
/// values are equal, never too small.
///
/// ```
/// use proscenium_chance::statistics::kolmogorov_smirnov_two_samples;
///
/// let test = kolmogorov_smirnov_two_samples(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0])?;
/// assert_eq!(test.statistic, 1.0);
/// assert!((test.p_value - 0.1).abs() < 1e-15);
/// # Ok::<(), proscenium_chance::statistics::StatisticsError>(())
/// ```
pub fn kolmogorov_smirnov_two_samples(first: &[f64], second: &[f64]) -> Result<KolmogorovSmirnov, StatisticsError> {
    let (first, second) = (sorted(first)?, sorted(second)?);
    let (rows, columns) = (first.len(), second.len());
    // Walk through all values in order. The distance counts in units of
    // 1 / (rows · columns), where it is a whole number, and only where the next
    // value is another one.
    let mut distance = 0;
    let mut ends = vec![false; rows + columns + 1];
    let (mut row, mut column) = (0, 0);
    while row < rows || column < columns {
        let from_first = column == columns || (row < rows && first[row] <= second[column]);
        let value = if from_first { first[row] } else { second[column] };
        while row < rows && first[row] == value {
            row += 1;
        }
        while column < columns && second[column] == value {
            column += 1;
        }
        ends[row + column] = true;
        distance = distance.max(gap(row, column, rows, columns));
    }
    let product = rows as f64 * columns as f64;
    let statistic = distance as f64 / product;
    let exact = product <= EXACT_PRODUCT as f64;
    let p_value = if exact {
        two_sample_p_value(rows, columns, distance, &ends)
    } else {
        limiting_p_value(statistic * (product / (rows as f64 + columns as f64)).sqrt())
    };
    Ok(KolmogorovSmirnov { statistic, p_value, exact })
}

/// The distance of the two empirical distribution functions after `row` values
/// of the first and `column` of the second sample, times both sizes.
fn gap(row: usize, column: usize, rows: usize, columns: usize) -> u128 {
    (row as u128 * columns as u128).abs_diff(column as u128 * rows as u128)
}

/// The share of all orders of the pooled values, each a path through the grid of
/// `rows` by `columns`, that somewhere reach the distance.
fn two_sample_p_value(rows: usize, columns: usize, distance: u128, ends: &[bool]) -> f64 {
    // `reached[column]` is the share of the paths to the current grid point that
    // have reached the distance. The last step of a random path to (row, column)
    // came from the row before with probability row / (row + column).
    let mut reached = vec![0.0; columns + 1];
    for row in 0..=rows {
        for column in 0..=columns {
            let steps = row + column;
            reached[column] = if ends[steps] && gap(row, column, rows, columns) >= distance {
                1.0
            } else if steps == 0 {
                0.0
            } else {
                let from_left = if column > 0 { reached[column - 1] } else { 0.0 };
                (row as f64 * reached[column] + column as f64 * from_left) / steps as f64
            };
        }
    }
    reached[columns].min(1.0)
}

/// The chance of a distance of at least `distance`, and whether it is exact.
fn one_sample_p_value(count: usize, distance: f64) -> (f64, bool) {
    let size = count as f64;
    if distance >= 1.0 {
        return (0.0, true);
    }
    // Where both one-sided distances are unlikely to be this large at once, their
    // chances add up; by here the error is below 1e-10 of the sum.
    if size * distance * distance >= 4.0 {
        return ((2.0 * one_sided_p_value(count, distance)).min(1.0), true);
    }
    if count <= EXACT_COUNT {
        return ((1.0 - marsaglia_tsang_wang(count, distance)).clamp(0.0, 1.0), true);
    }
    // Vrbik's correction of the limit.
    let scaled = size.sqrt() * distance;
    let corrected = scaled + 1.0 / (6.0 * size.sqrt()) + (scaled - 1.0) / (4.0 * size);
    (limiting_p_value(corrected), false)
}

/// The chance that the one-sided distance is at least `distance` (Smirnov 1944,
/// Birnbaum and Tingey 1951).
fn one_sided_p_value(count: usize, distance: f64) -> f64 {
    let size = count as f64;
    let mut sum = 0.0;
    for index in 0..=count {
        let place = index as f64;
        let base = distance + place / size;
        let rest = 1.0 - base;
        if rest <= 0.0 {
            break;
        }
        let log_choices = libm::lgamma(size + 1.0) - libm::lgamma(place + 1.0) - libm::lgamma(size - place + 1.0);
        sum += libm::exp(log_choices + (size - place) * libm::log(rest) + (place - 1.0) * libm::log(base));
    }
    distance * sum
}

/// The chance that the distance is less than `distance`: an entry of the power of
/// a matrix (Marsaglia, Tsang and Wang 2003).
fn marsaglia_tsang_wang(count: usize, distance: f64) -> f64 {
    let scaled = count as f64 * distance;
    let half = scaled as usize + 1;
    let size = 2 * half - 1;
    let fraction = half as f64 - scaled;
    let mut matrix = SquareMatrix::new(size);
    for row in 0..size {
        for column in 0..size.min(row + 2) {
            *matrix.at(row, column) = 1.0;
        }
    }
    let powers: Vec<f64> = (0..=size).map(|power| libm::pow(fraction, power as f64)).collect();
    for index in 0..size {
        *matrix.at(index, 0) -= powers[index + 1];
        *matrix.at(size - 1, index) -= powers[size - index];
    }
    *matrix.at(size - 1, 0) += libm::pow((2.0 * fraction - 1.0).max(0.0), size as f64);
    // Divided by factorials of the distance from the diagonal above.
    for row in 0..size {
        for column in 0..=row {
            *matrix.at(row, column) /= libm::tgamma((row - column + 2) as f64);
        }
    }
    let (mut power, mut exponent) = matrix.power(count);
    let mut chance = *power.at(half - 1, half - 1);
    // Times count! / count^count, kept within range.
    for index in 1..=count {
        chance *= index as f64 / count as f64;
        if chance < 1e-140 {
            chance *= 1e140;
            exponent -= 140;
        }
    }
    chance * libm::pow(10.0, f64::from(exponent))
}

/// A square matrix by rows.
#[derive(Clone)]
struct SquareMatrix {
    size: usize,
    entries: Vec<f64>,
}

impl SquareMatrix {
    fn new(size: usize) -> Self {
        SquareMatrix { size, entries: vec![0.0; size * size] }
    }

    fn at(&mut self, row: usize, column: usize) -> &mut f64 {
        &mut self.entries[row * self.size + column]
    }

    fn times(&self, other: &SquareMatrix) -> SquareMatrix {
        let mut product = SquareMatrix::new(self.size);
        let rows = self.entries.chunks_exact(self.size);
        for (row, result) in rows.zip(product.entries.chunks_exact_mut(self.size)) {
            for (&factor, other_row) in row.iter().zip(other.entries.chunks_exact(self.size)) {
                for (entry, other_entry) in result.iter_mut().zip(other_row) {
                    *entry += factor * other_entry;
                }
            }
        }
        product
    }

    /// The power, and a decimal exponent to multiply it by.
    fn power(&self, count: usize) -> (SquareMatrix, i32) {
        if count <= 1 {
            return (self.clone(), 0);
        }
        let (root, root_exponent) = self.power(count / 2);
        let mut power = root.times(&root);
        let mut exponent = 2 * root_exponent;
        if count % 2 == 1 {
            power = power.times(self);
        }
        let middle = self.size / 2;
        if *power.at(middle, middle) > 1e140 {
            for entry in &mut power.entries {
                *entry *= 1e-140;
            }
            exponent += 140;
        }
        (power, exponent)
    }
}

/// Kolmogorov's limit for large samples, of the distance times the square root of
/// the (effective) number of samples.
fn limiting_p_value(scaled: f64) -> f64 {
    if scaled <= 0.0 {
        return 1.0;
    }
    if scaled < 1.0 {
        // The series for the complement converges faster here.
        let factor = (2.0 * PI).sqrt() / scaled;
        let sum: f64 = (1..=20)
            .map(|term| {
                let odd = f64::from(2 * term - 1) * PI / scaled;
                libm::exp(-odd * odd / 8.0)
            })
            .sum();
        return 1.0 - factor * sum;
    }
    let sum: f64 = (1..=20)
        .map(|term| {
            let sign = if term % 2 == 1 { 1.0 } else { -1.0 };
            sign * libm::exp(-2.0 * f64::from(term * term) * scaled * scaled)
        })
        .sum();
    (2.0 * sum).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(actual: f64, expected: f64, tolerance: f64) {
        assert!((actual / expected - 1.0).abs() < tolerance, "{actual}, not {expected}");
    }

    /// One sample up to 400: the matrix method with 80 digits. The others: SciPy's
    /// `kstwo.sf`, `ks_2samp(method="exact")` and `kstwobign.sf`.
    #[test]
    fn p_values_match_reference_values() {
        let one_sample = [
            (1, 0.7, 0.6000000000000001),
            (5, 0.3, 0.664),
            (10, 0.274, 0.3715203845434956),
            (10, 0.7, 1.9544800000000034e-05),
            (50, 0.12, 0.43376796613102325),
            (50, 0.4, 9.86356336441006e-08),
            (200, 0.05, 0.6802627254395576),
            (400, 0.09, 0.002865284775808231),
            (400, 0.03, 0.8534112291333409),
        ];
        for (count, distance, expected) in one_sample {
            let (p_value, exact) = one_sample_p_value(count, distance);
            assert!(exact);
            close(p_value, expected, 1e-9);
        }
        let large = [
            (1000, 0.03, 0.3226902143914636),
            (1000, 0.05, 0.013012074781090332),
            (5000, 0.01, 0.6954557253913853),
            (20000, 0.012, 0.006251252284121751),
        ];
        for (count, distance, expected) in large {
            assert!((one_sample_p_value(count, distance).0 - expected).abs() < 1e-4);
        }
        let first = [0.1, 0.5, 1.2, 1.9, 2.5, 3.3, 4.8];
        let second = [1.1, 2.6, 3.1, 3.9, 5.2, 5.5, 6.1, 7.7, 8.0, 9.4];
        let test = kolmogorov_smirnov_two_samples(&first, &second).unwrap();
        close(test.statistic, 0.6142857142857143, 1e-15);
        close(test.p_value, 0.05409296585767175, 1e-12);
        close(limiting_p_value(0.5), 0.9639452436648751, 1e-13);
        close(limiting_p_value(1.0), 0.26999967167735456, 1e-13);
        close(limiting_p_value(1.5), 0.022217962616525127, 1e-13);
        close(limiting_p_value(3.0), 3.045995948942526e-08, 1e-13);
    }

    /// Every order of the pooled values, counted one by one.
    #[test]
    fn two_sample_p_values_equal_enumeration_also_with_ties() {
        let pools: [&[f64]; 3] = [
            &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
            &[1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 4.0, 4.0, 5.0],
            &[1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0],
        ];
        for pool in pools {
            let splits: Vec<_> = (0_u32..1 << pool.len())
                .filter(|chosen| chosen.count_ones() == 4)
                .map(|chosen| {
                    let (first, second): (Vec<_>, Vec<_>) =
                        pool.iter().enumerate().partition(|(index, _)| chosen >> index & 1 == 1);
                    let values = |part: Vec<(usize, &f64)>| -> Vec<f64> { part.iter().map(|item| *item.1).collect() };
                    kolmogorov_smirnov_two_samples(&values(first), &values(second)).unwrap()
                })
                .collect();
            for test in &splits {
                let as_large = splits.iter().filter(|other| other.statistic >= test.statistic - 1e-12);
                let share = as_large.count() as f64 / splits.len() as f64;
                assert!(test.exact);
                close(test.p_value, share, 1e-12);
            }
        }
    }

    #[test]
    fn the_two_series_of_the_limit_agree() {
        close(limiting_p_value(1.0 - 1e-12), limiting_p_value(1.0), 1e-10);
        assert_eq!(limiting_p_value(0.0), 1.0);
        assert_eq!(limiting_p_value(1e-3), 1.0);
        assert_eq!(limiting_p_value(100.0), 0.0);
    }

    #[test]
    fn one_sample_p_values_continue_where_the_method_changes() {
        for count in [5, 50, 400] {
            let edge = (4.0 / count as f64).sqrt();
            let (before, after) = (one_sample_p_value(count, edge - 1e-9).0, one_sample_p_value(count, edge + 1e-9).0);
            close(before, after, 1e-6);
        }
        let (exact, limit) = (one_sample_p_value(400, 0.05).0, one_sample_p_value(401, 0.05).0);
        assert!((exact - limit).abs() < 1e-2);
        assert_eq!(one_sample_p_value(3, 1.0), (0.0, true));
    }

    #[test]
    fn bad_input_is_refused() {
        assert_eq!(kolmogorov_smirnov(&[], |x| x), Err(StatisticsError::NoSamples));
        assert!(kolmogorov_smirnov(&[f64::NAN], |x| x).is_err());
        assert_eq!(kolmogorov_smirnov(&[2.0], |x| x), Err(StatisticsError::NotDistribution { at: 2.0, value: 2.0 }));
        assert!(kolmogorov_smirnov_two_samples(&[], &[1.0]).is_err());
        assert!(kolmogorov_smirnov_two_samples(&[1.0], &[f64::INFINITY]).is_err());
    }
}
