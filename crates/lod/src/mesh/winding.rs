//! What a soup of triangles encloses, where its surface does not say it: the
//! winding number of a point is how often the surface goes around it.
//!
//! The number is the sum of the solid angles of all triangles, over 4π (Jacobson,
//! Kavan and Sorkine-Hornung 2013). Of triangles that are far away only the sum of
//! their areas counts, so that a point takes the logarithm of their number (Barill
//! and others 2018). It is an integer for closed surfaces, whatever they do inside,
//! and still says something near holes.

use glam::DVec3;
use proscenium_work::{Progress, Stopped, parallel};

use super::Soup;
use super::marching::SampleGrid;

/// Cells along the longest side of what is rebuilt; chosen: a tree of depth 6 has
/// as many.
pub(super) const CELLS: usize = 64;
/// Triangles farther away than this many times their reach count as one place.
const FAR: f64 = 4.0;
/// What goes around a point more than this often holds it; chosen: one open sheet
/// goes around nothing more than half, and a closed surface around all once.
const INSIDE: f64 = 0.55;
/// A number farther than this from an integer decides nothing; where most points
/// inside have one, the surface is open and encloses nothing.
const UNDECIDED: f64 = 0.25;
/// Triangles of a leaf.
const LEAF: usize = 8;
/// Halvings of an edge of the grid to where the surface cuts it.
const HALVINGS: usize = 10;
/// A cut is no nearer to a corner of the grid than this share, so that no triangle
/// is a needle.
const ROOM: f64 = 0.05;

/// Some triangles, and what they look like from far away.
struct Cluster {
    center: DVec3,
    reach: f64,
    /// The sum of the outward normals, each times its area.
    area: DVec3,
    /// The two parts, or none for a leaf.
    parts: Option<[u32; 2]>,
    from: usize,
    to: usize,
}

/// The winding numbers of a soup of triangles.
pub(super) struct WindingNumbers {
    corners: Vec<[DVec3; 3]>,
    clusters: Vec<Cluster>,
}

impl WindingNumbers {
    pub(super) fn new(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let corners = triangles.iter().map(|triangle| triangle.map(|vertex| vertices[vertex as usize])).collect();
        let mut numbers = Self { corners, clusters: Vec::new() };
        let all = numbers.corners.len();
        numbers.cluster(0, all);
        numbers
    }

    /// Makes a cluster of some triangles, halved along their longest side.
    fn cluster(&mut self, from: usize, to: usize) -> u32 {
        let own = &mut self.corners[from..to];
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (mut area, mut weighted, mut whole) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        for [a, b, c] in own.iter() {
            let normal = 0.5 * (*b - *a).cross(*c - *a);
            area += normal;
            weighted += normal.length() * (*a + *b + *c) / 3.0;
            whole += normal.length();
            low = low.min(a.min(*b).min(*c));
            high = high.max(a.max(*b).max(*c));
        }
        let center = if whole > 0.0 { weighted / whole } else { 0.5 * (low + high) };
        let reach = own.iter().flatten().map(|corner| corner.distance(center)).fold(0.0, f64::max);
        let number = self.clusters.len() as u32;
        self.clusters.push(Cluster { center, reach, area, parts: None, from, to });
        if to - from > LEAF {
            let size = high - low;
            let axis = (0..3).fold(0, |best, axis| if size[axis] > size[best] { axis } else { best });
            let along = |corners: &[DVec3; 3]| corners.iter().map(|corner| corner[axis]).sum::<f64>();
            own.sort_by(|one, other| along(one).total_cmp(&along(other)));
            let middle = usize::midpoint(from, to);
            let parts = [self.cluster(from, middle), self.cluster(middle, to)];
            self.clusters[number as usize].parts = Some(parts);
        }
        number
    }

    /// How often the surface goes around a point.
    pub(super) fn at(&self, point: DVec3) -> f64 {
        let mut turns = 0.0;
        let mut open = vec![0_u32];
        while let Some(number) = open.pop() {
            let cluster = &self.clusters[number as usize];
            let offset = cluster.center - point;
            let distance = offset.length();
            if distance > FAR * cluster.reach {
                turns += cluster.area.dot(offset) / (distance * distance * distance);
                continue;
            }
            match cluster.parts {
                Some(parts) => open.extend(parts),
                None => {
                    turns += self.corners[cluster.from..cluster.to].iter().map(|c| solid_angle(point, c)).sum::<f64>()
                }
            }
        }
        turns / (4.0 * std::f64::consts::PI)
    }

    /// Whether a point counts as inside, whichever way the surface faces.
    fn holds(&self, point: DVec3) -> bool {
        self.at(point).abs() > INSIDE
    }

    /// The surface of all points that count as inside; none where the surface is too
    /// open to say.
    pub(super) fn surface(&self, progress: &Progress) -> Result<Soup, Stopped> {
        let corners = self.corners.iter().flatten();
        let (low, high) =
            corners.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(a, b), corner| (a.min(*corner), b.max(*corner)));
        let cell = (high - low).max_element() / CELLS as f64;
        // One point more on each side, which is outside, and off the places that
        // modellers choose.
        let low = low - cell * DVec3::new(0.631, 0.587, 0.617);
        let points = (high - low).to_array().map(|size| (size / cell) as usize + 3);
        let grid = SampleGrid { low, cell, points };
        let layer = points[0] * points[1];
        let mut inside = Vec::with_capacity(grid.count());
        for z in 0..points[2] {
            progress.tell("rebuilding the surface", 0.8 * z as f64 / points[2] as f64)?;
            inside.extend(parallel::times(layer, |number| {
                let turns = self.at(grid.place(z * layer + number)).abs();
                (turns > INSIDE, (turns - turns.round()).abs() > UNDECIDED)
            }));
        }
        let (many, undecided) = inside
            .iter()
            .filter(|(inside, _)| *inside)
            .fold((0, 0), |(many, open), (_, undecided)| (many + 1, open + usize::from(*undecided)));
        if 2 * undecided > many {
            return Ok((Vec::new(), Vec::new()));
        }
        let inside: Vec<bool> = inside.into_iter().map(|(inside, _)| inside).collect();
        let cut = |inner: DVec3, outer: DVec3| {
            let (mut near, mut far) = (0.0, 1.0);
            for _ in 0..HALVINGS {
                let middle: f64 = 0.5 * (near + far);
                if self.holds(inner.lerp(outer, middle)) {
                    near = middle;
                } else {
                    far = middle;
                }
            }
            (0.5 * (near + far)).clamp(ROOM, 1.0 - ROOM)
        };
        progress.check()?;
        Ok(grid.surface(&inside, cut))
    }
}

/// The solid angle of a triangle from a point, positive from behind (van Oosterom
/// and Strackee 1983).
fn solid_angle(point: DVec3, corners: &[DVec3; 3]) -> f64 {
    let [a, b, c] = corners.map(|corner| corner - point);
    let (x, y, z) = (a.length(), b.length(), c.length());
    let below = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
    2.0 * libm::atan2(a.dot(b.cross(c)), below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::built_in;
    use proscenium_chance::Seed;

    /// Against the sum over all triangles, one by one.
    #[test]
    fn what_is_far_counts_as_one_place() {
        let knot = built_in("knot", 2000).unwrap();
        let numbers = WindingNumbers::new(knot.vertices(), knot.triangles());
        let mut stream = Seed(4).stream("winding");
        let mut inside = 0;
        for _ in 0..200 {
            let point = 1.2 * stream.uniform() * stream.unit_vector();
            let all: f64 = (0..knot.triangles().len()).map(|index| solid_angle(point, &knot.corners(index))).sum();
            let exact = all / (4.0 * std::f64::consts::PI);
            assert!((exact - exact.round()).abs() < 1e-9, "a closed surface: {exact}");
            assert!((numbers.at(point) - exact).abs() < 0.05, "{} {exact}", numbers.at(point));
            inside += usize::from(exact > 0.5);
        }
        assert!(inside > 5, "{inside}");
    }

    #[test]
    fn a_solid_comes_back_from_its_winding_numbers() {
        let solid = built_in("knot", 600).unwrap();
        let numbers = WindingNumbers::new(solid.vertices(), solid.triangles());
        let (vertices, triangles) = numbers.surface(&Progress::none()).unwrap();
        let rebuilt = crate::mesh::signed_volume(&vertices, &triangles);
        assert!((rebuilt / solid.volume() - 1.0).abs() < 0.01, "{rebuilt} {}", solid.volume());
    }
}
