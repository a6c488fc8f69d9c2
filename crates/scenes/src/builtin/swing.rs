//! Newton's cradle that hangs.

use glam::DVec3;

use crate::error::SceneErrors;
use crate::file::{
    BodyFile, JointFile, JointWord, MaterialFile, Number, PartFile, RoundFile, SceneFile, ShapeFile, SolidFile,
};

use super::parts::{block, lossless, named, tilted, vector_of};
use super::{Builtin, Ingredients, Parameter};

pub(super) const SCENE: Builtin = Builtin {
    name: "swing",
    summary: "Newton's cradle, hanging: steel balls on thin rods hand their motion on, and as many leave as arrive.",
    text: None,
    parameters: &[
        Parameter::whole("balls", 5.0, [2.0, 30.0], "how many balls"),
        Parameter::whole("moving", 1.0, [1.0, 29.0], "how many of them arrive together"),
        Parameter::new("degrees", 30.0, [1.0, 80.0], "how far to the side those start"),
        Parameter::new("length", 0.3, [0.1, 2.0], "from the axis to the middle of a ball, m"),
        Parameter::duration(8.0),
    ],
    build,
};

/// Of a ball and of a rod, m.
const RADIUS: f64 = 0.025;
const ROD: f64 = 0.001;
/// From ball to ball in radii: together, to the eye, and yet one collision after the other.
const PITCH: f64 = 2.002;

fn build(given: &Ingredients<'_>) -> Result<SceneFile, SceneErrors> {
    let (balls, moving) = (given.count("balls"), given.count("moving"));
    if moving >= balls {
        let message = format!("{moving} moving balls of {balls} leave none to be struck");
        return Err(SceneErrors::plain(message, "set `moving` below `balls`"));
    }
    let (length, tilt) = (given.number("length"), given.number("degrees"));
    let (width, height) = (PITCH * RADIUS * (balls - 1) as f64, length + 2.0 * RADIUS);
    let (mut bodies, mut joints) = (Vec::with_capacity(balls + 1), Vec::with_capacity(balls));
    for index in 0..balls {
        let name = format!("ball-{}", index + 1);
        let axis = DVec3::new(index as f64 * PITCH * RADIUS - 0.5 * width, height, 0.0);
        let tilt = if index < moving { -tilt } else { 0.0 };
        let (sine, cosine) = libm::sincos(tilt.to_radians());
        bodies.push(BodyFile {
            material: named("steel"),
            position: Some(vector_of(axis + length * DVec3::new(sine, -cosine, 0.0))),
            orientation: tilted(tilt),
            ..BodyFile::new(name.clone(), hanging_ball(length))
        });
        joints.push(JointFile {
            axis: Some(vector_of(DVec3::Z)),
            at: Some(vector_of(axis)),
            ..JointFile::new(JointWord::Hinge, &name)
        });
    }
    let half = DVec3::new(0.5 * width + 2.0 * RADIUS, 0.2 * RADIUS, 0.4 * RADIUS);
    let beam = DVec3::new(0.0, height + 0.6 * RADIUS, 0.0);
    bodies.push(block("beam", "frame", beam - half, beam + half));
    let coloured = |colour: &str, density: f64| MaterialFile { colour: named(colour), ..lossless(density) };
    let steel = MaterialFile { roughness: Some(0.2.into()), metallic: Some(1.0.into()), ..coloured("steel", 7850.0) };
    Ok(SceneFile {
        materials: vec![("steel".to_string().into(), steel), ("frame".to_string().into(), coloured("brown", 700.0))],
        bodies,
        joints,
        ..SceneFile::default()
    })
}

/// A ball around the origin, and the rod above it.
fn hanging_ball(length: f64) -> ShapeFile {
    let (low, high) = (0.8 * RADIUS, length - 2.0 * ROD);
    let rod = RoundFile { radius: Number::from(ROD), height: Number::from(high - low) };
    let part = |shape: SolidFile, position| PartFile { shape: shape.into(), position, orientation: None };
    ShapeFile::Compound {
        compound: vec![
            part(SolidFile::Sphere { sphere: Number::from(RADIUS) }, None),
            part(SolidFile::Capsule { capsule: rod }, Some(vector_of(0.5 * (low + high) * DVec3::Y))),
        ],
    }
}
