//! Putting cars on roads that come to life: positions that fit those of others
//! (Chenney 2000, B.3.3, B.3.4, 6.3.5).

use crate::learn::Following;
use crate::map::{Control, LaneId, PathId};
use crate::traffic::{Car, NONE, Newcomer, Placement, Traffic, Waiting};
use crate::wander::Course;

/// A place between two neighbours of a lane.
#[derive(Clone, Copy, Debug)]
struct Gap {
    ahead: u32,
    behind: u32,
    placed: Placement,
    /// From where the car should be, metres.
    off: f64,
}

impl Traffic {
    /// Puts a car where it should be on its path after the time that it has
    /// been on it, or as near to it as the others allow. A car in a junction
    /// that is taken, and one for which there is no gap even after those placed
    /// earlier gave way, waits at the stop line before its path: the clock is
    /// not bent.
    pub(crate) fn place(&mut self, newcomer: &Newcomer, following: &Following) -> Option<u32> {
        let lane = self.map.path(newcomer.path).to;
        let wanted = self.wanted(newcomer);
        let lane_length = self.map.lane(lane).length;
        let reach = self.reach(newcomer.path);
        if self.is_crowded(lane) || wanted.remaining > lane_length - reach && !self.is_free_for(newcomer) {
            self.step_back(newcomer, following);
            return None;
        }
        let gap = self.best_gap(lane, wanted, following).or_else(|| {
            self.close_up(lane);
            self.best_gap(lane, wanted, following)
        });
        let fits = |gap: &Gap| {
            gap.placed.remaining <= lane_length - reach || self.is_free_for(newcomer) && self.can_clear(newcomer.path)
        };
        let Some(gap) = gap.filter(fits) else {
            self.step_back(newcomer, following);
            return None;
        };
        let slot = self.store(self.car(newcomer, gap.placed));
        self.link(slot, gap.ahead, gap.behind);
        if gap.placed.remaining > lane_length - reach - 0.2 {
            let junction = self.map.start_of(newcomer.path);
            self.crossings[junction.index()].inside.push(slot);
        }
        Some(slot)
    }

    /// Whether one car more on a lane would leave no room for one that is still in
    /// the junction before it, or goes round. Nothing is asked where a lane empties
    /// sooner or later.
    fn is_crowded(&self, lane: LaneId) -> bool {
        let Some(path) = self.map.paths_onto(lane).first().filter(|path| !self.empties(**path)) else {
            return false;
        };
        let wave = self.crossings[self.map.start_of(*path).index()].wave;
        let goes_round =
            wave.is_some_and(|wave| wave.is_round && self.map.path(self.cars[wave.slot as usize].next).to == lane);
        let count = self.slots_of(lane).count() + usize::from(goes_round);
        count as f64 * self.vehicle.spacing() + self.reach(*path) + 0.3 > self.map.lane(lane).length
    }

    /// Whether a car that is put into a junction will leave it: the lane takes it
    /// sooner or later, or has room now.
    fn can_clear(&self, path: PathId) -> bool {
        self.empties(path) || self.has_room(path)
    }

    /// Whether the lane of a path takes a car sooner or later, however many are on
    /// it: a length is all that a body needs, and those ahead do not come back.
    fn empties(&self, path: PathId) -> bool {
        let comes_back = self.map.junction(self.map.end_of(path)).control == Control::DeadEnd;
        self.map.path(path).clear == 0.0 && !comes_back
    }

    /// Lets a car stand at the stop line before its path, or wait beyond it if
    /// the lane that it comes from is not active or full.
    fn step_back(&mut self, newcomer: &Newcomer, following: &Following) {
        let from = self.map.path(newcomer.path).from;
        let before = self.map.paths_onto(from).first().copied();
        if let Some(before) = before.filter(|_| self.is_active(self.map.lane(from).road) && !self.is_crowded(from)) {
            let at_the_line = Placement { remaining: 0.0, speed: 0.0 };
            let gap = self.best_gap(from, at_the_line, following);
            let lane_length = self.map.lane(from).length;
            if let Some(gap) = gap.filter(|gap| gap.placed.remaining <= lane_length - self.reach(before) - 0.2) {
                let course = Course { visit: newcomer.course.visit - 1, ..newcomer.course };
                let waiting = Newcomer { path: before, next: newcomer.path, course, ..*newcomer };
                let slot = self.store(self.car(&waiting, gap.placed));
                self.link(slot, gap.ahead, gap.behind);
                return;
            }
        }
        self.wait_to_enter(newcomer);
    }

    /// Where a car would be if nothing but the queue at its end had held it up:
    /// û(Δt), and beyond the free time at the stop line.
    fn wanted(&self, newcomer: &Newcomer) -> Placement {
        let free = self.vehicle.free_run_by(&self.map, newcomer.path, self.draws.driver(newcomer.id));
        let since = self.now - newcomer.entered;
        if since >= free.duration() {
            return Placement { remaining: 0.0, speed: 0.0 };
        }
        let (distance, speed) = free.at(since);
        Placement { remaining: (self.map.path_length(newcomer.path) - distance).max(0.0), speed }
    }

    /// Whether a junction can take a car on its way.
    fn is_free_for(&self, newcomer: &Newcomer) -> bool {
        let (path, junction) = (self.map.path(newcomer.path), self.map.start_of(newcomer.path));
        // Its tail may still be in the lane that it comes from.
        let gone = self.map.path_length(newcomer.path) - self.wanted(newcomer).remaining;
        let follower = self.slots_of(path.from).next();
        let is_near = |slot: u32| {
            let car = &self.cars[slot as usize];
            car.remaining - self.vehicle.stopping_distance(car.speed) < self.vehicle.spacing() - gone
        };
        if follower.is_some_and(is_near) {
            return false;
        }
        self.crossings[junction.index()].inside.iter().all(|slot| {
            let other = &self.cars[*slot as usize];
            let taken = if self.map.start_of(other.path) == junction { other.path } else { other.next };
            taken != newcomer.path
                && !self.map.conflict(newcomer.path, taken)
                && self.map.path(taken).from != self.map.path(newcomer.path).from
        })
    }

    /// Lets a car wait before its path, ahead of all others: it has waited
    /// already.
    pub(crate) fn wait_to_enter(&mut self, newcomer: &Newcomer) {
        let junction = self.map.start_of(newcomer.path);
        self.crossings[junction.index()].queue.insert(0, Waiting::Newcomer(*newcomer));
    }

    /// The gap of a lane in which a car is nearest to where it should be.
    fn best_gap(&self, lane: LaneId, wanted: Placement, following: &Following) -> Option<Gap> {
        let mut best: Option<Gap> = None;
        let mut ahead = NONE;
        for behind in self.slots_of(lane).chain([NONE]) {
            if let Some(gap) = self.gap(lane, ahead, behind, wanted, following)
                && best.is_none_or(|best| gap.off < best.off)
            {
                best = Some(gap);
            }
            ahead = behind;
        }
        best
    }

    /// The place between two neighbours that is nearest to where a car should
    /// be, with a speed at which all can stop behind each other.
    fn gap(&self, lane: LaneId, ahead: u32, behind: u32, wanted: Placement, following: &Following) -> Option<Gap> {
        let (vehicle, spacing) = (&self.vehicle, self.vehicle.spacing());
        let lane_length = self.map.lane(lane).length;
        let stop = |car: &Car| car.remaining - vehicle.stopping_distance(car.speed);
        let leader = (ahead != NONE).then(|| &self.cars[ahead as usize]);
        let follower = (behind != NONE).then(|| &self.cars[behind as usize]);
        let least = leader.map_or_else(|| self.tail_before_the_line(lane), |leader| leader.remaining + spacing);
        // Those behind the last car may be anywhere up to the start of their path.
        let most = follower.map_or(lane_length.max(wanted.remaining), |follower| follower.remaining - spacing);
        if least > most {
            return None;
        }
        let remaining = wanted.remaining.clamp(least, most);
        // How fast it may be, given the one ahead, and must be, given the one behind.
        let room = leader.map_or(remaining, |leader| remaining - stop(leader) - spacing).min(remaining);
        if room < -1e-9 {
            return None;
        }
        let fastest = vehicle.speed_to_stop_within(room);
        let slowest =
            follower.map_or(0.0, |follower| vehicle.speed_to_stop_within(remaining + spacing - stop(follower)));
        let usual =
            leader.and_then(|leader| following.speed(remaining - leader.remaining - vehicle.length, leader.speed));
        let moved = (remaining - wanted.remaining).abs();
        let free = if moved < 1.0 {
            wanted.speed
        } else {
            fastest.min(f64::from(self.map.road(self.map.lane(lane).road).limit))
        };
        let speed = usual.map_or(free, |usual| free.min(usual)).min(fastest).max(slowest);
        let limit = f64::from(self.map.road(self.map.lane(lane).road).limit);
        if slowest > fastest + 1e-9 || speed > limit + 1e-9 {
            return None;
        }
        Some(Gap { ahead, behind, placed: Placement { remaining, speed }, off: moved })
    }

    /// How far before the stop line of a lane a car must be, behind those that
    /// have just passed it.
    pub(crate) fn tail_before_the_line(&self, lane: LaneId) -> f64 {
        let inside = &self.crossings[self.map.lane(lane).to.index()].inside;
        let from_here =
            inside.iter().map(|slot| &self.cars[*slot as usize]).filter(|car| self.map.path(car.path).from == lane);
        let tail = |car: &Car| self.vehicle.spacing() - (self.map.path_length(car.path) - car.remaining);
        from_here.map(tail).fold(0.0, f64::max)
    }

    /// Moves the standing cars of a lane that nobody sees up to the ones ahead
    /// of them, so that one more may fit.
    fn close_up(&mut self, lane: LaneId) {
        let mut least = 0.0;
        let slots: Vec<u32> = self.slots_of(lane).collect();
        for slot in slots {
            let spacing = self.vehicle.spacing();
            let car = &mut self.cars[slot as usize];
            if car.shown + 1 < self.frame && !car.is_driven && car.speed == 0.0 && car.remaining > least {
                car.remaining = least;
            }
            least = car.remaining - self.vehicle.stopping_distance(car.speed) + spacing;
            least = least.max(car.remaining + spacing);
        }
    }
}
