//! The contact solver: projected Gauss–Seidel over all places of an island.
//!
//! At every place the bodies may not come closer than the skin by the end of
//! the step, the normal impulse only pushes, and friction stops the sliding
//! or reaches the edge of Coulomb's cone. Each place in turn is put right,
//! the others held; the rounds end when nothing changes any more.
//!
//! ```text
//! places of an island ─▶ constraints ─▶ warm up with the impulses of the last step
//!   ─▶ rounds: friction, rolling, normal at each place in turn ─▶ settled?
//!   ─▶ places that were hit aim at their bounce ─▶ rounds again ─▶ velocities
//! ```
//!
//! Where joints hold bodies together, a push at a place moves all of them (see `linked`): what
//! the joints forbid is never there to be put right.
//!
//! How many rounds, how long a step and how thick the skin is, [`ContactRule`]
//! says.

use proscenium_bodies::glam::{DMat3, DVec2, DVec3};
use proscenium_bodies::{Inertia, Motion, PairSurface};
use proscenium_geometry::TouchPoint;

use super::ContactRule;
use super::linked::{self, JointGroup, LimitConstraint, Spread};
use proscenium_bodies::contact::Twist;

/// A body as the solver sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SolverBody {
    pub position: DVec3,
    pub velocity: DVec3,
    pub spin: DVec3,
    /// What gravity has added to the velocity in this step.
    fall: DVec3,
    inverse_mass: f64,
    inverse_inertia: DMat3,
}

impl SolverBody {
    /// A body that can move, at the beginning of a step under gravity.
    pub(crate) fn moving(motion: &Motion, inertia: &Inertia, gravity: DVec3, step: f64) -> Self {
        let inverse_inertia = inertia.inverse_tensor(motion.orientation);
        // The torque-free change of spin, so that what turns goes on turning.
        let momentum = inertia.angular_momentum(motion.orientation, motion.spin);
        let change = inverse_inertia * momentum.cross(motion.spin) * step;
        // A step turns a body by little, so a larger change is an artefact.
        let change = change.clamp_length_max(0.1 * motion.spin.length());
        Self {
            position: motion.position,
            velocity: motion.velocity + step * gravity,
            spin: motion.spin + change,
            fall: step * gravity,
            inverse_mass: 1.0 / inertia.mass,
            inverse_inertia,
        }
    }

    /// A body that goes on as it does, whatever pushes it in this step.
    pub(crate) fn carried(motion: &Motion) -> Self {
        Self { velocity: motion.velocity, spin: motion.spin, ..Self::fixed(motion.position) }
    }

    /// A body that nothing moves in this step.
    pub(crate) fn fixed(position: DVec3) -> Self {
        Self {
            position,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
            fall: DVec3::ZERO,
            inverse_mass: 0.0,
            inverse_inertia: DMat3::ZERO,
        }
    }

    /// What an impulse and an angular impulse change.
    pub(super) fn answer(&self, impulse: DVec3, turning: DVec3) -> Twist {
        Twist { velocity: self.inverse_mass * impulse, spin: self.inverse_inertia * turning }
    }
}

/// One direction at a place: how velocities are read along it, and what an
/// impulse along it does to them.
#[derive(Clone, Copy, Debug)]
struct Row {
    direction: DVec3,
    turn_a: DVec3,
    turn_b: DVec3,
    spin_a: DVec3,
    spin_b: DVec3,
}

impl Row {
    fn new(direction: DVec3, a: &SolverBody, arm_a: DVec3, b: &SolverBody, arm_b: DVec3) -> Self {
        let (turn_a, turn_b) = (arm_a.cross(direction), arm_b.cross(direction));
        let (spin_a, spin_b) = (a.inverse_inertia * turn_a, b.inverse_inertia * turn_b);
        Self { direction, turn_a, turn_b, spin_a, spin_b }
    }

    /// The speed of the second body against the first.
    #[inline]
    fn speed(&self, a: &SolverBody, b: &SolverBody) -> f64 {
        self.direction.dot(b.velocity - a.velocity) + self.turn_b.dot(b.spin) - self.turn_a.dot(a.spin)
    }

    #[inline]
    fn push(&self, a: &mut SolverBody, b: &mut SolverBody, impulse: f64) {
        a.velocity -= a.inverse_mass * impulse * self.direction;
        a.spin -= impulse * self.spin_a;
        b.velocity += b.inverse_mass * impulse * self.direction;
        b.spin += impulse * self.spin_b;
    }

    /// What a push along it moves, if joints hold some of it together.
    fn spread(&self, places: [usize; 2], [a, b]: [&SolverBody; 2], groups: &[JointGroup]) -> Spread {
        let pushes = [a.answer(-self.direction, -self.turn_a), b.answer(self.direction, self.turn_b)];
        linked::spread(&[(places[0], pushes[0]), (places[1], pushes[1])], groups)
    }

    /// The change of speed along it that a spread makes.
    fn felt(&self, spread: &Spread, [a, b]: [usize; 2]) -> f64 {
        let (a, b) = (linked::felt(spread, a), linked::felt(spread, b));
        self.direction.dot(b.velocity - a.velocity) + self.turn_b.dot(b.spin) - self.turn_a.dot(a.spin)
    }

    /// The change of speed along another row at the same place, per impulse.
    fn response(&self, other: &Self, a: &SolverBody, b: &SolverBody) -> f64 {
        (a.inverse_mass + b.inverse_mass) * self.direction.dot(other.direction)
            + self.spin_a.dot(other.turn_a)
            + self.spin_b.dot(other.turn_b)
    }
}

/// A place where two bodies of a step touch, and what must hold there.
#[derive(Clone, Debug)]
pub(crate) struct ContactConstraint {
    a: usize,
    b: usize,
    pub feature: u64,
    normal: Row,
    across: [Row; 2],
    /// The speed of parting that must be reached.
    aim: f64,
    /// The speed of parting that a bounce gives, if one is due.
    bounce: Option<f64>,
    surface: PairSurface,
    /// What resists rolling, if anything does.
    rolling: Option<RollingResistance>,
    /// What a push along each direction moves, the normal first, if that is more than the two
    /// bodies.
    spreads: Option<Box<[Spread; 3]>>,
    normal_mass: f64,
    across_mass: f64,
    normal_impulse: f64,
    across_impulse: DVec2,
    turning_impulse: DVec3,
}

/// Resistance against turning at a place.
#[derive(Clone, Copy, Debug)]
struct RollingResistance {
    /// The turning impulse that changes the relative spin by so much.
    inertia: DMat3,
    /// The largest turning impulse, per normal impulse.
    limit: f64,
}

impl RollingResistance {
    /// At a place as far as the lever from the centre of what rolls.
    fn new(share_of_load: f64, lever: f64, first: &SolverBody, second: &SolverBody) -> Option<Self> {
        let turning = first.inverse_inertia + second.inverse_inertia;
        let inertia = turning.inverse();
        if lever <= 0.0 || !inertia.is_finite() {
            return None;
        }
        // What slows the rolling by the given share of the load has to slow
        // the turning as well.
        let columns = turning.to_cols_array();
        let mean = (columns[0] + columns[4] + columns[8]) / 3.0;
        let share = 1.0 + (first.inverse_mass + second.inverse_mass) / (mean * lever * lever);
        Some(Self { inertia, limit: share_of_load * lever * share })
    }
}

/// Gaps below the skin are opened by this share per step, so slowly that bodies
/// may come to rest the while. Chosen: Baumgarte's stabilisation with a share in
/// the usual range of 0.1 to 0.8, limited by the speed of rest.
const OPENING: f64 = 0.3;
/// Where bodies slide, they may be pushed apart by this share of their speed.
/// Chosen: an opening at a fifth of the sliding is not seen beside it.
const UNSEEN: f64 = 0.2;

impl ContactConstraint {
    /// A place between the bodies `a` and `b` of a step that exchanged an
    /// impulse in the last one, and where friction acts.
    pub(crate) fn new(
        [a, b]: [usize; 2],
        bodies: &[SolverBody],
        groups: &[JointGroup],
        (place, grip): (&TouchPoint, DVec3),
        surface: PairSurface,
        last: DVec3,
        rule: &ContactRule,
    ) -> Self {
        let point = 0.5 * (place.point_a + place.point_b);
        let (first, second) = (&bodies[a], &bodies[b]);
        let (arm_a, arm_b) = (point - first.position, point - second.position);
        // From the first body to the second: the second is pushed along it.
        let (right, ahead) = place.normal.any_orthonormal_pair();
        let (grip_a, grip_b) = (grip - first.position, grip - second.position);
        let across = |direction| Row::new(direction, first, grip_a, second, grip_b);
        let normal = Row::new(place.normal, first, arm_a, second, arm_b);
        let (right, ahead) = (across(right), across(ahead));
        let is_held = |body: usize| groups.iter().any(|group| group.members.contains(&body));
        let spreads = (is_held(a) || is_held(b))
            .then(|| Box::new([&normal, &right, &ahead].map(|row| row.spread([a, b], [first, second], groups))));
        let response = |u: usize, v: usize| {
            let rows = [&normal, &right, &ahead];
            match &spreads {
                None => rows[u].response(rows[v], first, second),
                Some(spreads) => rows[v].felt(&spreads[u], [a, b]),
            }
        };
        let approach = -normal.speed(first, second);
        let excess = place.gap - rule.skin;
        let aim = if excess > 0.0 {
            -excess / rule.step
        } else {
            let sliding = DVec2::new(right.speed(first, second), ahead.speed(first, second)).length();
            (-OPENING * excess / rule.step).min(0.5 * rule.rest_speed + UNSEEN * sliding)
        };
        let reaches = approach * rule.step > excess;
        // The fall of this very step is not what it comes down with.
        let blow = approach + (second.fall - first.fall).dot(place.normal);
        let bounce = (reaches && blow > rule.speed).then_some(surface.restitution * blow);
        // One mass for all directions, so that friction that cannot hold acts
        // straight against the sliding: that of the most easily moved.
        let (p, q, r) = (response(1, 1), response(1, 2), response(2, 2));
        let normal_mass = 1.0 / response(0, 0).max(f64::MIN_POSITIVE);
        let easiest = 0.5 * (p + r) + (0.25 * (p - r) * (p - r) + q * q).sqrt();
        let lever = match (first.inverse_mass > 0.0, second.inverse_mass > 0.0) {
            _ if surface.rolling == 0.0 => 0.0,
            (true, true) => arm_a.length().min(arm_b.length()),
            (true, false) => arm_a.length(),
            _ => arm_b.length(),
        };
        Self {
            a,
            b,
            feature: place.feature,
            normal,
            across: [right, ahead],
            aim,
            bounce,
            surface,
            spreads,
            rolling: RollingResistance::new(surface.rolling, lever, first, second),
            normal_mass,
            across_mass: 1.0 / easiest.max(f64::MIN_POSITIVE),
            normal_impulse: last.dot(normal.direction).max(0.0),
            across_impulse: DVec2::new(last.dot(right.direction), last.dot(ahead.direction)),
            turning_impulse: DVec3::ZERO,
        }
    }

    /// The impulse on the second body in this step.
    pub(crate) fn impulse(&self) -> DVec3 {
        self.normal_impulse * self.normal.direction
            + self.across_impulse.x * self.across[0].direction
            + self.across_impulse.y * self.across[1].direction
    }

    /// Begins with the impulse of the last step.
    fn warm_up(&mut self, bodies: &mut [SolverBody]) {
        self.across_impulse = self.across_impulse.clamp_length_max(self.surface.friction * self.normal_impulse);
        if let Some(spreads) = &self.spreads {
            let impulses = [self.normal_impulse, self.across_impulse.x, self.across_impulse.y];
            for (spread, impulse) in spreads.iter().zip(impulses) {
                linked::push(spread, bodies, impulse);
            }
            return;
        }
        let Ok([first, second]) = bodies.get_disjoint_mut([self.a, self.b]) else {
            return;
        };
        self.normal.push(first, second, self.normal_impulse);
        self.across[0].push(first, second, self.across_impulse.x);
        self.across[1].push(first, second, self.across_impulse.y);
    }

    /// Puts the place right, and returns by how much it changed a velocity.
    fn relax(&mut self, bodies: &mut [SolverBody]) -> f64 {
        if let Some(spreads) = self.spreads.take() {
            let moved = self.relax_linked(&spreads, bodies);
            self.spreads = Some(spreads);
            return moved;
        }
        let Ok([first, second]) = bodies.get_disjoint_mut([self.a, self.b]) else {
            return 0.0;
        };
        let limit = self.surface.friction * self.normal_impulse;
        let sliding = DVec2::new(self.across[0].speed(first, second), self.across[1].speed(first, second));
        let held = (self.across_impulse - self.across_mass * sliding).clamp_length_max(limit);
        let change = held - self.across_impulse;
        self.across_impulse = held;
        self.across[0].push(first, second, change.x);
        self.across[1].push(first, second, change.y);
        if let Some(resistance) = self.rolling {
            self.resist_rolling(&resistance, first, second);
        }

        let parting = self.normal.speed(first, second);
        let wanted = (self.normal_impulse + self.normal_mass * (self.aim - parting)).max(0.0);
        let push = wanted - self.normal_impulse;
        self.normal_impulse = wanted;
        self.normal.push(first, second, push);
        (push.abs() + change.length()) / self.normal_mass
    }

    /// The same where a push moves more than the two.
    fn relax_linked(&mut self, spreads: &[Spread; 3], bodies: &mut [SolverBody]) -> f64 {
        let limit = self.surface.friction * self.normal_impulse;
        let speed = |row: &Row, bodies: &[SolverBody]| row.speed(&bodies[self.a], &bodies[self.b]);
        let sliding = DVec2::new(speed(&self.across[0], bodies), speed(&self.across[1], bodies));
        let held = (self.across_impulse - self.across_mass * sliding).clamp_length_max(limit);
        let change = held - self.across_impulse;
        linked::push(&spreads[1], bodies, change.x);
        linked::push(&spreads[2], bodies, change.y);
        self.across_impulse = held;
        if let (Some(resistance), Ok([first, second])) = (self.rolling, bodies.get_disjoint_mut([self.a, self.b])) {
            self.resist_rolling(&resistance, first, second);
        }
        let parting = self.normal.speed(&bodies[self.a], &bodies[self.b]);
        let wanted = (self.normal_impulse + self.normal_mass * (self.aim - parting)).max(0.0);
        let push = wanted - self.normal_impulse;
        self.normal_impulse = wanted;
        linked::push(&spreads[0], bodies, push);
        (push.abs() + change.length()) / self.normal_mass
    }

    /// A turning impulse against the relative spin, limited by the load.
    fn resist_rolling(&mut self, resistance: &RollingResistance, first: &mut SolverBody, second: &mut SolverBody) {
        let relative = second.spin - first.spin;
        let limit = resistance.limit * self.normal_impulse;
        let held = (self.turning_impulse - resistance.inertia * relative).clamp_length_max(limit);
        let change = held - self.turning_impulse;
        self.turning_impulse = held;
        first.spin -= first.inverse_inertia * change;
        second.spin += second.inverse_inertia * change;
    }
}

/// Finds the velocities at the end of a step.
pub(crate) fn solve(
    bodies: &mut [SolverBody],
    constraints: &mut [ContactConstraint],
    groups: &[JointGroup],
    rule: &ContactRule,
) {
    let mut limits: Vec<LimitConstraint> = groups.iter().flat_map(|group| LimitConstraint::of(group, bodies)).collect();
    for constraint in constraints.iter_mut() {
        constraint.warm_up(bodies);
    }
    // Velocities are settled when they change by no more than would move a
    // body by a tenth of its skin in a step.
    let settled = 0.1 * rule.skin / rule.step;
    let mut relax_all = |bodies: &mut [SolverBody], constraints: &mut [ContactConstraint]| {
        for _ in 0..rule.rounds {
            let mut most = 0.0_f64;
            for limit in &mut limits {
                most = most.max(limit.relax(bodies));
            }
            for constraint in constraints.iter_mut() {
                most = most.max(constraint.relax(bodies));
            }
            for group in groups {
                linked::straighten(group, bodies);
            }
            if most < settled {
                return;
            }
        }
    };
    relax_all(bodies, constraints);
    // A place that was hit bounces; then all settle once more.
    let mut bounced = false;
    for constraint in constraints.iter_mut() {
        if let Some(speed) = constraint.bounce.filter(|_| constraint.normal_impulse > 0.0) {
            constraint.aim = constraint.aim.max(speed);
            bounced = true;
        }
    }
    if bounced {
        relax_all(bodies, constraints);
    }
}
