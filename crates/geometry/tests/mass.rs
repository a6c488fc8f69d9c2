//! Promise: mass, centre of mass and moments of every solid are those of its
//! volume, integrated by sampling points: a thousand times slower, and
//! independent of every formula.

#![allow(clippy::unwrap_used)]

use proscenium_geometry::glam::{DMat3, DQuat, DVec3};
use proscenium_geometry::{CompoundPart, Hull, Pose, Shape};

/// A low-discrepancy sequence: the error falls almost as 1/n.
fn halton(mut index: u32, base: u32) -> f64 {
    let (mut fraction, mut value) = (1.0, 0.0);
    while index > 0 {
        fraction /= f64::from(base);
        value += fraction * f64::from(index % base);
        index /= base;
    }
    value
}

/// Whether a point lies inside a convex part: no direction separates it.
fn contains(shape: &Shape, point: DVec3) -> bool {
    let probe = Shape::sphere(1e-9).expect("a positive radius");
    proscenium_geometry::separation(shape, &Pose::IDENTITY, &probe, &Pose::from_translation(point)) < 0.0
}

fn check(shape: &Shape, tolerance: f64) {
    let density = 700.0;
    let found = shape.mass_properties(density).unwrap().unwrap();
    let bounds = shape.bounds(&Pose::IDENTITY);
    let (count, size) = (40_000, bounds.size());
    let cell = size.x * size.y * size.z / f64::from(count);
    let (mut mass, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for k in 1..=count {
        let unit = DVec3::new(halton(k, 2), halton(k, 3), halton(k, 5));
        let p = bounds.min + unit * size;
        if contains(shape, p) {
            let m = density * cell;
            mass += m;
            first += m * p;
            second += m * (DMat3::from_diagonal(DVec3::splat(p.length_squared())) - outer(p, p));
        }
    }
    let centre = first / mass;
    let about_centre =
        second - mass * (DMat3::from_diagonal(DVec3::splat(centre.length_squared())) - outer(centre, centre));
    let axes = DMat3::from_quat(found.shape_from_principal.rotation);
    let tensor = axes * DMat3::from_diagonal(found.principal_inertia) * axes.transpose();
    let scale = found.principal_inertia.max_element();
    assert!((mass / found.mass - 1.0).abs() < tolerance, "{}: mass {} not {mass}", shape.name(), found.mass);
    let off = found.shape_from_principal.translation.distance(centre);
    assert!(off < tolerance * size.length(), "{}: centre off by {off}", shape.name());
    for (a, b) in tensor.to_cols_array().into_iter().zip(about_centre.to_cols_array()) {
        assert!((a - b).abs() < 2.0 * tolerance * scale, "{}: inertia {tensor} not {about_centre}", shape.name());
    }
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

#[test]
fn every_solid_weighs_what_its_volume_does() {
    let wedge = [DVec3::ZERO, DVec3::X, DVec3::Y * 0.7, DVec3::Z * 1.3, DVec3::new(0.9, 0.1, 0.8)];
    let lever = Shape::compound(vec![
        CompoundPart { pose: Pose::IDENTITY, shape: Shape::cuboid(DVec3::new(0.5, 0.1, 0.2), 0.0).unwrap() },
        CompoundPart {
            pose: Pose::new(DVec3::new(0.8, 0.5, 0.0), DQuat::from_rotation_z(0.4)),
            shape: Shape::cylinder(0.2, 0.25).unwrap(),
        },
    ]);
    for shape in [
        Shape::sphere(0.6).unwrap(),
        Shape::cuboid(DVec3::new(0.3, 0.5, 0.8), 0.0).unwrap(),
        Shape::cuboid(DVec3::new(0.3, 0.5, 0.8), 0.2).unwrap(),
        Shape::capsule(0.7, 0.3).unwrap(),
        Shape::cylinder(0.4, 0.6).unwrap(),
        Shape::hull(Hull::new(&wedge).unwrap()),
        lever.unwrap(),
    ] {
        check(&shape, 0.01);
    }
}

#[test]
fn a_ball_of_facets_turns_like_a_ball() {
    let shape = Shape::hull(Hull::icosahedron(1.0).unwrap());
    let moments = shape.mass_properties(1.0).unwrap().unwrap().principal_inertia;
    assert!((moments.max_element() / moments.min_element() - 1.0).abs() < 1e-12);
}
