//! Motion between keys.

use glam::{DQuat, DVec3, Quat};

use crate::{ClipError, Key, Track};

impl Track {
    /// A track from samples of a simulation: time in seconds, position in
    /// metres and orientation, in order of time.
    ///
    /// Orientations are normalised, and their signs chosen so that neighbours
    /// are on the same side, which players that interpolate the components of
    /// quaternions rely on. Times are rounded to `f32`; of samples that round
    /// to the same time, the last one stays.
    ///
    /// # Errors
    ///
    /// No samples, a number that is not finite in `f32`, an orientation of
    /// length zero, or a time that is negative or before the previous one.
    ///
    /// ```
    /// use proscenium_clip::Track;
    /// use proscenium_clip::glam::{DQuat, DVec3, Vec3};
    ///
    /// # fn main() -> Result<(), proscenium_clip::ClipError> {
    /// let track = Track::from_samples((0..=10).map(|i| {
    ///     let time = 0.1 * f64::from(i);
    ///     (time, time * DVec3::X, DQuat::IDENTITY)
    /// }))?;
    /// assert_eq!(track.keys.len(), 11);
    /// assert!(track.sample(0.25).position.abs_diff_eq(0.25 * Vec3::X, 1e-6));
    /// // A straight line at constant speed needs its ends only.
    /// assert_eq!(track.reduce(1e-5, 1e-5).keys.len(), 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_samples<I>(samples: I) -> Result<Self, ClipError>
    where
        I: IntoIterator<Item = (f64, DVec3, DQuat)>,
    {
        let samples = samples.into_iter();
        let mut keys: Vec<Key> = Vec::with_capacity(samples.size_hint().0);
        let mut previous_time = 0.0;
        for (index, (time, position, orientation)) in samples.enumerate() {
            let mut key = key_of_sample(index, time, position, orientation)?;
            if time < previous_time {
                return Err(ClipError::TimesNotIncreasing {
                    place: format!("sample {index}"),
                    time,
                    previous: previous_time,
                });
            }
            previous_time = time;
            if keys.last().is_some_and(|last| last.time == key.time) {
                keys.pop();
            }
            if let Some(last) = keys.last() {
                key.orientation = same_side(key.orientation, last.orientation);
            }
            keys.push(key);
        }
        if keys.is_empty() {
            return Err(ClipError::Empty {
                place: "the list of samples".to_string(),
                remedy: "a track needs at least one",
            });
        }
        Ok(Track { keys })
    }

    /// Where the motion is at a time: straight between keys in position, along
    /// the shorter arc at constant speed in orientation. Before the first key
    /// it is the first key, after the last one the last; at the time of a key
    /// it is that key, to the bit.
    ///
    /// A track without keys, which [`Clip::validate`](crate::Clip::validate)
    /// refuses, stays at the origin.
    pub fn sample(&self, time: f32) -> Key {
        let after = self.keys.partition_point(|key| key.time <= time);
        let Some(before) = after.checked_sub(1) else {
            return self.keys.first().copied().unwrap_or(Key::IDENTITY);
        };
        match self.keys.get(after) {
            Some(end) if self.keys[before].time < time => Span::new(&self.keys[before], end).at(time),
            _ => self.keys[before],
        }
    }

    /// The time of the last key; zero without keys.
    pub fn end_secs(&self) -> f32 {
        self.keys.last().map_or(0.0, |key| key.time)
    }
}

fn key_of_sample(index: usize, time: f64, position: DVec3, orientation: DQuat) -> Result<Key, ClipError> {
    let finite = |what: &str, value: f64| {
        if (value as f32).is_finite() {
            Ok(value)
        } else {
            Err(ClipError::NotFinite { place: format!("the {what} of sample {index}"), value })
        }
    };
    finite("time", time)?;
    for value in position.to_array() {
        finite("position", value)?;
    }
    for value in orientation.to_array() {
        finite("orientation", value)?;
    }
    if time < 0.0 {
        return Err(ClipError::OutOfBounds {
            place: format!("the time of sample {index}"),
            value: time,
            allowed: "zero or later".to_string(),
        });
    }
    let length = orientation.length();
    if length < 1e-6 {
        return Err(ClipError::NotUnit { place: format!("the orientation of sample {index}"), length: length as f32 });
    }
    Ok(Key { time: time as f32, position: position.as_vec3(), orientation: (orientation / length).as_quat() })
}

/// Of the two quaternions of an orientation, the one nearer to a neighbour's.
pub(crate) fn same_side(orientation: Quat, neighbour: Quat) -> Quat {
    if dot(orientation.as_dquat(), neighbour.as_dquat()) < 0.0 { -orientation } else { orientation }
}

/// In a fixed order of operations, so that all platforms round alike.
pub(crate) fn dot(a: DQuat, b: DQuat) -> f64 {
    (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w)
}

/// The motion between two keys, with what does not depend on time computed
/// once: both sampling and reducing go through here, so that they agree to the
/// bit.
pub(crate) struct Span {
    start_time: f64,
    duration: f64,
    start_position: DVec3,
    end_position: DVec3,
    start: DQuat,
    end: DQuat,
    arc: Arc,
}

/// How to go from one quaternion to the other on the unit sphere.
enum Arc {
    /// So short that the chord is as good.
    Chord,
    /// Through an angle, with the reciprocal of its sine.
    Circle { angle: f64, inverse_sine: f64 },
}

/// Below this angle between quaternions, the chord departs from the arc by less
/// than f32 can show, while the sine's reciprocal starts to lose digits.
const SHORT_ARC: f64 = 1e-4;

impl Span {
    /// The motion from a key to a later one.
    pub(crate) fn new(start: &Key, end: &Key) -> Self {
        let start_orientation = start.orientation.as_dquat();
        let end_orientation = same_side(end.orientation, start.orientation).as_dquat();
        // The angle from the lengths of difference and sum is accurate
        // everywhere, other than the arc cosine near one.
        let difference = (end_orientation - start_orientation).length();
        let sum = (end_orientation + start_orientation).length();
        let angle = 2.0 * libm::atan2(difference, sum);
        let arc =
            if angle < SHORT_ARC { Arc::Chord } else { Arc::Circle { angle, inverse_sine: libm::sin(angle).recip() } };
        Span {
            start_time: f64::from(start.time),
            duration: f64::from(end.time) - f64::from(start.time),
            start_position: start.position.as_dvec3(),
            end_position: end.position.as_dvec3(),
            start: start_orientation,
            end: end_orientation,
            arc,
        }
    }

    /// The angle in radians that the orientation turns through.
    pub(crate) fn turn(&self) -> f64 {
        match self.arc {
            Arc::Chord => 0.0,
            Arc::Circle { angle, .. } => 2.0 * angle,
        }
    }

    /// The key at a time from the start up to, but not including, the end.
    pub(crate) fn at(&self, time: f32) -> Key {
        let fraction = (f64::from(time) - self.start_time) / self.duration;
        // Not a number if the span has no duration.
        if fraction.is_nan() || fraction <= 0.0 {
            return Key { time, position: self.start_position.as_vec3(), orientation: self.start.as_quat() };
        }
        Key {
            time,
            position: self.start_position.lerp(self.end_position, fraction).as_vec3(),
            orientation: self.orientation(fraction).as_quat(),
        }
    }

    fn orientation(&self, fraction: f64) -> DQuat {
        let (from_start, from_end) = match self.arc {
            Arc::Chord => (1.0 - fraction, fraction),
            Arc::Circle { angle, inverse_sine } => {
                (libm::sin((1.0 - fraction) * angle) * inverse_sine, libm::sin(fraction * angle) * inverse_sine)
            }
        };
        let blend = self.start * from_start + self.end * from_end;
        let length = blend.length();
        if length > 0.0 { blend / length } else { self.start }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use proptest::prelude::*;
    use proscenium_work::Remedy as _;

    #[test]
    fn ends_are_clamped_and_keys_are_exact() {
        let keys = vec![
            Key::new(1.0, Vec3::new(0.1, 0.2, 0.3), Quat::from_rotation_x(0.1)),
            Key::new(1.5, Vec3::new(0.4, 0.5, 0.6), Quat::from_rotation_y(2.0)),
            Key::new(4.0, Vec3::new(0.7, 0.8, 0.9), -Quat::from_rotation_z(3.0)),
        ];
        let track = Track { keys: keys.clone() };
        for key in &keys {
            assert_eq!(track.sample(key.time), *key);
        }
        for time in [f32::NEG_INFINITY, -1.0, 0.99, f32::NAN] {
            assert_eq!(track.sample(time), keys[0]);
        }
        for time in [4.01, 1e30, f32::INFINITY] {
            assert_eq!(track.sample(time), keys[2]);
        }
        assert_eq!(Track::default().sample(1.0), Key::IDENTITY);
    }

    #[test]
    fn the_shorter_arc_is_taken_at_constant_speed() {
        for sign in [1.0, -1.0] {
            let end = Quat::from_rotation_z(1.5) * sign;
            let track = Track { keys: vec![Key::new(0.0, Vec3::ZERO, Quat::IDENTITY), Key::new(3.0, Vec3::ZERO, end)] };
            for third in 1..3 {
                let turned = track.sample(third as f32).orientation;
                let expected = Quat::from_rotation_z(0.5 * third as f32);
                assert!(turned.angle_between(expected) < 1e-3);
                assert!((turned.length() - 1.0).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn samples_at_the_same_rounded_time_leave_the_last() {
        let samples = [(1.0, DVec3::X), (1.0 + 1e-12, DVec3::Y), (2.0, DVec3::Z)];
        let track = Track::from_samples(samples.map(|(time, at)| (time, at, DQuat::IDENTITY))).unwrap();
        assert_eq!(track.keys.len(), 2);
        assert_eq!(track.keys[0].position, Vec3::Y);
        assert_eq!(track.end_secs(), 2.0);
    }

    #[test]
    fn bad_samples_are_refused() {
        let identity = DQuat::IDENTITY;
        for (samples, expected) in [
            (vec![], "is empty"),
            (vec![(f64::NAN, DVec3::ZERO, identity)], "time of sample 0 is NaN"),
            (vec![(0.0, DVec3::splat(1e300), identity)], "position of sample 0"),
            (vec![(0.0, DVec3::ZERO, identity * 0.0)], "orientation of sample 0 has length 0"),
            (vec![(-1.0, DVec3::ZERO, identity)], "zero or later"),
            (vec![(1.0, DVec3::ZERO, identity), (0.5, DVec3::ZERO, identity)], "sample 1 is at 0.5 s"),
        ] {
            let error = Track::from_samples(samples).unwrap_err().explain();
            assert!(error.contains(expected), "{error}");
        }
    }

    fn orientation() -> impl Strategy<Value = DQuat> {
        prop::array::uniform4(-1.0..1.0f64)
            .prop_filter("needs a direction", |q| q.iter().map(|x| x * x).sum::<f64>() > 0.01)
            .prop_map(|q| DQuat::from_array(q).normalize())
    }

    proptest! {
        /// glam's f64 interpolation is the independent method.
        #[test]
        fn interpolation_agrees_with_glam(
            start in orientation(), end in orientation(), fraction in 0.0..1.0f32,
        ) {
            let track = Track::from_samples([
                (0.0, DVec3::ZERO, start),
                (1.0, DVec3::X, end),
            ]).unwrap();
            let ours = track.sample(fraction);
            let start = track.keys[0].orientation.as_dquat().normalize();
            let end = track.keys[1].orientation.as_dquat().normalize();
            let theirs = start.slerp(end, f64::from(fraction));
            // Half turns have no shorter arc.
            prop_assume!(dot(start, end).abs() > 1e-3);
            let difference = (ours.orientation.as_dquat() - theirs).length();
            prop_assert!(difference < 1e-6, "{difference}");
            prop_assert!((ours.position.x - fraction).abs() < 1e-6);
        }
    }
}
