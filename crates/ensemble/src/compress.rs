//! From vertices to local frames and a few coordinates for each group
//! (equation 2).
//!
//! The displacement of a group in its own frame is written in the directions
//! that matter most, by a singular value decomposition; as many of them are
//! kept as the wanted error needs, and their coordinates are rounded as
//! coarsely as it allows.

mod eigen;
mod modes;

use proscenium_work::{Completion, Finish as _, Halt, Progress, Stopped, parallel};

use crate::compressed::{CompressedEnsemble, CompressedGroup, CompressedParts};
use crate::data::Ensemble;
use crate::error::EnsembleError;
use crate::frame::Frame;

use modes::Displacements;

/// The share of the error that dropped modes may take; rounding has the rest. Chosen:
/// a mode takes more memory than a finer step, so modes get most.
const SHARE_OF_MODES: f64 = 0.8;

/// The largest number of steps of a coordinate, on either side of zero: 16 bits.
const MOST_STEPS: f64 = 32_767.0;

/// How often the steps are halved to meet the error. Chosen: then they are a
/// thousandth of it, and what is missing is not a matter of rounding.
const HALVINGS: usize = 12;

/// Puts every group into its local frame, and keeps as many modes of each as
/// leave no vertex of any frame further than `error` metres from where it was.
///
/// Parents come first, and the frame of a child is taken from its parent as it
/// was compressed: what the parent lost, its children make up for. The result
/// does not depend on the number of threads.
///
/// # Errors
/// An error that is not positive, or too small for the range of the motion.
pub fn compress(
    ensemble: &Ensemble,
    error: f64,
    progress: &Progress,
) -> Result<Completion<CompressedEnsemble>, EnsembleError> {
    compress_groups(ensemble, error, progress).finish()
}

fn compress_groups(
    ensemble: &Ensemble,
    error: f64,
    progress: &Progress,
) -> Result<CompressedEnsemble, Halt<EnsembleError>> {
    crate::data::positive("the error", error, "use metres above zero, such as 0.0001")?;
    let groups = ensemble.groups();
    let mut shapes = vec![CompressedGroup::default(); groups.len()];
    // Where each group's frame is at each moment, once its parent is compressed.
    let mut frames: Vec<Option<Vec<Frame>>> = vec![None; groups.len()];
    let mut largest_error = 0.0_f64;
    let counter = progress.counter("compressing", groups.len());
    for level in levels(ensemble) {
        let results = parallel::try_map(&level, |&group| {
            let (shape, away) = compress_group(ensemble, group, frames[group].as_deref(), error, progress)?;
            let children = frames_of_children(ensemble, group, &shape, frames[group].as_deref(), progress)?;
            counter.count()?;
            Ok::<_, Halt<EnsembleError>>((shape, away, children))
        })?;
        for (group, (shape, away, children)) in level.into_iter().zip(results) {
            shapes[group] = shape;
            largest_error = largest_error.max(away);
            frames[group] = None;
            for (child, its_frames) in children {
                frames[child] = Some(its_frames);
            }
        }
    }
    Ok(CompressedEnsemble::new(CompressedParts {
        name: ensemble.name().to_owned(),
        groups: groups.to_vec(),
        shapes,
        conditions: ensemble.conditions().to_vec(),
        sequences: ensemble.sequences().to_vec(),
        frames_per_second: ensemble.frames_per_second(),
        thickness: ensemble.thickness(),
        largest_error,
    })?)
}

/// The groups by how many others they hang on: first those that stand by
/// themselves, then those that hang on these, and so on.
fn levels(ensemble: &Ensemble) -> Vec<Vec<usize>> {
    let mut depth = vec![0; ensemble.groups().len()];
    let mut levels: Vec<Vec<usize>> = Vec::new();
    for &group in ensemble.order() {
        depth[group] = ensemble.groups()[group].attachment.map_or(0, |attachment| 1 + depth[attachment.parent]);
        if levels.len() <= depth[group] {
            levels.push(Vec::new());
        }
        levels[depth[group]].push(group);
    }
    levels
}

/// The shapes of one group, and how far its farthest vertex is from where it
/// was.
fn compress_group(
    ensemble: &Ensemble,
    group: usize,
    frames: Option<&[Frame]>,
    error: f64,
    progress: &Progress,
) -> Result<(CompressedGroup, f64), Halt<EnsembleError>> {
    let displacements = Displacements::new(ensemble, group, frames, progress)?;
    let basis = displacements.modes(SHARE_OF_MODES * error, progress)?.ok_or_else(|| EnsembleError::Number {
        what: format!("the motion of the group \"{}\"", ensemble.groups()[group].name),
        value: displacements.largest(),
        remedy: "export it again at a smaller scale: it has no singular value decomposition",
    })?;
    let mut shape = CompressedGroup {
        middle: displacements.middle().to_vec(),
        basis: basis.iter().map(|mode| mode.iter().map(|&x| x as f32).collect()).collect(),
        ..CompressedGroup::default()
    };
    let coordinates = displacements.coordinates(&shape.basis, progress)?;
    let rank = shape.rank();
    let most = |mode: usize| coordinates.iter().skip(mode).step_by(rank).fold(0.0_f64, |most, x| most.max(x.abs()));
    let finest: Vec<f64> = (0..rank).map(|mode| most(mode) / MOST_STEPS).collect();
    // The coarsest steps with which the error still holds.
    let mut step = 2.0 * error;
    let mut nearest = f64::INFINITY;
    for _ in 0..HALVINGS {
        shape.steps = finest.iter().map(|&finest| finest.max(step).max(f64::from(f32::MIN_POSITIVE)) as f32).collect();
        shape.coordinates = rounded(ensemble, &coordinates, &shape.steps);
        nearest = farthest(ensemble, group, &shape, frames, progress)?;
        if nearest <= error {
            return Ok((shape, nearest));
        }
        step *= 0.5;
    }
    let what = format!(
        "the error, for the group \"{}\", whose nearest in 16 bits is {nearest:.2e} m,",
        ensemble.groups()[group].name
    );
    Err(EnsembleError::Number { what, value: error, remedy: "use a larger one, or split the group" }.into())
}

/// The coordinates of each sequence, in steps.
fn rounded(ensemble: &Ensemble, coordinates: &[f64], steps: &[f32]) -> Vec<Vec<i16>> {
    let rank = steps.len();
    let mut first = 0;
    let mut sequences = Vec::with_capacity(ensemble.sequences().len());
    for sequence in ensemble.sequences() {
        let last = first + sequence.frames * rank;
        let counted = coordinates[first..last]
            .iter()
            .enumerate()
            .map(|(at, x)| libm::round(x / f64::from(steps[at % rank])).clamp(-MOST_STEPS, MOST_STEPS) as i16);
        sequences.push(counted.collect());
        first = last;
    }
    sequences
}

/// How far the farthest vertex of a group is from where it was, in the world.
fn farthest(
    ensemble: &Ensemble,
    group: usize,
    shape: &CompressedGroup,
    frames: Option<&[Frame]>,
    progress: &Progress,
) -> Result<f64, Stopped> {
    let range = ensemble.vertices_of(group);
    let (mut coordinates, mut points) = (Vec::new(), Vec::new());
    let mut largest = 0.0_f64;
    for (at, moment) in ensemble.moments().enumerate() {
        progress.check()?;
        let positions = ensemble.positions_at(moment);
        let frame = frames.map_or(Frame::WORLD, |frames| frames[at]);
        shape.coordinates_at(moment, &mut coordinates);
        shape.shape(&coordinates, &mut points);
        for (was, point) in positions[range.clone()].iter().zip(points.as_chunks::<3>().0) {
            let now = frame.to_world(*point);
            let away: [f64; 3] = std::array::from_fn(|axis| f64::from(now[axis]) - f64::from(was[axis]));
            largest = largest.max(away.iter().map(|x| x * x).sum());
        }
    }
    Ok(libm::sqrt(largest))
}

/// Where the frames of a group's children are at each moment, as they will be
/// played.
fn frames_of_children(
    ensemble: &Ensemble,
    group: usize,
    shape: &CompressedGroup,
    frames: Option<&[Frame]>,
    progress: &Progress,
) -> Result<Vec<(usize, Vec<Frame>)>, Stopped> {
    let attached = ensemble.groups().iter().map(|child| child.attachment).enumerate();
    let anchors: Vec<(usize, [u32; 3])> = attached
        .filter_map(|(child, attachment)| {
            attachment.filter(|attachment| attachment.parent == group).map(|attachment| (child, attachment.anchor))
        })
        .collect();
    let mut children: Vec<(usize, Vec<Frame>)> = anchors.iter().map(|&(child, _)| (child, Vec::new())).collect();
    if children.is_empty() {
        return Ok(children);
    }
    let mut coordinates = Vec::new();
    for (at, moment) in ensemble.moments().enumerate() {
        progress.check()?;
        let frame = frames.map_or(Frame::WORLD, |frames| frames[at]);
        shape.coordinates_at(moment, &mut coordinates);
        for ((_, its_frames), (_, anchor)) in children.iter_mut().zip(&anchors) {
            let corners = anchor.map(|vertex| frame.to_world(shape.vertex(&coordinates, vertex)));
            its_frames.push(Frame::of_anchor(corners));
        }
    }
    Ok(children)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Attachment, Condition, EnsembleParts, Group, Moment, Sequence};

    fn compressed(ensemble: &Ensemble, error: f64) -> CompressedEnsemble {
        compress(ensemble, error, &Progress::none()).unwrap().finished().unwrap()
    }

    /// A twig that swings, and a leaf on it that flaps.
    fn swinging() -> Ensemble {
        let twig = Group {
            name: "twig".to_owned(),
            attachment: None,
            rest: vec![[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 1.0, 0.0]],
            triangles: vec![[0, 1, 2]],
        };
        let leaf = Group {
            name: "leaf".to_owned(),
            attachment: Some(Attachment { parent: 0, anchor: [0, 1, 2] }),
            rest: vec![[0.0, 1.0, 0.0], [0.5, 1.0, 0.0], [0.0, 1.5, 0.0]],
            triangles: vec![[0, 1, 2]],
        };
        let frame = |n: usize| {
            let angle = 0.4 * libm::sin(0.2 * n as f64);
            let (sin, cos) = (libm::sin(angle) as f32, libm::cos(angle) as f32);
            let turn = |[x, y, z]: [f32; 3]| [cos * x - sin * y, sin * x + cos * y, z];
            let flap = |[x, y, z]: [f32; 3]| [x, y, z + 0.2 * x * libm::cosf(0.3 * n as f32)];
            let twig = twig.rest.iter().map(|&p| turn(p));
            twig.chain(leaf.rest.iter().map(|&p| turn(flap(p)))).collect::<Vec<_>>()
        };
        let frames = (0..50).map(frame).collect();
        Ensemble::new(EnsembleParts {
            name: "swing".to_owned(),
            groups: vec![twig.clone(), leaf.clone()],
            conditions: vec![Condition { name: "calm".to_owned(), intensity: 0.0 }],
            sequences: vec![Sequence { condition: 0, frames }],
            frames_per_second: 30.0,
            thickness: 0.01,
        })
        .unwrap()
    }

    #[test]
    fn compressed_vertices_are_as_near_as_asked() {
        let ensemble = swinging();
        let compressed = compressed(&ensemble, 1e-3);
        let mut positions = Vec::new();
        let mut worst = 0.0_f64;
        for moment in ensemble.moments() {
            compressed.positions_at(moment, &mut positions);
            for (now, was) in positions.iter().zip(ensemble.positions_at(moment)) {
                worst = worst.max((0..3).map(|i| f64::from(now[i] - was[i]).abs()).fold(0.0, f64::max));
            }
        }
        assert!(worst <= 1e-3, "{worst}");
        assert!(compressed.largest_error() <= 1e-3);
    }

    #[test]
    fn one_vertex_has_the_bits_of_the_whole_shape() {
        let compressed = compressed(&swinging(), 1e-4);
        let (mut coordinates, mut shape) = (Vec::new(), Vec::new());
        for group in compressed.shapes() {
            let moment = Moment { sequence: 0, frame: 17 };
            group.blended(moment, Moment { sequence: 0, frame: 40 }, 0.3, &mut coordinates);
            group.shape(&coordinates, &mut shape);
            for (vertex, point) in (0..).zip(shape.chunks_exact(3)) {
                assert_eq!(group.vertex(&coordinates, vertex), point);
            }
        }
    }

    /// Shapes that are kept are those that the coordinates give, and what lies
    /// between two of them is what lies between their coordinates.
    #[test]
    fn kept_shapes_are_those_of_the_modes() {
        let compressed = compressed(&swinging(), 1e-4);
        let (one, other) = (Moment { sequence: 0, frame: 17 }, Moment { sequence: 0, frame: 40 });
        let (mut coordinates, mut shape, mut scratch) = (Vec::new(), Vec::new(), Vec::new());
        for (index, group) in compressed.shapes().iter().enumerate() {
            group.coordinates_at(one, &mut coordinates);
            group.shape(&coordinates, &mut shape);
            let here = compressed.local(index, one, &mut scratch).to_vec();
            assert_eq!(here.as_flattened(), shape);
            let there = compressed.local(index, other, &mut scratch).to_vec();
            group.blended(one, other, 0.3, &mut coordinates);
            group.shape(&coordinates, &mut shape);
            let between = here.as_flattened().iter().zip(there.as_flattened()).map(|(a, b)| a + (b - a) * 0.3);
            assert!(between.zip(&shape).all(|(x, y)| (x - y).abs() < 1e-6));
        }
        let frame = compressed.vertex_count() * size_of::<[f32; 3]>();
        assert_eq!(compressed.kept_bytes(), 2 * frame);
        assert_eq!(compressed.clone().kept_bytes(), 0);
    }

    #[test]
    fn an_error_must_be_positive() {
        assert!(compress(&swinging(), 0.0, &Progress::none()).unwrap_err().to_string().contains("the error is 0"));
    }
}
