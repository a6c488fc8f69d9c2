//! Where plants grow: nothing grows through anything else.

use proscenium_chance::Stream;

use crate::contact::{Extent, Triangle, closer_than};
use crate::frame::wide;
use crate::simulate::SoftModel;

/// How often something is drawn anew before it is given up.
const TRIES: u32 = 60;

/// A part that is to grow, as one group.
pub(super) struct Part {
    /// Adds it to a model.
    pub add: Box<dyn Fn(&mut SoftModel) -> usize>,
    /// What it grows from, which it may touch.
    pub from: Root,
}

/// What a part grows from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Root {
    Ground,
    /// A group that has grown.
    Grown(usize),
    /// One of the parts that are drawn with it.
    With(usize),
}

/// A model that grows, each part clear of all that is there.
pub(super) struct Bed {
    pub model: SoftModel,
    /// How far apart parts are, metres.
    distance: f64,
    grown: Vec<Body>,
}

/// The surface of a part.
struct Body {
    extent: Extent,
    triangles: Vec<Triangle>,
}

impl Body {
    fn of(part: &Part) -> Option<Self> {
        let mut alone = SoftModel::new();
        (part.add)(&mut alone);
        let group = alone.groups().first()?;
        let corners = |triangle: &[u32; 3]| triangle.map(|vertex| wide(group.rest[vertex as usize]));
        Some(Self { extent: Extent::of(&group.rest), triangles: group.triangles.iter().map(corners).collect() })
    }

    fn is_clear_of(&self, other: &Body, distance: f64) -> bool {
        let near = |ours: &Triangle| other.triangles.iter().any(|theirs| closer_than(ours, theirs, distance));
        !self.extent.near(&other.extent, distance as f32) || !self.triangles.iter().any(near)
    }
}

impl Bed {
    pub fn new(distance: f64) -> Self {
        Self { model: SoftModel::new(), distance, grown: Vec::new() }
    }

    /// Draws parts until they are clear of all that has grown and of each other,
    /// but for what each grows from: `draw` is told how freely they may grow,
    /// from 1 down to 0. The groups that they have become; `None` where there is
    /// no room.
    pub fn grow(&mut self, stream: &mut Stream, draw: impl Fn(&mut Stream, f64) -> Vec<Part>) -> Option<Vec<usize>> {
        for left in (0..TRIES).rev() {
            let parts = draw(stream, f64::from(left) / f64::from(TRIES));
            let Some(bodies) = self.clear(&parts) else { continue };
            self.grown.extend(bodies);
            return Some(parts.iter().map(|part| (part.add)(&mut self.model)).collect());
        }
        None
    }

    /// The surfaces of the parts, if all are clear.
    fn clear(&self, parts: &[Part]) -> Option<Vec<Body>> {
        let mut bodies: Vec<Body> = Vec::with_capacity(parts.len());
        for part in parts {
            let body = Body::of(part)?;
            let old = self.grown.iter().enumerate().filter(|(group, _)| part.from != Root::Grown(*group));
            let new = bodies.iter().enumerate().filter(|(index, _)| part.from != Root::With(*index));
            if !old.chain(new).all(|(_, other)| body.is_clear_of(other, self.distance)) {
                return None;
            }
            bodies.push(body);
        }
        Some(bodies)
    }
}
