//! Meshes from bare triangles.

use glam::{DVec3, Vec3};

use crate::validate::{finite, in_range};
use crate::{ClipError, Mesh};

impl Mesh {
    /// A mesh in which every triangle is flat: each has three vertices of its
    /// own, with the normal of the triangle.
    ///
    /// # Errors
    ///
    /// A position that is not finite, or an index that is out of range.
    pub fn flat_shaded(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> Result<Mesh, ClipError> {
        check(positions, triangles)?;
        let mut mesh = Mesh::default();
        for (triangle, next) in triangles.iter().zip((0u32..).step_by(3)) {
            let corners = corners(positions, triangle);
            let normal = unit_or_up(face_normal(&corners));
            mesh.positions.extend(triangle.map(|corner| positions[corner as usize]));
            mesh.normals.extend([normal; 3]);
            mesh.triangles.push([next, next + 1, next + 2]);
        }
        Ok(mesh)
    }

    /// A mesh that is smooth across edges where its faces meet at an angle of at
    /// most `crease_angle` radians, and creased elsewhere. Vertices are split
    /// along creases; positions that are equal are one vertex, even if they are
    /// listed twice.
    ///
    /// # Errors
    ///
    /// A position that is not finite, or an index that is out of range.
    ///
    /// ```
    /// use proscenium_clip::Mesh;
    ///
    /// # fn main() -> Result<(), proscenium_clip::ClipError> {
    /// let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    /// let smooth = Mesh::smooth(&positions, &triangles, 3.0)?;
    /// let creased = Mesh::smooth(&positions, &triangles, 1.0)?;
    /// assert_eq!(smooth.positions.len(), 4);
    /// assert_eq!(creased.positions.len(), 12);
    /// # Ok(())
    /// # }
    /// ```
    pub fn smooth(positions: &[[f32; 3]], triangles: &[[u32; 3]], crease_angle: f32) -> Result<Mesh, ClipError> {
        check(positions, triangles)?;
        finite("the crease angle", &[crease_angle])?;
        let welded = weld(positions);
        let faces: Vec<DVec3> =
            triangles.iter().map(|triangle| face_normal(&corners(positions, triangle)).normalize_or_zero()).collect();
        let mut groups = Groups::new(3 * triangles.len());
        join_across_smooth_edges(triangles, &welded, &faces, crease_angle, &mut groups);
        Ok(gather(positions, triangles, &faces, &mut groups))
    }

    /// The lowest and highest coordinates of the positions; `None` without any.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        let mut positions = self.positions.iter().copied().map(Vec3::from_array);
        let first = positions.next()?;
        Some(positions.fold((first, first), |(low, high), position| (low.min(position), high.max(position))))
    }
}

fn check(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> Result<(), ClipError> {
    for (index, position) in positions.iter().enumerate() {
        if position.iter().any(|x| !x.is_finite()) {
            finite(&format!("position {index}"), position)?;
        }
    }
    // Corners are numbered in u32 too, once they are split.
    if triangles.len() > (u32::MAX / 3) as usize {
        return Err(ClipError::TooLarge { what: format!("{} triangles in one mesh", triangles.len()) });
    }
    for (index, triangle) in triangles.iter().enumerate() {
        for &corner in triangle {
            in_range(|| format!("an index of triangle {index}"), u64::from(corner), positions.len())?;
        }
    }
    Ok(())
}

fn corners(positions: &[[f32; 3]], triangle: &[u32; 3]) -> [DVec3; 3] {
    triangle.map(|corner| Vec3::from_array(positions[corner as usize]).as_dvec3())
}

/// Twice the area long.
fn face_normal([a, b, c]: &[DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a)
}

/// Degenerate triangles have no normal; they point up, being invisible anyway.
fn unit_or_up(normal: DVec3) -> [f32; 3] {
    normal.normalize_or(DVec3::Y).as_vec3().to_array()
}

/// For each position, the first index that has the same coordinates.
fn weld(positions: &[[f32; 3]]) -> Vec<u32> {
    let mut order: Vec<u32> = (0u32..).take(positions.len()).collect();
    // Adding zero makes −0 and 0 the same coordinate.
    let bits = |index: u32| positions[index as usize].map(|x| (x + 0.0).to_bits());
    order.sort_unstable_by_key(|&index| (bits(index), index));
    let mut welded = vec![0; positions.len()];
    let mut first = 0;
    for (rank, &index) in order.iter().enumerate() {
        if rank == 0 || bits(index) != bits(first) {
            first = index;
        }
        welded[index as usize] = first;
    }
    welded
}

/// Corners that share a vertex: a union–find forest over `3 × triangle + corner`.
struct Groups {
    parent: Vec<u32>,
}

impl Groups {
    fn new(count: usize) -> Self {
        Groups { parent: (0u32..).take(count).collect() }
    }

    fn find(&mut self, corner: u32) -> u32 {
        let mut current = corner;
        while self.parent[current as usize] != current {
            // Halving the path keeps later walks short.
            let grandparent = self.parent[self.parent[current as usize] as usize];
            self.parent[current as usize] = grandparent;
            current = grandparent;
        }
        current
    }

    /// The root is the earliest corner, which makes the numbering independent
    /// of the order of joins.
    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }
}

fn join_across_smooth_edges(
    triangles: &[[u32; 3]],
    welded: &[u32],
    faces: &[DVec3],
    crease_angle: f32,
    groups: &mut Groups,
) {
    // Each edge of each triangle: its vertices in order, and the corners there.
    let mut edges: Vec<([u32; 2], [u32; 2])> = Vec::with_capacity(3 * triangles.len());
    for (triangle, first) in triangles.iter().zip((0u32..).step_by(3)) {
        for (here, there) in [(0, 1), (1, 2), (2, 0)] {
            let end = |corner: u32| (welded[triangle[corner as usize] as usize], first + corner);
            let (low, high) = (end(here).min(end(there)), end(here).max(end(there)));
            edges.push(([low.0, high.0], [low.1, high.1]));
        }
    }
    edges.sort_unstable();
    let least_cosine = libm::cos(f64::from(crease_angle).clamp(0.0, std::f64::consts::PI));
    for pair in edges.chunk_by(|a, b| a.0 == b.0) {
        // An edge of one face is a border; of more than two, a crease.
        if let [(_, ours), (_, theirs)] = pair {
            let face = |corner: u32| faces[(corner / 3) as usize];
            if face(ours[0]).dot(face(theirs[0])) >= least_cosine {
                groups.join(ours[0], theirs[0]);
                groups.join(ours[1], theirs[1]);
            }
        }
    }
}

/// One vertex per group of corners, with the mean normal of their faces, each
/// weighted by its angle there so that the choice of triangles does not matter.
fn gather(positions: &[[f32; 3]], triangles: &[[u32; 3]], faces: &[DVec3], groups: &mut Groups) -> Mesh {
    let mut mesh = Mesh::default();
    let mut normals: Vec<DVec3> = Vec::new();
    let mut vertex_of_root = vec![u32::MAX; 3 * triangles.len()];
    for (index, triangle) in triangles.iter().enumerate() {
        let places = corners(positions, triangle);
        let mut vertices = [0; 3];
        for corner in 0..3 {
            let root = groups.find((3 * index + corner) as u32) as usize;
            if vertex_of_root[root] == u32::MAX {
                vertex_of_root[root] = normals.len() as u32;
                mesh.positions.push(positions[triangle[corner] as usize]);
                normals.push(DVec3::ZERO);
            }
            let vertex = vertex_of_root[root];
            let to_next = places[(corner + 1) % 3] - places[corner];
            let to_previous = places[(corner + 2) % 3] - places[corner];
            let angle = libm::atan2(to_next.cross(to_previous).length(), to_next.dot(to_previous));
            normals[vertex as usize] += angle * faces[index];
            vertices[corner] = vertex;
        }
        mesh.triangles.push(vertices);
    }
    mesh.normals = normals.into_iter().map(unit_or_up).collect();
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUBE: [[f32; 3]; 8] = [
        [-1.0, -1.0, -1.0],
        [1.0, -1.0, -1.0],
        [-1.0, 1.0, -1.0],
        [1.0, 1.0, -1.0],
        [-1.0, -1.0, 1.0],
        [1.0, -1.0, 1.0],
        [-1.0, 1.0, 1.0],
        [1.0, 1.0, 1.0],
    ];
    const CUBE_TRIANGLES: [[u32; 3]; 12] = [
        [0, 2, 3],
        [0, 3, 1],
        [4, 5, 7],
        [4, 7, 6],
        [0, 1, 5],
        [0, 5, 4],
        [2, 6, 7],
        [2, 7, 3],
        [0, 4, 6],
        [0, 6, 2],
        [1, 3, 7],
        [1, 7, 5],
    ];

    #[test]
    fn a_creased_cube_has_flat_faces() {
        let mesh = Mesh::smooth(&CUBE, &CUBE_TRIANGLES, 0.5).unwrap();
        assert_eq!(mesh.positions.len(), 24);
        for (triangle, flat) in
            mesh.triangles.iter().zip(Mesh::flat_shaded(&CUBE, &CUBE_TRIANGLES).unwrap().normals.chunks(3))
        {
            for &corner in triangle {
                assert_eq!(mesh.normals[corner as usize], flat[0]);
            }
        }
    }

    #[test]
    fn a_smooth_cube_points_along_its_diagonals() {
        let mesh = Mesh::smooth(&CUBE, &CUBE_TRIANGLES, 1.6).unwrap();
        assert_eq!(mesh.positions.len(), 8);
        for (position, normal) in mesh.positions.iter().zip(&mesh.normals) {
            let diagonal = Vec3::from_array(*position).normalize();
            // Right only if corners are weighted by angle: a face counts once,
            // whether one or two of its triangles touch the vertex.
            assert!(diagonal.abs_diff_eq(Vec3::from_array(*normal), 1e-6));
        }
    }

    #[test]
    fn listed_twice_is_still_one_vertex() {
        let mut positions = CUBE_TRIANGLES.iter().flatten().map(|&corner| CUBE[corner as usize]).collect::<Vec<_>>();
        positions.push([0.0; 3]);
        let triangles: Vec<[u32; 3]> = (0..12).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let mesh = Mesh::smooth(&positions, &triangles, 1.6).unwrap();
        assert_eq!(mesh.positions.len(), 8);
    }

    #[test]
    fn degenerate_triangles_get_a_unit_normal() {
        let triangles = [[0, 0, 1], [0, 1, 3], [2, 2, 2]];
        for mesh in [Mesh::flat_shaded(&CUBE, &triangles).unwrap(), Mesh::smooth(&CUBE, &triangles, 1.0).unwrap()] {
            for normal in mesh.normals {
                assert!((Vec3::from_array(normal).length() - 1.0).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn bad_triangles_are_refused() {
        let error = Mesh::flat_shaded(&CUBE, &[[0, 1, 8]]).unwrap_err();
        assert!(error.to_string().contains("triangle 0 is 8"), "{error}");
        let error = Mesh::smooth(&[[f32::NAN; 3]], &[], 1.0).unwrap_err();
        assert!(error.to_string().contains("position 0 is NaN"), "{error}");
        assert!(Mesh::smooth(&CUBE, &CUBE_TRIANGLES, f32::NAN).is_err());
    }

    #[test]
    fn bounds_enclose_all_positions() {
        let mesh = Mesh::flat_shaded(&CUBE, &CUBE_TRIANGLES).unwrap();
        assert_eq!(mesh.bounds(), Some((-Vec3::ONE, Vec3::ONE)));
        assert_eq!(Mesh::default().bounds(), None);
    }
}
