//! Table 3.1 of Chenney 2000, measured on a Pentium Pro at 200 MHz.

use crate::paper::PaperRow;

/// The whole table, for 1000 simulated seconds.
pub(super) const TABLE: [PaperRow; 12] = [
    PaperRow::new(1, (48_192, 4.06), (45_743, 2.428)),
    PaperRow::new(2, (119_905, 12.006), (119_594, 6.41)),
    PaperRow::new(3, (163_444, 18.746), (165_851, 9.094)),
    PaperRow::new(4, (236_492, 30.822), (233_329, 13.174)),
    PaperRow::new(6, (378_542, 60.792), (388_171, 22.594)),
    PaperRow::new(8, (508_000, 96.204), (509_753, 30.614)),
    PaperRow::new(11, (741_250, 172.57), (773_658, 48.234)),
    PaperRow::new(16, (1_204_244, 367.84), (1_241_069, 81.45)),
    PaperRow::new(23, (1_867_831, 764.28), (1_974_795, 136.1)),
    PaperRow::new(32, (3_124_585, 1699.8), (3_256_984, 236.87)),
    PaperRow::new(45, (5_162_582, 3812.4), (5_411_264, 413.62)),
    PaperRow::new(64, (8_999_377, 9217.3), (9_664_098, 761.82)),
];

/// The row for this many bodies, if the paper has it.
pub(super) fn row(n: usize) -> Option<&'static PaperRow> {
    TABLE.iter().find(|row| row.n == n)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table also prints milliseconds per event: another way to each total.
    #[test]
    fn the_table_is_consistent_with_its_times_per_event() {
        let synchronous = [
            0.084246, 0.10013, 0.11469, 0.13033, 0.16059, 0.18938, 0.23281, 0.30545, 0.40918, 0.54400, 0.73846, 1.0242,
        ];
        let asynchronous = [
            0.053079, 0.053598, 0.054832, 0.056461, 0.058206, 0.060057, 0.062345, 0.065629, 0.068919, 0.072726,
            0.076436, 0.078830,
        ];
        for (row, (sync, own)) in TABLE.iter().zip(synchronous.into_iter().zip(asynchronous)) {
            let total = sync * 1e-3 * row.synchronous_events as f64;
            assert!((total / row.synchronous_seconds - 1.0).abs() < 2e-3, "{row:?}: {total}");
            let total = own * 1e-3 * row.asynchronous_events as f64;
            assert!((total / row.asynchronous_seconds - 1.0).abs() < 2e-3, "{row:?}: {total}");
        }
    }

    #[test]
    fn the_speedup_at_64_bodies_is_the_one_quoted() {
        let speedup = row(64).unwrap().speedup();
        assert!((speedup - 12.1).abs() < 0.01, "{speedup}");
        assert!(row(128).is_none());
    }
}
