//! From vertices to local frames and a few coordinates for each group.

use crate::compressed::{Compressed, CompressedGroup, CompressedParts, SequenceInfo};
use crate::data::Ensemble;
use crate::error::EnsembleError;
use crate::frame::Frame;

/// Puts every group into its local frame, and keeps as many modes of each as
/// leave no vertex of any frame further than `error` metres from where it was.
///
/// Parents come first, and the frame of a child is taken from its parent as it
/// was compressed: what the parent lost, its children make up for.
///
/// # Errors
/// An error that is not positive, and an anchor that collapses.
pub fn compress(ensemble: &Ensemble, error: f64) -> Result<Compressed, EnsembleError> {
    crate::data::positive("the error", error, "use metres above zero, such as 0.0001")?;
    let groups = ensemble.groups();
    let sequences: Vec<SequenceInfo> = ensemble
        .sequences()
        .iter()
        .map(|sequence| SequenceInfo { condition: sequence.condition, frames: sequence.frames.len() })
        .collect();
    let mut shapes = vec![CompressedGroup::default(); groups.len()];
    let frame_count = ensemble.frame_count();
    // World positions as they will be played, for the anchors of children.
    let mut played: Vec<Vec<[f32; 3]>> = ensemble.moments().map(|(_, positions)| positions.to_vec()).collect();
    let mut largest_error = 0.0_f64;
    for &group in ensemble.order() {
        let range = ensemble.vertices_of(group);
        let frames: Vec<Frame> = played
            .iter()
            .map(|positions| match groups[group].attachment {
                Some(attachment) => {
                    let first = ensemble.vertices_of(attachment.parent).start;
                    Frame::of_anchor(attachment.anchor.map(|vertex| positions[first + vertex as usize]))
                }
                None => Frame::WORLD,
            })
            .collect();
        let local: Vec<Vec<f32>> = ensemble
            .moments()
            .zip(&frames)
            .map(|((_, positions), frame)| {
                positions[range.clone()].iter().flat_map(|&point| frame.to_group(point)).collect()
            })
            .collect();
        let width = 3 * range.len();
        let middle: Vec<f32> = (0..width)
            .map(|at| (local.iter().map(|shape| f64::from(shape[at])).sum::<f64>() / frame_count as f64) as f32)
            .collect();
        let mut shape = CompressedGroup { middle, ..CompressedGroup::default() };
        for at in 0..width {
            let mut mode = vec![0.0; width];
            mode[at] = 1.0;
            shape.basis.push(mode);
            let most = local.iter().map(|shape_at| (shape_at[at] - shape.middle[at]).abs()).fold(1e-9, f32::max);
            shape.steps.push(most / 32_000.0);
        }
        let mut moments = local.iter();
        for sequence in &sequences {
            let steps = moments.by_ref().take(sequence.frames).flat_map(|local| {
                (0..width).map(|at| ((local[at] - shape.middle[at]) / shape.steps[at]).round() as i16)
            });
            let steps = steps.collect();
            shape.coordinates.push(steps);
        }
        let (mut coordinates, mut points) = (Vec::new(), Vec::new());
        let all = sequences.iter().enumerate().flat_map(|(sequence, info)| {
            (0..info.frames).map(move |frame| crate::data::Moment { sequence: sequence as u32, frame: frame as u32 })
        });
        for ((moment, positions), frame) in all.zip(&mut played).zip(&frames) {
            shape.coordinates_at(moment, &mut coordinates);
            shape.shape(&coordinates, &mut points);
            for (place, point) in positions[range.clone()].iter_mut().zip(points.chunks_exact(3)) {
                let now = frame.to_world([point[0], point[1], point[2]]);
                let away = (0..3).map(|i| f64::from(now[i] - place[i])).map(|x| x * x).sum::<f64>().sqrt();
                largest_error = largest_error.max(away);
                *place = now;
            }
        }
        shapes[group] = shape;
    }
    Compressed::new(CompressedParts {
        name: ensemble.name().to_owned(),
        groups: groups.to_vec(),
        shapes,
        conditions: ensemble.conditions().to_vec(),
        sequences,
        frames_per_second: ensemble.frames_per_second(),
        thickness: ensemble.thickness(),
        largest_error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Attachment, Condition, EnsembleParts, Group, Sequence};

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
        let compressed = compress(&ensemble, 1e-3).unwrap();
        let mut positions = Vec::new();
        let mut worst = 0.0_f64;
        for (moment, truth) in ensemble.moments() {
            compressed.positions_at(moment, &mut positions);
            for (now, was) in positions.iter().zip(truth) {
                worst = worst.max((0..3).map(|i| f64::from(now[i] - was[i]).abs()).fold(0.0, f64::max));
            }
        }
        assert!(worst <= 1e-3, "{worst}");
        assert!(compressed.parts().largest_error <= 1e-3);
    }

    #[test]
    fn one_vertex_has_the_bits_of_the_whole_shape() {
        let compressed = compress(&swinging(), 1e-4).unwrap();
        let (mut coordinates, mut shape) = (Vec::new(), Vec::new());
        for group in compressed.shapes() {
            let moment = crate::data::Moment { sequence: 0, frame: 17 };
            group.blended(moment, crate::data::Moment { sequence: 0, frame: 40 }, 0.3, &mut coordinates);
            group.shape(&coordinates, &mut shape);
            for (vertex, point) in (0..).zip(shape.chunks_exact(3)) {
                assert_eq!(group.vertex(&coordinates, vertex), point);
            }
        }
    }

    #[test]
    fn an_error_must_be_positive() {
        assert!(compress(&swinging(), 0.0).unwrap_err().to_string().contains("the error is 0"));
    }
}
