//! Promise: what is pressed between others while they come together is stopped
//! with them, instead of handing their blows to and fro at one moment until
//! somebody gives up.

#![allow(clippy::unwrap_used, reason = "only tests call the functions here")]

use proscenium_rigid::geometry::{Pose, Shape};
use proscenium_rigid::glam::DVec3;
use proscenium_rigid::{BodyDef, BodyId, Material, World};

/// A marble of 84 g rests on the floor, and a block that is so many times
/// heavier comes down on it. The marble hands the blow on to the floor, which
/// gives it back: the block becomes slower by its share of the mass only.
fn pressed(times_heavier: f64) -> (World, BodyId, BodyId) {
    let mut builder = World::builder().gravity(DVec3::new(0.0, -9.81, 0.0)).recording();
    let glass = builder.material(Material::new(2_500.0, 0.3, 0.3));
    let marble = Shape::sphere(0.02).unwrap();
    let mass = marble.mass_properties(2_500.0).unwrap().unwrap().mass;
    let heavy = builder.material(Material::new(times_heavier * mass / 8e-3, 0.3, 0.3));
    builder.body(BodyDef::fixed("floor", Shape::half_space(DVec3::Y).unwrap(), glass));
    let marble = BodyDef::moving("marble", marble, glass).at(Pose::from_translation(DVec3::new(0.0, 0.02, 0.0)));
    let marble = builder.body(marble);
    let block = BodyDef::moving("block", Shape::cuboid(DVec3::splat(0.1), 0.0).unwrap(), heavy);
    let block = block.at(Pose::from_translation(DVec3::new(0.0, 0.5, 0.0))).with_velocity(DVec3::new(0.0, -2.0, 0.0));
    let block = builder.body(block);
    (builder.build().unwrap(), marble, block)
}

#[test]
fn a_marble_under_a_block_stays_between_block_and_floor() {
    let (mut world, marble, block) = pressed(30.0);
    world.advance(0.3).unwrap();
    let [marble, block] = [marble, block].map(|body| world.motion(body).unwrap());
    assert!(marble.position.y > 0.0199, "the marble is in the floor: {}", marble.position.y);
    assert!(block.position.y - 0.1 - 0.04 > -1e-4, "the block is in the marble: {}", block.position.y);
}

/// By impulses alone this would be tens of thousands at one moment, and an error.
#[test]
fn blows_at_one_moment_are_few_however_heavy_the_block_is() {
    let (mut world, ..) = pressed(4000.0);
    world.advance(0.18).unwrap();
    let times: Vec<f64> = world.recording().unwrap().contacts.iter().map(|contact| contact.time).collect();
    let within = |from: usize| times[from..].iter().take_while(|time| **time - times[from] < 1e-3).count();
    let most = (0..times.len()).map(within).max().unwrap_or(0);
    assert!((100..1000).contains(&most), "{most} within a millisecond");
}
