//! Promise: what is in view obeys the complete model, and what comes into view
//! could have come. Bounds hold over long complete runs, both invariants hold
//! in every frame, nobody returns sooner than physics allows, no car is lost,
//! and whoever looks everywhere sees the complete model itself.
#![allow(clippy::unwrap_used)]

use crate::common;

use std::collections::BTreeMap;

use common::{all_roads, cars_on, overlaps, town, town_plan};
use proscenium_city::culling::{BoundSettings, BoundSize};
use proscenium_city::driving::Vehicle;
use proscenium_city::glam::DVec2;
use proscenium_city::learn::StudySettings;
use proscenium_city::map::{JunctionPlan, LaneId, PathId, RoadId, RoadPlan};
use proscenium_city::{Approach, CarId, City, Detail, Eye, LearnedTraffic, Map, OwnCar, Plan, Settings, Study, Wander};
use proscenium_work::{Completion, Memory, Progress, Remedy, Store};

fn with(detail: Detail) -> Settings {
    Settings { detail, ..Settings::default() }
}

/// A view that wanders over the town, four roads at a time.
fn view(map: &Map, frame: u32) -> Vec<RoadId> {
    let first = RoadId(frame / 80 * 7 % map.road_count() as u32);
    let mut roads = vec![first];
    roads.extend(map.adjacent_roads(first).take(3));
    roads
}

#[test]
fn a_viewer_who_looks_everywhere_sees_the_complete_model() {
    let map = town(5, 2);
    let everywhere = all_roads(&map);
    let city = |detail| City::new(map.clone()).with_cars(50).seed(9).with_settings(with(detail));
    let (mut complete, mut tracked) = (city(Detail::Complete), city(Detail::Tracked));
    for frame in 0..1500 {
        let now = 0.1 * f64::from(frame);
        let seen = cars_on(&mut tracked, now, &everywhere).to_vec();
        let mut truth = cars_on(&mut complete, now, &everywhere).to_vec();
        truth.sort_by_key(|car| car.id);
        let mut seen = seen;
        seen.sort_by_key(|car| car.id);
        assert_eq!(seen, truth, "frame {frame}");
    }
}

#[test]
fn both_invariants_hold_in_every_frame_and_no_car_is_lost() {
    let map = town(7, 3);
    let bounds = BoundSettings { size: BoundSize::AtMost(16), certainty: 1.0 };
    for settings in [with(Detail::Tracked), Settings { bounds, ..with(Detail::Tracked) }, with(Detail::Pooled)] {
        let mut city = City::new(map.clone()).with_cars(90).seed(4).with_settings(settings);
        for frame in 0..2500_u32 {
            let cars = cars_on(&mut city, 0.1 * f64::from(frame), &view(&map, frame));
            let found = overlaps(cars);
            assert!(found.is_empty(), "{settings:?} frame {frame}: {:?}", found[0]);
            // Only one car is in a junction at any time.
            let mut inside: BTreeMap<u32, CarId> = BTreeMap::new();
            for car in cars.iter().filter(|car| car.remaining > map.lane(map.path(car.path).to).length) {
                let junction = map.start_of(car.path);
                if map.junction(junction).control == proscenium_city::map::Control::AllWayStop {
                    assert_eq!(inside.insert(junction.0, car.id), None, "frame {frame} junction {junction:?}");
                }
            }
            assert_eq!(city.counts().iter().sum::<u64>(), 90, "{settings:?} frame {frame}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_traffic() {
    let map = town(6, 5);
    let run = |seed: u64| {
        let mut city = City::new(map.clone()).with_cars(60).seed(seed);
        let mut seen = Vec::new();
        for frame in 0..600_u32 {
            seen.extend(
                cars_on(&mut city, 0.1 * f64::from(frame), &view(&map, frame))
                    .iter()
                    .map(|car| (car.id, car.remaining)),
            );
        }
        seen
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

/// The least time from a place on a path to the stop line before a way onto a
/// lane.
fn least_time(map: &Map, vehicle: &Vehicle, from: PathId, remaining: f64, to: LaneId) -> f64 {
    let mut best: BTreeMap<u32, f64> = BTreeMap::new();
    let first = remaining / vehicle.limits(map, from)[1];
    let mut open: Vec<(f64, PathId)> = map.successors(from).map(|path| (first, path)).collect();
    while !open.is_empty() {
        open.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (time, path) = open.pop().expect("it is not empty");
        if map.path(path).to == to {
            return time;
        }
        if best.get(&path.0).is_some_and(|known| *known <= time) {
            continue;
        }
        best.insert(path.0, time);
        let then = time + vehicle.free_run(map, path).duration() - 0.1;
        open.extend(map.successors(path).map(|next| (then, next)));
    }
    f64::INFINITY
}

#[test]
fn a_car_that_left_cannot_return_sooner_than_it_can_drive() {
    let map = town(6, 6);
    let vehicle = Vehicle::default();
    for detail in [Detail::Tracked, Detail::Pooled] {
        let mut city = City::new(map.clone()).with_cars(70).seed(8).with_settings(with(detail));
        let mut last: BTreeMap<CarId, (f64, PathId, f64)> = BTreeMap::new();
        let mut returns = 0;
        for frame in 0..6000_u32 {
            let now = 0.1 * f64::from(frame);
            for car in cars_on(&mut city, now, &view(&map, frame / 4)) {
                if let Some((time, path, remaining)) = last.insert(car.id, (now, car.path, car.remaining))
                    && now - time > 0.5
                    && map.path(path).to != map.path(car.path).to
                {
                    returns += 1;
                    let least = least_time(&map, &vehicle, path, remaining, map.path(car.path).to);
                    assert!(now - time > least - 0.3, "{:?} came back after {} s, not {least}", car.id, now - time);
                }
            }
        }
        assert!(returns > 20, "{returns} cars came back");
    }
}

/// Over a long complete run no car takes less than the least time for a path,
/// on which all bounds rest.
#[test]
fn bounds_are_never_violated_by_the_complete_model() {
    let map = town(6, 7);
    let everywhere = all_roads(&map);
    let vehicle = Vehicle::default();
    let mut city = City::new(map.clone()).with_cars(80).seed(2).with_settings(with(Detail::Complete));
    let mut since: BTreeMap<CarId, (PathId, f64, bool)> = BTreeMap::new();
    let mut count = 0;
    for frame in 0..9000_u32 {
        let now = 0.1 * f64::from(frame);
        for car in cars_on(&mut city, now, &everywhere) {
            let known = since.get(&car.id).copied();
            if known.is_none_or(|(path, ..)| path != car.path) {
                if let Some((path, start, true)) = known {
                    count += 1;
                    let least = vehicle.free_run(&map, path).duration();
                    // The viewer sees only at which step a line was passed.
                    assert!(now - start > least - 0.201, "{path:?} took {} s, not {least}", now - start);
                }
                since.insert(car.id, (car.path, now, known.is_some()));
            }
        }
    }
    assert!(count > 3000, "{count} paths were taken");
}

#[test]
fn others_brake_for_the_viewers_car() {
    let map = town(4, 8);
    let everywhere = all_roads(&map);
    let mut city = City::new(map.clone()).with_cars(24).seed(3).with_settings(with(Detail::Complete));
    // It stands in the middle of a lane for two minutes.
    let lane = map.lanes_of(RoadId(5)).next().unwrap();
    let points = map.lane_points(lane);
    let own = OwnCar { position: points[0].midpoint(points[1]), direction: points[1] - points[0], speed: 0.0 };
    let mut waited = 0;
    for frame in 0..3000_u32 {
        city.set_own_car((frame > 600).then_some(own)).unwrap();
        let cars = cars_on(&mut city, 0.1 * f64::from(frame), &everywhere);
        if frame > 700 {
            let behind = cars.iter().filter(|car| map.path(car.path).to == lane);
            waited += behind.filter(|car| car.speed < 0.1 && car.remaining > 0.5 * map.lane(lane).length).count();
            let near = |car: &&proscenium_city::VisibleCar| {
                let front = car.world_from_body.transform_point3(proscenium_city::glam::DVec3::X * 2.1);
                let back = own.position - own.direction.normalize() * 4.2;
                map.path(car.path).to == lane
                    && car.remaining > 0.5 * map.lane(lane).length
                    && DVec2::new(front.x, front.z).distance(back) < 1.0
            };
            assert_eq!(cars.iter().filter(near).count(), 0, "frame {frame}");
        }
    }
    assert!(waited > 0, "somebody waited behind it");
    assert!(city.set_own_car(Some(OwnCar { speed: f64::NAN, ..own })).is_err());
}

#[test]
fn strange_cities_run_too() {
    // One road with two dead ends; two towns without a way between them.
    let mut one = Plan::default();
    let (a, b) = (one.junction(JunctionPlan::at(DVec2::ZERO)), one.junction(JunctionPlan::at(DVec2::new(150.0, 0.0))));
    one.road(RoadPlan::two_way(a, b, 1));
    let mut two = town_plan(3, 1);
    let far: Vec<u32> = (0..3)
        .map(|n| {
            two.junction(JunctionPlan::at(DVec2::new(4000.0 + 100.0 * f64::from(n % 2), 100.0 * f64::from(n / 2))))
        })
        .collect();
    for (from, to) in [(0, 1), (1, 2), (2, 0)] {
        two.road(RoadPlan::two_way(far[from], far[to], 1));
    }
    for (plan, cars) in [(one, 3), (two, 20)] {
        let map = Map::build(&plan).unwrap();
        let everywhere = all_roads(&map);
        for detail in [Detail::Complete, Detail::Tracked, Detail::Pooled] {
            let mut city = City::new(map.clone()).with_cars(cars).seed(1).with_settings(with(detail));
            let mut moved = false;
            for frame in 0..900_u32 {
                let roads = if frame < 450 { &everywhere[..1] } else { &everywhere[..] };
                let cars = cars_on(&mut city, 0.1 * f64::from(frame), roads);
                moved |= cars.iter().any(|car| car.speed > 1.0);
                assert!(overlaps(cars).is_empty());
            }
            assert!(moved, "{detail:?}");
            assert_eq!(city.counts().iter().sum::<u64>(), u64::from(cars));
        }
    }
}

#[test]
fn viewers_off_the_map_and_several_viewers() {
    let map = town(6, 9);
    let middle = |road: u32| map.road_points(RoadId(road))[0].midpoint(map.road_points(RoadId(road))[1]);
    let along = |road: u32| map.road_points(RoadId(road))[1] - map.road_points(RoadId(road))[0];
    let eye = |road: u32| Eye::new(middle(road), along(road), 1.2, 300.0).unwrap();
    let lost = Eye::new(DVec2::splat(1e6), DVec2::X, 1.2, 300.0).unwrap();
    let mut city = City::new(map.clone()).with_cars(60).seed(3);
    for frame in 0..300_u32 {
        assert!(city.look(&[lost]).roads().is_empty());
        assert!(city.advance(0.1 * f64::from(frame)).unwrap().is_empty());
    }
    assert_eq!(city.work().car_steps, 0, "what nobody sees takes no time");
    let mut both = 0;
    for frame in 300..900_u32 {
        city.look(&[eye(3), eye(40)]);
        both = both.max(city.advance(0.1 * f64::from(frame)).unwrap().len());
    }
    assert!(both > 0);
    assert_eq!(city.counts().iter().sum::<u64>(), 60);
}

/// A bound that holds with a share of chances below 1 is larger in time, so that
/// fewer are made; the car that would break it is held back, and nothing else
/// changes: no overlap, no car lost, nobody back sooner than it can drive.
#[test]
fn bounds_may_be_uncertain() {
    let map = town(7, 3);
    let mut made = Vec::new();
    for certainty in [1.0, 0.9] {
        let bounds = BoundSettings { size: BoundSize::AtMost(8), certainty };
        let settings = Settings { bounds, ..with(Detail::Tracked) };
        let mut city = City::new(map.clone()).with_cars(90).seed(4).with_settings(settings);
        for frame in 0..1500_u32 {
            let cars = cars_on(&mut city, 0.1 * f64::from(frame), &view(&map, frame));
            assert!(overlaps(cars).is_empty(), "{certainty} frame {frame}");
            assert_eq!(city.counts().iter().sum::<u64>(), 90);
        }
        made.push(city.work().tracking.bounds);
    }
    assert!(made[1] < made[0], "{made:?} bounds were made");
    for certainty in [0.5, 1.1, f64::NAN] {
        let bounds = BoundSettings { certainty, ..BoundSettings::default() };
        let settings = Settings { bounds, ..with(Detail::Tracked) };
        let wrong = City::new(map.clone()).with_cars(5).with_settings(settings).start().unwrap_err();
        assert!(wrong.to_string().contains("certainty"), "{wrong}");
    }
}

/// The size of bounds that is found while the city runs costs about as little as
/// the better of a small and a large one, and no car is lost over it.
#[test]
fn the_size_of_bounds_is_found_by_what_they_cost() {
    let map = town(7, 3);
    let run = |size: BoundSize| {
        let bounds = BoundSettings { size, ..BoundSettings::default() };
        let settings = Settings { bounds, ..with(Detail::Tracked) };
        let mut city = City::new(map.clone()).with_cars(90).seed(4).with_settings(settings);
        for frame in 0..20_000_u32 {
            cars_on(&mut city, 0.1 * f64::from(frame), &view(&map, frame));
        }
        assert_eq!(city.counts().iter().sum::<u64>(), 90, "{size:?}");
        let work = city.work().tracking;
        (work.bounds + work.roads + work.paths) as f64
    };
    let [small, large, measured] = [BoundSize::AtMost(1), BoundSize::AtMost(32), BoundSize::Measured].map(run);
    assert!(measured <= 1.1 * small.min(large), "{measured} beside {small} and {large}");
}

/// A car that a viewer follows is never forgotten, however long it is away;
/// others that were seen at the same time are.
#[test]
fn a_car_that_is_followed_is_never_lost() {
    let map = town(7, 3);
    let settings = Settings { forget: 20.0, ..with(Detail::Pooled) };
    let mut city = City::new(map.clone()).with_cars(90).seed(6).with_settings(settings);
    let mut seen = Vec::new();
    for frame in 0..200_u32 {
        let cars = cars_on(&mut city, 0.1 * f64::from(frame), &view(&map, 0));
        seen.extend(cars.iter().map(|car| car.id));
    }
    seen.sort_unstable();
    seen.dedup();
    let followed: Vec<CarId> = seen.iter().copied().step_by(2).collect();
    for &car in &followed {
        city.follow(car).unwrap();
    }
    for frame in 200..1400_u32 {
        cars_on(&mut city, 0.1 * f64::from(frame), &[]);
    }
    // Nobody looks: all sleep, and only those that are followed are known.
    let [active, tracked, pooled] = city.counts();
    assert_eq!([active, tracked, pooled], [0, followed.len() as u64, 90 - followed.len() as u64]);
    // They come back as themselves.
    let everywhere = all_roads(&map);
    let back = cars_on(&mut city, 141.0, &everywhere);
    let missing = followed.iter().filter(|car| !back.iter().any(|other| other.id == **car)).count();
    assert!(missing <= 1, "{missing} of {} are not there", followed.len());
}

/// Cars with destinations get farther from where they were than cars that turn
/// at random. No car is lost, and the culled city has about as many in view as
/// the complete one.
#[test]
fn cars_with_destinations_get_somewhere() {
    let map = town(14, 5);
    let everywhere = all_roads(&map);
    let run = |wander: Wander| {
        let settings = Settings { wander, ..with(Detail::Complete) };
        let mut city = City::new(map.clone()).with_cars(60).seed(5).with_settings(settings);
        let mut places: Vec<BTreeMap<CarId, DVec2>> = Vec::new();
        for frame in 0..=3600_u32 {
            let cars = cars_on(&mut city, 0.1 * f64::from(frame), &everywhere);
            if frame % 900 == 0 {
                assert!(overlaps(cars).is_empty(), "{wander:?} frame {frame}");
                let place = |car: &proscenium_city::VisibleCar| car.world_from_body.translation;
                places.push(cars.iter().map(|car| (car.id, DVec2::new(place(car).x, place(car).z))).collect());
            }
        }
        let moved = |pair: &[BTreeMap<CarId, DVec2>]| -> Vec<f64> {
            pair[0].iter().filter_map(|(car, from)| Some(from.distance(*pair[1].get(car)?))).collect()
        };
        let ways: Vec<f64> = places.windows(2).flat_map(moved).collect();
        ways.iter().sum::<f64>() / ways.len() as f64
    };
    let (random, directed) = (run(Wander::Random), run(Wander::Destinations));
    assert!(directed > 1.2 * random, "{directed} m in a minute and a half, and {random} m at random");
    let in_view = |detail: Detail| {
        let settings = Settings { wander: Wander::Destinations, ..with(detail) };
        let mut city = City::new(map.clone()).with_cars(300).seed(5).with_settings(settings);
        let mut sum = 0;
        for frame in 0..3000_u32 {
            sum += cars_on(&mut city, 0.1 * f64::from(frame), &view(&map, frame)).len();
        }
        assert_eq!(city.counts().iter().sum::<u64>(), 300);
        sum as f64 / 3000.0
    };
    let (complete, tracked, pooled) = (in_view(Detail::Complete), in_view(Detail::Tracked), in_view(Detail::Pooled));
    // One run each: the number in view wanders by a tenth from seed to seed.
    for culled in [tracked, pooled] {
        assert!((culled / complete - 1.0).abs() < 0.35, "{culled} in view, and {complete} in the complete city");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let map = town(3, 1);
    let mut city = City::new(map.clone()).with_cars(5);
    cars_on(&mut city, 1.0, &[]);
    assert!(city.advance(0.5).is_err());
    assert!(city.advance(f64::NAN).is_err());
    assert!(city.look_at(&[RoadId(9999)]).unwrap_err().to_string().contains("9999"));
    assert!(City::new(map.clone()).with_cars(1_000_000).start().unwrap_err().to_string().contains("do not fit"));
    let bad = Settings { step: 0.0, ..Settings::default() };
    assert!(City::new(map).with_cars(5).with_settings(bad).start().is_err());
}

#[test]
fn a_city_is_loaded_with_what_was_learned_of_it() {
    let (store, plan) = (Memory::default(), town_plan(4, 2));
    assert!(City::load(&store, "some/town.city").unwrap_err().explain().contains("city generate"));
    store.write("some/town.city", &plan.to_bytes()).unwrap();
    // The whole town is in view, so that it matters how long those who come were held up.
    let run = |mut city: City| {
        let everywhere = all_roads(city.map());
        (0..200).map(|frame| cars_on(&mut city, 0.5 * f64::from(frame), &everywhere).to_vec()).collect::<Vec<_>>()
    };
    let city = || City::new(Map::build(&plan).unwrap()).with_cars(30).seed(2);
    let load = || City::load(&store, "some/town.city").map(|city| city.with_cars(30).seed(2));
    let usual = run(city());
    assert_eq!(run(load().unwrap()), usual);
    store.write("some/town.learned", &LearnedTraffic::default().to_bytes()).unwrap();
    let untaught = run(load().unwrap());
    assert_eq!(untaught, run(city().with_learned(LearnedTraffic::default())));
    assert_ne!(untaught, usual);
    assert_eq!(load().unwrap().learned().is_of(&Map::build(&plan).unwrap()), None, "it is not noted");
    let map = std::sync::Arc::new(Map::build(&plan).unwrap());
    let settings = StudySettings { densities: vec![2.0], warm_up: 10.0, measured: 1500.0, ..StudySettings::default() };
    let mut study = Study::new(settings).unwrap();
    while study.run_next(&map, &Progress::none()) == Completion::Finished(true) {}
    let learned = LearnedTraffic::from_bytes(&study.conclude().to_bytes()).unwrap();
    assert_eq!([learned.is_of(&map), learned.is_of(&common::town(5, 2))], [Some(true), Some(false)]);
    assert!(learned.knows(Approach::AllWayStop) && !learned.knows(Approach::Minor));
    store.write("some/town.learned", b"something else").unwrap();
    assert!(load().unwrap_err().explain().contains("learn it again"));
}
