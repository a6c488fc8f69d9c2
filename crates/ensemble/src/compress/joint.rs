//! What of the error each group and each joint may take.

use proscenium_work::{Progress, Stopped};

use crate::data::Ensemble;
use crate::frame::{Frame, wide};

/// The share of the error that all joints between a group and its root may take
/// together. Chosen: there are many groups that others hang on none of, and a coarser fit
/// saves more in them than finer anchors cost.
const SHARE_OF_JOINTS: f64 = 0.3;

/// A group that hangs on another, as this one sees it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Joint {
    /// What hangs there.
    pub child: usize,
    /// Which vertices its frame follows.
    pub anchor: [u32; 3],
    /// How far from its frame anything is that hangs there, however all of it is mixed,
    /// metres.
    pub reach: f64,
    /// How far the joint may move that, metres.
    pub within: f64,
}

impl Joint {
    /// How far what hangs here moves at most if its frame follows some corners in place
    /// of others.
    pub fn moved(&self, corners: [[f32; 3]; 3], others: [[f32; 3]; 3]) -> f64 {
        let (one, other) = (Frame::of_anchor(corners), Frame::of_anchor(others));
        let apart = wide(one.origin).distance(wide(other.origin));
        let axes = one.axes.iter().flatten().zip(other.axes.iter().flatten());
        let squares: f64 = axes.map(|(&a, &b)| (f64::from(a) - f64::from(b)) * (f64::from(a) - f64::from(b))).sum();
        // The difference of two rotations turns about one axis and stretches two
        // directions alike: that much is half of all squares.
        apart + self.reach * (0.5 * squares).sqrt()
    }
}

/// How far each group is from its own frame, and where the frames are that follow it.
pub(super) struct Extents {
    /// The farthest vertex, metres.
    own: f64,
    /// How far the origins of its children's frames are, metres.
    origins: Vec<(usize, f64)>,
}

/// Where the frame of a group is at a moment of the data.
pub(super) fn frame_of(ensemble: &Ensemble, group: usize, positions: &[[f32; 3]]) -> Frame {
    match ensemble.groups()[group].attachment {
        None => Frame::WORLD,
        Some(attachment) => {
            let first = ensemble.vertices_of(attachment.parent).start;
            Frame::of_anchor(attachment.anchor.map(|vertex| positions[first + vertex as usize]))
        }
    }
}

impl Extents {
    pub fn of(ensemble: &Ensemble, group: usize, progress: &Progress) -> Result<Self, Stopped> {
        let children = children(ensemble, group);
        let mut extents = Extents { own: 0.0, origins: children.map(|(child, _)| (child, 0.0)).collect() };
        for moment in ensemble.moments() {
            progress.check()?;
            let positions = ensemble.positions_at(moment);
            let frame = frame_of(ensemble, group, positions);
            for &point in &positions[ensemble.vertices_of(group)] {
                extents.own = extents.own.max(wide(frame.to_group(point)).length());
            }
            for (child, away) in &mut extents.origins {
                let origin = frame_of(ensemble, *child, positions).origin;
                *away = away.max(wide(frame.to_group(origin)).length());
            }
        }
        Ok(extents)
    }
}

/// What hangs on a group, and on which of its vertices.
fn children(ensemble: &Ensemble, group: usize) -> impl Iterator<Item = (usize, [u32; 3])> {
    let attached = ensemble.groups().iter().map(|child| child.attachment).enumerate();
    attached.filter_map(move |(child, attachment)| {
        attachment.filter(|attachment| attachment.parent == group).map(|attachment| (child, attachment.anchor))
    })
}

/// What of the error each group and each joint may take: along every way from a root
/// they sum up to no more than all of it.
pub(super) struct Budgets {
    within: Vec<f64>,
    joints: Vec<Vec<Joint>>,
}

impl Budgets {
    pub fn new(ensemble: &Ensemble, extents: &[Extents], error: f64) -> Self {
        let count = ensemble.groups().len();
        let parent = |group: usize| ensemble.groups()[group].attachment.map(|attachment| attachment.parent);
        // How many joints are above each group, and below it at most.
        let (mut above, mut below, mut reach) = (vec![0_u32; count], vec![0_u32; count], vec![0.0_f64; count]);
        for &group in ensemble.order() {
            above[group] = parent(group).map_or(0, |parent| above[parent] + 1);
        }
        for &group in ensemble.order().iter().rev() {
            let hanging = extents[group].origins.iter().map(|&(child, away)| away + reach[child]);
            reach[group] = hanging.fold(extents[group].own, f64::max);
            if let Some(parent) = parent(group) {
                below[parent] = below[parent].max(below[group] + 1);
            }
        }
        // The longest way through each group's tree.
        let mut longest = below;
        for &group in ensemble.order() {
            if let Some(parent) = parent(group) {
                longest[group] = longest[parent];
            }
        }
        let share = |group: usize| SHARE_OF_JOINTS * error / f64::from(longest[group].max(1));
        let joints = |group: usize| {
            let joint = |(child, anchor)| Joint { child, anchor, reach: reach[child] + error, within: share(child) };
            children(ensemble, group).map(joint).collect()
        };
        Budgets {
            within: (0..count).map(|group| error - f64::from(above[group]) * share(group)).collect(),
            joints: (0..count).map(joints).collect(),
        }
    }

    /// How far the vertices of a group may be off in its own frame.
    pub fn within(&self, group: usize) -> f64 {
        self.within[group]
    }

    /// What hangs on a group.
    pub fn joints(&self, group: usize) -> &[Joint] {
        &self.joints[group]
    }
}
