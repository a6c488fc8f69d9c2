//! Promise: what is done to a world from outside happens when it is said to,
//! to whom it is said to, and impossible wishes are errors.

#![allow(clippy::unwrap_used)]

use proscenium_rigid::geometry::{Pose, Shape};
use proscenium_rigid::glam::DVec3;
use proscenium_rigid::{BodyDef, BodyId, Control, Material, SimulationError, World, WorldBuilder, WorldError};

fn two_balls() -> (WorldBuilder, BodyId, BodyId) {
    let mut builder = World::builder();
    let material = builder.material(Material::LOSSLESS);
    let ball = |name: &str, x: f64| {
        BodyDef::moving(name, Shape::sphere(0.5).unwrap(), material).at(Pose::from_translation(DVec3::new(x, 0.0, 0.0)))
    };
    let left = builder.body(ball("left", 0.0));
    let right = builder.body(ball("right", 3.0));
    (builder, left, right)
}

#[test]
fn an_impulse_sets_a_ball_going() {
    let (builder, left, right) = two_balls();
    let mut world = builder.build().unwrap();
    let mass = world.inertia(left).unwrap().mass;
    world
        .schedule(1.0, Control::Impulse { body: left, impulse: DVec3::new(2.0 * mass, 0.0, 0.0), point: None })
        .unwrap();
    world.advance(1.5).unwrap();
    assert!((world.pose(left).unwrap().translation.x - 1.0).abs() < 1e-12);
    world.advance(4.0).unwrap();
    // The gap of two metres is crossed at 2.0 s, and the speed is handed on.
    assert!((world.pose(right).unwrap().translation.x - 7.0).abs() < 1e-9);
    assert!(world.motion(left).unwrap().velocity.length() < 1e-12);
}

#[test]
fn a_removed_ball_is_flown_through_and_an_added_one_is_hit() {
    let (builder, left, right) = two_balls();
    let mut world = builder.build().unwrap();
    world.schedule(0.0, Control::SetVelocity { body: left, velocity: DVec3::X, spin: DVec3::ZERO }).unwrap();
    world.schedule(1.0, Control::Remove { body: right }).unwrap();
    world.advance(4.0).unwrap();
    assert_eq!(world.pose(right), None);
    assert!((world.pose(left).unwrap().translation.x - 4.0).abs() < 1e-12);
    let (mut other, ..) = two_balls();
    let material = other.material(Material::LOSSLESS);
    let wall = BodyDef::fixed("wall", Shape::cuboid(DVec3::splat(0.5), 0.0).unwrap(), material);
    // The material belongs to another builder, but both have number 0.
    let wall = BodyDef { material: world_material(), ..wall.at(Pose::from_translation(DVec3::new(8.0, 0.0, 0.0))) };
    world.schedule(5.0, Control::Add(Box::new(wall))).unwrap();
    world.advance(10.0).unwrap();
    assert!(
        (world.pose(left).unwrap().translation.x - 4.0).abs() < 1e-5,
        "{}",
        world.pose(left).unwrap().translation.x
    );
}

fn world_material() -> proscenium_rigid::MaterialId {
    World::builder().material(Material::LOSSLESS)
}

#[test]
fn a_body_can_enter_later_but_not_inside_another() {
    let (mut builder, ..) = two_balls();
    let material = builder.material(Material::LOSSLESS);
    let late = BodyDef::moving("late", Shape::sphere(0.5).unwrap(), material).starting_at(2.0);
    let id = builder.body(late.clone().at(Pose::from_translation(DVec3::Y * 2.0)));
    let mut world = builder.clone().build().unwrap();
    assert_eq!(world.pose(id), None);
    world.advance(3.0).unwrap();
    assert!(world.pose(id).is_some());
    builder.body(late.starting_at(1.0));
    let error = builder.build().unwrap().advance(3.0).unwrap_err();
    assert!(matches!(error, SimulationError::EntersInside { ref other, .. } if other == "left"), "{error}");
}

#[test]
fn samples_are_taken_at_a_constant_rate() {
    let (builder, left, _) = two_balls();
    let mut world = builder.sample_every(0.25).build().unwrap();
    world.schedule(0.0, Control::SetVelocity { body: left, velocity: DVec3::Y, spin: DVec3::ZERO }).unwrap();
    world.advance(1.0).unwrap();
    let times: Vec<f64> = world.samples().iter().map(|sample| sample.time).collect();
    assert_eq!(times, [0.0, 0.25, 0.5, 0.75, 1.0]);
    assert_eq!(world.samples()[4].poses[left.index()].unwrap().translation.y, 1.0);
}

#[test]
fn impossible_wishes_are_errors() {
    let (builder, left, _) = two_balls();
    let mut world = builder.clone().build().unwrap();
    world.advance(1.0).unwrap();
    let nan = Control::SetVelocity { body: left, velocity: DVec3::NAN, spin: DVec3::ZERO };
    assert!(matches!(world.schedule(2.0, nan), Err(SimulationError::BadControl { .. })));
    assert!(matches!(world.schedule(0.5, Control::Remove { body: left }), Err(SimulationError::BadControl { .. })));
    assert!(matches!(world.advance(0.5), Err(SimulationError::TimeRunsBackwards { .. })));
    assert!(matches!(world.advance(f64::NAN), Err(SimulationError::TimeRunsBackwards { .. })));
    assert!(matches!(builder.tolerance(0.0).build(), Err(WorldError::Setting { .. })));
}

#[test]
fn impossible_bodies_are_errors_that_name_them() {
    let message = |material: Material, change: &dyn Fn(BodyDef) -> BodyDef| {
        let (mut builder, ..) = two_balls();
        let material = builder.material(material);
        let body = BodyDef::moving("odd", Shape::sphere(0.5).unwrap(), material);
        builder.body(change(body.at(Pose::from_translation(DVec3::Y * 9.0))));
        builder.build().unwrap_err().to_string()
    };
    let sound = Material::LOSSLESS;
    let same = |body: BodyDef| body;
    assert!(
        message(Material { density: -1.0, ..sound }, &same).contains("\"odd\": the density of a body must be positive")
    );
    assert!(message(Material { restitution: 1.5, ..sound }, &same).contains("between 0"));
    assert!(message(Material { friction: f64::NAN, ..sound }, &same).contains("friction"));
    assert!(message(sound, &|b| b.with_velocity(DVec3::NAN)).contains("\"odd\": its velocity"));
    assert!(message(sound, &|b| b.at(Pose::IDENTITY)).contains("overlap"));
    let plane = |b: BodyDef| BodyDef { shape: Shape::half_space(DVec3::Y).unwrap(), ..b };
    assert!(message(sound, &plane).contains("cannot move"));
}
