//! Five dice, thrown from a cup.

use std::f64::consts::{PI, TAU};

use glam::{DQuat, DVec3};

use crate::error::SceneErrors;
use crate::file::{
    At, BodyFile, ComponentFile, DensityFile, MaterialFile, Number, OrientationFile, PartFile, SceneFile, ShapeFile,
    SolidFile, VelocityFile, vector,
};

use super::parts::{about, drawn, ground, material, named, variable, vector_of};
use super::{Builtin, Ingredients, Parameter, parts};

pub(super) const SCENE: Builtin = Builtin {
    name: "dice",
    summary: "Five dice are thrown from a cup onto felt, tumble and come to rest; every seed is another throw.",
    text: None,
    parameters: &[
        Parameter::new("speed", 1.6, [0.2, 10.0], "of the throw, on average, m/s"),
        Parameter::new("height", 0.18, [0.12, 2.0], "of the bottom of the cup above the felt, m"),
        Parameter::duration(3.0),
    ],
    build,
};

/// The edge of a die, and how round its edges are, m.
const EDGE: f64 = 0.016;
const ROUNDING: f64 = 0.0015;
/// The inner radius and the length of the cup, and how thick it is, m.
const BORE: f64 = 0.034;
const LENGTH: f64 = 0.095;
const THICKNESS: f64 = 0.003;
/// Of how many staves the cup is made.
const STAVES: u32 = 16;
/// How far the mouth of the cup points below the horizontal, radians.
const TILT: f64 = PI / 6.0;
/// How far a die may be from its place in the cup, m.
const SHIFT: f64 = 5e-4;

fn build(given: &Ingredients<'_>) -> Result<SceneFile, SceneErrors> {
    let bottom = DVec3::new(-0.25, given.number("height"), 0.0);
    let mouth = DVec3::new(libm::cos(TILT), -libm::sin(TILT), 0.0);
    let across = DVec3::new(libm::sin(TILT), libm::cos(TILT), 0.0);
    let mut bodies = vec![ground("table", "felt", 0.0), cup(bottom)];
    for index in 0..5_u32 {
        // Two abreast, each pair across the one before, the last one alone.
        let (layer, side) = (f64::from(index / 2), if index % 2 == 0 { 1.0 } else { -1.0 });
        let beside = if index / 2 % 2 == 0 { across } else { DVec3::Z };
        let offset = if index == 4 { 0.0 } else { 0.5 * APART * side };
        let place = bottom + (0.5 * APART + layer * APART) * mouth + offset * beside;
        bodies.push(die(index, place));
    }
    let speed = given.number("speed");
    let throw = DensityFile::TruncatedNormal(crate::file::TruncatedNormalFile::Named {
        mean: speed,
        standard_deviation: 0.1 * speed,
        low: Some(0.5 * speed),
        high: None,
    });
    let ivory = MaterialFile { roughness: Some(0.15.into()), ..material("ivory", 1200.0, 0.5, 0.3) };
    let felt = MaterialFile { roughness: Some(0.95.into()), ..material("#2f6f4f", 500.0, 0.3, 0.6) };
    let leather = MaterialFile { roughness: Some(0.7.into()), ..material("#7a4a2c", 900.0, 0.3, 0.3) };
    Ok(SceneFile {
        variables: vec![("throw_speed".to_string().into(), ComponentFile::Density(throw).into())],
        materials: vec![
            ("ivory".to_string().into(), ivory),
            ("felt".to_string().into(), felt),
            ("leather".to_string().into(), leather),
        ],
        bodies,
        ..SceneFile::default()
    })
}

/// Between neighbours in the cup, m: more than any turn of two dice needs.
const APART: f64 = 0.0275;

fn die(index: u32, place: DVec3) -> BodyFile {
    let normal = |mean: f64, deviation: f64| drawn(DensityFile::Normal([mean, deviation]));
    let velocity = VelocityFile::Polar {
        speed: variable("throw_speed"),
        heading: Some(normal(0.0, 0.05)),
        rise: Some(normal(-TILT, 0.05)),
    };
    let position = At::from(place.to_array().map(|middle| about(middle, SHIFT)));
    parts::die(index as usize, [EDGE, ROUNDING], position, velocity)
}

/// A round cup along its own y axis, its mouth towards +x and down.
fn cup(bottom: DVec3) -> BodyFile {
    let half = 0.5 * LENGTH;
    let chord = 2.0 * (BORE + THICKNESS) * libm::tan(PI / f64::from(STAVES));
    let stave = |index: u32| {
        let turn = DQuat::from_rotation_y(TAU * f64::from(index) / f64::from(STAVES));
        PartFile {
            shape: SolidFile::Box { edges: vector(THICKNESS, LENGTH, chord), rounding: None }.into(),
            position: Some(vector_of(turn * DVec3::new(BORE + 0.5 * THICKNESS, half, 0.0))),
            orientation: super::parts::quaternion(turn),
        }
    };
    let lid = PartFile {
        shape: SolidFile::Cylinder {
            cylinder: crate::file::RoundFile { radius: Number::from(BORE), height: Number::from(THICKNESS) },
        }
        .into(),
        position: Some(vector(0.0, -0.5 * THICKNESS, 0.0)),
        orientation: None,
    };
    let parts = (0..STAVES).map(stave).chain([lid]).collect();
    let tilted =
        OrientationFile::Axis { axis: vector(0.0, 0.0, 1.0), degrees: Number::from(-90.0 - TILT.to_degrees()) };
    BodyFile {
        fixed: true,
        material: named("leather"),
        position: Some(vector_of(bottom)),
        orientation: Some(tilted.into()),
        ..BodyFile::new("cup", ShapeFile::Compound { compound: parts })
    }
}
