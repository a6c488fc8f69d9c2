//! From vertices to local frames and a few coordinates for each group
//! (equation 2).
//!
//! The displacement of a group in its own frame is written in the directions
//! that matter most, by a singular value decomposition; as many of them are
//! kept as the wanted error needs, and their coordinates are rounded as
//! coarsely as it allows.
//!
//! In a transition a group and what it hangs on are at different moments, so what one
//! loses cannot be made up for by the other. Each group is fitted in the frame that its
//! parent has in the data, and a part of the error is set aside for every joint: for how
//! far the frame that follows the compressed parent moves whatever hangs there.

mod eigen;
mod joint;
mod modes;

use proscenium_work::{Completion, Finish as _, Halt, Progress, parallel};

use crate::compressed::{CompressedEnsemble, CompressedGroup, CompressedParts};
use crate::data::Ensemble;
use crate::error::EnsembleError;

use joint::{Budgets, Extents, Joint};
use modes::Displacements;

/// The share of the error that dropped modes may take; rounding has the rest. Chosen:
/// a mode takes more memory than a finer step, so modes get most.
const SHARE_OF_MODES: f64 = 0.8;

/// The largest number of steps of a coordinate, on either side of zero: 16 bits.
const MOST_STEPS: f64 = 32_767.0;

/// How often the steps are halved to meet the error. Chosen: then they are a few
/// hundred-thousandths of it, and what is missing is not a matter of rounding.
const HALVINGS: usize = 16;

/// Puts every group into its local frame, and keeps as many modes of each as
/// leave no vertex further than `error` metres from where it was, in any frame, and
/// also when each group is as it was in another frame (as in a transition): further than
/// that from where the same mix of the data has it.
///
/// The result does not depend on the number of threads.
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
    let groups: Vec<usize> = (0..ensemble.groups().len()).collect();
    let measuring = progress.part(0.0, 0.1);
    let counter = measuring.counter("measuring", groups.len());
    let extents = parallel::try_map(&groups, |&group| {
        counter.count()?;
        Extents::of(ensemble, group, progress)
    })?;
    let budgets = Budgets::new(ensemble, &extents, error);
    let compressing = progress.part(0.1, 1.0);
    let counter = compressing.counter("compressing", groups.len());
    let fits = parallel::try_map(&groups, |&group| {
        let fit = fit_group(ensemble, group, error, &budgets, progress)?;
        counter.count()?;
        Ok::<_, Halt<EnsembleError>>(fit)
    })?;
    // How far each group's frame is off at most, with all joints on the way.
    let mut frames = vec![0.0_f64; groups.len()];
    let mut largest_error = 0.0_f64;
    for &group in ensemble.order() {
        largest_error = largest_error.max(frames[group] + fits[group].away);
        for (joint, moved) in budgets.joints(group).iter().zip(&fits[group].moved) {
            frames[joint.child] = frames[group] + moved;
        }
    }
    Ok(CompressedEnsemble::new(CompressedParts {
        name: ensemble.name().to_owned(),
        groups: ensemble.groups().to_vec(),
        shapes: fits.into_iter().map(|fit| fit.shape).collect(),
        conditions: ensemble.conditions().to_vec(),
        sequences: ensemble.sequences().to_vec(),
        frames_per_second: ensemble.frames_per_second(),
        thickness: ensemble.thickness(),
        largest_error,
    })?)
}

/// A compressed group, and how far off it is.
struct Fit {
    shape: CompressedGroup,
    /// How far the farthest vertex of any frame is off, in the group's frame.
    away: f64,
    /// How far each joint moves what hangs on it, at most.
    moved: Vec<f64>,
}

impl Fit {
    fn is_near(&self, within: f64, joints: &[Joint]) -> bool {
        self.away <= within && self.moved.iter().zip(joints).all(|(&moved, joint)| moved <= joint.within)
    }
}

/// The shapes of one group.
fn fit_group(
    ensemble: &Ensemble,
    group: usize,
    error: f64,
    budgets: &Budgets,
    progress: &Progress,
) -> Result<Fit, Halt<EnsembleError>> {
    let (within, joints) = (budgets.within(group), budgets.joints(group));
    let name = &ensemble.groups()[group].name;
    let displacements = Displacements::new(ensemble, group, progress)?;
    let basis =
        displacements.modes(SHARE_OF_MODES, within, joints, progress)?.ok_or_else(|| EnsembleError::Number {
            what: format!("the motion of the group \"{name}\""),
            value: displacements.largest(),
            remedy: "export it again at a smaller scale: it has no singular value decomposition",
        })?;
    let shape = CompressedGroup {
        middle: displacements.middle().to_vec(),
        basis: basis.iter().map(|mode| mode.iter().map(|&x| x as f32).collect()).collect(),
        ..CompressedGroup::default()
    };
    let coordinates = displacements.coordinates(&shape.basis, progress)?;
    let rank = shape.rank();
    let most = |mode: usize| coordinates.iter().skip(mode).step_by(rank).fold(0.0_f64, |most, x| most.max(x.abs()));
    let finest: Vec<f64> = (0..rank).map(|mode| most(mode) / MOST_STEPS).collect();
    // The coarsest steps with which the error still holds.
    let mut fit = Fit { shape, away: 0.0, moved: Vec::new() };
    let mut step = 2.0 * within;
    let mut nearest = f64::INFINITY;
    for _ in 0..HALVINGS {
        fit.shape.steps =
            finest.iter().map(|&finest| finest.max(step).max(f64::from(f32::MIN_POSITIVE)) as f32).collect();
        fit.shape.coordinates = rounded(ensemble, &coordinates, &fit.shape.steps);
        (fit.away, fit.moved) = displacements.away(ensemble, &fit.shape, joints, progress)?;
        if fit.is_near(within, joints) {
            return Ok(fit);
        }
        let of_joints = fit.moved.iter().zip(joints).map(|(moved, joint)| moved * within / joint.within);
        nearest = nearest.min(of_joints.fold(fit.away, f64::max));
        step *= 0.5;
    }
    let nearest = nearest * error / within;
    let what = format!("the error, for the group \"{name}\", whose nearest in 16 bits is {nearest:.2e} m,");
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
