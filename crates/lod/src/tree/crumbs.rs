//! A solid in crumbs: what of it lies in each cell of a fine grid. All trees are
//! built from crumbs, so that a node bounds its part of the solid exactly when
//! it bounds the boxes around its crumbs.

use glam::DVec3;
use proscenium_work::{Progress, Stopped};

use super::groups::Groups;
use crate::mesh::SolidMesh;

/// Scan lines per cell, along each of two axes, for the share that is filled;
/// chosen: the volume of a solid comes out within 3 % from a depth of 4 on.
const LINES: u32 = 4;

/// Cells of equal size in a cube.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    pub(crate) origin: DVec3,
    pub(crate) cell: f64,
    /// Cells along an edge of the cube.
    pub(crate) side: u32,
}

/// What of the solid lies in one cell.
#[derive(Clone, Debug)]
pub(crate) struct Crumb {
    pub(crate) cell: [u32; 3],
    /// The smallest box around it.
    pub(crate) low: DVec3,
    pub(crate) high: DVec3,
    pub(crate) volume: f64,
    /// The sum over its surface of the outward normal.
    pub(crate) area_vector: DVec3,
    /// Against the gradient of the occupancy (equation 4.8, with the sign
    /// that points out of the solid).
    pub(crate) outward: DVec3,
    /// The surface group that has the most area in it.
    pub(crate) group: u32,
}

/// All crumbs of a solid, in the order of an octree.
#[derive(Clone, Debug)]
pub(crate) struct Crumbs {
    pub(crate) grid: Grid,
    pub(crate) list: Vec<Crumb>,
    /// Sums of cells that are not full, for [`Crumbs::is_solid`].
    gaps: Vec<u32>,
}

impl Grid {
    fn around(mesh: &SolidMesh, depth: u32) -> Self {
        let (low, high) = mesh.bounds();
        let edge = (high - low).max_element() * (1.0 + 1e-6);
        let side = 1 << depth;
        Self { origin: 0.5 * (low + high) - 0.5 * edge, cell: edge / f64::from(side), side }
    }

    pub(crate) fn corner(&self, cell: [u32; 3]) -> DVec3 {
        self.origin + self.cell * DVec3::from(cell.map(f64::from))
    }

    fn index(&self, [x, y, z]: [u32; 3]) -> usize {
        ((z * self.side + y) * self.side + x) as usize
    }

    fn cells(&self) -> usize {
        (self.side as usize).pow(3)
    }

    fn cell_of(&self, point: DVec3) -> [u32; 3] {
        let scaled = (point - self.origin) / self.cell;
        scaled.to_array().map(|x| (x.max(0.0) as u32).min(self.side - 1))
    }
}

impl Crumbs {
    /// Cuts a solid into the cells of a cube with 2^depth cells along an edge.
    pub(crate) fn new(mesh: &SolidMesh, depth: u32, groups: &Groups, progress: &Progress) -> Result<Self, Stopped> {
        let grid = Grid::around(mesh, depth);
        progress.tell("cutting the solid into cells", 0.0)?;
        let occupancy = occupancy(mesh, &grid, progress)?;
        progress.tell("cutting the solid into cells", 0.3)?;
        let mut crumbs = surface_crumbs(mesh, &grid, groups, progress)?;
        progress.tell("cutting the solid into cells", 0.6)?;
        let inside = corners_inside(mesh, &grid, progress)?;
        add_inside(&grid, &occupancy, &inside, &mut crumbs, progress)?;
        let mut list: Vec<Crumb> = crumbs.into_iter().flatten().collect();
        let cell_volume = grid.cell * grid.cell * grid.cell;
        for crumb in &mut list {
            crumb.volume = occupancy[grid.index(crumb.cell)] * cell_volume;
            crumb.outward = -gradient(&grid, &occupancy, crumb.cell);
            // Rounding must not let a point of the surface slip out.
            let slack = 1e-9 * grid.cell * f64::from(grid.side);
            (crumb.low, crumb.high) = (crumb.low - slack, crumb.high + slack);
        }
        progress.check()?;
        list.sort_by_cached_key(|crumb| morton(crumb.cell));
        let gaps = gaps(&grid, &occupancy, progress)?;
        Ok(Self { grid, list, gaps })
    }

    /// Whether every cell that a box touches is full.
    pub(crate) fn is_solid(&self, low: DVec3, high: DVec3) -> bool {
        let end = self.grid.origin + self.grid.cell * f64::from(self.grid.side);
        if low.cmplt(self.grid.origin).any() || high.cmpgt(end).any() {
            return false;
        }
        let (a, b) = (self.grid.cell_of(low), self.grid.cell_of(high).map(|x| x + 1));
        let wide = self.grid.side as usize + 1;
        let at = |x: u32, y: u32, z: u32| i64::from(self.gaps[(z as usize * wide + y as usize) * wide + x as usize]);
        let sum = at(b[0], b[1], b[2]) - at(a[0], b[1], b[2]) - at(b[0], a[1], b[2]) - at(b[0], b[1], a[2])
            + at(a[0], a[1], b[2])
            + at(a[0], b[1], a[2])
            + at(b[0], a[1], a[2])
            - at(a[0], a[1], a[2]);
        sum == 0
    }
}

/// The bits of three coordinates in turn: the order of an octree.
pub(crate) fn morton(cell: [u32; 3]) -> u64 {
    let spread = |x: u32| (0..21).fold(0_u64, |code, bit| code | u64::from(x >> bit & 1) << (3 * bit));
    spread(cell[0]) | spread(cell[1]) << 1 | spread(cell[2]) << 2
}

/// Summed-volume table of the cells that are not full.
fn gaps(grid: &Grid, occupancy: &[f64], progress: &Progress) -> Result<Vec<u32>, Stopped> {
    let side = grid.side as usize;
    let wide = side + 1;
    let mut sums = vec![0_u32; wide * wide * wide];
    for z in 0..side {
        progress.check()?;
        for y in 0..side {
            let mut row = 0;
            for x in 0..side {
                row += u32::from(occupancy[(z * side + y) * side + x] < 1.0 - 1e-6);
                let at = |dx: usize, dy: usize, dz: usize| ((z + dz) * wide + y + dy) * wide + x + dx;
                sums[at(1, 1, 1)] = row + sums[at(1, 0, 1)] + sums[at(1, 1, 0)] - sums[at(1, 0, 0)];
            }
        }
    }
    Ok(sums)
}

/// Equation 4.8 (in the corrected form), with nothing beside the grid.
fn gradient(grid: &Grid, occupancy: &[f64], cell: [u32; 3]) -> DVec3 {
    let at = |axis: usize, step: i32| {
        let mut place = cell.map(|x| x as i32);
        place[axis] += step;
        let is_there = (0..grid.side as i32).contains(&place[axis]);
        if is_there { occupancy[grid.index(place.map(|x| x as u32))] } else { 0.0 }
    };
    DVec3::from([0, 1, 2].map(|axis| 0.5 * (at(axis, 1) - at(axis, -1))))
}

/// Lines along x at regular places of y and z.
struct Lines {
    first: [f64; 2],
    step: f64,
    count: u32,
}

impl Lines {
    fn range(&self, low: f64, high: f64, axis: usize) -> std::ops::Range<u32> {
        let from = ((low - self.first[axis]) / self.step).ceil().max(0.0) as u32;
        let to = ((high - self.first[axis]) / self.step).floor();
        from..if to < 0.0 { 0 } else { (to as u32 + 1).min(self.count) }
    }

    /// For each line where it crosses the surface, in order. Whether a line
    /// passes a triangle's edge on the left is computed alike for both
    /// triangles of the edge, so the number of crossings of a closed surface
    /// is even.
    fn crossings(&self, mesh: &SolidMesh, progress: &Progress) -> Result<Vec<Vec<f64>>, Stopped> {
        let mut crossings = vec![Vec::new(); (self.count * self.count) as usize];
        for (index, triangle) in mesh.triangles.iter().enumerate() {
            progress.check()?;
            let corners = mesh.corners(index);
            let [a, b, c] = corners;
            let (low, high) = (a.min(b).min(c), a.max(b).max(c));
            for j in self.range(low.z, high.z, 1) {
                for i in self.range(low.y, high.y, 0) {
                    let y = self.first[0] + f64::from(i) * self.step;
                    let z = self.first[1] + f64::from(j) * self.step;
                    if let Some(x) = crossing(&corners, triangle, y, z) {
                        crossings[(j * self.count + i) as usize].push(x);
                    }
                }
            }
        }
        for line in &mut crossings {
            progress.check()?;
            line.sort_by(f64::total_cmp);
        }
        Ok(crossings)
    }
}

fn crossing(corners: &[DVec3; 3], names: &[u32; 3], y: f64, z: f64) -> Option<f64> {
    // From the lower to the higher vertex, so that both sides round alike.
    let edge = |from: usize, to: usize| {
        let (p, q, sign) = if names[from] < names[to] {
            (corners[from], corners[to], 1.0)
        } else {
            (corners[to], corners[from], -1.0)
        };
        sign * ((q.y - p.y) * (z - p.z) - (q.z - p.z) * (y - p.y))
    };
    let (u, v, w) = (edge(0, 1), edge(1, 2), edge(2, 0));
    let inside = (u > 0.0 && v > 0.0 && w > 0.0) || (u < 0.0 && v < 0.0 && w < 0.0);
    inside.then(|| (v * corners[0].x + w * corners[1].x + u * corners[2].x) / (u + v + w))
}

/// The parts of a line that lie inside, as pairs of ends.
fn inside_parts(line: &[f64]) -> impl Iterator<Item = (f64, f64)> + '_ {
    // A line through a vertex may lose a crossing; what is left of it counts.
    line.chunks_exact(2).map(|pair| (pair[0], pair[1]))
}

/// The share of each cell that is filled.
fn occupancy(mesh: &SolidMesh, grid: &Grid, progress: &Progress) -> Result<Vec<f64>, Stopped> {
    let step = grid.cell / f64::from(LINES);
    // Off the middle by what no modeller chooses, so that edges are not met.
    let first = [grid.origin.y + 0.500_317 * step, grid.origin.z + 0.499_731 * step];
    let lines = Lines { first, step, count: LINES * grid.side };
    let mut filled = vec![0.0; grid.cells()];
    let share = 1.0 / (f64::from(LINES * LINES) * grid.cell);
    for (index, line) in lines.crossings(mesh, progress)?.iter().enumerate() {
        progress.check()?;
        let (i, j) = (index as u32 % lines.count, index as u32 / lines.count);
        for (from, to) in inside_parts(line) {
            let first = ((from - grid.origin.x) / grid.cell).max(0.0) as u32;
            let last = (((to - grid.origin.x) / grid.cell) as u32).min(grid.side - 1);
            for x in first..=last {
                let left = grid.origin.x + grid.cell * f64::from(x);
                let length = to.min(left + grid.cell) - from.max(left);
                filled[grid.index([x, i / LINES, j / LINES])] += share * length.max(0.0);
            }
        }
    }
    filled.iter_mut().for_each(|share| *share = share.min(1.0));
    Ok(filled)
}

/// Whether each corner of the cells lies inside the solid.
fn corners_inside(mesh: &SolidMesh, grid: &Grid, progress: &Progress) -> Result<Vec<bool>, Stopped> {
    let nudge = 1e-7 * grid.cell;
    let first = [grid.origin.y + 0.617 * nudge, grid.origin.z - 0.731 * nudge];
    let lines = Lines { first, step: grid.cell, count: grid.side + 1 };
    let wide = grid.side + 1;
    let mut inside = vec![false; (wide * wide * wide) as usize];
    for (index, line) in lines.crossings(mesh, progress)?.iter().enumerate() {
        progress.check()?;
        for (from, to) in inside_parts(line) {
            let first = ((from - grid.origin.x) / grid.cell).ceil().max(0.0) as u32;
            let last = ((to - grid.origin.x) / grid.cell).floor();
            for x in first..(last as u32 + 1).min(wide) {
                inside[index * wide as usize + x as usize] = last >= 0.0;
            }
        }
    }
    Ok(inside)
}

/// Crumbs of the cells that the surface passes through.
fn surface_crumbs(
    mesh: &SolidMesh,
    grid: &Grid,
    groups: &Groups,
    progress: &Progress,
) -> Result<Vec<Option<Crumb>>, Stopped> {
    let mut crumbs: Vec<Option<Crumb>> = vec![None; grid.cells()];
    let mut areas: Vec<(u32, u32, f64)> = Vec::new();
    for index in 0..mesh.triangles.len() {
        let corners = mesh.corners(index);
        let [a, b, c] = corners;
        let (first, last) = (grid.cell_of(a.min(b).min(c)), grid.cell_of(a.max(b).max(c)));
        for z in first[2]..=last[2] {
            progress.check()?;
            for y in first[1]..=last[1] {
                for x in first[0]..=last[0] {
                    let low = grid.corner([x, y, z]);
                    let piece = Piece::clipped(corners, low, low + grid.cell);
                    if piece.count == 0 {
                        continue;
                    }
                    let at = grid.index([x, y, z]);
                    let crumb = crumbs[at].get_or_insert_with(|| Crumb::empty([x, y, z]));
                    piece.points[..piece.count].iter().for_each(|point| crumb.hold(*point));
                    let area = piece.area_vector();
                    crumb.area_vector += area;
                    areas.push((at as u32, groups.of_triangle(index), area.length()));
                }
            }
        }
    }
    areas.sort_by_key(|(cell, group, _)| (*cell, *group));
    for cell in areas.chunk_by(|a, b| a.0 == b.0) {
        let of_groups =
            cell.chunk_by(|a, b| a.1 == b.1).map(|group| (group[0].1, group.iter().map(|g| g.2).sum::<f64>()));
        let largest = of_groups.fold((u32::MAX, -1.0), |best, group| if group.1 > best.1 { group } else { best });
        if let Some(crumb) = &mut crumbs[cell[0].0 as usize] {
            crumb.group = largest.0;
        }
    }
    Ok(crumbs)
}

/// Adds what is inside: corners of cells, and cells that the surface misses.
fn add_inside(
    grid: &Grid,
    occupancy: &[f64],
    inside: &[bool],
    crumbs: &mut [Option<Crumb>],
    progress: &Progress,
) -> Result<(), Stopped> {
    let wide = grid.side + 1;
    for z in 0..grid.side {
        progress.check()?;
        for y in 0..grid.side {
            for x in 0..grid.side {
                let at = grid.index([x, y, z]);
                if crumbs[at].is_none() && occupancy[at] <= 0.0 {
                    continue;
                }
                let is_whole = crumbs[at].is_none();
                let crumb = crumbs[at].get_or_insert_with(|| Crumb::empty([x, y, z]));
                for corner in 0..8 {
                    let place = [x + (corner & 1), y + (corner >> 1 & 1), z + (corner >> 2)];
                    let is_inside = inside[((place[2] * wide + place[1]) * wide + place[0]) as usize];
                    if is_whole || is_inside {
                        crumb.hold(grid.corner(place));
                    }
                }
            }
        }
    }
    Ok(())
}

impl Crumb {
    fn empty(cell: [u32; 3]) -> Self {
        Self {
            cell,
            low: DVec3::INFINITY,
            high: DVec3::NEG_INFINITY,
            volume: 0.0,
            area_vector: DVec3::ZERO,
            outward: DVec3::ZERO,
            group: u32::MAX,
        }
    }

    fn hold(&mut self, point: DVec3) {
        (self.low, self.high) = (self.low.min(point), self.high.max(point));
    }

    /// Whether the surface passes through it.
    pub(crate) fn has_surface(&self) -> bool {
        self.group != u32::MAX
    }

    pub(crate) fn center(&self) -> DVec3 {
        0.5 * (self.low + self.high)
    }

    /// The corners of its box.
    pub(crate) fn corners(&self) -> [DVec3; 8] {
        let (low, high) = (self.low, self.high);
        std::array::from_fn(|corner| {
            let pick = |axis: usize| if corner >> axis & 1 == 1 { high[axis] } else { low[axis] };
            DVec3::new(pick(0), pick(1), pick(2))
        })
    }
}

/// A triangle's part in a box.
struct Piece {
    points: [DVec3; 9],
    count: usize,
}

impl Piece {
    /// Cuts a triangle with the six sides of a box (Sutherland and Hodgman).
    fn clipped(corners: [DVec3; 3], low: DVec3, high: DVec3) -> Self {
        let mut piece = Self { points: [DVec3::ZERO; 9], count: 3 };
        piece.points[..3].copy_from_slice(&corners);
        for axis in 0..3 {
            for (sign, bound) in [(1.0, low[axis]), (-1.0, high[axis])] {
                let depth = |point: DVec3| sign * (point[axis] - bound);
                if piece.points[..piece.count].iter().all(|point| depth(*point) >= 0.0) {
                    continue;
                }
                let mut cut = Self { points: [DVec3::ZERO; 9], count: 0 };
                for index in 0..piece.count {
                    let (here, there) = (piece.points[index], piece.points[(index + 1) % piece.count]);
                    let (a, b) = (depth(here), depth(there));
                    if a >= 0.0 {
                        cut.push(here);
                    }
                    if (a >= 0.0) != (b >= 0.0) {
                        cut.push(here + a / (a - b) * (there - here));
                    }
                }
                piece = cut;
            }
        }
        piece
    }

    fn push(&mut self, point: DVec3) {
        // A triangle cut by six planes has at most nine corners.
        if self.count < self.points.len() {
            self.points[self.count] = point;
            self.count += 1;
        }
    }

    fn area_vector(&self) -> DVec3 {
        let first = self.points[0];
        let fan = self.points[..self.count].windows(2);
        fan.map(|pair| 0.5 * (pair[0] - first).cross(pair[1] - first)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::built_in;

    #[test]
    fn crumbs_hold_the_volume_and_the_surface() {
        for name in ["torus", "l-shape", "vase"] {
            let mesh = built_in(name, 3000).unwrap();
            let crumbs = Crumbs::new(&mesh, 4, &Groups::one(&mesh), &Progress::none()).unwrap();
            let volume: f64 = crumbs.list.iter().map(|crumb| crumb.volume).sum();
            // Along a flat side, a line stands for a quarter of a cell.
            assert!((volume / mesh.volume() - 1.0).abs() < 0.03, "{name}: {volume} {}", mesh.volume());
            // The normals of a closed surface add up to nothing.
            let sum: DVec3 = crumbs.list.iter().map(|crumb| crumb.area_vector).sum();
            assert!(sum.length() < 1e-9, "{name}: {sum}");
            for vertex in &mesh.vertices {
                let holds = |crumb: &Crumb| crumb.low.cmple(*vertex).all() && vertex.cmple(crumb.high).all();
                assert!(crumbs.list.iter().any(holds));
            }
        }
    }

    #[test]
    fn only_what_is_full_is_solid() {
        let mesh = built_in("l-shape", 100).unwrap();
        let crumbs = Crumbs::new(&mesh, 5, &Groups::one(&mesh), &Progress::none()).unwrap();
        let around = |x: f64, y: f64, half: f64| {
            crumbs.is_solid(DVec3::new(x - half, y - half, -0.05), DVec3::new(x + half, y + half, 0.05))
        };
        assert!(around(-0.4, -0.4, 0.1) && around(0.3, -0.4, 0.1) && around(-0.4, 0.3, 0.1));
        assert!(!around(0.2, 0.2, 0.1) && !around(-0.4, -0.4, 0.3) && !around(0.0, 0.0, 9.0));
    }

    #[test]
    fn octree_order_follows_the_highest_bits() {
        assert!(morton([0, 0, 1]) > morton([0, 0, 0]));
        assert!(morton([4, 0, 0]) > morton([3, 3, 3]));
        assert_eq!(morton([7, 7, 7]), 511);
    }
}
