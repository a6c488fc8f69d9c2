//! A small fast body against a thin plate.

use glam::DVec3;

use crate::error::SceneErrors;
use crate::file::{BodyFile, MaterialFile, Number, OrientationFile, RoundFile, SceneFile, SolidFile, vector};

use super::parts::{fixed, named, number, vector_of, velocity, walls};
use super::{Builtin, Ingredients, Parameter};

pub(super) const SCENE: Builtin = Builtin {
    name: "bullet",
    summary: "A bullet hits a plate that is thinner than a sheet of tin, and does not pass it at any speed.",
    text: None,
    parameters: &[
        Parameter::new("speed", 300.0, [0.1, 10_000.0], "of the bullet, m/s"),
        Parameter::new("thickness", 0.001, [1e-5, 0.1], "of the plate, m"),
        Parameter::duration(3.0),
    ],
    build,
};

fn build(given: &Ingredients<'_>) -> Result<SceneFile, SceneErrors> {
    let size = DVec3::new(0.9, 0.6, 0.5);
    let mut bodies = walls("glass", size);
    let capsule = RoundFile { radius: Number::from(0.009), height: Number::from(0.03) };
    // Aimed a little beside the middle and askew, so that it comes back tumbling.
    let lying = OrientationFile::Euler { euler_degrees: vector(0.0, 3.0, 92.0) };
    bodies.push(BodyFile {
        material: named("lead"),
        position: Some(vector(-0.3, 0.28, -0.03)),
        orientation: Some(lying.into()),
        velocity: velocity(given.number("speed") * DVec3::X),
        ..BodyFile::new("bullet", SolidFile::Capsule { capsule })
    });
    let plate = SolidFile::Box {
        edges: vector_of(DVec3::new(given.number("thickness"), size.y - 0.02, size.z - 0.02)),
        rounding: None,
    };
    bodies.push(fixed("plate", "tin", plate, DVec3::new(0.1, 0.5 * size.y, 0.0)));
    let material = |colour: &str, density: f64, restitution: f64| MaterialFile {
        density: number(density),
        restitution: number(restitution),
        friction: number(0.2),
        colour: named(colour),
        ..MaterialFile::default()
    };
    let tin =
        MaterialFile { roughness: Some(0.35.into()), metallic: Some(1.0.into()), ..material("silver", 7300.0, 0.5) };
    Ok(SceneFile {
        gravity: Some(vector(0.0, 0.0, 0.0)),
        materials: vec![
            ("lead".to_string().into(), material("vermilion", 11_300.0, 0.5)),
            ("tin".to_string().into(), tin),
            ("glass".to_string().into(), material("#dfe9f01c", 2500.0, 0.5)),
        ],
        bodies,
        ..SceneFile::default()
    })
}
