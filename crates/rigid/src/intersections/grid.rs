//! A hierarchical hash grid: local work, however bodies cluster.

use std::f64::consts::SQRT_2;

use proscenium_geometry::Bounds;
use proscenium_geometry::glam::DVec3;

use super::{Changes, IntersectingBounds, ordered};

/// Boxes in cells of their own size.
///
/// A box belongs to the level whose cells are just wider than it is, and on
/// that level to the one cell that holds its smallest corner. A box then
/// reaches at most into the next cells, so that what it can intersect is found
/// in a few cells of each level in use. Cells are buckets of a hash table, and
/// exist only as far as they are filled. Boxes without end have a level of
/// their own, which every query looks through.
///
/// No pairs are kept: what a box intersected before follows from its old
/// extent, so an update costs what is near it and nothing else.
///
/// ```
/// use proscenium_rigid::intersections::{Changes, HashGrid, IntersectingBounds};
/// use proscenium_rigid::{geometry::Bounds, glam::DVec3};
///
/// let mut grid = HashGrid::new();
/// let mut changes = Changes::default();
/// grid.insert(0, &Bounds::around_sphere(DVec3::ZERO, 1.0), &mut changes);
/// grid.insert(1, &Bounds::around_sphere(DVec3::X, 1.0), &mut changes);
/// assert_eq!(changes.started, [(0, 1)]);
/// grid.update(1, &Bounds::around_sphere(9.0 * DVec3::X, 1.0), &mut changes);
/// assert_eq!(changes.ended, [(0, 1)]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct HashGrid {
    entries: Vec<Entry>,
    /// The first entry of each bucket, a power of two of them, and per entry
    /// the next one. They are apart from the entries, so that all entries near
    /// a place are known before the first of them is fetched.
    heads: Vec<u32>,
    next: Vec<u32>,
    /// Per entry its smallest corner, rounded, which tells most of those that
    /// are near from those that intersect.
    corners: Vec<[f32; 4]>,
    /// Who is near: memory that is used again.
    near: Vec<u32>,
    /// Levels that hold or held boxes.
    levels: Vec<Level>,
    count: usize,
    comparisons: u64,
}

/// One box.
#[derive(Clone, Debug)]
struct Entry {
    bounds: Bounds,
    bucket: u32,
    /// Which of the levels, and where among its members.
    level: u32,
    place: u32,
}

#[derive(Clone, Debug)]
struct Level {
    /// The width of its cells, or infinity.
    width: f64,
    members: Vec<u32>,
}

/// Some cells of one level, from one corner to the other.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cells {
    low: [i64; 3],
    high: [i64; 3],
}

const NOBODY: u32 = u32::MAX;
/// A level with so many times more members takes in boxes from below.
const CROWDED: usize = 16;
/// The levels of the narrowest and the widest cells.
const FINEST: i32 = -1800;
const WIDEST: i32 = 1800;

impl Cells {
    /// The cells that hold the smallest corners of all boxes that are narrower
    /// than a cell and intersect this one.
    fn around(bounds: &Bounds, width: f64) -> Self {
        let per_width = 1.0 / width;
        Self { low: cells(bounds.min - width, per_width), high: cells(bounds.max, per_width) }
    }

    fn merge(&self, other: &Self) -> Self {
        let mut both = *self;
        for k in 0..3 {
            both.low[k] = both.low[k].min(other.low[k]);
            both.high[k] = both.high[k].max(other.high[k]);
        }
        both
    }

    /// How many; more than there can be entries is as good as any.
    fn count(&self) -> f64 {
        (0..3).map(|k| (self.high[k] as f64 - self.low[k] as f64 + 1.0).max(0.0)).product()
    }
}

/// The width of the cells of a level: each is wider by the square root of two
/// than the one before.
pub(crate) fn cell_width(level: i32) -> f64 {
    let exponent = level.clamp(FINEST, WIDEST).div_euclid(2);
    let power_of_two = f64::from_bits(((exponent + 1023) as u64) << 52);
    if level.rem_euclid(2) == 0 { power_of_two } else { SQRT_2 * power_of_two }
}

/// The first level whose cells are wider than this.
pub(crate) fn level_above(size: f64) -> i32 {
    // A positive number lies in [2^e, 2^(e+1)).
    let even = 2 * ((size.max(f64::MIN_POSITIVE).to_bits() >> 52) as i32 - 1023);
    let level = if size < cell_width(even + 1) { even + 1 } else { even + 2 };
    level.clamp(FINEST, WIDEST)
}

/// The width of the cells for a box; infinite for boxes without end.
fn width_for(bounds: &Bounds) -> f64 {
    let size = bounds.size().max_element();
    let ends = bounds.min.is_finite() && bounds.max.is_finite() && size < cell_width(WIDEST);
    if ends { cell_width(level_above(size)) } else { f64::INFINITY }
}

/// The number of the cell in which a place is. It saturates, and never falls
/// as places rise.
#[inline]
fn cell(place: f64, per_width: f64) -> i64 {
    let scaled = place * per_width;
    let towards_zero = scaled as i64;
    towards_zero.saturating_sub(i64::from(scaled < towards_zero as f64))
}

fn rounded(corner: DVec3) -> [f32; 4] {
    [corner.x as f32, corner.y as f32, corner.z as f32, 0.0]
}

#[inline]
fn cells(place: DVec3, per_width: f64) -> [i64; 3] {
    [cell(place.x, per_width), cell(place.y, per_width), cell(place.z, per_width)]
}

impl HashGrid {
    /// An empty structure.
    pub fn new() -> Self {
        Self::default()
    }

    /// A number for a row of cells; the cells of a row lie side by side.
    #[inline]
    fn row(level: u32, y: i64, z: i64) -> usize {
        let mixed = (y as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ (z as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f)
            ^ u64::from(level).wrapping_mul(0x1656_67b1_9e37_79f9);
        (mixed ^ (mixed >> 32)) as usize
    }

    #[inline]
    fn bucket(&self, row: usize, x: i64) -> usize {
        row.wrapping_add(x as usize) & (self.heads.len() - 1)
    }

    /// The level of a box: the one with the narrowest cells, made if it is new,
    /// or a crowded one whose cells are at most twice as wide. A level with
    /// few members costs every query about as much as one with many.
    fn level(&mut self, bounds: &Bounds) -> u32 {
        let width = width_for(bounds);
        let known = self.levels.iter().position(|level| level.width == width);
        let alone = known.map_or(0, |level| self.levels[level].members.len());
        let crowded = |level: &&Level| level.width <= 2.0 * width && level.members.len() > CROWDED * (alone + 1);
        let wider = self.levels.iter().filter(|level| level.width > width).filter(crowded);
        if let Some(chosen) = wider.map(|level| level.width).reduce(f64::min) {
            return self.levels.iter().position(|level| level.width == chosen).unwrap_or(0) as u32;
        }
        if let Some(known) = known {
            return known as u32;
        }
        self.levels.push(Level { width, members: Vec::new() });
        self.levels.len() as u32 - 1
    }

    /// The bucket of the cell that holds the smallest corner.
    fn bucket_of(&self, level: u32, corner: DVec3) -> u32 {
        let width = self.levels[level as usize].width;
        if width == f64::INFINITY {
            return NOBODY;
        }
        let [x, y, z] = cells(corner, 1.0 / width);
        self.bucket(Self::row(level, y, z), x) as u32
    }

    fn link(&mut self, index: u32) {
        let Entry { bounds, level, .. } = self.entries[index as usize];
        let bucket = self.bucket_of(level, bounds.min);
        self.entries[index as usize].bucket = bucket;
        if bucket != NOBODY {
            self.next[index as usize] = std::mem::replace(&mut self.heads[bucket as usize], index);
        }
    }

    fn unlink(&mut self, index: u32) {
        let bucket = self.entries[index as usize].bucket;
        if bucket == NOBODY {
            return;
        }
        let after = self.next[index as usize];
        let mut at = self.heads[bucket as usize];
        if at == index {
            self.heads[bucket as usize] = after;
            return;
        }
        while at != NOBODY {
            let next = self.next[at as usize];
            if next == index {
                self.next[at as usize] = after;
                return;
            }
            at = next;
        }
    }

    fn join(&mut self, index: u32, level: u32) {
        let members = &mut self.levels[level as usize].members;
        let entry = &mut self.entries[index as usize];
        (entry.level, entry.place) = (level, members.len() as u32);
        members.push(index);
    }

    fn quit(&mut self, index: u32) {
        let Entry { level, place, .. } = self.entries[index as usize];
        let members = &mut self.levels[level as usize].members;
        members.swap_remove(place as usize);
        if let Some(moved) = members.get(place as usize) {
            self.entries[*moved as usize].place = place;
        }
    }

    /// Makes room for so many boxes; the table has at least as many buckets.
    fn reserve(&mut self, count: usize) {
        if count <= self.heads.len() {
            return;
        }
        self.heads = vec![NOBODY; (2 * count).next_power_of_two().max(64)];
        for level in 0..self.levels.len() {
            for place in 0..self.levels[level].members.len() {
                self.link(self.levels[level].members[place]);
            }
        }
    }

    fn place(&mut self, index: u32, bounds: &Bounds) {
        let needed = index as usize + 1;
        if self.entries.len() < needed {
            let nothing = Entry { bounds: Bounds::EMPTY, bucket: NOBODY, level: 0, place: 0 };
            self.entries.resize(needed, nothing);
            self.next.resize(needed, NOBODY);
            self.corners.resize(needed, [0.0; 4]);
        }
        self.count += 1;
        self.reserve(self.count);
        let level = self.level(bounds);
        self.set(index, bounds);
        self.join(index, level);
        self.link(index);
    }

    fn set(&mut self, index: u32, bounds: &Bounds) {
        self.entries[index as usize].bounds = *bounds;
        self.corners[index as usize] = rounded(bounds.min);
    }

    /// Compares a box that comes, changes or goes with everything near it.
    fn compare(&mut self, index: u32, old: Option<&Bounds>, new: Option<&Bounds>, changes: &mut Changes) {
        let mut near = std::mem::take(&mut self.near);
        near.clear();
        let hull = old.map_or(Bounds::EMPTY, |b| *b).merge(&new.map_or(Bounds::EMPTY, |b| *b));
        for (number, level) in (0_u32..).zip(&self.levels) {
            let first = near.len();
            self.gather(number, level, [old, new], &mut near);
            self.comparisons += (near.len() - first) as u64;
            if level.width < f64::INFINITY {
                self.sift(&mut near, first, &hull, level.width);
            }
        }
        let (first_started, first_ended) = (changes.started.len(), changes.ended.len());
        for other in near.iter().copied() {
            let bounds = &self.entries[other as usize].bounds;
            if !hull.intersects(bounds) || other == index {
                continue;
            }
            match (old.is_some_and(|b| b.intersects(bounds)), new.is_some_and(|b| b.intersects(bounds))) {
                (false, true) => changes.started.push(ordered(index, other)),
                (true, false) => changes.ended.push(ordered(index, other)),
                _ => {}
            }
        }
        self.near = near;
        // Two cells may share a bucket, whose entries are then seen twice. In
        // order, the changes do not depend on how the cells are arranged.
        tidy(&mut changes.started, first_started);
        tidy(&mut changes.ended, first_ended);
    }

    /// Gathers all boxes of a level that may intersect one of two.
    fn gather(&self, number: u32, level: &Level, two: [Option<&Bounds>; 2], near: &mut Vec<u32>) {
        let Level { width, members } = level;
        if members.is_empty() {
            return;
        }
        let regions = match two.map(|bounds| bounds.map(|bounds| Cells::around(bounds, *width))) {
            [Some(before), Some(after)] => {
                let both = before.merge(&after);
                if both.count() <= before.count() + after.count() {
                    [Some(both), None]
                } else {
                    [Some(before), Some(after)]
                }
            }
            regions => regions,
        };
        let cells: f64 = regions.iter().flatten().map(Cells::count).sum();
        if *width == f64::INFINITY || cells > 30.0 + 2.0 * members.len() as f64 {
            near.extend_from_slice(members);
        } else {
            for region in regions.iter().flatten() {
                self.gather_cells(number, region, near);
            }
        }
    }

    /// Keeps those from a place in the list on whose smallest corners are where
    /// those of boxes of a level that intersect the hull must be. Rounding
    /// keeps the order, so that none is lost. No branch depends on memory, so
    /// that many corners are fetched at once.
    fn sift(&self, near: &mut Vec<u32>, first: usize, hull: &Bounds, width: f64) {
        let (low, high) = (rounded(hull.min - width), rounded(hull.max));
        let mut kept = first;
        for k in first..near.len() {
            let other = near[k];
            let corner = &self.corners[other as usize];
            let mut inside = true;
            for axis in 0..3 {
                inside &= (low[axis] <= corner[axis]) & (corner[axis] <= high[axis]);
            }
            near[kept] = other;
            kept += usize::from(inside);
        }
        near.truncate(kept);
    }

    fn gather_cells(&self, level: u32, cells: &Cells, near: &mut Vec<u32>) {
        for z in cells.low[2]..=cells.high[2] {
            for y in cells.low[1]..=cells.high[1] {
                let row = Self::row(level, y, z);
                for x in cells.low[0]..=cells.high[0] {
                    let mut at = self.heads[self.bucket(row, x)];
                    while at != NOBODY {
                        near.push(at);
                        at = self.next[at as usize];
                    }
                }
            }
        }
    }
}

/// Sorts what was added to a list, and leaves each pair once.
fn tidy(pairs: &mut Vec<(u32, u32)>, first: usize) {
    pairs[first..].sort_unstable();
    let mut kept = first;
    for k in first..pairs.len() {
        if kept == first || pairs[k] != pairs[kept - 1] {
            pairs[kept] = pairs[k];
            kept += 1;
        }
    }
    pairs.truncate(kept);
}

impl IntersectingBounds for HashGrid {
    fn insert_all(&mut self, bounds: &[(u32, Bounds)], changes: &mut Changes) {
        self.reserve(self.count + bounds.len());
        for (index, bounds) in bounds {
            self.insert(*index, bounds, changes);
        }
    }

    fn insert(&mut self, index: u32, bounds: &Bounds, changes: &mut Changes) {
        self.compare(index, None, Some(bounds), changes);
        self.place(index, bounds);
    }

    fn update(&mut self, index: u32, bounds: &Bounds, changes: &mut Changes) {
        let old = self.entries[index as usize].bounds;
        self.compare(index, Some(&old), Some(bounds), changes);
        let level = self.level(bounds);
        let entry = &self.entries[index as usize];
        let moves = level != entry.level || self.bucket_of(level, bounds.min) != entry.bucket;
        if moves {
            self.unlink(index);
            if level != self.entries[index as usize].level {
                self.quit(index);
                self.join(index, level);
            }
        }
        self.set(index, bounds);
        if moves {
            self.link(index);
        }
    }

    fn remove(&mut self, index: u32, changes: &mut Changes) {
        let old = self.entries[index as usize].bounds;
        self.compare(index, Some(&old), None, changes);
        self.unlink(index);
        self.quit(index);
        self.count -= 1;
    }

    /// One after the other. A pair that parts and meets again on the way has
    /// not changed.
    fn update_all(&mut self, bounds: &mut dyn Iterator<Item = (u32, Bounds)>, changes: &mut Changes) {
        let mut all = Changes::default();
        for (index, bounds) in bounds {
            self.update(index, &bounds, &mut all);
        }
        let mut net: Vec<((u32, u32), i32)> = all.started.iter().map(|pair| (*pair, 1)).collect();
        net.extend(all.ended.iter().map(|pair| (*pair, -1)));
        net.sort_unstable();
        for group in net.chunk_by(|a, b| a.0 == b.0) {
            match group.iter().map(|(_, change)| change).sum() {
                1 => changes.started.push(group[0].0),
                -1 => changes.ended.push(group[0].0),
                _ => {}
            }
        }
    }

    fn comparisons(&self) -> u64 {
        self.comparisons
    }
}
