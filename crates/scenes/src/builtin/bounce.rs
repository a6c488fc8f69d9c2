//! Assorted things dropped on a floor.

use crate::error::SceneErrors;
use crate::file::{
    At, BodyFile, DensityFile, MaterialFile, Number, OrientationFile, PartFile, RoundFile, SceneFile, ShapeFile,
    SolidFile, SpinFile, UniformWord, Vector, vector,
};

use super::parts::{about, drawn, fixed, named, number};
use super::{Builtin, Ingredients, Parameter};

pub(super) const SCENE: Builtin = Builtin {
    name: "bounce",
    summary: "Balls, dice, rods, gems and a jack are dropped on a floor; every seed drops them another way.",
    text: None,
    parameters: &[
        Parameter::new("height", 0.5, [0.2, 100.0], "of the lowest above the floor, m"),
        Parameter::new("restitution", 0.7, [0.0, 1.0], "the share of the speed that a bounce keeps"),
        Parameter::duration(3.0),
    ],
    build,
};

/// Between the places of the bodies, m: more than any two of them need.
const PITCH: f64 = 0.24;

fn build(given: &Ingredients<'_>) -> Result<SceneFile, SceneErrors> {
    let round = |radius: f64, height: f64| RoundFile { radius: Number::from(radius), height: Number::from(height) };
    let cube = |edge: f64| SolidFile::Box { edges: vector(edge, edge, edge), rounding: number(0.08 * edge) };
    let things: [(&str, ShapeFile); 9] = [
        ("ball", SolidFile::Sphere { sphere: Number::from(0.05) }.into()),
        ("die", cube(0.09).into()),
        ("rod", SolidFile::Capsule { capsule: round(0.025, 0.1) }.into()),
        ("gem", SolidFile::Icosahedron { icosahedron: Number::from(0.06) }.into()),
        ("can", SolidFile::Cylinder { cylinder: round(0.035, 0.1) }.into()),
        ("jack", jack()),
        ("tent", tent().into()),
        ("marble", SolidFile::Sphere { sphere: Number::from(0.035) }.into()),
        ("brick", SolidFile::Box { edges: vector(0.14, 0.05, 0.07), rounding: number(0.004) }.into()),
    ];
    let ground = ShapeFile::HalfSpace { half_space: vector(0.0, 1.0, 0.0) };
    let mut bodies = vec![fixed("floor", "stone", ground, glam::DVec3::ZERO)];
    for (index, (name, shape)) in things.into_iter().enumerate() {
        let (column, row) = ((index % 3) as f64 - 1.0, (index / 3) as f64 - 1.0);
        // Later ones start higher, so that they do not all land at once.
        let height = given.number("height") + 0.1 * ((index * 4) % 9) as f64;
        bodies.push(BodyFile {
            material: named("wood"),
            position: Some(near(column * PITCH, height, row * PITCH)),
            orientation: Some(OrientationFile::Uniform(UniformWord::Uniform).into()),
            spin: Some(SpinFile::Each(drawn(DensityFile::Normal([0.0, 6.0]))).into()),
            ..BodyFile::new(name, shape)
        });
    }
    let wood = MaterialFile {
        density: number(700.0),
        restitution: number(given.number("restitution")),
        friction: number(0.35),
        roughness: Some(0.35.into()),
        ..MaterialFile::default()
    };
    let stone = MaterialFile {
        restitution: number(given.number("restitution")),
        friction: number(0.5),
        colour: named("#d8d4cc"),
        roughness: Some(0.8.into()),
        ..MaterialFile::default()
    };
    Ok(SceneFile {
        materials: vec![("wood".to_string().into(), wood), ("stone".to_string().into(), stone)],
        bodies,
        ..SceneFile::default()
    })
}

/// Within three centimetres of a place.
fn near(x: f64, y: f64, z: f64) -> Vector {
    At::from([x, y, z].map(|middle| about(middle, 0.03)))
}

/// Six arms with round ends, as children throw them.
fn jack() -> ShapeFile {
    let arm = |axis: Option<Vector>| PartFile {
        shape: SolidFile::Capsule { capsule: RoundFile { radius: Number::from(0.014), height: Number::from(0.11) } }
            .into(),
        position: None,
        orientation: axis.map(|axis| OrientationFile::Axis { axis, degrees: Number::from(90.0) }.into()),
    };
    let arms = vec![arm(None), arm(Some(vector(1.0, 0.0, 0.0))), arm(Some(vector(0.0, 0.0, 1.0)))];
    ShapeFile::Compound { compound: arms }
}

/// A prism with a ridge.
fn tent() -> SolidFile {
    let (half, rise) = (0.05, 0.06);
    let points = [
        vector(-half, -0.02, -half),
        vector(half, -0.02, -half),
        vector(half, -0.02, half),
        vector(-half, -0.02, half),
        vector(-half, rise, 0.0),
        vector(half, rise, 0.0),
    ];
    SolidFile::Hull { hull: points.to_vec().into() }
}
