//! Triangle meshes: fixed scenery, and raw material for hulls.

use std::sync::Arc;

use glam::DVec3;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};
use parry3d_f64::transformation::vhacd::{VHACD, VHACDParameters};

use crate::error::{ShapeError, all_finite, positive};
use crate::{Bounds, Hull};

/// Triangles with a tree over them. Cheap to clone.
#[derive(Clone)]
pub struct TriangleMesh {
    data: Arc<MeshData>,
}

struct MeshData {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    bounds: Bounds,
    tree: Bvh,
}

impl std::fmt::Debug for TriangleMesh {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TriangleMesh")
            .field("vertices", &self.data.vertices.len())
            .field("triangles", &self.data.triangles.len())
            .finish()
    }
}

impl PartialEq for TriangleMesh {
    fn eq(&self, other: &Self) -> bool {
        self.data.vertices == other.data.vertices && self.data.triangles == other.data.triangles
    }
}

/// How finely a mesh is cut into convex pieces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decomposition {
    /// Voxels along the longest side.
    pub resolution: u32,
    /// How much hollow a piece may still have, 0 to 1.
    pub concavity: f64,
    /// The most pieces that come out.
    pub max_pieces: u32,
}

impl Default for Decomposition {
    fn default() -> Self {
        Self { resolution: 64, concavity: 0.01, max_pieces: 32 }
    }
}

/// The point of a triangle that is nearest to a point.
///
/// ```
/// use proscenium_geometry::{glam::DVec3, nearest_of_triangle};
///
/// let corners = [DVec3::ZERO, DVec3::X, DVec3::Z];
/// assert_eq!(nearest_of_triangle(DVec3::new(0.25, 3.0, 0.25), corners), DVec3::new(0.25, 0.0, 0.25));
/// assert_eq!(nearest_of_triangle(DVec3::new(2.0, 1.0, -1.0), corners), DVec3::X);
/// ```
pub fn nearest_of_triangle(point: DVec3, [a, b, c]: [DVec3; 3]) -> DVec3 {
    // The corner, edge or face in whose region the point lies (Ericson 2005, 5.1.5).
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (ab.dot(point - a), ac.dot(point - a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let (d3, d4) = (ab.dot(point - b), ac.dot(point - b));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let of_c = d1 * d4 - d3 * d2;
    if of_c <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + d1 / (d1 - d3) * ab;
    }
    let (d5, d6) = (ab.dot(point - c), ac.dot(point - c));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let of_b = d5 * d2 - d1 * d6;
    if of_b <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + d2 / (d2 - d6) * ac;
    }
    let of_a = d3 * d6 - d5 * d4;
    if of_a <= 0.0 && d4 >= d3 && d5 >= d6 {
        return b + (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (c - b);
    }
    let whole = of_a + of_b + of_c;
    a + of_b / whole * ab + of_c / whole * ac
}

impl TriangleMesh {
    /// A mesh from its parts; triangles without area are dropped.
    pub fn new(vertices: Vec<DVec3>, triangles: &[[u32; 3]]) -> Result<Self, ShapeError> {
        all_finite(&vertices)?;
        for (index, triangle) in triangles.iter().enumerate() {
            if let Some(vertex) = triangle.iter().find(|v| **v as usize >= vertices.len()) {
                return Err(ShapeError::NoSuchVertex { triangle: index, vertex: *vertex, count: vertices.len() });
            }
        }
        let corners = |t: &[u32; 3]| t.map(|v| vertices[v as usize]);
        let has_area = |t: &&[u32; 3]| {
            let [a, b, c] = corners(t);
            (b - a).cross(c - a).length_squared() > 0.0
        };
        let triangles: Vec<[u32; 3]> = triangles.iter().filter(has_area).copied().collect();
        if triangles.is_empty() {
            return Err(ShapeError::NoTriangles);
        }
        let leaves: Vec<_> = triangles.iter().map(|t| Bounds::from_points(corners(t)).to_parry()).collect();
        let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &leaves);
        let bounds = Bounds::from_points(vertices.iter().copied());
        Ok(Self { data: Arc::new(MeshData { vertices, triangles, bounds, tree }) })
    }

    /// The same mesh, larger or smaller.
    pub fn scaled(&self, factor: f64) -> Result<Self, ShapeError> {
        positive("a scale", factor)?;
        let vertices = self.data.vertices.iter().map(|v| factor * *v).collect();
        Self::new(vertices, &self.data.triangles)
    }

    /// The corners.
    pub fn vertices(&self) -> &[DVec3] {
        &self.data.vertices
    }

    /// Indices into [`TriangleMesh::vertices`].
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.data.triangles
    }

    /// The three corners of a triangle.
    pub fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.data.triangles[triangle as usize].map(|v| self.data.vertices[v as usize])
    }

    /// The box around the mesh, in its own frame.
    pub fn bounds(&self) -> Bounds {
        self.data.bounds
    }

    /// The triangles whose boxes meet `bounds`, which is in the mesh's frame.
    pub fn triangles_near(&self, bounds: &Bounds) -> Vec<u32> {
        let aabb = bounds.to_parry();
        let mut found: Vec<u32> = self.data.tree.intersect_aabb(&aabb).collect();
        // The order of a tree is an accident of its construction.
        found.sort_unstable();
        found
    }

    /// The convex hull of all vertices.
    pub fn hull(&self) -> Result<Hull, ShapeError> {
        Hull::new(&self.data.vertices)
    }

    /// Convex pieces that together fill the mesh (V-HACD).
    pub fn decompose(&self, settings: &Decomposition) -> Result<Vec<Hull>, ShapeError> {
        let parameters = VHACDParameters {
            resolution: settings.resolution.clamp(8, 256),
            concavity: settings.concavity.clamp(0.0, 1.0),
            max_convex_hulls: settings.max_pieces.clamp(1, 1024),
            ..VHACDParameters::default()
        };
        // A volume needs a boundary without thin parts; the hull test says so first.
        self.hull()?;
        let cut = VHACD::decompose(&parameters, &self.data.vertices, &self.data.triangles, true);
        let pieces: Vec<Hull> = cut
            .compute_exact_convex_hulls(&self.data.vertices, &self.data.triangles)
            .into_iter()
            .filter_map(|(points, _)| Hull::new(&points).ok())
            .collect();
        if pieces.is_empty() { Ok(vec![self.hull()?]) } else { Ok(pieces) }
    }
}
