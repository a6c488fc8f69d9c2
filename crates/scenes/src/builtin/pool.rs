//! The break of a game of pool.

use glam::DVec3;

use crate::error::SceneErrors;
use crate::file::{
    At, BodyFile, DensityFile, MaterialFile, Number, PairFile, SceneFile, SolidFile, SpinFile, VelocityFile,
};

use super::parts::{about, block, drawn, ground, material, named, number, variable, vector_of};
use super::{Builtin, Ingredients, Parameter};

pub(super) const SCENE: Builtin = Builtin {
    name: "break",
    summary: "The break of a game of pool: the cue ball slides, rolls and scatters fifteen balls between cushions and \
              pockets, and every seed shoots another way.",
    text: None,
    parameters: &[
        Parameter::new("speed", 8.0, [0.5, 20.0], "of the cue ball, on average, m/s"),
        Parameter::new("spread", 0.4, [1e-3, 5.0], "standard deviation of that speed, m/s"),
        Parameter::duration(12.0),
    ],
    build,
};

/// Of a ball, m.
pub(super) const RADIUS: f64 = 0.028_575;
/// 0.17 kg in each ball, kg/m³.
pub(super) const DENSITY: f64 = 1739.0;
/// Half the bed between the cushions, m: a table of nine feet.
pub(super) const LENGTH: f64 = 1.27;
pub(super) const WIDTH: f64 = 0.635;
/// How deep and how high the cushions are, m.
pub(super) const CUSHION: f64 = 0.09;
const NOSE: f64 = 0.04;
/// The cushions end this far from the corner and from the middle, m.
const CORNER_MOUTH: f64 = 0.083;
pub(super) const SIDE_MOUTH: f64 = 0.066;
/// The holes begin this far inside the line of the cushions, m.
pub(super) const CORNER_LIP: f64 = 0.048;
pub(super) const SIDE_LIP: f64 = 0.012;
/// How thick the bed is, and how far below it pocketed balls are caught, m.
pub(super) const SLATE: f64 = 0.03;
pub(super) const CATCHER: f64 = 0.08;
/// The least gap between racked balls, and how far each may be from its place.
const GAP: f64 = 4e-5;
const SHIFT: f64 = 2e-5;

/// Solids, then what would be stripes.
pub(super) const COLOURS: [&str; 15] = [
    "#e8b71a", "#1f4fa8", "#c8281e", "#5b2a86", "#e2701a", "#1d6b3c", "#7a1f24", "#1c1c1e", "#f0d56a", "#6f94d6",
    "#e07c74", "#a384c4", "#f0ab73", "#74b08c", "#b87a7e",
];

fn build(given: &Ingredients<'_>) -> Result<SceneFile, SceneErrors> {
    let mut bodies = table();
    bodies.extend(rack());
    bodies.push(cue_ball());
    let speed = DensityFile::TruncatedNormal(crate::file::TruncatedNormalFile::Named {
        mean: given.number("speed"),
        standard_deviation: given.number("spread"),
        low: Some(0.0),
        high: None,
    });
    Ok(SceneFile {
        variables: vec![("speed".to_string().into(), crate::file::ComponentFile::Density(speed).into())],
        materials: materials(),
        pairs: pairs(),
        bodies,
        ..SceneFile::default()
    })
}

pub(super) fn materials() -> Vec<(At<String>, MaterialFile)> {
    let cloth = |colour: &str, rolling: f64| MaterialFile {
        rolling: number(rolling),
        roughness: Some(0.95.into()),
        ..material(colour, 1000.0, 0.5, 0.2)
    };
    let resin = MaterialFile { roughness: Some(0.08.into()), ..material("ivory", DENSITY, 0.95, 0.06) };
    let rubber = MaterialFile { roughness: Some(0.95.into()), ..material("#256b4a", 1100.0, 0.75, 0.15) };
    vec![
        ("resin".to_string().into(), resin),
        ("cloth".to_string().into(), cloth("#2f7f58", 0.01)),
        ("baize".to_string().into(), cloth("#30343a", 0.1)),
        ("rubber".to_string().into(), rubber),
        ("wood".to_string().into(), material("#5d3a24", 700.0, 0.4, 0.3)),
    ]
}

pub(super) fn pairs() -> Vec<PairFile> {
    let pair = |other: &str, restitution: f64, friction: f64, rolling: f64| PairFile {
        materials: At::from(["resin".to_string().into(), other.to_string().into()]),
        restitution: number(restitution),
        friction: number(friction),
        rolling: number(rolling),
    };
    vec![pair("cloth", 0.5, 0.2, 0.01), pair("baize", 0.2, 0.4, 0.1), pair("rubber", 0.75, 0.15, 0.0)]
}

/// Everything that does not move.
pub(super) fn table() -> Vec<BodyFile> {
    let mut bodies = vec![ground("catcher", "baize", -CATCHER - SLATE)];
    bodies.extend(bed());
    bodies.extend(cushions());
    bodies.extend(frame());
    bodies
}

/// A part of the bed, its upper side at height zero.
fn slab(name: &str, x: [f64; 2], z: [f64; 2]) -> BodyFile {
    block(name, "cloth", DVec3::new(x[0], -SLATE, z[0]), DVec3::new(x[1], 0.0, z[1]))
}

/// Slabs that leave a hole in each corner and in the middle of the long sides.
fn bed() -> Vec<BodyFile> {
    let (x, z) = (LENGTH - CORNER_LIP, WIDTH - CORNER_LIP);
    let (lip, edge) = (WIDTH - SIDE_LIP, WIDTH + CUSHION);
    let end = LENGTH + CUSHION;
    let mut slabs = vec![slab("bed", [-end, end], [-z, z])];
    for (side, sign) in [("far", -1.0), ("near", 1.0)] {
        let across = |from: f64, to: f64| if sign < 0.0 { [-to, -from] } else { [from, to] };
        slabs.push(slab(&format!("{side} bed"), [-x, x], across(z, lip)));
        slabs.push(slab(&format!("{side} left bed"), [-x, -SIDE_MOUTH], across(lip, edge)));
        slabs.push(slab(&format!("{side} right bed"), [SIDE_MOUTH, x], across(lip, edge)));
    }
    slabs
}

fn cushions() -> Vec<BodyFile> {
    let cushion = |name: &str, x: [f64; 2], z: [f64; 2]| {
        block(name, "rubber", DVec3::new(x[0], 0.0, z[0]), DVec3::new(x[1], NOSE, z[1]))
    };
    let (end, edge) = (LENGTH - CORNER_MOUTH, WIDTH - CORNER_MOUTH);
    let (left, right) = ([-end, -SIDE_MOUTH], [SIDE_MOUTH, end]);
    let (far, near) = ([-WIDTH - CUSHION, -WIDTH], [WIDTH, WIDTH + CUSHION]);
    vec![
        cushion("far left cushion", left, far),
        cushion("far right cushion", right, far),
        cushion("near left cushion", left, near),
        cushion("near right cushion", right, near),
        cushion("left cushion", [-LENGTH - CUSHION, -LENGTH], [-edge, edge]),
        cushion("right cushion", [LENGTH, LENGTH + CUSHION], [-edge, edge]),
    ]
}

/// Four boards around it all, from above the cushions down to the catcher.
fn frame() -> Vec<BodyFile> {
    let (x, z, thick) = (LENGTH + CUSHION, WIDTH + CUSHION, 0.06);
    let board = |name: &str, x: [f64; 2], z: [f64; 2]| {
        let (low, high) = (-CATCHER - SLATE, NOSE + 0.005);
        block(name, "wood", DVec3::new(x[0], low, z[0]), DVec3::new(x[1], high, z[1]))
    };
    vec![
        board("far board", [-x - thick, x + thick], [-z - thick, -z]),
        board("near board", [-x - thick, x + thick], [z, z + thick]),
        board("left board", [-x - thick, -x], [-z, z]),
        board("right board", [x, x + thick], [-z, z]),
    ]
}

pub(super) fn ball(name: String, colour: &str) -> BodyFile {
    BodyFile {
        material: named("resin"),
        colour: named(colour),
        ..BodyFile::new(name, SolidFile::Sphere { sphere: Number::from(RADIUS) })
    }
}

/// A triangle with its tip on the foot spot, as tight as a rack makes it.
fn rack() -> Vec<BodyFile> {
    // Two balls may come closer by twice the shift along each axis.
    let pitch = 2.0 * RADIUS + GAP + 2.0 * 2.0_f64.sqrt() * SHIFT;
    let mut balls = Vec::with_capacity(COLOURS.len());
    for row in 0..5_usize {
        for place in 0..=row {
            let x = 0.5 * LENGTH + row as f64 * 0.75_f64.sqrt() * pitch;
            let z = (place as f64 - 0.5 * row as f64) * pitch;
            let number = balls.len();
            balls.push(BodyFile {
                position: Some(At::from([about(x, SHIFT), Number::from(RADIUS), about(z, SHIFT)])),
                ..ball(format!("ball-{}", number + 1), COLOURS[number])
            });
        }
    }
    // The eight goes to the middle, in place of the fifth.
    let (five, eight) = (balls[4].position.clone(), balls[7].position.clone());
    balls[4].position = eight;
    balls[7].position = five;
    balls
}

/// On the head spot, shot along the table with some spin of its own.
fn cue_ball() -> BodyFile {
    let normal = |deviation: f64| drawn(DensityFile::Normal([0.0, deviation]));
    let shot = VelocityFile::Polar { speed: variable("speed"), heading: Some(normal(0.005)), rise: None };
    let spin = SpinFile::Components(At::from([Number::from(0.0), normal(10.0), normal(20.0)]));
    BodyFile {
        position: Some(vector_of(DVec3::new(-0.5 * LENGTH, RADIUS, 0.0))),
        velocity: Some(shot.into()),
        spin: Some(spin.into()),
        ..ball("cue ball".to_string(), "ivory")
    }
}
