//! Turns that leave a shape as it is.

use std::f64::consts::TAU;

use glam::{DMat3, DQuat, DVec3};

use crate::{Hull, Shape, ShapeKind};

/// A solid of revolution has every turn about its axis. These many of them are listed: as
/// many as the polygons have sides on which it stands (see `turned.rs`).
const ABOUT_AXIS: u32 = 16;
/// A hull with more corners is not searched for turns: no die has as many, and the
/// search takes their fourth power.
const MOST_CORNERS: usize = 64;
/// Corners this close, in radii of the hull, are the same corner.
const SAME_CORNER: f64 = 1e-9;

impl Shape {
    /// Rotations about the origin that map the shape to itself, the identity first. A
    /// body of one material that is turned by one of them moves exactly as before.
    ///
    /// All 24 of a cube, all 60 of a regular icosahedron; of the infinitely many of a
    /// ball or a solid of revolution a group of 24 or 16. What is not searched (compounds,
    /// meshes, hulls of more than 64 corners) has the identity alone.
    ///
    /// ```
    /// use proscenium_geometry::{Hull, Shape, glam::DVec3};
    ///
    /// let turns = |shape: Shape| shape.rotations().len();
    /// assert_eq!(turns(Shape::cuboid(DVec3::splat(0.01), 0.001)?), 24);
    /// assert_eq!(turns(Shape::cuboid(DVec3::new(0.01, 0.01, 0.02), 0.0)?), 8);
    /// assert_eq!(turns(Shape::cuboid(DVec3::new(0.01, 0.02, 0.03), 0.0)?), 4);
    /// assert_eq!(turns(Shape::hull(Hull::icosahedron(0.01)?)), 60);
    /// # Ok::<(), proscenium_geometry::ShapeError>(())
    /// ```
    #[must_use]
    pub fn rotations(&self) -> Vec<DQuat> {
        match self.kind() {
            ShapeKind::Sphere { .. } => cube_rotations().map(|turn| DQuat::from_mat3(&turn)).collect(),
            ShapeKind::Box { half_extents, .. } => {
                // Signs and order of the axes change without rounding.
                let keeps = |turn: &DMat3| (*turn * *half_extents).abs() == *half_extents;
                cube_rotations().filter(keeps).map(|turn| DQuat::from_mat3(&turn)).collect()
            }
            ShapeKind::Capsule { .. } | ShapeKind::Cylinder { .. } => {
                let over = DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
                about_y().chain(about_y().map(|turn| turn * over)).collect()
            }
            ShapeKind::Turned(_) => about_y().collect(),
            ShapeKind::Hull(hull) => hull_rotations(hull),
            _ => vec![DQuat::IDENTITY],
        }
    }
}

/// The turns of a cube, the identity first.
fn cube_rotations() -> impl Iterator<Item = DMat3> {
    let signs = [1.0, -1.0];
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let columns = move |x: usize, y: usize, sign_x: f64, sign_y: f64| {
        let (first, second) = (sign_x * axes[x], sign_y * axes[y]);
        DMat3::from_cols(first, second, first.cross(second))
    };
    (0..3)
        .flat_map(|x| (0..3).filter(move |y| *y != x).map(move |y| (x, y)))
        .flat_map(move |pair| signs.into_iter().map(move |sign| (pair, sign)))
        .flat_map(move |(pair, sign_x)| signs.into_iter().map(move |sign_y| (pair, sign_x, sign_y)))
        .map(move |((x, y), sign_x, sign_y)| columns(x, y, sign_x, sign_y))
}

/// Turns about y, the identity first.
fn about_y() -> impl Iterator<Item = DQuat> {
    (0..ABOUT_AXIS).map(|step| {
        let half = 0.5 * TAU * f64::from(step) / f64::from(ABOUT_AXIS);
        DQuat::from_xyzw(0.0, libm::sin(half), 0.0, libm::cos(half))
    })
}

/// The turns that map the corners of a hull to corners: two corners and the origin
/// determine one, and all other corners must follow.
fn hull_rotations(hull: &Hull) -> Vec<DQuat> {
    let corners = hull.vertices();
    let radius = corners.iter().map(|corner| corner.length()).fold(0.0, f64::max);
    let near = SAME_CORNER * radius;
    let identity = vec![DQuat::IDENTITY];
    if corners.len() > MOST_CORNERS {
        return identity;
    }
    let Some(first) = corners.iter().find(|corner| corner.length() > 0.5 * radius) else {
        return identity;
    };
    let Some(second) = corners.iter().find(|corner| first.cross(**corner).length() > 0.1 * radius * radius) else {
        return identity;
    };
    let before = frame(*first, *second);
    let alike = |a: DVec3, b: DVec3| (a.length() - b.length()).abs() <= near;
    let follows = |turn: &DMat3| {
        corners.iter().all(|corner| corners.iter().any(|other| other.abs_diff_eq(*turn * *corner, near)))
    };
    let mut turns = identity;
    for a in corners.iter().filter(|corner| alike(**corner, *first)) {
        for b in corners.iter().filter(|corner| alike(**corner, *second)) {
            let same_angle = (a.dot(*b) - first.dot(*second)).abs() <= near * radius;
            if !same_angle || (a == first && b == second) {
                continue;
            }
            let turn = frame(*a, *b) * before.transpose();
            if follows(&turn) {
                turns.push(DQuat::from_mat3(&turn).normalize());
            }
        }
    }
    turns
}

/// A frame from two directions that are not parallel.
fn frame(first: DVec3, second: DVec3) -> DMat3 {
    let x = first.normalize();
    let z = first.cross(second).normalize();
    DMat3::from_cols(x, z.cross(x), z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Pose, Ring};

    /// The group is closed, and every turn of it leaves the distance to a far point as it
    /// is when the point is turned along: an independent query of the same shape.
    fn is_a_symmetry(shape: &Shape, count: usize) {
        let turns = shape.rotations();
        assert_eq!(turns.len(), count);
        assert_eq!(turns[0], DQuat::IDENTITY);
        let same = |a: DQuat, b: DQuat| a.dot(b).abs() > 1.0 - 1e-12;
        let probe = Shape::sphere(1e-3).unwrap();
        for a in &turns {
            for b in &turns {
                assert!(turns.iter().any(|turn| same(*turn, *a * *b)), "{a} {b}");
            }
            for direction in [DVec3::new(3.0, 1.0, 2.0), DVec3::new(-1.0, 2.5, 0.3), DVec3::new(0.2, -2.0, 1.0)] {
                let distance =
                    |place: DVec3| crate::separation(shape, &Pose::IDENTITY, &probe, &Pose::from_translation(place));
                assert!((distance(direction) - distance(*a * direction)).abs() < 1e-7, "{a} {direction}");
            }
        }
    }

    #[test]
    fn shapes_have_the_turns_of_the_textbook() {
        is_a_symmetry(&Shape::sphere(0.3).unwrap(), 24);
        is_a_symmetry(&Shape::cuboid(DVec3::splat(0.3), 0.05).unwrap(), 24);
        is_a_symmetry(&Shape::cuboid(DVec3::new(0.3, 0.4, 0.3), 0.05).unwrap(), 8);
        is_a_symmetry(&Shape::cuboid(DVec3::new(0.3, 0.4, 0.5), 0.0).unwrap(), 4);
        is_a_symmetry(&Shape::capsule(0.4, 0.1).unwrap(), 32);
        is_a_symmetry(&Shape::cylinder(0.4, 0.1).unwrap(), 32);
        is_a_symmetry(&Shape::hull(Hull::icosahedron(0.4).unwrap()), 60);
        let ring = |height: f64, radius: f64| Ring { height, radius };
        let pin = Shape::turned(&[ring(-0.2, 0.05), ring(0.0, 0.1), ring(0.3, 0.02)]).unwrap();
        is_a_symmetry(&pin, 16);
    }

    #[test]
    fn hulls_have_the_turns_of_their_corners_and_no_others() {
        let tetrahedron =
            [DVec3::ONE, DVec3::new(1.0, -1.0, -1.0), DVec3::new(-1.0, 1.0, -1.0), DVec3::new(-1.0, -1.0, 1.0)];
        is_a_symmetry(&Shape::hull(Hull::new(&tetrahedron).unwrap()), 12);
        let octahedron = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
        is_a_symmetry(&Shape::hull(Hull::new(&octahedron).unwrap()), 24);
        // One corner that is cut off leaves what turns about it.
        let mut cut = tetrahedron;
        cut[0] *= 0.9;
        is_a_symmetry(&Shape::hull(Hull::new(&cut).unwrap()), 3);
        // So does a place away from the origin, about which bodies are turned.
        let aside = tetrahedron.map(|corner| corner + 0.3 * DVec3::X);
        is_a_symmetry(&Shape::hull(Hull::new(&aside).unwrap()), 2);
        let none = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::new(-0.3, -0.2, -0.9)];
        is_a_symmetry(&Shape::hull(Hull::new(&none).unwrap()), 1);
    }
}
