//! Promise: what is drawn follows what was promised. The seed is fixed; with a
//! new one, each comparison would fail by chance once in 10 000 times.

#![allow(clippy::unwrap_used)]

use proscenium_chance::glam::DVec3;
use proscenium_chance::statistics::{
    chi_squared_fit, chi_squared_homogeneity, kolmogorov_smirnov, kolmogorov_smirnov_two_samples,
};
use proscenium_chance::{Density, Seed, Stream};

const ERROR_RATE: f64 = 1e-4;
const DRAWS: usize = 20_000;

fn stream(name: &str) -> Stream {
    Seed(20_260).stream(name)
}

fn assert_plausible(what: &str, p_value: f64) {
    assert!(p_value > ERROR_RATE, "{what}: p = {p_value:e}");
}

/// Whether draws are uniform on the interval from `low` to `high`.
fn assert_uniform(what: &str, samples: &[f64], low: f64, high: f64) {
    let test = kolmogorov_smirnov(samples, |x| ((x - low) / (high - low)).clamp(0.0, 1.0)).unwrap();
    assert_plausible(what, test.p_value);
}

#[test]
fn samples_follow_their_distribution_function() {
    let tail = Density::truncated_normal(0.0, 1.0, 8.0, 9.0).unwrap();
    let densities = [
        ("uniform", Density::uniform(-2.0, 5.0).unwrap()),
        ("normal", Density::normal(3.0, 0.7).unwrap()),
        ("truncated", Density::truncated_normal(1.0, 2.0, -0.5, 2.5).unwrap()),
        ("tail", tail.clone()),
        ("far tail", Density::truncated_normal(0.0, 1.0, -f64::INFINITY, -500.0).unwrap()),
        ("exponential", Density::shifted_exponential(7.0, 0.1).unwrap()),
        ("log-normal", Density::log_normal(0.3, 0.8).unwrap()),
        (
            "mixture",
            Density::mixture([
                (Density::normal(-3.0, 0.5).unwrap(), 1.0),
                (Density::exponential(1.0).unwrap(), 2.0),
                (tail, 0.5),
            ])
            .unwrap(),
        ),
    ];
    for (name, density) in densities {
        let mut drawn = stream(name);
        let samples: Vec<f64> = (0..DRAWS).map(|_| density.sample(&mut drawn)).collect();
        let test = kolmogorov_smirnov(&samples, |x| density.cdf(x)).unwrap();
        assert_plausible(name, test.p_value);

        let mut whitened = stream(name).at(1);
        let mapped: Vec<f64> = (0..DRAWS).map(|_| density.from_standard_normal(whitened.normal())).collect();
        let test = kolmogorov_smirnov_two_samples(&samples, &mapped).unwrap();
        assert_plausible(name, test.p_value);
    }
}

/// Against another way to sample: rejection, which needs no distribution function.
#[test]
fn a_truncated_tail_agrees_with_rejection() {
    let (low, high) = (2.5, 3.5);
    let density = Density::truncated_normal(0.0, 1.0, low, high).unwrap();
    let mut drawn = stream("truncated");
    let samples: Vec<f64> = (0..2000).map(|_| density.sample(&mut drawn)).collect();
    let mut normal = stream("rejection");
    let accepted: Vec<f64> =
        std::iter::repeat_with(|| normal.normal()).filter(|x| (low..=high).contains(x)).take(2000).collect();
    assert_plausible("rejection", kolmogorov_smirnov_two_samples(&samples, &accepted).unwrap().p_value);
}

#[test]
fn discrete_values_come_with_their_weights() {
    let weights = [1.0, 2.0, 3.0, 4.0, 0.5];
    let density = Density::discrete(weights.iter().enumerate().map(|(face, &weight)| (face as f64, weight))).unwrap();
    let mut drawn = stream("discrete");
    let mut counts = [0_u64; 5];
    for _ in 0..DRAWS {
        counts[density.sample(&mut drawn) as usize] += 1;
    }
    let chances = weights.map(|weight| weight / 10.5);
    assert_plausible("discrete", chi_squared_fit(&counts, &chances, 0).unwrap().p_value);
}

#[test]
fn whole_numbers_below_a_limit_are_equally_likely() {
    for limit in [2_usize, 3, 6, 100] {
        let mut drawn = stream("below").at(limit as u64);
        let mut counts = vec![0; limit];
        for _ in 0..DRAWS {
            counts[drawn.below(limit as u64) as usize] += 1;
        }
        let test = chi_squared_fit(&counts, &vec![1.0 / limit as f64; limit], 0).unwrap();
        assert_plausible("below", test.p_value);
    }
}

#[test]
fn all_orders_of_four_items_are_equally_likely() {
    let mut drawn = stream("shuffle");
    let mut counts = vec![0; 256];
    for _ in 0..DRAWS {
        let mut items = [0, 1, 2, 3];
        drawn.shuffle(&mut items);
        counts[items.iter().fold(0, |code, item| 4 * code + item)] += 1;
    }
    counts.retain(|&count| count > 0);
    assert_eq!(counts.len(), 24);
    assert_plausible("shuffle", chi_squared_fit(&counts, &[1.0 / 24.0; 24], 0).unwrap().p_value);
}

#[test]
fn directions_are_uniform_on_the_sphere() {
    // The component along any axis of a uniform direction is uniform.
    let axes = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::new(2.0, -1.0, 0.5).normalize()];
    let mut drawn = stream("directions");
    let directions: Vec<DVec3> = (0..DRAWS).map(|_| drawn.unit_vector()).collect();
    for axis in axes {
        let along: Vec<f64> = directions.iter().map(|direction| direction.dot(axis)).collect();
        assert_uniform("directions", &along, -1.0, 1.0);
    }
}

#[test]
fn rotations_are_uniform() {
    // A uniform rotation takes any direction to a uniform one, and its angle has
    // the distribution function (angle - sin angle) / pi.
    let mut drawn = stream("rotations");
    let rotations: Vec<_> = (0..DRAWS).map(|_| drawn.rotation()).collect();
    let from = DVec3::new(1.0, 2.0, 3.0).normalize();
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        let along: Vec<f64> = rotations.iter().map(|rotation| (*rotation * from).dot(axis)).collect();
        assert_uniform("rotations", &along, -1.0, 1.0);
    }
    let angles: Vec<f64> = rotations.iter().map(|rotation| 2.0 * libm::acos(rotation.w.abs().min(1.0))).collect();
    let cdf = |angle: f64| ((angle - libm::sin(angle)) / std::f64::consts::PI).clamp(0.0, 1.0);
    assert_plausible("angles", kolmogorov_smirnov(&angles, cdf).unwrap().p_value);
}

/// Neighbouring names, indices, seeds and positions must not resemble each other:
/// pairs of their first numbers fill an 8 by 8 grid evenly.
#[test]
fn neighbouring_streams_are_unrelated() {
    type Pair<'a> = &'a dyn Fn(u64) -> (f64, f64);
    let pairs: [(&str, Pair<'_>); 4] = [
        ("names", &|index| {
            let draw = |number: u64| Seed(1).stream(&format!("name {number}")).uniform();
            (draw(index), draw(index + 1))
        }),
        ("indices", &|index| {
            let draw = |number: u64| Seed(1).stream("body").at(number).uniform();
            (draw(index), draw(index + 1))
        }),
        ("seeds", &|index| {
            let draw = |number: u64| Seed(number).stream("body").uniform();
            (draw(index), draw(index + 1))
        }),
        ("children", &|index| {
            let draw = |number: u64| Seed(1).child("chain", number).stream("body").uniform();
            (draw(index), draw(index + 1))
        }),
    ];
    for (name, pair) in pairs {
        let mut counts = [0_u64; 64];
        // Every other one, so that the pairs are independent of each other.
        for index in (0..2 * DRAWS as u64).step_by(2) {
            let (first, second) = pair(index);
            counts[(first * 8.0) as usize * 8 + (second * 8.0) as usize] += 1;
        }
        assert_plausible(name, chi_squared_fit(&counts, &[1.0 / 64.0; 64], 0).unwrap().p_value);
    }
}

#[test]
fn every_bit_of_a_word_is_fair() {
    let mut drawn = stream("bits");
    let mut ones = [0_u64; 32];
    for _ in 0..DRAWS {
        let word = drawn.word();
        for (bit, count) in ones.iter_mut().enumerate() {
            *count += u64::from(word >> bit & 1);
        }
    }
    let zeros = ones.map(|count| DRAWS as u64 - count);
    // Bits differ from each other no more than chance would have it.
    assert_plausible("bits", chi_squared_homogeneity(&ones, &zeros).unwrap().p_value);
    let total: u64 = ones.iter().sum();
    let all = 32 * DRAWS as u64;
    assert_plausible("all bits", chi_squared_fit(&[total, all - total], &[0.5, 0.5], 0).unwrap().p_value);
}
