//! Joints of a drawn scene.

use std::collections::BTreeSet;

use glam::DVec3;
use proscenium_rigid::{BodyId, JointDef, JointDefKind, WorldBuilder};

use crate::drawn::{DrawnScene, PlacedBody};
use crate::plan::{JointKindPlan, JointPlan, Values};

/// Adds the joints whose bodies take part.
pub(crate) fn add(drawn: &DrawnScene, placed: &[PlacedBody], ids: &[BodyId], builder: &mut WorldBuilder) {
    for joint in &drawn.plan().joints {
        for place in joint.held.clone() {
            let takes_part = |place: &usize| placed.get(*place).is_some_and(|body| !body.absent);
            if takes_part(&place) && joint.to.as_ref().is_none_or(takes_part) {
                builder.joint(def(drawn, joint, place, placed, ids));
            }
        }
    }
}

fn def(drawn: &DrawnScene, joint: &JointPlan, place: usize, placed: &[PlacedBody], ids: &[BodyId]) -> JointDef {
    let values = Values { all: drawn.all(), first: joint.first };
    let body = &placed[place];
    // The joints of copies are as far from each other as the copies are.
    let copies = &drawn.plan().bodies[body.plan].copies;
    let offset = if joint.held.len() > 1 { copies.offset(body.copy) } else { DVec3::ZERO };
    let point = |quantities| values.vector(quantities) + offset;
    let at = joint.at.as_ref().map_or(body.def.pose.translation, point);
    let kind = match &joint.kind {
        JointKindPlan::Ball { swing } => JointDefKind::Ball {
            swing: swing.as_ref().map(|(axis, most)| (values.vector(axis), values.number(*most).to_radians())),
        },
        JointKindPlan::Hinge { axis, degrees } => JointDefKind::Hinge {
            axis: values.vector(axis),
            limits: degrees.map(|ends| ends.map(|end| values.number(end).to_radians())),
        },
        JointKindPlan::Rod { far } => JointDefKind::Distance { far: point(far), range: None },
        JointKindPlan::Rope { far, length } => {
            let far = point(far);
            let most = length.map_or(far.distance(at), |length| values.number(length));
            JointDefKind::Distance { far, range: Some([0.0, most]) }
        }
    };
    let damping = values.number(joint.damping);
    JointDef { name: joint.name.clone(), body: ids[place], to: joint.to.map(|to| ids[to]), at, kind, damping }
}

/// The bodies that joints hold together, which may overlap, by their places.
pub(crate) fn joined(builder: &WorldBuilder) -> BTreeSet<(usize, usize)> {
    let both = builder.joints().iter().filter_map(|joint| Some((joint.body.index(), joint.to?.index())));
    both.map(|(a, b)| (a.min(b), a.max(b))).collect()
}
