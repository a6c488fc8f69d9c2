//! Promise: p-values are what they claim. If the hypothesis is true they are
//! uniform (on a grid, never too small, where the statistic has few values); if
//! it is false they are small. 2000 simulations each, with a fixed seed; with a
//! new one, each comparison would fail by chance once in 10 000 times.

#![allow(clippy::unwrap_used)]

use proscenium_chance::statistics::{
    chi_squared_fit, chi_squared_homogeneity, holm, kolmogorov_smirnov, kolmogorov_smirnov_two_samples,
};
use proscenium_chance::{Density, Seed, Stream};

const SIMULATIONS: u64 = 2000;
const ERROR_RATE: f64 = 1e-4;

fn simulate(name: &str, test: impl Fn(&mut Stream) -> f64) -> Vec<f64> {
    (0..SIMULATIONS).map(|index| test(&mut Seed(41).stream(name).at(index))).collect()
}

fn assert_uniform(name: &str, p_values: &[f64]) {
    let test = kolmogorov_smirnov(p_values, |p| p).unwrap();
    assert!(test.p_value > ERROR_RATE, "{name}: {test:?}");
}

fn draw(stream: &mut Stream, count: usize) -> Vec<f64> {
    (0..count).map(|_| stream.normal()).collect()
}

fn counts(stream: &mut Stream, chances: &Density, bins: usize, draws: usize) -> Vec<u64> {
    let mut counts = vec![0; bins];
    for _ in 0..draws {
        counts[chances.sample(stream) as usize] += 1;
    }
    counts
}

#[test]
fn one_sample_kolmogorov_smirnov() {
    // Exact, exact, and the limit.
    for count in [5, 60, 600] {
        let p_values = simulate("one sample", |stream| {
            let samples: Vec<f64> = (0..count).map(|_| stream.uniform()).collect();
            kolmogorov_smirnov(&samples, |x| x).unwrap().p_value
        });
        assert_uniform("one sample", &p_values);
    }
}

#[test]
fn two_sample_kolmogorov_smirnov() {
    // Exact on a grid fine enough to look continuous, then the limit.
    for (first, second) in [(97, 89), (1100, 1000)] {
        let p_values = simulate("two samples", |stream| {
            let (first, second) = (draw(stream, first), draw(stream, second));
            kolmogorov_smirnov_two_samples(&first, &second).unwrap().p_value
        });
        assert_uniform("two samples", &p_values);
    }
}

#[test]
fn two_samples_with_equal_values_are_never_called_different_too_often() {
    let p_values = simulate("ties", |stream| {
        let mut rolls = |count: usize| -> Vec<f64> { (0..count).map(|_| stream.below(6) as f64).collect() };
        let (first, second) = (rolls(12), rolls(15));
        kolmogorov_smirnov_two_samples(&first, &second).unwrap().p_value
    });
    for level in [0.01, 0.05, 0.2, 0.5] {
        let share = p_values.iter().filter(|&&p| p <= level).count() as f64 / SIMULATIONS as f64;
        // 3.7 standard deviations above the level: once in 10 000 times.
        let spread = (level * (1.0 - level) / SIMULATIONS as f64).sqrt();
        assert!(share <= level + 3.7 * spread, "{share} at {level}");
        // And the test is not idle: tied values cost it at most half its level.
        assert!(share >= 0.5 * level - 3.7 * spread, "{share} at {level}");
    }
}

#[test]
fn chi_squared_goodness_of_fit() {
    let weights = [0.1, 0.2, 0.3, 0.25, 0.15];
    let chances = Density::discrete(weights.iter().enumerate().map(|(bin, &weight)| (bin as f64, weight))).unwrap();
    let p_values =
        simulate("fit", |stream| chi_squared_fit(&counts(stream, &chances, 5, 2000), &weights, 0).unwrap().p_value);
    assert_uniform("fit", &p_values);
}

#[test]
fn chi_squared_homogeneity_of_two_samples() {
    let chances = Density::discrete((0..8).map(|bin| (f64::from(bin), f64::from(bin + 2)))).unwrap();
    let p_values = simulate("homogeneity", |stream| {
        let (first, second) = (counts(stream, &chances, 8, 1500), counts(stream, &chances, 8, 700));
        chi_squared_homogeneity(&first, &second).unwrap().p_value
    });
    assert_uniform("homogeneity", &p_values);
}

#[test]
fn the_tests_have_power() {
    let mut stream = Seed(41).stream("power");
    let (first, mut second) = (draw(&mut stream, 500), draw(&mut stream, 500));
    second.iter_mut().for_each(|x| *x *= 1.5);
    assert!(kolmogorov_smirnov_two_samples(&first, &second).unwrap().p_value < 1e-3);
    let normal = Density::normal(0.0, 1.0).unwrap();
    assert!(kolmogorov_smirnov(&second, |x| normal.cdf(x)).unwrap().p_value < 1e-3);
    assert!(chi_squared_fit(&[100, 150], &[0.5, 0.5], 0).unwrap().p_value < 2e-3);
}

/// Holm's promise: of families of true hypotheses, at most a share of 0.05 has
/// even one adjusted p-value below 0.05.
#[test]
fn holm_keeps_the_error_of_a_family() {
    let least = simulate("holm", |stream| {
        let family: Vec<f64> = (0..10).map(|_| stream.uniform()).collect();
        holm(&family).unwrap().into_iter().fold(1.0, f64::min)
    });
    let share = least.iter().filter(|&&p| p <= 0.05).count() as f64 / SIMULATIONS as f64;
    let spread = (0.05_f64 * 0.95 / SIMULATIONS as f64).sqrt();
    assert!((share - 0.0489).abs() < 3.9 * spread, "{share}");
}
