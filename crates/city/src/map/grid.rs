//! Which roads are near a place: a grid of square cells.

use glam::DVec2;
use proscenium_work::{Progress, Stopped};

use super::connect::from_segment;
use super::ids::{JunctionId, RoadId};
use super::{Map, Outline};

/// Roads by cells of the plan.
#[derive(Clone, Debug, Default)]
pub(super) struct Grid {
    corner: DVec2,
    far_corner: DVec2,
    cell: f64,
    columns: usize,
    rows: usize,
    first: Vec<u32>,
    roads: Vec<RoadId>,
}

/// A road near a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// The road.
    pub road: RoadId,
    /// Distance of the place from the road's middle line, metres.
    pub distance: f64,
}

/// The least size of a cell, metres. Chosen: roads are longer, and would only be
/// noted in more cells.
const LEAST_CELL: f64 = 40.0;

impl Grid {
    pub(super) fn of(map: &Map, progress: &Progress) -> Result<Self, Stopped> {
        let mut low = DVec2::INFINITY;
        let mut high = DVec2::NEG_INFINITY;
        for junction in map.junctions() {
            low = low.min(map.junction(junction).position);
            high = high.max(map.junction(junction).position);
        }
        for point in &map.road_points {
            low = low.min(*point);
            high = high.max(*point);
        }
        // Junctions reach beyond their middles.
        let widest = map.roads().map(|road| f64::from(map.road(road).half_width)).fold(0.0, f64::max);
        let rim = DVec2::splat(2.0 * widest + 5.0);
        (low, high) = (low - rim, high + rim);
        // About as many cells as roads.
        let size = (high - low).max(DVec2::splat(1.0));
        let cell = libm::sqrt(size.x * size.y / map.road_count() as f64).max(LEAST_CELL).max(size.max_element() / 30e3);
        let columns = (size.x / cell) as usize + 1;
        let rows = (size.y / cell) as usize + 1;
        let mut grid = Self {
            corner: low,
            far_corner: high,
            cell,
            columns,
            rows,
            first: vec![0; columns * rows + 1],
            roads: Vec::new(),
        };
        // What lies beyond the rim is nowhere near.
        let roads = || map.roads().filter(|road| !map.road(*road).is_beyond);
        for road in roads() {
            progress.check()?;
            grid.visit(map, road, |grid, cell| grid.first[cell + 1] += 1);
        }
        for cell in 0..columns * rows {
            grid.first[cell + 1] += grid.first[cell];
        }
        let mut next = grid.first.clone();
        grid.roads = vec![RoadId(0); next[columns * rows] as usize];
        for road in roads() {
            progress.check()?;
            grid.visit(map, road, |grid, cell| {
                grid.roads[next[cell] as usize] = road;
                next[cell] += 1;
            });
        }
        Ok(grid)
    }

    /// Calls with every cell that a road with its ends in the junctions may touch.
    fn visit(&mut self, map: &Map, road: RoadId, mut call: impl FnMut(&mut Self, usize)) {
        let ends = [map.road(road).from, map.road(road).to].map(|end| map.junction(end).position);
        let points = map.road_points(road);
        let reach = DVec2::splat(f64::from(map.road(road).half_width));
        let mut low = ends[0].min(ends[1]);
        let mut high = ends[0].max(ends[1]);
        for point in points {
            low = low.min(*point);
            high = high.max(*point);
        }
        let (from, to) = (self.place(low - reach), self.place(high + reach));
        // Straight roads go through few of the cells of their box.
        let line: Vec<DVec2> =
            std::iter::once(ends[0]).chain(points.iter().copied()).chain(std::iter::once(ends[1])).collect();
        let near = reach.x + 0.71 * self.cell;
        for row in from.1..=to.1 {
            for column in from.0..=to.0 {
                let middle = self.corner + DVec2::new(column as f64 + 0.5, row as f64 + 0.5) * self.cell;
                let touches = (from.0 == to.0 && from.1 == to.1)
                    || line.windows(2).any(|segment| from_segment(middle, segment) <= near);
                if touches {
                    call(self, row * self.columns + column);
                }
            }
        }
    }

    /// The column and row of a place, clamped to the grid.
    fn place(&self, point: DVec2) -> (usize, usize) {
        let at = (point - self.corner) / self.cell;
        ((at.x.max(0.0) as usize).min(self.columns - 1), (at.y.max(0.0) as usize).min(self.rows - 1))
    }

    fn cell(&self, column: usize, row: usize) -> &[RoadId] {
        let cell = row * self.columns + column;
        &self.roads[self.first[cell] as usize..self.first[cell + 1] as usize]
    }

    pub(super) fn bytes(&self) -> usize {
        4 * (self.first.capacity() + self.roads.capacity())
    }
}

impl Map {
    /// The corners of a box around all roads, metres.
    pub fn bounds(&self) -> [DVec2; 2] {
        [self.grid.corner, self.grid.far_corner]
    }

    /// Roads that may reach into a box, in the order of their numbers.
    pub fn roads_in(&self, low: DVec2, high: DVec2) -> Vec<RoadId> {
        let mut found = Vec::new();
        let [least, most] = self.bounds();
        if low.x > most.x || low.y > most.y || high.x < least.x || high.y < least.y {
            return found;
        }
        let (from, to) = (self.grid.place(low), self.grid.place(high));
        for row in from.1..=to.1 {
            for column in from.0..=to.0 {
                found.extend_from_slice(self.grid.cell(column, row));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Distance of a place from the middle line of a road, continued to the
    /// middles of its junctions.
    pub fn distance_to(&self, road: RoadId, place: DVec2) -> f64 {
        let ends = [self.road(road).from, self.road(road).to].map(|end| self.junction(end).position);
        let points = self.road_points(road);
        let inner = points.windows(2).map(|segment| from_segment(place, segment)).fold(f64::INFINITY, f64::min);
        let last = points[points.len() - 1];
        inner.min(from_segment(place, &[ends[0], points[0]])).min(from_segment(place, &[last, ends[1]]))
    }

    /// The road whose middle line is nearest to a place, of those within a
    /// distance.
    pub fn nearest_road(&self, place: DVec2, within: f64) -> Option<Near> {
        let mut reach = self.grid.cell.min(within);
        loop {
            let span = DVec2::splat(reach);
            let candidates = self.roads_in(place - span, place + span).into_iter();
            let near = candidates.map(|road| Near { road, distance: self.distance_to(road, place) });
            let best = near.min_by(|a, b| a.distance.total_cmp(&b.distance).then(a.road.cmp(&b.road)));
            if let Some(best) = best.filter(|best| best.distance <= reach) {
                return Some(best);
            }
            if reach >= within {
                return None;
            }
            reach = (2.0 * reach).min(within);
        }
    }

    /// The junction whose outline a place lies in.
    pub fn junction_at(&self, place: DVec2) -> Option<JunctionId> {
        let mut junctions: Vec<JunctionId> = self
            .roads_in(place, place)
            .into_iter()
            .flat_map(|road| [self.road(road).from, self.road(road).to])
            .collect();
        junctions.sort_unstable();
        junctions.dedup();
        let mut outline = Outline::default();
        junctions.into_iter().find(|junction| {
            self.outline_into(*junction, &mut outline);
            contains(&outline.points, place)
        })
    }

    /// The road between whose walls and mouths a place lies.
    pub fn road_at(&self, place: DVec2) -> Option<RoadId> {
        self.roads_in(place, place).into_iter().find(|road| {
            (1..self.road_points(*road).len()).any(|point| {
                let (start, end) = (self.cross_section(*road, point - 1), self.cross_section(*road, point));
                contains(&[start.left, end.left, end.right, start.right], place)
            })
        })
    }
}

/// Whether a polygon contains a point: crossings of a ray.
pub(crate) fn contains(polygon: &[DVec2], point: DVec2) -> bool {
    let mut inside = false;
    let mut previous = polygon[polygon.len() - 1];
    for corner in polygon {
        if (corner.y > point.y) != (previous.y > point.y) {
            let at = corner.x + (point.y - corner.y) / (previous.y - corner.y) * (previous.x - corner.x);
            inside ^= point.x < at;
        }
        previous = *corner;
    }
    inside
}
