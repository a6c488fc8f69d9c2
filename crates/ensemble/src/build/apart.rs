//! A build of which parts are done apart from each other: by other processes, or on other
//! machines.
//!
//! There are rounds. Whoever leads asks for the [`Round`] that is next, hands what it needs to
//! those who work, takes what their parts came to, in any order, and asks again; when there is
//! none, [`GraphBuild::gather`] finds everything in its store, and the graph has the same bytes as
//! that of [`GraphBuild::make`]. A part is a function of the round and of its number.

use proscenium_work::{Artifact, Completion, Finish as _, Halt, Progress};
use serde::{Deserialize, Serialize};

use super::choose::choose_settings;
use super::record::{name_of, record_one};
use super::search::{BuildSettings, JOURNAL_NAME, Task, TaskOutcome, TransitionSearch};
use super::{BuildError, DATA, GRAPH, GraphBuild};
use crate::compressed::CompressedEnsemble;
use crate::error::EnsembleError;
use crate::file::JOURNAL;
use crate::graph::MotionGraph;
use crate::simulate::{Generator, Part};

/// What the settings of a build are called in a store.
const SETTINGS: &str = "settings";
const SETTINGS_FILE: Artifact = Artifact::new("settings", "the settings of a build", 1, "build it anew");
/// A round of transitions has at most so many parts. Chosen: preparing a part takes as long as
/// some of its tasks.
const MOST_PARTS: usize = 64;

/// What can be done apart now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// What is done.
    pub doing: Doing,
    /// How many parts there are; they are called by numbers from 0.
    pub parts: usize,
    /// What a part reads from the store: nothing else is needed.
    pub needs: Vec<String>,
}

/// The rounds of a build, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Doing {
    /// The beginning of the strongest wind, from which all else goes on.
    Opening,
    /// All other stretches.
    Stretches,
    /// Transitions within conditions and, when these are there, those between them.
    Transitions,
}

impl GraphBuild<'_> {
    /// What can be done apart now; nothing, if all is done.
    ///
    /// # Errors
    /// What simulating, compressing and choosing settings refuse, and a store that cannot be
    /// used.
    pub fn round(
        &self,
        generator: &Generator,
        seconds: f64,
        progress: &Progress,
    ) -> Result<Completion<Option<Round>>, BuildError> {
        self.next_round(generator, seconds, progress).finish()
    }

    fn next_round(
        &self,
        generator: &Generator,
        seconds: f64,
        progress: &Progress,
    ) -> Result<Option<Round>, Halt<BuildError>> {
        if self.store.read(GRAPH).map_err(BuildError::from)?.is_some() {
            return Ok(None);
        }
        let parts = generator.parts(seconds)?;
        let has = |name: &str| -> Result<bool, BuildError> { Ok(self.store.read(name)?.is_some()) };
        let is_data_there = has(DATA)? && has(SETTINGS)?;
        if let Some((opening, others)) = parts.split_first().filter(|_| !is_data_there) {
            let opening = name_of(opening);
            if !has(&opening)? {
                return Ok(Some(Round { doing: Doing::Opening, parts: 1, needs: Vec::new() }));
            }
            let mut open = 0;
            for part in others {
                open += usize::from(!has(&name_of(part))?);
            }
            if open > 0 {
                let parts = others.len();
                return Ok(Some(Round { doing: Doing::Stretches, parts, needs: vec![opening] }));
            }
        }
        if !is_data_there {
            let simulating = &progress.part(0.0, 0.5);
            let made = self.simulate_data(generator, seconds, generator.error, simulating)?;
            let settings = choose_settings(&made.data, self.seed, &progress.part(0.5, 1.0))?.or_stopped()?;
            self.store.write(SETTINGS, &SETTINGS_FILE.seal(&settings)).map_err(BuildError::from)?;
        }
        let data = self.data()?;
        let search = self.search(&data, progress)?.or_stopped()?;
        let (_, known) = search.journal(self.store).map_err(BuildError::from)?;
        let open = search.open(&known).1.len();
        let needs = [DATA, SETTINGS, JOURNAL_NAME].map(str::to_owned).to_vec();
        let round = Round { doing: Doing::Transitions, parts: open.min(MOST_PARTS), needs };
        Ok((open > 0).then_some(round))
    }

    /// Does a part of a round: what came of it. The store need hold no more than what the
    /// round needs.
    ///
    /// # Errors
    /// As [`GraphBuild::round`].
    pub fn part(
        &self,
        generator: &Generator,
        seconds: f64,
        round: &Round,
        number: usize,
        progress: &Progress,
    ) -> Result<Completion<Vec<u8>>, BuildError> {
        self.do_part(generator, seconds, round, number, progress).finish()
    }

    fn do_part(
        &self,
        generator: &Generator,
        seconds: f64,
        round: &Round,
        number: usize,
        progress: &Progress,
    ) -> Result<Vec<u8>, Halt<BuildError>> {
        if round.doing != Doing::Transitions {
            let parts = generator.parts(seconds)?;
            return record_one(generator, &parts, *stretch(&parts, round, number)?, self.seed, self.store, progress);
        }
        let data = self.data()?;
        let search = self.search(&data, &progress.part(0.0, 0.1))?.or_stopped()?;
        let (_, known) = search.journal(self.store).map_err(BuildError::from)?;
        let (kept, open) = search.open(&known);
        // Neighbouring stretches are as hard as each other: each part has some of all.
        let own: Vec<Task> = open.into_iter().skip(number).step_by(round.parts.max(1)).collect();
        Ok(JOURNAL.seal(&search.solve_some(&own, kept.as_deref(), progress)?))
    }

    /// Takes what parts of a round came to, each with its number, in any order. Twice is as once.
    ///
    /// # Errors
    /// What is no such part, and a store that cannot be used.
    pub fn take(
        &self,
        generator: &Generator,
        seconds: f64,
        round: &Round,
        made: &[(usize, Vec<u8>)],
    ) -> Result<(), BuildError> {
        if round.doing != Doing::Transitions {
            let parts = generator.parts(seconds)?;
            for (number, bytes) in made {
                let part = *stretch(&parts, round, *number)?;
                generator.stretch_from_bytes(part, self.seed, bytes)?;
                self.store.write(&name_of(&part), bytes)?;
            }
            return Ok(());
        }
        let data = self.data()?;
        let Completion::Finished(search) = self.search(&data, &Progress::none())? else { return Ok(()) };
        let (journal, mut known) = search.journal(self.store)?;
        for (_, bytes) in made {
            let found: Vec<TaskOutcome> = JOURNAL.open(bytes).map_err(EnsembleError::from)?;
            for (task, outcome) in found {
                if !known.contains_key(&task) {
                    let one = (task, outcome);
                    journal.add(&one)?;
                    known.insert(one.0, one.1);
                }
            }
        }
        Ok(())
    }

    /// The graph, when there are no more rounds.
    ///
    /// # Errors
    /// As [`GraphBuild::make`].
    pub fn gather(&self, progress: &Progress) -> Result<Completion<MotionGraph>, BuildError> {
        match self.graph()? {
            Some(graph) => Ok(Completion::Finished(graph)),
            None => self.connect(self.data()?, self.settings()?, progress),
        }
    }

    fn data(&self) -> Result<CompressedEnsemble, BuildError> {
        Ok(CompressedEnsemble::from_bytes(&self.needed(DATA)?)?)
    }

    fn settings(&self) -> Result<BuildSettings, BuildError> {
        Ok(SETTINGS_FILE.open(&self.needed(SETTINGS)?).map_err(EnsembleError::from)?)
    }

    fn needed(&self, name: &'static str) -> Result<Vec<u8>, BuildError> {
        let what = "file of this round";
        let remedy = "hand over what the round needs";
        Ok(self.store.read(name)?.ok_or(EnsembleError::Empty { place: format!("`{name}`"), what, remedy })?)
    }

    fn search<'data>(
        &self,
        data: &'data CompressedEnsemble,
        progress: &Progress,
    ) -> Result<Completion<TransitionSearch<'data>>, BuildError> {
        Ok(TransitionSearch::new(data, self.settings()?, Vec::new(), self.seed, progress)?)
    }
}

/// The stretch that a part of a round is.
fn stretch<'parts>(parts: &'parts [Part], round: &Round, number: usize) -> Result<&'parts Part, EnsembleError> {
    let place = number + usize::from(round.doing == Doing::Stretches);
    let remedy = "give numbers of parts of the round";
    parts.get(place).ok_or_else(|| EnsembleError::Number { what: "a part".to_owned(), value: number as f64, remedy })
}
