//! Joints between the bodies of a world.

use std::collections::BTreeSet;

use glam::DVec3;
use proscenium_bodies::Motion;
use proscenium_bodies::contact::{Joint, JointImpulse, JointKind};

use super::{Body, BodyId, World};
use crate::LodError;

/// Stands for the ground that a body is joined to.
pub(super) const GROUND: u32 = u32::MAX;

/// A joint, in the world, where its bodies are when they are joined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WorldJoint {
    /// The second turns about a point.
    Ball {
        /// The point.
        at: DVec3,
        /// Two directions, one that moves with each body, and the largest angle
        /// between them, radians.
        swing: Option<([DVec3; 2], f64)>,
    },
    /// The second turns about an axis.
    Hinge {
        /// A point of the axis.
        at: DVec3,
        /// Where it points.
        axis: DVec3,
        /// The least and the largest angle from here, radians, within ±π.
        limits: Option<[f64; 2]>,
    },
    /// Two points keep their distance.
    Distance {
        /// A point of each body.
        ends: [DVec3; 2],
        /// The least and the largest distance, metres.
        between: [f64; 2],
    },
}

impl WorldJoint {
    fn is_sound(&self) -> bool {
        let direction = |axis: &DVec3| axis.is_finite() && axis.length() > 1e-9;
        match self {
            Self::Ball { at, swing } => {
                let sound = |(axes, most): &([DVec3; 2], f64)| axes.iter().all(direction) && (0.0..=4.0).contains(most);
                at.is_finite() && swing.as_ref().is_none_or(sound)
            }
            Self::Hinge { at, axis, limits } => {
                let within = |[least, most]: [f64; 2]| (-3.15..=0.0).contains(&least) && (0.0..=3.15).contains(&most);
                at.is_finite() && direction(axis) && limits.is_none_or(within)
            }
            Self::Distance { ends, between: [least, most] } => {
                ends.iter().all(|end| end.is_finite()) && *least >= 0.0 && least <= most && most.is_finite()
            }
        }
    }

    /// In the frames of two bodies.
    fn of(&self, bodies: [u32; 2], motions: [&Motion; 2]) -> Joint {
        let point = |of: usize, at: DVec3| motions[of].pose().inverse_transform_point(at);
        let along = |of: usize, axis: DVec3| motions[of].orientation.inverse() * axis.normalize();
        let (anchors, kind) = match *self {
            Self::Ball { at, swing } => {
                let swing = swing.map(|([one, two], most)| ([along(0, one), along(1, two)], most));
                ([point(0, at), point(1, at)], JointKind::Ball { swing })
            }
            Self::Hinge { at, axis, limits } => {
                let zero = motions[0].orientation.inverse() * motions[1].orientation;
                let limits = limits.map(|limits| (zero, limits));
                ([point(0, at), point(1, at)], JointKind::Hinge { axes: [along(0, axis), along(1, axis)], limits })
            }
            Self::Distance { ends, between } => ([point(0, ends[0]), point(1, ends[1])], JointKind::Distance(between)),
        };
        Joint { bodies, anchors, kind, impulse: JointImpulse::default() }
    }
}

/// The joints of a world, and which bodies do not collide for them.
#[derive(Clone, Debug, Default)]
pub(super) struct JointList {
    joints: Vec<Joint>,
    together: BTreeSet<(u32, u32)>,
}

impl JointList {
    /// Whether two bodies pass through each other.
    pub(super) fn are_joined(&self, a: u32, b: u32) -> bool {
        !self.together.is_empty() && self.together.contains(&(a.min(b), a.max(b)))
    }

    pub(super) fn pairs(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.joints.iter().map(|joint| joint.bodies)
    }

    /// Those that hold a body that moves.
    pub(super) fn clone_awake(&self, bodies: &[Body]) -> Vec<Joint> {
        self.joints.iter().filter(|joint| is_awake(joint, bodies)).copied().collect()
    }

    /// Keeps the impulses of those that were solved, which come in the same order.
    pub(super) fn keep_impulses(&mut self, bodies: &[Body], impulse: impl Fn(usize) -> JointImpulse) {
        for (number, joint) in self.joints.iter_mut().filter(|joint| is_awake(joint, bodies)).enumerate() {
            joint.impulse = impulse(number);
        }
    }
}

fn is_awake(joint: &Joint, bodies: &[Body]) -> bool {
    joint.bodies.iter().any(|index| *index != GROUND && bodies[*index as usize].is_awake())
}

impl World {
    /// Joins two bodies where they are now, or one to the ground. What is joined does
    /// not collide with each other: limits keep it apart.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use proscenium_bodies::{Material, Motion};
    /// use proscenium_lod::{Budget, TreeSettings, VolumeModel, World, glam::DVec3, mesh::built_in, world::WorldJoint};
    /// use proscenium_work::Progress;
    ///
    /// let settings = TreeSettings { depth: 2, ..TreeSettings::default() };
    /// let torus = VolumeModel::build("torus", &built_in("torus", 500)?, settings, &Progress::none())?;
    /// let torus = Arc::new(torus.finished().expect("nobody stops it"));
    /// let mut world = World::new();
    /// let start = Motion { position: DVec3::X, ..Motion::AT_REST };
    /// let swing = world.add(&torus, start, Material::new(700.0, 0.3, 0.5))?;
    /// world.join(swing, None, WorldJoint::Ball { at: DVec3::ZERO, swing: None })?;
    /// for frame in 1..=60 {
    ///     world.advance(f64::from(frame) / 60.0, &[], Budget::Unlimited)?;
    /// }
    /// assert!((world.motion(swing)?.position.length() - 1.0).abs() < 0.02);
    /// # Ok::<(), proscenium_lod::LodError>(())
    /// ```
    ///
    /// # Errors
    /// When there is no such body, it is joined to itself, or the joint makes no sense.
    pub fn join(&mut self, body: BodyId, to: Option<BodyId>, joint: WorldJoint) -> Result<(), LodError> {
        const STILL: &Motion = &Motion::AT_REST;
        let own = *self.motion(body)?;
        let other = to.map_or(Ok(STILL), |to| self.motion(to))?;
        if to == Some(body) || !joint.is_sound() {
            let remedy = "join two bodies at finite places, with angles from -π to 0 and from 0 to π";
            return Err(LodError::Number { what: "a joint of body", value: f64::from(body.0), remedy });
        }
        // The first is what carries: limits are those of the second seen from it.
        let made = joint.of([to.map_or(GROUND, |to| to.0), body.0], [other, &own]);
        self.joints.joints.push(made);
        if let Some(to) = to {
            self.pass_through(body, to)?;
            self.wake(to.0 as usize);
        }
        self.wake(body.0 as usize);
        Ok(())
    }

    /// Lets two bodies pass through each other.
    ///
    /// # Errors
    /// When there is no such body.
    pub fn pass_through(&mut self, a: BodyId, b: BodyId) -> Result<(), LodError> {
        self.body(a)?;
        self.body(b)?;
        self.joints.together.insert((a.0.min(b.0), a.0.max(b.0)));
        Ok(())
    }

    /// The joints that hold a body that moves.
    pub(super) fn awake_joints(&self) -> u64 {
        self.joints.joints.iter().filter(|joint| is_awake(joint, &self.bodies)).count() as u64
    }

    /// How far the ends of the joints are apart at most, metres.
    ///
    /// # Errors
    /// Never for the joints of this world.
    pub fn joint_gap(&self) -> Result<f64, LodError> {
        let mut largest = 0.0_f64;
        for joint in &self.joints.joints {
            let place = |of: usize| {
                let index = joint.bodies[of];
                let motion = if index == GROUND { Motion::AT_REST } else { *self.motion(BodyId(index))? };
                Ok::<DVec3, LodError>(motion.pose().transform_point(joint.anchors[of]))
            };
            let apart = place(0)?.distance(place(1)?);
            largest = largest.max(match joint.kind {
                JointKind::Distance([least, most]) => (least - apart).max(apart - most).max(0.0),
                JointKind::Ball { .. } | JointKind::Hinge { .. } => apart,
            });
        }
        Ok(largest)
    }
}
