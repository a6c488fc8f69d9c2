//! How long one of many equal operations takes.

use std::time::{Duration, Instant};

use crate::error::Halt;
use crate::experiment::Context;
use crate::timing::Timer;

/// What an operation costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cost {
    /// The median over batches, nanoseconds.
    pub nanoseconds: f64,
    /// The quickest batch: what it costs when nothing disturbs.
    pub least: f64,
    /// How many operations were timed.
    pub operations: u64,
}

/// Fewer batches than this have no median worth the name.
const FEWEST_BATCHES: usize = 5;

/// Runs batches for about as long as the context allows. A batch prepares
/// itself, and returns how long its operations took and how many they were.
pub(super) fn gauge(context: &Context, mut batch: impl FnMut() -> Result<(Duration, u64), Halt>) -> Result<Cost, Halt> {
    let budget = Duration::from_millis(if context.quick() { 300 } else { 2000 });
    batch()?;
    let (mut each, mut operations) = (Vec::new(), 0);
    let start = Instant::now();
    while each.len() < FEWEST_BATCHES || start.elapsed() < budget {
        context.check()?;
        let (time, count) = batch()?;
        each.push(1e9 * time.as_secs_f64() / count as f64);
        operations += count;
    }
    each.sort_by(f64::total_cmp);
    Ok(Cost { nanoseconds: each[each.len() / 2], least: each[0], operations })
}

/// A batch that calls something for each of some inputs.
pub(super) fn gauge_each<T, R>(
    context: &Context,
    inputs: &[T],
    mut operation: impl FnMut(&T) -> R,
) -> Result<Cost, Halt> {
    gauge(context, || {
        let start = Timer::start();
        for input in inputs {
            std::hint::black_box(operation(std::hint::black_box(input)));
        }
        Ok((start.elapsed(), inputs.len() as u64))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_and_the_least_are_found() {
        let mut calls = 0_u64;
        let context = Context::new(1, true);
        let cost = gauge(&context, || {
            calls += 1;
            std::thread::sleep(Duration::from_millis(70));
            Ok((Duration::from_nanos(10 * calls), 10))
        })
        .unwrap();
        // The first batch only warms up: 2 to 6 nanoseconds follow.
        assert_eq!((cost.nanoseconds, cost.least, cost.operations), (4.0, 2.0, 50));
    }
}
