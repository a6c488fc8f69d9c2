//! What is simulated: vertices with mass, springs, welds and pins, in groups.

use glam::DVec3;

use crate::data::{Attachment, Group};
use crate::frame::narrow;

/// A straight spring between two vertices, at rest at its first length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spring {
    pub ends: [u32; 2],
    pub length: f64,
    /// Metres per newton.
    pub compliance: f64,
}

/// Three vertices in a line, which resist being bent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bend {
    pub vertices: [u32; 3],
    /// Metres per newton, of the sum of the ends less twice the middle.
    pub compliance: f64,
    /// How long bending takes to die, seconds.
    pub damping: f64,
}

/// A vertex that is held to a point of the parent's surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Weld {
    pub vertex: u32,
    pub corners: [u32; 3],
    pub shares: [f64; 3],
}

/// Shells and lattices that hang on each other, ready to be simulated: springs
/// keep their shape, welds hold children to parents, pins hold what stands.
///
/// Sheets have springs along edges and across squares, which resist stretch and
/// shear, and lines that resist bending; tubes are braced by diagonals.
#[derive(Clone, Debug, Default)]
pub struct SoftModel {
    pub(crate) groups: Vec<Group>,
    pub(crate) first_vertex: Vec<u32>,
    pub(crate) rest: Vec<DVec3>,
    pub(crate) mass: Vec<f64>,
    pub(crate) pinned: Vec<bool>,
    pub(crate) springs: Vec<Spring>,
    pub(crate) bends: Vec<Bend>,
    pub(crate) welds: Vec<Weld>,
}

/// What a shell or lattice is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stuff {
    /// Kilograms per square metre of surface.
    pub density: f64,
    /// Newtons per metre of stretch, for each spring.
    pub stretch: f64,
    /// The same for what resists bending.
    pub bend: f64,
    /// How long bending takes to die, seconds.
    pub damping: f64,
}

/// Lines that are bent by less than this share of their length are straight.
const STRAIGHT: f64 = 0.02;

impl SoftModel {
    /// Nothing yet.
    pub fn new() -> Self {
        Self { first_vertex: vec![0], ..Self::default() }
    }

    /// The groups so far, at rest.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Where the vertices of a group are among all.
    pub(crate) fn vertices_of(&self, group: usize) -> std::ops::Range<usize> {
        self.first_vertex[group] as usize..self.first_vertex[group + 1] as usize
    }

    /// The corners of a triangle of a group among all vertices.
    pub(crate) fn triangle(&self, group: usize, number: u32) -> [u32; 3] {
        self.groups[group].triangles[number as usize].map(|vertex| self.first_vertex[group] + vertex)
    }

    /// How many vertices all groups have.
    pub fn vertex_count(&self) -> usize {
        self.rest.len()
    }

    pub(super) fn group(
        &mut self,
        name: String,
        vertices: Vec<DVec3>,
        triangles: Vec<[u32; 3]>,
        stuff: &Stuff,
    ) -> usize {
        let first = self.rest.len();
        self.mass.resize(first + vertices.len(), 0.0);
        for triangle in &triangles {
            let [a, b, c] = triangle.map(|vertex| vertices[vertex as usize]);
            let share = stuff.density * (b - a).cross(c - a).length() / 6.0;
            triangle.iter().for_each(|&vertex| self.mass[first + vertex as usize] += share);
        }
        self.groups.push(Group {
            name,
            attachment: None,
            rest: vertices.iter().copied().map(narrow).collect(),
            triangles,
        });
        self.rest.extend(vertices);
        self.pinned.resize(self.rest.len(), false);
        self.first_vertex.push(self.rest.len() as u32);
        self.groups.len() - 1
    }

    pub(super) fn spring(&mut self, group: usize, ends: [u32; 2], stiffness: f64) {
        let ends = ends.map(|vertex| self.first_vertex[group] + vertex);
        let [a, b] = ends.map(|vertex| self.rest[vertex as usize]);
        self.springs.push(Spring { ends, length: (b - a).length(), compliance: 1.0 / stiffness });
    }

    /// What keeps three vertices in the line in which they are. If that is not
    /// straight, the ends keep their distance.
    pub(super) fn bend(&mut self, group: usize, vertices: [u32; 3], stuff: &Stuff) {
        let vertices = vertices.map(|vertex| self.first_vertex[group] + vertex);
        let [a, b, c] = vertices.map(|vertex| self.rest[vertex as usize]);
        if (a + c - 2.0 * b).length() > STRAIGHT * (c - a).length() {
            let ends = [vertices[0], vertices[2]];
            self.springs.push(Spring { ends, length: (c - a).length(), compliance: 1.0 / stuff.bend });
        } else {
            self.bends.push(Bend { vertices, compliance: 1.0 / stuff.bend, damping: stuff.damping });
        }
    }

    /// Holds a vertex of a group where it is.
    pub fn pin(&mut self, group: usize, vertex: u32) {
        self.pinned[(self.first_vertex[group] + vertex) as usize] = true;
    }

    /// Hangs a group on a parent: its frame follows `anchor`, and `vertices` of
    /// it are held to the nearest points of the parent's surface.
    pub fn attach(&mut self, group: usize, parent: usize, anchor: [u32; 3], vertices: &[u32]) {
        self.groups[group].attachment = Some(Attachment { parent, anchor });
        let first = self.first_vertex[parent];
        for &vertex in vertices {
            let vertex = self.first_vertex[group] + vertex;
            let point = self.rest[vertex as usize];
            let nearest = self.groups[parent].triangles.iter().map(|triangle| {
                let corners = triangle.map(|corner| first + corner);
                let places = corners.map(|corner| self.rest[corner as usize]);
                let shares = crate::contact::nearest_of_triangle(point, &places);
                let away = places.iter().zip(shares).map(|(&place, share)| place * share).sum::<DVec3>() - point;
                (away.length_squared(), corners, shares)
            });
            if let Some((_, corners, shares)) = nearest.min_by(|a, b| a.0.total_cmp(&b.0)) {
                self.welds.push(Weld { vertex, corners, shares });
            }
        }
    }
}
