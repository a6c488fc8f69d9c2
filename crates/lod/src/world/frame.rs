//! One frame: detection, contact modelling and response under one budget
//! (figure 3.11), in the order of what people would notice.

use glam::DVec3;
use proscenium_bodies::{CollidingBody, Inertia, Motion};

use super::broad::BroadBody;
use super::budget::{Budget, CONTACT_TESTS, Meter, PRIMITIVE_TESTS, ROOT_TESTS};
use super::collision::{Collision, CollisionReport, Partner, approach_time, motions};
use super::memory::CachedContact;
use super::moving::move_on;
use super::priority::{Lens, ScoreInput, Viewer, band_edges, score};
use super::{Body, BodyId, World};
use crate::LodError;
use crate::contact::{Contact, Primitive, reduce};
use crate::response::{Coarse, Pair, respond_coarsely};

/// The longest step, seconds: more is a pause, not a frame.
const LONGEST_STEP: f64 = 0.25;
/// Contacts deeper than this (κ) are held apart whatever else happens (decision 51).
const DEEP: f64 = 0.5;
/// At most so many of them per pair; chosen, as a bound on the work.
const MOST_DEEP: usize = 4;
/// Bodies whose nodes are deeper than this in each other and go on do not move
/// (decision 51).
const TOO_DEEP: f64 = 0.75;
/// The share of an overlap of leaves that is pushed apart in a frame; chosen, so
/// that nothing is seen to jump.
const PUSH: f64 = 0.2;

/// How often the clock is read while responding, in collisions (decision 66).
const BETWEEN_LOOKS: usize = 16;
/// Rates are learned from as many units at least: fewer say little.
const LEAST_LEARNED: u64 = 500;

/// How often collisions of a band that had to wait are tried again; chosen.
const RETRIES: u32 = 2;

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
}

/// What responding to some hits costs, at most. Holding a deep contact apart is
/// half a response.
fn reserve(world: &World, hits: usize, rounds: u32) -> u64 {
    if rounds == 0 {
        return ROOT_TESTS;
    }
    let contacts = world.settings.reduction.most(hits) as u64 * CONTACT_TESTS;
    let deep = hits.min(MOST_DEEP) as u64 * CONTACT_TESTS / 2;
    hits as u64 * PRIMITIVE_TESTS + contacts + deep
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
        for body in self.bodies.iter_mut().filter(|body| !body.fixed) {
            body.motion.velocity += step * self.settings.gravity;
        }
        self.find_collisions(step, &mut meter, &mut report);
        self.rank(&lenses);
        meter.look();
        self.refine(&mut meter);
        let before_response = meter.seconds();
        self.respond_to_all(step, &meter, &mut report);
        let after_response = meter.seconds();
        move_on(&mut self.bodies, &self.walls, step)?;
        self.learn(&meter, before_response, after_response);
        self.now = now;
        self.frame += 1;
        self.memory.forget(self.frame);
        self.viewers = viewers.to_vec();
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
        let one = ROOT_TESTS;
        let mut begin = |a: u32, partner: Partner| {
            report.candidates += 1;
            if !meter.allows(1, one) {
                report.uncovered += 1;
                return;
            }
            meter.spent += 1;
            let deepest = self.settings.deepest;
            let begun = Collision::begin(&self.bodies, &self.walls, a, partner, step, deepest, &mut spare);
            if let Some(collision) = begun {
                meter.reserved += one;
                collisions.push(collision);
            }
        };
        for (a, b) in self.broad.pairs() {
            let (one, other) = (&self.bodies[a as usize], &self.bodies[b as usize]);
            let offset = other.motion.position - one.motion.position;
            let both = one.model.radius() + other.model.radius();
            let velocity = other.motion.velocity - one.motion.velocity;
            let touches = offset.length_squared() <= both * both;
            if touches || approach_time(offset, velocity, both).is_some_and(|time| time <= step) {
                begin(a, Partner::Body(BodyId(b)));
            }
        }
        for (index, body) in self.bodies.iter().enumerate().filter(|(_, body)| !body.fixed) {
            for (number, wall) in self.walls.iter().enumerate() {
                let height = wall.normal.dot(body.motion.position) - wall.offset;
                let falling = (-wall.normal.dot(body.motion.velocity)).max(0.0);
                if height <= body.model.radius() + step * falling {
                    begin(index as u32, Partner::Wall(number as u32));
                }
            }
        }
        report.pairs = collisions.len() as u64;
        (self.collisions, self.spare_hits) = (collisions, spare);
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
        for collision in &mut self.collisions {
            collision.band = match collision.score {
                _ if schedule.measures.is_empty() => 0,
                Some(score) => edges.iter().filter(|edge| score < **edge).count() as u32,
                None => unseen,
            };
            if let (Some(level), 1..) = (schedule.others_to, collision.band) {
                collision.cap = collision.cap.min(2 * level);
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
                }
            }
            Partner::Wall(_) => ScoreInput {
                point,
                gap: body.motion.position.distance(point),
                radius: body.model.radius(),
                velocities: [body.motion.velocity, DVec3::ZERO],
            },
        }
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
        let (now, then) = (reserve(self, found, rounds_now), reserve(self, hits, rounds));
        if now > then && !meter.allows(0, now - then) {
            // There is no time to respond to so many: the last complete list
            // stands.
            let collision = &mut self.collisions[index];
            std::mem::swap(&mut collision.hits, spare);
            (collision.rounds, collision.is_final) = (rounds, false);
            return Refinement::Waits;
        }
        meter.reserved = meter.reserved + now - then;
        if found > 0 { Refinement::Further } else { Refinement::Done }
    }

    /// Models and responds to every collision that is left, in order. Should
    /// that take longer than what was kept back for it, each of the rest is
    /// responded to at one of its hits.
    fn respond_to_all(&mut self, step: f64, meter: &Meter<'_>, report: &mut FrameReport) {
        let mut collisions = std::mem::take(&mut self.collisions);
        collisions.retain_mut(|collision| {
            let is_left = !collision.hits.is_empty() || collision.swept.is_some();
            if !is_left {
                self.spare_hits.push(std::mem::take(&mut collision.hits));
            }
            is_left
        });
        let mut primitives = Vec::new();
        let mut levels = 0.0;
        let (count, at_one_hit) = (collisions.len(), reserve(self, 1, 1));
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
            self.respond_to(collision, step, &mut primitives);
            report.collisions += 1;
            report.contacts += collision.contacts.len() as u64;
            report.primitives += primitives.len() as u64;
            report.held += u64::from(collision.is_held);
            levels += f64::from(collision.shown_rounds) / 2.0;
        }
        report.mean_level = levels / (report.collisions.max(1)) as f64;
        self.hold_what_is_too_deep(&collisions, step);
        collisions.retain(|collision| !collision.contacts.is_empty());
        self.collisions = collisions;
    }

    fn respond_to(&mut self, collision: &mut Collision, step: f64, primitives: &mut Vec<Primitive>) {
        primitives.clear();
        collision.shown_rounds = collision.rounds;
        if let Some((time, normal)) = collision.swept {
            self.respond_in_passing(collision, time, normal);
            return;
        }
        let pair = (collision.a, collision.partner);
        let kept = self.kept(collision).map(|(kept, contact)| (*kept, contact));
        if let Some((kept, contact)) = kept {
            (collision.is_held, collision.shown_rounds) = (true, kept.rounds);
            collision.contacts.push(contact);
            self.bounce(collision, step, &[]);
            self.memory.keep(pair, kept.again(self.frame));
            return;
        }
        collision.primitives(&self.bodies, &self.walls, primitives);
        if collision.rounds == 0 && self.settings.random_spin {
            collision.contacts.extend(primitives.first().map(root_contact));
            let normal = collision.contacts.first().map_or(DVec3::Y, |contact| contact.normal);
            self.bounce_coarsely(collision, normal);
            return;
        }
        reduce(self.settings.reduction, primitives, &mut collision.contacts);
        let deep = deepest(primitives);
        self.bounce(collision, step, &deep);
        if collision.is_final {
            self.push_apart(collision);
        }
        if let Some(contact) = collision.contacts.first() {
            let level = collision.rounds / 2;
            let tolerance = self.bodies[collision.a as usize].model.level_reach(level);
            let kept =
                CachedContact::new(contact, motions(&self.bodies, collision), collision.rounds, self.frame, tolerance);
            self.memory.keep(pair, kept);
        }
    }

    /// The contact of the frame before, if the pair touched at a finer level,
    /// is watched, and touches there still: its level does not fall.
    fn kept(&self, collision: &Collision) -> Option<(&CachedContact, Contact)> {
        let may_fall = collision.is_final || collision.score.is_none() || collision.rounds >= collision.cap;
        if may_fall || !self.settings.hold_levels {
            return None;
        }
        let kept = self.memory.of((collision.a, collision.partner), self.frame)?;
        let contact = kept.now(motions(&self.bodies, collision))?;
        (kept.rounds > collision.rounds).then_some((kept, contact))
    }

    /// Two bodies that would pass each other within the step: they bounce as
    /// balls, and move on only to where their balls touch.
    fn respond_in_passing(&mut self, collision: &mut Collision, time: f64, normal: DVec3) {
        let before = motions(&self.bodies, collision).map(|motion| motion.velocity);
        if self.bounce_coarsely(collision, normal) <= 0.0 {
            return;
        }
        let body = &self.bodies[collision.a as usize];
        let point = body.motion.position + time * before[0] + body.model.radius() * normal;
        collision.contacts.push(Contact { point, normal, depth: 0.0, interpenetration: 0.0 });
        for (index, velocity) in members(collision).into_iter().flatten().zip(before) {
            let body = &mut self.bodies[index];
            if !body.fixed && body.stopped.is_none_or(|(_, earlier)| time < earlier) {
                // Its velocity before any response of this frame is the one
                // whose path was tested.
                let first = body.stopped.map_or(velocity, |(first, _)| first);
                body.stopped = Some((first, time));
            }
        }
    }

    /// Both sides as the impulses see them.
    fn bounce_coarsely(&mut self, collision: &Collision, normal: DVec3) -> f64 {
        let sides = self.sides(collision);
        let mut stream = self.stream.at(self.frame).at(pair_number(collision));
        let [one, other] = members(collision);
        let coarse = [one, other].map(|index| {
            let body = index.map(|index| &self.bodies[index]);
            let spins = body.filter(|_| self.settings.random_spin).map_or(&[][..], |body| body.model.spins());
            Coarse { radius: body.map_or(1.0, |body| body.model.radius()), spins }
        });
        let surface = self.surface(collision);
        let (mut a, mut b) = (sides[0].colliding(), sides[1].colliding());
        let approach = respond_coarsely(&mut a, &mut b, normal, coarse, &surface, &mut stream);
        let moved = [a.motion, b.motion];
        self.put_back(collision, moved);
        approach
    }

    fn bounce(&mut self, collision: &Collision, step: f64, deep: &[Contact]) {
        let sides = self.sides(collision);
        let mut surface = self.surface(collision);
        let mut pair = Pair::new(&sides[0].colliding(), &sides[1].colliding());
        let approach = pair.approach(&collision.contacts);
        if approach > 0.0 {
            // What gravity adds in two frames does not bounce, or nothing would rest.
            if approach < 2.0 * step * self.settings.gravity.length() {
                surface.restitution = 0.0;
            }
            pair.respond(&collision.contacts, &surface);
        }
        pair.hold_apart(deep);
        self.put_back(collision, pair.motions());
    }

    fn surface(&self, collision: &Collision) -> proscenium_bodies::PairSurface {
        let material = &self.bodies[collision.a as usize].material;
        match collision.partner {
            Partner::Body(other) => material.meet(&self.bodies[other.0 as usize].material),
            Partner::Wall(_) => material.surface(),
        }
    }

    fn sides(&self, collision: &Collision) -> [Side; 2] {
        members(collision).map(|index| match index {
            Some(index) => {
                let body = &self.bodies[index];
                Side { motion: body.motion, inertia: (!body.fixed).then_some(body.inertia) }
            }
            None => Side { motion: Motion::AT_REST, inertia: None },
        })
    }

    fn put_back(&mut self, collision: &Collision, moved: [Motion; 2]) {
        for (index, motion) in members(collision).into_iter().zip(moved) {
            if let Some(index) = index {
                self.bodies[index].motion = motion;
            }
        }
    }

    /// Leaves that overlap are pushed apart a little, without a change of
    /// velocity, the lighter body more.
    fn push_apart(&mut self, collision: &Collision) {
        let Some(contact) = collision.contacts.first() else {
            return;
        };
        let leaf = self.bodies[collision.a as usize].model.level_reach(collision.rounds / 2);
        let depth = (contact.depth - 0.25 * leaf).clamp(0.0, leaf);
        let lightness = |index: Option<usize>| {
            let body = index.map(|index| &self.bodies[index]).filter(|body| !body.fixed);
            body.map_or(0.0, |body| 1.0 / body.inertia.mass)
        };
        let [a, b] = members(collision);
        let (of_a, of_b) = (lightness(a), lightness(b));
        let amount = PUSH * depth / (of_a + of_b).max(f64::MIN_POSITIVE) * contact.normal;
        for (index, share) in [(a, -of_a), (b, of_b)] {
            if let Some(index) = index.filter(|_| share != 0.0) {
                self.bodies[index].pushed += share * amount;
            }
        }
    }

    /// Bodies that are deep in each other and still go deeper do not move in
    /// this step: pressed together by others, they may not pass.
    fn hold_what_is_too_deep(&mut self, collisions: &[Collision], step: f64) {
        for collision in collisions {
            let Some(contact) = collision.contacts.first().filter(|contact| contact.interpenetration > TOO_DEEP) else {
                continue;
            };
            let sides = self.sides(collision);
            let pair = Pair::new(&sides[0].colliding(), &sides[1].colliding());
            let going = -pair.parting(contact) * step;
            let reach = self.bodies[collision.a as usize].model.level_reach(collision.rounds / 2);
            if going > 0.05 * reach {
                members(collision).into_iter().flatten().for_each(|index| self.bodies[index].held = true);
            }
        }
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

/// One side of a collision, out of its world.
struct Side {
    motion: Motion,
    inertia: Option<Inertia>,
}

impl Side {
    fn colliding(&self) -> CollidingBody<'_> {
        CollidingBody { motion: self.motion, inertia: self.inertia.as_ref() }
    }
}

/// The bodies of a collision; a wall is none.
fn members(collision: &Collision) -> [Option<usize>; 2] {
    let other = match collision.partner {
        Partner::Body(other) => Some(other.0 as usize),
        Partner::Wall(_) => None,
    };
    [Some(collision.a as usize), other]
}

/// A number of its own for each pair, for its random stream.
fn pair_number(collision: &Collision) -> u64 {
    let other = match collision.partner {
        Partner::Body(other) => u64::from(other.0),
        Partner::Wall(wall) => u64::from(u32::MAX - wall),
    };
    u64::from(collision.a) << 32 | other
}

fn moving(body: &Body, step: f64) -> BroadBody {
    let radius = body.model.radius();
    // Gravity is in the velocity already: s = |v| Δt (equation 5.2).
    let moved = if body.fixed { 0.0 } else { step * body.motion.velocity.length() };
    BroadBody { center: body.motion.position, bound: radius + moved, radius, fixed: body.fixed }
}

fn root_contact(primitive: &Primitive) -> Contact {
    let touch = &primitive.touch;
    Contact { point: touch.point, normal: touch.normal, depth: touch.depth, interpenetration: touch.interpenetration }
}

/// The deepest of those that are too deep for comfort.
fn deepest(primitives: &[Primitive]) -> Vec<Contact> {
    let mut deep: Vec<Contact> =
        primitives.iter().filter(|primitive| primitive.touch.interpenetration > DEEP).map(root_contact).collect();
    deep.sort_by(|a, b| b.interpenetration.total_cmp(&a.interpenetration));
    deep.truncate(MOST_DEEP);
    deep
}
