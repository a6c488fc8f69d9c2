//! Cars that nobody sees, as they are kept.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::bound_size::SizeChooser;
use super::moment::Moment;
use super::pools::{Pools, Region};
use super::tracked::{TrackedCars, TrackingWork, UnseenCar};
use crate::map::Map;

/// What is known of cars that are tracked one by one.
#[derive(Serialize, Deserialize)]
pub(crate) struct TrackedFile {
    cars: Vec<UnseenCar>,
    vacant: Vec<u32>,
    expiries: Vec<(Moment, u32, u32)>,
    on_road: Vec<Vec<(u32, u32)>>,
    work: TrackingWork,
    chooser: SizeChooser,
}

/// What is known of pools.
#[derive(Serialize, Deserialize)]
pub(crate) struct PoolsFile {
    regions: Vec<Region>,
    arrivals: Vec<(Moment, u32, u32)>,
    awake: Vec<u32>,
    noted: Vec<u32>,
    asleep: [f64; 2],
}

impl TrackedCars {
    pub(crate) fn to_file(&self) -> TrackedFile {
        let mut expiries: Vec<(Moment, u32, u32)> = self.expiries.iter().map(|Reverse(expiry)| *expiry).collect();
        expiries.sort_unstable();
        TrackedFile {
            cars: self.cars.clone(),
            vacant: self.vacant.clone(),
            expiries,
            on_road: self.on_road.iter().map(|list| self.present(list)).collect(),
            work: self.work,
            chooser: self.chooser.clone(),
        }
    }

    /// Those of a list of bounds that are still what is known.
    fn present(&self, list: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let is_present = |(slot, stamp): &&(u32, u32)| self.is_bound(*slot, *stamp);
        list.iter().filter(is_present).copied().collect()
    }

    /// Takes over what has happened; says what is wrong with it.
    pub(crate) fn restore(&mut self, file: TrackedFile, map: &Map) -> Result<(), &'static str> {
        let is_car = |slot: &u32| (*slot as usize) < file.cars.len();
        let is_path = |car: &UnseenCar| {
            car.car.path.index() < map.path_count() && car.car.next.index() < map.path_count() && !car.leaves.is_nan()
        };
        let bounds = file.on_road.iter().flatten().all(|(slot, _)| is_car(slot));
        let expiries = file.expiries.iter().all(|(_, slot, _)| is_car(slot));
        if !file.cars.iter().all(is_path) || !file.vacant.iter().all(is_car) || !bounds || !expiries {
            return Err("it names cars or ways that are not there");
        }
        if file.on_road.len() != map.road_count() || !file.chooser.is_sound() {
            return Err("it has other roads than its map");
        }
        (self.cars, self.vacant, self.on_road) = (file.cars, file.vacant, file.on_road);
        self.expiries = file.expiries.into_iter().map(Reverse).collect();
        (self.work, self.chooser) = (file.work, file.chooser);
        Ok(())
    }
}

impl Pools {
    pub(crate) fn to_file(&self) -> PoolsFile {
        let mut arrivals: Vec<(Moment, u32, u32)> = self.arrivals.iter().map(|Reverse(arrival)| *arrival).collect();
        arrivals.sort_unstable();
        PoolsFile {
            regions: self.regions.clone(),
            arrivals,
            awake: self.awake.clone(),
            noted: self.noted.clone(),
            asleep: self.asleep,
        }
    }

    /// Takes over what has happened; says what is wrong with it.
    pub(crate) fn restore(&mut self, file: PoolsFile) -> Result<(), &'static str> {
        let is_region = |region: &u32| (*region as usize) < file.regions.len();
        let arrivals = file.arrivals.iter().all(|(_, region, _)| is_region(region));
        let known = file.awake.iter().chain(&file.noted).all(is_region);
        if file.regions.len() != self.regions.len() || !arrivals || !known {
            return Err("it has other regions than its map");
        }
        (self.regions, self.awake, self.noted, self.asleep) = (file.regions, file.awake, file.noted, file.asleep);
        self.arrivals = file.arrivals.into_iter().map(Reverse).collect();
        Ok(())
    }
}
