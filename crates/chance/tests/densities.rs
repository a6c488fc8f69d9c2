//! Promise: a density is normalised, its score, distribution function, quantile
//! function and moments belong together, and its samples follow it. Each is
//! checked against another by quadrature or inversion.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use proscenium_chance::{Density, DensityError, Seed, standard_normal};
use proscenium_work::Remedy as _;

const INFINITY: f64 = f64::INFINITY;

/// Densities of every continuous family, easy and hard.
fn continuous() -> Vec<(&'static str, Density)> {
    let normal = |mean, sd| Density::normal(mean, sd).unwrap();
    let truncated = |mean, sd, low, high| Density::truncated_normal(mean, sd, low, high).unwrap();
    vec![
        ("uniform", Density::uniform(-2.0, 5.0).unwrap()),
        ("normal", normal(3.0, 0.7)),
        ("both ends", truncated(1.0, 2.0, -0.5, 2.5)),
        ("positive", truncated(1.0, 1.0, 0.0, INFINITY)),
        ("upper tail", truncated(0.0, 1.0, 8.0, 9.0)),
        ("lower tail", truncated(0.0, 1.0, -INFINITY, -8.0)),
        ("far tail", truncated(0.0, 1.0, 1e4, INFINITY)),
        ("farthest tail", truncated(-3.0, 1e-3, 996.0, INFINITY)),
        ("narrow", truncated(0.0, 1.0, 2.0, 2.0 + 1e-9)),
        ("narrow at the mean", truncated(0.0, 1.0, -1e-9, 2e-9)),
        ("hardly truncated", truncated(5.0, 1.0, -40.0, 60.0)),
        ("not truncated", truncated(5.0, 1.0, -INFINITY, INFINITY)),
        ("exponential", Density::exponential(2.5).unwrap()),
        ("shifted", Density::shifted_exponential(7.0, 0.1).unwrap()),
        ("log-normal", Density::log_normal(0.3, 0.8).unwrap()),
        (
            "mixture",
            Density::mixture([
                (normal(-3.0, 0.5), 1.0),
                (normal(2.0, 1.0), 2.0),
                (Density::exponential(1.0).unwrap(), 1.0),
            ])
            .unwrap(),
        ),
        (
            "mixture with a gap",
            Density::mixture([(Density::uniform(0.0, 1.0).unwrap(), 0.5), (Density::uniform(2.0, 3.0).unwrap(), 0.5)])
                .unwrap(),
        ),
    ]
}

/// Integrates from the lower tail up to where the whitened variable is `to`, by
/// Gauss's three points on pieces of equal width in that variable, so that every
/// density is resolved, and cut where a component of a mixture begins or ends.
/// What lies below -8 is less than 1e-15.
fn integrate(density: &Density, to: f64, function: impl Fn(f64) -> f64) -> f64 {
    let (pieces, parts) = (400, 16);
    let edge = |piece: u32| density.from_standard_normal(-8.0 + (to + 8.0) * f64::from(piece) / f64::from(pieces));
    let mut edges: Vec<f64> = (0..=pieces).map(edge).collect();
    if let Density::Mixture(mixture) = density {
        let supports = mixture.components().map(|(component, _)| component.support());
        let cuts = supports.flat_map(|support| [support.low, support.high]);
        let (low, high) = (edges[0], edges[edges.len() - 1]);
        edges.extend(cuts.filter(|&cut| low < cut && cut < high));
        edges.sort_by(f64::total_cmp);
    }
    let gauss = |centre: f64, half: f64| {
        let node = half * 0.6_f64.sqrt();
        half * (5.0 * function(centre - node) + 8.0 * function(centre) + 5.0 * function(centre + node)) / 9.0
    };
    let piece = |pair: &[f64]| -> f64 {
        let half = 0.5 * (pair[1] - pair[0]) / f64::from(parts);
        (0..parts).map(|part| gauss(pair[0] + half * f64::from(2 * part + 1), half)).sum()
    };
    edges.windows(2).map(piece).sum()
}

/// Where floating-point numbers are coarse, an integral over them is too.
fn tolerance(name: &str) -> f64 {
    match name {
        "farthest tail" => 1e-4,
        "narrow" => 1e-6,
        "far tail" => 1e-8,
        // Beyond 8 there still is some of its variance.
        "log-normal" => 1e-10,
        _ => 1e-11,
    }
}

#[test]
fn densities_integrate_to_their_distribution_function() {
    for (name, density) in continuous() {
        let score = |x: f64| libm::exp(density.log_density(x));
        let whole = integrate(&density, 8.0, score);
        assert!((whole - 1.0).abs() < tolerance(name), "{name}: {whole}");
        for probability in [0.01, 0.3, 0.8] {
            let x = density.quantile(probability);
            let part = integrate(&density, standard_normal::quantile(probability), score);
            let error = (part - density.cdf(x)).abs();
            assert!(error < tolerance(name), "{name} at {x}: {error:e}");
        }
    }
}

#[test]
fn moments_are_those_of_the_density() {
    for (name, density) in continuous() {
        let (mean, variance) = (density.mean(), density.variance());
        let deviation = variance.sqrt();
        let expect = |power: f64| {
            integrate(&density, 8.0, |x| libm::pow((x - mean) / deviation, power) * libm::exp(density.log_density(x)))
        };
        let (first, second) = (expect(1.0), expect(2.0));
        let tolerance = 10.0 * tolerance(name);
        assert!(first.abs() < tolerance, "{name}, mean: {first:e}");
        assert!((second - 1.0).abs() < tolerance, "{name}: {second}");
    }
}

#[test]
fn the_quantile_function_inverts_the_distribution_function() {
    for (name, density) in continuous() {
        for z in [-30.0, -8.0, -3.0, -0.5, 0.0, 0.1, 1.0, 4.0, 8.0, 30.0] {
            let x = density.from_standard_normal(z);
            assert!(density.support().contains(x), "{name}: {x}");
            let (lower, upper) = (density.cdf(x), density.survival(x));
            let (expected, actual) =
                if z < 0.0 { (standard_normal::cdf(z), lower) } else { (standard_normal::survival(z), upper) };
            // The spacing of floating-point numbers at x limits the agreement.
            let spacing = libm::exp(density.log_density(x)) * x.abs() * 4.0 * f64::EPSILON;
            let error = (actual - expected).abs();
            assert!(error <= spacing + 1e-12 * expected, "{name} at z = {z}: {actual:e}, not {expected:e}");
            assert!((lower + upper - 1.0).abs() < 1e-13 + 4.0 * spacing, "{name}");
        }
    }
}

/// Values computed with 40 digits by another program.
#[test]
fn whitening_can_be_undone() {
    for (name, density) in continuous() {
        for step in -40..=40 {
            let z = f64::from(step) / 10.0;
            let back = density.to_standard_normal(density.from_standard_normal(z));
            // In probability: far out a value has fewer digits than its place.
            let off = (standard_normal::cdf(back) - standard_normal::cdf(z)).abs();
            let allowed = if name.contains("far") || name.contains("narrow") { 1e-3 } else { 1e-9 };
            assert!(off < allowed, "{name}: {z} became {back}");
        }
        let support = density.support();
        assert_eq!(density.to_standard_normal(support.low), f64::NEG_INFINITY, "{name}");
        assert_eq!(density.to_standard_normal(support.high), INFINITY, "{name}");
        assert!(density.to_standard_normal(f64::NAN).is_nan(), "{name}");
    }
    // Where probabilities have long underflowed.
    let normal = Density::normal(1.0, 2.0).unwrap();
    assert_eq!(normal.to_standard_normal(normal.from_standard_normal(-300.0)), -300.0);
}

#[test]
fn truncated_normals_match_reference_values() {
    // Mean, deviation, ends; a value; its score and cdf, the mean and the variance.
    let cases = [
        (
            [0.0, 1.0, 8.0, 9.0],
            8.25,
            [0.06343006023247537, 0.8728512209243857, 8.121188992979796, 0.014148542782748111],
        ),
        (
            [0.0, 1.0, 8.0, INFINITY],
            8.5,
            [-2.030501373290123, 0.9847619435792471, 8.121368112236112, 0.014324883443340911],
        ),
        ([1.0, 2.0, -0.5, 2.5], 0.75, [-1.01612598935723, 0.409028527062661, 1.0, 0.6953083846565132]),
        (
            [0.0, 1.0, -INFINITY, -8.0],
            -8.1,
            [1.28949862670988, 0.44172589740610924, -8.121368112236112, 0.014324883443340911],
        ),
        (
            [0.0, 1.0, 40.0, 41.0],
            40.01,
            [3.289453480549195, 0.32988079019628447, 40.02496884720726, 0.0006226683785913863],
        ),
        (
            [0.0, 1.0, 10000.0, INFINITY],
            10000.0001,
            [8.210340384048413, 0.6321205617450208, 10000.000099999997, 9.99999940000005e-09],
        ),
        (
            [2.0, 0.5, 2.75, 2.7500009536743164],
            2.750000238418579,
            [13.862944326454794, 0.25000026822110755, 2.750000476836931, 7.579122514770382e-14],
        ),
        (
            [1.0, 1.0, 0.0, INFINITY],
            1e-12,
            [-1.246184754180223, 2.8759997093932215e-13, 1.2875999709391783, 0.6296862857766053],
        ),
    ];
    for ([mean, deviation, low, high], x, expected) in cases {
        let density = Density::truncated_normal(mean, deviation, low, high).unwrap();
        let actual = [density.log_density(x), density.cdf(x), density.mean(), density.variance()];
        for (actual, expected) in actual.into_iter().zip(expected) {
            let error = (actual / expected - 1.0).abs();
            assert!(error < 2e-14, "{density:?}: {actual}, not {expected}: {error:e}");
        }
        let error = (density.quantile(density.cdf(x)) / x - 1.0).abs();
        assert!(error < 1e-14, "{density:?}: {error:e}");
    }
}

#[test]
fn discrete_values_score_their_probability() {
    let density = Density::discrete([(3.0, 1.0), (1.0, 2.0), (2.0, 0.0), (3.0, 1.0)]).unwrap();
    let Density::Discrete(discrete) = &density else {
        panic!("a discrete density");
    };
    assert_eq!(discrete.entries().collect::<Vec<_>>(), [(1.0, 0.5), (3.0, 0.5)]);
    assert_eq!(density.log_density(1.0), libm::log(0.5));
    assert_eq!(density.log_density(2.0), -INFINITY);
    assert_eq!((density.cdf(0.9), density.cdf(1.0), density.cdf(3.0)), (0.0, 0.5, 1.0));
    assert_eq!((density.mean(), density.variance()), (2.0, 1.0));
    assert_eq!((density.quantile(0.5), density.quantile(0.5 + 1e-15)), (1.0, 3.0));
}

#[test]
fn rare_discrete_values_are_reached_from_both_tails() {
    let density = Density::discrete([(0.0, 1e-30), (1.0, 1.0), (2.0, 1e-30)]).unwrap();
    assert_eq!(density.from_standard_normal(-12.0), 0.0);
    assert_eq!(density.from_standard_normal(-11.0), 1.0);
    assert_eq!(density.from_standard_normal(11.0), 1.0);
    assert_eq!(density.from_standard_normal(12.0), 2.0);
}

#[test]
fn mixtures_may_hold_certain_values() {
    let density =
        Density::mixture([(Density::constant(0.25).unwrap(), 0.5), (Density::uniform(0.0, 1.0).unwrap(), 0.5)])
            .unwrap();
    assert_eq!(density.log_density(0.25), libm::log(0.5));
    assert_eq!(density.log_density(0.26), libm::log(0.5));
    for probability in [0.126, 0.2, 0.5, 0.62] {
        assert_eq!(density.quantile(probability), 0.25);
    }
    assert!((density.quantile(0.75) - 0.5).abs() < 1e-15);
    // A gap has no quantile in it.
    let gap = &continuous().pop().unwrap().1;
    assert_eq!(gap.quantile(0.5), 1.0);
    assert_eq!(gap.log_density(1.5), -INFINITY);
}

#[test]
fn mixtures_within_mixtures_are_flattened() {
    let inner =
        Density::mixture([(Density::constant(1.0).unwrap(), 1.0), (Density::constant(2.0).unwrap(), 1.0)]).unwrap();
    let outer = Density::mixture([(inner, 1.0), (Density::constant(3.0).unwrap(), 1.0)]).unwrap();
    let Density::Mixture(mixture) = &outer else {
        panic!("a mixture");
    };
    let weights: Vec<f64> = mixture.components().map(|(_, weight)| weight).collect();
    assert_eq!(weights, [0.25, 0.25, 0.5]);
}

#[test]
fn improper_densities_are_refused() {
    let refused: Vec<DensityError> = [
        Density::constant(f64::NAN),
        Density::uniform(1.0, 1.0),
        Density::uniform(0.0, INFINITY),
        Density::uniform(-1e300, 1e300),
        Density::normal(0.0, 0.0),
        Density::normal(0.0, f64::NAN),
        Density::normal(0.0, 1e200),
        Density::truncated_normal(0.0, 1.0, 2.0, 1.0),
        Density::truncated_normal(0.0, 1.0, f64::NAN, 1.0),
        Density::truncated_normal(0.0, 1.0, 1e7, INFINITY),
        Density::truncated_normal(0.0, 1.0, INFINITY, INFINITY),
        Density::truncated_normal(1e308, 1.0, -1e308, -0.9e308),
        Density::exponential(0.0),
        Density::exponential(-1.0),
        Density::exponential(1e-200),
        Density::log_normal(800.0, 1.0),
        Density::log_normal(0.0, 100.0),
        Density::discrete([]),
        Density::discrete([(1.0, 0.0)]),
        Density::discrete([(1.0, -1.0)]),
        Density::discrete([(INFINITY, 1.0)]),
        Density::mixture([]),
        Density::mixture([(Density::constant(1.0).unwrap(), INFINITY)]),
    ]
    .into_iter()
    .enumerate()
    .map(|(index, result)| result.expect_err(&index.to_string()))
    .collect();
    for error in refused {
        assert!(error.remedy().is_some_and(|remedy| !remedy.is_empty()), "{error} has no remedy");
    }
}

#[test]
fn what_is_not_a_number_stays_outside() {
    for (name, density) in continuous() {
        assert_eq!(density.log_density(f64::NAN), -INFINITY, "{name}");
        assert!(density.cdf(f64::NAN).is_nan(), "{name}");
        assert!(density.quantile(f64::NAN).is_nan(), "{name}");
        assert!(density.from_standard_normal(f64::NAN).is_nan(), "{name}");
        assert_eq!(density.cdf(INFINITY), 1.0, "{name}");
        assert_eq!(density.cdf(-INFINITY), 0.0, "{name}");
        assert_eq!(density.survival(INFINITY), 0.0, "{name}");
        assert_eq!(density.survival(-INFINITY), 1.0, "{name}");
        assert_eq!(density.log_density(INFINITY), -INFINITY, "{name}");
        assert_eq!(density.quantile(0.0), density.support().low, "{name}");
        assert_eq!(density.quantile(1.0), density.support().high, "{name}");
    }
}

#[test]
fn every_draw_takes_two_words() {
    let mut stream = Seed(1).stream("words");
    for (count, (_, density)) in continuous().iter().enumerate() {
        density.sample(&mut stream);
        assert_eq!(stream.position(), 2 * (count as u64 + 1));
    }
}

proptest! {
    #[test]
    fn truncated_quantiles_round_trip(
        mean in -10.0..10.0_f64,
        log_deviation in -3.0..3.0_f64,
        start in -30.0..30.0_f64,
        log_width in -10.0..4.0_f64,
        probability in 0.0001..0.9999_f64,
    ) {
        let deviation = libm::exp(log_deviation);
        let low = mean + start * deviation;
        let high = low + libm::exp(log_width) * deviation;
        let density = Density::truncated_normal(mean, deviation, low, high).unwrap();
        let x = density.quantile(probability);
        prop_assert!(density.support().contains(x));
        let spacing = libm::exp(density.log_density(x)) * x.abs().max(low.abs()) * 4.0 * f64::EPSILON;
        prop_assert!((density.cdf(x) - probability).abs() < 1e-13 + spacing);
        prop_assert!((density.survival(x) - (1.0 - probability)).abs() < 1e-13 + spacing);
    }

    #[test]
    fn mixture_quantiles_round_trip(
        parts in prop::collection::vec((-5.0..5.0_f64, 0.01..2.0_f64, 0.01..1.0_f64), 1..5),
        z in -20.0..20.0_f64,
    ) {
        let density = Density::mixture(parts.into_iter().map(|(mean, deviation, weight)| {
            (Density::normal(mean, deviation).unwrap(), weight)
        })).unwrap();
        let x = density.from_standard_normal(z);
        let (expected, actual) = if z < 0.0 {
            (standard_normal::cdf(z), density.cdf(x))
        } else {
            (standard_normal::survival(z), density.survival(x))
        };
        let spacing = libm::exp(density.log_density(x)) * x.abs() * 4.0 * f64::EPSILON;
        prop_assert!((actual - expected).abs() < 1e-13 * expected + spacing);
    }

    #[test]
    fn whitening_is_monotone(first in -40.0..40.0_f64, second in -40.0..40.0_f64) {
        let (low, high) = if first < second { (first, second) } else { (second, first) };
        for (name, density) in continuous() {
            let (from, to) = (density.from_standard_normal(low), density.from_standard_normal(high));
            let rounding = 8.0 * f64::EPSILON * to.abs();
            prop_assert!(from <= to + rounding, "{}: {} > {}", name, from, to);
        }
    }

    /// Whatever the parameters, a density is refused or usable.
    #[test]
    fn what_is_accepted_never_fails(
        a in prop::num::f64::ANY,
        b in prop::num::f64::ANY,
        c in prop::num::f64::ANY,
        d in prop::num::f64::ANY,
        scale in 1e-3..1e3_f64,
        x in prop::num::f64::ANY,
        probability in 1e-12..1.0_f64,
        z in -50.0..50.0_f64,
    ) {
        let candidates = [
            Density::constant(a),
            Density::uniform(a, b),
            Density::normal(a, b),
            Density::normal(scale, b),
            Density::truncated_normal(a, b, c, d),
            Density::truncated_normal(0.0, scale, c, d),
            Density::truncated_normal(a, scale, -scale, d),
            Density::truncated_normal(a, b, -scale, scale),
            Density::shifted_exponential(a, b),
            Density::log_normal(a, b),
            Density::log_normal(-scale, 1.0 / scale),
            Density::discrete([(a, b), (c, d), (1.0, scale)]),
            Density::discrete([(a, scale), (c, 1.0)]),
        ];
        let accepted: Vec<Density> = candidates.into_iter().flatten().collect();
        let mixture = Density::mixture(accepted.iter().cloned().map(|density| (density, scale)));
        for density in accepted.iter().chain(&mixture) {
            prop_assert!(density.mean().is_finite() && density.variance() >= 0.0, "{density:?}");
            for value in [density.quantile(probability), density.from_standard_normal(z)] {
                prop_assert!(density.support().contains(value), "{density:?}: {value}");
                prop_assert!(!density.log_density(value).is_nan(), "{density:?}: {value}");
            }
            prop_assert!(!density.log_density(x).is_nan(), "{density:?} at {x}");
            if !x.is_nan() {
                let (lower, upper) = (density.cdf(x), density.survival(x));
                prop_assert!((0.0..=1.0).contains(&lower) && (0.0..=1.0).contains(&upper), "{density:?} at {x}");
                prop_assert!((lower + upper - 1.0).abs() < 1e-9, "{density:?} at {x}: {lower} + {upper}");
            }
        }
    }
}
