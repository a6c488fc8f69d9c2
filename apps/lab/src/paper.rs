//! Rows of the tables of Chenney 2000 that compare its two algorithms.

/// One row of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PaperRow {
    pub n: usize,
    pub synchronous_events: u64,
    pub synchronous_seconds: f64,
    pub asynchronous_events: u64,
    pub asynchronous_seconds: f64,
}

impl PaperRow {
    pub const fn new(n: usize, synchronous: (u64, f64), asynchronous: (u64, f64)) -> Self {
        Self {
            n,
            synchronous_events: synchronous.0,
            synchronous_seconds: synchronous.1,
            asynchronous_events: asynchronous.0,
            asynchronous_seconds: asynchronous.1,
        }
    }

    /// How many times faster the asynchronous algorithm was.
    pub fn speedup(&self) -> f64 {
        self.synchronous_seconds / self.asynchronous_seconds
    }
}
