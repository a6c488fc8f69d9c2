//! What is drawn on bodies: the pips of a die, and spots on a table.

use std::f64::consts::TAU;

use glam::DVec3;
use proscenium_clip::{ClipError, Mesh};
use proscenium_geometry::HeightField;

/// The sides of a die by their pips: the way out, and two directions along them.
/// Opposite sides add up to seven.
const SIDES: [[DVec3; 3]; 6] = [
    [DVec3::Y, DVec3::Z, DVec3::X],
    [DVec3::Z, DVec3::X, DVec3::Y],
    [DVec3::X, DVec3::Y, DVec3::Z],
    [DVec3::NEG_X, DVec3::Z, DVec3::Y],
    [DVec3::NEG_Z, DVec3::Y, DVec3::X],
    [DVec3::NEG_Y, DVec3::X, DVec3::Z],
];
/// Where pips are, as shares of half the side, for each number.
const PLACES: [&[[f64; 2]]; 6] = [
    &[[0.0, 0.0]],
    &[[-0.5, -0.5], [0.5, 0.5]],
    &[[-0.5, -0.5], [0.0, 0.0], [0.5, 0.5]],
    &[[-0.5, -0.5], [-0.5, 0.5], [0.5, -0.5], [0.5, 0.5]],
    &[[-0.5, -0.5], [-0.5, 0.5], [0.0, 0.0], [0.5, -0.5], [0.5, 0.5]],
    &[[-0.5, -0.5], [-0.5, 0.0], [-0.5, 0.5], [0.5, -0.5], [0.5, 0.0], [0.5, 0.5]],
];
/// The radius of a pip, and how far it stands out, as shares of half the side.
const RADIUS: f64 = 0.19;
const RELIEF: f64 = 0.004;
/// A pip has so many corners.
const CORNERS: u32 = 14;

/// The pips of a box with these half extents, as flat discs.
pub(crate) fn pips(half_extents: DVec3) -> Result<Mesh, ClipError> {
    let mut positions: Vec<[f32; 3]> = Vec::new();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for ([out, right, ahead], places) in SIDES.into_iter().zip(PLACES) {
        for [u, v] in places {
            let first = positions.len() as u32;
            let middle = (1.0 + RELIEF) * out + *u * right + *v * ahead;
            positions.push((half_extents * middle).as_vec3().into());
            for corner in 0..CORNERS {
                let angle = TAU * f64::from(corner) / f64::from(CORNERS);
                let place = middle + RADIUS * (libm::cos(angle) * right + libm::sin(angle) * ahead);
                positions.push((half_extents * place).as_vec3().into());
                triangles.push([first, first + 1 + corner, first + 1 + (corner + 1) % CORNERS]);
            }
        }
    }
    Mesh::flat_shaded(&positions, &triangles)
}

/// How far a spot lies above its table, m, and into how many rings and pieces
/// it is cut.
const LIFT: f64 = 2e-4;
const RINGS: u32 = 8;
const PIECES: u32 = 32;

/// A round spot on a smooth surface.
pub(crate) fn spot(field: &HeightField, center: DVec3, radius: f64) -> Result<Mesh, ClipError> {
    let place = |x: f64, z: f64| -> [f32; 3] { DVec3::new(x, field.height(x, z) + LIFT, z).as_vec3().into() };
    let mut positions = vec![place(center.x, center.z)];
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    let corner = |ring: u32, piece: u32| 1 + (ring - 1) * PIECES + piece % PIECES;
    for ring in 1..=RINGS {
        let reach = radius * f64::from(ring) / f64::from(RINGS);
        for piece in 0..PIECES {
            let angle = TAU * f64::from(piece) / f64::from(PIECES);
            positions.push(place(center.x + reach * libm::sin(angle), center.z + reach * libm::cos(angle)));
            let (here, next) = (corner(ring, piece), corner(ring, piece + 1));
            if ring == 1 {
                triangles.push([0, here, next]);
            } else {
                let (inner, inner_next) = (corner(ring - 1, piece), corner(ring - 1, piece + 1));
                triangles.extend([[inner, here, next], [inner, next, inner_next]]);
            }
        }
    }
    Mesh::smooth(&positions, &triangles, std::f32::consts::PI)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spot_lies_on_its_table_and_faces_upwards() {
        let heights = (0..64).map(|index| 0.002 * libm::sin(f64::from(index))).collect();
        let field = HeightField::new(8, 8, 0.05, heights).unwrap();
        let mesh = spot(&field, DVec3::new(0.03, 0.0, -0.02), 0.04).unwrap();
        let corner = |index: u32| DVec3::from(mesh.positions[index as usize].map(f64::from));
        for triangle in &mesh.triangles {
            let [a, b, c] = triangle.map(corner);
            assert!((b - a).cross(c - a).y > 0.0);
            assert!((a.y - field.height(a.x, a.z) - LIFT).abs() < 1e-6);
        }
    }

    #[test]
    fn a_die_has_twenty_one_pips_that_face_outwards() {
        let mesh = pips(DVec3::splat(0.008)).unwrap();
        assert_eq!(mesh.triangles.len(), 21 * CORNERS as usize);
        for triangle in &mesh.triangles {
            let [a, b, c] = triangle.map(|corner| DVec3::from(mesh.positions[corner as usize].map(f64::from)));
            assert!((b - a).cross(c - a).dot(a) > 0.0);
        }
        for (side, opposite) in [(0, 5), (1, 4), (2, 3)] {
            assert_eq!(SIDES[side][0], -SIDES[opposite][0]);
        }
    }
}
