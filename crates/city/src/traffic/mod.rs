//! The complete model (Chenney 2000, B.2) on the roads that are active: all of
//! them, or those near a view.

mod car;
mod change;
mod crossing;
mod depart;
mod drive;
mod errors;
mod file;
mod gridlock;
mod inside;
mod pose;
mod wave;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cubic::PiecewiseCubic;
use crate::driving::Vehicle;
use crate::learn::Expectations;
use crate::map::{JunctionId, LaneId, Map, PathId, RoadId};
use crate::wander::{CarId, Course, Draws};

pub(crate) use car::{Car, NONE, Newcomer, Placement};
pub(crate) use change::Shadow;
pub(crate) use crossing::{Crossing, Waiting};
pub(crate) use errors::is_just_red;
pub use errors::{DriverError, DriverErrors};
pub(crate) use file::TrafficFile;
pub use gridlock::Gridlock;
pub use pose::CarPose;
pub use wave::Courtesies;

/// By how much a sum of steps may fall short of a whole second, seconds.
const ROUNDING: f64 = 1e-6;

/// The cars of a lane, nearest the stop line first.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct LaneCars {
    front: u32,
    back: u32,
}

/// A car took a path from its start to its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Traversal {
    pub(crate) path: PathId,
    pub(crate) seconds: f64,
}

/// Cars that drive by the complete model.
#[derive(Clone, Debug)]
pub(crate) struct Traffic {
    pub(crate) map: Arc<Map>,
    pub(crate) vehicle: Vehicle,
    pub(crate) draws: Draws,
    pub(crate) now: f64,
    /// The number of the frame.
    pub(crate) frame: u32,
    pub(crate) cars: Vec<Car>,
    vacant: Vec<u32>,
    lanes: Vec<LaneCars>,
    pub(crate) crossings: Vec<Crossing>,
    /// Whether the complete model runs on each road.
    active: Vec<bool>,
    active_roads: Vec<RoadId>,
    active_lanes: Vec<LaneId>,
    active_junctions: Vec<JunctionId>,
    /// Cars that left for a road that is not active: the path they took and
    /// when.
    pub(crate) departures: Vec<Newcomer>,
    /// Cars whose trips have ended, and when.
    pub(crate) arrivals: Vec<(CarId, f64)>,
    /// How many cars have come to each lane.
    pub(crate) entries: Vec<u32>,
    /// What is to be learned from, if anybody learns.
    pub(crate) traversals: Option<Vec<Traversal>>,
    /// What cars that nobody simulates would do at junctions that are active in
    /// part.
    pub(crate) expectations: Option<Arc<Expectations>>,
    /// Whether cars stay on the active roads.
    pub(crate) is_confined: bool,
    /// Steps of cars so far.
    pub(crate) car_steps: u64,
    /// What drivers did for each other so far.
    pub(crate) courtesies: Courtesies,
    /// Whether cars change lanes between junctions, how often they have, and the
    /// shadows of those that do.
    pub(crate) changes_lanes: bool,
    pub(crate) lane_changes: u64,
    shadows: Vec<Shadow>,
    /// How bodies stand along the paths on which cars came into view.
    orientations: BTreeMap<PathId, PiecewiseCubic>,
}

impl Traffic {
    /// No cars and no active roads.
    pub(crate) fn new(map: Arc<Map>, draws: Draws) -> Self {
        let empty = LaneCars { front: NONE, back: NONE };
        Self {
            vehicle: Vehicle::default(),
            draws,
            now: 0.0,
            frame: 1,
            cars: Vec::new(),
            vacant: Vec::new(),
            lanes: vec![empty; map.lane_count()],
            crossings: vec![Crossing::default(); map.junction_count()],
            active: vec![false; map.road_count()],
            active_roads: Vec::new(),
            active_lanes: Vec::new(),
            active_junctions: Vec::new(),
            departures: Vec::new(),
            arrivals: Vec::new(),
            entries: vec![0; map.lane_count()],
            traversals: None,
            expectations: None,
            is_confined: false,
            car_steps: 0,
            courtesies: Courtesies::default(),
            changes_lanes: false,
            lane_changes: 0,
            shadows: Vec::new(),
            orientations: BTreeMap::new(),
            map,
        }
    }

    /// Whether the complete model runs on a road.
    #[inline]
    pub(crate) fn is_active(&self, road: RoadId) -> bool {
        self.active[road.index()]
    }

    /// The roads on which the complete model runs, in order.
    pub(crate) fn active_roads(&self) -> &[RoadId] {
        &self.active_roads
    }

    /// Sets the roads on which the complete model runs, in order. Cars must
    /// have been taken off those that are not any more.
    pub(crate) fn activate(&mut self, roads: &[RoadId]) {
        for road in &self.active_roads {
            self.active[road.index()] = false;
        }
        self.active_roads.clear();
        self.active_roads.extend_from_slice(roads);
        self.active_lanes.clear();
        for junction in &self.active_junctions {
            self.crossings[junction.index()].is_whole = false;
        }
        self.active_junctions.clear();
        for &road in roads {
            self.active[road.index()] = true;
            self.active_lanes.extend(self.map.lanes_of(road));
            let road = self.map.road(road);
            self.active_junctions.extend([road.from, road.to]);
        }
        self.active_junctions.sort_unstable();
        self.active_junctions.dedup();
        for &junction in &self.active_junctions {
            let is_whole = self.map.roads_at(junction).iter().all(|road| self.active[road.index()]);
            let crossing = &mut self.crossings[junction.index()];
            crossing.is_whole = is_whole;
            if is_whole {
                // All who wait are here now: nobody waits for a time that was drawn.
                for waiting in &crossing.queue {
                    if let Waiting::Car(slot) = waiting {
                        self.cars[*slot as usize].release = f64::NEG_INFINITY;
                    }
                }
            }
        }
    }

    /// The slots of the cars of a road, lane by lane from front to back.
    pub(crate) fn slots_on(&self, road: RoadId) -> Vec<u32> {
        self.map.lanes_of(road).flat_map(|lane| self.slots_of(lane)).collect()
    }

    /// The slots of the cars of a lane from front to back.
    pub(crate) fn slots_of(&self, lane: LaneId) -> impl Iterator<Item = u32> + '_ {
        let first = self.lanes[lane.index()].front;
        std::iter::successors((first != NONE).then_some(first), |slot| {
            let behind = self.cars[*slot as usize].behind;
            (behind != NONE).then_some(behind)
        })
    }

    /// All cars on active roads.
    pub(crate) fn slots(&self) -> impl Iterator<Item = u32> + '_ {
        self.active_lanes.iter().flat_map(|lane| self.slots_of(*lane))
    }

    /// How many cars there are.
    pub(crate) fn count(&self) -> usize {
        self.cars.len() - self.vacant.len() - self.shadows.len()
    }

    /// Moves all cars on by one step.
    pub(crate) fn step(&mut self, dt: f64) {
        let before = self.now;
        self.now += dt;
        // The sum of many steps may fall short of the whole second that they make.
        let second = |time: f64| (time + ROUNDING).floor();
        if second(before) != second(self.now) {
            self.plan_again();
            self.wave_through();
            if self.changes_lanes {
                self.change_lanes();
            }
        }
        if !self.shadows.is_empty() {
            self.move_shadows();
        }
        for index in 0..self.active_lanes.len() {
            let lane = self.active_lanes[index];
            if self.lanes[lane.index()].front != NONE {
                self.drive_lane(lane, dt);
            }
        }
        for index in 0..self.active_junctions.len() {
            let junction = self.active_junctions[index];
            let crossing = &self.crossings[junction.index()];
            if !(crossing.inside.is_empty() && crossing.queue.is_empty()) {
                self.admit(junction);
            }
        }
    }

    /// Puts a car behind the last one of the lane that its path leads down.
    fn append(&mut self, slot: u32) {
        let lane = self.map.path(self.cars[slot as usize].path).to;
        let last = self.lanes[lane.index()].back;
        self.link(slot, last, NONE);
    }

    /// Links a car between two neighbours of its lane.
    pub(crate) fn link(&mut self, slot: u32, ahead: u32, behind: u32) {
        let lane = self.map.path(self.cars[slot as usize].path).to.index();
        let car = &mut self.cars[slot as usize];
        (car.ahead, car.behind) = (ahead, behind);
        match ahead {
            NONE => self.lanes[lane].front = slot,
            ahead => self.cars[ahead as usize].behind = slot,
        }
        match behind {
            NONE => self.lanes[lane].back = slot,
            behind => self.cars[behind as usize].ahead = slot,
        }
    }

    /// Takes a car out of the list of its lane.
    fn unlink(&mut self, slot: u32) {
        let Car { path, ahead, behind, .. } = self.cars[slot as usize];
        let lane = self.map.path(path).to.index();
        match ahead {
            NONE => self.lanes[lane].front = behind,
            ahead => self.cars[ahead as usize].behind = behind,
        }
        match behind {
            NONE => self.lanes[lane].back = ahead,
            behind => self.cars[behind as usize].ahead = ahead,
        }
    }

    /// Takes a car away.
    pub(crate) fn remove(&mut self, slot: u32) -> Car {
        let car = self.cars[slot as usize].clone();
        for junction in [self.map.start_of(car.path), self.map.end_of(car.path)] {
            let crossing = &mut self.crossings[junction.index()];
            crossing.inside.retain(|inside| *inside != slot);
            crossing.queue.retain(|waiting| *waiting != Waiting::Car(slot));
            crossing.wave = crossing.wave.filter(|wave| wave.slot != slot);
        }
        self.unlink(slot);
        self.vacant.push(slot);
        let gone = &mut self.cars[slot as usize];
        // The shadow of one that was changing lanes goes too.
        (gone.id, gone.is_driven, gone.change) = (CarId(u32::MAX), false, None);
        car
    }

    /// Makes room for a car that is not in any lane yet.
    pub(crate) fn store(&mut self, car: Car) -> u32 {
        match self.vacant.pop() {
            Some(slot) => {
                self.cars[slot as usize] = car;
                slot
            }
            None => {
                self.cars.push(car);
                (self.cars.len() - 1) as u32
            }
        }
    }

    /// A car at the start of its path.
    fn fresh(&self, newcomer: &Newcomer) -> Car {
        let remaining = self.map.path_length(newcomer.path);
        self.car(newcomer, Placement { remaining, speed: 0.0 })
    }

    /// A car on its path.
    pub(crate) fn car(&self, newcomer: &Newcomer, placed: Placement) -> Car {
        let ends = self.draws.ends(&self.map, newcomer.id, newcomer.path);
        let error = self.draws.error(newcomer.id, newcomer.course.visit);
        let driver = self.draws.driver(newcomer.id);
        Car { ends, error, driver, ..Car::new(&self.map, &self.vehicle, newcomer, placed) }
    }

    /// The path that a car takes after one.
    pub(crate) fn choose(&self, car: CarId, course: &mut Course, path: PathId) -> PathId {
        if !self.is_confined {
            return self.draws.next_path(&self.map, car, course, path);
        }
        let is_inside = |next: &PathId| self.active[self.map.road_of(*next).index()];
        let options: Vec<PathId> = self.map.successors(path).filter(is_inside).collect();
        let chosen = self.draws.one_of(&options, car, course.visit);
        chosen.unwrap_or_else(|| self.draws.next_path(&self.map, car, course, path))
    }

    /// Memory for roads and for cars, bytes.
    pub(crate) fn bytes(&self) -> [usize; 2] {
        let roads = self.lanes.capacity() * size_of::<LaneCars>()
            + 4 * self.entries.capacity()
            + self.crossings.capacity() * size_of::<Crossing>()
            + self.active.capacity()
            + 4 * (self.active_roads.capacity() + self.active_lanes.capacity());
        [roads, self.cars.capacity() * size_of::<Car>() + 4 * self.vacant.capacity()]
    }
}
