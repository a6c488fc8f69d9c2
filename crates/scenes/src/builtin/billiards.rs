//! A table with three object balls, and one strike of the cue.

use std::f64::consts::PI;

use glam::DVec3;

use crate::error::SceneErrors;
use crate::file::{
    At, BodyFile, ComponentFile, DensityFile, Number, PartFile, SceneFile, ShapeFile, SolidFile, SpinFile,
    TruncatedNormalFile, VelocityFile,
};

use super::parts::{about, drawn, fixed, variable, vector_of};
use super::pool::{
    CATCHER, COLOURS, CORNER_LIP, CUSHION, LENGTH, RADIUS, SIDE_LIP, SIDE_MOUTH, SLATE, WIDTH, ball, materials, pairs,
    table,
};
use super::{Builtin, Ingredients, Parameter};

pub(super) const SCENE: Builtin = Builtin {
    name: "billiards",
    summary: "A table with cushions, pockets and three balls; direction, speed and spin of the strike are uncertain.",
    text: None,
    parameters: &[
        Parameter::new("speed", 3.0, [0.5, 12.0], "of the cue ball, on average, m/s"),
        Parameter::new("aim", 0.0, [-180.0, 180.0], "the direction that the cue points to, degrees"),
        Parameter::new("spread", 180.0, [0.1, 180.0], "how far from it the strike may go, degrees"),
        Parameter::duration(15.0),
    ],
    build,
};

/// Where the object balls are, and how far each may be from its place, m.
const SPOTS: [[f64; 2]; 3] = [[0.62, 0.18], [0.10, -0.28], [0.88, -0.30]];
const SHIFT: f64 = 5e-4;
/// How thick the walls of a pocket are, m.
const CUP: f64 = 0.004;

fn build(given: &Ingredients<'_>) -> Result<SceneFile, SceneErrors> {
    let mut bodies = table();
    let cushions: Vec<String> =
        bodies.iter().map(|body| body.name.value.clone()).filter(|name| name.ends_with("cushion")).collect();
    let pockets = pockets();
    let names = pockets.iter().map(|pocket| pocket.name.value.clone()).collect::<Vec<_>>();
    bodies.extend(pockets);
    for (index, [x, z]) in SPOTS.into_iter().enumerate() {
        bodies.push(BodyFile {
            position: Some(At::from([about(x, SHIFT), Number::from(RADIUS), about(z, SHIFT)])),
            ..ball(format!("ball-{}", index + 1), COLOURS[index])
        });
    }
    bodies.push(cue_ball());
    let speed = given.number("speed");
    let speed = DensityFile::TruncatedNormal(TruncatedNormalFile::Named {
        mean: speed,
        standard_deviation: 0.4 * speed,
        low: Some(0.2),
        high: None,
    });
    let [aim, spread] = ["aim", "spread"].map(|name| given.number(name) * PI / 180.0);
    let heading = DensityFile::Uniform([aim - spread, aim + spread]);
    let named =
        |(name, density): (&str, DensityFile)| (At::from(name.to_string()), At::from(ComponentFile::Density(density)));
    Ok(SceneFile {
        variables: [("speed", speed), ("heading", heading)].into_iter().map(named).collect(),
        materials: materials(),
        pairs: pairs(),
        bodies,
        groups: vec![("cushions".to_string().into(), cushions.into()), ("pockets".to_string().into(), names.into())],
        ..SceneFile::default()
    })
}

/// Below each hole walls on the sides of the table: what falls in stays in.
fn pockets() -> Vec<BodyFile> {
    let (x, z) = (LENGTH - CORNER_LIP, WIDTH - CORNER_LIP);
    let (end, edge, lip) = (LENGTH + CUSHION, WIDTH + CUSHION, WIDTH - SIDE_LIP);
    let mut pockets = Vec::with_capacity(6);
    for (side, across) in [("far", -1.0), ("near", 1.0)] {
        for (place, along) in [("left", -1.0), ("right", 1.0)] {
            let walls = [([x - CUP, x], [z - CUP, edge]), ([x, end], [z - CUP, z])];
            pockets.push(pocket(&format!("{side} {place} pocket"), &walls, [along, across]));
        }
        let mouth = SIDE_MOUTH;
        let walls = [
            ([-mouth - CUP, -mouth], [lip - CUP, edge]),
            ([mouth, mouth + CUP], [lip - CUP, edge]),
            ([-mouth, mouth], [lip - CUP, lip]),
        ];
        pockets.push(pocket(&format!("{side} middle pocket"), &walls, [1.0, across]));
    }
    pockets
}

/// The walls of a pocket between the bed and the catcher, mirrored to their
/// corner.
fn pocket(name: &str, walls: &[([f64; 2], [f64; 2])], [along, across]: [f64; 2]) -> BodyFile {
    let height = [-SLATE - CATCHER, -SLATE];
    let part = |(x, z): &([f64; 2], [f64; 2])| {
        let middle = |range: &[f64; 2]| 0.5 * (range[0] + range[1]);
        let edges = DVec3::new(x[1] - x[0], height[1] - height[0], z[1] - z[0]);
        PartFile {
            shape: SolidFile::Box { edges: vector_of(edges), rounding: None }.into(),
            position: Some(vector_of(DVec3::new(along * middle(x), middle(&height), across * middle(z)))),
            orientation: None,
        }
    };
    fixed(name, "baize", ShapeFile::Compound { compound: walls.iter().map(part).collect() }, DVec3::ZERO)
}

/// On the head spot; the cue may strike it anywhere and in any direction.
fn cue_ball() -> BodyFile {
    let normal = |deviation: f64| drawn(DensityFile::Normal([0.0, deviation]));
    let strike = VelocityFile::Polar { speed: variable("speed"), heading: Some(variable("heading")), rise: None };
    BodyFile {
        position: Some(vector_of(DVec3::new(-0.5 * LENGTH, RADIUS, 0.0))),
        velocity: Some(strike.into()),
        spin: Some(SpinFile::Components(At::from([normal(30.0), normal(20.0), normal(30.0)])).into()),
        ..ball("cue ball".to_string(), "ivory")
    }
}
