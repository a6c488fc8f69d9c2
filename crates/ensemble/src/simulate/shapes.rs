//! The shapes that models are built of: sheets, tubes and blades.

use glam::DVec3;

use super::{SoftModel, Stuff};

/// A rectangular net of vertices.
struct Net {
    rows: u32,
    columns: u32,
    /// Whether the last column is joined to the first, as in a tube.
    round: bool,
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

    /// Pairs of vertices that are next to each other in a column or a row.
    fn edges(&self) -> Vec<[u32; 2]> {
        let mut edges = Vec::new();
        for row in 0..self.rows {
            for column in 0..self.columns {
                if row + 1 < self.rows {
                    edges.push([self.at(row, column), self.at(row + 1, column)]);
                }
                if self.round || column + 1 < self.columns {
                    edges.push([self.at(row, column), self.at(row, column + 1)]);
                }
            }
        }
        edges
    }

    /// Three vertices of each column, and one beside the middle one.
    fn along(&self) -> Vec<([u32; 3], u32)> {
        let beside = |column: u32| if self.round || column + 1 < self.columns { column + 1 } else { column - 1 };
        let lines = |row: u32| (0..self.columns).map(move |column| (row, column));
        let line =
            |(row, column)| ([0, 1, 2].map(|step| self.at(row + step, column)), self.at(row + 1, beside(column)));
        (0..self.rows.saturating_sub(2)).flat_map(lines).map(line).collect()
    }

    /// The same of each row.
    fn across(&self) -> Vec<([u32; 3], u32)> {
        let beside = |row: u32| if row + 1 < self.rows { row + 1 } else { row - 1 };
        let lines = |row: u32| (0..self.columns.saturating_sub(2)).map(move |column| (row, column));
        let line =
            |(row, column)| ([0, 1, 2].map(|step| self.at(row, column + step)), self.at(beside(row), column + 1));
        (0..self.rows).flat_map(lines).map(line).collect()
    }
}

impl SoftModel {
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
        for edge in net.edges() {
            self.spring(group, edge, stuff.stretch);
        }
        for [a, b, c, d] in net.squares() {
            self.spring(group, [a, d], stuff.stretch);
            self.spring(group, [b, c], stuff.stretch);
        }
        for (line, beside) in net.along().into_iter().chain(net.across()) {
            self.bend(group, line, beside, stuff);
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
        self.stalk(name, rings, stuff, |_| radius, middle)
    }

    /// Adds a tube whose radius changes along its way.
    pub fn stalk(
        &mut self,
        name: impl Into<String>,
        rings: u32,
        stuff: &Stuff,
        radius: impl Fn(f64) -> f64,
        middle: impl Fn(f64) -> DVec3,
    ) -> usize {
        let net = Net { rows: rings.max(2), columns: 4, round: true };
        let place = |share: f64| {
            let along = direction(&middle, share, 1.0 / f64::from(net.rows - 1));
            // Any direction across does; of two, the one farther from the line.
            let up = if along.y.abs() < 0.9 { DVec3::Y } else { DVec3::X };
            let side = along.cross(up).normalize_or(DVec3::Z);
            let up = side.cross(along);
            let across = [side + up, side - up, -side - up, up - side];
            across.map(|direction| middle(share) + radius(share) * direction.normalize_or(up))
        };
        self.lattice(name.into(), &net, stuff, place)
    }

    /// Adds a blade: three vertices in each of `rows` rows, folded along the
    /// middle like a gutter, around the line on which `middle` puts the rows.
    /// `width` is how wide it is there, `across` roughly the way of its width.
    pub fn blade(
        &mut self,
        name: impl Into<String>,
        rows: u32,
        stuff: &Stuff,
        across: DVec3,
        middle: impl Fn(f64) -> DVec3,
        width: impl Fn(f64) -> f64,
    ) -> usize {
        let net = Net { rows: rows.max(2), columns: 3, round: false };
        let place = |share: f64| {
            let along = direction(&middle, share, 1.0 / f64::from(net.rows - 1));
            let face = along.cross(across).normalize_or(along.any_orthonormal_vector());
            let (half, at) = (0.5 * width(share) * face.cross(along), middle(share));
            let fold = FOLD * width(share) * face;
            [at - half + fold, at, at + half + fold]
        };
        self.lattice(name.into(), &net, stuff, place)
    }

    /// Stiffens a group of rows and columns along its columns: lines of three
    /// vertices that are twice, four times and so on as far apart keep how they
    /// are bent, too. What one step passes on from vertex to vertex would leave a
    /// long leaf limp.
    pub fn ribs(&mut self, group: usize, [rows, columns]: [u32; 2], stuff: &Stuff) {
        let mut stride = 2;
        while 2 * stride < rows {
            // Pieces that are twice as long add twice the stiffness.
            let stuff = Stuff { bend: stuff.bend / f64::from(stride * stride * stride), ..*stuff };
            for row in 0..rows - 2 * stride {
                for column in 0..columns {
                    let line = [0, 1, 2].map(|step| (row + step * stride) * columns + column);
                    let beside = if column + 1 < columns { line[1] + 1 } else { line[1] - 1 };
                    self.bend(group, line, beside, &stuff);
                }
            }
            stride *= 2;
        }
    }

    /// A net whose rows are braced crosswise, so that they keep their shape and
    /// their twist, and whose columns resist bending.
    fn lattice<const WIDTH: usize>(
        &mut self,
        name: String,
        net: &Net,
        stuff: &Stuff,
        place: impl Fn(f64) -> [DVec3; WIDTH],
    ) -> usize {
        let (rows, width) = (net.rows, WIDTH as u32);
        let vertices = (0..rows).flat_map(|row| place(f64::from(row) / f64::from(rows - 1))).collect();
        let group = self.group(name, vertices, net.triangles(), stuff);
        for row in 0..rows {
            for (a, b) in (0..width).flat_map(|a| (a + 1..width).map(move |b| (a, b))) {
                self.spring(group, [width * row + a, width * row + b], stuff.stretch);
            }
        }
        for row in 0..rows - 1 {
            for (a, b) in (0..width).flat_map(|a| (0..width).map(move |b| (a, b))) {
                self.spring(group, [width * row + a, width * (row + 1) + b], stuff.stretch);
            }
        }
        for (line, beside) in net.along() {
            self.bend(group, line, beside, stuff);
        }
        group
    }
}

/// How deep the fold of a blade is, as a share of its width.
const FOLD: f64 = 0.25;

/// The way of a line at a share of it.
fn direction(middle: impl Fn(f64) -> DVec3, share: f64, step: f64) -> DVec3 {
    (middle((share + step).min(1.0)) - middle((share - step).max(0.0))).normalize_or(DVec3::X)
}
