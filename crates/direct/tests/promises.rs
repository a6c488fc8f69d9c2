//! Promise: a run follows from its seed. It is the same for any number of
//! threads, whether or not simulations are abandoned, and whether or not it was
//! stopped and resumed at any batch.

#![allow(clippy::unwrap_used)]

use crate::worlds::{SEED, Steps, Switched, batch, resume, start};
use proscenium_direct::population::{Population, PopulationOptions};
use proscenium_direct::tempering::TemperingOptions;
use proscenium_direct::{Draw, Method, Mix, Model, Sample, SamplerOptions, SamplerState};
use proscenium_work::{Completion, Progress, Remedy as _, Stop};

const METHODS: [Method; 4] = [Method::Rejection, Method::Chain, Method::Tempering, Method::Population];

fn options(method: Method, abandon: bool) -> SamplerOptions {
    SamplerOptions {
        method: Some(method),
        chains: 3,
        abandon,
        warm_up: 100,
        tempering: TemperingOptions { warm_up_rounds: 2, ..TemperingOptions::default() },
        population: PopulationOptions { particles: 40, moves: 3, effective: 0.5 },
        ..SamplerOptions::default()
    }
}

/// What a run of some batches gives, and where it ends.
fn run<M: Model>(model: &M, options: &SamplerOptions, batches: usize) -> (Vec<Sample>, Vec<Draw>, SamplerState) {
    let mix = Mix::standard(model.space()).unwrap();
    let mut sampler = start(model, &mix, SEED, options.clone()).unwrap();
    let (mut samples, mut draws) = (Vec::new(), Vec::new());
    for _ in 0..batches {
        let batch = batch(&mut sampler);
        samples.extend(batch.successes.into_iter().map(|success| success.sample));
        draws.extend(batch.draws);
    }
    (samples, draws, sampler.state())
}

#[test]
fn any_number_of_threads_gives_the_same_run() {
    let model = Steps::new(8);
    for method in METHODS {
        let options = options(method, true);
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| run(&model, &options, 12))
        };
        let one = with(1);
        assert!(!one.1.is_empty(), "{method}");
        for threads in [2, 3, 7] {
            assert_eq!(with(threads), one, "{method} on {threads} threads");
        }
    }
}

#[test]
fn abandoning_simulations_changes_nothing_but_the_effort() {
    let model = Steps::new(8);
    let mix = Mix::standard(model.space()).unwrap();
    for method in METHODS {
        let (samples, draws, _) = run(&model, &options(method, true), 12);
        let (whole_samples, whole_draws, _) = run(&model, &options(method, false), 12);
        assert_eq!(samples, whole_samples, "{method}");
        assert_eq!(draws, whole_draws, "{method}");
        assert!(samples.len() > 3, "{method}");

        let effort = |abandon| {
            let mut sampler = start(&model, &mix, SEED, options(method, abandon)).unwrap();
            (0..12).for_each(|_| drop(batch(&mut sampler)));
            sampler.effort()
        };
        let (early, late) = (effort(true), effort(false));
        assert!(early.abandoned > 0 && late.abandoned == 0, "{method}: {early:?}, {late:?}");
        assert!(early.simulations <= late.simulations, "{method}");
    }
}

#[test]
fn a_resumed_run_is_the_same_run() {
    let model = Switched::new(&[0.5, 0.3], 1.7, 0.2);
    let mix = Mix::standard(model.space()).unwrap();
    for method in METHODS {
        let options = options(method, true);
        let (samples, draws, end) = run(&model, &options, 20);
        // Stopped after every batch, written and read.
        let (mut resumed_samples, mut resumed_draws) = (Vec::new(), Vec::new());
        let mut stored = rmp_serde::to_vec_named(&run(&model, &options, 0).2).unwrap();
        for _ in 0..20 {
            let state = rmp_serde::from_slice(&stored).unwrap();
            let mut sampler = resume(&model, &mix, options.clone(), state).unwrap();
            let batch = batch(&mut sampler);
            resumed_samples.extend(batch.successes.into_iter().map(|success| success.sample));
            resumed_draws.extend(batch.draws);
            stored = rmp_serde::to_vec_named(&sampler.state()).unwrap();
        }
        assert_eq!(resumed_samples, samples, "{method}");
        assert_eq!(resumed_draws, draws, "{method}");
        assert_eq!(rmp_serde::from_slice::<SamplerState>(&stored).unwrap(), end, "{method}");
    }
}

#[test]
fn a_run_left_to_itself_resumes_through_its_choice() {
    // So unlikely that tempering is chosen after the first draws.
    let model = Steps::new(9);
    let hard = SamplerOptions { chains: 2, ..SamplerOptions::default() };
    let (samples, draws, _) = run(&model, &hard, 40);
    let mix = Mix::standard(model.space()).unwrap();
    for stop in [1, 15, 16, 17, 30] {
        let (mut all_samples, mut all_draws, state) = run(&model, &hard, stop);
        let mut sampler = resume(&model, &mix, hard.clone(), state).unwrap();
        for _ in stop..40 {
            let batch = batch(&mut sampler);
            all_samples.extend(batch.successes.into_iter().map(|success| success.sample));
            all_draws.extend(batch.draws);
        }
        assert_eq!((&all_samples, &all_draws), (&samples, &draws), "stopped after {stop}");
        assert!(sampler.choice().is_some());
    }
}

#[test]
fn a_run_of_another_model_is_refused() {
    let (_, _, state) = run(&Steps::new(8), &options(Method::Chain, true), 1);
    let other = Steps::new(9);
    let mix = Mix::standard(other.space()).unwrap();
    let refused = resume(&other, &mix, options(Method::Chain, true), state);
    let message = refused.err().unwrap().to_string();
    assert!(message.contains("8 variables") && message.contains("9"), "{message}");

    let (_, _, state) = run(&Switched::new(&[0.5], 1.7, 0.2), &options(Method::Chain, true), 1);
    let changed = Switched::new(&[0.5], 1.8, 0.2);
    let mix = Mix::standard(changed.space()).unwrap();
    let refused = resume(&changed, &mix, options(Method::Chain, true), state);
    assert!(refused.err().unwrap().to_string().contains("has changed since"));
}

#[test]
fn bad_options_are_refused() {
    let model = Steps::new(4);
    let mix = Mix::standard(model.space()).unwrap();
    let start = |options| start(&model, &mix, SEED, options).err().map(|error| error.explain());
    assert!(start(SamplerOptions { chains: 0, ..SamplerOptions::default() }).unwrap().contains("chains"));
    let tempering = TemperingOptions { temperatures: Some(1), ..TemperingOptions::default() };
    let bad = SamplerOptions { method: Some(Method::Tempering), tempering, ..SamplerOptions::default() };
    assert!(start(bad).unwrap().contains("temperatures is 1"));
    let population = PopulationOptions { particles: 1, ..PopulationOptions::default() };
    assert!(Population::start(&model, &mix, SEED, 0, population, &Progress::none()).is_err());
}

#[test]
fn a_run_that_is_stopped_at_any_question_is_the_same_run() {
    let model = Switched::new(&[0.5, 0.3], 1.7, 0.2);
    let mix = Mix::standard(model.space()).unwrap();
    for method in METHODS {
        let options = options(method, true);
        let mut whole = start(&model, &mix, SEED, options.clone()).unwrap();
        let expected: Vec<_> = (0..8)
            .map(|_| {
                let (counted, before) = (Progress::new(&Stop::new()), whole.effort().simulations);
                let draws = whole.advance(&counted).unwrap().finished().unwrap().draws;
                // Every simulation asks.
                let made = whole.effort().simulations - before;
                assert!(counted.questions() >= made / 2, "{method}: {}", counted.questions());
                (draws, counted.questions())
            })
            .collect();

        let mut sampler = start(&model, &mix, SEED, options.clone()).unwrap();
        for (expected, questions) in &expected {
            for question in [1, 2, 7, questions / 3, questions / 2].into_iter().filter(|at| at <= questions) {
                let before = sampler.state();
                let progress = Progress::stopping_at(question.max(1));
                assert!(matches!(sampler.advance(&progress).unwrap(), Completion::Stopped), "{method} at {question}");
                assert_eq!(sampler.state(), before, "{method} at {question}");
                // Those that were under way, and no more.
                assert!(progress.questions() <= question + 300, "{method}: {}", progress.questions());
            }
            assert_eq!(&batch(&mut sampler).draws, expected, "{method}");
        }
        assert_eq!(sampler.state(), whole.state(), "{method}");
        assert_eq!(sampler.first_success(), whole.first_success(), "{method}");
    }
}

#[test]
fn what_is_stored_keeps_the_names_that_galleries_have() {
    let model = Switched::new(&[0.5, 0.3], 1.7, 0.2);
    let keys = |method, path: &[&str]| {
        let state = serde_json::to_value(run(&model, &options(method, true), 1).2).unwrap();
        let inner = path.iter().fold(&state, |value, key| match key.parse::<usize>() {
            Ok(index) => &value[index],
            Err(_) => &value[key],
        });
        inner.as_object().unwrap().keys().cloned().collect::<Vec<String>>()
    };
    assert_eq!(
        keys(Method::Chain, &[]),
        ["choice", "climb", "engine", "exploration", "first_success", "phase", "pilot"]
    );
    assert_eq!(keys(Method::Rejection, &["engine", "Rejection"]), ["accepted", "draws", "effort", "successes"]);
    assert_eq!(keys(Method::Chain, &["engine", "Chains", "0"]), ["chain", "iteration", "kept", "since", "tally"]);
    assert_eq!(keys(Method::Tempering, &["engine", "Tempering", "0"]), ["progress", "rungs"]);
    assert_eq!(
        keys(Method::Tempering, &["engine", "Tempering", "0", "progress"]),
        ["chain", "ladder", "round", "rounds", "scan", "scan_of_round", "since", "tally"]
    );
    assert_eq!(keys(Method::Population, &["engine", "Population"]), ["population", "spent"]);
    assert_eq!(keys(Method::Population, &["engine", "Population", "population"]), ["particles", "progress"]);
    assert_eq!(
        keys(Method::Population, &["engine", "Population", "population", "progress"]),
        ["beta", "log_evidence", "number", "stage", "tally"]
    );
    assert_eq!(
        keys(Method::Population, &["engine", "Population", "population", "particles", "0"]),
        ["log_score", "point"]
    );
}

#[test]
fn a_walk_refuses_a_variable_that_it_has_twice() {
    use proscenium_direct::moves::{Choose, Edges, Offset, Walk};
    let model = Switched::new(&[0.5, 0.3], 1.7, 0.2);
    let ids: Vec<_> = model.space().variables().collect();
    let walk = |vectors: Vec<Vec<_>>| {
        Walk::new("twice", model.space(), vectors, Choose::One, Offset::Normal(1.0), Edges::Refuse).map(|_| ())
    };
    assert_eq!(walk(vec![vec![ids[0]], vec![ids[1]]]), Ok(()));
    let refused = walk(vec![vec![ids[0]], vec![ids[1], ids[0]]]).unwrap_err();
    assert!(refused.to_string().contains("twice"), "{refused}");
}
