//! Promise: on networks of every kind of control, with one to four lanes, no car
//! overlaps another and no circle of waiting cars lasts.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use crate::common;

use common::{all_roads, cars_on, overlaps};
use proscenium_chance::{Seed, Stream};
use proscenium_city::glam::DVec2;
use proscenium_city::map::{ControlPlan, JunctionPlan, LaneId, RoadPlan, SignalsPlan};
use proscenium_city::{CarId, City, Detail, Map, Plan, Settings, VisibleCar, Wander};

/// No movement for so long is a lock, seconds.
const LOCKED: f64 = 300.0;

/// A crooked grid with streets of one to four lanes in each direction, some of
/// them one-way or missing, whose junctions are all of one kind, or of any.
fn network(kind: u64, seed: u64) -> Plan {
    let mut stream = Seed(seed).stream("network");
    let (side, mut plan) = (4_u32, Plan::default());
    for n in 0..side * side {
        let jitter = DVec2::new(stream.uniform(), stream.uniform()) * 40.0;
        plan.junction(JunctionPlan::at(DVec2::new(f64::from(n % side), f64::from(n / side)) * 130.0 + jitter));
    }
    for n in 0..side * side {
        for (other, is_there) in [(n + 1, n % side + 1 < side), (n + side, n / side + 1 < side)] {
            if is_there && stream.uniform() < 0.92 {
                let lanes = 1 + stream.below(4) as u8;
                // The rim is two-way, so that all can be reached.
                let is_inside = |n: u32| (1..side - 1).contains(&(n % side)) && (1..side - 1).contains(&(n / side));
                let is_one_way = is_inside(n) && is_inside(other) && stream.uniform() < 0.4;
                plan.road(match is_one_way {
                    true => RoadPlan::one_way(n, other, lanes),
                    false => RoadPlan::two_way(n, other, lanes),
                });
            }
        }
    }
    for n in 0..plan.junctions.len() as u32 {
        let roads = (0..plan.roads.len() as u32).filter(|road| {
            let road = &plan.roads[*road as usize];
            road.from == n || road.to == n
        });
        let roads: Vec<u32> = roads.collect();
        let kind = if kind == 4 { stream.below(4) } else { kind };
        plan.junctions[n as usize].control = control(kind, &roads, &mut stream);
    }
    plan
}

fn control(kind: u64, roads: &[u32], stream: &mut Stream) -> ControlPlan {
    match kind {
        _ if roads.len() < 3 => ControlPlan::Automatic,
        0 => ControlPlan::AllWayStop,
        1 => ControlPlan::Priority { major: roads.iter().copied().step_by(2).collect() },
        2 => ControlPlan::Priority { major: Vec::new() },
        _ => ControlPlan::Signals(SignalsPlan { phases: Vec::new(), offset: 60.0 * stream.uniform() }),
    }
}

/// Since when cars have stood, and which lanes wait for each other in a circle
/// that has not moved for long.
#[derive(Default)]
struct Watch {
    stood: BTreeMap<CarId, (f64, f64)>,
}

impl Watch {
    fn locks(&mut self, map: &Map, cars: &[VisibleCar], now: f64) -> usize {
        let mut fronts: BTreeMap<LaneId, (f64, CarId, LaneId)> = BTreeMap::new();
        for car in cars {
            let known = self.stood.entry(car.id).or_insert((now, car.remaining));
            if car.speed > 0.0 || car.remaining != known.1 {
                *known = (now, car.remaining);
            }
            let lane = map.path(car.path).to;
            let front = fronts.entry(lane).or_insert((f64::INFINITY, car.id, lane));
            if car.remaining < front.0 {
                *front = (car.remaining, car.id, map.path(car.next).to);
            }
        }
        let waits = |lane: &LaneId| {
            let (_, car, next) = fronts.get(lane)?;
            (now - self.stood[car].0 > LOCKED).then_some(*next)
        };
        // From any lane of a circle one comes back to it.
        let comes_back = |start: &LaneId| {
            let mut lane = *start;
            (0..fronts.len()).any(|_| match waits(&lane) {
                Some(next) => {
                    lane = next;
                    lane == *start
                }
                None => false,
            })
        };
        let circles = fronts.keys().filter(|lane| comes_back(lane)).count();
        let inside = cars.iter().filter(|car| {
            let length = map.lane(map.path(car.path).to).length;
            car.remaining > length - 4.2 && now - self.stood[&car.id].0 > LOCKED
        });
        circles + inside.count()
    }
}

fn drive(kind: u64, seed: u64, cars_per_km: f64, seconds: u32) -> City {
    drive_with(Settings::default(), kind, seed, cars_per_km, seconds)
}

fn drive_with(settings: Settings, kind: u64, seed: u64, cars_per_km: f64, seconds: u32) -> City {
    let map = Map::build(&network(kind, seed)).unwrap();
    let roads = all_roads(&map);
    let metres: f64 = map.lanes().map(|lane| map.lane(lane).length).sum();
    let settings = Settings { detail: Detail::Complete, ..settings };
    let mut city =
        City::new(map.clone()).with_cars((cars_per_km * metres / 1e3) as u32).seed(seed).with_settings(settings);
    let mut watch = Watch::default();
    for frame in 0..10 * seconds {
        let now = 0.1 * f64::from(frame);
        let cars = cars_on(&mut city, now, &roads);
        if frame % 5 == 0 {
            let found = overlaps(cars);
            assert!(found.is_empty(), "kind {kind}, seed {seed}, {now} s: {:?}", found[0]);
            assert_eq!(watch.locks(&map, cars, now), 0, "kind {kind}, seed {seed}, {now} s");
        }
    }
    city
}

#[test]
fn no_car_overlaps_another_whatever_the_control() {
    for kind in 0..5 {
        for seed in 0..3 {
            drive(kind, seed, 8.0, 400);
        }
    }
}

#[test]
fn cars_change_lanes_and_nobody_overlaps_whatever_the_control() {
    for wander in [Wander::Random, Wander::Planned] {
        let settings = Settings { lane_changes: true, wander, ..Settings::default() };
        let mut changes = 0;
        for kind in 0..5 {
            for (seed, cars_per_km) in [(0, 8.0), (1, 15.0), (2, 25.0)] {
                changes += drive_with(settings, kind, seed, cars_per_km, 300).lane_changes();
            }
        }
        assert!(changes > 300, "{wander:?}: {changes} changes");
    }
}

#[test]
fn a_full_town_does_not_lock() {
    let mut courtesies = 0;
    for kind in 0..5 {
        let city = drive(kind, 7, 30.0, 900);
        courtesies += city.courtesies().waved + city.courtesies().circles;
    }
    assert!(courtesies > 0, "nothing was resolved: the town is not full enough");
}

/// Lanes that lead into one were asked in their order, so that the foremost car of the
/// last of them stood for as long as the others came.
#[test]
fn where_cars_turn_back_everybody_has_a_turn() {
    let mut plan = Plan::default();
    for at in [DVec2::ZERO, DVec2::new(90.0, 0.0), DVec2::new(-80.0, 60.0), DVec2::new(-70.0, -90.0)] {
        plan.junction(JunctionPlan::at(at));
    }
    for leaf in 1..4 {
        plan.road(RoadPlan::two_way(0, leaf, 4));
    }
    let map = Map::build(&plan).unwrap();
    let roads = all_roads(&map);
    let settings = Settings { detail: Detail::Complete, ..Settings::default() };
    let mut city = City::new(map).with_cars(110).seed(1).with_settings(settings);
    let mut stood = BTreeMap::new();
    let mut longest = 0.0_f64;
    for frame in 0..12_000 {
        let now = 0.1 * f64::from(frame);
        for car in cars_on(&mut city, now, &roads).iter().filter(|car| car.remaining < 0.1) {
            if car.speed > 0.0 {
                stood.insert(car.id, now);
            }
            let since = *stood.entry(car.id).or_insert(now);
            longest = longest.max(now - since);
        }
    }
    assert!(longest < LOCKED, "somebody stood at a line for {longest} s");
}
