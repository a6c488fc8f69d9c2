//! Cutting a connected mesh into groups by how it moves.
//!
//! Triangles are joined to parts, two neighbours at a time, always those that lose least:
//! what the best rigid motion of a part leaves of the motion of its vertices (Ward's rule).
//! That ends before the parts explain less than [`EXPLAINED`] of the motion of the whole.
//! Then parts are joined again across seams that bend, such as within a cloth: groups that
//! splice at different times would tear there. What is left in a row, such as the pieces of
//! a leaf from its base to its tip, is one; cuts remain where parts branch.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use glam::{DMat3, DVec3};
use proscenium_work::{Progress, Stopped};

use crate::frame::wide;

/// How much of the motion rigid parts explain. Chosen: leaves leave their stem, and a stem
/// that only sways is one.
const EXPLAINED: f64 = 0.95;
/// Motion that is smaller than this share of the mesh's size is none.
const STILL: f64 = 1e-3;
/// A seam that bends by more than this share of the mesh's size is no seam.
const SEAM: f64 = 0.003;
/// Frames that are looked at: enough to tell what moves apart.
const SAMPLES: usize = 16;
/// Parts with fewer triangles are given to a neighbour.
const LEAST: usize = 2;

/// How vertices of some weight moved, in each of some frames, beside how they rest.
#[derive(Clone, Default)]
struct Motion {
    weight: f64,
    rest: DVec3,
    rest_squared: f64,
    /// Of each frame: the sum, the squares, and how both go together.
    frames: Vec<(DVec3, f64, DMat3)>,
}

impl Motion {
    fn of(vertex: u32, weight: f64, frames: &[&Vec<[f32; 3]>]) -> Self {
        let at = |frame: &Vec<[f32; 3]>| wide(frame[vertex as usize]);
        let rest = at(frames[0]);
        let frame = |frame: &&Vec<[f32; 3]>| {
            let here = at(frame);
            let both = DMat3::from_cols(here * rest.x, here * rest.y, here * rest.z) * weight;
            (here * weight, here.length_squared() * weight, both)
        };
        let frames = frames.iter().map(frame).collect();
        Motion { weight, rest: rest * weight, rest_squared: rest.length_squared() * weight, frames }
    }

    fn add(&mut self, other: &Motion) {
        if self.frames.is_empty() {
            *self = other.clone();
            return;
        }
        self.weight += other.weight;
        self.rest += other.rest;
        self.rest_squared += other.rest_squared;
        for (own, other) in self.frames.iter_mut().zip(&other.frames) {
            *own = (own.0 + other.0, own.1 + other.1, own.2 + other.2);
        }
    }

    fn with(&self, other: &Motion) -> Motion {
        let mut both = self.clone();
        both.add(other);
        both
    }

    /// What the best rigid motion of each frame leaves: the sum of squares, and the largest
    /// mean square of a frame.
    fn left(&self) -> (f64, f64) {
        if self.weight <= 0.0 {
            return (0.0, 0.0);
        }
        let rest = self.rest / self.weight;
        let spread = self.rest_squared - self.weight * rest.length_squared();
        let mut sums = (0.0, 0.0_f64);
        for &(sum, squares, both) in &self.frames {
            let here = sum / self.weight;
            let outer = DMat3::from_cols(here * rest.x, here * rest.y, here * rest.z) * self.weight;
            let together = turned_together(both - outer);
            let left = (spread + squares - self.weight * here.length_squared() - 2.0 * together).max(0.0);
            sums = (sums.0 + left, sums.1.max(left / self.weight));
        }
        sums
    }
}

/// The largest trace of a matrix times a rotation: the sum of its singular values, the least
/// of them with the sign of the determinant (Kabsch 1976).
fn turned_together(matrix: DMat3) -> f64 {
    let squares = matrix.transpose() * matrix;
    let [low, middle, high] = eigenvalues(squares).map(|value| value.max(0.0).sqrt());
    let sign = if matrix.determinant() < 0.0 { -1.0 } else { 1.0 };
    high + middle + sign * low
}

/// The eigenvalues of a symmetric matrix, from the least: the three cosines of Cardano.
fn eigenvalues(matrix: DMat3) -> [f64; 3] {
    let mean = (matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z) / 3.0;
    let off = matrix - DMat3::from_diagonal(DVec3::splat(mean));
    let squares = [off.x_axis, off.y_axis, off.z_axis].iter().map(|axis| axis.length_squared()).sum::<f64>();
    let size = (squares / 6.0).sqrt();
    if size <= 0.0 {
        return [mean; 3];
    }
    let angle = libm::acos((0.5 * (off * (1.0 / size)).determinant()).clamp(-1.0, 1.0)) / 3.0;
    let third = std::f64::consts::TAU / 3.0;
    let high = mean + 2.0 * size * libm::cos(angle);
    let low = mean + 2.0 * size * libm::cos(angle + third);
    [low, 3.0 * mean - high - low, high]
}

/// The part of each triangle, counted from 0 in the order of their first triangles. One part
/// if the mesh moves as one, or nowhere can be cut.
pub(super) fn parts(
    triangles: &[[u32; 3]],
    frames: &[&Vec<[f32; 3]>],
    progress: &Progress,
) -> Result<Vec<usize>, Stopped> {
    let one = vec![0; triangles.len()];
    let count = frames.len().min(SAMPLES);
    if count < 2 || triangles.len() < 2 * LEAST {
        return Ok(one);
    }
    let frames: Vec<&Vec<[f32; 3]>> = (0..count).map(|at| frames[at * frames.len() / count]).collect();
    let mut parts = Parts::new(triangles, &frames);
    let size = super::size(frames[0]);
    let whole = parts.motions.iter().fold(Motion::default(), |mut whole, motion| {
        whole.add(motion);
        whole
    });
    let (left, _) = whole.left();
    if left <= whole.weight * count as f64 * (STILL * size) * (STILL * size) {
        return Ok(one);
    }
    parts.join((1.0 - EXPLAINED) * left, progress)?;
    parts.join_crumbs();
    parts.join_bending_seams(&frames, SEAM * size, progress)?;
    parts.join_rows();
    Ok(parts.numbers())
}

/// Parts of a mesh, each a set of triangles under one of them.
struct Parts<'mesh> {
    triangles: &'mesh [[u32; 3]],
    /// Towards the triangle that stands for the part.
    above: Vec<usize>,
    motions: Vec<Motion>,
    neighbours: Vec<BTreeSet<usize>>,
    counts: Vec<usize>,
}

impl<'mesh> Parts<'mesh> {
    fn new(triangles: &'mesh [[u32; 3]], frames: &[&Vec<[f32; 3]>]) -> Self {
        let mut edges: BTreeMap<[u32; 2], Vec<usize>> = BTreeMap::new();
        for (number, &[a, b, c]) in triangles.iter().enumerate() {
            for edge in [[a, b], [b, c], [c, a]] {
                edges.entry([edge[0].min(edge[1]), edge[0].max(edge[1])]).or_default().push(number);
            }
        }
        let mut neighbours = vec![BTreeSet::new(); triangles.len()];
        for beside in edges.values() {
            for (&a, &b) in beside.iter().flat_map(|a| beside.iter().map(move |b| (a, b))).filter(|(a, b)| a != b) {
                neighbours[a].insert(b);
            }
        }
        let motion = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|corner| wide(frames[0][corner as usize]));
            // What has no area still has a place.
            let weight = (b - a).cross(c - a).length() / 6.0 + f64::MIN_POSITIVE;
            let mut motion = Motion::default();
            triangle.iter().for_each(|&corner| motion.add(&Motion::of(corner, weight, frames)));
            motion
        };
        Parts {
            triangles,
            above: (0..triangles.len()).collect(),
            motions: triangles.iter().map(motion).collect(),
            neighbours,
            counts: vec![1; triangles.len()],
        }
    }

    fn of(&self, mut triangle: usize) -> usize {
        while self.above[triangle] != triangle {
            triangle = self.above[triangle];
        }
        triangle
    }

    /// Joins two parts under the first.
    fn unite(&mut self, first: usize, second: usize) {
        self.above[second] = first;
        let motion = std::mem::take(&mut self.motions[second]);
        self.motions[first].add(&motion);
        self.counts[first] += self.counts[second];
        for other in std::mem::take(&mut self.neighbours[second]) {
            self.neighbours[other].remove(&second);
            if other != first {
                self.neighbours[other].insert(first);
                self.neighbours[first].insert(other);
            }
        }
    }

    fn loss(&self, a: usize, b: usize) -> f64 {
        self.motions[a].with(&self.motions[b]).left().0 - self.motions[a].left().0 - self.motions[b].left().0
    }

    /// Joins neighbours that lose least, until so much is lost.
    fn join(&mut self, most: f64, progress: &Progress) -> Result<(), Stopped> {
        let counter = progress.counter("looking for what moves as one", self.triangles.len());
        // The loss, the pair, and how many triangles they had when it was counted.
        let mut waiting = BinaryHeap::new();
        let offer = |parts: &Self, a: usize, b: usize| {
            let loss = parts.loss(a, b).max(0.0);
            // Numbers that are not negative are in the order of their bits.
            Reverse((loss.to_bits(), a.min(b), a.max(b), parts.counts[a] + parts.counts[b]))
        };
        for part in 0..self.triangles.len() {
            for &other in self.neighbours[part].range(part + 1..) {
                waiting.push(offer(self, part, other));
            }
        }
        let mut lost = 0.0;
        while let Some(Reverse((loss, a, b, counted))) = waiting.pop() {
            if self.above[a] != a || self.above[b] != b || self.counts[a] + self.counts[b] != counted {
                continue;
            }
            lost += f64::from_bits(loss);
            if lost > most {
                break;
            }
            counter.count()?;
            self.unite(a, b);
            for &other in &self.neighbours[a] {
                waiting.push(offer(self, a, other));
            }
        }
        Ok(())
    }

    fn all(&self) -> Vec<usize> {
        (0..self.above.len()).filter(|&part| self.above[part] == part).collect()
    }

    /// Gives parts of a triangle or two to the neighbour that loses least.
    fn join_crumbs(&mut self) {
        while let Some(part) = self.all().into_iter().find(|&part| {
            self.counts[part] < LEAST.max(self.triangles.len() / 100) && !self.neighbours[part].is_empty()
        }) {
            let others = self.neighbours[part].iter().copied();
            let nearest = others.min_by(|&a, &b| self.loss(part, a).total_cmp(&self.loss(part, b)));
            if let Some(other) = nearest {
                self.unite(part.min(other), part.max(other));
            }
        }
    }

    /// Joins parts across seams that are not rigid: what splices there at different times
    /// would tear.
    fn join_bending_seams(&mut self, frames: &[&Vec<[f32; 3]>], most: f64, progress: &Progress) -> Result<(), Stopped> {
        loop {
            progress.check()?;
            let mut parts_of: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
            for (number, triangle) in self.triangles.iter().enumerate() {
                let part = self.of(number);
                triangle.iter().for_each(|&corner| {
                    parts_of.entry(corner).or_default().insert(part);
                });
            }
            let mut seams: BTreeMap<(usize, usize), Motion> = BTreeMap::new();
            for (&vertex, parts) in parts_of.iter().filter(|(_, parts)| parts.len() > 1) {
                let motion = Motion::of(vertex, 1.0, frames);
                for (&a, &b) in parts.iter().flat_map(|a| parts.iter().map(move |b| (a, b))).filter(|(a, b)| a < b) {
                    seams.entry((a, b)).or_default().add(&motion);
                }
            }
            let bends = |(_, seam): &(&(usize, usize), &Motion)| seam.left().1.sqrt() > most;
            let Some((&(a, b), _)) = seams.iter().find(bends) else { return Ok(()) };
            self.unite(a, b);
        }
    }

    /// Joins parts in a row: two neighbours of which neither has more than one other.
    fn join_rows(&mut self) {
        loop {
            let in_row = |part: &usize| self.neighbours[*part].len() <= 2;
            let pair = self.all().into_iter().filter(in_row).find_map(|part| {
                self.neighbours[part].iter().copied().find(|other| in_row(other)).map(|other| (part, other))
            });
            let Some((a, b)) = pair else { return };
            self.unite(a.min(b), a.max(b));
        }
    }

    fn numbers(&self) -> Vec<usize> {
        let mut known: BTreeMap<usize, usize> = BTreeMap::new();
        let number = |triangle: usize| {
            let next = known.len();
            *known.entry(self.of(triangle)).or_insert(next)
        };
        (0..self.triangles.len()).map(number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    #[test]
    fn a_rigid_motion_leaves_nothing() {
        let rest = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.1], [0.2, 2.0, 0.0], [0.0, 0.3, 1.0]];
        let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.7, -1.1, 2.0);
        let moved = rest.map(|place: [f32; 3]| (turn * wide(place) + DVec3::new(3.0, -1.0, 0.5)).as_vec3().to_array());
        let (rest, moved) = (rest.to_vec(), moved.to_vec());
        let mut motion = Motion::default();
        (0..4).for_each(|vertex| motion.add(&Motion::of(vertex, 1.0 + f64::from(vertex), &[&rest, &moved])));
        assert!(motion.left().0 < 1e-9, "{:?}", motion.left());
        let mut bent = moved.clone();
        bent[3][0] += 0.1;
        let mut motion = Motion::default();
        (0..4).for_each(|vertex| motion.add(&Motion::of(vertex, 1.0, &[&rest, &bent])));
        assert!((1e-4..0.01).contains(&motion.left().0), "{:?}", motion.left());
    }

    #[test]
    fn eigenvalues_are_those_of_the_matrix() {
        let turn = DMat3::from_euler(glam::EulerRot::XYZ, 0.3, 1.2, -0.4);
        let matrix = turn * DMat3::from_diagonal(DVec3::new(5.0, 0.25, 2.0)) * turn.transpose();
        for (found, value) in eigenvalues(matrix).iter().zip([0.25, 2.0, 5.0]) {
            assert!((found - value).abs() < 1e-9, "{found}");
        }
    }
}
