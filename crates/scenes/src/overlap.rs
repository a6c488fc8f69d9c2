//! Bodies that start inside each other, found all at once.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;
use proscenium_geometry::{Bounds, separation};

use crate::drawn::PlacedBody;
use crate::plan::Plan;
use crate::report::{Path, Report};

/// A body that touches more cells than this is compared with all others.
const MOST_CELLS: f64 = 64.0;

/// Whether nothing that it meets can move it: what two such bodies do to each other is nobody's
/// concern.
fn is_told(body: &PlacedBody) -> bool {
    body.def.fixed || body.def.drive.is_some()
}

/// Reports every body that starts inside an earlier one to which no joint holds it.
pub(crate) fn check(placed: &[PlacedBody], joined: &BTreeSet<(usize, usize)>, plan: &Plan, report: &mut Report<'_>) {
    let present: Vec<usize> = (0..placed.len()).filter(|index| placed[*index].def.start <= 0.0).collect();
    let bounds: Vec<Bounds> = placed.iter().map(|body| body.def.shape.bounds(&body.def.pose)).collect();
    let tolerance = plan.tolerance.unwrap_or_else(|| natural_tolerance(placed, &bounds));
    let grid = Grid::new(&present, placed, &bounds);
    for &index in &present {
        for other in grid.earlier(index, is_told(&placed[index]), &bounds) {
            let (a, b) = (&placed[other].def, &placed[index].def);
            if joined.contains(&(other, index)) || !bounds[index].intersects(&bounds[other]) {
                continue;
            }
            let depth = -separation(&a.shape, &a.pose, &b.shape, &b.pose);
            let size = extent(&bounds[index]).min(extent(&bounds[other]));
            if depth > tolerance.max(1e-9 * size) {
                tell(placed, plan, report, (other, index), depth);
                break;
            }
        }
        if report.is_full() {
            return;
        }
    }
}

fn tell(placed: &[PlacedBody], plan: &Plan, report: &mut Report<'_>, (first, second): (usize, usize), depth: f64) {
    let (a, b) = (&placed[first].def.name, &placed[second].def.name);
    let index = placed[second].plan;
    let file = &plan.file.bodies[index];
    let (span, key) = match &file.position {
        Some(position) => (&position.span, "position"),
        None => (&file.name.span, "name"),
    };
    let root = &Path::ROOT;
    let section = &root.key("body");
    let path = section.index(index).of("body", &file.name.value);
    let message = format!("bodies \"{a}\" and \"{b}\" overlap by {depth:.2e} m at the start");
    report.error(span, &path.key(key), message, "move them apart, or let one start later".to_string());
}

/// As the simulator chooses it: a millionth of the smallest moving body.
fn natural_tolerance(placed: &[PlacedBody], bounds: &[Bounds]) -> f64 {
    let moving = placed.iter().zip(bounds).filter(|(body, _)| !is_told(body));
    let smallest = moving.map(|(_, bounds)| 0.5 * extent(bounds)).fold(f64::INFINITY, f64::min);
    if smallest.is_finite() { 1e-6 * smallest } else { 1e-6 }
}

/// The longest edge of a box.
fn extent(bounds: &Bounds) -> f64 {
    (bounds.max - bounds.min).max_element()
}

/// Bodies that can move and bodies that cannot, which are never compared with
/// each other.
type Lists = [Vec<usize>; 2];

/// Cubes of space with the bodies that touch them.
struct Grid {
    cell: f64,
    cells: BTreeMap<[i64; 3], Lists>,
    /// Bodies that touch too many cubes to be listed there.
    large: Lists,
    present: Lists,
}

impl Grid {
    fn new(present: &[usize], placed: &[PlacedBody], bounds: &[Bounds]) -> Self {
        let is_fixed = |index: usize| is_told(&placed[index]);
        let moving = present.iter().filter(|index| !is_fixed(**index));
        let mut sizes: Vec<f64> = moving.map(|index| extent(&bounds[*index])).collect();
        sizes.sort_by(f64::total_cmp);
        let middle = sizes.get(sizes.len() / 2).copied().unwrap_or(1.0);
        let cell = if middle.is_finite() && middle > 0.0 { 2.0 * middle } else { 1.0 };
        let mut grid = Self { cell, cells: BTreeMap::new(), large: Lists::default(), present: Lists::default() };
        for &index in present {
            let list = usize::from(is_fixed(index));
            grid.present[list].push(index);
            match grid.cells_of(&bounds[index]) {
                Some(cells) => cells.into_iter().for_each(|cell| grid.cells.entry(cell).or_default()[list].push(index)),
                None => grid.large[list].push(index),
            }
        }
        grid
    }

    /// The cubes that a box touches; `None` if there are too many.
    fn cells_of(&self, bounds: &Bounds) -> Option<Vec<[i64; 3]>> {
        let (low, high) = ((bounds.min / self.cell).floor(), (bounds.max / self.cell).floor());
        let counts = high - low + DVec3::ONE;
        let reach = low.abs().max(high.abs()).max_element();
        // NaN and infinity fail both comparisons.
        let is_small = counts.x * counts.y * counts.z <= MOST_CELLS && reach < 1e15;
        if !is_small {
            return None;
        }
        let [low, high] = [low, high].map(|corner| corner.to_array().map(|c| c as i64));
        let mut cells = Vec::new();
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                cells.extend((low[2]..=high[2]).map(|z| [x, y, z]));
            }
        }
        Some(cells)
    }

    /// The bodies before one that may touch it, in order.
    fn earlier(&self, index: usize, fixed: bool, bounds: &[Bounds]) -> Vec<usize> {
        let lists = if fixed { 0..1 } else { 0..2 };
        let mut near: Vec<usize> = Vec::new();
        for list in lists {
            let earlier = |other: &usize| *other < index;
            match self.cells_of(&bounds[index]) {
                Some(cells) => {
                    let shared = cells.iter().filter_map(|cell| self.cells.get(cell)).flat_map(|lists| &lists[list]);
                    near.extend(shared.chain(&self.large[list]).copied().filter(earlier));
                }
                None => near.extend(self.present[list].iter().copied().filter(earlier)),
            }
        }
        near.sort_unstable();
        near.dedup();
        near
    }
}
