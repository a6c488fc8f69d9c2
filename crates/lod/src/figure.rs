//! Articulated figures (section 4.1.3): a tree for each segment, collisions
//! between figures, with others and within one, and figures as bodies of a world.

mod bodies;

use std::sync::Arc;

use glam::{DQuat, DVec3};
use proscenium_geometry::Pose;

use crate::LodError;
use crate::contact::{Contact, PlacedPair, Reduction, reduce};
use crate::tree::{Volume, VolumeModel};

/// A segment of a figure: a rigid part that hangs on another by a joint.
#[derive(Clone, Debug)]
pub struct Segment {
    /// What it is called.
    pub name: String,
    /// The segment that it hangs on, an earlier one; `None` for the first.
    pub parent: Option<usize>,
    /// Where its joint is, in the frame of the parent.
    pub joint: DVec3,
    /// From the joint along the core of the segment, in its own frame: the axis
    /// that the angle rule looks at.
    pub axis: DVec3,
    /// Its volume, in its own frame: a line swept by a sphere, for most.
    pub volume: Volume,
    /// A tree for more detail, and where it is in the frame of the segment.
    pub detail: Option<(Arc<VolumeModel>, Pose)>,
    /// The angle to the parent's axis, radians, below which the two neighbours
    /// count as colliding: θᶜ of figure 4.8.
    pub least_angle: f64,
    /// As a body it turns about this axis alone, in the frame of the parent, by
    /// angles from the rest pose, radians; without, about its joint.
    pub hinge: Option<(DVec3, [f64; 2])>,
}

/// A figure of segments. Joints turn; segments stay rigid.
///
/// ```
/// use proscenium_lod::figure::Figure;
/// use proscenium_lod::glam::DQuat;
///
/// // An arm of two segments.
/// let mut arm = Figure::chain(&[0.3, 0.3], 0.05)?;
/// assert!(arm.self_contacts().is_empty());
/// // Folded back onto itself.
/// arm.turn(1, DQuat::from_rotation_z(3.0))?;
/// assert!(!arm.self_contacts().is_empty());
/// # Ok::<(), proscenium_lod::LodError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Figure {
    segments: Vec<Segment>,
    turns: Vec<DQuat>,
    root: Pose,
    poses: Vec<Pose>,
    /// A sphere about the first joint that holds the figure however it bends.
    reach: f64,
}

/// Two segments that touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentContact {
    /// The segment of the first figure.
    pub a: usize,
    /// The segment of the second.
    pub b: usize,
    /// Where, in the world, with the normal from the first to the second.
    pub contact: Contact,
}

impl Figure {
    /// A figure in its rest pose, all joints straight.
    ///
    /// # Errors
    /// When a segment hangs on a later one, or a number is not finite.
    pub fn new(segments: Vec<Segment>) -> Result<Self, LodError> {
        for (index, segment) in segments.iter().enumerate() {
            let finite = segment.joint.is_finite() && segment.axis.is_finite() && segment.volume.reach().is_finite();
            let hinged = segment.hinge.is_none_or(|(axis, limits)| {
                axis.is_finite()
                    && axis.length() > 1e-9
                    && limits[0] <= limits[1]
                    && limits.iter().all(|x| x.is_finite())
            });
            let ordered =
                segment.parent.is_none_or(|parent| parent < index) && (index == 0) == segment.parent.is_none();
            if !finite || !hinged || !ordered || !segment.least_angle.is_finite() {
                let remedy = "give finite numbers, and let each segment but the first hang on an earlier one";
                return Err(LodError::Number { what: "a segment's parent", value: index as f64, remedy });
            }
        }
        if segments.is_empty() {
            return Err(LodError::Number { what: "the number of segments", value: 0.0, remedy: "give at least one" });
        }
        let turns = vec![DQuat::IDENTITY; segments.len()];
        let mut figure = Self { segments, turns, root: Pose::IDENTITY, poses: Vec::new(), reach: 0.0 };
        figure.reach = figure.farthest();
        figure.place();
        Ok(figure)
    }

    /// A chain of swept lines along x, as long as these, each hanging on the
    /// one before.
    ///
    /// # Errors
    /// When a length or the radius is not positive.
    pub fn chain(lengths: &[f64], radius: f64) -> Result<Self, LodError> {
        crate::error::positive("the radius of a segment", radius)?;
        let mut segments: Vec<Segment> = Vec::new();
        for (index, &length) in lengths.iter().enumerate() {
            crate::error::positive("the length of a segment", length)?;
            let before = index.checked_sub(1).map_or(0.0, |before| lengths[before]);
            segments.push(Segment {
                name: format!("segment {index}"),
                parent: index.checked_sub(1),
                joint: before * DVec3::X,
                axis: length * DVec3::X,
                volume: Volume::line(DVec3::ZERO, length * DVec3::X, radius),
                detail: None,
                least_angle: 0.5,
                hinge: None,
            });
        }
        Self::new(segments)
    }

    /// The segments.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Where each segment is in the world.
    pub fn poses(&self) -> &[Pose] {
        &self.poses
    }

    /// Moves the whole figure.
    pub fn stand(&mut self, root: Pose) {
        self.root = root;
        self.place();
    }

    /// Turns a joint: the orientation of a segment in the frame of its parent.
    ///
    /// # Errors
    /// When there is no such segment, or the turn is no rotation.
    pub fn turn(&mut self, segment: usize, turn: DQuat) -> Result<(), LodError> {
        if segment >= self.segments.len() || !turn.is_finite() || turn.length() < 1e-6 {
            let remedy = "give the number of a segment, and a rotation";
            return Err(LodError::Number { what: "the segment to turn", value: segment as f64, remedy });
        }
        self.turns[segment] = turn.normalize();
        self.place();
        Ok(())
    }

    /// The transformation hierarchy, from the root down.
    fn place(&mut self) {
        self.poses.clear();
        for (segment, turn) in self.segments.iter().zip(&self.turns) {
            let parent = segment.parent.map_or(self.root, |parent| self.poses[parent]);
            self.poses.push(parent * Pose::new(segment.joint, *turn));
        }
    }

    /// How far the figure can reach from its first joint, however it bends: the
    /// worst case, so that the root volume never has to be computed again.
    fn farthest(&self) -> f64 {
        let mut joints: Vec<f64> = Vec::new();
        let mut farthest = 0.0_f64;
        for segment in &self.segments {
            let start = segment.parent.map_or(0.0, |parent| joints[parent]) + segment.joint.length();
            joints.push(start);
            farthest = farthest.max(start + segment.volume.center.length() + segment.volume.reach());
        }
        farthest
    }

    fn volume(&self, segment: usize) -> Volume {
        self.segments[segment].volume.placed(&self.poses[segment])
    }

    /// Where segments of two figures touch.
    pub fn contacts(&self, other: &Figure) -> Vec<SegmentContact> {
        if self.root.translation.distance(other.root.translation) > self.reach + other.reach {
            return Vec::new();
        }
        let pairs = (0..self.segments.len()).flat_map(|a| (0..other.segments.len()).map(move |b| (a, b)));
        pairs.filter_map(|(a, b)| touching(self, a, other, b)).collect()
    }

    /// Where a figure touches itself. Neighbours overlap at their joint by
    /// design: they collide if the angle between their axes falls below the
    /// least angle (figure 4.8). All others are free bodies to each other.
    pub fn self_contacts(&self) -> Vec<SegmentContact> {
        let mut contacts = Vec::new();
        for a in 0..self.segments.len() {
            for b in a + 1..self.segments.len() {
                if self.segments[b].parent == Some(a) {
                    contacts.extend(self.folded(a, b));
                } else if self.are_siblings(a, b) {
                    contacts.extend(self.folded_siblings(a, b));
                } else {
                    contacts.extend(touching(self, a, self, b));
                }
            }
        }
        contacts
    }

    /// Whether two segments hang on the same place of the same parent.
    fn are_siblings(&self, a: usize, b: usize) -> bool {
        let (first, second) = (&self.segments[a], &self.segments[b]);
        let room = first.volume.radius + second.volume.radius;
        first.parent.is_some() && first.parent == second.parent && first.joint.distance(second.joint) < room
    }

    /// The contact of neighbours, if the joint is folded too far. The parent's
    /// core is looked at from the joint: towards its middle.
    fn folded(&self, parent: usize, child: usize) -> Option<SegmentContact> {
        let back = self.volume(parent).center - self.poses[child].translation;
        self.folded_axes(parent, back, child)
    }

    fn folded_siblings(&self, a: usize, b: usize) -> Option<SegmentContact> {
        let axis = self.poses[a].rotation * self.segments[a].axis;
        self.folded_axes(a, axis, b)
    }

    fn folded_axes(&self, a: usize, axis_a: DVec3, b: usize) -> Option<SegmentContact> {
        let axis_b = self.poses[b].rotation * self.segments[b].axis;
        let angle = libm::atan2(axis_a.cross(axis_b).length(), axis_a.dot(axis_b));
        if angle >= self.segments[b].least_angle {
            return None;
        }
        let joint = self.poses[b].translation;
        // At the same distance from the joint on both, so that the normal is across the
        // angle between them.
        let length = axis_a.length().min(axis_b.length());
        let end = |axis: DVec3| joint + length * axis.normalize_or_zero();
        let (end_a, end_b) = (end(axis_a), end(axis_b));
        let across = axis_b.any_orthogonal_vector().normalize_or(DVec3::X);
        let normal = (end_b - end_a).try_normalize().unwrap_or(across);
        let room = self.segments[a].volume.radius + self.segments[b].volume.radius;
        let depth = (room - end_a.distance(end_b)).max(0.0);
        let contact = Contact { point: 0.5 * (end_a + end_b), normal, depth, interpenetration: 1.0 };
        Some(SegmentContact { a, b, contact })
    }

    /// Where a figure touches a body of the world.
    pub fn contacts_with(&self, model: &VolumeModel, pose: &Pose, level: u32) -> Vec<SegmentContact> {
        let near = self.root.translation.distance(pose.translation) <= self.reach + model.radius();
        let mut contacts = Vec::new();
        for segment in (0..self.segments.len()).filter(|_| near) {
            let own = self.volume(segment);
            if own.center.distance(pose.translation) > own.reach() + model.radius() {
                continue;
            }
            let touch = match &self.segments[segment].detail {
                Some((detail, place)) => {
                    let pair = PlacedPair::new(detail, &(self.poses[segment] * *place), model, pose);
                    weighted(&pair.primitives_at(level))
                }
                None => volume_against(&own, model, pose, level),
            };
            contacts.extend(touch.map(|contact| SegmentContact { a: segment, b: 0, contact }));
        }
        contacts
    }
}

/// Two segments of one or two figures: their volumes first, and trees where
/// both have one.
fn touching(figure: &Figure, a: usize, other: &Figure, b: usize) -> Option<SegmentContact> {
    let (one, two) = (figure.volume(a), other.volume(b));
    let model = crate::contact::pair_model(one.kind, two.kind);
    if !(model.meet)(&one, &two) {
        return None;
    }
    if let (Some((first, place_a)), Some((second, place_b))) = (&figure.segments[a].detail, &other.segments[b].detail) {
        let level = first.depth().min(second.depth());
        let pair = PlacedPair::new(first, &(figure.poses[a] * *place_a), second, &(other.poses[b] * *place_b));
        return weighted(&pair.primitives_at(level)).map(|contact| SegmentContact { a, b, contact });
    }
    let touch = (model.touch)(&one, &two);
    let contact = Contact {
        point: touch.point,
        normal: touch.normal,
        depth: touch.depth,
        interpenetration: touch.interpenetration,
    };
    Some(SegmentContact { a, b, contact })
}

fn weighted(primitives: &[crate::contact::Primitive]) -> Option<Contact> {
    let mut contacts = Vec::new();
    reduce(Reduction::Weighted, primitives, &mut contacts);
    contacts.first().copied()
}

/// A volume against the nodes of a level, down the tree.
fn volume_against(own: &Volume, model: &VolumeModel, pose: &Pose, level: u32) -> Option<Contact> {
    let mut open = vec![0_usize];
    let mut deepest: Option<Contact> = None;
    while let Some(index) = open.pop() {
        let node = &model.nodes()[index];
        let volume = node.volume.placed(pose);
        let pair = crate::contact::pair_model(own.kind, volume.kind);
        if !(pair.meet)(own, &volume) {
            continue;
        }
        if node.level < level && !node.is_leaf() {
            open.extend(node.children());
            continue;
        }
        let touch = (pair.touch)(own, &volume);
        if deepest.is_none_or(|best| touch.interpenetration > best.interpenetration) {
            let (point, normal, depth) = (touch.point, touch.normal, touch.depth);
            deepest = Some(Contact { point, normal, depth, interpenetration: touch.interpenetration });
        }
    }
    deepest
}

/// The axis and the limits of a hinge.
type Bend = Option<(DVec3, [f64; 2])>;

/// A person of swept lines, about 1.8 m tall, standing on the origin.
///
/// ```
/// let person = proscenium_lod::figure::person()?;
/// assert!(person.self_contacts().is_empty(), "at ease");
/// # Ok::<(), proscenium_lod::LodError>(())
/// ```
///
/// # Errors
/// Never.
pub fn person() -> Result<Figure, LodError> {
    let mut segments: Vec<Segment> = Vec::new();
    let mut add = |name: &str, parent: Option<usize>, joint: DVec3, axis: DVec3, radius: f64, hinge: Bend| {
        // The ends of a core lie inside the joints, so that neighbours overlap
        // there and nowhere else.
        let volume = Volume::line(DVec3::ZERO, axis, radius);
        let least_angle = if parent == Some(0) { 0.12 } else { 0.4 };
        let name = name.to_owned();
        segments.push(Segment { name, parent, joint, axis, volume, detail: None, least_angle, hinge });
        segments.len() - 1
    };
    let torso = add("torso", None, DVec3::new(0.0, 0.95, 0.0), 0.45 * DVec3::Y, 0.14, None);
    add("head", Some(torso), DVec3::new(0.0, 0.62, 0.0), 0.14 * DVec3::Y, 0.1, None);
    for (side, sign) in [("left", 1.0), ("right", -1.0)] {
        let shoulder = DVec3::new(0.24 * sign, 0.46, 0.0);
        let out = DVec3::new(0.25 * sign, -0.95, 0.0).normalize();
        let upper = add(&format!("{side} upper arm"), Some(torso), shoulder, 0.28 * out, 0.05, None);
        // Elbows bend forward and knees back.
        let elbow = Some((out.cross(DVec3::Z), [-0.1, 2.5]));
        let lower = add(&format!("{side} forearm"), Some(upper), 0.28 * out, 0.26 * out, 0.04, elbow);
        add(&format!("{side} hand"), Some(lower), 0.26 * out, 0.12 * out, 0.035, None);
        let hip = DVec3::new(0.12 * sign, -0.05, 0.0);
        let thigh = add(&format!("{side} thigh"), Some(torso), hip, 0.42 * DVec3::NEG_Y, 0.08, None);
        let down = DVec3::NEG_Y;
        let knee = Some((down.cross(DVec3::NEG_Z), [-0.05, 2.4]));
        let shin = add(&format!("{side} shin"), Some(thigh), 0.42 * down, 0.4 * down, 0.06, knee);
        add(&format!("{side} foot"), Some(shin), 0.4 * down, 0.16 * DVec3::Z, 0.04, None);
    }
    Figure::new(segments)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::built_in;
    use crate::tree::{TreeKind, TreeSettings};
    use proscenium_work::Progress;

    fn segment(figure: &Figure, name: &str) -> usize {
        figure.segments.iter().position(|segment| segment.name == name).unwrap()
    }

    fn names(figure: &Figure) -> Vec<(String, String)> {
        let name = |index: usize| figure.segments[index].name.clone();
        figure.self_contacts().iter().map(|contact| (name(contact.a), name(contact.b))).collect()
    }

    #[test]
    fn a_relaxed_figure_does_not_touch_itself() {
        let mut person = person().unwrap();
        assert_eq!(names(&person), [], "standing");
        // A walk: arms and legs swing, knees and elbows bend.
        for step in 0..40 {
            let swing = 0.5 * libm::sin(0.3 * f64::from(step));
            for (name, angle) in [
                ("left thigh", swing),
                ("right thigh", -swing),
                ("left shin", 0.4 - 0.4 * swing),
                ("right shin", 0.4 + 0.4 * swing),
                ("left upper arm", -swing),
                ("right upper arm", swing),
                ("left forearm", -0.5),
            ] {
                let index = segment(&person, name);
                person.turn(index, DQuat::from_rotation_x(angle)).unwrap();
            }
            assert_eq!(names(&person), [], "step {step}");
        }
    }

    #[test]
    fn a_figure_folded_on_itself_is_caught() {
        let mut person = person().unwrap();
        let elbow = segment(&person, "left forearm");
        person.turn(elbow, DQuat::from_rotation_z(2.9)).unwrap();
        let expected = ("left upper arm".to_owned(), "left forearm".to_owned());
        assert!(names(&person).contains(&expected), "the angle rule: {:?}", names(&person));
        // Half the upper arm was once compared with the whole forearm, and the normal was
        // along both.
        let contact = person.folded(segment(&person, "left upper arm"), elbow).unwrap().contact;
        let back = person.volume(segment(&person, "left upper arm")).center - person.poses[elbow].translation;
        let forearm = person.poses[elbow].rotation * person.segments[elbow].axis;
        let between = back.normalize() + forearm.normalize();
        assert!(contact.normal.dot(between.normalize()).abs() < 1e-9, "{}", contact.normal);
        // A hand through the other arm, which are no neighbours.
        let mut person = super::person().unwrap();
        let shoulder = segment(&person, "left upper arm");
        person.turn(shoulder, DQuat::from_rotation_z(-1.2)).unwrap();
        assert!(names(&person).iter().any(|(a, _)| a == "torso"), "an arm in the body: {:?}", names(&person));
    }

    #[test]
    fn figures_meet_each_other_and_the_world() {
        let one = person().unwrap();
        let mut two = person().unwrap();
        two.stand(Pose::from_translation(DVec3::new(2.5, 0.0, 0.0)));
        assert!(one.contacts(&two).is_empty());
        two.stand(Pose::from_translation(DVec3::new(0.86, 0.0, 0.0)));
        let contacts = one.contacts(&two);
        assert!(!contacts.is_empty());
        assert!(contacts.iter().all(|contact| contact.contact.normal.x > 0.0));
        let settings = TreeSettings { kind: TreeKind::Adaptive, depth: 4 };
        let torus = VolumeModel::build("torus", &built_in("torus", 1000).unwrap(), settings, &Progress::none())
            .unwrap()
            .finished()
            .unwrap();
        // A ring around the waist, lying flat, touches nothing but the hanging arms.
        let lying = |height: f64| Pose::new(DVec3::new(0.0, height, 0.0), torus.mesh_from_model().rotation);
        let name = |contact: &SegmentContact| one.segments[contact.a].name.clone();
        let around: Vec<String> = one.contacts_with(&torus, &lying(0.6), 4).iter().map(name).collect();
        assert!(!around.iter().any(|name| name.contains("thigh") || name == "torso"), "{around:?}");
        let shoved = Pose::new(DVec3::new(0.72, 1.2, 0.0), torus.mesh_from_model().rotation);
        assert!(one.contacts_with(&torus, &shoved, 4).iter().any(|contact| name(contact) == "torso"));
        assert!(one.contacts_with(&torus, &lying(9.0), 4).is_empty());
    }

    #[test]
    fn figures_that_make_no_sense_are_refused() {
        assert!(Figure::new(Vec::new()).is_err());
        assert!(Figure::chain(&[0.3, -1.0], 0.1).is_err());
        let mut chain = Figure::chain(&[0.3, 0.3, 0.3], 0.05).unwrap();
        assert!(chain.turn(9, DQuat::IDENTITY).is_err());
        // A chain rolled up: the ends meet, which are no neighbours.
        (1..3).for_each(|joint| chain.turn(joint, DQuat::from_rotation_z(2.1)).unwrap());
        let contacts = chain.self_contacts();
        assert!(contacts.iter().any(|contact| (contact.a, contact.b) == (0, 2)), "{contacts:?}");
    }
}
