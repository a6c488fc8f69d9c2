//! Contact between groups: vertices against triangles and edges against edges,
//! kept apart on the side where they were.

use glam::DVec3;

use crate::contact::{ContactTest, Extent, FittedTree, near_extents, nearest_of_segments, nearest_of_triangle};
use crate::data::Group;
use crate::frame::narrow;

use super::model::SoftModel;

/// Two features of different groups that may meet soon: four vertices.
#[derive(Clone, Copy, Debug)]
enum Meeting {
    /// A vertex and the corners of a triangle.
    Corner([u32; 4]),
    /// The ends of two edges.
    Edges([u32; 4]),
}

/// Which corners of a triangle, and which edges after them, are looked at with
/// it: bits. Every vertex and edge of a group belongs to one of its triangles,
/// so that nothing is listed twice; to one that is joined to nothing, if any is.
#[derive(Clone, Copy, Debug, Default)]
struct OwnedFeatures {
    corners: u8,
    edges: u8,
}

impl OwnedFeatures {
    fn of(triangles: &[[u32; 3]], joined: &[bool]) -> Vec<OwnedFeatures> {
        let mut corners = std::collections::BTreeSet::new();
        let mut edges = std::collections::BTreeSet::new();
        let mut owned = vec![OwnedFeatures::default(); triangles.len()];
        for is_joined in [false, true] {
            for (number, triangle) in triangles.iter().enumerate().filter(|(number, _)| joined[*number] == is_joined) {
                for (index, &corner) in triangle.iter().enumerate() {
                    let next = triangle[(index + 1) % 3];
                    owned[number].corners |= u8::from(corners.insert(corner)) << index;
                    owned[number].edges |= u8::from(edges.insert([corner.min(next), corner.max(next)])) << index;
                }
            }
        }
        owned
    }
}

/// What may meet within the next few steps.
#[derive(Clone, Debug)]
pub(super) struct Meetings {
    list: Vec<Meeting>,
    owned: Vec<Vec<OwnedFeatures>>,
    /// Where the vertices are, and where they will be if nothing stops them.
    now: Vec<[f32; 3]>,
    later: Vec<[f32; 3]>,
    /// The boxes of each group around both.
    boxes: Vec<Vec<Extent>>,
}

/// How groups touch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    /// The distance that is kept, metres.
    pub distance: f64,
    /// How much farther apart features may come in the time that is looked
    /// ahead, and still be listed, metres: motion is not as straight as it looks.
    pub margin: f64,
    pub friction: f64,
}

/// Where the vertices are and where they go.
#[derive(Clone, Copy)]
pub(super) struct Motion<'state> {
    pub places: &'state [DVec3],
    pub velocities: &'state [DVec3],
    /// How far is looked ahead, seconds.
    pub ahead: f64,
}

impl Motion<'_> {
    /// Whether two triangles stay farther apart than `reach`, told along one
    /// direction: across the longest edge of the first, which is the one that
    /// tells slender triangles apart that lie side by side.
    fn keeps_apart(&self, first: [u32; 3], second: [u32; 3], reach: f64) -> bool {
        let at = |vertex: u32| self.places[vertex as usize];
        let [a, b, c] = first.map(at);
        let longest =
            [b - a, c - b, a - c].into_iter().max_by(|x, y| x.length_squared().total_cmp(&y.length_squared()));
        let along = longest.unwrap_or(DVec3::ZERO).normalize_or_zero();
        let away = second.map(at).into_iter().sum::<DVec3>() - (a + b + c);
        let across = away - along * along.dot(away);
        let (mut ours, mut theirs) = ([f64::NEG_INFINITY; 2], [f64::INFINITY; 2]);
        let ends = |vertex: u32| {
            let now = across.dot(at(vertex));
            [now, now + self.ahead * across.dot(self.velocities[vertex as usize])]
        };
        for vertex in first {
            let ends = ends(vertex);
            ours = [ours[0].max(ends[0]), ours[1].max(ends[1])];
        }
        for vertex in second {
            let ends = ends(vertex);
            theirs = [theirs[0].min(ends[0]), theirs[1].min(ends[1])];
        }
        // Everything moves straight, so what holds at both ends holds between.
        let gap = (theirs[0] - ours[0]).min(theirs[1] - ours[1]);
        gap > 0.0 && gap * gap > reach * reach * across.length_squared()
    }
}

impl Meetings {
    pub fn new(model: &SoftModel, test: &ContactTest) -> Self {
        let owned = |(number, group): (usize, &Group)| OwnedFeatures::of(&group.triangles, &test.joined_of(number));
        Self {
            list: Vec::new(),
            owned: model.groups.iter().enumerate().map(owned).collect(),
            now: Vec::new(),
            later: Vec::new(),
            boxes: vec![Vec::new(); model.groups.len()],
        }
    }

    /// Lists what may meet while all goes on as it does.
    pub fn look(&mut self, model: &SoftModel, test: &ContactTest, motion: &Motion, touch: &Touch) {
        self.now.clear();
        self.now.extend(motion.places.iter().copied().map(narrow));
        self.later.clear();
        let later = motion.places.iter().zip(motion.velocities).map(|(&place, &speed)| place + speed * motion.ahead);
        self.later.extend(later.map(narrow));
        let mut extents = Vec::with_capacity(self.boxes.len());
        for (group, boxes) in self.boxes.iter_mut().enumerate() {
            let range = model.vertices_of(group);
            test.tree(group).refit_swept(&self.now[range.clone()], &self.later[range], boxes);
            extents.push(boxes[0]);
        }
        self.list.clear();
        for (k, l) in near_extents(&extents, touch.distance + touch.margin) {
            self.list_pair(model, test, (k, l), motion, touch);
        }
    }

    fn list_pair(
        &mut self,
        model: &SoftModel,
        test: &ContactTest,
        (k, l): (usize, usize),
        motion: &Motion,
        touch: &Touch,
    ) {
        let Self { list, owned, now, boxes, .. } = self;
        let fitted = |group: usize| FittedTree {
            tree: test.tree(group),
            positions: &now[model.vertices_of(group)],
            boxes: &boxes[group],
        };
        let (ours, theirs) = (fitted(k), fitted(l));
        let skip = test.skip(k, l);
        let reach = touch.distance + touch.margin;
        ours.pairs(&theirs, reach, &mut |a, b| {
            let (a, b) = (ours.number(a), theirs.number(b));
            if skip.both(a, b) {
                return false;
            }
            let (first, second) = (model.triangle(k, a), model.triangle(l, b));
            if motion.keeps_apart(first, second, reach) {
                return false;
            }
            each_meeting(first, second, owned[k][a as usize], owned[l][b as usize], |meeting| {
                if meeting.may_happen(motion, reach) {
                    list.push(meeting);
                }
            });
            false
        });
    }

    /// Keeps what meets apart: `places` are moved, `before` is where the step
    /// began.
    pub fn resolve(&self, before: &[DVec3], places: &mut [DVec3], inverse_mass: &[f64], touch: &Touch) {
        for meeting in &self.list {
            meeting.resolve(before, places, inverse_mass, touch);
        }
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }
}

/// Calls `list` with every pair of features that two triangles own.
fn each_meeting(
    first: [u32; 3],
    second: [u32; 3],
    ours: OwnedFeatures,
    theirs: OwnedFeatures,
    mut list: impl FnMut(Meeting),
) {
    for index in (0..3).filter(|index| ours.corners >> index & 1 == 1) {
        list(Meeting::Corner([first[index], second[0], second[1], second[2]]));
    }
    for index in (0..3).filter(|index| theirs.corners >> index & 1 == 1) {
        list(Meeting::Corner([second[index], first[0], first[1], first[2]]));
    }
    let edge = |triangle: [u32; 3], index: usize| {
        let (a, b) = (triangle[index], triangle[(index + 1) % 3]);
        [a.min(b), a.max(b)]
    };
    for i in (0..3).filter(|index| ours.edges >> index & 1 == 1) {
        for j in (0..3).filter(|index| theirs.edges >> index & 1 == 1) {
            let ([a, b], [c, d]) = (edge(first, i), edge(second, j));
            list(Meeting::Edges([a, b, c, d]));
        }
    }
}

impl Meeting {
    /// The four vertices, and their shares in the vector that keeps them apart.
    fn shares(&self, places: &[DVec3]) -> ([u32; 4], [f64; 4]) {
        let at = |vertex: u32| places[vertex as usize];
        match *self {
            Meeting::Corner(vertices) => {
                let [vertex, a, b, c] = vertices;
                let [u, v, w] = nearest_of_triangle(at(vertex), &[at(a), at(b), at(c)]);
                (vertices, [1.0, -u, -v, -w])
            }
            Meeting::Edges(vertices) => {
                let [a, b, c, d] = vertices;
                let (s, t) = nearest_of_segments(at(a), at(b), at(c), at(d));
                (vertices, [1.0 - s, s, t - 1.0, -t])
            }
        }
    }

    /// Whether the two come closer than `reach` if they go on as they do.
    fn may_happen(&self, motion: &Motion, reach: f64) -> bool {
        let (vertices, shares) = self.shares(motion.places);
        let mut apart = DVec3::ZERO;
        let mut parting = DVec3::ZERO;
        for (&vertex, share) in vertices.iter().zip(shares) {
            apart += motion.places[vertex as usize] * share;
            parting += motion.velocities[vertex as usize] * share;
        }
        apart.length() - parting.length() * motion.ahead < reach
    }

    fn resolve(&self, before: &[DVec3], places: &mut [DVec3], inverse_mass: &[f64], touch: &Touch) {
        // The side on which they were when the step began decides.
        let (vertices, shares) = self.shares(before);
        let mut then = DVec3::ZERO;
        let mut now = DVec3::ZERO;
        for (&vertex, share) in vertices.iter().zip(shares) {
            then += before[vertex as usize] * share;
            now += places[vertex as usize] * share;
        }
        let gap = then.length();
        if gap == 0.0 {
            return;
        }
        let normal = then / gap;
        let depth = touch.distance - normal.dot(now);
        if depth <= 0.0 {
            return;
        }
        let weight: f64 =
            vertices.iter().zip(shares).map(|(&vertex, share)| share * share * inverse_mass[vertex as usize]).sum();
        if weight == 0.0 {
            return;
        }
        let slip = now - then;
        let slip = slip - normal * normal.dot(slip);
        let length = slip.length();
        let held = if length > 0.0 { (touch.friction * depth / length).min(1.0) } else { 0.0 };
        let push = (normal * depth - slip * held) / weight;
        for (&vertex, share) in vertices.iter().zip(shares) {
            places[vertex as usize] += push * (share * inverse_mass[vertex as usize]);
        }
    }
}
