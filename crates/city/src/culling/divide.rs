//! Regions of a map.

use crate::map::Map;

/// Roads of a region, about. Chosen: a view with its margin wakes few regions.
const ROADS: f64 = 64.0;

/// Divides a map into squares of about equally many roads.
pub(super) fn divide(map: &Map) -> (Vec<u32>, usize) {
    let middles: Vec<_> = map
        .roads()
        .map(|road| {
            let road = map.road(road);
            0.5 * (map.junction(road.from).position + map.junction(road.to).position)
        })
        .collect();
    let low = middles.iter().copied().reduce(glam::DVec2::min).unwrap_or_default();
    let high = middles.iter().copied().reduce(glam::DVec2::max).unwrap_or_default();
    let size = (high - low).max(glam::DVec2::ONE);
    let side = (size.x * size.y * ROADS / middles.len() as f64).sqrt().max(1.0);
    let columns = (size.x / side).ceil().max(1.0);
    let rows = (size.y / side).ceil().max(1.0);
    let cells: Vec<u32> = middles
        .iter()
        .map(|middle| {
            let place = (*middle - low) / side;
            (place.y.floor().min(rows - 1.0) * columns + place.x.floor().min(columns - 1.0)) as u32
        })
        .collect();
    // Squares without roads are left out.
    let mut used = vec![false; (columns * rows) as usize];
    for cell in &cells {
        used[*cell as usize] = true;
    }
    let mut count = 0;
    let numbers: Vec<u32> = used
        .iter()
        .map(|used| {
            count += u32::from(*used);
            count.saturating_sub(1)
        })
        .collect();
    (cells.iter().map(|cell| numbers[*cell as usize]).collect(), count as usize)
}
