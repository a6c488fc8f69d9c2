//! Smooth height fields: bicubic B-splines over a grid of heights.

use std::sync::Arc;

use glam::{DVec2, DVec3};

use crate::error::{ShapeError, positive};

/// A surface `y = h(x, z)` with continuous curvature, solid below. Cheap to
/// clone.
///
/// The heights are the control points of a uniform bicubic B-spline, centred
/// on the origin. Beyond its rectangle the surface goes on at the height of
/// its edge, so that nothing can fall past it.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    data: Arc<FieldData>,
}

#[derive(Debug, PartialEq)]
struct FieldData {
    columns: usize,
    rows: usize,
    spacing: f64,
    heights: Vec<f64>,
    range: (f64, f64),
    max_slope: f64,
    max_bend: f64,
}

/// Height and derivatives at a place.
struct Sample {
    height: f64,
    gradient: DVec2,
    /// Second derivatives: xx, xz, zz.
    bend: [f64; 3],
}

impl HeightField {
    /// A field of `columns` heights along x and `rows` along z, x fastest,
    /// `spacing` apart.
    pub fn new(columns: usize, rows: usize, spacing: f64, heights: Vec<f64>) -> Result<Self, ShapeError> {
        positive("the spacing of a height field", spacing)?;
        if columns < 4 || rows < 4 {
            return Err(ShapeError::FieldTooSmall { columns, rows });
        }
        let expected = columns.saturating_mul(rows);
        if heights.len() != expected {
            return Err(ShapeError::FieldSize { columns, rows, expected, found: heights.len() });
        }
        if let Some(index) = heights.iter().position(|h| !h.is_finite()) {
            return Err(ShapeError::NotFinite { index });
        }
        let (max_slope, max_bend) = steepness(columns, rows, spacing, &heights);
        let range = heights.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), h| (lo.min(*h), hi.max(*h)));
        Ok(Self { data: Arc::new(FieldData { columns, rows, spacing, heights, range, max_slope, max_bend }) })
    }

    /// Half the size of the rectangle along x and z.
    pub fn half_size(&self) -> DVec2 {
        // A uniform cubic B-spline is defined between its second and its
        // second last control point.
        let d = &*self.data;
        0.5 * d.spacing * DVec2::new((d.columns - 3) as f64, (d.rows - 3) as f64)
    }

    /// How many heights there are along x and along z.
    pub fn grid(&self) -> (usize, usize) {
        (self.data.columns, self.data.rows)
    }

    /// The distance between neighbouring heights.
    pub fn spacing(&self) -> f64 {
        self.data.spacing
    }

    /// The lowest and highest control heights, which bound the surface.
    pub fn height_range(&self) -> (f64, f64) {
        self.data.range
    }

    /// No slope anywhere is steeper than this.
    pub fn max_slope(&self) -> f64 {
        self.data.max_slope
    }

    /// No second derivative in any direction is larger than this, 1/m.
    pub fn max_bend(&self) -> f64 {
        self.data.max_bend
    }

    /// The control points on which the height at a place depends: their places in the list.
    pub fn control_points_at(&self, x: f64, z: f64) -> impl Iterator<Item = usize> + use<> {
        let (half, columns) = (self.half_size(), self.data.columns);
        let ((i, _), _) = cell(x + half.x, self.data.spacing, columns);
        let ((j, _), _) = cell(z + half.y, self.data.spacing, self.data.rows);
        (0..4).flat_map(move |row| (0..4).map(move |column| (j + row) * columns + i + column))
    }

    /// The height at a place.
    pub fn height(&self, x: f64, z: f64) -> f64 {
        self.slope(x, z).0
    }

    /// The height at a place, and how it changes along x and z.
    pub fn slope(&self, x: f64, z: f64) -> (f64, DVec2) {
        let d = &*self.data;
        let half = self.half_size();
        let ((i, u), x_inside) = cell(x + half.x, d.spacing, d.columns);
        let ((j, v), z_inside) = cell(z + half.y, d.spacing, d.rows);
        let ((bu, du), (bv, dv)) = (weights(u), weights(v));
        let (mut height, mut hx, mut hz) = (0.0, 0.0, 0.0);
        for row in 0..4 {
            let base = (j + row) * d.columns + i;
            let line = &d.heights[base..base + 4];
            let value = bu[0] * line[0] + bu[1] * line[1] + bu[2] * line[2] + bu[3] * line[3];
            let slope = du[0] * line[0] + du[1] * line[1] + du[2] * line[2] + du[3] * line[3];
            height += bv[row] * value;
            hx += bv[row] * slope;
            hz += dv[row] * value;
        }
        let (fx, fz) = (f64::from(u8::from(x_inside)) / d.spacing, f64::from(u8::from(z_inside)) / d.spacing);
        (height, DVec2::new(hx * fx, hz * fz))
    }

    /// The upward unit normal at a place.
    pub fn normal(&self, x: f64, z: f64) -> DVec3 {
        let (_, g) = self.slope(x, z);
        DVec3::new(-g.x, 1.0, -g.y).normalize()
    }

    /// The signed distance from the surface to a point above it, with the
    /// nearest place on the surface and the normal there; negative below.
    ///
    /// Newton's method on the foot point, started straight below: right for
    /// points closer than the surface's radius of curvature.
    pub fn distance(&self, point: DVec3) -> (f64, DVec3, DVec3) {
        let (mut x, mut z) = (point.x, point.z);
        for _ in 0..8 {
            let s = self.sample(x, z);
            let rise = s.height - point.y;
            // Gradient and Hessian of half the squared distance.
            let gx = (x - point.x) + rise * s.gradient.x;
            let gz = (z - point.z) + rise * s.gradient.y;
            let hxx = 1.0 + s.gradient.x * s.gradient.x + rise * s.bend[0];
            let hxz = s.gradient.x * s.gradient.y + rise * s.bend[1];
            let hzz = 1.0 + s.gradient.y * s.gradient.y + rise * s.bend[2];
            let determinant = hxx * hzz - hxz * hxz;
            let (dx, dz) = if determinant > 0.1 && hxx > 0.0 {
                ((hzz * gx - hxz * gz) / determinant, (hxx * gz - hxz * gx) / determinant)
            } else {
                (0.5 * gx, 0.5 * gz)
            };
            x -= dx;
            z -= dz;
            if dx * dx + dz * dz <= 1e-30 * (1.0 + x * x + z * z) {
                break;
            }
        }
        let (height, slope) = self.slope(x, z);
        let foot = DVec3::new(x, height, z);
        let normal = DVec3::new(-slope.x, 1.0, -slope.y).normalize();
        ((point - foot).dot(normal), foot, normal)
    }

    fn sample(&self, x: f64, z: f64) -> Sample {
        let d = &*self.data;
        let half = self.half_size();
        let ((i, u), x_inside) = cell(x + half.x, d.spacing, d.columns);
        let ((j, v), z_inside) = cell(z + half.y, d.spacing, d.rows);
        let (bu, du, ddu) = basis(u);
        let (bv, dv, ddv) = basis(v);
        let (mut height, mut hx, mut hz, mut hxx, mut hxz, mut hzz) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        for row in 0..4 {
            let base = (j + row) * d.columns + i;
            let line = &d.heights[base..base + 4];
            let along = |weights: &[f64; 4]| weights.iter().zip(line).map(|(w, h)| w * h).sum::<f64>();
            let (value, slope, bend) = (along(&bu), along(&du), along(&ddu));
            height += bv[row] * value;
            hx += bv[row] * slope;
            hz += dv[row] * value;
            hxx += bv[row] * bend;
            hxz += dv[row] * slope;
            hzz += ddv[row] * value;
        }
        // Beyond the edge the surface is level in that direction.
        let (fx, fz) = (f64::from(u8::from(x_inside)) / d.spacing, f64::from(u8::from(z_inside)) / d.spacing);
        Sample { height, gradient: DVec2::new(hx * fx, hz * fz), bend: [hxx * fx * fx, hxz * fx * fz, hzz * fz * fz] }
    }
}

/// The cell and the place in it, clamped to the rectangle, and whether the
/// place was inside.
fn cell(offset: f64, spacing: f64, count: usize) -> ((usize, f64), bool) {
    let cells = count - 3;
    let s = offset / spacing;
    let clamped = s.clamp(0.0, cells as f64);
    let index = (clamped.floor() as usize).min(cells - 1);
    ((index, clamped - index as f64), s == clamped)
}

/// The four cubic B-spline weights and their first derivatives.
fn weights(u: f64) -> ([f64; 4], [f64; 4]) {
    let (u2, u3, w) = (u * u, u * u * u, 1.0 - u);
    let value =
        [w * w * w / 6.0, (3.0 * u3 - 6.0 * u2 + 4.0) / 6.0, (-3.0 * u3 + 3.0 * u2 + 3.0 * u + 1.0) / 6.0, u3 / 6.0];
    let slope = [-0.5 * w * w, 1.5 * u2 - 2.0 * u, -1.5 * u2 + u + 0.5, 0.5 * u2];
    (value, slope)
}

/// The weights with their first and second derivatives.
fn basis(u: f64) -> ([f64; 4], [f64; 4], [f64; 4]) {
    let (value, slope) = weights(u);
    (value, slope, [1.0 - u, 3.0 * u - 2.0, 1.0 - 3.0 * u, u])
}

/// Bounds on slope and second derivative: derivatives of a B-spline are
/// B-splines of the differences of its control points, which bound them.
fn steepness(columns: usize, rows: usize, spacing: f64, heights: &[f64]) -> (f64, f64) {
    let at = |i: usize, j: usize| heights[j * columns + i];
    let (mut sx, mut sz, mut xx, mut zz, mut xz) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    for j in 0..rows {
        for i in 0..columns {
            if i + 1 < columns {
                sx = sx.max((at(i + 1, j) - at(i, j)).abs());
            }
            if j + 1 < rows {
                sz = sz.max((at(i, j + 1) - at(i, j)).abs());
            }
            if i + 2 < columns {
                xx = xx.max((at(i + 2, j) - 2.0 * at(i + 1, j) + at(i, j)).abs());
            }
            if j + 2 < rows {
                zz = zz.max((at(i, j + 2) - 2.0 * at(i, j + 1) + at(i, j)).abs());
            }
            if i + 1 < columns && j + 1 < rows {
                xz = xz.max((at(i + 1, j + 1) - at(i + 1, j) - at(i, j + 1) + at(i, j)).abs());
            }
        }
    }
    let slope = (sx * sx + sz * sz).sqrt() / spacing;
    (slope, (xx.max(zz) + xz) / (spacing * spacing))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wavy() -> HeightField {
        let heights = (0..12 * 10).map(|i| 0.02 * libm::sin(f64::from(i) * 0.7)).collect();
        HeightField::new(12, 10, 0.1, heights).unwrap()
    }

    #[test]
    fn only_some_control_points_matter_at_a_place() {
        let (columns, rows, level) = (7, 6, vec![0.0; 42]);
        let flat = HeightField::new(columns, rows, 0.1, level.clone()).unwrap();
        for (x, z) in [(-0.19, -0.14), (0.03, 0.02), (0.199, 0.05), (-9.0, 9.0)] {
            let meant: Vec<usize> = flat.control_points_at(x, z).collect();
            for point in 0..42 {
                let mut heights = level.clone();
                heights[point] = 1.0;
                let raised = HeightField::new(columns, rows, 0.1, heights).unwrap().height(x, z);
                assert!(raised == 0.0 || meant.contains(&point), "{point} at {x}, {z}");
            }
            assert_eq!(meant.len(), 16);
        }
    }

    #[test]
    fn derivatives_match_differences() {
        let field = wavy();
        let step = 1e-5;
        for k in 0..40 {
            let (x, z) = (-0.4 + 0.02 * f64::from(k), 0.3 - 0.015 * f64::from(k));
            let s = field.sample(x, z);
            let (height, gradient) = field.slope(x, z);
            assert!((height - s.height).abs() < 1e-15 && gradient.distance(s.gradient) < 1e-13);
            let slope_x = (field.height(x + step, z) - field.height(x - step, z)) / (2.0 * step);
            let slope_z = (field.height(x, z + step) - field.height(x, z - step)) / (2.0 * step);
            assert!((s.gradient.x - slope_x).abs() < 1e-7 && (s.gradient.y - slope_z).abs() < 1e-7);
            assert!(s.gradient.length() <= field.max_slope());
        }
    }

    #[test]
    fn the_nearest_place_is_nearest() {
        let field = wavy();
        for k in 0..30 {
            let p = DVec3::new(-0.3 + 0.02 * f64::from(k), 0.05, 0.01 * f64::from(k) - 0.1);
            let (distance, foot, normal) = field.distance(p);
            let brute = (-60..=60)
                .flat_map(|i| (-60..=60).map(move |j| (i, j)))
                .map(|(i, j)| {
                    let (x, z) = (p.x + 0.001 * f64::from(i), p.z + 0.001 * f64::from(j));
                    p.distance(DVec3::new(x, field.height(x, z), z))
                })
                .fold(f64::INFINITY, f64::min);
            assert!((distance - brute).abs() < 1e-4, "{distance} against {brute}");
            assert!((foot + distance * normal).distance(p) < 1e-9);
        }
    }

    #[test]
    fn a_plane_is_reproduced() {
        let heights = (0..8 * 8).map(|i| 0.5 * f64::from(i % 8)).collect();
        let field = HeightField::new(8, 8, 1.0, heights).unwrap();
        assert!((field.height(0.3, -0.4) - (0.5 * 3.5 + 0.15)).abs() < 1e-12);
        assert!((field.max_slope() - 0.5).abs() < 1e-12 && field.max_bend() < 1e-12);
    }
}
