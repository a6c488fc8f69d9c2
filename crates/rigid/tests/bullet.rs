//! Promise: nothing passes through anything, at any speed.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use proscenium_rigid::geometry::{Pose, Shape};
use proscenium_rigid::glam::{DQuat, DVec3};
use proscenium_rigid::{BodyDef, Material, World};

/// A small fast body against a plate of a millimetre; how far it got.
fn shoot(shape: Shape, speed: f64, offset: DVec3, tilt: f64, spin: DVec3, plate_fixed: bool) -> f64 {
    let mut builder = World::builder();
    let steel = builder.material(Material::new(7850.0, 0.3, 0.3));
    let plate = Shape::cuboid(DVec3::new(0.0005, 0.5, 0.5), 0.0).unwrap();
    let plate = if plate_fixed {
        BodyDef::fixed("plate", plate, steel)
    } else {
        BodyDef::moving("plate", plate, steel).with_velocity(DVec3::new(-50.0, 0.0, 0.0))
    };
    builder.body(plate);
    let bullet = builder.body(
        BodyDef::moving("bullet", shape, steel)
            .at(Pose::new(DVec3::new(-2.0, 0.0, 0.0) + offset, DQuat::from_rotation_z(tilt)))
            .with_velocity(DVec3::new(speed, 0.0, 0.0))
            .with_spin(spin),
    );
    let mut world = builder.build().unwrap();
    world.advance(10.0 / speed).unwrap();
    assert!(world.statistics().collisions >= 1, "the bullet missed at {speed} m/s");
    let plate_motion = world.motion(world.bodies().next().unwrap()).unwrap();
    // In the frame of the plate, which may have been pushed and turned.
    let relative = world.pose(bullet).unwrap().translation - plate_motion.position;
    (plate_motion.orientation.inverse() * relative).x
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn the_bullet_never_passes_the_plate(
        exponent in 0.0..4.0_f64, y in -0.2..0.2_f64, z in -0.2..0.2_f64, tilt in -1.5..1.5_f64,
        spin in -3000.0..3000.0_f64, kind in 0..4, plate_fixed in any::<bool>(),
    ) {
        let shape = match kind {
            0 => Shape::sphere(0.002),
            1 => Shape::cuboid(DVec3::new(0.004, 0.001, 0.001), 0.0),
            2 => Shape::capsule(0.003, 0.001),
            _ => Shape::cylinder(0.004, 0.002),
        };
        let speed = libm::pow(10.0, exponent);
        let place = shoot(shape.unwrap(), speed, DVec3::new(0.0, y, z), tilt, DVec3::new(0.0, spin, 0.3 * spin), plate_fixed);
        prop_assert!(place < 0.0, "at {} m/s the bullet is {} m beyond the plate", speed, place);
    }
}
