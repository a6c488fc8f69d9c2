//! The order of events at one time: by kind, then by whom they concern.

const KIND: u32 = 60;

pub(super) fn start(body: u32) -> u64 {
    u64::from(body)
}

pub(super) fn control(index: u32) -> u64 {
    1 << KIND | u64::from(index)
}

/// With what is done from outside, and after it.
pub(super) fn drive(body: u32) -> u64 {
    1 << KIND | 1 << 40 | u64::from(body)
}

/// Fewer than 2^30 bodies leave room for both.
pub(super) fn collision(a: u32, b: u32) -> u64 {
    2 << KIND | u64::from(a.min(b)) << 30 | u64::from(a.max(b))
}

/// After all collisions of the moment.
pub(super) fn contact(first: u32) -> u64 {
    3 << KIND | u64::from(first)
}

pub(super) fn bound(body: u32) -> u64 {
    4 << KIND | u64::from(body)
}

pub(super) const SAMPLE: u64 = 5 << KIND;
