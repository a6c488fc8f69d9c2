//! Promises of a lossless world: energy and both momenta are kept, the run
//! can be reversed, and many runs side by side equal the same runs in a row.

#![allow(clippy::unwrap_used)]

use crate::common;

use common::{boxed, icosahedron};
use proscenium_chance::Seed;
use proscenium_rigid::geometry::{Pose, Shape};
use proscenium_rigid::glam::DVec3;
use proscenium_rigid::{BodyDef, Material, Motion, World, WorldBuilder};

/// A cloud that falls into itself in empty space: no walls, so that momentum
/// must be kept as well.
fn cloud(shapes: &[Shape], count: usize, seed: u64) -> WorldBuilder {
    let mut stream = Seed(seed).stream("cloud");
    let mut builder = World::builder();
    let material = builder.material(Material::LOSSLESS);
    for k in 0..count {
        let direction = stream.unit_vector();
        let place = direction * (0.6 + 0.25 * k as f64);
        let aim = DVec3::new(stream.normal(), stream.normal(), stream.normal()) * 0.05;
        let spin = DVec3::new(stream.normal(), stream.normal(), stream.normal()) * 4.0;
        builder.body(
            BodyDef::moving(format!("body {k}"), shapes[k % shapes.len()].clone(), material)
                .at(Pose::new(place, stream.rotation()))
                .with_velocity(aim - direction)
                .with_spin(spin),
        );
    }
    builder
}

fn totals(world: &World) -> (f64, DVec3, DVec3) {
    let mut sums = (world.energy(), DVec3::ZERO, DVec3::ZERO);
    for body in world.bodies() {
        if let (Some(motion), Some(inertia)) = (world.motion(body), world.inertia(body)) {
            let linear = inertia.mass * motion.velocity;
            sums.1 += linear;
            sums.2 += inertia.angular_momentum(motion.orientation, motion.spin) + motion.position.cross(linear);
        }
    }
    sums
}

fn all_solids() -> Vec<Shape> {
    vec![
        Shape::sphere(0.1).unwrap(),
        Shape::cuboid(DVec3::new(0.12, 0.08, 0.05), 0.0).unwrap(),
        Shape::cuboid(DVec3::splat(0.08), 0.02).unwrap(),
        Shape::capsule(0.1, 0.05).unwrap(),
        Shape::cylinder(0.08, 0.07).unwrap(),
        icosahedron(0.1),
    ]
}

#[test]
fn energy_and_momenta_are_kept() {
    let mut world = cloud(&all_solids(), 24, 3).build().unwrap();
    let before = totals(&world);
    world.advance(20.0).unwrap();
    let after = totals(&world);
    assert!(world.statistics().collisions > 20, "only {} collisions", world.statistics().collisions);
    assert!((after.0 / before.0 - 1.0).abs() < 1e-12, "energy {} to {}", before.0, after.0);
    assert!((after.1 - before.1).length() < 1e-11, "momentum");
    assert!((after.2 - before.2).length() < 1e-10, "angular momentum");
}

#[test]
fn a_minute_in_the_box_keeps_the_energy() {
    let mut world = boxed(&icosahedron(0.05), 0.05, 32, 0.51, 0.0, 5).build().unwrap();
    let before = world.energy();
    world.advance(60.0).unwrap();
    assert!((world.energy() / before - 1.0).abs() < 1e-10);
    assert!(world.statistics().collisions > 2000, "only {} collisions", world.statistics().collisions);
}

/// The same bodies, moving the other way.
fn reversed(world: &World, skip: usize) -> World {
    let mut back = World::builder().tolerance(world.tolerance());
    let material = back.material(Material::LOSSLESS);
    for body in world.bodies() {
        let pose = world.pose(body).unwrap();
        let motion: Motion = world.motion(body).unwrap();
        let def = if body.index() < skip {
            BodyDef::fixed(world.name(body), world.shape(body).clone(), material)
        } else {
            BodyDef::moving(world.name(body), world.shape(body).clone(), material)
                .with_velocity(-motion.velocity)
                .with_spin(-motion.spin)
        };
        back.body(def.at(pose));
    }
    back.build().unwrap()
}

#[test]
fn a_run_can_be_reversed() {
    // Five collisions per body and more: each multiplies an error by the ratio
    // of free path to radius, so that rounding has grown to about 1e-9.
    for (shape, tolerance) in [(Shape::sphere(0.1).unwrap(), 1e-9), (icosahedron(0.1), 1e-13)] {
        let mut world = boxed(&shape, 0.1, 12, 0.5, 0.0, 11).tolerance(tolerance).build().unwrap();
        let start: Vec<Pose> = world.bodies().map(|body| world.pose(body).unwrap()).collect();
        while world.statistics().collisions < 30 {
            world.step().unwrap();
        }
        let turn = world.now() + 1e-3;
        world.advance(turn).unwrap();
        let mut back = reversed(&world, 6);
        back.advance(turn).unwrap();
        for (body, start) in back.bodies().zip(&start) {
            let error = back.pose(body).unwrap().translation.distance(start.translation);
            assert!(error < 1e-6, "{} of a {} is off by {error:e}", back.name(body), shape.name());
        }
    }
}

#[test]
fn worlds_side_by_side_equal_worlds_in_a_row() {
    let run = |seed: u64| {
        let mut world = boxed(&icosahedron(0.05), 0.05, 16, 0.3, 1.0, seed).build().unwrap();
        world.advance(5.0).unwrap();
        world.state_hash()
    };
    let in_a_row: Vec<u64> = (0..8).map(run).collect();
    let side_by_side: Vec<u64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|seed| scope.spawn(move || run(seed))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(in_a_row, side_by_side);
}

#[test]
fn predictions_take_few_steps() {
    let mut world = boxed(&icosahedron(0.05), 0.05, 64, 0.51, 0.0, 7).patience(50).build().unwrap();
    world.advance(20.0).unwrap();
    let counts = world.statistics();
    assert!(counts.most_iterations <= 50);
    let per_collision = counts.distance_queries as f64 / counts.collisions as f64;
    assert!(per_collision < 12.0, "{per_collision} distance queries per collision");
}
