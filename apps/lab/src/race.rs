//! Both algorithms on the same start, timed in turns: the asynchronous one,
//! the synchronous one with the same sub-algorithms (as in the paper), and the
//! synchronous one with the predictor that suits it best.

use proscenium_rigid::{Statistics, World, WorldBuilder};

use crate::error::Halt;
use crate::experiment::Context;
use crate::paper::{self, PaperRow};
use crate::results::Row;
use crate::timing::Stopwatch;

/// Steps of one prediction that are as many as it takes. The asynchronous
/// algorithm puts a prediction off after one; the synchronous one pays for
/// every event with all bodies, and is faster if it does not.
const PATIENT: u32 = 1000;

/// The sides take turns, so that whatever else the machine does meets
/// all. A turn takes about this long, seconds: reading the clock is nothing.
const TURN: f64 = 2e-3;

/// How long each side simulates, seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Windows {
    pub synchronous: f64,
    pub asynchronous: f64,
}

/// A column's name, and where its count is found.
type Counter = (&'static str, fn(&Statistics) -> u64);

/// What is counted on each side.
pub(crate) const COUNTERS: [Counter; 9] = [
    ("events", |statistics| statistics.events),
    ("collisions", |statistics| statistics.collisions),
    ("contact_steps", |statistics| statistics.contact_steps),
    ("near_misses", |statistics| statistics.near_misses),
    ("bound_expiries", |statistics| statistics.bound_expiries),
    ("predictions", |statistics| statistics.predictions),
    ("distance_queries", |statistics| statistics.distance_queries),
    ("integrations", |statistics| statistics.integrations),
    ("bound_comparisons", |statistics| statistics.bound_comparisons),
];

/// What one side did, summed over several starts and scaled to a stated time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Effort {
    pub seconds: f64,
    /// In the order of [`COUNTERS`].
    pub counts: [f64; COUNTERS.len()],
}

impl Effort {
    fn new(seconds: f64, before: &Statistics, after: &Statistics) -> Self {
        Self { seconds, counts: COUNTERS.map(|(_, count)| count(after).saturating_sub(count(before)) as f64) }
    }

    /// Adds another run, each of its numbers times `factor`.
    pub fn add(&mut self, run: &Self, factor: f64) {
        self.seconds += factor * run.seconds;
        for (sum, count) in self.counts.iter_mut().zip(run.counts) {
            *sum += factor * count;
        }
    }

    pub fn events(&self) -> f64 {
        self.counts[0]
    }

    pub fn microseconds_per_event(&self) -> f64 {
        1e6 * self.seconds / self.events()
    }
}

/// What all sides did, summed over several starts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Efforts {
    pub synchronous: Effort,
    pub patient: Effort,
    pub asynchronous: Effort,
}

impl Efforts {
    /// Adds the race from one start, the numbers of the synchronous sides times
    /// the first factor and those of the asynchronous one times the second.
    pub fn add(&mut self, race: &Race, [synchronous, asynchronous]: [f64; 2]) {
        self.synchronous.add(&race.synchronous, synchronous);
        self.patient.add(&race.patient, synchronous);
        self.asynchronous.add(&race.asynchronous, asynchronous);
    }

    /// The columns that every race has, behind those that a row has already,
    /// beside what the paper's table says of so many bodies.
    pub fn columns(&self, row: Row, n: usize, table: &'static [PaperRow]) -> Row {
        let Self { synchronous: sync, patient, asynchronous: own } = self;
        row.with("sync_events", whole(sync.events()))
            .with("sync_us_per_event", sync.microseconds_per_event())
            .with("sync_s", sync.seconds)
            .with("async_events", whole(own.events()))
            .with("async_us_per_event", own.microseconds_per_event())
            .with("async_s", own.seconds)
            .with("speedup", sync.seconds / own.seconds)
            .with("sync_patient_events", whole(patient.events()))
            .with("sync_patient_us_per_event", patient.microseconds_per_event())
            .with("sync_patient_s", patient.seconds)
            .with("speedup_patient", patient.seconds / own.seconds)
            .with("paper_speedup", paper::row(table, n).map(PaperRow::speedup))
    }

    /// What each side counted, and what the paper did, at the end of a row.
    pub fn counts(&self, mut row: Row, n: usize, table: &'static [PaperRow]) -> Row {
        for (side, effort) in [("sync", &self.synchronous), ("async", &self.asynchronous)] {
            for ((name, _), count) in COUNTERS.iter().zip(effort.counts).skip(1) {
                row = row.with(&format!("{side}_{name}"), whole(count));
            }
        }
        row.with("paper_sync_events", paper::row(table, n).map(|row| row.synchronous_events))
            .with("paper_async_events", paper::row(table, n).map(|row| row.asynchronous_events))
    }
}

/// A count that was scaled, as one.
pub(crate) fn whole(value: f64) -> u64 {
    value.round() as u64
}

/// What the sides did from one start, each within its window.
pub(crate) struct Race {
    pub synchronous: Effort,
    pub patient: Effort,
    pub asynchronous: Effort,
    /// The asynchronous world at the end of its window.
    pub world: World,
}

/// Runs all sides. `work` is about how long it takes, seconds.
pub(crate) fn race(builder: WorldBuilder, windows: Windows, context: &Context, work: f64) -> Result<Race, Halt> {
    let mut patient = builder.clone().patience(PATIENT).build_synchronous()?;
    let mut synchronous = builder.clone().build_synchronous()?;
    let mut asynchronous = builder.build()?;
    let before = [patient.statistics(), synchronous.statistics(), asynchronous.statistics()];
    let mut watches = [Stopwatch::default(), Stopwatch::default(), Stopwatch::default()];
    let turns = (work / TURN).ceil().clamp(10.0, 500.0) as u32;
    for turn in 1..=turns {
        context.check()?;
        let part = f64::from(turn) / f64::from(turns);
        watches[0].time(|| patient.advance(part * windows.synchronous))?;
        watches[1].time(|| synchronous.advance(part * windows.synchronous))?;
        watches[2].time(|| asynchronous.advance(part * windows.asynchronous))?;
        context.done(work / f64::from(turns));
    }
    let after = [patient.statistics(), synchronous.statistics(), asynchronous.statistics()];
    let effort = |side: usize| Effort::new(watches[side].seconds(), &before[side], &after[side]);
    Ok(Race { patient: effort(0), synchronous: effort(1), asynchronous: effort(2), world: asynchronous })
}
