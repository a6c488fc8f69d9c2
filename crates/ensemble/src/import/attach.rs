//! The tree of attachments, found from what stays together.
//!
//! Two groups are joined where two of their triangles stay within reach of each
//! other in all of the data. Each set of groups that are joined gets a root: the
//! group that stands stillest somewhere, such as a stem in the ground or a rope
//! between two poles. From there the tree grows along the closest joints.

use std::collections::BTreeMap;

use proscenium_work::{Progress, Stopped};

use crate::contact::triangle_distance;
use crate::data::{Attachment, Group};
use crate::frame::{Frame, spans_a_plane, wide};

/// Of the pairs of triangles that are near at first, only so many are followed.
const PAIRS_FOLLOWED: usize = 16;

/// How many rings of triangles around a joint are tried for its anchor.
const RINGS: usize = 4;

/// Vertices that move less than this share of the reach stand still.
const STILL: f64 = 0.05;

/// A group that hangs on another.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// The group.
    pub child: String,
    /// What it hangs on.
    pub parent: String,
    /// How far they came apart there, at most, metres.
    pub distance: f64,
}

/// Where two groups are nearest throughout.
#[derive(Clone, Copy, Debug)]
struct Contact {
    distance: f64,
    triangles: [u32; 2],
}

/// Attaches the groups to each other; `hints` are the parents that the file
/// names, and `samples` are frames of the data.
pub(super) fn attach(
    groups: &mut [Group],
    hints: &[Option<usize>],
    samples: &[Vec<[f32; 3]>],
    reach: f64,
    progress: &Progress,
) -> Result<Vec<Joint>, Stopped> {
    let Some(first) = samples.first() else { return Ok(Vec::new()) };
    let mesh = Mesh::new(groups);
    progress.tell("looking for what stays together", 0.0)?;
    let near = mesh.near_pairs(groups, first, reach, progress)?;
    let contacts = mesh.lasting(groups, &near, samples, reach, progress)?;
    let stillness: Vec<f64> = (0..groups.len()).map(|group| mesh.stillness(group, samples)).collect();
    let parents = grow(groups, hints, &contacts, &stillness, STILL * reach);
    let mut joints = Vec::new();
    for (child, found) in parents.into_iter().enumerate() {
        progress.tell("attaching groups", child as f64 / groups.len() as f64)?;
        let Some((parent, contact)) = found else { continue };
        let own = if child < parent { contact.triangles[1] } else { contact.triangles[0] };
        let Some(anchor) = mesh.anchor(groups, child, parent, own, samples) else { continue };
        groups[child].attachment = Some(Attachment { parent, anchor });
        let (child, parent) = (groups[child].name.clone(), groups[parent].name.clone());
        joints.push(Joint { child, parent, distance: contact.distance });
    }
    Ok(joints)
}

/// Grows the trees: for each group, what it hangs on.
fn grow(
    groups: &[Group],
    hints: &[Option<usize>],
    contacts: &BTreeMap<(usize, usize), Contact>,
    stillness: &[f64],
    still: f64,
) -> Vec<Option<(usize, Contact)>> {
    let mut neighbours: Vec<Vec<(usize, Contact)>> = vec![Vec::new(); groups.len()];
    for (&(a, b), &contact) in contacts {
        neighbours[a].push((b, contact));
        neighbours[b].push((a, contact));
    }
    // A group with a parent in the file is no root, if it is joined to it.
    let hinted = |group: usize| {
        hints[group].is_some_and(|hint| neighbours[group].iter().any(|(neighbour, _)| *neighbour == hint))
    };
    let mut roots: Vec<usize> = (0..groups.len()).collect();
    let rank = |group: usize| (stillness[group] / still.max(f64::MIN_POSITIVE)).max(1.0);
    roots.sort_by(|&a, &b| {
        (hinted(a).cmp(&hinted(b)))
            .then(rank(a).total_cmp(&rank(b)))
            .then(neighbours[b].len().cmp(&neighbours[a].len()))
            .then(groups[b].rest.len().cmp(&groups[a].rest.len()))
            .then(a.cmp(&b))
    });
    let mut parents = vec![None; groups.len()];
    let mut placed = vec![false; groups.len()];
    for root in roots {
        if placed[root] {
            continue;
        }
        placed[root] = true;
        let mut border: Vec<(usize, usize, Contact)> =
            neighbours[root].iter().map(|&(child, contact)| (root, child, contact)).collect();
        // What the file says comes first, then the closest joint.
        let order = |(parent, child, contact): &(usize, usize, Contact)| {
            (hints[*child] != Some(*parent), contact.distance, *parent, *child)
        };
        while let Some(next) = (0..border.len()).min_by(|&a, &b| {
            let (a, b) = (order(&border[a]), order(&border[b]));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then((a.2, a.3).cmp(&(b.2, b.3)))
        }) {
            let (parent, child, contact) = border.swap_remove(next);
            if placed[child] {
                continue;
            }
            placed[child] = true;
            parents[child] = Some((parent, contact));
            border.extend(neighbours[child].iter().map(|&(other, contact)| (child, other, contact)));
        }
    }
    parents
}

/// Where the vertices of each group stand in a frame.
struct Mesh {
    first_vertex: Vec<usize>,
}

impl Mesh {
    fn new(groups: &[Group]) -> Self {
        let mut first_vertex = vec![0];
        for group in groups {
            first_vertex.push(first_vertex[first_vertex.len() - 1] + group.rest.len());
        }
        Mesh { first_vertex }
    }

    fn corners(&self, groups: &[Group], group: usize, triangle: u32, frame: &[[f32; 3]]) -> [glam::DVec3; 3] {
        let first = self.first_vertex[group];
        groups[group].triangles[triangle as usize].map(|vertex| wide(frame[first + vertex as usize]))
    }

    /// For each pair of groups, the pairs of their triangles within reach in
    /// one frame, closest first.
    fn near_pairs(
        &self,
        groups: &[Group],
        frame: &[[f32; 3]],
        reach: f64,
        progress: &Progress,
    ) -> Result<BTreeMap<(usize, usize), Vec<Contact>>, Stopped> {
        let mut boxes: Vec<(usize, u32, glam::DVec3, glam::DVec3)> = Vec::new();
        for (index, group) in groups.iter().enumerate() {
            for triangle in 0..group.triangles.len() as u32 {
                let [a, b, c] = self.corners(groups, index, triangle, frame);
                boxes.push((index, triangle, a.min(b).min(c) - 0.5 * reach, a.max(b).max(c) + 0.5 * reach));
            }
        }
        // Sorted along x, only those that overlap there are compared.
        boxes.sort_by(|a, b| a.2.x.total_cmp(&b.2.x).then((a.0, a.1).cmp(&(b.0, b.1))));
        let mut near: BTreeMap<(usize, usize), Vec<Contact>> = BTreeMap::new();
        for (at, one) in boxes.iter().enumerate() {
            progress.check()?;
            for other in boxes[at + 1..].iter().take_while(|other| other.2.x <= one.3.x) {
                let apart =
                    one.0 == other.0 || (1..3).any(|axis| one.2[axis] > other.3[axis] || other.2[axis] > one.3[axis]);
                if apart {
                    continue;
                }
                let (low, high) = if one.0 < other.0 { (one, other) } else { (other, one) };
                let ours = self.corners(groups, low.0, low.1, frame);
                let distance = triangle_distance(&ours, &self.corners(groups, high.0, high.1, frame));
                if distance <= reach {
                    near.entry((low.0, high.0)).or_default().push(Contact { distance, triangles: [low.1, high.1] });
                }
            }
        }
        for pairs in near.values_mut() {
            pairs.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.triangles.cmp(&b.triangles)));
            pairs.truncate(PAIRS_FOLLOWED);
        }
        Ok(near)
    }

    /// For each pair of groups that stay within reach in all samples, where
    /// they stay closest.
    fn lasting(
        &self,
        groups: &[Group],
        near: &BTreeMap<(usize, usize), Vec<Contact>>,
        samples: &[Vec<[f32; 3]>],
        reach: f64,
        progress: &Progress,
    ) -> Result<BTreeMap<(usize, usize), Contact>, Stopped> {
        let mut lasting = BTreeMap::new();
        for (&(a, b), pairs) in near {
            progress.check()?;
            let farthest = |contact: &Contact| {
                let [ours, theirs] = contact.triangles;
                samples.iter().fold(0.0_f64, |most, frame| {
                    let here = self.corners(groups, a, ours, frame);
                    most.max(triangle_distance(&here, &self.corners(groups, b, theirs, frame)))
                })
            };
            let followed = pairs.iter().map(|contact| Contact { distance: farthest(contact), ..*contact });
            let closest = followed.min_by(|a, b| a.distance.total_cmp(&b.distance).then(a.triangles.cmp(&b.triangles)));
            if let Some(contact) = closest.filter(|contact| contact.distance <= reach) {
                lasting.insert((a, b), contact);
            }
        }
        Ok(lasting)
    }

    /// How far the stillest vertex of a group moves.
    fn stillness(&self, group: usize, samples: &[Vec<[f32; 3]>]) -> f64 {
        let moved = |vertex: usize| {
            samples.iter().fold(0.0_f64, |most, frame| most.max(wide(frame[vertex]).distance(wide(samples[0][vertex]))))
        };
        (self.first_vertex[group]..self.first_vertex[group + 1]).map(moved).fold(f64::INFINITY, f64::min)
    }

    /// Three vertices of the parent around a triangle of it, in the frame of
    /// which the child moves least. A wide anchor carries less noise; a narrow
    /// one follows what happens at the joint.
    fn anchor(
        &self,
        groups: &[Group],
        child: usize,
        parent: usize,
        triangle: u32,
        samples: &[Vec<[f32; 3]>],
    ) -> Option<[u32; 3]> {
        let mut ring = groups[parent].triangles[triangle as usize].to_vec();
        let mut best: Option<(f64, [u32; 3])> = None;
        for _ in 0..=RINGS {
            if let Some(anchor) = widest(&groups[parent], &ring) {
                let motion = self.motion(child, parent, anchor, samples);
                if best.is_none_or(|(least, _)| motion < least) {
                    best = Some((motion, anchor));
                }
            }
            ring.sort_unstable();
            let touches = |triangle: &&[u32; 3]| triangle.iter().any(|corner| ring.binary_search(corner).is_ok());
            let mut wider: Vec<u32> = groups[parent].triangles.iter().filter(touches).flatten().copied().collect();
            wider.sort_unstable();
            wider.dedup();
            ring = wider;
        }
        best.map(|(_, anchor)| anchor)
    }

    /// How much the vertices of a child move in the frame of an anchor: the sum
    /// of their variances.
    fn motion(&self, child: usize, parent: usize, anchor: [u32; 3], samples: &[Vec<[f32; 3]>]) -> f64 {
        let vertices = self.first_vertex[child]..self.first_vertex[child + 1];
        let first = self.first_vertex[parent];
        let mut sums = vec![(glam::DVec3::ZERO, 0.0); vertices.len()];
        for sample in samples {
            let frame = Frame::of_anchor(anchor.map(|vertex| sample[first + vertex as usize]));
            for ((sum, squares), &place) in sums.iter_mut().zip(&sample[vertices.clone()]) {
                let local = wide(frame.to_group(place));
                *sum += local;
                *squares += local.length_squared();
            }
        }
        let count = samples.len() as f64;
        sums.iter().map(|(sum, squares)| squares / count - (*sum / count).length_squared()).sum()
    }
}

/// Three of the vertices that span a wide triangle at rest: the first, the one
/// farthest from it, and the one farthest from their line.
fn widest(group: &Group, vertices: &[u32]) -> Option<[u32; 3]> {
    let place = |vertex: u32| wide(group.rest[vertex as usize]);
    let farthest = |measure: &dyn Fn(u32) -> f64| {
        vertices.iter().copied().max_by(|&a, &b| measure(a).total_cmp(&measure(b)).then(b.cmp(&a)))
    };
    let a = *vertices.first()?;
    let b = farthest(&|vertex| place(vertex).distance_squared(place(a)))?;
    let c = farthest(&|vertex| (place(b) - place(a)).cross(place(vertex) - place(a)).length_squared())?;
    Some([a, b, c]).filter(|anchor| spans_a_plane(anchor.map(|vertex| group.rest[vertex as usize])))
}
