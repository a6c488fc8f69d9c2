//! Random points and the edges between the places that are nearest to them.

use glam::DVec2;
use proscenium_chance::Stream;
use proscenium_work::{Progress, Stopped};
use spade::{DelaunayTriangulation, Point2, Triangulation};

/// A diagram: its vertices, and pairs of them.
pub(super) struct Edges {
    pub(super) vertices: Vec<DVec2>,
    pub(super) edges: Vec<[u32; 2]>,
}

/// A Poisson point process in a rectangle with one corner at the origin: the
/// gaps between points in the order of x are exponential, and y is uniform.
pub(super) fn poisson_points(size: DVec2, spacing: f64, stream: &mut Stream) -> Vec<DVec2> {
    let mean_gap = spacing * spacing / size.y;
    let mut points = Vec::with_capacity((size.x / mean_gap * 1.1) as usize);
    let mut x = 0.0;
    loop {
        x -= mean_gap * libm::log(1.0 - stream.uniform());
        if x >= size.x {
            return points;
        }
        points.push(DVec2::new(x, size.y * stream.uniform()));
    }
}

/// The edges of the points' Voronoi diagram that do not leave the rectangle.
pub(super) fn edges(points: &[DVec2], size: DVec2, progress: &Progress) -> Result<Edges, Stopped> {
    let sites = points.iter().map(|point| Point2::new(point.x, point.y)).collect();
    let diagram = DelaunayTriangulation::<Point2<f64>>::bulk_load(sites)
        .expect("points of a finite rectangle are finite and of ordinary size");
    let mut numbers = vec![u32::MAX; diagram.num_all_faces()];
    let mut vertices = Vec::new();
    for face in diagram.inner_faces() {
        progress.check()?;
        let place = face.circumcenter();
        if (0.0..=size.x).contains(&place.x) && (0.0..=size.y).contains(&place.y) {
            numbers[face.fix().index()] = vertices.len() as u32;
            vertices.push(DVec2::new(place.x, place.y));
        }
    }
    let mut edges = Vec::new();
    for edge in diagram.undirected_edges() {
        progress.check()?;
        let ends = edge.vertices_faces();
        let [a, b] = ends.map(|face| numbers[face]);
        if a != u32::MAX && b != u32::MAX {
            edges.push([a, b]);
        }
    }
    Ok(Edges { vertices, edges })
}

trait Faces {
    fn vertices_faces(&self) -> [usize; 2];
}

impl<V, DE, UE, F> Faces for spade::handles::UndirectedEdgeHandle<'_, V, DE, UE, F> {
    /// The numbers of the faces on both sides of an edge.
    fn vertices_faces(&self) -> [usize; 2] {
        let directed = self.as_directed();
        [directed.face().fix().index(), directed.rev().face().fix().index()]
    }
}
