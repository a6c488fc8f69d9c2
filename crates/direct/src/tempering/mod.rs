//! Non-reversible parallel tempering.

mod ladder;

pub use ladder::Round;

use proscenium_chance::Seed;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::DirectError;
use crate::model::{Current, Model};
use crate::moves::Mix;
use crate::step::{Effort, Kept, MoveCount, Stepper, Tally};
use ladder::Ladder;

/// The stream of a scan's swaps: no ladder has so many rungs.
const SWAPS: u64 = u64::MAX;
/// The rungs of the first round where their number is left open.
const FIRST_RUNGS: usize = 8;
/// The most rungs that a ladder grows to by itself.
const MOST_RUNGS: usize = 48;
/// The scans of the first round.
const FIRST_ROUND: u64 = 16;

/// How a tempered run is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemperingOptions {
    /// How many temperatures; left open, about twice the communication barrier.
    pub temperatures: Option<usize>,
    /// How many steps each state makes between two swaps.
    pub explore: usize,
    /// After so many rounds (each twice as long as the one before) draws count
    /// as samples, and the number of temperatures stays.
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
/// every visit to the top is a new beginning. After each round, twice as long as
/// the one before, the ladder is spaced evenly along the communication barrier.
pub struct Tempering<'a, M: Model> {
    stepper: Stepper<'a, M>,
    seed: Seed,
    options: TemperingOptions,
    progress: Progress,
    rungs: Vec<Current<M::Outcome>>,
    renewed: bool,
}

/// A tempered run as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TemperingState {
    progress: Progress,
    rungs: Vec<Kept>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Progress {
    chain: u64,
    round: u32,
    scan_of_round: u64,
    scan: u64,
    ladder: Ladder,
    tally: Tally,
    rounds: Vec<Round>,
}

impl<'a, M: Model> Tempering<'a, M> {
    /// A run that starts with draws of the world on every rung.
    pub fn start(
        model: &'a M,
        mix: &'a Mix,
        seed: Seed,
        chain: u64,
        options: TemperingOptions,
    ) -> Result<Self, DirectError> {
        let stepper = Stepper { model, mix, abandon: true };
        let count = options.temperatures.unwrap_or(FIRST_RUNGS);
        for (option, value, least) in [("temperatures", count, 2), ("explore", options.explore, 1)] {
            if value < least {
                return Err(DirectError::Option { option, value: value as u64, least: least as u64 });
            }
        }
        let mut tally = Tally::new(mix.len());
        let start = seed.stream("direct tempering").at(chain).at(0);
        let rungs: Result<Vec<_>, DirectError> =
            (0..count).map(|rung| stepper.fresh(&mut start.at(rung as u64), &mut tally.effort)).collect();
        let ladder = Ladder::first(count);
        let progress = Progress { chain, round: 0, scan_of_round: 0, scan: 0, ladder, tally, rounds: Vec::new() };
        Ok(Self { stepper, seed, options, progress, rungs: rungs?, renewed: true })
    }

    /// Goes on from where a run was kept.
    pub fn resume(
        model: &'a M,
        mix: &'a Mix,
        seed: Seed,
        options: TemperingOptions,
        state: TemperingState,
    ) -> Result<Self, DirectError> {
        let stepper = Stepper { model, mix, abandon: true };
        let rungs: Result<Vec<_>, DirectError> = state.rungs.par_iter().map(|kept| kept.restore(model)).collect();
        Ok(Self { stepper, seed, options, progress: state.progress, rungs: rungs?, renewed: false })
    }

    /// Lets every simulation go to its end. The run is the same.
    #[must_use]
    pub fn without_abandoning(mut self) -> Self {
        self.stepper.abandon = false;
        self
    }

    /// One scan: all explore, then neighbours swap.
    pub fn scan(&mut self) -> Result<(), DirectError> {
        self.progress.scan += 1;
        let before = self.rungs[self.rungs.len() - 1].point.clone();
        self.explore()?;
        self.communicate();
        self.renewed = self.rungs[self.rungs.len() - 1].point != before;
        self.progress.scan_of_round += 1;
        if self.progress.scan_of_round >= FIRST_ROUND << self.progress.round.min(32) {
            self.end_round();
        }
        Ok(())
    }

    fn explore(&mut self) -> Result<(), DirectError> {
        let (stepper, options) = (self.stepper, self.options);
        let betas = &self.progress.ladder.betas;
        let stream = self.seed.stream("direct tempering").at(self.progress.chain).at(self.progress.scan);
        let explored: Result<Vec<Tally>, DirectError> = self
            .rungs
            .par_iter_mut()
            .enumerate()
            .map(|(rung, current)| {
                let mut stream = stream.at(rung as u64);
                let mut tally = Tally::new(stepper.mix.len());
                if rung == 0 {
                    *current = stepper.fresh(&mut stream, &mut tally.effort)?;
                    return Ok(tally);
                }
                for _ in 0..options.explore {
                    stepper.step(current, betas[rung], &mut stream, &mut tally)?;
                }
                Ok(tally)
            })
            .collect();
        for tally in explored? {
            self.progress.tally.add(&tally);
        }
        Ok(())
    }

    /// Even pairs swap in even scans, odd pairs in odd ones.
    fn communicate(&mut self) {
        let stream = self.seed.stream("direct tempering").at(self.progress.chain).at(self.progress.scan);
        let mut stream = stream.at(SWAPS);
        let parity = usize::from(!self.progress.scan.is_multiple_of(2));
        let ladder = &mut self.progress.ladder;
        for lower in (parity..self.rungs.len() - 1).step_by(2) {
            let (below, above) = (self.rungs[lower].log_score, self.rungs[lower + 1].log_score);
            let chance = ladder.swap_chance(lower, below, above);
            let swapped = stream.uniform() < chance;
            ladder.note(lower, chance, swapped);
            if swapped {
                self.rungs.swap(lower, lower + 1);
            }
        }
        ladder.end_scan();
    }

    /// Spaces the ladder along the barrier; while warming up, also with as many
    /// rungs as the barrier asks for.
    fn end_round(&mut self) {
        let progress = &mut self.progress;
        let report = progress.ladder.report(progress.scan_of_round);
        let count = match self.options.temperatures {
            None if progress.round < self.options.warm_up_rounds => {
                // Two rungs per unit of the barrier let neighbours swap about half of the time.
                (2.0 * report.barrier).ceil().clamp(3.0, MOST_RUNGS as f64 - 2.0) as usize + 2
            }
            _ => self.rungs.len(),
        };
        progress.rounds.push(report);
        let respaced = progress.ladder.respaced(count);
        if count != self.rungs.len() {
            let old = &progress.ladder.betas;
            self.rungs = respaced.betas.iter().map(|beta| self.rungs[nearest(old, *beta)].clone()).collect();
        }
        progress.ladder = respaced;
        progress.round += 1;
        progress.scan_of_round = 0;
    }

    /// All that its continuation depends on.
    #[must_use]
    pub fn state(&self) -> TemperingState {
        TemperingState { progress: self.progress.clone(), rungs: self.rungs.iter().map(Kept::of).collect() }
    }

    /// The rounds that are over.
    #[must_use]
    pub fn rounds(&self) -> &[Round] {
        &self.progress.rounds
    }

    /// The inverse temperatures, from 0 to 1.
    #[must_use]
    pub fn betas(&self) -> &[f64] {
        &self.progress.ladder.betas
    }

    /// How many scans were made.
    #[must_use]
    pub fn scans(&self) -> u64 {
        self.progress.scan
    }

    /// Whether the ladder is still being found.
    #[must_use]
    pub fn is_warming_up(&self) -> bool {
        self.progress.round < self.options.warm_up_rounds
    }

    /// How often each move was made and accepted at any temperature.
    #[must_use]
    pub fn move_counts(&self) -> &[MoveCount] {
        &self.progress.tally.moves
    }

    /// What it has cost.
    #[must_use]
    pub fn effort(&self) -> Effort {
        self.progress.tally.effort
    }

    pub(crate) fn chain(&self) -> u64 {
        self.progress.chain
    }

    /// The state with all wants, and whether it is another than a scan ago.
    pub(crate) fn top(&self) -> (&Current<M::Outcome>, bool) {
        (&self.rungs[self.rungs.len() - 1], self.renewed)
    }
}

/// The rung whose temperature is nearest.
fn nearest(betas: &[f64], beta: f64) -> usize {
    let distance = |rung: &usize| (betas[*rung] - beta).abs();
    (0..betas.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
}
