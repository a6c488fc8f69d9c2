//! The world and its event loop.

use std::collections::BTreeMap;

use proscenium_bodies::glam::DVec3;
use proscenium_bodies::{
    Colliding, Encounter, Flight, Inertia, Material, Motion, PairSurface, collide, parting_push, push_apart,
};
use proscenium_geometry::{Gap, Pose, Warmth, separation};

use crate::approach::{Effort, Search};
use crate::body::{Body, BodyDef, BodyId, MaterialId, Presence, Touchable};
use crate::builder::{RestRule, WorldBuilder};
use crate::control::Control;
use crate::error::{SimulationError, WorldError};
use crate::field::feelers;
use crate::intersections::{Changes, IntersectingBounds, SortedLists};
use crate::predict::{Forecast, predict};
use crate::queue::{EventQueue, Slot};
use crate::record::{Contact, Life, Recording, Sample};
use crate::statistics::Statistics;

/// Everything that can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A body enters the world.
    Start(u32),
    /// A body's temporal bound expires.
    BoundExpiry(u32),
    /// A pair of bodies may meet.
    Collision(u32),
    /// Something is done from outside.
    Control(u32),
    /// The poses of all bodies are wanted.
    Sample,
}

/// Two bodies whose temporal bounds intersect.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    /// The first is always a solid; scenery comes second.
    pub a: u32,
    pub b: u32,
    pub slot: Slot,
    warmth: Warmth,
    /// The gap at the expected touch, if one is expected.
    expected: Option<Gap>,
    /// Whether the bounds intersect now; only the synchronous algorithm keeps
    /// pairs for which they do not.
    pub intersecting: bool,
    /// The last direction in which they were apart.
    normal: DVec3,
}

/// A bound covers at least this share of the time in which the body crosses
/// its own radius, so that no interval shrinks to nothing.
const SHORTEST_BOUND: f64 = 0.05;
/// More collisions of one body than this within [`RAPID_SPAN`] mean that it
/// is wedged.
const RAPID_COLLISIONS: u32 = 100_000;
const RAPID_SPAN: f64 = 1e-3;
/// More events than this at one moment mean that time stands still.
const MOST_EVENTS_AT_ONCE: u32 = 1_000_000;

/// A world of rigid bodies, simulated asynchronously.
#[derive(Clone, Debug)]
pub struct World {
    pub(crate) now: f64,
    pub(crate) gravity: DVec3,
    pub(crate) tolerance: f64,
    /// Steps of one prediction before it is put off until the time it has
    /// reached: what happens until then may make the rest needless.
    pub(crate) patience: u32,
    rest: Option<RestRule>,
    materials: Vec<Material>,
    surfaces: BTreeMap<(u32, u32), PairSurface>,
    pub(crate) bodies: Vec<Body>,
    pub(crate) queue: EventQueue<Event>,
    pub(crate) intersections: SortedLists,
    pub(crate) pairs: Vec<Pair>,
    free_pairs: Vec<u32>,
    /// Per body: the others whose bounds it intersects, and the pairs.
    pub(crate) neighbours: Vec<Vec<(u32, u32)>>,
    pub(crate) changes: Changes,
    controls: Vec<Option<Control>>,
    pub(crate) statistics: Statistics,
    recording: Option<Recording>,
    sampling: Option<(f64, Slot)>,
    samples: Vec<Sample>,
    field_spacing: Option<f64>,
    /// Events in a row without time passing.
    stalled: u32,
}

impl World {
    /// Starts the description of a world.
    pub fn builder() -> WorldBuilder {
        WorldBuilder::default()
    }

    pub(crate) fn new(builder: WorldBuilder) -> Result<Self, WorldError> {
        builder.check()?;
        let mut queue = EventQueue::new();
        let sampling = builder.sample_period.map(|period| (period, queue.slot(Event::Sample)));
        let mut world = Self {
            now: f64::NEG_INFINITY,
            gravity: builder.gravity,
            tolerance: 0.0,
            patience: builder.patience,
            rest: builder.rest,
            materials: builder.materials,
            surfaces: builder.pairs,
            bodies: Vec::with_capacity(builder.bodies.len()),
            queue,
            intersections: SortedLists::new(),
            pairs: Vec::new(),
            free_pairs: Vec::new(),
            neighbours: Vec::new(),
            changes: Changes::default(),
            controls: Vec::new(),
            statistics: Statistics::default(),
            recording: builder.record.then(Recording::default),
            sampling,
            samples: Vec::new(),
            field_spacing: None,
            stalled: 0,
        };
        for def in builder.bodies {
            world.add_body(def)?;
        }
        world.tolerance = builder.tolerance.unwrap_or_else(|| world.natural_tolerance());
        let first = world.bodies.iter().map(|body| body.start).fold(0.0, f64::min);
        world.enter_all(first)?;
        world.now = first;
        if let Some((_, slot)) = world.sampling {
            world.queue.schedule(slot, first);
        }
        Ok(world)
    }

    /// A millionth of the smallest body's radius.
    fn natural_tolerance(&self) -> f64 {
        let moving = self.bodies.iter().filter(|body| body.inertia.is_some());
        let smallest = moving.map(|body| body.reach).fold(f64::INFINITY, f64::min);
        if smallest.is_finite() { 1e-6 * smallest } else { 1e-6 }
    }

    fn add_body(&mut self, def: BodyDef) -> Result<BodyId, WorldError> {
        let Some(material) = self.materials.get(def.material.0 as usize) else {
            return Err(WorldError::UnknownMaterial { body: def.name });
        };
        material.check().map_err(|error| WorldError::Material { body: def.name.clone(), error })?;
        let index = self.bodies.len() as u32;
        let slot = self.queue.slot(Event::Start(index));
        let mut body = Body::new(def, material, slot)?;
        if let Touchable::Field(field) = &body.touchable {
            let spacing = self.field_spacing.map_or(field.spacing(), |s| s.min(field.spacing()));
            self.field_spacing = Some(spacing);
            for other in self.bodies.iter_mut().filter(|other| other.inertia.is_some()) {
                other.feelers = feelers(&other.touchable, spacing);
            }
        } else if let (Some(spacing), true) = (self.field_spacing, body.inertia.is_some()) {
            body.feelers = feelers(&body.touchable, spacing);
        }
        if let Some(inertia) = &body.inertia {
            body.flight = Flight::new(body.start, *body.flight.initial(), inertia, self.gravity);
        }
        self.bodies.push(body);
        self.neighbours.push(Vec::new());
        if let Some(recording) = &mut self.recording {
            recording.bodies.push(Life::default());
        }
        Ok(BodyId(index))
    }

    /// Puts in all bodies that are there from the beginning, and schedules
    /// the others.
    fn enter_all(&mut self, first: f64) -> Result<(), WorldError> {
        for index in 0..self.bodies.len() as u32 {
            let (start, slot) = (self.bodies[index as usize].start, self.bodies[index as usize].slot);
            if start > first {
                self.queue.schedule(slot, start);
                continue;
            }
            if let Err((other, depth)) = self.enter(index, first) {
                let name = |k: u32| self.bodies[k as usize].name.clone();
                return Err(WorldError::Overlap { a: name(other), b: name(index), depth });
            }
        }
        Ok(())
    }

    // ---- reading a world ---------------------------------------------------

    /// The time that the world has reached, seconds.
    pub fn now(&self) -> f64 {
        self.now
    }

    /// The gap that counts as contact.
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// The bodies, in the order of addition.
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> + use<> {
        (0..self.bodies.len() as u32).map(BodyId)
    }

    /// The name of a body.
    pub fn name(&self, body: BodyId) -> &str {
        &self.bodies[body.index()].name
    }

    /// The shape of a body.
    pub fn shape(&self, body: BodyId) -> &proscenium_geometry::Shape {
        &self.bodies[body.index()].shape
    }

    /// The inertia of a body that can move.
    pub fn inertia(&self, body: BodyId) -> Option<&Inertia> {
        self.bodies[body.index()].inertia.as_ref()
    }

    /// Whether a body is at rest until something hits it.
    pub fn is_resting(&self, body: BodyId) -> bool {
        self.bodies[body.index()].presence == Presence::Resting
    }

    /// The pose of a body's shape now; `None` while it is not in the world.
    pub fn pose(&self, body: BodyId) -> Option<Pose> {
        let body = &self.bodies[body.index()];
        body.is_here().then(|| body.world_from_shape(self.now))
    }

    /// The motion of a body's principal frame now; `None` while it is not in
    /// the world.
    pub fn motion(&self, body: BodyId) -> Option<Motion> {
        let body = &self.bodies[body.index()];
        body.is_here().then(|| body.flight.at(self.now))
    }

    /// Kinetic and potential energy of all bodies that can move, joules.
    pub fn energy(&self) -> f64 {
        let present = self.bodies.iter().filter(|body| body.is_here());
        let energy = |body: &Body| {
            let inertia = body.inertia.as_ref()?;
            let motion = body.flight.at(self.now);
            Some(inertia.kinetic_energy(&motion) - inertia.mass * self.gravity.dot(motion.position))
        };
        present.filter_map(energy).sum()
    }

    /// Counts of what was done.
    pub fn statistics(&self) -> Statistics {
        Statistics { bound_comparisons: self.intersections.comparisons(), ..self.statistics }
    }

    /// What was recorded, if the world was built with
    /// [`WorldBuilder::recording`].
    pub fn recording(&self) -> Option<&Recording> {
        self.recording.as_ref()
    }

    /// What the sample events saw.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// A number that depends on every bit of the state of every body: equal
    /// runs have equal hashes.
    pub fn state_hash(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut feed = |value: f64| {
            for byte in value.to_bits().to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        };
        feed(self.now);
        for body in &self.bodies {
            if body.is_here() {
                let motion = body.flight.at(self.now);
                let [p, v, w] = [motion.position, motion.velocity, motion.spin].map(|v| v.to_array());
                p.into_iter().chain(motion.orientation.to_array()).chain(v).chain(w).for_each(&mut feed);
            }
        }
        hash
    }

    // ---- acting on a world -------------------------------------------------

    /// Schedules a control event.
    pub fn schedule(&mut self, time: f64, control: Control) -> Result<(), SimulationError> {
        if !(time.is_finite() && time >= self.now && control.is_finite()) {
            return Err(SimulationError::BadControl { now: self.now, time });
        }
        if let Some(body) = control.body().filter(|body| body.index() >= self.bodies.len()) {
            return Err(SimulationError::NoSuchBody { index: body.0, time });
        }
        self.controls.push(Some(control));
        let slot = self.queue.slot(Event::Control(self.controls.len() as u32 - 1));
        self.queue.schedule(slot, time);
        Ok(())
    }

    /// Simulates until a time. Only what happens until then costs anything.
    pub fn advance(&mut self, until: f64) -> Result<(), SimulationError> {
        self.check_time(until)?;
        while self.queue.next_time().is_some_and(|time| time <= until) {
            self.step()?;
        }
        self.now = until;
        Ok(())
    }

    pub(crate) fn check_time(&self, until: f64) -> Result<(), SimulationError> {
        if until.is_finite() && until >= self.now {
            Ok(())
        } else {
            Err(SimulationError::TimeRunsBackwards { now: self.now, asked: until })
        }
    }

    /// Processes the next event, and returns its time; `None` if nothing will
    /// happen any more.
    pub fn step(&mut self) -> Result<Option<f64>, SimulationError> {
        let Some((time, event)) = self.queue.pop() else {
            return Ok(None);
        };
        // An event may have been found a rounding error late.
        self.note_progress(time, event)?;
        self.now = self.now.max(time);
        self.statistics.events += 1;
        match event {
            Event::Start(body) => self.process_start(body)?,
            Event::BoundExpiry(body) => self.process_update(body),
            Event::Collision(pair) => self.process_collision(pair)?,
            Event::Control(index) => self.process_control(index)?,
            Event::Sample => self.process_sample(),
        }
        Ok(Some(self.now))
    }

    /// Time that stands still for too many events is an error, not a hang.
    fn note_progress(&mut self, time: f64, event: Event) -> Result<(), SimulationError> {
        self.stalled = if time > self.now { 0 } else { self.stalled + 1 };
        if self.stalled <= MOST_EVENTS_AT_ONCE {
            return Ok(());
        }
        let index = match event {
            Event::Start(body) | Event::BoundExpiry(body) => body,
            Event::Collision(pair) => self.pairs[pair as usize].a,
            Event::Control(_) | Event::Sample => 0,
        };
        let body = self.bodies.get(index as usize).map_or_else(String::new, |body| body.name.clone());
        Err(SimulationError::Wedged { body, count: self.stalled, span: 0.0, time: self.now })
    }

    // ---- events ------------------------------------------------------------

    fn process_start(&mut self, index: u32) -> Result<(), SimulationError> {
        self.statistics.other_events += 1;
        let now = self.now;
        self.enter(index, now).map_err(|(other, depth)| {
            let name = |k: u32| self.bodies[k as usize].name.clone();
            SimulationError::EntersInside { body: name(index), other: name(other), time: now, depth }
        })
    }

    /// Algorithm 3.2: the temporal bound of a body has expired.
    fn process_update(&mut self, index: u32) {
        self.statistics.bound_expiries += 1;
        self.renew_bound(index);
        for k in 0..self.changes.started.len() {
            let (a, b) = self.changes.started[k];
            if let Some(pair) = self.pair_between(a, b) {
                self.predict(pair);
            }
        }
        self.predict_scenery(index);
    }

    /// Algorithm 3.3: two bodies may be colliding.
    fn process_collision(&mut self, pair: u32) -> Result<(), SimulationError> {
        let (a, b) = (self.pairs[pair as usize].a, self.pairs[pair as usize].b);
        if !self.resolve_collision(pair)? {
            self.statistics.near_misses += 1;
            self.predict_after_miss(pair);
            return Ok(());
        }
        // Scenery and bodies at rest go on as before, and so do predictions
        // about them.
        let changed = |k: u32| self.bodies[k as usize].flight.start() == self.now;
        let (a_changed, b_changed) = (changed(a), changed(b));
        if a_changed {
            self.renew_bound(a);
        }
        if b_changed {
            self.renew_bound(b);
        }
        match (a_changed, b_changed) {
            (true, true) => {
                self.predict_all(a);
                self.predict_all_but(b, a);
            }
            (true, false) => self.predict_all(a),
            (false, true) => self.predict_all(b),
            (false, false) => self.predict_after_miss(pair),
        }
        Ok(())
    }

    fn process_control(&mut self, index: u32) -> Result<(), SimulationError> {
        self.statistics.other_events += 1;
        let Some(control) = self.controls[index as usize].take() else {
            return Ok(());
        };
        match control {
            Control::Impulse { body, impulse, point } => self.act_on(body, |motion, inertia| {
                let arm = point.map_or(DVec3::ZERO, |p| p - motion.position);
                motion.velocity += impulse / inertia.mass;
                motion.spin += inertia.inverse_tensor(motion.orientation) * arm.cross(impulse);
            }),
            Control::SetVelocity { body, velocity, spin } => self.act_on(body, |motion, _| {
                motion.velocity = velocity;
                motion.spin = spin;
            }),
            Control::Remove { body } => {
                self.remove(body.0);
                Ok(())
            }
            Control::Add(def) => {
                let def = BodyDef { start: self.now, ..*def };
                let added = self.add_body(def);
                let id =
                    added.map_err(|error| SimulationError::CannotAdd { time: self.now, error: Box::new(error) })?;
                self.process_start(id.0)
            }
        }
    }

    fn process_sample(&mut self) {
        self.statistics.other_events += 1;
        let poses = self.bodies().map(|body| self.pose(body)).collect();
        self.samples.push(Sample { time: self.now, poses });
        if let Some((period, slot)) = self.sampling {
            self.queue.schedule(slot, period * (self.samples.len() as f64));
        }
    }

    // ---- what events are made of ------------------------------------------

    /// Changes the motion of a body from outside.
    fn act_on(&mut self, id: BodyId, change: impl FnOnce(&mut Motion, &Inertia)) -> Result<(), SimulationError> {
        let body = &self.bodies[id.index()];
        let Some(inertia) = body.inertia.filter(|_| body.is_here()) else {
            return Ok(());
        };
        let mut motion = body.flight.at(self.now);
        change(&mut motion, &inertia);
        self.set_motion(id.0, motion)?;
        self.renew_bound(id.0);
        self.predict_all(id.0);
        Ok(())
    }

    fn remove(&mut self, index: u32) {
        let now = self.now;
        let body = &mut self.bodies[index as usize];
        if body.is_here() {
            self.changes.clear();
            self.intersections.remove(index, &mut self.changes);
            self.apply_changes();
        }
        let body = &mut self.bodies[index as usize];
        body.presence = Presence::Gone;
        self.queue.cancel(body.slot);
        if let Some(recording) = &mut self.recording {
            recording.bodies[index as usize].end = Some(now);
        }
    }

    /// A body enters: its first bound, its place among the bounds, and its
    /// predictions. Fails with what it would overlap, and by how much.
    fn enter(&mut self, index: u32, now: f64) -> Result<(), (u32, f64)> {
        let body = &mut self.bodies[index as usize];
        body.presence = Presence::Here;
        let slot = body.slot;
        self.queue.release(slot);
        self.bodies[index as usize].slot = self.queue.slot(Event::BoundExpiry(index));
        self.now = now;
        // A last event in the recent past gives the first bound its length.
        let recent = self.shortest_bound(index);
        self.bodies[index as usize].last_event = now - if recent.is_finite() { recent } else { 0.0 };
        let bound = self.next_bound(index);
        self.changes.clear();
        self.intersections.insert(index, &bound, &mut self.changes);
        self.apply_changes();
        self.check_clear(index)?;
        self.record_flight(index);
        self.predict_all(index);
        Ok(())
    }

    /// Whether a body that enters is clear of all others.
    fn check_clear(&self, index: u32) -> Result<(), (u32, f64)> {
        let body = &self.bodies[index as usize];
        let pose = body.world_from_shape(self.now);
        for (other, _) in &self.neighbours[index as usize] {
            let there = &self.bodies[*other as usize];
            let distance = separation(&body.shape, &pose, &there.shape, &there.world_from_shape(self.now));
            // What counts as contact is not an overlap, nor is rounding.
            let allowed = self.tolerance.max(1e-9 * body.reach.min(there.reach));
            if distance < -allowed {
                return Err((*other, -distance));
            }
        }
        Ok(())
    }

    /// The least time that a bound should cover.
    fn shortest_bound(&self, index: u32) -> f64 {
        let body = &self.bodies[index as usize];
        let speed = body.flight.velocity(self.now).length();
        let by_speed = body.reach / speed;
        let by_fall = (2.0 * body.reach / body.flight.acceleration().length()).sqrt();
        SHORTEST_BOUND * by_speed.min(by_fall).min(10.0)
    }

    /// The bound for twice the time since the body's last event, and its
    /// expiry in the queue.
    fn next_bound(&mut self, index: u32) -> proscenium_geometry::Bounds {
        let now = self.now;
        let shortest = self.shortest_bound(index);
        let body = &mut self.bodies[index as usize];
        if !body.moves() {
            body.bound_expires = f64::INFINITY;
            body.bound = body.temporal_bound(now, now);
            self.queue.cancel(body.slot);
            return body.bound;
        }
        let interval = (2.0 * (now - body.last_event)).max(shortest);
        body.last_event = now;
        body.bound_expires = now + interval;
        body.bound = body.temporal_bound(now, body.bound_expires);
        self.queue.schedule(body.slot, body.bound_expires);
        body.bound
    }

    /// Gives a body a new bound and notes which intersections that changes;
    /// predictions for the new ones are left to the caller.
    fn renew_bound(&mut self, index: u32) {
        if !self.bodies[index as usize].is_here() || self.bodies[index as usize].inertia.is_none() {
            self.changes.clear();
            return;
        }
        let bound = self.next_bound(index);
        self.changes.clear();
        self.intersections.update(index, &bound, &mut self.changes);
        self.apply_changes();
    }

    /// Makes and drops pairs as bounds begin and cease to intersect.
    pub(crate) fn apply_changes(&mut self) {
        let changes = std::mem::take(&mut self.changes);
        for (a, b) in &changes.ended {
            self.drop_pair(*a, *b);
        }
        for (a, b) in &changes.started {
            self.make_pair(*a, *b);
        }
        self.changes = changes;
    }

    pub(crate) fn make_pair(&mut self, a: u32, b: u32) {
        let solid = |k: u32| self.bodies[k as usize].inertia.is_some();
        if !solid(a) && !solid(b) {
            return;
        }
        // Scenery comes second.
        let (a, b) = if solid(a) { (a, b) } else { (b, a) };
        let index = self.free_pairs.pop().unwrap_or(self.pairs.len() as u32);
        let slot = self.queue.slot(Event::Collision(index));
        let pair =
            Pair { a, b, slot, warmth: Warmth::default(), expected: None, intersecting: true, normal: DVec3::ZERO };
        if index as usize == self.pairs.len() {
            self.pairs.push(pair);
        } else {
            self.pairs[index as usize] = pair;
        }
        self.neighbours[a as usize].push((b, index));
        self.neighbours[b as usize].push((a, index));
    }

    pub(crate) fn drop_pair(&mut self, a: u32, b: u32) {
        let Some(pair) = self.pair_between(a, b) else {
            return;
        };
        self.neighbours[a as usize].retain(|(_, p)| *p != pair);
        self.neighbours[b as usize].retain(|(_, p)| *p != pair);
        self.queue.release(self.pairs[pair as usize].slot);
        self.free_pairs.push(pair);
    }

    pub(crate) fn pair_between(&self, a: u32, b: u32) -> Option<u32> {
        let (of_a, of_b) = (&self.neighbours[a as usize], &self.neighbours[b as usize]);
        let (list, other) = if of_a.len() <= of_b.len() { (of_a, b) } else { (of_b, a) };
        list.iter().find(|(k, _)| *k == other).map(|(_, pair)| *pair)
    }

    /// Renews the predictions of a body with all its neighbours.
    fn predict_all(&mut self, index: u32) {
        for k in 0..self.neighbours[index as usize].len() {
            self.predict(self.neighbours[index as usize][k].1);
        }
    }

    fn predict_all_but(&mut self, index: u32, other: u32) {
        for k in 0..self.neighbours[index as usize].len() {
            let (neighbour, pair) = self.neighbours[index as usize][k];
            if neighbour != other {
                self.predict(pair);
            }
        }
    }

    /// Renews the predictions against scenery that hold only for one bound.
    fn predict_scenery(&mut self, index: u32) {
        for k in 0..self.neighbours[index as usize].len() {
            let (other, pair) = self.neighbours[index as usize][k];
            if self.bodies[other as usize].touchable.is_large_scenery() {
                self.predict(pair);
            }
        }
    }

    /// Predicts when a pair meets, and schedules it.
    pub(crate) fn predict(&mut self, index: u32) {
        let pair = &mut self.pairs[index as usize];
        let (a, b) = (&self.bodies[pair.a as usize], &self.bodies[pair.b as usize]);
        if !a.moves() && !b.moves() {
            self.queue.cancel(pair.slot);
            return;
        }
        let mut effort = Effort::default();
        let search =
            Search { from: self.now, until: f64::INFINITY, tolerance: self.tolerance, patience: self.patience };
        let forecast = predict(a, b, search, &mut pair.warmth, &mut effort);
        self.statistics.predictions += 1;
        self.statistics.distance_queries += effort.distance_queries;
        self.statistics.most_iterations = self.statistics.most_iterations.max(effort.iterations);
        pair.expected = match forecast {
            Forecast::Touch(_, gap) => Some(gap),
            _ => None,
        };
        self.queue.schedule(pair.slot, forecast.time());
    }

    /// Predicts anew for a pair that did not collide when it was looked at. A
    /// touch without approach is looked at again a little later: when the gap
    /// can have changed by no more than half the tolerance.
    pub(crate) fn predict_after_miss(&mut self, index: u32) {
        let touching = self.pairs[index as usize].expected.is_some();
        self.predict(index);
        let pair = &mut self.pairs[index as usize];
        if touching && self.queue.time(pair.slot).is_some_and(|time| time <= self.now) {
            let speed = |k: u32| {
                let body = &self.bodies[k as usize];
                let reach = if body.reach.is_finite() { body.reach } else { 0.0 };
                body.flight.velocity(self.now).length() + body.flight.max_spin() * reach
            };
            let pause = 0.5 * self.tolerance / (speed(pair.a) + speed(pair.b)).max(1e-3);
            pair.expected = None;
            self.queue.schedule(pair.slot, self.now + pause.max(4.0 * f64::EPSILON * self.now.abs()));
        }
    }

    /// Exchanges an impulse if a pair is in contact and approaching; false if
    /// it is not.
    pub(crate) fn resolve_collision(&mut self, index: u32) -> Result<bool, SimulationError> {
        let now = self.now;
        let pair = &mut self.pairs[index as usize];
        // Nothing has changed the courses of the two since the prediction, or
        // it would have been made anew: the gap is the one predicted.
        let Some(gap) = pair.expected else {
            return Ok(false);
        };
        let (a, b) = (pair.a, pair.b);
        let (body_a, body_b) = (&self.bodies[a as usize], &self.bodies[b as usize]);
        if gap.normal != DVec3::ZERO {
            pair.normal = gap.normal;
        }
        let normal = if pair.normal == DVec3::ZERO { fallback_normal(body_a, body_b, now) } else { pair.normal };
        self.statistics.integrations += 2;

        let surface = self.surface(body_a.material, body_b.material);
        let (motion_a, motion_b) = (body_a.flight.at(now), body_b.flight.at(now));
        let point = 0.5 * (gap.point_a + gap.point_b);
        let relative = motion_b.velocity_at(point) - motion_a.velocity_at(point);
        let mut first = Colliding { motion: motion_a, inertia: self.movable(a, -relative.dot(normal)) };
        let mut second = Colliding { motion: motion_b, inertia: self.movable(b, -relative.dot(normal)) };
        let meeting = Encounter { point, normal, surface };
        let Some(mut impulse) = collide(&mut first, &mut second, &meeting) else {
            return Ok(false);
        };
        let after = second.motion.velocity_at(point) - first.motion.velocity_at(point);
        let lost = -0.5 * impulse.dot(relative + after);
        let (given_back, push) = self.parting_push([a, b], &first, &second, &meeting, lost);
        push_apart(&mut first, &mut second, point, push);
        impulse += push;

        let outcome = [(a, first.motion, first.inertia.is_some()), (b, second.motion, second.inertia.is_some())];
        self.statistics.collisions += 1;
        if let Some(recording) = &mut self.recording {
            recording.contacts.push(Contact { time: now, a: BodyId(a), b: BodyId(b), point, normal, impulse });
        }
        for (k, motion, moved) in outcome {
            if moved {
                self.bodies[k as usize].lost_energy += lost - given_back;
                self.set_motion(k, motion)?;
                self.note_collision(k, surface.restitution < 1.0)?;
            }
        }
        Ok(true)
    }

    /// What keeps bounces that lose energy from becoming infinitely many in a
    /// moment: none parts slower than a quarter of the speed of rest. The
    /// energy comes out of what one of the two has lost before, so that no
    /// body ever gains what it did not have.
    fn parting_push(
        &self,
        pair: [u32; 2],
        a: &Colliding<'_>,
        b: &Colliding<'_>,
        meeting: &Encounter,
        lost: f64,
    ) -> (f64, DVec3) {
        let none = (0.0, DVec3::ZERO);
        let Some(rule) = self.rest.filter(|_| meeting.surface.restitution < 1.0) else {
            return none;
        };
        let account = pair.map(|k| self.bodies[k as usize].lost_energy).into_iter().fold(0.0, f64::max) + lost;
        parting_push(a, b, meeting, 0.25 * rule.speed).filter(|(energy, _)| *energy <= account).unwrap_or(none)
    }

    /// The inertia of a body in a collision at this speed: a resting body
    /// gives way only to a blow that wakes it.
    fn movable(&self, index: u32, speed: f64) -> Option<&Inertia> {
        let body = &self.bodies[index as usize];
        let awake = body.presence != Presence::Resting || self.rest.is_none_or(|rule| speed > rule.speed);
        body.inertia.as_ref().filter(|_| awake)
    }

    fn surface(&self, a: MaterialId, b: MaterialId) -> PairSurface {
        let stated = self.surfaces.get(&(a.0.min(b.0), a.0.max(b.0)));
        stated.copied().unwrap_or_else(|| self.materials[a.0 as usize].meet(&self.materials[b.0 as usize]))
    }

    /// Starts a new flight of a body from a motion now.
    fn set_motion(&mut self, index: u32, motion: Motion) -> Result<(), SimulationError> {
        let body = &mut self.bodies[index as usize];
        if !motion.is_finite() {
            return Err(SimulationError::NotFinite { body: body.name.clone(), time: self.now });
        }
        if let Some(inertia) = &body.inertia {
            body.flight = Flight::new(self.now, motion, inertia, self.gravity);
            body.presence = Presence::Here;
        }
        self.record_flight(index);
        Ok(())
    }

    /// Counts slow and rapid collisions: the first lead to rest, the second
    /// to an error.
    fn note_collision(&mut self, index: u32, lossy: bool) -> Result<(), SimulationError> {
        let now = self.now;
        let body = &mut self.bodies[index as usize];
        if now - body.rapid_since > RAPID_SPAN {
            (body.rapid_collisions, body.rapid_since) = (0, now);
        }
        body.rapid_collisions += 1;
        if body.rapid_collisions > RAPID_COLLISIONS {
            let count = body.rapid_collisions;
            return Err(SimulationError::Wedged { body: body.name.clone(), count, span: RAPID_SPAN, time: now });
        }
        let Some(rule) = self.rest else {
            return Ok(());
        };
        let motion = *body.flight.initial();
        let speed = motion.velocity.length() + motion.spin.length() * body.reach;
        let slow = lossy && speed < rule.speed;
        body.slow_collisions = if slow { body.slow_collisions + 1 } else { 0 };
        if body.slow_collisions >= rule.collisions {
            body.slow_collisions = 0;
            body.presence = Presence::Resting;
            body.flight = Flight::resting(now, &motion.pose());
            self.record_flight(index);
        }
        Ok(())
    }

    fn record_flight(&mut self, index: u32) {
        let Some(recording) = &mut self.recording else {
            return;
        };
        let body = &self.bodies[index as usize];
        let life = &mut recording.bodies[index as usize];
        life.principal_from_shape = Some(body.shape_from_principal.inverse());
        // A flight that is replaced at once was never seen.
        if life.flights.last().is_some_and(|last| last.start() >= body.flight.start()) {
            life.flights.pop();
        }
        life.flights.push(body.flight.clone());
    }
}

/// The direction between two centres, for solids whose cores overlap before
/// they were ever seen apart.
fn fallback_normal(a: &Body, b: &Body, now: f64) -> DVec3 {
    (b.flight.position(now) - a.flight.position(now)).try_normalize().unwrap_or(DVec3::Y)
}
