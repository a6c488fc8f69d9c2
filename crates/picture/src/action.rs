//! Where the action of a clip is, and the camera that frames it.

use glam::{DMat4, DVec3};
use proscenium_clip::{Clip, Mesh};
use proscenium_view::{Camera, Framing, ViewError};

use crate::PictureError;

/// Times at which a clip is looked at.
const LOOKS: u32 = 48;

/// Where a clip's action takes place, over its whole length.
#[derive(Clone, Debug)]
pub(crate) struct Action {
    /// Outermost points of what is worth framing.
    pub(crate) points: Vec<DVec3>,
    pub(crate) min: DVec3,
    pub(crate) max: DVec3,
    /// For each node: whether it or an ancestor moves.
    pub(crate) moving: Vec<bool>,
    /// The clip's own floor: its node and the height of its top.
    pub(crate) floor: Option<(usize, f64)>,
}

/// The camera that frames the action by itself, over the whole clip: a
/// three-quarter view from above that has all moving bodies in the picture,
/// and the fixed ones among them. What flies far away from the rest and large
/// fixed floors and walls do not count.
///
/// # Errors
/// When the clip contradicts itself or `aspect` is not positive.
pub fn frame_clip(clip: &Clip, aspect: f64) -> Result<Camera, PictureError> {
    frame_clip_with(clip, Framing::default().with_aspect(aspect))
}

/// As [`frame_clip`], with another direction, lens or margin.
///
/// # Errors
/// When the clip contradicts itself or the framing makes no sense.
pub fn frame_clip_with(clip: &Clip, framing: Framing) -> Result<Camera, PictureError> {
    clip.validate()?;
    let action = Action::of(clip);
    match framing.points(&action.points) {
        Err(ViewError::NothingToFrame) => Ok(framing.aabb(DVec3::new(-1.0, 0.0, -1.0), DVec3::ONE)?),
        framed => Ok(framed?),
    }
}

/// One body at one time.
struct Sighting {
    node: usize,
    min: DVec3,
    max: DVec3,
    first_point: usize,
    end_point: usize,
}

impl Sighting {
    fn center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    fn size(&self) -> DVec3 {
        self.max - self.min
    }
}

impl Action {
    /// The middle of the action.
    pub(crate) fn center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    /// Half the diagonal of the action's box, metres.
    pub(crate) fn radius(&self) -> f64 {
        0.5 * (self.max - self.min).length()
    }

    /// Looks through a clip; never fails, whatever the clip holds.
    pub(crate) fn of(clip: &Clip) -> Self {
        let moving = moving_nodes(clip);
        let outlines: Vec<Vec<DVec3>> = clip.meshes.iter().map(outline).collect();
        let mut points = Vec::new();
        let mut movers = Vec::new();
        let mut statics = Vec::new();
        let looks = if moving.contains(&true) { LOOKS } else { 0 };
        let mut poses = Vec::new();
        for look in 0..=looks {
            let time = clip.duration_secs * look as f32 / looks.max(1) as f32;
            clip.world_poses(time, &mut poses);
            for (node, pose) in poses.iter().enumerate() {
                if !moving[node] && look > 0 {
                    continue;
                }
                let outline = clip.nodes[node].mesh.and_then(|mesh| outlines.get(mesh));
                let Some(sighting) = outline.and_then(|o| sight(node, &pose.as_dmat4(), o, &mut points)) else {
                    continue;
                };
                if moving[node] { movers.push(sighting) } else { statics.push(sighting) }
            }
        }
        drop_strays(&mut movers);
        let (mut chosen, mut bounds) = (Vec::new(), Box3::EMPTY);
        for mover in movers {
            bounds.add(&mover);
            chosen.push(mover);
        }
        let floor = find_floor(&statics, &bounds);
        let stage = bounds;
        for fixed in statics {
            if floor.is_none_or(|(node, _)| node != fixed.node) && belongs(&fixed, &stage) {
                bounds.add(&fixed);
                chosen.push(fixed);
            }
        }
        let points = chosen.iter().flat_map(|s| points[s.first_point..s.end_point].iter().copied()).collect();
        if bounds.is_empty() {
            let height = floor.map_or(0.0, |(_, height)| height);
            let (min, max) = (DVec3::new(-1.0, height, -1.0), DVec3::new(1.0, height + 1.0, 1.0));
            return Self { points, min, max, moving, floor };
        }
        Self { points, min: bounds.min, max: bounds.max, moving, floor }
    }
}

/// Whether each node or an ancestor of it has a track that changes anything.
fn moving_nodes(clip: &Clip) -> Vec<bool> {
    let mut moving: Vec<bool> = Vec::with_capacity(clip.nodes.len());
    for node in &clip.nodes {
        let carried = node.parent.and_then(|parent| moving.get(parent.0 as usize).copied()).unwrap_or(false);
        let own = node.track.as_ref().is_some_and(|track| {
            let changes = |a: &proscenium_clip::Key, b: &proscenium_clip::Key| {
                a.position.distance(b.position) > 1e-6
                    || a.orientation.as_dquat().dot(b.orientation.as_dquat()).abs() < 0.999_999
            };
            track.keys.first().is_some_and(|first| track.keys.iter().any(|key| changes(first, key)))
        });
        moving.push(carried || own);
    }
    moving
}

/// The outermost vertices of a mesh in 26 directions: enough to frame it, and
/// tight for a body that turns.
fn outline(mesh: &Mesh) -> Vec<DVec3> {
    let mut picked: Vec<usize> = Vec::new();
    let positions: Vec<DVec3> =
        mesh.positions.iter().map(|&[x, y, z]| DVec3::new(f64::from(x), f64::from(y), f64::from(z))).collect();
    for index in 0..27 {
        let direction = DVec3::new(f64::from(index % 3 - 1), f64::from(index / 3 % 3 - 1), f64::from(index / 9 - 1))
            .normalize_or_zero();
        let outermost =
            (0..positions.len()).max_by(|&a, &b| positions[a].dot(direction).total_cmp(&positions[b].dot(direction)));
        picked.extend(outermost);
    }
    picked.sort_unstable();
    picked.dedup();
    picked.into_iter().map(|index| positions[index]).collect()
}

fn sight(node: usize, world_from_mesh: &DMat4, outline: &[DVec3], points: &mut Vec<DVec3>) -> Option<Sighting> {
    let first_point = points.len();
    let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for &point in outline {
        let point = world_from_mesh.transform_point3(point);
        // What has left for good cannot be framed.
        if !point.is_finite() || point.abs().max_element() > 1e12 {
            points.truncate(first_point);
            return None;
        }
        points.push(point);
        min = min.min(point);
        max = max.max(point);
    }
    (!outline.is_empty()).then_some(Sighting { node, min, max, first_point, end_point: points.len() })
}

/// Removes sightings far from where most of the action is: one body that
/// flies away must not make all others specks.
fn drop_strays(movers: &mut Vec<Sighting>) {
    if movers.is_empty() {
        return;
    }
    let quantile = |values: &mut Vec<f64>, part: f64| {
        values.sort_by(f64::total_cmp);
        values[((values.len() - 1) as f64 * part) as usize]
    };
    let median = |axis: fn(DVec3) -> f64| quantile(&mut movers.iter().map(|s| axis(s.center())).collect(), 0.5);
    let middle = DVec3::new(median(|p| p.x), median(|p| p.y), median(|p| p.z));
    let distance = |s: &Sighting| s.center().distance(middle);
    let typical = quantile(&mut movers.iter().map(distance).collect(), 0.8);
    let size = quantile(&mut movers.iter().map(|s| s.size().length()).collect(), 0.5);
    let fence = (4.0 * typical).max(3.0 * size);
    movers.retain(|s| distance(s) <= fence);
}

#[derive(Clone, Copy)]
struct Box3 {
    min: DVec3,
    max: DVec3,
}

impl Box3 {
    const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    fn add(&mut self, sighting: &Sighting) {
        self.min = self.min.min(sighting.min);
        self.max = self.max.max(sighting.max);
    }

    fn is_empty(&self) -> bool {
        self.min.x > self.max.x
    }

    fn size(&self) -> DVec3 {
        self.max - self.min
    }
}

/// A fixed body whose top lies under all that moves, and which is wide enough
/// to stand for the whole ground.
fn find_floor(statics: &[Sighting], action: &Box3) -> Option<(usize, f64)> {
    let is_floor = |s: &&Sighting| {
        let size = s.size();
        let flat = size.y < 0.2 * size.x.min(size.z);
        if action.is_empty() {
            return flat && size.y < 1e-6 * size.x && statics.len() > 1 && is_widest(s, statics);
        }
        let needed = 3.0 * action.size().x.max(action.size().z);
        let slack = 0.03 * action.size().length();
        flat && size.x.min(size.z) > needed && s.max.y <= action.min.y + slack
    };
    statics.iter().filter(is_floor).max_by(|a, b| a.max.y.total_cmp(&b.max.y)).map(|s| (s.node, s.max.y))
}

fn is_widest(one: &Sighting, all: &[Sighting]) -> bool {
    all.iter().all(|s| s.node == one.node || 3.0 * s.size().length() <= one.size().length())
}

/// Whether a fixed body is part of the action: not much larger than it, and
/// not far from it.
fn belongs(fixed: &Sighting, action: &Box3) -> bool {
    if action.is_empty() {
        return true;
    }
    let reach = action.size().length();
    let near = fixed.min.cmple(action.max + reach).all() && fixed.max.cmpge(action.min - reach).all();
    near && fixed.size().length() <= 4.0 * reach
}
