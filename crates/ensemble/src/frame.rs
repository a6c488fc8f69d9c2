//! The frame of reference of a group: where its parent's anchor is.

use glam::DVec3;

/// A rigid transform from the coordinates of a group to the world's (T_Wk of
/// equation 2).
///
/// Its arithmetic is written out, so that it rounds alike on every platform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// The group's axes in the world, one after another.
    pub axes: [[f32; 3]; 3],
    /// The group's origin in the world, metres.
    pub origin: [f32; 3],
}

impl Frame {
    /// The world's own.
    pub const WORLD: Frame = Frame { axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], origin: [0.0; 3] };

    /// The frame of three points: its origin is their middle, its first axis
    /// points from the first to the second, its third across the plane. Of
    /// points in a line, the plane is any; it is the same for the same points.
    pub fn of_anchor(points: [[f32; 3]; 3]) -> Self {
        let [a, b, c] = points.map(wide);
        let first = (b - a).normalize_or(DVec3::X);
        let third = first.cross(c - a).normalize_or(first.any_orthonormal_vector());
        let second = third.cross(first);
        Frame { axes: [first, second, third].map(narrow), origin: narrow((a + b + c) / 3.0) }
    }

    /// A point of the group, in the world.
    #[inline]
    pub fn to_world(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        let [first, second, third] = &self.axes;
        std::array::from_fn(|i| self.origin[i] + (first[i] * x + second[i] * y + third[i] * z))
    }

    /// A point of the world, in the group: the inverse, as far as single
    /// precision goes.
    #[inline]
    pub fn to_group(&self, point: [f32; 3]) -> [f32; 3] {
        let away: [f64; 3] = std::array::from_fn(|i| f64::from(point[i]) - f64::from(self.origin[i]));
        self.axes.map(|axis| (0..3).map(|i| f64::from(axis[i]) * away[i]).sum::<f64>() as f32)
    }
}

/// Whether three points are clearly not in a line.
pub(crate) fn spans_a_plane(points: [[f32; 3]; 3]) -> bool {
    let [a, b, c] = points.map(wide);
    let longest = (b - a).length_squared().max((c - a).length_squared()).max((c - b).length_squared());
    (b - a).cross(c - a).length() > 1e-6 * longest && longest > 0.0
}

pub(crate) fn wide(point: [f32; 3]) -> DVec3 {
    DVec3::from_array(point.map(f64::from))
}

pub(crate) fn narrow(point: DVec3) -> [f32; 3] {
    point.to_array().map(|x| x as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_go_to_the_world_and_back() {
        let frame = Frame::of_anchor([[1.0, 2.0, 0.5], [1.5, 2.5, 0.0], [0.0, 2.0, 3.0]]);
        for point in [[0.0; 3], [0.1, -0.7, 2.0]] {
            let back = frame.to_group(frame.to_world(point));
            assert!(back.iter().zip(point).all(|(x, y)| (x - y).abs() < 1e-6), "{back:?}");
        }
    }

    #[test]
    fn a_frame_follows_its_anchor_rigidly() {
        let anchor = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let moved = anchor.map(|[x, y, z]: [f32; 3]| [2.0 - y, x, 1.0 + z]);
        let (before, after) = (Frame::of_anchor(anchor), Frame::of_anchor(moved));
        let [x, y, z] = after.to_world(before.to_group([0.3, 0.2, 0.7]));
        assert!((x - 1.8).abs() < 1e-6 && (y - 0.3).abs() < 1e-6 && (z - 1.7).abs() < 1e-6);
    }

    #[test]
    fn a_collapsed_anchor_still_has_a_frame() {
        for points in [[[1.0; 3]; 3], [[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]] {
            let frame = Frame::of_anchor(points);
            assert!(frame.axes.iter().flatten().all(|x| x.is_finite()));
            assert!(!spans_a_plane(points));
        }
    }
}
