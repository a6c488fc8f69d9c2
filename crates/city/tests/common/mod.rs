//! Maps and measurements that several tests share.
#![allow(dead_code, reason = "each test uses some of it")]

use proscenium_chance::Seed;
use proscenium_city::driving::Vehicle;
use proscenium_city::glam::{DVec2, DVec3};
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

/// The corners of a car on the ground, metres.
fn corners(car: &VisibleCar, vehicle: &Vehicle, shrink: f64) -> [DVec2; 4] {
    let (x, z) = (0.5 * vehicle.length - shrink, 0.5 * vehicle.width - shrink);
    [(x, z), (x, -z), (-x, -z), (-x, z)].map(|(x, z)| {
        let corner = car.world_from_body.transform_point3(DVec3::new(x, 0.0, z));
        DVec2::new(corner.x, corner.z)
    })
}

/// Whether two rectangles share a point: no side of either separates them.
fn touch(one: &[DVec2; 4], other: &[DVec2; 4]) -> bool {
    let separates = |a: &[DVec2; 4], b: &[DVec2; 4]| {
        (0..4).any(|side| {
            let normal = (a[(side + 1) % 4] - a[side]).perp();
            let range = |points: &[DVec2; 4]| {
                let along = points.map(|point| point.dot(normal));
                (
                    along.iter().copied().fold(f64::INFINITY, f64::min),
                    along.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                )
            };
            let (a, b) = (range(a), range(b));
            a.1 < b.0 || b.1 < a.0
        })
    };
    !separates(one, other) && !separates(other, one)
}

/// Pairs of cars whose bodies overlap.
pub fn overlaps(cars: &[VisibleCar], vehicle: &Vehicle) -> Vec<(VisibleCar, VisibleCar)> {
    let mut found = Vec::new();
    let boxes: Vec<[DVec2; 4]> = cars.iter().map(|car| corners(car, vehicle, 0.01)).collect();
    for one in 0..cars.len() {
        for other in one + 1..cars.len() {
            let apart = cars[one].world_from_body.translation - cars[other].world_from_body.translation;
            if apart.length_squared() < 25.0 && touch(&boxes[one], &boxes[other]) {
                found.push((cars[one], cars[other]));
            }
        }
    }
    found
}
