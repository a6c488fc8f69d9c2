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
/// Sheets have springs along edges, across squares and over two squares, which
/// resist stretch, shear and bending; tubes are braced by diagonals.
#[derive(Clone, Debug, Default)]
pub struct SoftModel {
    pub(crate) groups: Vec<Group>,
    pub(crate) first_vertex: Vec<u32>,
    pub(crate) rest: Vec<DVec3>,
    pub(crate) mass: Vec<f64>,
    pub(crate) pinned: Vec<bool>,
    pub(crate) springs: Vec<Spring>,
    pub(crate) welds: Vec<Weld>,
}

/// What a shell or lattice is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stuff {
    /// Kilograms per square metre of surface.
    pub density: f64,
    /// Newtons per metre of stretch, for each spring.
    pub stretch: f64,
    /// The same for the springs that resist bending.
    pub bend: f64,
}

/// A rectangular net of vertices.
pub(crate) struct Net {
    pub rows: u32,
    pub columns: u32,
    /// Whether the last column is joined to the first, as in a tube.
    pub round: bool,
}

impl Net {
    fn at(&self, row: u32, column: u32) -> u32 {
        row * self.columns + column % self.columns
    }

    fn squares(&self) -> impl Iterator<Item = [u32; 4]> {
        let columns = if self.round { self.columns } else { self.columns - 1 };
        (0..self.rows - 1).flat_map(move |row| {
            (0..columns).map(move |column| {
                [self.at(row, column), self.at(row, column + 1), self.at(row + 1, column), self.at(row + 1, column + 1)]
            })
        })
    }

    /// Two triangles in each square, with diagonals that alternate.
    fn triangles(&self) -> Vec<[u32; 3]> {
        let split = |(index, [a, b, c, d]): (usize, [u32; 4])| match index % 2 {
            0 => [[a, c, b], [b, c, d]],
            _ => [[a, c, d], [a, d, b]],
        };
        self.squares().enumerate().flat_map(split).collect()
    }

    /// Pairs of vertices `step` rows or columns apart.
    fn lines(&self, step: u32) -> Vec<[u32; 2]> {
        let mut lines = Vec::new();
        for row in 0..self.rows {
            for column in 0..self.columns {
                if row + step < self.rows {
                    lines.push([self.at(row, column), self.at(row + step, column)]);
                }
                if self.round || column + step < self.columns {
                    lines.push([self.at(row, column), self.at(row, column + step)]);
                }
            }
        }
        lines
    }
}

impl SoftModel {
    /// Nothing yet.
    pub fn new() -> Self {
        Self { first_vertex: vec![0], ..Self::default() }
    }

    /// The groups so far, at rest.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// How many vertices all groups have.
    pub fn vertex_count(&self) -> usize {
        self.rest.len()
    }

    /// Adds a sheet of `rows` × `columns` vertices, each where `place` puts it
    /// (shares of the way along rows and columns); returns its index.
    pub fn sheet(
        &mut self,
        name: impl Into<String>,
        [rows, columns]: [u32; 2],
        stuff: &Stuff,
        place: impl Fn(f64, f64) -> DVec3,
    ) -> usize {
        let net = Net { rows: rows.max(2), columns: columns.max(2), round: false };
        let share = |index: u32, count: u32| f64::from(index) / f64::from(count - 1);
        let vertices = (0..net.rows)
            .flat_map(|row| (0..net.columns).map(move |column| (row, column)))
            .map(|(row, column)| place(share(row, net.rows), share(column, net.columns)))
            .collect();
        let group = self.group(name.into(), vertices, net.triangles(), stuff);
        for line in net.lines(1) {
            self.spring(group, line, stuff.stretch);
        }
        for [a, b, c, d] in net.squares() {
            self.spring(group, [a, d], stuff.stretch);
            self.spring(group, [b, c], stuff.stretch);
        }
        for line in net.lines(2) {
            self.spring(group, line, stuff.bend);
        }
        group
    }

    /// Adds a tube of `rings` rings of four vertices, `radius` around the line
    /// on which `middle` puts the rings (shares of the way); returns its index.
    pub fn tube(
        &mut self,
        name: impl Into<String>,
        rings: u32,
        radius: f64,
        stuff: &Stuff,
        middle: impl Fn(f64) -> DVec3,
    ) -> usize {
        let net = Net { rows: rings.max(2), columns: 4, round: true };
        let share = |ring: u32| f64::from(ring) / f64::from(net.rows - 1);
        let mut vertices = Vec::new();
        for ring in 0..net.rows {
            let (before, after) = (share(ring.saturating_sub(1)), share((ring + 1).min(net.rows - 1)));
            let along = (middle(after) - middle(before)).normalize_or(DVec3::X);
            // Any direction across does; of two, the one farther from the line.
            let up = if along.y.abs() < 0.9 { DVec3::Y } else { DVec3::X };
            let side = along.cross(up).normalize_or(DVec3::Z);
            let up = side.cross(along);
            let across = [side + up, side - up, -side - up, up - side];
            vertices.extend(across.map(|direction| middle(share(ring)) + radius * direction.normalize_or(up)));
        }
        let group = self.group(name.into(), vertices, net.triangles(), stuff);
        for ring in 0..net.rows {
            for (a, b) in [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3)] {
                self.spring(group, [4 * ring + a, 4 * ring + b], stuff.stretch);
            }
        }
        for ring in 0..net.rows - 1 {
            for (a, b) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
                self.spring(group, [4 * ring + a, 4 * (ring + 1) + b], stuff.stretch);
            }
        }
        for ring in 0..net.rows.saturating_sub(2) {
            (0..4).for_each(|a| self.spring(group, [4 * ring + a, 4 * (ring + 2) + a], stuff.bend));
        }
        group
    }

    fn group(&mut self, name: String, vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>, stuff: &Stuff) -> usize {
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

    fn spring(&mut self, group: usize, ends: [u32; 2], stiffness: f64) {
        let ends = ends.map(|vertex| self.first_vertex[group] + vertex);
        let [a, b] = ends.map(|vertex| self.rest[vertex as usize]);
        self.springs.push(Spring { ends, length: (b - a).length(), compliance: 1.0 / stiffness });
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
