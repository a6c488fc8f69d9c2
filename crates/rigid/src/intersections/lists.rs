//! Three sorted lists: the structure of the paper.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use proscenium_geometry::Bounds;

use super::{Changes, IntersectingBounds, ordered};

/// Three sorted lists of extents and a hash table of intersecting pairs
/// (Cohen and others 1995; Chenney 2000, figure 3.3).
///
/// A box that changes is moved along each list from its old place. A minimum
/// that passes a maximum changes the overlap in that dimension; whether the
/// other two dimensions overlap is two comparisons each, so no table is kept
/// for single dimensions.
#[derive(Clone, Debug, Default)]
pub struct SortedLists {
    lists: [Vec<Extent>; 3],
    boxes: Vec<Bounds>,
    /// Per box and dimension: the places of its minimum and maximum.
    places: Vec<[[u32; 2]; 3]>,
    pairs: HashSet<u64, BuildHasherDefault<PairHasher>>,
    comparisons: u64,
    /// What an extent has passed, and what has passed each other: memory that
    /// is used again.
    passed: Vec<Extent>,
    crossings: Vec<(Extent, Extent)>,
}

#[derive(Clone, Copy, Debug)]
struct Extent {
    value: f64,
    /// Twice the index of the box, plus one for a maximum.
    end: u32,
}

const MINIMUM: u32 = 0;
const MAXIMUM: u32 = 1;

impl Extent {
    fn index(self) -> u32 {
        self.end >> 1
    }

    fn side(self) -> u32 {
        self.end & 1
    }

    /// At equal values minima come first, so that touching boxes intersect.
    fn before(self, other: Self) -> bool {
        self.value < other.value || (self.value == other.value && self.side() < other.side())
    }
}

/// Pairs are packed into 64 bits; one multiplication spreads them.
#[derive(Clone, Debug, Default)]
struct PairHasher(u64);

impl Hasher for PairHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        let mixed = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 29);
    }
}

fn key((a, b): (u32, u32)) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

impl SortedLists {
    /// An empty structure.
    pub fn new() -> Self {
        Self::default()
    }

    fn make_room(&mut self, index: u32) {
        let needed = index as usize + 1;
        if self.boxes.len() < needed {
            self.boxes.resize(needed, Bounds::EMPTY);
            self.places.resize(needed, [[0; 2]; 3]);
        }
    }

    /// Moves one extent to its new value and notes what it passes.
    fn shift(&mut self, axis: usize, index: u32, side: u32, value: f64, old: &Bounds, changes: &mut Changes) {
        let start = self.places[index as usize][axis][side as usize] as usize;
        let moved = Extent { value, end: index << 1 | side };
        let (list, places) = (&mut self.lists[axis], &mut self.places);
        let mut passed = std::mem::take(&mut self.passed);
        let mut place = start;
        while let Some(other) = list.get(place + 1).copied().filter(|other| other.before(moved)) {
            list[place] = other;
            places[other.index() as usize][axis][other.side() as usize] = place as u32;
            place += 1;
            if other.side() != side {
                passed.push(other);
            }
        }
        let upwards = place > start;
        while let Some(other) = place.checked_sub(1).map(|k| list[k]).filter(|other| moved.before(*other)) {
            list[place] = other;
            places[other.index() as usize][axis][other.side() as usize] = place as u32;
            place -= 1;
            if other.side() != side {
                passed.push(other);
            }
        }
        list[place] = moved;
        places[index as usize][axis][side as usize] = place as u32;
        self.comparisons += start.abs_diff(place) as u64;
        let towards = upwards == (side == MAXIMUM);
        for other in passed.drain(..) {
            self.pass(moved, other, towards, Some(old), changes);
        }
        self.passed = passed;
    }

    /// A minimum and a maximum have passed each other: towards an overlap in
    /// this dimension, or away from one.
    fn pass(&mut self, a: Extent, b: Extent, towards: bool, old_a: Option<&Bounds>, changes: &mut Changes) {
        if a.index() == b.index() {
            return;
        }
        let pair = ordered(a.index(), b.index());
        let other = &self.boxes[b.index() as usize];
        if towards {
            if self.boxes[a.index() as usize].intersects(other) && self.pairs.insert(key(pair)) {
                changes.started.push(pair);
            }
        } else if old_a.is_none_or(|old| old.intersects(other)) && self.pairs.remove(&key(pair)) {
            changes.ended.push(pair);
        }
    }

    /// Re-sorts one list from the beginning (insertion sort: the order has
    /// hardly changed).
    fn sort(&mut self, axis: usize, changes: &mut Changes) {
        let (list, places) = (&mut self.lists[axis], &mut self.places);
        let mut crossings = std::mem::take(&mut self.crossings);
        for start in 1..list.len() {
            let moved = list[start];
            let mut place = start;
            while let Some(other) = place.checked_sub(1).map(|k| list[k]).filter(|other| moved.before(*other)) {
                list[place] = other;
                places[other.index() as usize][axis][other.side() as usize] = place as u32;
                place -= 1;
                if other.side() != moved.side() {
                    crossings.push((moved, other));
                }
            }
            self.comparisons += 1 + (start - place) as u64;
            if place != start {
                list[place] = moved;
                places[moved.index() as usize][axis][moved.side() as usize] = place as u32;
            }
        }
        for (moved, other) in crossings.drain(..) {
            self.pass(moved, other, moved.side() == MINIMUM, None, changes);
        }
        self.crossings = crossings;
    }
}

impl IntersectingBounds for SortedLists {
    /// Sorts each list once, and finds the new pairs by a sweep along the
    /// first.
    fn insert_all(&mut self, bounds: &[(u32, Bounds)], changes: &mut Changes) {
        for (index, bounds) in bounds {
            self.make_room(*index);
            self.boxes[*index as usize] = *bounds;
            for axis in 0..3 {
                let extents = [(bounds.min[axis], MINIMUM), (bounds.max[axis], MAXIMUM)];
                self.lists[axis].extend(extents.map(|(value, side)| Extent { value, end: index << 1 | side }));
            }
        }
        for axis in 0..3 {
            self.lists[axis].sort_by(|a, b| (a.value.total_cmp(&b.value)).then(a.side().cmp(&b.side())));
            for (place, extent) in self.lists[axis].iter().enumerate() {
                self.places[extent.index() as usize][axis][extent.side() as usize] = place as u32;
            }
        }
        let mut open: Vec<u32> = Vec::new();
        for extent in &self.lists[0] {
            let index = extent.index();
            if extent.side() == MAXIMUM {
                open.retain(|other| *other != index);
                continue;
            }
            let own = &self.boxes[index as usize];
            for other in &open {
                self.comparisons += 1;
                let pair = ordered(index, *other);
                if own.intersects(&self.boxes[*other as usize]) && self.pairs.insert(key(pair)) {
                    changes.started.push(pair);
                }
            }
            open.push(index);
        }
    }

    fn insert(&mut self, index: u32, bounds: &Bounds, changes: &mut Changes) {
        self.make_room(index);
        // The new box enters from the far end of each list.
        self.boxes[index as usize] = Bounds::EMPTY;
        for axis in 0..3 {
            for side in [MINIMUM, MAXIMUM] {
                self.places[index as usize][axis][side as usize] = self.lists[axis].len() as u32;
                self.lists[axis].push(Extent { value: f64::INFINITY, end: index << 1 | side });
            }
        }
        self.update(index, bounds, changes);
    }

    fn update(&mut self, index: u32, bounds: &Bounds, changes: &mut Changes) {
        let old = std::mem::replace(&mut self.boxes[index as usize], *bounds);
        for axis in 0..3 {
            let (low, high) = (bounds.min[axis], bounds.max[axis]);
            // The two ends never pass each other.
            if high > old.max[axis] {
                self.shift(axis, index, MAXIMUM, high, &old, changes);
                self.shift(axis, index, MINIMUM, low, &old, changes);
            } else {
                self.shift(axis, index, MINIMUM, low, &old, changes);
                self.shift(axis, index, MAXIMUM, high, &old, changes);
            }
        }
    }

    fn remove(&mut self, index: u32, changes: &mut Changes) {
        // What it intersects is found by its extent along the first list.
        let own = self.boxes[index as usize];
        for axis in 0..3 {
            let kept: Vec<Extent> = self.lists[axis].iter().copied().filter(|e| e.index() != index).collect();
            for (place, extent) in kept.iter().enumerate() {
                self.places[extent.index() as usize][axis][extent.side() as usize] = place as u32;
            }
            self.lists[axis] = kept;
        }
        for place in 0..self.lists[0].len() {
            let other = self.lists[0][place];
            let pair = ordered(index, other.index());
            let meets = other.side() == MINIMUM && own.intersects(&self.boxes[other.index() as usize]);
            if meets && self.pairs.remove(&key(pair)) {
                changes.ended.push(pair);
            }
        }
        self.boxes[index as usize] = Bounds::EMPTY;
    }

    fn update_all(&mut self, bounds: &mut dyn Iterator<Item = (u32, Bounds)>, changes: &mut Changes) {
        for (index, bounds) in bounds {
            self.boxes[index as usize] = bounds;
            for axis in 0..3 {
                let [low, high] = self.places[index as usize][axis];
                self.lists[axis][low as usize].value = bounds.min[axis];
                self.lists[axis][high as usize].value = bounds.max[axis];
            }
        }
        for axis in 0..3 {
            self.sort(axis, changes);
        }
    }

    fn comparisons(&self) -> u64 {
        self.comparisons
    }
}
