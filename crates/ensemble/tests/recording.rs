//! Promise: a simulation goes on from a posture as if it had never stopped; all
//! stretches but the first of the strongest wind begin where that ended; and a
//! stretch that was kept is used for its own ensemble, part and seed alone.

#![allow(clippy::unwrap_used)]

use std::sync::Mutex;

use proscenium_ensemble::{EnsembleError, Generator, Grass, Part, Posture, Recorded, Seed, Simulator, Wind, WindField};

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
    let begun: Mutex<Vec<(usize, Option<Posture>)>> = Mutex::default();
    let recorded = generator.each_part(0.3, |part, begin| {
        begun.lock().unwrap().push((part.level, begin.cloned()));
        generator.record(&part, begin, Seed(1), &mut || true)
    });
    let recorded: Vec<(Part, Recorded)> = recorded.unwrap();
    let mut begun = begun.into_inner().unwrap();
    assert_eq!((recorded[0].0.level, &begun[0]), (2, &(2, None)));
    begun.sort_by_key(|(level, _)| *level);
    let end = Some(recorded[0].1.end.clone());
    assert_eq!(begun, [(0, end.clone()), (1, end), (2, None)]);
    let levels = |parts: &[(Part, Recorded)]| parts.iter().map(|(part, _)| part.level).collect::<Vec<_>>();
    assert_eq!(levels(&recorded), [2, 1, 0]);
    // What is gathered is sorted by strength, whatever was recorded first.
    let ensemble = generator.gather(recorded).unwrap();
    assert_eq!(ensemble.sequences().iter().map(|sequence| sequence.condition).collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn a_stretch_is_used_for_its_own_ensemble_part_and_seed() {
    let generator = grass("grass");
    let part = Part { level: 1, number: 0, seconds: 0.2 };
    let recorded = generator.record(&part, None, Seed(1), &mut || true).unwrap();
    let bytes = generator.stretch_to_bytes(part, Seed(1), &recorded).unwrap();
    assert_eq!(generator.stretch_from_bytes(part, Seed(1), &bytes).unwrap(), Some(recorded));
    assert_eq!(generator.stretch_from_bytes(part, Seed(2), &bytes).unwrap(), None);
    assert_eq!(generator.stretch_from_bytes(Part { level: 2, ..part }, Seed(1), &bytes).unwrap(), None);
    assert_eq!(grass("other").stretch_from_bytes(part, Seed(1), &bytes).unwrap(), None);
    let larger = Grass { blades: 6, ..Grass::clump(Seed(3)) }.generator("grass", 3);
    assert_eq!(larger.stretch_from_bytes(part, Seed(1), &bytes).unwrap(), None);
    assert!(generator.stretch_from_bytes(part, Seed(1), &bytes[..bytes.len() / 2]).is_err());
}
