//! Junctions: who is inside, who waits, and who goes next.

use super::car::{Newcomer, Placement};
use super::errors::DriverError;
use super::wave::Wave;
use super::{Car, NONE, Traffic};
use crate::map::{Control, JunctionId, Light, PathId};
use serde::{Deserialize, Serialize};

/// A car that comes later than this to a conflicting place is not waited for,
/// seconds.
const GIVE_WAY: f64 = 5.0;

/// One in the queue of a junction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Waiting {
    /// The front car of a lane.
    Car(u32),
    /// A car that comes from a road that is not active.
    Newcomer(Newcomer),
}

/// What happens at a junction.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Crossing {
    /// Cars that are inside, or cannot stop any more before they are.
    pub(crate) inside: Vec<u32>,
    /// Who waits, first in first out.
    pub(crate) queue: Vec<Waiting>,
    /// Whether all its roads are active.
    pub(crate) is_whole: bool,
    /// Who is waved through by all others.
    pub(crate) wave: Option<Wave>,
}

impl Traffic {
    /// Lets whoever is next pass the junction.
    pub(super) fn admit(&mut self, junction: JunctionId) {
        if !self.crossings[junction.index()].inside.is_empty() {
            self.clear(junction);
            self.let_waiting_go(junction);
        }
        let mut place = 0;
        while let Some(&waiting) = self.crossings[junction.index()].queue.get(place) {
            let path = match waiting {
                Waiting::Car(slot) => self.cars[slot as usize].next,
                Waiting::Newcomer(newcomer) => newcomer.path,
            };
            let is_released = match waiting {
                Waiting::Car(slot) => self.cars[slot as usize].release <= self.now,
                // Its tail is in the lane that it comes from, and nobody is on the line.
                Waiting::Newcomer(_) => {
                    let from = self.map.path(path).from;
                    self.is_clear_before_the_line(path) && self.tail_before_the_line(from) <= 0.0
                }
            };
            let asking = match waiting {
                Waiting::Car(slot) => slot,
                Waiting::Newcomer(_) => NONE,
            };
            if !is_released || !self.may_enter(junction, path, asking) {
                // One whose way out is full does not hold up the others.
                place += 1;
                continue;
            }
            self.crossings[junction.index()].queue.remove(place);
            match waiting {
                Waiting::Car(slot) => {
                    self.cars[slot as usize].is_admitted = true;
                    self.crossings[junction.index()].inside.push(slot);
                    self.pass(slot);
                }
                Waiting::Newcomer(newcomer) => {
                    let newcomer = Newcomer { entered: self.now, ..newcomer };
                    let slot = self.store(self.fresh(&newcomer));
                    self.entries[self.map.path(newcomer.path).to.index()] += 1;
                    self.append(slot);
                    self.crossings[junction.index()].inside.push(slot);
                }
            }
        }
    }

    /// Forgets those whose rear has left the junction.
    fn clear(&mut self, junction: JunctionId) {
        let (map, cars, length) = (&self.map, &self.cars, self.vehicle.length);
        let mut inside = std::mem::take(&mut self.crossings[junction.index()].inside);
        inside.retain(|slot| {
            let car = &cars[*slot as usize];
            if map.start_of(car.path) == junction {
                return car.remaining > car.lane_length - length.max(f64::from(map.path(car.path).clear)) - 0.2;
            }
            // Still on its way to the stop line.
            car.is_admitted && map.end_of(car.path) == junction
        });
        self.crossings[junction.index()].inside = inside;
    }

    /// How far down the lane of a path the front of a car is when its body has
    /// left the junction.
    #[inline]
    pub(crate) fn reach(&self, path: PathId) -> f64 {
        self.vehicle.length.max(f64::from(self.map.path(path).clear))
    }

    /// Whether a car may take a path through a junction now: nobody whose way
    /// conflicts is inside, whoever goes first is not near, and there is room
    /// behind the last car of the lane that it leads to. Who is waved through
    /// goes before all others, and if it is one of a circle, it need not wait
    /// for room: those ahead of it go too.
    pub(super) fn may_enter(&self, junction: JunctionId, path: PathId, asking: u32) -> bool {
        let control = self.map.junction(junction).control;
        let inside = &self.crossings[junction.index()].inside;
        let is_free = match control {
            Control::AllWayStop | Control::DeadEnd => inside.is_empty(),
            _ => inside.iter().all(|slot| {
                let other = &self.cars[*slot as usize];
                let taken = self.taken(junction, other);
                if other.waits_at > 0.0 { !self.is_held_up_by(path, taken) } else { !self.map.conflict(path, taken) }
            }),
        };
        let wave = self.crossings[junction.index()].wave;
        let wave = wave.filter(|wave| {
            wave.slot == asking || self.map.light(self.cars[wave.slot as usize].next, self.now) >= Light::Permissive
        });
        let is_waved = wave.is_some_and(|wave| wave.slot == asking);
        let goes_round = is_waved && wave.is_some_and(|wave| wave.is_round);
        if !is_free || !(goes_round || self.has_room(path)) {
            return false;
        }
        if let Some(wave) = wave.filter(|wave| wave.slot != asking) {
            let first = self.cars[wave.slot as usize].next;
            let (own, its) = (self.map.path(path), self.map.path(first));
            let is_in_its_way =
                own.to == its.to || (wave.is_round || self.has_room(first)) && self.map.conflict(path, first);
            if is_in_its_way && own.from != its.from {
                return false;
            }
        }
        let is_bold = self.error_of(asking) == Some(DriverError::ShortGap);
        match control {
            Control::AllWayStop | Control::DeadEnd | Control::Free => true,
            Control::Priority => is_waved || is_bold || !self.must_give_way(junction, path),
            Control::Signals => match self.map.light(path, self.now) {
                Light::Green => true,
                Light::Permissive => is_waved || is_bold || !self.must_give_way(junction, path),
                Light::Amber | Light::Red => self.runs_red(asking, path),
            },
        }
    }

    /// Whether the end of the lane that a path comes from is empty.
    fn is_clear_before_the_line(&self, path: PathId) -> bool {
        let front = self.lanes[self.map.path(path).from.index()].front;
        front == NONE || {
            let car = &self.cars[front as usize];
            car.remaining - self.vehicle.stopping_distance(car.speed) >= self.vehicle.spacing()
        }
    }

    /// Whether a car fits into the lane that a path leads to, behind those who are still
    /// on their way there through the junction, and even if the last one on the lane
    /// stops as soon as it can.
    pub(crate) fn has_room(&self, path: PathId) -> bool {
        let lane = self.map.path(path).to;
        let (length, reach) = (self.map.lane(lane).length, self.reach(path));
        let mut taken = reach + 0.3;
        let mut slot = self.lanes[lane.index()].back;
        while slot != NONE {
            let car = &self.cars[slot as usize];
            taken += self.vehicle.spacing();
            if car.remaining <= length - reach || car.is_driven || car.is_held {
                taken += car.remaining - self.vehicle.stopping_distance(car.speed);
                break;
            }
            slot = car.ahead;
        }
        taken <= length
    }

    /// Whether a car that goes first is about to take a conflicting path.
    pub(super) fn must_give_way(&self, junction: JunctionId, path: PathId) -> bool {
        let is_shown_green = |other| self.map.light(other, self.now) == Light::Green;
        self.map.paths_through(junction).any(|other| {
            if !self.map.gives_way(path, other) || !is_shown_green(other) {
                return false;
            }
            let front = self.lanes[self.map.path(other).from.index()].front;
            if front == NONE {
                return false;
            }
            let car = &self.cars[front as usize];
            !car.ends && car.next == other && car.remaining < GIVE_WAY * car.speed.max(1.0) && self.has_room(other)
        })
    }

    /// Asks to pass without a stop, as soon as the car would have to brake.
    pub(super) fn ask(&mut self, slot: u32) {
        let car = &self.cars[slot as usize];
        let junction = self.map.end_of(car.path);
        if self.map.junction(junction).control == Control::AllWayStop {
            return;
        }
        let next = car.next;
        if !self.is_released(junction, slot) {
            return;
        }
        let waits_at = if self.may_enter(junction, next, slot) {
            0.0
        } else if self.may_wait_inside(junction, next) {
            self.map.waiting_place(next)
        } else {
            return;
        };
        self.crossings[junction.index()].inside.push(slot);
        let car = &mut self.cars[slot as usize];
        (car.is_admitted, car.waits_at) = (true, waits_at);
    }

    /// A car at the stop line of an all-way stop joins the queue.
    pub(super) fn queue_up(&mut self, slot: u32) {
        let car = &mut self.cars[slot as usize];
        car.is_queued = true;
        let junction = self.map.end_of(car.path);
        if self.map.junction(junction).control != Control::AllWayStop {
            return;
        }
        self.crossings[junction.index()].queue.push(Waiting::Car(slot));
        self.release_later(junction, slot);
    }

    /// Those who come from roads that are not active are not here to be waited for; the time
    /// that they take is. Lights are as they are for all.
    fn release_later(&mut self, junction: JunctionId, slot: u32) {
        if self.crossings[junction.index()].is_whole {
            return;
        }
        let Some(expectations) = &self.expectations else {
            return;
        };
        let Car { id, path, next, course, entered, .. } = self.cars[slot as usize];
        let visit = (id, [path, next], course.visit);
        let leaves = expectations.leaves(&self.map, &self.vehicle, &self.draws, visit, entered);
        self.cars[slot as usize].release = leaves;
    }

    /// Whether the drawn time has come at which a car passes a junction that is active in
    /// part, where it gives way to those who are not here.
    fn is_released(&mut self, junction: JunctionId, slot: u32) -> bool {
        if self.crossings[junction.index()].is_whole || self.expectations.is_none() {
            return true;
        }
        let car = &self.cars[slot as usize];
        let is_hidden = |other: PathId| !self.active[self.map.lane(self.map.path(other).from).road.index()];
        let mut first = self.map.paths_through(junction).filter(|other| self.map.gives_way(car.next, *other));
        if !first.any(is_hidden) {
            return true;
        }
        if car.release == f64::NEG_INFINITY {
            self.release_later(junction, slot);
        }
        // It asks some way before the line.
        let car = &self.cars[slot as usize];
        car.release <= self.now + (car.remaining / car.speed.max(1.0)).max(0.0)
    }

    /// The front car passes the stop line.
    pub(super) fn pass(&mut self, slot: u32) {
        let Car { id, path, next, mut course, entered, seen, remaining, speed, .. } = self.cars[slot as usize];
        // It passed the line within the step.
        let passed = if speed > 0.0 { self.now - (-remaining).max(0.0) / speed } else { self.now };
        if let Some(traversals) = &mut self.traversals {
            traversals.push(super::Traversal { path, seconds: passed - entered });
        }
        let junction = self.map.end_of(path);
        self.stop_waving(junction, slot);
        self.unlink(slot);
        course.visit += 1;
        let after = self.choose(id, &mut course, next);
        let onward = Newcomer { id, path: next, next: after, course, entered: passed, seen };
        if !self.active[self.map.road_of(next).index()] {
            self.crossings[junction.index()].inside.retain(|inside| *inside != slot);
            self.vacant.push(slot);
            self.cars[slot as usize].id = crate::CarId(u32::MAX);
            self.departures.push(onward);
            return;
        }
        let remaining = remaining + self.map.path_length(next);
        let old = &self.cars[slot as usize];
        let (heading, wheels, shown, is_held) = (old.heading, old.wheels, old.shown, old.is_held);
        let waits_at = old.waits_at;
        let car = self.car(&onward, Placement { remaining, speed });
        self.entries[self.map.path(next).to.index()] += 1;
        self.cars[slot as usize] = Car { heading, wheels, shown, is_held, waits_at, ..car };
        self.append(slot);
    }
}
