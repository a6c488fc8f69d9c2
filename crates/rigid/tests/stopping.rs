//! Promise: whoever stops a world or a take waits for one event at most; a world
//! that was stopped goes on to the same end.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use proscenium_rigid::geometry::{Pose, Shape};
use proscenium_rigid::glam::DVec3;
use proscenium_rigid::{BodyDef, Material, Take, World, WorldBuilder};
use proscenium_work::{Completion, Progress};

/// Boxes that fall on each other, the last one from a height.
fn heap(height: f64) -> WorldBuilder {
    let mut builder = World::builder().gravity(DVec3::new(0.0, -9.81, 0.0));
    let wood = builder.material(Material::new(700.0, 0.4, 0.5));
    builder.body(BodyDef::fixed("floor", Shape::half_space(DVec3::Y).unwrap(), wood));
    for (index, y) in [0.3, 0.7, 1.1, height].into_iter().enumerate() {
        let place = Pose::from_translation(DVec3::new(0.02 * index as f64, y, 0.0));
        let shape = Shape::cuboid(DVec3::splat(0.1), 0.0).unwrap();
        builder.body(BodyDef::moving(format!("box {index}"), shape, wood).at(place));
    }
    builder
}

#[test]
fn a_world_asks_before_every_event_and_goes_on_as_if_nothing_had_been() {
    let mut whole = heap(1.5).build().unwrap();
    let asked = Progress::stopping_at(u64::MAX);
    assert_eq!(whole.advance_watched(1.0, &asked), Ok(Completion::Finished(())));
    assert_eq!(asked.questions(), whole.statistics().events);
    for question in [1, 2, 10, asked.questions() / 2, asked.questions()] {
        let mut world = heap(1.5).build().unwrap();
        assert_eq!(world.advance_watched(1.0, &Progress::stopping_at(question)), Ok(Completion::Stopped));
        assert_eq!(world.statistics().events, question - 1, "an event too many");
        assert!(world.now() < 1.0);
        world.advance(1.0).unwrap();
        assert_eq!(world.state_hash(), whole.state_hash());
    }
}

#[test]
fn a_take_asks_before_every_event() {
    let asked = Progress::stopping_at(u64::MAX);
    let first = Take::record_watched(heap(1.5), 1.0, 0.1, &asked).unwrap().finished().unwrap();
    assert!(asked.questions() > first.statistics().events);
    let again = Progress::stopping_at(u64::MAX);
    let second = first.again_watched(heap(1.7), &again).unwrap().finished().unwrap();
    assert!(again.questions() > second.statistics().events);
    for question in [1, 2, again.questions() / 2, again.questions()] {
        let progress = Progress::stopping_at(question);
        assert!(first.again_watched(heap(1.7), &progress).unwrap().finished().is_none());
        assert_eq!(progress.questions(), question, "it goes on after a stop");
    }
    for question in [1, 2, asked.questions() / 2, asked.questions()] {
        let progress = Progress::stopping_at(question);
        assert!(Take::record_watched(heap(1.5), 1.0, 0.1, &progress).unwrap().finished().is_none());
        assert_eq!(progress.questions(), question, "it goes on after a stop");
    }
}
