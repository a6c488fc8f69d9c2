//! Cars that drive by the complete model, as they are kept.

use serde::{Deserialize, Serialize};

use super::{Car, Courtesies, Crossing, LaneCars, NONE, Newcomer, Shadow, Traffic, Waiting};
use crate::map::{Map, PathId, RoadId};
use crate::wander::CarId;

/// What has happened to cars that drive by the complete model.
#[derive(Serialize, Deserialize)]
pub(crate) struct TrafficFile {
    now: f64,
    frame: u32,
    cars: Vec<Car>,
    vacant: Vec<u32>,
    lanes: Vec<LaneCars>,
    /// Junctions at which something happens.
    crossings: Vec<(u32, Crossing)>,
    active: Vec<RoadId>,
    departures: Vec<Newcomer>,
    arrivals: Vec<(CarId, f64)>,
    entries: Vec<u32>,
    shadows: Vec<Shadow>,
    lane_changes: u64,
    car_steps: u64,
    courtesies: Courtesies,
}

impl TrafficFile {
    /// How many places for cars there are.
    pub(crate) fn cars(&self) -> usize {
        self.cars.len()
    }

    /// Says what is wrong with it, for a map.
    fn check(&self, map: &Map) -> Result<(), &'static str> {
        let is_car = |slot: u32| slot == NONE || (slot as usize) < self.cars.len();
        let is_path = |path: PathId| path.index() < map.path_count();
        let fits = |car: &Car| {
            is_path(car.path)
                && is_path(car.next)
                && is_car(car.ahead)
                && is_car(car.behind)
                && car.remaining.is_finite()
        };
        if !self.cars.iter().all(fits) || !self.lanes.iter().all(|lane| is_car(lane.front) && is_car(lane.back)) {
            return Err("it names cars or ways that are not there");
        }
        if self.lanes.len() != map.lane_count() || self.entries.len() != map.lane_count() {
            return Err("it has other lanes than its map");
        }
        if self.active.iter().any(|road| road.index() >= map.road_count()) {
            return Err("it names roads that are not there");
        }
        let is_known = |slot: &u32| (*slot as usize) < self.cars.len();
        let holds = |waiting: &Waiting| match waiting {
            Waiting::Car(slot) => is_known(slot),
            Waiting::Newcomer(car) => is_path(car.path) && is_path(car.next),
        };
        let is_right = |(junction, crossing): &(u32, Crossing)| {
            (*junction as usize) < map.junction_count()
                && crossing.inside.iter().all(is_known)
                && crossing.queue.iter().all(holds)
                && crossing.wave.is_none_or(|wave| is_known(&wave.slot))
        };
        let is_shadow = |shadow: &Shadow| {
            is_known(&shadow.slot) && is_known(&shadow.owner) && shadow.lane.index() < map.lane_count()
        };
        let changes = self.cars.iter().filter_map(|car| car.change).all(|change| is_known(&change.shadow));
        if !self.shadows.iter().all(is_shadow) || !changes {
            return Err("it names cars that are not there");
        }
        self.check_lists(map)?;
        let departures = self.departures.iter().all(|car| is_path(car.path) && is_path(car.next));
        if !self.vacant.iter().all(is_known) || !self.crossings.iter().all(is_right) || !departures {
            return Err("it names cars or junctions that are not there");
        }
        Ok(())
    }
}

impl TrafficFile {
    /// Each lane is a list of cars that are on it, and no car is in two.
    fn check_lists(&self, map: &Map) -> Result<(), &'static str> {
        let mut seen = vec![false; self.cars.len()];
        for (number, lane) in self.lanes.iter().enumerate() {
            let (mut slot, mut last) = (lane.front, NONE);
            while slot != NONE {
                let car = &self.cars[slot as usize];
                let is_here = map.path(car.path).to.index() == number && car.ahead == last;
                if !is_here || std::mem::replace(&mut seen[slot as usize], true) {
                    return Err("its lanes are no lists of cars");
                }
                (last, slot) = (slot, car.behind);
            }
            if last != lane.back {
                return Err("its lanes are no lists of cars");
            }
        }
        Ok(())
    }
}

impl Traffic {
    pub(crate) fn to_file(&self) -> TrafficFile {
        let happens =
            |crossing: &Crossing| !crossing.inside.is_empty() || !crossing.queue.is_empty() || crossing.wave.is_some();
        let crossings = self.crossings.iter().enumerate().filter(|(_, crossing)| happens(crossing));
        TrafficFile {
            now: self.now,
            frame: self.frame,
            cars: self.cars.clone(),
            vacant: self.vacant.clone(),
            lanes: self.lanes.clone(),
            crossings: crossings.map(|(number, crossing)| (number as u32, crossing.clone())).collect(),
            active: self.active_roads.clone(),
            departures: self.departures.clone(),
            arrivals: self.arrivals.clone(),
            entries: self.entries.clone(),
            shadows: self.shadows.clone(),
            lane_changes: self.lane_changes,
            car_steps: self.car_steps,
            courtesies: self.courtesies,
        }
    }

    /// Takes over what has happened; says what is wrong with it.
    pub(crate) fn restore(&mut self, file: TrafficFile) -> Result<(), &'static str> {
        file.check(&self.map)?;
        for (junction, crossing) in file.crossings {
            self.crossings[junction as usize] = crossing;
        }
        (self.now, self.frame, self.cars, self.vacant) = (file.now, file.frame, file.cars, file.vacant);
        (self.lanes, self.entries) = (file.lanes, file.entries);
        (self.departures, self.arrivals) = (file.departures, file.arrivals);
        (self.car_steps, self.courtesies) = (file.car_steps, file.courtesies);
        (self.shadows, self.lane_changes) = (file.shadows, file.lane_changes);
        self.activate(&file.active);
        Ok(())
    }
}
