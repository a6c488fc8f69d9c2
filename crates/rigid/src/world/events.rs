//! The event loop: what happens, one function each.

use proscenium_bodies::glam::DVec3;
use proscenium_bodies::{Inertia, Motion};
use proscenium_work::{Completion, Finish as _, Halt, Progress};

use super::collision::CollisionOutcome;
use super::{Event, MOST_EVENTS_AT_ONCE, Pair, World};
use crate::body::{BodyDef, BodyId, Presence};
use crate::control::Control;
use crate::error::SimulationError;
use crate::record::Sample;

impl World {
    /// Schedules a control event. A time that has passed is an error, unless
    /// the world was built to take [late input](crate::WorldBuilder::late_input).
    pub fn schedule(&mut self, time: f64, control: Control) -> Result<(), SimulationError> {
        if !(time.is_finite() && control.is_finite()) {
            return Err(SimulationError::BadControl { now: self.now, time });
        }
        if let Some(body) = control.body().filter(|body| body.index() >= self.bodies.len()) {
            return Err(SimulationError::NoSuchBody { index: body.0, time });
        }
        if time < self.now {
            return self.act_in_the_past(time, control).map(|_| ());
        }
        if let Some(past) = &mut self.past {
            past.note(time, &control);
        }
        self.schedule_control(time, control);
        Ok(())
    }

    /// Simulates until a time. Only what happens until then costs anything.
    pub fn advance(&mut self, until: f64) -> Result<(), SimulationError> {
        match self.advance_while_wanted(until, &Progress::none()) {
            Err(Halt::Failed(error)) => Err(error),
            // Nobody could stop it.
            Ok(()) | Err(Halt::Stopped) => Ok(()),
        }
    }

    /// As [`World::advance`], for as long as nobody wants it to end: then the
    /// world stands where it was stopped, and may go on from there.
    ///
    /// ```
    /// use proscenium_rigid::{BodyDef, Material, World, geometry::{Pose, Shape}, glam::DVec3};
    /// use proscenium_work::{Completion, Progress};
    ///
    /// let mut builder = World::builder().gravity(DVec3::new(0.0, -9.81, 0.0));
    /// let rubber = builder.material(Material::new(1100.0, 0.8, 0.6));
    /// builder.body(BodyDef::fixed("floor", Shape::half_space(DVec3::Y)?, rubber));
    /// builder.body(BodyDef::moving("ball", Shape::sphere(0.1)?, rubber).at(Pose::from_translation(DVec3::Y)));
    /// let mut world = builder.build()?;
    /// assert_eq!(world.advance_watched(2.0, &Progress::stopping_at(3))?, Completion::Stopped);
    /// assert!(world.now() < 2.0);
    /// assert_eq!(world.advance_watched(2.0, &Progress::none())?, Completion::Finished(()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn advance_watched(&mut self, until: f64, progress: &Progress) -> Result<Completion<()>, SimulationError> {
        self.advance_while_wanted(until, progress).finish()
    }

    /// Asks before every event whether to go on.
    pub(crate) fn advance_while_wanted(
        &mut self,
        until: f64,
        progress: &Progress,
    ) -> Result<(), Halt<SimulationError>> {
        self.check_time(until)?;
        loop {
            let block_ends = self.past.as_ref().map_or(f64::INFINITY, |past| past.next());
            let stop = until.min(block_ends);
            while self.queue.next_time().is_some_and(|time| time <= stop) {
                progress.check()?;
                self.step()?;
            }
            self.now = stop;
            if stop >= block_ends {
                self.close_block();
            }
            if stop >= until {
                return Ok(());
            }
        }
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
        self.note_progress(time, event)?;
        // An event may be found a rounding error late; it happens at its own
        // time all the same.
        self.now = time;
        self.statistics.events += 1;
        self.process(event)?;
        Ok(Some(self.now))
    }

    pub(crate) fn process(&mut self, event: Event) -> Result<(), SimulationError> {
        match event {
            Event::Start(body) => self.process_start(body)?,
            Event::BoundOrMeeting(body) => self.process_bound_or_meeting(body)?,
            Event::Collision(pair) => self.process_touch(pair)?,
            Event::Contact(island) => self.process_contact(island)?,
            Event::Drive(index) => self.process_drive(index),
            Event::Control(index) => self.process_control(index)?,
            Event::Sample => self.process_sample(),
        }
        Ok(())
    }

    /// Time that stands still for too many events is an error, not a hang.
    fn note_progress(&mut self, time: f64, event: Event) -> Result<(), SimulationError> {
        self.stalled = if time > self.now { 0 } else { self.stalled + 1 };
        if self.stalled <= MOST_EVENTS_AT_ONCE {
            return Ok(());
        }
        let index = match event {
            Event::Start(body) | Event::BoundOrMeeting(body) => body,
            Event::Collision(pair) => self.pairs[pair as usize].a,
            Event::Drive(body) => body,
            Event::Contact(island) => self.islands[island as usize].as_ref().map_or(0, |island| island.members[0]),
            Event::Control(_) | Event::Sample => 0,
        };
        let body = self.bodies.get(index as usize).map_or_else(String::new, |body| body.name.clone());
        Err(SimulationError::Wedged { body, count: self.stalled, span: 0.0, time: self.now })
    }

    fn process_start(&mut self, index: u32) -> Result<(), SimulationError> {
        self.statistics.other_events += 1;
        let now = self.now;
        self.enter(index, now).map_err(|(other, depth)| {
            let name = |k: u32| self.bodies[k as usize].name.clone();
            SimulationError::EntersInside { body: name(index), other: name(other), time: now, depth }
        })
    }

    /// Algorithm 3.2: the temporal bound of a body has expired.
    pub(super) fn process_update(&mut self, index: u32) {
        self.statistics.bound_expiries += 1;
        self.renew_bound(index);
        // The new neighbours are the last in its list; those joined to it are not among them.
        let count = self.neighbours[index as usize].len();
        for k in count.saturating_sub(self.changes.started.len())..count {
            self.predict(self.neighbours[index as usize][k].1);
        }
    }

    /// The event of a pair: nothing, if the pair has become a meeting since.
    fn process_touch(&mut self, pair: u32) -> Result<(), SimulationError> {
        let Pair { a, b, ref held, .. } = self.pairs[pair as usize];
        if held.is_none() && self.is_meeting(a, b) {
            return Ok(());
        }
        self.process_collision(pair)
    }

    /// Algorithm 3.3: two bodies may be colliding.
    pub(super) fn process_collision(&mut self, pair: u32) -> Result<(), SimulationError> {
        let (a, b) = (self.pairs[pair as usize].a, self.pairs[pair as usize].b);
        match self.resolve_collision(pair)? {
            CollisionOutcome::Missed => {
                self.statistics.near_misses += 1;
                self.look_on(pair);
                return Ok(());
            }
            CollisionOutcome::Held => return Ok(()),
            CollisionOutcome::Bounced => {}
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
            (false, false) => self.look_on(pair),
        }
        self.disturb(a);
        self.disturb(b);
        Ok(())
    }

    fn process_control(&mut self, index: u32) -> Result<(), SimulationError> {
        self.statistics.other_events += 1;
        let Some((_, control)) = self.controls[index as usize].take() else {
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
                let held = self.is_jointed(body.0) && self.bodies[body.index()].is_here();
                let left = if held { self.part_from(body.0)? } else { Vec::new() };
                self.remove(body.0);
                self.join(&left);
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

    /// Changes the motion of a body from outside.
    fn act_on(&mut self, id: BodyId, change: impl FnOnce(&mut Motion, &Inertia)) -> Result<(), SimulationError> {
        let body = &self.bodies[id.index()];
        let Some(inertia) = body.inertia.filter(|_| body.is_here() && !body.is_driven()) else {
            return Ok(());
        };
        if self.is_jointed(id.0) {
            return self.act_on_jointed(id.0, |motion| change(motion, &inertia));
        }
        let mut motion = body.flight.at(self.now);
        change(&mut motion, &inertia);
        self.set_motion(id.0, motion)?;
        self.renew_bound(id.0);
        self.predict_all(id.0);
        self.disturb(id.0);
        Ok(())
    }

    fn remove(&mut self, index: u32) {
        self.let_go(index);
        let body = &mut self.bodies[index as usize];
        if body.is_here() {
            self.changes.clear();
            self.intersections.structure().remove(index, &mut self.changes);
            self.apply_changes();
        }
        let body = &mut self.bodies[index as usize];
        body.presence = Presence::Gone;
        self.queue.cancel(body.slot);
        self.queue.cancel(body.drive_slot);
        self.record_end(index);
    }
}
