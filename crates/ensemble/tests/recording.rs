//! Promise: a simulation goes on from a posture as if it had never stopped; all
//! stretches but the first of the strongest wind begin where that ended; and a
//! stretch that was kept is used for its own ensemble, part and seed alone.

#![allow(clippy::unwrap_used)]

use proscenium_ensemble::build::GraphBuild;
use proscenium_ensemble::built_in::Grass;
use proscenium_ensemble::simulate::{Generator, Part, PartMotion, Posture, Simulator, Wind, WindField};
use proscenium_ensemble::{EnsembleError, Seed};
use proscenium_work::{Completion, Memory, Progress, Stop, Store as _};

fn grass(name: &str) -> Generator {
    Grass { blades: 5, ..Grass::clump(Seed(3)) }.generator(name, 3)
}

#[test]
fn a_simulation_goes_on_from_a_posture_as_if_it_had_not_stopped() {
    let generator = grass("grass");
    // A wind that is the same at all times: a posture has no clock.
    let (_, wind) = generator.levels[2];
    let steady = WindField::new(Wind { gusts: 0.0, turbulence: 0.0, ..wind }, Seed(1));
    let new = || Simulator::new(&generator.model, generator.settings, steady).unwrap();
    let mut whole = new();
    (0..10).for_each(|_| drop(whole.advance().unwrap()));
    let halfway = whole.posture().clone();
    (0..10).for_each(|_| drop(whole.advance().unwrap()));
    let mut second = new().from_posture(&halfway).unwrap();
    (0..10).for_each(|_| drop(second.advance().unwrap()));
    assert_eq!(second.posture(), whole.posture());
    assert_ne!(second.posture(), &halfway);
}

#[test]
fn a_posture_of_another_model_is_refused() {
    let generator = grass("grass");
    let field = WindField::new(generator.levels[0].1, Seed(1));
    let new = || Simulator::new(&generator.model, generator.settings, field).unwrap();
    let refused = new().from_posture(&Posture::default()).unwrap_err();
    assert!(matches!(refused, EnsembleError::FrameSize { found: 0, .. }), "{refused}");
    let mut broken = new().posture().clone();
    broken.velocities[7].y = f64::NAN;
    let refused = new().from_posture(&broken).unwrap_err();
    assert!(matches!(refused, EnsembleError::NotFinite { vertex: 7, .. }), "{refused}");
}

#[test]
fn all_winds_begin_where_the_strongest_ended() {
    let generator = grass("grass");
    let store = Memory::default();
    let build = GraphBuild::new(&store, Seed(1));
    let made = build.simulate(&generator, 0.3, 0.002, &Progress::none()).unwrap().finished().unwrap();
    let kept = |part: &Part| {
        let file = store.read(&format!("stretch-{}-{}.part", part.level, part.number)).unwrap().unwrap();
        generator.stretch_from_bytes(*part, Seed(1), &file).unwrap().unwrap()
    };
    let record = |part: &Part, begin: Option<&Posture>| {
        generator.record(part, begin, Seed(1), &Progress::none()).unwrap().finished().unwrap()
    };
    let parts = generator.parts(0.3).unwrap();
    assert_eq!(parts.iter().map(|part| part.level).collect::<Vec<_>>(), [2, 1, 0]);
    let first: PartMotion = kept(&parts[0]);
    assert_eq!(first, record(&parts[0], None));
    for part in &parts[1..] {
        assert_eq!(kept(part), record(part, Some(&first.end)), "{part:?}");
        assert_ne!(kept(part), record(part, None), "{part:?}");
    }
    // What is gathered is sorted by strength, whatever was recorded first.
    assert_eq!(made.data.sequences().iter().map(|sequence| sequence.condition).collect::<Vec<_>>(), [0, 1, 2]);
}

/// A frame has sixteen steps, each of which asks: half a second is not even a frame
/// of the largest model.
#[test]
fn a_simulation_asks_in_every_step() {
    let generator = grass("grass");
    let part = Part { level: 2, number: 0, seconds: 0.2 };
    let progress = Progress::new(&Stop::new());
    let whole = generator.record(&part, None, Seed(1), &progress).unwrap().finished().unwrap();
    assert!(progress.questions() >= 17 * generator.frames(&part) as u64);
    for question in (1..=progress.questions()).step_by(97) {
        let stopped = generator.record(&part, None, Seed(1), &Progress::stopping_at(question)).unwrap();
        assert!(matches!(stopped, Completion::Stopped), "question {question}");
    }
    let after = Progress::stopping_at(progress.questions() + 1);
    assert_eq!(generator.record(&part, None, Seed(1), &after).unwrap(), Completion::Finished(whole));
}

#[test]
fn a_stretch_is_used_for_its_own_ensemble_part_and_seed() {
    let generator = grass("grass");
    let part = Part { level: 1, number: 0, seconds: 0.2 };
    let recorded = generator.record(&part, None, Seed(1), &Progress::none()).unwrap().finished().unwrap();
    let bytes = generator.stretch_to_bytes(part, Seed(1), &recorded);
    assert_eq!(generator.stretch_from_bytes(part, Seed(1), &bytes).unwrap().as_ref(), Some(&recorded));
    // Release 0.1 wrote another header before the same content.
    let content = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    let old = [b"proscenium stretch 2\n", &bytes[content..]].concat();
    assert_eq!(generator.stretch_from_bytes(part, Seed(1), &old).unwrap(), Some(recorded));
    assert_eq!(generator.stretch_from_bytes(part, Seed(2), &bytes).unwrap(), None);
    assert_eq!(generator.stretch_from_bytes(Part { level: 2, ..part }, Seed(1), &bytes).unwrap(), None);
    assert_eq!(grass("other").stretch_from_bytes(part, Seed(1), &bytes).unwrap(), None);
    let larger = Grass { blades: 6, ..Grass::clump(Seed(3)) }.generator("grass", 3);
    assert_eq!(larger.stretch_from_bytes(part, Seed(1), &bytes).unwrap(), None);
    assert!(generator.stretch_from_bytes(part, Seed(1), &bytes[..bytes.len() / 2]).is_err());
}
