//! Dominoes in a spiral.

use std::f64::consts::{PI, TAU};

use glam::DVec3;

use crate::error::SceneErrors;
use crate::file::{
    At, BodyFile, DensityFile, MaterialFile, Number, OrientationFile, SceneFile, SolidFile, SpinFile, vector,
};

use super::parts::{about, drawn, ground, material, named, vector_of, velocity};
use super::{Builtin, Ingredients, Parameter};

pub(super) const SCENE: Builtin = Builtin {
    name: "dominoes",
    summary: "Dominoes stand in a spiral; the outermost one is pushed, and all the others follow.",
    text: None,
    parameters: &[
        Parameter::whole("count", 500.0, [1.0, 5000.0], "how many dominoes"),
        Parameter::new("push", 4.0, [0.0, 30.0], "how fast the first one tips at the start, rad/s"),
        Parameter::new("spacing", 0.02, [0.012, 0.04], "from one to the next, m"),
        Parameter::duration(20.0),
    ],
    build,
};

/// How thick, high and wide a domino is, m.
const SIZE: DVec3 = DVec3::new(0.0075, 0.048, 0.024);
/// From one winding to the next, m.
const PITCH: f64 = 0.045;
/// The radius at which the spiral ends, m.
const EYE: f64 = 0.12;
/// How far from its place a domino may stand, m, and how askew, degrees.
const SHIFT: f64 = 5e-4;
const TURN: f64 = 1.5;
/// One after the other from the outside in.
const COLOURS: [&str; 8] = ["vermilion", "orange", "amber", "green", "sky", "blue", "pink", "ivory"];

fn build(given: &Ingredients<'_>) -> Result<SceneFile, SceneErrors> {
    let (count, spacing) = (given.count("count"), given.number("spacing"));
    // What a spiral between two radii measures.
    let outside = (EYE * EYE + count as f64 * spacing * PITCH / PI).sqrt();
    let mut bodies = vec![ground("floor", "floor", 0.0)];
    let mut angle = 0.0_f64;
    for index in 0..count {
        let radius = outside - PITCH * angle / TAU;
        let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
        let place = DVec3::new(radius * cosine, 0.5 * SIZE.y, radius * sine);
        let inwards = PITCH / TAU;
        let along = DVec3::new(-radius * sine - inwards * cosine, 0.0, radius * cosine - inwards * sine).normalize();
        let colour = COLOURS[index * COLOURS.len() / count];
        let push = given.number("push");
        bodies.push(domino(index, place, along, colour, (index == 0).then_some(push)));
        angle += spacing / (radius * radius + inwards * inwards).sqrt();
    }
    let floor = MaterialFile { roughness: Some(0.8.into()), ..material("#d8d4cc", 2000.0, 0.1, 0.6) };
    let tile = MaterialFile { roughness: Some(0.3.into()), ..material("ivory", 1200.0, 0.1, 0.25) };
    Ok(SceneFile {
        materials: vec![("tile".to_string().into(), tile), ("floor".to_string().into(), floor)],
        bodies,
        ..SceneFile::default()
    })
}

/// A domino that stands across the way. One that is pushed tips over its front
/// edge at a rate, exactly in place.
fn domino(index: usize, place: DVec3, along: DVec3, colour: &str, push: Option<f64>) -> BodyFile {
    let heading = libm::atan2(-along.z, along.x).to_degrees();
    let turned = |degrees: Number| OrientationFile::Axis { axis: vector(0.0, 1.0, 0.0), degrees };
    let body = BodyFile {
        material: named("tile"),
        colour: named(colour),
        ..BodyFile::new(format!("domino-{}", index + 1), SolidFile::Box { edges: vector_of(SIZE), rounding: None })
    };
    match push {
        Some(rate) => BodyFile {
            position: Some(vector_of(place)),
            orientation: Some(turned(Number::from(heading)).into()),
            velocity: velocity(0.5 * rate * (SIZE.y * along + SIZE.x * DVec3::Y)),
            spin: Some(SpinFile::Components(vector_of(rate * DVec3::Y.cross(along))).into()),
            ..body
        },
        None => BodyFile {
            position: Some(At::from([about(place.x, SHIFT), Number::from(place.y), about(place.z, SHIFT)])),
            orientation: Some(turned(drawn(DensityFile::Normal([heading, TURN]))).into()),
            ..body
        },
    }
}
