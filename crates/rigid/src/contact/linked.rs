//! Linkages in a contact step: an impulse on one body moves all that hang together with it, and
//! limits push like contacts do.

use proscenium_bodies::contact::{JointEquations, LimitRow, Twist};

use super::solver::SolverBody;

/// The members of a step that joints hold together.
#[derive(Clone, Debug)]
pub(crate) struct JointGroup {
    /// By their places among the bodies of the step.
    pub members: Vec<usize>,
    /// How many bodies the equations are about: the members first.
    pub size: usize,
    pub equations: JointEquations,
    pub limits: Vec<LimitRow>,
    pub step: f64,
}

/// What an impulse of one newton second changes: of which body, and how.
pub(super) type Spread = Vec<(usize, Twist)>;

/// Limits that are passed give back this share per step; chosen, as for contacts that overlap.
const OPENING: f64 = 0.3;

/// How bodies change if each of these is pushed: with all that hang together with it.
pub(super) fn spread(pushes: &[(usize, Twist)], groups: &[JointGroup]) -> Spread {
    let mut spread = Spread::new();
    for (body, push) in pushes {
        if !groups.iter().any(|group| group.members.contains(body)) {
            spread.push((*body, *push));
        }
    }
    for group in groups {
        let mut twists = vec![Twist::NONE; group.size];
        let mut is_pushed = false;
        for (body, push) in pushes {
            if let Some(place) = group.members.iter().position(|member| member == body) {
                twists[place].velocity += push.velocity;
                twists[place].spin += push.spin;
                is_pushed = true;
            }
        }
        if is_pushed {
            group.equations.project(&mut twists);
            spread.extend(group.members.iter().copied().zip(twists));
        }
    }
    spread
}

/// What a pair of bodies feels of a spread.
pub(super) fn felt(spread: &Spread, body: usize) -> Twist {
    spread.iter().find(|(moved, _)| *moved == body).map_or(Twist::NONE, |(_, twist)| *twist)
}

/// Gives the impulse to all whom it reaches.
pub(super) fn push(spread: &Spread, bodies: &mut [SolverBody], impulse: f64) {
    for (body, twist) in spread {
        bodies[*body].velocity += impulse * twist.velocity;
        bodies[*body].spin += impulse * twist.spin;
    }
}

/// A limit of a joint while it is solved.
#[derive(Clone, Debug)]
pub(super) struct LimitConstraint {
    bodies: [Option<usize>; 2],
    reads: [Twist; 2],
    spread: Spread,
    mass: f64,
    /// The speed at which the room may grow, at least.
    aim: f64,
    impulse: f64,
}

impl LimitConstraint {
    /// All limits of a group.
    pub(super) fn of(group: &JointGroup, bodies: &[SolverBody]) -> Vec<Self> {
        group.limits.iter().filter_map(|limit| Self::new(group, limit, bodies)).collect()
    }

    fn new(group: &JointGroup, limit: &LimitRow, bodies: &[SolverBody]) -> Option<Self> {
        let places = limit.bodies.map(|body| group.members.get(body).copied());
        let pushes: Vec<(usize, Twist)> = places
            .iter()
            .zip(&limit.reads)
            .filter_map(|(place, read)| Some(((*place)?, bodies[(*place)?].answer(read.velocity, read.spin))))
            .collect();
        let spread = spread(&pushes, std::slice::from_ref(group));
        let response: f64 = places
            .iter()
            .zip(&limit.reads)
            .filter_map(|(place, read)| {
                let twist = felt(&spread, (*place)?);
                Some(read.velocity.dot(twist.velocity) + read.spin.dot(twist.spin))
            })
            .sum();
        let share = if limit.room > 0.0 { 1.0 } else { OPENING };
        let aim = -share * limit.room / group.step;
        (response > 0.0).then(|| Self {
            bodies: places,
            reads: limit.reads,
            spread,
            mass: 1.0 / response,
            aim,
            impulse: 0.0,
        })
    }

    /// Puts it right, and returns by how much it changed a velocity.
    pub(super) fn relax(&mut self, bodies: &mut [SolverBody]) -> f64 {
        let mut speed = 0.0;
        for (body, read) in self.bodies.iter().zip(&self.reads) {
            if let Some(body) = body {
                speed += read.velocity.dot(bodies[*body].velocity) + read.spin.dot(bodies[*body].spin);
            }
        }
        let wanted = (self.impulse + self.mass * (self.aim - speed)).max(0.0);
        let change = wanted - self.impulse;
        self.impulse = wanted;
        push(&self.spread, bodies, change);
        let moved = self.spread.iter().map(|(_, twist)| twist.velocity.length()).fold(0.0, f64::max);
        change.abs() * moved
    }
}

/// Takes away what joints do not allow of velocities, where rounding or resistance to rolling
/// has left some.
pub(super) fn straighten(group: &JointGroup, bodies: &mut [SolverBody]) {
    let mut twists = vec![Twist::NONE; group.size];
    for (twist, member) in twists.iter_mut().zip(&group.members) {
        *twist = Twist { velocity: bodies[*member].velocity, spin: bodies[*member].spin };
    }
    group.equations.project(&mut twists);
    for (twist, member) in twists.iter().zip(&group.members) {
        (bodies[*member].velocity, bodies[*member].spin) = (twist.velocity, twist.spin);
    }
}
