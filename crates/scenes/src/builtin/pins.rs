//! Ten pins and a ball.

use glam::DVec3;

use crate::error::SceneErrors;
use crate::file::{
    At, BodyFile, ComponentFile, DensityFile, MaterialFile, Number, RegionFile, SceneFile, SolidFile, SpinFile,
    TruncatedNormalFile, VelocityFile, ZoneFile, vector,
};

use super::parts::{about, block, drawn, ground, material, named, variable};
use super::{Builtin, Ingredients, Parameter};

pub(super) const SCENE: Builtin = Builtin {
    name: "pins",
    summary: "Ten bowling pins with the profile of the rules, and a ball that comes down an oiled lane; every seed \
              bowls another way.",
    text: None,
    parameters: &[
        Parameter::new("speed", 7.5, [0.5, 20.0], "of the ball, on average, m/s"),
        Parameter::new("distance", 3.0, [0.5, 18.0], "of the ball from the head pin at the start, m"),
        Parameter::new("aim", 0.06, [-0.4, 0.4], "how far beside the head pin the ball is aimed, m"),
        Parameter::duration(6.0),
    ],
    build,
};

pub(super) const INCH: f64 = 0.0254;
/// Heights and diameters of a pin, inches, as the rules give them; above the
/// last a half ball.
const PROFILE: [(f64, f64); 12] = [
    (0.0, 2.031),
    (0.75, 2.828),
    (2.25, 3.906),
    (3.375, 4.510),
    (4.5, 4.766),
    (5.875, 4.563),
    (7.25, 3.703),
    (8.625, 2.472),
    (10.0, 1.797),
    (11.75, 2.094),
    (12.625, 2.406),
    (13.5, 2.547),
];
/// Makes a pin of 1.6 kg, kg/m³.
const MAPLE: f64 = 765.0;
/// Between neighbouring pins, m.
pub(super) const SPOTS: f64 = 12.0 * INCH;
/// From the foul line to the head pin, m.
pub(super) const LANE: f64 = 18.29;
/// Half the width of the lane, and of lane and gutters, m.
pub(crate) const HALF_LANE: f64 = 20.75 * INCH;
pub(super) const HALF_ALLEY: f64 = 30.0 * INCH;
/// The deck ends this far behind the head pin, and the pit after it, m.
pub(super) const DECK: f64 = 0.9;
pub(super) const PIT: f64 = 1.7;
/// How far below the lane the gutters and the pit are, m.
pub(super) const DEPTH: f64 = 0.09;
/// Of the ball, m and kg/m³: 6.8 kg.
const RADIUS: f64 = 0.108;
const DENSITY: f64 = 1290.0;

fn build(given: &Ingredients<'_>) -> Result<SceneFile, SceneErrors> {
    let mut bodies = vec![ground("gutters", "rubber", -DEPTH), lane()];
    let wall = |name: &str, x: [f64; 2], z: [f64; 2]| {
        block(name, "rubber", DVec3::new(x[0], -DEPTH, z[0]), DVec3::new(x[1], 0.5, z[1]))
    };
    bodies.push(wall("far kickback", [-0.3, PIT], [-HALF_ALLEY - 0.03, -HALF_ALLEY]));
    bodies.push(BodyFile { hidden: true, ..wall("near kickback", [-0.3, PIT], [HALF_ALLEY, HALF_ALLEY + 0.03]) });
    bodies.push(wall("pit cushion", [PIT, PIT + 0.05], [-HALF_ALLEY - 0.03, HALF_ALLEY + 0.03]));
    for number in 1..=10 {
        let [x, z] = spot(number);
        bodies.push(standing(number, [about(x, 0.003), about(z, 0.003)]));
    }
    bodies.push(ball(given));
    let speed = given.number("speed");
    let bowl = DensityFile::TruncatedNormal(TruncatedNormalFile::Named {
        mean: speed,
        standard_deviation: 0.05 * speed,
        low: Some(0.5 * speed),
        high: None,
    });
    let gloss = |roughness: f64, of: MaterialFile| MaterialFile { roughness: Some(roughness.into()), ..of };
    Ok(SceneFile {
        variables: vec![("bowl_speed".to_string().into(), ComponentFile::Density(bowl).into())],
        materials: vec![
            ("maple".to_string().into(), gloss(0.2, material("#f4f0e8", MAPLE, 0.6, 0.25))),
            ("boards".to_string().into(), gloss(0.25, material("#d9b380", 700.0, 0.3, 0.25))),
            ("oil".to_string().into(), material("#d9b380", 700.0, 0.3, 0.02)),
            ("urethane".to_string().into(), gloss(0.1, material("#2b3a8f", DENSITY, 0.6, 0.2))),
            ("rubber".to_string().into(), gloss(0.9, material("#3a3d42", 1100.0, 0.2, 0.6))),
        ],
        bodies,
        ..SceneFile::default()
    })
}

/// From the foul line to the end of the deck, oiled for the first twelve
/// metres.
fn lane() -> BodyFile {
    let (low, high) = (DVec3::new(-LANE, -DEPTH, -HALF_LANE), DVec3::new(DECK, 0.0, HALF_LANE));
    let middle = 0.5 * (low.x + high.x);
    let oiled = ZoneFile {
        shape: RegionFile::Box { edges: vector(12.0, 1.0, 2.0) }.into(),
        position: Some(vector(-LANE + 6.0 - middle, 0.0, 0.0)),
        material: "oil".to_string().into(),
    };
    BodyFile { zones: vec![oiled], ..block("lane", "boards", low, high) }
}

/// Where a pin stands, from 1 to 10: along the lane and across.
pub(super) fn spot(number: u32) -> [f64; 2] {
    let row = (0..4).find(|row| number <= (row + 1) * (row + 2) / 2).unwrap_or(3);
    let place = number - row * (row + 1) / 2 - 1;
    [f64::from(row) * 0.75_f64.sqrt() * SPOTS, (f64::from(place) - 0.5 * f64::from(row)) * SPOTS]
}

/// A pin that stands on the deck.
pub(super) fn standing(number: u32, [x, z]: [Number; 2]) -> BodyFile {
    BodyFile {
        material: named("maple"),
        position: Some(At::from([x, Number::from(0.0), z])),
        ..BodyFile::new(format!("pin-{number}"), pin())
    }
}

/// Turned about the y axis, its base at height zero.
fn pin() -> SolidFile {
    let crown = (15.0 - 1.273, 1.273);
    let cap = (1..9).map(|step| {
        let (up, out) = libm::sincos(f64::from(step) * std::f64::consts::PI / 18.0);
        (crown.0 + up * crown.1, 2.0 * crown.1 * out)
    });
    let top = [(15.0, 0.0)];
    let profile: Vec<(f64, f64)> = PROFILE.into_iter().chain(cap).chain(top).collect();
    let ring = |(height, diameter): (f64, f64)| At::from([height, 0.5 * diameter].map(|inches| (INCH * inches).into()));
    SolidFile::Turned { turned: profile.into_iter().map(ring).collect::<Vec<_>>().into() }
}

/// On the lane, half way from sliding to rolling, with some spin to the side.
fn ball(given: &Ingredients<'_>) -> BodyFile {
    let normal = |mean: f64, deviation: f64| drawn(DensityFile::Normal([mean, deviation]));
    let bowl = VelocityFile::Polar { speed: variable("bowl_speed"), heading: Some(normal(0.0, 0.004)), rise: None };
    let rolling = -given.number("speed") / RADIUS;
    let spin = SpinFile::Components(At::from([normal(0.0, 3.0), normal(0.0, 3.0), Number::from(0.5 * rolling)]));
    BodyFile {
        material: named("urethane"),
        position: Some(vector(-given.number("distance"), RADIUS, given.number("aim"))),
        velocity: Some(bowl.into()),
        spin: Some(spin.into()),
        ..BodyFile::new("ball", SolidFile::Sphere { sphere: Number::from(RADIUS) })
    }
}
