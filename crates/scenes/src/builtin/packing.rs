//! Places for spheres that do not overlap.

use std::collections::BTreeMap;

use glam::DVec3;
use proscenium_chance::Stream;

/// How often a place is drawn for one sphere before all is begun anew.
const ATTEMPTS: u32 = 20_000;
/// How often all is begun anew.
const BEGINNINGS: u32 = 10;

/// Centres for `count` spheres of a radius in a box that stands on the ground,
/// its middle above the origin: each uniform over what the earlier ones leave
/// free (random sequential addition). `None` if they do not fit.
pub(super) fn pack(count: usize, radius: f64, size: DVec3, stream: &mut Stream) -> Option<Vec<DVec3>> {
    (0..BEGINNINGS).find_map(|_| pack_once(count, radius, size, stream))
}

fn pack_once(count: usize, radius: f64, size: DVec3, stream: &mut Stream) -> Option<Vec<DVec3>> {
    let room = size - 2.0 * radius;
    if room.min_element() < 0.0 {
        return None;
    }
    let low = DVec3::new(-0.5 * size.x, 0.0, -0.5 * size.z) + radius;
    // A cell is one diameter wide, so that neighbours are at most one cell away.
    let cell_of = |centre: DVec3| ((centre - low) / (2.0 * radius)).floor().as_i64vec3().to_array();
    let mut cells: BTreeMap<[i64; 3], Vec<DVec3>> = BTreeMap::new();
    let mut centres = Vec::with_capacity(count);
    for _ in 0..count {
        let mut attempts = 0;
        let centre = loop {
            let centre = low + room * DVec3::new(stream.uniform(), stream.uniform(), stream.uniform());
            let [x, y, z] = cell_of(centre);
            let around = (x - 1..=x + 1).flat_map(|x| (y - 1..=y + 1).map(move |y| (x, y)));
            let mut around = around.flat_map(|(x, y)| (z - 1..=z + 1).map(move |z| [x, y, z]));
            let is_free = |other: &DVec3| other.distance_squared(centre) >= 4.0 * radius * radius;
            if around.all(|cell| cells.get(&cell).is_none_or(|others| others.iter().all(is_free))) {
                break centre;
            }
            attempts += 1;
            if attempts == ATTEMPTS {
                return None;
            }
        };
        cells.entry(cell_of(centre)).or_default().push(centre);
        centres.push(centre);
    }
    Some(centres)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proscenium_chance::Seed;

    #[test]
    fn spheres_are_inside_and_apart() {
        let size = DVec3::new(10.2, 10.2, 10.2);
        let centres = pack(512, 0.5, size, &mut Seed(3).stream("places")).unwrap();
        assert_eq!(centres.len(), 512);
        for (index, a) in centres.iter().enumerate() {
            assert!((0.5..=9.7).contains(&a.y) && a.x.abs() <= 4.6 && a.z.abs() <= 4.6, "{a}");
            for b in &centres[..index] {
                assert!(a.distance(*b) >= 1.0 - 1e-12);
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let stream = &mut Seed(3).stream("places");
        assert!(pack(1, 0.6, DVec3::ONE, stream).is_none());
        assert!(pack(9, 0.45, DVec3::ONE, stream).is_none());
        assert!(pack(1, 0.45, DVec3::ONE, stream).is_some());
    }
}
