//! Polyhedra in a lossless box (Chenney 2000, section 3.3).

use glam::DVec3;
use proscenium_chance::Seed;

use crate::error::SceneErrors;
use crate::file::{BodyFile, MaterialFile, Number, SceneFile, SolidFile, vector};

use super::packing::pack;
use super::parts::{lossless, named, quaternion, vector_of, velocity, walls};
use super::{Builtin, Ingredients, Parameter};

pub(super) const SCENE: Builtin = Builtin {
    name: "box",
    summary: "Polyhedra almost as round as balls fly about in a box and lose nothing, the box of Chenney 2000.",
    text: None,
    parameters: &[
        Parameter::whole("n", 64.0, [1.0, 600.0], "how many polyhedra"),
        Parameter::new("radius", 0.05, [1e-4, 100.0], "of each polyhedron, m"),
        Parameter::new("speed", 0.5, [0.0, 1e4], "standard deviation of each component of the velocity, m/s"),
        Parameter::SEED,
        Parameter::duration(10.0),
    ],
    build,
};

/// The width of the box in diameters: slightly more than ten.
const WIDTH: f64 = 10.2;

fn build(given: &Ingredients<'_>) -> Result<SceneFile, SceneErrors> {
    let (count, radius) = (given.count("n"), given.number("radius"));
    let seed = Seed(given.number("seed") as u64);
    let size = DVec3::splat(2.0 * WIDTH * radius);
    let centres = pack(count, radius, size, &mut seed.stream("box positions"))
        .ok_or_else(|| SceneErrors::plain(format!("{count} polyhedra do not fit into the box"), "use fewer"))?;
    let mut bodies = walls("glass", size);
    for (index, centre) in centres.into_iter().enumerate() {
        let part = index as u64;
        let mut paces = seed.stream("box velocities").at(part);
        let pace = given.number("speed") * DVec3::new(paces.normal(), paces.normal(), paces.normal());
        bodies.push(BodyFile {
            material: named("lossless"),
            position: Some(vector_of(centre)),
            orientation: quaternion(seed.stream("box orientations").at(part).rotation()),
            velocity: velocity(pace),
            ..BodyFile::new(
                format!("polyhedron-{}", index + 1),
                SolidFile::Icosahedron { icosahedron: Number::from(radius) },
            )
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
