//! Centres, and the roads between them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use proscenium_chance::Stream;
use proscenium_work::{Progress, Stopped, parallel};
use spade::{DelaunayTriangulation, HasPosition, Point2, Triangulation};

use super::network::Network;

/// A junction that is a centre.
#[derive(Clone, Copy, Debug)]
pub(super) struct Centre {
    vertex: u32,
    position: Point2<f64>,
}

impl HasPosition for Centre {
    type Scalar = f64;
    fn position(&self) -> Point2<f64> {
        self.position
    }
}

/// Each junction is a centre with the same chance.
pub(super) fn choose(network: &Network, junctions_per_centre: f64, stream: &mut Stream) -> Vec<Centre> {
    let mut centres = Vec::new();
    for vertex in network.vertices() {
        if stream.uniform() * junctions_per_centre < 1.0 {
            let place = network.position(vertex);
            centres.push(Centre { vertex, position: Point2::new(place.x, place.y) });
        }
    }
    centres
}

/// The edges along the shortest ways between centres that are neighbours: those
/// that share an edge of the centres' Delaunay triangulation.
pub(super) fn between(network: &Network, centres: &[Centre], progress: &Progress) -> Result<Vec<u32>, Stopped> {
    let Ok(triangulation) = DelaunayTriangulation::<Centre>::bulk_load_stable(centres.to_vec()) else {
        return Ok(Vec::new());
    };
    let mut neighbours = vec![Vec::new(); network.vertex_count()];
    for edge in triangulation.undirected_edges() {
        let [a, b] = edge.vertices().map(|vertex| vertex.data().vertex);
        neighbours[a.min(b) as usize].push(a.max(b));
    }
    let chunks: Vec<&[Centre]> = centres.chunks(CHUNK).collect();
    let ways = parallel::try_map(&chunks, |chunk| {
        let mut search = Search::new(network);
        for centre in *chunk {
            progress.check()?;
            search.from(centre.vertex, &neighbours[centre.vertex as usize]);
        }
        Ok(search.ways)
    })?;
    let mut edges = ways.concat();
    edges.sort_unstable();
    edges.dedup();
    Ok(edges)
}

/// A distance as an ordered number: bits of floats that are not negative sort as they do.
fn key(distance: f64) -> u64 {
    distance.to_bits()
}

/// How many centres share the memory of one search, which grows with the city:
/// enough that it is soon forgotten what it took to make it.
const CHUNK: usize = 512;

/// Shortest ways from some vertices to others near them.
struct Search<'network> {
    network: &'network Network,
    /// The search in which a vertex was last reached, and from which on it was settled.
    reached: Vec<[u32; 2]>,
    /// The distance of each vertex that was reached, and the edge to it.
    known: Vec<(f64, u32)>,
    queue: BinaryHeap<(Reverse<u64>, u32)>,
    number: u32,
    ways: Vec<u32>,
}

impl<'network> Search<'network> {
    fn new(network: &'network Network) -> Self {
        let count = network.vertex_count();
        let (reached, known) = (vec![[0; 2]; count], vec![(0.0, 0); count]);
        Self { network, reached, known, queue: BinaryHeap::new(), number: 0, ways: Vec::new() }
    }

    /// Adds the edges on the shortest ways from a vertex to some others
    /// (Dijkstra's algorithm, which ends when all are reached).
    fn from(&mut self, start: u32, targets: &[u32]) {
        self.number += 1;
        self.queue.clear();
        self.reach(start, 0.0, u32::MAX);
        let mut missing = targets.len();
        while let Some((_, vertex)) = self.queue.pop() {
            if missing == 0 {
                break;
            }
            if std::mem::replace(&mut self.reached[vertex as usize][1], self.number) == self.number {
                continue;
            }
            missing -= usize::from(targets.contains(&vertex));
            let (distance, _) = self.known[vertex as usize];
            for edge in self.network.edges_at(vertex) {
                let other = self.network.other(*edge, vertex);
                self.reach(other, distance + self.network.length(*edge), *edge);
            }
        }
        for target in targets {
            let mut vertex = *target;
            while self.reached[vertex as usize][0] == self.number && self.known[vertex as usize].1 != u32::MAX {
                let (_, edge) = self.known[vertex as usize];
                self.ways.push(edge);
                vertex = self.network.other(edge, vertex);
            }
        }
    }

    /// Notes a way to a vertex if it is shorter than what is known.
    fn reach(&mut self, vertex: u32, distance: f64, edge: u32) {
        let at = vertex as usize;
        if self.reached[at][0] != self.number || distance < self.known[at].0 {
            self.reached[at][0] = self.number;
            self.known[at] = (distance, edge);
            self.queue.push((Reverse(key(distance)), vertex));
        }
    }
}
