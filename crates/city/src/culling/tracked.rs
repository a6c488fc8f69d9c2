//! Cars that nobody sees, one by one: where each can be, until when that
//! holds, and where it is when somebody looks (Chenney 2000, B.3.2, B.3.3).

use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use proscenium_chance::Stream;

use super::bound_size::{BoundSize, SizeChooser};
use super::moment::Moment;
use crate::driving::Vehicle;
use crate::learn::Expectations;
use crate::map::{Map, PathId, RoadId};
use crate::traffic::Newcomer;
use crate::wander::{CarId, Draws};

/// A line is passed within a step, so that a path may seem to take less by this,
/// seconds.
const WITHIN_A_STEP: f64 = 0.1;

/// A car that nobody sees.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct UnseenCar {
    /// The path it is on since `car.entered`, and the one that it takes next.
    pub(crate) car: Newcomer,
    /// When it leaves its path.
    pub(crate) leaves: f64,
    /// Roads that its bound may have.
    size: u32,
    /// Which of its bounds is the present one.
    stamp: u32,
    is_present: bool,
}

/// What the rules of a random walk need to know.
pub(crate) struct Ways<'a> {
    pub(crate) map: &'a Map,
    pub(crate) vehicle: &'a Vehicle,
    pub(crate) draws: &'a Draws,
    pub(crate) expectations: &'a Expectations,
    /// Whether the complete model runs on a road.
    pub(crate) is_active: &'a dyn Fn(RoadId) -> bool,
}

/// How large bounds may be, and how sure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoundSettings {
    /// How many roads a bound may have.
    pub size: BoundSize,
    /// The share of chances that a bound holds. Below 1 a car may, as rarely as
    /// that, be held back until its bound expires (6.3.2).
    pub certainty: f64,
}

impl Default for BoundSettings {
    fn default() -> Self {
        Self { size: BoundSize::AtMost(1), certainty: 1.0 }
    }
}

/// What was done for cars that nobody sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackingWork {
    /// Bounds that were made.
    pub bounds: u64,
    /// Of these, because the last had expired.
    pub expiries: u64,
    /// Roads put into bounds.
    pub roads: u64,
    /// Paths walked.
    pub paths: u64,
}

/// All cars that are tracked without being seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct TrackedCars {
    pub(super) cars: Vec<UnseenCar>,
    pub(super) vacant: Vec<u32>,
    /// When bounds expire: time, slot, stamp.
    pub(super) expiries: BinaryHeap<Reverse<(Moment, u32, u32)>>,
    /// For each road the cars whose bounds have it, with the stamps of these.
    pub(super) on_road: Vec<Vec<(u32, u32)>>,
    pub(crate) settings: BoundSettings,
    pub(crate) work: TrackingWork,
    pub(super) chooser: SizeChooser,
    /// Space for the search.
    frontier: BinaryHeap<Reverse<(Moment, u32)>>,
    reached: BTreeSet<u32>,
    found: Vec<RoadId>,
}

/// Where a car was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Whereabouts {
    /// Still where nobody sees it.
    Unseen,
    /// It came to an active road.
    Enters(Newcomer),
    /// Its trip has ended, at this time.
    Arrived(CarId, f64),
}

impl TrackedCars {
    pub(crate) fn new(map: &Map) -> Self {
        Self { on_road: vec![Vec::new(); map.road_count()], ..Self::default() }
    }

    pub(crate) fn count(&self) -> usize {
        self.cars.len() - self.vacant.len()
    }

    /// Whether a bound is the present one of a car.
    pub(super) fn is_bound(&self, slot: u32, stamp: u32) -> bool {
        let car = &self.cars[slot as usize];
        car.is_present && car.stamp == stamp
    }

    /// All tracked cars, in order of their slots.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &UnseenCar)> {
        self.cars.iter().enumerate().filter(|(_, car)| car.is_present).map(|(slot, car)| (slot as u32, car))
    }

    /// A tracked car.
    pub(crate) fn car(&self, slot: u32) -> &UnseenCar {
        &self.cars[slot as usize]
    }

    /// The same, to be told something.
    pub(crate) fn car_mut(&mut self, slot: u32) -> &mut UnseenCar {
        &mut self.cars[slot as usize]
    }

    /// The cars whose bounds have one of some roads, in order of their slots.
    pub(crate) fn near(&self, roads: &[RoadId]) -> Vec<u32> {
        let lists = roads.iter().flat_map(|road| &self.on_road[road.index()]);
        let mut slots: Vec<u32> =
            lists.filter(|(slot, stamp)| self.is_bound(*slot, *stamp)).map(|(slot, _)| *slot).collect();
        slots.sort_unstable();
        slots.dedup();
        slots
    }

    /// Any of the tracked cars, each as likely as any other.
    pub(crate) fn any(&self, stream: &mut Stream) -> Option<(u32, &UnseenCar)> {
        if self.count() == 0 {
            return None;
        }
        loop {
            let slot = stream.below(self.cars.len() as u64) as u32;
            if self.cars[slot as usize].is_present {
                return Some((slot, &self.cars[slot as usize]));
            }
        }
    }

    /// Tracks a car that leaves its path at a known time, and makes its first
    /// bound, of one road.
    pub(crate) fn add(&mut self, car: Newcomer, leaves: f64, ways: &Ways) -> u32 {
        let unseen = UnseenCar { car, leaves, size: 1, stamp: 0, is_present: true };
        let slot = match self.vacant.pop() {
            Some(slot) => {
                let stamp = self.cars[slot as usize].stamp + 1;
                self.cars[slot as usize] = UnseenCar { stamp, ..unseen };
                slot
            }
            None => {
                self.cars.push(unseen);
                (self.cars.len() - 1) as u32
            }
        };
        self.new_bound(slot, ways);
        slot
    }

    /// Stops tracking a car.
    pub(crate) fn remove(&mut self, slot: u32) -> UnseenCar {
        let car = &mut self.cars[slot as usize];
        car.is_present = false;
        car.stamp += 1;
        let gone = *car;
        self.vacant.push(slot);
        gone
    }

    /// Decides how large bounds may be from what they have cost so far.
    pub(crate) fn choose_size(&mut self, now: f64) {
        if self.settings.size == BoundSize::Measured {
            let cars = self.count();
            self.chooser.look(now, cars, &self.work);
        }
    }

    fn most_roads(&self) -> u32 {
        match self.settings.size {
            BoundSize::AtMost(roads) => roads.max(1),
            BoundSize::Measured => self.chooser.most_roads(),
        }
    }

    /// The next car whose bound has expired by a time, with its slot.
    pub(crate) fn expired(&mut self, now: f64) -> Option<u32> {
        let most_roads = self.most_roads();
        while let Some(Reverse((moment, slot, stamp))) = self.expiries.peek().copied() {
            if moment.0 > now {
                return None;
            }
            self.expiries.pop();
            let car = &mut self.cars[slot as usize];
            if car.is_present && car.stamp == stamp {
                self.work.expiries += 1;
                // Far from any viewer bounds grow until they are worth it.
                car.size = (2 * car.size).min(most_roads);
                return Some(slot);
            }
        }
        None
    }

    /// The cars whose bounds have a road, in order of their slots. Their
    /// bounds become small again.
    pub(crate) fn bounded_by(&mut self, road: RoadId, found: &mut Vec<u32>) {
        for (slot, stamp) in std::mem::take(&mut self.on_road[road.index()]) {
            let car = &mut self.cars[slot as usize];
            if car.is_present && car.stamp == stamp {
                car.size = 1;
                found.push(slot);
            }
        }
    }

    /// Walks on to a time (algorithm B.2): path after path, each with its drawn
    /// time, up to the first active road.
    pub(crate) fn set_position(&mut self, slot: u32, now: f64, ways: &Ways) -> Whereabouts {
        let unseen = &mut self.cars[slot as usize];
        while unseen.leaves <= now {
            let car = &mut unseen.car;
            if ways.draws.ends(ways.map, car.id, car.path) {
                return Whereabouts::Arrived(car.id, unseen.leaves);
            }
            car.entered = unseen.leaves;
            car.path = car.next;
            car.course.visit += 1;
            car.next = ways.draws.next_path(ways.map, car.id, &mut car.course, car.path);
            self.work.paths += 1;
            if (ways.is_active)(ways.map.road_of(car.path)) {
                return Whereabouts::Enters(*car);
            }
            let visit = (car.id, [car.path, car.next], car.course.visit);
            unseen.leaves = ways.expectations.leaves(ways.map, ways.vehicle, ways.draws, visit, car.entered);
        }
        if (ways.is_active)(ways.map.road_of(unseen.car.path)) {
            Whereabouts::Enters(unseen.car)
        } else {
            Whereabouts::Unseen
        }
    }

    /// Bounds where a car can be, and says until when (B.3.2): a weighted
    /// breadth-first search over the least times of paths, from the moment at
    /// which it leaves its path. The bound ends where a road is active, or has
    /// the roads it may have; it expires when the car could first be elsewhere.
    pub(crate) fn new_bound(&mut self, slot: u32, ways: &Ways) {
        let unseen = &mut self.cars[slot as usize];
        unseen.stamp += 1;
        let (stamp, size) = (unseen.stamp, unseen.size as usize);
        let first = ways.map.road_of(unseen.car.path);
        self.found.clear();
        self.found.push(first);
        let mut expiry = unseen.leaves;
        if size > 1 {
            self.frontier.clear();
            self.reached.clear();
            self.frontier.push(Reverse((Moment(unseen.leaves), unseen.car.next.0)));
            while let Some(Reverse((moment, path))) = self.frontier.pop() {
                // The first time that a path is reached is the earliest.
                if !self.reached.insert(path) {
                    continue;
                }
                let path = PathId(path);
                let road = ways.map.road_of(path);
                expiry = moment.0;
                let is_known = self.found.contains(&road);
                if (ways.is_active)(road) || (!is_known && self.found.len() >= size) {
                    break;
                }
                if !is_known {
                    self.found.push(road);
                }
                let mut seconds = (ways.vehicle.free_run(ways.map, path).duration() - WITHIN_A_STEP).max(0.0);
                if self.settings.certainty < 1.0 {
                    seconds += ways.expectations.excess(ways.map, path).quantile(1.0 - self.settings.certainty);
                }
                for next in ways.map.successors(path) {
                    if !self.reached.contains(&next.0) {
                        self.frontier.push(Reverse((Moment(moment.0 + seconds), next.0)));
                    }
                }
            }
        }
        for road in &self.found {
            let list = &mut self.on_road[road.index()];
            if list.len() == list.capacity() {
                let cars = &self.cars;
                list.retain(|(slot, stamp)| cars[*slot as usize].is_present && cars[*slot as usize].stamp == *stamp);
            }
            list.push((slot, stamp));
        }
        self.work.bounds += 1;
        self.work.roads += self.found.len() as u64;
        self.expiries.push(Reverse((Moment(expiry), slot, stamp)));
    }

    /// The roads of all present bounds, with how much of a car each has: a
    /// bound of k roads gives each of them 1/k.
    pub(crate) fn densities(&self) -> Vec<f32> {
        let mut sizes = vec![0_u32; self.cars.len()];
        let is_present = |slot: u32, stamp: u32| {
            let car = &self.cars[slot as usize];
            car.is_present && car.stamp == stamp
        };
        for list in &self.on_road {
            for &(slot, stamp) in list.iter().filter(|(slot, stamp)| is_present(*slot, *stamp)) {
                sizes[slot as usize] += u32::from(is_present(slot, stamp));
            }
        }
        let share = |&(slot, stamp): &(u32, u32)| {
            if is_present(slot, stamp) { 1.0 / sizes[slot as usize].max(1) as f32 } else { 0.0 }
        };
        self.on_road.iter().map(|list| list.iter().map(share).sum()).collect()
    }

    /// Memory for roads and for cars, bytes.
    pub(crate) fn bytes(&self) -> [usize; 2] {
        let cars = self.cars.capacity() * size_of::<UnseenCar>()
            + self.on_road.iter().map(|list| 8 * list.capacity()).sum::<usize>()
            + self.expiries.capacity() * size_of::<Reverse<(Moment, u32, u32)>>()
            + 4 * self.vacant.capacity();
        [self.on_road.capacity() * size_of::<Vec<(u32, u32)>>(), cars]
    }
}
