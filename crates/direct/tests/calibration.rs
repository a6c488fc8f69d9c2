//! Promise: every method samples what it says it does. Worlds with known
//! posteriors, of fixed and of changing dimension: simulation-based calibration
//! (the rank of the truth among draws is uniform, Talts and others 2018), and
//! moments and probabilities against closed forms. The seed is fixed; with a new
//! one, a test would fail by chance less than once in 1 000 times.

#![allow(clippy::unwrap_used)]

use crate::worlds::{SEED, Sum, Switched, batch, start};
use proscenium_chance::Seed;
use proscenium_chance::statistics::chi_squared_fit;
use proscenium_direct::chain::Chain;
use proscenium_direct::diagnostics::diagnose;
use proscenium_direct::moves::paper::{PaperRatio, ball_mix, spelling_mix};
use proscenium_direct::population::PopulationOptions;
use proscenium_direct::tempering::TemperingOptions;
use proscenium_direct::{Method, Mix, Model, SamplerOptions};
use proscenium_work::Progress;

const ERROR_RATE: f64 = 1e-4;
const METHODS: [Method; 4] = [Method::Rejection, Method::Chain, Method::Tempering, Method::Population];

fn options(method: Method) -> SamplerOptions {
    SamplerOptions {
        method: Some(method),
        chains: 4,
        warm_up: 200,
        tempering: TemperingOptions { warm_up_rounds: 3, ..TemperingOptions::default() },
        population: PopulationOptions { particles: 128, moves: 6, effective: 0.5 },
        abandon: true,
        ..SamplerOptions::default()
    }
}

/// Settled draws of a quantity, chain by chain.
fn draw<M: Model>(model: &M, method: Method, seed: Seed, wanted: usize) -> Vec<Vec<f64>> {
    let mix = Mix::standard(model.space()).unwrap();
    let mut sampler = start(model, &mix, seed, options(method)).unwrap();
    let mut traces = proscenium_direct::Traces::new(model.quantities());
    let mut settled = 0;
    while settled < wanted {
        let draws = batch(&mut sampler).draws;
        settled += draws.iter().filter(|draw| draw.phase > 0).count();
        traces.extend(draws);
    }
    traces.settled().quantity(0)
}

#[test]
fn means_and_spreads_are_those_of_the_posterior() {
    let model = Sum::new(&[1.0, 0.5, -0.7], 2.5, 0.3);
    let (mean, deviation) = model.posterior(0);
    for method in METHODS {
        let chains = draw(&model, method, SEED, 6000);
        // Populations have no order: each is judged as one chain that forgets.
        let size = match method {
            Method::Population => 2000.0,
            _ => diagnose(&chains).unwrap().unwrap().bulk_effective_size,
        };
        let all: Vec<f64> = chains.concat();
        let count = all.len() as f64;
        let found = all.iter().sum::<f64>() / count;
        let spread = (all.iter().map(|x| (x - found) * (x - found)).sum::<f64>() / count).sqrt();
        // 3.9 standard errors: one in 10 000.
        assert!((found - mean).abs() < 3.9 * deviation / size.sqrt(), "{method}: {found}, not {mean} ({size})");
        assert!((spread / deviation - 1.0).abs() < 3.9 / (2.0 * size).sqrt(), "{method}: {spread}, not {deviation}");
    }
}

#[test]
fn subsets_of_bodies_have_their_probabilities() {
    let model = Switched::new(&[0.5, 0.3, 0.6], 2.6, 0.8);
    let expected = model.posterior();
    for method in METHODS {
        let chains = draw(&model, method, SEED, 30_000);
        // As many independent draws as the slowest-mixing indicator says.
        for (subset, probability) in expected.iter().enumerate() {
            let hits: Vec<Vec<f64>> = chains
                .iter()
                .map(|draws| draws.iter().map(|draw| f64::from(u8::from(*draw == subset as f64))).collect())
                .collect();
            let size = match method {
                Method::Population => 4000.0,
                _ => diagnose(&hits).unwrap().unwrap().bulk_effective_size,
            };
            let found = hits.concat().iter().sum::<f64>() / hits.concat().len() as f64;
            let error = (probability * (1.0 - probability) / size).sqrt();
            // 4.2 standard errors, over 32 comparisons: one in 1 000.
            assert!(
                (found - probability).abs() < 4.2 * error + 2.0 / size,
                "{method}, subset {subset}: {found}, not {probability}"
            );
        }
    }
}

/// Ranks of the truth among thinned draws, in ten bins.
fn ranks(worlds: u64, rank: impl Fn(u64) -> f64 + Send + Sync) -> Vec<u64> {
    use rayon::prelude::*;
    let all: Vec<f64> = (0..worlds).into_par_iter().map(rank).collect();
    let mut bins = vec![0; 10];
    all.iter().for_each(|rank| bins[(rank * 10.0) as usize] += 1);
    bins
}

/// Where the truth lies among draws; equal ones count half, by a coin.
fn rank_among(truth: f64, draws: &[f64], coin: f64) -> f64 {
    let below = draws.iter().filter(|draw| **draw < truth).count() as f64;
    let equal = draws.iter().filter(|draw| **draw == truth).count() as f64;
    (below + coin * (equal + 1.0)) / (draws.len() as f64 + 1.0)
}

fn assert_uniform(what: &str, bins: &[u64]) {
    let test = chi_squared_fit(bins, &[0.1; 10], 0).unwrap();
    assert!(test.p_value > ERROR_RATE, "{what}: {bins:?}, p = {:e}", test.p_value);
}

#[test]
fn calibration_of_fixed_dimension() {
    for method in METHODS {
        let bins = ranks(200, |world| {
            // The truth from the world, what is observed from the truth.
            let mut stream = SEED.stream("worlds").at(world);
            let truth = [stream.normal(), stream.normal()];
            let observed = truth[0] - 0.8 * truth[1] + 0.4 * stream.normal();
            let model = Sum::new(&[1.0, -0.8], observed, 0.4);
            let draws = draw(&model, method, SEED.child("calibration", world), 400).concat();
            let thinned: Vec<f64> = draws.iter().copied().step_by(draws.len() / 40).collect();
            rank_among(truth[0], &thinned, stream.uniform())
        });
        assert_uniform(&method.to_string(), &bins);
    }
}

#[test]
fn calibration_of_changing_dimension() {
    for method in METHODS {
        let bins = ranks(200, |world| {
            let mut stream = SEED.stream("switched worlds").at(world);
            let template = Switched::new(&[0.5, 0.3], 0.0, 0.4);
            let truth = template.space().draw(&mut stream);
            let values = template.space().values(&truth);
            let sum: f64 = template.ids.iter().filter_map(|id| values.get(*id)).sum();
            let model = Switched::new(&[0.5, 0.3], sum + 0.4 * stream.normal(), 0.4);
            let draws = draw(&model, method, SEED.child("calibration", world), 800).concat();
            let thinned: Vec<f64> = draws.iter().copied().step_by(draws.len() / 40).collect();
            rank_among(template.subset(truth.active()) as f64, &thinned, stream.uniform())
        });
        assert_uniform(&method.to_string(), &bins);
    }
}

/// The paper's mixes, corrected, sample the same posteriors; as printed, the
/// switching does not.
#[test]
fn the_papers_mixes_are_right_where_they_are_corrected() {
    let model = Sum::new(&[1.0, 0.5], 1.5, 0.3);
    let mix = ball_mix(model.space(), 0.8).unwrap();
    let mut chain = Chain::start(&model, &mix, SEED, 0, &Progress::none()).unwrap().finished().unwrap();
    let draws: Vec<f64> = (0..30_000)
        .map(|_| {
            chain.step(&Progress::none()).unwrap().finished().unwrap();
            chain.outcome()[0]
        })
        .collect();
    let size = diagnose(std::slice::from_ref(&draws)).unwrap().unwrap().bulk_effective_size;
    let (mean, deviation) = model.posterior(0);
    let found = draws.iter().sum::<f64>() / draws.len() as f64;
    assert!((found - mean).abs() < 3.9 * deviation / size.sqrt(), "{found}, not {mean} ({size})");

    let model = Switched::new(&[0.5, 0.5, 0.5], 2.6, 0.6);
    let expected = model.posterior();
    let worst = |ratio| {
        let vertices = vec![vec![model.ids[0]]];
        let balls = model.ids[1..].iter().map(|id| vec![*id]).collect();
        let mix = spelling_mix(model.space(), vertices, 0.5, balls, 1.0, ratio).unwrap();
        let mut chain = Chain::start(&model, &mix, SEED, 1, &Progress::none()).unwrap().finished().unwrap();
        let mut counts = [0.0; 8];
        for _ in 0..60_000 {
            chain.step(&Progress::none()).unwrap().finished().unwrap();
            counts[*chain.outcome()] += 1.0 / 60_000.0;
        }
        counts.iter().zip(&expected).map(|(found, expected)| 0.5 * (found - expected).abs()).sum::<f64>()
    };
    let (corrected, printed) = (worst(PaperRatio::Corrected), worst(PaperRatio::AsPrinted));
    assert!(corrected < 0.03, "total variation {corrected}");
    assert!(printed > 3.0 * corrected, "total variation {printed} as printed, {corrected} corrected");
}
