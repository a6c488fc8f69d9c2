//! Less of an ensemble, for those that are far away.

use glam::DVec3;

use crate::compressed::{CompressedEnsemble, CompressedGroup, CompressedParts};
use crate::data::{Attachment, Group};
use crate::error::EnsembleError;
use crate::frame::{spans_a_plane, wide};

/// How much of an ensemble is kept, and from how far on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detail {
    /// Metres from the eye; nearer instances have the detail before.
    pub from: f64,
    /// How many modes a group keeps, at most.
    pub modes: usize,
    /// Vertices of a group that are nearer to each other than this at rest
    /// become one, metres; zero keeps the mesh. Of what is narrower than that,
    /// such as blades, vertices become one along their length only. Then also
    /// what hangs together, such as a flower, splices at once in a transition.
    pub merge: f64,
}

/// The same ensemble with fewer modes and vertices. It is played with the same
/// coordinates, of which it uses the first ones; so a walk through the whole
/// one shows this one too.
///
/// Groups keep the vertices that others hang on.
///
/// # Errors
/// A distance that is negative or not finite.
pub fn reduce(data: &CompressedEnsemble, modes: usize, merge: f64) -> Result<CompressedEnsemble, EnsembleError> {
    Ok(reduce_with_map(data, modes, merge)?.0)
}

/// Which vertices of the whole ensemble those of a detail are, and the other way round.
#[derive(Clone, Debug)]
pub(crate) struct DetailMap {
    /// For each vertex of the detail, which one of the whole it is.
    pub kept: Vec<u32>,
    /// For each vertex of the whole, which one of the detail stands for it.
    pub stands: Vec<u32>,
}

impl DetailMap {
    /// Of the whole itself.
    pub fn whole(count: usize) -> Self {
        let all: Vec<u32> = (0..count as u32).collect();
        DetailMap { kept: all.clone(), stands: all }
    }
}

/// The same, and where its vertices are in the whole.
pub(crate) fn reduce_with_map(
    data: &CompressedEnsemble,
    modes: usize,
    merge: f64,
) -> Result<(CompressedEnsemble, DetailMap), EnsembleError> {
    if !(merge.is_finite() && merge >= 0.0) {
        let what = "the distance below which vertices become one".to_owned();
        return Err(EnsembleError::Number { what, value: merge, remedy: "use metres, or zero" });
    }
    let mut anchors: Vec<Vec<u32>> = vec![Vec::new(); data.groups().len()];
    for attachment in data.groups().iter().filter_map(|group| group.attachment) {
        anchors[attachment.parent].extend(attachment.anchor);
    }
    let kept: Vec<MergedMesh> =
        (data.groups().iter().zip(&anchors)).map(|(group, anchors)| MergedMesh::of(group, anchors, merge)).collect();
    let groups = data.groups().iter().zip(&kept).map(|(group, own)| {
        let attachment = group.attachment.map(|attachment| {
            let anchor = attachment.anchor.map(|vertex| kept[attachment.parent].of_vertex[vertex as usize]);
            Attachment { anchor, ..attachment }
        });
        let rest = own.vertices.iter().map(|&vertex| group.rest[vertex as usize]).collect();
        Group { name: group.name.clone(), attachment, rest, triangles: own.triangles.clone() }
    });
    let shapes = data.shapes().iter().zip(&kept).map(|(shape, own)| own.shape(shape, modes));
    let reduced = CompressedEnsemble::new(CompressedParts {
        groups: groups.collect(),
        shapes: shapes.collect(),
        name: data.name().to_owned(),
        conditions: data.conditions().to_vec(),
        sequences: data.sequences().to_vec(),
        frames_per_second: data.frames_per_second(),
        thickness: data.thickness(),
        largest_error: data.largest_error(),
    })?;
    let mut map = DetailMap { kept: Vec::new(), stands: Vec::new() };
    for (group, own) in kept.iter().enumerate() {
        let (of_whole, of_own) = (data.vertices_of(group).start as u32, map.kept.len() as u32);
        map.stands.extend(own.of_vertex.iter().map(|vertex| of_own + vertex));
        map.kept.extend(own.vertices.iter().map(|vertex| of_whole + vertex));
    }
    Ok((if merge > 0.0 { reduced.led_by_roots() } else { reduced }, map))
}

/// The mesh of a group with fewer vertices: which remain.
struct MergedMesh {
    /// Their numbers of before.
    vertices: Vec<u32>,
    /// For each vertex of before, the one that stands for it.
    of_vertex: Vec<u32>,
    triangles: Vec<[u32; 3]>,
}

impl MergedMesh {
    fn of(group: &Group, anchors: &[u32], merge: f64) -> Self {
        let near = |a: DVec3, b: DVec3| a.distance(b) < merge;
        let (along, width) = longest(group);
        let beside = |a: DVec3, b: DVec3| near(a, b) && (b - a).reject_from_normalized(along).length() < 0.25 * width;
        let all = || {
            let all: Vec<u32> = (0..group.rest.len() as u32).collect();
            MergedMesh { vertices: all.clone(), of_vertex: all, triangles: group.triangles.clone() }
        };
        MergedMesh::merged(group, anchors, near)
            .or_else(|| MergedMesh::merged(group, anchors, beside))
            .unwrap_or_else(all)
    }

    /// What remains if vertices become one of which `near` says so; nothing if
    /// no triangle does.
    fn merged(group: &Group, anchors: &[u32], near: impl Fn(DVec3, DVec3) -> bool) -> Option<Self> {
        let count = group.rest.len() as u32;
        // Anchors first, so that they stand for themselves.
        let order = anchors.iter().copied().chain(0..count);
        let mut chosen: Vec<u32> = Vec::new();
        let mut stand_in = vec![u32::MAX; count as usize];
        for vertex in order {
            if stand_in[vertex as usize] != u32::MAX {
                continue;
            }
            let here = wide(group.rest[vertex as usize]);
            let is_near = |&&other: &&u32| near(wide(group.rest[other as usize]), here);
            let found = if anchors.contains(&vertex) { None } else { chosen.iter().find(is_near).copied() };
            stand_in[vertex as usize] = found.unwrap_or(vertex);
            if found.is_none() {
                chosen.push(vertex);
            }
        }
        chosen.sort_unstable();
        let number = |vertex: u32| chosen.partition_point(|&other| other < vertex) as u32;
        let place: Vec<u32> = stand_in.iter().map(|&vertex| number(vertex)).collect();
        let mut triangles: Vec<[u32; 3]> = group
            .triangles
            .iter()
            .map(|triangle| triangle.map(|vertex| place[vertex as usize]))
            .filter(|[a, b, c]| a != b && b != c && c != a)
            .collect();
        let corners = |triangle: &[u32; 3]| triangle.map(|vertex| group.rest[chosen[vertex as usize] as usize]);
        triangles.retain(|triangle| spans_a_plane(corners(triangle)));
        (!triangles.is_empty()).then_some(MergedMesh { vertices: chosen, of_vertex: place, triangles })
    }

    fn shape(&self, shape: &CompressedGroup, modes: usize) -> CompressedGroup {
        let rank = shape.rank().min(modes);
        let picked = |numbers: &[f32]| -> Vec<f32> {
            self.vertices
                .iter()
                .flat_map(|&vertex| numbers[3 * vertex as usize..3 * vertex as usize + 3].to_vec())
                .collect()
        };
        let first = |steps: &Vec<i16>| match shape.rank() {
            0 => Vec::new(),
            all => steps.chunks_exact(all).flat_map(|frame| &frame[..rank]).copied().collect(),
        };
        CompressedGroup {
            middle: picked(&shape.middle),
            basis: shape.basis[..rank].iter().map(|mode| picked(mode)).collect(),
            steps: shape.steps[..rank].to_vec(),
            coordinates: shape.coordinates.iter().map(first).collect(),
        }
    }
}

/// The way from the vertex that is farthest from the middle of a group to the
/// one that is farthest from that, and how wide the group is across it.
fn longest(group: &Group) -> (DVec3, f64) {
    let places: Vec<DVec3> = group.rest.iter().copied().map(wide).collect();
    let middle = places.iter().sum::<DVec3>() / places.len().max(1) as f64;
    let farthest = |from: DVec3| {
        let away = |place: &DVec3| place.distance_squared(from);
        places.iter().copied().max_by(|a, b| away(a).total_cmp(&away(b))).unwrap_or(from)
    };
    let end = farthest(middle);
    let along = (farthest(end) - end).normalize_or(DVec3::Y);
    let width = places.iter().map(|&place| (place - end).reject_from_normalized(along).length()).fold(0.0, f64::max);
    (along, width)
}
