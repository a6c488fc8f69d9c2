//! Promise: what begins to touch is told, however slowly: a ball that rolls into a bell, and
//! what the steps of a contact press together. What only passes by, and what stands there
//! from the beginning, is not.

#![allow(clippy::unwrap_used)]

use proscenium_rigid::geometry::{Pose, Shape};
use proscenium_rigid::glam::DVec3;
use proscenium_rigid::{BodyDef, BodyId, Material, Recording, World, WorldBuilder};

const RADIUS: f64 = 0.05;

/// A floor, a ball that rolls along it, and a bell that stands 20 cm ahead, so far to the
/// side.
fn ball_and_bell(speed: f64, beside: f64) -> (WorldBuilder, BodyId, BodyId) {
    let mut builder = World::builder().gravity(DVec3::new(0.0, -9.81, 0.0));
    let wood = builder.material(Material::new(700.0, 0.5, 0.3));
    builder.body(BodyDef::fixed("floor", Shape::half_space(DVec3::Y).unwrap(), wood));
    let at = |x: f64, z: f64| Pose::from_translation(DVec3::new(x, RADIUS, z));
    let ball = BodyDef::moving("ball", Shape::sphere(RADIUS).unwrap(), wood)
        .at(at(0.0, 0.0))
        .with_velocity(DVec3::new(speed, 0.0, 0.0))
        .with_spin(DVec3::new(0.0, 0.0, -speed / RADIUS));
    let ball = builder.body(ball);
    let bell =
        builder.body(BodyDef::moving("bell", Shape::sphere(RADIUS).unwrap(), wood).at(at(0.3, beside)).at_rest());
    (builder, ball, bell)
}

fn touches(recording: &Recording, a: BodyId, b: BodyId) -> Vec<f64> {
    let both = recording.touches.iter().filter(|touch| [touch.a, touch.b] == [a, b] || [touch.a, touch.b] == [b, a]);
    both.map(|touch| touch.time).collect()
}

#[test]
fn a_slow_touch_is_told_once_and_in_time() {
    for speed in [0.02, 0.05, 0.085] {
        let (builder, ball, bell) = ball_and_bell(speed, 0.0);
        let mut world = builder.recording().build().unwrap();
        world.advance(0.2 / speed + 1.0).unwrap();
        let recording = world.recording().unwrap();
        let blows = recording.contacts.iter().filter(|contact| contact.a == bell || contact.b == bell).count();
        let times = touches(recording, ball, bell);
        assert_eq!((blows, times.len()), (0, 1), "{speed} m/s: {times:?}");
        // It rolls without slipping or resistance.
        assert!((times[0] - 0.2 / speed).abs() < 0.01, "{speed} m/s: {times:?}");
    }
}

#[test]
fn a_fast_one_is_a_blow() {
    let (builder, ball, bell) = ball_and_bell(0.5, 0.0);
    let mut world = builder.recording().build().unwrap();
    world.advance(0.45).unwrap();
    let recording = world.recording().unwrap();
    assert!(recording.contacts.iter().any(|contact| [contact.a, contact.b] == [ball, bell]));
}

#[test]
fn what_passes_by_or_stood_there_does_not_begin_to_touch() {
    let (builder, ball, bell) = ball_and_bell(0.05, 2.0 * RADIUS + 2e-5);
    let mut world = builder.recording().build().unwrap();
    world.advance(10.0).unwrap();
    let recording = world.recording().unwrap();
    assert!(touches(recording, ball, bell).is_empty());
    let floor = world.bodies().next().unwrap();
    assert!(touches(recording, floor, bell).is_empty(), "it stood there");
}
