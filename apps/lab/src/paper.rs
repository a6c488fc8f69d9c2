//! The tables of Chenney 2000 that compare its two algorithms, measured on a
//! Pentium Pro at 200 MHz.

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

/// Table 3.1: polyhedra in a box, for 1000 simulated seconds.
pub(crate) const BOX: [PaperRow; 12] = [
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

/// Table 3.2: grains through a funnel.
pub(crate) const FUNNEL: [PaperRow; 10] = [
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

/// The row for this many bodies, if a table has it.
pub(crate) fn row(table: &'static [PaperRow], n: usize) -> Option<&'static PaperRow> {
    table.iter().find(|row| row.n == n)
}

/// The largest speedup of a table.
pub(crate) fn best(table: &[PaperRow]) -> f64 {
    table.iter().map(PaperRow::speedup).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tables also print milliseconds per event: another way to each total.
    fn agree(table: &[PaperRow], synchronous: &[f64], asynchronous: &[f64]) {
        for (row, (sync, own)) in table.iter().zip(synchronous.iter().zip(asynchronous)) {
            let close = |total: f64, events: u64, each: f64| (1e-3 * each * events as f64 / total - 1.0).abs() < 2e-3;
            assert!(close(row.synchronous_seconds, row.synchronous_events, *sync), "{row:?}");
            assert!(close(row.asynchronous_seconds, row.asynchronous_events, *own), "{row:?}");
        }
    }

    #[test]
    fn table_3_1_is_consistent_with_its_times_per_event() {
        let synchronous = [
            0.084246, 0.10013, 0.11469, 0.13033, 0.16059, 0.18938, 0.23281, 0.30545, 0.40918, 0.54400, 0.73846, 1.0242,
        ];
        let asynchronous = [
            0.053079, 0.053598, 0.054832, 0.056461, 0.058206, 0.060057, 0.062345, 0.065629, 0.068919, 0.072726,
            0.076436, 0.078830,
        ];
        agree(&BOX, &synchronous, &asynchronous);
        let speedup = row(&BOX, 64).unwrap().speedup();
        assert!((speedup - 12.1).abs() < 0.01, "{speedup}");
        assert!(row(&BOX, 128).is_none());
    }

    #[test]
    fn table_3_2_is_consistent_with_its_times_per_event() {
        let synchronous = [0.22715, 0.36251, 0.47717, 0.56904, 0.64935, 0.72677, 0.78985, 0.87392, 0.93414, 1.0239];
        let asynchronous =
            [0.055090, 0.059932, 0.063898, 0.069489, 0.075613, 0.084519, 0.088551, 0.10317, 0.10712, 0.11155];
        agree(&FUNNEL, &synchronous, &asynchronous);
        assert!((best(&FUNNEL) - 8.02).abs() < 0.01);
    }
}
