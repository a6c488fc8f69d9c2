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

/// A vertex that is held to a point that goes with four vertices of the parent:
/// shares of them, which sum to one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Weld {
    pub vertex: u32,
    pub corners: [u32; 4],
    pub shares: [f64; 4],
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
const STRAIGHT: f64 = 0.08;

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

    /// What keeps three vertices in a line: straight, even if they are a little
    /// curved, as leaves are that gravity bends. If they are more than that, the
    /// ends keep their distance.
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
            if let Some((_, [a, b, c], [u, v, w])) = nearest.min_by(|a, b| a.0.total_cmp(&b.0)) {
                self.welds.push(Weld { vertex, corners: [a, b, c, c], shares: [u, v, w, 0.0] });
            }
        }
    }

    /// Hangs a group on a parent as [`SoftModel::attach`] does, but holds
    /// `vertices` where they are beside four vertices of the parent that span a
    /// body, so that they turn with it; the first three are the anchor. Four in
    /// a plane hold nothing.
    pub fn graft(&mut self, group: usize, parent: usize, corners: [u32; 4], vertices: &[u32]) {
        let [a, b, c, _] = corners;
        self.groups[group].attachment = Some(Attachment { parent, anchor: [a, b, c] });
        let corners = corners.map(|corner| self.first_vertex[parent] + corner);
        let [origin, ends @ ..] = corners.map(|corner| self.rest[corner as usize]);
        let [x, y, z] = ends.map(|end| end - origin);
        let volume = x.dot(y.cross(z));
        if volume == 0.0 {
            return;
        }
        for &vertex in vertices {
            let vertex = self.first_vertex[group] + vertex;
            let away = self.rest[vertex as usize] - origin;
            let [u, v, w] = [y.cross(z), z.cross(x), x.cross(y)].map(|face| away.dot(face) / volume);
            self.welds.push(Weld { vertex, corners, shares: [1.0 - u - v - w, u, v, w] });
        }
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
        assert_eq!(model.welds.len(), 4);
        let turn = glam::DQuat::from_rotation_z(0.7) * glam::DQuat::from_rotation_y(0.3);
        for weld in &model.welds {
            let places = weld.corners.map(|corner| turn * model.rest[corner as usize] + DVec3::X);
            let held: DVec3 = places.iter().zip(weld.shares).map(|(&place, share)| place * share).sum();
            let wanted = turn * model.rest[weld.vertex as usize] + DVec3::X;
            assert!((held - wanted).length() < 1e-9, "{held} {wanted}");
        }
    }
}
