//! The schedule of a run on many machines, from what its parts take.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What a run is scheduled from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts<'times> {
    /// What batches take a worker, s; they come again and again.
    pub batches: &'times [f64],
    /// What the driver does for each, s: asks, receives and reads.
    pub driver: f64,
    /// So many batches are asked for ahead, for each worker.
    pub ahead: usize,
}

/// How long so many batches take so many workers, s.
///
/// The driver is one: it asks for batches and takes them in the order of their numbers, each
/// costs it the same, and it asks for another only when one was taken. A worker does the
/// batch that was asked for first.
pub(super) fn makespan(parts: Parts<'_>, workers: usize, batches: usize) -> f64 {
    let mut free: BinaryHeap<Reverse<Moment>> = (0..workers).map(|_| Reverse(Moment(0.0))).collect();
    let mut ends = Vec::with_capacity(batches);
    let window = parts.ahead * workers;
    let mut driver = 0.0_f64;
    for taken in 0..batches {
        // The driver asks for as many as may be under way.
        while ends.len() < batches.min(taken + window) {
            let Reverse(Moment(ready)) = free.pop().unwrap_or(Reverse(Moment(0.0)));
            let end = ready.max(driver) + parts.batches[ends.len() % parts.batches.len()];
            free.push(Reverse(Moment(end)));
            ends.push(end);
        }
        driver = driver.max(ends[taken]) + parts.driver;
    }
    driver
}

/// A time, s.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Moment(f64);

impl Eq for Moment {}

impl PartialOrd for Moment {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Moment {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_batches_are_shared_equally_and_the_driver_is_the_limit() {
        let parts = Parts { batches: &[1.0], driver: 0.0, ahead: 2 };
        assert_eq!(makespan(parts, 1, 10), 10.0);
        assert_eq!(makespan(parts, 5, 10), 2.0);
        // A driver that takes a tenth of a batch keeps ten workers busy, and no more.
        let busy = Parts { driver: 0.1, ..parts };
        let many = makespan(busy, 1000, 10_000);
        assert!((many - 1001.0).abs() < 2.0, "{many}");
    }

    #[test]
    fn who_is_slow_holds_up_those_behind_but_not_the_workers() {
        let parts = Parts { batches: &[4.0, 1.0, 1.0, 1.0], driver: 0.0, ahead: 2 };
        // 4 on one worker, and three of 1 beside it.
        assert_eq!(makespan(parts, 2, 4), 4.0);
    }
}
