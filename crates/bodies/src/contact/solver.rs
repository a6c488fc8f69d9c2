//! Rows, and rounds over them.

use glam::{DMat3, DQuat, DVec3};

use super::Islands;
use super::joint::{Joint, JointImpulse, JointRows};
use crate::{Inertia, Motion, PairSurface};

/// A body that contacts act on.
#[derive(Clone, Copy, Debug)]
pub struct ContactBody {
    /// How it moves; rounds change it.
    pub motion: Motion,
    inverse_mass: f64,
    /// In the world.
    pub(super) inverse_tensor: DMat3,
    /// How it moved before the first round.
    velocity_before: DVec3,
    spin_before: DVec3,
}

impl ContactBody {
    /// A body; without inertia, one that nothing can move.
    pub fn new(motion: Motion, inertia: Option<&Inertia>) -> Self {
        Self {
            motion,
            inverse_mass: inertia.map_or(0.0, |inertia| 1.0 / inertia.mass),
            inverse_tensor: inertia.map_or(DMat3::ZERO, |inertia| inertia.inverse_tensor(motion.orientation)),
            velocity_before: motion.velocity,
            spin_before: motion.spin,
        }
    }

    fn is_fixed(&self) -> bool {
        self.inverse_mass == 0.0
    }

    /// The change of velocity at an arm along a direction, per impulse there.
    pub(super) fn softness(&self, arm: DVec3, direction: DVec3) -> f64 {
        let turning = arm.cross(direction);
        self.inverse_mass + turning.dot(self.inverse_tensor * turning)
    }

    pub(super) fn push(&mut self, arm: DVec3, impulse: DVec3) {
        self.motion.velocity += self.inverse_mass * impulse;
        self.motion.spin += self.inverse_tensor * arm.cross(impulse);
    }

    pub(super) fn velocity_at(&self, arm: DVec3) -> DVec3 {
        self.motion.velocity + self.motion.spin.cross(arm)
    }

    /// Moves and turns by what an impulse would in a unit of time.
    pub(super) fn shift(&mut self, arm: DVec3, impulse: DVec3) {
        if self.is_fixed() {
            return;
        }
        self.motion.position += self.inverse_mass * impulse;
        self.turn(arm.cross(impulse));
    }

    /// Turns by what an angular impulse would in a unit of time.
    pub(super) fn turn(&mut self, impulse: DVec3) {
        if self.is_fixed() {
            return;
        }
        let turn = DQuat::from_scaled_axis(self.inverse_tensor * impulse);
        self.motion.orientation = (turn * self.motion.orientation).normalize();
        // The spin turns with the body: its energy stays.
        self.motion.spin = turn * self.motion.spin;
    }
}

/// The impulse of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactImpulse {
    /// Along the normal, on the second body, N s.
    pub along: f64,
    /// Across it, on the second body, in the world.
    pub across: DVec3,
}

/// A contact of two bodies.
#[derive(Clone, Copy, Debug)]
pub struct ContactPoint {
    /// Which bodies, by their places in the list of the solver.
    pub bodies: [u32; 2],
    /// Where, in the world.
    pub point: DVec3,
    /// Unit vector from the first to the second.
    pub normal: DVec3,
    /// How far they overlap; negative where there is a gap between them.
    pub depth: f64,
    /// Friction and restitution.
    pub surface: PairSurface,
    /// How far the contact reaches about its point, metres: it resists turning
    /// with a torque of up to this times what presses. Zero for a point.
    pub grip: f64,
    /// What the same contact had in the frame before, to begin with.
    pub impulse: ContactImpulse,
}

/// How contacts are solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// The length of a step, seconds.
    pub step: f64,
    /// Bodies that meet more slowly do not bounce, m/s.
    pub rest_speed: f64,
    /// Overlap that stays, so that contacts do not come and go, metres.
    pub slop: f64,
    /// The share of the overlap that a position round takes out.
    pub push: f64,
    /// The most that it takes out at a contact, metres.
    pub most_push: f64,
}

/// One contact while it is solved.
#[derive(Clone, Copy, Debug)]
struct Row {
    bodies: [u32; 2],
    arms: [DVec3; 2],
    /// The arms in the frames of the bodies.
    anchors: [DVec3; 2],
    normal: DVec3,
    tangents: [DVec3; 2],
    /// The mass that an impulse along each direction moves.
    masses: [f64; 3],
    /// Impulses along the normal and the two tangents.
    impulses: [f64; 3],
    depth: f64,
    /// The speed of approach before the first round.
    approach: f64,
    friction: f64,
    restitution: f64,
    grip: f64,
    /// The torque that it resists turning with, times the step.
    turning: DVec3,
}

/// Many bodies and their contacts.
///
/// ```
/// use proscenium_bodies::contact::{ContactBody, ContactImpulse, ContactPoint, ContactSettings, ContactSolver};
/// use proscenium_bodies::{Inertia, Motion, PairSurface, glam::DVec3};
///
/// // A ball that lies on the ground, and what gravity did to it in this frame.
/// let inertia = Inertia { mass: 2.0, moments: DVec3::ONE };
/// let ball = Motion { position: DVec3::Y, velocity: -0.1635 * DVec3::Y, ..Motion::AT_REST };
/// let bodies = vec![ContactBody::new(Motion::AT_REST, None), ContactBody::new(ball, Some(&inertia))];
/// let contact = ContactPoint {
///     bodies: [0, 1],
///     point: DVec3::ZERO,
///     normal: DVec3::Y,
///     depth: 0.0,
///     surface: PairSurface::new(0.5, 0.5),
///     grip: 0.0,
///     impulse: ContactImpulse::default(),
/// };
/// let settings = ContactSettings { step: 1.0 / 60.0, rest_speed: 0.3, slop: 0.001, push: 0.2, most_push: 0.02 };
/// let mut solver = ContactSolver::new(bodies, &[contact], settings);
/// solver.warm_start();
/// while solver.velocity_round() > 1e-9 {}
/// solver.bounce();
/// assert_eq!(solver.bodies()[1].motion.velocity, DVec3::ZERO);
/// assert!((solver.impulse(0).along - 2.0 * 0.1635).abs() < 1e-12);
/// ```
#[derive(Clone, Debug)]
pub struct ContactSolver {
    bodies: Vec<ContactBody>,
    rows: Vec<Row>,
    joints: Vec<JointRows>,
    settings: ContactSettings,
}

impl ContactSolver {
    /// A solver for contacts of bodies.
    ///
    /// # Panics
    /// When a contact names a body that is not in the list.
    pub fn new(bodies: Vec<ContactBody>, contacts: &[ContactPoint], settings: ContactSettings) -> Self {
        let rows = contacts.iter().map(|contact| Row::new(contact, &bodies, &settings)).collect();
        Self { bodies, rows, joints: Vec::new(), settings }
    }

    /// The same solver, with joints as well.
    ///
    /// # Panics
    /// When a joint names a body that is not in the list.
    pub fn with_joints(mut self, joints: &[Joint]) -> Self {
        self.joints = joints.iter().map(|joint| JointRows::new(joint, &self.bodies)).collect();
        self
    }

    /// The impulse that a joint has so far, by its place in the list.
    ///
    /// # Panics
    /// When there is no such joint.
    pub fn joint_impulse(&self, joint: usize) -> JointImpulse {
        self.joints[joint].impulse()
    }

    /// The bodies as they move now.
    pub fn bodies(&self) -> &[ContactBody] {
        &self.bodies
    }

    /// The bodies, to be moved on between velocity and position rounds.
    pub fn bodies_mut(&mut self) -> &mut [ContactBody] {
        &mut self.bodies
    }

    /// How many contacts there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// How many joints there are.
    pub fn joints(&self) -> usize {
        self.joints.len()
    }

    /// Whether there are no contacts.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The impulse that a contact has so far, by its place in the list.
    ///
    /// # Panics
    /// When there is no such contact.
    pub fn impulse(&self, contact: usize) -> ContactImpulse {
        let row = &self.rows[contact];
        let across = row.impulses[1] * row.tangents[0] + row.impulses[2] * row.tangents[1];
        ContactImpulse { along: row.impulses[0], across }
    }

    /// Gives every contact the impulse that it begins with.
    pub fn warm_start(&mut self) {
        for joint in &mut self.joints {
            joint.warm_start(&mut self.bodies);
        }
        for row in &self.rows {
            let [n, t, s] = row.impulses;
            let impulse = n * row.normal + t * row.tangents[0] + s * row.tangents[1];
            row.push(&mut self.bodies, impulse);
        }
    }

    /// Visits every contact once. Returns the largest change of a velocity, m/s:
    /// once that is small, more rounds change nothing.
    pub fn velocity_round(&mut self) -> f64 {
        let mut largest = 0.0_f64;
        // Contacts come last: what they forbid is seen first.
        for joint in &mut self.joints {
            largest = largest.max(joint.relax(&mut self.bodies, self.settings.step));
        }
        for row in &mut self.rows {
            largest = largest.max(row.relax(&mut self.bodies, self.settings.step));
        }
        largest
    }

    /// Lets bodies part that met faster than the speed of rest, and takes back
    /// what that and the rounds before add to the energy of an island.
    pub fn bounce(&mut self) {
        let rest = self.settings.rest_speed;
        for row in self.rows.iter_mut().filter(|row| row.restitution > 0.0 && row.approach > rest) {
            if row.impulses[0] > 0.0 {
                let speed = row.relative(&self.bodies).dot(row.normal);
                let change = row.masses[0] * (row.restitution * row.approach - speed);
                let along = (row.impulses[0] + change).max(0.0);
                row.push(&mut self.bodies, (along - row.impulses[0]) * row.normal);
                row.impulses[0] = along;
            }
        }
        self.without_gain();
    }

    /// The islands of bodies that touch and can move.
    pub fn islands(&self) -> Islands {
        let mut islands = Islands::new(self.bodies.len());
        let joined = self.joints.iter().map(JointRows::bodies);
        for [a, b] in self.rows.iter().map(|row| row.bodies).chain(joined) {
            if !self.bodies[a as usize].is_fixed() && !self.bodies[b as usize].is_fixed() {
                islands.join(a, b);
            }
        }
        islands
    }

    /// Scales what the impulses of an island changed back to where they add no
    /// energy: E(s) = E(0) + s linear + s² square along the change.
    fn without_gain(&mut self) {
        let mut islands = self.islands();
        let mut sums = vec![[0.0_f64; 2]; self.bodies.len()];
        let homes: Vec<u32> = (0..self.bodies.len() as u32).map(|body| islands.of(body)).collect();
        for (body, home) in self.bodies.iter().zip(&homes).filter(|(body, _)| !body.is_fixed()) {
            let velocity = body.motion.velocity - body.velocity_before;
            let spin = body.motion.spin - body.spin_before;
            let momentum = body.inverse_tensor.inverse() * spin;
            let mass = 1.0 / body.inverse_mass;
            let sum = &mut sums[*home as usize];
            sum[0] += mass * velocity.dot(body.velocity_before) + momentum.dot(body.spin_before);
            sum[1] += 0.5 * (mass * velocity.length_squared() + momentum.dot(spin));
        }
        for (body, home) in self.bodies.iter_mut().zip(&homes) {
            let [linear, square] = sums[*home as usize];
            if linear + square > 0.0 && square > 0.0 {
                let share = (-linear / square).clamp(0.0, 1.0);
                let (velocity, spin) = (body.velocity_before, body.spin_before);
                body.motion.velocity = velocity + share * (body.motion.velocity - velocity);
                body.motion.spin = spin + share * (body.motion.spin - spin);
            }
        }
    }

    /// Takes a share of every overlap out, by moving and turning bodies.
    /// Returns the deepest overlap beyond the slop that it found, metres, or what a
    /// joint was off by.
    pub fn position_round(&mut self) -> f64 {
        let mut deepest = 0.0_f64;
        let settings = &self.settings;
        for joint in &self.joints {
            deepest = deepest.max(joint.position_round(&mut self.bodies));
        }
        for row in &self.rows {
            let [a, b] = row.bodies.map(|body| body as usize);
            let of = |body: &ContactBody, anchor: DVec3| body.motion.orientation * anchor;
            let arms = [of(&self.bodies[a], row.anchors[0]), of(&self.bodies[b], row.anchors[1])];
            let points = [self.bodies[a].motion.position + arms[0], self.bodies[b].motion.position + arms[1]];
            let over = row.depth - (points[1] - points[0]).dot(row.normal) - settings.slop;
            if over <= 0.0 {
                continue;
            }
            deepest = deepest.max(over);
            let mass = self.bodies[a].softness(arms[0], row.normal) + self.bodies[b].softness(arms[1], row.normal);
            if mass > 0.0 {
                let impulse = (settings.push * over).min(settings.most_push) / mass * row.normal;
                self.bodies[a].shift(arms[0], -impulse);
                self.bodies[b].shift(arms[1], impulse);
            }
        }
        deepest
    }
}

impl Row {
    fn new(contact: &ContactPoint, bodies: &[ContactBody], settings: &ContactSettings) -> Self {
        let [a, b] = contact.bodies.map(|body| &bodies[body as usize]);
        let arms = [contact.point - a.motion.position, contact.point - b.motion.position];
        let normal = contact.normal;
        let (right, ahead) = normal.any_orthonormal_pair();
        let mass = |direction: DVec3| {
            let softness = a.softness(arms[0], direction) + b.softness(arms[1], direction);
            if softness > 0.0 { 1.0 / softness } else { 0.0 }
        };
        let start = contact.impulse;
        let across = start.across.reject_from_normalized(normal);
        let approach = -(b.velocity_at(arms[1]) - a.velocity_at(arms[0])).dot(normal);
        let gap = (-contact.depth).max(0.0);
        Self {
            bodies: contact.bodies,
            arms,
            anchors: [a.motion.orientation.inverse() * arms[0], b.motion.orientation.inverse() * arms[1]],
            normal,
            tangents: [right, ahead],
            masses: [normal, right, ahead].map(mass),
            impulses: [start.along.max(0.0), across.dot(right), across.dot(ahead)],
            depth: contact.depth,
            // What does not reach the other in this step does not meet it.
            approach: if approach * settings.step >= gap { approach } else { 0.0 },
            friction: contact.surface.friction,
            restitution: contact.surface.restitution,
            grip: contact.grip,
            turning: DVec3::ZERO,
        }
    }

    fn relative(&self, bodies: &[ContactBody]) -> DVec3 {
        let [a, b] = self.bodies.map(|body| &bodies[body as usize]);
        b.velocity_at(self.arms[1]) - a.velocity_at(self.arms[0])
    }

    fn push(&self, bodies: &mut [ContactBody], impulse: DVec3) {
        bodies[self.bodies[0] as usize].push(self.arms[0], -impulse);
        bodies[self.bodies[1] as usize].push(self.arms[1], impulse);
    }

    fn resist_turning(&mut self, bodies: &mut [ContactBody]) {
        if self.grip <= 0.0 {
            return;
        }
        let [a, b] = self.bodies.map(|body| body as usize);
        let looseness = bodies[a].inverse_tensor + bodies[b].inverse_tensor;
        let relative = bodies[b].motion.spin - bodies[a].motion.spin;
        let wanted = self.turning - looseness.inverse() * relative;
        let turning =
            if wanted.is_finite() { wanted.clamp_length_max(self.grip * self.impulses[0]) } else { self.turning };
        let change = turning - self.turning;
        bodies[a].motion.spin -= bodies[a].inverse_tensor * change;
        bodies[b].motion.spin += bodies[b].inverse_tensor * change;
        self.turning = turning;
    }

    /// Sets the impulse to what this contact needs now; returns how much a
    /// velocity changed.
    fn relax(&mut self, bodies: &mut [ContactBody], step: f64) -> f64 {
        let velocity = self.relative(bodies);
        let [n, t, s] = self.impulses;
        // Across: no sliding, within the cone of what presses so far.
        let mut right = t - self.masses[1] * velocity.dot(self.tangents[0]);
        let mut ahead = s - self.masses[2] * velocity.dot(self.tangents[1]);
        let (most, size) = (self.friction * n, (right * right + ahead * ahead).sqrt());
        if size > most {
            let share = if size > 0.0 { most / size } else { 0.0 };
            (right, ahead) = (share * right, share * ahead);
        }
        let across = (right - t) * self.tangents[0] + (ahead - s) * self.tangents[1];
        self.push(bodies, across);
        self.resist_turning(bodies);
        // Along: no approach, or none that closes the gap by more than it is.
        let speed = self.relative(bodies).dot(self.normal);
        let allowed = (-self.depth).max(0.0) / step;
        let along = (n - self.masses[0] * (speed + allowed)).max(0.0);
        self.push(bodies, (along - n) * self.normal);
        self.impulses = [along, right, ahead];
        let per_mass = |mass: f64| if mass > 0.0 { 1.0 / mass } else { 0.0 };
        ((along - n).abs() * per_mass(self.masses[0])).max(across.length() * per_mass(self.masses[1]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: ContactSettings =
        ContactSettings { step: 1.0 / 60.0, rest_speed: 0.33, slop: 0.002, push: 0.25, most_push: 0.02 };

    fn ball(height: f64, velocity: DVec3, inertia: &Inertia) -> ContactBody {
        let motion = Motion { position: height * DVec3::Y, velocity, ..Motion::AT_REST };
        ContactBody::new(motion, Some(inertia))
    }

    /// Balls of a radius of 0.5 on each other, the lowest on the ground.
    fn tower(count: u32, overlap: f64, velocity: DVec3, restitution: f64) -> ContactSolver {
        let inertia = Inertia { mass: 2.0, moments: DVec3::splat(0.2) };
        let mut bodies = vec![ContactBody::new(Motion::AT_REST, None)];
        let mut contacts = Vec::new();
        for number in 0..count {
            let height = 0.5 + f64::from(number) * (1.0 - overlap);
            bodies.push(ball(height, velocity, &inertia));
            contacts.push(ContactPoint {
                bodies: [number, number + 1],
                point: (height - 0.5) * DVec3::Y,
                normal: DVec3::Y,
                depth: overlap,
                surface: PairSurface::new(restitution, 0.5),
                grip: 0.0,
                impulse: ContactImpulse::default(),
            });
        }
        ContactSolver::new(bodies, &contacts, SETTINGS)
    }

    fn energy(solver: &ContactSolver) -> f64 {
        solver
            .bodies()
            .iter()
            .map(|body| body.motion.velocity.length_squared() + 0.2 * body.motion.spin.length_squared())
            .sum()
    }

    #[test]
    fn a_tower_stands_and_its_impulses_are_its_weight() {
        let fall = 9.81 / 60.0;
        let mut solver = tower(6, 0.0, -fall * DVec3::Y, 0.5);
        solver.warm_start();
        for _ in 0..300 {
            solver.velocity_round();
        }
        solver.bounce();
        for number in 0..6 {
            let above = f64::from(6 - number as u32);
            assert!((solver.impulse(number).along - above * 2.0 * fall).abs() < 1e-6);
        }
        assert!(energy(&solver) < 1e-12);
    }

    #[test]
    fn no_round_and_no_bounce_adds_energy() {
        for restitution in [0.0, 0.5, 1.0] {
            for rounds in [0, 1, 3, 30] {
                let mut solver = tower(5, 0.0, DVec3::new(0.7, -3.0, 0.2), restitution);
                let before = energy(&solver);
                solver.warm_start();
                for _ in 0..rounds {
                    solver.velocity_round();
                }
                solver.bounce();
                assert!(energy(&solver) <= before * (1.0 + 1e-12), "{restitution} {rounds}");
            }
        }
    }

    #[test]
    fn overlap_goes_without_a_change_of_energy() {
        let mut solver = tower(4, 0.05, DVec3::X, 0.0);
        for body in solver.bodies_mut() {
            body.motion.spin = DVec3::new(0.0, 2.0, 1.0);
        }
        let before = energy(&solver);
        let mut left = f64::INFINITY;
        for _ in 0..2000 {
            left = solver.position_round();
        }
        assert!(left < 1e-4, "{left}");
        assert!((energy(&solver) / before - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_gap_may_close_but_no_more() {
        let inertia = Inertia { mass: 1.0, moments: DVec3::ONE };
        let bodies = vec![ContactBody::new(Motion::AT_REST, None), ball(0.6, -30.0 * DVec3::Y, &inertia)];
        let contact = ContactPoint {
            bodies: [0, 1],
            point: DVec3::ZERO,
            normal: DVec3::Y,
            depth: -0.1,
            surface: PairSurface::new(0.0, 0.0),
            grip: 0.0,
            impulse: ContactImpulse::default(),
        };
        let mut solver = ContactSolver::new(bodies, &[contact], SETTINGS);
        solver.velocity_round();
        assert!((solver.bodies()[1].motion.velocity.y + 6.0).abs() < 1e-9);
    }

    #[test]
    fn what_grips_does_not_roll() {
        let inertia = Inertia { mass: 1.0, moments: DVec3::ONE };
        let mut rolling = ball(0.5, DVec3::new(0.05, -0.1635, 0.0), &inertia);
        rolling.motion.spin = -0.1 * DVec3::Z;
        let contact = ContactPoint {
            bodies: [0, 1],
            point: DVec3::ZERO,
            normal: DVec3::Y,
            depth: 0.0,
            surface: PairSurface::new(0.0, 1.0),
            grip: 2.0,
            impulse: ContactImpulse::default(),
        };
        let bodies = vec![ContactBody::new(Motion::AT_REST, None), rolling];
        let mut solver = ContactSolver::new(bodies, &[contact], SETTINGS);
        for _ in 0..50 {
            solver.velocity_round();
        }
        assert!(solver.bodies()[1].motion.spin.length() < 0.02, "{}", solver.bodies()[1].motion.spin);
    }
}
