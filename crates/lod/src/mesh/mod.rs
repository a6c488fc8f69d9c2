//! Closed triangle meshes: what volume models are built from.

mod builtin;
mod intake;
mod marching;
mod repair;
mod winding;

use glam::DVec3;
use proscenium_work::{Finish as _, Progress};

pub use builtin::{BUILT_IN, built_in};
pub use intake::read_mesh;
pub use marching::SampleGrid;
pub use repair::Repair;

use crate::LodError;

/// More triangles than this are refused.
pub(crate) const MOST_TRIANGLES: usize = 4_000_000;

/// Vertices, and triangles between them that may be anything.
pub(crate) type Soup = (Vec<DVec3>, Vec<[u32; 3]>);

/// A closed surface of triangles, counter-clockwise seen from outside.
///
/// ```
/// use proscenium_lod::{SolidMesh, glam::DVec3};
///
/// // A tetrahedron with one side missing and another turned inside out.
/// let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
/// let (mesh, report) = SolidMesh::new(corners, &[[0, 2, 1], [0, 1, 3], [0, 2, 3]])?;
/// assert_eq!((report.filled_holes, report.flipped_triangles), (1, 1));
/// assert!((mesh.volume() - 1.0 / 6.0).abs() < 1e-12);
/// # Ok::<(), proscenium_lod::LodError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SolidMesh {
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

impl SolidMesh {
    /// A solid from triangles: equal vertices become one, triangles that face
    /// the wrong way are turned, holes are filled; what was done is reported.
    /// [`read_mesh`], which is given larger ones, can be stopped.
    ///
    /// # Errors
    /// When nothing is enclosed, or what is wrong cannot be mended.
    pub fn new(vertices: Vec<DVec3>, triangles: &[[u32; 3]]) -> Result<(Self, Repair), LodError> {
        let mended = repair::repair(vertices, triangles, &Progress::none()).finish()?;
        Ok(mended.finished().expect("nobody stops it"))
    }

    /// The corners.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Indices into [`SolidMesh::vertices`].
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The corners of a triangle.
    pub(crate) fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|vertex| self.vertices[vertex as usize])
    }

    /// What it encloses, m³.
    pub fn volume(&self) -> f64 {
        signed_volume(&self.vertices, &self.triangles)
    }

    /// The same solid, larger or smaller.
    ///
    /// # Errors
    /// When the factor is not positive.
    pub fn scaled(&self, factor: f64) -> Result<Self, LodError> {
        crate::error::positive("a scale", factor)?;
        let vertices = self.vertices.iter().map(|vertex| factor * *vertex).collect();
        Ok(Self { vertices, triangles: self.triangles.clone() })
    }

    /// The same solid with its longest side, along an axis, of so many metres, and
    /// what it was scaled by.
    ///
    /// ```
    /// let knot = proscenium_lod::mesh::built_in("knot", 500)?;
    /// let (small, factor) = knot.sized(0.1)?;
    /// assert!((small.volume() / knot.volume() - factor * factor * factor).abs() < 1e-12);
    /// # Ok::<(), proscenium_lod::LodError>(())
    /// ```
    ///
    /// # Errors
    /// When the size is not positive.
    pub fn sized(&self, size: f64) -> Result<(Self, f64), LodError> {
        let (low, high) = self.bounds();
        let factor = crate::error::positive("the size of a mesh", size)? / (high - low).max_element();
        Ok((self.scaled(factor)?, factor))
    }

    /// The lowest and the highest coordinates.
    pub(crate) fn bounds(&self) -> (DVec3, DVec3) {
        let first = self.vertices.first().copied().unwrap_or_default();
        self.vertices.iter().fold((first, first), |(low, high), vertex| (low.min(*vertex), high.max(*vertex)))
    }
}

pub(crate) fn signed_volume(vertices: &[DVec3], triangles: &[[u32; 3]]) -> f64 {
    let Some(&origin) = vertices.first() else {
        return 0.0;
    };
    let six: f64 = triangles
        .iter()
        .map(|triangle| {
            let [a, b, c] = triangle.map(|vertex| vertices[vertex as usize] - origin);
            a.dot(b.cross(c))
        })
        .sum();
    six / 6.0
}
