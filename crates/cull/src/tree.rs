//! A tree of boxes: what a frustum may see is found without asking everything.

use glam::DVec3;
use proscenium_view::Frustum;

use crate::geometry::Bounds;

/// Boxes in a leaf. Chosen.
const LEAF: usize = 4;

#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// Numbers of boxes, leaf by leaf.
    order: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Node {
    bounds: Bounds,
    /// The place of the second child, or 0 for a leaf; the first child follows
    /// its parent.
    second: u32,
    first: u32,
    count: u32,
}

impl Tree {
    pub(crate) fn build(boxes: &[Bounds]) -> Self {
        // What was removed is nowhere.
        let order: Vec<u32> = (0..boxes.len() as u32).filter(|&index| !boxes[index as usize].is_nothing()).collect();
        let count = order.len();
        let mut tree = Tree { nodes: Vec::new(), order };
        if count > 0 {
            tree.split(boxes, 0, count);
        }
        tree
    }

    fn split(&mut self, boxes: &[Bounds], start: usize, end: usize) {
        let around = |order: &[u32]| {
            let mut all = order.iter().map(|&index| boxes[index as usize]);
            let first = all.next().unwrap_or(Bounds::cube(0.0));
            all.fold(first, Bounds::with)
        };
        let bounds = around(&self.order[start..end]);
        let place = self.nodes.len();
        self.nodes.push(Node { bounds, second: 0, first: start as u32, count: (end - start) as u32 });
        if end - start <= LEAF {
            return;
        }
        // Halved along the longest side, by the middles of the boxes.
        let size = bounds.max - bounds.min;
        let axis = if size.x >= size.y && size.x >= size.z {
            DVec3::X
        } else if size.z >= size.y {
            DVec3::Z
        } else {
            DVec3::Y
        };
        let middle = |index: u32| (boxes[index as usize].min + boxes[index as usize].max).dot(axis);
        let half = (start + end) / 2;
        self.order[start..end]
            .select_nth_unstable_by(half - start, |&a, &b| middle(a).total_cmp(&middle(b)).then(a.cmp(&b)));
        self.split(boxes, start, half);
        self.nodes[place].second = self.nodes.len() as u32;
        self.split(boxes, half, end);
    }

    /// The numbers of the boxes that a frustum may see, and how many nodes were
    /// asked.
    pub(crate) fn seen(&self, boxes: &[Bounds], frustum: &Frustum, found: &mut Vec<u32>) -> u64 {
        let mut asked = 0;
        let mut open: Vec<u32> = Vec::with_capacity(64);
        if !self.nodes.is_empty() {
            open.push(0);
        }
        while let Some(place) = open.pop() {
            let node = &self.nodes[place as usize];
            asked += 1;
            if !frustum.intersects_aabb(node.bounds.min, node.bounds.max) {
                continue;
            }
            if node.second > 0 {
                open.push(node.second);
                open.push(place + 1);
                continue;
            }
            for &index in &self.order[node.first as usize..(node.first + node.count) as usize] {
                asked += 1;
                let Bounds { min, max } = boxes[index as usize];
                if min.x <= max.x && frustum.intersects_aabb(min, max) {
                    found.push(index);
                }
            }
        }
        asked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proscenium_chance::Seed;
    use proscenium_view::Camera;

    /// Asking every box is another way to the same answer.
    #[test]
    fn the_tree_finds_what_asking_everything_finds() {
        let mut stream = Seed(1).stream("boxes");
        let mut place = |size: f64| size * (stream.uniform() - 0.5);
        let boxes: Vec<Bounds> =
            (0..2000).map(|_| Bounds::cube(3.0).moved(DVec3::new(place(800.0), place(10.0), place(800.0)))).collect();
        let tree = Tree::build(&boxes);
        for turn in 0..12 {
            let angle = f64::from(turn) * 0.5;
            let target = DVec3::new(libm::cos(angle), 0.0, libm::sin(angle));
            let mut camera = Camera::look_at(DVec3::ZERO, target, 0.8, 1.6).unwrap();
            (camera.near, camera.far) = (0.1, 150.0);
            let frustum = Frustum::of(&camera).unwrap();
            let mut found = Vec::new();
            let asked = tree.seen(&boxes, &frustum, &mut found);
            found.sort_unstable();
            let all: Vec<u32> = (0..2000)
                .filter(|&index: &u32| frustum.intersects_aabb(boxes[index as usize].min, boxes[index as usize].max))
                .collect();
            assert_eq!(found, all);
            assert!(asked < 700, "{asked}");
        }
    }
}
