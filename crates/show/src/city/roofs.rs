//! What stands behind the walls of streets, for those who look from above: houses
//! with flat roofs.

use glam::DVec2;
use proscenium_city::Map;
use proscenium_city::map::{RoadId, shape};
use proscenium_clip::Mesh;

use super::streets::wall_height;
use super::surface::Surface;

/// How deep houses are, metres: little, so that they end before the next street.
const DEPTH: f64 = 6.0;

/// The roofs of the houses along some roads, and their backs, as two meshes; places
/// are relative to `origin`.
pub fn roofs(map: &Map, roads: &[RoadId], origin: DVec2) -> [Mesh; 2] {
    let (mut roofs, mut backs) = (Surface::default(), Surface::default());
    for road in roads.iter().filter(|road| !map.road(**road).is_beyond) {
        let last = map.road_points(*road).len() - 1;
        for piece in 1..=last {
            let (near, far) = (map.cross_section(*road, piece - 1), map.cross_section(*road, piece));
            for (side, from, to) in [(0, near.left, far.left), (1, far.right, near.right)] {
                let (from, to, height) = (from - origin, to - origin, wall_height(*road, side));
                // The street is on the right as one goes.
                let back = -DEPTH * shape::right_of((to - from).normalize_or_zero());
                let (behind_from, behind_to) = (from + back, to + back);
                roofs.ground(&[from, behind_from, behind_to, to], height);
                backs.wall(behind_to, behind_from, 0.0, height);
                let (first, end) = if side == 0 { (1, last) } else { (last, 1) };
                if piece == first {
                    backs.wall(behind_from, from, 0.0, height);
                }
                if piece == end {
                    backs.wall(to, behind_to, 0.0, height);
                }
            }
        }
    }
    [roofs.mesh("roofs", 0), backs.mesh("backs", 0)]
}
