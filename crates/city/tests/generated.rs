//! What generated cities promise: the same from the same seed, one part, no
//! road on another, room between stop lines, and about as many roads as asked.
#![allow(clippy::unwrap_used)]

use proscenium_city::generate::RecipeError;
use proscenium_city::map::Control;
use proscenium_city::{Map, Recipe, Seed};
use proscenium_work::Remedy;

#[test]
fn the_same_seed_gives_the_same_city() {
    let recipe = Recipe::with_roads(300);
    let first = recipe.generate(Seed(7)).unwrap();
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let again = one_thread.install(|| recipe.generate(Seed(7)).unwrap());
    assert_eq!(first.to_bytes(), again.to_bytes());
    assert_ne!(first.to_bytes(), recipe.generate(Seed(8)).unwrap().to_bytes());
    let (map, same) = (Map::build(&first).unwrap(), Map::build(&again).unwrap());
    assert_eq!(map.fingerprint(), same.fingerprint());
}

/// Over seeds the number of roads is about what was asked for, and the shares
/// of wide roads and of paths are those of the paper's city of 199 roads with
/// 1764 paths (8.9 for each road), roughly.
#[test]
fn cities_are_as_large_as_asked_for() {
    for roads in [200, 1000, 4000] {
        let mut total = 0;
        let mut paths = 0;
        let seeds = 8000 / roads;
        for seed in 0..seeds {
            let map = Map::build(&Recipe::with_roads(roads).generate(Seed(seed as u64)).unwrap()).unwrap();
            let statistics = map.statistics();
            assert_eq!(statistics.parts, 1);
            assert_eq!(statistics.dead_ends, 0);
            assert!(statistics.shortest_lane > 20.0, "{statistics:?}");
            let miss = statistics.roads as f64 / roads as f64 - 1.0;
            assert!(miss.abs() < 0.05, "asked for {roads}, seed {seed} has {}", statistics.roads);
            total += statistics.roads;
            paths += statistics.paths;
        }
        let mean = total as f64 / seeds as f64;
        assert!((mean / roads as f64 - 1.0).abs() < 0.04, "asked for {roads}, got {mean}");
        let paths = paths as f64 / total as f64;
        assert!((6.0..11.0).contains(&paths), "{paths} paths for each road");
    }
}

/// No place of the plan belongs to two roads, or to a road and a junction that
/// it does not meet: cars of one are never inside those of another.
#[test]
fn roads_keep_clear_of_each_other() {
    for seed in 0..6 {
        let map = Map::build(&Recipe::with_roads(250).generate(Seed(seed)).unwrap()).unwrap();
        for road in map.roads() {
            let points = map.road_points(road);
            for pair in points.windows(2) {
                for share in [0.02, 0.2, 0.4, 0.6, 0.8, 0.98] {
                    let place = pair[0].lerp(pair[1], share);
                    let half = f64::from(map.road(road).half_width) - 0.01;
                    let across = (pair[1] - pair[0]).normalize().perp() * half;
                    for place in [place - across, place, place + across] {
                        let near = map.roads_in(place, place);
                        for other in near.into_iter().filter(|other| *other != road) {
                            let inside = (1..map.road_points(other).len()).any(|at| {
                                let (a, b) = (map.cross_section(other, at - 1), map.cross_section(other, at));
                                let corners = [a.left, b.left, b.right, a.right];
                                (0..4).all(|side| {
                                    let (from, to) = (corners[side], corners[(side + 1) % 4]);
                                    (to - from).perp_dot(place - from) > 0.0
                                })
                            });
                            assert!(!inside, "seed {seed}: {road:?} lies on {other:?} at {place}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn streets_meet_at_stops_and_wide_ones_lead_to_centres() {
    let map = Map::build(&Recipe::with_roads(1000).generate(Seed(3)).unwrap()).unwrap();
    let statistics = map.statistics();
    let stops = statistics.all_way_stops as f64 / statistics.junctions as f64;
    assert!(stops > 0.8, "{stops}");
    let wide = statistics.wide as f64 / statistics.roads as f64;
    assert!((0.15..0.6).contains(&wide), "{wide}");
    // A wide road goes on as a wide one, at one end at least.
    let alone = map
        .roads()
        .filter(|road| map.road(*road).along > 1)
        .filter(|road| !map.adjacent_roads(*road).any(|other| map.road(other).along > 1));
    assert!(alone.count() * 20 < statistics.wide);
}

#[test]
fn dead_ends_stay_if_wanted() {
    let recipe = Recipe { dead_ends: true, ..Recipe::with_roads(300) };
    let map = Map::build(&recipe.generate(Seed(2)).unwrap()).unwrap();
    assert!(map.junctions().any(|junction| map.junction(junction).control == Control::DeadEnd));
}

#[test]
fn what_cannot_be_generated_is_refused() {
    let wrong = |recipe: Recipe| recipe.generate(Seed(1)).unwrap_err().explain();
    assert!(wrong(Recipe::with_roads(0)).contains("number of roads of a city is 0"));
    assert!(wrong(Recipe { spacing: f64::NAN, ..Recipe::default() }).contains("NaN"));
    assert!(wrong(Recipe { limit: -1.0, ..Recipe::default() }).contains("metres per second"));
    // One road is too few for a city without dead ends.
    match Recipe::with_roads(1).generate(Seed(1)) {
        Ok(plan) => assert!(Map::build(&plan).is_ok()),
        Err(error) => assert!(matches!(error, RecipeError::Nothing { .. })),
    }
}
