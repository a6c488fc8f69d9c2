//! Promise: cars with trips come where they want by the quickest way, plan again when
//! it jams, and follow the same way whether they are seen or not.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use crate::common::{all_roads, cars_on, overlaps, town, town_plan};
use proscenium_chance::Seed;
use proscenium_city::driving::Vehicle;
use proscenium_city::map::{LaneId, RoadId};
use proscenium_city::trips::{Carriageway, Trip, TripError, Trips};
use proscenium_city::{CarId, City, Detail, Map, Settings, Wander, import};
use proscenium_work::Remedy;

fn complete() -> Settings {
    Settings { detail: Detail::Complete, ..Settings::default() }
}

fn carriageway(road: u32, against: bool) -> Carriageway {
    Carriageway { road: RoadId(road), against }
}

#[test]
fn every_trip_ends_where_it_should() {
    let map = town(5, 3);
    let trips = Trips::drawn(&map, Seed(4), 600.0, 900.0).unwrap();
    let goals: Vec<Carriageway> = trips.iter().map(|trip| trip.to).collect();
    let mut city = City::new(map.clone()).with_settings(complete()).with_trips(trips);
    let mut last: BTreeMap<CarId, LaneId> = BTreeMap::new();
    for frame in 0..16_000 {
        let cars = cars_on(&mut city, 0.1 * f64::from(frame), &all_roads(&map));
        assert!(overlaps(cars).is_empty(), "frame {frame}: {:?}", overlaps(cars)[0]);
        last.extend(cars.iter().map(|car| (car.id, map.path(car.path).to)));
    }
    let counts = city.trip_counts();
    assert_eq!(counts.demanded as usize, goals.len());
    assert_eq!((counts.inserted, counts.arrived, counts.impossible), (counts.demanded, counts.demanded, 0));
    for arrival in city.arrivals() {
        assert!(arrival.arrived > arrival.departed);
        assert_eq!(Carriageway::of(&map, last[&CarId(arrival.trip)]), goals[arrival.trip as usize]);
    }
}

/// One car alone takes the way that a search over all ways (Bellman and Ford, the
/// slow and obvious one) finds: none is quicker by more than the plan's seconds for
/// stops.
#[test]
fn the_planned_way_is_the_quickest() {
    let map = town(5, 8);
    let vehicle = Vehicle::default();
    let (from, to) = (carriageway(0, false), carriageway(30, false));
    let seconds = |path| {
        let [crossing, lane] = vehicle.limits(&map, path);
        f64::from(map.path(path).crossing) / crossing + map.lane(map.path(path).to).length / lane
    };
    let stop = 6.0;
    let mut best = vec![f64::INFINITY; map.lane_count()];
    for lane in to.lanes(&map) {
        best[lane.index()] = 0.0;
    }
    for _ in 0..map.lane_count() {
        for path in map.paths() {
            let is_stop = map.junction(map.start_of(path)).control == proscenium_city::map::Control::AllWayStop;
            let total = seconds(path) + best[map.path(path).to.index()] + if is_stop { stop } else { 0.0 };
            let known = &mut best[map.path(path).from.index()];
            *known = known.min(total);
        }
    }
    let least = from.lanes(&map).map(|lane| best[lane.index()]).fold(f64::INFINITY, f64::min);
    let trip = Trip { depart: 0.0, from, to, way: Vec::new() };
    let trips = Trips::new(&map, vec![trip]).unwrap();
    let mut city = City::new(map.clone()).with_settings(complete()).with_trips(trips);
    let (mut taken, mut total) = (None, 0.0);
    for frame in 0..6000 {
        for car in cars_on(&mut city, 0.1 * f64::from(frame), &all_roads(&map)) {
            if taken.is_some_and(|taken| taken != car.path) {
                let is_stop = map.junction(map.start_of(car.path)).control == proscenium_city::map::Control::AllWayStop;
                total += seconds(car.path) + if is_stop { stop } else { 0.0 };
            }
            taken = Some(car.path);
        }
    }
    assert_eq!(city.arrivals().len(), 1);
    assert!((total - least).abs() < 1e-3 * least, "{total} s where {least} s are possible");
}

/// A way that is told is followed, though there are quicker ones.
#[test]
fn a_way_that_is_told_is_followed() {
    let map = town(4, 5);
    let mut way = vec![carriageway(0, false)];
    let mut lane = way[0].lanes(&map).next().unwrap();
    let mut stream = Seed(3).stream("way");
    while way.len() < 9 {
        let onward: Vec<LaneId> = map.paths_from(lane).map(|path| map.path(path).to).collect();
        let next = onward[stream.below(onward.len() as u64) as usize];
        if !way.contains(&Carriageway::of(&map, next)) {
            lane = next;
            way.push(Carriageway::of(&map, lane));
        } else if onward.iter().all(|next| way.contains(&Carriageway::of(&map, *next))) {
            break;
        }
    }
    let trip = Trip { depart: 1.0, from: way[0], to: way[way.len() - 1], way: way.clone() };
    let trips = Trips::new(&map, vec![trip]).unwrap();
    let mut city = City::new(map.clone()).with_settings(complete()).with_trips(trips);
    let mut taken = Vec::new();
    for frame in 0..6000 {
        for car in cars_on(&mut city, 0.1 * f64::from(frame), &all_roads(&map)) {
            taken.push(Carriageway::of(&map, map.path(car.path).to));
        }
    }
    taken.dedup();
    assert_eq!(taken, way);
}

/// Nobody looks, or everybody does: the same cars come to the same places, and take
/// about as long.
#[test]
fn unseen_trips_end_too() {
    let map = town(5, 3);
    let mut means = Vec::new();
    for detail in [Detail::Complete, Detail::Tracked, Detail::Pooled] {
        let trips = Trips::drawn(&map, Seed(4), 300.0, 1800.0).unwrap();
        let count = trips.len();
        let settings = Settings { detail, ..Settings::default() };
        let mut city = City::new(map.clone()).with_settings(settings).with_trips(trips);
        for second in 0..3000 {
            cars_on(&mut city, f64::from(second), &[RoadId(3)]);
        }
        assert_eq!(city.arrivals().len(), count, "{detail:?}");
        let seconds: f64 = city.arrivals().iter().map(|arrival| arrival.arrived - arrival.departed).sum();
        means.push(seconds / count as f64);
    }
    for mean in &means {
        assert!((mean / means[0] - 1.0).abs() < 0.1, "{means:?}");
    }
}

#[test]
fn cars_go_from_place_to_place_for_ever() {
    let map = town(5, 3);
    for detail in [Detail::Complete, Detail::Tracked, Detail::Pooled] {
        let settings = Settings { detail, wander: Wander::Planned, ..Settings::default() };
        let mut city = City::new(map.clone()).with_cars(30).with_settings(settings);
        let mut moved = 0.0;
        for frame in 0..3000 {
            let cars = cars_on(&mut city, 0.1 * f64::from(frame), &all_roads(&map));
            assert!(overlaps(cars).is_empty(), "{detail:?} frame {frame}");
            moved += cars.iter().map(|car| 0.1 * car.speed).sum::<f64>();
        }
        assert!(moved > 30.0 * 300.0, "{detail:?}: {moved} m");
    }
}

#[test]
fn matrices_and_routes_of_sumo_are_read() {
    let (plan, map) = (town_plan(4, 5), town(4, 5));
    let csv = "from,to,trips\n0,9,12\n-3,7,2.5\n\n";
    let trips = Trips::from_matrix(&map, &plan, csv, 600.0, Seed(1)).unwrap();
    assert!((14..=15).contains(&trips.len()));
    assert!(trips.iter().all(|trip| (0.0..600.0).contains(&trip.depart)));
    assert_eq!(trips.iter().filter(|trip| trip.from == carriageway(3, true)).count() + 12, trips.len());
    for (csv, reason) in [
        ("0,9", "row 1: it has 2 cells"),
        ("0,9,many", "\"many\" is no number"),
        ("from,to,trips\n0,99999,1", "row 2: there is no road \"99999\""),
        ("0,9,-1", "not between 0"),
    ] {
        let refused = Trips::from_matrix(&map, &plan, csv, 600.0, Seed(1)).unwrap_err();
        assert!(refused.to_string().contains(reason), "{refused}");
        assert!(refused.remedy().is_some());
    }
    let imported = import::read(include_bytes!("data/cologne8.net.xml")).unwrap();
    let map = Map::build(&imported.plan).unwrap();
    let named: Vec<&str> = imported.plan.roads.iter().map(|road| &*road.ids[0]).filter(|id| !id.is_empty()).collect();
    let (one, two) = (named[0], named[named.len() / 2]);
    let text = format!(
        "<routes><vType id=\"car\"/><route id=\"r\" edges=\"{one} {two}\"/>\
         <trip id=\"0\" depart=\"3\" from=\"{one}\" to=\"{two}\"/>\
         <vehicle id=\"1\" depart=\"1.5\"><route edges=\"{one} gone {two}\"/></vehicle>\
         <vehicle id=\"2\" depart=\"2\" route=\"r\"/>\
         <flow id=\"3\" begin=\"0\" end=\"100\" number=\"5\" from=\"{one}\" to=\"{two}\"/>\
         <trip id=\"4\" depart=\"3\" from=\"nowhere\" to=\"{two}\"/>\
         <trip id=\"5\" depart=\"triggered\" from=\"{one}\" to=\"{two}\"/></routes>"
    );
    let (trips, report) = Trips::from_sumo(&map, &imported.plan, &text).unwrap();
    assert_eq!((trips.len(), report.read, report.left_out, report.with_gaps), (8, 10, 2, 1));
    assert_eq!(
        trips.iter().map(|trip| trip.depart).collect::<Vec<f64>>(),
        [0.0, 1.5, 2.0, 3.0, 20.0, 40.0, 60.0, 80.0]
    );
    assert!(matches!(Trips::from_sumo(&map, &imported.plan, "<routes><trip"), Err(TripError::Xml(_))));
}
