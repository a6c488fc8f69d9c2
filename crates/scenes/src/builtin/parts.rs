//! What several scenes are made of.

use glam::{DQuat, DVec3};

use crate::file::{
    At, BodyFile, DensityFile, MaterialFile, Number, NumberFile, OrientationFile, ShapeFile, SolidFile, SpinFile,
    UniformWord, Vector, VelocityFile, vector,
};

pub(super) fn vector_of(v: DVec3) -> Vector {
    vector(v.x, v.y, v.z)
}

pub(super) fn number(value: f64) -> Option<Number> {
    Some(Number::from(value))
}

/// A number that is drawn.
pub(super) fn drawn(density: DensityFile) -> Number {
    At::from(NumberFile::Density(density))
}

/// A number within a distance of another.
pub(super) fn about(middle: f64, distance: f64) -> Number {
    drawn(DensityFile::Uniform([middle - distance, middle + distance]))
}

/// The value of one of the scene's variables.
pub(super) fn variable(name: &str) -> Number {
    At::from(NumberFile::Variable(name.to_string()))
}

pub(super) fn quaternion(q: DQuat) -> Option<At<OrientationFile>> {
    Some(OrientationFile::Quaternion(q.to_array().map(Number::from)).into())
}

/// Turned about the z axis, counter-clockwise seen from its end.
pub(super) fn tilted(degrees: f64) -> Option<At<OrientationFile>> {
    Some(OrientationFile::Axis { axis: vector(0.0, 0.0, 1.0), degrees: Number::from(degrees) }.into())
}

pub(super) fn velocity(v: DVec3) -> Option<At<VelocityFile>> {
    Some(VelocityFile::Components(vector_of(v)).into())
}

pub(super) fn named(name: &str) -> Option<At<String>> {
    Some(name.to_string().into())
}

/// A die with pips, of any orientation and some spin, thrown from a place.
pub(super) fn die(index: usize, [edge, rounding]: [f64; 2], position: Vector, velocity: VelocityFile) -> BodyFile {
    const COLOURS: [&str; 5] = ["ivory", "red", "sky", "amber", "green"];
    let spin = SpinFile::Each(drawn(DensityFile::Normal([0.0, 15.0])));
    BodyFile {
        material: named("ivory"),
        colour: named(COLOURS[index % COLOURS.len()]),
        position: Some(position),
        orientation: Some(OrientationFile::Uniform(UniformWord::Uniform).into()),
        velocity: Some(velocity.into()),
        spin: Some(spin.into()),
        pips: true,
        ..BodyFile::new(
            format!("die-{}", index + 1),
            SolidFile::Box { edges: vector(edge, edge, edge), rounding: number(rounding) },
        )
    }
}

/// A material that loses nothing and grips nothing.
pub(super) fn lossless(density: f64) -> MaterialFile {
    MaterialFile {
        density: number(density),
        restitution: number(1.0),
        friction: number(0.0),
        ..MaterialFile::default()
    }
}

/// A material that looks like something.
pub(super) fn material(colour: &str, density: f64, restitution: f64, friction: f64) -> MaterialFile {
    MaterialFile {
        density: number(density),
        restitution: number(restitution),
        friction: number(friction),
        colour: named(colour),
        ..MaterialFile::default()
    }
}

/// Everything below the ground at a height.
pub(super) fn ground(name: &str, material: &str, height: f64) -> BodyFile {
    let below = ShapeFile::HalfSpace { half_space: vector(0.0, 1.0, 0.0) };
    fixed(name, material, below, DVec3::new(0.0, height, 0.0))
}

/// A fixed box between two corners.
pub(super) fn block(name: &str, material: &str, low: DVec3, high: DVec3) -> BodyFile {
    let shape = SolidFile::Box { edges: vector_of(high - low), rounding: None };
    fixed(name, material, shape, 0.5 * (low + high))
}

/// The convex hull of some points.
pub(super) fn hull(points: impl IntoIterator<Item = DVec3>) -> SolidFile {
    SolidFile::Hull { hull: points.into_iter().map(vector_of).collect::<Vec<_>>().into() }
}

/// A fixed body.
pub(super) fn fixed(name: &str, material: &str, shape: impl Into<ShapeFile>, position: DVec3) -> BodyFile {
    BodyFile {
        fixed: true,
        material: named(material),
        position: Some(vector_of(position)),
        ..BodyFile::new(name, shape)
    }
}

/// Six walls around a box that stands on the ground, its middle above the
/// origin.
pub(super) fn walls(material: &str, size: DVec3) -> Vec<BodyFile> {
    let sides = [
        ("floor", DVec3::Y, DVec3::ZERO),
        ("ceiling", -DVec3::Y, DVec3::new(0.0, size.y, 0.0)),
        ("left", DVec3::X, DVec3::new(-0.5 * size.x, 0.0, 0.0)),
        ("right", -DVec3::X, DVec3::new(0.5 * size.x, 0.0, 0.0)),
        ("back", DVec3::Z, DVec3::new(0.0, 0.0, -0.5 * size.z)),
        ("front", -DVec3::Z, DVec3::new(0.0, 0.0, 0.5 * size.z)),
    ];
    let wall = |(name, normal, point): (&str, DVec3, DVec3)| {
        fixed(name, material, ShapeFile::HalfSpace { half_space: vector_of(normal) }, point)
    };
    sides.into_iter().map(wall).collect()
}
