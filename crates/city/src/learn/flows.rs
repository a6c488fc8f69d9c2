//! How often each lane is used in the long run.

use std::sync::atomic::{AtomicU32, Ordering};

use proscenium_work::{Progress, Stopped, parallel};

use crate::map::{LaneId, Map, PathId, RoadId};
use crate::wander::{CarId, Course, Draws};

/// Rounds of the power iteration at most. Chosen as a bound of the work: it
/// ends when the rates have settled.
const ROUNDS: usize = 120;
/// The mean change of a rate at which it has settled. Chosen: far below
/// what counts of cars differ by from chance.
const SETTLED: f64 = 5e-5;
/// Lanes that are computed at a time; sums do not depend on the threads.
const PART: usize = 1 << 13;

/// The rate at which cars that turn at random use each lane, relative to the
/// mean, on the roads that are allowed. The stationary distribution of the
/// random walk from lane to lane, by power iteration; half of each step stays,
/// so that it settles on any graph. Lanes that cars can leave but not return to
/// end with none.
pub(crate) fn lane_rates(
    map: &Map,
    is_allowed: &(dyn Fn(RoadId) -> bool + Sync),
    progress: &Progress,
) -> Result<Vec<f32>, Stopped> {
    let allowed: Vec<bool> = map.lanes().map(|lane| is_allowed(map.lane(lane).road)).collect();
    let count = allowed.iter().filter(|allowed| **allowed).count().max(1);
    // The share of a lane's cars that takes each way on.
    let shares = parallel::times(map.lane_count(), |lane| {
        let paths = map.paths_from(LaneId(lane as u32));
        let ways = paths.filter(|path| allowed[map.path(*path).to.index()]).count();
        if allowed[lane] && ways > 0 { 1.0 / ways as f32 } else { 0.0 }
    });
    let walk = Walk::new(map, &allowed);
    let mut rates: Vec<f32> = allowed.iter().map(|allowed| f32::from(u8::from(*allowed))).collect();
    let mut leaving: Vec<f32> = rates.iter().zip(&shares).map(|(rate, share)| rate * share).collect();
    let mut next = vec![0.0; rates.len()];
    for round in 0..ROUNDS {
        progress.tell("how often lanes are used", round as f64 / ROUNDS as f64)?;
        let change = walk.round(&mut rates, &shares, &leaving, &mut next);
        std::mem::swap(&mut leaving, &mut next);
        if change / (count as f64) < SETTLED {
            break;
        }
    }
    Ok(rates)
}

/// From where cars come to each lane, in one list: the rounds read nothing else.
struct Walk {
    first: Vec<u32>,
    from: Vec<u32>,
}

impl Walk {
    fn new(map: &Map, allowed: &[bool]) -> Self {
        let (mut first, mut from) = (Vec::with_capacity(allowed.len() + 1), Vec::with_capacity(map.path_count()));
        for lane in map.lanes() {
            first.push(from.len() as u32);
            if allowed[lane.index()] {
                let sources = map.paths_onto(lane).iter().map(|path| map.path(*path).from);
                from.extend(sources.filter(|source| allowed[source.index()]).map(|source| source.0));
            }
        }
        first.push(from.len() as u32);
        Self { first, from }
    }

    /// One step of the walk: `rates` are made new, and `next` what then leaves
    /// by each way. Gives the sum of changes.
    fn round(&self, rates: &mut [f32], shares: &[f32], leaving: &[f32], next: &mut [f32]) -> f64 {
        let mut parts: Vec<_> = rates.chunks_mut(PART).zip(next.chunks_mut(PART)).enumerate().collect();
        let changes = parallel::map_mut(&mut parts, |(part, (rates, next))| {
            let begin = *part * PART;
            let mut change = 0.0;
            for (place, (rate, next)) in rates.iter_mut().zip(next.iter_mut()).enumerate() {
                let lane = begin + place;
                let sources = &self.from[self.first[lane] as usize..self.first[lane + 1] as usize];
                let arriving: f32 = sources.iter().map(|source| leaving[*source as usize]).sum();
                let new = 0.5 * *rate + 0.5 * arriving;
                change += f64::from((new - *rate).abs());
                (*rate, *next) = (new, new * shares[lane]);
            }
            change
        });
        changes.iter().sum()
    }
}

/// How often each path is taken by cars that choose their way by other rules,
/// relative to the mean of lanes: counted on walks of many cars that meet nobody.
pub(crate) fn walked(map: &Map, draws: &Draws, progress: &Progress) -> Result<Vec<f32>, Stopped> {
    /// Paths that a walker takes before it is counted, and while it is. Chosen:
    /// with one walker for four paths each path is counted 40 times on average.
    const BEFORE: u32 = 40;
    const COUNTED: u32 = 160;
    let walkers = (map.path_count() / 4).clamp(2_000, 2_000_000);
    let counts: Vec<AtomicU32> = (0..map.path_count()).map(|_| AtomicU32::new(0)).collect();
    let counter = progress.counter("how often paths are taken", walkers);
    let walk = |walker: usize| -> Result<(), Stopped> {
        let car = CarId(u32::MAX - walker as u32);
        let mut path = PathId((walker as u64 * map.path_count() as u64 / walkers as u64) as u32);
        let mut course = Course { visit: 0, trip: 0 };
        for step in 0..BEFORE + COUNTED {
            course.visit += 1;
            path = draws.next_path(map, car, &mut course, path);
            if step >= BEFORE {
                // A sum does not depend on the order.
                counts[path.index()].fetch_add(1, Ordering::Relaxed);
            }
        }
        counter.count()
    };
    parallel::times(walkers, walk).into_iter().collect::<Result<(), Stopped>>()?;
    let mean = walkers as f64 * f64::from(COUNTED) / map.lane_count() as f64;
    Ok(counts.into_iter().map(|count| (f64::from(count.into_inner()) / mean) as f32).collect())
}
