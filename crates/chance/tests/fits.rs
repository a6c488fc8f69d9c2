//! Promise: fitting a mixture never lowers the likelihood, finds what samples
//! were drawn from, and is deterministic.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use proscenium_chance::statistics::{Moments, kolmogorov_smirnov_two_samples};
use proscenium_chance::{
    Density, FitError, FitOptions, MixtureFit, Seed, fit_exponential_mixture, fit_gaussian_mixture,
};

fn draw(density: &Density, name: &str, count: usize) -> Vec<f64> {
    let mut stream = Seed(9).stream(name);
    (0..count).map(|_| density.sample(&mut stream)).collect()
}

fn components(fit: &MixtureFit) -> Vec<(Density, f64)> {
    match &fit.density {
        Density::Mixture(mixture) => mixture.components().map(|(density, weight)| (density.clone(), weight)).collect(),
        other => panic!("a mixture, not {other:?}"),
    }
}

fn assert_rising(fit: &MixtureFit) {
    for pair in fit.log_likelihoods.windows(2) {
        assert!(pair[1] >= pair[0] - 1e-9 * pair[0].abs().max(1.0), "{pair:?}");
    }
}

/// The log-likelihood by the density's own score.
fn log_likelihood(density: &Density, samples: &[f64]) -> f64 {
    samples.iter().map(|&sample| density.log_density(sample)).sum()
}

#[test]
fn gaussian_mixtures_are_recovered() {
    let truth = [(-4.0, 0.5, 0.2), (0.0, 1.0, 0.5), (5.0, 1.5, 0.3)];
    let density =
        Density::mixture(truth.map(|(mean, deviation, weight)| (Density::normal(mean, deviation).unwrap(), weight)))
            .unwrap();
    let samples = draw(&density, "gaussian", 20_000);
    let fit = fit_gaussian_mixture(&samples, 3, &FitOptions::default()).unwrap();
    assert_rising(&fit);
    assert!(fit.converged);
    for ((found, found_weight), (mean, deviation, weight)) in components(&fit).iter().zip(truth) {
        assert!((found.mean() - mean).abs() < 0.08, "{found:?}");
        assert!((found.variance().sqrt() - deviation).abs() < 0.08, "{found:?}");
        assert!((found_weight - weight).abs() < 0.02, "{found_weight}");
    }
    // The truth is never likelier than the best fit.
    assert!(fit.log_likelihood() >= log_likelihood(&density, &samples));
    let error = fit.log_likelihood() - log_likelihood(&fit.density, &samples);
    assert!(error.abs() < 1e-6, "{error}");
    // Error rate 1e-4, and the seed is fixed.
    let again = draw(&fit.density, "again", 2000);
    assert!(kolmogorov_smirnov_two_samples(&samples[..2000], &again).unwrap().p_value > 1e-4);
}

#[test]
fn exponential_mixtures_are_recovered() {
    let truth = [(2.0, 0.6), (20.0, 0.4)];
    let density = Density::mixture(
        truth.map(|(excess, weight)| (Density::shifted_exponential(9.0, 1.0 / excess).unwrap(), weight)),
    )
    .unwrap();
    let samples = draw(&density, "exponential", 20_000);
    for origin in [Some(9.0), None] {
        let fit = fit_exponential_mixture(&samples, 2, origin, &FitOptions::default()).unwrap();
        assert_rising(&fit);
        for ((found, found_weight), (excess, weight)) in components(&fit).iter().zip(truth) {
            assert!(((found.mean() - 9.0) / excess - 1.0).abs() < 0.06, "{found:?}");
            assert!((found_weight - weight).abs() < 0.02, "{found_weight}");
        }
        let error = fit.log_likelihood() - log_likelihood(&fit.density, &samples);
        assert!(error.abs() < 1e-6, "{error}");
    }
}

#[test]
fn one_component_is_the_closed_form() {
    let samples = draw(&Density::log_normal(0.0, 1.0).unwrap(), "one", 500);
    let moments = Moments::of(&samples).unwrap();
    let normal = fit_gaussian_mixture(&samples, 1, &FitOptions::default()).unwrap();
    assert!((normal.density.mean() - moments.mean()).abs() < 1e-12);
    assert!((normal.density.variance() / moments.variance() - 1.0).abs() < 1e-12);
    let exponential = fit_exponential_mixture(&samples, 1, Some(0.0), &FitOptions::default()).unwrap();
    assert!((exponential.density.mean() / moments.mean() - 1.0).abs() < 1e-12);
}

#[test]
fn equal_values_do_not_collapse_a_component() {
    let mut samples = vec![1.0; 50];
    samples.extend(draw(&Density::normal(5.0, 1.0).unwrap(), "collapse", 50));
    let fit = fit_gaussian_mixture(&samples, 2, &FitOptions::default()).unwrap();
    assert_rising(&fit);
    let spread = Moments::of(&samples).unwrap().standard_deviation();
    let narrow = components(&fit)[0].0.variance().sqrt();
    assert!((narrow / (1e-3 * spread) - 1.0).abs() < 1e-9, "{narrow}");
}

#[test]
fn fits_are_repeatable_bit_by_bit() {
    let samples = draw(&Density::normal(0.0, 1.0).unwrap(), "repeat", 300);
    let fit = || fit_gaussian_mixture(&samples, 3, &FitOptions::default()).unwrap();
    assert_eq!(fit(), fit());
}

#[test]
fn what_cannot_be_fitted_is_refused() {
    let options = FitOptions::default();
    let fit = |samples: &[f64], count| fit_gaussian_mixture(samples, count, &options).unwrap_err();
    assert_eq!(fit(&[1.0, 2.0], 0), FitError::NoComponents);
    assert_eq!(fit(&[1.0, 2.0, 3.0], 2), FitError::TooFewSamples { given: 3, components: 2 });
    assert_eq!(fit(&[], 1), FitError::TooFewSamples { given: 0, components: 1 });
    assert_eq!(fit(&[1.0, f64::INFINITY], 1), FitError::NotFinite { index: 1, value: f64::INFINITY });
    assert_eq!(fit(&[2.0, 2.0], 1), FitError::NoSpread);
    assert!(matches!(fit(&[-1e300, 1e300], 1), FitError::Density(_)));
    let exponential = |origin| fit_exponential_mixture(&[3.0, 4.0], 1, origin, &options).unwrap_err();
    assert_eq!(exponential(Some(3.5)), FitError::BelowOrigin { index: 0, value: 3.0, origin: 3.5 });
    assert!(matches!(exponential(Some(f64::NAN)), FitError::BadOption { .. }));
    for options in [
        FitOptions { tolerance: f64::NAN, ..options },
        FitOptions { least_scale: 0.0, ..options },
        FitOptions { least_scale: 2.0, ..options },
    ] {
        let refused = fit_gaussian_mixture(&[1.0, 2.0], 1, &options).unwrap_err();
        assert!(matches!(refused, FitError::BadOption { .. }), "{refused}");
    }
}

proptest! {
    #[test]
    fn the_likelihood_never_falls(
        samples in prop::collection::vec(0.0..100.0_f64, 12..80),
        count in 1_usize..6,
    ) {
        let options = FitOptions { max_rounds: 100, ..FitOptions::default() };
        assert_rising(&fit_gaussian_mixture(&samples, count, &options).unwrap());
        assert_rising(&fit_exponential_mixture(&samples, count, None, &options).unwrap());
    }
}
