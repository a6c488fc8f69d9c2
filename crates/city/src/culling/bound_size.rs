//! How many roads a bound may have: as told, or as costs least (6.3.1).

use super::tracked::TrackingWork;
use serde::{Deserialize, Serialize};

/// How many roads a bound may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BoundSize {
    /// So many at most: k_max of the paper.
    AtMost(u32),
    /// As many as cost least: sizes are tried while the city runs, and judged by
    /// counted work, so that the same seed gives the same bytes.
    Measured,
}

/// What an operation costs, nanoseconds (measured for decision 0045): a bound
/// that is made and put into the
/// queue, a further road that is searched for it, a path that is walked.
const COSTS: [f64; 3] = [300.0, 1500.0, 200.0];
/// How long a size is tried, seconds. Bounds of the size before it are gone
/// after the first half, which is not judged. Chosen: cars take some ten seconds
/// for a road.
const TRIAL: f64 = 40.0;
/// How many trials go by before a neighbour of the best size is tried again.
/// Chosen: about a seventh of the time is spent on sizes that may be worse.
const PATIENCE: u32 = 6;
/// The largest size that is tried, as a power of 2. Chosen: 128 roads
/// are two regions.
const LARGEST: usize = 7;

/// Tries sizes and keeps the best: 1, 2, 4, … roads.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SizeChooser {
    /// The last judgement of each size: work for each car and second.
    judged: [Option<f64>; LARGEST + 1],
    best: usize,
    tried: usize,
    /// Trials of the best size since its neighbours were last tried.
    settled: u32,
    /// Whether the next neighbour to be tried is the smaller one.
    is_smaller_next: bool,
    trial: Trial,
}

/// A size that is being tried.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Trial {
    began: f64,
    /// The work until the middle, and the car-seconds since then.
    until_middle: Option<f64>,
    car_seconds: f64,
    last: f64,
}

/// All that was done so far, nanoseconds.
fn cost(work: &TrackingWork) -> f64 {
    let searched = work.roads.saturating_sub(work.bounds);
    COSTS[0] * work.bounds as f64 + COSTS[1] * searched as f64 + COSTS[2] * work.paths as f64
}

impl SizeChooser {
    /// Whether its sizes are such that it may try.
    pub(super) fn is_sound(&self) -> bool {
        self.best <= LARGEST && self.tried <= LARGEST
    }

    /// How many roads a bound may have now.
    pub(crate) fn most_roads(&self) -> u32 {
        1 << self.tried
    }

    /// Looks at what was done until now for so many cars, and decides.
    pub(crate) fn look(&mut self, now: f64, cars: usize, work: &TrackingWork) {
        let trial = &mut self.trial;
        if trial.until_middle.is_some() {
            trial.car_seconds += cars as f64 * (now - trial.last);
        } else if now >= trial.began + 0.5 * TRIAL {
            trial.until_middle = Some(cost(work));
        }
        trial.last = now;
        let (Some(before), true) = (trial.until_middle, now >= trial.began + TRIAL) else { return };
        let car_seconds = trial.car_seconds;
        if car_seconds > 0.0 {
            self.judge((cost(work) - before) / car_seconds);
        }
        self.trial = Trial { began: now, last: now, ..Trial::default() };
    }

    /// Keeps what the tried size costs, and chooses the next to be tried.
    fn judge(&mut self, cost: f64) {
        self.judged[self.tried] = Some(cost);
        let known = self.judged[self.best].unwrap_or(f64::INFINITY);
        if self.tried != self.best && cost < known {
            // On in the same direction.
            self.is_smaller_next = self.tried < self.best;
            self.best = self.tried;
            self.settled = PATIENCE;
        } else if self.tried != self.best {
            self.is_smaller_next = !self.is_smaller_next;
        }
        let other = if self.is_smaller_next { self.best.checked_sub(1) } else { Some(self.best + 1) };
        let other = other.filter(|&size| size <= LARGEST);
        self.settled += 1;
        self.tried = self.best;
        match other {
            Some(size) if self.settled > PATIENCE || self.judged[size].is_none() => {
                (self.tried, self.settled) = (size, 0);
            }
            None => self.is_smaller_next = !self.is_smaller_next,
            Some(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs with work that depends on the size, and returns the share of time
    /// that each size was used in.
    fn run(cost_of: impl Fn(u32) -> f64) -> Vec<f64> {
        let mut chooser = SizeChooser::default();
        let mut work = TrackingWork::default();
        let mut used = vec![0.0; LARGEST + 1];
        for frame in 1..=60_000_u32 {
            work.paths += (1000.0 * cost_of(chooser.most_roads())) as u64;
            chooser.look(0.1 * f64::from(frame), 10, &work);
            used[chooser.most_roads().ilog2() as usize] += 1.0 / 60_000.0;
        }
        used
    }

    #[test]
    fn the_cheapest_size_is_found_and_used() {
        for cheapest in 0..=LARGEST {
            let away = |roads: u32| (roads.ilog2() as f64 - cheapest as f64).abs();
            let used = run(|roads| 1.0 + 0.3 * away(roads));
            assert!(used[cheapest] > 0.7, "{cheapest}: {used:?}");
        }
    }

    #[test]
    fn a_city_without_tracked_cars_decides_nothing() {
        let mut chooser = SizeChooser::default();
        (0..10_000).for_each(|frame| chooser.look(f64::from(frame), 0, &TrackingWork::default()));
        assert_eq!(chooser.most_roads(), 1);
    }
}
