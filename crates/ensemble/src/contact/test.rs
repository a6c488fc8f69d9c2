//! Which groups interpenetrate.

use std::collections::BTreeMap;

use super::{BoxTree, Extent, FittedTree, Skip};
use crate::data::Group;

/// Triangles that are closer than this many times the thickness at rest, of
/// groups that hang together, are joined there.
const JOINED: f64 = 2.0;

/// Surfaces that are closer than this share of the thickness intersect, as far as numbers
/// of single precision tell.
const INTERSECTING: f64 = 1e-3;

/// The test for interpenetration: built once for an ensemble, asked for any
/// shapes of its groups.
///
/// Two groups interpenetrate when a triangle of one comes closer than the
/// thickness to a triangle of the other. Where a group hangs on its parent, or
/// next to another that hangs there, it touches by design: its triangles that
/// are that close at rest are not tested against the parent, nor against those
/// of the other.
#[derive(Clone, Debug)]
pub struct ContactTest {
    trees: Vec<BoxTree>,
    first_vertex: Vec<usize>,
    joined: BTreeMap<(u32, u32), Skip>,
    none: Skip,
    thickness: f64,
}

/// A shape with its boxes, owned.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    pub positions: Vec<[f32; 3]>,
    pub boxes: Vec<Extent>,
}

impl Shape {
    /// The box around all of it.
    pub fn extent(&self) -> &Extent {
        &self.boxes[0]
    }
}

impl ContactTest {
    /// For groups of this thickness.
    pub fn new(groups: &[Group], thickness: f64) -> Self {
        let trees: Vec<BoxTree> = groups.iter().map(|group| BoxTree::new(&group.rest, &group.triangles)).collect();
        let mut first_vertex = vec![0];
        for group in groups {
            first_vertex.push(first_vertex[first_vertex.len() - 1] + group.rest.len());
        }
        let mut test = Self { trees, first_vertex, joined: BTreeMap::new(), none: Skip::default(), thickness };
        test.find_joined(groups);
        test
    }

    /// The same test with another thickness; what is joined stays joined.
    #[must_use]
    pub fn with_thickness(mut self, thickness: f64) -> Self {
        self.thickness = thickness;
        self
    }

    /// The test for groups that pass through each other: for moments between frames, where
    /// they may come closer than at these.
    #[must_use]
    pub fn crossings(&self) -> Self {
        self.clone().with_thickness(INTERSECTING * self.thickness)
    }

    /// The thickness, metres.
    pub fn thickness(&self) -> f64 {
        self.thickness
    }

    fn find_joined(&mut self, groups: &[Group]) {
        let parent = |index: usize| groups[index].attachment.map(|attachment| attachment.parent);
        let shapes: Vec<Shape> = groups.iter().enumerate().map(|(k, group)| self.fit(k, group.rest.clone())).collect();
        for (k, l) in self.near_pairs(&shapes, JOINED * self.thickness) {
            let related =
                parent(k) == Some(l) || parent(l) == Some(k) || (parent(k).is_some() && parent(k) == parent(l));
            if !related {
                continue;
            }
            let mut skip =
                Skip { first: vec![false; groups[k].triangles.len()], second: vec![false; groups[l].triangles.len()] };
            let (ours, theirs) = (self.fitted(k, &shapes[k]), self.fitted(l, &shapes[l]));
            ours.pairs(&theirs, JOINED * self.thickness, &mut |a, b| {
                let near =
                    super::triangles::closer_than(&ours.triangle(a), &theirs.triangle(b), JOINED * self.thickness);
                skip.first[ours.number(a) as usize] |= near;
                skip.second[theirs.number(b) as usize] |= near;
                false
            });
            // All of a parent is tested against what does not hang on it.
            if parent(k) == Some(l) {
                skip.second.fill(true);
            } else if parent(l) == Some(k) {
                skip.first.fill(true);
            }
            if skip.first.contains(&true) && skip.second.contains(&true) {
                self.joined.insert((k as u32, l as u32), skip);
            }
        }
    }

    /// A shape of a group with its boxes.
    pub(crate) fn fit(&self, group: usize, positions: Vec<[f32; 3]>) -> Shape {
        let mut shape = Shape { positions, boxes: Vec::new() };
        self.refit(group, &mut shape);
        shape
    }

    /// The boxes of a shape whose positions have changed.
    pub(crate) fn refit(&self, group: usize, shape: &mut Shape) {
        self.trees[group].refit(&shape.positions, &mut shape.boxes);
    }

    pub(crate) fn tree(&self, group: usize) -> &BoxTree {
        &self.trees[group]
    }

    pub(crate) fn fitted<'shape>(&'shape self, group: usize, shape: &'shape Shape) -> FittedTree<'shape> {
        FittedTree { tree: &self.trees[group], positions: &shape.positions, boxes: &shape.boxes }
    }

    /// Which triangles of two groups are joined, `k` < `l`.
    pub(crate) fn skip(&self, k: usize, l: usize) -> &Skip {
        self.joined.get(&(k as u32, l as u32)).unwrap_or(&self.none)
    }

    /// Which triangles of a group are joined to another where it hangs; not
    /// where others hang on it.
    pub(crate) fn joined_of(&self, group: usize) -> Vec<bool> {
        let mut joined = vec![false; self.trees[group].len()];
        for (&(k, l), skip) in &self.joined {
            for (of, side) in [(k, &skip.first), (l, &skip.second)] {
                if of as usize == group && side.contains(&false) {
                    joined.iter_mut().zip(side).for_each(|(joined, &also)| *joined |= also);
                }
            }
        }
        joined
    }

    /// Whether two groups, `k` < `l`, interpenetrate.
    pub(crate) fn closer(&self, k: usize, ours: &Shape, l: usize, theirs: &Shape) -> bool {
        self.fitted(k, ours).closer(&self.fitted(l, theirs), self.thickness, self.skip(k, l))
    }

    /// Pairs of groups, first < second, whose boxes come closer than `margin`;
    /// in order.
    pub(crate) fn near_pairs(&self, shapes: &[Shape], margin: f64) -> Vec<(usize, usize)> {
        let extents: Vec<Extent> = shapes.iter().map(|shape| *shape.extent()).collect();
        near_extents(&extents, margin)
    }

    /// All pairs of groups, first < second, that interpenetrate when the
    /// vertices of all groups are here.
    pub fn touching(&self, positions: &[[f32; 3]]) -> Vec<(usize, usize)> {
        let ranges = self.first_vertex.windows(2).map(|ends| positions[ends[0]..ends[1]].to_vec());
        let shapes: Vec<Shape> = ranges.enumerate().map(|(group, positions)| self.fit(group, positions)).collect();
        let mut pairs = self.near_pairs(&shapes, self.thickness);
        pairs.retain(|&(k, l)| self.closer(k, &shapes[k], l, &shapes[l]));
        pairs
    }
}

/// Pairs of boxes, first < second, that come closer than `margin`, in order:
/// by a sweep along the axis on which they spread most.
pub(crate) fn near_extents(extents: &[Extent], margin: f64) -> Vec<(usize, usize)> {
    let margin = margin as f32 * 1.001 + f32::EPSILON;
    let all = extents.iter().fold(Extent::NOTHING, |all, extent| all.join(extent));
    let spread = |axis: usize| all.high[axis] - all.low[axis];
    let axis = (0..3).max_by(|&a, &b| spread(a).total_cmp(&spread(b))).unwrap_or(0);
    let mut order: Vec<usize> = (0..extents.len()).collect();
    order.sort_by(|&a, &b| extents[a].low[axis].total_cmp(&extents[b].low[axis]).then(a.cmp(&b)));
    let mut pairs = Vec::new();
    for (rank, &k) in order.iter().enumerate() {
        let reach = extents[k].high[axis] + margin;
        for &l in order[rank + 1..].iter().take_while(|&&l| extents[l].low[axis] <= reach) {
            if extents[k].near(&extents[l], margin) {
                pairs.push((k.min(l), k.max(l)));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Attachment;
    use proscenium_chance::Seed;

    #[test]
    fn the_sweep_finds_what_all_pairs_find() {
        let mut stream = Seed(2).stream("boxes");
        let extents: Vec<Extent> = (0..80)
            .map(|_| {
                let low: [f32; 3] = std::array::from_fn(|_| stream.uniform() as f32);
                Extent { low, high: low.map(|x| x + 0.3 * stream.uniform() as f32) }
            })
            .collect();
        let pairs = near_extents(&extents, 0.05);
        let all = (0..80).flat_map(|k| (k + 1..80).map(move |l| (k, l)));
        let truth: Vec<_> = all.filter(|&(k, l)| extents[k].near(&extents[l], 0.05 * 1.001)).collect();
        assert!(truth.len() > 50);
        assert_eq!(pairs, truth);
    }

    #[test]
    fn a_child_touches_its_parent_only_where_it_hangs() {
        let parent = Group {
            name: "rope".to_owned(),
            attachment: None,
            rest: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.01, 0.0]],
            triangles: vec![[0, 1, 2]],
        };
        let child = Group {
            name: "flag".to_owned(),
            attachment: Some(Attachment { parent: 0, anchor: [0, 1, 2] }),
            rest: vec![[0.4, 0.0, 0.0], [0.5, 0.0, 0.0], [0.45, -0.2, 0.0], [0.45, -0.4, 0.0], [0.5, -0.4, 0.0]],
            triangles: vec![[0, 1, 2], [2, 3, 4]],
        };
        let test = ContactTest::new(&[parent.clone(), child.clone()], 0.01);
        let frame: Vec<[f32; 3]> = parent.rest.iter().chain(&child.rest).copied().collect();
        assert!(test.touching(&frame).is_empty());
        // The far end of the flag is blown up against the rope.
        let mut blown = frame;
        blown[6] = [0.45, 0.005, 0.0];
        assert_eq!(test.touching(&blown), [(0, 1)]);
    }
}
