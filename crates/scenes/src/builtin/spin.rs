//! A handle that turns about its middle axis.

use crate::error::SceneErrors;
use crate::file::{
    At, BodyFile, MaterialFile, Number, OrientationFile, PartFile, RoundFile, SceneFile, ShapeFile, SolidFile,
    SpinFile, vector,
};

use super::parts::{lossless, named};
use super::{Builtin, Ingredients, Parameter};

pub(super) const SCENE: Builtin = Builtin {
    name: "spin",
    summary: "A handle shaped like a T turns in free fall and flips over again and again (the Dzhanibekov effect).",
    text: None,
    parameters: &[
        Parameter::new("spin", 12.0, [0.0, 1000.0], "about the stem of the T, rad/s"),
        Parameter::new("nudge", 0.02, [0.0, 100.0], "what starts the flips: spin about the bar, rad/s"),
        Parameter::duration(12.0),
    ],
    build,
};

fn build(given: &Ingredients<'_>) -> Result<SceneFile, SceneErrors> {
    let cylinder = |radius: f64, height: f64| SolidFile::Cylinder {
        cylinder: RoundFile { radius: Number::from(radius), height: Number::from(height) },
    };
    let lying = OrientationFile::Axis { axis: vector(0.0, 0.0, 1.0), degrees: Number::from(90.0) };
    let bar = PartFile {
        shape: cylinder(0.014, 0.14).into(),
        position: Some(vector(0.0, 0.046, 0.0)),
        orientation: Some(lying.into()),
    };
    // The stem reaches just into the bar: what overlaps counts twice.
    let stem =
        PartFile { shape: cylinder(0.008, 0.07).into(), position: Some(vector(0.0, 0.0, 0.0)), orientation: None };
    let spin = SpinFile::Components(vector(given.number("nudge"), given.number("spin"), 0.0));
    let handle = BodyFile {
        material: named("brass"),
        position: Some(vector(0.0, 0.2, 0.0)),
        spin: Some(At::from(spin)),
        ..BodyFile::new("handle", ShapeFile::Compound { compound: vec![bar, stem] })
    };
    let brass = MaterialFile {
        colour: named("amber"),
        roughness: Some(0.3.into()),
        metallic: Some(1.0.into()),
        ..lossless(8500.0)
    };
    Ok(SceneFile {
        gravity: Some(vector(0.0, 0.0, 0.0)),
        materials: vec![("brass".to_string().into(), brass)],
        bodies: vec![handle],
        ..SceneFile::default()
    })
}
