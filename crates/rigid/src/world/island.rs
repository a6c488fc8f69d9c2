//! Steps of islands: the bodies that touch each other move on together.

use std::collections::{BTreeMap, BTreeSet};

use proscenium_bodies::contact::Twist;
use proscenium_bodies::glam::DVec3;
use proscenium_bodies::{Flight, Motion};
use proscenium_geometry::{Core, TouchPoint};

use super::World;
use super::linkage::StepLinkage;
use crate::body::{Body, Presence, Touchable};
use crate::contact::{ContactConstraint, ContactRule, JointGroup, MOST_PLACES, SolverBody, solve, touches};
use crate::error::SimulationError;

/// Steps in which a ball is slow before it rests, if it cannot leave; chosen: far
/// fewer than a body needs that could (`ContactRule::rest_after`).
const PENNED_CALM: u32 = 8;
/// Under a round face that is pressed evenly, friction turns as if it acted at this share of the
/// radius: ∫ r² dr over ∫ r dr.
const UNIFORM: f64 = 2.0 / 3.0;
/// The cosine of the angle within which a face lies on another; chosen, far below what is seen.
const LEVEL_FACE: f64 = 1.0 - 1e-6;
/// Supports count as of different directions if the level parts of their normals
/// span at least this; chosen, far above rounding and far below a slope that is
/// seen.
const LEAST_SUPPORT: f64 = 1e-4;

/// The bodies of a step, with what touches them.
pub(super) struct Step {
    pub members: Vec<u32>,
    pub motions: Vec<Motion>,
    /// Members first, then what they touch that does not move.
    bodies: Vec<SolverBody>,
    pub contacts: Vec<StepContact>,
    pub linkages: Vec<StepLinkage>,
}

/// A pair that touches in a step.
pub(super) struct StepContact {
    pub pair: u32,
    pub places: Vec<TouchPoint>,
    /// Its bodies among those of the step.
    bodies: [usize; 2],
}

impl World {
    /// A step of an island: find where it touches, solve for the velocities,
    /// let everybody move on, and see who is still joined.
    pub(super) fn process_contact(&mut self, island: u32) -> Result<(), SimulationError> {
        self.statistics.contact_steps += 1;
        let Some(rule) = self.contact else {
            return Ok(());
        };
        let members = self.dissolve(island);
        let members = self.close_over_contacts(members);
        let fastest = members.iter().map(|k| self.bodies[*k as usize].flight.max_spin()).fold(0.0, f64::max);
        let rule = rule.for_spin(fastest);
        let linkages = self.step_linkages(&members);
        let rule = ContactRule { step: Self::linked_step(rule.step, &linkages), ..rule };
        let mut step = self.gather(members, linkages, &rule);
        if self.try_rolling(&step)? {
            return Ok(());
        }
        let groups = self.plan_linkages(&mut step, &rule);
        self.solve_velocities(&mut step, &groups, &rule);
        let woken = self.whom_to_wake(&step, &rule);
        self.set_courses(&mut step, &rule)?;
        self.regroup(&step, &woken, &rule);
        self.renew_all(&step.members, &rule);
        Ok(())
    }

    /// Members, with everyone awake whom they are in contact with, and everyone whom they are
    /// joined to.
    fn close_over_contacts(&mut self, mut members: Vec<u32>) -> Vec<u32> {
        let mut known: BTreeSet<u32> = members.iter().copied().collect();
        let mut next = 0;
        while next < members.len() {
            for at in 0..self.neighbours[members[next] as usize].len() {
                let (other, pair) = self.neighbours[members[next] as usize][at];
                let held = self.pairs[pair as usize].held.is_some();
                if held && self.bodies[other as usize].moves_freely() && !known.contains(&other) {
                    let count = members.len();
                    self.collect(other, &mut members);
                    known.extend(&members[count..]);
                }
            }
            if self.is_jointed(members[next]) {
                for other in self.joined_to(members[next]) {
                    if !known.contains(&other) {
                        let count = members.len();
                        self.collect(other, &mut members);
                        known.extend(&members[count..]);
                    }
                }
            }
            next += 1;
        }
        members.sort_unstable();
        members.dedup();
        members
    }

    /// The state of all members, and every place where they touch.
    fn gather(&mut self, members: Vec<u32>, linkages: Vec<StepLinkage>, rule: &ContactRule) -> Step {
        let now = self.now;
        let mut motions: Vec<Motion> = members.iter().map(|k| self.bodies[*k as usize].flight.at(now)).collect();
        for StepLinkage { members, linkage, .. } in &linkages {
            for (place, body) in members.iter().zip(linkage.bodies()) {
                motions[*place] = body.motion;
            }
        }
        self.statistics.integrations += members.len() as u64;
        let body = |(k, motion): (&u32, &Motion)| match &self.bodies[*k as usize].inertia {
            Some(inertia) => SolverBody::moving(motion, inertia, self.gravity, rule.step),
            None => SolverBody::fixed(motion.position),
        };
        let bodies = members.iter().zip(&motions).map(body).collect();
        let mut step = Step { members, motions, bodies, contacts: Vec::new(), linkages };
        for index in 0..step.members.len() {
            let mut pairs = self.neighbours[step.members[index] as usize].clone();
            pairs.sort_unstable();
            for (other, pair) in pairs {
                self.gather_pair(&mut step, index, other, pair, rule);
            }
        }
        step
    }

    fn gather_pair(&mut self, step: &mut Step, index: usize, other: u32, pair: u32, rule: &ContactRule) {
        let member = step.members[index];
        let partner = step.members.binary_search(&other).ok();
        // Between two members the first one counts.
        if partner.is_some_and(|partner| partner < index) {
            return;
        }
        let there = &self.bodies[other as usize];
        if partner.is_none() && (there.moves_freely() || !there.is_here()) {
            return;
        }
        let held = self.pairs[pair as usize].held.is_some();
        let (a, b) = (self.pairs[pair as usize].a, self.pairs[pair as usize].b);
        let lossless = self.surface_of(a, b).restitution >= 1.0;
        if lossless && !held {
            return;
        }
        if !held && self.clearance(pair) > rule.margin() {
            return;
        }
        let margin = if held { self.reach_of_step(step, index, (other, partner), rule) } else { rule.margin() };
        let known = self.pairs[pair as usize].held.as_deref();
        let places = touches(&self.bodies[a as usize], &self.bodies[b as usize], self.now, margin, known);
        let motion = |k: u32| {
            let at = step.members.binary_search(&k).ok();
            at.map_or_else(|| self.bodies[k as usize].flight.at(self.now), |at| step.motions[at])
        };
        if !held {
            let (motion_a, motion_b) = (motion(a), motion(b));
            let fast = |place: &TouchPoint| {
                let relative = motion_b.velocity_at(place.point_b) - motion_a.velocity_at(place.point_a);
                -relative.dot(place.normal) > rule.speed
            };
            if places.iter().any(fast) {
                return;
            }
        }
        // A contact ends where the two are farther apart than bounds promise
        // to see: whether it goes on must not depend on the bounds.
        if places.iter().all(|place| place.gap >= rule.margin()) {
            self.pairs[pair as usize].held = None;
            return;
        }
        let entry = &mut self.pairs[pair as usize];
        let is_turned = |k: u32| self.bodies[k as usize].touchable.is_turned();
        let all_known = places.len() < MOST_PLACES && (is_turned(a) || is_turned(b));
        entry.held.get_or_insert_with(Self::fresh_contact).reach = if all_known { margin } else { 0.0 };
        entry.expect_nothing();
        self.queue.cancel(entry.slot);
        self.note_meeting(a, b);
        let outside = partner.unwrap_or_else(|| {
            step.bodies.push(SolverBody::carried(&self.bodies[other as usize].flight.at(self.now)));
            step.bodies.len() - 1
        });
        let bodies = if a == member { [index, outside] } else { [outside, index] };
        step.contacts.push(StepContact { pair, places, bodies });
    }

    /// How near a place must be to matter within the step.
    fn reach_of_step(
        &self,
        step: &Step,
        index: usize,
        (other, partner): (u32, Option<usize>),
        rule: &ContactRule,
    ) -> f64 {
        let speed = |at: usize| {
            let (motion, body) = (&step.motions[at], &self.bodies[step.members[at] as usize]);
            motion.velocity.length() + motion.spin.length() * body.reach
        };
        let outside = &self.bodies[other as usize];
        let outside = if outside.is_driven() { outside.fastest(self.now + rule.step) } else { 0.0 };
        let fastest = speed(index) + partner.map_or(outside, speed);
        rule.margin() + 1.5 * rule.step * fastest
    }

    /// Linkages on which nothing presses are led to where they will be; what the solver has to
    /// know of the others is returned.
    fn plan_linkages(&self, step: &mut Step, rule: &ContactRule) -> Vec<JointGroup> {
        let Step { bodies, contacts, linkages, .. } = step;
        let mut groups = Vec::new();
        for linkage in linkages {
            let touches = |contact: &StepContact| contact.bodies.iter().any(|body| linkage.members.contains(body));
            if !contacts.iter().any(touches)
                && let Some(ahead) = self.look_ahead_of(&linkage.linkage, rule.step)
            {
                linkage.ahead = Some(ahead.bodies().iter().map(|body| body.motion).collect());
                continue;
            }
            let mut twists = vec![Twist::NONE; linkage.linkage.bodies().len()];
            for (twist, place) in twists.iter_mut().zip(&linkage.members) {
                *twist = Twist { velocity: bodies[*place].velocity, spin: bodies[*place].spin };
            }
            linkage.linkage.damp(rule.step, &mut twists);
            let group = self.joint_group(linkage, rule.step);
            group.equations.project(&mut twists);
            for (twist, place) in twists.iter().zip(&linkage.members) {
                (bodies[*place].velocity, bodies[*place].spin) = (twist.velocity, twist.spin);
            }
            groups.push(group);
        }
        groups
    }

    fn solve_velocities(&mut self, step: &mut Step, groups: &[JointGroup], rule: &ContactRule) {
        let mut constraints = Vec::new();
        let mut owners = Vec::new();
        for (index, contact) in step.contacts.iter().enumerate() {
            let pair = &self.pairs[contact.pair as usize];
            let (a, b) = (&self.bodies[pair.a as usize], &self.bodies[pair.b as usize]);
            let face = self.round_face([a, b], &contact.places);
            for place in &contact.places {
                let surface = self.surface_at(a, b, place.point_b);
                let last = pair.held.as_ref().map_or(DVec3::ZERO, |held| held.impulse(place.feature));
                let bodies = &step.bodies;
                let point = 0.5 * (place.point_a + place.point_b);
                let grip = face.map_or(point, |middle| middle + UNIFORM * (point - middle));
                let at = (place, grip);
                constraints.push(ContactConstraint::new(contact.bodies, bodies, groups, at, surface, last, rule));
                owners.push(index);
            }
        }
        solve(&mut step.bodies, &mut constraints, groups, rule);
        for contact in &step.contacts {
            if let Some(held) = &mut self.pairs[contact.pair as usize].held {
                held.impulses.clear();
            }
        }
        for (constraint, owner) in constraints.iter().zip(owners) {
            if let Some(held) = &mut self.pairs[step.contacts[owner].pair as usize].held {
                held.impulses.push((constraint.feature, constraint.impulse()));
            }
        }
        for contact in &step.contacts {
            let held = self.pairs[contact.pair as usize].held.as_ref();
            if held.is_some_and(|held| held.impulses.iter().any(|(_, impulse)| *impulse != DVec3::ZERO)) {
                self.note_touch(contact.pair);
            }
        }
    }

    /// The middle of the round face that two bodies lie on each other with, if it is one.
    fn round_face(&self, bodies: [&Body; 2], places: &[TouchPoint]) -> Option<DVec3> {
        let first = places.first().filter(|_| places.len() > 2)?;
        let level = |axis: DVec3| axis.dot(first.normal).abs() > LEVEL_FACE;
        if !places.iter().all(|place| level(place.normal)) {
            return None;
        }
        let mut smallest: Option<(f64, DVec3)> = None;
        for body in bodies {
            let pose = body.pose_to_touch(self.now);
            for part in body.touchable.faces() {
                let Core::Cylinder { pose: own, radius, .. } = part.core() else { continue };
                let axis = pose.rotation * (own.rotation * DVec3::Y);
                let middle = pose.transform_point(own.translation);
                let middle = middle + axis.dot(first.point_a - middle) * axis;
                let holds = |place: &TouchPoint| place.point_a.distance(middle) < (1.0 + 1e-3) * radius;
                let is_smaller = smallest.is_none_or(|(least, _)| *radius < least);
                if level(axis) && is_smaller && places.iter().all(holds) {
                    smallest = Some((*radius, middle));
                }
            }
        }
        smallest.map(|(_, middle)| middle)
    }

    /// Bodies at rest that are touched by something that moves.
    fn whom_to_wake(&self, step: &Step, rule: &ContactRule) -> Vec<(u32, u32)> {
        let mut woken = Vec::new();
        for contact in &step.contacts {
            let pair = &self.pairs[contact.pair as usize];
            for (k, other) in [(pair.a, pair.b), (pair.b, pair.a)] {
                let Ok(at) = step.members.binary_search(&k) else {
                    continue;
                };
                let sleeper = &self.bodies[other as usize];
                let body = &step.bodies[at];
                let stirs = |place: &TouchPoint| {
                    let arm = place.point_a - body.position;
                    (body.velocity + body.spin.cross(arm)).length() > 2.0 * rule.rest_speed
                };
                // A contact that has just begun is a change of load.
                let begins = pair.held.as_ref().is_some_and(|held| !held.has_woken);
                if sleeper.presence == Presence::Resting && (begins || contact.places.iter().any(stirs)) {
                    woken.push((k, other));
                }
            }
        }
        woken
    }

    /// Everyone goes on with the velocities found, or flies off.
    fn set_courses(&mut self, step: &mut Step, rule: &ContactRule) -> Result<(), SimulationError> {
        let mut touching = vec![false; step.members.len()];
        // What has yet to be pushed out of something does not rest.
        let mut wedged = touching.clone();
        for contact in &step.contacts {
            let pair = &self.pairs[contact.pair as usize];
            // Nor does what is carried on.
            let carried = [pair.a, pair.b].into_iter().any(|k| self.is_carrying(k));
            let overlaps = carried || contact.places.iter().any(|place| place.gap < -2.0 * rule.skin);
            for member in contact.bodies.into_iter().filter(|at| *at < step.members.len()) {
                touching[member] = true;
                wedged[member] |= overlaps;
            }
            if let Some(held) = &mut self.pairs[contact.pair as usize].held {
                held.has_woken = true;
            }
        }
        let mut ahead = vec![None; step.members.len()];
        for linkage in &mut step.linkages {
            let now = |at: usize| Motion {
                velocity: step.bodies[at].velocity,
                spin: step.bodies[at].spin,
                ..step.motions[at]
            };
            if let Some(motions) = &linkage.ahead {
                linkage.members.iter().zip(motions).for_each(|(place, motion)| ahead[*place] = Some(*motion));
                continue;
            }
            let now: Vec<Motion> = (0..step.members.len()).map(now).collect();
            let straight = Self::straighten(linkage, &now, rule.step);
            for (place, motion) in linkage.members.iter().zip(straight) {
                (step.bodies[*place].velocity, step.bodies[*place].spin) = (motion.velocity, motion.spin);
                touching[*place] = true;
            }
        }
        for (at, k) in step.members.iter().enumerate() {
            if let Some(end) = &ahead[at] {
                self.lead(*k, [&step.motions[at], end], rule)?;
                continue;
            }
            let body = &step.bodies[at];
            let motion = Motion { velocity: body.velocity, spin: body.spin, ..step.motions[at] };
            if !motion.is_finite() {
                return Err(self.not_finite(*k));
            }
            if !touching[at] {
                self.set_motion(*k, step.motions[at])?;
                self.bodies[*k as usize].calm = 0;
                continue;
            }
            let body = &mut self.bodies[*k as usize];
            let fastest = motion.velocity.length() + motion.spin.length() * body.reach;
            body.calm = if fastest < rule.rest_speed && !wedged[at] { body.calm + 1 } else { 0 };
            body.take_flight(Flight::steady(self.now, motion));
            self.note_course(*k);
        }
        Ok(())
    }

    /// A body of a step is on another course.
    pub(super) fn note_course(&mut self, index: u32) {
        let body = &mut self.bodies[index as usize];
        body.presence = Presence::Here;
        body.rolling = false;
        self.note_flight(index);
        self.record_flight(index);
    }

    /// Finds who is joined to whom after a step. Those who have been calm for
    /// long enough, among others who are calm, come to rest; the others are
    /// stepped again.
    fn regroup(&mut self, step: &Step, woken: &[(u32, u32)], rule: &ContactRule) {
        let count = step.members.len();
        let mut state = vec![Standing::Flies; count];
        let calm = |at: usize| self.bodies[step.members[at] as usize].calm;
        let enough = match self.is_penned(step) {
            true => PENNED_CALM,
            false => (rule.rest_after / rule.step).ceil() as u32,
        };
        let linked = step.linkages.iter().flat_map(|linkage| linkage.members.iter().copied());
        let touching = step.contacts.iter().flat_map(|contact| contact.bodies).filter(|at| *at < count);
        for member in touching.chain(linked) {
            state[member] = if calm(member) >= enough { Standing::Rests } else { Standing::Stirs };
        }
        for contact in &step.contacts {
            for [own, other] in [contact.bodies, [contact.bodies[1], contact.bodies[0]]] {
                if own < count && other < count && calm(other) < enough / 2 {
                    state[own] = Standing::Stirs;
                }
            }
        }
        for (by, _) in woken {
            if let Ok(at) = step.members.binary_search(by) {
                state[at] = Standing::Stirs;
            }
        }
        for StepLinkage { members, .. } in &step.linkages {
            if members.iter().any(|at| state[*at] == Standing::Stirs) {
                members.iter().for_each(|at| state[*at] = Standing::Stirs);
            }
        }
        for at in (0..count).filter(|at| state[*at] == Standing::Rests) {
            self.put_to_rest(step.members[at]);
        }
        for members in groups(step, &state) {
            // Members come in order.
            let wakes = woken.iter().filter(|(by, _)| members.binary_search(by).is_ok()).map(|(_, whom)| *whom);
            let wakes: BTreeSet<u32> = wakes.filter(|whom| self.bodies[*whom as usize].island.is_none()).collect();
            self.found_island(members.into_iter().chain(wakes).collect(), self.now + rule.step);
        }
    }

    /// Whether a step is of a single ball among triangles that support it from
    /// all sides: it is where it will stay.
    fn is_penned(&self, step: &Step) -> bool {
        let ([k], [contact], []) = (&step.members[..], &step.contacts[..], &step.linkages[..]) else {
            return false;
        };
        let (ball, ground) = (&self.bodies[*k as usize], &self.bodies[self.pairs[contact.pair as usize].b as usize]);
        let kinds = (&ball.touchable, &ground.touchable);
        let (Touchable::Ball { .. }, Touchable::Triangles { .. }) = kinds else {
            return false;
        };
        let Some(down) = self.gravity.try_normalize() else {
            return false;
        };
        // Supports whose directions leave no half-plane free.
        let level: Vec<DVec3> =
            contact.places.iter().map(|place| place.normal - place.normal.dot(down) * down).collect();
        let turn = |p: &DVec3, q: &DVec3| p.cross(*q).dot(down);
        let beside = |p: &DVec3, sign: f64| level.iter().any(|q| sign * turn(p, q) > LEAST_SUPPORT);
        contact.places.iter().all(|place| place.normal.dot(down) > 0.0)
            && !level.is_empty()
            && level.iter().all(|p| beside(p, 1.0) && beside(p, -1.0))
    }

    /// A body comes to rest where it is.
    pub(crate) fn put_to_rest(&mut self, index: u32) {
        let body = &mut self.bodies[index as usize];
        let pose = body.flight.pose(self.now);
        body.presence = Presence::Resting;
        body.rolling = false;
        body.calm = 0;
        body.take_flight(Flight::resting(self.now, &pose));
        self.note_flight(index);
        self.record_flight(index);
    }

    /// New bounds where the old ones do not hold for the next step, and new
    /// predictions for all pairs that are not in contact.
    fn renew_all(&mut self, members: &[u32], rule: &ContactRule) {
        for k in members {
            let body = &self.bodies[*k as usize];
            if body.island.is_none() {
                self.renew_bound(*k);
                continue;
            }
            let until = self.now + rule.step;
            let needed = body.temporal_bound(self.now, until).grow(rule.margin());
            self.queue.cancel(self.bodies[*k as usize].slot);
            let body = &mut self.bodies[*k as usize];
            body.last_event = self.now;
            body.bound_expires = until;
            if !body.bound.contains(&needed) {
                body.bound = needed.grow(0.05 * body.reach);
                let bound = body.bound;
                self.changes.clear();
                self.intersections.structure().update(*k, &bound, &mut self.changes);
                self.apply_changes();
            }
        }
        for k in members {
            for at in 0..self.neighbours[*k as usize].len() {
                let (other, pair) = self.neighbours[*k as usize][at];
                // Between two members once is enough.
                if other > *k || members.binary_search(&other).is_err() {
                    self.predict_within_step(pair, rule.step);
                }
            }
        }
    }
}

/// What becomes of a member of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// It touches nothing.
    Flies,
    /// It has been calm for long enough, as have those around it.
    Rests,
    /// It is stepped again.
    Stirs,
}

/// The members that are stepped again, by whom they are joined to.
fn groups(step: &Step, state: &[Standing]) -> Vec<Vec<u32>> {
    let count = step.members.len();
    let mut first: Vec<usize> = (0..count).collect();
    let root = |first: &mut [usize], mut k: usize| {
        while first[k] != k {
            first[k] = first[first[k]];
            k = first[k];
        }
        k
    };
    let stirs = |at: usize| at < count && state[at] == Standing::Stirs;
    let touching = step.contacts.iter().map(|contact| contact.bodies);
    let joined = step.linkages.iter().flat_map(|linkage| linkage.members.windows(2).map(|both| [both[0], both[1]]));
    for [a, b] in touching.chain(joined) {
        if stirs(a) && stirs(b) {
            let (a, b) = (root(&mut first, a), root(&mut first, b));
            first[a.max(b)] = a.min(b);
        }
    }
    let mut groups: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for at in (0..count).filter(|at| stirs(*at)) {
        let root = root(&mut first, at);
        groups.entry(root).or_default().push(step.members[at]);
    }
    groups.into_values().collect()
}
