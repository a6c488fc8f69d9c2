//! Eight children side by side: what a traversal reads.

use glam::{DVec3, Vec3};

/// How many children a node has at most.
pub(crate) const WIDTH: usize = 8;

/// The spheres around the children of a node, one coordinate after the other,
/// so that eight are compared at once.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct Block {
    x: [f32; WIDTH],
    y: [f32; WIDTH],
    z: [f32; WIDTH],
    /// Less than −1e30 where there is no child.
    radius: [f32; WIDTH],
}

impl Block {
    pub(crate) const EMPTY: Self =
        Self { x: [0.0; WIDTH], y: [0.0; WIDTH], z: [0.0; WIDTH], radius: [f32::NEG_INFINITY; WIDTH] };

    /// Puts a child's sphere in, grown by what rounding to 32 bits and a
    /// change of frames can take away from it.
    pub(crate) fn set(&mut self, child: usize, center: DVec3, radius: f64) {
        self.x[child] = center.x as f32;
        self.y[child] = center.y as f32;
        self.z[child] = center.z as f32;
        self.radius[child] = (radius + 2e-6 * (center.abs().max_element() + radius)) as f32;
    }

    /// Which children a sphere meets, one bit each.
    #[inline]
    pub(crate) fn meets(&self, center: Vec3, radius: f32) -> u32 {
        let mut met = [false; WIDTH];
        for (child, met) in met.iter_mut().enumerate() {
            let (dx, dy, dz) = (self.x[child] - center.x, self.y[child] - center.y, self.z[child] - center.z);
            let both = self.radius[child] + radius;
            *met = (dx * dx + dy * dy + dz * dz <= both * both) & (both >= 0.0);
        }
        met.iter().enumerate().fold(0, |bits, (child, met)| bits | u32::from(*met) << child)
    }

    /// Which children reach below a plane, one bit each.
    #[inline]
    pub(crate) fn below(&self, normal: Vec3, offset: f32) -> u32 {
        let mut below = [false; WIDTH];
        for (child, below) in below.iter_mut().enumerate() {
            let height = self.x[child] * normal.x + self.y[child] * normal.y + self.z[child] * normal.z - offset;
            *below = height <= self.radius[child];
        }
        below.iter().enumerate().fold(0, |bits, (child, below)| bits | u32::from(*below) << child)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proscenium_chance::Seed;

    #[test]
    fn eight_tests_agree_with_one_after_the_other() {
        let mut stream = Seed(4).stream("blocks");
        let mut place = || DVec3::new(stream.uniform(), stream.uniform(), stream.uniform()) - 0.5;
        for _ in 0..500 {
            let mut block = Block::EMPTY;
            let spheres: Vec<(DVec3, f64)> = (0..5).map(|_| (place(), 0.3 * place().x.abs())).collect();
            for (child, (center, radius)) in spheres.iter().enumerate() {
                block.set(child, *center, *radius);
            }
            let (center, radius) = (place(), 0.3 * place().y.abs());
            let met = block.meets(center.as_vec3(), radius as f32);
            let normal = place().normalize();
            let below = block.below(normal.as_vec3(), 0.1);
            for child in 0..8 {
                let expected = spheres.get(child).is_some_and(|(c, r)| c.distance(center) <= r + radius);
                // What touches is found; what is clear of it by a hair is not.
                assert!(!expected || met >> child & 1 == 1);
                let near = spheres.get(child).is_some_and(|(c, r)| c.distance(center) <= r + radius + 1e-5);
                assert!(near || met >> child & 1 == 0);
                let reaches = spheres.get(child).is_some_and(|(c, r)| c.dot(normal) - r <= 0.1 - 1e-6);
                assert!(!reaches || below >> child & 1 == 1);
                assert!(child < 5 || below >> child & 1 == 0);
            }
        }
    }
}
