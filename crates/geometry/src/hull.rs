//! Convex polyhedra.

use std::sync::{Arc, OnceLock};

use glam::DVec3;
use parry3d_f64::shape::SharedShape;
use parry3d_f64::transformation::try_convex_hull;

use crate::error::{ShapeError, all_finite};

/// A convex polyhedron of positive volume. Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    data: Arc<HullData>,
}

struct HullData {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// Made when first asked for, and shared by all bodies of this shape.
    solid: OnceLock<Option<SharedShape>>,
    facets: OnceLock<Vec<(DVec3, DVec3)>>,
}

impl std::fmt::Debug for HullData {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hull").field("vertices", &self.vertices).field("triangles", &self.triangles).finish()
    }
}

impl PartialEq for HullData {
    fn eq(&self, other: &Self) -> bool {
        self.vertices == other.vertices && self.triangles == other.triangles
    }
}

impl Hull {
    /// The convex hull of some points.
    ///
    /// ```
    /// use proscenium_geometry::{Hull, glam::DVec3};
    ///
    /// let corner = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// assert_eq!(Hull::new(&corner)?.vertices().len(), 4);
    /// assert!(Hull::new(&corner[..3]).is_err());
    /// # Ok::<(), proscenium_geometry::ShapeError>(())
    /// ```
    pub fn new(points: &[DVec3]) -> Result<Self, ShapeError> {
        all_finite(points)?;
        let points = without_twins(points);
        if points.len() < 4 {
            return Err(ShapeError::TooFewPoints { count: points.len() });
        }
        let (size, thickness) = size_and_thickness(&points);
        if thickness <= 1e-9 * size {
            return Err(ShapeError::Flat { thickness });
        }
        let (vertices, triangles) =
            try_convex_hull(&points).map_err(|error| ShapeError::HullFailed { reason: error.to_string() })?;
        let (vertices, triangles) = compact(vertices, &triangles);
        if vertices.len() < 4 || triangles.len() < 4 {
            return Err(ShapeError::Flat { thickness });
        }
        let (solid, facets) = (OnceLock::new(), OnceLock::new());
        Ok(Self { data: Arc::new(HullData { vertices, triangles, solid, facets }) })
    }

    /// The icosahedron whose corners lie on a sphere of this radius.
    pub fn icosahedron(radius: f64) -> Result<Self, ShapeError> {
        crate::error::positive("the radius of an icosahedron", radius)?;
        let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
        let scale = radius / (1.0 + golden * golden).sqrt();
        let mut points = Vec::with_capacity(12);
        for (a, b) in [(1.0, golden), (1.0, -golden), (-1.0, golden), (-1.0, -golden)] {
            points.push(scale * DVec3::new(0.0, a, b));
            points.push(scale * DVec3::new(a, b, 0.0));
            points.push(scale * DVec3::new(b, 0.0, a));
        }
        Self::new(&points)
    }

    /// A cube, each of whose corners is moved by the given offset.
    pub fn perturbed_cube(half_extent: f64, offsets: &[DVec3; 8]) -> Result<Self, ShapeError> {
        crate::error::positive("the half extent of a cube", half_extent)?;
        let corners: Vec<DVec3> = corner_signs().iter().zip(offsets).map(|(s, o)| half_extent * *s + *o).collect();
        Self::new(&corners)
    }

    /// The corners.
    pub fn vertices(&self) -> &[DVec3] {
        &self.data.vertices
    }

    /// The surface as triangles, counter-clockwise seen from outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.data.triangles
    }

    /// parry's polyhedron.
    pub(crate) fn solid(&self) -> Option<SharedShape> {
        let make = || {
            SharedShape::convex_mesh(self.vertices().to_vec(), self.triangles())
                .or_else(|| SharedShape::convex_hull(self.vertices()))
        };
        self.data.solid.get_or_init(make).clone()
    }

    /// The flat sides, each as its outward normal and a corner.
    pub(crate) fn facets(&self) -> &[(DVec3, DVec3)] {
        self.data.facets.get_or_init(|| {
            let mut facets: Vec<(DVec3, DVec3)> = Vec::new();
            for triangle in self.triangles() {
                let [a, b, c] = triangle.map(|v| self.vertices()[v as usize]);
                let normal = (b - a).cross(c - a).normalize_or_zero();
                // Triangles of one face share its plane.
                if !facets.iter().any(|other| other.0.dot(normal) > 1.0 - 1e-14) {
                    facets.push((normal, a));
                }
            }
            facets
        })
    }
}

/// The eight sign combinations, x fastest.
pub(crate) fn corner_signs() -> [DVec3; 8] {
    std::array::from_fn(|i| {
        let sign = |bit: usize| if i & bit == 0 { -1.0 } else { 1.0 };
        DVec3::new(sign(1), sign(2), sign(4))
    })
}

/// The points with exact duplicates removed, in the order of first appearance.
fn without_twins(points: &[DVec3]) -> Vec<DVec3> {
    // Adding 0.0 makes −0 and +0 the same bits.
    let mut seen = std::collections::BTreeSet::new();
    points.iter().copied().filter(|p| seen.insert((*p + 0.0).to_array().map(f64::to_bits))).collect()
}

/// The largest extent of a point set, and its extent across the plane that
/// three far-apart points of it span.
fn size_and_thickness(points: &[DVec3]) -> (f64, f64) {
    let origin = points[0];
    let farthest = |measure: &dyn Fn(DVec3) -> f64| {
        points
            .iter()
            .map(|p| (measure(*p), *p))
            .fold((0.0, origin), |best, next| if next.0 > best.0 { next } else { best })
    };
    let (size, far) = farthest(&|p| p.distance(origin));
    let along = (far - origin).normalize_or_zero();
    let (_, side) = farthest(&|p| (p - origin).cross(along).length());
    let normal = along.cross(side - origin).normalize_or_zero();
    let (thickness, _) = farthest(&|p| (p - origin).dot(normal).abs());
    (size, thickness)
}

/// Drops vertices that no triangle uses.
fn compact(vertices: Vec<DVec3>, triangles: &[[u32; 3]]) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let mut new_index = vec![u32::MAX; vertices.len()];
    let mut kept = Vec::new();
    let mut renamed = Vec::with_capacity(triangles.len());
    for triangle in triangles {
        renamed.push(triangle.map(|old| {
            let slot = &mut new_index[old as usize];
            if *slot == u32::MAX {
                *slot = kept.len() as u32;
                kept.push(vertices[old as usize]);
            }
            *slot
        }));
    }
    (kept, renamed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_icosahedron_has_twelve_corners_and_twenty_faces() {
        let hull = Hull::icosahedron(2.0).unwrap();
        assert_eq!((hull.vertices().len(), hull.triangles().len()), (12, 20));
        assert!(hull.vertices().iter().all(|v| (v.length() - 2.0).abs() < 1e-12));
    }

    #[test]
    fn flat_and_degenerate_points_are_refused() {
        let flat: Vec<DVec3> = (0..10).map(|i| DVec3::new(f64::from(i), f64::from(i * i), 0.0)).collect();
        assert!(matches!(Hull::new(&flat), Err(ShapeError::Flat { .. })));
        let line: Vec<DVec3> = (0..10).map(|i| DVec3::splat(f64::from(i))).collect();
        assert!(matches!(Hull::new(&line), Err(ShapeError::Flat { .. })));
        assert!(matches!(Hull::new(&[DVec3::ONE; 9]), Err(ShapeError::TooFewPoints { count: 1 })));
        assert!(matches!(Hull::new(&[DVec3::NAN; 9]), Err(ShapeError::NotFinite { index: 0 })));
    }

    #[test]
    fn inner_points_are_dropped() {
        let mut points: Vec<DVec3> = corner_signs().to_vec();
        points.push(DVec3::new(0.1, 0.2, 0.3));
        assert_eq!(Hull::new(&points).unwrap().vertices().len(), 8);
    }
}
