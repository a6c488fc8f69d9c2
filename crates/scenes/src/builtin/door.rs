//! A door that a ball should open.

use glam::DVec3;

use crate::error::SceneErrors;
use crate::file::{
    BodyFile, JointFile, JointWord, NearFile, Number, PlaceFile, SceneFile, SolidFile, VelocityFile, WantFile,
};

use super::parts::{about, block, ground, material, named, number, vector_of};
use super::{Builtin, Ingredients, Parameter};

pub(super) const SCENE: Builtin = Builtin {
    name: "door",
    summary: "A ball is thrown at a door that is ajar: it opens as far as the blow, its friction and its stop let it.",
    text: None,
    parameters: &[
        Parameter::new("speed", 7.0, [0.5, 30.0], "at which the ball comes, m/s"),
        Parameter::new("spread", 0.4, [0.0, 2.0], "to which side of the middle it may come, m"),
        Parameter::new("damping", 10.0, [0.0, 100.0], "with which the hinge resists, N m s"),
        Parameter::duration(6.0),
    ],
    build,
};

/// The leaf: how wide, high and thick, m.
const LEAF: DVec3 = DVec3::new(0.8, 1.9, 0.04);
/// Where its hinge is, and where the leaf begins.
const HINGE: f64 = 0.08;
const BEGINS: f64 = 0.09;

fn build(given: &Ingredients<'_>) -> Result<SceneFile, SceneErrors> {
    let middle = DVec3::new(BEGINS + 0.5 * LEAF.x, 0.02 + 0.5 * LEAF.y, 0.0);
    let far = BEGINS + LEAF.x + 0.01;
    let leaf = BodyFile {
        resting: true,
        material: named("wood"),
        position: Some(vector_of(middle)),
        ..BodyFile::new("door", SolidFile::Box { edges: vector_of(LEAF), rounding: None })
    };
    let ball = BodyFile {
        material: named("rubber"),
        position: Some(
            [about(middle.x, given.number("spread").max(1e-6)), Number::from(1.0), Number::from(2.0)].into(),
        ),
        velocity: Some(
            VelocityFile::Components([about(0.0, 0.4), Number::from(1.0), Number::from(-given.number("speed"))].into())
                .into(),
        ),
        ..BodyFile::new("ball", SolidFile::Sphere { sphere: Number::from(0.12) })
    };
    let post =
        |name: &str, from: f64, to: f64| block(name, "wall", DVec3::new(from, 0.0, -0.08), DVec3::new(to, 2.1, 0.08));
    let hinge = JointFile {
        to: named("left post"),
        at: Some(vector_of(DVec3::new(HINGE, middle.y, 0.0))),
        axis: Some(vector_of(DVec3::Y)),
        degrees: Some([0.0, 110.0].map(Number::from).into()),
        damping: number(given.number("damping")),
        ..JointFile::new(JointWord::Hinge, "door")
    };
    // Turned by a right angle, its middle is behind the hinge.
    let open = DVec3::new(HINGE, middle.y, -(middle.x - HINGE));
    let open = NearFile::Place { position: PlaceFile::Space(open.to_array()).into(), within: 0.2.into() };
    Ok(SceneFile {
        materials: vec![
            ("wood".to_string().into(), material("amber", 500.0, 0.3, 0.4)),
            ("wall".to_string().into(), material("#d8d4cc", 2000.0, 0.3, 0.5)),
            ("rubber".to_string().into(), material("red", 700.0, 0.6, 0.6)),
        ],
        bodies: vec![
            ground("floor", "wall", 0.0),
            post("left post", -0.9, 0.0),
            post("right post", far, far + 0.9),
            leaf,
            ball,
        ],
        joints: vec![hinge],
        wants: vec![WantFile { near: Some(open.into()), ..WantFile::of("door") }],
        ..SceneFile::default()
    })
}
