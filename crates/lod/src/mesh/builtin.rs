//! The meshes that come with it: closed, concave, as fine as asked for.

use std::f64::consts::{PI, TAU};

use glam::DVec3;

use super::{SolidMesh, Soup};
use crate::LodError;

/// The names of the built-in meshes.
pub const BUILT_IN: [&str; 6] = ["bowl", "jack", "knot", "l-shape", "torus", "vase"];

/// A built-in mesh by its name, about a metre in radius, with at least this
/// many triangles.
///
/// ```
/// let knot = proscenium_lod::mesh::built_in("knot", 5000)?;
/// assert!(knot.triangles().len() >= 5000);
/// assert!(knot.volume() > 0.1);
/// # Ok::<(), proscenium_lod::LodError>(())
/// ```
///
/// # Errors
/// When nothing has this name, or more than four million triangles are asked for.
pub fn built_in(name: &str, triangles: usize) -> Result<SolidMesh, LodError> {
    if triangles > super::MOST_TRIANGLES {
        return Err(LodError::TooManyTriangles { count: triangles, most: super::MOST_TRIANGLES });
    }
    let (vertices, faces) = match name {
        "torus" => tube(triangles, 3.0, &|turn| 0.72 * DVec3::new(libm::cos(turn), 0.0, libm::sin(turn)), 0.28),
        "knot" => tube(triangles, 9.0, &trefoil, 0.15),
        "l-shape" => l_shape(triangles),
        "jack" => jack(triangles),
        "bowl" => lathe(triangles, &bowl()),
        "vase" => lathe(triangles, &vase()),
        _ => {
            let known = BUILT_IN.join(", ");
            return Err(LodError::Unknown { what: "mesh", name: name.to_owned(), known });
        }
    };
    Ok(SolidMesh::new(vertices, &faces)?.0)
}

fn trefoil(turn: f64) -> DVec3 {
    let x = libm::sin(turn) + 2.0 * libm::sin(2.0 * turn);
    let y = libm::cos(turn) - 2.0 * libm::cos(2.0 * turn);
    0.28 * DVec3::new(x, -libm::sin(3.0 * turn), y)
}

/// A tube around a closed curve. `ratio` is the length of the curve in
/// circumferences of the tube, so that triangles come out about equilateral.
fn tube(triangles: usize, ratio: f64, curve: &dyn Fn(f64) -> DVec3, radius: f64) -> Soup {
    let around = ((triangles as f64 / (2.0 * ratio)).sqrt().ceil() as u32).max(6);
    let along = (triangles as u32).div_ceil(2 * around).max(12);
    let mut vertices = Vec::new();
    for i in 0..along {
        let turn = TAU * f64::from(i) / f64::from(along);
        let step = 1e-4;
        let tangent = (curve(turn + step) - curve(turn - step)).normalize();
        // A frame that turns with the curve about the vertical and so closes.
        let side = DVec3::Y.cross(tangent).normalize_or(DVec3::X);
        let up = tangent.cross(side);
        for j in 0..around {
            let angle = TAU * f64::from(j) / f64::from(around);
            vertices.push(curve(turn) + radius * (libm::cos(angle) * side + libm::sin(angle) * up));
        }
    }
    let at = |i: u32, j: u32| (i % along) * around + j % around;
    let mut faces = Vec::new();
    for i in 0..along {
        for j in 0..around {
            let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            faces.extend([[a, b, c], [a, c, d]]);
        }
    }
    (vertices, faces)
}

/// A profile (distance from the axis, height) turned about the vertical, from
/// a point of the axis to another.
fn lathe(triangles: usize, profile: &[[f64; 2]]) -> Soup {
    let lengths: Vec<f64> =
        profile.windows(2).map(|pair| libm::hypot(pair[1][0] - pair[0][0], pair[1][1] - pair[0][1])).collect();
    let total: f64 = lengths.iter().sum();
    let rows = ((triangles as f64 / 4.0).sqrt().ceil() as u32).max(profile.len() as u32);
    let around = (triangles as u32).div_ceil(2 * rows).max(8) + 1;
    // Points at equal distances along the profile, its corners among them.
    let mut path: Vec<[f64; 2]> = Vec::new();
    for (pair, length) in profile.windows(2).zip(&lengths) {
        let pieces = (f64::from(rows) * length / total).ceil().max(1.0) as u32;
        for k in 0..pieces {
            let share = f64::from(k) / f64::from(pieces);
            path.push([pair[0][0] + share * (pair[1][0] - pair[0][0]), pair[0][1] + share * (pair[1][1] - pair[0][1])]);
        }
    }
    let last = profile[profile.len() - 1];
    let mut vertices = vec![DVec3::new(0.0, path[0][1], 0.0)];
    let rings = &path[1..];
    for point in rings {
        for j in 0..around {
            let angle = TAU * f64::from(j) / f64::from(around);
            vertices.push(DVec3::new(point[0] * libm::cos(angle), point[1], point[0] * libm::sin(angle)));
        }
    }
    let end = vertices.len() as u32;
    vertices.push(DVec3::new(0.0, last[1], 0.0));
    let at = |ring: u32, j: u32| 1 + ring * around + j % around;
    let mut faces = Vec::new();
    for j in 0..around {
        faces.push([0, at(0, j), at(0, j + 1)]);
        for ring in 0..rings.len() as u32 - 1 {
            let (a, b, c, d) = (at(ring, j), at(ring + 1, j), at(ring + 1, j + 1), at(ring, j + 1));
            faces.extend([[a, b, c], [a, c, d]]);
        }
        let top = rings.len() as u32 - 1;
        faces.push([end, at(top, j + 1), at(top, j)]);
    }
    (vertices, faces)
}

/// Half a thick ball shell, open upwards.
fn bowl() -> Vec<[f64; 2]> {
    let arc = |radius: f64, from: f64, to: f64| {
        (0..=16).map(move |k| {
            let angle = from + (to - from) * f64::from(k) / 16.0;
            [radius * libm::sin(angle), -radius * libm::cos(angle)]
        })
    };
    let lip = 0.55 * PI;
    let mut profile: Vec<[f64; 2]> = arc(1.0, 0.0, lip).chain(arc(0.8, lip, 0.0)).collect();
    profile[0][0] = 0.0;
    profile
}

/// Foot, belly, neck and lip, and the same way back inside.
fn vase() -> Vec<[f64; 2]> {
    let outside = [
        [0.0, -1.0],
        [0.38, -1.0],
        [0.36, -0.92],
        [0.5, -0.6],
        [0.62, -0.25],
        [0.58, 0.1],
        [0.36, 0.45],
        [0.26, 0.65],
        [0.3, 0.85],
        [0.42, 0.98],
    ];
    let wall = 0.12;
    let inside = outside[3..].iter().rev().map(|point| [point[0] - wall, point[1]]);
    outside.iter().copied().chain(inside).chain([[0.0, -0.75]]).collect()
}

/// Six rounded arms along the axes: a star-shaped body, from a sphere.
fn jack(triangles: usize) -> Soup {
    let (mut vertices, mut faces) = octahedron();
    while faces.len() < triangles.max(512) {
        (vertices, faces) = subdivided(&vertices, &faces);
        vertices.iter_mut().for_each(|vertex| *vertex = vertex.normalize());
    }
    let (half, radius) = (0.8, 0.2);
    // Where a ray from the middle leaves a rounded rod along an axis.
    let rod = |along: f64| {
        let across = (1.0 - along * along).max(0.0).sqrt();
        let side = radius / across.max(1e-12);
        if side * along <= half {
            side
        } else {
            half * along + (half * half * along * along - half * half + radius * radius).max(0.0).sqrt()
        }
    };
    for vertex in &mut vertices {
        let reach = vertex.abs().to_array().into_iter().map(rod).fold(0.0, f64::max);
        *vertex *= reach;
    }
    (vertices, faces)
}

fn octahedron() -> Soup {
    let vertices = vec![DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
    let faces = vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    (vertices, faces)
}

/// An extruded L, its thick corner at one end.
fn l_shape(triangles: usize) -> Soup {
    let outline = [[-0.6, -0.6], [0.6, -0.6], [0.6, -0.2], [-0.2, -0.2], [-0.2, 0.6], [-0.6, 0.6]];
    let depth = 0.2;
    let mut vertices: Vec<DVec3> = Vec::new();
    for z in [-depth, depth] {
        vertices.extend(outline.iter().map(|point| DVec3::new(point[0], point[1], z)));
    }
    let mut faces: Vec<[u32; 3]> = Vec::new();
    for [a, b, c] in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
        faces.extend([[a, c, b], [a + 6, b + 6, c + 6]]);
    }
    for i in 0..6 {
        let j = (i + 1) % 6;
        faces.extend([[i, j, j + 6], [i, j + 6, i + 6]]);
    }
    while faces.len() < triangles {
        (vertices, faces) = subdivided(&vertices, &faces);
    }
    (vertices, faces)
}

/// Every triangle in four, at the middles of its edges.
fn subdivided(vertices: &[DVec3], faces: &[[u32; 3]]) -> Soup {
    let mut vertices = vertices.to_vec();
    let mut middles = std::collections::BTreeMap::new();
    let mut finer = Vec::with_capacity(4 * faces.len());
    for &[a, b, c] in faces {
        let mut middle = |from: u32, to: u32| {
            *middles.entry((from.min(to), from.max(to))).or_insert_with(|| {
                vertices.push(0.5 * (vertices[from as usize] + vertices[to as usize]));
                vertices.len() as u32 - 1
            })
        };
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    (vertices, finer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proscenium_work::Remedy as _;

    #[test]
    fn every_mesh_is_closed_and_points_outwards() {
        for name in BUILT_IN {
            for triangles in [1, 800, 5000] {
                let mesh = built_in(name, triangles).unwrap();
                assert!(mesh.triangles().len() >= triangles, "{name}");
                assert!(mesh.triangles().len() < 5 * triangles.max(600), "{name}: {}", mesh.triangles().len());
                // No repair was needed: the same surface comes back.
                let (_, report) = SolidMesh::new(mesh.vertices().to_vec(), mesh.triangles()).unwrap();
                assert!(report.is_clean(), "{name}: {report:?}");
            }
        }
    }

    #[test]
    fn volumes_are_those_of_the_solids() {
        let torus = built_in("torus", 20_000).unwrap().volume();
        let exact = 2.0 * PI * PI * 0.72 * 0.28 * 0.28;
        assert!((torus / exact - 1.0).abs() < 0.01, "{torus} {exact}");
        let l_shape = built_in("l-shape", 1).unwrap().volume();
        assert!((l_shape - 0.4 * (1.2 * 0.4 + 0.8 * 0.4)).abs() < 1e-12, "{l_shape}");
    }

    #[test]
    fn an_unknown_name_is_told_what_there_is() {
        let message = built_in("teapot", 100).unwrap_err().explain();
        assert!(message.contains("teapot") && message.contains("torus"), "{message}");
        assert!(built_in("torus", usize::MAX).is_err());
    }
}
