//! Which of many animations are like a given one, without a look at all of them.

use std::collections::BTreeMap;

use proscenium_scenes::Sketch;

/// So many coordinates tell animations apart: each lookup asks 3 to this power cells.
const COORDINATES: usize = 4;
/// At these shares of the time: where bodies are when they have been let go, and at
/// the end.
const SHARES: [f64; 3] = [0.25, 0.5, 1.0];
/// From so many members on, and at every doubling, the coordinates are chosen anew.
const FIRST_CHOICE: usize = 16;
/// Of no more bodies than this coordinates are considered.
const MOST_BODIES: usize = 32;

/// One coordinate of one body at one time.
#[derive(Clone, Copy, Debug)]
struct Coordinate {
    body: usize,
    share: f64,
    axis: usize,
}

impl Coordinate {
    fn of(self, sketch: &Sketch) -> Option<f64> {
        sketch.place(self.body, self.share).map(|place| place[self.axis])
    }
}

type Cell = [i64; COORDINATES];

/// What is compared of each animation, by its number.
pub(crate) type Sketches = BTreeMap<u32, Sketch>;

/// Animations of which no two are within a reach of each other.
///
/// Two that are within reach are so in every coordinate of every body at every time.
/// So the few coordinates in which members are spread most widely are divided into
/// cells as wide as the reach, and whoever is near is in a neighbouring cell. What has
/// no place in one of these coordinates is compared with all.
#[derive(Debug)]
pub(crate) struct Neighbours {
    /// Radii.
    reach: f64,
    coordinates: Vec<Coordinate>,
    cells: BTreeMap<Cell, Vec<u32>>,
    /// Members without a cell.
    rest: Vec<u32>,
    members: Vec<u32>,
    next_choice: usize,
}

impl Neighbours {
    pub fn within(reach: f64) -> Self {
        Self {
            reach,
            coordinates: Vec::new(),
            cells: BTreeMap::new(),
            rest: Vec::new(),
            members: Vec::new(),
            next_choice: FIRST_CHOICE,
        }
    }

    pub fn members(&self) -> &[u32] {
        &self.members
    }

    /// The first member within reach of an animation, if there is one.
    pub fn find(&self, sketch: &Sketch, sketches: &Sketches) -> Option<u32> {
        let is_near = |member: &u32| sketches.get(member).is_some_and(|other| !other.is_further(sketch, self.reach));
        let Some(cell) = self.cell(sketch) else {
            return self.members.iter().copied().find(is_near);
        };
        let dimensions = self.coordinates.len() as u32;
        let beside = (0..3_usize.pow(dimensions)).flat_map(|mut number| {
            let mut beside = cell;
            for coordinate in beside.iter_mut().take(self.coordinates.len()) {
                *coordinate += number as i64 % 3 - 1;
                number /= 3;
            }
            self.cells.get(&beside).into_iter().flatten().copied()
        });
        beside.chain(self.rest.iter().copied()).filter(is_near).min()
    }

    /// Adds a member that is within reach of no other.
    pub fn add(&mut self, member: u32, sketches: &Sketches) {
        self.members.push(member);
        self.put(member, sketches);
        if self.members.len() >= self.next_choice {
            self.next_choice *= 2;
            self.choose(sketches);
        }
    }

    fn put(&mut self, member: u32, sketches: &Sketches) {
        match sketches.get(&member).and_then(|sketch| self.cell(sketch)) {
            Some(cell) => self.cells.entry(cell).or_default().push(member),
            None => self.rest.push(member),
        }
    }

    /// Where an animation is; `None` if it has no place in one of the coordinates.
    fn cell(&self, sketch: &Sketch) -> Option<Cell> {
        let mut cell = [0; COORDINATES];
        for (index, coordinate) in cell.iter_mut().zip(&self.coordinates) {
            *index = (coordinate.of(sketch)? / self.reach).floor() as i64;
        }
        Some(cell)
    }

    /// Chooses the coordinates in which members are spread most widely, among those
    /// that all of them have.
    fn choose(&mut self, sketches: &Sketches) {
        let all: Vec<&Sketch> = self.members.iter().filter_map(|member| sketches.get(member)).collect();
        let bodies = all.first().map_or(0, |sketch| sketch.body_count()).min(MOST_BODIES);
        let coordinates = (0..bodies).flat_map(|body| {
            let coordinate = move |share| (0..3).map(move |axis| Coordinate { body, share, axis });
            SHARES.into_iter().flat_map(coordinate)
        });
        let spread = |coordinate: Coordinate| {
            let places = all.iter().map(|sketch| coordinate.of(sketch)).collect::<Option<Vec<f64>>>()?;
            let mean = places.iter().sum::<f64>() / places.len() as f64;
            Some((places.iter().map(|place| (place - mean) * (place - mean)).sum::<f64>(), coordinate))
        };
        let mut spreads: Vec<(f64, Coordinate)> = coordinates.filter_map(spread).collect();
        // Stable: of equal spreads the first comes first.
        spreads.sort_by(|a, b| b.0.total_cmp(&a.0));
        self.coordinates = spreads.iter().take(COORDINATES).map(|(_, coordinate)| *coordinate).collect();
        self.cells.clear();
        self.rest.clear();
        for member in self.members.clone() {
            self.put(member, sketches);
        }
    }
}
