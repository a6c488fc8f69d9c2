//! Maps and measurements that several tests share.
#![allow(dead_code, reason = "each test uses some of it")]

use proscenium_chance::Seed;
use proscenium_city::glam::DVec2;
use proscenium_city::map::{JunctionPlan, RoadId, RoadPlan};
use proscenium_city::{City, Map, Plan, VisibleCar};

/// A crooked grid of streets with so many junctions on a side; every third row
/// has four lanes.
pub fn town(side: u32, seed: u64) -> Map {
    Map::build(&town_plan(side, seed)).expect("a grid of streets is a map")
}

pub fn town_plan(side: u32, seed: u64) -> Plan {
    let mut stream = Seed(seed).stream("town");
    let mut plan = Plan::default();
    for n in 0..side * side {
        let jitter = DVec2::new(stream.uniform(), stream.uniform()) * 30.0;
        plan.junction(JunctionPlan::at(DVec2::new(f64::from(n % side), f64::from(n / side)) * 100.0 + jitter));
    }
    for n in 0..side * side {
        if n % side + 1 < side {
            let lanes = if n / side % 3 == 1 { 2 } else { 1 };
            plan.road(RoadPlan::two_way(n, n + 1, lanes));
        }
        // Some streets are missing.
        if n / side + 1 < side && stream.uniform() < 0.9 {
            plan.road(RoadPlan::two_way(n, n + side, 1));
        }
    }
    plan
}

/// The cars that can be seen at a time, if these roads are in view.
pub fn cars_on<'city>(city: &'city mut City, now: f64, roads: &[RoadId]) -> &'city [VisibleCar] {
    city.look_at(roads).expect("the roads are of this map");
    city.advance(now).expect("times are in order, and the cars fit")
}

pub fn all_roads(map: &Map) -> Vec<RoadId> {
    map.roads().collect()
}

/// Pairs of cars whose bodies overlap.
pub fn overlaps(cars: &[VisibleCar]) -> Vec<(VisibleCar, VisibleCar)> {
    let mut found = Vec::new();
    for (number, one) in cars.iter().enumerate() {
        for other in &cars[number + 1..] {
            let apart = one.world_from_body.translation - other.world_from_body.translation;
            if apart.length_squared() < 25.0 && one.overlaps(other, 0.01) {
                found.push((*one, *other));
            }
        }
    }
    found
}
