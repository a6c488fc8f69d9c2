//! Joints: what two bodies may not do to each other at a place, at any time.
//!
//! A joint is a few constraints, each a number that should be zero, at least zero
//! or at most zero, and how it changes with the velocities. Velocity rounds keep the
//! numbers where they may be; position rounds bring back what drifted. Limits are
//! like contacts: what is left of the room may be used within the step, no more.

use glam::{DQuat, DVec3};

use super::ContactBody;
use crate::Motion;

/// The share of what is wrong that a position round takes out; chosen: joints have
/// no slop, and what is joined is not seen to jump.
const SHARE: f64 = 0.8;

/// The most constraints of a joint: a hinge with both limits.
const MOST: usize = 7;

/// What a joint lets two bodies do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// Turn about a common point.
    Ball {
        /// How far an axis of the second, in its frame, may swing from one of the
        /// first, in its frame: both axes, and the largest angle, radians.
        swing: Option<([DVec3; 2], f64)>,
    },
    /// Turn about a common axis.
    Hinge {
        /// The axis, in the frame of each: unit vectors.
        axes: [DVec3; 2],
        /// The orientation of the second, seen from the first, whose angle is zero,
        /// and the least and the largest angle, radians, within ±π.
        limits: Option<(DQuat, [f64; 2])>,
    },
    /// Keep two points at a distance from each other: the least and the largest,
    /// metres.
    Distance([f64; 2]),
}

/// A joint of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// Which bodies, by their places in the list of the solver.
    pub bodies: [u32; 2],
    /// Where it is, in the frame of each.
    pub anchors: [DVec3; 2],
    /// What it lets them do.
    pub kind: JointKind,
    /// What it had in the step before, to begin with.
    pub impulse: JointImpulse,
}

/// The impulses of a joint, by constraint: only worth keeping for the next step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointImpulse([f64; MOST]);

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Side {
    Zero,
    AtLeastZero,
    AtMostZero,
}

/// A number that a joint holds, and what changes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constraint {
    /// Arms of the two points that it is about; `None` if it is about turning.
    pub arms: Option<[DVec3; 2]>,
    /// The direction of the relative velocity, or spin, that raises the number.
    pub axis: DVec3,
    pub value: f64,
    pub side: Side,
    /// Which of the impulses of the joint is its own.
    pub slot: usize,
}

impl Joint {
    /// What it holds, where the bodies are now.
    pub(super) fn constraints(&self, a: &Motion, b: &Motion) -> Vec<Constraint> {
        let arms = [a.orientation * self.anchors[0], b.orientation * self.anchors[1]];
        let apart = b.position + arms[1] - a.position - arms[0];
        let mut found = Vec::with_capacity(MOST);
        let turning = |axis, value, side, slot| Constraint { arms: None, axis, value, side, slot };
        if !matches!(self.kind, JointKind::Distance(_)) {
            for (slot, axis) in DVec3::AXES.into_iter().enumerate() {
                found.push(Constraint { arms: Some(arms), axis, value: apart.dot(axis), side: Side::Zero, slot });
            }
        }
        match self.kind {
            JointKind::Ball { swing: None } => {}
            JointKind::Ball { swing: Some((axes, most)) } => {
                let (one, two) = (a.orientation * axes[0], b.orientation * axes[1]);
                let across = one.cross(two);
                let angle = libm::atan2(across.length(), one.dot(two));
                found.push(turning(across.normalize_or_zero(), angle - most, Side::AtMostZero, 3));
            }
            JointKind::Hinge { axes, limits } => {
                let (one, two) = (a.orientation * axes[0], b.orientation * axes[1]);
                let (right, ahead) = axes[0].any_orthonormal_pair();
                for (slot, across) in [(3, right), (4, ahead)] {
                    let across = a.orientation * across;
                    found.push(turning(across, one.cross(two).dot(across), Side::Zero, slot));
                }
                if let Some((zero, [least, most])) = limits {
                    let turn = a.orientation.inverse() * b.orientation * zero.inverse();
                    let angle = about(turn, axes[0]);
                    found.push(turning(one, angle - least, Side::AtLeastZero, 5));
                    found.push(turning(one, angle - most, Side::AtMostZero, 6));
                }
            }
            JointKind::Distance([least, most]) => {
                let (axis, long) = (apart.normalize_or(DVec3::Y), apart.length());
                let along = |value, side, slot| Constraint { arms: Some(arms), axis, value, side, slot };
                if least >= most {
                    found.push(along(long - most, Side::Zero, 0));
                } else {
                    found.push(along(long - least, Side::AtLeastZero, 0));
                    found.push(along(long - most, Side::AtMostZero, 1));
                }
            }
        }
        found
    }
}

/// The angle of a turn about an axis, within ±π.
fn about(turn: DQuat, axis: DVec3) -> f64 {
    let turn = if turn.w < 0.0 { -turn } else { turn };
    2.0 * libm::atan2(turn.xyz().dot(axis), turn.w)
}

impl Constraint {
    /// What the second rate of the number would be if neither body was accelerated.
    pub(super) fn bias(&self, kind: &JointKind, a: &Motion, b: &Motion) -> f64 {
        let Some([one, two]) = self.arms else {
            // The axis across a hinge turns with the first.
            return a.spin.cross(self.axis).dot(b.spin - a.spin);
        };
        let inward = |body: &Motion, arm: DVec3| body.spin.cross(body.spin.cross(arm));
        let bent = self.axis.dot(inward(b, two) - inward(a, one));
        if !matches!(kind, JointKind::Distance(_)) {
            return bent;
        }
        let apart = b.position + two - a.position - one;
        let relative = (b.velocity + b.spin.cross(two)) - (a.velocity + a.spin.cross(one));
        let along = relative.dot(self.axis);
        let across = relative.length_squared() - along * along;
        bent + if across > 0.0 { across / apart.length() } else { 0.0 }
    }

    fn softness(&self, a: &ContactBody, b: &ContactBody) -> f64 {
        match self.arms {
            Some([one, two]) => a.softness(one, self.axis) + b.softness(two, self.axis),
            None => self.axis.dot((a.inverse_tensor + b.inverse_tensor) * self.axis),
        }
    }

    fn speed(&self, a: &ContactBody, b: &ContactBody) -> f64 {
        let relative = match self.arms {
            Some([one, two]) => b.velocity_at(two) - a.velocity_at(one),
            None => b.motion.spin - a.motion.spin,
        };
        relative.dot(self.axis)
    }

    /// What is left to be put right at once.
    fn wrong_by(&self) -> f64 {
        match self.side {
            Side::Zero => self.value,
            Side::AtLeastZero => self.value.min(0.0),
            Side::AtMostZero => self.value.max(0.0),
        }
    }

    /// The impulse nearest to one that this side can give.
    fn allowed(&self, impulse: f64) -> f64 {
        match self.side {
            Side::Zero => impulse,
            Side::AtLeastZero => impulse.max(0.0),
            Side::AtMostZero => impulse.min(0.0),
        }
    }

    /// The speed that just uses up what is left of the room within a step.
    fn room_speed(&self, step: f64) -> f64 {
        match self.side {
            Side::Zero => 0.0,
            Side::AtLeastZero => (-self.value).min(0.0) / step,
            Side::AtMostZero => (-self.value).max(0.0) / step,
        }
    }

    fn push(&self, bodies: &mut [ContactBody], both: [u32; 2], impulse: f64) {
        let impulse = impulse * self.axis;
        for (number, (body, sign)) in both.into_iter().zip([-1.0, 1.0]).enumerate() {
            let body = &mut bodies[body as usize];
            match self.arms {
                Some(arms) => body.push(arms[number], sign * impulse),
                None => body.motion.spin += sign * (body.inverse_tensor * impulse),
            }
        }
    }

    fn shift(&self, bodies: &mut [ContactBody], both: [u32; 2], impulse: f64) {
        let impulse = impulse * self.axis;
        for (number, (body, sign)) in both.into_iter().zip([-1.0, 1.0]).enumerate() {
            let body = &mut bodies[body as usize];
            match self.arms {
                Some(arms) => body.shift(arms[number], sign * impulse),
                None => body.turn(sign * impulse),
            }
        }
    }
}

/// A joint while it is solved.
#[derive(Clone, Debug)]
pub(super) struct JointRows {
    joint: Joint,
    /// Each with the mass that its impulse moves.
    rows: Vec<(Constraint, f64)>,
}

impl JointRows {
    pub(super) fn new(joint: &Joint, bodies: &[ContactBody]) -> Self {
        let [a, b] = joint.bodies.map(|body| &bodies[body as usize]);
        let mass = |softness: f64| if softness > 0.0 { 1.0 / softness } else { 0.0 };
        let constraints = joint.constraints(&a.motion, &b.motion);
        let rows = constraints.into_iter().map(|row| (row, mass(row.softness(a, b)))).collect();
        Self { joint: *joint, rows }
    }

    pub(super) fn bodies(&self) -> [u32; 2] {
        self.joint.bodies
    }

    pub(super) fn impulse(&self) -> JointImpulse {
        self.joint.impulse
    }

    pub(super) fn warm_start(&mut self, bodies: &mut [ContactBody]) {
        for (row, _) in &self.rows {
            let impulse = row.allowed(self.joint.impulse.0[row.slot]);
            self.joint.impulse.0[row.slot] = impulse;
            row.push(bodies, self.joint.bodies, impulse);
        }
    }

    /// Sets every impulse to what its constraint needs now; returns how much a
    /// velocity changed.
    pub(super) fn relax(&mut self, bodies: &mut [ContactBody], step: f64) -> f64 {
        let mut largest = 0.0_f64;
        for (row, mass) in self.rows.iter().filter(|(_, mass)| *mass > 0.0) {
            let [a, b] = self.joint.bodies.map(|body| &bodies[body as usize]);
            let before = self.joint.impulse.0[row.slot];
            let after = row.allowed(before - mass * (row.speed(a, b) - row.room_speed(step)));
            row.push(bodies, self.joint.bodies, after - before);
            self.joint.impulse.0[row.slot] = after;
            largest = largest.max((after - before).abs() / mass);
        }
        largest
    }

    /// Takes a share of what is wrong out, by moving and turning bodies; returns
    /// the largest that it found, metres or radians.
    pub(super) fn position_round(&self, bodies: &mut [ContactBody]) -> f64 {
        let mut largest = 0.0_f64;
        for number in 0..self.rows.len() {
            // What was moved for one changes the others.
            let [a, b] = self.joint.bodies.map(|body| &bodies[body as usize]);
            let row = self.joint.constraints(&a.motion, &b.motion)[number];
            let (wrong, softness) = (row.wrong_by(), row.softness(a, b));
            largest = largest.max(wrong.abs());
            if softness > 0.0 && wrong != 0.0 {
                row.shift(bodies, self.joint.bodies, -SHARE * wrong / softness);
            }
        }
        largest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Inertia;
    use crate::contact::{ContactSettings, ContactSolver};

    const STEP: f64 = 1.0 / 240.0;
    const SETTINGS: ContactSettings =
        ContactSettings { step: STEP, rest_speed: 0.1, slop: 0.001, push: 0.5, most_push: 0.05 };
    const ROD: Inertia = Inertia { mass: 2.0, moments: DVec3::new(0.02, 0.5, 0.5) };

    /// Steps a chain of bodies, the first of them the ground.
    fn run(
        motions: &mut [Motion],
        joints: &mut [Joint],
        gravity: DVec3,
        steps: u32,
        mut seen: impl FnMut(u32, &[Motion]),
    ) {
        for number in 0..steps {
            let body = |(index, motion): (usize, &Motion)| {
                let velocity = if index == 0 { DVec3::ZERO } else { motion.velocity + STEP * gravity };
                ContactBody::new(Motion { velocity, ..*motion }, (index > 0).then_some(&ROD))
            };
            let bodies = motions.iter().enumerate().map(body).collect();
            let mut solver = ContactSolver::new(bodies, &[], SETTINGS).with_joints(joints);
            solver.warm_start();
            for _ in 0..40 {
                solver.velocity_round();
            }
            solver.bounce();
            for body in solver.bodies_mut() {
                let motion = &mut body.motion;
                motion.position += STEP * motion.velocity;
                motion.orientation = (DQuat::from_scaled_axis(STEP * motion.spin) * motion.orientation).normalize();
            }
            for _ in 0..10 {
                solver.position_round();
            }
            for (index, joint) in joints.iter_mut().enumerate() {
                joint.impulse = solver.joint_impulse(index);
            }
            for (motion, body) in motions.iter_mut().zip(solver.bodies()) {
                *motion = body.motion;
            }
            seen(number, motions);
        }
    }

    fn joint(kind: JointKind) -> Joint {
        let anchors = [DVec3::ZERO, -DVec3::X];
        Joint { bodies: [0, 1], anchors, kind, impulse: JointImpulse::default() }
    }

    fn hinge(limits: Option<(DQuat, [f64; 2])>) -> Joint {
        joint(JointKind::Hinge { axes: [DVec3::Z; 2], limits })
    }

    /// A rod that hangs from a hinge and was let go a little to the side.
    fn hanging(angle: f64) -> [Motion; 2] {
        let orientation = DQuat::from_rotation_z(angle - 0.5 * std::f64::consts::PI);
        let position = orientation * DVec3::X;
        [Motion::AT_REST, Motion { position, orientation, ..Motion::AT_REST }]
    }

    /// Against the period of a physical pendulum: 2π √((I + m l²) / (m g l)), with
    /// the first term of the series for a finite swing.
    #[test]
    fn a_rod_on_a_hinge_is_a_pendulum() {
        let swing = 0.2;
        let (moment, torque) = (ROD.moments.z + ROD.mass, ROD.mass * 9.81);
        let period = std::f64::consts::TAU * (moment / torque).sqrt() * (1.0 + swing * swing / 16.0);
        let (mut motions, mut joints) = (hanging(swing), [hinge(None)]);
        let (mut crossings, mut before, mut worst) = (Vec::new(), swing, 0.0_f64);
        run(&mut motions, &mut joints, -9.81 * DVec3::Y, 2400, |number, motions| {
            let side = motions[1].position.x;
            if side < 0.0 && before >= 0.0 {
                crossings.push((f64::from(number + 1) - side / (side - before)) * STEP);
            }
            before = side;
            let anchor = motions[1].position - motions[1].orientation * DVec3::X;
            worst = worst.max(anchor.length()).max((motions[1].orientation * DVec3::Z).distance(DVec3::Z));
        });
        let measured = (crossings.last().unwrap() - crossings[0]) / (crossings.len() - 1) as f64;
        assert!((measured / period - 1.0).abs() < 0.01, "{measured} {period}");
        assert!(worst < 1e-3, "{worst}");
    }

    #[test]
    fn no_limit_is_passed() {
        let mut worst = 0.0_f64;
        let (mut motions, mut joints) = (hanging(1.4), [hinge(Some((hanging(0.0)[1].orientation, [-0.5, 2.0])))]);
        run(&mut motions, &mut joints, -9.81 * DVec3::Y, 960, |_, motions| {
            worst = worst.max(-0.5 - libm::asin(motions[1].position.x.clamp(-1.0, 1.0)));
        });
        assert!(worst < 0.01, "a hinge: {worst}");
        // A ball that may swing by 0.7 from level, pushed sideways.
        let (mut motions, mut worst) = (hanging(1.5), 0.0_f64);
        motions[1].velocity = DVec3::Z;
        let mut joints = [joint(JointKind::Ball { swing: Some(([DVec3::X; 2], 0.7)) })];
        run(&mut motions, &mut joints, -9.81 * DVec3::Y, 960, |_, motions| {
            worst = worst.max(motions[1].position.angle_between(DVec3::X) - 0.7);
        });
        assert!(worst < 0.01, "a ball: {worst}");
        // A rope of 1 to 1.5 m.
        let mut motions = [Motion::AT_REST, Motion { position: 1.2 * DVec3::X, ..Motion::AT_REST }];
        let mut joints = [Joint { anchors: [DVec3::ZERO; 2], ..joint(JointKind::Distance([1.0, 1.5])) }];
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        run(&mut motions, &mut joints, -9.81 * DVec3::Y, 960, |_, motions| {
            (least, most) = (least.min(motions[1].position.length()), most.max(motions[1].position.length()));
        });
        assert!(least > 0.99 && most < 1.51 && most > 1.4, "a rope: {least} {most}");
    }

    #[test]
    fn a_free_chain_keeps_its_momentum_and_gains_no_energy() {
        let mut motions = [Motion::AT_REST; 4];
        for (index, motion) in motions.iter_mut().enumerate() {
            motion.position = 2.0 * index as f64 * DVec3::X;
            motion.velocity = DVec3::new(0.3, index as f64 - 2.0, 0.4);
            motion.spin = 0.5 * DVec3::Y;
        }
        motions[0] = Motion::AT_REST;
        let ball = |one: u32| Joint {
            bodies: [one, one + 1],
            anchors: [DVec3::X, -DVec3::X],
            ..joint(JointKind::Ball { swing: None })
        };
        let mut joints = [ball(1), ball(2)];
        let momentum = |motions: &[Motion]| motions.iter().skip(1).map(|motion| motion.velocity).sum::<DVec3>();
        let energy = |motions: &[Motion]| {
            let of =
                |motion: &Motion| ROD.mass * motion.velocity.length_squared() + 2.0 * ROD.rotational_energy(motion);
            motions.iter().skip(1).map(of).sum::<f64>()
        };
        let (start, first) = (momentum(&motions), energy(&motions));
        run(&mut motions, &mut joints, DVec3::ZERO, 480, |_, motions| {
            assert!(momentum(motions).distance(start) < 1e-9);
        });
        assert!(energy(&motions) <= 1.02 * first, "{} {first}", energy(&motions));
        for one in 1..3 {
            let end =
                |index: usize, side: f64| motions[index].position + side * (motions[index].orientation * DVec3::X);
            assert!(end(one, 1.0).distance(end(one + 1, -1.0)) < 2e-3);
        }
    }
}
