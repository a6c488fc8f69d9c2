//! One frame: detection, contact modelling and response under one budget
//! (figure 3.11), in the order of what people would notice.

use glam::DVec3;
use proscenium_bodies::contact::ContactPoint;

use super::broad::BroadBody;
use super::budget::{Budget, CONTACT_TESTS, JOINT_TESTS, Meter, ROOT_TESTS};
use super::collision::{Collision, CollisionReport, Partner, approach_time};
use super::contacts::pair_number;
use super::moving::move_on;
use super::priority::{Lens, Measure, ScoreInput, Viewer, band_edges, score};
use super::{Body, BodyId, World};
use crate::LodError;

/// The longest step, seconds: more is a pause, not a frame.
const LONGEST_STEP: f64 = 0.25;

/// How often the clock is read while contacts are modelled, in collisions
/// (decision 66).
const BETWEEN_LOOKS: usize = 16;
/// Rates are learned from as many units at least: fewer say little.
const LEAST_LEARNED: u64 = 500;

/// How often collisions of a band that had to wait are tried again; chosen.
const RETRIES: u32 = 2;

/// A pair is the more urgent the more of what its contacts may stand for has passed,
/// and of so many frames without a closer look; chosen: a second is long. From half of
/// either on it has a turn, and all of them together half of what is left
/// (decision 144).
const WAITED: u64 = 60;
const URGENT: f64 = 0.5;
const TURNS: f64 = 0.5;

/// So many contacts hold a pair nearly as well as all of them; chosen: three points
/// carry a body.
const SOME_CONTACTS: usize = 3;

/// What came of refining a collision.
enum Refinement {
    /// It can be refined again.
    Further,
    /// It cannot, or the bodies do not touch.
    Done,
    /// The budget does not allow it now.
    Waits,
}

/// What a frame did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameReport {
    /// Pairs of bodies, or of bodies and walls, that the broad phase let through.
    pub candidates: u64,
    /// Those whose roots met.
    pub pairs: u64,
    /// Those that touched at the level they reached.
    pub collisions: u64,
    /// Node tests.
    pub tests: u64,
    /// Contact primitives that were modelled.
    pub primitives: u64,
    /// Contacts that were responded to.
    pub contacts: u64,
    /// What the frame cost, in node tests.
    pub spent: u64,
    /// The mean level of the collisions.
    pub mean_level: f64,
    /// Collisions that kept the contact of the frame before.
    pub held: u64,
    /// Candidates that the budget did not reach: zero if it covers the root
    /// level.
    pub uncovered: u64,
    /// Bodies whose neighbours the broad phase looked up anew.
    pub renewed: u64,
    /// Rounds of the solver over velocities.
    pub rounds: u64,
    /// Rounds of the solver over positions.
    pub pushes: u64,
    /// Bodies that sleep.
    pub asleep: u64,
}

/// What responding to some hits costs, at most.
fn reserve(world: &World, primitive_cost: u64, hits: usize, rounds: u32) -> u64 {
    if hits == 0 {
        return 0;
    }
    if rounds == 0 {
        return ROOT_TESTS;
    }
    let contacts = world.settings.reduction.most(hits) as u64 * CONTACT_TESTS;
    hits as u64 * primitive_cost + contacts
}

impl World {
    /// Handles the collisions of a frame within a budget, and moves every body
    /// to a later time. Viewers say what matters; without any, nothing does
    /// more than the rest.
    ///
    /// # Errors
    /// When the time does not go on, a viewer makes no sense, or a body moves
    /// beyond all numbers.
    pub fn advance(&mut self, now: f64, viewers: &[Viewer], budget: Budget<'_>) -> Result<FrameReport, LodError> {
        let step = self.step_to(now)?;
        let mut meter = Meter::start(budget, self.rates.costs());
        let mut report = FrameReport::default();
        let lenses = self.lenses(viewers, step)?;
        for body in self.bodies.iter_mut().filter(|body| body.is_awake()) {
            body.motion.velocity += step * self.settings.gravity;
        }
        // A figure does not come apart, whatever the budget is.
        meter.reserved += self.awake_joints() * JOINT_TESTS;
        self.find_collisions(step, &mut meter, &mut report);
        self.rank(&lenses);
        meter.look();
        self.reuse(&mut meter);
        self.refine_what_waited(&mut meter);
        self.refine(&mut meter);
        self.hold_what_waits(&mut meter);
        let before_response = meter.seconds();
        let mut points = self.model_all(step, &mut meter, &mut report);
        self.wake_what_is_knocked(step);
        let mut solving = self.solver(&mut points, step);
        self.solve_velocities(&mut solving, step, &mut meter, &mut report);
        let after_response = meter.seconds();
        move_on(&mut self.bodies, &self.walls, step)?;
        self.solve_positions(&mut solving, &mut meter, &mut report);
        self.keep_impulses(&solving);
        self.fall_asleep(step);
        self.learn(&meter, before_response, after_response);
        self.now = now;
        self.frame += 1;
        let bodies = &self.bodies;
        self.memory.forget(self.frame, |index| bodies[index as usize].is_awake());
        self.viewers = viewers.to_vec();
        report.asleep = self.bodies.iter().filter(|body| body.asleep.is_some()).count() as u64;
        report.tests = meter.spent;
        report.spent = meter.spent + meter.reserved;
        Ok(report)
    }

    /// The collisions of the last frame, with what became of them.
    pub fn collisions(&self) -> impl Iterator<Item = CollisionReport> + '_ {
        self.collisions.iter().map(|collision| CollisionReport {
            a: BodyId(collision.a),
            partner: collision.partner,
            level: collision.shown_rounds / 2,
            band: collision.band,
            score: collision.score,
            contact: collision.contacts.first().copied(),
            is_held: collision.is_held,
            point: collision.middle(&self.bodies, &self.walls),
        })
    }

    fn step_to(&self, now: f64) -> Result<f64, LodError> {
        let step = now - self.now;
        if step > 0.0 && step <= LONGEST_STEP {
            return Ok(step);
        }
        let remedy = "give a later time, at most a quarter of a second after the last";
        Err(LodError::Number { what: "the time of a frame", value: now, remedy })
    }

    fn lenses(&self, viewers: &[Viewer], step: f64) -> Result<Vec<Lens>, LodError> {
        let before = |index: usize| self.viewers.get(index).filter(|_| self.viewers.len() == viewers.len());
        viewers.iter().enumerate().map(|(index, viewer)| Lens::new(viewer, before(index), step)).collect()
    }

    /// The broad phase, and the roots of what it lets through.
    fn find_collisions(&mut self, step: f64, meter: &mut Meter<'_>, report: &mut FrameReport) {
        let moving: Vec<BroadBody> = self.bodies.iter().map(|body| moving(body, step)).collect();
        self.broad.update(&moving);
        report.renewed = self.broad.renewed as u64;
        let mut spare = std::mem::take(&mut self.spare_hits);
        spare.extend(self.collisions.drain(..).map(|collision| collision.hits));
        let mut collisions = std::mem::take(&mut self.collisions);
        for (a, partner) in self.candidates(step) {
            report.candidates += 1;
            if !meter.allows(1, ROOT_TESTS) {
                report.uncovered += 1;
                continue;
            }
            meter.spent += 1;
            let deepest = self.settings.deepest;
            let begun = Collision::begin(&self.bodies, &self.walls, a, partner, step, deepest, &mut spare);
            if let Some(collision) = begun {
                if self.is_known_apart(&collision) {
                    spare.push(collision.hits);
                    if let Some(memory) = self.memory.of_mut((a, partner)) {
                        memory.seen_in = self.frame;
                    }
                    continue;
                }
                meter.reserved += ROOT_TESTS;
                collisions.push(collision);
            }
        }
        report.pairs = collisions.len() as u64;
        (self.collisions, self.spare_hits) = (collisions, spare);
    }

    /// What is near enough to touch in this step: walls first, then pairs of
    /// bodies, those that are nearest to each other before others, so that a
    /// budget that does not reach all of them leaves out what matters least.
    fn candidates(&self, step: f64) -> Vec<(u32, Partner)> {
        let mut found = Vec::new();
        for (index, body) in self.bodies.iter().enumerate().filter(|(_, body)| body.is_awake()) {
            for (number, wall) in self.walls.iter().enumerate() {
                let height = wall.normal.dot(body.motion.position) - wall.offset;
                let falling = (-wall.normal.dot(body.motion.velocity)).max(0.0);
                if height <= body.model.radius() + step * falling {
                    found.push((index as u32, Partner::Wall(number as u32)));
                }
            }
        }
        let mut pairs = Vec::new();
        for (a, b) in self.broad.pairs() {
            let (one, other) = (&self.bodies[a as usize], &self.bodies[b as usize]);
            if !one.is_awake() && !other.is_awake() || self.joints.are_joined(a, b) {
                continue;
            }
            let offset = other.motion.position - one.motion.position;
            let both = one.model.radius() + other.model.radius();
            let velocity = other.motion.velocity - one.motion.velocity;
            let touches = offset.length_squared() <= both * both;
            if touches || approach_time(offset, velocity, both).is_some_and(|time| time <= step) {
                pairs.push((offset.length_squared() / (both * both), a, b));
            }
        }
        pairs.sort_by(|x, y| x.0.total_cmp(&y.0).then((x.1, x.2).cmp(&(y.1, y.2))));
        found.extend(pairs.into_iter().map(|(_, a, b)| (a, Partner::Body(BodyId(b)))));
        found
    }

    /// Lets contacts of frames before stand where bodies hardly moved since: the
    /// budget goes to what is new or moves. What is kept back for a root is enough
    /// for one contact; all pairs have some more before any has all.
    fn reuse(&mut self, meter: &mut Meter<'_>) {
        let mut reusable: Vec<(usize, usize)> = Vec::new();
        for index in 0..self.collisions.len() {
            if let Some(contacts) = self.is_reusable(&self.collisions[index]) {
                reusable.push((index, contacts));
                let collision = &mut self.collisions[index];
                (collision.is_reused, collision.is_held, collision.held_contacts) = (true, true, 1);
            }
        }
        for most in [SOME_CONTACTS, usize::MAX] {
            for (index, contacts) in &reusable {
                let collision = &mut self.collisions[*index];
                let contacts = (*contacts).min(most);
                let cost = |contacts: usize| (contacts as u64 * CONTACT_TESTS).max(ROOT_TESTS);
                let more = cost(contacts) - cost(collision.held_contacts);
                if contacts > collision.held_contacts && meter.allows(0, more) {
                    meter.reserved += more;
                    collision.held_contacts = contacts;
                }
            }
        }
    }

    /// Lets finer contacts of frames before stand where the budget did not allow
    /// for as fine ones, if it allows for these.
    fn hold_what_waits(&mut self, meter: &mut Meter<'_>) {
        for index in 0..self.collisions.len() {
            let collision = &self.collisions[index];
            let Some(contacts) = self.finer_contacts(collision) else {
                continue;
            };
            let kept_back = reserve(self, collision.primitive_cost, collision.hits.len(), collision.rounds);
            for most in [contacts, contacts.min(SOME_CONTACTS)] {
                if meter.affords((most as u64 * CONTACT_TESTS).saturating_sub(kept_back)) {
                    let collision = &mut self.collisions[index];
                    (collision.is_held, collision.held_contacts) = (true, most);
                    break;
                }
            }
        }
    }

    /// Scores every collision and puts it in a band of priority.
    fn rank(&mut self, lenses: &[Lens]) {
        let schedule = &self.settings.schedule;
        let seen: Vec<ScoreInput> = self.collisions.iter().map(|collision| self.seen(collision)).collect();
        let is_seen = |seen: &&ScoreInput| lenses.iter().any(|lens| lens.sees(seen.point, seen.radius));
        let distractors = seen.iter().filter(is_seen).count();
        let mut scores = Vec::with_capacity(seen.len());
        for (collision, seen) in self.collisions.iter_mut().zip(&seen) {
            collision.score = score(schedule, lenses, seen, distractors);
            scores.extend(collision.score);
        }
        let edges = band_edges(&schedule.thresholds, &mut scores);
        let unseen = edges.len() as u32 + 1;
        let down = self.settings.gravity;
        for collision in &mut self.collisions {
            collision.band = match collision.score {
                _ if schedule.measures.is_empty() => 0,
                Some(score) => edges.iter().filter(|edge| score < **edge).count() as u32,
                None => unseen,
            };
            match (schedule.others_to, collision.partner) {
                (Some(level), _) if collision.band > 0 => collision.cap = collision.cap.min(2 * level),
                // What falls through a floor is noticed by everybody.
                (None, Partner::Wall(wall)) if self.walls[wall as usize].normal.dot(down) < 0.0 => collision.band = 0,
                _ => {}
            }
        }
    }

    fn seen(&self, collision: &Collision) -> ScoreInput {
        let body = &self.bodies[collision.a as usize];
        let point = collision.middle(&self.bodies, &self.walls);
        match collision.partner {
            Partner::Body(other) => {
                let other = &self.bodies[other.0 as usize];
                ScoreInput {
                    point,
                    gap: body.motion.position.distance(other.motion.position),
                    radius: 0.5 * (body.model.radius() + other.model.radius()),
                    velocities: [body.motion.velocity, other.motion.velocity],
                    chance: self.chance(collision),
                }
            }
            Partner::Wall(_) => ScoreInput {
                point,
                gap: body.motion.position.distance(point),
                radius: body.model.radius(),
                velocities: [body.motion.velocity, DVec3::ZERO],
                chance: self.chance(collision),
            },
        }
    }

    /// A number from 0 to 1 that is a pair's own for good.
    fn chance(&self, collision: &Collision) -> f64 {
        let is_asked = self.settings.schedule.measures.iter().any(|(measure, _)| *measure == Measure::Chance);
        if is_asked { self.chances.at(pair_number(collision)).uniform() } else { 0.0 }
    }

    /// Refines pairs whose contacts are about to stand for them no longer, and those
    /// that the budget has passed over for long, the most urgent first and each as far
    /// as it goes: once it is known again it costs little. In a crowd that lies still,
    /// everything has its turn, whoever looks.
    fn refine_what_waited(&mut self, meter: &mut Meter<'_>) {
        let mut waited: Vec<(f64, u32)> = Vec::new();
        for (index, collision) in self.collisions.iter().enumerate() {
            let memory = self.memory.of((collision.a, collision.partner));
            if let Some(memory) = memory.filter(|_| !collision.is_reused) {
                let frames = (self.frame - memory.looked_in) as f64 / WAITED as f64;
                waited.push((self.staleness(collision) + frames, index as u32));
            }
        }
        waited.retain(|(urgency, _)| *urgency > URGENT);
        waited.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        meter.set_ceiling(TURNS);
        let mut spare = self.spare_hits.pop().unwrap_or_default();
        for (_, index) in waited {
            let index = index as usize;
            while matches!(self.refine_one(index, meter, &mut spare), Refinement::Further) {}
        }
        self.spare_hits.push(spare);
    }

    /// Refines band after band, breadth first within each: every collision of
    /// a band goes down half a level before any goes further.
    fn refine(&mut self, meter: &mut Meter<'_>) {
        let bands = self.collisions.iter().map(|collision| collision.band).max().map_or(0, |last| last + 1);
        let spending = self.settings.schedule.spending;
        let mut spare = self.spare_hits.pop().unwrap_or_default();
        for band in 0..bands {
            meter.set_ceiling(if band + 1 == bands { 1.0 } else { spending });
            let mut active: Vec<u32> = (0..self.collisions.len() as u32)
                .filter(|index| self.collisions[*index as usize].band == band)
                .collect();
            if self.settings.schedule.measures.is_empty() && !active.is_empty() {
                // In turn: who comes first in one frame comes last in the next.
                let first = (self.frame % active.len() as u64) as usize;
                active.rotate_left(first);
            }
            let mut waiting = Vec::new();
            let mut retries = 0;
            while !active.is_empty() {
                let reserved = meter.reserved;
                active.retain(|index| match self.refine_one(*index as usize, meter, &mut spare) {
                    Refinement::Further => true,
                    Refinement::Done => false,
                    Refinement::Waits => {
                        waiting.push(*index);
                        false
                    }
                });
                // What others gave back may be enough for those that had to wait.
                if active.is_empty() && meter.reserved < reserved && retries < RETRIES {
                    active.append(&mut waiting);
                    retries += 1;
                }
            }
        }
        self.spare_hits.push(spare);
    }

    /// Refines a collision by half a level.
    fn refine_one(&mut self, index: usize, meter: &mut Meter<'_>, spare: &mut Vec<[u32; 2]>) -> Refinement {
        let cost = self.collisions[index].next_cost(&self.bodies);
        let hits = self.collisions[index].hits.len();
        if cost == 0 {
            return Refinement::Done;
        }
        if !meter.allows(cost, 0) {
            return Refinement::Waits;
        }
        let collision = &mut self.collisions[index];
        let rounds = collision.rounds;
        meter.spent += collision.refine(&self.bodies, &self.walls, spare);
        let (found, rounds_now) = (collision.hits.len(), collision.rounds);
        let cost = collision.primitive_cost;
        let (now, then) = (reserve(self, cost, found, rounds_now), reserve(self, cost, hits, rounds));
        if now > then && !meter.allows(0, now - then) {
            // There is no time to respond to so many: the last complete list
            // stands.
            let collision = &mut self.collisions[index];
            std::mem::swap(&mut collision.hits, spare);
            collision.rounds = rounds;
            return Refinement::Waits;
        }
        meter.reserved = meter.reserved + now - then;
        if found > 0 { Refinement::Further } else { Refinement::Done }
    }

    /// The contacts of every collision that is left, in order. Should that take
    /// longer than what was kept back for it, each of the rest is modelled at one
    /// of its hits.
    fn model_all(&mut self, step: f64, meter: &mut Meter<'_>, report: &mut FrameReport) -> Vec<ContactPoint> {
        let mut collisions = std::mem::take(&mut self.collisions);
        let mut points = Vec::new();
        let mut primitives = Vec::new();
        let mut levels = 0.0;
        let dearest = collisions.iter().map(|collision| collision.primitive_cost).max().unwrap_or(0);
        let (count, at_one_hit) = (collisions.len(), reserve(self, dearest, 1, 1));
        let mut in_haste = false;
        for (number, collision) in collisions.iter_mut().enumerate() {
            if number.is_multiple_of(BETWEEN_LOOKS) {
                in_haste = meter.is_late((count - number) as u64 * at_one_hit);
            }
            if in_haste && collision.hits.len() > 1 {
                let middle = collision.hits.len() / 2;
                collision.hits.swap(0, middle);
                collision.hits.truncate(1);
            }
            self.model_contacts(collision, step, &mut primitives, &mut points);
            if collision.contacts.is_empty() && collision.swept.is_none() {
                continue;
            }
            report.collisions += 1;
            report.contacts += collision.contacts.len() as u64;
            report.primitives += primitives.len() as u64;
            report.held += u64::from(collision.is_held);
            levels += f64::from(collision.shown_rounds) / 2.0;
        }
        report.mean_level = levels / (report.collisions.max(1)) as f64;
        for collision in collisions.iter_mut().filter(|collision| collision.contacts.is_empty()) {
            self.spare_hits.push(std::mem::take(&mut collision.hits));
        }
        collisions.retain(|collision| !collision.contacts.is_empty());
        self.collisions = collisions;
        points
    }

    /// What things took, for the next frame's reserve.
    fn learn(&mut self, meter: &Meter<'_>, before_response: f64, after_response: f64) {
        let end = meter.seconds();
        if end > 0.0 {
            self.rates.test.learn(meter.refining_rate(before_response));
            if meter.reserved >= LEAST_LEARNED {
                self.rates.reserved.learn((after_response - before_response) / meter.reserved as f64);
            }
            self.rates.tail.learn(end - after_response);
        }
    }
}

fn moving(body: &Body, step: f64) -> BroadBody {
    let radius = body.model.radius();
    // Gravity is in the velocity already: s = |v| Δt (equation 5.2).
    let moved = if !body.is_awake() { 0.0 } else { step * body.motion.velocity.length() };
    BroadBody { center: body.motion.position, bound: radius + moved, radius, fixed: body.fixed }
}
