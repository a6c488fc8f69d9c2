//! The first moment of a city: algorithm 6.2.

use std::sync::Arc;

use proscenium_work::{Halt, Progress, Stopped};

use super::{City, CityWork, Detail, State, baseline::Baseline, demand::Demand};
use crate::culling::{Pools, TrackedCars, Ways, meet};
use crate::driving::Vehicle;
use crate::error::CityError;
use crate::learn::Expectations;
use crate::map::{Map, PathId};
use crate::traffic::{DriverErrors, Traffic};
use crate::trips::Journeys;
use crate::wander::{CarId, Draws, Wander};

pub(super) fn start(city: &City, progress: &Progress) -> Result<State, Halt<CityError>> {
    let (map, vehicle) = (&city.map, Vehicle::default());
    check(city)?;
    let draws = Draws::new(city.seed, city.settings.wander).with_errors(city.settings.errors);
    let draws = draws.with_spread(city.settings.drivers);
    let (planning, expected) = (progress.part(0.0, 0.2), progress.part(0.2, 0.7));
    // Cars that nobody sees do not change lanes, so that no plan of theirs may rest on it.
    let changes = city.settings.lane_changes && city.settings.detail == Detail::Complete;
    let draws = match (&city.trips, city.settings.wander) {
        (Some(trips), _) => draws.with_journeys(Journeys::of_trips(map, trips, changes, &planning)?),
        (None, Wander::Planned) => draws.with_journeys(Journeys::drawn(map, city.seed, changes, &planning)?),
        (None, _) => draws,
    };
    let demand = city.trips.as_ref().map(Demand::new);
    // With trips there are as many cars as are under way at a time.
    let cars = match &draws.journeys {
        Some(journeys) if journeys.are_trips() => {
            let (_, seconds) = journeys.travelled(map, &planning)?;
            (seconds / demand.as_ref().map_or(1.0, Demand::duration)) as u32
        }
        _ => city.cars,
    };
    let expectations = Expectations::new(map, &vehicle, &draws, &city.learned, f64::from(cars), &|_| true, &expected)?;
    let expectations = Arc::new(expectations);
    let mut traffic = Traffic::new(Arc::clone(map), draws);
    traffic.expectations = Some(Arc::clone(&expectations));
    traffic.changes_lanes = city.settings.lane_changes;
    let mut tracked = TrackedCars::new(map);
    tracked.settings = city.settings.bounds;
    progress.tell("dividing the cars", 0.7)?;
    let dividing = progress.part(0.7, 1.0);
    let mut pools = None;
    match city.settings.detail {
        // All cars come by their trips.
        _ if city.trips.is_some() => {}
        Detail::Pooled => pools = Some(Pools::new(map, &expectations, cars, city.seed, &dividing)?),
        Detail::Complete | Detail::Tracked => {
            let nowhere = |_| false;
            let ways = Ways {
                map,
                vehicle: &vehicle,
                draws: &traffic.draws,
                expectations: &expectations,
                is_active: &nowhere,
            };
            sample_locations(city, &ways, &mut tracked, &dividing)?;
        }
        Detail::SpawnedBaseline => {}
    }
    Ok(State {
        traffic,
        tracked,
        pools,
        expectations,
        seed: city.seed,
        settings: city.settings,
        in_view: Vec::new(),
        marks: vec![0; map.road_count()],
        view_lanes: Vec::new(),
        edge_lanes: Vec::new(),
        margin: Vec::new(),
        wanted: vec![f64::NEG_INFINITY; map.road_count()],
        recheck: f64::NEG_INFINITY,
        shown: Vec::new(),
        followed: std::collections::BTreeSet::new(),
        gridlocks: Vec::new(),
        settled: 0.0,
        work: CityWork::default(),
        baseline: Baseline::default(),
        demand,
        own_car: None,
        own_slot: None,
        made: 0,
        wishes: super::wishes::Wishes::default(),
    })
}

/// Refuses what cannot be run.
fn check(city: &City) -> Result<(), CityError> {
    let wrong = |what, value, remedy| Err(CityError::Number { what, value, remedy });
    let settings = &city.settings;
    if !(settings.step > 0.0 && settings.step <= 1.0) {
        return wrong("the step", settings.step, "give seconds, above 0 and up to 1");
    }
    if !(settings.linger >= 0.0 && settings.forget >= 0.0) {
        return wrong(
            "a time to linger or to forget",
            settings.linger.min(settings.forget),
            "give seconds, not below 0",
        );
    }
    if !(settings.bounds.certainty > 0.5 && settings.bounds.certainty <= 1.0) {
        return wrong("the certainty of bounds", settings.bounds.certainty, "give a share above 0.5 and up to 1");
    }
    if !settings.errors.is_sound() {
        let DriverErrors { late_brake, red_light, short_gap } = settings.errors;
        return wrong(
            "a rate of drivers' errors",
            late_brake.max(red_light).max(short_gap),
            "give shares from 0 to 1 whose sum is at most 1",
        );
    }
    if let Some((what, value, remedy)) = settings.drivers.wrong() {
        return wrong(what, value, remedy);
    }
    let most = most_cars(&city.map);
    if u64::from(city.cars) > most {
        return Err(CityError::TooManyCars { cars: u64::from(city.cars), most });
    }
    Ok(())
}

/// How many cars fit on a map, about.
pub(super) fn most_cars(map: &Map) -> u64 {
    let metres: f64 = map.lanes().map(|lane| map.lane(lane).length).sum();
    (metres / Vehicle::default().spacing()) as u64
}

/// Every car is somewhere (B.3.5): on a path by the time that cars spend on it,
/// at a moment of a time that is length-biased.
fn sample_locations(city: &City, ways: &Ways, tracked: &mut TrackedCars, progress: &Progress) -> Result<(), Stopped> {
    let mut total = 0.0;
    let sums: Vec<f64> = ways
        .map
        .paths()
        .map(|path| {
            progress.check()?;
            total += ways.expectations.cars_on(ways.map, ways.vehicle, path);
            Ok(total)
        })
        .collect::<Result<_, Stopped>>()?;
    let places = city.seed.stream("start");
    let divided = progress.counter("dividing the cars", city.cars as usize);
    for id in 0..city.cars {
        divided.count()?;
        let mut stream = places.at(u64::from(id));
        let wanted = total * stream.uniform();
        let chosen = sums.partition_point(|sum| *sum < wanted).min(sums.len() - 1);
        let (car, leaves) = meet(CarId(id), PathId(chosen as u32), 0.0, ways, &mut stream);
        tracked.add(car, leaves, ways);
    }
    Ok(())
}
