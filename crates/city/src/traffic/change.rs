//! Changing lanes between junctions.
//!
//! Once a second each car on a road with more lanes than one looks at the lanes beside
//! its own. It changes where its way needs it, or where it would be held up less. On
//! changing it belongs to the new lane at once, and is led there over a distance; until
//! then a *shadow* takes its place in the old lane, so that those behind keep their
//! distance there too, and it keeps its own from who is ahead in either.

use glam::DVec2;
use serde::{Deserialize, Serialize};

use super::{Car, NONE, Placement, Traffic};
use crate::map::{LaneId, shape};
use crate::wander::CarId;

/// A change takes so many seconds, and at least so many metres. Chosen: as drivers take.
const SECONDS: f64 = 3.0;
const METRES: f64 = 12.0;
/// So far before the stop line a change has ended, metres.
const BEFORE_THE_LINE: f64 = 8.0;
/// Between two changes of a car, seconds.
const PAUSE: f64 = 6.0;
/// A lane that brings a car so much sooner to its goal is needed, seconds.
const NEEDED: f64 = 3.0;
/// A lane on which so many more metres are free is better, metres.
const FREER: f64 = 20.0;
/// Who has to change stands here until it can, metres before the stop line: where a
/// change at walking pace still ends before it; and no longer than this, seconds.
const HOLD_AT: f64 = METRES + BEFORE_THE_LINE + 0.5;
const HOLDS: f64 = 40.0;
/// Farther from the stop line nobody asks to be let in, metres.
const FAR_AHEAD: f64 = 90.0;
/// Narrower lanes than this leave no room beside each other, metres.
const LEAST_WIDTH: f64 = 2.6;

/// A car that is changing lanes, and the shadow in the lane that it leaves.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Shadow {
    pub(crate) slot: u32,
    pub(crate) owner: u32,
    pub(crate) lane: LaneId,
}

/// A car on its way from one lane to the one beside it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct LaneChange {
    /// How far to the right of its lane it began, metres.
    pub(crate) began: f64,
    /// How far it has still to go until it is in its lane, and in all, metres.
    pub(crate) left: f64,
    pub(crate) length: f64,
    /// The shadow in the old lane.
    pub(crate) shadow: u32,
}

impl LaneChange {
    /// How far to the right of its lane it is, metres, and by how much that changes for
    /// each metre.
    pub(crate) fn offset(&self) -> (f64, f64) {
        let share = (self.left / self.length).clamp(0.0, 1.0);
        let slope = -6.0 * share * (1.0 - share) / self.length;
        (self.began * share * share * (3.0 - 2.0 * share), self.began * slope)
    }
}

impl Traffic {
    /// Lets those change lanes who want to and can.
    pub(super) fn change_lanes(&mut self) {
        for index in 0..self.active_lanes.len() {
            let lane = self.active_lanes[index];
            let about = self.map.road(self.map.lane(lane).road);
            let beside = if self.map.lane(lane).against { about.against } else { about.along };
            if beside < 2 || f64::from(about.lane_width) < LEAST_WIDTH || about.is_beyond {
                continue;
            }
            let slots: Vec<u32> = self.slots_of(lane).collect();
            for &slot in &slots {
                let car = &mut self.cars[slot as usize];
                (car.holds_at, car.lets_in_at) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
            }
            for slot in slots {
                if let Some((other, remaining)) = self.wanted_lane(slot, lane) {
                    self.change(slot, lane, other, remaining);
                }
            }
        }
        self.make_room();
    }

    /// Those whose way leads on from the lane beside their own, and who could not change
    /// yet, stop where they still can, for some time; who comes behind them there lets
    /// them in.
    fn make_room(&mut self) {
        let Some(journeys) = self.draws.journeys.clone() else {
            return;
        };
        for index in 0..self.active_lanes.len() {
            let lane = self.active_lanes[index];
            let slots: Vec<u32> = self.slots_of(lane).collect();
            for slot in slots {
                let car = &self.cars[slot as usize];
                let is_busy = car.is_driven || car.is_admitted || car.change.is_some() || car.is_crossing();
                let is_patient = self.now - car.stands_since <= HOLDS;
                if is_busy || !is_patient || car.remaining < HOLD_AT || car.remaining > FAR_AHEAD {
                    continue;
                }
                let (id, trip) = (car.id, car.course.trip);
                if journeys.must_change(&self.map, id, trip, lane) {
                    self.cars[slot as usize].holds_at = HOLD_AT;
                    if let Some((other, place)) = self.needed_lane(slot, lane) {
                        self.ask_in(other, place);
                    }
                }
            }
        }
    }

    /// The lane beside its own by which a car comes to its goal sooner, and where it would
    /// be on it.
    fn needed_lane(&self, slot: u32, lane: LaneId) -> Option<(LaneId, f64)> {
        let car = &self.cars[slot as usize];
        let journeys = self.draws.journeys.as_ref()?;
        let seconds = |lane: LaneId| journeys.seconds_from(car.id, car.course.trip, lane).unwrap_or(1e6);
        let about = self.map.lane(lane);
        let is_beside = |other: &LaneId| {
            let other = self.map.lane(*other);
            other.against == about.against && other.place.abs_diff(about.place) == 1
        };
        let others = self.map.lanes_of(about.road).filter(is_beside).filter(|other| seconds(*other) < seconds(lane));
        let best = others.min_by(|a, b| seconds(*a).total_cmp(&seconds(*b)).then(a.cmp(b)))?;
        Some((best, self.place_beside(slot, lane, best)?))
    }

    /// Asks the next car behind a place on a lane to leave room there.
    fn ask_in(&mut self, lane: LaneId, place: f64) {
        let behind = self.slots_of(lane).find(|slot| self.cars[*slot as usize].remaining > place);
        if let Some(slot) = behind {
            let at = place + self.vehicle.spacing() + 0.1;
            let car = &mut self.cars[slot as usize];
            if !car.is_admitted && car.holds_at == f64::NEG_INFINITY {
                car.lets_in_at = car.lets_in_at.max(at);
            }
        }
    }

    /// The lane beside its own to which a car wants to and can change, and where it
    /// would be on it.
    fn wanted_lane(&self, slot: u32, lane: LaneId) -> Option<(LaneId, f64)> {
        let car = &self.cars[slot as usize];
        let is_busy = car.is_driven || car.is_held || car.is_admitted || car.is_queued || car.change.is_some();
        let length = METRES.max(SECONDS * car.speed);
        let is_early = car.lane_length - car.remaining < self.reach(car.path) + 2.0;
        let is_slow = car.speed < 1.0 && !self.must_change(slot, lane);
        if is_busy || is_early || car.ends || self.now - car.changed < PAUSE || is_slow {
            return None;
        }
        if car.remaining < length + BEFORE_THE_LINE {
            return None;
        }
        let (place, road) = (self.map.lane(lane).place, self.map.lane(lane).road);
        let is_beside = |other: &LaneId| {
            let about = self.map.lane(*other);
            about.against == self.map.lane(lane).against && about.place.abs_diff(place) == 1
        };
        let mut best: Option<(f64, LaneId, f64)> = None;
        for other in self.map.lanes_of(road).filter(is_beside) {
            let Some(gain) = self.gain(slot, lane, other) else {
                continue;
            };
            if best.is_none_or(|(most, ..)| gain > most)
                && let Some(remaining) = self.place_beside(slot, lane, other)
                && remaining > length + BEFORE_THE_LINE
                && self.fits(slot, other, remaining)
            {
                best = Some((gain, other, remaining));
            }
        }
        best.map(|(_, other, remaining)| (other, remaining))
    }

    /// Whether the way of a car leads on only from a lane beside its own.
    fn must_change(&self, slot: u32, lane: LaneId) -> bool {
        let car = &self.cars[slot as usize];
        let journeys = self.draws.journeys.as_ref();
        journeys.is_some_and(|journeys| journeys.must_change(&self.map, car.id, car.course.trip, lane))
    }

    /// How much better another lane is, if it is worth a change.
    fn gain(&self, slot: u32, lane: LaneId, other: LaneId) -> Option<f64> {
        let car = &self.cars[slot as usize];
        if self.map.paths_onto(other).is_empty() {
            return None;
        }
        let seconds = |lane: LaneId| {
            let journeys = self.draws.journeys.as_ref()?;
            Some(journeys.seconds_from(car.id, car.course.trip, lane).unwrap_or(1e6))
        };
        if let (Some(here), Some(there)) = (seconds(lane), seconds(other)) {
            if there + NEEDED < here {
                return Some(1e3 + here - there);
            }
            if there > here + NEEDED {
                return None;
            }
        }
        // Who is held up goes where more is free.
        let free = |lane: LaneId, me: f64| {
            let ahead = self.slots_of(lane).map(|slot| &self.cars[slot as usize]).filter(|other| other.remaining < me);
            ahead.last().map_or(1e3, |ahead| me - ahead.remaining)
        };
        let share = self.map.lane(other).length / car.lane_length;
        let (here, there) = (free(lane, car.remaining), free(other, car.remaining * share));
        let is_held_up = car.speed < 0.8 * car.limit() && here < 40.0;
        (is_held_up && there > here + FREER).then_some(there - here)
    }

    /// Where on another lane a car is that is on one: metres before its end.
    fn place_beside(&self, slot: u32, lane: LaneId, other: LaneId) -> Option<f64> {
        let car = &self.cars[slot as usize];
        let (front, _) = shape::along(self.map.lane_points(lane), car.lane_length - car.remaining);
        let (station, off) = self.project(front, other);
        let width = f64::from(self.map.road(self.map.lane(lane).road).lane_width);
        let is_inside = station > self.vehicle.length + 2.0;
        (is_inside && (off - width).abs() < 0.5).then_some(self.map.lane(other).length - station)
    }

    /// How far down a lane the place is that is nearest to a point, and how far from it.
    fn project(&self, point: DVec2, lane: LaneId) -> (f64, f64) {
        let (mut best, mut gone) = ((0.0, f64::INFINITY), 0.0);
        for segment in self.map.lane_points(lane).windows(2) {
            let way = segment[1] - segment[0];
            let length = way.length().max(1e-9);
            let along = ((point - segment[0]).dot(way) / length).clamp(0.0, length);
            let off = (segment[0] + way * (along / length)).distance(point);
            if off < best.1 {
                best = (gone + along, off);
            }
            gone += length;
        }
        best
    }

    /// Whether a car fits between those of another lane, all of which can stop behind
    /// each other, and is in nobody's way who comes from the junction before.
    fn fits(&self, slot: u32, lane: LaneId, remaining: f64) -> bool {
        let car = &self.cars[slot as usize];
        let spacing = self.vehicle.spacing();
        let stop = |remaining: f64, speed: f64| remaining - self.vehicle.stopping_distance(speed);
        let own_stop = stop(remaining, car.speed);
        for other in self.slots_of(lane) {
            let other = &self.cars[other as usize];
            let other_stop = stop(other.remaining, other.speed);
            let is_clear = if other.remaining <= remaining {
                other.remaining + spacing <= remaining && other_stop + spacing <= own_stop
            } else {
                remaining + spacing <= other.remaining && own_stop + spacing <= other_stop
            };
            if !is_clear {
                return false;
            }
        }
        let crossing = &self.crossings[self.map.lane(lane).from.index()];
        let comes = |slot: u32| {
            let car = &self.cars[slot as usize];
            self.map.path(car.path).to == lane && car.is_crossing() || self.map.path(car.next).to == lane
        };
        !crossing.inside.iter().any(|slot| comes(*slot)) && !crossing.wave.is_some_and(|wave| comes(wave.slot))
    }

    /// Moves a car to the lane beside its own, and leaves a shadow behind.
    fn change(&mut self, slot: u32, from: LaneId, to: LaneId, remaining: f64) {
        let Some(&path) = self.map.paths_onto(to).first() else {
            return;
        };
        let old = self.cars[slot as usize].clone();
        let (front, _) = shape::along(self.map.lane_points(from), old.lane_length - old.remaining);
        let length = self.map.lane(to).length;
        let (place, tangent) = shape::along(self.map.lane_points(to), length - remaining);
        let metres = METRES.max(SECONDS * old.speed);
        // The shadow takes its place.
        let placed = Placement { remaining: old.remaining, speed: old.speed };
        let shadow = Car::new(&self.map, &self.vehicle, &old.newcomer(), placed);
        let shadow = self.store(Car { id: CarId(u32::MAX), is_driven: true, ..shadow });
        let (ahead, behind) = (old.ahead, old.behind);
        self.unlink(slot);
        self.link(shadow, ahead, behind);
        let mut course = old.course;
        let next = self.choose(old.id, &mut course, path);
        let began = (front - place).dot(tangent.perp());
        let change = LaneChange { began, left: metres, length: metres, shadow };
        let mut newcomer = old.newcomer();
        (newcomer.path, newcomer.next, newcomer.course) = (path, next, course);
        let car = self.car(&newcomer, Placement { remaining, speed: old.speed });
        let Car { heading, wheels, shown, .. } = old;
        self.cars[slot as usize] = Car { heading, wheels, shown, change: Some(change), changed: self.now, ..car };
        let mut ahead = NONE;
        let mut behind = NONE;
        for other in self.slots_of(to) {
            if self.cars[other as usize].remaining > remaining {
                behind = other;
                break;
            }
            ahead = other;
        }
        self.link(slot, ahead, behind);
        self.shadows.push(Shadow { slot: shadow, owner: slot, lane: from });
        self.lane_changes += 1;
    }

    /// Moves shadows with their cars, and takes away those that are not needed.
    pub(super) fn move_shadows(&mut self) {
        let shadows = std::mem::take(&mut self.shadows);
        for shadow in shadows {
            let is_there = self.cars[shadow.slot as usize].is_driven;
            let owner = &self.cars[shadow.owner as usize];
            let is_its = owner.change.is_some_and(|change| change.shadow == shadow.slot && change.left > 0.0);
            if !is_there {
                // Its road went to sleep.
                continue;
            }
            if !is_its {
                if owner.change.is_some_and(|change| change.shadow == shadow.slot) {
                    self.cars[shadow.owner as usize].change = None;
                }
                self.remove(shadow.slot);
                continue;
            }
            let lane = self.map.path(owner.path).to;
            let (place, speed) = (owner.lane_length - owner.remaining, owner.speed);
            let (front, _) = shape::along(self.map.lane_points(lane), place);
            let (station, _) = self.project(front, shadow.lane);
            let length = self.map.lane(shadow.lane).length;
            let old = &mut self.cars[shadow.slot as usize];
            // It never moves back.
            (old.remaining, old.speed) = ((length - station).min(old.remaining), speed);
            self.shadows.push(shadow);
        }
    }

    /// How far a car that changes lanes may go behind who is ahead in the lane that it
    /// leaves.
    pub(super) fn room_in_old_lane(&self, change: &LaneChange) -> f64 {
        let shadow = &self.cars[change.shadow as usize];
        if shadow.ahead == NONE {
            // As if it went on there: whoever is behind takes its place again.
            let lane = self.map.path(shadow.path).to;
            return shadow.remaining - self.tail_before_the_line(lane);
        }
        let ahead = &self.cars[shadow.ahead as usize];
        let stop = ahead.remaining - self.vehicle.stopping_distance(ahead.speed) + self.vehicle.spacing();
        shadow.remaining - stop
    }
}
