//! What a group is within a transition, as it is played: a moment of the data,
//! or what lies between two.

use super::cost::shifted;
use super::{Splice, Transition};
use crate::compressed::CompressedEnsemble;
use crate::data::Moment;

/// The stretches that a group goes to, and when.
pub(super) fn legs(splice: Splice, to: Moment) -> [Option<(Moment, i8)>; 2] {
    match splice {
        Splice::Direct(offset) => [Some((to, offset)), None],
        Splice::Detour { by, first, second } => [Some((by, first)), Some((to, second))],
    }
}

/// How much of the destination a blend has when this share of its time is over: two
/// parabolas. Velocities are continuous at both ends, which a straight line breaks, and of
/// all such blends none has a smaller largest acceleration.
#[inline]
pub(super) fn eased(share: f32) -> f32 {
    if share < 0.5 { 2.0 * share * share } else { 1.0 - 2.0 * (1.0 - share) * (1.0 - share) }
}

/// Moves vertices a share of the way to others. Shapes are sums of modes, so
/// between two of them is the shape with the coordinates between theirs.
#[inline]
pub(super) fn mix(vertices: &mut [[f32; 3]], other: &[[f32; 3]], share: f32) {
    let (numbers, others) = (vertices.as_flattened_mut(), other.as_flattened());
    numbers.iter_mut().zip(others).for_each(|(here, there)| *here += (there - *here) * share);
}

/// Memory that is used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    modes: Vec<f32>,
    local: Vec<[f32; 3]>,
    other: Vec<[f32; 3]>,
    ends: Vec<usize>,
}

/// What shapes are put with.
pub(crate) trait PlacementSink {
    /// Puts groups that are as at a moment of the data, together with all that
    /// they hang on: the first of their vertices, and where these are in the
    /// ensemble.
    fn run(&mut self, first: usize, places: &[[f32; 3]]);

    /// Puts a group, given in its own frame; what it hangs on is there.
    fn group(&mut self, group: usize, local: impl Iterator<Item = [f32; 3]>);
}

/// A group that is neither as in the source nor as in the destination.
const NEITHER: usize = 2;

impl Transition {
    /// How far a blend around `offset` has come, from 0 to 1, `frame` frames
    /// after the middle of the transition.
    fn progress(&self, frame: f64, offset: i8) -> f32 {
        let since = frame - f64::from(offset) + f64::from(self.blend / 2);
        eased((since / f64::from(self.blend.max(1))).clamp(0.0, 1.0) as f32)
    }

    /// Whether a group blends, `frame` frames after the middle.
    pub fn is_blending(&self, group: usize, frame: f64) -> bool {
        legs(self.splices[group], self.to).into_iter().flatten().any(|(_, offset)| {
            let progress = self.progress(frame, offset);
            progress > 0.0 && progress < 1.0
        })
    }

    /// Puts all groups, `frame` whole frames after the middle and within the
    /// span: first those that are as at a moment of the data, as many at once as
    /// are at the same, then all others, parents before children.
    pub(crate) fn put(
        &self,
        data: &CompressedEnsemble,
        frame: i64,
        scratch: &mut Scratch,
        put: &mut impl PlacementSink,
    ) {
        let moments = [self.from, self.to].map(|centre| shifted(centre, frame));
        let places = moments.map(|moment| data.places(moment));
        let mut ends = std::mem::take(&mut scratch.ends);
        ends.resize(data.groups().len(), NEITHER);
        for &group in data.order() {
            let own = self.end_of(data.leader_of(group), frame).filter(|&end| places[end].is_some()).unwrap_or(NEITHER);
            ends[group] = own;
            if ends[data.parent_of(group)] != own {
                ends[group] = NEITHER;
            }
        }
        let mut first = 0;
        for run in ends.chunk_by(|here, there| here == there) {
            let next = first + run.len();
            if let Some(places) = places.get(run[0]).copied().flatten() {
                let vertices = data.vertices_of(first).start..data.vertices_of(next - 1).end;
                put.run(vertices.start, &places[vertices]);
            }
            first = next;
        }
        // What hangs on nothing is in its own frame where it is in the ensemble.
        let locals = if data.is_flat() { places } else { moments.map(|moment| data.locals(moment)) };
        for &group in data.order().iter().filter(|&&group| ends[group] == NEITHER) {
            let shapes = if data.parent_of(group) == group { places } else { locals };
            let splice = self.splices[data.leader_of(group)];
            let (Splice::Direct(offset), [Some(from), Some(to)]) = (splice, shapes) else {
                put.group(group, self.local_by(splice, data, group, frame as f64, scratch).iter().copied());
                continue;
            };
            let [from, to] = [from, to].map(|all| &all[data.vertices_of(group)]);
            match self.progress(frame as f64, offset) {
                0.0 => put.group(group, from.iter().copied()),
                1.0 => put.group(group, to.iter().copied()),
                share => {
                    let between = |(&here, &there): (&[f32; 3], &[f32; 3])| {
                        std::array::from_fn(|axis| here[axis] + (there[axis] - here[axis]) * share)
                    };
                    put.group(group, from.iter().zip(to).map(between));
                }
            }
        }
        scratch.ends = ends;
    }

    /// Whether a group is still in the source (0) or already in the destination
    /// (1), `frame` whole frames after the middle.
    #[inline]
    fn end_of(&self, group: usize, frame: i64) -> Option<usize> {
        let Splice::Direct(offset) = self.splices[group] else {
            return None;
        };
        let since = frame - i64::from(offset) + i64::from(self.blend / 2);
        match since {
            since if since <= 0 => Some(0),
            since if since >= i64::from(self.blend.max(1)) => Some(1),
            _ => None,
        }
    }

    /// The vertices of a group in its own frame, if it splices as told, `frame` frames after
    /// the middle of the transition, within its span.
    pub(super) fn local_by<'scratch>(
        &self,
        splice: Splice,
        data: &CompressedEnsemble,
        group: usize,
        frame: f64,
        scratch: &'scratch mut Scratch,
    ) -> &'scratch [[f32; 3]] {
        let Scratch { modes, local, other, .. } = scratch;
        let whole = frame.floor();
        let share = (frame - whole) as f32;
        let mut at = |centre: Moment, out: &mut Vec<[f32; 3]>| {
            out.clear();
            out.extend_from_slice(data.local(group, shifted(centre, whole as i64), modes));
            if share > 0.0 {
                mix(out, data.local(group, shifted(centre, whole as i64 + 1), modes), share);
            }
        };
        let (start, legs) = self.ways(splice, frame);
        at(start, local);
        for (centre, progress) in legs.into_iter().flatten() {
            at(centre, other);
            mix(local, other, progress);
        }
        local
    }

    /// Where a group starts from, and where it goes from there, with the share
    /// of each way that it has come.
    fn ways(&self, splice: Splice, frame: f64) -> (Moment, [Option<(Moment, f32)>; 2]) {
        let mut start = self.from;
        let mut ways = [None; 2];
        for (centre, offset) in legs(splice, self.to).into_iter().flatten() {
            let progress = self.progress(frame, offset);
            if progress == 1.0 {
                (start, ways) = (centre, [None; 2]);
            } else if progress > 0.0 {
                ways = [ways[1], Some((centre, progress))];
            }
        }
        (start, ways)
    }

    /// The coordinates of a group, `frame` frames after the middle of the
    /// transition, within its span.
    pub fn coordinates(&self, data: &CompressedEnsemble, group: usize, frame: f64, coordinates: &mut Vec<f32>) {
        self.coordinates_into(data, group, frame, coordinates, &mut Vec::new());
    }

    /// The same, with memory that is used again.
    pub(crate) fn coordinates_into(
        &self,
        data: &CompressedEnsemble,
        group: usize,
        frame: f64,
        coordinates: &mut Vec<f32>,
        other: &mut Vec<f32>,
    ) {
        let shape = &data.shapes()[group];
        let whole = frame.floor();
        let share = (frame - whole) as f32;
        let at = |centre: Moment, out: &mut Vec<f32>| {
            let here = shifted(centre, whole as i64);
            if share == 0.0 {
                shape.coordinates_at(here, out);
            } else {
                shape.blended(here, shifted(centre, whole as i64 + 1), share, out);
            }
        };
        let (start, legs) = self.ways(self.splices[group], frame);
        at(start, coordinates);
        for (centre, progress) in legs.into_iter().flatten() {
            at(centre, other);
            coordinates.iter_mut().zip(&*other).for_each(|(here, there)| *here += (there - *here) * progress);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blends were straight lines, and kinked at both ends by a tenth of the way.
    #[test]
    fn a_blend_begins_and_ends_without_a_kink() {
        let shares: Vec<f32> = (-2..=12).map(|frame| eased((frame as f32 / 10.0).clamp(0.0, 1.0))).collect();
        assert!(shares.is_sorted());
        assert_eq!((shares[2], shares[7], shares[12]), (0.0, 0.5, 1.0));
        let largest = shares.windows(3).map(|w| (w[2] - 2.0 * w[1] + w[0]).abs()).fold(0.0, f32::max);
        assert!(largest <= 0.0401, "{largest}");
    }
}
