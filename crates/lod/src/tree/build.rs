//! Building a tree over crumbs, level by level.

use glam::DVec3;
use proscenium_work::{Progress, Stopped};

use super::blocks::{Block, WIDTH};
use super::crumbs::{Crumbs, morton};
use super::fit::{best_fit, fit};
use super::volume::{Kind, Volume};
use super::{NO_GROUP, Node, TreeKind};

/// Rounds of moving cluster centres (Lloyd); chosen, as a bound on the work.
const ROUNDS: usize = 12;

/// The nodes of a tree, parents before children and siblings together, and for
/// each inner node the block of its children.
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) blocks: Vec<Block>,
}

/// Some crumbs that become a node.
struct Part {
    /// In the order of [`Builder::order`].
    from: usize,
    to: usize,
}

struct Builder<'a> {
    crumbs: &'a Crumbs,
    kind: TreeKind,
    depth: u32,
    /// Crumbs in the order of the tree; clusters change it within their parent.
    order: Vec<u32>,
    progress: &'a Progress,
}

/// Builds a tree.
pub(super) fn build(crumbs: &Crumbs, kind: TreeKind, depth: u32, progress: &Progress) -> Result<Tree, Stopped> {
    let order = (0..crumbs.list.len() as u32).collect();
    let mut builder = Builder { crumbs, kind, depth, order, progress };
    let whole = Part { from: 0, to: crumbs.list.len() };
    let mut nodes = vec![builder.node(&whole, 0)?];
    let mut blocks = Vec::new();
    let mut level = vec![(0_usize, whole)];
    for number in 1..=depth {
        progress.tell("building the tree", f64::from(number) / f64::from(depth + 1))?;
        let mut next = Vec::new();
        for (index, part) in level {
            if builder.is_leaf(&nodes[index], &part) {
                continue;
            }
            let parts = builder.split(&part, number)?;
            let mut block = Block::EMPTY;
            nodes[index].first_child = nodes.len() as u32;
            nodes[index].children = parts.len() as u8;
            nodes[index].block = blocks.len() as u32;
            for (child, part) in parts.into_iter().enumerate() {
                let node = builder.node(&part, number)?;
                block.set(child, node.volume.center, node.volume.reach());
                next.push((nodes.len(), part));
                nodes.push(node);
            }
            blocks.push(block);
        }
        level = next;
    }
    Ok(Tree { nodes, blocks })
}

impl Builder<'_> {
    fn crumbs_of(&self, part: &Part) -> impl Iterator<Item = &super::crumbs::Crumb> + Clone {
        self.order[part.from..part.to].iter().map(|index| &self.crumbs.list[*index as usize])
    }

    /// A node that cannot be wrong about its part needs no children.
    fn is_leaf(&self, node: &Node, part: &Part) -> bool {
        let reach = DVec3::splat(node.volume.reach());
        let is_inside = self.crumbs.is_solid(node.volume.center - reach, node.volume.center + reach);
        let is_one = part.to - part.from == 1 && !self.kind.is_regular();
        node.level == self.depth || is_inside || is_one
    }

    fn node(&self, part: &Part, level: u32) -> Result<Node, Stopped> {
        self.progress.check()?;
        let volume = self.volume(part, level)?;
        let filled: f64 = self.crumbs_of(part).map(|crumb| crumb.volume).sum();
        let outward: DVec3 = self.crumbs_of(part).map(|crumb| crumb.outward).sum();
        let all: f64 = self.crumbs_of(part).map(|crumb| crumb.outward.length()).sum();
        // Sides that face all ways leave no direction.
        let normal = if outward.length() > 0.05 * all { outward.normalize_or_zero() } else { DVec3::ZERO };
        let occupancy = (filled / volume.size().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let group = self.group(part);
        Ok(Node { volume, occupancy, normal, group, level, first_child: 0, children: 0, block: 0 })
    }

    /// The surface group that most of the part's surface belongs to.
    fn group(&self, part: &Part) -> u32 {
        let mut areas: Vec<(u32, f64)> = Vec::new();
        for crumb in self.crumbs_of(part).filter(|crumb| crumb.has_surface()) {
            let area = crumb.area_vector.length();
            match areas.iter_mut().find(|known| known.0 == crumb.group) {
                Some(known) => known.1 += area,
                None => areas.push((crumb.group, area)),
            }
        }
        areas.iter().fold((NO_GROUP, -1.0), |best, next| if next.1 > best.1 { *next } else { best }).0
    }

    fn volume(&self, part: &Part, level: u32) -> Result<Volume, Stopped> {
        if self.kind.is_regular() {
            return Ok(self.cell_volume(part, level));
        }
        let points: Vec<DVec3> = self.crumbs_of(part).flat_map(|crumb| crumb.corners()).collect();
        match self.kind {
            TreeKind::Swept => best_fit(&[Kind::Sphere, Kind::Line, Kind::Rectangle], &points, self.progress),
            TreeKind::Mixed => best_fit(&Kind::ALL, &points, self.progress),
            _ => fit(Kind::Sphere, &points, self.progress),
        }
    }

    /// The cell of the octree, as a voxel or with a sphere around it.
    fn cell_volume(&self, part: &Part, level: u32) -> Volume {
        let cells = self.crumbs.grid.side >> level;
        let first = self.crumbs.list[self.order[part.from] as usize].cell;
        let half = 0.5 * self.crumbs.grid.cell * f64::from(cells);
        let center = self.crumbs.grid.corner(first.map(|x| x / cells * cells)) + half;
        // The boxes around crumbs reach beyond their cells by a hair.
        let half = half * (1.0 + 1e-8) + 1e-9 * self.crumbs.grid.cell * f64::from(self.crumbs.grid.side);
        match self.kind {
            TreeKind::Voxels => Volume::cuboid(center, [half * DVec3::X, half * DVec3::Y, half * DVec3::Z]),
            _ => Volume::sphere(center, half * 3.0_f64.sqrt() * (1.0 + 1e-12)),
        }
    }

    /// Up to eight parts of a part.
    fn split(&mut self, part: &Part, level: u32) -> Result<Vec<Part>, Stopped> {
        if self.kind.is_regular() {
            let shift = 3 * (self.depth - level);
            let octant = |index: &u32| morton(self.crumbs.list[*index as usize].cell) >> shift;
            let sizes = self.order[part.from..part.to].chunk_by(|a, b| octant(a) == octant(b)).map(<[u32]>::len);
            return Ok(following(part.from, sizes));
        }
        let centers: Vec<DVec3> = self.crumbs_of(part).map(|crumb| crumb.center()).collect();
        let cluster = clusters(&centers, self.progress)?;
        let mut sorted: Vec<(u8, u32)> =
            cluster.into_iter().zip(self.order[part.from..part.to].iter().copied()).collect();
        sorted.sort_unstable();
        for (place, (_, crumb)) in self.order[part.from..part.to].iter_mut().zip(&sorted) {
            *place = *crumb;
        }
        Ok(following(part.from, sorted.chunk_by(|a, b| a.0 == b.0).map(<[(u8, u32)]>::len)))
    }
}

fn following(mut from: usize, sizes: impl Iterator<Item = usize>) -> Vec<Part> {
    sizes
        .map(|size| {
            from += size;
            Part { from: from - size, to: from }
        })
        .collect()
}

/// Which of up to eight clusters each point is in: centres that start far from
/// each other, and move to the middle of their cluster (Lloyd).
fn clusters(points: &[DVec3], progress: &Progress) -> Result<Vec<u8>, Stopped> {
    let count = points.len().min(WIDTH);
    let mean = points.iter().sum::<DVec3>() / points.len().max(1) as f64;
    let mut centers: Vec<DVec3> = Vec::with_capacity(count);
    let mut nearest = vec![f64::INFINITY; points.len()];
    let mut next = farthest(points.iter().map(|point| point.distance_squared(mean)));
    while centers.len() < count {
        centers.push(points[next]);
        for (least, point) in nearest.iter_mut().zip(points) {
            *least = least.min(point.distance_squared(points[next]));
        }
        next = farthest(nearest.iter().copied());
    }
    let mut cluster = vec![0_u8; points.len()];
    for _ in 0..ROUNDS {
        progress.check()?;
        for (of, point) in cluster.iter_mut().zip(points) {
            let distance = |center: &DVec3| center.distance_squared(*point);
            *of = farthest(centers.iter().map(|center| -distance(center))) as u8;
        }
        for (number, center) in centers.iter_mut().enumerate() {
            let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
            for (_, point) in cluster.iter().zip(points).filter(|(of, _)| usize::from(**of) == number) {
                (low, high) = (low.min(*point), high.max(*point));
            }
            // The middle of the extent, not the mean: it is spheres that are to be small.
            if low.x <= high.x {
                *center = 0.5 * (low + high);
            }
        }
    }
    Ok(cluster)
}

/// The index of the first greatest.
fn farthest(distances: impl Iterator<Item = f64>) -> usize {
    let start = (0, f64::NEG_INFINITY);
    distances.enumerate().fold(start, |best, next| if next.1 > best.1 { next } else { best }).0
}
