//! How often each lane is used in the long run.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use crate::map::{LaneId, Map, PathId, RoadId};
use crate::wander::{CarId, Course, Draws};

/// Rounds of the power iteration at most.
const ROUNDS: usize = 120;
/// The mean change of a rate at which it has settled.
const SETTLED: f64 = 5e-5;

/// The rate at which cars that turn at random use each lane, relative to the
/// mean, on the roads that are allowed. The stationary distribution of the
/// random walk from lane to lane, by power iteration; half of each step stays,
/// so that it settles on any graph. Lanes that cars can leave but not return to
/// end with none.
pub(crate) fn lane_rates(map: &Map, is_allowed: &(dyn Fn(RoadId) -> bool + Sync)) -> Vec<f32> {
    let allowed: Vec<bool> = map.lanes().map(|lane| is_allowed(map.lane(lane).road)).collect();
    let ways: Vec<f32> = (0..map.lane_count())
        .into_par_iter()
        .map(|lane| {
            let paths = map.paths_from(LaneId(lane as u32));
            paths.filter(|path| allowed[map.path(*path).to.index()]).count() as f32
        })
        .collect();
    let mut rates: Vec<f32> = allowed.iter().map(|allowed| f32::from(u8::from(*allowed))).collect();
    let count = allowed.iter().filter(|allowed| **allowed).count().max(1);
    for _ in 0..ROUNDS {
        let next: Vec<f32> = (0..rates.len())
            .into_par_iter()
            .map(|lane| {
                if !allowed[lane] {
                    return 0.0;
                }
                let arriving: f32 = map
                    .paths_onto(LaneId(lane as u32))
                    .iter()
                    .map(|path| map.path(*path).from.index())
                    .filter(|from| allowed[*from])
                    .map(|from| rates[from] / ways[from])
                    .sum();
                0.5 * rates[lane] + 0.5 * arriving
            })
            .collect();
        let change: f64 =
            next.par_chunks(4096).zip(rates.par_chunks(4096)).map(distance).collect::<Vec<f64>>().iter().sum();
        rates = next;
        if change / (count as f64) < SETTLED {
            break;
        }
    }
    rates
}

fn distance((new, old): (&[f32], &[f32])) -> f64 {
    new.iter().zip(old).map(|(a, b)| f64::from((a - b).abs())).sum()
}

/// How often each path is taken by cars that choose their way by other rules,
/// relative to the mean of lanes: counted on walks of many cars that meet nobody.
pub(crate) fn walked(map: &Map, draws: &Draws) -> Vec<f32> {
    /// Paths that a walker takes before it is counted, and while it is.
    const BEFORE: u32 = 40;
    const COUNTED: u32 = 160;
    let walkers = (map.path_count() as u32 / 4).clamp(2_000, 2_000_000);
    let counts: Vec<AtomicU32> = (0..map.path_count()).map(|_| AtomicU32::new(0)).collect();
    (0..walkers).into_par_iter().for_each(|walker| {
        let car = CarId(u32::MAX - walker);
        let mut path = PathId((u64::from(walker) * map.path_count() as u64 / u64::from(walkers)) as u32);
        let mut course = Course { visit: 0, trip: 0 };
        for step in 0..BEFORE + COUNTED {
            course.visit += 1;
            path = draws.next_path(map, car, &mut course, path);
            if step >= BEFORE {
                // A sum does not depend on the order.
                counts[path.index()].fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    let mean = f64::from(walkers) * f64::from(COUNTED) / map.lane_count() as f64;
    counts.into_iter().map(|count| (f64::from(count.into_inner()) / mean) as f32).collect()
}
