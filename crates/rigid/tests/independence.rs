//! Promise: how bodies move depends on how they started and on what they met,
//! and not on bounds, on when something was predicted, or on where the run was
//! paused. The synchronous algorithm, which renews all bounds at every event,
//! arrives at the same bits.

#![allow(clippy::unwrap_used)]

use crate::common;

use common::{boxed, icosahedron};
use proscenium_rigid::geometry::{Hull, Pose, Shape};
use proscenium_rigid::glam::{DQuat, DVec3};
use proscenium_rigid::{BodyDef, BoundsKind, Material, World, WorldBuilder};

/// Grains, balls and rods that fall into a box, one after the other, and
/// settle.
fn heap(count: u32) -> WorldBuilder {
    let mut builder = World::builder().gravity(DVec3::new(0.0, -9.81, 0.0));
    let stone = builder.material(Material::new(2000.0, 0.3, 0.5).with_rolling(0.02));
    builder.body(BodyDef::fixed("ground", Shape::half_space(DVec3::Y).unwrap(), stone));
    for (k, (x, z)) in [(0.12, 0.0), (-0.12, 0.0), (0.0, 0.12), (0.0, -0.12)].into_iter().enumerate() {
        let half = if x == 0.0 { DVec3::new(0.14, 0.5, 0.02) } else { DVec3::new(0.02, 0.5, 0.14) };
        let place = Pose::from_translation(DVec3::new(x, 0.5, z));
        builder.body(BodyDef::fixed(format!("wall-{k}"), Shape::cuboid(half, 0.0).unwrap(), stone).at(place));
    }
    for k in 0..count {
        let f = f64::from(k);
        let offset =
            |c: usize| 0.004 * DVec3::new(libm::sin(f + c as f64), libm::cos(2.0 * f + c as f64), libm::sin(3.0 * f));
        let shape = match k % 3 {
            0 => Shape::hull(Hull::perturbed_cube(0.02, &std::array::from_fn(offset)).unwrap()),
            1 => Shape::sphere(0.02).unwrap(),
            _ => Shape::capsule(0.02, 0.012).unwrap(),
        };
        let place = DVec3::new(0.04 * libm::sin(7.0 * f), 0.3, 0.04 * libm::cos(7.0 * f));
        let pose = Pose::new(place, DQuat::from_rotation_x(f));
        builder.body(BodyDef::moving(format!("grain-{k}"), shape, stone).at(pose).starting_at(0.15 * f));
    }
    builder
}

#[test]
fn the_synchronous_algorithm_arrives_at_the_same_bits() {
    let mut world = heap(12).build().unwrap();
    let mut synchronous = heap(12).build_synchronous().unwrap();
    for k in 1..=30 {
        let time = 0.1 * f64::from(k);
        world.advance(time).unwrap();
        synchronous.advance(time).unwrap();
        assert_eq!(world.state_hash(), synchronous.world().state_hash(), "at {time} s");
    }
    assert!(world.statistics().contact_steps > 100);
}

#[test]
fn pauses_do_not_matter() {
    let mut whole = heap(9).build().unwrap();
    whole.advance(2.5).unwrap();
    let mut paused = heap(9).build().unwrap();
    for k in 1..=2500 {
        paused.advance(1e-3 * f64::from(k)).unwrap();
    }
    paused.advance(2.5).unwrap();
    assert_eq!(whole.state_hash(), paused.state_hash());
}

/// Runs a world with each structure, and compares the bits now and then.
fn structures_agree(builder: &WorldBuilder, seconds: f64) {
    let mut grid = builder.clone().bounds(BoundsKind::Grid).build().unwrap();
    let mut lists = builder.clone().bounds(BoundsKind::SortedLists).build().unwrap();
    for k in 1..=30 {
        let time = seconds * f64::from(k) / 30.0;
        grid.advance(time).unwrap();
        lists.advance(time).unwrap();
        assert_eq!(grid.state_hash(), lists.state_hash(), "at {time} s");
    }
    assert_eq!(grid.statistics().collisions, lists.statistics().collisions);
    assert!(grid.statistics().collisions > 100);
}

#[test]
fn balls_do_not_notice_how_bounds_are_kept() {
    structures_agree(&boxed(&Shape::sphere(0.05).unwrap(), 0.05, 150, 0.4, 0.0, 4), 3.0);
    let falling = boxed(&Shape::sphere(0.05).unwrap(), 0.05, 60, 0.4, 2.0, 5).gravity(DVec3::new(0.0, -3.0, 0.0));
    structures_agree(&falling, 3.0);
}

#[test]
fn polyhedra_do_not_notice_how_bounds_are_kept() {
    structures_agree(&boxed(&icosahedron(0.05), 0.05, 80, 0.4, 3.0, 6), 3.0);
}

#[test]
fn heaps_do_not_notice_how_bounds_are_kept() {
    structures_agree(&heap(12), 3.0);
}
