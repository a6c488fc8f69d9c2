//! Fewer keys, with a bound on what that changes.

use std::f64::consts::{FRAC_PI_2, PI};

use crate::track::{Span, dot};
use crate::{Key, Track};

/// A kept span turns through at most a right angle. Players that interpolate
/// the components of quaternions (Blender does) then stay within a degree of
/// the arc, and the curvature of the sphere of quaternions stays small enough
/// for [`CURVATURE`].
const LARGEST_TURN: f64 = FRAC_PI_2;

/// Two arcs whose ends are within an angle of each other can be further apart
/// in between, by the reciprocal of the cosine of half the arc's length on the
/// sphere of quaternions: π/8 for a turn of [`LARGEST_TURN`]. Tightening the
/// bound at the keys by that cosine keeps it in between.
const CURVATURE: f64 = 0.923;

impl Track {
    /// The same motion with a subset of the keys: at any time the position is
    /// within `max_position_error` metres of the original, and the orientation
    /// within `max_angle_error` radians (up to the rounding of `f32`). The
    /// first and the last key stay.
    ///
    /// An error bound that is not positive (or not a number) keeps every key
    /// that is not reproduced exactly. Takes time in proportion to n log n for
    /// n keys, whatever the motion.
    ///
    /// Each kept key is followed by the furthest one that a galloping and then
    /// a bisecting search finds to stay within the bounds; the count of keys is
    /// close to, but not always, the least possible.
    pub fn reduce(&self, max_position_error: f32, max_angle_error: f32) -> Track {
        let bounds = Bounds::new(max_position_error, max_angle_error);
        let last = self.keys.len().saturating_sub(1);
        let mut keys = Vec::new();
        keys.extend(self.keys.first());
        let mut anchor = 0;
        while anchor < last {
            anchor = self.furthest(anchor, last, &bounds);
            keys.push(self.keys[anchor]);
        }
        Track { keys }
    }

    /// A later key up to which everything after `anchor` can be dropped.
    fn furthest(&self, anchor: usize, last: usize, bounds: &Bounds) -> usize {
        // Gallop: the span doubles until it does not fit.
        let mut fits = anchor + 1;
        let mut misfit = loop {
            if fits == last {
                return last;
            }
            let candidate = last.min(anchor + 2 * (fits - anchor));
            if !bounds.hold(&self.keys[anchor..=candidate]) {
                break candidate;
            }
            fits = candidate;
        };
        // Bisect between the last that fitted and the first that did not.
        while misfit - fits > 1 {
            let middle = fits + (misfit - fits) / 2;
            if bounds.hold(&self.keys[anchor..=middle]) {
                fits = middle;
            } else {
                misfit = middle;
            }
        }
        fits
    }
}

/// How far a dropped key may be from the span that replaces it.
struct Bounds {
    squared_distance: f64,
    squared_chord: f64,
}

impl Bounds {
    fn new(max_position_error: f32, max_angle_error: f32) -> Self {
        // `max` turns NaN into zero as well.
        let distance = f64::from(max_position_error).max(0.0);
        let angle = f64::from(max_angle_error).clamp(0.0, PI).max(0.0) * CURVATURE;
        // An angle between orientations is half as large between their
        // quaternions, which are apart by a chord of the unit sphere.
        let chord = 2.0 * libm::sin(0.25 * angle);
        Bounds { squared_distance: distance * distance, squared_chord: chord * chord }
    }

    /// Whether the first and the last of the keys can stand for all of them.
    fn hold(&self, keys: &[Key]) -> bool {
        let [start, dropped @ .., end] = keys else {
            return true;
        };
        let span = Span::new(start, end);
        span.turn() <= LARGEST_TURN && dropped.iter().all(|key| self.hold_at(&span, key))
    }

    fn hold_at(&self, span: &Span, key: &Key) -> bool {
        let replaced = span.at(key.time);
        let offset = replaced.position.as_dvec3() - key.position.as_dvec3();
        if offset.length_squared() > self.squared_distance {
            return false;
        }
        let (ours, theirs) = (replaced.orientation.as_dquat(), key.orientation.as_dquat());
        let chord = if dot(ours, theirs) < 0.0 { ours + theirs } else { ours - theirs };
        chord.length_squared() <= self.squared_chord
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DQuat, DVec3, Quat, Vec3};

    #[test]
    fn a_straight_line_keeps_its_ends() {
        let keys = (0..1000).map(|i| Key::new(i as f32, i as f32 * Vec3::X, Quat::IDENTITY)).collect();
        let reduced = Track { keys }.reduce(0.0, 0.0);
        assert_eq!(reduced.keys.len(), 2);
        assert_eq!(reduced.end_secs(), 999.0);
    }

    #[test]
    fn a_bounce_keeps_its_corner() {
        let keys = (0..=100).map(|i| Key::new(i as f32, (i - 50i32).abs() as f32 * Vec3::Y, Quat::IDENTITY)).collect();
        let reduced = Track { keys }.reduce(0.1, 0.1);
        let times: Vec<f32> = reduced.keys.iter().map(|key| key.time).collect();
        assert_eq!(times, [0.0, 50.0, 100.0]);
    }

    #[test]
    fn a_spin_keeps_a_key_per_right_angle() {
        let track = Track::from_samples((0..=360).map(|degree| {
            let angle = f64::from(degree).to_radians();
            (f64::from(degree), DVec3::ZERO, DQuat::from_rotation_y(angle))
        }))
        .unwrap();
        let reduced = track.reduce(0.0, 1e-3);
        assert!((5..=6).contains(&reduced.keys.len()), "{}", reduced.keys.len());
    }

    #[test]
    fn short_tracks_and_odd_bounds_are_left_alone() {
        assert_eq!(Track::default().reduce(1.0, 1.0), Track::default());
        let track = Track::from_samples((0..50).map(|i| {
            let time = f64::from(i);
            (time, DVec3::splat(libm::sin(time)), DQuat::from_rotation_x(libm::cos(time)))
        }))
        .unwrap();
        for bound in [f32::NAN, -1.0, 0.0] {
            assert_eq!(track.reduce(bound, bound), track);
        }
        let one = Track { keys: track.keys[..1].to_vec() };
        assert_eq!(one.reduce(1.0, 1.0), one);
    }
}
