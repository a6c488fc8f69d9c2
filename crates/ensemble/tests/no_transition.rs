//! Promise: an ensemble that has no transition says so, and names the pair
//! that stands in the way.

#![allow(clippy::unwrap_used)]

use proscenium_ensemble::build::{BuildSettings, TransitionSearch};
use proscenium_ensemble::data::{Condition, EnsembleParts, Sequence};
use proscenium_ensemble::transition::TransitionSettings;
use proscenium_ensemble::{BuildError, Ensemble, EnsembleError, Seed, compress};
use proscenium_work::{Memory, Progress};

use crate::plates;

/// A plate that stands, and another to its left in one sequence and to its
/// right in the other: there is no way round.
fn barred() -> Ensemble {
    let side = |x: f64| {
        let frame: Vec<[f32; 3]> = plates::plate(0.0, 0.0).into_iter().chain(plates::plate(x, 0.0)).collect();
        Sequence { condition: 0, frames: vec![frame; 31] }
    };
    Ensemble::new(EnsembleParts {
        name: "barred".to_owned(),
        groups: vec![plates::group("gate".to_owned(), 0.0), plates::group("walker".to_owned(), 0.1)],
        conditions: vec![Condition { name: "still".to_owned(), intensity: 0.0 }],
        sequences: vec![side(-0.1), side(0.1)],
        frames_per_second: 30.0,
        thickness: 0.05,
    })
    .unwrap()
}

fn settings() -> BuildSettings {
    // The data stands still, so that anything is abrupt beside it.
    let acceleration = f64::INFINITY;
    let transition =
        TransitionSettings { reach: 3, blend: 8, samples: 2, acceleration, ..TransitionSettings::default() };
    BuildSettings { transition, ..BuildSettings::default() }
}

#[test]
fn no_transition_is_said_with_the_pair() {
    let data = compress(&barred(), 1e-4, &Progress::none()).unwrap().finished().unwrap();
    let search =
        TransitionSearch::new(&data, settings(), Vec::new(), Seed(1), &Progress::none()).unwrap().finished().unwrap();
    let error = search.find_all(&Memory::default(), &Progress::none()).unwrap_err();
    let BuildError::Ensemble(error) = error else { panic!("{error:?}") };
    assert!(matches!(error, EnsembleError::NoTransition { programs, .. } if programs > 0), "{error:?}");
    let message = error.to_string();
    assert!(message.contains("gate and walker"), "{message}");
}

#[test]
fn accelerations_that_stand_in_the_way_are_told() {
    let data = compress(&barred(), 1e-4, &Progress::none()).unwrap().finished().unwrap();
    let mut settings = settings();
    settings.transition.acceleration = 1.1;
    let search =
        TransitionSearch::new(&data, settings, Vec::new(), Seed(1), &Progress::none()).unwrap().finished().unwrap();
    let message = search.find_all(&Memory::default(), &Progress::none()).unwrap_err().to_string();
    assert!(message.contains("accelerations beyond those of the data"), "{message}");
}

#[test]
fn data_that_interpenetrates_is_refused_with_the_pair() {
    let mut parts = barred().into_parts();
    parts.sequences[1].frames[7] = plates::plate(0.0, 0.0).into_iter().chain(plates::plate(0.01, 0.0)).collect();
    let data = compress(&Ensemble::new(parts).unwrap(), 1e-4, &Progress::none()).unwrap().finished().unwrap();
    let message = TransitionSearch::new(&data, settings(), Vec::new(), Seed(1), &Progress::none())
        .map(|_| ())
        .unwrap_err()
        .to_string();
    assert!(message.contains("gate and walker") && message.contains("frame 7 of sequence 1"), "{message}");
}

#[test]
fn sequences_that_are_too_short_are_told() {
    let mut parts = barred().into_parts();
    parts.sequences.iter_mut().for_each(|sequence| sequence.frames.truncate(12));
    let data = compress(&Ensemble::new(parts).unwrap(), 1e-4, &Progress::none()).unwrap().finished().unwrap();
    let search =
        TransitionSearch::new(&data, settings(), Vec::new(), Seed(1), &Progress::none()).unwrap().finished().unwrap();
    let error = search.find_all(&Memory::default(), &Progress::none()).unwrap_err();
    assert!(matches!(error, BuildError::Ensemble(EnsembleError::TooShort)), "{error:?}");
}
