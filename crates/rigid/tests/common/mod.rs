//! Worlds that several tests share.
#![allow(clippy::unwrap_used)]
#![allow(dead_code)]

use proscenium_chance::Seed;
use proscenium_rigid::geometry::{Hull, Pose, Shape};
use proscenium_rigid::glam::{DQuat, DVec3};
use proscenium_rigid::{BodyDef, Material, World, WorldBuilder};

/// `count` copies of a shape of this radius in a lossless cube, placed at
/// random without overlap, with random velocities and spins.
pub fn boxed(shape: &Shape, radius: f64, count: usize, half_width: f64, spin: f64, seed: u64) -> WorldBuilder {
    let mut stream = Seed(seed).stream("boxed");
    let mut builder = World::builder();
    let material = builder.material(Material::LOSSLESS);
    for (axis, name) in DVec3::AXES.into_iter().zip(["x", "y", "z"]) {
        for sign in [-1.0, 1.0] {
            let wall = Shape::half_space(-sign * axis).unwrap();
            let place = Pose::from_translation(sign * half_width * axis);
            builder.body(BodyDef::fixed(format!("wall {sign}{name}"), wall, material).at(place));
        }
    }
    let mut centres: Vec<DVec3> = Vec::new();
    while centres.len() < count {
        let mut coordinate = || (half_width - 1.01 * radius) * (2.0 * stream.uniform() - 1.0);
        let centre = DVec3::new(coordinate(), coordinate(), coordinate());
        if centres.iter().all(|c| c.distance(centre) > 2.01 * radius) {
            centres.push(centre);
        }
    }
    for (k, centre) in centres.into_iter().enumerate() {
        let mut vector = |size: f64| size * DVec3::new(stream.normal(), stream.normal(), stream.normal());
        let (velocity, turn, axis) = (vector(0.5), vector(spin), vector(1.0));
        let orientation = DQuat::from_axis_angle(axis.normalize_or(DVec3::Y), axis.length());
        builder.body(
            BodyDef::moving(format!("body {k}"), shape.clone(), material)
                .at(Pose::new(centre, orientation))
                .with_velocity(velocity)
                .with_spin(turn),
        );
    }
    builder
}

/// The polyhedron of the box experiment.
pub fn icosahedron(radius: f64) -> Shape {
    Shape::hull(Hull::icosahedron(radius).unwrap())
}
