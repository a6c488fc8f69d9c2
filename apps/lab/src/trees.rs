//! A classifier: boosted trees that try to tell two samples apart.

/// Values of a feature are put into so many bins.
const BINS: usize = 32;
const DEPTH: usize = 4;
const ROUNDS: usize = 60;
const RATE: f64 = 0.2;

/// The share of held-out rows whose side is guessed rightly by trees that have
/// learned from the other half. 0.5 means that the samples cannot be told
/// apart. Rows of both samples must have the same features.
pub(crate) fn score(first: &[Vec<f64>], second: &[Vec<f64>]) -> f64 {
    let count = first.len().min(second.len());
    let rows: Vec<(&Vec<f64>, bool)> =
        (0..count).flat_map(|index| [(&first[index], false), (&second[index], true)]).collect();
    // Pairs alternate between learning and judging.
    let is_training = |index: usize| (index / 2).is_multiple_of(2);
    let features = rows.first().map_or(0, |row| row.0.len());
    let edges: Vec<Vec<f64>> = (0..features)
        .map(|feature| {
            let mut values: Vec<f64> = rows.iter().map(|(row, _)| row[feature]).collect();
            values.sort_by(f64::total_cmp);
            (1..BINS).map(|bin| values[bin * values.len() / BINS]).collect()
        })
        .collect();
    let bin = |row: &[f64], feature: usize| edges[feature].partition_point(|edge| *edge < row[feature]) as u8;
    let binned: Vec<Vec<u8>> = rows.iter().map(|(row, _)| (0..features).map(|f| bin(row, f)).collect()).collect();
    let training: Vec<usize> = (0..rows.len()).filter(|&index| is_training(index)).collect();
    let mut guesses = vec![0.0; rows.len()];
    for _ in 0..ROUNDS {
        let mut slopes = vec![(0.0, 0.0); rows.len()];
        for &index in &training {
            let chance = 1.0 / (1.0 + libm::exp(-guesses[index]));
            slopes[index] = (f64::from(u8::from(rows[index].1)) - chance, chance * (1.0 - chance));
        }
        grow(&binned, &slopes, training.clone(), (0..rows.len()).collect(), DEPTH, &mut guesses);
    }
    let judged: Vec<usize> = (0..rows.len()).filter(|&index| !is_training(index)).collect();
    let right = judged.iter().filter(|&&index| (guesses[index] > 0.0) == rows[index].1).count();
    right as f64 / judged.len().max(1) as f64
}

/// Grows one tree by the best split of the loss at each node, and adds its
/// answers to the guesses.
fn grow(
    binned: &[Vec<u8>],
    slopes: &[(f64, f64)],
    training: Vec<usize>,
    all: Vec<usize>,
    depth: usize,
    guesses: &mut [f64],
) {
    let sum = |rows: &[usize]| rows.iter().fold((0.0, 0.0), |sum, &row| (sum.0 + slopes[row].0, sum.1 + slopes[row].1));
    let gain = |(slope, weight): (f64, f64)| slope * slope / (weight + 1.0);
    let whole = sum(&training);
    let mut best: Option<(f64, usize, u8)> = None;
    if depth > 0 && training.len() >= 40 {
        for feature in 0..binned.first().map_or(0, Vec::len) {
            let mut bins = [(0.0, 0.0); BINS];
            for &row in &training {
                let bin = &mut bins[usize::from(binned[row][feature])];
                *bin = (bin.0 + slopes[row].0, bin.1 + slopes[row].1);
            }
            let mut left = (0.0, 0.0);
            for (bin, part) in bins.iter().enumerate().take(BINS - 1) {
                left = (left.0 + part.0, left.1 + part.1);
                let right = (whole.0 - left.0, whole.1 - left.1);
                if left.1 < 2.0 || right.1 < 2.0 {
                    continue;
                }
                let better = gain(left) + gain(right) - gain(whole);
                if better > best.map_or(1e-3, |best| best.0) {
                    best = Some((better, feature, bin as u8));
                }
            }
        }
    }
    match best {
        Some((_, feature, bin)) => {
            let is_low = |row: &usize| binned[*row][feature] <= bin;
            let (low, high): (Vec<usize>, Vec<usize>) = training.iter().partition(|row| is_low(row));
            let (all_low, all_high): (Vec<usize>, Vec<usize>) = all.iter().partition(|row| is_low(row));
            grow(binned, slopes, low, all_low, depth - 1, guesses);
            grow(binned, slopes, high, all_high, depth - 1, guesses);
        }
        None => {
            let answer = RATE * whole.0 / (whole.1 + 1.0);
            for row in all {
                guesses[row] += answer;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proscenium_chance::Seed;

    #[test]
    fn equal_samples_cannot_be_told_apart_and_others_can() {
        let mut stream = Seed(1).stream("trees");
        let mut sample = |shift: f64| -> Vec<Vec<f64>> {
            (0..4000).map(|_| vec![stream.normal() + shift, stream.uniform()]).collect()
        };
        let (a, b, c) = (sample(0.0), sample(0.0), sample(1.0));
        // The error of a score from 4000 judged rows is 0.008.
        assert!((score(&a, &b) - 0.5).abs() < 0.03, "{}", score(&a, &b));
        // The best possible is Φ(1/2) = 0.691.
        let apart = score(&a, &c);
        assert!((0.66..0.72).contains(&apart), "{apart}");
    }

    #[test]
    fn a_pattern_of_two_features_is_found() {
        let mut stream = Seed(2).stream("trees");
        let mut sample = |sign: f64| -> Vec<Vec<f64>> {
            (0..3000)
                .map(|_| {
                    let (x, y) = (stream.uniform() - 0.5, stream.uniform() - 0.5);
                    vec![x, if x * y * sign > 0.0 { y } else { -y }]
                })
                .collect()
        };
        assert!(score(&sample(1.0), &sample(-1.0)) > 0.9);
    }
}
