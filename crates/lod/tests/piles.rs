//! Promise: under gravity a pile comes to rest and stays there at every level,
//! nothing ends below the floor, and what sleeps costs nothing until it is
//! touched.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use proscenium_bodies::{Material, Motion};
use proscenium_chance::Seed;
use proscenium_lod::glam::DVec3;
use proscenium_lod::mesh::built_in;
use proscenium_lod::{BodyId, Budget, Settings, TreeKind, TreeSettings, VolumeModel, World};
use proscenium_work::Progress;

fn model(name: &str) -> Arc<VolumeModel> {
    let mesh = built_in(name, 600).unwrap().scaled(0.5).unwrap();
    let settings = TreeSettings { kind: TreeKind::Adaptive, depth: 3 };
    Arc::new(VolumeModel::build(name, &mesh, settings, &Progress::none()).unwrap().finished().unwrap())
}

/// Bodies in three layers above the floor of a shaft.
fn shaft(model: &Arc<VolumeModel>, settings: Settings) -> World {
    let mut world = World::with(settings, Seed(3)).unwrap();
    let (spacing, half) = (2.1 * model.radius(), 2.2 * model.radius());
    world.add_wall(DVec3::Y, DVec3::ZERO).unwrap();
    for side in [DVec3::X, DVec3::NEG_X, DVec3::Z, DVec3::NEG_Z] {
        world.add_wall(side, -half * side).unwrap();
    }
    for index in 0..12 {
        let mut stream = Seed(3).stream("shaft").at(index);
        let cell = DVec3::new((index % 2) as f64 - 0.5, (index / 4) as f64 + 0.6, (index / 2 % 2) as f64 - 0.5);
        let motion = Motion { position: spacing * cell, orientation: stream.rotation(), ..Motion::AT_REST };
        world.add(model, motion, Material::new(700.0, 0.3, 0.5)).unwrap();
    }
    world
}

fn run(world: &mut World, seconds: f64, budget: Budget<'_>) -> u64 {
    let mut spent = 0;
    for _ in 0..(60.0 * seconds) as u32 {
        spent = world.advance(world.now() + 1.0 / 60.0, &[], budget).unwrap().spent;
    }
    spent
}

/// The speed of the fastest rim.
fn fastest(world: &World) -> f64 {
    let rim = |index: u32| {
        let motion = world.motion(BodyId(index)).unwrap();
        motion.velocity.length() + world.model(BodyId(index)).unwrap().radius() * motion.spin.length()
    };
    (0..world.len() as u32).map(rim).fold(0.0, f64::max)
}

/// The lowest corner of all bodies.
fn lowest(world: &World) -> f64 {
    let of = |index: u32| {
        let pose = world.motion(BodyId(index)).unwrap().pose();
        let model = world.model(BodyId(index)).unwrap();
        let heights = model.mesh().vertices().iter().map(|vertex| pose.transform_point(*vertex).y);
        heights.fold(f64::INFINITY, f64::min)
    };
    (0..world.len() as u32).map(of).fold(f64::INFINITY, f64::min)
}

/// Pushing bodies apart was never reached, and impulses of one pair did not see
/// those of another: piles sank into each other and trembled for ever.
#[test]
fn a_pile_rests_without_sleeping() {
    for name in ["l-shape", "torus"] {
        let mut world = shaft(&model(name), Settings { sleeping: false, ..Settings::default() });
        run(&mut world, 8.0, Budget::Unlimited);
        let places: Vec<DVec3> = (0..12).map(|index| world.motion(BodyId(index)).unwrap().position).collect();
        assert!(fastest(&world) < 0.01, "{name}: {}", fastest(&world));
        assert!(lowest(&world) > -0.01, "{name}: {}", lowest(&world));
        run(&mut world, 2.0, Budget::Unlimited);
        for (index, place) in places.iter().enumerate() {
            assert!(world.motion(BodyId(index as u32)).unwrap().position.distance(*place) < 0.005, "{name}");
        }
    }
}

/// Nothing slept: a pile at rest cost as much as one that falls.
#[test]
fn what_sleeps_costs_nothing_until_it_is_touched() {
    let knot = model("knot");
    let mut world = shaft(&knot, Settings::default());
    assert_eq!(run(&mut world, 8.0, Budget::Unlimited), 0);
    assert!((0..12).all(|index| world.is_asleep(BodyId(index)).unwrap()));
    // One more that falls on them wakes them, and all rest again.
    let above = Motion { position: 6.0 * DVec3::Y, ..Motion::AT_REST };
    world.add(&knot, above, Material::new(700.0, 0.3, 0.5)).unwrap();
    run(&mut world, 1.5, Budget::Unlimited);
    assert!((0..12).any(|index| !world.is_asleep(BodyId(index)).unwrap()));
    assert_eq!(run(&mut world, 8.0, Budget::Unlimited), 0);
    // Whoever moves one of them wakes it.
    let motion = *world.motion(BodyId(4)).unwrap();
    world.set_motion(BodyId(4), motion).unwrap();
    assert!(!world.is_asleep(BodyId(4)).unwrap());
}

/// Without friction and rest at the root level, and with a spin drawn in every
/// frame, a body without a budget crept upward, turning.
#[test]
fn a_body_at_the_root_level_lies_still() {
    let bunny = model("jack");
    let mut world = World::with(Settings { deepest: 0, sleeping: false, ..Settings::default() }, Seed(1)).unwrap();
    world.add_wall(DVec3::Y, DVec3::ZERO).unwrap();
    let thrown = Motion { position: 1.5 * DVec3::Y, velocity: DVec3::X, ..Motion::AT_REST };
    world.add(&bunny, thrown, Material::new(700.0, 0.3, 0.5)).unwrap();
    run(&mut world, 5.0, Budget::Unlimited);
    let there = *world.motion(BodyId(0)).unwrap();
    assert!(fastest(&world) < 1e-3, "{there:?}");
    run(&mut world, 2.0, Budget::Unlimited);
    let later = world.motion(BodyId(0)).unwrap();
    assert!(later.position.distance(there.position) < 1e-3 && (later.position.y - bunny.radius()).abs() < 0.02);
}

/// Walls were looked at last, and what a budget did not reach was left out by
/// number: bodies fell through the floor.
#[test]
fn nothing_ends_below_the_floor_at_small_budgets() {
    let torus = model("torus");
    for tests in [15_000, 40_000] {
        let mut world = shaft(&torus, Settings { sleeping: false, ..Settings::default() });
        run(&mut world, 6.0, Budget::Tests(tests));
        assert!(lowest(&world) > -0.02 * torus.radius(), "{tests}: {}", lowest(&world));
        assert!(fastest(&world) < 0.2, "{tests}: {}", fastest(&world));
    }
}
