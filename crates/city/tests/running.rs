//! Promise: what happens in view is told; cars and roads can be told what to do; and a
//! city that was saved goes on as if it had not been.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::common::{all_roads, cars_on, overlaps, town};
use proscenium_chance::Seed;
use proscenium_city::map::{RoadId, Turn};
use proscenium_city::trips::{Carriageway, Trips};
use proscenium_city::{CarId, City, CityError, CityEvent, Detail, Settings, Wander};

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
