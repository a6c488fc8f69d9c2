//! Promise: bodies that move as told do, and what meets them does what closed forms say.

#![allow(clippy::unwrap_used)]

use proscenium_rigid::geometry::{Pose, Shape};
use proscenium_rigid::glam::DVec3;
use proscenium_rigid::{BodyDef, BoundsKind, Control, Drive, Material, Stretch, Take, World, WorldBuilder, WorldError};

const FALL: DVec3 = DVec3::new(0.0, -9.81, 0.0);

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    Shape::cuboid(DVec3::new(x, y, z), 0.0).unwrap()
}

/// A body that is where a function of time says.
fn along(def: BodyDef, until: f64, course: impl Fn(f64) -> (DVec3, f64)) -> BodyDef {
    let drive = Drive::along(&def.shape, &def.pose, DVec3::Z, [0.0, until], 1e-6, course).unwrap();
    def.driven(drive)
}

fn stretch(from: f64, velocity: DVec3) -> Stretch {
    Stretch { from, velocity, acceleration: DVec3::ZERO, spin: DVec3::ZERO, spin_rate: DVec3::ZERO }
}

#[test]
fn a_ball_leaves_a_rising_table_as_in_a_closed_form() {
    for kind in [BoundsKind::SortedLists, BoundsKind::Grid] {
        let mut builder = World::builder().gravity(FALL).bounds(kind).tolerance(1e-10);
        let steel = builder.material(Material::LOSSLESS);
        let (rise, drop) = (0.7, 1.5);
        let table = BodyDef::moving("table", cuboid(1.0, 0.1, 1.0), steel).at(at(0.0, -0.1, 0.0));
        builder.body(table.driven(Drive::steady(rise * DVec3::Y, DVec3::ZERO)));
        let ball =
            builder.body(BodyDef::moving("ball", Shape::sphere(0.1).unwrap(), steel).at(at(0.0, 0.1 + drop, 0.0)));
        let mut world = builder.build().unwrap();
        // drop − g t²/2 = rise t
        let meets = (-rise + (rise * rise + 2.0 * 9.81 * drop).sqrt()) / 9.81;
        let leaves = 2.0 * rise + 9.81 * meets;
        let later = 0.3;
        world.advance(meets + later).unwrap();
        let motion = world.motion(ball).unwrap();
        let height = 0.1 + rise * meets + leaves * later - 0.5 * 9.81 * later * later;
        assert!((motion.position.y - height).abs() < 1e-9, "{kind:?}: {} {height}", motion.position.y);
        assert!((motion.velocity.y - (leaves - 9.81 * later)).abs() < 1e-9, "{kind:?}");
    }
}

#[test]
fn a_ball_is_hit_by_a_turning_bat_as_in_a_closed_form() {
    let mut builder = World::builder().tolerance(1e-10);
    let steel = builder.material(Material::new(7800.0, 1.0, 0.0));
    let turn = 3.0;
    let bat = BodyDef::moving("bat", cuboid(0.5, 0.03, 0.1), steel);
    let bat = builder.body(along(bat, 4.0, |t| (DVec3::ZERO, turn * t)));
    let ball = Shape::sphere(0.05).unwrap();
    let ball = builder.body(BodyDef::moving("ball", ball, steel).at(at(0.0, 0.4, 0.0)));
    let mut world = builder.build().unwrap();
    world.advance(0.6).unwrap();
    // The side is met where the ball's centre is 0.08 from the middle of the bat.
    let along_bat = (0.4_f64 * 0.4 - 0.08 * 0.08).sqrt();
    let speed = world.motion(ball).unwrap().velocity.length();
    assert!((speed - 2.0 * turn * along_bat).abs() < 1e-9, "{speed}");
    let motion = world.motion(bat).unwrap();
    assert_eq!(motion.spin, DVec3::new(0.0, 0.0, turn));
    assert!((motion.pose().rotation * DVec3::X).abs_diff_eq(DVec3::new(libm::cos(1.8), libm::sin(1.8), 0.0), 1e-9));
}

#[test]
fn a_paddle_that_swings_hits_when_and_as_fast_as_it_should() {
    let mut builder = World::builder();
    let steel = builder.material(Material::LOSSLESS);
    let swing = |t: f64| 0.2 * libm::sin(7.0 * t);
    let paddle = BodyDef::moving("paddle", cuboid(0.1, 0.3, 0.3), steel);
    builder.body(along(paddle, 2.0, |t| (swing(t) * DVec3::X, 0.0)));
    let ball = builder.body(BodyDef::moving("ball", Shape::sphere(0.1).unwrap(), steel).at(at(0.3, 0.0, 0.0)));
    let mut world = builder.recording().build().unwrap();
    world.advance(0.2).unwrap();
    let contacts = &world.recording().unwrap().contacts;
    let when = libm::asin(0.5) / 7.0;
    assert!(contacts.len() == 1 && (contacts[0].time - when).abs() < 2e-6, "{contacts:?} {when}");
    let speed = 2.0 * 1.4 * libm::cos(7.0 * when);
    assert!((world.motion(ball).unwrap().velocity.x - speed).abs() < 1e-3 * speed);
}

/// A block on a belt that begins to move after a while.
fn belt(friction: f64) -> WorldBuilder {
    let mut builder = World::builder().gravity(FALL);
    let rubber = builder.material(Material::new(1000.0, 0.0, friction));
    let belt = BodyDef::moving("belt", cuboid(10.0, 0.05, 0.5), rubber).at(at(0.0, -0.05, 0.0));
    let drive = Drive::new(vec![stretch(0.0, DVec3::ZERO), stretch(0.5, DVec3::X), stretch(2.5, DVec3::ZERO)]).unwrap();
    builder.body(belt.driven(drive));
    builder.body(BodyDef::moving("block", cuboid(0.1, 0.05, 0.1), rubber).at(at(0.0, 0.05, 0.0)).at_rest());
    builder
}

#[test]
fn a_block_is_carried_on_as_friction_says_and_rests_when_the_belt_does() {
    let friction = 0.3;
    let mut world = belt(friction).build().unwrap();
    let bodies: Vec<_> = world.bodies().collect();
    world.advance(0.499).unwrap();
    assert!(world.is_resting(bodies[1]) && !world.is_resting(bodies[0]));
    world.advance(2.4).unwrap();
    // It slides for 1 / (μ g) seconds, and half of the belt's way in that time.
    let slides = 1.0 / (friction * 9.81);
    let motion = world.motion(bodies[1]).unwrap();
    assert!((motion.velocity.x - 1.0).abs() < 1e-4, "{motion:?}");
    assert!((motion.position.x - (1.9 - 0.5 * slides)).abs() < 5e-3, "{} {slides}", motion.position.x);
    assert!((motion.position.y - 0.05).abs() < 1e-4);
    world.advance(5.0).unwrap();
    assert!(bodies.iter().all(|body| world.is_resting(*body)));
    let stops = 2.0;
    let x = world.pose(bodies[1]).unwrap().translation.x;
    // What it lost at the beginning it gains at the end.
    assert!((x - stops).abs() < 1e-2, "{x}");
}

#[test]
fn what_stands_on_a_lift_goes_with_it() {
    let mut builder = World::builder().gravity(FALL);
    let rubber = builder.material(Material::new(1000.0, 0.1, 0.6));
    let lift = BodyDef::moving("lift", cuboid(0.5, 0.05, 0.5), rubber).at(at(0.0, -0.05, 0.0));
    let height = |t: f64| 0.5 - 0.5 * libm::cos(1.5 * t);
    builder.body(along(lift, 10.0, |t| ((height(t) - 0.05) * DVec3::Y, 0.0)));
    let block = builder.body(BodyDef::moving("block", cuboid(0.1, 0.1, 0.1), rubber).at(at(0.0, 0.1, 0.0)).at_rest());
    let ball = builder.body(BodyDef::moving("ball", Shape::sphere(0.05).unwrap(), rubber).at(at(0.3, 0.05, 0.0)));
    let mut world = builder.build().unwrap();
    for k in 1..40 {
        let time = 0.2 * f64::from(k);
        world.advance(time).unwrap();
        for (body, half) in [(block, 0.1), (ball, 0.05)] {
            let y = world.pose(body).unwrap().translation.y - half;
            assert!((y - height(time)).abs() < 1e-3, "{time}: {y} {}", height(time));
        }
        assert!(!world.settled(time + 1.0).iter().any(|settled| *settled));
    }
}

#[test]
fn nothing_pushes_it_and_it_passes_what_is_fixed() {
    let mut builder = World::builder().gravity(FALL);
    let steel = builder.material(Material::new(7800.0, 0.5, 0.3));
    builder.body(BodyDef::fixed("wall", cuboid(0.1, 1.0, 1.0), steel).at(at(1.0, 0.0, 0.0)));
    let paddle = BodyDef::moving("paddle", cuboid(0.1, 0.1, 0.1), steel);
    let paddle = builder.body(paddle.driven(Drive::steady(DVec3::X, DVec3::ZERO)));
    let other = BodyDef::moving("other", cuboid(0.1, 0.1, 0.1), steel).at(at(2.0, 0.0, 0.0));
    builder.body(other.driven(Drive::steady(-DVec3::X, DVec3::Z)));
    let mut world = builder.build().unwrap();
    world.schedule(0.5, Control::Impulse { body: paddle, impulse: 1e3 * DVec3::Y, point: None }).unwrap();
    world.advance(3.0).unwrap();
    assert!(world.pose(paddle).unwrap().translation.abs_diff_eq(3.0 * DVec3::X, 1e-12));
    assert_eq!(world.statistics().collisions, 0);
}

#[test]
fn a_run_that_is_repeated_with_something_changed_has_the_bits_of_a_fresh_one() {
    let (before, mut after) = (belt(0.3), World::builder().gravity(FALL));
    let rubber = after.material(Material::new(1000.0, 0.0, 0.3));
    for body in before.bodies() {
        let moved = if body.name == "block" { at(0.4, 0.05, 0.1) } else { body.pose };
        after.body(BodyDef { material: rubber, ..body.clone() }.at(moved));
    }
    let take = Take::record(before, 3.0, 0.1).unwrap();
    let again = take.again(after.clone()).unwrap();
    let mut fresh = after.build().unwrap();
    fresh.advance(3.0).unwrap();
    assert_eq!(again.state_hash(), fresh.state_hash());
}

#[test]
fn what_cannot_be_driven_is_told() {
    let mut builder = World::builder();
    let steel = builder.material(Material::LOSSLESS);
    let still = Drive::steady(DVec3::ZERO, DVec3::ZERO);
    builder.body(BodyDef::fixed("wall", cuboid(0.1, 1.0, 1.0), steel).driven(still.clone()));
    assert_eq!(builder.build().err(), Some(WorldError::DrivenAtRest { body: "wall".to_owned() }));
    let mut builder = World::builder();
    let steel = builder.material(Material::LOSSLESS);
    builder.body(BodyDef::moving("floor", Shape::half_space(DVec3::Y).unwrap(), steel).driven(still));
    assert!(matches!(builder.build().err(), Some(WorldError::CannotMove { .. })));
}
