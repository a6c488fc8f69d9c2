//! The first contact of two meshes, exactly: what every level is measured
//! against. It is slow, and nothing else uses it.

use glam::{DMat3, DVec3};
use proscenium_geometry::{Bounds, Pose, TriangleMesh};

use crate::LodError;
use crate::tree::VolumeModel;

/// Where one solid first touches another that it moves towards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstContact {
    /// How far it moves until then, metres.
    pub distance: f64,
    /// The common point, in the world.
    pub point: DVec3,
    /// Unit vector from the first to the second.
    pub normal: DVec3,
}

/// A mesh that others can be moved against.
pub struct ExactMesh {
    mesh: TriangleMesh,
}

impl ExactMesh {
    /// The mesh of a model.
    ///
    /// # Errors
    /// Never for a model that was built.
    pub fn new(model: &VolumeModel) -> Result<Self, LodError> {
        Ok(Self { mesh: TriangleMesh::new(model.mesh().vertices().to_vec(), model.mesh().triangles())? })
    }

    /// Moves this mesh without turning it, along a unit direction for at most a
    /// distance, and finds where it first touches another: a vertex on a face,
    /// a face on a vertex, or two edges.
    ///
    /// The two must not overlap at the start.
    pub fn first_contact(
        &self,
        pose: &Pose,
        other: &Self,
        other_pose: &Pose,
        direction: DVec3,
        farthest: f64,
    ) -> Option<FirstContact> {
        // All in the frame of the other, which its tree is in.
        let other_from_own = other_pose.inverse() * *pose;
        let along = other_pose.rotation.inverse() * direction;
        let mut first = FirstContactSearch { distance: farthest, place: None };
        let count = self.mesh.triangles().len() as u32;
        for index in 0..count {
            let moving = self.mesh.corners(index).map(|corner| other_from_own.transform_point(corner));
            let start = Bounds::from_points(moving);
            let swept = Bounds::from_points(moving.map(|corner| corner + first.distance * along)).merge(&start);
            for near in other.mesh.triangles_near(&swept) {
                first.meet(&moving, &other.mesh.corners(near), along);
            }
        }
        first.place.map(|(point, normal)| FirstContact {
            distance: first.distance,
            point: other_pose.transform_point(point),
            normal: other_pose.rotation * normal,
        })
    }
}

struct FirstContactSearch {
    distance: f64,
    place: Option<(DVec3, DVec3)>,
}

impl FirstContactSearch {
    fn offer(&mut self, distance: f64, point: DVec3, normal: DVec3, along: DVec3) {
        if distance >= 0.0 && distance < self.distance {
            let normal = if normal.dot(along) >= 0.0 { normal } else { -normal };
            (self.distance, self.place) = (distance, Some((point, normal)));
        }
    }

    fn meet(&mut self, moving: &[DVec3; 3], still: &[DVec3; 3], along: DVec3) {
        for corner in moving {
            if let Some((distance, normal)) = ray_meets(*corner, along, still) {
                self.offer(distance, *corner + distance * along, normal, along);
            }
        }
        for corner in still {
            if let Some((distance, normal)) = ray_meets(*corner, -along, moving) {
                self.offer(distance, *corner, normal, along);
            }
        }
        for i in 0..3 {
            let (p, e) = (moving[i], moving[(i + 1) % 3] - moving[i]);
            for j in 0..3 {
                let (q, f) = (still[j], still[(j + 1) % 3] - still[j]);
                // p + s e + t along = q + r f.
                let matrix = DMat3::from_cols(e, -f, along);
                let scale = e.length() * f.length();
                if matrix.determinant().abs() <= 1e-12 * scale {
                    continue;
                }
                let [s, r, t] = (matrix.inverse() * (q - p)).to_array();
                if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&r) {
                    self.offer(t, q + r * f, e.cross(f).normalize_or_zero(), along);
                }
            }
        }
    }
}

/// Where a ray meets a triangle, and the triangle's normal.
fn ray_meets(origin: DVec3, direction: DVec3, [a, b, c]: &[DVec3; 3]) -> Option<(f64, DVec3)> {
    let normal = (*b - *a).cross(*c - *a);
    let rate = normal.dot(direction);
    if rate.abs() <= 1e-14 * normal.length() {
        return None;
    }
    let distance = normal.dot(*a - origin) / rate;
    let point = origin + distance * direction;
    let side = |p: DVec3, q: DVec3| normal.dot((q - p).cross(point - p));
    let inside = side(*a, *b) >= 0.0 && side(*b, *c) >= 0.0 && side(*c, *a) >= 0.0;
    (inside && distance >= 0.0).then(|| (distance, normal.normalize()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::PlacedPair;
    use crate::mesh::built_in;
    use crate::tree::{TreeKind, TreeSettings};
    use proscenium_chance::Seed;
    use proscenium_work::Progress;

    fn model(name: &str) -> VolumeModel {
        let settings = TreeSettings { kind: TreeKind::Adaptive, depth: 3 };
        VolumeModel::build(name, &built_in(name, 400).unwrap(), settings, &Progress::none())
            .unwrap()
            .finished()
            .unwrap()
    }

    #[test]
    fn a_ring_meets_a_ring_where_geometry_says() {
        let torus = model("torus");
        let mesh = ExactMesh::new(&torus).unwrap();
        let upright = torus.mesh_from_model().rotation;
        let a = Pose::new(DVec3::ZERO, upright);
        // Side by side in one plane: the outer rims meet at a distance of 2 m.
        let b = Pose::new(DVec3::new(3.0, 0.0, 0.0), upright);
        let found = mesh.first_contact(&a, &mesh, &b, DVec3::X, 5.0).unwrap();
        assert!((found.distance - 1.0).abs() < 0.02, "{found:?}");
        assert!(found.normal.x > 0.9);
        // One above the other: tube on tube.
        let above = Pose::new(DVec3::new(0.0, 3.0, 0.0), upright);
        let found = mesh.first_contact(&a, &mesh, &above, DVec3::Y, 5.0).unwrap();
        assert!((found.distance - (3.0 - 0.56)).abs() < 0.03, "{found:?}");
        assert_eq!(mesh.first_contact(&a, &mesh, &above, DVec3::NEG_Y, 5.0), None);
    }

    /// Trees see a contact no later than the exact one.
    #[test]
    fn no_level_is_later_than_the_exact_contact() {
        let (knot, jack) = (model("knot"), model("jack"));
        let (first, second) = (ExactMesh::new(&knot).unwrap(), ExactMesh::new(&jack).unwrap());
        let seed = Seed(3).stream("exact");
        let mut met = 0;
        for sample in 0..12 {
            let mut stream = seed.at(sample);
            let direction = stream.unit_vector();
            let aside = 0.5 * stream.uniform() * direction.any_orthonormal_vector();
            let start = Pose::new(-3.0 * direction + aside, stream.rotation());
            let still = Pose::new(DVec3::ZERO, stream.rotation());
            if let Some(found) = first.first_contact(&start, &second, &still, direction, 6.0) {
                met += 1;
                let at = Pose::new(start.translation + (found.distance + 1e-9) * direction, start.rotation);
                for level in 0..=3 {
                    assert!(PlacedPair::new(&knot, &at, &jack, &still).meet_at(level));
                }
            }
        }
        assert!(met > 5);
    }
}
