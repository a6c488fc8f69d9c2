//! A channel of an animation, as glTF defines it between its keys.

use glam::{DQuat, DVec4};

use crate::ClipError;

use super::super::accessor::Source;
use super::super::schema::{Interpolation, Kind, Sampler};

/// Numbers that change over time.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    times: Vec<f32>,
    /// For each time `width` numbers, or three times that for splines: the
    /// arriving tangent, the value, the leaving tangent.
    values: Vec<f32>,
    width: usize,
    interpolation: Interpolation,
}

impl Curve {
    pub(super) fn load(
        source: &mut Source,
        sampler: &Sampler,
        kind: Kind,
        width: usize,
        place: &str,
    ) -> Result<Curve, ClipError> {
        let times: Vec<[f32; 1]> = source.accessor(sampler.input, Kind::Scalar, place)?.vectors(source, place)?;
        let times = times.into_flattened();
        if times.first().is_none_or(|&first| first < 0.0) || !times.is_sorted_by(|a, b| a < b) {
            return Err(ClipError::malformed(place, "its times are missing, negative or do not increase"));
        }
        let output = source.accessor(sampler.output, kind, place)?;
        let values: Vec<f32> = match kind {
            Kind::Vec3 => output.vectors::<3>(source, place)?.into_flattened(),
            Kind::Vec4 => output.vectors::<4>(source, place)?.into_flattened(),
            _ => output.vectors::<1>(source, place)?.into_flattened(),
        };
        let curve = Curve { times, values, width, interpolation: sampler.interpolation };
        if curve.values.len() != curve.per_key() * curve.times.len() {
            let (values, times) = (curve.values.len(), curve.times.len());
            return Err(ClipError::malformed(place, format!("it has {values} numbers for {times} times of {width}")));
        }
        Ok(curve)
    }

    pub(super) fn end_secs(&self) -> f64 {
        self.times.last().map_or(0.0, |&time| f64::from(time))
    }

    fn per_key(&self) -> usize {
        match self.interpolation {
            Interpolation::CubicSpline => 3 * self.width,
            Interpolation::Linear | Interpolation::Step => self.width,
        }
    }

    /// The numbers of a key: 0 for the arriving tangent of a spline, 1 for its
    /// value, 2 for the leaving tangent.
    fn key(&self, index: usize, which: usize) -> &[f32] {
        let which = if matches!(self.interpolation, Interpolation::CubicSpline) { which } else { 0 };
        let start = index * self.per_key() + which * self.width;
        &self.values[start..start + self.width]
    }

    /// The numbers at a time; rotations are of unit length.
    pub(super) fn at(&self, time: f64, turns: bool) -> Vec<f64> {
        let after = self.times.partition_point(|&key| f64::from(key) <= time);
        let (before, after) = (after.saturating_sub(1), after.min(self.times.len() - 1));
        let double = |numbers: &[f32]| numbers.iter().map(|&number| f64::from(number)).collect::<Vec<f64>>();
        let (start, end) = (double(self.key(before, 1)), double(self.key(after, 1)));
        let (from, to) = (f64::from(self.times[before]), f64::from(self.times[after]));
        if to <= from || time <= from {
            return if turns { unit(start) } else { start };
        }
        let s = (time - from) / (to - from);
        match self.interpolation {
            Interpolation::Step => start,
            Interpolation::Linear if turns => {
                let quaternion = |numbers: Vec<f64>| DQuat::from_vec4(DVec4::from_slice(&unit(numbers)));
                quaternion(start).slerp(quaternion(end), s).to_array().to_vec()
            }
            Interpolation::Linear => start.iter().zip(&end).map(|(a, b)| a + s * (b - a)).collect(),
            Interpolation::CubicSpline => {
                let (leaving, arriving) = (double(self.key(before, 2)), double(self.key(after, 0)));
                let (squared, cubed, span) = (s * s, s * s * s, to - from);
                let number = |index: usize| {
                    (2.0 * cubed - 3.0 * squared + 1.0) * start[index]
                        + span * (cubed - 2.0 * squared + s) * leaving[index]
                        + (3.0 * squared - 2.0 * cubed) * end[index]
                        + span * (cubed - squared) * arriving[index]
                };
                let value = (0..self.width).map(number).collect();
                if turns { unit(value) } else { value }
            }
        }
    }
}

/// A quaternion of unit length; without direction, the identity.
fn unit(numbers: Vec<f64>) -> Vec<f64> {
    DVec4::from_slice(&numbers).try_normalize().unwrap_or(DVec4::W).to_array().to_vec()
}
