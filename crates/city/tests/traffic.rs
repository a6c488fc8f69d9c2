//! Promise: the complete model keeps its invariants over long runs. No car
//! overlaps another, one car at a time is in an all-way stop, and no car is
//! lost.

mod common;

use common::{all_roads, overlaps, town};
use proscenium_city::{City, Detail, Settings, Vehicle};

fn complete() -> Settings {
    Settings { detail: Detail::Complete, ..Settings::default() }
}

#[test]
fn no_car_overlaps_another() {
    let map = town(6, 1);
    let roads = all_roads(&map);
    let mut city = City::new(map).with_cars(120).seed(3).with_settings(complete());
    let vehicle = Vehicle::default();
    for frame in 0..12_000_u32 {
        let cars = city.advance_roads(0.1 * f64::from(frame), &roads).unwrap();
        if frame % 5 == 0 {
            let found = overlaps(cars, &vehicle);
            assert!(found.is_empty(), "frame {frame}: {:?}", found[0]);
        }
        if frame > 3000 {
            assert_eq!(cars.len(), 120, "frame {frame}");
        }
    }
    assert!(city.gridlocks().is_empty());
}
