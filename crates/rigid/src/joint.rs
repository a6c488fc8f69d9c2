//! Joints, as they are described.

use proscenium_bodies::contact::{Joint, JointImpulse, JointKind};
use proscenium_bodies::glam::DVec3;

use crate::body::{Body, BodyId};

/// A joint to be added to a world: what two bodies, or a body and the world, may not do to each
/// other. Bodies that a joint holds together do not collide with each other.
///
/// ```
/// use proscenium_rigid::{BodyDef, JointDef, Material, World, geometry::{Pose, Shape}, glam::DVec3};
///
/// let mut builder = World::builder().gravity(DVec3::new(0.0, -9.81, 0.0));
/// let wood = builder.material(Material::new(700.0, 0.4, 0.3));
/// let rod = Shape::cuboid(DVec3::new(0.5, 0.05, 0.05), 0.0)?;
/// let rod = builder.body(BodyDef::moving("rod", rod, wood).at(Pose::from_translation(0.5 * DVec3::X)));
/// builder.joint(JointDef::hinge("pivot", rod, None, DVec3::ZERO, DVec3::Z));
/// let mut world = builder.build()?;
/// let before = world.energy();
/// world.advance(2.0)?;
/// let off = world.pose(rod).unwrap().translation.length() - 0.5;
/// assert!(off.abs() < 1e-6, "between two steps a rod flies, by {off} m off its hinge");
/// assert!((world.energy() - before).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct JointDef {
    /// For messages.
    pub name: String,
    /// What it holds.
    pub body: BodyId,
    /// What it holds it to; `None` for the world.
    pub to: Option<BodyId>,
    /// Where, at the start, in the world.
    pub at: DVec3,
    /// What it lets them do.
    pub kind: JointDefKind,
    /// How strongly it resists turning, N m s: the torque per difference of spins.
    pub damping: f64,
}

/// What a joint lets two bodies do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointDefKind {
    /// Turn about a common point.
    Ball {
        /// How far this axis of the body may swing from where it is at the start, radians.
        swing: Option<(DVec3, f64)>,
    },
    /// Turn about a common axis.
    Hinge {
        /// Its direction in the world, of any length.
        axis: DVec3,
        /// The least and the largest angle of the body from where it is at the start,
        /// counter-clockwise seen against the axis, radians; within ±π.
        limits: Option<[f64; 2]>,
    },
    /// Keep its point at a distance from another point.
    Distance {
        /// A point of what it is held to, at the start, in the world.
        far: DVec3,
        /// The least and the largest distance; `None` for what it is at the start.
        range: Option<[f64; 2]>,
    },
}

impl JointDef {
    /// A body that turns about a point of another or of the world.
    pub fn ball(name: impl Into<String>, body: BodyId, to: Option<BodyId>, at: DVec3) -> Self {
        Self { name: name.into(), body, to, at, kind: JointDefKind::Ball { swing: None }, damping: 0.0 }
    }

    /// A body that turns about an axis through a point.
    pub fn hinge(name: impl Into<String>, body: BodyId, to: Option<BodyId>, at: DVec3, axis: DVec3) -> Self {
        Self { kind: JointDefKind::Hinge { axis, limits: None }, ..Self::ball(name, body, to, at) }
    }

    /// A point of a body that keeps its distance from another point.
    pub fn rod(name: impl Into<String>, body: BodyId, to: Option<BodyId>, at: DVec3, far: DVec3) -> Self {
        Self { kind: JointDefKind::Distance { far, range: None }, ..Self::ball(name, body, to, at) }
    }

    /// A point of a body that comes no farther from another point than this.
    pub fn rope(name: impl Into<String>, body: BodyId, to: Option<BodyId>, [at, far]: [DVec3; 2], most: f64) -> Self {
        Self { kind: JointDefKind::Distance { far, range: Some([0.0, most]) }, ..Self::ball(name, body, to, at) }
    }

    /// Lets a hinge turn no farther than this: radians from where it is at the start.
    #[must_use]
    pub fn within(mut self, least: f64, most: f64) -> Self {
        if let JointDefKind::Hinge { limits, .. } = &mut self.kind {
            *limits = Some([least, most]);
        }
        self
    }

    /// Lets it resist turning, N m s.
    #[must_use]
    pub fn damped(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }

    /// What is wrong with it by itself.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let finite = |ends: &[f64; 2]| ends.iter().all(|end| end.is_finite());
        if !self.at.is_finite() {
            return Some("its place is not finite");
        }
        if !(self.damping.is_finite() && self.damping >= 0.0) {
            return Some("its damping is negative or not finite");
        }
        let direction = |axis: &DVec3| axis.is_finite() && axis.length() > 0.0;
        match &self.kind {
            JointDefKind::Ball { swing: Some((axis, _)) } | JointDefKind::Hinge { axis, .. } if !direction(axis) => {
                Some("its axis has no direction")
            }
            JointDefKind::Ball { swing: Some((_, most)) } if !(*most > 0.0 && *most <= std::f64::consts::PI) => {
                Some("it may swing by more than 0 and up to half a turn")
            }
            JointDefKind::Hinge { limits: Some(ends), .. }
                if !(finite(ends)
                    && ends[0] < ends[1]
                    && -std::f64::consts::PI < ends[0]
                    && ends[1] < std::f64::consts::PI) =>
            {
                Some("its limits must lie within half a turn to either side, the least first")
            }
            JointDefKind::Hinge { limits: Some([least, most]), .. } if *least > 0.0 || *most < 0.0 => {
                Some("it starts beyond its limits, which are from where it is at the start")
            }
            JointDefKind::Distance { .. } if self.damping > 0.0 => Some("a distance has no turning to damp"),
            JointDefKind::Distance { far, range } => self.fault_of_range(*far, range.as_ref()),
            _ => None,
        }
    }

    fn fault_of_range(&self, far: DVec3, range: Option<&[f64; 2]>) -> Option<&'static str> {
        let apart = far.distance(self.at);
        match range {
            _ if !far.is_finite() => Some("its far point is not finite"),
            None if apart <= 0.0 => Some("its two points coincide: a ball holds those together"),
            Some([least, most]) if !(*least >= 0.0 && least < most && most.is_finite()) => {
                Some("its distances must be finite, not negative, the least first")
            }
            Some([least, most]) if apart < least * (1.0 - 1e-9) || apart > most * (1.0 + 1e-9) => {
                Some("its points are not within the distances at the start")
            }
            _ => None,
        }
    }
}

/// The second body of a joint with the world.
pub(crate) const WORLD: u32 = u32::MAX;

/// A joint of a world.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WorldJoint {
    /// What holds, which may be the [`WORLD`], and what is held.
    pub bodies: [u32; 2],
    pub anchors: [DVec3; 2],
    pub kind: JointKind,
    pub damping: f64,
}

impl WorldJoint {
    /// The joint of two bodies that are where they start.
    pub(crate) fn new(def: &JointDef, bodies: &[Body]) -> Self {
        let pose = |body: &Body| body.flight.pose(body.start);
        let own = pose(&bodies[def.body.index()]);
        let holder = def.to.map_or(proscenium_geometry::Pose::IDENTITY, |to| pose(&bodies[to.index()]));
        let in_each = |direction: DVec3| {
            let direction = direction.normalize();
            [holder.rotation.inverse() * direction, own.rotation.inverse() * direction]
        };
        let zero = holder.rotation.inverse() * own.rotation;
        let (kind, far) = match def.kind {
            JointDefKind::Ball { swing } => {
                (JointKind::Ball { swing: swing.map(|(axis, most)| (in_each(axis), most)) }, def.at)
            }
            JointDefKind::Hinge { axis, limits } => {
                (JointKind::Hinge { axes: in_each(axis), limits: limits.map(|limits| (zero, limits)) }, def.at)
            }
            JointDefKind::Distance { far, range } => {
                let apart = far.distance(def.at);
                (JointKind::Distance(range.unwrap_or([apart; 2])), far)
            }
        };
        Self {
            bodies: [def.to.map_or(WORLD, |to| to.0), def.body.0],
            anchors: [holder.inverse_transform_point(far), own.inverse_transform_point(def.at)],
            kind,
            damping: def.damping,
        }
    }

    /// The body on the other side.
    pub(crate) fn other(&self, body: u32) -> u32 {
        if self.bodies[0] == body { self.bodies[1] } else { self.bodies[0] }
    }

    /// As solvers know it, with bodies by their places in a list.
    pub(crate) fn between(&self, bodies: [u32; 2]) -> Joint {
        Joint { bodies, anchors: self.anchors, kind: self.kind, impulse: JointImpulse::default() }
    }
}
