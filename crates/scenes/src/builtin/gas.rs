//! Spheres in a lossless box.

use std::f64::consts::PI;

use glam::DVec3;
use proscenium_chance::Seed;

use crate::error::SceneErrors;
use crate::file::{BodyFile, MaterialFile, Number, SceneFile, SolidFile, vector};

use super::packing::pack;
use super::parts::{lossless, named, vector_of, velocity, walls};
use super::{Builtin, Ingredients, Parameter};

pub(super) const SCENE: Builtin = Builtin {
    name: "gas",
    summary: "Many equal balls fly about in a box and lose nothing, as the molecules of a gas would.",
    text: None,
    parameters: &[
        Parameter::whole("n", 200.0, [1.0, 100_000.0], "how many balls"),
        Parameter::new("packing", 0.08, [1e-6, 0.3], "the share of the box that the balls fill"),
        Parameter::new("radius", 0.05, [1e-4, 100.0], "of each ball, m"),
        Parameter::new("speed", 1.0, [0.0, 1e4], "standard deviation of each component of the velocity, m/s"),
        Parameter::SEED,
        Parameter::duration(5.0),
    ],
    build,
};

fn build(given: &Ingredients<'_>) -> Result<SceneFile, SceneErrors> {
    let (count, radius) = (given.count("n"), given.number("radius"));
    let seed = Seed(given.number("seed") as u64);
    let ball = 4.0 / 3.0 * PI * radius * radius * radius;
    let size = DVec3::splat(libm::cbrt(count as f64 * ball / given.number("packing")));
    let centres = pack(count, radius, size, &mut seed.stream("gas positions"))
        .ok_or_else(|| SceneErrors::plain(format!("{count} balls do not fit at this packing"), "lower the packing"))?;
    let mut bodies = walls("glass", size);
    for (index, centre) in centres.into_iter().enumerate() {
        let mut paces = seed.stream("gas velocities").at(index as u64);
        let pace = given.number("speed") * DVec3::new(paces.normal(), paces.normal(), paces.normal());
        bodies.push(BodyFile {
            material: named("lossless"),
            position: Some(vector_of(centre)),
            velocity: velocity(pace),
            ..BodyFile::new(format!("ball-{}", index + 1), SolidFile::Sphere { sphere: Number::from(radius) })
        });
    }
    let glass = MaterialFile { colour: named("#dfe9f01c"), ..lossless(1000.0) };
    Ok(SceneFile {
        gravity: Some(vector(0.0, 0.0, 0.0)),
        materials: vec![("lossless".to_string().into(), lossless(1000.0)), ("glass".to_string().into(), glass)],
        bodies,
        ..SceneFile::default()
    })
}
