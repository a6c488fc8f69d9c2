//! The time that the processor spent on this thread, so that other programs do
//! not count; where a system does not tell, the clock on the wall.

use std::time::Duration;

/// The time of this thread since some moment.
#[cfg(unix)]
pub fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// The time since some moment.
#[cfg(not(unix))]
pub fn now() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;

    static BEGIN: OnceLock<Instant> = OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed()
}
