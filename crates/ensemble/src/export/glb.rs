//! glTF: the strongest modes of each group as morph targets.

use glam::{DMat3, DQuat, Vec3};
use proscenium_clip::{Clip, ClipError, GlbAdditions, Key, Mesh, Morph, MorphTarget, Node, Track};
use proscenium_work::{Completion, Finish as _, Halt, Progress, Stopped};

use super::{Take, normals};
use crate::compressed::CompressedGroup;
use crate::frame::{Frame, wide};
use crate::look::materials;

/// A take as a binary glTF file, and how close it is.
#[derive(Clone, Debug, PartialEq)]
pub struct GlbTake {
    /// The file.
    pub bytes: Vec<u8>,
    /// How many modes were kept, of how many.
    pub modes: (usize, usize),
    /// How far the farthest vertex of any frame is from where it should be,
    /// metres.
    pub largest_error: f64,
}

/// A take as a `.glb` file: a node for each group, which follows the group's
/// frame, with at most `modes` morph targets and their animated weights. What
/// the dropped modes of a group would add is lost; its children are still where
/// they should be.
///
/// # Errors
/// More than a `.glb` file can hold.
pub fn to_glb(take: &Take, modes: usize, progress: &Progress) -> Result<Completion<GlbTake>, ClipError> {
    write(take, modes, progress).finish()
}

fn write(take: &Take, modes: usize, progress: &Progress) -> Result<GlbTake, Halt<ClipError>> {
    let take = &take.closed();
    let compressed = take.compressed;
    let mut clip = Clip::new(format!("{} {}", compressed.name(), take.name).trim().to_owned());
    let materials = materials(&mut clip, compressed.groups());
    let mut additions = GlbAdditions::default();
    let positions = take.all_frames(&progress.part(0.0, 0.5))?;
    let time = |frame: usize| (frame as f64 / compressed.frames_per_second()) as f32;
    let times: Vec<f32> = (0..positions.len()).map(time).collect();
    let (mut kept, mut largest_error) = (0, 0.0_f64);
    let writing = progress.part(0.5, 1.0);
    let counter = writing.counter("writing groups", compressed.groups().len());
    for (group, (data, shape)) in compressed.groups().iter().zip(compressed.shapes()).enumerate() {
        counter.count()?;
        let few = shape.rank().min(modes);
        let ranges: Vec<(f32, f32)> = (0..few).map(|mode| range(take, group, mode)).collect();
        let middle: Vec<[f32; 3]> = shape.middle.as_chunks::<3>().0.to_vec();
        let mesh = clip.add_mesh(Mesh {
            name: data.name.clone(),
            // Those of the mean shape, which is nearer to what is seen than the base.
            normals: normals(&middle, &data.triangles),
            positions: base(shape, &ranges),
            triangles: data.triangles.clone(),
            material: Some(materials[group]),
        });
        let frames: Vec<Frame> = positions
            .iter()
            .map(|positions| {
                let first = data.attachment.map_or(0, |attachment| compressed.vertices_of(attachment.parent).start);
                compressed.frame_of(group, |vertex| positions[first + vertex as usize])
            })
            .collect();
        let mut node = Node::new(data.name.clone()).with_mesh(mesh);
        if data.attachment.is_some() && !frames.is_empty() {
            node = node.with_track(track(&frames, &times));
        }
        let node = clip.add_node(node);
        kept += few;
        if few > 0 && !times.is_empty() {
            let coordinates: Vec<&[f32]> = take.states.iter().map(|state| &state[group][..few]).collect();
            additions.morphs.push(morph(node, shape, &ranges, &coordinates, &times));
        }
        largest_error = largest_error.max(dropped(shape, few, take, group, progress)?);
    }
    if let Some(&last) = times.last() {
        clip.duration_secs = clip.duration_secs.max(last);
    }
    let bytes = clip.to_glb_with(&additions).map_err(Halt::Failed)?;
    Ok(GlbTake { bytes, modes: (kept, compressed.rank()), largest_error })
}

fn track(frames: &[Frame], times: &[f32]) -> Track {
    let key = |(frame, &time): (&Frame, &f32)| {
        let axes = DMat3::from_cols_array_2d(&frame.axes.map(|axis| wide(axis).to_array()));
        let orientation = DQuat::from_mat3(&axes).normalize().as_quat();
        Key::new(time, Vec3::from_array(frame.origin), orientation)
    };
    Track { keys: frames.iter().zip(times).map(key).collect() }
}

/// From where to where the coordinate of a mode goes.
fn range(take: &Take, group: usize, mode: usize) -> (f32, f32) {
    let values = take.states.iter().map(|state| state[group][mode]);
    let (low, high) = values.fold((f32::MAX, f32::MIN), |(low, high), value| (low.min(value), high.max(value)));
    if low > high { (0.0, 0.0) } else { (low, high) }
}

/// The shape in which every coordinate is at its lowest. Counted from there,
/// weights lie between 0 and 1, as sliders have it: Blender holds them there.
fn base(shape: &CompressedGroup, ranges: &[(f32, f32)]) -> Vec<[f32; 3]> {
    let lowest: Vec<f32> = ranges.iter().map(|(low, _)| *low).collect();
    let mut base = Vec::new();
    shape.shape(&lowest, &mut base);
    base.as_chunks::<3>().0.to_vec()
}

fn morph(
    node: proscenium_clip::NodeId,
    shape: &CompressedGroup,
    ranges: &[(f32, f32)],
    coordinates: &[&[f32]],
    times: &[f32],
) -> Morph {
    let target = |(mode, (low, high)): (usize, &(f32, f32))| MorphTarget {
        name: format!("mode {}", mode + 1),
        offsets: shape.basis[mode].as_chunks::<3>().0.iter().map(|offset| offset.map(|x| x * (high - low))).collect(),
    };
    let weight =
        |(value, (low, high)): (&f32, &(f32, f32))| if high > low { (value - low) / (high - low) } else { 0.0 };
    let weights = coordinates.iter().flat_map(|state| state.iter().zip(ranges).map(weight));
    Morph {
        node,
        targets: ranges.iter().enumerate().map(target).collect(),
        times: times.to_vec(),
        weights: weights.collect(),
    }
}

/// How far the farthest vertex is from where it should be without the weaker
/// modes.
fn dropped(
    shape: &CompressedGroup,
    kept: usize,
    take: &Take,
    group: usize,
    progress: &Progress,
) -> Result<f64, Stopped> {
    if kept >= shape.rank() {
        return Ok(0.0);
    }
    let mut largest = 0.0_f64;
    for state in &take.states {
        progress.check()?;
        let mut missing = vec![0.0f32; shape.middle.len()];
        for (mode, coordinate) in shape.basis.iter().zip(&state[group]).skip(kept) {
            missing.iter_mut().zip(mode).for_each(|(sum, component)| *sum += component * coordinate);
        }
        let squared = missing.as_chunks::<3>().0.iter().map(|offset| wide(*offset).length_squared());
        largest = largest.max(squared.fold(0.0, f64::max));
    }
    Ok(libm::sqrt(largest))
}
