//! The pips of a die.

use std::f64::consts::TAU;

use glam::DVec3;
use proscenium_clip::{ClipError, Mesh};

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

#[cfg(test)]
mod tests {
    use super::*;

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
