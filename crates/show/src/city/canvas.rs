//! Polygons and discs to pixels, with smooth edges.

use glam::DVec2;
use proscenium_city::map::shape::right_of;
use proscenium_picture::{Picture, PictureError};

/// How many samples a pixel has along each side: with nine in all, thin roads
/// have no steps.
const FINE: u32 = 3;

/// A picture in the making: finer than it will be.
pub(super) struct Canvas {
    width: u32,
    height: u32,
    /// Red, green and blue of each sample.
    samples: Vec<[u8; 3]>,
}

impl Canvas {
    pub(super) fn new(width: u32, height: u32, color: [u8; 3]) -> Result<Self, PictureError> {
        // The check of sizes is the picture's own.
        Picture::filled(width, height, [0; 4])?;
        let (width, height) = (width * FINE, height * FINE);
        Ok(Self { width, height, samples: vec![color; width as usize * height as usize] })
    }

    /// Fills a polygon given in pixels; where its edges cross, inside and
    /// outside alternate.
    pub(super) fn polygon(&mut self, corners: &[DVec2], color: [u8; 3], opacity: f64) {
        let fine = f64::from(FINE);
        let points: Vec<DVec2> = corners.iter().map(|corner| *corner * fine).collect();
        let low = points.iter().copied().fold(DVec2::INFINITY, DVec2::min);
        let high = points.iter().copied().fold(DVec2::NEG_INFINITY, DVec2::max);
        let rows = (low.y - 0.5).ceil().max(0.0) as u32
            ..((high.y - 0.5).floor() + 1.0).clamp(0.0, f64::from(self.height)) as u32;
        let mut cuts: Vec<f64> = Vec::new();
        for row in rows {
            let y = f64::from(row) + 0.5;
            cuts.clear();
            let mut previous = points[points.len() - 1];
            for point in &points {
                if (point.y > y) != (previous.y > y) {
                    cuts.push(point.x + (y - point.y) / (previous.y - point.y) * (previous.x - point.x));
                }
                previous = *point;
            }
            cuts.sort_by(f64::total_cmp);
            for pair in cuts.chunks_exact(2) {
                let clamp = |x: f64| (x - 0.5).ceil().clamp(0.0, f64::from(self.width)) as u32;
                for column in clamp(pair[0])..clamp(pair[1]) {
                    self.blend(column, row, color, opacity);
                }
            }
        }
    }

    /// A line with a width in pixels.
    pub(super) fn line(&mut self, from: DVec2, to: DVec2, width: f64, color: [u8; 3]) {
        let half = right_of((to - from).normalize_or(DVec2::X)) * (0.5 * width);
        self.polygon(&[from - half, to - half, to + half, from + half], color, 1.0);
    }

    /// A disc with a radius in pixels.
    pub(super) fn disc(&mut self, middle: DVec2, radius: f64, color: [u8; 3]) {
        let corner = |step: u32| {
            let angle = f64::from(step) * std::f64::consts::TAU / 16.0;
            middle + radius * DVec2::new(libm::cos(angle), libm::sin(angle))
        };
        self.polygon(&std::array::from_fn::<DVec2, 16, _>(|step| corner(step as u32)), color, 1.0);
    }

    fn blend(&mut self, column: u32, row: u32, color: [u8; 3], opacity: f64) {
        let sample = &mut self.samples[row as usize * self.width as usize + column as usize];
        for (known, new) in sample.iter_mut().zip(color) {
            *known = (f64::from(*known) + (f64::from(new) - f64::from(*known)) * opacity).round() as u8;
        }
    }

    /// The picture: each pixel the mean of its samples.
    pub(super) fn picture(&self) -> Result<Picture, PictureError> {
        let (width, height) = (self.width / FINE, self.height / FINE);
        let mut picture = Picture::filled(width, height, [0, 0, 0, 255])?;
        for row in 0..height {
            for column in 0..width {
                let mut sum = [0_u32; 3];
                for y in 0..FINE {
                    let start = (row * FINE + y) as usize * self.width as usize + (column * FINE) as usize;
                    for sample in &self.samples[start..start + FINE as usize] {
                        for (sum, value) in sum.iter_mut().zip(sample) {
                            *sum += u32::from(*value);
                        }
                    }
                }
                let [red, green, blue] = sum.map(|sum| (sum / (FINE * FINE)) as u8);
                picture.set_pixel(column, row, [red, green, blue, 255]);
            }
        }
        Ok(picture)
    }
}
