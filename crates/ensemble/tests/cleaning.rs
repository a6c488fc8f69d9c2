//! Data is cleaned in one place: what interpenetrates is cut out, what is left between is
//! kept if a transition fits, and a thickness that leaves nothing is told with the
//! distance that there is.

use proscenium_ensemble::data::{Condition, EnsembleParts, Sequence};
use proscenium_ensemble::{Ensemble, EnsembleError, compress};
use proscenium_work::{Completion, Progress, Remedy as _};

use crate::plates::{group, plate};

/// Two plates side by side, 0.2 m apart, which touch in the frames that are named.
fn touching_in(touching: &[usize], frames: usize, thickness: f64) -> Ensemble {
    let frame = |n: usize| -> Vec<[f32; 3]> {
        let second = if touching.contains(&n) { 0.001 } else { 0.2 };
        plate(0.0, 0.0).into_iter().chain(plate(second, 0.0)).collect()
    };
    Ensemble::new(EnsembleParts {
        name: "two plates".to_owned(),
        groups: vec![group("one".to_owned(), 0.0), group("other".to_owned(), 0.2)],
        conditions: vec![Condition { name: "calm".to_owned(), intensity: 0.0 }],
        sequences: vec![Sequence { condition: 0, frames: (0..frames).map(frame).collect() }],
        frames_per_second: 30.0,
        thickness,
    })
    .expect("the plates are sound")
}

fn lengths(made: &proscenium_ensemble::data::Structure) -> Vec<usize> {
    made.sequences().iter().map(|sequence| sequence.frames).collect()
}

/// A stretch of ten frames between two dropped ones was kept, and shortened the
/// transitions of all others.
#[test]
fn what_is_too_short_between_dropped_frames_is_dropped_too() {
    let ensemble = touching_in(&[100, 111], 300, 0.02);
    let compressed = compress(&ensemble, 1e-4, &Progress::none()).unwrap().finished().unwrap();
    let Completion::Finished((plain, dropped)) = ensemble.cleaned(&Progress::none()).unwrap() else { unreachable!() };
    assert_eq!((lengths(&plain), dropped), (vec![100, 188], 12));
    let Completion::Finished((packed, dropped)) = compressed.cleaned(&Progress::none()).unwrap() else {
        unreachable!()
    };
    assert_eq!((lengths(&packed), dropped), (vec![100, 188], 12));
}

#[test]
fn what_was_not_cut_is_kept_however_short() {
    let cleaned = touching_in(&[], 4, 0.02).cleaned(&Progress::none()).unwrap().finished().unwrap();
    assert_eq!((lengths(&cleaned.0), cleaned.1), (vec![4], 0));
}

/// A thickness beyond the distances of the data was told as "has no sequences".
#[test]
fn a_thickness_that_leaves_nothing_is_told_with_the_distance() {
    let error = touching_in(&[], 60, 0.3).cleaned(&Progress::none()).unwrap_err();
    let EnsembleError::NothingClean { least, .. } = &error else { panic!("{error}") };
    assert!(*least <= 0.2 && *least > 0.199, "{least}");
    let message = error.explain();
    assert!(message.contains("all frames interpenetrate at this thickness, 0.3 m; the least distance is"), "{message}");
    let all: Vec<usize> = (0..60).step_by(20).collect();
    let error = touching_in(&all, 60, 0.02).cleaned(&Progress::none()).unwrap_err();
    assert_eq!(error, EnsembleError::ShortStretches { longest: 19, shortest: 48 });
}
