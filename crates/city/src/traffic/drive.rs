//! One step of the cars of a lane.

use super::{NONE, Traffic};
use crate::map::{LaneId, PathId};

/// A car this near to the stop line is at it, metres.
const AT_THE_LINE: f64 = 0.05;

impl Traffic {
    /// Moves the cars of a lane, the foremost first, so that each knows what
    /// the one ahead does.
    pub(super) fn drive_lane(&mut self, lane: LaneId, dt: f64) {
        let mut slot = self.lanes[lane.index()].front;
        let vehicle = self.vehicle;
        let spacing = vehicle.spacing();
        // Where the front of the car behind must stop at the latest: metres
        // before the stop line.
        let mut stop = f64::NEG_INFINITY;
        let mut is_front = true;
        while slot != NONE {
            let car = &self.cars[slot as usize];
            let behind = car.behind;
            if car.is_driven {
                stop = car.remaining - vehicle.stopping_distance(car.speed) + spacing;
                (slot, is_front) = (behind, false);
                continue;
            }
            let mut room = match is_front {
                true => self.room_of_front(slot, dt),
                false => (car.remaining - stop).min(car.remaining),
            };
            let car = &self.cars[slot as usize];
            if car.is_crossing() {
                room = room.min(self.room_in_crossing(slot));
                if car.waits_at > 0.0 {
                    room = room.min(car.remaining + car.waits_at - self.map.path_length(car.path));
                }
            }
            if let Some(change) = &car.change {
                room = room.min(self.room_in_old_lane(change));
            }
            if car.is_held {
                room = room.min(vehicle.stopping_distance(car.speed));
            }
            // What is done for a change of lanes is done without braking harder than usual.
            let courteous = car.remaining - car.holds_at.max(car.lets_in_at);
            if courteous < room && courteous >= vehicle.stopping_distance(car.speed) {
                room = courteous;
            }
            self.car_steps += 1;
            let late = if is_front { self.late_braker(slot, room) } else { None };
            let car = &mut self.cars[slot as usize];
            let follows =
                if is_front { f64::INFINITY } else { car.driver.following(room, car.speed, vehicle.deceleration, dt) };
            let (speed, moved) = late.unwrap_or(vehicle).step(car.speed, car.limit().min(follows), room, dt);
            car.remaining -= moved;
            car.speed = speed;
            if let Some(change) = &mut car.change {
                change.left -= moved;
            }
            stop = car.remaining - vehicle.stopping_distance(speed) + spacing;
            if late.is_some() {
                // It stops at the line, and not beyond it.
                stop = stop.max(spacing);
            }
            if speed > 0.0 {
                car.stands_since = f64::INFINITY;
            } else if car.stands_since == f64::INFINITY {
                car.stands_since = self.now;
            }
            if is_front {
                let (is_admitted, is_queued, remaining) = (car.is_admitted, car.is_queued, car.remaining);
                if car.ends && remaining <= 0.0 {
                    self.arrive(slot);
                } else if is_admitted && remaining <= 0.0 {
                    self.pass(slot);
                } else if !is_queued && speed == 0.0 && remaining < AT_THE_LINE {
                    self.queue_up(slot);
                }
            }
            (slot, is_front) = (behind, false);
        }
    }

    /// How far the foremost car of a lane may go if it has to stop.
    fn room_of_front(&mut self, slot: u32, dt: f64) -> f64 {
        let vehicle = self.vehicle;
        let car = &self.cars[slot as usize];
        if car.ends {
            // It is gone where its lane ends, unless somebody stands there.
            return car.remaining + self.room_behind_in_crossing(slot, None);
        }
        if !car.is_admitted {
            let remaining = car.remaining;
            // It asks when it would have to brake soon.
            if remaining < vehicle.stopping_distance(car.speed) + 1.0 + 2.0 * dt * (car.speed + 1.0) {
                self.ask(slot);
            }
            if !self.cars[slot as usize].is_admitted {
                return remaining.min(remaining + self.room_behind_in_crossing(slot, None));
            }
        }
        let car = &self.cars[slot as usize];
        let next = self.map.path(car.next);
        let [crossing_limit, _] = vehicle.limits(&self.map, car.next);
        let total = self.map.path_length(car.next);
        let last = self.lanes[next.to.index()].back;
        let beyond = match last {
            NONE => total,
            last => {
                let last = &self.cars[last as usize];
                total - (last.remaining - vehicle.stopping_distance(last.speed) + vehicle.spacing())
            }
        };
        // At the line it must not be faster than the turn allows.
        let turn = vehicle.stopping_distance(crossing_limit);
        let beyond = if car.waits_at > 0.0 { beyond.min(car.waits_at) } else { beyond };
        car.remaining + beyond.min(turn).min(self.room_behind_in_crossing(slot, Some(car.next)))
    }

    /// How far a car in a junction may go behind another from the same lane
    /// that takes another way.
    fn room_in_crossing(&self, slot: u32) -> f64 {
        let car = &self.cars[slot as usize];
        let path = self.map.path(car.path);
        if self.crossings[self.map.lane(path.from).to.index()].inside.len() < 2 {
            return f64::INFINITY;
        }
        let gone = self.map.path_length(car.path) - car.remaining;
        self.room_behind_in_crossing(slot, Some(car.path)) - gone
    }

    /// The distance from a stop line at which a car on its lane, or on its way
    /// from it, must be able to stop: behind those that came from the same lane
    /// and are still in the junction. Those that it follows into the same lane
    /// are in the list of that lane.
    fn room_behind_in_crossing(&self, slot: u32, taken: Option<PathId>) -> f64 {
        let me = &self.cars[slot as usize];
        let is_inside = taken == Some(me.path);
        let from = if is_inside { self.map.path(me.path).from } else { self.map.path(me.path).to };
        let junction = self.map.lane(from).to;
        let own_to = taken.map(|path| self.map.path(path).to);
        let own_gone = if is_inside { self.map.path_length(me.path) - me.remaining } else { -me.remaining };
        let mut room = f64::INFINITY;
        for &other in &self.crossings[junction.index()].inside {
            let car = &self.cars[other as usize];
            let path = self.map.path(car.path);
            if other == slot || path.from != from || Some(path.to) == own_to {
                continue;
            }
            let gone = self.map.path_length(car.path) - car.remaining;
            if gone > own_gone {
                room = room.min(gone + self.vehicle.stopping_distance(car.speed) - self.vehicle.spacing());
            }
        }
        room
    }
}
