//! What several scenes are made of.

use glam::{DQuat, DVec3};

use crate::file::{At, BodyFile, MaterialFile, Number, OrientationFile, ShapeFile, Vector, VelocityFile, vector};

pub(super) fn vector_of(v: DVec3) -> Vector {
    vector(v.x, v.y, v.z)
}

pub(super) fn number(value: f64) -> Option<Number> {
    Some(Number::from(value))
}

pub(super) fn quaternion(q: DQuat) -> Option<At<OrientationFile>> {
    Some(OrientationFile::Quaternion(q.to_array().map(Number::from)).into())
}

pub(super) fn velocity(v: DVec3) -> Option<At<VelocityFile>> {
    Some(VelocityFile::Components(vector_of(v)).into())
}

pub(super) fn named(name: &str) -> Option<At<String>> {
    Some(name.to_string().into())
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
