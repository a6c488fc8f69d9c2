//! Contact between groups: vertices against triangles and edges against edges,
//! kept apart on the side where they were.

use glam::DVec3;

use crate::contact::{ContactTest, Shape, near_extents, nearest_of_segments, nearest_of_triangle};
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

/// What may meet before any vertex has moved by half the slack: a quarter of it
/// makes the list anew, and no step takes more than another quarter.
#[derive(Clone, Debug, Default)]
pub(super) struct Meetings {
    list: Vec<Meeting>,
    /// Where the vertices were when the list was made.
    since: Vec<DVec3>,
    shapes: Vec<Shape>,
}

/// How groups touch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    /// The distance that is kept, metres.
    pub distance: f64,
    /// How much farther apart features may be to be listed, metres.
    pub slack: f64,
    pub friction: f64,
}

impl Meetings {
    /// Lists again what may meet, if a vertex has moved far enough.
    pub fn refresh(&mut self, model: &SoftModel, test: &ContactTest, places: &[DVec3], touch: &Touch) {
        let far = 0.0625 * touch.slack * touch.slack;
        let still = self.since.len() == places.len()
            && self.since.iter().zip(places).all(|(then, now)| then.distance_squared(*now) < far);
        if still {
            return;
        }
        self.since.clear();
        self.since.extend_from_slice(places);
        self.shapes.resize_with(model.groups.len(), Shape::default);
        for (group, shape) in self.shapes.iter_mut().enumerate() {
            shape.positions.clear();
            let range = model.first_vertex[group] as usize..model.first_vertex[group + 1] as usize;
            shape.positions.extend(places[range].iter().map(|&place| narrow(place)));
            test.refit(group, shape);
        }
        self.list.clear();
        let reach = touch.distance + touch.slack;
        let extents: Vec<_> = self.shapes.iter().map(|shape| *shape.extent()).collect();
        for (k, l) in near_extents(&extents, reach) {
            self.list_pair(model, test, (k, l), places, reach);
        }
    }

    fn list_pair(
        &mut self,
        model: &SoftModel,
        test: &ContactTest,
        (k, l): (usize, usize),
        places: &[DVec3],
        reach: f64,
    ) {
        let (ours, theirs) = (test.fitted(k, &self.shapes[k]), test.fitted(l, &self.shapes[l]));
        let skip = test.skip(k, l);
        let (mut corners, mut edges) = (Vec::new(), Vec::new());
        ours.pairs(&theirs, reach, &mut |a, b| {
            let (a, b) = (ours.number(a), theirs.number(b));
            if skip.both(a, b) {
                return false;
            }
            let globally = |group: usize, number: u32| {
                model.groups[group].triangles[number as usize].map(|vertex| model.first_vertex[group] + vertex)
            };
            let (first, second) = (globally(k, a), globally(l, b));
            corners.extend(first.map(|vertex| [vertex, second[0], second[1], second[2]]));
            corners.extend(second.map(|vertex| [vertex, first[0], first[1], first[2]]));
            for (i, j) in [(0, 1), (1, 2), (2, 0)] {
                for (m, n) in [(0, 1), (1, 2), (2, 0)] {
                    let (p, q) = (first[i].min(first[j]), first[i].max(first[j]));
                    let (r, s) = (second[m].min(second[n]), second[m].max(second[n]));
                    edges.push([p, q, r, s]);
                }
            }
            false
        });
        for list in [&mut corners, &mut edges] {
            list.sort_unstable();
            list.dedup();
        }
        let meetings = corners.into_iter().map(Meeting::Corner).chain(edges.into_iter().map(Meeting::Edges));
        self.list.extend(meetings.filter(|meeting| meeting.apart(places).length_squared() < reach * reach));
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

    fn apart(&self, places: &[DVec3]) -> DVec3 {
        let (vertices, shares) = self.shares(places);
        vertices.iter().zip(shares).map(|(&vertex, share)| places[vertex as usize] * share).sum()
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
        // Beyond the slack they cannot meet in this step.
        if gap == 0.0 || gap > touch.distance + touch.slack {
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
