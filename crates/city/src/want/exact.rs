//! The sums are exact: against every way counted by itself, and against draws.

use std::sync::Arc;

use proscenium_chance::Seed;
use proscenium_work::Progress;

use super::chances::{BIN, Chances, DelayTables, Rewards};
use crate::culling::Ways;
use crate::driving::Vehicle;
use crate::learn::{Expectations, LearnedTraffic};
use crate::map::{LaneId, Map, PathId};
use crate::wander::{CarId, Course, Draws, Wander};
use crate::{Recipe, Seed as CitySeed};

/// Bins of the time that is summed over: 30 s.
const BINS: usize = 60;

struct Ground {
    map: Map,
    draws: Draws,
    expectations: Expectations,
}

fn ground() -> Ground {
    let map = Map::build(&Recipe::with_roads(40).generate(CitySeed(3)).unwrap()).unwrap();
    let draws = Draws::new(Seed(1), Wander::Random);
    let learned = Arc::new(LearnedTraffic::usual());
    let expectations =
        Expectations::new(&map, &Vehicle::default(), &draws, &learned, 25.0, &|_| true, &Progress::none()).unwrap();
    Ground { map, draws, expectations }
}

/// It is wanted that somebody starts on any path through some junction from the 20th bin
/// to the 55th.
fn rewards(map: &Map) -> Rewards {
    let junction = map.junctions().max_by_key(|junction| map.paths_through(*junction).len()).unwrap();
    let row: Vec<f64> = (0..BINS).map(|bin| if (20..=55).contains(&bin) { 0.6 } else { 0.0 }).collect();
    map.paths_through(junction).map(|path| (path, row.clone())).collect()
}

/// How long a path takes, bin by bin: made here once more, from the table itself.
fn times(ways: &Ways, path: PathId) -> Vec<f64> {
    let mut held = vec![0.0; 2 * BINS];
    let pieces: Vec<(f64, f64)> = ways.expectations.excess(ways.map, path).pieces().collect();
    let mut all = 0.0;
    for (low, high) in &pieces {
        for quarter in 0..4 {
            let at = (low + (high - low) * (0.125 + 0.25 * f64::from(quarter))) / BIN;
            all += 1.0;
            for (bin, part) in [(at.floor(), 1.0 - at.fract()), (at.floor() + 1.0, at.fract())] {
                if (bin as usize) < held.len() {
                    held[bin as usize] += part;
                }
            }
        }
    }
    let free = (ways.vehicle.free_run(ways.map, path).duration() / BIN).max(1.0);
    let mut total = vec![0.0; 2 * BINS];
    for (bin, mass) in held.iter().enumerate() {
        for (least, part) in [(free as usize, 1.0 - free.fract()), (free as usize + 1, free.fract())] {
            if bin + least < total.len() {
                total[bin + least] += mass / all * part;
            }
        }
    }
    total
}

/// The chance of success of those who start a path in each bin with some chance: forward,
/// along every way by itself.
fn forward(ways: &Ways, rewards: &Rewards, path: PathId, starts: &[f64]) -> f64 {
    let reward = |bin: usize| rewards.get(&path).map_or(0.0, |row| row[bin]);
    let mut found: f64 = (0..BINS).map(|bin| starts[bin] * reward(bin)).sum();
    let times = times(ways, path);
    let mut leaves = vec![0.0; BINS];
    for bin in 0..BINS {
        for (more, mass) in times.iter().enumerate().take(BINS - bin) {
            leaves[bin + more] += starts[bin] * (1.0 - reward(bin)) * mass;
        }
    }
    if leaves.iter().sum::<f64>() > 0.0 {
        let next: Vec<PathId> = ways.map.successors(path).collect();
        leaves.iter_mut().for_each(|leaves| *leaves /= next.len() as f64);
        found += next.into_iter().map(|path| forward(ways, rewards, path, &leaves)).sum::<f64>();
    }
    found
}

#[test]
fn chances_are_those_of_all_ways_counted_one_by_one() {
    let Ground { map, draws, expectations } = ground();
    let nowhere = |_| false;
    let vehicle = Vehicle::default();
    let ways = Ways { map: &map, vehicle: &vehicle, draws: &draws, expectations: &expectations, is_active: &nowhere };
    let rewards = rewards(&map);
    let mut tables = DelayTables::default();
    let chances = Chances::new(&ways, &mut tables, rewards.clone(), 100.0);
    let mut several = 0;
    for path in map.paths() {
        for start in [0, 3, 9] {
            let mut starts = vec![0.0; BINS];
            starts[start] = 1.0;
            let counted = forward(&ways, &rewards, path, &starts);
            let summed = chances.leaving(map.path(path).from, Some(path), 100.0 + BIN * start as f64);
            assert!((counted - summed).abs() < 1e-9, "{path:?} from bin {start}: {summed}, not {counted}");
            several += usize::from(counted > 1e-3);
        }
    }
    assert!(several > 30, "{several} ways lead there");
}

/// Twenty thousand cars from one place, by the draws of unseen cars themselves. The share
/// that succeeds is within four standard errors and what a bin is worth.
#[test]
fn chances_are_those_of_cars_that_are_drawn() {
    let Ground { map, draws, expectations } = ground();
    let nowhere = |_| false;
    let vehicle = Vehicle::default();
    let ways = Ways { map: &map, vehicle: &vehicle, draws: &draws, expectations: &expectations, is_active: &nowhere };
    let rewards = rewards(&map);
    let mut tables = DelayTables::default();
    let chances = Chances::new(&ways, &mut tables, rewards.clone(), 0.0);
    let best = |lane: &LaneId| chances.leaving(*lane, None, 0.0);
    let lane = chances.lanes().max_by(|a, b| best(a).total_cmp(&best(b))).unwrap();
    let expected = best(&lane);
    let before = map.paths_onto(lane)[0];
    let mut succeeded = 0.0;
    let cars = 20_000;
    for car in 0..cars {
        let (id, mut course) = (CarId(car), Course { visit: 1, trip: 0 });
        let mut path = draws.next_path(&map, id, &mut course, before);
        let (mut time, mut fails) = (0.0, 1.0);
        while time < BIN * BINS as f64 {
            let bin = (time / BIN).round() as usize;
            fails *= 1.0 - rewards.get(&path).and_then(|row| row.get(bin)).copied().unwrap_or(0.0);
            course.visit += 1;
            let visit = course.visit;
            let next = draws.next_path(&map, id, &mut course, path);
            time = expectations.leaves(&map, &vehicle, &draws, (id, [path, next], visit), time);
            path = next;
        }
        succeeded += 1.0 - fails;
    }
    let share = succeeded / f64::from(cars);
    let error = 4.0 * (expected / f64::from(cars)).sqrt();
    assert!((share - expected).abs() < error + 0.03 * expected, "{share} succeeded, not {expected}");
}

/// Ways that are drawn given success begin as often as they succeed: within four standard
/// errors for each first turn, and all of them succeed.
#[test]
fn ways_are_drawn_given_that_they_succeed() {
    let Ground { map, draws, expectations } = ground();
    let nowhere = |_| false;
    let vehicle = Vehicle::default();
    let ways = Ways { map: &map, vehicle: &vehicle, draws: &draws, expectations: &expectations, is_active: &nowhere };
    let rewards = rewards(&map);
    let mut tables = DelayTables::default();
    let chances = Chances::new(&ways, &mut tables, rewards.clone(), 0.0);
    let open =
        |lane: &LaneId| map.paths_from(*lane).filter(|path| chances.leaving(*lane, Some(*path), 0.0) > 0.01).count();
    let lane = chances.lanes().max_by_key(open).unwrap();
    let mut stream = Seed(5).stream("given");
    let (count, mut first) = (4000, std::collections::BTreeMap::new());
    for _ in 0..count {
        let success = chances.success(lane, None, 0.0, &mut stream).unwrap();
        let (goal, bin) = (success.ways.last().unwrap(), (success.at / BIN).round() as usize);
        assert!(rewards[goal][bin] > 0.0, "it ends where it should");
        assert_eq!(success.seconds.len() + 1, success.ways.len());
        *first.entry(success.ways[0]).or_insert(0.0) += 1.0 / f64::from(count);
    }
    let options = map.paths_from(lane).len() as f64;
    let all = chances.leaving(lane, None, 0.0);
    for path in map.paths_from(lane) {
        let wanted = chances.leaving(lane, Some(path), 0.0) / options / all;
        let got = first.get(&path).copied().unwrap_or(0.0);
        let error = 4.0 * (wanted * (1.0 - wanted) / f64::from(count)).sqrt();
        assert!((got - wanted).abs() <= error + 1e-12, "{path:?}: {got}, not {wanted}");
    }
}
