//! Eigenvalues and eigenvectors of symmetric matrices: to a tridiagonal one by
//! reflections, and from there by QL steps with implicit shifts.
//!
//! Written out in plain arithmetic, so that it rounds alike on every platform.

use proscenium_work::{Progress, Stopped};

/// A symmetric matrix, of which the lower half is read.
pub(super) struct Symmetric {
    size: usize,
    rows: Vec<f64>,
}

/// An eigenvalue and its eigenvector, of unit length.
pub(super) type Pair = (f64, Vec<f64>);

/// QL needs two or three steps for each eigenvalue (Press and others 2007, 11.4, who
/// give up after 30); this many mean that the matrix has numbers that are not finite.
const MOST_STEPS: usize = 60;

impl Symmetric {
    /// The products of all pairs of columns of a matrix, given by its rows.
    pub(super) fn of_columns(rows: &[&[f64]], progress: &Progress) -> Result<Self, Stopped> {
        let size = rows.first().map_or(0, |row| row.len());
        let mut products = vec![0.0; size * size];
        for row in rows {
            progress.check()?;
            for (i, &factor) in row.iter().enumerate() {
                axpy(&mut products[i * size..=i * size + i], &row[..=i], factor);
            }
        }
        Ok(Symmetric { size, rows: products })
    }

    /// The products of all pairs of rows.
    pub(super) fn of_rows(rows: &[&[f64]], progress: &Progress) -> Result<Self, Stopped> {
        let size = rows.len();
        let mut products = vec![0.0; size * size];
        for i in 0..size {
            progress.check()?;
            for j in 0..=i {
                products[i * size + j] = dot(rows[i], rows[j]);
            }
        }
        Ok(Symmetric { size, rows: products })
    }

    /// All eigenvalues with their vectors, largest first. `None` if they are
    /// not found, as where a number is not finite.
    pub(super) fn eigen(mut self, progress: &Progress) -> Result<Option<Vec<Pair>>, Stopped> {
        let size = self.size;
        for i in 0..size {
            for j in i + 1..size {
                self.rows[i * size + j] = self.rows[j * size + i];
            }
        }
        let (mut diagonal, mut beside, mut vectors) = tridiagonal(size, self.rows, progress)?;
        if !rotate_to_diagonal(&mut diagonal, &mut beside, &mut vectors, progress)? {
            return Ok(None);
        }
        let mut order: Vec<usize> = (0..size).collect();
        order.sort_by(|&a, &b| diagonal[b].total_cmp(&diagonal[a]).then(a.cmp(&b)));
        let pair = |at: usize| (diagonal[at], vectors[at * size..(at + 1) * size].to_vec());
        Ok(Some(order.into_iter().map(pair).collect()))
    }
}

/// The diagonal of a tridiagonal matrix, what stands beside it, and the product of the
/// reflections that led to it.
type Tridiagonal = (Vec<f64>, Vec<f64>, Vec<f64>);

/// Householder's reflections.
fn tridiagonal(size: usize, mut matrix: Vec<f64>, progress: &Progress) -> Result<Tridiagonal, Stopped> {
    let mut product = vec![0.0; size * size];
    (0..size).for_each(|at| product[at * size + at] = 1.0);
    let mut beside = vec![0.0; size];
    for k in 0..size.saturating_sub(1) {
        progress.check()?;
        // The column below the diagonal, which is to keep its first number only.
        let mut mirror: Vec<f64> = (k + 1..size).map(|row| matrix[row * size + k]).collect();
        let length = dot(&mirror, &mirror).sqrt();
        beside[k] = if mirror[0] > 0.0 { -length } else { length };
        mirror[0] -= beside[k];
        let squared = dot(&mirror, &mirror);
        if squared <= f64::MIN_POSITIVE {
            continue;
        }
        let beta = 2.0 / squared;
        let tail = |row: usize| row * size + k + 1..(row + 1) * size;
        let mut along: Vec<f64> = (k + 1..size).map(|row| beta * dot(&matrix[tail(row)], &mirror)).collect();
        let half = 0.5 * beta * dot(&along, &mirror);
        axpy(&mut along, &mirror, -half);
        for (at, row) in (k + 1..size).enumerate() {
            axpy(&mut matrix[tail(row)], &along, -mirror[at]);
            axpy(&mut matrix[tail(row)], &mirror, -along[at]);
        }
        let mut seen = vec![0.0; size];
        for (at, row) in (k + 1..size).enumerate() {
            axpy(&mut seen, &product[row * size..(row + 1) * size], mirror[at]);
        }
        for (at, row) in (k + 1..size).enumerate() {
            axpy(&mut product[row * size..(row + 1) * size], &seen, -beta * mirror[at]);
        }
    }
    Ok(((0..size).map(|at| matrix[at * size + at]).collect(), beside, product))
}

/// QL with implicit shifts; the rows of `vectors` become the eigenvectors. Whether
/// they were found.
fn rotate_to_diagonal(
    diagonal: &mut [f64],
    beside: &mut [f64],
    vectors: &mut [f64],
    progress: &Progress,
) -> Result<bool, Stopped> {
    let size = diagonal.len();
    // Against the largest of all, since a matrix of lower rank has corners with nothing but rounding.
    let largest = diagonal.iter().zip(&*beside).fold(0.0_f64, |most, (a, b)| most.max(a.abs() + b.abs()));
    for low in 0..size {
        for step in 0.. {
            let small = |at: usize| beside[at].abs() <= f64::EPSILON * largest;
            let high = (low..size - 1).find(|&at| small(at)).unwrap_or(size - 1);
            if high == low {
                break;
            }
            if step == MOST_STEPS {
                return Ok(false);
            }
            progress.check()?;
            sweep(diagonal, beside, vectors, low, high);
        }
    }
    Ok(true)
}

/// One step, from the lower end of a block up to its upper one.
fn sweep(diagonal: &mut [f64], beside: &mut [f64], vectors: &mut [f64], low: usize, high: usize) {
    let size = diagonal.len();
    let ratio = (diagonal[low + 1] - diagonal[low]) / (2.0 * beside[low]);
    let length = libm::hypot(ratio, 1.0).copysign(ratio);
    let mut g = diagonal[high] - diagonal[low] + beside[low] / (ratio + length);
    let (mut sine, mut cosine, mut shift) = (1.0, 1.0, 0.0);
    for at in (low..high).rev() {
        let (f, b) = (sine * beside[at], cosine * beside[at]);
        let length = libm::hypot(f, g);
        beside[at + 1] = length;
        if length == 0.0 {
            // The block has come apart; the next step takes its pieces.
            diagonal[at + 1] -= shift;
            beside[high] = 0.0;
            return;
        }
        (sine, cosine) = (f / length, g / length);
        g = diagonal[at + 1] - shift;
        let turn = (diagonal[at] - g) * sine + 2.0 * cosine * b;
        shift = sine * turn;
        diagonal[at + 1] = g + shift;
        g = cosine * turn - b;
        let (before, after) = vectors.split_at_mut((at + 1) * size);
        for (one, other) in before[at * size..].iter_mut().zip(&mut after[..size]) {
            (*other, *one) = (sine * *one + cosine * *other, cosine * *one - sine * *other);
        }
    }
    diagonal[low] -= shift;
    beside[low] = g;
    beside[high] = 0.0;
}

/// The sum of products, in eight parts that are added at the end: the same
/// order always, and eight at a time where the machine can.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        for at in 0..8 {
            sums[at] += a[at] * b[at];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

/// Adds a multiple of one row to another.
pub(super) fn axpy(row: &mut [f64], other: &[f64], factor: f64) {
    row.iter_mut().zip(other).for_each(|(x, y)| *x += factor * y);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(size: usize, rows: Vec<f64>) -> Vec<f64> {
        let pairs = Symmetric { size, rows: rows.clone() }.eigen(&Progress::none()).unwrap().unwrap();
        let scale = rows.iter().fold(1e-300_f64, |most, x| most.max(x.abs()));
        for (i, (value, vector)) in pairs.iter().enumerate() {
            for row in 0..size {
                let applied = dot(&rows[row * size..(row + 1) * size], vector);
                assert!((applied - value * vector[row]).abs() < 1e-12 * scale * size as f64, "pair {i}");
            }
            for (j, (_, other)) in pairs.iter().enumerate() {
                let expected = if i == j { 1.0 } else { 0.0 };
                assert!((dot(vector, other) - expected).abs() < 1e-12 * size as f64, "{i} and {j}");
            }
        }
        pairs.into_iter().map(|(value, _)| value).collect()
    }

    /// A chain of springs: its eigenvalues are 2 − 2 cos(k π / (n + 1)).
    #[test]
    fn a_chain_has_the_eigenvalues_of_the_closed_form() {
        for size in [1, 2, 3, 20, 61] {
            let entry = |i: usize, j: usize| {
                if i == j {
                    2.0
                } else if i.abs_diff(j) == 1 {
                    -1.0
                } else {
                    0.0
                }
            };
            let rows = (0..size * size).map(|at| entry(at / size, at % size)).collect();
            let values = check(size, rows);
            for (at, value) in values.iter().rev().enumerate() {
                let angle = (at + 1) as f64 * std::f64::consts::PI / (size + 1) as f64;
                assert!((value - (2.0 - 2.0 * libm::cos(angle))).abs() < 1e-12, "{size} {at}: {value}");
            }
        }
    }

    #[test]
    fn any_symmetric_matrix_comes_apart() {
        let mut state = 7u64;
        let mut number = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        for size in [2, 5, 16, 40] {
            let wide: Vec<Vec<f64>> = (0..size / 2 + 1).map(|_| (0..size).map(|_| number()).collect()).collect();
            let rows: Vec<&[f64]> = wide.iter().map(Vec::as_slice).collect();
            // Of less than full rank, with a repeated eigenvalue of zero.
            let products = Symmetric::of_columns(&rows, &Progress::none()).unwrap();
            let mut full = products.rows.clone();
            for i in 0..size {
                for j in i + 1..size {
                    full[i * size + j] = full[j * size + i];
                }
            }
            let by_columns = check(size, full);
            let by_rows = Symmetric::of_rows(&rows, &Progress::none()).unwrap();
            let by_rows = by_rows.eigen(&Progress::none()).unwrap().unwrap();
            for (one, (other, _)) in by_columns.iter().zip(&by_rows) {
                assert!((one - other).abs() < 1e-12 * by_columns[0]);
            }
        }
        check(4, vec![0.0; 16]);
        check(3, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].concat());
    }

    #[test]
    fn what_is_not_finite_is_not_decomposed() {
        let rows = [[1.0, f64::NAN], [f64::NAN, 1.0]].concat();
        assert_eq!(Symmetric { size: 2, rows }.eigen(&Progress::none()), Ok(None));
    }
}
