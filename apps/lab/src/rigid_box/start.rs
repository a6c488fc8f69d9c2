//! How the box starts: the same for every side of the comparison.

use glam::DVec3;
use proscenium_chance::Seed;
use proscenium_geometry::{Hull, Pose, Shape};
use proscenium_rigid::{BodyDef, Material, World, WorldBuilder};
use serde_json::{Value, json};

use crate::error::LabError;

/// The radius of the sphere through a body's corners, metres.
pub(super) const RADIUS: f64 = 0.05;
/// Half the width of the box: slightly more than ten diameters across.
pub(super) const HALF_WIDTH: f64 = 10.2 * RADIUS;

/// `n` icosahedra in the box, without gravity or losses.
pub(super) fn boxed(n: usize, seed: Seed) -> Result<WorldBuilder, LabError> {
    let mut stream = seed.stream("box");
    let mut builder = World::builder();
    let material = builder.material(Material::LOSSLESS);
    for axis in DVec3::AXES {
        for normal in [axis, -axis] {
            let wall = Shape::half_space(normal)?;
            builder.body(BodyDef::fixed("wall", wall, material).at(Pose::from_translation(-HALF_WIDTH * normal)));
        }
    }
    let shape = Shape::hull(Hull::icosahedron(RADIUS)?);
    let mut centres: Vec<DVec3> = Vec::with_capacity(n);
    while centres.len() < n {
        let mut coordinate = || (HALF_WIDTH - RADIUS) * (2.0 * stream.uniform() - 1.0);
        let centre = DVec3::new(coordinate(), coordinate(), coordinate());
        if centres.iter().all(|other| other.distance(centre) > 2.0 * RADIUS) {
            centres.push(centre);
        }
    }
    for (index, centre) in centres.into_iter().enumerate() {
        let velocity = 0.5 * DVec3::new(stream.normal(), stream.normal(), stream.normal());
        let body = BodyDef::moving(format!("body {index}"), shape.clone(), material);
        builder.body(body.at(Pose::new(centre, stream.rotation())).with_velocity(velocity));
    }
    Ok(builder)
}

/// The same start as a request to another engine, for so many seconds.
pub(super) fn request(world: &World, seconds: f64) -> Value {
    let moving = world.bodies().filter(|body| world.inertia(*body).is_some());
    let states: Vec<Value> = moving
        .filter_map(|body| {
            let (pose, motion) = (world.pose(body)?, world.motion(body)?);
            Some(json!({
                "p": pose.translation.to_array(),
                "q": pose.rotation.to_array(),
                "v": motion.velocity.to_array(),
                "w": motion.spin.to_array(),
            }))
        })
        .collect();
    json!({
        "scene": "box",
        "n": states.len(),
        "seconds": seconds,
        "shape": "icosahedron",
        "radius": RADIUS,
        "box_half": HALF_WIDTH,
        "states": states,
    })
}
