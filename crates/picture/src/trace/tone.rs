//! From light to bytes.

use std::sync::LazyLock;

use glam::Vec3;

/// Compresses highlights and leaves the rest as it is, so that a material
/// keeps its colour (after the Khronos PBR Neutral tone mapper, without its
/// correction for Fresnel light).
pub(crate) fn compress(color: Vec3) -> Vec3 {
    const START: f32 = 0.82;
    const DESATURATION: f32 = 0.15;
    let color = color.max(Vec3::ZERO);
    let peak = color.max_element();
    if peak <= START {
        return color;
    }
    let room = 1.0 - START;
    let compressed = 1.0 - room * room / (peak + room - START);
    let towards_white = 1.0 - 1.0 / (DESATURATION * (peak - compressed) + 1.0);
    (color * (compressed / peak)).lerp(Vec3::splat(compressed), towards_white)
}

const STEPS: usize = 4096;

static SRGB: LazyLock<Vec<f32>> = LazyLock::new(|| {
    (0..=STEPS + 1)
        .map(|i| {
            let x = (i as f64 / STEPS as f64).min(1.0);
            let encoded = if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * libm::pow(x, 1.0 / 2.4) - 0.055 };
            (255.0 * encoded) as f32
        })
        .collect()
});

/// Linear light in `[0, 1]` to sRGB bytes.
pub(crate) fn to_srgb(color: Vec3) -> [u8; 3] {
    color.to_array().map(|x| {
        let place = x.clamp(0.0, 1.0) * STEPS as f32;
        let step = place as usize;
        let (low, high) = (SRGB[step], SRGB[step + 1]);
        (low + (high - low) * (place - step as f32) + 0.5) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        assert_eq!(to_srgb(Vec3::new(0.0, 1.0, 0.5)), [0, 255, 188]);
        assert_eq!(to_srgb(Vec3::new(-1.0, 7.0, 0.2140)), [0, 255, 127]);
        assert_eq!(to_srgb(Vec3::splat(f32::NAN)), [0; 3]);
    }

    #[test]
    fn compression_keeps_order_and_stays_below_one() {
        let mut before = 0.0;
        for i in 0..1000 {
            let after = compress(Vec3::splat(i as f32 * 0.01)).x;
            assert!(after >= before && after < 1.0);
            before = after;
        }
        let dull = Vec3::new(0.2, 0.5, 0.7);
        assert_eq!(compress(dull), dull);
    }
}
