//! Bodies that joints hold together: who they are, how they move between events, and what a
//! blow to one of them does to all.
//!
//! A linkage is stepped as an island is, at the same rate. Where nothing presses on it, its
//! motion over the step is found with fourth-order accuracy, and every body takes the flight
//! that begins as it does and ends where it does: with a constant acceleration and a constant
//! change of spin. When the step ends, or something happens within it, the velocities are those
//! of the accurate motion again. So nothing accumulates that flights are too simple for.

use std::collections::BTreeSet;

use proscenium_bodies::contact::{JointEquations, LimitRow, Linkage, LinkedBody, Twist};
use proscenium_bodies::glam::{DMat3, DQuat, DVec3};
use proscenium_bodies::{Flight, Motion, impulse_between};

use super::World;
use super::collision::{CollisionOutcome, Meet};
use crate::body::{BodyId, Presence};
use crate::contact::{ContactRule, JointGroup};
use crate::error::{SimulationError, WorldError};
use crate::joint::{JointDef, WORLD, WorldJoint};
use crate::record::Contact;

/// A linkage that is slower than what counts as rest, and would gain no more than this share of
/// it until it may rest, rests; chosen: a pendulum at its turning point does not.
const LASTING: f64 = 0.1;
/// The angle that a body of a linkage may turn by in a step; chosen: over 40 000 steps its
/// energy then changes by less than a millionth.
const LINKED_TURN: f64 = 0.03;

/// The bodies of a step that joints hold together.
pub(super) struct StepLinkage {
    /// By their places among the members of the step.
    pub members: Vec<usize>,
    /// The members first, then what holds them and cannot move.
    pub linkage: Linkage,
    /// How they move at the end of the step, if nothing presses on them.
    pub ahead: Option<Vec<Motion>>,
}

impl World {
    /// Adds a joint of bodies that are there.
    pub(super) fn add_joint(&mut self, def: &JointDef) -> Result<(), WorldError> {
        let wrong = |what| Err(WorldError::Joint { joint: def.name.clone(), what });
        let known = |body: BodyId| body.index() < self.bodies.len();
        if !known(def.body) || !def.to.is_none_or(known) {
            return wrong("it names a body that is not part of this world");
        }
        if def.to == Some(def.body) {
            return wrong("it holds a body to itself");
        }
        if let Some(what) = def.fault() {
            return wrong(what);
        }
        let moves = |body: BodyId| self.bodies[body.index()].inertia.is_some();
        if !moves(def.body) && !def.to.is_some_and(moves) {
            return wrong("nothing can move what it holds");
        }
        if let Some(to) = def.to.filter(|to| moves(*to) && moves(def.body))
            && self.bodies[to.index()].start != self.bodies[def.body.index()].start
        {
            return wrong("its bodies enter at different times");
        }
        if [Some(def.body), def.to].into_iter().flatten().any(|body| self.bodies[body.index()].is_driven()) {
            return wrong("it holds a body that moves as told");
        }
        if self.contact.is_none() {
            return wrong("it needs a world in which contacts last");
        }
        let joint = WorldJoint::new(def, &self.bodies);
        let number = self.joints.len() as u32;
        for body in joint.bodies.into_iter().filter(|body| *body != WORLD) {
            self.joints_of[body as usize].push(number);
        }
        let [a, b] = joint.bodies;
        self.joined.insert((a.min(b), a.max(b)));
        self.joints.push(joint);
        Ok(())
    }

    pub(crate) fn is_jointed(&self, body: u32) -> bool {
        !self.joints.is_empty() && !self.joints_of[body as usize].is_empty()
    }

    /// Whether joints keep two bodies from colliding with each other.
    pub(crate) fn are_joined(&self, a: u32, b: u32) -> bool {
        !self.joined.is_empty() && self.joined.contains(&(a.min(b), a.max(b)))
    }

    /// Those that can move and are joined to a body.
    pub(crate) fn joined_to(&self, body: u32) -> BTreeSet<u32> {
        let others = self.joints_of[body as usize].iter().map(|joint| self.joints[*joint as usize].other(body));
        others.filter(|other| *other != WORLD && self.bodies[*other as usize].inertia.is_some()).collect()
    }

    /// All who hang together with a body that can move, in order, as far as they are here.
    pub(crate) fn linkage_of(&self, body: u32) -> Vec<u32> {
        let mut known = BTreeSet::from([body]);
        let mut next = vec![body];
        while let Some(body) = next.pop() {
            for other in self.joined_to(body) {
                if self.bodies[other as usize].is_here() && known.insert(other) {
                    next.push(other);
                }
            }
        }
        known.into_iter().collect()
    }

    /// Whether anything that can move in a linkage is not at rest.
    fn stirs(&self, members: &[u32]) -> bool {
        members.iter().any(|k| self.bodies[*k as usize].presence == Presence::Here)
    }

    /// Lets the linkage of a body that has entered move.
    pub(super) fn start_linkage(&mut self, index: u32) {
        if !self.is_jointed(index) || self.bodies[index as usize].inertia.is_none() {
            return;
        }
        let members = self.linkage_of(index);
        if self.stirs(&members) {
            self.join(&members);
        }
    }

    /// The linkage of some bodies that move so, with what holds them.
    fn assemble(&self, members: &[u32], motions: &[Motion]) -> Linkage {
        let mut bodies: Vec<LinkedBody> = members
            .iter()
            .zip(motions)
            .map(|(k, motion)| LinkedBody { motion: *motion, inertia: self.bodies[*k as usize].inertia })
            .collect();
        let numbers: BTreeSet<u32> = members.iter().flat_map(|k| self.joints_of[*k as usize].iter().copied()).collect();
        let (mut joints, mut damping) = (Vec::new(), Vec::new());
        for joint in numbers.into_iter().map(|number| &self.joints[number as usize]) {
            let here = |body: &u32| *body == WORLD || self.bodies[*body as usize].is_here();
            if !joint.bodies.iter().all(here) {
                continue;
            }
            let places = joint.bodies.map(|body| match members.binary_search(&body) {
                Ok(place) => place as u32,
                Err(_) => {
                    let pose = (body != WORLD).then(|| self.bodies[body as usize].flight.pose(self.now));
                    let motion = pose.map_or(Motion::AT_REST, |pose| Motion {
                        position: pose.translation,
                        orientation: pose.rotation,
                        ..Motion::AT_REST
                    });
                    bodies.push(LinkedBody { motion, inertia: None });
                    bodies.len() as u32 - 1
                }
            });
            joints.push(joint.between(places));
            damping.push(joint.damping);
        }
        Linkage::new(bodies, joints, damping)
    }

    /// A whole linkage as it moves now, without what flights are too simple for.
    fn accurate(&self, members: &[u32]) -> Linkage {
        let body = |k: &u32| &self.bodies[*k as usize];
        let start = body(&members[0]).flight.start();
        let is_led = start < self.now && members.iter().all(|k| body(k).linked && body(k).flight.start() == start);
        let since = if is_led { start } else { self.now };
        let began: Vec<Motion> = members.iter().map(|k| body(k).flight.at(since)).collect();
        let mut linkage = self.assemble(members, &began);
        if is_led {
            linkage.advance(self.gravity, self.now - since);
        }
        linkage
    }

    /// A whole linkage now: where flights have it, with the velocities of the accurate motion.
    fn linkage_now(&self, members: &[u32]) -> Linkage {
        let mut linkage = self.accurate(members);
        for (body, k) in linkage.bodies_mut().iter_mut().zip(members) {
            let pose = self.bodies[*k as usize].flight.pose(self.now);
            (body.motion.position, body.motion.orientation) = (pose.translation, pose.rotation.normalize());
        }
        let equations = linkage.equations();
        linkage.settle_velocities(&equations);
        linkage
    }

    /// How a body that is here moves now, and all that it hangs together with.
    pub(super) fn accurate_motions(&self, index: u32) -> Vec<(u32, Motion)> {
        if !self.is_jointed(index) || self.bodies[index as usize].inertia.is_none() {
            return vec![(index, self.bodies[index as usize].flight.at(self.now))];
        }
        let members = self.linkage_of(index);
        let linkage = self.accurate(&members);
        members.into_iter().zip(linkage.bodies()).map(|(k, body)| (k, body.motion)).collect()
    }

    /// All that hang together with either of two bodies, or are one of them, and how they move
    /// now: one linkage, though it may be of two parts.
    fn linkages_now(&self, bodies: &[u32]) -> (Vec<u32>, Linkage) {
        let mut all: Vec<(u32, Motion)> = Vec::new();
        for body in bodies.iter().filter(|body| self.bodies[**body as usize].inertia.is_some()) {
            if all.iter().any(|(known, _)| known == body) {
                continue;
            }
            let members = self.linkage_of(*body);
            let linkage = self.linkage_now(&members);
            all.extend(members.iter().zip(linkage.bodies()).map(|(k, body)| (*k, body.motion)));
        }
        all.sort_by_key(|(k, _)| *k);
        let (members, motions): (Vec<u32>, Vec<Motion>) = all.into_iter().unzip();
        let linkage = self.assemble(&members, &motions);
        (members, linkage)
    }

    /// The linkages among the members of a step, and how each member of one moves now.
    pub(super) fn step_linkages(&self, members: &[u32]) -> Vec<StepLinkage> {
        let mut found: Vec<StepLinkage> = Vec::new();
        if self.joints.is_empty() {
            return found;
        }
        for (place, k) in members.iter().enumerate() {
            if !self.is_jointed(*k) || found.iter().any(|linkage| linkage.members.contains(&place)) {
                continue;
            }
            let whole = self.linkage_of(*k);
            let places = whole.iter().filter_map(|k| members.binary_search(k).ok()).collect();
            found.push(StepLinkage { members: places, linkage: self.linkage_now(&whole), ahead: None });
        }
        found
    }

    /// Where a linkage is at the end of a step on which nothing presses; `None` if a limit is
    /// passed on the way.
    pub(super) fn look_ahead_of(&self, linkage: &Linkage, step: f64) -> Option<Linkage> {
        let mut ahead = linkage.clone();
        ahead.advance(self.gravity, step);
        let passed = |limits: Vec<LimitRow>| limits.iter().any(|limit| limit.room < 0.0);
        (!passed(linkage.limits()) && !passed(ahead.limits())).then_some(ahead)
    }

    /// A linkage whose members are given by their places in a list of a step, for the solver.
    pub(super) fn joint_group(&self, linkage: &StepLinkage, step: f64) -> JointGroup {
        JointGroup {
            members: linkage.members.clone(),
            size: linkage.linkage.bodies().len(),
            equations: linkage.linkage.equations(),
            limits: linkage.linkage.limits(),
            step,
        }
    }

    /// A body of a linkage on which nothing presses takes the flight that leads to where it is
    /// at the end of the step.
    pub(super) fn lead(
        &mut self,
        index: u32,
        [from, to]: [&Motion; 2],
        rule: &ContactRule,
    ) -> Result<(), SimulationError> {
        if !(from.is_finite() && to.is_finite()) {
            return Err(self.not_finite(index));
        }
        let flight = leading(self.now, from, to, rule.step);
        let body = &mut self.bodies[index as usize];
        let fastest = |motion: &Motion| motion.velocity.length() + motion.spin.length() * body.reach;
        let gained = (to.velocity - from.velocity).length() + (to.spin - from.spin).length() * body.reach;
        let calm = fastest(from) < rule.rest_speed && gained * rule.rest_after < LASTING * rule.rest_speed * rule.step;
        body.calm = if calm { body.calm + 1 } else { 0 };
        body.take_flight(flight);
        body.linked = true;
        self.note_course(index);
        Ok(())
    }

    /// What is left of a step's velocities when the joints have them where they belong: the
    /// members go straight to where the joints let them.
    pub(super) fn straighten(linkage: &mut StepLinkage, now: &[Motion], step: f64) -> Vec<Motion> {
        for (body, place) in linkage.linkage.bodies_mut().iter_mut().zip(&linkage.members) {
            let motion = &now[*place];
            body.motion = Motion {
                position: motion.position + step * motion.velocity,
                orientation: (turn(step * motion.spin) * motion.orientation).normalize(),
                ..*motion
            };
        }
        linkage.linkage.settle();
        let straight = |(place, body): (&usize, &LinkedBody)| {
            let start = &now[*place];
            Motion {
                velocity: (body.motion.position - start.position) / step,
                spin: turned_by(start.orientation, body.motion.orientation) / step,
                ..*start
            }
        };
        linkage.members.iter().zip(linkage.linkage.bodies()).map(straight).collect()
    }

    /// The longest step of an island in which a linkage turns this fast.
    pub(super) fn linked_step(step: f64, linkages: &[StepLinkage]) -> f64 {
        let bodies = linkages.iter().flat_map(|linkage| linkage.linkage.bodies());
        let fastest = bodies.map(|body| body.motion.spin.length()).fold(0.0, f64::max);
        step.min(LINKED_TURN / fastest).max(step / 16.0)
    }

    /// A blow between two bodies one of which hangs together with others, at least: all of them
    /// answer.
    pub(super) fn resolve_jointed(&mut self, index: u32, meet: &Meet) -> Result<CollisionOutcome, SimulationError> {
        let Meet { a, b, point, normal, surface } = *meet;
        let (members, linkage) = self.linkages_now(&[a, b]);
        let equations = linkage.equations();
        let bodies = linkage.bodies();
        let places = [a, b].map(|k| members.binary_search(&k).ok());
        let velocity = |at: Option<usize>, twists: Option<&[Twist]>| {
            let Some(at) = at else {
                return DVec3::ZERO;
            };
            let motion = &bodies[at].motion;
            let Twist { velocity, spin } =
                twists.map_or(Twist { velocity: motion.velocity, spin: motion.spin }, |twists| twists[at]);
            velocity + spin.cross(point - motion.position)
        };
        let between = |twists: Option<&[Twist]>| velocity(places[1], twists) - velocity(places[0], twists);
        let answer = |impulse: DVec3| answer(bodies, &equations, places, point, impulse);
        let relative = between(None);
        if -relative.dot(normal) >= 0.0 && self.lasts([a, b], -relative.dot(normal), surface) {
            self.hold(index);
            return Ok(CollisionOutcome::Held);
        }
        let columns = DVec3::AXES.map(|axis| between(Some(&answer(axis))));
        let response = DMat3::from_cols(columns[0], columns[1], columns[2]);
        let Some(impulse) = impulse_between(&response, relative, normal, &surface) else {
            return Ok(CollisionOutcome::Missed);
        };
        let changes = answer(impulse);
        let motions: Vec<Motion> = (bodies.iter().zip(&changes))
            .map(|(body, change)| Motion {
                velocity: body.motion.velocity + change.velocity,
                spin: body.motion.spin + change.spin,
                ..body.motion
            })
            .collect();
        self.statistics.collisions += 1;
        self.note_contact(Contact { time: self.now, a: BodyId(a), b: BodyId(b), point, normal, impulse });
        for (k, motion) in members.iter().zip(motions) {
            self.set_motion(*k, motion)?;
        }
        for (k, _) in [a, b].into_iter().zip(places).filter(|(_, place)| place.is_some()) {
            self.note_collision(k)?;
        }
        Ok(CollisionOutcome::Bounced)
    }

    /// Changes the motion of a body that hangs together with others: they answer.
    pub(super) fn act_on_jointed(
        &mut self,
        index: u32,
        change: impl FnOnce(&mut Motion),
    ) -> Result<(), SimulationError> {
        let (members, mut linkage) = self.linkages_now(&[index]);
        if let Ok(place) = members.binary_search(&index) {
            change(&mut linkage.bodies_mut()[place].motion);
        }
        let equations = linkage.equations();
        linkage.settle_velocities(&equations);
        for (k, body) in members.iter().zip(linkage.bodies()) {
            self.set_motion(*k, body.motion)?;
        }
        self.disturb(index);
        Ok(())
    }

    /// Before a body leaves: those joined to it go on as they move now, and are found again.
    pub(super) fn part_from(&mut self, index: u32) -> Result<Vec<u32>, SimulationError> {
        let others: Vec<u32> =
            self.joined_to(index).into_iter().filter(|k| self.bodies[*k as usize].is_here()).collect();
        let moves = self.bodies[index as usize].inertia.is_some();
        let own = if moves { vec![index] } else { others.clone() };
        let (members, linkage) = self.linkages_now(&own);
        for (k, body) in members.iter().zip(linkage.bodies()) {
            self.set_motion(*k, body.motion)?;
        }
        Ok(others)
    }
}

/// The changes of motion that an impulse on the second of two bodies, and against the first, has.
fn answer(
    bodies: &[LinkedBody],
    equations: &JointEquations,
    places: [Option<usize>; 2],
    point: DVec3,
    impulse: DVec3,
) -> Vec<Twist> {
    let mut twists = vec![Twist::NONE; bodies.len()];
    for (place, sign) in places.into_iter().zip([-1.0, 1.0]) {
        if let Some((place, inertia)) = place.and_then(|place| Some((place, bodies[place].inertia?))) {
            let motion = &bodies[place].motion;
            let turning = (point - motion.position).cross(sign * impulse);
            twists[place].velocity += sign / inertia.mass * impulse;
            twists[place].spin += inertia.spin(motion.orientation, turning);
        }
    }
    equations.project(&mut twists);
    twists
}

/// The flight that begins with a motion and ends where another is.
fn leading(now: f64, from: &Motion, to: &Motion, step: f64) -> Flight {
    let square = step * step;
    let acceleration = 2.0 / square * (to.position - from.position - step * from.velocity);
    let rate = 2.0 / square * (turned_by(from.orientation, to.orientation) - step * from.spin);
    let straight = Flight::turning(now, *from, acceleration, rate, step);
    // Turns about changing axes do not add up: what is missed is of the fourth order.
    let missed = turned_by(straight.pose(now + step).rotation, to.orientation);
    Flight::turning(now, *from, acceleration, rate + 2.0 / square * missed, step)
}

/// The turn from one orientation to another, as a vector of its angle.
fn turned_by(from: DQuat, to: DQuat) -> DVec3 {
    let turn = to * from.inverse();
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let sine = turn.xyz().length();
    // Half the angle and its sine agree where both are small.
    let angle_per_sine = if sine > 1e-9 { 2.0 * libm::atan2(sine, turn.w) / sine } else { 2.0 };
    angle_per_sine * turn.xyz()
}

/// The turn by a vector of an angle.
fn turn(by: DVec3) -> DQuat {
    let angle = by.length();
    let (sine, cosine) = libm::sincos(0.5 * angle);
    let axis = if angle > 0.0 { by / angle } else { DVec3::ZERO };
    DQuat::from_xyzw(axis.x * sine, axis.y * sine, axis.z * sine, cosine)
}
