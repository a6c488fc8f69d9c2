//! Trips that begin and end on active roads.

use super::{NONE, Newcomer, Placement, Traffic};
use crate::map::{LaneId, PathId};

/// Who has stood so long before a full lane plans again, seconds. Chosen: two or
/// three cars are let in within it where a lane moves.
const JAM: f64 = 20.0;
/// A way that takes so much longer than the one that jams is not taken, seconds.
/// Chosen: five minutes, as patience.
const WORTH: f64 = 300.0;

impl Traffic {
    /// Whether a car that stands at the start of a lane disturbs nobody: those that
    /// are in the junction before it, and those that go round, want elsewhere, and
    /// the last car of the lane is far enough down.
    pub(crate) fn is_free_at_start(&self, lane: LaneId) -> bool {
        let Some(&path) = self.map.paths_onto(lane).first() else {
            return false;
        };
        let crossing = &self.crossings[self.map.start_of(path).index()];
        let comes = |slot: u32| {
            let car = &self.cars[slot as usize];
            self.map.path(car.path).to == lane || self.map.path(car.next).to == lane
        };
        let last = self.lanes[lane.index()].back;
        let is_beside = last != NONE && {
            let start = self.start_of_trips(path);
            self.cars[last as usize].remaining + self.vehicle.spacing() > start
        };
        let goes_round = crossing.wave.is_some_and(|wave| comes(wave.slot));
        !is_beside && !goes_round && !crossing.inside.iter().any(|slot| comes(*slot)) && self.has_room(path)
    }

    /// Where a car stands that is all in the lane of a path and has just come there:
    /// metres before its end.
    fn start_of_trips(&self, path: PathId) -> f64 {
        let length = self.map.lane(self.map.path(path).to).length;
        (length - self.reach(path) - 0.3).max(0.0)
    }

    /// Puts a car at the start of its lane, standing.
    pub(crate) fn enter(&mut self, newcomer: &Newcomer) -> u32 {
        let lane = self.map.path(newcomer.path).to;
        let remaining = self.start_of_trips(newcomer.path);
        let slot = self.store(self.car(newcomer, Placement { remaining, speed: 0.0 }));
        let last = self.lanes[lane.index()].back;
        self.entries[lane.index()] += 1;
        self.link(slot, last, NONE);
        slot
    }

    /// Those who have stood before a full lane plan their way again: the quickest of
    /// the others that have room, if it is worth it.
    pub(super) fn plan_again(&mut self) {
        let Some(journeys) = self.draws.journeys.clone() else {
            return;
        };
        for index in 0..self.active_lanes.len() {
            let slot = self.lanes[self.active_lanes[index].index()].front;
            if slot == NONE {
                continue;
            }
            let car = &self.cars[slot as usize];
            let is_jammed =
                self.now - car.stands_since > JAM && !(car.is_admitted || car.is_driven || car.is_held || car.ends);
            if !is_jammed || !journeys.is_replanned(car.id) || self.has_room(car.next) {
                continue;
            }
            let seconds = |path: PathId| journeys.seconds_by(&self.map, car.id, car.course.trip, path);
            let Some(now) = seconds(car.next) else {
                continue;
            };
            let others = self.map.successors(car.path).filter(|path| *path != car.next && self.has_room(*path));
            let known = others.filter_map(|path| seconds(path).map(|seconds| (seconds, path)));
            let best = known.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            if let Some((_, path)) = best.filter(|(seconds, _)| *seconds < now + WORTH) {
                self.cars[slot as usize].next = path;
                self.courtesies.replanned += 1;
            }
        }
    }

    /// A car whose trip ends here leaves the road.
    pub(super) fn arrive(&mut self, slot: u32) {
        let (id, now) = (self.cars[slot as usize].id, self.now);
        self.remove(slot);
        self.arrivals.push((id, now));
    }
}
