//! A bounding-volume hierarchy over triangles.

use glam::{Vec3, Vec3A, Vec4};

/// A half-line for tracing; the direction need not be of unit length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ray {
    pub(crate) origin: Vec3,
    pub(crate) direction: Vec3,
    /// One over the direction.
    inverse: Vec3,
}

impl Ray {
    pub(crate) fn new(origin: Vec3, direction: Vec3) -> Self {
        // A tiny slope instead of zero keeps the slab test free of NaN.
        let safe = |x: f32| if x.abs() > 1e-20 { 1.0 / x } else { 1e20_f32.copysign(x) };
        let inverse = Vec3::new(safe(direction.x), safe(direction.y), safe(direction.z));
        Self { origin, direction, inverse }
    }

    pub(crate) fn at(&self, distance: f32) -> Vec3 {
        self.origin + self.direction * distance
    }
}

/// A triangle as a corner and two edges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle {
    pub(crate) corner: Vec3,
    pub(crate) edge1: Vec3,
    pub(crate) edge2: Vec3,
}

impl Triangle {
    pub(crate) fn new(a: Vec3, b: Vec3, c: Vec3) -> Self {
        Self { corner: a, edge1: b - a, edge2: c - a }
    }

    /// The normal of the side that sees the corners counter-clockwise.
    pub(crate) fn normal(&self) -> Vec3 {
        self.edge1.cross(self.edge2).normalize_or(Vec3::Y)
    }

    /// Whether a ray along this direction meets the back.
    pub(crate) fn is_seen_from_behind(&self, ray: &Ray) -> bool {
        self.edge1.cross(self.edge2).dot(ray.direction) > 0.0
    }

    fn corners(&self) -> [Vec3; 3] {
        [self.corner, self.corner + self.edge1, self.corner + self.edge2]
    }

    /// Distance and the weights of the second and third corner (Möller and
    /// Trumbore 1997), from both sides. Edges are a hair wide, so that no ray
    /// slips between two triangles.
    #[inline]
    fn intersect(&self, ray: &Ray, from: f32, to: f32) -> Option<(f32, f32, f32)> {
        const HAIR: f32 = 1e-6;
        let p = ray.direction.cross(self.edge2);
        let determinant = self.edge1.dot(p);
        if determinant == 0.0 {
            return None;
        }
        let inverse = 1.0 / determinant;
        let s = ray.origin - self.corner;
        let u = s.dot(p) * inverse;
        if !(-HAIR..=1.0 + HAIR).contains(&u) {
            return None;
        }
        let q = s.cross(self.edge1);
        let v = ray.direction.dot(q) * inverse;
        if v < -HAIR || u + v > 1.0 + HAIR {
            return None;
        }
        let distance = self.edge2.dot(q) * inverse;
        (distance > from && distance < to).then_some((distance, u, v))
    }
}

/// Where a ray meets a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hit {
    /// Index of the triangle, as it was given.
    pub(crate) triangle: u32,
    pub(crate) distance: f32,
    /// Weight of the second corner.
    pub(crate) u: f32,
    /// Weight of the third corner.
    pub(crate) v: f32,
}

#[derive(Clone, Copy, Debug)]
struct Bounds {
    min: Vec3A,
    max: Vec3A,
}

impl Bounds {
    const EMPTY: Self = Self { min: Vec3A::INFINITY, max: Vec3A::NEG_INFINITY };

    fn grow(&mut self, point: Vec3A) {
        self.min = self.min.min(point);
        self.max = self.max.max(point);
    }

    fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Half the surface area; zero when empty.
    fn half_area(&self) -> f32 {
        let size = (self.max - self.min).max(Vec3A::ZERO);
        size.x * size.y + size.y * size.z + size.z * size.x
    }
}

/// A node while building: a leaf holds `count` triangles from `first`; an
/// inner node has its children at `first` and `first + 1`.
#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Bounds,
    first: u32,
    count: u32,
}

/// Up to four boxes, tested at once. Component by component, vector registers
/// round alike on every platform.
#[derive(Clone, Copy, Debug)]
struct Quad {
    min: [Vec4; 3],
    max: [Vec4; 3],
    /// Of a leaf: its first triangle; else the index of a quad.
    first: [u32; 4],
    /// Triangles of a leaf; zero for a quad.
    count: [u32; 4],
    /// A bit for each box that is there.
    present: u32,
}

impl Quad {
    /// Where the ray enters each box, and a bit for each that it does enter
    /// before `to`.
    #[inline]
    fn enter(&self, ray: &Ray, to: f32) -> (Vec4, u32) {
        let along = |axis: usize| {
            let (start, inverse) = (Vec4::splat(ray.origin[axis]), Vec4::splat(ray.inverse[axis]));
            let (a, b) = ((self.min[axis] - start) * inverse, (self.max[axis] - start) * inverse);
            (a.min(b), a.max(b))
        };
        let ((near_x, far_x), (near_y, far_y), (near_z, far_z)) = (along(0), along(1), along(2));
        let enter = near_x.max(near_y).max(near_z).max(Vec4::ZERO);
        // A box that is flat must not be missed by rounding.
        let leave = far_x.min(far_y).min(far_z) * 1.000_001;
        let entered = enter.cmple(leave) & enter.cmplt(Vec4::splat(to));
        (enter, entered.bitmask() & self.present)
    }
}

/// A hierarchy of quads, built by the surface-area heuristic in bins.
#[derive(Debug)]
pub(crate) struct Bvh {
    quads: Vec<Quad>,
    triangles: Vec<Triangle>,
    /// The index of each triangle as it was given.
    given: Vec<u32>,
}

const BINS: usize = 12;
const LEAF: usize = 3;
/// Beyond this depth, nodes are halved, which bounds the depth.
const DEEP: u32 = 24;
/// Boxes that a ray still has to look at; a deeper tree takes another stack.
const STACK: usize = 28;

struct Builder<'a> {
    nodes: Vec<Node>,
    bounds: &'a [Bounds],
    centers: &'a [Vec3A],
    order: Vec<u32>,
}

impl Bvh {
    pub(crate) fn new(given: &[Triangle]) -> Self {
        let mut bounds = Vec::with_capacity(given.len());
        for triangle in given {
            let mut own = Bounds::EMPTY;
            triangle.corners().into_iter().for_each(|corner| own.grow(corner.into()));
            bounds.push(own);
        }
        let centers: Vec<Vec3A> = bounds.iter().map(|own| (own.min + own.max) * 0.5).collect();
        let order: Vec<u32> = (0u32..).take(given.len()).collect();
        let mut builder = Builder { nodes: Vec::new(), bounds: &bounds, centers: &centers, order };
        if !given.is_empty() {
            builder.nodes.push(Node { bounds: Bounds::EMPTY, first: 0, count: 0 });
            builder.build(0, 0, given.len(), 0);
        }
        let Builder { nodes, order, .. } = builder;
        let triangles = order.iter().map(|&index| given[index as usize]).collect();
        let mut quads = Vec::new();
        if !nodes.is_empty() {
            gather_quads(&nodes, 0, &mut quads);
        }
        Self { quads, triangles, given: order }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.quads.is_empty()
    }

    /// The first triangle that the ray meets between two distances.
    pub(crate) fn closest(&self, ray: &Ray, from: f32, to: f32) -> Option<Hit> {
        let mut best: Option<Hit> = None;
        self.visit(ray, to, |index, limit| {
            let (distance, u, v) = self.triangles[index].intersect(ray, from, limit)?;
            best = Some(Hit { triangle: self.given[index], distance, u, v });
            Some(distance)
        });
        best
    }

    /// Whether the ray meets any triangle between two distances.
    pub(crate) fn blocked(&self, ray: &Ray, from: f32, to: f32) -> bool {
        let mut blocked = false;
        self.visit(ray, to, |index, limit| {
            self.triangles[index].intersect(ray, from, limit)?;
            blocked = true;
            // Nothing is nearer than this: the visit ends.
            Some(f32::NEG_INFINITY)
        });
        blocked
    }

    /// Calls `meet` for every triangle that the ray meets, in no order of
    /// distance.
    pub(crate) fn each(&self, ray: &Ray, from: f32, to: f32, mut meet: impl FnMut(Hit)) {
        self.visit(ray, to, |index, limit| {
            let (distance, u, v) = self.triangles[index].intersect(ray, from, limit)?;
            meet(Hit { triangle: self.given[index], distance, u, v });
            None
        });
    }

    /// Visits the triangles in boxes that the ray enters, near ones first.
    /// `test` may return a smaller limit for the distance.
    #[inline]
    fn visit(&self, ray: &Ray, limit: f32, mut test: impl FnMut(usize, f32) -> Option<f32>) {
        if !self.quads.is_empty() {
            self.visit_below(0, ray, limit, &mut test);
        }
    }

    /// The same below one quad; returns the limit.
    #[inline]
    fn visit_below(
        &self,
        top: u32,
        ray: &Ray,
        mut limit: f32,
        test: &mut impl FnMut(usize, f32) -> Option<f32>,
    ) -> f32 {
        let quad = &self.quads[top as usize];
        // Most rays of a picture miss everything: no stack for them.
        let (enter, entered) = quad.enter(ray, limit);
        if entered == 0 {
            return limit;
        }
        let mut stack = [(0u32, 0u32, 0.0f32); STACK];
        let mut height = push_near_last(quad, enter, entered, &mut stack, 0);
        while height > 0 {
            height -= 1;
            let (first, count, enter) = stack[height];
            if enter >= limit {
                continue;
            }
            if count > 0 {
                for index in first as usize..(first + count) as usize {
                    if let Some(nearer) = test(index, limit) {
                        limit = nearer;
                    }
                }
            } else if height + 4 > STACK {
                limit = self.visit_below(first, ray, limit, test);
            } else {
                let quad = &self.quads[first as usize];
                let (enter, entered) = quad.enter(ray, limit);
                height = push_near_last(quad, enter, entered, &mut stack, height);
            }
        }
        limit
    }
}

/// Puts the entered boxes on the stack, the nearest on top.
#[inline]
fn push_near_last(
    quad: &Quad,
    enter: Vec4,
    mut entered: u32,
    stack: &mut [(u32, u32, f32); STACK],
    bottom: usize,
) -> usize {
    let mut height = bottom;
    let enter = enter.to_array();
    while entered != 0 {
        let child = entered.trailing_zeros() as usize;
        entered &= entered - 1;
        let item = (quad.first[child], quad.count[child], enter[child]);
        let mut place = height;
        while place > bottom && stack[place - 1].2 < item.2 {
            stack[place] = stack[place - 1];
            place -= 1;
        }
        stack[place] = item;
        height += 1;
    }
    height
}

/// Makes a quad of a node and, as long as there is room, of the children of
/// its largest children; then the same below. Returns its index.
fn gather_quads(nodes: &[Node], root: usize, quads: &mut Vec<Quad>) -> u32 {
    let mut members = [root, root, root, root];
    let mut present = 1;
    while present < 4 {
        let area = |&slot: &usize| nodes[members[slot]].bounds.half_area();
        let inner = (0..present).filter(|&slot| nodes[members[slot]].count == 0);
        let Some(largest) = inner.max_by(|a, b| area(a).total_cmp(&area(b))) else { break };
        let first = nodes[members[largest]].first as usize;
        members[largest] = first;
        members[present] = first + 1;
        present += 1;
    }
    let index = quads.len();
    let mut quad =
        Quad { min: [Vec4::ZERO; 3], max: [Vec4::ZERO; 3], first: [0; 4], count: [0; 4], present: (1 << present) - 1 };
    quads.push(quad);
    for (slot, &member) in members[..present].iter().enumerate() {
        let node = &nodes[member];
        for axis in 0..3 {
            quad.min[axis][slot] = node.bounds.min[axis];
            quad.max[axis][slot] = node.bounds.max[axis];
        }
        quad.count[slot] = node.count;
        quad.first[slot] = if node.count > 0 { node.first } else { gather_quads(nodes, member, quads) };
    }
    quads[index] = quad;
    index as u32
}

impl Builder<'_> {
    fn build(&mut self, node: usize, start: usize, end: usize, depth: u32) {
        let mut bounds = Bounds::EMPTY;
        let mut centers = Bounds::EMPTY;
        for &index in &self.order[start..end] {
            bounds = bounds.union(self.bounds[index as usize]);
            centers.grow(self.centers[index as usize]);
        }
        self.nodes[node] = Node { bounds, first: start as u32, count: (end - start) as u32 };
        if end - start <= LEAF {
            return;
        }
        let middle = match self.best_split(start, end, &centers) {
            Some((axis, bin)) if depth < DEEP => self.partition(start, end, &centers, axis, bin),
            _ => self.halve(start, end, &centers),
        };
        let children = self.nodes.len();
        let empty = Node { bounds: Bounds::EMPTY, first: 0, count: 0 };
        self.nodes.extend([empty, empty]);
        self.nodes[node].first = children as u32;
        self.nodes[node].count = 0;
        self.build(children, start, middle, depth + 1);
        self.build(children + 1, middle, end, depth + 1);
    }

    fn bin(&self, index: u32, centers: &Bounds, axis: usize) -> usize {
        let size = centers.max[axis] - centers.min[axis];
        let place = (self.centers[index as usize][axis] - centers.min[axis]) / size;
        ((place * BINS as f32) as usize).min(BINS - 1)
    }

    /// The axis and the first bin of the right side with the least cost, or
    /// nothing when all centres coincide.
    fn best_split(&self, start: usize, end: usize, centers: &Bounds) -> Option<(usize, usize)> {
        let mut best = None;
        let mut best_cost = f32::INFINITY;
        for axis in 0..3 {
            if centers.max[axis] <= centers.min[axis] {
                continue;
            }
            let mut bins = [(Bounds::EMPTY, 0usize); BINS];
            for &index in &self.order[start..end] {
                let (bounds, count) = &mut bins[self.bin(index, centers, axis)];
                *bounds = bounds.union(self.bounds[index as usize]);
                *count += 1;
            }
            let mut right = [(0.0f32, 0usize); BINS + 1];
            let (mut bounds, mut count) = (Bounds::EMPTY, 0);
            for bin in (1..BINS).rev() {
                bounds = bounds.union(bins[bin].0);
                count += bins[bin].1;
                right[bin] = (bounds.half_area(), count);
            }
            (bounds, count) = (Bounds::EMPTY, 0);
            for bin in 1..BINS {
                bounds = bounds.union(bins[bin - 1].0);
                count += bins[bin - 1].1;
                let cost = bounds.half_area() * count as f32 + right[bin].0 * right[bin].1 as f32;
                if count > 0 && right[bin].1 > 0 && cost < best_cost {
                    best_cost = cost;
                    best = Some((axis, bin));
                }
            }
        }
        best
    }

    fn partition(&mut self, start: usize, end: usize, centers: &Bounds, axis: usize, bin: usize) -> usize {
        let mut sorted: Vec<u32> = Vec::with_capacity(end - start);
        sorted.extend(self.order[start..end].iter().filter(|&&index| self.bin(index, centers, axis) < bin));
        let middle = start + sorted.len();
        sorted.extend(self.order[start..end].iter().filter(|&&index| self.bin(index, centers, axis) >= bin));
        self.order[start..end].copy_from_slice(&sorted);
        middle
    }

    fn halve(&mut self, start: usize, end: usize, centers: &Bounds) -> usize {
        let size = centers.max - centers.min;
        let axis = if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        };
        let centers = self.centers;
        self.order[start..end].sort_by(|&a, &b| centers[a as usize][axis].total_cmp(&centers[b as usize][axis]));
        start + (end - start) / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector(range: f32) -> impl Strategy<Value = Vec3> {
        (-range..range, -range..range, -range..range).prop_map(Vec3::from)
    }

    fn soup() -> impl Strategy<Value = Vec<Triangle>> {
        let triangle = (vector(5.0), vector(1.0), vector(1.0)).prop_map(|(corner, edge1, edge2)| Triangle {
            corner,
            edge1,
            edge2,
        });
        proptest::collection::vec(triangle, 0..200)
    }

    proptest! {
        /// The hierarchy against the plain loop over all triangles.
        #[test]
        fn finds_what_a_loop_finds(soup in soup(), origin in vector(8.0), direction in vector(1.0)) {
            let bvh = Bvh::new(&soup);
            let ray = Ray::new(origin, direction);
            let mut nearest: Option<f32> = None;
            let mut met = 0;
            for triangle in &soup {
                if let Some((distance, ..)) = triangle.intersect(&ray, 0.0, f32::INFINITY) {
                    met += 1;
                    nearest = Some(nearest.map_or(distance, |best: f32| best.min(distance)));
                }
            }
            prop_assert_eq!(bvh.closest(&ray, 0.0, f32::INFINITY).map(|hit| hit.distance), nearest);
            prop_assert_eq!(bvh.blocked(&ray, 0.0, f32::INFINITY), nearest.is_some());
            let mut visited = 0;
            bvh.each(&ray, 0.0, f32::INFINITY, |_| visited += 1);
            prop_assert_eq!(visited, met);
        }
    }

    #[test]
    fn many_equal_triangles_do_not_overflow() {
        let triangle = Triangle::new(Vec3::ZERO, Vec3::X, Vec3::Y);
        let bvh = Bvh::new(&vec![triangle; 5000]);
        let ray = Ray::new(Vec3::new(0.2, 0.2, 1.0), Vec3::NEG_Z);
        assert_eq!(bvh.closest(&ray, 0.0, 2.0).map(|hit| hit.distance), Some(1.0));
        assert!(!bvh.blocked(&ray, 0.0, 0.5));
        assert!(Bvh::new(&[]).is_empty());
    }
}
