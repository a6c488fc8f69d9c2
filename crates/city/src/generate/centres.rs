//! Centres, and the roads between them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use proscenium_chance::Stream;
use rayon::prelude::*;
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
pub(super) fn between(network: &Network, centres: &[Centre]) -> Vec<u32> {
    let Ok(triangulation) = DelaunayTriangulation::<Centre>::bulk_load_stable(centres.to_vec()) else {
        return Vec::new();
    };
    let mut neighbours = vec![Vec::new(); network.vertex_count()];
    for edge in triangulation.undirected_edges() {
        let [a, b] = edge.vertices().map(|vertex| vertex.data().vertex);
        neighbours[a.min(b) as usize].push(a.max(b));
    }
    let mut edges: Vec<u32> = centres
        .par_iter()
        .flat_map_iter(|centre| shortest_ways(network, centre.vertex, &neighbours[centre.vertex as usize]))
        .collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// A distance as an ordered number: bits of floats that are not negative sort as they do.
fn key(distance: f64) -> u64 {
    distance.to_bits()
}

/// The edges on the shortest ways from a vertex to some others (Dijkstra's
/// algorithm, which ends when all are reached).
fn shortest_ways(network: &Network, start: u32, targets: &[u32]) -> Vec<u32> {
    // Only what is near is visited: a map from vertices, not an array of all.
    let mut known = std::collections::BTreeMap::from([(start, (0.0, u32::MAX))]);
    let mut settled = std::collections::BTreeSet::new();
    let mut queue = BinaryHeap::from([(Reverse(key(0.0)), start)]);
    let mut missing = targets.len();
    while let Some((_, vertex)) = queue.pop() {
        if missing == 0 {
            break;
        }
        if !settled.insert(vertex) {
            continue;
        }
        missing -= usize::from(targets.contains(&vertex));
        let (distance, _) = known[&vertex];
        for edge in network.edges_at(vertex) {
            let other = network.other(*edge, vertex);
            let through = distance + network.length(*edge);
            if known.get(&other).is_none_or(|(best, _)| through < *best) {
                known.insert(other, (through, *edge));
                queue.push((Reverse(key(through)), other));
            }
        }
    }
    let mut ways = Vec::new();
    for target in targets {
        let mut vertex = *target;
        while let Some((_, edge)) = known.get(&vertex).filter(|(_, edge)| *edge != u32::MAX) {
            ways.push(*edge);
            vertex = network.other(*edge, vertex);
        }
    }
    ways
}
