//! Dice on a table that is not quite flat (Chenney 2000, section 2.4.4).

use crate::error::SceneErrors;
use crate::file::{
    At, BodyFile, DensityFile, FaceFile, FaceUpFile, MaterialFile, NearFile, Number, PlaceFile, RegionFile, SceneFile,
    ShapeFile, SplineFieldFile, TruncatedNormalFile, VelocityFile, WantFile, ZoneFile, vector,
};

use super::parts::{about, drawn, fixed, material};
use super::{Builtin, Ingredients, Parameter, parts};

pub(super) const SCENE: Builtin = Builtin {
    name: "table",
    summary: "Dice are thrown on a table with random bumps, a sticky spot and a springy one, and can be told where to \
              land and what to show, as in Chenney 2000.",
    text: None,
    parameters: &[
        Parameter::whole("n", 1.0, [1.0, 8.0], "how many dice"),
        Parameter::new("bumps", 0.0015, [1e-6, 0.006], "standard deviation of the table's heights, m"),
        Parameter::whole("face", 6.0, [1.0, 6.0], "what each die should show"),
        Parameter::new("x", 0.1, [-0.25, 0.25], "where a single die should come to rest, m"),
        Parameter::new("z", 0.05, [-0.2, 0.2], "the same across, m"),
        Parameter::new("within", 0.01, [1e-4, 1.0], "how near, m"),
        Parameter::duration(3.0),
    ],
    build,
};

/// The sides of the table and the distance between its control points, m.
const SIZE: [f64; 2] = [0.6, 0.48];
const SPACING: f64 = 0.06;
/// The edge of a die, and how round its edges are, m.
const EDGE: f64 = 0.016;
const ROUNDING: f64 = 0.0015;
/// Where dice are thrown from, and how far from each other, m.
const START: [f64; 2] = [-0.22, 0.10];
const APART: f64 = 0.032;
/// How large spots are, m.
const SPOT: f64 = 0.04;

fn build(given: &Ingredients<'_>) -> Result<SceneFile, SceneErrors> {
    let count = given.count("n");
    let mut bodies = vec![table(given.number("bumps"))];
    bodies.extend((0..count).map(|index| die(index, count)));
    let ivory = MaterialFile { roughness: Some(0.15.into()), ..material("ivory", 1200.0, 0.5, 0.3) };
    let felt = MaterialFile {
        restitution: Some(within(0.4, 0.05, 0.2, 0.6)),
        friction: Some(within(0.6, 0.1, 0.3, 0.9)),
        roughness: Some(0.95.into()),
        ..material("#2f6f4f", 500.0, 0.4, 0.6)
    };
    Ok(SceneFile {
        materials: vec![
            ("ivory".to_string().into(), ivory),
            ("felt".to_string().into(), felt),
            ("beer".to_string().into(), material("amber", 500.0, 0.1, 1.5)),
            ("rubber".to_string().into(), material("red", 500.0, 1.0, 0.6)),
        ],
        bodies,
        wants: (0..count).map(|index| want(index, given)).collect(),
        ..SceneFile::default()
    })
}

/// What a die should show, and if it is alone, where.
fn want(index: usize, given: &Ingredients<'_>) -> WantFile {
    let place = PlaceFile::Ground([given.number("x"), given.number("z")]);
    let near = NearFile::Place { position: place.into(), within: given.number("within").into() };
    WantFile {
        face_up: Some(FaceUpFile::Face(FaceFile::Pips(given.count("face") as u64)).into()),
        near: (given.count("n") == 1).then(|| near.into()),
        ..WantFile::of(format!("die-{}", index + 1))
    }
}

/// A number near a usual value.
fn within(mean: f64, standard_deviation: f64, low: f64, high: f64) -> Number {
    drawn(DensityFile::TruncatedNormal(TruncatedNormalFile::Row([mean, standard_deviation, low, high])))
}

/// A table with bumps, on which beer was spilt, and where a piece of rubber lies
/// under the felt.
fn table(bumps: f64) -> BodyFile {
    let height = drawn(DensityFile::Normal([0.0, bumps]));
    let (friction, restitution) = (None, None);
    let field = SplineFieldFile { size: SIZE.into(), spacing: SPACING.into(), height, friction, restitution };
    let spot = |material: &str| ZoneFile {
        shape: RegionFile::Sphere { sphere: Number::from(SPOT) }.into(),
        position: Some(At::from([about(0.05, 0.2), Number::from(0.0), about(0.0, 0.15)])),
        material: material.to_string().into(),
    };
    BodyFile {
        zones: vec![spot("beer"), spot("rubber")],
        ..fixed("table", "felt", ShapeFile::SplineField { spline_field: field }, glam::DVec3::ZERO)
    }
}

fn die(index: usize, count: usize) -> BodyFile {
    let normal = |mean: f64, deviation: f64| drawn(DensityFile::Normal([mean, deviation]));
    let [x, y] = START;
    let z = (index as f64 - 0.5 * (count - 1) as f64) * APART;
    let velocity = VelocityFile::Polar {
        speed: within(1.0, 0.15, 0.3, 2.0),
        heading: Some(normal(0.0, 0.15)),
        rise: Some(normal(0.2, 0.1)),
    };
    parts::die(index, [EDGE, ROUNDING], vector(x, y, z), velocity)
}
