//! Smooths the light of a block of pixels, not their colours.

use glam::Vec3;

use super::frame::Probe;
use super::light::BLOCK;
use super::shade::Gathered;

/// Pixels that a filtered pixel looks at in each direction.
pub(crate) const REACH: usize = BLOCK / 2;

/// A rectangle of probes with the light gathered at each.
pub(crate) struct Gathering<'a> {
    pub(crate) width: usize,
    pub(crate) probes: &'a [Probe],
    pub(crate) light: &'a [Gathered],
}

impl Gathering<'_> {
    /// The light at a pixel, averaged over the block around it: all samples of
    /// the shared set have the same total weight where the surface is even,
    /// so that no pattern remains. Other surfaces do not take part.
    ///
    /// A smaller `reach` keeps more detail, and some of the pattern.
    pub(crate) fn smooth(&self, column: usize, row: usize, footprint: f32, reach: usize) -> Gathered {
        let index = row * self.width + column;
        let center = &self.probes[index];
        let rows = self.probes.len() / self.width;
        let mut sum = Gathered::default();
        let mut total = 0.0;
        for y in row.saturating_sub(reach)..=(row + reach).min(rows - 1) {
            for x in column.saturating_sub(reach)..=(column + reach).min(self.width - 1) {
                let border = |offset: usize| if offset == reach { 0.5 } else { 1.0 };
                let other = y * self.width + x;
                let alike = likeness(center, &self.probes[other], footprint);
                let weight = border(y.abs_diff(row)) * border(x.abs_diff(column)) * alike;
                if weight > 0.0 {
                    total += weight;
                    sum.lamp += self.light[other].lamp * weight;
                    sum.sky += self.light[other].sky * weight;
                    sum.mirror += self.light[other].mirror * weight;
                }
            }
        }
        if total <= 0.0 {
            return self.light[index];
        }
        let share = 1.0 / total;
        Gathered { lamp: sum.lamp * share, sky: sum.sky * share, mirror: sum.mirror * share }
    }

    /// The light of the pixel, among a pixel and its neighbours, whose
    /// surface is most like that of a probe; nothing when none is.
    pub(crate) fn borrow(&self, probe: &Probe, column: usize, row: usize, footprint: f32) -> Option<Gathered> {
        let rows = self.probes.len() / self.width;
        let mut best = (0.0, None);
        for y in row.saturating_sub(1)..=(row + 1).min(rows - 1) {
            for x in column.saturating_sub(1)..=(column + 1).min(self.width - 1) {
                let other = y * self.width + x;
                let offset = y.abs_diff(row) + x.abs_diff(column);
                let alike = likeness(probe, &self.probes[other], footprint) / (1.0 + 0.5 * offset as f32);
                if alike > best.0 {
                    best = (alike, Some(self.light[other]));
                }
            }
        }
        best.1
    }
}

/// From 0 (another surface) to 1 (the same plane of the same body).
fn likeness(one: &Probe, other: &Probe, footprint: f32) -> f32 {
    if one.object != other.object {
        return 0.0;
    }
    let turned = one.normal.dot(other.normal);
    let apart: Vec3 = other.position - one.position;
    let off_plane = apart.dot(one.normal).abs();
    if turned < 0.8 || off_plane > 3.0 * footprint {
        return 0.0;
    }
    let squared = turned * turned;
    squared * squared
}
