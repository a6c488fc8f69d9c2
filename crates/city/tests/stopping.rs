//! Promise: whatever takes long can be stopped at any question, is the same if
//! nobody stops it, and asks in proportion to its work, so that an answer is
//! never far away.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use crate::common;

use common::{town, town_plan};
use proscenium_city::learn::StudySettings;
use proscenium_city::{City, Detail, Drive, Map, Recipe, Seed, Settings, Study, Wander, import};
use proscenium_work::{Completion, Memory, Progress, Stop, Store};

/// Runs something to its end, and stops it at the first question, at the last and
/// at some between; how many questions it asks.
fn questions<T>(run: impl Fn(&Progress) -> Completion<T>) -> u64 {
    let progress = Progress::new(&Stop::new());
    assert!(run(&progress).finished().is_some(), "nobody stopped it");
    let all = progress.questions();
    for part in 0..=7 {
        let question = 1 + (all - 1) * part / 7;
        let stopped = Progress::stopping_at(question);
        assert!(run(&stopped).finished().is_none(), "question {question} of {all}");
        // Items that were to run side by side ask once each, and do nothing.
        assert!(stopped.questions() <= all, "question {question} of {all}: {}", stopped.questions());
    }
    all
}

#[test]
fn a_city_that_is_drawn_asks_at_every_street() {
    for roads in [300, 6000] {
        let asked = questions(|progress| Recipe::with_roads(roads).generate_watched(Seed(3), progress).unwrap());
        assert!(asked > 10 * roads as u64, "{asked} questions for {roads} roads");
    }
}

#[test]
fn a_map_that_is_built_asks_at_every_road_and_junction() {
    for side in [5, 20] {
        let plan = town_plan(side, 1);
        let asked = questions(|progress| Map::build_watched(&plan, progress).unwrap());
        assert!(asked as usize > 3 * (plan.roads.len() + plan.junctions.len()), "{asked} for {side}");
        let store = Memory::default();
        store.write("town.city", &plan.to_bytes()).unwrap();
        assert_eq!(questions(|progress| City::load_watched(&store, "town.city", progress).unwrap()), asked);
    }
}

#[test]
fn networks_that_are_read_ask_at_every_element() {
    for (text, elements) in
        [(include_str!("data/cologne8.net.xml"), 3000), (include_str!("data/luxembourg-part.osm"), 1500)]
    {
        let asked = questions(|progress| import::read_watched(text.as_bytes(), progress).unwrap());
        assert!(asked > elements, "{asked} questions");
    }
}

#[test]
fn a_binary_network_asks_with_every_block() {
    let (nodes, ways) = crate::imported::village();
    let file = crate::pbf::file(&nodes, &ways);
    let asked = questions(|progress| import::read_watched(&file, progress).unwrap());
    assert!(asked > 10, "{asked} questions");
}

#[test]
fn a_drive_asks_at_every_frame() {
    let map = town(4, 1);
    let asked = questions(|progress| Drive::record_watched(&map, Seed(1), 100.0, 10.0, progress).unwrap());
    assert_eq!(asked, 1001);
}

#[test]
fn a_city_that_starts_asks_at_every_lane_and_car() {
    let map = Arc::new(town(8, 1));
    for (detail, wander) in [
        (Detail::Pooled, Wander::Random),
        (Detail::Tracked, Wander::Random),
        (Detail::Complete, Wander::Random),
        (Detail::Pooled, Wander::Destinations),
    ] {
        let settings = Settings { detail, wander, ..Settings::default() };
        let asked = questions(|progress| {
            City::new(Arc::clone(&map)).with_cars(90).with_settings(settings).start_watched(progress).unwrap()
        });
        assert!(asked as usize > map.lane_count() + map.path_count(), "{asked} for {detail:?} {wander:?}");
    }
}

#[test]
fn a_study_asks_at_every_step_and_goes_on_as_if_nothing_had_happened() {
    let map = Arc::new(town(4, 1));
    let settings = StudySettings { densities: vec![3.0], warm_up: 20.0, measured: 60.0, ..StudySettings::default() };
    let study = Study::new(settings).unwrap();
    let asked = questions(|progress| study.clone().run_next(&map, progress));
    assert!(asked > 800, "{asked} questions for 800 steps");
    let mut whole = study.clone();
    assert_eq!(whole.run_next(&map, &Progress::none()), Completion::Finished(false));
    let mut stopped = study.clone();
    assert_eq!(stopped.run_next(&map, &Progress::stopping_at(asked / 2)), Completion::Stopped);
    assert_eq!(stopped, study);
    assert_eq!(stopped.run_next(&map, &Progress::none()), Completion::Finished(false));
    assert_eq!(stopped, whole);
}
