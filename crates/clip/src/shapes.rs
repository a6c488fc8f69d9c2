//! Meshes to show bodies with: spheres, boxes, capsules, cylinders, grids.
//!
//! All are centred at the origin, closed (but for [`grid`]), wound
//! counter-clockwise seen from outside, and have the true normals of the shape
//! rather than the mean of their faces. Capsules and cylinders stand along y.

use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, TAU};

use glam::{DVec3, Vec3};

use crate::{ClipError, Mesh};

/// A division that is finer than this is a mistake.
const FINEST: u32 = 1024;

/// A sphere of nearly equal triangles: an icosahedron, each of whose faces is
/// divided into four `subdivisions` times (0 to 7).
///
/// # Errors
///
/// A radius that is not positive and finite, or too many subdivisions.
///
/// ```
/// let ball = proscenium_clip::shapes::ico_sphere(0.5, 2)?;
/// assert_eq!(ball.triangles.len(), 320);
/// # Ok::<(), proscenium_clip::ClipError>(())
/// ```
pub fn ico_sphere(radius: f32, subdivisions: u32) -> Result<Mesh, ClipError> {
    positive("the radius of a sphere", radius)?;
    count("the subdivisions of a sphere", subdivisions, 0, 7)?;
    let (mut directions, mut triangles) = icosahedron();
    for _ in 0..subdivisions {
        let mut middles = BTreeMap::new();
        let mut finer = Vec::with_capacity(4 * triangles.len());
        for [a, b, c] in triangles {
            let mut middle = |u: u32, v: u32| {
                *middles.entry((u.min(v), u.max(v))).or_insert_with(|| {
                    let between: DVec3 = directions[u as usize] + directions[v as usize];
                    directions.push(between.normalize());
                    directions.len() as u32 - 1
                })
            };
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        triangles = finer;
    }
    let mut surface = Surface::default();
    for direction in directions {
        surface.add(f64::from(radius) * direction, direction);
    }
    surface.mesh.triangles = triangles;
    Ok(surface.mesh.with_name("sphere"))
}

/// A sphere of meridians and parallels: `segments` around the y axis (at least
/// 3) and `rings` from pole to pole (at least 2).
///
/// # Errors
///
/// A radius that is not positive and finite, or a count out of range.
pub fn uv_sphere(radius: f32, segments: u32, rings: u32) -> Result<Mesh, ClipError> {
    positive("the radius of a sphere", radius)?;
    count("the segments of a sphere", segments, 3, FINEST)?;
    count("the rings of a sphere", rings, 2, FINEST)?;
    let parallels = (0..=rings).map(|ring| (FRAC_PI_2 * (1.0 - 2.0 * ratio(ring, rings)), 0.0));
    Ok(lathe(f64::from(radius), parallels, segments).with_name("sphere"))
}

/// A box of a given size along each axis, whose edges and corners are rounded
/// with a radius; zero leaves them sharp.
///
/// # Errors
///
/// A size that is not positive and finite, or a rounding that is negative or
/// more than half of the smallest size.
///
/// ```
/// use proscenium_clip::glam::Vec3;
///
/// let die = proscenium_clip::shapes::cuboid(Vec3::splat(0.016), 0.001)?;
/// assert!(die.bounds().unwrap().1.abs_diff_eq(Vec3::splat(0.008), 1e-9));
/// # Ok::<(), proscenium_clip::ClipError>(())
/// ```
pub fn cuboid(size: Vec3, rounding: f32) -> Result<Mesh, ClipError> {
    for length in size.to_array() {
        positive("the size of a box", length)?;
    }
    let largest = 0.5 * size.min_element();
    if !(0.0..=largest).contains(&rounding) {
        return Err(ClipError::OutOfBounds {
            place: "the rounding of a box".to_string(),
            value: f64::from(rounding),
            allowed: format!("between 0 and half of its smallest size, {largest}"),
        });
    }
    let rounding = f64::from(rounding);
    let inner = 0.5 * size.as_dvec3() - DVec3::splat(rounding);
    let mut surface = Surface::default();
    // Each face is a patch of a sphere, cut along its middle lines and pulled
    // apart. The angles are equally spaced, and exact at the ends, so that
    // neighbours meet.
    let bends: &[u32] = if rounding > 0.0 { &[0, 1, 2, 3, 4] } else { &[0] };
    let tangent = |bend: u32| match bend {
        4 => 1.0,
        bend => libm::tan(FRAC_PI_4 * ratio(bend, 4)),
    };
    let low = bends.iter().rev().map(|&bend| (-1.0, -tangent(bend)));
    let high = bends.iter().map(|&bend| (1.0, tangent(bend)));
    let lines: Vec<(f64, f64)> = low.chain(high).collect();
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            let outward = sign * DVec3::AXES[axis];
            let across = DVec3::AXES[(axis + 1) % 3];
            let along = outward.cross(across);
            surface.patch(&lines, |(u, bend_u), (v, bend_v)| {
                let bent = outward + bend_u * across + bend_v * along;
                let normal = bent.normalize();
                let corner = inner * (outward + u * across + v * along);
                (corner + rounding * normal, normal)
            });
        }
    }
    Ok(surface.mesh.with_name("box"))
}

/// A cylinder of a given height with half a sphere at each end; `segments`
/// around (at least 4). The whole is `height + 2 radius` tall.
///
/// # Errors
///
/// A size that is not positive and finite (the height may be zero), or a count
/// out of range.
pub fn capsule(radius: f32, height: f32, segments: u32) -> Result<Mesh, ClipError> {
    positive("the radius of a capsule", radius)?;
    if height != 0.0 {
        positive("the height of a capsule", height)?;
    }
    count("the segments of a capsule", segments, 4, FINEST)?;
    let rings = segments.div_ceil(4);
    let half = 0.5 * f64::from(height);
    let cap = |ring: u32| FRAC_PI_2 * ratio(ring, rings);
    let top = (0..=rings).map(|ring| (FRAC_PI_2 - cap(ring), half));
    let bottom = (0..=rings).map(|ring| (-cap(ring), -half));
    // Without a cylinder between them, the two equators would be one.
    let bottom = bottom.skip(usize::from(height == 0.0));
    Ok(lathe(f64::from(radius), top.chain(bottom), segments).with_name("capsule"))
}

/// A cylinder with flat ends; `segments` around (at least 3).
///
/// # Errors
///
/// A size that is not positive and finite, or a count out of range.
pub fn cylinder(radius: f32, height: f32, segments: u32) -> Result<Mesh, ClipError> {
    positive("the radius of a cylinder", radius)?;
    positive("the height of a cylinder", height)?;
    count("the segments of a cylinder", segments, 3, FINEST)?;
    let (radius, half) = (f64::from(radius), 0.5 * f64::from(height));
    let sides = [(0.0, half), (0.0, -half)].into_iter();
    let mut surface = Surface { mesh: lathe(radius, sides, segments) };
    for sign in [1.0, -1.0] {
        let normal = sign * DVec3::Y;
        let centre = surface.add(half * normal, normal);
        for segment in 0..segments {
            surface.add(radius * around(segment, segments) + half * normal, normal);
        }
        for segment in 0..segments {
            let here = centre + 1 + segment;
            let next = centre + 1 + (segment + 1) % segments;
            surface.mesh.triangles.push(if sign > 0.0 { [centre, here, next] } else { [centre, next, here] });
        }
    }
    Ok(surface.mesh.with_name("cylinder"))
}

/// A flat rectangle in the plane of x and z, facing up, of `cells` by `cells`
/// quadrilaterals.
///
/// # Errors
///
/// A size that is not positive and finite, or a count out of range.
pub fn grid(size_x: f32, size_z: f32, cells: u32) -> Result<Mesh, ClipError> {
    positive("the size of a grid", size_x)?;
    positive("the size of a grid", size_z)?;
    count("the cells of a grid", cells, 1, FINEST)?;
    let lines: Vec<(f64, f64)> = (0..=cells).map(|i| (ratio(i, cells) - 0.5, 0.0)).collect();
    let mut surface = Surface::default();
    surface.patch(&lines, |(u, _), (v, _)| {
        let place = DVec3::new(v * f64::from(size_x), 0.0, u * f64::from(size_z));
        (place, DVec3::Y)
    });
    Ok(surface.mesh.with_name("grid"))
}

/// A mesh in the making.
#[derive(Default)]
struct Surface {
    mesh: Mesh,
}

impl Surface {
    fn add(&mut self, position: DVec3, normal: DVec3) -> u32 {
        self.mesh.positions.push(position.as_vec3().to_array());
        self.mesh.normals.push(normal.as_vec3().to_array());
        self.mesh.positions.len() as u32 - 1
    }

    /// Adds a triangle, unless two of its corners are in the same place, as at
    /// the poles of a sphere.
    fn triangle(&mut self, corners: [u32; 3]) {
        let [a, b, c] = corners.map(|corner| self.mesh.positions[corner as usize]);
        if a != b && b != c && c != a {
            self.mesh.triangles.push(corners);
        }
    }

    /// A rectangle of vertices, one for each two of the lines, facing along the
    /// first direction crossed with the second.
    fn patch(&mut self, lines: &[(f64, f64)], vertex: impl Fn((f64, f64), (f64, f64)) -> (DVec3, DVec3)) {
        let first = self.mesh.positions.len() as u32;
        let width = lines.len() as u32;
        for &u in lines {
            for &v in lines {
                let (position, normal) = vertex(u, v);
                self.add(position, normal);
            }
        }
        for u in 0..width - 1 {
            for v in 0..width - 1 {
                let corner = first + u * width + v;
                self.triangle([corner, corner + width, corner + width + 1]);
                self.triangle([corner, corner + width + 1, corner + 1]);
            }
        }
    }
}

/// The surface that parallels of a sphere sweep around the y axis, from the top
/// down; each is given by its latitude and by how far it is lifted.
fn lathe(radius: f64, parallels: impl Iterator<Item = (f64, f64)>, segments: u32) -> Mesh {
    let mut surface = Surface::default();
    let width = segments + 1;
    for (ring, (latitude, lift)) in parallels.enumerate() {
        let (rise, reach) = (libm::sin(latitude), libm::cos(latitude));
        // At the poles, rounding would leave a tiny hole.
        let at_pole = reach.abs() < 1e-12;
        for segment in 0..width {
            let normal =
                if at_pole { rise * DVec3::Y } else { reach * around(segment % segments, segments) + rise * DVec3::Y };
            let here = surface.add(radius * normal + lift * DVec3::Y, normal);
            if ring == 0 || segment == 0 {
                continue;
            }
            let [above, above_left, left] = [here - width, here - width - 1, here - 1];
            surface.triangle([above_left, left, here]);
            surface.triangle([above_left, here, above]);
        }
    }
    surface.mesh
}

/// A direction in the plane of x and z, turning from z towards x, so that
/// outside is on the right.
fn around(segment: u32, segments: u32) -> DVec3 {
    let angle = TAU * ratio(segment, segments);
    DVec3::new(libm::sin(angle), 0.0, libm::cos(angle))
}

fn ratio(part: u32, whole: u32) -> f64 {
    f64::from(part) / f64::from(whole)
}

fn icosahedron() -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let golden = 0.5 * (1.0 + libm::sqrt(5.0));
    let mut directions = Vec::with_capacity(12);
    for axis in 0..3 {
        for (long, short) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            let corner = long * golden * DVec3::AXES[axis] + short * DVec3::AXES[(axis + 1) % 3];
            directions.push(corner.normalize());
        }
    }
    // Neighbours are 63.4° apart, and the next nearest 116.6°.
    let near = |a: u32, b: u32| directions[a as usize].dot(directions[b as usize]) > 0.0;
    let mut triangles = Vec::with_capacity(20);
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(c, a) {
                    let [u, v, w] = [a, b, c].map(|corner| directions[corner as usize]);
                    let outward = u.cross(v).dot(w) > 0.0;
                    triangles.push(if outward { [a, b, c] } else { [a, c, b] });
                }
            }
        }
    }
    (directions, triangles)
}

fn positive(place: &str, value: f32) -> Result<(), ClipError> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(ClipError::OutOfBounds {
        place: place.to_string(),
        value: f64::from(value),
        allowed: "positive and finite".to_string(),
    })
}

fn count(place: &str, value: u32, least: u32, most: u32) -> Result<(), ClipError> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(ClipError::OutOfBounds {
        place: place.to_string(),
        value: f64::from(value),
        allowed: format!("between {least} and {most}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn corners(mesh: &Mesh, triangle: &[u32; 3]) -> [DVec3; 3] {
        triangle.map(|i| Vec3::from_array(mesh.positions[i as usize]).as_dvec3())
    }

    /// By the divergence theorem: right only if the mesh is closed and wound
    /// outwards.
    fn volume(mesh: &Mesh) -> f64 {
        let signed = |triangle| {
            let [a, b, c] = corners(mesh, triangle);
            a.cross(b).dot(c) / 6.0
        };
        mesh.triangles.iter().map(signed).sum()
    }

    /// Every directed edge, by position, has its opposite.
    fn is_closed(mesh: &Mesh) -> bool {
        let place = |i: u32| mesh.positions[i as usize].map(|x| (x + 0.0).to_bits());
        let mut edges = BTreeMap::new();
        for [a, b, c] in &mesh.triangles {
            for (from, to) in [(*a, *b), (*b, *c), (*c, *a)] {
                *edges.entry((place(from), place(to))).or_insert(0) += 1;
            }
        }
        edges.iter().all(|(&(from, to), &times)| from != to && edges.get(&(to, from)) == Some(&times))
    }

    fn check_solid(mesh: &Mesh, expected_volume: f64, tolerance: f64) {
        assert!(is_closed(mesh), "{} is not closed", mesh.name);
        let ratio = volume(mesh) / expected_volume;
        assert!((ratio - 1.0).abs() < tolerance, "{}: {ratio}", mesh.name);
        let mut clip = crate::Clip::new("one");
        clip.add_mesh(mesh.clone());
        clip.validate().unwrap();
        for triangle in &mesh.triangles {
            let [a, b, c] = corners(mesh, triangle);
            let face = (b - a).cross(c - a);
            assert!(face.length() > 0.0, "{} has an empty triangle", mesh.name);
            for &corner in triangle {
                let normal = Vec3::from_array(mesh.normals[corner as usize]).as_dvec3();
                assert!(face.dot(normal) > 0.0, "{} has a normal inwards", mesh.name);
            }
        }
    }

    #[test]
    fn solids_are_closed_and_have_their_volume() {
        let ball = 4.0 / 3.0 * PI * 8.0;
        check_solid(&ico_sphere(2.0, 0).unwrap(), 0.605_461 * ball, 1e-5);
        check_solid(&ico_sphere(2.0, 4).unwrap(), ball, 5e-3);
        check_solid(&uv_sphere(2.0, 64, 32).unwrap(), ball, 1e-2);
        check_solid(&uv_sphere(2.0, 3, 2).unwrap(), 0.206_748 * ball, 1e-5);
        let size = Vec3::new(1.0, 2.0, 3.0);
        check_solid(&cuboid(size, 0.0).unwrap(), 6.0, 1e-6);
        // Inner box, slabs on its faces, quarter cylinders, and a ball.
        let rounded = 0.8 * 1.8 * 2.8
            + 0.2 * (0.8 * 1.8 + 1.8 * 2.8 + 2.8 * 0.8)
            + PI * 0.01 * (0.8 + 1.8 + 2.8)
            + 4.0 / 3.0 * PI * 0.001;
        check_solid(&cuboid(size, 0.1).unwrap(), rounded, 1e-3);
        check_solid(&cuboid(Vec3::splat(4.0), 2.0).unwrap(), ball, 3e-2);
        check_solid(&cylinder(2.0, 3.0, 96).unwrap(), PI * 12.0, 1e-3);
        check_solid(&capsule(2.0, 3.0, 96).unwrap(), PI * 12.0 + ball, 2e-3);
        check_solid(&capsule(2.0, 0.0, 96).unwrap(), ball, 3e-3);
        check_solid(&capsule(2.0, 1e-3, 4).unwrap(), 4.0 / 3.0 * 8.0, 1e-2);
    }

    #[test]
    fn sizes_are_as_asked() {
        let bounds = |mesh: Result<Mesh, ClipError>| mesh.unwrap().bounds().unwrap().1;
        assert_eq!(bounds(cuboid(Vec3::new(1.0, 2.0, 3.0), 0.25)), Vec3::new(0.5, 1.0, 1.5));
        assert_eq!(bounds(capsule(1.0, 2.0, 32)).y, 2.0);
        assert_eq!(bounds(cylinder(1.0, 2.0, 32)).y, 1.0);
        assert_eq!(bounds(uv_sphere(3.0, 32, 16)).y, 3.0);
        assert_eq!(bounds(grid(4.0, 6.0, 3)), Vec3::new(2.0, 0.0, 3.0));
    }

    #[test]
    fn a_grid_faces_up() {
        let mesh = grid(2.0, 2.0, 4).unwrap();
        assert_eq!(mesh.triangles.len(), 32);
        for triangle in &mesh.triangles {
            let [a, b, c] = corners(&mesh, triangle);
            assert!((b - a).cross(c - a).y > 0.0);
        }
    }

    #[test]
    fn impossible_shapes_are_refused() {
        for bad in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert!(ico_sphere(bad, 1).is_err());
            assert!(uv_sphere(bad, 8, 8).is_err());
            assert!(cuboid(Vec3::new(1.0, bad, 1.0), 0.0).is_err());
            assert!(cylinder(1.0, bad, 8).is_err());
            assert!(capsule(bad, 1.0, 8).is_err());
            assert!(grid(bad, 1.0, 1).is_err());
        }
        assert!(ico_sphere(1.0, 8).is_err());
        assert!(uv_sphere(1.0, 2, 2).is_err());
        assert!(cuboid(Vec3::ONE, 0.6).is_err());
        assert!(cuboid(Vec3::ONE, f32::NAN).is_err());
        assert!(capsule(1.0, f32::NAN, 8).is_err());
        assert!(cylinder(1.0, 1.0, u32::MAX).is_err());
        assert!(grid(1.0, 1.0, 0).is_err());
    }
}
