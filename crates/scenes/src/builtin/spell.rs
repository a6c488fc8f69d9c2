//! Marbles that spell (Chenney 2000, section 2.4.3 and appendix A.2).

use crate::error::SceneErrors;
use crate::file::{
    At, BodyFile, DensityFile, InsideFile, MaterialFile, Number, PairFile, RepeatFile, SceneFile, ShapeFile, SolidFile,
    TrianglesFile, Vector, WantFile, vector,
};

use super::font::{Height, Lettering, lettering};
use super::parts::{about, drawn, fixed, material, named};
use super::{Builtin, Ingredients, Parameter, Text};

pub(super) const SCENE: Builtin = Builtin {
    name: "spell",
    summary: "Marbles are dropped one after the other into a box of bins whose partitions are uncertain, and should \
              spell a word, as in Chenney 2000.",
    text: Some(Text { default: "HI", meaning: "the word: letters of the alphabet and spaces" }),
    parameters: &[
        Parameter::whole("height", 3.0, [3.0, 5.0], "rows of a letter: 3 or 5"),
        Parameter::new("interval", 0.2, [0.1, 10.0], "between two marbles, s"),
        Parameter::new("weight", 5.0, [0.1, 100.0], "how much a bin counts: log λ of the paper"),
        Parameter::new("settle", 2.0, [1e-3, 1e6], "how long it runs after the last marble is dropped, s"),
    ],
    build,
};

/// The inner side of a bin, and how thick and high its partitions are, m.
const BIN: f64 = 0.020;
const THICKNESS: f64 = 0.002;
const PARTITION: f64 = 0.012;
/// From the middle of a bin to the next, m.
pub(crate) const PITCH: f64 = BIN + THICKNESS;
/// How much lower the middle of a floor is than its edge, m.
const DOME: f64 = 0.005;
/// The depth of the box, and where marbles are dropped above its bottom, m.
const DEPTH: f64 = 0.036;
const DROP: f64 = 0.072;
/// Of each component of where a corner of a partition is, m.
pub(crate) const DEVIATION: f64 = 1e-4;
/// The radius of a marble, m.
const MARBLE: f64 = 0.008;
/// The centre of a marble that lies in a bin is lower than this, m.
const TALLEST: f64 = 0.018;

fn build(given: &Ingredients<'_>) -> Result<SceneFile, SceneErrors> {
    let height = match given.count("height") {
        3 => Height::Three,
        5 => Height::Five,
        _ => return Err(SceneErrors::plain("there are letters of 3 and of 5 rows", "give height=3 or height=5")),
    };
    let word = lettering(given.text, height).map_err(|character| {
        let message = format!("the font has no '{character}'");
        SceneErrors::plain(message, "use the letters A to Z and spaces")
    })?;
    if word.filled.is_empty() {
        return Err(SceneErrors::plain("a word has at least one letter", "write, for example, spell=HI"));
    }
    let glass = MaterialFile { roughness: Some(0.1.into()), ..material("sky", 2500.0, 0.5, 0.3) };
    let felt = MaterialFile { roughness: Some(0.9.into()), ..material("#c9a06a", 700.0, 0.3, 0.4) };
    // A marble sinks into felt: it does not roll far.
    let sinking = PairFile {
        materials: ["glass", "felt"].map(|name| name.to_string().into()).into(),
        restitution: None,
        friction: None,
        rolling: Some(Number::from(0.25)),
    };
    Ok(SceneFile {
        duration: Some(At::from((word.filled.len() - 1) as f64 * given.number("interval") + given.number("settle"))),
        materials: vec![("glass".to_string().into(), glass), ("felt".to_string().into(), felt)],
        pairs: vec![sinking],
        bodies: vec![fixed("box", "felt", Bins::new(&word).shape(), glam::DVec3::ZERO), marbles(&word, given)],
        wants: word.filled.iter().map(|bin| filled(*bin, &word, given.number("weight"))).collect(),
        ..SceneFile::default()
    })
}

/// From the middle of the box to the middle of a bin, along one axis.
fn middle(index: usize, bins: usize) -> f64 {
    (index as f64 - 0.5 * (bins - 1) as f64) * PITCH
}

/// A marble should come to rest in a bin; one that lies on a partition is in
/// none.
fn filled([column, row]: [usize; 2], word: &Lettering, weight: f64) -> WantFile {
    let position = [middle(column, word.columns), 0.0, middle(row, word.rows)];
    let bin =
        InsideFile::Box { edges: [BIN, 2.0 * TALLEST, BIN].into(), position: Some(position.into()), within: None };
    WantFile {
        name: Some(format!("bin {}.{}", column + 1, row + 1).into()),
        inside: Some(bin.into()),
        at_least: Some(1.into()),
        weight: Some(weight.into()),
        ..WantFile::of("marble")
    }
}

/// As many marbles as there are bins to fill, each dropped anywhere over the
/// box.
fn marbles(word: &Lettering, given: &Ingredients<'_>) -> BodyFile {
    let [x, z] = [word.columns, word.rows].map(|bins| about(0.0, 0.5 * (bins as f64 * PITCH - THICKNESS) - MARBLE));
    let count = At::from(word.filled.len() as u64);
    let repeat = RepeatFile::Row { count, offset: None, interval: Some(given.number("interval").into()) };
    BodyFile {
        material: named("glass"),
        position: Some(At::from([x, Number::from(DROP), z])),
        takes_part: Some(0.5.into()),
        repeat: Some(repeat.into()),
        ..BodyFile::new("marble", SolidFile::Sphere { sphere: Number::from(MARBLE) })
    }
}

/// The box as triangles.
struct Bins {
    columns: usize,
    rows: usize,
    vertices: Vec<Vector>,
    faces: Vec<[u32; 3]>,
}

/// Where the vertices of one kind begin among all.
#[derive(Clone, Copy)]
enum Level {
    /// The corners of the floors of the bins.
    Floor,
    /// The same corners on top of the partitions.
    Top,
}

impl Bins {
    fn new(word: &Lettering) -> Self {
        let (columns, rows) = (word.columns, word.rows);
        let mut bins = Self { columns, rows, vertices: Vec::new(), faces: Vec::new() };
        bins.corners(|[x, z], _| vector(x, DOME, z));
        bins.corners(|[x, z], of_box| match of_box {
            // No partition reaches the corners of the box.
            true => vector(x, PARTITION, z),
            false => At::from([x, PARTITION, z].map(|mean| drawn(DensityFile::Normal([mean, DEVIATION])))),
        });
        for row in 0..rows {
            for column in 0..columns {
                bins.bin(column, row);
            }
        }
        bins.outside();
        bins
    }

    fn shape(self) -> ShapeFile {
        ShapeFile::Triangles { triangles: TrianglesFile { vertices: self.vertices, faces: self.faces.into() } }
    }

    /// Two corners along each axis for every bin; `place` is told where they
    /// are, and which are those of the box.
    fn corners(&mut self, place: impl Fn([f64; 2], bool) -> Vector) {
        let along = |index: usize, bins: usize| {
            middle(index / 2, bins) + if index.is_multiple_of(2) { -0.5 * BIN } else { 0.5 * BIN }
        };
        for row in 0..2 * self.rows {
            for column in 0..2 * self.columns {
                let at_end = |index: usize, bins: usize| index == 0 || index == 2 * bins - 1;
                let of_box = at_end(column, self.columns) && at_end(row, self.rows);
                self.vertices.push(place([along(column, self.columns), along(row, self.rows)], of_box));
            }
        }
    }

    /// The number of a corner, counted from 1.
    fn corner(&self, level: Level, column: usize, row: usize) -> u32 {
        let before = match level {
            Level::Floor => 0,
            Level::Top => 4 * self.columns * self.rows,
        };
        (before + row * 2 * self.columns + column + 1) as u32
    }

    fn add(&mut self, vertex: Vector) -> u32 {
        self.vertices.push(vertex);
        self.vertices.len() as u32
    }

    fn quad(&mut self, [a, b, c, d]: [u32; 4]) {
        self.faces.extend([[a, b, c], [a, c, d]]);
    }

    /// The floor of a bin, and the partitions to its right and in front of it.
    fn bin(&mut self, column: usize, row: usize) {
        let lowest = self.add(vector(middle(column, self.columns), 0.0, middle(row, self.rows)));
        let (left, back) = (2 * column, 2 * row);
        let (right, front) = (left + 1, back + 1);
        let ring = [[left, back], [left, front], [right, front], [right, back]];
        for (here, next) in [(0, 1), (1, 2), (2, 3), (3, 0)] {
            let [here, next] = [ring[here], ring[next]].map(|[x, z]| self.corner(Level::Floor, x, z));
            self.faces.push([lowest, here, next]);
        }
        let (more_right, more_front) = (column + 1 < self.columns, row + 1 < self.rows);
        if more_right {
            self.partition([[right, front], [right, back], [right + 1, back], [right + 1, front]]);
        }
        if more_front {
            self.partition([[left, front], [right, front], [right, front + 1], [left, front + 1]]);
        }
        if more_right && more_front {
            let post = [[right, front], [right + 1, front], [right + 1, front + 1], [right, front + 1]];
            self.top(post);
        }
    }

    /// A partition: one side from the first corner to the second, the other
    /// from the third to the fourth, and the top between them.
    fn partition(&mut self, [a, b, c, d]: [[usize; 2]; 4]) {
        for [[x, z], [u, v]] in [[a, b], [c, d]] {
            self.quad([
                self.corner(Level::Floor, x, z),
                self.corner(Level::Floor, u, v),
                self.corner(Level::Top, u, v),
                self.corner(Level::Top, x, z),
            ]);
        }
        self.top([a, b, c, d]);
    }

    fn top(&mut self, ring: [[usize; 2]; 4]) {
        let ring = ring.map(|[column, row]| self.corner(Level::Top, column, row));
        self.quad(ring);
    }

    /// The four walls around all bins.
    fn outside(&mut self) {
        let [x, z] = [self.columns, self.rows].map(|bins| 0.5 * (bins as f64 * PITCH - THICKNESS));
        let ring = [(-x, -z), (-x, z), (x, z), (x, -z)];
        let low = ring.map(|(x, z)| self.add(vector(x, 0.0, z)));
        let high = ring.map(|(x, z)| self.add(vector(x, DEPTH, z)));
        for (here, next) in [(0, 1), (1, 2), (2, 3), (3, 0)] {
            self.quad([low[here], low[next], high[next], high[here]]);
        }
    }
}
