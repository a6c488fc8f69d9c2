//! Where a run keeps what it finds.

use proscenium_direct::record::{Entry, Run};
use proscenium_direct::{Draw, SamplerState};

use crate::error::DirectorError;

/// Where a run keeps what it finds, and goes on from.
pub trait Archive {
    /// What it is called in messages.
    fn name(&self) -> String;

    /// Begins a run, unless one was begun; the one that is there.
    ///
    /// # Errors
    /// When it cannot be read or written.
    fn begin(&mut self, run: &Run) -> Result<Run, DirectorError>;

    /// Keeps the scene of the run as it looks now.
    ///
    /// # Errors
    /// When it cannot be written.
    fn restate(&mut self, scene: &str) -> Result<(), DirectorError>;

    /// The state that the run goes on from; `None` before the first commit.
    ///
    /// # Errors
    /// When it cannot be read.
    fn state(&self) -> Result<Option<SamplerState>, DirectorError>;

    /// All samples, in the order in which they were found.
    ///
    /// # Errors
    /// When they cannot be read.
    fn entries(&self) -> Result<Vec<Entry>, DirectorError>;

    /// What every chain did, in the order in which it was reported.
    ///
    /// # Errors
    /// When it cannot be read.
    fn draws(&self) -> Result<Vec<Draw>, DirectorError>;

    /// Keeps samples, draws, and the state that follows them: all or nothing.
    ///
    /// # Errors
    /// When they cannot be written.
    fn commit(
        &mut self,
        entries: &[Entry],
        draws: &[Draw],
        state: &SamplerState,
        simulations: u64,
    ) -> Result<(), DirectorError>;
}

/// A run that is gone with the process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemoryArchive {
    run: Option<Run>,
    state: Option<SamplerState>,
    entries: Vec<Entry>,
    draws: Vec<Draw>,
}

impl Archive for MemoryArchive {
    fn name(&self) -> String {
        "the memory".to_owned()
    }

    fn begin(&mut self, run: &Run) -> Result<Run, DirectorError> {
        Ok(self.run.get_or_insert_with(|| run.clone()).clone())
    }

    fn restate(&mut self, scene: &str) -> Result<(), DirectorError> {
        self.run.iter_mut().for_each(|run| scene.clone_into(&mut run.scene));
        Ok(())
    }

    fn state(&self) -> Result<Option<SamplerState>, DirectorError> {
        Ok(self.state.clone())
    }

    fn entries(&self) -> Result<Vec<Entry>, DirectorError> {
        Ok(self.entries.clone())
    }

    fn draws(&self) -> Result<Vec<Draw>, DirectorError> {
        Ok(self.draws.clone())
    }

    fn commit(
        &mut self,
        entries: &[Entry],
        draws: &[Draw],
        state: &SamplerState,
        _simulations: u64,
    ) -> Result<(), DirectorError> {
        self.entries.extend_from_slice(entries);
        self.draws.extend_from_slice(draws);
        self.state = Some(state.clone());
        Ok(())
    }
}
