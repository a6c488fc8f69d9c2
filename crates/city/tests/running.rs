//! Promise: what happens in view is told; cars and roads can be told what to do; and a
//! city that was saved goes on as if it had not been.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::common::{all_roads, cars_on, overlaps, town};
use proscenium_chance::Seed;
use proscenium_city::map::{RoadId, Turn};
use proscenium_city::trips::{Carriageway, Trips};
use proscenium_city::{CarId, City, CityError, CityEvent, Detail, DriverSpread, Settings, Wander};

/// Every event is true of the two frames around it, and nothing else changed.
#[test]
fn events_tell_all_that_changed_in_view() {
    let map = town(5, 3);
    let mut city = City::new(map.clone()).with_cars(60).seed(2);
    let mut seen: BTreeSet<CarId> = BTreeSet::new();
    let (mut turns, mut stops) = (0, 0);
    for frame in 0..3000_u32 {
        let road = RoadId(frame / 500);
        let now: BTreeSet<CarId> =
            cars_on(&mut city, 0.1 * f64::from(frame), &[road]).iter().map(|car| car.id).collect();
        let mut told = seen.clone();
        for event in city.events() {
            match event {
                CityEvent::CameIntoView(car) => assert!(told.insert(car)),
                CityEvent::LeftView(car) => assert!(told.remove(&car)),
                CityEvent::Stopped(car) | CityEvent::Started(car) => {
                    assert!(now.contains(&car));
                    stops += 1;
                }
                CityEvent::Turned(car, turn) => {
                    assert!(now.contains(&car) && turn != Turn::Straight);
                    turns += 1;
                }
            }
        }
        assert_eq!(told, now, "frame {frame}");
        seen = now;
    }
    assert!(turns > 5 && stops > 20, "{turns} turns, {stops} stops");
}

#[test]
fn cars_are_added_held_sent_and_taken_away() {
    let map = town(4, 3);
    let settings = Settings { detail: Detail::Complete, ..Settings::default() };
    let mut city = City::new(map.clone()).with_cars(20).seed(2).with_settings(settings);
    let (start, goal) =
        (Carriageway { road: RoadId(0), against: false }, Carriageway { road: RoadId(15), against: true });
    cars_on(&mut city, 1.0, &all_roads(&map));
    let car = city.add_car(start).unwrap();
    assert!(matches!(city.add_car(start), Err(CityError::NoRoom { .. })), "one stands there");
    city.route_car(car, goal).unwrap();
    let (mut came, mut stood) = (false, 0.0_f64);
    for frame in 0..6000_u32 {
        let now = 1.0 + 0.1 * f64::from(frame);
        city.hold_car(car, (100..400).contains(&frame)).unwrap();
        let cars = cars_on(&mut city, now, &all_roads(&map));
        assert!(overlaps(cars).is_empty(), "frame {frame}");
        let known = cars.iter().find(|known| known.id == car).unwrap();
        came |= Carriageway::of(&map, map.path(known.path).to) == goal;
        if (200..400).contains(&frame) {
            stood = stood.max(known.speed);
        }
    }
    assert!(came, "it came where it was sent");
    assert_eq!(stood, 0.0, "it was held");
    city.remove_car(car).unwrap();
    assert!(matches!(city.remove_car(car), Err(CityError::UnknownCar { .. })));
    assert!(cars_on(&mut city, 700.0, &all_roads(&map)).iter().all(|known| known.id != car));
    assert!(city.add_car(Carriageway { road: RoadId(9999), against: false }).is_err());
}

#[test]
fn nobody_enters_a_closed_road_who_has_another_way() {
    let map = town(5, 3);
    let road = map.roads().find(|road| map.roads_at(map.road(*road).from).len() > 3).unwrap();
    for wander in [Wander::Random, Wander::Planned] {
        let settings = Settings { detail: Detail::Complete, wander, ..Settings::default() };
        let mut city = City::new(map.clone()).with_cars(60).seed(2).with_settings(settings);
        cars_on(&mut city, 10.0, &all_roads(&map));
        city.close_road(road, true).unwrap();
        let mut on_it = 0;
        for frame in 0..3000_u32 {
            let cars = cars_on(&mut city, 10.0 + 0.1 * f64::from(frame), &all_roads(&map));
            if frame > 1500 {
                on_it += cars.iter().filter(|car| map.road_of(car.path) == road).count();
            }
        }
        assert_eq!(on_it, 0, "{wander:?}");
        city.close_road(road, false).unwrap();
        let mut on_it = 0;
        for frame in 0..6000_u32 {
            let cars = cars_on(&mut city, 310.0 + 0.1 * f64::from(frame), &all_roads(&map));
            on_it += cars.iter().filter(|car| map.road_of(car.path) == road).count();
        }
        assert!(on_it > 0, "{wander:?}: it is open again");
    }
}

#[test]
fn a_city_that_was_saved_goes_on_bit_by_bit() {
    let map = Arc::new(town(5, 3));
    let settings = |detail, wander| Settings { detail, wander, lane_changes: true, ..Settings::default() };
    let cities = [
        City::new(Arc::clone(&map)).with_cars(80).with_settings(settings(Detail::Complete, Wander::Random)),
        City::new(Arc::clone(&map)).with_cars(80).with_settings(settings(Detail::Tracked, Wander::Planned)),
        City::new(Arc::clone(&map)).with_cars(80).with_settings(settings(Detail::Pooled, Wander::Random)),
        City::new(Arc::clone(&map)).with_trips(Trips::drawn(&map, Seed(4), 500.0, 600.0).unwrap()),
    ];
    for mut city in cities {
        let roads: Vec<RoadId> = map.roads().take(4).collect();
        for frame in 0..1500_u32 {
            cars_on(&mut city, 0.1 * f64::from(frame), &roads);
        }
        city.close_road(RoadId(2), true).unwrap();
        let bytes = city.to_running();
        let mut again = City::from_running(Arc::clone(&map), &bytes).unwrap();
        assert!(again.to_running() == bytes);
        for frame in 1500..3000_u32 {
            let now = 0.1 * f64::from(frame);
            let roads: Vec<RoadId> = map.roads().skip(frame as usize / 500).take(4).collect();
            assert_eq!(cars_on(&mut city, now, &roads).to_vec(), cars_on(&mut again, now, &roads), "{now} s");
        }
        assert!(again.to_running() == city.to_running());
        for end in [0, 10, bytes.len() / 2, bytes.len() - 1] {
            assert!(City::from_running(Arc::clone(&map), &bytes[..end]).is_err());
        }
        assert!(matches!(City::from_running(town(4, 4), &bytes), Err(CityError::OtherMap)));
    }
}

/// Others come and go where nobody looks, whatever is done for those that nobody sees, and
/// whoever was in view stays.
#[test]
fn the_number_of_cars_changes_without_a_new_start() {
    let map = town(6, 3);
    let roads: Vec<RoadId> = map.roads().take(6).collect();
    for detail in [Detail::Complete, Detail::Tracked, Detail::Pooled] {
        let settings = Settings { detail, ..Settings::default() };
        let mut city = City::new(map.clone()).with_cars(60).seed(2).with_settings(settings);
        let mut now = 0.0;
        for cars in [60, 150, 20, 90] {
            let before: BTreeSet<CarId> = city.visible().iter().map(|car| car.id).collect();
            assert_eq!(city.set_cars(cars).unwrap(), cars, "{detail:?}");
            let after: BTreeSet<CarId> = cars_on(&mut city, now, &roads).iter().map(|car| car.id).collect();
            assert!(before.is_subset(&after), "{detail:?}: nobody in view goes");
            for _ in 0..600 {
                now += 0.1;
                assert!(overlaps(cars_on(&mut city, now, &roads)).is_empty(), "{detail:?} at {now}");
            }
            assert_eq!(city.counts().iter().sum::<u64>(), u64::from(cars), "{detail:?}");
        }
        assert!(matches!(city.set_cars(1_000_000), Err(CityError::TooManyCars { .. })));
    }
    let trips = Trips::drawn(&map, Seed(1), 60.0, 60.0).unwrap();
    assert!(matches!(City::new(map).with_trips(trips).set_cars(3), Err(CityError::Number { .. })));
}

/// Nobody is faster than the limit, some are slower, those who keep more do, and no bodies
/// overlap.
#[test]
fn drivers_differ_by_as_much_as_they_are_told() {
    let map = town(4, 3);
    let roads = all_roads(&map);
    let drive = |drivers: DriverSpread| {
        let settings = Settings { detail: Detail::Complete, drivers, ..Settings::default() };
        let mut city = City::new(map.clone()).with_cars(50).seed(2).with_settings(settings);
        let mut fastest = std::collections::BTreeMap::new();
        for frame in 0..3000_u32 {
            let cars = cars_on(&mut city, 0.1 * f64::from(frame), &roads);
            assert!(frame % 5 > 0 || overlaps(cars).is_empty(), "frame {frame}");
            for car in cars {
                let known: &mut f64 = fastest.entry(car.id).or_insert(0.0);
                *known = known.max(car.speed);
            }
        }
        fastest.into_values().collect::<Vec<f64>>()
    };
    let limit = 50.0 / 3.6;
    let alike = drive(DriverSpread::default());
    assert!(alike.iter().filter(|speed| **speed > 0.97 * limit).count() > 10);
    let differ = drive(DriverSpread { speed: 0.3, headway: 1.5, patience: 0.5 });
    assert!(differ.iter().all(|speed| *speed <= limit + 1e-9));
    let slow = differ.iter().filter(|speed| **speed < 0.85 * limit).count();
    assert!(slow > alike.iter().filter(|speed| **speed < 0.85 * limit).count() + 5, "{slow} are slow");
    let wrong = Settings { drivers: DriverSpread { speed: 0.9, ..DriverSpread::default() }, ..Settings::default() };
    assert!(City::new(map.clone()).with_cars(5).with_settings(wrong).start().is_err());
}

/// Who is taken away while it changes lanes leaves nothing behind on the lane that it left.
#[test]
fn who_is_taken_away_leaves_no_shadow() {
    use proscenium_city::map::{JunctionPlan, RoadPlan};
    use proscenium_city::trips::Trip;
    use proscenium_city::{Map, Plan, glam::DVec2};
    let mut plan = Plan::default();
    let middle = plan.junction(JunctionPlan::at(DVec2::ZERO));
    for end in [(-300.0, 0.0), (0.0, -300.0), (300.0, 0.0), (0.0, 300.0)] {
        let end = plan.junction(JunctionPlan::at(DVec2::from(end)));
        plan.road(RoadPlan::two_way(end, middle, 2));
    }
    let map = Map::build(&plan).unwrap();
    let trip = |number: u32| {
        let to = [1, 2, 3][number as usize % 3];
        let way =
            vec![Carriageway { road: RoadId(0), against: false }, Carriageway { road: RoadId(to), against: true }];
        Trip { depart: 2.0 * f64::from(number), from: way[0], to: way[1], way }
    };
    let trips = Trips::new(&map, (0..60).map(trip).collect()).unwrap();
    let settings = Settings { detail: Detail::Complete, lane_changes: true, ..Settings::default() };
    let mut city = City::new(map.clone()).with_settings(settings).with_trips(trips);
    let (mut lanes, mut taken) = (std::collections::BTreeMap::new(), 0);
    for frame in 0..9000_u32 {
        let cars = cars_on(&mut city, 0.1 * f64::from(frame), &all_roads(&map)).to_vec();
        for car in cars {
            let lane = map.path(car.path).to;
            let before = lanes.insert(car.id, lane).filter(|before| *before != lane);
            let changes = before.is_some_and(|before| map.lane(before).road == map.lane(lane).road);
            if changes && taken < 5 {
                city.remove_car(car.id).unwrap();
                taken += 1;
            }
        }
    }
    assert!(taken > 0, "somebody changes lanes");
    let counts = city.trip_counts();
    assert_eq!((counts.inserted, counts.arrived), (60, 60 - taken), "{counts:?}");
}
