//! What is simulated: vertices with mass, springs, welds and pins, in groups.

use glam::{DMat3, DVec3};

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

/// Three vertices of a line that keeps how it is bent: the sum of its ends less
/// twice its middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bend {
    pub vertices: [u32; 3],
    /// A vertex beside the middle, with which what is bent at rest turns.
    pub beside: u32,
    /// How it is bent at rest, along the line, to that side and upwards; zero if
    /// it is straight.
    pub curve: DVec3,
    /// Metres per newton.
    pub compliance: f64,
    /// How long bending takes to die, seconds.
    pub damping: f64,
}

impl Bend {
    /// How it is bent.
    pub fn bent(&self, places: &[DVec3]) -> DVec3 {
        let [a, b, c] = self.vertices.map(|vertex| places[vertex as usize]);
        a + c - 2.0 * b
    }

    /// How much less it is bent by a pull of one.
    pub fn weight(&self, inverse_mass: &[f64]) -> f64 {
        let [a, b, c] = self.vertices.map(|vertex| inverse_mass[vertex as usize]);
        a + 4.0 * b + c
    }

    /// Moves the three vertices so that it is less bent.
    pub fn pull(&self, places: &mut [DVec3], inverse_mass: &[f64], pull: DVec3) {
        for (vertex, share) in self.vertices.into_iter().zip([1.0, -2.0, 1.0]) {
            places[vertex as usize] -= pull * (share * inverse_mass[vertex as usize]);
        }
    }

    /// How it would be bent now, if it were bent as at rest.
    pub fn wanted(&self, places: &[DVec3]) -> DVec3 {
        if self.curve == DVec3::ZERO { DVec3::ZERO } else { self.directions(places) * self.curve }
    }

    /// The ways along the line, to the side and upwards.
    fn directions(&self, places: &[DVec3]) -> DMat3 {
        let [a, b, c] = self.vertices.map(|vertex| places[vertex as usize]);
        let along = (c - a).normalize_or_zero();
        let up = along.cross(places[self.beside as usize] - b).normalize_or_zero();
        DMat3::from_cols(along, up.cross(along), up)
    }
}

/// A vertex that is held to a point that goes with four vertices of the parent:
/// shares of them, which sum to one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Weld {
    pub vertex: u32,
    pub corners: [u32; 4],
    pub shares: [f64; 4],
}

impl Weld {
    /// Where the vertex is to be.
    pub fn point(&self, places: &[DVec3]) -> DVec3 {
        self.corners.iter().zip(self.shares).map(|(&corner, share)| places[corner as usize] * share).sum()
    }
}

/// Shells and lattices that hang on each other or grow from each other, ready to
/// be simulated: springs keep their shape, welds and grafts hold children to
/// parents, pins hold what stands.
///
/// Sheets have springs along edges and across squares, which resist stretch and
/// shear, and lines that keep how they are bent; tubes are braced by diagonals.
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
    /// Vertices that go with the parent and do not pull on it, parents first.
    pub(crate) grafts: Vec<Weld>,
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
const STRAIGHT: f64 = 0.01;

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

    /// What keeps three vertices bent as they are, beside a fourth.
    pub(super) fn bend(&mut self, group: usize, vertices: [u32; 3], beside: u32, stuff: &Stuff) {
        let first = self.first_vertex[group];
        let vertices = vertices.map(|vertex| first + vertex);
        let mut bend = Bend {
            vertices,
            beside: first + beside,
            curve: DVec3::ZERO,
            compliance: 1.0 / stuff.bend,
            damping: stuff.damping,
        };
        let bent = bend.bent(&self.rest);
        let [start, _, end] = vertices.map(|vertex| self.rest[vertex as usize]);
        if bent.length() > STRAIGHT * (end - start).length() {
            bend.curve = bend.directions(&self.rest).transpose() * bent;
        }
        self.bends.push(bend);
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
            if let Some((_, [a, b, c], [u, v, w])) = nearest.min_by(|a, b| a.0.total_cmp(&b.0)) {
                self.welds.push(Weld { vertex, corners: [a, b, c, c], shares: [u, v, w, 0.0] });
            }
        }
    }

    /// Hangs a group beside a parent, as on short straps: its frame follows the first three
    /// of four vertices of the parent that span a body, and `vertices` of it are held where
    /// they are beside all four. It pulls at the parent. Four in a plane hold nothing.
    pub fn strap(&mut self, group: usize, parent: usize, corners: [u32; 4], vertices: &[u32]) {
        let [a, b, c, _] = corners;
        self.groups[group].attachment = Some(Attachment { parent, anchor: [a, b, c] });
        let welds = self.beside(group, parent, corners, vertices);
        self.welds.extend(welds);
    }

    /// Lets a group grow from a parent: its frame follows the first three of four
    /// vertices of the parent that span a body, and `vertices` of it stay where
    /// they are beside all four. The parent bears the weight, but is not pulled.
    /// Four in a plane hold nothing.
    pub fn graft(&mut self, group: usize, parent: usize, corners: [u32; 4], vertices: &[u32]) {
        let [a, b, c, _] = corners;
        self.groups[group].attachment = Some(Attachment { parent, anchor: [a, b, c] });
        let grafts = self.beside(group, parent, corners, vertices);
        if grafts.is_empty() {
            return;
        }
        let weight: f64 = self.mass[self.vertices_of(group)].iter().sum();
        let first = self.first_vertex[parent];
        corners.iter().for_each(|&corner| self.mass[(first + corner) as usize] += 0.25 * weight);
        self.grafts.extend(grafts);
    }

    /// Where vertices of a group are beside four of a parent; nothing if these are in a plane.
    fn beside(&self, group: usize, parent: usize, corners: [u32; 4], vertices: &[u32]) -> Vec<Weld> {
        let corners = corners.map(|corner| self.first_vertex[parent] + corner);
        let [origin, ends @ ..] = corners.map(|corner| self.rest[corner as usize]);
        let [x, y, z] = ends.map(|end| end - origin);
        let volume = x.dot(y.cross(z));
        let weld = |&vertex: &u32| {
            let vertex = self.first_vertex[group] + vertex;
            let away = self.rest[vertex as usize] - origin;
            let [u, v, w] = [y.cross(z), z.cross(x), x.cross(y)].map(|face| away.dot(face) / volume);
            Weld { vertex, corners, shares: [1.0 - u - v - w, u, v, w] }
        };
        if volume == 0.0 { Vec::new() } else { vertices.iter().map(weld).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is grafted turns with what it is grafted on, wherever that goes.
    #[test]
    fn a_graft_turns_with_its_parent() {
        let stuff = Stuff { density: 1.0, stretch: 100.0, bend: 1.0, damping: 0.01 };
        let mut model = SoftModel::new();
        let stalk = model.tube("stalk", 3, 0.02, &stuff, |share| DVec3::Y * share);
        let leaf = model.sheet("leaf", [3, 2], &stuff, |row, column| DVec3::new(0.1 + row, 1.0, column - 0.5));
        model.graft(leaf, stalk, [4, 6, 9, 11], &[0, 1, 2, 3]);
        assert_eq!(model.groups()[leaf].attachment.unwrap().anchor, [4, 6, 9]);
        assert_eq!(model.grafts.len(), 4);
        let turn = glam::DQuat::from_rotation_z(0.7) * glam::DQuat::from_rotation_y(0.3);
        for graft in &model.grafts {
            let places = graft.corners.map(|corner| turn * model.rest[corner as usize] + DVec3::X);
            let held: DVec3 = places.iter().zip(graft.shares).map(|(&place, share)| place * share).sum();
            let wanted = turn * model.rest[graft.vertex as usize] + DVec3::X;
            assert!((held - wanted).length() < 1e-9, "{held} {wanted}");
        }
    }
}
