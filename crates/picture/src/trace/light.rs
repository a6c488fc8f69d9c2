//! The studio: a warm lamp with an extent, and a cool sky.

use glam::{DVec3, Vec3};

use crate::look::Look;
use proscenium_view::Camera;

/// The light of a picture. Radiances are such that a white sheet facing up in
/// the open is about white in the picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lighting {
    /// Unit vector.
    pub(crate) towards_lamp: Vec3,
    side: Vec3,
    other_side: Vec3,
    /// Sine of the angle from the lamp's middle to its rim.
    pub(crate) lamp_radius: f32,
    pub(crate) lamp: Vec3,
    pub(crate) shadows: bool,
}

/// What a white sheet that faces up in the open gets from the sky alone.
pub(crate) const OPEN_SKY: Vec3 = Vec3::new(0.41, 0.435, 0.485);

/// The unit vector to the lamp of a look.
pub(crate) fn towards_lamp(look: &Look, camera: &Camera) -> DVec3 {
    let direction = look.towards_lamp.unwrap_or_else(|| {
        // Over the left shoulder: shadows fall to the right and away, where
        // they are seen and explain height.
        let axes = camera.axes();
        let level = |v: DVec3| DVec3::new(v.x, 0.0, v.z).normalize_or_zero();
        level(axes.x_axis) * -0.62 + level(axes.z_axis) * 0.28 + DVec3::Y
    });
    direction.normalize_or(DVec3::Y)
}

impl Lighting {
    pub(crate) fn new(look: &Look, camera: &Camera) -> Self {
        let towards_lamp = towards_lamp(look, camera).as_vec3();
        let (side, other_side) = around(towards_lamp);
        Self {
            towards_lamp,
            side,
            other_side,
            lamp_radius: libm::sin(look.lamp_radius) as f32,
            lamp: Vec3::new(0.90, 0.855, 0.79),
            shadows: look.shadows,
        }
    }

    /// The direction to a point of the lamp, given on the unit disc.
    pub(crate) fn lamp_direction(&self, disc: (f32, f32)) -> Vec3 {
        (self.towards_lamp + (self.side * disc.0 + self.other_side * disc.1) * self.lamp_radius).normalize()
    }

    /// The light from the sky in a direction.
    pub(crate) fn sky(&self, direction: Vec3) -> Vec3 {
        const ZENITH: Vec3 = Vec3::new(0.40, 0.44, 0.52);
        const HORIZON: Vec3 = Vec3::new(0.27, 0.265, 0.26);
        const NADIR: Vec3 = Vec3::new(0.20, 0.19, 0.18);
        let up = direction.y.clamp(-1.0, 1.0);
        if up < 0.0 {
            return HORIZON.lerp(NADIR, (-4.0 * up).min(1.0));
        }
        // The side of the lamp is a little brighter and warmer.
        let glow = direction.dot(self.towards_lamp).max(0.0);
        HORIZON.lerp(ZENITH, up.sqrt()) + Vec3::new(0.10, 0.085, 0.06) * (glow * glow)
    }
}

/// Two unit vectors that make an orthonormal basis with a given one, without
/// a seam near any direction that is common in scenes (Duff et al. 2017).
pub(crate) fn around(normal: Vec3) -> (Vec3, Vec3) {
    let sign = 1.0_f32.copysign(normal.z);
    let a = -1.0 / (sign + normal.z);
    let b = normal.x * normal.y * a;
    (
        Vec3::new(1.0 + sign * normal.x * normal.x * a, sign * b, -sign * normal.x),
        Vec3::new(b, sign + normal.y * normal.y * a, -normal.y),
    )
}

/// The samples of one pixel: a share of a set that sixteen pixels, in blocks
/// of four by four, complete together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pattern<'a> {
    disc: &'a [(f32, f32)],
    phase: usize,
}

/// Side of the block of pixels that share a set of samples.
pub(crate) const BLOCK: usize = 4;

/// Neighbours get numbers that differ much.
const ORDER: [usize; BLOCK * BLOCK] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];

impl<'a> Pattern<'a> {
    pub(crate) fn of_pixel(disc: &'a [(f32, f32)], column: usize, row: usize) -> Self {
        Self { disc, phase: ORDER[(row % BLOCK) * BLOCK + column % BLOCK] }
    }

    /// Points on the unit disc.
    pub(crate) fn disc(&self) -> impl Iterator<Item = (f32, f32)> + use<'a> {
        self.disc.iter().copied().skip(self.phase).step_by(BLOCK * BLOCK)
    }

    pub(crate) fn count(&self) -> usize {
        self.disc.len() / (BLOCK * BLOCK)
    }
}

/// Points that fill the unit disc evenly: a sunflower's spiral.
pub(crate) fn sunflower(count: usize) -> Vec<(f32, f32)> {
    const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
    (0..count)
        .map(|i| {
            let radius = libm::sqrt((i as f64 + 0.5) / count as f64);
            let angle = GOLDEN_ANGLE * i as f64;
            ((radius * libm::cos(angle)) as f32, (radius * libm::sin(angle)) as f32)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_of_pixels_uses_every_sample_once() {
        let all = sunflower(64);
        let mut used = Vec::new();
        for pixel in 0..16 {
            let pattern = Pattern::of_pixel(&all, pixel % 4 + 8, pixel / 4 + 12);
            assert_eq!(pattern.disc().count(), pattern.count());
            used.extend(pattern.disc());
        }
        let sort = |mut points: Vec<(f32, f32)>| {
            points.sort_by(|a, b| a.partial_cmp(b).unwrap());
            points
        };
        assert_eq!(sort(used), sort(all));
    }

    #[test]
    fn open_sky_is_what_the_sky_gives() {
        let camera = Camera::look_at(DVec3::new(1.0, 1.0, 2.0), DVec3::ZERO, 0.6, 1.5).unwrap();
        let lighting = Lighting::new(&Look::default(), &camera);
        let samples = sunflower(4096);
        let sum: Vec3 =
            samples.iter().map(|&(x, z)| lighting.sky(Vec3::new(x, (1.0 - x * x - z * z).max(0.0).sqrt(), z))).sum();
        let mean = sum / samples.len() as f32;
        assert!(mean.abs_diff_eq(OPEN_SKY, 0.01), "{mean}");
    }

    #[test]
    fn a_basis_is_orthonormal() {
        for normal in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_Z, Vec3::new(0.6, -0.64, -0.48)] {
            let (a, b) = around(normal);
            assert!(a.dot(b).abs() < 1e-6 && a.dot(normal).abs() < 1e-6 && b.dot(normal).abs() < 1e-6);
            assert!((a.length() - 1.0).abs() < 1e-6 && (b.length() - 1.0).abs() < 1e-6);
        }
    }
}
