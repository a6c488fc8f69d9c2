//! A palette that serves all frames of an animation.

use std::collections::HashMap;

/// Colours that a frame can use; one more index is for "unchanged".
pub(crate) const COLORS: usize = 255;

/// The index that leaves a pixel as it was.
pub(crate) const UNCHANGED: u8 = 255;

/// Counts the colours of some pictures, in cells of 4 × 4 × 4 steps.
#[derive(Default)]
pub(crate) struct Census {
    /// Only looked up and then sorted, so that its order reaches nothing.
    cells: HashMap<u32, Cell>,
}

#[derive(Clone, Copy, Default)]
struct Cell {
    count: f64,
    sum: [f64; 3],
}

/// A colour that occurs, and how much it matters.
#[derive(Clone, Copy, Debug)]
struct Swatch {
    color: [f64; 3],
    weight: f64,
}

/// How much the eye minds an error in red, green and blue.
const EYE: [f64; 3] = [0.55, 1.0, 0.35];

impl Census {
    pub(crate) fn add(&mut self, rgba: &[u8]) {
        for pixel in rgba.chunks_exact(4) {
            let key = u32::from(pixel[0] >> 2) << 12 | u32::from(pixel[1] >> 2) << 6 | u32::from(pixel[2] >> 2);
            let cell = self.cells.entry(key).or_default();
            cell.count += 1.0;
            for (sum, &part) in cell.sum.iter_mut().zip(pixel) {
                *sum += f64::from(part);
            }
        }
    }

    /// The palette: boxes of colours, cut where they vary most, and then moved
    /// to where the colours are (Lloyd's iteration).
    pub(crate) fn palette(&self) -> Palette {
        let mut keys: Vec<u32> = self.cells.keys().copied().collect();
        keys.sort_unstable();
        let mut swatches: Vec<Swatch> = keys
            .iter()
            .map(|key| {
                let cell = self.cells[key];
                // The root keeps a wide background from taking all colours
                // away from small bodies.
                Swatch { color: cell.sum.map(|sum| sum / cell.count), weight: cell.count.sqrt() }
            })
            .collect();
        let mut colors = cut(&mut swatches);
        for _ in 0..4 {
            move_to_means(&swatches, &mut colors);
        }
        Palette { colors: colors.iter().map(|color| color.map(|part| (part + 0.5) as u8)).collect() }
    }
}

/// Cuts the swatches into at most [`COLORS`] groups and returns their means.
fn cut(swatches: &mut [Swatch]) -> Vec<[f64; 3]> {
    let mut groups: Vec<(f64, usize, usize, usize)> = Vec::new();
    let measure = |swatches: &[Swatch], start: usize, end: usize| {
        let (axis, spread) = widest(&swatches[start..end]);
        (spread, axis, start, end)
    };
    groups.push(measure(swatches, 0, swatches.len()));
    while groups.len() < COLORS {
        let Some((index, _)) =
            groups.iter().enumerate().max_by(|a, b| a.1.0.total_cmp(&b.1.0)).filter(|(_, group)| group.0 > 0.0)
        else {
            break;
        };
        let (_, axis, start, end) = groups.swap_remove(index);
        let part = &mut swatches[start..end];
        part.sort_by(|a, b| a.color[axis].total_cmp(&b.color[axis]));
        let middle = mean(part)[axis];
        let first_above = part.partition_point(|swatch| swatch.color[axis] < middle).clamp(1, part.len() - 1);
        groups.push(measure(swatches, start, start + first_above));
        groups.push(measure(swatches, start + first_above, end));
    }
    groups.iter().filter(|group| group.3 > group.2).map(|&(_, _, start, end)| mean(&swatches[start..end])).collect()
}

fn mean(swatches: &[Swatch]) -> [f64; 3] {
    let total: f64 = swatches.iter().map(|swatch| swatch.weight).sum();
    [0, 1, 2].map(|axis| swatches.iter().map(|s| s.weight * s.color[axis]).sum::<f64>() / total.max(1e-9))
}

/// The axis along which a group varies most, and by how much in total.
fn widest(swatches: &[Swatch]) -> (usize, f64) {
    if swatches.len() < 2 {
        return (0, 0.0);
    }
    let mean = mean(swatches);
    let spread = |axis: usize| -> f64 {
        swatches.iter().map(|s| s.weight * (s.color[axis] - mean[axis]) * (s.color[axis] - mean[axis])).sum::<f64>()
            * EYE[axis]
    };
    let spreads = [spread(0), spread(1), spread(2)];
    let axis = (0..3).max_by(|&a, &b| spreads[a].total_cmp(&spreads[b])).unwrap_or(0);
    (axis, spreads[axis])
}

fn move_to_means(swatches: &[Swatch], colors: &mut [[f64; 3]]) {
    let mut sums = vec![Cell::default(); colors.len()];
    for swatch in swatches {
        let nearest = nearest(colors, swatch.color);
        if let Some(cell) = sums.get_mut(nearest) {
            cell.count += swatch.weight;
            for (sum, part) in cell.sum.iter_mut().zip(swatch.color) {
                *sum += part * swatch.weight;
            }
        }
    }
    for (color, cell) in colors.iter_mut().zip(&sums) {
        if cell.count > 0.0 {
            *color = cell.sum.map(|sum| sum / cell.count);
        }
    }
}

fn nearest(colors: &[[f64; 3]], color: [f64; 3]) -> usize {
    let distance = |other: &[f64; 3]| -> f64 {
        (0..3).map(|axis| EYE[axis] * (other[axis] - color[axis]) * (other[axis] - color[axis])).sum()
    };
    let mut best = (f64::INFINITY, 0);
    for (index, other) in colors.iter().enumerate() {
        let distance = distance(other);
        if distance < best.0 {
            best = (distance, index);
        }
    }
    best.1
}

/// At most [`COLORS`] colours.
pub(crate) struct Palette {
    pub(crate) colors: Vec<[u8; 3]>,
}

/// Finds palette colours, and remembers what it found.
pub(crate) struct Matcher {
    colors: Vec<[f64; 3]>,
    found: HashMap<[u8; 3], u8>,
}

/// Thresholds that differ much from pixel to pixel (Bayer), in 1/16.
const DITHER: [[i16; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];

impl Matcher {
    pub(crate) fn new(palette: &Palette) -> Self {
        Self { colors: palette.colors.iter().map(|color| color.map(f64::from)).collect(), found: HashMap::new() }
    }

    /// The indices of a picture, mildly dithered. The pattern is that of the
    /// pixel's place, so that what stands still does not flicker.
    pub(crate) fn indices(&mut self, rgba: &[u8], width: usize) -> Vec<u8> {
        let place = |(index, pixel): (usize, &[u8])| {
            let threshold = DITHER[index / width % 4][index % width % 4];
            let shift = (2 * threshold - 15) / 5;
            let shifted = |part: u8| (i16::from(part) + shift).clamp(0, 255) as u8;
            let color = [shifted(pixel[0]), shifted(pixel[1]), shifted(pixel[2])];
            *self.found.entry(color).or_insert_with(|| nearest(&self.colors, color.map(f64::from)) as u8)
        };
        rgba.chunks_exact(4).enumerate().map(place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colors_are_kept_exactly() {
        let colors = [[255, 0, 0, 255], [10, 200, 30, 255], [240, 240, 238, 255]];
        let mut census = Census::default();
        census.add(&colors.concat().repeat(50));
        let palette = census.palette();
        for color in colors {
            assert!(palette.colors.contains(&[color[0], color[1], color[2]]));
        }
    }

    #[test]
    fn a_gradient_is_matched_closely() {
        let rgba: Vec<u8> = (0..64 * 64u32)
            .flat_map(|i| [(4 * (i % 64)) as u8, (4 * (i / 64)) as u8, ((i % 64 + i / 64) * 2) as u8, 255])
            .collect();
        let mut census = Census::default();
        census.add(&rgba);
        let palette = census.palette();
        assert!(palette.colors.len() <= COLORS);
        let indices = Matcher::new(&palette).indices(&rgba, 64);
        let mut error = 0.0;
        for (pixel, &index) in rgba.chunks_exact(4).zip(&indices) {
            let color = palette.colors[index as usize];
            error += (0..3).map(|axis| f64::from(pixel[axis].abs_diff(color[axis]))).sum::<f64>() / 3.0;
        }
        assert!(error / 4096.0 < 8.0, "mean error {}", error / 4096.0);
    }
}
