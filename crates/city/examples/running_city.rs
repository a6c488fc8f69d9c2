//! A city in an engine: cars with trips, what happens in view, and what can be told to
//! do otherwise.
//!
//! ```console
//! $ cargo run --release -p proscenium-city --example running_city
//! ```
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use proscenium_city::trips::{Carriageway, Trips};
use proscenium_city::{City, CityEvent, Map, Recipe, Seed};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let map = Arc::new(Map::build(&Recipe::with_roads(300).generate(Seed(7))?)?);
    // 800 trips an hour, from anywhere to anywhere; a matrix or SUMO's routes do as well.
    let trips = Trips::drawn(&map, Seed(1), 800.0, 1200.0)?;
    let mut city = City::new(Arc::clone(&map)).with_trips(trips);
    let in_view: Vec<_> = map.roads().take(12).collect();
    city.look_at(&in_view)?;

    let (mut came, mut stopped, mut turned) = (0, 0, 0);
    for frame in 0..6000 {
        city.advance(0.1 * f64::from(frame))?;
        for event in city.events() {
            match event {
                CityEvent::CameIntoView(_) => came += 1,
                CityEvent::Stopped(_) => stopped += 1,
                CityEvent::Turned(..) => turned += 1,
                CityEvent::LeftView(_) | CityEvent::Started(_) => {}
            }
        }
    }
    println!("in ten minutes {came} cars came into view, {stopped} times one stopped, {turned} times one turned");

    // A road is closed, a car is added and sent somewhere, and another waits.
    city.close_road(in_view[3], true)?;
    let ours = city.add_car(Carriageway { road: in_view[0], against: false })?;
    city.route_car(ours, Carriageway { road: in_view[8], against: false })?;
    if let Some(other) = city.visible().iter().map(|car| car.id).find(|car| *car != ours) {
        city.hold_car(other, true)?;
    }
    for frame in 6000..6600 {
        city.advance(0.1 * f64::from(frame))?;
    }

    // Saved and loaded it goes on as if nothing had happened.
    let mut again = City::from_running(Arc::clone(&map), &city.to_running())?;
    for frame in 6600..12_000 {
        let now = 0.1 * f64::from(frame);
        assert_eq!(again.advance(now)?, city.advance(now)?);
    }
    let counts = city.trip_counts();
    println!("of {} trips {} have begun and {} have ended", counts.demanded, counts.inserted, counts.arrived);
    Ok(())
}
