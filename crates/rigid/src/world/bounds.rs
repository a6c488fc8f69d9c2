//! Temporal bounds, the pairs they make, and predictions about them.

use proscenium_bodies::{Flight, Motion};
use proscenium_geometry::{Bounds, Warmth, separation};

use super::meetings::Meeting;
use super::{Event, HELD_PATIENCE, Pair, SHORTEST_BOUND, SHORTEST_STEP, STAY, World, rank};
use crate::approach::{Effort, Search};
use crate::body::Presence;
use crate::error::SimulationError;
use crate::predict::{Forecast, at_once, predict};
use crate::queue::Slot;

impl World {
    /// A body enters: its first bound, its place among the bounds, and its
    /// predictions. Fails with what it would overlap, and by how much.
    pub(super) fn enter(&mut self, index: u32, now: f64) -> Result<(), (u32, f64)> {
        let bound = self.appear(index, now);
        self.changes.clear();
        self.intersections.structure().insert(index, &bound, &mut self.changes);
        self.apply_changes();
        self.check_clear(index)?;
        self.record_flight(index);
        self.rest_on_neighbours(index);
        self.predict_all(index);
        self.start_linkage(index);
        Ok(())
    }

    /// The first bound of a body, whose queue slot is for expiries from now
    /// on.
    pub(super) fn appear(&mut self, index: u32, now: f64) -> Bounds {
        self.now = now;
        let body = &mut self.bodies[index as usize];
        body.presence = if body.starts_at_rest { Presence::Resting } else { Presence::Here };
        let slot = body.slot;
        self.queue.release(slot);
        self.bodies[index as usize].slot = self.queue.slot(Event::BoundOrMeeting(index), rank::bound(index));
        self.follow_drive(index);
        self.first_bound(index)
    }

    /// The first bound of a body that is there.
    pub(super) fn first_bound(&mut self, index: u32) -> Bounds {
        let now = self.now;
        self.note_flight(index);
        // A last event in the recent past gives the first bound its length.
        let recent = self.shortest_bound(index);
        self.bodies[index as usize].last_event = now - if recent.is_finite() { recent } else { 0.0 };
        self.next_bound(index)
    }

    /// Whether a body that enters is clear of all others.
    pub(super) fn check_clear(&self, index: u32) -> Result<(), (u32, f64)> {
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

    /// The next bound of a body, and its expiry in the queue.
    fn next_bound(&mut self, index: u32) -> Bounds {
        let now = self.now;
        // What rests goes on touching what it rests on.
        let (rests, margin) = (self.contact_margin(), self.tolerance);
        let shortest = if self.intersections.is_grid() { 0.0 } else { self.shortest_bound(index) };
        let crowd = self.neighbours[index as usize].len();
        let body = &mut self.bodies[index as usize];
        if !body.moves() {
            body.bound_expires = f64::INFINITY;
            body.bound = body.temporal_bound(now, now).grow(rests);
            self.queue.cancel(body.slot);
            return body.bound;
        }
        if self.intersections.is_grid() {
            body.make_room(crowd, margin);
            body.bound = body.roomy_bound(now, margin);
            body.bound_expires = now + body.leaves_bound(now, margin);
        } else {
            // Twice the time since the body's last event.
            let interval = (2.0 * (now - body.last_event)).max(shortest);
            body.bound_expires = now + interval;
            body.bound = body.temporal_bound(now, body.bound_expires).grow(margin);
        }
        body.last_event = now;
        let bound = body.bound;
        if !self.synchronous {
            self.schedule_own(index);
        }
        bound
    }

    /// Lets a body on a new flight keep its bound in the grid, if it will stay
    /// inside for a while.
    fn keeps_bound(&mut self, index: u32) -> bool {
        let (now, margin) = (self.now, self.tolerance);
        let body = &mut self.bodies[index as usize];
        if !self.intersections.is_grid() || !body.moves() {
            return false;
        }
        let stay = body.leaves_bound(now, margin);
        // A body that never had a bound in the grid has no room yet.
        let crossing = body.room_to_move(margin) / body.flight.velocity(now).length();
        if !(crossing > 0.0 && stay > at_once(now) && stay >= STAY * crossing) {
            return false;
        }
        (body.bound_expires, body.last_event) = (now + stay, now);
        self.schedule_own(index);
        true
    }

    /// Sees to it that a body whose flight or bound has ended has a bound
    /// again, and notes which intersections that changes; predictions for the
    /// new ones are left to the caller.
    pub(super) fn renew_bound(&mut self, index: u32) {
        self.changes.clear();
        let body = &self.bodies[index as usize];
        if !body.is_here() || body.inertia.is_none() || self.keeps_bound(index) {
            return;
        }
        let bound = self.next_bound(index);
        self.intersections.structure().update(index, &bound, &mut self.changes);
        self.apply_changes();
    }

    /// Makes and drops pairs as bounds begin and cease to intersect.
    pub(crate) fn apply_changes(&mut self) {
        if self.synchronous {
            self.apply_changes_with_hysteresis();
            return;
        }
        let changes = std::mem::take(&mut self.changes);
        for (a, b) in &changes.ended {
            self.drop_pair(*a, *b);
        }
        for (a, b) in &changes.started {
            self.make_pair(*a, *b);
        }
        self.changes = changes;
    }

    /// The synchronous way: new intersections are predicted. Those that cease
    /// keep the event that is already in the queue; if the bounds meet again
    /// before it, nothing need be predicted.
    fn apply_changes_with_hysteresis(&mut self) {
        let changes = std::mem::take(&mut self.changes);
        for (a, b) in &changes.ended {
            if let Some(pair) = self.pair_between(*a, *b) {
                self.pairs[pair as usize].intersecting = false;
                if !self.queue.is_scheduled(self.pairs[pair as usize].slot) {
                    self.drop_pair(*a, *b);
                }
            }
        }
        for (a, b) in &changes.started {
            if self.pair_between(*a, *b).is_none() {
                self.make_pair(*a, *b);
            }
            if let Some(pair) = self.pair_between(*a, *b) {
                self.pairs[pair as usize].intersecting = true;
                if !self.queue.is_scheduled(self.pairs[pair as usize].slot) {
                    self.predict(pair);
                }
            }
        }
        self.changes = changes;
    }

    pub(crate) fn make_pair(&mut self, a: u32, b: u32) {
        let solid = |k: u32| self.movable[k as usize];
        if (!solid(a) && !solid(b)) || self.are_joined(a, b) {
            return;
        }
        // Scenery comes second.
        let (a, b) = if solid(a) { (a, b) } else { (b, a) };
        let index = self.free_pairs.pop().unwrap_or(self.pairs.len() as u32);
        let places = [a, b].map(|k| self.neighbours[k as usize].len() as u32);
        let pair = Pair { a, b, slot: Slot::NONE, places, predictions: None, intersecting: true, held: None };
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
        let Pair { a, b, slot, places, .. } = self.pairs[pair as usize];
        for (body, place) in [a, b].into_iter().zip(places) {
            let list = &mut self.neighbours[body as usize];
            list.swap_remove(place as usize);
            if let Some((_, moved)) = list.get(place as usize) {
                let moved = &mut self.pairs[*moved as usize];
                moved.places[usize::from(moved.b == body)] = place;
            }
        }
        let dropped = &mut self.pairs[pair as usize];
        (dropped.predictions, dropped.held) = (None, None);
        self.queue.release(slot);
        self.free_pairs.push(pair);
    }

    pub(crate) fn pair_between(&self, a: u32, b: u32) -> Option<u32> {
        let (of_a, of_b) = (&self.neighbours[a as usize], &self.neighbours[b as usize]);
        let (list, other) = if of_a.len() <= of_b.len() { (of_a, b) } else { (of_b, a) };
        list.iter().find(|(k, _)| *k == other).map(|(_, pair)| *pair)
    }

    /// Renews the predictions of a body with all its neighbours.
    pub(super) fn predict_all(&mut self, index: u32) {
        self.predict_all_but(index, index);
    }

    pub(super) fn predict_all_but(&mut self, index: u32, other: u32) {
        if self.intersections.is_grid() && self.simple[index as usize].is_ball() {
            self.predict_ball(index, other);
            return;
        }
        for k in 0..self.neighbours[index as usize].len() {
            let (neighbour, pair) = self.neighbours[index as usize][k];
            if neighbour != other {
                self.predict(pair);
            }
        }
    }

    /// Predicts when a pair meets on its present flights, and schedules it.
    pub(crate) fn predict(&mut self, index: u32) {
        let pair = &mut self.pairs[index as usize];
        // A prediction begins with nothing learned: it must not depend on what
        // was learned on other flights.
        if let Some(predictions) = &mut pair.predictions {
            predictions.expected = None;
            predictions.warmth = Warmth::default();
        }
        let (a, b) = (pair.a, pair.b);
        if pair.intersecting && pair.held.is_none() && self.predict_simply(index, a, b) {
            self.statistics.predictions += 1;
            return;
        }
        let pair = &mut self.pairs[index as usize];
        let (a, b) = (&self.bodies[pair.a as usize], &self.bodies[pair.b as usize]);
        let rolls_on_it = pair.held.is_some() && a.rolls() && b.touchable.parts().len() < 2;
        if !pair.intersecting || (!a.moves() && !b.moves()) || rolls_on_it {
            self.queue.cancel(pair.slot);
            return;
        }
        let from = a.flight.start().max(b.flight.start());
        self.look_ahead(index, from);
    }

    /// Predicts a pair from the simple flights of the two, if they suffice.
    fn predict_simply(&mut self, index: u32, a: u32, b: u32) -> bool {
        let (first, second) = (&self.simple[a as usize], &self.simple[b as usize]);
        if first.is_ball() && self.intersections.is_grid() {
            if let Some(time) = self.time_of_meeting(first, b) {
                self.queue.cancel(self.pairs[index as usize].slot);
                self.expect_meeting(a, Meeting { time, other: b });
                return true;
            }
        } else if !first.tells_touch(second)
            && let Some(time) = first.first_near(second, self.tolerance, self.gravity)
            && time >= self.now
        {
            self.schedule_pair(index, time);
            return true;
        }
        false
    }

    /// Schedules the event of a pair.
    pub(super) fn schedule_pair(&mut self, index: u32, time: f64) {
        let pair = &mut self.pairs[index as usize];
        if pair.slot == Slot::NONE && time < f64::INFINITY {
            pair.slot = self.queue.slot(Event::Collision(index), rank::collision(pair.a, pair.b));
        }
        if pair.slot != Slot::NONE {
            self.queue.schedule(pair.slot, time);
        }
    }

    /// Goes on with the prediction of a pair from a time that it has reached.
    pub(crate) fn look_ahead(&mut self, index: u32, from: f64) {
        let pair = &mut self.pairs[index as usize];
        let (a, b) = (&self.bodies[pair.a as usize], &self.bodies[pair.b as usize]);
        let mut search = Search {
            from,
            // What lies beyond the end of a flight is predicted then.
            until: a.flight_ends.min(b.flight_ends),
            tolerance: self.tolerance,
            patience: self.patience,
            beyond: None,
            held: false,
            apart_only: false,
        };
        // The step keeps the places of a contact apart. Other places of the
        // two may meet before it ends, if they turn fast; a ball that rolls
        // may meet other parts of what it rolls on.
        let began = a.flight.start().max(b.flight.start());
        let mut least = f64::NEG_INFINITY;
        if let (Some(_), Some(rule)) = (&pair.held, &self.contact) {
            if a.rolls() {
                search.beyond = Some(rule.margin());
            } else {
                least = began + SHORTEST_STEP * (search.until - began).min(rule.step);
                search.held = true;
                search.apart_only = from == began;
                search.patience = search.patience.max(HELD_PATIENCE);
            }
        }
        let mut effort = Effort::default();
        let predictions = pair.predictions.get_or_insert_default();
        let mut forecast = predict(a, b, search, &mut predictions.warmth, &mut effort);
        // A pair that was found late catches up with the present.
        while let Forecast::Near(time) = forecast
            && time < self.now.max(least)
        {
            (search.from, search.apart_only) = (time, false);
            forecast = predict(a, b, search, &mut predictions.warmth, &mut effort);
        }
        self.statistics.predictions += 1;
        self.statistics.distance_queries += effort.distance_queries;
        self.statistics.most_iterations = self.statistics.most_iterations.max(effort.iterations);
        if let Some(gap) = effort.nearest.filter(|_| from == self.now && search.beyond.is_none()) {
            predictions.clear = Some((gap, a.way_by(from) + b.way_by(from)));
        }
        predictions.expected = match forecast {
            Forecast::Touch(time, gap) if time >= least && time <= search.until => Some(gap),
            _ => None,
        };
        let time = match forecast {
            Forecast::Near(time) if time < search.until => time,
            Forecast::Touch(time, _) if predictions.expected.is_some() => time,
            _ => f64::INFINITY,
        };
        self.schedule_pair(index, time);
    }

    /// The gap of a pair now, or less: how far both have come since it was
    /// last measured is subtracted.
    pub(super) fn clearance(&self, index: u32) -> f64 {
        let pair = &self.pairs[index as usize];
        let (a, b) = (&self.bodies[pair.a as usize], &self.bodies[pair.b as usize]);
        let clear = pair.predictions.as_ref().and_then(|predictions| predictions.clear);
        clear.map_or(f64::NEG_INFINITY, |(gap, way)| gap + way - a.way_by(self.now) - b.way_by(self.now))
    }

    /// Predicts a pair one of which has just been stepped, unless the two are
    /// too far apart to meet before the next step.
    pub(super) fn predict_within_step(&mut self, index: u32, step: f64) {
        let pair = &self.pairs[index as usize];
        let (a, b) = (&self.bodies[pair.a as usize], &self.bodies[pair.b as usize]);
        let until = self.now + step;
        let stepped = a.flight_ends.min(b.flight_ends) <= until;
        // Where all places that can meet took part in the step, it keeps them
        // apart.
        if let Some(held) = &pair.held
            && held.reach > step * (a.fastest(until) + b.fastest(until))
        {
            self.pairs[index as usize].expect_nothing();
            self.schedule_pair(index, f64::INFINITY);
            return;
        }
        if stepped && self.clearance(index) > step * (a.fastest(until) + b.fastest(until)) + 2.0 * self.tolerance {
            self.pairs[index as usize].expect_nothing();
            self.schedule_pair(index, f64::INFINITY);
        } else {
            self.predict(index);
        }
    }

    /// Goes on with the prediction of a pair that did not collide when it was
    /// looked at. A touch without approach is looked at again a little later:
    /// when the gap can have changed by no more than half the tolerance.
    pub(crate) fn look_on(&mut self, index: u32) {
        let pair = &self.pairs[index as usize];
        let from = if pair.expected().is_some() { self.after_pause(pair.a, pair.b) } else { self.now };
        self.look_ahead(index, from);
    }

    /// A time before which the gap between two bodies changes by no more than
    /// half the tolerance.
    pub(super) fn after_pause(&self, a: u32, b: u32) -> f64 {
        let speed = |k: u32| {
            let body = &self.bodies[k as usize];
            let reach = if body.reach.is_finite() { body.reach } else { 0.0 };
            body.flight.velocity(self.now).length() + body.flight.max_spin() * reach
        };
        let pause = 0.5 * self.tolerance / (speed(a) + speed(b)).max(1e-3);
        self.now + pause.max(4.0 * f64::EPSILON * self.now.abs())
    }

    /// Starts a new flight of a body from a motion now.
    pub(super) fn set_motion(&mut self, index: u32, motion: Motion) -> Result<(), SimulationError> {
        if !motion.is_finite() {
            return Err(self.not_finite(index));
        }
        let body = &mut self.bodies[index as usize];
        if let Some(inertia) = &body.inertia {
            let flight = Flight::new(self.now, motion, inertia, self.gravity);
            body.take_flight(flight);
            body.presence = Presence::Here;
            body.rolling = false;
        }
        self.note_flight(index);
        self.record_flight(index);
        Ok(())
    }

    pub(super) fn not_finite(&self, index: u32) -> SimulationError {
        SimulationError::NotFinite { body: self.bodies[index as usize].name.clone(), time: self.now }
    }
}
