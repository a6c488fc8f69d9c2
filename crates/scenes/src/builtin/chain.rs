//! A ball on a chain.

use glam::DVec3;

use crate::error::SceneErrors;
use crate::file::{BodyFile, JointFile, JointWord, MaterialFile, Number, RepeatFile, RoundFile, SceneFile, SolidFile};

use super::parts::{ground, material, named, number, tilted, vector_of};
use super::{Builtin, Ingredients, Parameter};

pub(super) const SCENE: Builtin = Builtin {
    name: "chain",
    summary: "A ball on a chain is let go from the side and swings into a wall of blocks.",
    text: None,
    parameters: &[
        Parameter::whole("links", 6.0, [1.0, 40.0], "how many links the chain has"),
        Parameter::new("degrees", 60.0, [5.0, 85.0], "how far to the side it starts"),
        Parameter::duration(8.0),
    ],
    build,
};

/// The chain and its ball, m.
const LENGTH: f64 = 1.2;
const BALL: f64 = 0.12;
const THICK: f64 = 0.012;
/// A block of the wall, and the gap to the next, m.
const BLOCK: DVec3 = DVec3::new(0.1, 0.1, 0.2);
const GAP: f64 = 1e-4;

fn build(given: &Ingredients<'_>) -> Result<SceneFile, SceneErrors> {
    let links = given.count("links");
    let pitch = LENGTH / links as f64;
    let height = LENGTH + 2.0 * BALL + 0.03;
    let top = DVec3::new(0.0, height, 0.0);
    let tilt = -given.number("degrees");
    let (sine, cosine) = libm::sincos(tilt.to_radians());
    let down = DVec3::new(sine, -cosine, 0.0);
    let mut bodies = vec![ground("floor", "stone", 0.0)];
    let mut joints = Vec::with_capacity(links + 1);
    let ball_joint = |held: &str, to: Option<&str>, along: f64| JointFile {
        to: to.and_then(named),
        at: Some(vector_of(top + along * down)),
        axis: Some(vector_of(down)),
        swing: number(80.0),
        damping: number(0.02),
        ..JointFile::new(JointWord::Ball, held)
    };
    for index in 0..links {
        let name = format!("link-{}", index + 1);
        let along = (index as f64 + 0.5) * pitch;
        let capsule = RoundFile { radius: Number::from(THICK), height: Number::from(0.9 * pitch - 2.0 * THICK) };
        bodies.push(BodyFile {
            material: named("iron"),
            position: Some(vector_of(top + along * down)),
            orientation: tilted(tilt),
            ..BodyFile::new(name.clone(), SolidFile::Capsule { capsule })
        });
        let before = format!("link-{index}");
        joints.push(ball_joint(&name, (index > 0).then_some(before.as_str()), index as f64 * pitch));
    }
    bodies.push(BodyFile {
        material: named("iron"),
        position: Some(vector_of(top + (LENGTH + BALL) * down)),
        ..BodyFile::new("ball", SolidFile::Sphere { sphere: Number::from(BALL) })
    });
    joints.push(ball_joint("ball", Some(&format!("link-{links}")), LENGTH));
    let spacing = DVec3::new(BLOCK.x + GAP, BLOCK.y + 1e-6, BLOCK.z + GAP);
    let corner = DVec3::new(BALL + 0.06, 0.5 * BLOCK.y, -spacing.z);
    bodies.push(BodyFile {
        resting: true,
        material: named("brick"),
        position: Some(vector_of(corner)),
        repeat: Some(RepeatFile::Grid { grid: [1, 4, 3].into(), spacing: spacing.to_array().into() }.into()),
        ..BodyFile::new("block", SolidFile::Box { edges: vector_of(BLOCK), rounding: None })
    });
    let iron = MaterialFile { metallic: Some(1.0.into()), ..material("#5a5d63", 5000.0, 0.3, 0.4) };
    Ok(SceneFile {
        materials: vec![
            ("stone".to_string().into(), material("#d8d4cc", 2000.0, 0.2, 0.6)),
            ("iron".to_string().into(), iron),
            ("brick".to_string().into(), material("vermilion", 900.0, 0.1, 0.5)),
        ],
        bodies,
        joints,
        ..SceneFile::default()
    })
}
