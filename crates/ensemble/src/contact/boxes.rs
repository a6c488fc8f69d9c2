//! A tree of boxes over the triangles of one group: built once, refitted to
//! every shape.

use glam::DVec3;

use super::triangles::{Triangle, closer_than};
use crate::frame::wide;

/// Triangles in a leaf: fewer make the tree deeper, more make leaves slower.
const LEAF: usize = 2;

/// A box with sides along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Extent {
    pub low: [f32; 3],
    pub high: [f32; 3],
}

impl Extent {
    pub const NOTHING: Extent = Extent { low: [f32::INFINITY; 3], high: [f32::NEG_INFINITY; 3] };

    pub fn include(&mut self, point: [f32; 3]) {
        for (axis, x) in point.into_iter().enumerate() {
            self.low[axis] = self.low[axis].min(x);
            self.high[axis] = self.high[axis].max(x);
        }
    }

    pub fn join(&self, other: &Extent) -> Extent {
        Extent {
            low: std::array::from_fn(|axis| self.low[axis].min(other.low[axis])),
            high: std::array::from_fn(|axis| self.high[axis].max(other.high[axis])),
        }
    }

    pub fn of(points: &[[f32; 3]]) -> Extent {
        let mut extent = Extent::NOTHING;
        points.iter().for_each(|&point| extent.include(point));
        extent
    }

    /// Whether two boxes come closer than `margin` along every axis.
    #[inline]
    pub fn near(&self, other: &Extent, margin: f32) -> bool {
        (0..3).all(|axis| self.low[axis] - margin <= other.high[axis] && other.low[axis] - margin <= self.high[axis])
    }
}

/// Which triangles and which nodes are together: the same for all shapes.
#[derive(Clone, Debug)]
pub(crate) struct BoxTree {
    nodes: Vec<Node>,
    /// The triangles, in the order of the leaves, by their vertices.
    triangles: Vec<[u32; 3]>,
    /// The number of each of those in the group.
    numbers: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
enum Node {
    /// Its triangles.
    Leaf { first: u32, count: u32 },
    /// Its second child; the first comes right after it.
    Inner { second: u32 },
}

impl BoxTree {
    pub fn new(rest: &[[f32; 3]], triangles: &[[u32; 3]]) -> Self {
        let middle = |triangle: &[u32; 3]| {
            let corners = triangle.map(|vertex| wide(rest[vertex as usize]));
            (corners[0] + corners[1] + corners[2]) / 3.0
        };
        let mut items: Vec<(DVec3, u32)> = triangles.iter().map(middle).zip(0..).collect();
        let mut tree = Self { nodes: Vec::new(), triangles: Vec::new(), numbers: Vec::new() };
        tree.split(&mut items, triangles);
        tree
    }

    /// Halves the triangles along the axis on which they are spread most.
    fn split(&mut self, items: &mut [(DVec3, u32)], triangles: &[[u32; 3]]) {
        if items.len() <= LEAF {
            self.nodes.push(Node::Leaf { first: self.triangles.len() as u32, count: items.len() as u32 });
            self.triangles.extend(items.iter().map(|item| triangles[item.1 as usize]));
            self.numbers.extend(items.iter().map(|item| item.1));
            return;
        }
        let low = items.iter().fold(DVec3::INFINITY, |low, item| low.min(item.0));
        let high = items.iter().fold(DVec3::NEG_INFINITY, |high, item| high.max(item.0));
        let axis = (high - low).max_position();
        items.sort_unstable_by(|a, b| a.0[axis].total_cmp(&b.0[axis]).then(a.1.cmp(&b.1)));
        let here = self.nodes.len();
        self.nodes.push(Node::Inner { second: 0 });
        let (left, right) = items.split_at_mut(items.len() / 2);
        self.split(left, triangles);
        self.nodes[here] = Node::Inner { second: self.nodes.len() as u32 };
        self.split(right, triangles);
    }

    /// How many triangles it is over.
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// The boxes of all nodes around a shape. What `boxes` held is discarded.
    pub fn refit(&self, positions: &[[f32; 3]], boxes: &mut Vec<Extent>) {
        self.refit_with(boxes, |vertex, extent| extent.include(positions[vertex]));
    }

    /// The boxes around a shape and what becomes of it, if all vertices move
    /// straight.
    pub fn refit_swept(&self, now: &[[f32; 3]], later: &[[f32; 3]], boxes: &mut Vec<Extent>) {
        self.refit_with(boxes, |vertex, extent| {
            extent.include(now[vertex]);
            extent.include(later[vertex]);
        });
    }

    fn refit_with(&self, boxes: &mut Vec<Extent>, include: impl Fn(usize, &mut Extent)) {
        boxes.clear();
        boxes.resize(self.nodes.len(), Extent::NOTHING);
        for (index, node) in self.nodes.iter().enumerate().rev() {
            boxes[index] = match *node {
                Node::Leaf { first, count } => {
                    let mut extent = Extent::NOTHING;
                    for triangle in &self.triangles[first as usize..(first + count) as usize] {
                        triangle.iter().for_each(|&vertex| include(vertex as usize, &mut extent));
                    }
                    extent
                }
                Node::Inner { second } => boxes[index + 1].join(&boxes[second as usize]),
            };
        }
    }
}

/// A shape with its boxes.
#[derive(Clone, Copy)]
pub(crate) struct FittedTree<'shape> {
    pub tree: &'shape BoxTree,
    pub positions: &'shape [[f32; 3]],
    pub boxes: &'shape [Extent],
}

impl FittedTree<'_> {
    fn corners(&self, slot: usize) -> Triangle {
        self.tree.triangles[slot].map(|vertex| wide(self.positions[vertex as usize]))
    }

    /// Calls `meet` with the numbers of all triangles whose boxes come closer
    /// than `margin`, until it returns true; says whether it did.
    pub fn pairs(&self, other: &FittedTree, margin: f64, meet: &mut impl FnMut(usize, usize) -> bool) -> bool {
        // Boxes are in single precision: a little more room makes sure of it.
        let margin = margin as f32 * 1.001 + f32::EPSILON;
        let mut stack = vec![(0u32, 0u32)];
        while let Some((ours, theirs)) = stack.pop() {
            if !self.boxes[ours as usize].near(&other.boxes[theirs as usize], margin) {
                continue;
            }
            match (self.tree.nodes[ours as usize], other.tree.nodes[theirs as usize]) {
                (Node::Leaf { first, count }, Node::Leaf { first: start, count: length }) => {
                    for a in first..first + count {
                        for b in start..start + length {
                            if meet(a as usize, b as usize) {
                                return true;
                            }
                        }
                    }
                }
                (Node::Inner { second }, Node::Leaf { .. }) => stack.extend([(ours + 1, theirs), (second, theirs)]),
                (Node::Leaf { .. }, Node::Inner { second }) => stack.extend([(ours, theirs + 1), (ours, second)]),
                (Node::Inner { second }, Node::Inner { second: other_second }) => stack.extend([
                    (ours + 1, theirs + 1),
                    (ours + 1, other_second),
                    (second, theirs + 1),
                    (second, other_second),
                ]),
            }
        }
        false
    }

    /// Whether any triangle of one comes closer than `distance` to any of the
    /// other; `skip` says which are joined and do not count.
    pub fn closer(&self, other: &FittedTree, distance: f64, skip: &Skip) -> bool {
        self.pairs(other, distance, &mut |a, b| {
            let (first, second) = (self.tree.numbers[a], other.tree.numbers[b]);
            !skip.both(first, second) && closer_than(&self.corners(a), &other.corners(b), distance)
        })
    }

    /// The number in the group of the triangle in a slot of the tree.
    pub fn number(&self, slot: usize) -> u32 {
        self.tree.numbers[slot]
    }

    /// The corners of the triangle in a slot, for [`FittedTree::pairs`].
    pub fn triangle(&self, slot: usize) -> Triangle {
        self.corners(slot)
    }
}

/// Triangles of two groups that are joined where they hang together, and are
/// not tested against each other. Empty: none.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Skip {
    pub first: Vec<bool>,
    pub second: Vec<bool>,
}

impl Skip {
    /// Whether two triangles are not tested against each other.
    pub fn both(&self, first: u32, second: u32) -> bool {
        let joined = |side: &[bool], number: u32| side.get(number as usize).copied().unwrap_or(false);
        joined(&self.first, first) && joined(&self.second, second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::triangles::distance;
    use proscenium_chance::Seed;

    /// A crumpled sheet of n × n squares.
    fn sheet(n: u32, seed: u64) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
        let mut stream = Seed(seed).stream("sheet");
        let tilt = stream.rotation();
        let mut positions = Vec::new();
        for row in 0..=n {
            for column in 0..=n {
                let flat = DVec3::new(f64::from(row), 2.0 * stream.uniform(), f64::from(column)) / f64::from(n);
                positions.push(crate::frame::narrow(tilt * flat));
            }
        }
        let at = |row: u32, column: u32| row * (n + 1) + column;
        let squares = (0..n).flat_map(|row| (0..n).map(move |column| (row, column)));
        let triangles = squares.flat_map(|(row, column)| {
            let (a, b) = (at(row, column), at(row + 1, column));
            [[a, b, a + 1], [a + 1, b, b + 1]]
        });
        (positions, triangles.collect())
    }

    #[test]
    fn the_tree_finds_what_all_pairs_find() {
        let mut close = 0;
        for seed in 0..60 {
            let (first, triangles) = sheet(6, seed);
            let (mut second, _) = sheet(6, 1000 + seed);
            second.iter_mut().for_each(|point| point[0] += 0.02 * seed as f32);
            let tree = BoxTree::new(&first, &triangles);
            let (mut boxes, mut other) = (Vec::new(), Vec::new());
            tree.refit(&first, &mut boxes);
            tree.refit(&second, &mut other);
            let a = FittedTree { tree: &tree, positions: &first, boxes: &boxes };
            let b = FittedTree { tree: &tree, positions: &second, boxes: &other };
            let corners = |positions: &[[f32; 3]], t: &[u32; 3]| t.map(|vertex| wide(positions[vertex as usize]));
            let limit = 0.03;
            let truth = triangles
                .iter()
                .any(|s| triangles.iter().any(|t| distance(&corners(&first, s), &corners(&second, t)) < limit));
            assert_eq!(a.closer(&b, limit, &Skip::default()), truth);
            close += usize::from(truth);
        }
        assert!((10..60).contains(&close), "{close}");
    }

    #[test]
    fn joined_triangles_do_not_count() {
        let (positions, triangles) = sheet(3, 1);
        let tree = BoxTree::new(&positions, &triangles);
        let mut boxes = Vec::new();
        tree.refit(&positions, &mut boxes);
        let fitted = FittedTree { tree: &tree, positions: &positions, boxes: &boxes };
        assert!(fitted.closer(&fitted, 0.01, &Skip::default()));
        let skip = Skip { first: vec![true; triangles.len()], second: vec![true; triangles.len()] };
        assert!(!fitted.closer(&fitted, 0.01, &skip));
    }
}
