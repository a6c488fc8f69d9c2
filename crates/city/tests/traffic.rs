//! Promise: the complete model keeps its invariants over long runs. No car
//! overlaps another, one car at a time is in an all-way stop, and no car is
//! lost.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::{all_roads, cars_on, overlaps, town};
use proscenium_city::driving::Vehicle;
use proscenium_city::glam::DVec2;
use proscenium_city::learn::StudySettings;
use proscenium_city::map::{ControlPlan, JunctionPlan, RoadPlan};
use proscenium_city::{City, Courtesies, Detail, Map, Plan, Settings, Study};
use proscenium_work::{Completion, Progress};

fn complete() -> Settings {
    Settings { detail: Detail::Complete, ..Settings::default() }
}

#[test]
fn no_car_overlaps_another() {
    let map = town(6, 1);
    let roads = all_roads(&map);
    let mut city = City::new(map).with_cars(120).seed(3).with_settings(complete());
    for frame in 0..12_000_u32 {
        let cars = cars_on(&mut city, 0.1 * f64::from(frame), &roads);
        if frame % 5 == 0 {
            let found = overlaps(cars);
            assert!(found.is_empty(), "frame {frame}: {:?}", found[0]);
        }
        if frame > 3000 {
            assert_eq!(cars.len(), 120, "frame {frame}");
        }
    }
    assert!(city.gridlocks().is_empty());
}

/// Three one-way streets in a ring.
fn ring(control: &ControlPlan) -> Map {
    let mut plan = Plan::default();
    let corners: Vec<u32> = [(0.0, 0.0), (90.0, 0.0), (45.0, 80.0)]
        .into_iter()
        .map(|(x, y)| plan.junction(JunctionPlan { control: control.clone(), ..JunctionPlan::at(DVec2::new(x, y)) }))
        .collect();
    for (from, to) in [(0, 1), (1, 2), (2, 0)] {
        plan.road(RoadPlan::one_way(corners[from], corners[to], 1));
    }
    Map::build(&plan).unwrap()
}

#[test]
fn cars_that_wait_for_each_other_in_a_circle_go_round_together() {
    // Where all stop they must; where one road goes on as another they never stand for long.
    for (control, waits) in [(ControlPlan::AllWayStop, true), (ControlPlan::Automatic, false)] {
        let map = ring(&control);
        let roads = all_roads(&map);
        let metres: f64 = map.lanes().map(|lane| map.lane(lane).length).sum();
        let full = (metres / Vehicle::default().spacing()) as u32;
        for detail in [Detail::Complete, Detail::Tracked] {
            let settings = Settings { detail, ..Settings::default() };
            let mut city = City::new(map.clone()).with_cars(full).seed(1).with_settings(settings);
            let mut moved = std::collections::BTreeMap::new();
            for frame in 0..6000 {
                let cars = cars_on(&mut city, 0.1 * f64::from(frame), &roads);
                assert!(overlaps(cars).is_empty(), "{control:?} {detail:?} at {frame}");
                for car in cars {
                    *moved.entry(car.id).or_insert(0.0) += 0.1 * car.speed;
                }
            }
            assert!(city.courtesies().circles > 0 || !waits, "{control:?} {detail:?}");
            assert!(moved.values().all(|metres| *metres > 20.0), "{control:?} {detail:?}: {moved:?}");
        }
    }
    let map = ring(&ControlPlan::Automatic);
    let roads = all_roads(&map);
    // A few cars go round and round.
    let mut city = City::new(map.clone()).with_cars(6).seed(1).with_settings(complete());
    for frame in 0..3000 {
        cars_on(&mut city, 0.1 * f64::from(frame), &roads);
    }
    assert!(city.gridlocks().is_empty());
    assert_eq!(city.courtesies(), Courtesies::default());
}

#[test]
fn a_study_goes_on_where_it_stopped() {
    let map = std::sync::Arc::new(town(4, 1));
    let settings =
        StudySettings { densities: vec![2.0, 4.0, 60.0], warm_up: 30.0, measured: 200.0, ..StudySettings::default() };
    let mut whole = Study::new(settings.clone()).unwrap();
    let on = Completion::Finished(true);
    while whole.run_next(&map, &Progress::none()) == on {}
    let mut parts = Study::new(settings).unwrap();
    assert_eq!(parts.run_next(&map, &Progress::none()), on);
    // Stopped within the second run, kept as a file, and read again.
    assert_eq!(parts.run_next(&map, &Progress::stopping_at(2000)), Completion::Stopped);
    assert_eq!((parts.runs_done(), parts.runs()), (1, 3));
    let mut parts = Study::from_bytes(&parts.to_bytes()).unwrap();
    while parts.run_next(&map, &Progress::none()) == on {}
    assert_eq!(parts, whole);
    let learned = whole.conclude();
    assert!(learned.traversals() > 100);
    assert_eq!(learned.gridlocked(), [60.0], "nothing is learned from a jam");
    assert!(Study::from_bytes(b"PROSSTDY").is_err());
}
