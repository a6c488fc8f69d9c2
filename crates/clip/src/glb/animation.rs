//! The animation of a file.

use glam::{DQuat, DVec3, DVec4, Quat, Vec3};

use crate::{ClipError, Key, Node, NodeId, Track};

use super::accessor::Source;
use super::hierarchy::unit_quaternion;
use super::read::GlbWarning;
use super::schema::{Animation, Interpolation, Kind, Sampler, TargetPath};

/// How far a spline may be from the straight pieces that replace it.
const LARGEST_POSITION_ERROR: f64 = 1e-4;
const LARGEST_ANGLE_ERROR: f64 = 1e-3;

/// A piece of a spline is never cut into more.
const MOST_PIECES: u32 = 1024;

/// What one node does: a track of positions and one of orientations.
#[derive(Default)]
struct Motion {
    positions: Option<Track>,
    orientations: Option<Track>,
}

/// Gives the nodes their tracks.
pub(super) fn animate(
    source: &mut Source,
    animation: &Animation,
    nodes: &mut [Node],
    of_file: &[Option<NodeId>],
    warnings: &mut Vec<GlbWarning>,
) -> Result<(), ClipError> {
    let mut motions: Vec<Motion> = Vec::new();
    motions.resize_with(nodes.len(), Motion::default);
    for (index, channel) in animation.channels.iter().enumerate() {
        let place = format!("animations[0].channels[{index}]");
        // Without a node, an extension says what moves; it is not for us.
        let Some(target) = channel.target.node else {
            continue;
        };
        let id = of_file.get(target).ok_or_else(|| {
            ClipError::malformed(&place, format!("there is no node {target}, only {}", of_file.len()))
        })?;
        let Some(id) = id.map(|id| id.0 as usize) else {
            continue;
        };
        let sampler = animation
            .samplers
            .get(channel.sampler)
            .ok_or_else(|| ClipError::malformed(&place, format!("there is no sampler {}", channel.sampler)))?;
        let slot = match channel.target.path {
            TargetPath::Translation => &mut motions[id].positions,
            TargetPath::Rotation => &mut motions[id].orientations,
            path => {
                // Exporters write scales even where they do not change.
                match constant_scale(source, sampler, path, &place)? {
                    Some(scale) => nodes[id].scale = scale,
                    None => {
                        let path = format!("{path:?}").to_lowercase();
                        warnings.push(GlbWarning::Channel { node: nodes[id].name.clone(), path });
                    }
                }
                continue;
            }
        };
        if slot.is_some() {
            return Err(ClipError::malformed(place, format!("node {target} is moved twice")));
        }
        *slot = Some(match channel.target.path {
            TargetPath::Translation => curve::<3>(source, sampler, &place)?,
            _ => curve::<4>(source, sampler, &place)?,
        });
    }
    for (node, motion) in nodes.iter_mut().zip(motions) {
        node.track = merge(source, motion, &node.rest)?;
    }
    Ok(())
}

/// The scale of a channel that is about scale, and always has the same.
fn constant_scale(
    source: &mut Source,
    sampler: &Sampler,
    path: TargetPath,
    place: &str,
) -> Result<Option<Vec3>, ClipError> {
    if path != TargetPath::Scale {
        return Ok(None);
    }
    let values: Vec<[f32; 3]> = source.accessor(sampler.output, Kind::Vec3, place)?.vectors(source, place)?;
    let (first, all_same) = match sampler.interpolation {
        Interpolation::Linear | Interpolation::Step => {
            (values.first(), values.windows(2).all(|pair| pair[0] == pair[1]))
        }
        Interpolation::CubicSpline => {
            let (points, _) = values.as_chunks::<3>();
            let still = points.iter().all(|[arriving, _, leaving]| *arriving == [0.0; 3] && *leaving == [0.0; 3]);
            (points.first().map(|point| &point[1]), still && points.windows(2).all(|pair| pair[0][1] == pair[1][1]))
        }
    };
    Ok(first.filter(|_| all_same).map(|scale| Vec3::from_array(*scale)))
}

/// One track of both, with the keys of both.
fn merge(source: &mut Source, motion: Motion, rest: &Key) -> Result<Option<Track>, ClipError> {
    let resting = || Track { keys: vec![*rest] };
    let (positions, orientations) = match (motion.positions, motion.orientations) {
        (None, None) => return Ok(None),
        (positions, orientations) => (positions.unwrap_or_else(resting), orientations.unwrap_or_else(resting)),
    };
    if positions.keys.len() == orientations.keys.len()
        && positions.keys.iter().zip(&orientations.keys).all(|(a, b)| a.time == b.time)
    {
        let mut keys = positions.keys;
        for (key, turned) in keys.iter_mut().zip(&orientations.keys) {
            key.orientation = turned.orientation;
        }
        return Ok(Some(Track { keys }));
    }
    // A constant has no times of its own, unless there are no others.
    let mut times: Vec<f32> = [&positions, &orientations]
        .into_iter()
        .filter(|track| track.keys.len() > 1)
        .flat_map(|track| track.keys.iter().map(|key| key.time))
        .collect();
    times.sort_unstable_by(f32::total_cmp);
    times.dedup();
    if times.is_empty() {
        times.extend(positions.keys.first().map(|key| key.time.max(orientations.keys[0].time)));
    }
    source.charge::<Key>("animations[0]", times.len() as u64)?;
    let key = |time| Key::new(time, positions.sample(time).position, orientations.sample(time).orientation);
    Ok(Some(Track { keys: times.into_iter().map(key).collect() }))
}

/// A channel as a track with either positions or orientations in it.
fn curve<const N: usize>(source: &mut Source, sampler: &Sampler, place: &str) -> Result<Track, ClipError> {
    let kind = if N == 3 { Kind::Vec3 } else { Kind::Vec4 };
    let times: Vec<[f32; 1]> = source.accessor(sampler.input, Kind::Scalar, place)?.vectors(source, place)?;
    let values: Vec<[f32; N]> = source.accessor(sampler.output, kind, place)?.vectors(source, place)?;
    if times.is_empty() {
        return Err(ClipError::malformed(place, "it has no keys"));
    }
    if times[0][0] < 0.0 || !times.is_sorted_by(|[a], [b]| a < b) {
        return Err(ClipError::malformed(place, "its times are negative or do not increase"));
    }
    let per_key = if matches!(sampler.interpolation, Interpolation::CubicSpline) { 3 } else { 1 };
    if values.len() != per_key * times.len() {
        let (values, times) = (values.len(), times.len());
        return Err(ClipError::malformed(place, format!("it has {values} values for {times} times")));
    }
    source.charge::<Key>(place, 2 * times.len() as u64)?;
    let times = times.into_iter().flatten();
    let keys = match sampler.interpolation {
        Interpolation::Linear => times.zip(&values).map(|(time, value)| key(time, value, place)).collect(),
        Interpolation::Step => steps(times.zip(&values).map(|(time, value)| key(time, value, place))),
        Interpolation::CubicSpline => {
            let (points, _) = values.as_chunks::<3>();
            let knots: Vec<Knot> = times.zip(points).map(|(time, point)| Knot::new(time, point)).collect();
            spline(source, &knots, N == 4, place)
        }
    };
    Ok(Track { keys: keys? })
}

fn key<const N: usize>(time: f32, value: &[f32; N], place: &str) -> Result<Key, ClipError> {
    match *value.as_slice() {
        [x, y, z, w] => match unit_quaternion([x, y, z, w]) {
            Some(orientation) => Ok(Key::new(time, Vec3::ZERO, orientation)),
            None => Err(ClipError::malformed(place, format!("the rotation at {time} s has no direction"))),
        },
        [x, y, z] => Ok(Key::new(time, Vec3::new(x, y, z), Quat::IDENTITY)),
        _ => Err(ClipError::malformed(place, "its values have an odd width")),
    }
}

/// Steps become straight by a key at the last moment before each.
fn steps(keys: impl Iterator<Item = Result<Key, ClipError>>) -> Result<Vec<Key>, ClipError> {
    let mut result: Vec<Key> = Vec::new();
    for key in keys {
        let key = key?;
        if let Some(&last) = result.last() {
            let just_before = key.time.next_down();
            let moves = (last.position, last.orientation) != (key.position, key.orientation);
            if moves && just_before > last.time {
                result.push(Key { time: just_before, ..last });
            }
        }
        result.push(key);
    }
    Ok(result)
}

/// A key of a cubic spline. Positions use three of the components.
struct Knot {
    time: f64,
    arriving: DVec4,
    value: DVec4,
    leaving: DVec4,
}

impl Knot {
    fn new<const N: usize>(time: f32, [arriving, value, leaving]: &[[f32; N]; 3]) -> Self {
        let padded = |vector: &[f32; N]| {
            let mut components = [0.0; 4];
            for (component, &number) in components.iter_mut().zip(vector) {
                *component = f64::from(number);
            }
            DVec4::from_array(components)
        };
        Knot { time: f64::from(time), arriving: padded(arriving), value: padded(value), leaving: padded(leaving) }
    }
}

/// A cubic piece between two knots, over a parameter from 0 to 1.
struct Piece {
    start: DVec4,
    end: DVec4,
    leaving: DVec4,
    arriving: DVec4,
    turns: bool,
}

impl Piece {
    fn at(&self, s: f64) -> DVec4 {
        let (squared, cubed) = (s * s, s * s * s);
        let point = (2.0 * cubed - 3.0 * squared + 1.0) * self.start
            + (cubed - 2.0 * squared + s) * self.leaving
            + (3.0 * squared - 2.0 * cubed) * self.end
            + (cubed - squared) * self.arriving;
        if self.turns {
            // A spline through zero has no direction there; the start has.
            point.try_normalize().unwrap_or(self.start)
        } else {
            point
        }
    }

    /// How many equal straight pieces stay within the error.
    fn pieces(&self) -> u32 {
        let error = if self.turns { 0.25 * LARGEST_ANGLE_ERROR } else { LARGEST_POSITION_ERROR };
        // A chord is off by at most an eighth of the second derivative, times
        // the square of its length; that derivative is largest at an end.
        let chord = self.end - self.start;
        let at_start = 6.0 * chord - 4.0 * self.leaving - 2.0 * self.arriving;
        let at_end = 2.0 * self.leaving + 4.0 * self.arriving - 6.0 * chord;
        let bend = at_start.length().max(at_end.length());
        let mut pieces = libm::ceil(libm::sqrt(bend / (8.0 * error))).clamp(1.0, f64::from(MOST_PIECES)) as u32;
        // Normalising bends it further: cut until the middles are right.
        while self.turns && pieces < MOST_PIECES && !self.middles_hold(pieces, 2.0 * error) {
            pieces *= 2;
        }
        pieces.min(MOST_PIECES)
    }

    fn middles_hold(&self, pieces: u32, error: f64) -> bool {
        let at = |half: u32| self.at(f64::from(half) / f64::from(2 * pieces));
        (0..pieces).all(|piece| {
            let (start, end) = (at(2 * piece), at(2 * piece + 2));
            let middle = (start + end).try_normalize().unwrap_or(start);
            // Half of the angle, being between quaternions.
            middle.dot(at(2 * piece + 1)) > 0.0 && (middle - at(2 * piece + 1)).length() <= error
        })
    }
}

/// Straight pieces in place of cubic ones.
fn spline(source: &mut Source, knots: &[Knot], turns: bool, place: &str) -> Result<Vec<Key>, ClipError> {
    let mut keys: Vec<Key> = Vec::with_capacity(knots.len());
    let key = |time: f64, value: DVec4| {
        let key = if turns {
            Key::new(time as f32, Vec3::ZERO, DQuat::from_vec4(value).as_quat())
        } else {
            Key::new(time as f32, DVec3::from_slice(&value.to_array()).as_vec3(), Quat::IDENTITY)
        };
        if key.position.is_finite() {
            return Ok(key);
        }
        Err(ClipError::malformed(place, format!("its spline leaves the range of numbers after {time} s")))
    };
    let direction = |knot: &Knot| {
        if !turns {
            return Ok(knot.value);
        }
        let rotation = knot.value.try_normalize();
        rotation.ok_or_else(|| ClipError::malformed(place, format!("the rotation at {} s has no direction", knot.time)))
    };
    for pair in knots.windows(2) {
        let [from, to] = pair else { continue };
        let duration = to.time - from.time;
        let piece = Piece {
            start: direction(from)?,
            end: direction(to)?,
            leaving: duration * from.leaving,
            arriving: duration * to.arriving,
            turns,
        };
        let pieces = piece.pieces();
        source.charge::<Key>(place, u64::from(pieces))?;
        for step in 0..pieces {
            let s = f64::from(step) / f64::from(pieces);
            let next = key(from.time + s * duration, piece.at(s))?;
            // Times that round to the same are one key.
            if keys.last().is_none_or(|last| last.time < next.time) && f64::from(next.time) < to.time {
                keys.push(next);
            }
        }
    }
    if let Some(last) = knots.last() {
        keys.push(key(last.time, direction(last)?)?);
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The spline itself, densely, against what replaces it.
    fn check(knots: &[Knot], turns: bool) -> usize {
        let document = super::super::schema::Document::default();
        let mut source = Source::new(&document, &[], 0);
        let track = Track { keys: spline(&mut source, knots, turns, "test").unwrap() };
        for pair in knots.windows(2) {
            let duration = pair[1].time - pair[0].time;
            let piece = Piece {
                start: pair[0].value,
                end: pair[1].value,
                leaving: duration * pair[0].leaving,
                arriving: duration * pair[1].arriving,
                turns,
            };
            for step in 0..=5000 {
                let s = f64::from(step) / 5000.0;
                let ours = track.sample((pair[0].time + s * duration) as f32);
                let theirs = piece.at(s);
                if turns {
                    let quotient = ours.orientation.as_dquat().conjugate() * DQuat::from_vec4(theirs);
                    let angle = 2.0 * libm::atan2(quotient.xyz().length(), quotient.w.abs());
                    assert!(angle <= LARGEST_ANGLE_ERROR, "{angle} at {s}");
                } else {
                    let off = (ours.position.as_dvec3() - theirs.truncate()).length();
                    assert!(off <= LARGEST_POSITION_ERROR + 1e-6, "{off} at {s}");
                }
            }
        }
        track.keys.len()
    }

    #[test]
    fn splines_of_positions_stay_within_the_error() {
        let knot = |time, value: [f32; 3], tangent: [f32; 3]| Knot::new(time, &[tangent, value, tangent]);
        let keys = check(
            &[
                knot(0.0, [0.0, 0.0, 0.0], [0.0, 3.0, 0.0]),
                knot(0.5, [1.0, 0.0, 0.0], [0.0, -3.0, 4.0]),
                knot(2.0, [1.0, 2.0, 0.5], [0.0, 0.0, 0.0]),
            ],
            false,
        );
        assert!(keys < 400, "{keys}");
    }

    #[test]
    fn splines_of_orientations_stay_within_the_error() {
        let turned = |time: f32, angle: f32, tangent: [f32; 4]| {
            Knot::new(
                time,
                &[tangent, (Quat::from_rotation_x(angle) * Quat::from_rotation_y(angle)).to_array(), tangent],
            )
        };
        for angle in [0.01, 0.5, 1.5, 2.5] {
            let keys = check(
                &[turned(0.0, 0.0, [0.0; 4]), turned(1.0, angle, [0.5, -1.0, 0.2, 0.0]), turned(3.0, 0.3, [0.0; 4])],
                true,
            );
            assert!(keys < 500, "{keys}");
        }
    }

    #[test]
    fn straight_splines_stay_two_keys() {
        let slope = [1.0, 2.0, 3.0];
        let knots = [Knot::new(0.0, &[slope, [0.0; 3], slope]), Knot::new(2.0, &[slope, [2.0, 4.0, 6.0], slope])];
        assert_eq!(check(&knots, false), 2);
    }
}
