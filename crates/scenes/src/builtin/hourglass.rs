//! Sand through the hourglass (Chenney 2000, section 3.3.2).

use glam::DVec3;

use crate::error::SceneErrors;
use crate::file::{At, BodyFile, Number, OrientationFile, RepeatFile, SceneFile, SolidFile, UniformWord, Vector};

use super::parts::{about, block, fixed, hull, material, named};
use super::{Builtin, Ingredients, Parameter};

pub(super) const SCENE: Builtin = Builtin {
    name: "hourglass",
    summary: "Grains of sand, cubes with perturbed corners, fall at a constant rate through a funnel onto a slightly \
              peaked floor, the hourglass of Chenney 2000.",
    text: None,
    parameters: &[
        Parameter::whole("n", 100.0, [1.0, 1000.0], "how many grains"),
        Parameter::new("rate", 50.0, [0.1, FASTEST], "how many grains are dropped in a second"),
        Parameter::new("settle", 4.0, [1e-3, 1e6], "how long it runs after the last grain is dropped, s"),
    ],
    build,
};

/// The edge of a grain before its corners are moved, m.
const GRAIN: f64 = 0.01;
/// How far a corner may be from where that of the cube is, along each axis.
const PERTURBATION: f64 = 0.15 * GRAIN;
/// Grains are dropped into each of so many squares along x and z by turns, and
/// are away from its edges by their own radius: no two start inside each other.
const SQUARES: usize = 3;
const SQUARE: f64 = 0.042;
/// At this rate a grain has fallen by more than its own size when the next one
/// enters in its square.
const FASTEST: f64 = 120.0;
/// The order of the squares, neighbours far apart in time.
const ORDER: [usize; SQUARES * SQUARES] = [4, 0, 8, 2, 6, 1, 7, 3, 5];
/// The inner width of the shaft, m.
const WIDTH: f64 = 0.16;
/// The width of the hole, m: four and a half grains do not jam.
const HOLE: f64 = 0.045;
/// How high the hole, the rim of the funnel and the place of the drop are
/// above the edge of the floor, m.
const NECK: f64 = 0.14;
const RIM: f64 = 0.21;
const DROP: f64 = 0.26;
/// The rise of the floor to its middle, m.
const PEAK: f64 = 0.008;
/// Of all that is fixed, m.
const THICKNESS: f64 = 0.006;

fn build(given: &Ingredients<'_>) -> Result<SceneFile, SceneErrors> {
    let (count, rate) = (given.count("n"), given.number("rate"));
    let mut bodies = vec![fixed("floor", "stone", floor(), DVec3::ZERO)];
    bodies.extend(shaft());
    bodies.extend(funnel());
    bodies.extend(grains(count, rate));
    // The colour of a grain is its own, so that one can be followed.
    let mut sand = material("sand", 2000.0, 0.3, 0.4);
    sand.colour = None;
    let glass = material("#dfe9f030", 2500.0, 0.3, 0.3);
    Ok(SceneFile {
        duration: Some(At::from((count - 1) as f64 / rate + given.number("settle"))),
        materials: vec![
            ("sand".to_string().into(), sand),
            ("glass".to_string().into(), glass),
            ("stone".to_string().into(), material("#d8d4cc", 2500.0, 0.3, 0.5)),
        ],
        bodies,
        ..SceneFile::default()
    })
}

/// The corners of a square at a height, around the middle.
fn square(half: f64, height: f64) -> [DVec3; 4] {
    [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, z)| DVec3::new(half * x, height, half * z))
}

/// A flat pyramid on a slab.
fn floor() -> SolidFile {
    let half = 0.5 * WIDTH + THICKNESS;
    // Its slope begins at the walls, whose inner side is at height zero.
    let edge = -PEAK * THICKNESS / (0.5 * WIDTH);
    let apex = DVec3::new(0.0, PEAK, 0.0);
    hull(square(half, -0.02).into_iter().chain(square(half, edge)).chain([apex]))
}

/// Four walls; the front one is not drawn.
fn shaft() -> Vec<BodyFile> {
    let (near, far) = (0.5 * WIDTH, 0.5 * WIDTH + THICKNESS);
    let (low, high) = (-0.02, RIM + 0.02);
    let wall = |name: &str, x: [f64; 2], z: [f64; 2]| {
        block(name, "glass", DVec3::new(x[0], low, z[0]), DVec3::new(x[1], high, z[1]))
    };
    let mut front = wall("front wall", [-far, far], [near, far]);
    front.hidden = true;
    vec![
        wall("left wall", [-far, -near], [-near, near]),
        wall("right wall", [near, far], [-near, near]),
        wall("back wall", [-far, far], [-far, -near]),
        front,
    ]
}

/// Four sloping walls, mitred where they meet; the front one is not drawn.
fn funnel() -> Vec<BodyFile> {
    let [left_back, right_back, right_front, left_front] = [0, 1, 2, 3];
    let sides = [
        ("left slope", [left_back, left_front]),
        ("right slope", [right_back, right_front]),
        ("back slope", [left_back, right_back]),
        ("front slope", [left_front, right_front]),
    ];
    let rings =
        [(0.5 * WIDTH, RIM), (0.5 * WIDTH + THICKNESS, RIM), (0.5 * HOLE, NECK), (0.5 * HOLE + THICKNESS, NECK)];
    let slope = |(name, corners): (&str, [usize; 2])| {
        let points = rings.iter().flat_map(|(half, height)| corners.map(|corner| square(*half, *height)[corner]));
        let hidden = corners == [left_front, right_front];
        BodyFile { hidden, ..fixed(name, "glass", hull(points), DVec3::ZERO) }
    };
    sides.into_iter().map(slope).collect()
}

/// The grains of each square: every ninth, in the order of the squares.
fn grains(count: usize, rate: f64) -> Vec<BodyFile> {
    let reach = 3.0_f64.sqrt() * (0.5 * GRAIN + PERTURBATION);
    let middle = |place: usize| (place as f64 - 0.5 * (SQUARES - 1) as f64) * SQUARE;
    let squares = (0..count.min(ORDER.len())).map(|turn| {
        let (column, row) = (ORDER[turn] % SQUARES, ORDER[turn] / SQUARES);
        let [x, z] = [column, row].map(|place| about(middle(place), 0.5 * SQUARE - reach));
        let share = (count - turn).div_ceil(ORDER.len());
        let interval = ORDER.len() as f64 / rate;
        let repeat = RepeatFile::Row { count: At::from(share as u64), offset: None, interval: Some(interval.into()) };
        BodyFile {
            material: named("sand"),
            position: Some(At::from([x, Number::from(DROP), z])),
            orientation: Some(OrientationFile::Uniform(UniformWord::Uniform).into()),
            start: Some(Number::from(turn as f64 / rate)),
            repeat: Some(repeat.into()),
            ..BodyFile::new(format!("grain-{}", turn + 1), grain())
        }
    });
    squares.collect()
}

/// A cube whose corners are somewhere near where they should be.
fn grain() -> SolidFile {
    let corner = |index: u32| -> Vector {
        let side = |bit: u32| if index >> bit & 1 == 0 { -0.5 * GRAIN } else { 0.5 * GRAIN };
        At::from([0, 1, 2].map(|bit| about(side(bit), PERTURBATION)))
    };
    SolidFile::Hull { hull: (0..8).map(corner).collect::<Vec<_>>().into() }
}
