//! Non-reversible parallel tempering.

mod ladder;

pub use ladder::Round;

use proscenium_chance::Seed;
use proscenium_work::{Completion, Finish as _, Halt, Progress};
use serde::{Deserialize, Serialize};

use crate::error::DirectError;
use crate::model::{Current, Model};
use crate::moves::Mix;
use crate::step::{Effort, MoveCount, Stepper, StoredPoint, Tally};
use crate::walkers::Walkers;
use ladder::Ladder;

/// The stream of a scan's swaps: no ladder has so many rungs.
const SWAPS: u64 = u64::MAX;
/// The rungs of the first round where their number is left open: chosen, since the
/// barrier is not known yet.
const FIRST_RUNGS: usize = 8;
/// The most rungs that a ladder grows to by itself: chosen, for barriers up to 23,
/// beyond which a scan takes longer than a user waits.
const MOST_RUNGS: usize = 48;
/// The scans of the first round: chosen, the least that measures a barrier.
const FIRST_ROUND: u64 = 16;

/// How a tempered run is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemperingOptions {
    /// How many temperatures; left open, about twice the communication barrier.
    pub temperatures: Option<usize>,
    /// How many steps each state makes between two swaps.
    pub explore: usize,
    /// After so many rounds (each twice as long as the one before) draws count
    /// as samples, and the ladder stays as it is.
    pub warm_up_rounds: u32,
}

impl Default for TemperingOptions {
    fn default() -> Self {
        Self { temperatures: None, explore: 2, warm_up_rounds: 5 }
    }
}

/// Non-reversible parallel tempering (Syed, Bouchard-Côté, Deligiannidis, Doucet
/// 2022).
///
/// States at the densities p_w p_c^β, from β = 0 to β = 1, explore on their own
/// and swap with their neighbours: even pairs in one scan, odd pairs in the next.
/// At β = 0 each scan starts from a new draw of the world, which climbs: so that
/// every visit to the top is a new beginning. While it warms up the ladder is spaced
/// evenly along the communication barrier after each round, twice as long as the one
/// before; then it stays, since draws of a chain that adapts itself are no sample.
pub struct Tempering<'a, M: Model> {
    seed: Seed,
    options: TemperingOptions,
    course: Course,
    rungs: Walkers<'a, M>,
}

// Written out, since a derived one would ask the model to be cloned.
impl<M: Model> Clone for Tempering<'_, M> {
    fn clone(&self) -> Self {
        let (seed, options) = (self.seed, self.options);
        Self { seed, options, course: self.course.clone(), rungs: self.rungs.clone() }
    }
}

/// A tempered run as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TemperingState {
    #[serde(rename = "progress")]
    course: Course,
    rungs: Vec<StoredPoint>,
}

/// How far a ladder has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Course {
    chain: u64,
    round: u32,
    scan_of_round: u64,
    scan: u64,
    /// The state with all wants has been the same since this scan; the first one,
    /// since the first.
    since: u64,
    ladder: Ladder,
    tally: Tally,
    rounds: Vec<Round>,
}

impl<'a, M: Model> Tempering<'a, M> {
    /// A run that starts with draws of the world on every rung, or with what is given.
    ///
    /// # Errors
    /// When an option makes no ladder, or the model fails.
    pub fn start(
        model: &'a M,
        mix: &'a Mix,
        seed: Seed,
        chain: u64,
        options: TemperingOptions,
        progress: &Progress,
    ) -> Result<Completion<Self>, DirectError> {
        Self::try_start(model, mix, seed, chain, options, progress).finish()
    }

    pub(crate) fn try_start(
        model: &'a M,
        mix: &'a Mix,
        seed: Seed,
        chain: u64,
        options: TemperingOptions,
        progress: &Progress,
    ) -> Result<Self, Halt<DirectError>> {
        let stepper = Stepper { model, mix, abandon: true };
        let count = options.temperatures.unwrap_or(FIRST_RUNGS);
        for (option, value, least) in [("temperatures", count, 2), ("explore", options.explore, 1)] {
            if value < least {
                return Err(DirectError::Option { option, value: value as u64, least: least as u64 }.into());
            }
        }
        let mut tally = Tally::new(mix.len());
        let start = seed.stream("direct tempering").at(chain).at(0);
        let rungs = Walkers::begin(stepper, count, &start, progress)?;
        tally.effort.simulations = count as u64;
        let ladder = Ladder::first(count);
        let course = Course { chain, round: 0, scan_of_round: 0, scan: 0, since: 1, ladder, tally, rounds: Vec::new() };
        Ok(Self { seed, options, course, rungs })
    }

    /// Goes on from where a run was stored.
    ///
    /// # Errors
    /// When the state is of another model, or the model fails.
    pub fn resume(
        model: &'a M,
        mix: &'a Mix,
        seed: Seed,
        options: TemperingOptions,
        state: TemperingState,
        progress: &Progress,
    ) -> Result<Completion<Self>, DirectError> {
        Self::try_resume(model, mix, seed, options, state, progress).finish()
    }

    pub(crate) fn try_resume(
        model: &'a M,
        mix: &'a Mix,
        seed: Seed,
        options: TemperingOptions,
        state: TemperingState,
        progress: &Progress,
    ) -> Result<Self, Halt<DirectError>> {
        let stepper = Stepper { model, mix, abandon: true };
        let rungs = Walkers::resume(stepper, &state.rungs, progress)?;
        Ok(Self { seed, options, course: state.course, rungs })
    }

    /// Lets every simulation go to its end. The run is the same.
    #[must_use]
    pub fn without_abandoning(mut self) -> Self {
        self.rungs = self.rungs.without_abandoning();
        self
    }

    /// One scan: all explore, then neighbours swap. One that is stopped has not
    /// been made.
    ///
    /// # Errors
    /// When the model fails.
    pub fn scan(&mut self, progress: &Progress) -> Result<Completion<()>, DirectError> {
        self.try_scan(progress).finish()
    }

    pub(crate) fn try_scan(&mut self, progress: &Progress) -> Result<(), Halt<DirectError>> {
        let before = self.top().point.clone();
        self.explore(progress)?;
        self.course.scan += 1;
        self.communicate();
        if self.top().point != before {
            self.course.since = self.course.scan;
        }
        self.course.scan_of_round += 1;
        if self.course.scan_of_round >= FIRST_ROUND << self.course.round.min(32) {
            self.end_round(self.is_warming_up());
        }
        Ok(())
    }

    fn explore(&mut self, progress: &Progress) -> Result<(), Halt<DirectError>> {
        let stream = self.seed.stream("direct tempering").at(self.course.chain).at(self.course.scan + 1);
        let betas = &self.course.ladder.betas;
        // The lowest rung has the world alone: every scan begins from a new draw.
        let beta = |rung: usize| (rung > 0).then(|| betas[rung]);
        self.rungs.walk(self.options.explore, &stream, beta, &mut self.course.tally, progress)
    }

    /// Even pairs swap in even scans, odd pairs in odd ones.
    fn communicate(&mut self) {
        let stream = self.seed.stream("direct tempering").at(self.course.chain).at(self.course.scan);
        let mut stream = stream.at(SWAPS);
        let parity = usize::from(!self.course.scan.is_multiple_of(2));
        let ladder = &mut self.course.ladder;
        for lower in (parity..self.rungs.len() - 1).step_by(2) {
            let [below, above] = [lower, lower + 1].map(|rung| self.rungs.all()[rung].log_score);
            let chance = ladder.swap_chance(lower, below, above);
            let swapped = stream.uniform() < chance;
            ladder.note(lower, chance, swapped);
            if swapped {
                self.rungs.swap(lower, lower + 1);
            }
        }
        ladder.end_scan();
    }

    /// Spaces the ladder along the barrier, with as many rungs as that asks for, if
    /// it is to be adapted; otherwise it stays.
    fn end_round(&mut self, adapt: bool) {
        let course = &mut self.course;
        let report = course.ladder.report(course.scan_of_round);
        let count = match self.options.temperatures {
            None if adapt => {
                // Two rungs per unit of the barrier let neighbours swap about half of the time.
                (2.0 * report.barrier).ceil().clamp(3.0, MOST_RUNGS as f64 - 2.0) as usize + 2
            }
            _ => self.rungs.len(),
        };
        course.rounds.push(report);
        let respaced = if adapt { course.ladder.respaced(count) } else { course.ladder.counted_anew() };
        if count != self.rungs.len() {
            let old = &course.ladder.betas;
            self.rungs.follow(respaced.betas.iter().map(|beta| nearest(old, *beta)));
        }
        course.ladder = respaced;
        course.round += 1;
        course.scan_of_round = 0;
    }

    /// Adapts the ladder once more to what was counted since the last time. What
    /// comes after is a chain of its own, of which the past is a warm-up.
    pub fn adapt(&mut self) {
        if self.course.scan_of_round >= FIRST_ROUND {
            self.end_round(true);
        }
    }

    /// All that its continuation depends on.
    #[must_use]
    pub fn state(&self) -> TemperingState {
        TemperingState { course: self.course.clone(), rungs: self.rungs.stored() }
    }

    /// The rounds that are over.
    #[must_use]
    pub fn rounds(&self) -> &[Round] {
        &self.course.rounds
    }

    /// The inverse temperatures, from 0 to 1.
    #[must_use]
    pub fn betas(&self) -> &[f64] {
        &self.course.ladder.betas
    }

    /// How many scans were made.
    #[must_use]
    pub fn scans(&self) -> u64 {
        self.course.scan
    }

    /// Whether the ladder is still being found.
    #[must_use]
    pub fn is_warming_up(&self) -> bool {
        self.course.round < self.options.warm_up_rounds
    }

    /// How often each move was made and accepted at any temperature.
    #[must_use]
    pub fn move_counts(&self) -> &[MoveCount] {
        &self.course.tally.moves
    }

    /// What it has cost.
    #[must_use]
    pub fn effort(&self) -> Effort {
        self.course.tally.effort
    }

    pub(crate) fn chain(&self) -> u64 {
        self.course.chain
    }

    /// The state with all wants.
    pub(crate) fn top(&self) -> &Current<M::Outcome> {
        &self.rungs.all()[self.rungs.len() - 1]
    }

    /// Since which scan it has been the same.
    pub(crate) fn since(&self) -> u64 {
        self.course.since
    }
}

/// The rung whose temperature is nearest.
fn nearest(betas: &[f64], beta: f64) -> usize {
    let distance = |rung: &usize| (betas[*rung] - beta).abs();
    (0..betas.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
}
