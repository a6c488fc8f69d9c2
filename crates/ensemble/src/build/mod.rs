//! From a model or from data to a motion graph: one build, which keeps what is done
//! in a [`Store`], and goes on from there when it was stopped or killed.
//!
//! ```text
//! Generator ──simulate──▶ stretch-L-N.part ─┐
//! Ensemble ───────────────────import────────┴─compress, clean─▶ data.ensemble
//! data.ensemble ──choose_settings, connect──▶ transitions.journal ──▶ graph.memg
//! ```
//!
//! Whatever is there already is not done again, and the graph has the same bytes as
//! if nothing had ever been stopped.

mod apart;
mod choose;
mod record;
mod search;

use proscenium_chance::Seed;
use proscenium_work::{Completion, Finish as _, Halt, Progress, Store};

use crate::compress::compress;
use crate::compressed::CompressedEnsemble;
use crate::data::Ensemble;
use crate::graph::MotionGraph;
use crate::simulate::Generator;

pub use crate::error::BuildError;
pub use apart::{Doing, Round};
pub use choose::choose_settings;
pub use search::{BuildSettings, Task, TransitionSearch};

/// What the compressed data is called in a store.
const DATA: &str = "data.ensemble";
/// What the graph of a build is called in its store.
pub const GRAPH: &str = "graph.memg";

/// A build of a motion graph, in a store.
///
/// ```
/// use proscenium_ensemble::build::GraphBuild;
/// use proscenium_ensemble::built_in::Banner;
/// use proscenium_ensemble::Seed;
/// use proscenium_work::{Completion, Memory, Progress, Store as _};
///
/// let store = Memory::default();
/// let build = GraphBuild::new(&store, Seed(1));
/// let flag = Banner { flags: 1, ..Banner::default() }.generator();
/// // Somebody presses Ctrl-C at the tenth question; what is done is in the store.
/// let stopped = build.simulate(&flag, 0.2, 0.01, &Progress::stopping_at(10))?;
/// assert!(matches!(stopped, Completion::Stopped));
/// let made = build.simulate(&flag, 0.2, 0.01, &Progress::none())?.finished();
/// assert!(made.is_some() && store.read("data.ensemble")?.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct GraphBuild<'store> {
    store: &'store dyn Store,
    seed: Seed,
}

/// Data that is ready to be connected, and what making it came to.
#[derive(Clone, Debug, PartialEq)]
pub struct BuildData {
    /// The data, compressed and clean.
    pub data: CompressedEnsemble,
    /// Frames that were simulated again with smaller steps.
    pub retried: usize,
    /// Frames that were left out, since groups interpenetrate in them.
    pub dropped: usize,
    /// The size of all vertices of all frames before they were compressed, bytes.
    pub plain_bytes: usize,
}

impl<'store> GraphBuild<'store> {
    /// A build in a store, which may have been begun by another.
    pub fn new(store: &'store dyn Store, seed: Seed) -> Self {
        Self { store, seed }
    }

    /// Simulates so many seconds of each condition, on all cores, and compresses
    /// them to within `error` metres.
    ///
    /// # Errors
    /// What simulating and compressing refuse, and a store that cannot be used.
    pub fn simulate(
        &self,
        generator: &Generator,
        seconds: f64,
        error: f64,
        progress: &Progress,
    ) -> Result<Completion<BuildData>, BuildError> {
        self.simulate_data(generator, seconds, error, progress).finish()
    }

    fn simulate_data(
        &self,
        generator: &Generator,
        seconds: f64,
        error: f64,
        progress: &Progress,
    ) -> Result<BuildData, Halt<BuildError>> {
        let recorded = record::record_all(generator, seconds, self.seed, self.store, &progress.part(0.0, 0.8))?;
        let retried = recorded.iter().map(|(_, recording)| recording.retried).sum();
        let dropped: usize = recorded.iter().map(|(_, recording)| recording.dropped.len()).sum();
        let ensemble = generator.gather(recorded)?;
        let made = self.compress(&ensemble, error, &progress.part(0.8, 1.0))?;
        Ok(BuildData { retried, dropped: dropped + made.dropped, ..made })
    }

    /// Takes data that was brought, and compresses it to within `error` metres.
    ///
    /// # Errors
    /// What compressing refuses, and a store that cannot be used.
    pub fn import(
        &self,
        ensemble: &Ensemble,
        error: f64,
        progress: &Progress,
    ) -> Result<Completion<BuildData>, BuildError> {
        self.compress(ensemble, error, progress).finish()
    }

    fn compress(&self, ensemble: &Ensemble, error: f64, progress: &Progress) -> Result<BuildData, Halt<BuildError>> {
        let data = compress(ensemble, error, &progress.part(0.0, 0.8))?.or_stopped()?;
        let (data, dropped) = data.cleaned(&progress.part(0.8, 1.0))?.or_stopped()?;
        let made = self.adopt(data)?;
        Ok(BuildData { dropped, plain_bytes: ensemble.plain_bytes(), ..made })
    }

    /// Takes data that is compressed already.
    ///
    /// # Errors
    /// A store that cannot be used.
    pub fn adopt(&self, data: CompressedEnsemble) -> Result<BuildData, BuildError> {
        self.store.write(DATA, &data.to_bytes())?;
        let plain_bytes = data.plain_bytes();
        Ok(BuildData { data, retried: 0, dropped: 0, plain_bytes })
    }

    /// Finds the transitions of data, on all cores, and keeps the graph.
    ///
    /// # Errors
    /// What a [`TransitionSearch`] and a [`MotionGraph`] refuse, and a store that
    /// cannot be used.
    pub fn connect(
        &self,
        data: CompressedEnsemble,
        settings: BuildSettings,
        progress: &Progress,
    ) -> Result<Completion<MotionGraph>, BuildError> {
        self.connect_data(data, settings, progress).finish()
    }

    fn connect_data(
        &self,
        data: CompressedEnsemble,
        settings: BuildSettings,
        progress: &Progress,
    ) -> Result<MotionGraph, Halt<BuildError>> {
        let checking = &progress.part(0.0, 0.05);
        let search = TransitionSearch::new(&data, settings, Vec::new(), self.seed, checking)?.or_stopped()?;
        let (transitions, tally) = search.find_all(self.store, &progress.part(0.05, 1.0))?.or_stopped()?;
        drop(search);
        let graph = MotionGraph::new(data, transitions, tally)?;
        self.store.write(GRAPH, &graph.to_bytes()).map_err(BuildError::from)?;
        Ok(graph)
    }

    /// All of it: simulates so many seconds of each condition, compresses them,
    /// chooses settings, and finds the transitions.
    ///
    /// # Errors
    /// As [`Self::simulate`] and [`Self::connect`].
    pub fn make(
        &self,
        generator: &Generator,
        seconds: f64,
        progress: &Progress,
    ) -> Result<Completion<MotionGraph>, BuildError> {
        self.make_graph(generator, seconds, progress).finish()
    }

    fn make_graph(
        &self,
        generator: &Generator,
        seconds: f64,
        progress: &Progress,
    ) -> Result<MotionGraph, Halt<BuildError>> {
        let made = self.simulate_data(generator, seconds, generator.error, &progress.part(0.0, 0.5))?;
        let settings = choose_settings(&made.data, self.seed, &progress.part(0.5, 0.6))?.or_stopped()?;
        self.connect_data(made.data, settings, &progress.part(0.6, 1.0))
    }

    /// The graph that the build has kept, if it is done.
    ///
    /// # Errors
    /// A graph that cannot be used, or a store that cannot be read.
    pub fn graph(&self) -> Result<Option<MotionGraph>, BuildError> {
        let file = self.store.read(GRAPH)?;
        Ok(file.map(|file| MotionGraph::from_bytes(&file)).transpose()?)
    }

    /// Forgets all that is needed no more once there is a graph: the parts that were
    /// simulated of so many seconds, the data and the journal.
    ///
    /// # Errors
    /// Seconds that are not positive, or a store that cannot be written.
    pub fn clear(&self, generator: &Generator, seconds: f64) -> Result<(), BuildError> {
        for part in generator.parts(seconds)? {
            self.store.remove(&record::name_of(&part))?;
        }
        self.store.remove(search::JOURNAL_NAME)?;
        Ok(self.store.remove(DATA)?)
    }
}
