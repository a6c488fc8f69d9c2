//! Steps of islands: the bodies that touch each other move on together.

use std::collections::{BTreeMap, BTreeSet};

use proscenium_bodies::glam::DVec3;
use proscenium_bodies::{Flight, Inertia, Motion};
use proscenium_geometry::TouchPoint;

use super::World;
use crate::body::{Presence, Touchable};
use crate::contact::{
    ContactConstraint, ContactRule, Course, MOST_PLACES, Rolling, SolverBody, Support, plan, solve, touches,
};
use crate::error::SimulationError;
use crate::roots::Polynomial;
use crate::surface::Region;

/// A length that makes no difference to anything but which side of an edge a
/// point is on, metres.
const HAIR: f64 = 1e-9;

/// Steps in which a ball is slow before it rests, if it cannot leave; chosen: far
/// fewer than a body needs that could (`ContactRule::rest_after`).
const PENNED_CALM: u32 = 8;
/// Supports count as of different directions if the level parts of their normals
/// span at least this; chosen, far above rounding and far below a slope that is
/// seen.
const LEAST_SUPPORT: f64 = 1e-4;

/// The bodies of a step, with what touches them.
struct Step {
    members: Vec<u32>,
    motions: Vec<Motion>,
    /// Members first, then what they touch that does not move.
    bodies: Vec<SolverBody>,
    contacts: Vec<StepContact>,
}

/// A pair that touches in a step.
struct StepContact {
    pair: u32,
    places: Vec<TouchPoint>,
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
        let mut step = self.gather(members, &rule);
        if self.try_rolling(&step)? {
            return Ok(());
        }
        self.solve_velocities(&mut step, &rule);
        let woken = self.whom_to_wake(&step, &rule);
        self.set_courses(&step, &rule)?;
        self.regroup(&step, &woken, &rule);
        self.renew_all(&step.members, &rule);
        Ok(())
    }

    /// Members, with everyone awake whom they are in contact with.
    fn close_over_contacts(&mut self, mut members: Vec<u32>) -> Vec<u32> {
        let mut known: BTreeSet<u32> = members.iter().copied().collect();
        let mut next = 0;
        while next < members.len() {
            for at in 0..self.neighbours[members[next] as usize].len() {
                let (other, pair) = self.neighbours[members[next] as usize][at];
                let held = self.pairs[pair as usize].held.is_some();
                if held && self.bodies[other as usize].moves() && !known.contains(&other) {
                    let count = members.len();
                    self.collect(other, &mut members);
                    known.extend(&members[count..]);
                }
            }
            next += 1;
        }
        members.sort_unstable();
        members.dedup();
        members
    }

    /// The state of all members, and every place where they touch.
    fn gather(&mut self, members: Vec<u32>, rule: &ContactRule) -> Step {
        let now = self.now;
        let motions: Vec<Motion> = members.iter().map(|k| self.bodies[*k as usize].flight.at(now)).collect();
        self.statistics.integrations += members.len() as u64;
        let body = |(k, motion): (&u32, &Motion)| match &self.bodies[*k as usize].inertia {
            Some(inertia) => SolverBody::moving(motion, inertia, self.gravity, rule.step),
            None => SolverBody::fixed(motion.position),
        };
        let bodies = members.iter().zip(&motions).map(body).collect();
        let mut step = Step { members, motions, bodies, contacts: Vec::new() };
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
        if partner.is_none() && (there.moves() || !there.is_here()) {
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
        let margin = if held { self.reach_of_step(step, index, partner, rule) } else { rule.margin() };
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
            step.bodies.push(SolverBody::fixed(self.bodies[other as usize].flight.position(self.now)));
            step.bodies.len() - 1
        });
        let bodies = if a == member { [index, outside] } else { [outside, index] };
        step.contacts.push(StepContact { pair, places, bodies });
    }

    /// How near a place must be to matter within the step.
    fn reach_of_step(&self, step: &Step, index: usize, partner: Option<usize>, rule: &ContactRule) -> f64 {
        let speed = |at: usize| {
            let (motion, body) = (&step.motions[at], &self.bodies[step.members[at] as usize]);
            motion.velocity.length() + motion.spin.length() * body.reach
        };
        let fastest = speed(index) + partner.map_or(0.0, speed);
        rule.margin() + 1.5 * rule.step * fastest
    }

    fn solve_velocities(&mut self, step: &mut Step, rule: &ContactRule) {
        let mut constraints = Vec::new();
        let mut owners = Vec::new();
        for (index, contact) in step.contacts.iter().enumerate() {
            let pair = &self.pairs[contact.pair as usize];
            let (a, b) = (&self.bodies[pair.a as usize], &self.bodies[pair.b as usize]);
            for place in &contact.places {
                let surface = self.surface_at(a, b, place.point_b);
                let last = pair.held.as_ref().map_or(DVec3::ZERO, |held| held.impulse(place.feature));
                constraints.push(ContactConstraint::new(contact.bodies, &step.bodies, place, surface, last, rule));
                owners.push(index);
            }
        }
        solve(&mut step.bodies, &mut constraints, rule);
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
    fn set_courses(&mut self, step: &Step, rule: &ContactRule) -> Result<(), SimulationError> {
        let mut touching = vec![false; step.members.len()];
        // What has yet to be pushed out of something does not rest.
        let mut wedged = touching.clone();
        for contact in &step.contacts {
            let overlaps = contact.places.iter().any(|place| place.gap < -2.0 * rule.skin);
            for member in contact.bodies.into_iter().filter(|at| *at < step.members.len()) {
                touching[member] = true;
                wedged[member] |= overlaps;
            }
            if let Some(held) = &mut self.pairs[contact.pair as usize].held {
                held.has_woken = true;
            }
        }
        for (at, k) in step.members.iter().enumerate() {
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
            body.presence = Presence::Here;
            body.rolling = false;
            self.note_flight(*k);
            self.record_flight(*k);
        }
        Ok(())
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
        for member in step.contacts.iter().flat_map(|contact| contact.bodies).filter(|at| *at < count) {
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
        let ([k], [contact]) = (&step.members[..], &step.contacts[..]) else {
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

    /// A ball alone on flat ground moves in closed form until something about
    /// it changes.
    fn try_rolling(&mut self, step: &Step) -> Result<bool, SimulationError> {
        let [k] = step.members[..] else {
            return Ok(false);
        };
        let body = &self.bodies[k as usize];
        let (Touchable::Ball { radius, .. }, Some(inertia)) = (&body.touchable, &body.inertia) else {
            return Ok(false);
        };
        let Some((supports, places)) = self.supports(step) else {
            return Ok(false);
        };
        let ball = rolling(*radius, inertia);
        let leaves = |support: &Support| step.motions[0].velocity.dot(support.normal) > self.contact_speed();
        if supports.iter().any(leaves) {
            return Ok(false);
        }
        let Some(mut course) = plan(&step.motions[0], ball, &supports, self.gravity) else {
            return Ok(false);
        };
        for (contact, place) in step.contacts.iter().zip(&places) {
            course.duration = course.duration.min(self.until_ground_changes(contact.pair, place, &course));
        }
        if course.duration <= 1e-9 {
            return Ok(false);
        }
        self.set_rolling(k, &course);
        Ok(true)
    }

    fn contact_speed(&self) -> f64 {
        self.contact.map_or(0.0, |rule| rule.speed)
    }

    /// The planes that a single ball lies on, and where; `None` if one of its
    /// contacts is not flat, or not with something fixed.
    fn supports(&self, step: &Step) -> Option<(Vec<Support>, Vec<DVec3>)> {
        let skin = self.contact.map_or(0.0, |rule| rule.skin);
        let mut supports: Vec<Support> = Vec::new();
        let mut places = Vec::new();
        for contact in &step.contacts {
            let [place] = contact.places[..] else {
                return None;
            };
            // What has yet to come down, or to be pushed out, is stepped.
            if !(-skin..=4.0 * skin).contains(&place.gap) {
                return None;
            }
            let pair = &self.pairs[contact.pair as usize];
            let ground = &self.bodies[pair.b as usize];
            if ground.inertia.is_some() {
                return None;
            }
            let normal = match &ground.touchable {
                Touchable::HalfSpace { .. } => -place.normal,
                Touchable::Parts(parts) => {
                    let pose = ground.flight.pose(self.now);
                    let local = pose.rotation.inverse() * -place.normal;
                    let facet = parts.iter().flat_map(|part| part.facets()).find(|facet| {
                        let height = facet.normal.dot(pose.inverse_transform_point(place.point_b)) - facet.offset;
                        facet.normal.dot(local) > 1.0 - 1e-9 && height.abs() < 1e-9 * (1.0 + facet.offset.abs())
                    })?;
                    pose.rotation * facet.normal
                }
                _ => return None,
            };
            // What lies a hair ahead counts: at the edge of a zone the ball is
            // in the next one.
            let ahead = place.point_b + HAIR * step.motions[0].velocity.normalize_or_zero();
            let ball = &self.bodies[pair.a as usize];
            let surface = self.surface(ball.material_at(ahead, self.now), ground.material_at(ahead, self.now));
            places.push(ahead);
            if !supports.iter().any(|known| known.normal.dot(normal) > 1.0 - 1e-9) {
                supports.push(Support { normal, surface });
            }
        }
        (!supports.is_empty()).then_some((supports, places))
    }

    /// When the foot of a ball leaves the face that it is on, or crosses into
    /// or out of a zone.
    fn until_ground_changes(&self, pair: u32, foot: &DVec3, course: &Course) -> f64 {
        let ground = &self.bodies[self.pairs[pair as usize].b as usize];
        let pose = ground.world_from_shape(self.now);
        let turn = pose.rotation.inverse();
        let (point, velocity, acceleration) =
            (pose.inverse_transform_point(*foot), turn * course.motion.velocity, turn * course.acceleration);
        let passes = |normal: DVec3, offset: f64| {
            let gap =
                Polynomial::plane_gap(offset - normal.dot(point), -normal.dot(velocity), -normal.dot(acceleration));
            gap.first_overlap().map_or(f64::INFINITY, |overlap| overlap.enter)
        };
        let mut first = f64::INFINITY;
        if let Touchable::Parts(parts) = &ground.touchable {
            // Fixed bodies have their principal frame in their shape's.
            for part in parts.iter() {
                let here = part.facets().iter().all(|facet| facet.normal.dot(point) <= facet.offset + 2.0 * HAIR);
                if !here {
                    continue;
                }
                let level = |normal: DVec3| {
                    normal.dot(velocity).abs() <= 1e-12 * velocity.length()
                        && normal.dot(acceleration).abs() <= 1e-12 * acceleration.length()
                };
                let sides = part.facets().iter().filter(|facet| !level(facet.normal));
                first = sides.map(|facet| passes(facet.normal, facet.offset)).fold(first, f64::min);
            }
        }
        for zone in &ground.zones {
            first = first.min(match zone.region {
                Region::Box { min, max } => {
                    let side = |axis: usize, at: f64| {
                        let normal = if point[axis] < at { DVec3::AXES[axis] } else { -DVec3::AXES[axis] };
                        if at.is_finite() { passes(normal, normal[axis] * at) } else { f64::INFINITY }
                    };
                    let both = |axis: usize| side(axis, min[axis]).min(side(axis, max[axis]));
                    (0..3).map(both).fold(f64::INFINITY, f64::min)
                }
                Region::Ball { center, radius } => {
                    let gap = Polynomial::sphere_gap(point - center, velocity, acceleration, radius);
                    if gap.apart() {
                        gap.first_overlap().map_or(f64::INFINITY, |overlap| overlap.enter)
                    } else {
                        gap.leave()
                    }
                }
            });
        }
        first
    }

    fn set_rolling(&mut self, index: u32, course: &Course) {
        if course.rests {
            self.put_to_rest(index);
        } else {
            let flight =
                Flight::ball(self.now, course.motion, course.acceleration, course.spin_rate, course.duration.min(1e3));
            let body = &mut self.bodies[index as usize];
            body.take_flight(flight);
            body.presence = Presence::Here;
            body.rolling = true;
            self.note_flight(index);
            self.record_flight(index);
            self.found_island(vec![index], self.now + course.duration);
        }
        self.renew_bound(index);
        self.predict_all(index);
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
    for contact in &step.contacts {
        let [a, b] = contact.bodies;
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

fn rolling(radius: f64, inertia: &Inertia) -> Rolling {
    Rolling { radius, share: inertia.moments.x / (inertia.mass * radius * radius) }
}
