//! Table 3.2 of Chenney 2000, measured on a Pentium Pro at 200 MHz.

use crate::paper::PaperRow;

/// The whole table.
pub(super) const TABLE: [PaperRow; 10] = [
    PaperRow::new(10, (117_009, 26.579), (147_358, 8.118)),
    PaperRow::new(20, (316_778, 114.83), (351_714, 21.079)),
    PaperRow::new(30, (496_172, 236.76), (584_747, 37.364)),
    PaperRow::new(40, (756_671, 430.58), (872_613, 60.637)),
    PaperRow::new(50, (1_010_548, 656.2), (1_107_481, 83.74)),
    PaperRow::new(60, (1_383_517, 1005.5), (1_578_943, 133.45)),
    PaperRow::new(70, (1_697_377, 1340.7), (1_961_114, 173.66)),
    PaperRow::new(80, (2_149_780, 1878.7), (2_497_338, 257.64)),
    PaperRow::new(90, (2_630_125, 2456.9), (3_126_652, 334.94)),
    PaperRow::new(100, (3_156_533, 3231.9), (3_614_242, 403.15)),
];

/// The row for this many grains, if the paper has it.
pub(super) fn row(n: usize) -> Option<&'static PaperRow> {
    TABLE.iter().find(|row| row.n == n)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table also prints milliseconds per event: another way to each total.
    #[test]
    fn the_table_is_consistent_with_its_times_per_event() {
        let synchronous = [0.22715, 0.36251, 0.47717, 0.56904, 0.64935, 0.72677, 0.78985, 0.87392, 0.93414, 1.0239];
        let asynchronous =
            [0.055090, 0.059932, 0.063898, 0.069489, 0.075613, 0.084519, 0.088551, 0.10317, 0.10712, 0.11155];
        for (row, (sync, own)) in TABLE.iter().zip(synchronous.into_iter().zip(asynchronous)) {
            let close = |total: f64, events: u64, each: f64| (1e-3 * each * events as f64 / total - 1.0).abs() < 1e-3;
            assert!(close(row.synchronous_seconds, row.synchronous_events, sync), "{}", row.n);
            assert!(close(row.asynchronous_seconds, row.asynchronous_events, own), "{}", row.n);
        }
        assert!((row(100).unwrap().speedup() - 8.02).abs() < 0.01);
    }
}
