//! Newton's cradle, without strings.

use glam::DVec3;

use crate::error::SceneErrors;
use crate::file::{BodyFile, MaterialFile, Number, SceneFile, SolidFile, vector};

use super::parts::{fixed, lossless, named, number, vector_of, velocity};
use super::{Builtin, Ingredients, Parameter};

pub(super) const SCENE: Builtin = Builtin {
    name: "cradle",
    summary: "Newton's cradle, lying down: steel balls in a smooth groove between two cushions hand their motion on, \
              and as many leave as arrive (`swing` is one that hangs).",
    text: None,
    parameters: &[
        Parameter::whole("balls", 5.0, [2.0, 100.0], "how many balls"),
        Parameter::whole("moving", 1.0, [1.0, 99.0], "how many of them arrive together"),
        Parameter::new("speed", 0.6, [1e-3, 100.0], "at which they arrive, m/s"),
        Parameter::new("radius", 0.025, [1e-3, 1.0], "of each ball, m"),
        Parameter::duration(6.0),
    ],
    build,
};

/// The gap between balls in radii: together, to the eye, and yet one
/// collision after the other.
const GAP: f64 = 0.004;
/// The way to each cushion in radii.
const RUN: f64 = 7.0;

fn build(given: &Ingredients<'_>) -> Result<SceneFile, SceneErrors> {
    let (balls, moving) = (given.count("balls"), given.count("moving"));
    let radius = given.number("radius");
    if moving >= balls {
        let message = format!("{moving} moving balls of {balls} leave none to be struck");
        return Err(SceneErrors::plain(message, "set `moving` below `balls`"));
    }
    let pitch = (2.0 + GAP) * radius;
    let row = pitch * (balls - 1) as f64;
    let half = 0.5 * row + (RUN + 1.0) * radius;
    let mut bodies = Vec::with_capacity(balls + 5);
    for index in 0..balls {
        // The moving ones wait halfway to their cushion, the others where the
        // row is.
        let arrives = index < moving;
        let shift = if arrives { 0.5 * RUN * radius } else { 0.0 };
        let x = index as f64 * pitch - 0.5 * row - shift;
        bodies.push(BodyFile {
            material: named("steel"),
            position: Some(vector_of(DVec3::new(x, 1.1 * radius, 0.0))),
            velocity: arrives.then(|| velocity(given.number("speed") * DVec3::X)).flatten(),
            ..BodyFile::new(format!("ball-{}", index + 1), SolidFile::Sphere { sphere: Number::from(radius) })
        });
    }
    let block = |edges: DVec3| SolidFile::Box { edges: vector_of(edges), rounding: number(0.1 * radius) };
    let thick = 0.8 * radius;
    for (name, side) in [("left cushion", -1.0), ("right cushion", 1.0)] {
        let place = DVec3::new(side * (half + 0.5 * thick), radius, 0.0);
        bodies.push(fixed(name, "rubber", block(DVec3::new(thick, 2.0 * radius, 3.0 * radius)), place));
    }
    // The groove is for the eye: nothing pulls the balls onto it.
    for (name, side) in [("near rail", 1.0), ("far rail", -1.0)] {
        let place = DVec3::new(0.0, 0.3 * radius, side * 1.3 * radius);
        bodies.push(fixed(name, "rail", block(DVec3::new(2.0 * half, 0.6 * radius, 0.4 * radius)), place));
    }
    let ground = crate::file::ShapeFile::HalfSpace { half_space: vector(0.0, 1.0, 0.0) };
    bodies.push(fixed("table", "table", ground, DVec3::ZERO));
    let coloured = |colour: &str, density: f64| MaterialFile { colour: named(colour), ..lossless(density) };
    let steel = MaterialFile { roughness: Some(0.2.into()), metallic: Some(1.0.into()), ..coloured("steel", 7850.0) };
    Ok(SceneFile {
        gravity: Some(vector(0.0, 0.0, 0.0)),
        materials: vec![
            ("steel".to_string().into(), steel),
            ("rubber".to_string().into(), coloured("red", 1100.0)),
            ("rail".to_string().into(), coloured("brown", 700.0)),
            ("table".to_string().into(), coloured("#d8d4cc", 700.0)),
        ],
        bodies,
        ..SceneFile::default()
    })
}
