//! Promise: what is wished for is understood, comes true where it can, and is told why not
//! where it cannot; nothing that was seen changes for it, nothing overlaps, and the same
//! seed gives the same bytes. Drivers err at the rates that are told, and never without.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::common::{all_roads, cars_on, overlaps, town, town_plan};
use proscenium_chance::Seed;
use proscenium_city::map::{Control, ControlPlan, Light, PathId, SignalsPlan};
use proscenium_city::{CarId, City, CityError, Detail, Drive, DriverErrors, Map, Settings, Wish, WishError, WishState};
use proscenium_work::Remedy;

/// A town with lights at its larger junctions, a third of a cycle apart.
fn town_with_lights(side: u32, seed: u64) -> Map {
    let mut plan = town_plan(side, seed);
    let mut roads = vec![0; plan.junctions.len()];
    for road in &plan.roads {
        roads[road.from as usize] += 1;
        roads[road.to as usize] += 1;
    }
    for (number, junction) in plan.junctions.iter_mut().enumerate().filter(|(number, _)| roads[*number] > 2) {
        let signals = SignalsPlan { offset: 20.0 * (number % 3) as f64, ..SignalsPlan::default() };
        junction.control = ControlPlan::Signals(signals);
    }
    Map::build(&plan).unwrap()
}

/// Drives through a city with a wish after some seconds; what becomes of it, and what is
/// seen in each frame.
fn drive(city: &mut City, seed: u64, wish: &str, mut see: impl FnMut(&City, f64)) -> WishState {
    let drive = Drive::record(city.map(), Seed(seed), 100.0, 10.0).unwrap();
    for (frame, viewer) in drive.frames().iter().enumerate() {
        let now = 0.1 * frame as f64;
        if frame == 300 {
            city.want(wish.parse().unwrap()).unwrap();
        }
        city.look(&[viewer.eye(1.2, 400.0).unwrap()]);
        city.advance(now).unwrap();
        see(city, now);
    }
    city.wishes().next().unwrap().state
}

#[test]
fn words_that_are_no_wish_say_which_word_and_what_else_there_may_be() {
    let wrong = |words: &str| words.parse::<Wish>().unwrap_err();
    let error = wrong("a car runs the blue light");
    assert!(matches!(error, WishError::Words { place: 5, .. }), "{error}");
    assert!(error.remedy().unwrap().contains("red"), "{error:?}");
    assert!(wrong("a boat comes round the next corner").remedy().unwrap().contains("bus"));
    assert!(matches!(wrong(""), WishError::Words { place: 0, .. }));
    assert!(matches!(wrong("a car runs the red light ahead within 3 hours"), WishError::Words { place: 9, .. }));
    assert!(matches!(wrong("a car runs the red light ahead within 999 s"), WishError::Number { .. }));
    assert!(matches!(wrong("nine cars in a row arrive from the left"), WishError::Number { .. }));
    assert_eq!("a bus comes around the next corner within half a minute".parse::<Wish>().unwrap().within(), 30.0);
    let mut city = City::new(town(4, 1)).with_cars(10);
    assert!(matches!(city.want(Wish::RunsRed { within: f64::NAN }), Err(CityError::Wish(_))));
}

#[test]
fn wishes_come_true_that_seldom_would() {
    let map = Arc::new(town(9, 4));
    let (mut seen, mut expected) = (0, 0.0);
    let tries = 16;
    for seed in 0..tries {
        let mut city = City::new(Arc::clone(&map)).with_cars(140).seed(seed);
        let state = drive(&mut city, seed, "a lorry comes round the next corner", |_, _| ());
        seen += u32::from(matches!(state, WishState::Seen { .. }));
        expected += city.wishes().next().unwrap().chance;
    }
    assert!(expected > 0.0 && f64::from(seen) > 2.0 * expected, "{seen} of {tries}, {expected} by themselves");
    assert!(seen >= 10, "{seen} of {tries}");
}

/// Who does not err is not made to: nobody is recruited, and the reason is told.
#[test]
fn what_drivers_never_do_is_not_made_to_happen() {
    let map = Arc::new(town(7, 4));
    for seed in 0..3 {
        let mut city = City::new(Arc::clone(&map)).with_cars(80).seed(seed);
        let state = drive(&mut city, seed, "an accident is avoided at the next junction", |_, _| ());
        let report = city.wishes().next().unwrap();
        assert!(report.recruits.is_empty());
        let is_told = report.why.as_ref().is_some_and(|why| why.contains("--errors"));
        assert!(is_told || matches!(state, WishState::Seen { .. }), "{report:?}");
    }
}

/// Whoever was seen to indicate a turn takes it, wish or no wish; no body touches another;
/// and no car is lost or made.
#[test]
fn nothing_that_was_seen_is_changed() {
    let map = Arc::new(town_with_lights(8, 5));
    for (number, words) in [
        "a car runs the red light ahead",
        "three cars in a row arrive from the right",
        "the street ahead is empty for ten seconds",
        "an accident is avoided at the next junction",
        "a car cuts in with 5 m to spare",
    ]
    .into_iter()
    .enumerate()
    {
        let settings = Settings { errors: DriverErrors::all(0.01), ..Settings::default() };
        let mut city = City::new(Arc::clone(&map)).with_cars(110).seed(3).with_settings(settings);
        let mut shown: BTreeMap<CarId, (PathId, PathId)> = BTreeMap::new();
        let mut courtesies = 0;
        drive(&mut city, 20 + number as u64, words, |city, now| {
            assert!(overlaps(city.visible()).is_empty(), "{words}: {now} s");
            assert_eq!(city.counts().iter().sum::<u64>(), 110, "{words}: {now} s");
            let other = city.courtesies().other_ways;
            for car in city.visible() {
                let last = shown.insert(car.id, (car.path, car.next));
                let is_changed = last.is_some_and(|(path, next)| path == car.path && next != car.next);
                assert!(!is_changed || other > courtesies, "{words}: {:?} at {now} s", car.id);
            }
            let here: Vec<CarId> = city.visible().iter().map(|car| car.id).collect();
            shown.retain(|car, _| here.contains(car));
            courtesies = other;
        });
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_a_saved_city_keeps_its_wishes() {
    let map = Arc::new(town(8, 3));
    let run = |is_reloaded: bool| {
        let mut city = City::new(Arc::clone(&map)).with_cars(100).seed(5);
        let drive = Drive::record(&map, Seed(2), 60.0, 10.0).unwrap();
        for (frame, viewer) in drive.frames().iter().enumerate() {
            if frame == 200 {
                city.want("a van comes round the next corner".parse().unwrap()).unwrap();
                city.want("two cars in a row arrive from the left".parse().unwrap()).unwrap();
            }
            if frame == 260 && is_reloaded {
                city = City::from_running(Arc::clone(&map), &city.to_running()).unwrap();
            }
            city.look(&[viewer.eye(1.2, 400.0).unwrap()]);
            city.advance(0.1 * frame as f64).unwrap();
        }
        city.to_running()
    };
    let once = run(false);
    assert!(once == run(false), "the same bytes");
    assert!(once == run(true), "it goes on as if it had not been saved");
}

#[test]
fn what_cannot_be_is_told_with_the_reason() {
    let why = |city: &mut City, words: &str| {
        city.want(words.parse().unwrap()).unwrap();
        let drive = Drive::record(city.map(), Seed(1), 2.0, 10.0).unwrap();
        for (frame, viewer) in drive.frames().iter().enumerate() {
            city.look(&[viewer.eye(1.2, 400.0).unwrap()]);
            city.advance(0.1 * frame as f64).unwrap();
        }
        city.wishes().last().unwrap().why.clone().unwrap_or_default()
    };
    let settings = Settings { errors: DriverErrors::all(0.001), ..Settings::default() };
    let erring = || City::new(town(6, 2)).with_cars(40).with_settings(settings);
    assert!(why(&mut erring(), "a car runs the red light ahead").contains("no light"));
    assert!(why(&mut erring(), "a car cuts in with 3 m to spare").contains("go before others"));
    assert!(why(&mut erring(), "car 4000 comes back").contains("not known where car 4000 is"));
    let mut calm = City::new(town_with_lights(6, 2)).with_cars(40);
    assert!(why(&mut calm, "a car runs the red light ahead").contains("never do that"));
    let mut blind = City::new(town(6, 2)).with_cars(40);
    let wish = blind.want("a bus comes round the next corner".parse().unwrap()).unwrap();
    blind.advance(1.0).unwrap();
    assert!(blind.wishes().next().unwrap().why.as_ref().unwrap().contains("where the viewer is"));
    blind.withdraw(wish);
    assert_eq!(blind.wishes().count(), 0);
}

/// The complete model on a town with lights, with three rates of errors: none is none, and
/// however many err, no body touches another.
#[test]
fn drivers_err_at_their_rates_and_never_touch() {
    let map = town_with_lights(5, 6);
    let mut reds = Vec::new();
    for rate in [0.0, 0.3] {
        let errors = DriverErrors::all(rate);
        let settings = Settings { detail: Detail::Complete, errors, ..Settings::default() };
        let mut city = City::new(map.clone()).with_cars(60).seed(4).with_settings(settings);
        let mut last: BTreeMap<CarId, (PathId, f64)> = BTreeMap::new();
        let (mut ran, mut hard) = (0, 0);
        for frame in 0..6000_u32 {
            let now = 0.1 * f64::from(frame);
            for car in cars_on(&mut city, now, &all_roads(&map)) {
                if let Some((path, speed)) = last.insert(car.id, (car.path, car.speed)) {
                    let is_signals = map.junction(map.start_of(car.path)).control == Control::Signals;
                    let is_red = map.light(car.path, now) == Light::Red && map.light(car.path, now - 0.1) == Light::Red;
                    ran += u32::from(path != car.path && is_signals && is_red && speed > 4.0);
                    hard += u32::from(path == car.path && speed - car.speed > 0.45);
                }
            }
            assert!(overlaps(city.visible()).is_empty(), "rate {rate}: {now} s");
        }
        reds.push((ran, hard));
    }
    assert_eq!(reds[0], (0, 0), "who does not err does neither");
    assert!(reds[1].0 > 5 && reds[1].1 > 20, "{reds:?}");
    let wrong = Settings { errors: DriverErrors::all(0.4), ..Settings::default() };
    assert!(City::new(map).with_cars(5).with_settings(wrong).start().is_err(), "they sum to more than 1");
}
