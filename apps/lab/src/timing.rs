//! Measuring time.
//!
//! The lab's work is done on one thread, so the time that the processor spent
//! on that thread is what it took: other programs do not count. Where a system
//! does not tell, the clock on the wall stands in.

use std::time::{Duration, Instant};

/// Runs from when it is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timer(clock::Moment);

impl Timer {
    /// Starts a timer.
    pub fn start() -> Self {
        Self(clock::now())
    }

    /// The time of this thread since then.
    pub fn elapsed(&self) -> Duration {
        clock::since(self.0)
    }
}

/// The clock on the wall, and that of the processor on all threads of this program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clocks {
    wall: Instant,
    processor: clock::Moment,
}

impl Clocks {
    /// Starts both.
    pub fn start() -> Self {
        Self { wall: Instant::now(), processor: clock::all_threads() }
    }

    /// Seconds on each since then; where a system does not tell of its processor, those on
    /// the wall.
    pub fn elapsed(&self) -> [f64; 2] {
        let processor = clock::all_threads_since(self.processor);
        [self.wall.elapsed().as_secs_f64(), processor.as_secs_f64()]
    }
}

#[cfg(unix)]
mod clock {
    use std::time::Duration;

    use rustix::time::{ClockId, clock_gettime};

    pub type Moment = Duration;

    pub fn now() -> Moment {
        of(ClockId::ThreadCPUTime)
    }

    pub fn since(start: Moment) -> Duration {
        now().saturating_sub(start)
    }

    pub fn all_threads() -> Moment {
        of(ClockId::ProcessCPUTime)
    }

    pub fn all_threads_since(start: Moment) -> Duration {
        all_threads().saturating_sub(start)
    }

    fn of(clock: ClockId) -> Moment {
        let time = clock_gettime(clock);
        Duration::from_secs(u64::try_from(time.tv_sec).unwrap_or(0))
            + Duration::from_nanos(u64::try_from(time.tv_nsec).unwrap_or(0))
    }
}

#[cfg(not(unix))]
mod clock {
    use std::time::{Duration, Instant};

    pub type Moment = Instant;

    pub fn now() -> Moment {
        Instant::now()
    }

    pub fn since(start: Moment) -> Duration {
        start.elapsed()
    }

    pub fn all_threads() -> Moment {
        Instant::now()
    }

    pub fn all_threads_since(start: Moment) -> Duration {
        start.elapsed()
    }
}

/// Adds up the time of what it runs, and nothing else.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stopwatch(Duration);

impl Stopwatch {
    /// Runs something and adds the time it took.
    pub fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let timer = Timer::start();
        let result = work();
        self.0 += timer.elapsed();
        result
    }

    /// The sum so far.
    pub fn seconds(&self) -> f64 {
        self.0.as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn work_counts_and_adds_up() {
        let mut watch = Stopwatch::default();
        assert_eq!(watch.seconds(), 0.0);
        let mut last = 0.0;
        for _ in 0..2 {
            assert_eq!(
                watch.time(|| (0..1_000_000).fold(7_u64, |a, b| std::hint::black_box(a ^ b))),
                7 ^ xor(1_000_000)
            );
            assert!(watch.seconds() > last);
            last = watch.seconds();
        }
    }

    fn xor(count: u64) -> u64 {
        (0..count).fold(0, |a, b| a ^ b)
    }

    #[cfg(unix)]
    #[test]
    fn waiting_does_not_count() {
        let (timer, wall) = (Timer::start(), Instant::now());
        std::thread::sleep(Duration::from_millis(50));
        assert!(wall.elapsed() >= Duration::from_millis(50));
        assert!(timer.elapsed() < Duration::from_millis(40));
    }
}
