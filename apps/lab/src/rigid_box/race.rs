//! Both algorithms on the same start, timed in turns.

use proscenium_rigid::{Statistics, WorldBuilder};

use crate::error::LabError;
use crate::experiment::Context;
use crate::timing::Stopwatch;

/// The two sides take turns, so that whatever else the machine does meets
/// both. A turn takes about this long, seconds: reading the clock is nothing.
const TURN: f64 = 2e-3;

/// How long each side simulates, seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Windows {
    pub synchronous: f64,
    pub asynchronous: f64,
}

/// What one side did, summed over several starts and scaled to a stated time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Effort {
    pub seconds: f64,
    pub events: f64,
    pub collisions: f64,
    pub predictions: f64,
    pub distance_queries: f64,
    pub integrations: f64,
}

impl Effort {
    fn new(seconds: f64, statistics: &Statistics) -> Self {
        Self {
            seconds,
            events: statistics.events as f64,
            collisions: statistics.collisions as f64,
            predictions: statistics.predictions as f64,
            distance_queries: statistics.distance_queries as f64,
            integrations: statistics.integrations as f64,
        }
    }

    /// Adds another run, each of its numbers times `factor`.
    pub fn add(&mut self, run: &Self, factor: f64) {
        self.seconds += factor * run.seconds;
        self.events += factor * run.events;
        self.collisions += factor * run.collisions;
        self.predictions += factor * run.predictions;
        self.distance_queries += factor * run.distance_queries;
        self.integrations += factor * run.integrations;
    }

    pub fn microseconds_per_event(&self) -> f64 {
        1e6 * self.seconds / self.events
    }
}

/// What both sides did from one start, each within its window.
pub(super) struct Race {
    pub synchronous: Effort,
    pub asynchronous: Effort,
}

/// Runs both sides. `work` is about how long it takes, seconds.
pub(super) fn race(builder: WorldBuilder, windows: Windows, context: &Context, work: f64) -> Result<Race, LabError> {
    let mut synchronous = builder.clone().build_synchronous()?;
    let mut asynchronous = builder.build()?;
    let (before_synchronous, before_asynchronous) = (synchronous.statistics(), asynchronous.statistics());
    let (mut watch_synchronous, mut watch_asynchronous) = (Stopwatch::default(), Stopwatch::default());
    let turns = (work / TURN).ceil().clamp(10.0, 500.0) as u32;
    for turn in 1..=turns {
        context.check()?;
        let part = f64::from(turn) / f64::from(turns);
        watch_asynchronous.time(|| asynchronous.advance(part * windows.asynchronous))?;
        watch_synchronous.time(|| synchronous.advance(part * windows.synchronous))?;
        context.done(work / f64::from(turns));
    }
    let done = |watch: Stopwatch, after: Statistics, before: Statistics| {
        let mut effort = Effort::new(watch.seconds(), &after);
        effort.add(&Effort::new(0.0, &before), -1.0);
        effort
    };
    Ok(Race {
        synchronous: done(watch_synchronous, synchronous.statistics(), before_synchronous),
        asynchronous: done(watch_asynchronous, asynchronous.statistics(), before_asynchronous),
    })
}
