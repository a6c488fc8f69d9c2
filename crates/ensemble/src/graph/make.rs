//! From a model to its motion graph in one go.

use proscenium_chance::Seed;

use super::{Builder, MotionGraph, choose_settings};
use crate::compress::compress_with;
use crate::error::EnsembleError;
use crate::simulate::Generator;

/// How far the making of a graph has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Making {
    /// In words.
    pub doing: &'static str,
    /// The share of this that is done, from 0 to 1.
    pub done: f64,
}

impl MotionGraph {
    /// Simulates so many seconds of each condition, compresses them to within
    /// `error` metres, and finds the transitions, on all cores. `progress` stops
    /// the work by returning false; nothing is kept then.
    ///
    /// # Errors
    /// A stop, or what recording, compressing and building refuse.
    pub fn make(
        generator: &Generator,
        seconds: f64,
        error: f64,
        seed: Seed,
        progress: &(dyn Fn(Making) -> bool + Sync),
    ) -> Result<Self, EnsembleError> {
        let share = |done: usize, all: usize| done as f64 / all.max(1) as f64;
        let goes_on = |doing: &'static str, done: usize, all: usize| progress(Making { doing, done: share(done, all) });
        let recorded = generator.record_all(seconds, seed, &|done, all| goes_on("simulating", done, all))?;
        let ensemble = generator.gather(recorded)?;
        let data = compress_with(&ensemble, error, &|done, all| goes_on("compressing", done, all))?;
        let (data, _) = data.cleaned()?;
        drop(ensemble);
        goes_on("choosing how far to reach", 0, 1);
        let settings = choose_settings(&data, seed)?;
        let builder = Builder::new(&data, settings, Vec::new(), seed)?;
        let built = builder.build(Vec::new(), &|_, at| goes_on("finding transitions", at.done, at.known))?;
        drop(builder);
        let (transitions, tally) = built;
        Self::new(data, transitions, tally)
    }
}
