//! Promise: junctions carry what junctions carry. A queue leaves at a green light one car
//! behind the other however wide the junction is, who turns across others waits in the
//! middle for them, and who needs the lane beside its own gets there.
#![allow(clippy::unwrap_used)]

use crate::common::{all_roads, cars_on, overlaps};
use proscenium_city::glam::DVec2;
use proscenium_city::map::{ControlPlan, JunctionPlan, RoadId, RoadPlan, SignalsPlan};
use proscenium_city::trips::{Carriageway, Trip, Trips};
use proscenium_city::{City, Detail, Map, Plan, Settings};

/// A crossing with lights, of roads with so many lanes in each direction, 300 m long. Road
/// 0 comes from the west, 1 from the north, 2 from the east and 3 from the south.
fn crossing(lanes: u8) -> Map {
    let mut plan = Plan::default();
    let lights = ControlPlan::Signals(SignalsPlan::default());
    let middle = plan.junction(JunctionPlan { control: lights, ..JunctionPlan::at(DVec2::ZERO) });
    for end in [(-300.0, 0.0), (0.0, -300.0), (300.0, 0.0), (0.0, 300.0)] {
        let end = plan.junction(JunctionPlan::at(DVec2::from(end)));
        plan.road(RoadPlan::two_way(end, middle, lanes));
    }
    Map::build(&plan).unwrap()
}

/// So many cars each from one road to another, one a second.
fn trips(map: &Map, pairs: &[(u32, u32)], each: u32) -> Trips {
    let way = |from: u32, to: u32| {
        vec![Carriageway { road: RoadId(from), against: false }, Carriageway { road: RoadId(to), against: true }]
    };
    let one = |number: u32, &(from, to): &(u32, u32)| {
        let way = way(from, to);
        Trip { depart: f64::from(number), from: way[0], to: way[1], way }
    };
    let all = (0..each).flat_map(|number| pairs.iter().map(move |pair| one(number, pair)));
    Trips::new(map, all.collect()).unwrap()
}

fn complete(lane_changes: bool) -> Settings {
    Settings { detail: Detail::Complete, lane_changes, ..Settings::default() }
}

#[test]
fn a_queue_leaves_at_green_one_behind_the_other() {
    for lanes in [1, 3] {
        let map = crossing(lanes);
        let mut city = City::new(map.clone()).with_settings(complete(false)).with_trips(trips(&map, &[(0, 2)], 120));
        // Three cycles of a minute, with 25 s of green each: a car every 2.5 s at the least.
        city.advance(180.0).unwrap();
        let to = Carriageway { road: RoadId(2), against: true };
        let passed: u32 = to.lanes(&map).map(|lane| city.entries(lane)).sum();
        assert!(passed >= 30, "{lanes} lanes: {passed}");
    }
}

#[test]
fn who_turns_across_others_waits_in_the_middle() {
    let map = crossing(2);
    let wait = map.paths().filter(|path| map.waiting_place(*path) > 0.0).count();
    assert!(wait >= 4, "every way across others has a place to wait: {wait}");
    // Left from the west, against a stream from the east that never ends.
    let trips = trips(&map, &[(0, 1), (2, 0), (2, 0)], 400);
    let mut city = City::new(map.clone()).with_settings(complete(false)).with_trips(trips);
    let roads = all_roads(&map);
    for frame in 0..6000 {
        let cars = cars_on(&mut city, 0.1 * f64::from(frame), &roads);
        if frame % 5 == 0 {
            assert!(overlaps(cars).is_empty(), "frame {frame}: {:?}", overlaps(cars)[0]);
        }
    }
    // At least the one that waits there goes when the light changes: ten cycles.
    let to = Carriageway { road: RoadId(1), against: true };
    let turned: u32 = to.lanes(&map).map(|lane| city.entries(lane)).sum();
    assert!(turned >= 9, "{turned}");
}

/// Frames that fall on whole seconds are as good as others, also late in the day.
#[test]
fn lanes_are_changed_whatever_the_frames() {
    let map = crossing(2);
    let counts = [1.0, 0.1].map(|frame: f64| {
        // They begin in the right lane and turn left.
        let trips = trips(&map, &[(0, 1), (0, 2), (0, 3)], 100);
        let mut city = City::new(map.clone()).with_settings(complete(true)).with_trips(trips);
        for number in 0..(400.0 / frame) as u32 {
            city.advance(f64::from(number) * frame).unwrap();
        }
        let counts = city.trip_counts();
        assert!(counts.arrived > 100, "{counts:?}");
        city.lane_changes()
    });
    assert!(counts[0] > 0 && counts[1] > 0, "{counts:?}");
}
