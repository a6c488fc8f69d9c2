//! How deep two solids are in each other, from their triangles alone.
//!
//! The depth of one surface in a solid is the greatest distance to the solid's
//! surface of any of its points inside. A signed distance changes by no more
//! than the way that is gone, so a triangle whose middle is at a distance d and
//! whose corners are within r of it holds nothing deeper than d + r: triangles
//! are divided where that could matter, until the answer is known to a
//! tolerance. Nothing of this is shared with the engine that is judged, nor with
//! the one it is compared with.

use proscenium_geometry::{Bounds, Pose, TriangleMesh, nearest_of_triangle};
use proscenium_lod::SolidMesh;
use proscenium_lod::glam::DVec3;

use crate::error::Halt;

/// Depths are known to this share of the radius.
const TOLERANCE: f64 = 0.002;
/// Depths below this share of the radius count as none.
const LEAST: f64 = 0.005;
/// Points of the table of distances along each axis.
const CELLS: usize = 24;

/// A solid whose depth in others can be measured.
pub(crate) struct DepthMesh {
    surface: TriangleMesh,
    radius: f64,
    low: DVec3,
    cell: DVec3,
    /// Signed distances at the points of a grid, positive inside: they only say
    /// where nothing has to be looked at.
    table: Vec<f64>,
}

impl DepthMesh {
    /// A solid and the radius that shares are taken of.
    pub(crate) fn new(mesh: &SolidMesh, radius: f64) -> Result<Self, Halt> {
        let surface =
            TriangleMesh::new(mesh.vertices().to_vec(), mesh.triangles()).map_err(proscenium_lod::LodError::from)?;
        let bounds = surface.bounds();
        let cell = bounds.size() / (CELLS - 1) as f64;
        let mut solid = Self { surface, radius, low: bounds.min, cell, table: Vec::new() };
        solid.table = (0..CELLS.pow(3)).map(|index| solid.signed_distance(solid.grid_point(index))).collect();
        Ok(solid)
    }

    fn grid_point(&self, index: usize) -> DVec3 {
        let step = |axis: u32| (index / CELLS.pow(axis) % CELLS) as f64;
        self.low + self.cell * DVec3::new(step(0), step(1), step(2))
    }

    /// No more than the signed distance at a point can be, from the table.
    fn at_most(&self, point: DVec3) -> f64 {
        let place = ((point - self.low) / self.cell).round().clamp(DVec3::ZERO, DVec3::splat((CELLS - 1) as f64));
        let [x, y, z] = place.to_array().map(|along| along as usize);
        let index = x + CELLS * (y + CELLS * z);
        self.table[index] + point.distance(self.grid_point(index))
    }

    /// The distance to the surface, positive inside and negative outside.
    fn signed_distance(&self, point: DVec3) -> f64 {
        let size = self.surface.bounds().size().length();
        let mut half = 0.02 * size;
        let distance = loop {
            let near = self.surface.triangles_near(&Bounds::around_sphere(point, half));
            let of = |triangle: &u32| nearest_of_triangle(point, self.surface.corners(*triangle)).distance(point);
            let least = near.iter().map(of).fold(f64::INFINITY, f64::min);
            // Beyond the box something nearer may have been missed.
            if least <= half || half > 1e3 * size {
                break least;
            }
            half *= 2.0;
        };
        if self.holds(point) { distance } else { -distance }
    }

    /// Whether a point is inside: the turns that the surface makes about a line
    /// from it upward.
    fn holds(&self, point: DVec3) -> bool {
        let bounds = self.surface.bounds();
        if !bounds.contains_point(point) {
            return false;
        }
        // Off the point by what no modeller chooses, so that edges are not met.
        let hair = 1e-9 * bounds.size().length();
        let point = point + DVec3::new(0.6171 * hair, 0.0, -0.7313 * hair);
        let line = Bounds {
            min: point - DVec3::splat(hair),
            max: DVec3::new(point.x + hair, bounds.max.y + hair, point.z + hair),
        };
        let mut turns = 0;
        for triangle in self.surface.triangles_near(&line) {
            let [a, b, c] = self.surface.corners(triangle).map(|corner| corner - point);
            let side = |p: DVec3, q: DVec3| p.z * q.x - p.x * q.z;
            let (u, v, w) = (side(a, b), side(b, c), side(c, a));
            let (all, height) = (u + v + w, v * a.y + w * b.y + u * c.y);
            if u > 0.0 && v > 0.0 && w > 0.0 && height > 0.0 {
                turns += 1;
            } else if u < 0.0 && v < 0.0 && w < 0.0 && height / all > 0.0 {
                turns -= 1;
            }
        }
        turns != 0
    }

    /// How deep the surface of another solid is in this one, as a share of the
    /// radius.
    fn depth_of(&self, own: &Pose, other: &Self, others: &Pose) -> f64 {
        let own_from_other = own.inverse() * *others;
        let bounds = self.surface.bounds();
        let mut deepest = LEAST * self.radius;
        for triangle in 0..other.surface.triangles().len() as u32 {
            let corners = other.surface.corners(triangle).map(|corner| own_from_other.transform_point(corner));
            let low = corners[0].min(corners[1]).min(corners[2]);
            let high = corners[0].max(corners[1]).max(corners[2]);
            if low.cmple(bounds.max).all() && high.cmpge(bounds.min).all() {
                self.search(corners, &mut deepest);
            }
        }
        if deepest > LEAST * self.radius { deepest / self.radius } else { 0.0 }
    }

    /// Raises the depth to that of the deepest point of a triangle.
    fn search(&self, corners: [DVec3; 3], deepest: &mut f64) {
        let [a, b, c] = corners;
        let middle = (a + b + c) / 3.0;
        let reach = corners.iter().map(|corner| corner.distance(middle)).fold(0.0, f64::max);
        let tolerance = TOLERANCE * self.radius;
        if self.at_most(middle) + reach <= *deepest + tolerance {
            return;
        }
        let here = self.signed_distance(middle);
        *deepest = deepest.max(here);
        if here + reach <= *deepest + tolerance {
            return;
        }
        let [ab, bc, ca] = [0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)];
        for part in [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]] {
            self.search(part, deepest);
        }
    }
}

/// How deep two solids are in each other, as a share of the larger radius.
pub(crate) fn depth(a: &DepthMesh, pose_a: &Pose, b: &DepthMesh, pose_b: &Pose) -> f64 {
    if pose_a.translation.distance(pose_b.translation) > a.radius + b.radius {
        return 0.0;
    }
    a.depth_of(pose_a, b, pose_b).max(b.depth_of(pose_b, a, pose_a))
}

/// How far the lowest corner of a solid is below a height, as a share of its radius.
pub(crate) fn below(solid: &DepthMesh, pose: &Pose, floor: f64) -> f64 {
    let lowest = solid.surface.vertices().iter().map(|vertex| pose.transform_point(*vertex).y);
    (floor - lowest.fold(f64::INFINITY, f64::min)) / solid.radius
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube() -> SolidMesh {
        let corner = |k: u32| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2)) - 0.5;
        let faces: [[u32; 4]; 6] = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles: Vec<[u32; 3]> = faces.iter().flat_map(|f| [[f[0], f[1], f[2]], [f[0], f[2], f[3]]]).collect();
        SolidMesh::new((0..8).map(corner).collect(), &triangles).unwrap().0
    }

    /// Two cubes of an edge of 1: the depth is known.
    #[test]
    fn cubes_are_as_deep_as_they_are() {
        let cube = DepthMesh::new(&cube(), 1.0).unwrap();
        let at = |x: f64, y: f64| depth(&cube, &Pose::IDENTITY, &cube, &Pose::from_translation(DVec3::new(x, y, 0.0)));
        assert_eq!(at(1.01, 0.2), 0.0);
        assert!((at(0.9, 0.2) - 0.1).abs() < 0.004, "{}", at(0.9, 0.2));
        assert!((at(0.7, 0.8) - 0.2).abs() < 0.004, "{}", at(0.7, 0.8));
        // Nothing of either has a corner in the other.
        let turned = Pose::new(DVec3::new(0.0, 0.0, 0.95), proscenium_lod::glam::DQuat::from_rotation_z(0.785));
        let found = depth(&cube, &Pose::IDENTITY, &cube, &turned);
        assert!((found - 0.05).abs() < 0.004, "{found}");
        assert!((below(&cube, &Pose::IDENTITY, -0.4) - 0.1).abs() < 1e-12);
    }
}
