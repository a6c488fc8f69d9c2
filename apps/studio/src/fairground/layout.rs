//! Where the rides stand: blocks of one of each kind, with paths between them.

use proscenium_cull::geometry::Bounds;
use proscenium_cull::glam::DVec3;

/// Between two rides, m.
const GAP: f64 = 3.0;
/// Between two blocks, m.
const PATH: f64 = 7.0;

/// Where the kinds stand in a block, and how large it is.
pub struct Block {
    /// By kind: what to move a ride by, m.
    pub places: Vec<DVec3>,
    /// Along x and z, m.
    pub size: (f64, f64),
}

impl Block {
    /// The largest kind on one side, the others in rows beside it.
    pub fn new(kinds: &[Bounds]) -> Self {
        let footprint = |bounds: &Bounds| (bounds.max.x - bounds.min.x, bounds.max.z - bounds.min.z);
        let area = |kind: &usize| {
            let (x, z) = footprint(&kinds[*kind]);
            x * z
        };
        let mut order: Vec<usize> = (0..kinds.len()).collect();
        order.sort_by(|a, b| area(b).total_cmp(&area(a)).then(a.cmp(b)));
        let mut places = vec![DVec3::ZERO; kinds.len()];
        let mut put = |kind: usize, x: f64, z: f64| {
            let middle = 0.5 * (kinds[kind].min + kinds[kind].max);
            places[kind] = DVec3::new(x - middle.x, 0.0, z - middle.z);
        };
        let Some((&largest, others)) = order.split_first() else {
            return Self { places, size: (0.0, 0.0) };
        };
        let (width, depth) = footprint(&kinds[largest]);
        put(largest, 0.5 * width, 0.5 * depth);
        // Rows are as deep as their first ride, which is their largest.
        let (mut x, mut z, mut row, mut right) = (width + GAP, 0.0, 0.0_f64, width);
        for &kind in others {
            let (w, d) = footprint(&kinds[kind]);
            if x > width + GAP && x + w > 2.2 * width {
                (x, z, row) = (width + GAP, z + row + GAP, 0.0);
            }
            put(kind, x + 0.5 * w, z + 0.5 * d);
            x += w + GAP;
            row = row.max(d);
            right = right.max(x - GAP);
        }
        Self { places, size: (right + PATH, depth.max(z + row) + PATH) }
    }

    /// How many columns and rows of blocks so many rides make, about square, and
    /// the least corner of all.
    fn blocks(&self, total: usize) -> (usize, usize, DVec3) {
        let blocks = total.div_ceil(self.places.len().max(1));
        let (width, depth) = self.size;
        let columns = ((blocks as f64 * depth / width).sqrt().ceil() as usize).max(1);
        let rows = blocks.div_ceil(columns);
        let corner = -0.5 * DVec3::new(columns as f64 * width - PATH, 0.0, rows as f64 * depth - PATH);
        (columns, rows, corner)
    }

    /// A walk along the paths around a block in the middle: its corners, m.
    pub fn stroll(&self, total: usize) -> [[f64; 2]; 4] {
        let (columns, rows, corner) = self.blocks(total);
        let (width, depth) = self.size;
        let left = corner.x + ((columns - 1) / 2) as f64 * width - 0.5 * PATH;
        let top = corner.z + (rows / 2) as f64 * depth - 0.5 * PATH;
        [[left, top], [left + width, top], [left + width, top + depth], [left, top + depth]]
    }

    /// The paths between and around the blocks, along x and along z: the middle and
    /// half the sides of each, m.
    pub fn paths(&self, total: usize) -> [Vec<([f64; 2], [f64; 2])>; 2] {
        let (columns, rows, corner) = self.blocks(total);
        let (width, depth) = self.size;
        let half = [0.5 * (columns as f64 * width + PATH), 0.5 * (rows as f64 * depth + PATH)];
        let wide = 0.5 * (PATH - 2.0);
        let middle = [corner.x - PATH + half[0], corner.z - PATH + half[1]];
        let along_x = |row: usize| ([middle[0], corner.z - 0.5 * PATH + row as f64 * depth], [half[0], wide]);
        let along_z = |column: usize| ([corner.x - 0.5 * PATH + column as f64 * width, middle[1]], [wide, half[1]]);
        [(0..=rows).map(along_x).collect(), (0..=columns).map(along_z).collect()]
    }

    /// Where the first so many rides stand around the origin: kind and place,
    /// block after block.
    pub fn rides(&self, total: usize) -> Vec<(usize, DVec3)> {
        let kinds = self.places.len().max(1);
        let (width, depth) = self.size;
        let (columns, _, corner) = self.blocks(total);
        let place = |index: usize| {
            let (block, kind) = (index / kinds, index % kinds);
            let at = DVec3::new((block % columns) as f64 * width, 0.0, (block / columns) as f64 * depth);
            (kind, corner + at + self.places[kind])
        };
        (0..total).map(place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rides_do_not_stand_in_each_other() {
        let sizes = [(30.0, 26.0), (11.0, 11.0), (10.0, 9.0), (4.0, 4.0), (3.0, 2.0), (0.2, 0.2)];
        let bounds =
            |&(x, z): &(f64, f64)| Bounds { min: DVec3::new(-0.2 * x, 0.0, 0.0), max: DVec3::new(0.8 * x, 5.0, z) };
        let kinds: Vec<Bounds> = sizes.iter().map(bounds).collect();
        let rides = Block::new(&kinds).rides(50);
        assert_eq!(rides.len(), 50);
        let boxes: Vec<Bounds> = rides.iter().map(|(kind, place)| kinds[*kind].moved(*place)).collect();
        for (index, a) in boxes.iter().enumerate() {
            for b in &boxes[..index] {
                let apart = |a: f64, b: f64| a >= b + 0.9 * GAP;
                let x = apart(a.min.x, b.max.x) || apart(b.min.x, a.max.x);
                assert!(x || apart(a.min.z, b.max.z) || apart(b.min.z, a.max.z), "{a:?} {b:?}");
            }
        }
    }
}
