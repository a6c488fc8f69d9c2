//! Bodies that joints hold together, with the equations of all joints solved at once.
//!
//! ```text
//! joints ─▶ rows J ─▶ J M⁻¹ Jᵀ = L Lᵀ (rows of one joint and its neighbours: a band)
//!                        │
//!    velocities that joints allow, accelerations, answers to impulses ◀──┘
//! ```
//!
//! Between events a linkage moves by the classical method of Runge and Kutta (fourth order) on
//! the constrained accelerations; what drifts in a step is brought back at its end, by what the
//! masses make the least change. Rows that follow from others (a door on two hinges) are left
//! out as the matrix is factored.

use glam::{DQuat, DVec3};

use super::joint::{Constraint, Joint, JointKind, Side};
use crate::{Inertia, Motion};

/// A row follows from those before it if no more than this is left of its diagonal; chosen:
/// far above rounding, far below what different joints leave.
const DEPENDENT: f64 = 1e-10;
/// Rounds of bringing positions back, at most: the error is squared in each.
const ROUNDS: u32 = 6;

/// A velocity and a spin, or changes of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twist {
    /// Of the centre of mass.
    pub velocity: DVec3,
    /// Of the body.
    pub spin: DVec3,
}

impl Twist {
    /// No motion.
    pub const NONE: Self = Self { velocity: DVec3::ZERO, spin: DVec3::ZERO };

    fn dot(&self, other: &Self) -> f64 {
        self.velocity.dot(other.velocity) + self.spin.dot(other.spin)
    }

    fn add(&mut self, share: f64, other: &Self) {
        self.velocity += share * other.velocity;
        self.spin += share * other.spin;
    }
}

/// A body of a linkage.
#[derive(Clone, Copy, Debug)]
pub struct LinkedBody {
    /// How it moves.
    pub motion: Motion,
    /// Its inertia; `None` for what nothing can move.
    pub inertia: Option<Inertia>,
}

impl LinkedBody {
    /// What an impulse and an angular impulse change.
    fn answer(&self, push: &Twist) -> Twist {
        let Some(inertia) = &self.inertia else {
            return Twist::NONE;
        };
        let spin = inertia.spin(self.motion.orientation, push.spin);
        Twist { velocity: push.velocity / inertia.mass, spin }
    }

    fn twist(&self) -> Twist {
        Twist { velocity: self.motion.velocity, spin: self.motion.spin }
    }
}

/// What a joint forbids to two bodies, as one number that velocities change.
#[derive(Clone, Copy, Debug)]
struct Row {
    bodies: [usize; 2],
    /// How the number changes with the motion of each.
    reads: [Twist; 2],
    /// How the motion of each changes with an impulse.
    pushes: [Twist; 2],
    value: f64,
    bias: f64,
}

impl Row {
    fn new(joint: &Joint, constraint: &Constraint, bodies: &[LinkedBody]) -> Self {
        let places = joint.bodies.map(|body| body as usize);
        let [a, b] = places.map(|place| &bodies[place]);
        let reads = reads(constraint);
        let pushes = [a.answer(&reads[0]), b.answer(&reads[1])];
        let bias = constraint.bias(&joint.kind, &a.motion, &b.motion);
        Self { bodies: places, reads, pushes, value: constraint.value, bias }
    }

    fn read(&self, twists: &[Twist]) -> f64 {
        let [a, b] = self.bodies;
        self.reads[0].dot(&twists[a]) + self.reads[1].dot(&twists[b])
    }

    /// The change of this number per impulse along another row.
    fn response(&self, other: &Self) -> f64 {
        let mut sum = 0.0;
        for (body, read) in self.bodies.iter().zip(&self.reads) {
            for (pushed, push) in other.bodies.iter().zip(&other.pushes) {
                if body == pushed {
                    sum += read.dot(push);
                }
            }
        }
        sum
    }
}

/// How a number changes with the motions of the two bodies.
fn reads(constraint: &Constraint) -> [Twist; 2] {
    let axis = constraint.axis;
    match constraint.arms {
        Some([one, two]) => {
            [Twist { velocity: -axis, spin: -one.cross(axis) }, Twist { velocity: axis, spin: two.cross(axis) }]
        }
        None => [Twist { velocity: DVec3::ZERO, spin: -axis }, Twist { velocity: DVec3::ZERO, spin: axis }],
    }
}

/// The equations of the joints of a linkage, where its bodies are: what is allowed to move, and
/// how all answer if one is pushed.
#[derive(Clone, Debug, Default)]
pub struct JointEquations {
    rows: Vec<Row>,
    /// The lower triangle of the factor, row after row: where each begins, and its first column.
    starts: Vec<(usize, usize)>,
    lower: Vec<f64>,
}

impl JointEquations {
    fn new(bodies: &[LinkedBody], joints: &[Joint]) -> Self {
        let mut rows = Vec::new();
        for joint in joints {
            let [a, b] = joint.bodies.map(|body| &bodies[body as usize].motion);
            let held = joint.constraints(a, b).into_iter().filter(|row| row.side == Side::Zero);
            rows.extend(held.map(|row| Row::new(joint, &row, bodies)));
        }
        let mut equations = Self { rows, starts: Vec::new(), lower: Vec::new() };
        equations.factor(bodies);
        equations
    }

    /// By Cholesky, within the rows' envelope.
    fn factor(&mut self, bodies: &[LinkedBody]) {
        let mut lowest = vec![usize::MAX; bodies.len()];
        for (index, row) in self.rows.iter().enumerate() {
            let movable = |body: &&usize| bodies[**body].inertia.is_some();
            for body in row.bodies.iter().filter(movable) {
                lowest[*body] = lowest[*body].min(index);
            }
            let first = row.bodies.iter().filter(movable).map(|body| lowest[*body]).min().unwrap_or(index);
            self.starts.push((self.lower.len(), first));
            let start = self.lower.len();
            for column in first..index {
                let mut left = row.response(&self.rows[column]);
                let (other, other_first) = self.starts[column];
                for k in first.max(other_first)..column {
                    left -= self.lower[start + k - first] * self.lower[other + k - other_first];
                }
                let diagonal = self.lower[other + column - other_first];
                self.lower.push(if diagonal > 0.0 { left / diagonal } else { 0.0 });
            }
            let own = row.response(row);
            let left = own - self.lower[start..].iter().map(|entry| entry * entry).sum::<f64>();
            self.lower.push(if left > DEPENDENT * own { left.sqrt() } else { 0.0 });
        }
    }

    /// The impulses along the rows that change their numbers by so much.
    fn solve(&self, wanted: &mut [f64]) {
        for (row, (start, first)) in self.starts.iter().enumerate() {
            let done: f64 = (*first..row).map(|k| self.lower[start + k - first] * wanted[k]).sum();
            let diagonal = self.lower[start + row - first];
            wanted[row] = if diagonal > 0.0 { (wanted[row] - done) / diagonal } else { 0.0 };
        }
        for (row, (start, first)) in self.starts.iter().enumerate().rev() {
            let diagonal = self.lower[start + row - first];
            wanted[row] = if diagonal > 0.0 { wanted[row] / diagonal } else { 0.0 };
            for k in *first..row {
                wanted[k] -= self.lower[start + k - first] * wanted[row];
            }
        }
    }

    fn push(&self, impulses: &[f64], twists: &mut [Twist]) {
        for (row, impulse) in self.rows.iter().zip(impulses) {
            for (body, push) in row.bodies.iter().zip(&row.pushes) {
                twists[*body].add(*impulse, push);
            }
        }
    }

    /// Turns motions, or changes of them, one of each body, into the nearest ones that the
    /// joints allow: what is left if the joints give the impulses that they have to.
    ///
    /// # Panics
    /// When there are fewer motions than bodies.
    pub fn project(&self, twists: &mut [Twist]) {
        let mut impulses: Vec<f64> = self.rows.iter().map(|row| -row.read(twists)).collect();
        self.solve(&mut impulses);
        self.push(&impulses, twists);
    }

    /// By how much the joints are off, the largest: metres or radians.
    pub fn off(&self) -> f64 {
        self.rows.iter().map(|row| row.value.abs()).fold(0.0, f64::max)
    }
}

/// A limit of a joint: a number that must not fall below zero.
#[derive(Clone, Copy, Debug)]
pub struct LimitRow {
    /// The two bodies, by their places in the linkage.
    pub bodies: [usize; 2],
    /// How the number changes with the motion of each.
    pub reads: [Twist; 2],
    /// What the number is: metres or radians.
    pub room: f64,
}

/// Bodies with joints between them.
///
/// ```
/// use proscenium_bodies::contact::{Joint, JointImpulse, JointKind, Linkage, LinkedBody};
/// use proscenium_bodies::{Inertia, Motion, glam::DVec3};
///
/// // A weight on a rod of one metre that hangs from the ceiling, let go from the side.
/// let weight = Inertia { mass: 2.0, moments: DVec3::splat(1e-3) };
/// let ceiling = LinkedBody { motion: Motion::AT_REST, inertia: None };
/// let side = LinkedBody { motion: Motion { position: DVec3::X, ..Motion::AT_REST }, inertia: Some(weight) };
/// let joint = Joint {
///     bodies: [0, 1],
///     anchors: [DVec3::ZERO; 2],
///     kind: JointKind::Distance([1.0, 1.0]),
///     impulse: JointImpulse::default(),
/// };
/// let mut pendulum = Linkage::new(vec![ceiling, side], vec![joint], vec![0.0]);
/// for _ in 0..200 {
///     pendulum.advance(-9.81 * DVec3::Y, 0.005);
/// }
/// let motion = pendulum.bodies()[1].motion;
/// assert!((0.5 * motion.velocity.length_squared() + 9.81 * motion.position.y).abs() < 1e-7);
/// assert!((motion.position.length() - 1.0).abs() < 1e-12);
/// ```
#[derive(Clone, Debug)]
pub struct Linkage {
    bodies: Vec<LinkedBody>,
    joints: Vec<Joint>,
    damping: Vec<f64>,
}

/// The rates of a body.
#[derive(Clone, Copy, Debug)]
struct Rates {
    velocity: DVec3,
    /// Of the components of the orientation.
    turning: DQuat,
    acceleration: Twist,
}

impl Rates {
    const NONE: Self =
        Self { velocity: DVec3::ZERO, turning: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), acceleration: Twist::NONE };

    fn add(&mut self, share: f64, other: &Self) {
        self.velocity += share * other.velocity;
        self.turning += other.turning * share;
        self.acceleration.add(share, &other.acceleration);
    }

    /// Where they lead in a time.
    fn lead(&self, start: &Motion, time: f64) -> Motion {
        Motion {
            position: start.position + time * self.velocity,
            orientation: (start.orientation + self.turning * time).normalize(),
            velocity: start.velocity + time * self.acceleration.velocity,
            spin: start.spin + time * self.acceleration.spin,
        }
    }
}

impl Linkage {
    /// Bodies, the joints between them by their places in the list, and how strongly each joint
    /// resists turning, N m s; none where the list ends.
    pub fn new(bodies: Vec<LinkedBody>, joints: Vec<Joint>, damping: Vec<f64>) -> Self {
        Self { bodies, joints, damping }
    }

    /// The bodies as they move now.
    pub fn bodies(&self) -> &[LinkedBody] {
        &self.bodies
    }

    /// The bodies, to be moved otherwise.
    pub fn bodies_mut(&mut self) -> &mut [LinkedBody] {
        &mut self.bodies
    }

    /// The equations of the joints where the bodies are now.
    ///
    /// # Panics
    /// When a joint names a body that is not in the list.
    pub fn equations(&self) -> JointEquations {
        JointEquations::new(&self.bodies, &self.joints)
    }

    /// The limits of the joints where the bodies are now.
    ///
    /// # Panics
    /// When a joint names a body that is not in the list.
    pub fn limits(&self) -> Vec<LimitRow> {
        let mut limits = Vec::new();
        for joint in &self.joints {
            let places = joint.bodies.map(|body| body as usize);
            let [a, b] = places.map(|place| &self.bodies[place].motion);
            for row in joint.constraints(a, b) {
                let flip = match row.side {
                    Side::Zero => continue,
                    Side::AtLeastZero => 1.0,
                    Side::AtMostZero => -1.0,
                };
                let reads = reads(&Constraint { axis: flip * row.axis, ..row });
                limits.push(LimitRow { bodies: places, reads, room: flip * row.value });
            }
        }
        limits
    }

    /// What damping changes of velocities within a step.
    pub fn damp(&self, step: f64, twists: &mut [Twist]) {
        for (index, torque) in self.torques(step) {
            let body = &self.bodies[index];
            twists[index].add(step, &body.answer(&Twist { velocity: DVec3::ZERO, spin: torque }));
        }
    }

    /// The torques of damping; none stops its joint within less than a step.
    fn torques(&self, step: f64) -> Vec<(usize, DVec3)> {
        let mut torques = Vec::new();
        for (joint, strength) in self.joints.iter().zip(&self.damping).filter(|(_, strength)| **strength > 0.0) {
            let [a, b] = joint.bodies.map(|body| body as usize);
            let relative = self.bodies[b].motion.spin - self.bodies[a].motion.spin;
            let axis = match joint.kind {
                JointKind::Hinge { axes, .. } => self.bodies[a].motion.orientation * axes[0],
                JointKind::Ball { .. } => relative.normalize_or_zero(),
                JointKind::Distance(_) => continue,
            };
            let about = Twist { velocity: DVec3::ZERO, spin: axis };
            let softness: f64 = [a, b].iter().map(|body| axis.dot(self.bodies[*body].answer(&about).spin)).sum();
            if softness > 0.0 {
                let torque = strength.min(1.0 / (softness * step)) * relative.dot(axis) * axis;
                torques.extend([(a, torque), (b, -torque)]);
            }
        }
        torques
    }

    /// Moves on under gravity, and brings back what the step let drift.
    ///
    /// # Panics
    /// When a joint names a body that is not in the list.
    pub fn advance(&mut self, gravity: DVec3, step: f64) {
        let start = self.bodies.clone();
        let mut sum = vec![Rates::NONE; self.bodies.len()];
        for (weight, next) in [(1.0, 0.5), (2.0, 0.5), (2.0, 1.0), (1.0, 0.0)] {
            let rates = self.rates(gravity, step);
            for (index, body) in self.bodies.iter_mut().enumerate().filter(|(_, body)| body.inertia.is_some()) {
                sum[index].add(weight / 6.0, &rates[index]);
                body.motion = rates[index].lead(&start[index].motion, next * step);
            }
        }
        for (index, body) in self.bodies.iter_mut().enumerate().filter(|(_, body)| body.inertia.is_some()) {
            body.motion = sum[index].lead(&start[index].motion, step);
        }
        self.settle();
    }

    /// How everything changes now.
    fn rates(&self, gravity: DVec3, step: f64) -> Vec<Rates> {
        let equations = self.equations();
        let mut accelerations = vec![Twist::NONE; self.bodies.len()];
        for (index, torque) in self.torques(step) {
            let turning = Twist { velocity: DVec3::ZERO, spin: torque };
            accelerations[index].add(1.0, &self.bodies[index].answer(&turning));
        }
        for (acceleration, LinkedBody { motion, inertia }) in accelerations.iter_mut().zip(&self.bodies) {
            if let Some(inertia) = inertia {
                let momentum = inertia.angular_momentum(motion.orientation, motion.spin);
                acceleration.velocity += gravity;
                acceleration.spin += inertia.spin(motion.orientation, momentum.cross(motion.spin));
            }
        }
        let wanted = |row: &Row| -row.read(&accelerations) - row.bias;
        let mut impulses: Vec<f64> = equations.rows.iter().map(wanted).collect();
        equations.solve(&mut impulses);
        equations.push(&impulses, &mut accelerations);
        let rates = |(body, acceleration): (&LinkedBody, Twist)| {
            let LinkedBody { motion, .. } = body;
            let turning = DQuat::from_xyzw(motion.spin.x, motion.spin.y, motion.spin.z, 0.0) * motion.orientation;
            Rates { velocity: motion.velocity, turning: turning * 0.5, acceleration }
        };
        self.bodies.iter().zip(accelerations).map(rates).collect()
    }

    /// Brings positions and velocities to what the joints allow.
    ///
    /// # Panics
    /// When a joint names a body that is not in the list.
    pub fn settle(&mut self) {
        let mut equations = self.equations();
        for round in 0..ROUNDS {
            let mut impulses: Vec<f64> = equations.rows.iter().map(|row| -row.value).collect();
            let off = equations.off();
            equations.solve(&mut impulses);
            let mut shifts = vec![Twist::NONE; self.bodies.len()];
            equations.push(&impulses, &mut shifts);
            for (body, shift) in self.bodies.iter_mut().zip(&shifts).filter(|(body, _)| body.inertia.is_some()) {
                body.motion.position += shift.velocity;
                body.motion.orientation = (turn(shift.spin) * body.motion.orientation).normalize();
            }
            // What is left is about the square of what there was.
            if off * off < 1e-15 || round + 1 == ROUNDS {
                break;
            }
            equations = self.equations();
        }
        self.settle_velocities(&equations);
    }

    /// Brings velocities to what the joints allow.
    pub fn settle_velocities(&mut self, equations: &JointEquations) {
        let mut twists: Vec<Twist> = self.bodies.iter().map(LinkedBody::twist).collect();
        equations.project(&mut twists);
        for (body, twist) in self.bodies.iter_mut().zip(&twists).filter(|(body, _)| body.inertia.is_some()) {
            (body.motion.velocity, body.motion.spin) = (twist.velocity, twist.spin);
        }
    }
}

/// The turn by a vector of an angle.
fn turn(by: DVec3) -> DQuat {
    let angle = by.length();
    if angle == 0.0 {
        return DQuat::IDENTITY;
    }
    let (sin, cos) = libm::sincos(0.5 * angle);
    let axis = by / angle;
    DQuat::from_xyzw(axis.x * sin, axis.y * sin, axis.z * sin, cos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::JointImpulse;

    const DOWN: DVec3 = DVec3::new(0.0, -9.81, 0.0);
    const ROD: Inertia = Inertia { mass: 2.0, moments: DVec3::new(0.02, 0.5, 0.7) };
    const FIXED: LinkedBody = LinkedBody { motion: Motion::AT_REST, inertia: None };

    fn joint(bodies: [u32; 2], anchors: [DVec3; 2], kind: JointKind) -> Joint {
        Joint { bodies, anchors, kind, impulse: JointImpulse::default() }
    }

    fn rod(motion: Motion) -> LinkedBody {
        LinkedBody { motion, inertia: Some(ROD) }
    }

    /// The complete elliptic integral of the first kind, by the arithmetic-geometric mean.
    fn complete_elliptic(modulus: f64) -> f64 {
        let (mut a, mut g) = (1.0, (1.0 - modulus * modulus).sqrt());
        while (a - g) > 1e-15 {
            (a, g) = (0.5 * (a + g), (a * g).sqrt());
        }
        std::f64::consts::FRAC_PI_2 / a
    }

    fn energy(linkage: &Linkage) -> f64 {
        let of = |body: &LinkedBody| {
            let inertia = body.inertia?;
            Some(inertia.kinetic_energy(&body.motion) - inertia.mass * DOWN.dot(body.motion.position))
        };
        linkage.bodies().iter().filter_map(of).sum()
    }

    /// A rod on a hinge, against its closed form: 100 swings through 57 degrees.
    #[test]
    fn a_pendulum_keeps_its_energy_and_its_period() {
        let swing = 1.0;
        let orientation = DQuat::from_rotation_z(swing - std::f64::consts::FRAC_PI_2);
        let side = rod(Motion { position: orientation * DVec3::X, orientation, ..Motion::AT_REST });
        let hinge = joint([0, 1], [DVec3::ZERO, -DVec3::X], JointKind::Hinge { axes: [DVec3::Z; 2], limits: None });
        let mut linkage = Linkage::new(vec![FIXED, side], vec![hinge], Vec::new());
        let (moment, torque) = (ROD.moments.z + ROD.mass, ROD.mass * 9.81);
        let period = 4.0 * (moment / torque).sqrt() * complete_elliptic(libm::sin(0.5 * swing));
        let (first, steps) = (energy(&linkage), 40_000_u32);
        let step = 100.0 * period / f64::from(steps);
        let mut worst = 0.0_f64;
        for _ in 0..steps {
            linkage.advance(DOWN, step);
            worst = worst.max((energy(&linkage) - first).abs() / torque);
        }
        // The energy that there is to swing with is m g (1 - cos 1).
        assert!(worst < 1e-7, "{worst}");
        let end = linkage.bodies()[1].motion;
        // It is back where it began, and turns around.
        assert!((end.position - side.motion.position).length() < 1e-6, "{:?}", end.position - side.motion.position);
        assert!(end.spin.length() < 1e-5, "{}", end.spin);
    }

    /// A chain of rods in three dimensions, with a ball joint, a hinge and a distance.
    fn chain() -> Linkage {
        let place = |number: f64| Motion { position: 2.0 * number * DVec3::X, ..Motion::AT_REST };
        let mut bodies = vec![FIXED];
        bodies.extend((1..5).map(|number| rod(place(f64::from(number)))));
        let ball = JointKind::Ball { swing: None };
        let hinge = JointKind::Hinge { axes: [DVec3::new(0.6, 0.8, 0.0); 2], limits: None };
        let joints = vec![
            joint([0, 1], [DVec3::X, -DVec3::X], ball),
            joint([1, 2], [DVec3::X, -DVec3::X], hinge),
            joint([2, 3], [DVec3::X, -DVec3::X], ball),
            joint([3, 4], [DVec3::ZERO; 2], JointKind::Distance([2.0; 2])),
        ];
        let mut linkage = Linkage::new(bodies, joints, Vec::new());
        for (body, spin) in linkage.bodies_mut().iter_mut().skip(1).zip([0.3, -0.7, 1.1, 0.2]) {
            body.motion.spin = DVec3::new(spin, 0.5 - spin, 2.0 * spin);
        }
        let equations = linkage.equations();
        linkage.settle_velocities(&equations);
        linkage
    }

    #[test]
    fn a_chain_keeps_its_energy_and_hangs_together() {
        let drift = |step: f64| {
            let mut linkage = chain();
            let first = energy(&linkage);
            for _ in 0..(3.0 / step) as u32 {
                linkage.advance(DOWN, step);
            }
            assert!(linkage.equations().off() < 1e-12);
            (energy(&linkage) - first).abs()
        };
        let (coarse, fine) = (drift(0.004), drift(0.002));
        assert!(fine < 1e-7 && coarse > 5.0 * fine, "{coarse:e} {fine:e}");
    }

    /// A second hinge on the same axis says nothing new.
    #[test]
    fn what_follows_from_other_joints_does_no_harm() {
        let hinge = |height: f64| {
            let anchor = height * DVec3::Y;
            joint([0, 1], [anchor, anchor - DVec3::X], JointKind::Hinge { axes: [DVec3::Y; 2], limits: None })
        };
        let door = rod(Motion { position: DVec3::X, spin: DVec3::new(0.1, 1.0, 0.3), ..Motion::AT_REST });
        let run = |joints: Vec<Joint>| {
            let mut linkage = Linkage::new(vec![FIXED, door], joints, vec![0.5; 2]);
            linkage.settle();
            (0..500).for_each(|_| linkage.advance(DOWN, 0.004));
            (linkage.bodies()[1].motion, linkage.equations().off())
        };
        let (one, two) = (run(vec![hinge(0.5)]), run(vec![hinge(0.5), hinge(-0.5)]));
        assert!(one.1 < 1e-12 && two.1 < 1e-12);
        // Damping: the spin about the axis falls as exp(-c t / I), twice as fast with two.
        let about = ROD.moments.y + ROD.mass;
        let start = (ROD.moments.y * 1.0) / about;
        for ((motion, _), strength) in [(one, 0.5), (two, 1.0)] {
            let left = start * libm::exp(-strength * 2.0 / about);
            assert!((motion.spin.y - left).abs() < 1e-6, "{} {left}", motion.spin.y);
        }
    }

    #[test]
    fn limits_say_how_much_room_is_left() {
        let kind = JointKind::Hinge { axes: [DVec3::Z; 2], limits: Some((DQuat::IDENTITY, [-0.5, 0.25])) };
        let linkage = Linkage::new(
            vec![FIXED, rod(Motion { position: DVec3::X, ..Motion::AT_REST })],
            vec![joint([0, 1], [DVec3::ZERO, -DVec3::X], kind)],
            Vec::new(),
        );
        let limits = linkage.limits();
        assert_eq!(limits.iter().map(|limit| limit.room).collect::<Vec<_>>(), [0.5, 0.25]);
        assert_eq!(limits[1].reads[1].spin, -DVec3::Z);
    }
}
